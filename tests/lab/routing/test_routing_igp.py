"""Interior routing protocols: every router's table equals the shortest paths of the topology.

The paths are networkx's, on a graph of the topology's links and costs alone. An edge from a router to a network has the
cost of the router's interface, and one from a network to a router has no cost.
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
from tests.examples import igp as igp_examples

pytestmark = [pytest.mark.lab, pytest.mark.timeout(200)]

#: Prefix to its metric and its next hops, each as (interface, neighbor).
Table = dict[str, tuple[int, set[tuple[str, str]]]]
#: FRR's cost of an interface without a configured cost.
DEFAULT_COST = 10

Cost = Callable[[Router, End], int]


def ospf_cost(router: Router, end: End) -> int:
    del router
    return end.ospf_cost or DEFAULT_COST


def isis_cost(router: Router, end: End) -> int:
    assert router.isis
    return router.isis.at(end.interface).metric or DEFAULT_COST


def hop_count(router: Router, end: End) -> int:
    del router, end
    return 1


def graph_of(topology: Topology, cost: Cost, loopback: int, version: int) -> nx.DiGraph:
    """A graph of routers by name, networks by number, and prefixes by their text."""
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
    """The table of a router: prefixes of other routers, by shortest paths."""
    table: Table = {}
    for prefix in (node for node in graph if isinstance(node, str) and "/" in node):
        paths = list(nx.all_shortest_paths(graph, router, prefix, weight="weight"))
        if all(len(path) > 3 for path in paths):  # router, net, router, ..., prefix
            metric = nx.path_weight(graph, paths[0], "weight")
            table[prefix] = metric, {(graph[router][path[1]]["out"], path[2]) for path in paths}
    return table


def owners(topology: Topology) -> dict[str, str]:
    """Address to router, for all interfaces."""
    return {str(a.ip): end.node for r in topology.routers for _, end in topology.ends_at(r.name) for a in end.addresses}


def installed(lab: Lab, router: str, protocol: str, version: int, owner: Mapping[str, str]) -> Table:
    """A router's installed routes of a protocol, as it reports them."""
    family = "ip" if version == 4 else "ipv6"
    reply: Mapping[str, list[dict[str, Any]]] = lab[router].vtysh(f"show {family} route {protocol}", json=True)
    table: Table = {}
    for prefix, routes in reply.items():
        for route in (candidate for candidate in routes if candidate.get("selected")):
            hops = [hop for hop in route["nexthops"] if hop.get("fib")]
            next_hops = {(hop["interfaceName"], owner.get(hop.get("ip", ""), "")) for hop in hops}
            table[prefix] = route["metric"], next_hops
    return table


def only_interfaces(table: Table) -> Table:
    """The same without neighbors, which IPv6 names by addresses that the kernel made."""
    return {prefix: (metric, {(name, "") for name, _ in next_hops}) for prefix, (metric, next_hops) in table.items()}


def ends_of_links(topology: Topology) -> set[str]:
    return {f"{a.ip}/128" for link in topology.links for end in link.ends for a in end.addresses if a.version == 6}


def same_tables(
    lab: Lab, protocol: str, expected: Mapping[str, Table], version: int, besides: Container[str] = ()
) -> None:
    """Wait until every router's table is exactly the expected one. Prefixes of `besides` are optional."""
    owner = owners(lab.topology) if version == 4 else {}
    for router, table in expected.items():
        expected_text = as_text(table if version == 4 else only_interfaces(table))
        assert expected_text
        read = partial(installed, lab, router, protocol, version, owner)

        def answer(read: Callable[[], Table] = read, name: str = router) -> dict[str, dict[str, str]]:
            return {name: {prefix: route for prefix, route in as_text(read()).items() if prefix not in besides}}

        expect(answer, {router: exact(expected_text)}, timeout_s=60)


def as_text(table: Table) -> dict[str, str]:
    return {prefix: f"{metric} {sorted(next_hops)}" for prefix, (metric, next_hops) in table.items()}


