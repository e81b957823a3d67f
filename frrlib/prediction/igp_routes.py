"""The routes that OSPF, IS-IS and RIP must bring to each router, as far as the drawing decides it.

Everything here is about tables: a router's default one, and that of each of its VRFs. What one protocol announces of
another is found round by round; what does not settle is not expected.
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

#: A router's name and a VRF's; an empty one for the default table.
TableKey = tuple[str, str]
TableNetworks = dict[TableKey, set[Network]]
#: Number of an OSPF area; None for what is written as no area.
Area = int | None
_BACKBONE = 0
#: So many protocols may pass a route on to each other.
_ROUNDS = 6


@dataclass
class IgpTopology:
    """A drawing, seen by its routing protocols.

    Attributes:
        topology: with names and addresses filled in.
        others: routes that other protocols (BGP) bring, for those that announce them.
    """

    topology: Topology
    others: Mapping[str, TableNetworks] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.ports = router_interfaces(self.topology)
        self.joints = interface_pairs(self.topology, self.ports)
        self.by_table: dict[TableKey, list[RouterInterface]] = {}
        for port in self.ports:
            self.by_table.setdefault((port.router.name, port.vrf), []).append(port)

    def connected(self, table: TableKey) -> set[Network]:
        """The networks of a table's own interfaces that have carrier."""
        return {address.network for port in self.by_table.get(table, ()) for address in port.addresses}

    def routes(self) -> dict[str, TableNetworks]:
        """Protocol to what it brings to each table, own networks included."""
        found: dict[str, TableNetworks] = {"static": _static(self), **self.others}
        before: dict[str, TableNetworks] = {}
        for _ in range(_ROUNDS):
            before, found = (
                found,
                {
                    **self.others,
                    "static": _static(self, found),
                    "ospf": _ospf(self, 4, found),
                    "ospf6": _ospf(self, 6, found),
                    "isis": _isis(self, found),
                    "rip": _rip(self, 4, found),
                    "ripng": _rip(self, 6, found),
                },
            )
            if found == before:
                return found
        return {
            protocol: {table: prefixes & before[protocol].get(table, set()) for table, prefixes in each.items()}
            for protocol, each in found.items()
        }

    def announced(
        self,
        table: TableKey,
        protocol: str,
        rows: Iterable[Redistribution],
        version: int,
        found: Mapping[str, TableNetworks],
    ) -> set[Network]:
        """The prefixes of other sources that a protocol announces. Left out are those that a policy decides or several
        sources bring: of the latter one is chosen, and another is announced."""
        prefixes: set[Network] = set()
        for row in rows:
            if row.route_map or row.source == "kernel":
                continue
            if row.source == "connected":
                prefixes |= self.connected(table)
                continue
            others = [each.get(table, set()) for name, each in found.items() if name not in (row.source, protocol)]
            prefixes |= found.get(row.source, {}).get(table, set()).difference(*others, self.connected(table))
        return {prefix for prefix in prefixes if prefix.version == version}


# --- static routes ----------------------------------------------------------------------------------------------------


def _static(world: IgpTopology, found: Mapping[str, TableNetworks] = {}) -> TableNetworks:
    """Static routes whose next hop is on a connected network with carrier, or known from elsewhere, or none at all."""
    result: TableNetworks = {}
    for router in world.topology.routers:
        rows: list[tuple[str, tuple[StaticRoute, ...]]] = [("", (*router.static_routes, *own_static_routes(router)))]
        rows += [(vrf.name, vrf.static_routes) for vrf in router.vrfs]
        for vrf, routes in rows:
            table = router.name, vrf
            near = world.connected(table).union(*(each.get(table, set()) for each in found.values()))
            for route in routes:
                if isinstance(route.via, str) or any(route.via in each for each in near if each.prefixlen):
                    result.setdefault(table, set()).add(route.prefix)
    return result


# --- OSPF -------------------------------------------------------------------------------------------------------------


@dataclass
class _Speaker:
    """A router in OSPF: its areas, and what it announces in each."""

    table: TableKey
    ospf: Ospf | Ospf6
    areas: dict[Area, set[Network]] = field(default_factory=dict)

    def ranges(self, area: Area) -> tuple[OspfArea, ...]:
        """The router's settings of an area, if it has ranges there."""
        return tuple(each for each in self.ospf.areas if area_number(each.area) == area and each.ranges)


