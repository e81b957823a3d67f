"""Expected routes, compared with networkx and with tables made by hand."""

from __future__ import annotations

from ipaddress import ip_address, ip_interface, ip_network
from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frrlib.model.links import End, Link
from frrlib.model.nodes import Router
from frrlib.model.routing import Bgp, BgpNeighbor, Ospf, StaticRoute
from frrlib.model.topology import Topology
from frrlib.prediction.routes import expected_routes


def link(number: int, a: str, b: str) -> Link:
    """A link with addresses 10.9.NUMBER.1 and .2."""
    return Link(
        id=f"l{number}",
        a=End(node=a, interface=f"{a}-{number}", addresses=(ip_interface(f"10.9.{number}.1/24"),)),
        b=End(node=b, interface=f"{b}-{number}", addresses=(ip_interface(f"10.9.{number}.2/24"),)),
    )


@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda pair: pair[0] < pair[1]), max_size=12))
def test_ospf_announces_every_prefix_of_the_component(edges: set[tuple[int, int]]) -> None:
    routers = tuple(Router(name=f"r{n}", ospf=Ospf(), loopbacks=(ip_interface(f"10.255.0.{n}/32"),)) for n in range(7))
    links = tuple(link(number, f"r{a}", f"r{b}") for number, (a, b) in enumerate(sorted(edges)))
    graph = nx.Graph([(a, b, {"number": number}) for number, (a, b) in enumerate(sorted(edges))])
    graph.add_nodes_from(range(7))
    routes = expected_routes(Topology(nodes=routers, links=links))
    for n in range(7):
        component = nx.node_connected_component(graph, n)
        prefixes = {f"10.255.0.{peer}/32" for peer in component - {n}}
        for a, b, data in graph.edges(data=True):
            if a in component and n not in (a, b):
                prefixes.add(f"10.9.{data['number']}.0/24")
        assert {str(prefix) for prefix in routes.get(f"r{n}", ())} == prefixes


def speaker(name: str, asn: int, *neighbors: tuple[str, int], network: str = "", policy: bool = False) -> Router:
    """A BGP router."""
    return Router(
        name=name,
        loopbacks=(ip_interface(f"{ip_network(network)[1]}/{ip_network(network).prefixlen}"),) if network else (),
        bgp=Bgp(
            asn=asn,
            networks=(ip_network(network),) if network else (),
            neighbors=tuple(BgpNeighbor(address=ip_address(address), remote_as=asn) for address, asn in neighbors),
            requires_policy=policy,
        ),
    )


def tables(*routers: Router) -> dict[str, list[str]]:
    """The expected routes of a line of routers."""
    links = tuple(link(n, router.name, next_router.name) for n, (router, next_router) in enumerate(pairwise(routers)))
    routes = expected_routes(Topology(nodes=routers, links=links))
    return {name: [str(prefix) for prefix in prefixes] for name, prefixes in routes.items()}


def test_ebgp_propagates_prefixes_from_as_to_as() -> None:
    assert tables(
        speaker("a", 1, ("10.9.0.2", 2), network="10.1.0.0/16"),
        speaker("b", 2, ("10.9.0.1", 1), ("10.9.1.2", 3)),
        speaker("c", 3, ("10.9.1.1", 2), network="10.3.0.0/16"),
    ) == {"a": ["10.3.0.0/16"], "b": ["10.1.0.0/16", "10.3.0.0/16"], "c": ["10.1.0.0/16"]}


def test_ibgp_does_not_propagate_ibgp_routes() -> None:
    routes = tables(
        speaker("a", 1, ("10.9.0.2", 1), network="10.1.0.0/16"),
        speaker("b", 1, ("10.9.0.1", 1), ("10.9.1.2", 1)),
        speaker("c", 1, ("10.9.1.1", 1)),
    )
    assert routes == {"b": ["10.1.0.0/16"]}


@pytest.mark.parametrize(
    "router",
    [
        speaker("b", 2, ("10.9.0.1", 7)),  # expects a in AS 7
        speaker("b", 2),  # has no session with a
        speaker("b", 2, ("10.9.0.1", 1), policy=True),  # RFC 8212: no policy, no routes
        Router(name="b"),
    ],
)
def test_a_session_needs_both_sides(router: Router) -> None:
    assert tables(speaker("a", 1, ("10.9.0.2", 2), network="10.1.0.0/16"), router) == {}


def test_static_routes_are_expected_at_their_router() -> None:
    route = StaticRoute(prefix=ip_network("10.7.0.0/16"), via=ip_address("10.9.0.2"))
    assert tables(Router(name="a", static_routes=(route,)), Router(name="b")) == {"a": ["10.7.0.0/16"]}
