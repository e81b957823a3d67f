"""The routes that are expected at each router of a topology.

They are computed from the topology alone, so "all routes present" has an exact meaning before the lab runs. A route
that the topology does not determine (a policy of a redistribution, free lines of `frr.conf` that remove something) is
not expected, and a lab does not wait for it. `wait.routes` turns waiting off for topologies that need more.
"""

from __future__ import annotations

from dataclasses import dataclass

from frrlib.model.nodes import Router
from frrlib.model.protocols.common import IGPS
from frrlib.model.protocols.vrf import MAIN_TABLE
from frrlib.model.routing import Network
from frrlib.model.topology import Topology
from frrlib.prediction.bgp.routes import bgp_routes
from frrlib.prediction.igp_routes import IgpTopology, TableNetworks


@dataclass(frozen=True)
class TableRoutes:
    """Expected prefixes of one of a router's kernel tables, in order.

    Attributes:
        router: the name of the router.
        prefixes: the prefixes, without connected networks.
        vrf: the name of the VRF; empty for the default table.
        table: the number of the table.
    """

    router: str
    prefixes: tuple[Network, ...]
    vrf: str = ""
    table: int = MAIN_TABLE


def expected_routes(topology: Topology) -> dict[str, tuple[Network, ...]]:
    """Expected prefixes of each router's main table in the kernel, without connected networks.

    Args:
        topology: with names and addresses filled in (`addressing.addressed`).

    Returns:
        router to its prefixes in order, without routers that have none.
    """
    return {table.router: table.prefixes for table in expected_tables(topology) if not table.vrf}


def expected_tables(topology: Topology) -> tuple[TableRoutes, ...]:
    """The expected prefixes of all tables, VRFs included, without tables that have none."""
    routes = _routes_by_protocol(topology)
    expected = []
    for router in topology.routers:
        tables = [("", MAIN_TABLE), *((vrf.name, vrf.table) for vrf in router.vrfs)]
        for vrf, number in tables:
            brought = set().union(
                *(tables_of_protocol.get((router.name, vrf), set()) for tables_of_protocol in routes.values())
            )
            prefixes = brought - connected_networks(topology, router.name, vrf)
            if prefixes:
                expected.append(TableRoutes(router.name, tuple(sorted(prefixes, key=_sort_key)), vrf, number))
    return tuple(expected)


def routes_by_protocol(topology: Topology) -> dict[str, dict[str, set[Network]]]:
    """Protocol to the prefixes that it brings to the default table of each router, own networks included."""
    return {
        protocol: {name: prefixes for (name, vrf), prefixes in tables.items() if not vrf}
        for protocol, tables in _routes_by_protocol(topology).items()
    }


def known_without_bgp(topology: Topology) -> dict[str, set[Network]]:
    """The networks that each router reaches in its default table without BGP, its own included."""
    world = IgpTopology(topology)
    return _known_networks(world, world.routes())


def connected_networks(topology: Topology, router: str, vrf: str = "") -> set[Network]:
    """The networks of a router's own interfaces and loopbacks in its default table or a VRF."""
    node = topology.node(router)
    if not isinstance(node, Router):
        return {address.network for _, end in topology.ends_at(router) for address in end.addresses}
    ends = [end for _, end in topology.ends_at(router) if node.vrf_of(end.interface) == vrf]
    addresses = [address for end in ends for address in end.addresses]
    addresses += node.loopbacks if node.vrf_of("lo") == vrf else ()
    return {address.network for address in addresses}


def _routes_by_protocol(topology: Topology) -> dict[str, TableNetworks]:
    """Protocol to the prefixes that it brings to each table. BGP needs the routes of the other protocols, and these may
    redistribute routes of BGP."""
    world = IgpTopology(topology)
    routes = world.routes()
    if not any(router.bgp for router in topology.routers):
        return routes
    bgp = _bgp_networks(topology, _known_networks(world, routes))
    if not _is_bgp_redistributed(topology):
        return {**routes, "bgp": bgp}
    routes_with_bgp = IgpTopology(topology, {"bgp": bgp}).routes()
    # BGP might announce more with these routes. The first result of BGP counts.
    return {**routes_with_bgp, "bgp": bgp}


def _bgp_networks(topology: Topology, known_networks: dict[str, set[Network]]) -> TableNetworks:
    return {(name, ""): set(prefixes) for name, prefixes in bgp_routes(topology, known_networks).items()}


def _is_bgp_redistributed(topology: Topology) -> bool:
    """Whether a router redistributes BGP into another protocol."""
    spoken = [getattr(r, name) for r in topology.routers for name in IGPS]
    return any(row.source == "bgp" for settings in spoken if settings for row in settings.redistribute)


def _known_networks(world: IgpTopology, routes: dict[str, TableNetworks]) -> dict[str, set[Network]]:
    return {
        router.name: world.connected((router.name, "")).union(
            *(tables_of_protocol.get((router.name, ""), set()) for tables_of_protocol in routes.values())
        )
        for router in world.topology.routers
    }


def _sort_key(network: Network) -> tuple[int, int, int]:
    return network.version, int(network.network_address), network.prefixlen
