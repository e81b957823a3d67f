"""The routes that are expected from OSPF, IS-IS and RIP at each router, as far as the topology determines them.

All functions work on tables: the default table of a router, and that of each VRF. Redistribution between protocols is
computed in rounds. Routes that still change after the last round are not expected.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from frrlib.model.base import IpAddress
from frrlib.model.protocols.common import DEFAULT_ROUTES
from frrlib.model.protocols.ospf import area_number
from frrlib.model.protocols.rip import FARTHEST
from frrlib.model.routing import Isis, Network, Ospf, Ospf6, Redistribution, Rip, Ripng, StaticRoute
from frrlib.model.topology import Topology
from frrlib.prediction.ospf_routes import BACKBONE, Area, OspfDomain, OspfSpeaker, TableKey, reachable
from frrlib.prediction.shared_links import (
    RouterInterface,
    interface_pairs,
    is_predictable,
    isis_families,
    isis_levels,
    isis_of,
    ospf6_of,
    ospf_agree,
    ospf_of,
    own_static_routes,
    rip_accepts,
    router_interfaces,
)
from frrlib.prediction.virtual_links import virtual_links

TableNetworks = dict[TableKey, set[Network]]
#: The limit of rounds in which protocols redistribute routes of each other.
_ROUNDS = 6


@dataclass
class IgpTopology:
    """A topology with its router interfaces and pairs of them, for interior protocols.

    Attributes:
        topology: with names and addresses filled in.
        known_routes: routes of other protocols (BGP), which interior protocols may redistribute.
    """

    topology: Topology
    known_routes: Mapping[str, TableNetworks] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.interfaces = router_interfaces(self.topology)
        self.pairs = interface_pairs(self.topology, self.interfaces)
        self.by_table: dict[TableKey, list[RouterInterface]] = {}
        for interface in self.interfaces:
            self.by_table.setdefault((interface.router.name, interface.vrf), []).append(interface)

    def connected(self, table: TableKey) -> set[Network]:
        """The networks of a table's own interfaces that have carrier."""
        return {address.network for interface in self.by_table.get(table, ()) for address in interface.addresses}

    def routes(self) -> dict[str, TableNetworks]:
        """Protocol to the networks that it brings to each table, own networks included."""
        routes: dict[str, TableNetworks] = {"static": _static_networks(self), **self.known_routes}
        previous: dict[str, TableNetworks] = {}
        for _ in range(_ROUNDS):
            previous, routes = (
                routes,
                {
                    **self.known_routes,
                    "static": _static_networks(self, routes),
                    "ospf": _ospf_networks(self, 4, routes),
                    "ospf6": _ospf_networks(self, 6, routes),
                    "isis": _isis_networks(self, routes),
                    "rip": _rip_networks(self, 4, routes),
                    "ripng": _rip_networks(self, 6, routes),
                },
            )
            if routes == previous:
                return routes
        return {
            protocol: {
                table: prefixes & previous[protocol].get(table, set()) for table, prefixes in networks_of_table.items()
            }
            for protocol, networks_of_table in routes.items()
        }

    def announced(
        self,
        table: TableKey,
        protocol: str,
        rows: Iterable[Redistribution],
        version: int,
        routes: Mapping[str, TableNetworks],
    ) -> set[Network]:
        """The prefixes of other sources that a protocol announces.

        Prefixes that depend on a policy are left out, and so are those of several sources, since the router
        redistributes only the chosen source."""
        prefixes: set[Network] = set()
        for row in rows:
            if row.route_map or row.source == "kernel":
                continue
            if row.source == "connected":
                prefixes |= self.connected(table)
                continue
            other_sources = [
                networks_of_table.get(table, set())
                for name, networks_of_table in routes.items()
                if name not in (row.source, protocol)
            ]
            prefixes |= routes.get(row.source, {}).get(table, set()).difference(*other_sources, self.connected(table))
        return {prefix for prefix in prefixes if prefix.version == version}


# --- static routes ----------------------------------------------------------------------------------------------------