def tables(graph: nx.DiGraph, routers: Iterable[Router]) -> dict[str, Table]:
    return {router.name: table_of(graph, router.name) for router in routers}


def test_ospf_areas() -> None:
    topology = addressed(igp_examples.ospf_areas())
    graph = graph_of(topology, ospf_cost, 0, 4)
    expected = tables(graph, topology.routers)
    area_prefixes = prefixes_at(topology, ("r6", "r7"))
    for name in ("r6", "r7"):
        # A totally stubby area has a default route to all other prefixes, at a cost of 1 from the border router.
        inside = {
            prefix: route
            for prefix, route in expected[name].items()
            if prefix in area_prefixes | {link_of(topology, "r3", "r6")}
        }
        paths = nx.all_shortest_paths(graph, name, "r3", weight="weight")
        next_hops = {(graph[name][path[1]]["out"], path[2]) for path in paths}
        metric = nx.shortest_path_length(graph, name, "r3", weight="weight") + 1
        expected[name] = {**inside, "0.0.0.0/0": (metric, next_hops)}
    with Lab(igp_examples.ospf_areas()) as lab:
        same_tables(lab, "ospf", expected, 4)
        assert lab.ping("h1", "h7")["received"] == 3


def prefixes_at(topology: Topology, names: tuple[str, ...]) -> set[str]:
    routers = [router for router in topology.routers if router.name in names]
    loopbacks = {str(a.network) for router in routers for a in router.loopbacks}
    return loopbacks | {str(a.network) for name in names for _, end in topology.ends_at(name) for a in end.addresses}


def link_of(topology: Topology, a: str, b: str) -> str:
    return next(str(link.a.addresses[0].network) for link in topology.links if {link.a.node, link.b.node} == {a, b})


def test_ospf6() -> None:
    topology = addressed(igp_examples.ospf6())
    with Lab(igp_examples.ospf6()) as lab:
        # FRR announces loopbacks at a cost of 0 in OSPFv2, and at the default cost in OSPFv3 before FRR 10. FRR 10 also
        # announces addresses of point-to-point links (RFC 5340, 4.4.3.9).
        is_recent = int(lab.facts["frr"].split(".")[0]) >= 10
        graph = graph_of(topology, ospf_cost, 0 if is_recent else DEFAULT_COST, 6)
        same_tables(lab, "ospf6", tables(graph, topology.routers), 6, ends_of_links(topology) if is_recent else set())
        assert lab.ping("h1", "h5")["received"] == 3


def test_isis() -> None:
    topology = addressed(igp_examples.isis())
    with Lab(igp_examples.isis()) as lab:
        for version in (4, 6):
            graph = graph_of(topology, isis_cost, DEFAULT_COST, version)
            same_tables(lab, "isis", tables(graph, topology.routers), version)
        assert lab.ping("h1", "h6")["received"] == 3


def test_rip() -> None:
    topology = addressed(igp_examples.rip())
    expected = tables(graph_of(topology, hop_count, 1, 4), topology.routers)
    with Lab(igp_examples.rip()) as lab:
        # RIP uses the first of several equal routes that it received, so any of them is right.
        owner = owners(topology)
        for router, table in expected.items():
            metrics = {prefix: metric for prefix, (metric, _) in table.items()}
            read = partial(installed, lab, router, "rip", 4, owner)
            expect(lambda read=read: {p: metric for p, (metric, _) in read().items()}, exact(metrics), timeout_s=60)
            assert all(next_hops <= table[prefix][1] for prefix, (_, next_hops) in read().items())
        assert lab.ping("h1", "h3")["received"] == 3


def test_ripng() -> None:
    topology = addressed(igp_examples.ripng())
    with Lab(igp_examples.ripng()) as lab:
        same_tables(lab, "ripng", tables(graph_of(topology, hop_count, 1, 6), topology.routers), 6)
        assert lab.ping("h1", "h4")["received"] == 3
