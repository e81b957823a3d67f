"""The areas of OSPF: the backbone that joins them, virtual links, and external routes in stub areas."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address

from frrlib.checks.facts import Facts, router_id
from frrlib.checks.kinds import CheckSubject, warning
from frrlib.checks.subjects.ospf import OSPF_VERSIONS, ospf_at
from frrlib.model.nodes import Router
from frrlib.model.problem import Problem
from frrlib.model.protocols.ospf import area_number
from frrlib.model.routing import Ospf, Ospf6, Vrf

SUBJECT = CheckSubject()
BACKBONE = 0
_STUB_KINDS = ("stub", "totally-stub")
#: The name of a router and that of a VRF, which is empty for the default table.
TableKey = tuple[str, str]
#: A custom line that adds a virtual link: the area that it crosses, and the router ID of the other end.
_VIRTUAL_LINK = re.compile(r"^[ \t]*area (\S+) virtual-link (\S+)", re.MULTILINE)
CUT_OFF_AREA = SUBJECT.kind(
    "cut-off-area",
    "No router of an area, or of a part of it, is also in area 0.",
    "Areas exchange routes only through the backbone (RFC 2328, section 3.1).",
    "Add an area border router with interfaces in both areas.",
)
SPLIT_BACKBONE = SUBJECT.kind(
    "split-backbone",
    "Area 0 has parts that are joined through other areas only.",
    "A border router ignores the routes of area 0 that it receives through another area (RFC 2328, section 16.2), so "
    "the parts have no routes to each other.",
    "Put a link between the parts into area 0, or join them by a virtual link.",
)
VIRTUAL_LINK = SUBJECT.kind(
    "virtual-link",
    "A virtual link of OSPF crosses an area that is not an area of both its ends, or has only one end.",
    "It stays down. It needs two border routers of one normal area other than area 0 (RFC 2328, section 15).",
    "Make the change that the message names.",
)
STUB_EXTERNAL = SUBJECT.kind(
    "stub-external",
    "A router announces external routes, and all its neighbors are in stub areas.",
    "A stub area carries no external routes (RFC 2328, section 3.6), so no router receives them.",
    "Make the area an NSSA or a normal area, on all its routers.",
)
STUB_BORDERS = SUBJECT.kind(
    "stub-borders",
    "A stub area or totally NSSA of OSPFv3 has two area border routers.",
    "FRR's ospf6d uses the default route that the other border router advertises into the area, though border routers "
    "must use backbone routes only (RFC 2328, section 16.2). It can then withdraw its own default route.",
    "Keep one border router, or make the area normal or a plain NSSA.",
)


@dataclass(frozen=True)
class _Speaker:
    """A table that runs OSPF.

    Attributes:
        router: the name of the router.
        field: the field of the settings.
        ospf: the settings.
        areas: the areas of its interfaces and of its loopback.
    """

    router: str
    field: str
    ospf: Ospf | Ospf6
    areas: frozenset[int]


@dataclass
class _Areas:
    """The tables that run one version of OSPF.

    Attributes:
        speakers: every such table.
        neighbors: area to the neighbors of each table there, if their timers and keys agree.
    """

    speakers: dict[TableKey, _Speaker]
    neighbors: dict[int, dict[TableKey, set[TableKey]]] = field(default_factory=dict)

    def members(self, area: int) -> list[TableKey]:
        """The tables with an interface in an area."""
        return [key for key, speaker in self.speakers.items() if area in speaker.areas]

    def parts(self, area: int) -> list[list[TableKey]]:
        """The members of an area, in parts that are connected within the area."""
        return _parts(self.members(area), self.neighbors.get(area, {}))

    def join(self, area: int, a: TableKey, b: TableKey) -> None:
        """Note that two tables are neighbors in an area."""
        for one, other in ((a, b), (b, a)):
            self.neighbors.setdefault(area, {}).setdefault(one, set()).add(other)


def _parts(members: Iterable[TableKey], near: Mapping[TableKey, Iterable[TableKey]]) -> list[list[TableKey]]:
    """The connected parts of some tables, each in the order of the tables."""
    ordered = list(members)
    seen, parts = set[TableKey](), list[list[TableKey]]()
    for start in ordered:
        if start in seen:
            continue
        part, waiting = {start}, [start]
        while waiting:
            new = set(near.get(waiting.pop(), ())) - part
            part |= new
            waiting += new
        seen |= part
        parts.append([key for key in ordered if key in part])
    return parts


def _areas_of(facts: Facts, protocol: str, version: int) -> _Areas:
    """The areas of a version of OSPF: `protocol` is the field of the routers."""
    speakers: dict[TableKey, _Speaker] = {}
    for router in facts.routers():
        for table in router.tables if protocol == "ospf" else (router,):
            ospf: Ospf | Ospf6 | None = getattr(table, protocol)
            if ospf is None:
                continue
            vrf = table.name if isinstance(table, Vrf) else ""
            # A border router may have only its loopback in the backbone.
            names = [*facts.interface_names(router.name), *(["lo"] if router.loopbacks else [])]
            numbers = (area_number(ospf.area_of(name)) for name in names if router.vrf_of(name) == vrf)
            areas = frozenset(number for number in numbers if number is not None)
            where = f"vrfs.{vrf}.{protocol}" if vrf else protocol
            speakers[router.name, vrf] = _Speaker(router.name, where, ospf, areas)
    result = _Areas(speakers)
    for domain in facts.domains:
        ends: list[tuple[int, TableKey]] = []
        for place in domain.ends:
            settings = ospf_at(place, protocol, version)
            if settings is None or settings.at(place.end.interface).passive or not isinstance(place.node, Router):
                continue
            number = area_number(settings.area_of(place.end.interface))
            if number is not None:
                ends.append((number, (place.end.node, place.node.vrf_of(place.end.interface))))
        for number, key in ends:
            for other_number, other in ends:
                if number == other_number and key < other:
                    result.join(number, key, other)
    return result


# --- virtual links ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _VirtualLink:
    """A virtual link in the custom lines of a router.

    Attributes:
        router: the name of the router.
        area: the area that it crosses, as it is written.
        remote_id: the router ID of the other end.
    """

    router: str
    area: str
    remote_id: str


def _virtual_links(facts: Facts) -> list[_VirtualLink]:
    """The virtual links of OSPFv2, each once from every end that has it."""
    links = [
        _VirtualLink(router.name, area, remote_id)
        for router in facts.routers()
        if router.ospf
        for area, remote_id in _VIRTUAL_LINK.findall(router.frr_conf)
        if area_number(area) is not None
    ]
    return list(dict.fromkeys(links))


def _router_ids(facts: Facts) -> dict[str, str]:
    """The router ID of OSPFv2 of each router that has one."""
    ids = ((r.name, router_id(facts, r, r.ospf.router_id)) for r in facts.routers() if r.ospf)
    return {name: str(identity) for name, identity in ids if identity is not None}


def _peer_of(link: _VirtualLink, ids: Mapping[str, str]) -> str:
    """The router at the other end of a virtual link; empty for none."""
    remote_id = _normalized(link.remote_id)
    return next((name for name, identity in ids.items() if identity == remote_id and name != link.router), "")


def _normalized(text: str) -> str:
    try:
        return str(IPv4Address(text))
    except ValueError:
        return text


def _fault(link: _VirtualLink, links: list[_VirtualLink], areas: _Areas, ids: Mapping[str, str]) -> tuple[str, str]:
    """The reason why a virtual link stays down, and the remedy; both empty if it comes up."""
    number, peer = area_number(link.area), _peer_of(link, ids)
    assert number is not None
    speaker = areas.speakers[link.router, ""]
    if not peer:
        return f"no other router has the router ID {link.remote_id}", "use the router ID of the other border router"
    common = speaker.areas & areas.speakers[peer, ""].areas - {BACKBONE}
    choice = f"use area {min(common)}, which both are in" if common else "use an area that both are in"
    if number == BACKBONE:
        return "a virtual link cannot cross area 0", choice
    if number not in speaker.areas:
        return f"{link.router} has no interface in area {link.area}", choice
    together = next(part for part in areas.parts(number) if (link.router, "") in part)
    if (peer, "") not in together:
        return f"{peer} cannot be reached within area {link.area}", choice
    if (kind := speaker.ospf.kind_of(number)) != "normal":
        return f"area {link.area} is {kind}, and only a normal area can be crossed", "make the area a normal one"
    own_id = ids.get(link.router, "ID")
    if not any(
        other.router == peer and area_number(other.area) == number and _normalized(other.remote_id) == own_id
        for other in links
    ):
        return f"{peer} has no virtual link back", f'add "area {link.area} virtual-link {own_id}" at {peer}'
    return "", ""


@SUBJECT.rule(VIRTUAL_LINK)
def virtual_links(facts: Facts) -> Iterator[Problem]:
    """The ends of a virtual link are in the area that it crosses, and each end has it."""
    links = _virtual_links(facts)
    if not links:
        return
    areas, ids = _areas_of(facts, "ospf", 4), _router_ids(facts)
    for link in links:
        message, remedy = _fault(link, links, areas, ids)
        if message:
            title = f"area {link.area} virtual-link {link.remote_id}"
            yield warning(VIRTUAL_LINK, link.router, "frr_conf", f"{title}: {message}", remedy)


def _with_virtual_links(facts: Facts, areas: _Areas) -> _Areas:
    """The areas, in which virtual links that come up are links of the backbone."""
    links, ids = _virtual_links(facts), _router_ids(facts)
    valid = [link for link in links if not _fault(link, links, areas, ids)[0]]
    pairs = [((link.router, ""), (_peer_of(link, ids), "")) for link in valid]
    for a, b in pairs:
        areas.join(BACKBONE, a, b)
        for key in (a, b):
            old = areas.speakers[key]
            areas.speakers[key] = _Speaker(old.router, old.field, old.ospf, old.areas | {BACKBONE})
    return areas


# --- the backbone -----------------------------------------------------------------------------------------------------


@SUBJECT.rule(CUT_OFF_AREA, SPLIT_BACKBONE)
def backbone(facts: Facts) -> Iterator[Problem]:
    """Every area touches the backbone, which is one piece (RFC 2328, section 3.1)."""
    for protocol, version in OSPF_VERSIONS:
        areas = _areas_of(facts, protocol, version)
        if protocol == "ospf":
            areas = _with_virtual_links(facts, areas)
        numbers = set().union(*(speaker.areas for speaker in areas.speakers.values()))
        for number in sorted(numbers - {BACKBONE}) if len(numbers) > 1 else ():
            yield from _check_area(areas, number)
        yield from _check_backbone(areas)


def _check_area(areas: _Areas, number: int) -> Iterator[Problem]:
    """An area, and each part of it that has a router of another area, has a router in the backbone."""
    remedy = "add an area border router between both"
    parts = areas.parts(number)
    without = [part for part in parts if not any(BACKBONE in areas.speakers[key].areas for key in part)]
    if len(without) == len(parts):
        speaker = areas.speakers[without[0][0]]
        message = f"no router of area {number} is also in area 0, so its routes reach no other area"
        yield warning(CUT_OFF_AREA, speaker.router, f"{speaker.field}.area", message, remedy)
        return
    for part in without:
        border = next((areas.speakers[key] for key in part if len(areas.speakers[key].areas) > 1), None)
        if border is not None:
            message = f"this part of area {number} has no router in area 0, so its routes reach no other area"
            yield warning(CUT_OFF_AREA, border.router, f"{border.field}.area", message, remedy)


def _check_backbone(areas: _Areas) -> Iterator[Problem]:
    """The parts of the backbone are not joined through other areas only.

    A border router without a neighbor in the backbone accepts routes through other areas, but does not pass them on to
    its other areas. So parts of one router each are no problem if each has neighbors in one area only.
    """
    parts = areas.parts(BACKBONE)
    if len(parts) < 2:
        return
    near: dict[TableKey, set[TableKey]] = {}
    for neighbors in areas.neighbors.values():
        for key, others in neighbors.items():
            near.setdefault(key, set()).update(others)
    for joined in _parts(areas.speakers, near):
        separate = sorted((part for part in parts if part[0] in joined), key=len)
        passes_on = any(_neighbor_areas(areas, key) > 1 for part in separate for key in part)
        if len(separate) > 1 and (len(separate[-1]) > 1 or passes_on):
            smaller, larger = areas.speakers[separate[0][0]], areas.speakers[separate[-1][0]]
            message = f"area 0 of {smaller.router} is joined to that of {larger.router} through other areas only: "
            message += "border routers ignore its routes there"
            remedy = "put a link between them into area 0, or join them by a virtual link"
            yield warning(SPLIT_BACKBONE, smaller.router, f"{smaller.field}.area", message, remedy)


def _neighbor_areas(areas: _Areas, key: TableKey) -> int:
    """The number of areas in which a table has neighbors."""
    return sum(bool(neighbors.get(key)) for neighbors in areas.neighbors.values())


# --- external routes --------------------------------------------------------------------------------------------------


@SUBJECT.rule(STUB_EXTERNAL)
def external_routes(facts: Facts) -> Iterator[Problem]:
    """A router that announces external routes has a neighbor in an area that carries them."""
    for protocol, version in OSPF_VERSIONS:
        areas = _areas_of(facts, protocol, version)
        for key, speaker in areas.speakers.items():
            ospf = speaker.ospf
            numbers = [number for number, neighbors in areas.neighbors.items() if key in neighbors]
            stubs = [number for number in numbers if ospf.kind_of(number) in _STUB_KINDS]
            if not (ospf.redistribute or ospf.default_originate) or not stubs or len(stubs) < len(numbers):
                continue
            name = "redistribute" if ospf.redistribute else "default_originate"
            message = f"all neighbors are in area {stubs[0]}, a stub area, which carries no external routes"
            remedy = f"make area {stubs[0]} an NSSA on all its routers"
            yield warning(STUB_EXTERNAL, speaker.router, f"{speaker.field}.{name}", message, remedy)


@SUBJECT.rule(STUB_BORDERS)
def stub_borders(facts: Facts) -> Iterator[Problem]:
    """An area of OSPFv3 into which border routers advertise a default route has one border router."""
    borders: dict[int, list[str]] = {}
    for speaker in _areas_of(facts, "ospf6", 6).speakers.values():
        for number in speaker.areas if BACKBONE in speaker.areas else ():
            if speaker.ospf.kind_of(number) in (*_STUB_KINDS, "totally-nssa"):
                borders.setdefault(number, []).append(speaker.router)
    for number, (first, *others) in sorted(borders.items()):
        if others:
            message = (
                f"area {number} gets a default route from the border routers {', '.join((first, *others))}: FRR's "
            )
            message += "OSPFv3 can withdraw all their default routes"
            remedy = "keep one border router, or make the area normal or a plain NSSA"
            yield warning(STUB_BORDERS, first, "ospf6.areas", message, remedy)
