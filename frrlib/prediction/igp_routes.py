"""The routes that are expected from OSPF, IS-IS and RIP at each router, as far as the topology determines them.

All functions work on tables: the default table of a router, and that of each VRF. Redistribution between protocols is
computed in rounds. Routes that still change after the last round are not expected.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from frrlib.model.protocols.common import DEFAULT_ROUTES, holds
from frrlib.model.protocols.ospf import area_number
from frrlib.model.protocols.rip import FARTHEST
from frrlib.model.routing import Isis, Network, Ospf, Ospf6, OspfArea, Redistribution, Rip, Ripng, StaticRoute
from frrlib.model.topology import Topology
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

#: The name of a router and that of a VRF, which is empty for the default table.
TableKey = tuple[str, str]
TableNetworks = dict[TableKey, set[Network]]
#: The number of an OSPF area; None for a text that is not a valid area.
Area = int | None
_BACKBONE = 0
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


@dataclass
class _Speaker:
    """A table that runs OSPF: its areas, and the networks that it announces in each."""

    table: TableKey
    ospf: Ospf | Ospf6
    areas: dict[Area, set[Network]] = field(default_factory=dict)

    def ranges(self, area: Area) -> tuple[OspfArea, ...]:
        """The router's settings of an area, if it has ranges there."""
        return tuple(settings for settings in self.ospf.areas if area_number(settings.area) == area and settings.ranges)


def _ospf_networks(topology: IgpTopology, version: int, known_routes: Mapping[str, TableNetworks]) -> TableNetworks:
    settings_of: Callable[[RouterInterface], Ospf | Ospf6 | None] = ospf_of if version == 4 else ospf6_of
    speakers: dict[TableKey, _Speaker] = {}
    for interface in topology.interfaces:
        ospf = settings_of(interface)
        if ospf is not None:
            table = interface.router.name, interface.vrf
            speaker = speakers.setdefault(table, _Speaker(table, ospf))
            speaker.areas.setdefault(area_number(ospf.area_of(interface.name)), set()).update(
                interface.networks(version)
            )
    graph: dict[Area, dict[TableKey, set[TableKey]]] = {}
    for pair in topology.pairs:
        if ospf_agree(pair, settings_of):
            settings = settings_of(pair.local)
            assert settings is not None
            neighbors = graph.setdefault(area_number(settings.area_of(pair.local.name)), {})
            neighbors.setdefault(_table_of(pair.local), set()).add(_table_of(pair.remote))
    return _OspfAreas(topology, version, speakers, graph, known_routes).routes()


