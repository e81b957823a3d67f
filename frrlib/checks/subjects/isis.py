"""IS-IS."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.addressing.domains import Attachment, Domain
from frrlib.checks.facts import Facts, router_id
from frrlib.checks.kinds import CheckSubject, error, warning
from frrlib.checks.subjects.ospf import ends_without_address, has_address, passive_ends
from frrlib.checks.subjects.routing import DUPLICATE_ROUTER_ID, NO_ROUTER_ID
from frrlib.model.nodes import Router
from frrlib.model.problem import Problem
from frrlib.model.protocols.at_interface import network_type_at
from frrlib.model.protocols.isis import LSP_MTU_BYTES
from frrlib.model.routing import Isis, IsisInterface

SUBJECT = CheckSubject()
ISIS_NOTHING = SUBJECT.kind(
    "isis-nothing",
    "IS-IS routes neither IPv4 nor IPv6.",
    "It announces no networks.",
    "Enable one of them, or both.",
    runs=True,
)
ISIS_ALONE = SUBJECT.kind(
    "isis-alone",
    "IS-IS has no interface to run on.",
    "It has no neighbors.",
    "Link the router.",
)
ISIS_LEVEL = SUBJECT.kind(
    "isis-level",
    "The level of an interface is not a level of its router.",
    "The interface forms no adjacency.",
    "Choose a level of the router.",
    runs=True,
)
ISIS_MISMATCH = SUBJECT.kind(
    "isis-mismatch",
    "Two neighbors differ in level, area, network type, keys, address families or MTU, or one of them has no address "
    "on the link.",
    "They form no adjacency, or packets between them are lost.",
    "Set the same value on both sides, or make the change that the message names.",
    runs=True,
)
ISIS_MTU = SUBJECT.kind(
    "isis-mtu",
    "The MTU of an interface is smaller than the largest link state of IS-IS.",
    "FRR sends link states of up to 1497 bytes, and keeps IS-IS down on interfaces that cannot carry them.",
    "Set an MTU of at least 1500 bytes.",
    runs=True,
)

ISIS_OVERLOAD = SUBJECT.kind(
    "isis-overload",
    "A router with the overload bit is the only path between two of its neighbors.",
    "Other routers send no packets through a router with the overload bit (ISO 10589, section 7.2.8.1), so these "
    "neighbors have no routes to each other.",
    "Turn the overload bit off, or add a path around the router.",
)


def _speakers(facts: Facts) -> Iterator[tuple[Router, Isis]]:
    return ((router, router.isis) for router in facts.routers() if router.isis is not None)


@SUBJECT.rule(ISIS_NOTHING, ISIS_ALONE)
def families(facts: Facts) -> Iterator[Problem]:
    """IS-IS routes IPv4 or IPv6, and has an interface to run on."""
    for router, isis in _speakers(facts):
        versions = [version for version, routed in ((4, isis.ipv4), (6, isis.ipv6)) if routed]
        if not versions:
            message = "IS-IS routes neither IPv4 nor IPv6"
            yield error(ISIS_NOTHING, router.name, "isis", message, "enable one of them or both")
        elif not any(address.version in versions for address in facts.addresses(router.name)):
            yield warning(ISIS_ALONE, router.name, "isis", "IS-IS has no interface to run on", "link the router")


@SUBJECT.rule(ISIS_LEVEL)
def levels(facts: Facts) -> Iterator[Problem]:
    """The level of an interface is a level of its router."""
    for router, isis in _speakers(facts):
        for row in isis.interfaces:
            if row.level and not set(row.level.split("-")) <= set(isis.level.split("-")):
                message = f"{row.interface} has level {row.level}, but the router has level {isis.level}"
                yield error(ISIS_LEVEL, router.name, "isis.interfaces", message, "choose a level of the router")


@SUBJECT.rule(NO_ROUTER_ID, DUPLICATE_ROUTER_ID)
def system_ids(facts: Facts) -> Iterator[Problem]:
    """Every router has a unique system ID, entered or derived from an IPv4 address."""
    owners: dict[object, str] = {}
    for router, isis in _speakers(facts):
        identity = isis.system_id.lower() or router_id(facts, router, None)
        if identity is None:
            message = "there is no IPv4 address from which to derive one"
            yield error(NO_ROUTER_ID, router.name, "isis.system_id", message, "enter an ID such as 0000.0000.0001")
        elif owners.setdefault(identity, router.name) != router.name:
            message = f"{owners[identity]} has the same system ID"
            yield error(DUPLICATE_ROUTER_ID, router.name, "isis.system_id", message, "enter another one")


def _settings_at(place: Attachment) -> tuple[Isis, IsisInterface] | None:
    """The settings at an interface; None if IS-IS does not run there."""
    node = place.node
    if not isinstance(node, Router) or node.isis is None or node.vrf_of(place.end.interface):
        return None
    routed = {4: node.isis.ipv4, 6: node.isis.ipv6}
    row = node.isis.at(place.end.interface)
    spoken = any(routed[address.version] for address in place.end.addresses)
    return (node.isis, row) if spoken else None


def _routes(place: Attachment, version: int) -> bool:
    """Whether IS-IS routes an IP version at an interface, if the interface has an address of it."""
    node = place.node
    if not isinstance(node, Router) or node.isis is None or node.vrf_of(place.end.interface):
        return False
    return (node.isis.ipv4 if version == 4 else node.isis.ipv6) and not node.isis.at(place.end.interface).passive


@SUBJECT.rule(ISIS_MISMATCH, ISIS_MTU)
def neighbors(facts: Facts) -> Iterator[Problem]:
    """Neighbors have a common level, a common area in level 1, and agree on the other fields of hellos."""
    for domain in facts.domains:
        places = [(place, settings) for place in domain.ends if (settings := _settings_at(place)) is not None]
        speakers = [(place, settings) for place, settings in places if not settings[1].passive]
        passive = [place for place, (_, row) in places if row.passive]
        active = [place for place, _ in speakers]
        yield from passive_ends(ISIS_MISMATCH, "isis.interfaces", passive, active)
        for version in (4, 6):
            routing = [place for place in domain.ends if _routes(place, version)]
            bare = [place for place in routing if not has_address(place, version)]
            with_address = [place for place in active if place in routing and place not in bare]
            yield from ends_without_address(ISIS_MISMATCH, version, bare, with_address)
        for place in {place.end.node: place for place, _ in speakers}.values() if len(speakers) > 1 else ():
            isis, _ = next(settings for speaker, settings in speakers if speaker is place)
            if place.end.real_mtu_bytes < isis.least_mtu_bytes:
                message = f"the MTU of {place.end.interface} is {place.end.real_mtu_bytes} bytes, too small for "
                message += f"link states of {isis.lsp_mtu_bytes or LSP_MTU_BYTES} bytes: FRR keeps IS-IS down there"
                remedy = f"set an MTU of at least {isis.least_mtu_bytes}, or a smaller LSP MTU"
                yield error(ISIS_MTU, place.end.node, "mtu_bytes", message, remedy)
        for place, mine in speakers[1:]:
            first, theirs = speakers[0]
            if first.end.node != place.end.node:
                yield from _check_pair(domain, place, mine, first, theirs)


def _check_pair(
    domain: Domain,
    place: Attachment,
    local: tuple[Isis, IsisInterface],
    first: Attachment,
    remote: tuple[Isis, IsisInterface],
) -> Iterator[Problem]:
    (isis, row), (peer_isis, peer_row) = local, remote
    peer, node = f"{first.end.node} ({first.end.interface})", place.end.node

    def differs(field: str, message: str, remedy: str = "set the same on both") -> Problem:
        return error(ISIS_MISMATCH, node, field, message, remedy)

    a, b = row.level or isis.level, peer_row.level or peer_isis.level
    common = set(a.split("-")) & set(b.split("-"))
    if not common:
        message = f"is {a}, but {b} at {peer}: they form no adjacency"
        yield differs("isis.level", message, "choose a common level")
    elif common == {"1"} and isis.area.lower() != peer_isis.area.lower():
        message = f"is {isis.area}, but {peer_isis.area} at {peer}: level 1 adjacencies stay within an area"
        yield differs("isis.area", message, "use the same area, or level 2")
    two = domain.joins_two_routers
    kind = network_type_at(isis, place.end.interface, alone=two)
    if kind != network_type_at(peer_isis, first.end.interface, alone=two):
        field = "isis.point_to_point" if row.network_type == "auto" else "isis.interfaces"
        yield differs(field, f"the network type differs from that at {peer}: they form no adjacency")
    if row.key != peer_row.key:
        yield differs("isis.interfaces", f"the key of {place.end.interface} differs from that of {peer}")
    if isis.key != peer_isis.key and common:
        yield differs("isis.key", f"differs from that of {peer}: they reject each other's link states")
    if (isis.ipv4, isis.ipv6) != (peer_isis.ipv4, peer_isis.ipv6):
        message = f"differs from {peer}, but both share one topology: packets between them are lost"
        yield differs("isis.ipv4" if isis.ipv4 != peer_isis.ipv4 else "isis.ipv6", message)
    if place.end.real_mtu_bytes != first.end.real_mtu_bytes:
        message = f"the MTU of {place.end.interface} differs from {peer}: hellos are padded to the MTU"
        yield differs("mtu_bytes", message)


@SUBJECT.rule(ISIS_OVERLOAD)
def overload(facts: Facts) -> Iterator[Problem]:
    """The neighbors of a router with the overload bit have a path around it."""
    overloaded = [router for router, isis in _speakers(facts) if isis.overload]
    if not overloaded:
        return
    names_of_overloaded = {router.name for router in overloaded}
    near: dict[str, set[str]] = {}
    for domain in facts.domains:
        settings_by_node = ((place.end.node, _settings_at(place)) for place in domain.ends)
        names = {name for name, settings in settings_by_node if settings is not None and not settings[1].passive}
        for name in names:
            near.setdefault(name, set()).update(names - {name})
    for router in overloaded:
        first, *others = sorted(near.get(router.name, ())) or [""]
        reached, waiting = {first, router.name}, [first]
        while waiting:
            new = near.get(waiting.pop(), set()) - reached
            reached |= new
            waiting += (name for name in new if name not in names_of_overloaded)
        if apart := [name for name in others if name not in reached]:
            message = f"is set, but {first} and {apart[0]} are joined through this router only"
            remedy = "turn it off, or add a path around this router"
            yield warning(ISIS_OVERLOAD, router.name, "isis.overload", message, remedy)
