"""A wrong address is one problem. Its consequences are counted, and problems with a cause of their own are reported."""

from __future__ import annotations

from ipaddress import ip_interface
from typing import Any

import pytest

from frrlib.checks.check import Problem, Severity, check, refuse_errors
from frrlib.errors import TopologyError
from frrlib.model.topology import Topology
from tests.checks.problems import GOOD1, GOOD2, bgp, build, link, node, peer, with_flow

CAUSE = "different-networks"


def ospf_line(**h1: Any) -> Topology:
    """h1 - r1 - r2 - r3 - h2, with OSPF and a flow from h1 to h2."""
    lan = {"default_route": "10.1.0.1", **h1}
    routers = [node(f"r{number}", ospf={}) for number in (1, 2, 3)]
    return with_flow(
        build(
            [node("h1", **lan), *routers, node("h2", default_route="10.3.0.1")],
            [
                link(1, "h1=10.1.0.9/24", "r1=10.1.0.1/24"),
                link(2, "r1=10.0.12.1/24", "r2=10.0.12.2/24"),
                link(3, "r2=10.0.23.2/24", "r3=10.0.23.3/24"),
                link(4, "r3=10.3.0.1/24", "h2=10.3.0.9/24"),
            ],
        )
    )


def readdressed(topology: Topology, correct: str, wrong: str) -> Topology:
    """The same topology with one address replaced."""
    links = []
    for old_link in topology.links:
        ends = {}
        for side in ("a", "b"):
            end = getattr(old_link, side)
            addresses = tuple(ip_interface(wrong) if str(a) == correct else a for a in end.addresses)
            ends[side] = end.model_copy(update={"addresses": addresses})
        links.append(old_link.model_copy(update=ends))
    changed = topology.model_copy(update={"links": tuple(links)})
    assert changed != topology
    return changed


def reported(topology: Topology) -> list[Problem]:
    """Errors and warnings."""
    return [problem for problem in check(topology) if problem.severity != Severity.NOTE]


BGP = with_flow(bgp(GOOD1, GOOD2))


@pytest.mark.parametrize(
    ("topology", "correct", "wrong", "at", "severity"),
    [
        (ospf_line(), "10.1.0.9/24", "10.11.0.9/24", "h1", Severity.ERROR),
        (ospf_line(), "10.1.0.1/24", "10.11.0.1/24", "r1", Severity.WARNING),
        (ospf_line(), "10.0.12.1/24", "10.0.23.1/24", "r1", Severity.WARNING),
        (BGP, "10.1.0.9/24", "10.11.0.9/24", "h1", Severity.WARNING),
        (BGP, "10.1.0.1/24", "10.11.0.1/24", "r1", Severity.ERROR),
        (BGP, "10.9.0.1/24", "10.90.0.1/24", "r1", Severity.ERROR),
        (BGP, "10.9.0.2/24", "10.90.0.2/24", "r2", Severity.ERROR),
    ],
    ids=["host", "router's LAN", "another link's", "host at BGP", "announced LAN", "eBGP", "eBGP, other end"],
)
def test_a_wrong_address_is_one_problem_with_its_place_and_the_correct_address(
    topology: Topology, correct: str, wrong: str, at: str, severity: Severity
) -> None:
    assert reported(topology) == []
    (problem,) = reported(readdressed(topology, correct, wrong))
    assert (problem.severity, problem.kind, problem.node, problem.field) == (severity, CAUSE, at, "addresses")
    assert wrong in problem.message and "which causes" in problem.message
    assert problem.remedy.endswith(f"such as {correct}")


def test_if_either_end_may_be_wrong_both_are_named_in_one_problem() -> None:
    for correct, wrong in (("10.0.12.1/24", "10.0.21.1/24"), ("10.0.12.2/24", "10.0.21.2/24")):
        (problem,) = reported(readdressed(ospf_line(), correct, wrong))
        assert (problem.severity, problem.kind, problem.field) == (Severity.WARNING, CAUSE, "addresses")
        assert problem.node == "r1"
        assert wrong in problem.message
        assert "or one of" in problem.remedy


def test_a_wrong_address_of_the_same_network_is_one_problem_at_the_neighbor() -> None:
    (problem,) = reported(readdressed(BGP, "10.9.0.1/24", "10.9.0.7/24"))
    assert (problem.kind, problem.node, problem.field) == ("no-neighbor", "r2", "bgp.neighbors")
    assert problem.remedy == "choose the address of a neighboring router, such as 10.9.0.7"


def test_an_error_among_the_consequences_prevents_a_start() -> None:
    with pytest.raises(TopologyError, match=r"10\.90\.0\.1/24"):
        refuse_errors(readdressed(BGP, "10.9.0.1/24", "10.90.0.1/24"))


def kinds(topology: Topology) -> set[tuple[str, str]]:
    return {(problem.kind, problem.node) for problem in reported(topology)}


def test_a_session_that_is_missing_anyway_is_reported() -> None:
    one_way = with_flow(bgp(GOOD1, {**GOOD2, "neighbors": []}))
    assert ("one-sided", "r1") in kinds(one_way)
    # r2 has no session, so r1 may have any address
    assert ("one-sided", "r1") in kinds(readdressed(one_way, "10.9.0.1/24", "10.90.0.1/24"))


def test_a_session_with_another_missing_router_is_reported() -> None:
    two = {**GOOD2, "neighbors": [*peer("10.9.0.1", 1), *peer("10.77.0.1", 3)]}
    wrong = readdressed(with_flow(bgp(GOOD1, two)), "10.9.0.1/24", "10.90.0.1/24")
    problems = {(problem.kind, problem.node): problem.message for problem in reported(wrong)}
    assert set(problems) == {(CAUSE, "r1"), ("no-neighbor", "r2")}
    assert "10.77.0.1" in problems["no-neighbor", "r2"]


def test_a_network_without_announcement_is_reported() -> None:
    silent = with_flow(bgp(GOOD1, {**GOOD2, "networks": []}))
    wrong = readdressed(silent, "10.1.0.9/24", "10.11.0.9/24")
    assert "unannounced" in {kind for kind, _ in kinds(silent)}
    assert {kind for kind, _ in kinds(wrong)} == {CAUSE, "unannounced"}


def test_a_wrong_gateway_of_another_host_is_reported() -> None:
    far = ospf_line().model_dump(mode="json")
    far["nodes"][-1]["default_route"] = "10.99.0.1"
    topology = Topology.model_validate(far)
    assert kinds(topology) == {("far-gateway", "h2")}
    assert kinds(readdressed(topology, "10.1.0.9/24", "10.11.0.9/24")) == {("far-gateway", "h2"), (CAUSE, "h1")}


def test_two_wrong_addresses_are_two_problems() -> None:
    both = readdressed(readdressed(ospf_line(), "10.1.0.9/24", "10.11.0.9/24"), "10.3.0.9/24", "10.13.0.9/24")
    assert kinds(both) == {(CAUSE, "h1"), (CAUSE, "h2")}


def test_different_networks_among_several_are_reported_one_by_one() -> None:
    lan = [link(n, f"h{n}=10.{n}.0.{n}/24", "s1") for n in (1, 2, 3)]
    assert kinds(build(["h1", "h2", "h3", "s1"], lan)) == {(CAUSE, f"h{n}") for n in (1, 2, 3)}
    near = [link(n, f"h{n}=10.2.0.{n}/24", "s1") for n in (2, 3)]
    assert kinds(build(["h1", "h2", "h3", "s1"], [lan[0], *near])) == {(CAUSE, "h1")}
