"""Interior routing protocols: every router's table is what shortest paths on the drawing come to.

The paths are networkx's, on a graph made from the drawing's links and costs alone: an edge from a router to a net costs
what its interface there costs, one from a net to a router nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from functools import partial
from typing import Any

import networkx as nx
import pytest

from frrlib.addressing.addressing import addressed
from frrlib.addressing.domains import Domain, broadcast_domains
from frrlib.expect.expectation import exact, expect
from frrlib.lab.lab import Lab
from frrlib.model.links import End
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from tests import examples_igp

pytestmark = [pytest.mark.lab, pytest.mark.timeout(200)]

#: Prefix to its metric and the ways to it, each as (interface, neighbour).
Table = dict[str, tuple[int, set[tuple[str, str]]]]
#: What FRR says of an interface that nobody gave a cost.
DEFAULT_COST = 10

Cost = Callable[[Router, End], int]


def ospf_cost(router: Router, end: End) -> int:
    del router
    return end.ospf_cost or DEFAULT_COST


def isis_cost(router: Router, end: End) -> int:
    assert router.isis
    return router.isis.at(end.interface).metric or DEFAULT_COST


def one(router: Router, end: End) -> int:
    del router, end
    return 1


def graph_of(topology: Topology, cost: Cost, loopback: int, version: int) -> nx.DiGraph:
    """Routers by name, nets by number, prefixes by their text."""
    graph = nx.DiGraph()
    for number, domain in enumerate(broadcast_domains(topology)):
        for place in domain.ends:
            if isinstance(place.node, Router):
                graph.add_edge(place.end.node, number, weight=cost(place.node, place.end), out=place.end.interface)
                graph.add_edge(number, place.end.node, weight=0)
        for prefix in prefixes_of(domain, version):
            graph.add_edge(number, prefix, weight=0)
    for router in topology.routers:
        for address in router.loopbacks:
            if address.version == version:
                graph.add_edge(router.name, str(address.network), weight=loopback)
    return graph


def prefixes_of(domain: Domain, version: int) -> set[str]:
    return {str(a.network) for place in domain.ends for a in place.end.addresses if a.version == version}


def table_of(graph: nx.DiGraph, router: str) -> Table:
    """The table of a router: what is not its own, by shortest paths."""
    table: Table = {}
    for prefix in (node for node in graph if isinstance(node, str) and "/" in node):
        paths = list(nx.all_shortest_paths(graph, router, prefix, weight="weight"))
        if all(len(path) > 3 for path in paths):  # router, net, router, ..., prefix
            metric = nx.path_weight(graph, paths[0], "weight")
            table[prefix] = metric, {(graph[router][path[1]]["out"], path[2]) for path in paths}
    return table


def owners(topology: Topology) -> dict[str, str]:
    """Address to router, of interfaces."""
    return {str(a.ip): end.node for r in topology.routers for _, end in topology.ends_at(r.name) for a in end.addresses}


def told(lab: Lab, router: str, protocol: str, version: int, owner: Mapping[str, str]) -> Table:
    """The routes of a protocol that are in force on a router, as it tells them."""
    family = "ip" if version == 4 else "ipv6"
    said: Mapping[str, list[dict[str, Any]]] = lab[router].vtysh(f"show {family} route {protocol}", json=True)
    table: Table = {}
    for prefix, routes in said.items():
        for route in (each for each in routes if each.get("selected")):
            hops = [hop for hop in route["nexthops"] if hop.get("fib")]
            ways = {(hop["interfaceName"], owner.get(hop.get("ip", ""), "")) for hop in hops}
            table[prefix] = route["metric"], ways
    return table


def only_interfaces(table: Table) -> Table:
    """Without the neighbours, which IPv6 names by addresses that the kernel made."""
    return {prefix: (metric, {(name, "") for name, _ in ways}) for prefix, (metric, ways) in table.items()}


def ends_of_links(topology: Topology) -> set[str]:
    return {f"{a.ip}/128" for link in topology.links for end in link.ends for a in end.addresses if a.version == 6}


def same_tables(
    lab: Lab, protocol: str, wanted: Mapping[str, Table], version: int, besides: Container[str] = ()
) -> None:
    """Wait until every router's table is exactly the wanted one; prefixes that it may have besides do not count."""
    owner = owners(lab.topology) if version == 4 else {}
    for router, table in wanted.items():
        right = in_words(table if version == 4 else only_interfaces(table))
        assert right
        ask = partial(told, lab, router, protocol, version, owner)

        def answer(ask: Callable[[], Table] = ask, name: str = router) -> dict[str, dict[str, str]]:
            return {name: {prefix: way for prefix, way in in_words(ask()).items() if prefix not in besides}}

        expect(answer, {router: exact(right)}, timeout_s=60)