def _static_networks(topology: IgpTopology, known_routes: Mapping[str, TableNetworks] = {}) -> TableNetworks:
    """Static routes whose next hop is in a connected network with carrier or in a known route, or that have none."""
    result: TableNetworks = {}
    for router in topology.topology.routers:
        rows: list[tuple[str, tuple[StaticRoute, ...]]] = [("", (*router.static_routes, *own_static_routes(router)))]
        rows += [(vrf.name, vrf.static_routes) for vrf in router.vrfs]
        for vrf, routes in rows:
            table = router.name, vrf
            reachable = topology.connected(table).union(
                *(candidate.get(table, set()) for candidate in known_routes.values())
            )
            for route in routes:
                if isinstance(route.via, str) or any(
                    route.via in candidate for candidate in reachable if candidate.prefixlen
                ):
                    result.setdefault(table, set()).add(route.prefix)
    return result


# --- OSPF -------------------------------------------------------------------------------------------------------------


def _ospf_networks(topology: IgpTopology, version: int, known_routes: Mapping[str, TableNetworks]) -> TableNetworks:
    settings_of: Callable[[RouterInterface], Ospf | Ospf6 | None] = ospf_of if version == 4 else ospf6_of
    speakers: dict[TableKey, OspfSpeaker] = {}
    for interface in topology.interfaces:
        ospf = settings_of(interface)
        if ospf is not None:
            table = _table_of(interface)
            speaker = speakers.setdefault(table, OspfSpeaker(table, ospf))
            speaker.areas.setdefault(area_number(ospf.area_of(interface.name)), set()).update(
                interface.networks(version)
            )
    protocol = "ospf" if version == 4 else "ospf6"
    for table, speaker in speakers.items():
        speaker.external = topology.announced(table, protocol, speaker.ospf.redistribute, version, known_routes)
    neighbors: dict[Area, dict[TableKey, set[TableKey]]] = {}
    for pair in topology.pairs:
        if ospf_agree(pair, settings_of):
            settings = settings_of(pair.local)
            assert settings is not None
            neighbors_of = neighbors.setdefault(area_number(settings.area_of(pair.local.name)), {})
            neighbors_of.setdefault(_table_of(pair.local), set()).add(_table_of(pair.remote))
    if version == 4:
        _add_virtual_links(topology.topology, speakers, neighbors)
    routes = OspfDomain(version, speakers, neighbors).routes()
    owners = {address.ip: _table_of(interface) for interface in topology.interfaces for address in interface.addresses}
    for speaker in speakers.values():
        for prefix, owner in _routes_forwarded_to_others(topology, speaker, owners):
            others = [candidate for candidate in speakers.values() if candidate is not speaker]
            if owner in routes and not any(prefix in candidate.external for candidate in others):
                routes[owner].discard(prefix)
    return routes


def _add_virtual_links(
    topology: Topology, speakers: Mapping[TableKey, OspfSpeaker], neighbors: dict[Area, dict[TableKey, set[TableKey]]]
) -> None:
    """Make the ends of virtual links border routers that are neighbors in the backbone."""
    for link in virtual_links(topology):
        table, peer = (link.router, ""), (link.peer, "")
        crossed = neighbors.get(link.area, {})
        if table in speakers and peer in speakers and peer in reachable(table, crossed):
            speakers[table].areas.setdefault(BACKBONE, set())
            neighbors.setdefault(BACKBONE, {}).setdefault(table, set()).add(peer)


def _routes_forwarded_to_others(
    topology: IgpTopology, speaker: OspfSpeaker, owners: Mapping[IpAddress, TableKey]
) -> Iterator[tuple[Network, TableKey]]:
    """Redistributed static routes whose next hop is another router, with the table of that router.

    That router is the forwarding address itself (RFC 2328, 16.4), so it has no route."""
    if not speaker.external:
        return
    name, vrf = speaker.table
    router = next(candidate for candidate in topology.topology.routers if candidate.name == name)
    routes = next((candidate.static_routes for candidate in router.vrfs if candidate.name == vrf), router.static_routes)
    for route in routes:
        if not isinstance(route.via, str) and route.via in owners and route.prefix in speaker.external:
            yield route.prefix, owners[route.via]


# --- IS-IS ------------------------------------------------------------------------------------------------------------


