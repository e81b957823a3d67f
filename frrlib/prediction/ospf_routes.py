"""The routes that OSPF brings to each table: within areas, between areas, and external ones.

Area border routers follow FRR's default, the type "Cisco" of RFC 3509: a router with several areas is a border router
if one of its interfaces is in the backbone; its loopback is enough. It considers only the summaries of the backbone,
unless it has no neighbor there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field

from frrlib.model.protocols.common import DEFAULT_ROUTES, holds
from frrlib.model.protocols.ospf import area_number
from frrlib.model.routing import Network, Ospf, Ospf6, OspfArea

#: The name of a router and that of a VRF, which is empty for the default table.
TableKey = tuple[str, str]
#: The number of an OSPF area; None for a text that is not a valid area.
Area = int | None
#: A network, or a router that announces external routes: border routers announce both to other areas.
Destination = Network | TableKey
BACKBONE = 0


@dataclass
class OspfSpeaker:
    """A table that runs OSPF.

    Attributes:
        table: its key.
        ospf: its settings.
        areas: each of its areas with the networks that it announces there.
        external: prefixes of other sources that it announces.
    """

    table: TableKey
    ospf: Ospf | Ospf6
    areas: dict[Area, set[Network]] = field(default_factory=dict)
    external: Set[Network] = frozenset()

    @property
    def is_border(self) -> bool:
        """Whether it is an area border router."""
        return len(self.areas) > 1 and BACKBONE in self.areas

    def ranges(self, area: Area) -> tuple[OspfArea, ...]:
        """Its settings of an area, if it has ranges there."""
        return tuple(settings for settings in self.ospf.areas if area_number(settings.area) == area and settings.ranges)


class OspfDomain:
    """All tables that run one version of OSPF, and the routes that they get.

    Args:
        version: 4 for OSPFv2 or 6 for OSPFv3.
        speakers: every table that runs it.
        neighbors: area to the neighbors of each table there.
    """

    def __init__(
        self,
        version: int,
        speakers: Mapping[TableKey, OspfSpeaker],
        neighbors: Mapping[Area, Mapping[TableKey, Set[TableKey]]],
    ) -> None:
        self._version, self._speakers, self._neighbors = version, speakers, neighbors
        self._groups: dict[tuple[Area, TableKey], frozenset[TableKey]] = {}
        self._insides: dict[tuple[Area, TableKey], frozenset[Destination]] = {}
        self._networks_inside: dict[frozenset[Destination], frozenset[Network]] = {}
        self._borders = [speaker for speaker in speakers.values() if speaker.is_border]
        #: (table, area) to the destinations that summaries in the area bring to the table.
        self._learned: dict[tuple[TableKey, Area], set[Destination]] = {}
        self._exchange_summaries()

    def routes(self) -> dict[TableKey, set[Network]]:
        """The prefixes of OSPF in each table, those that the table announces itself included."""
        result = {table: self._reached_networks(table) for table in self._speakers}
        for speaker in self._speakers.values():
            for receiver in self._receivers_of_external(speaker):
                result[receiver] |= speaker.external
            if speaker.ospf.default_originate:
                for receiver in self._receivers_by_normal_areas(speaker.table):
                    result[receiver].add(DEFAULT_ROUTES[self._version])
        return result

    # --- within areas -------------------------------------------------------------------------------------------------

    def _group(self, area: Area, table: TableKey) -> frozenset[TableKey]:
        """The tables of an area that a table reaches within the area, itself included."""
        key = area, table
        if key not in self._groups:
            group = frozenset(reachable(table, self._neighbors.get(area, {})))
            self._groups.update({(area, member): group for member in group})
        return self._groups[key]

    def _inside(self, area: Area, table: TableKey) -> frozenset[Destination]:
        """The networks of an area, and its routers that announce external routes."""
        key = area, table
        if key not in self._insides:
            group = self._group(area, table)
            networks = frozenset[Destination]().union(
                *(self._speakers[member].areas.get(area, set()) for member in group)
            )
            inside = networks | {member for member in group if self._announces_external(member)}
            self._insides.update({(area, member): inside for member in group})
        return self._insides[key]

    def _announces_external(self, table: TableKey) -> bool:
        speaker = self._speakers[table]
        translates = speaker.is_border and any(speaker.ospf.kind_of(area).endswith("nssa") for area in speaker.areas)
        return bool(speaker.external or speaker.ospf.default_originate or translates)

    # --- between areas ------------------------------------------------------------------------------------------------

    def _exchange_summaries(self) -> None:
        """Repeat the announcements of border routers until no table learns anything new."""
        is_new = True
        while is_new:
            is_new = False
            for border in self._borders:
                for area in border.areas:
                    summaries = self._summaries(border, area)
                    for receiver in self._group(area, border.table) - {border.table}:
                        usable = self._usable_summaries(summaries, self._speakers[receiver], area)
                        learned = self._learned.setdefault((receiver, area), set())
                        is_new = is_new or not usable <= learned
                        learned |= usable

    def _usable_summaries(self, summaries: set[Destination], receiver: OspfSpeaker, area: Area) -> set[Destination]:
        """The summaries of an area that a table uses.

        Border routers use those of the backbone only (RFC 2328, 16.2). Those of FRR also use other areas while they
        have no neighbor in the backbone; ospfd then still ignores the default route of a stub area.
        """
        if not receiver.is_border or area == BACKBONE:
            return summaries
        if self._neighbors.get(BACKBONE, {}).get(receiver.table):
            return set()
        is_stub = self._version == 4 and receiver.ospf.kind_of(area) != "normal"
        return summaries - {DEFAULT_ROUTES[4]} if is_stub else summaries

    def _summaries(self, border: OspfSpeaker, area: Area) -> set[Destination]:
        """The destinations that a border router announces to one of its areas."""
        kind = "normal" if area == BACKBONE else border.ospf.kind_of(area)
        summaries: set[Destination] = set()
        if not kind.startswith("totally"):
            for other_area in border.areas.keys() - {area}:
                summaries |= self._with_ranges(border, other_area)
            if area != BACKBONE:
                summaries |= self._learned.get((border.table, BACKBONE), set())
        if kind != "normal":
            summaries = set(self._networks(summaries))
        if self._announces_default(kind):
            summaries.add(DEFAULT_ROUTES[self._version])
        return summaries

    def _announces_default(self, kind: str) -> bool:
        """Whether border routers announce a default route to areas of a kind; ospfd does so to every NSSA."""
        return kind in ("stub", "totally-stub", "totally-nssa") or (kind == "nssa" and self._version == 4)

    def _with_ranges(self, border: OspfSpeaker, area: Area) -> set[Destination]:
        """The destinations of an area as a border router announces them: a range replaces the prefixes in it."""
        ranges = [prefix for settings in border.ranges(area) for prefix in settings.ranges]
        return {
            destination
            if isinstance(destination, tuple)
            else next((prefix for prefix in ranges if holds(prefix, destination)), destination)
            for destination in self._inside(area, border.table)
        }

    # --- external routes ----------------------------------------------------------------------------------------------

    def _receivers_of_external(self, speaker: OspfSpeaker) -> set[TableKey]:
        """The tables that certainly get the external routes of a speaker.

        The border routers of an NSSA translate its external routes for the other areas (RFC 3101, 3.2). FRR leaves
        translated ones out when it describes its database to a new neighbor, so only neighbors that are up before the
        translation get them."""
        if not speaker.external:
            return set()
        receivers = self._receivers_by_normal_areas(speaker.table)
        for area in speaker.areas:
            if speaker.ospf.kind_of(area).endswith("nssa"):
                receivers |= self._group(area, speaker.table)
        return receivers - {speaker.table}

    def _receivers_by_normal_areas(self, source: TableKey) -> set[TableKey]:
        """The tables that external routes of a source reach through normal areas, and that have a path to it."""
        flooded = reachable(source, self._neighbors_in_normal_areas())
        return {table for table in flooded if source in self._destinations(table)} - {source}

    def _neighbors_in_normal_areas(self) -> dict[TableKey, set[TableKey]]:
        neighbors: dict[TableKey, set[TableKey]] = {}
        for area, neighbors_there in self._neighbors.items():
            for table, others in neighbors_there.items():
                if area == BACKBONE or self._speakers[table].ospf.kind_of(area) == "normal":
                    neighbors.setdefault(table, set()).update(others)
        return neighbors

    def _destinations(self, table: TableKey) -> set[Destination]:
        """All destinations that a table reaches within its areas and by summaries."""
        areas = self._speakers[table].areas
        inside = (self._inside(area, table) for area in areas)
        return set().union(*inside, *(self._learned.get((table, area), set()) for area in areas))

    def _reached_networks(self, table: TableKey) -> set[Network]:
        """The prefixes that a table reaches within its areas and by summaries."""
        areas = list(self._speakers[table].areas)
        if len(areas) != 1 or self._learned.get((table, areas[0])):
            return self._networks(self._destinations(table))
        inside = self._inside(areas[0], table)
        if inside not in self._networks_inside:
            self._networks_inside[inside] = frozenset(self._networks(inside))
        return set(self._networks_inside[inside])

    def _networks(self, destinations: Iterable[Destination]) -> set[Network]:
        return {destination for destination in destinations if not isinstance(destination, tuple)}


def reachable(start: TableKey, neighbors: Mapping[TableKey, Set[TableKey]]) -> set[TableKey]:
    """All tables that are reachable from a table over neighbors, itself included."""
    reached, waiting = {start}, [start]
    while waiting:
        new = set(neighbors.get(waiting.pop(), set())) - reached
        reached |= new
        waiting += new
    return reached