def in_words(table: Table) -> dict[str, str]:
    return {prefix: f"{metric} {sorted(ways)}" for prefix, (metric, ways) in table.items()}


def tables(graph: nx.DiGraph, routers: Iterable[Router]) -> dict[str, Table]:
    return {router.name: table_of(graph, router.name) for router in routers}


def test_ospf_areas() -> None:
    drawn = addressed(examples_igp.ospf_areas())
    graph = graph_of(drawn, ospf_cost, 0, 4)
    wanted = tables(graph, drawn.routers)
    own = own_prefixes(drawn, ("r6", "r7"))
    for name in ("r6", "r7"):
        # What is outside of a totally stubby area is told as a default route, at a cost of 1 from the border.
        inside = {prefix: way for prefix, way in wanted[name].items() if prefix in own | {link_of(drawn, "r3", "r6")}}
        paths = nx.all_shortest_paths(graph, name, "r3", weight="weight")
        ways = {(graph[name][path[1]]["out"], path[2]) for path in paths}
        metric = nx.shortest_path_length(graph, name, "r3", weight="weight") + 1
        wanted[name] = {**inside, "0.0.0.0/0": (metric, ways)}
    with Lab(examples_igp.ospf_areas()) as lab:
        same_tables(lab, "ospf", wanted, 4)
        assert lab.ping("h1", "h7")["received"] == 3


def own_prefixes(topology: Topology, names: tuple[str, ...]) -> set[str]:
    routers = [router for router in topology.routers if router.name in names]
    found = {str(a.network) for router in routers for a in router.loopbacks}
    return found | {str(a.network) for name in names for _, end in topology.ends_at(name) for a in end.addresses}


def link_of(topology: Topology, a: str, b: str) -> str:
    return next(str(link.a.addresses[0].network) for link in topology.links if {link.a.node, link.b.node} == {a, b})


def test_ospf6() -> None:
    drawn = addressed(examples_igp.ospf6())
    with Lab(examples_igp.ospf6()) as lab:
        # FRR announces loopbacks at a cost of 0 by OSPFv2, and by OSPFv3 at the default one before FRR 10, which
        # tells of addresses on point-to-point links too (RFC 5340, 4.4.3.9).
        is_recent = int(lab.facts["frr"].split(".")[0]) >= 10
        graph = graph_of(drawn, ospf_cost, 0 if is_recent else DEFAULT_COST, 6)
        same_tables(lab, "ospf6", tables(graph, drawn.routers), 6, ends_of_links(drawn) if is_recent else set())
        assert lab.ping("h1", "h5")["received"] == 3


def test_isis() -> None:
    drawn = addressed(examples_igp.isis())
    with Lab(examples_igp.isis()) as lab:
        for version in (4, 6):
            graph = graph_of(drawn, isis_cost, DEFAULT_COST, version)
            same_tables(lab, "isis", tables(graph, drawn.routers), version)
        assert lab.ping("h1", "h6")["received"] == 3


def test_rip() -> None:
    drawn = addressed(examples_igp.rip())
    wanted = tables(graph_of(drawn, one, 1, 4), drawn.routers)
    with Lab(examples_igp.rip()) as lab:
        # Of equal ways RIP uses the one that it heard of first, so any of them is right.
        owner = owners(drawn)
        for router, table in wanted.items():
            metrics = {prefix: metric for prefix, (metric, _) in table.items()}
            ask = partial(told, lab, router, "rip", 4, owner)
            expect(lambda ask=ask: {p: metric for p, (metric, _) in ask().items()}, exact(metrics), timeout_s=60)
            assert all(ways <= table[prefix][1] for prefix, (_, ways) in ask().items())
        assert lab.ping("h1", "h3")["received"] == 3


def test_ripng() -> None:
    drawn = addressed(examples_igp.ripng())
    with Lab(examples_igp.ripng()) as lab:
        same_tables(lab, "ripng", tables(graph_of(drawn, one, 1, 6), drawn.routers), 6)
        assert lab.ping("h1", "h4")["received"] == 3
