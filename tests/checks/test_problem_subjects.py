"""Each problem says which kind of thing it is about, since nodes, links and flows may have the same names."""

from __future__ import annotations

import pytest

from frrlib.checks.check import check, refuse_errors
from frrlib.edits.links import add_link
from frrlib.errors import TopologyError
from frrlib.formats import mn
from frrlib.model.flows import Flow
from frrlib.model.labels import error_words, place_of
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Host, Switch
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key, scene_of
from tests.checks.test_check import all_cases

_NO_DELAY = Shape(rate_mbit=10, queue_bdp=1)


def same_names(shape: Shape = _NO_DELAY) -> Topology:
    """Switches l1 and f1, hosts h1 and h2: the links l1, l2 and l3 and the flow f1 share the names of switches."""
    topology = Topology(nodes=(Switch(name="l1"), Switch(name="f1"), Host(name="h1"), Host(name="h2")))
    for ends in (("l1", "h1"), ("l1", "f1"), ("f1", "h2")):
        topology, _ = add_link(topology, *ends)
    first, *others = topology.links
    flow = Flow(id="f1", source="h1", destination="h2", duration_s=1.5)
    links = (first.model_copy(update={"a_to_b": shape}), *others)
    return topology.model_copy(update={"links": links, "flows": (flow,)})


def test_a_link_with_the_name_of_a_switch_is_named_by_its_ends() -> None:
    topology = same_names()
    (problem,) = [problem for problem in check(topology) if problem.kind == "bdp-without-delay"]
    assert (problem.about, problem.node) == ("link", "l1")
    assert place_of(problem, topology).startswith("l1 → h1, ")
    assert scene_of(topology).key_of(problem.node, problem.about) == Key("link", "l1")


def test_a_flow_with_the_name_of_a_switch_is_called_a_flow() -> None:
    topology = same_names()
    problems = [problem for problem in check(topology) if problem.about == "flow"]
    assert problems and all(place_of(problem, topology).startswith("flow f1") for problem in problems)


def test_a_switch_with_the_name_of_a_link_keeps_its_own_problems() -> None:
    topology = same_names(Shape())
    changed = topology.nodes[0].model_copy(update={"dpid": "no hex"})
    topology = topology.model_copy(update={"nodes": (changed, *topology.nodes[1:])})
    (problem,) = [problem for problem in check(topology) if problem.kind == "illegal-dpid"]
    assert (problem.about, place_of(problem, topology)) == ("node", "l1, DPID")
    assert scene_of(topology).key_of(problem.node, problem.about) == Key("node", "l1")


def test_the_error_that_stops_a_lab_names_the_link() -> None:
    topology = same_names()
    with pytest.raises(TopologyError) as caught:
        refuse_errors(topology.model_copy(update={"flows": ()}))
    assert error_words(caught.value, topology).startswith("l1 → h1, ")


def test_a_files_reader_says_which_thing_it_read() -> None:
    text = mn.dumps(same_names(Shape(delay_ms=3)).model_copy(update={"flows": ()})).replace('"3ms"', '"3"')
    (problem,) = mn.loads(text).warnings
    assert (problem.about, problem.node) == ("link", "l1")


def test_a_link_to_no_node_is_no_node() -> None:
    topology = Topology(nodes=(Host(name="l1"),), links=(Link(id="l1", a=End(node="l1"), b=End(node="gone")),))
    problems = {problem.kind: problem.about for problem in check(topology)}
    assert problems["loose-link"] == "link"


def test_every_problem_is_about_something_of_its_kind() -> None:
    for _, topology in all_cases()[::3]:
        things = {
            "node": {node.name for node in topology.nodes},
            "link": {link.id for link in topology.links},
            "flow": {name for flow in topology.flows for name in (flow.id, *flow.result_ids)},
        }
        for problem in check(topology):
            if problem.about and problem.kind != "no-target":
                assert problem.node in things[problem.about], problem
            elif not problem.about:
                assert problem.node not in {*things["node"], *things["link"], *things["flow"]}, problem
