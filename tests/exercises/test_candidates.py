"""Candidates for checks from two topologies, compared with the checks that authors wrote for the same topologies."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import networkx
import pytest

from frrlib.exercises.checks import CheckBase
from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.exercise import StudentExercise, load
from frrlib.exercises.making.candidate import LINES, Candidate
from frrlib.exercises.making.candidates import candidate_checks
from frrlib.exercises.making.choosing import chosen, uncovered_lines
from frrlib.exercises.making.forwarding import cheapest_paths
from frrlib.model.links import End, Link
from tests.exercises.samples import SHIPPED

#: Settings of a check that do not decide whether it holds.
_WORDS = {"id", "title", "points", "message", "needs", "within_s", "hidden", "holds_at_start"}


@cache
def _student(name: str) -> StudentExercise:
    return load(SHIPPED / name).of_student("1")


@cache
def _candidates(name: str) -> tuple[Candidate, ...]:
    """The candidates from the start and the last reference state of a shipped exercise."""
    student = _student(name)
    return candidate_checks(student.start(), student.reference(student.exercise.content.chapters[-1]))


def _meaning(check: CheckBase) -> dict[str, Any]:
    return {name: value for name, value in check.model_dump(mode="json").items() if name not in _WORDS}


def _is_stricter(meaning: dict[str, Any], than: dict[str, Any]) -> bool:
    """Whether a check requires at least what another one requires, with its two ends exchanged or not."""
    pairs = {"neighbor": ("node", "neighbor"), "ping": ("source", "destination")}
    first, second = pairs.get(meaning["kind"], ("", ""))
    ends = {first: second, second: first}
    turned = {ends.get(name, name): value for name, value in meaning.items()}
    empty: tuple[Any, ...] = ("", None, False)
    return any(
        own.keys() == than.keys() and all(than[name] in (*empty, own[name]) for name in than)
        for own in (meaning, turned)
    )


@pytest.mark.parametrize(
    ("name", "not_derived"),
    [
        # An absence that the start has, too, is no difference, and neither is an AS path where there was no route.
        ("two-as", {"private-stays", "r1-learns", "r2-learns"}),
        # The return path from h2 is part of one candidate for both directions. Next hops of OSPF are left to paths.
        ("ospf-costs", {"area-r5", "back-by-r3", "summary", "r5-default"}),
        ("static-routes", set()),
        # Pings between routers are not derived, IPv4 works at the start, and a path includes its way back.
        ("ipv6-beside-ipv4", {"link-r1-r2", "link-r1-r3", "link-r3-r2", "h1-r1", "ping4", "six-back", "four-stays"}),
    ],
)
def test_the_checks_of_authors_are_among_the_candidates(name: str, not_derived: set[str]) -> None:
    student = _student(name)
    checks = [check for chapter in student.exercise.content.chapters for check in student.checks(chapter, hidden=True)]
    meanings = [_meaning(candidate.check) for candidate in _candidates(name)]
    missing = {
        check.id for check in checks
        if check.needs_lab and not any(_is_stricter(own, _meaning(check)) for own in meanings)
    }  # fmt: skip
    assert missing == not_derived


def test_two_as() -> None:
    candidates = _candidates("two-as")
    values = _student("two-as").variables
    proposed = {candidate.check.title for candidate in chosen(candidates, certain=True)}
    assert proposed == {
        "r1 and r2 are BGP neighbors",
        values.text("r1 has the route {lan2} from r2 by BGP"),
        values.text("r2 has the route {lan1} from r1 by BGP"),
        "h1 reaches h2",
    }
    lines = {candidate.check.title: candidate for candidate in candidates if candidate.group == LINES}
    remote_as = lines[values.text("r1 has the line neighbor {wire.2} remote-as {as2} in router bgp {as1}")]
    assert (remote_as.better, remote_as.is_proposed) == (("r1-r2-bgp",), False)
    announced = lines[values.text("r1 has the line network {lan1} in address-family ipv4 unicast")]
    assert [c.check.node for c in candidates if c.check.id in announced.better and c.check.kind == "route"] == ["r2"]


def test_a_path_by_costs_is_better_than_the_line_of_a_cost() -> None:
    """The link between r1 and r2 has the higher cost, so packets take the path by r3 in both directions."""
    candidates = {candidate.check.title: candidate for candidate in _candidates("ospf-costs")}
    path = candidates["The path between h1 and h2 is r1-r3-r4"]
    assert path.is_proposed and path.is_certain
    high = _student("ospf-costs").variables.values["high"]
    line = candidates[f"r1 has the line ip ospf cost {high} in interface r1-eth1"]
    assert path.check.id in line.better
    titles = {candidate.check.title for candidate in chosen([*candidates.values()])}
    assert {"r1 and r2 are OSPF neighbors", "h1 reaches h2", "r5 has the default route of OSPF"} <= titles
    assert "r1 has the route 10.255.0.2/32 of OSPF" not in titles, "a network without hosts is no task"


def test_a_floating_route_is_a_line_without_a_better_check() -> None:
    candidates = _candidates("static-routes")
    lines = {line.check.title for line in uncovered_lines(candidates, [c.check for c in chosen(candidates)])}
    text = _student("static-routes").variables.text
    assert lines == {
        text("r1 has the line ip route {site.128}/26 {w13.2} {distance}"),
        text("r2 has the line ip route {site.ip}/25 {w23.2} {distance}"),
    }


def test_equal_topologies_have_no_candidates_and_other_links_are_refused() -> None:
    start = _student("two-as").start()
    assert candidate_checks(start, start) == ()
    link = Link(id="new", a=End(node="r1"), b=End(node="h2"))
    with pytest.raises(ExerciseError, match="a link between h2 and r1 was added; start and solution must have"):
        candidate_checks(start, start.model_copy(update={"links": (*start.links, link)}))


def test_ids_are_unique_and_an_unknown_one_is_refused() -> None:
    candidates = _candidates("ospf-costs")
    assert len({candidate.check.id for candidate in candidates}) == len(candidates)
    two = chosen(candidates, ["h1-h2-ping", "r1-line-1"], ["r1-line-1"])
    assert [candidate.check.id for candidate in two] == ["h1-h2-ping"]
    with pytest.raises(ExerciseError, match="there is no candidate nothing"):
        chosen(candidates, [], ["nothing"])


@pytest.mark.parametrize("seed", range(5))
def test_cheapest_paths_are_those_of_networkx(seed: int) -> None:
    random = Random(seed)
    graph = networkx.gnp_random_graph(12, 0.3, seed=seed, directed=True)
    for _, _, edge in graph.edges(data=True):
        edge["weight"] = random.randint(1, 3)
    neighbors = {
        str(node): [(str(other), graph[node][other]["weight"]) for other in graph[node]] for node in graph.nodes
    }
    lengths = networkx.single_source_dijkstra_path_length(graph, 0)
    firsts = {
        node: {path[1] for path in networkx.all_shortest_paths(graph, 0, node, weight="weight") if len(path) > 1}
        for node in lengths
    }
    found = cheapest_paths("0", neighbors)
    assert found == {str(node): (lengths[node], frozenset(map(str, firsts[node]))) for node in lengths}