def _ospf(world: IgpTopology, version: int, found: Mapping[str, TableNetworks]) -> TableNetworks:
    of: Callable[[RouterInterface], Ospf | Ospf6 | None] = ospf_of if version == 4 else ospf6_of
    speakers: dict[TableKey, _Speaker] = {}
    for port in world.ports:
        ospf = of(port)
        if ospf is not None:
            table = port.router.name, port.vrf
            speaker = speakers.setdefault(table, _Speaker(table, ospf))
            speaker.areas.setdefault(area_number(ospf.area_of(port.name)), set()).update(port.networks(version))
    graph: dict[Area, dict[TableKey, set[TableKey]]] = {}
    for joint in world.joints:
        if ospf_agree(joint, of):
            spoken = of(joint.local)
            assert spoken is not None
            near = graph.setdefault(area_number(spoken.area_of(joint.local.name)), {})
            near.setdefault(_table(joint.local), set()).add(_table(joint.remote))
    return _OspfNet(world, version, speakers, graph, found).routes()


class _OspfNet:
    """OSPF's areas and what flows between them."""

    def __init__(
        self,
        world: IgpTopology,
        version: int,
        speakers: dict[TableKey, _Speaker],
        graph: dict[Area, dict[TableKey, set[TableKey]]],
        found: Mapping[str, TableNetworks],
    ) -> None:
        self._world, self._version, self._speakers, self._graph, self._found = world, version, speakers, graph, found
        self._protocol = "ospf" if version == 4 else "ospf6"
        self._members: dict[tuple[Area, TableKey], frozenset[TableKey]] = {}

    def routes(self) -> TableNetworks:
        """The prefixes that OSPF brings to each table, those announced there included."""
        result: TableNetworks = {table: set() for table in self._speakers}
        for table, speaker in self._speakers.items():
            for area in speaker.areas:
                result[table] |= self._inside(area, table)
        for border in self._borders():
            self._tell_other_areas(border, result)
        for speaker in self._speakers.values():
            self._tell_external(speaker, result)
        return result

    def _group(self, area: Area, table: TableKey) -> frozenset[TableKey]:
        """The routers of an area that a router reaches within it, itself included."""
        key = area, table
        if key not in self._members:
            group = frozenset(_reached(table, self._graph.get(area, {})))
            self._members.update({(area, member): group for member in group})
        return self._members[key]

    def _inside(self, area: Area, table: TableKey) -> set[Network]:
        group = self._group(area, table)
        return set().union(*(self._speakers[member].areas.get(area, set()) for member in group))

    def _borders(self) -> list[_Speaker]:
        """Routers between the backbone, where they have a neighbour, and other areas."""
        return [
            speaker
            for speaker in self._speakers.values()
            if len(speaker.areas) > 1 and self._graph.get(_BACKBONE, {}).get(speaker.table)
        ]

    def _tell_other_areas(self, border: _Speaker, result: TableNetworks) -> None:
        """A border router announces its areas to the backbone, and everything else to its areas."""
        backbone = self._group(_BACKBONE, border.table)
        self._give(backbone - {border.table}, self._told(border, *(border.areas.keys() - {_BACKBONE})), result)
        others = [each for each in self._borders() if each is not border and each.table in backbone]
        for area in border.areas.keys() - {_BACKBONE}:
            kind, takers = border.ospf.kind_of(area), self._group(area, border.table) - {border.table}
            if kind in ("stub", "totally-stub", "totally-nssa"):
                self._give(takers, {DEFAULT_ROUTES[self._version]}, result)
            if not kind.startswith("totally"):
                self._give(takers, self._told(border, *(border.areas.keys() - {area})), result)
                for other in others:
                    self._give(takers, self._told(other, *(other.areas.keys() - {area, _BACKBONE})), result)

    def _told(self, border: _Speaker, *areas: Area) -> set[Network]:
        """Prefixes of areas as a border router tells them: a range instead of those within."""
        told: set[Network] = set()
        for area in areas:
            ranges = [prefix for each in border.ranges(area) for prefix in each.ranges]
            for prefix in self._inside(area, border.table):
                told.add(next((each for each in ranges if holds(each, prefix)), prefix))
        return told

    def _give(self, tables: Iterable[TableKey], prefixes: set[Network], result: TableNetworks) -> None:
        for table in tables:
            result[table] |= prefixes

    def _tell_external(self, speaker: _Speaker, result: TableNetworks) -> None:
        rows = speaker.ospf.redistribute
        prefixes = self._world.announced(speaker.table, self._protocol, rows, self._version, self._found)
        default = {DEFAULT_ROUTES[self._version]} if speaker.ospf.default_originate else set()
        if not prefixes and not default:
            return
        before = {table: set(had) for table, had in result.items()}
        takers: set[TableKey] = set()
        for area in speaker.areas:
            kind = speaker.ospf.kind_of(area)
            if kind == "normal":
                takers |= self._beyond(area, speaker.table)
            elif kind.endswith("nssa"):
                group = self._group(area, speaker.table)
                self._give(group - {speaker.table}, prefixes, result)
                for border in self._borders():
                    if border.table in group:  # it tells them on, as external ones of its own
                        self._give(self._beyond(_BACKBONE, border.table) - {speaker.table}, prefixes, result)
        self._give(takers - {speaker.table}, prefixes | default, result)
        for prefix, owner in self._forwarded(speaker):
            if owner in result and prefix not in before[owner]:
                result[owner].discard(prefix)

    def _forwarded(self, speaker: _Speaker) -> Iterator[tuple[Network, TableKey]]:
        """Static routes that a router announces and whose next hop is another one, who is told to forward to itself
        (RFC 2328, 16.4) and so has no route."""
        name, vrf = speaker.table
        router = next(each for each in self._world.topology.routers if each.name == name)
        routes = next((each.static_routes for each in router.vrfs if each.name == vrf), router.static_routes)
        owners = {a.ip: (port.router.name, port.vrf) for port in self._world.ports for a in port.addresses}
        for route in routes:
            if not isinstance(route.via, str) and route.via in owners:
                yield route.prefix, owners[route.via]

    def _beyond(self, area: Area, table: TableKey) -> set[TableKey]:
        """Tables that hear of external routes announced in an area: in it, and, by the backbone, in all normal ones."""
        takers = set(self._group(area, table))
        backbones = {
            self._group(_BACKBONE, border.table)
            for border in self._borders()
            if border.table in takers or (area == _BACKBONE and border.table in self._group(_BACKBONE, table))
        }
        for backbone in backbones:
            takers |= backbone
            for border in self._borders():
                if border.table in backbone:
                    for each in border.areas:
                        if border.ospf.kind_of(each) == "normal":
                            takers |= self._group(each, border.table)
        return takers


