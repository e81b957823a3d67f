"""Rules on IS-IS."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.model.domains import Attachment, Domain
from frrlib.model.nodes import Router
from frrlib.model.problem import Problem, error, warning
from frrlib.model.protocols.at_interface import network_type_at
from frrlib.model.routing import Isis, IsisInterface
from frrlib.model.rules.facts import Facts, Rule, router_id


def _spoken(facts: Facts) -> Iterator[tuple[Router, Isis]]:
    return ((router, router.isis) for router in facts.routers() if router.isis is not None)


def families(facts: Facts) -> Iterator[Problem]:
    """IS-IS routes something, and there is an interface for it to run on."""
    for router, isis in _spoken(facts):
        versions = [version for version, routed in ((4, isis.ipv4), (6, isis.ipv6)) if routed]
        if not versions:
            yield error("isis-nothing", router.name, "isis", "routes neither IPv4 nor IPv6", "one of them or both")
        elif not any(address.version in versions for address in facts.addresses(router.name)):
            yield warning("isis-alone", router.name, "isis", "has no interface to run on", "link the router")


def levels(facts: Facts) -> Iterator[Problem]:
    """An interface's level is one of its router's."""
    for router, isis in _spoken(facts):
        for row in isis.interfaces:
            if row.level and not set(row.level.split("-")) <= set(isis.level.split("-")):
                why = f"{row.interface} is of level {row.level}, and the router of level {isis.level}"
                yield error("isis-level", router.name, "isis.interfaces", why, "a level of the router's")


def system_ids(facts: Facts) -> Iterator[Problem]:
    """System ids: one each, and none without an IPv4 address to make it from."""
    seen: dict[object, str] = {}
    for router, isis in _spoken(facts):
        identity = isis.system_id.lower() or router_id(facts, router, None)
        if identity is None:
            why = "there is no IPv4 address to make one from"
            yield error("no-router-id", router.name, "isis.system_id", why, "such as 0000.0000.0001")
        elif seen.setdefault(identity, router.name) != router.name:
            why = f"is that of {seen[identity]}, too"
            yield error("duplicate-router-id", router.name, "isis.system_id", why, "another one")


def _active(place: Attachment) -> tuple[Isis, IsisInterface] | None:
    """The settings at an interface that may form adjacencies."""
    node = place.node
    if not isinstance(node, Router) or node.isis is None or node.vrf_of(place.end.interface):
        return None
    routed = {4: node.isis.ipv4, 6: node.isis.ipv6}
    row = node.isis.at(place.end.interface)
    spoken = any(routed[address.version] for address in place.end.addresses)
    return (node.isis, row) if spoken and not row.passive else None


def neighbours(facts: Facts) -> Iterator[Problem]:
    """Neighbours have a level in common, in level 1 an area, and agree on the rest of what hellos say."""
    for domain in facts.domains:
        speakers = [(place, found) for place in domain.ends if (found := _active(place)) is not None]
        for place, mine in speakers[1:]:
            first, theirs = speakers[0]
            if first.end.node != place.end.node:
                yield from _pair(domain, place, mine, first, theirs)


def _pair(
    domain: Domain,
    place: Attachment,
    mine: tuple[Isis, IsisInterface],
    first: Attachment,
    theirs: tuple[Isis, IsisInterface],
) -> Iterator[Problem]:
    (isis, own), (other, its) = mine, theirs
    where, here = f"{first.end.node} ({first.end.interface})", place.end.node

    def differs(field: str, why: str, right: str = "the same on both") -> Problem:
        return error("isis-mismatch", here, field, why, right)

    a, b = own.level or isis.level, its.level or other.level
    common = set(a.split("-")) & set(b.split("-"))
    if not common:
        yield differs("isis.level", f"is {a}, and {b} at {where}: they never become neighbours", "a level in common")
    elif common == {"1"} and isis.area.lower() != other.area.lower():
        why = f"is {isis.area}, and {other.area} at {where}: level 1 stays within an area"
        yield differs("isis.area", why, "the same area, or level 2")
    two = domain.joins_two_routers
    kind = network_type_at(isis, place.end.interface, alone=two)
    if kind != network_type_at(other, first.end.interface, alone=two):
        field = "isis.point_to_point" if own.network_type == "auto" else "isis.interfaces"
        yield differs(field, f"differs from {where}: they never become neighbours")
    if own.key != its.key:
        yield differs("isis.interfaces", f"the key of {place.end.interface} is not that of {where}")
    if isis.key != other.key and common:
        yield differs("isis.key", f"is not that of {where}: they refuse each other's link states")
    if (isis.ipv4, isis.ipv6) != (other.ipv4, other.ipv6):
        why = f"differs from {where}, and both share one topology: packets get lost between them"
        yield differs("isis.ipv4" if isis.ipv4 != other.ipv4 else "isis.ipv6", why)
    if place.end.real_mtu_bytes != first.end.real_mtu_bytes:
        yield differs("mtu_bytes", f"MTU of {place.end.interface} differs from {where}: hellos are padded to it")


RULES: tuple[Rule, ...] = (families, levels, system_ids, neighbours)
