"""OSPFv2 and OSPFv3, in the default table and in VRFs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import IPv4Interface

from frrlib.addressing.domains import Attachment, Domain
from frrlib.checks.facts import Facts
from frrlib.checks.fix import Fix, fix_with, timer_fixer
from frrlib.checks.kinds import CheckSubject, ProblemKind, error, note, warning
from frrlib.model.links import End
from frrlib.model.nodes import Router
from frrlib.model.problem import Problem
from frrlib.model.protocols.at_interface import network_type_at
from frrlib.model.protocols.ospf import area_number
from frrlib.model.routing import Ospf, Ospf6, OspfInterface

SUBJECT = CheckSubject()
#: Versions of OSPF: field of the router, IP version.
OSPF_VERSIONS = (("ospf", 4), ("ospf6", 6))
#: The longest plain password of OSPFv2.
_PLAIN_KEY_LENGTH = 8
#: A custom line that adds an address to an interface.
_ADDRESS_LINE = re.compile(r"^[ \t]*ip(v6)? address ", re.MULTILINE)
_OF_VERSION_3 = ("auto", "point-to-point", "broadcast")
OSPF_TIMERS = SUBJECT.kind(
    "ospf-timers",
    "The dead interval is not longer than the hello interval.",
    "A neighbor expires before its next hello.",
    "Use a dead interval of four hello intervals, as is usual.",
)
ILLEGAL_AREA = SUBJECT.kind(
    "illegal-area",
    "A text is not a valid area.",
    "FRR refuses it.",
    'Enter a number or a dotted quad, such as "0" or "0.0.0.1".',
)
STUB_BACKBONE = SUBJECT.kind(
    "stub-backbone",
    "Area 0 is configured as a stub area or an NSSA.",
    "The backbone carries the routes of the other areas, so it cannot be a stub area or an NSSA.",
    "Make it a normal area.",
)
DUPLICATE_AREA = SUBJECT.kind(
    "duplicate-area",
    "An area is configured twice.",
    "The second entry replaces the first.",
    "Remove one of them.",
)
OSPF_NETWORK = SUBJECT.kind(
    "ospf-network",
    "OSPFv3 is configured with a network type that FRR's OSPFv3 does not support.",
    "FRR refuses it.",
    "Choose point-to-point or broadcast.",
)
UNUSED_KEY = SUBJECT.kind(
    "unused-key",
    "A key is set for a protocol without keys (OSPFv3, RIPng).",
    "The key is ignored: the link is not protected.",
    "Remove it, or use the older version of the protocol.",
)
LONG_KEY = SUBJECT.kind(
    "long-key",
    "A plain password of OSPF has more than 8 characters.",
    "The packet has room for 8 characters.",
    "Choose a shorter one, or set a key number for MD5.",
)
OSPF_ALONE = SUBJECT.kind(
    "ospf-alone",
    "OSPF has no interface to run on.",
    "It has no neighbors.",
    "Link the router.",
)
OSPF_MISMATCH = SUBJECT.kind(
    "ospf-mismatch",
    "Two neighbors differ in a value that OSPF compares (RFC 2328, section 10.5), in the network type or in the MTU, "
    "or one of them has no address on the link.",
    "They form no adjacency, or their database exchange does not finish.",
    "Set the same value on both sides.",
    runs=True,
)
UNUSED_COST = SUBJECT.kind(
    "unused-cost",
    "An interface has an OSPF cost, but the router does not run OSPF.",
    "The cost has no effect.",
    "Remove it, or run OSPF.",
)


def _processes(facts: Facts) -> Iterator[tuple[Router, str, Ospf | Ospf6]]:
    """Every OSPF process of every router with its field: "ospf", "ospf6", or "vrfs..." for those of VRFs."""
    for router in facts.routers():
        if router.ospf:
            yield router, "ospf", router.ospf
        if router.ospf6:
            yield router, "ospf6", router.ospf6
        for vrf in router.vrfs:
            if vrf.ospf:
                yield router, f"vrfs.{vrf.name}.ospf", vrf.ospf


@SUBJECT.rule(OSPF_TIMERS)
def timers(facts: Facts) -> Iterator[Problem]:
    """The dead interval is longer than the hello interval."""
    for router, field, ospf in _processes(facts):
        for row in (None, *ospf.interfaces):
            hello_s = (row.hello_s if row else None) or ospf.hello_s
            dead_s = (row.dead_s if row else None) or ospf.dead_s
            if dead_s <= hello_s and (row is None or row.hello_s or row.dead_s):
                where = f"{field}.interfaces" if row else f"{field}.dead_s"
                prefix = f"{row.interface}: " if row else ""
                message = (
                    f"{prefix}the dead interval of {dead_s} s is not longer than the hello interval of {hello_s} s"
                )
                yield error(OSPF_TIMERS, router.name, where, message, f"use a longer interval, such as {4 * hello_s} s")


@SUBJECT.rule(ILLEGAL_AREA, STUB_BACKBONE, DUPLICATE_AREA, OSPF_NETWORK, UNUSED_KEY, LONG_KEY)
def areas(facts: Facts) -> Iterator[Problem]:
    """Areas are numbers or dotted quads, the backbone is a normal area, and no area is configured twice."""
    for router, field, ospf in _processes(facts):
        stated = [(f"{field}.area", ospf.area)]
        stated += [(f"{field}.interfaces", row.area) for row in ospf.interfaces if row.area]
        stated += [(f"{field}.areas", area.area) for area in ospf.areas]
        for where, area in stated:
            if area_number(area) is None:
                message = f"{area!r} is not a valid area"
                yield error(ILLEGAL_AREA, router.name, where, message, "enter an area such as 0 or 0.0.0.1")
        numbers: set[int | None] = set()
        for area_settings in ospf.areas:
            number = area_number(area_settings.area)
            if number == 0 and area_settings.kind != "normal":
                message = (
                    f"area {area_settings.area} is the backbone, which carries routes of other areas and cannot be "
                )
                message += area_settings.kind
                yield error(STUB_BACKBONE, router.name, f"{field}.areas", message, "make it a normal area")
            if number is not None and number in numbers:
                message = f"area {area_settings.area} is configured twice"
                yield error(DUPLICATE_AREA, router.name, f"{field}.areas", message, "remove one of them")
            numbers.add(number)
        for row in ospf.interfaces:
            yield from _check_row(router, field, ospf, row)


def _check_row(router: Router, field: str, ospf: Ospf | Ospf6, row: OspfInterface) -> Iterator[Problem]:
    where, third = f"{field}.interfaces", isinstance(ospf, Ospf6)
    if third and row.network_type not in _OF_VERSION_3:
        message = f"{row.interface} is {row.network_type}, which FRR's OSPFv3 does not support"
        yield error(OSPF_NETWORK, router.name, where, message, "choose point-to-point or broadcast")
    if row.key and third:
        message = f"the key of {row.interface} has no effect: only OSPFv2 has keys"
        yield warning(UNUSED_KEY, router.name, where, message, "remove it")
    elif row.key and not row.key_id and len(row.key) > _PLAIN_KEY_LENGTH:
        message = f"the password of {row.interface} has {len(row.key)} characters"
        remedy = f"use at most {_PLAIN_KEY_LENGTH}, or set a key number for MD5"
        yield error(LONG_KEY, router.name, where, message, remedy)


@SUBJECT.rule(OSPF_ALONE)
def without_interfaces(facts: Facts) -> Iterator[Problem]:
    """OSPF has an interface to run on."""
    for router in facts.routers():
        for field, version in OSPF_VERSIONS:
            if getattr(router, field) and not any(a.version == version for a in facts.addresses(router.name)):
                message = f"no interface of the router has an IPv{version} address, so OSPF cannot run on any"
                yield warning(OSPF_ALONE, router.name, field, message, "link the router")


def ospf_at(place: Attachment, field: str, version: int) -> Ospf | Ospf6 | None:
    """The OSPF settings at an interface; None if OSPF does not run there."""
    return _settings_at(place, field) if has_address(place, version) else None


def has_address(place: Attachment, version: int) -> bool:
    """Whether an interface has an address of an IP version."""
    return any(address.version == version for address in place.end.addresses)


def _settings_at(place: Attachment, field: str) -> Ospf | Ospf6 | None:
    """The OSPF settings of the routing table of an interface; None if OSPF does not run there."""
    node = place.node
    if not isinstance(node, Router):
        return None
    name = node.vrf_of(place.end.interface)
    ospf: Ospf | Ospf6 | None
    if name:
        ospf = next((vrf.ospf for vrf in node.vrfs if vrf.name == name), None) if field == "ospf" else None
    else:
        ospf = getattr(node, field)
    return ospf


@SUBJECT.rule(OSPF_MISMATCH)
def neighbors(facts: Facts) -> Iterator[Problem]:
    """Neighbors agree on the fields of hellos that RFC 2328 compares (section 10.5), and on the network type."""
    for domain in facts.domains:
        for field, version in OSPF_VERSIONS:
            places = [(place, ospf) for place in domain.ends if (ospf := ospf_at(place, field, version))]
            speakers = [(place, ospf) for place, ospf in places if not ospf.at(place.end.interface).passive]
            passive = [place for place, ospf in places if ospf.at(place.end.interface).passive]
            active = [place for place, _ in speakers]
            yield from passive_ends(OSPF_MISMATCH, f"{field}.interfaces", passive, active)
            bare = [place for place in domain.ends if _runs_without_address(place, field, version)]
            yield from ends_without_address(OSPF_MISMATCH, version, bare, active)
            yield from _check_priorities(domain, field, speakers)
            for place, ospf in speakers[1:]:
                if speakers[0][0].end.node != place.end.node:
                    yield from _check_pair(domain, field, (place, ospf), speakers[0])


def _runs_without_address(place: Attachment, field: str, version: int) -> bool:
    settings = None if has_address(place, version) else _settings_at(place, field)
    return settings is not None and not settings.at(place.end.interface).passive


def ends_without_address(
    kind: ProblemKind, version: int, bare: list[Attachment], active: list[Attachment]
) -> Iterator[Problem]:
    """Warn of interfaces without an address of an IP version on a net on which another router runs the protocol."""
    for place in bare:
        other = next((other for other in active if other.end.node != place.end.node), None)
        if other is not None and isinstance(place.node, Router) and not _ADDRESS_LINE.search(place.node.frr_conf):
            message = f"{place.end.interface} has no IPv{version} address, but {other.end.node} "
            message += f"({other.end.interface}) has one: they exchange no IPv{version} routes"
            remedy = f"enter an address of the network of {other.end.interface}"
            yield warning(kind, place.end.node, "addresses", message, remedy)


def passive_ends(
    kind: ProblemKind, field: str, passive: list[Attachment], active: list[Attachment]
) -> Iterator[Problem]:
    """Warn of passive interfaces on a net on which another router sends hellos or updates."""
    for place in passive:
        other = next((other for other in active if other.end.node != place.end.node), None)
        if other is not None:
            message = f"{place.end.interface} is passive, but {other.end.node} ({other.end.interface}) is not: they "
            message += "exchange no routes"
            remedy = "make both passive, or neither"
            yield warning(kind, place.end.node, field, message, remedy)


def _check_priorities(domain: Domain, field: str, speakers: list[tuple[Attachment, Ospf | Ospf6]]) -> Iterator[Problem]:
    """A broadcast net elects a designated router among those with a priority above 0 (RFC 2328, section 9.4)."""
    rows = [(place, ospf, ospf.at(place.end.interface)) for place, ospf in speakers]
    needs_election = [
        row.priority == 0
        and network_type_at(ospf, place.end.interface, alone=domain.joins_two_routers) in ("broadcast", "non-broadcast")
        for place, ospf, row in rows
    ]
    if len(rows) > 1 and all(needs_election):
        message = "all routers on the net have priority 0, so none becomes the designated router"
        yield error(OSPF_MISMATCH, rows[0][0].end.node, f"{field}.interfaces", message, "give one a higher priority")


def _check_pair(
    domain: Domain, field: str, local: tuple[Attachment, Ospf | Ospf6], remote: tuple[Attachment, Ospf | Ospf6]
) -> Iterator[Problem]:
    (place, ospf), (first, peer_ospf) = local, remote
    row, peer_row = ospf.at(place.end.interface), peer_ospf.at(first.end.interface)
    peer, node = f"{first.end.node} ({first.end.interface})", place.end.node

    def differs(at: str, message: str) -> Problem:
        return error(OSPF_MISMATCH, node, at, message, "set the same on both")

    for name in ("hello_s", "dead_s"):
        a, b = getattr(row, name) or getattr(ospf, name), getattr(peer_row, name) or getattr(peer_ospf, name)
        if a != b:
            at = f"{field}.interfaces" if getattr(row, name) else f"{field}.{name}"
            interval = "hello interval" if name == "hello_s" else "dead interval"
            yield differs(at, f"the {interval} is {a} s here, but {b} s at {peer}: they form no adjacency")
    a_text, b_text = ospf.area_of(place.end.interface), peer_ospf.area_of(first.end.interface)
    if area_number(a_text) != area_number(b_text):
        yield differs(f"{field}.area", f"{place.end.interface} is in area {a_text}, but {peer} is in area {b_text}")
    elif (a_kind := _area_kind(ospf, a_text)) != (b_kind := _area_kind(peer_ospf, b_text)):
        message = f"area {a_text} is {a_kind} here, but {b_kind} at {peer}: they form no adjacency"
        yield differs(f"{field}.areas", message)
    is_alone = domain.joins_two_routers
    kind = network_type_at(ospf, place.end.interface, alone=is_alone)
    if kind != network_type_at(peer_ospf, first.end.interface, alone=is_alone):
        at = f"{field}.point_to_point" if row.network_type == "auto" else f"{field}.interfaces"
        yield differs(at, f"the network type differs from that at {peer}: routes over the link are missing")
    if field == "ospf" and (row.key, row.key_id) != (peer_row.key, peer_row.key_id):
        yield differs(f"{field}.interfaces", f"the key of {place.end.interface} differs from that of {peer}")
    if field == "ospf" and kind != "point-to-point" and (masks := _masks(place, first)):
        message = f"{place.end.interface} has the mask /{masks[0]}, but {peer} has /{masks[1]}: on a broadcast net "
        yield differs("addresses", message + "routers ignore hellos with another mask")
    # Each end compares the MTU in the neighbor's database description packets with its own.
    if place.end.real_mtu_bytes != first.end.real_mtu_bytes and not _accepts_mtu(local, remote):
        message = f"the MTU of {place.end.interface} differs from {peer}: the database exchange does not finish"
        yield differs("mtu_bytes", message)


def _accepts_mtu(local: tuple[Attachment, Ospf | Ospf6], remote: tuple[Attachment, Ospf | Ospf6]) -> bool:
    """Whether the end with the smaller MTU accepts the larger one of its neighbor (RFC 2328, section 10.6)."""
    place, ospf = min(local, remote, key=lambda end: end[0].end.real_mtu_bytes)
    return ospf.at(place.end.interface).mtu_ignore


def _masks(place: Attachment, other: Attachment) -> tuple[int, int] | None:
    """The prefix lengths of two overlapping networks; None if the ends have a network in common, or none overlap."""
    networks, other_networks = (
        [address.network for address in attachment.end.addresses if isinstance(address, IPv4Interface)]
        for attachment in (place, other)
    )
    if set(networks) & set(other_networks):
        return None
    overlapping = ((a, b) for a in networks for b in other_networks if a.overlaps(b))
    return next(((a.prefixlen, b.prefixlen) for a, b in overlapping), None)


def _area_kind(ospf: Ospf | Ospf6, area: str) -> str:
    """The kind of an area in hellos: "normal", "stub" or "nssa"."""
    return ospf.kind_of(area_number(area)).removeprefix("totally-")


@SUBJECT.rule(UNUSED_COST)
def unused_costs(facts: Facts) -> Iterator[Problem]:
    """Interfaces with an OSPF cost belong to a router that runs OSPF."""
    for router in facts.routers():
        speaks = router.ospf or router.ospf6 or any(vrf.ospf for vrf in router.vrfs)
        for _, end in facts.ends.get(router.name, ()):
            if end.ospf_cost is not None and not speaks:
                message = f"the cost of {end.interface} has no effect, because OSPF does not run here"
                yield note(UNUSED_COST, router.name, "ospf_cost", message, "remove it, or run OSPF")


# --- fixes -----------------------------------------------------------------------------------------------------------


@SUBJECT.fix(UNUSED_COST)
def _remove_costs(facts: Facts, problem: Problem) -> Fix | None:
    def free(end: End) -> End:
        return end.model_copy(update={"ospf_cost": None}) if end.node == problem.node else end

    links = tuple(link.model_copy(update={"a": free(link.a), "b": free(link.b)}) for link in facts.topology.links)
    return fix_with(f"remove the OSPF costs at {problem.node}", facts.topology, links=links)


SUBJECT.fix(OSPF_TIMERS)(timer_fixer("dead_s", "hello_s", 4))