# --- IS-IS ------------------------------------------------------------------------------------------------------------


def _isis(world: IgpTopology, found: Mapping[str, TableNetworks]) -> TableNetworks:
    """Within a level every router's networks go to all; from level to level nothing is counted on."""
    result: TableNetworks = {}
    speakers = {r.name: r.isis for r in world.topology.routers if r.isis and is_predictable(r, "isis")}
    for version in (4, 6):
        for level in (1, 2):
            near: dict[TableKey, set[TableKey]] = {}
            for joint in world.joints:
                if version in isis_families(joint) and level in isis_levels(joint):
                    near.setdefault(_table(joint.local), set()).add(_table(joint.remote))
            told = {
                (name, ""): _isis_told(world, (name, ""), isis, version, found)
                for name, isis in speakers.items()
                if str(level) in isis.level.split("-")
            }
            for table in told:
                for other in _reached(table, near) - {table}:
                    result.setdefault(table, set()).update(told.get(other, set()))
                result.setdefault(table, set())
    return result


def _isis_told(
    world: IgpTopology, table: TableKey, isis: Isis, version: int, found: Mapping[str, TableNetworks]
) -> set[Network]:
    if not (isis.ipv4 if version == 4 else isis.ipv6):
        return set()
    own = set().union(*(port.networks(version) for port in world.by_table.get(table, ()) if isis_of(port)))
    default = {DEFAULT_ROUTES[version]} if isis.default_originate else set()
    return own | default | world.announced(table, "isis", isis.redistribute, version, found)


# --- RIP --------------------------------------------------------------------------------------------------------------


def _rip(world: IgpTopology, version: int, found: Mapping[str, TableNetworks]) -> TableNetworks:
    """Every network goes as far as fifteen routers."""
    near: dict[TableKey, set[TableKey]] = {}
    for joint in world.joints:
        if rip_accepts(joint, version):
            near.setdefault(_table(joint.local), set()).add(_table(joint.remote))
    name = "rip" if version == 4 else "ripng"
    result: TableNetworks = {}
    for router in world.topology.routers:
        rip: Rip | Ripng | None = getattr(router, name)
        if rip is None or not is_predictable(router, name):
            continue
        table = router.name, ""
        own = {prefix for prefix in world.connected(table) if prefix.version == version}
        if version == 6 and any(row.source == "connected" and row.route_map for row in rip.redistribute):
            own -= {each.network for each in router.loopbacks}  # told as connected ones, which the policy decides
        default = {DEFAULT_ROUTES[version]} if rip.default_originate else set()
        told = own | default | world.announced(table, name, rip.redistribute, version, found)
        for other in _reached(table, near, FARTHEST - 1) - {table}:
            result.setdefault(other, set()).update(told)
    return result


# --- how --------------------------------------------------------------------------------------------------------------


def _table(port: RouterInterface) -> TableKey:
    return port.router.name, port.vrf


def _reached(start: TableKey, near: Mapping[TableKey, set[TableKey]], most: int | None = None) -> set[TableKey]:
    """All that is reached from a table step by step, itself included."""
    seen, queue = {start}, deque([(start, 0)])
    while queue:
        table, steps = queue.popleft()
        if most is not None and steps >= most:
            continue
        for other in near.get(table, set()) - seen:
            seen.add(other)
            queue.append((other, steps + 1))
    return seen