def _isis_networks(topology: IgpTopology, known_routes: Mapping[str, TableNetworks]) -> TableNetworks:
    """Within a level all routers receive the networks of all others, and in level 1 a default route to a router that
    is in level 2, too (the attached bit, ISO 10589, 7.2.9.2). Other routes between levels are not expected."""
    result: TableNetworks = {}
    speakers = {r.name: r.isis for r in topology.topology.routers if r.isis and is_predictable(r, "isis")}
    overloaded: set[TableKey] = {(name, "") for name, isis in speakers.items() if isis.overload}
    for version in (4, 6):
        for level in (1, 2):
            neighbors: dict[TableKey, set[TableKey]] = {}
            for pair in topology.pairs:
                if version in isis_families(pair) and level in isis_levels(pair):
                    neighbors.setdefault(_table_of(pair.local), set()).add(_table_of(pair.remote))
            announced = {
                (name, ""): _isis_announced(topology, (name, ""), isis, version, known_routes)
                for name, isis in speakers.items()
                if str(level) in isis.level.split("-")
            }
            attached = _attached_routers(topology, version, speakers) - overloaded if level == 1 else set()
            for table in announced:
                is_level_1_only = speakers[table[0]].level == "1"
                transit = (
                    {key: neighbors[key] for key in neighbors if key == table or key not in overloaded}
                    if overloaded
                    else neighbors
                )
                reachable = _reachable_tables(table, transit)
                if is_level_1_only and attached & reachable:
                    result.setdefault(table, set()).add(DEFAULT_ROUTES[version])
                for source in reachable - {table}:
                    result.setdefault(table, set()).update(announced.get(source, set()))
                result.setdefault(table, set())
    return result


def _attached_routers(topology: IgpTopology, version: int, speakers: Mapping[str, Isis]) -> set[TableKey]:
    """Routers in both levels that have a neighbor in level 2."""
    return {
        _table_of(pair.local)
        for pair in topology.pairs
        if speakers.get(pair.local.router.name) is not None
        and speakers[pair.local.router.name].level == "1-2"
        and version in isis_families(pair)
        and 2 in isis_levels(pair)
    }


def _isis_announced(
    topology: IgpTopology, table: TableKey, isis: Isis, version: int, known_routes: Mapping[str, TableNetworks]
) -> set[Network]:
    if not (isis.ipv4 if version == 4 else isis.ipv6):
        return set()
    own_networks = set().union(
        *(interface.networks(version) for interface in topology.by_table.get(table, ()) if isis_of(interface))
    )
    default = {DEFAULT_ROUTES[version]} if isis.default_originate else set()
    return own_networks | default | topology.announced(table, "isis", isis.redistribute, version, known_routes)


# --- RIP --------------------------------------------------------------------------------------------------------------


def _rip_networks(topology: IgpTopology, version: int, known_routes: Mapping[str, TableNetworks]) -> TableNetworks:
    """RIP propagates every network over up to fifteen routers."""
    neighbors: dict[TableKey, set[TableKey]] = {}
    for pair in topology.pairs:
        if rip_accepts(pair, version):
            neighbors.setdefault(_table_of(pair.local), set()).add(_table_of(pair.remote))
    name = "rip" if version == 4 else "ripng"
    result: TableNetworks = {}
    for router in topology.topology.routers:
        rip: Rip | Ripng | None = getattr(router, name)
        if rip is None or not is_predictable(router, name):
            continue
        table = router.name, ""
        own_networks = {prefix for prefix in topology.connected(table) if prefix.version == version}
        if version == 6 and any(row.source == "connected" and row.route_map for row in rip.redistribute):
            own_networks -= {
                loopback.network for loopback in router.loopbacks
            }  # redistributed as connected, which the policy decides
        default = {DEFAULT_ROUTES[version]} if rip.default_originate else set()
        announced = own_networks | default | topology.announced(table, name, rip.redistribute, version, known_routes)
        for receiver in _reachable_tables(table, neighbors, FARTHEST - 1) - {table}:
            result.setdefault(receiver, set()).update(announced)
    return result


# --- how --------------------------------------------------------------------------------------------------------------


def _table_of(interface: RouterInterface) -> TableKey:
    return interface.router.name, interface.vrf


def _reachable_tables(
    start: TableKey, neighbors: Mapping[TableKey, set[TableKey]], steps_limit: int | None = None
) -> set[TableKey]:
    """All tables that are reachable from a table over neighbors, itself included."""
    reached, queue = {start}, deque([(start, 0)])
    while queue:
        table, steps = queue.popleft()
        if steps_limit is not None and steps >= steps_limit:
            continue
        for neighbor in neighbors.get(table, set()) - reached:
            reached.add(neighbor)
            queue.append((neighbor, steps + 1))
    return reached
