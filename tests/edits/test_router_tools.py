"""Routers that run a protocol from the moment they are drawn, and the sessions of their links."""

from __future__ import annotations

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.checks.check import check
from frrlib.edits import router_tools
from frrlib.model.links import Link
from frrlib.model.routing import Bgp
from frrlib.model.topology import Topology
from frrlib.prediction.flow_paths import PathFinder
from tests.edits.topologies import assert_legal, drawn, with_ipv6


def connected(topology: Topology, *pairs: str) -> Topology:
    for pair in pairs:
        topology, _ = router_tools.connect(topology, *pair.split())
    return topology


def bgp_of(topology: Topology) -> list[Bgp]:
    return [router.bgp for router in topology.routers if router.bgp]


def sessions(topology: Topology) -> list[list[tuple[str, int | str]]]:
    return [[(str(row.address), row.remote_as) for row in bgp.neighbors] for bgp in bgp_of(topology)]


def link_of(topology: Topology, link_id: str) -> Link:
    link = addressed(topology).link(link_id)
    assert link is not None
    return link


def test_two_bgp_routers_have_a_session_over_their_link() -> None:
    topology = connected(drawn("bgp-router", "bgp-router", "host", "host"), "r1 r2", "r1 h1", "r2 h2")
    assert_legal(topology)
    assert [bgp.asn for bgp in bgp_of(topology)] == [65001, 65002]
    link = link_of(topology, "l1")
    mine, theirs = str(link.a.addresses[0].ip), str(link.b.addresses[0].ip)
    assert sessions(topology) == [[(theirs, 65002)], [(mine, 65001)]]
    assert [problem.message for problem in check(topology) if problem.severity != "note"] == []
    path = PathFinder(topology).path("h1", "h2")
    assert path is not None
    assert [link.id for link, _, _ in path] == ["l2", "l1", "l3"]


def test_a_session_is_added_for_each_address_family() -> None:
    topology = with_ipv6(connected(drawn("bgp-router", "bgp-router", "host"), "r1 h1"))
    topology = connected(topology, "r1 r2")
    assert [[":" in address for address, _ in rows] for rows in sessions(topology)] == [[False, True], [False, True]]


@pytest.mark.parametrize("tools", [("bgp-router", "ospf-router"), ("bgp-router", "router"), ("bgp-router", "host")])
def test_other_links_are_those_of_the_link_tool(tools: tuple[str, str]) -> None:
    topology = drawn(*tools)
    a, b = (node.name for node in topology.nodes)
    linked, link_id = router_tools.connect(topology, a, b)
    assert linked.nodes == topology.nodes
    link = linked.link(link_id)
    assert link is not None
    assert not (link.a.addresses or link.b.addresses)


def test_routers_of_one_system_have_no_session_of_their_own() -> None:
    topology = drawn("bgp-router", "bgp-router")
    first, second = topology.routers
    assert first.bgp
    nodes = (first, second.model_copy(update={"bgp": first.bgp}))
    linked, _ = router_tools.connect(topology.model_copy(update={"nodes": nodes}), "r1", "r2")
    assert sessions(linked) == [[], []]


def test_ospf_routers_have_the_timers_and_area_of_the_first() -> None:
    topology = connected(drawn("ospf-router"))
    (first,) = topology.routers
    assert first.ospf and (first.ospf.hello_s, first.ospf.dead_s) == (1, 4)
    changed = first.model_copy(update={"ospf": first.ospf.model_copy(update={"area": "7", "hello_s": 5})})
    second = router_tools.ospf_router(topology.model_copy(update={"nodes": (changed,)}), "r2", 2)
    assert second.ospf and (second.ospf.area, second.ospf.hello_s) == ("7", 5)
    assert router_tools.ospf_router(Topology(), "r1", 1, lab_timers=False).ospf.hello_s == 10  # type: ignore[union-attr]