class _OspfAreas:
    """The areas of OSPF, and the routes between them."""

    def __init__(
        self,
        topology: IgpTopology,
        version: int,
        speakers: dict[TableKey, _Speaker],
        graph: dict[Area, dict[TableKey, set[TableKey]]],
        known_routes: Mapping[str, TableNetworks],
    ) -> None:
        self._topology, self._version, self._speakers, self._graph, self._known_routes = (
            topology,
            version,
            speakers,
            graph,
            known_routes,
        )
        self._protocol = "ospf" if version == 4 else "ospf6"
        self._members: dict[tuple[Area, TableKey], frozenset[TableKey]] = {}

    def routes(self) -> TableNetworks:
        """The prefixes of OSPF in each table, those announced by the table included."""
        result: TableNetworks = {table: set() for table in self._speakers}
        for table, speaker in self._speakers.items():
            for area in speaker.areas:
                result[table] |= self._networks_inside(area, table)
        for border in self._borders():
            self._announce_to_other_areas(border, result)
        for speaker in self._speakers.values():
            self._announce_external(speaker, result)
        return result

    def _group(self, area: Area, table: TableKey) -> frozenset[TableKey]:
        """The tables of an area that a table reaches within the area, itself included."""
        key = area, table
        if key not in self._members:
            group = frozenset(_reachable_tables(table, self._graph.get(area, {})))
            self._members.update({(area, member): group for member in group})
        return self._members[key]

    def _networks_inside(self, area: Area, table: TableKey) -> set[Network]:
        group = self._group(area, table)
        return set().union(*(self._speakers[member].areas.get(area, set()) for member in group))

    def _borders(self) -> list[_Speaker]:
        """Area border routers that have a neighbor in the backbone."""
        return [
            speaker
            for speaker in self._speakers.values()
            if len(speaker.areas) > 1 and self._graph.get(_BACKBONE, {}).get(speaker.table)
        ]

    def _announce_to_other_areas(self, border: _Speaker, result: TableNetworks) -> None:
        """Announce the areas of a border router to the backbone, and all other routes to its areas."""
        backbone = self._group(_BACKBONE, border.table)
        self._add_networks(
            backbone - {border.table}, self._announced_by_border(border, *(border.areas.keys() - {_BACKBONE})), result
        )
        other_borders = [
            candidate for candidate in self._borders() if candidate is not border and candidate.table in backbone
        ]
        for area in border.areas.keys() - {_BACKBONE}:
            kind, receivers = border.ospf.kind_of(area), self._group(area, border.table) - {border.table}
            if kind in ("stub", "totally-stub", "totally-nssa"):
                self._add_networks(receivers, {DEFAULT_ROUTES[self._version]}, result)
            if not kind.startswith("totally"):
                self._add_networks(
                    receivers, self._announced_by_border(border, *(border.areas.keys() - {area})), result
                )
                for other_border in other_borders:
                    self._add_networks(
                        receivers,
                        self._announced_by_border(other_border, *(other_border.areas.keys() - {area, _BACKBONE})),
                        result,
                    )

    def _announced_by_border(self, border: _Speaker, *areas: Area) -> set[Network]:
        """Prefixes of areas as a border router announces them: a range replaces the prefixes inside of it."""
        announced: set[Network] = set()
        for area in areas:
            ranges = [prefix for settings in border.ranges(area) for prefix in settings.ranges]
            for prefix in self._networks_inside(area, border.table):
                announced.add(next((settings for settings in ranges if holds(settings, prefix)), prefix))
        return announced

    def _add_networks(self, tables: Iterable[TableKey], prefixes: set[Network], result: TableNetworks) -> None:
        for table in tables:
            result[table] |= prefixes

    def _announce_external(self, speaker: _Speaker, result: TableNetworks) -> None:
        rows = speaker.ospf.redistribute
        prefixes = self._topology.announced(speaker.table, self._protocol, rows, self._version, self._known_routes)
        default = {DEFAULT_ROUTES[self._version]} if speaker.ospf.default_originate else set()
        if not prefixes and not default:
            return
        earlier = {table: set(networks) for table, networks in result.items()}
        receivers: set[TableKey] = set()
        for area in speaker.areas:
            kind = speaker.ospf.kind_of(area)
            if kind == "normal":
                receivers |= self._external_receivers(area, speaker.table)
            elif kind.endswith("nssa"):
                group = self._group(area, speaker.table)
                self._add_networks(group - {speaker.table}, prefixes, result)
                for border in self._borders():
                    if border.table in group:  # it announces them as its own external routes
                        self._add_networks(
                            self._external_receivers(_BACKBONE, border.table) - {speaker.table}, prefixes, result
                        )
        self._add_networks(receivers - {speaker.table}, prefixes | default, result)
        for prefix, owner in self._routes_forwarded_to_others(speaker):
            if owner in result and prefix not in earlier[owner]:
                result[owner].discard(prefix)

    def _routes_forwarded_to_others(self, speaker: _Speaker) -> Iterator[tuple[Network, TableKey]]:
        """Redistributed static routes whose next hop is another router, with the table of that router.

        That router is the forwarding address itself (RFC 2328, 16.4), so it has no route."""
        name, vrf = speaker.table
        router = next(candidate for candidate in self._topology.topology.routers if candidate.name == name)
        routes = next(
            (candidate.static_routes for candidate in router.vrfs if candidate.name == vrf), router.static_routes
        )
        owners = {
            a.ip: (interface.router.name, interface.vrf)
            for interface in self._topology.interfaces
            for a in interface.addresses
        }
        for route in routes:
            if not isinstance(route.via, str) and route.via in owners:
                yield route.prefix, owners[route.via]

    def _external_receivers(self, area: Area, table: TableKey) -> set[TableKey]:
        """The tables that receive external routes of an area: in it, and in normal areas by the backbone."""
        receivers = set(self._group(area, table))
        backbones = {
            self._group(_BACKBONE, border.table)
            for border in self._borders()
            if border.table in receivers or (area == _BACKBONE and border.table in self._group(_BACKBONE, table))
        }
        for backbone in backbones:
            receivers |= backbone
            for border in self._borders():
                if border.table in backbone:
                    for other_area in border.areas:
                        if border.ospf.kind_of(other_area) == "normal":
                            receivers |= self._group(other_area, border.table)
        return receivers


# --- IS-IS ------------------------------------------------------------------------------------------------------------


def _isis_networks(topology: IgpTopology, known_routes: Mapping[str, TableNetworks]) -> TableNetworks:
    """Within a level all routers receive the networks of all others. Routes between levels are not expected."""
    result: TableNetworks = {}
    speakers = {r.name: r.isis for r in topology.topology.routers if r.isis and is_predictable(r, "isis")}
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
            for table in announced:
                for source in _reachable_tables(table, neighbors) - {table}:
                    result.setdefault(table, set()).update(announced.get(source, set()))
                result.setdefault(table, set())
    return result


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
