"""RIP and RIPng."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from frrlib.checks.facts import Facts
from frrlib.checks.fix import timer_fixer
from frrlib.checks.kinds import CheckSubject, error, warning
from frrlib.checks.subjects.ospf import UNUSED_KEY, ends_without_address, has_address, passive_ends
from frrlib.model.nodes import Router
from frrlib.model.problem import Problem
from frrlib.model.protocols.rip import FARTHEST
from frrlib.model.routing import Rip, Ripng

SUBJECT = CheckSubject()
_VERSIONS = (("rip", 4), ("ripng", 6))
RIP_TIMERS = SUBJECT.kind(
    "rip-timers",
    "The timeout of routes is not longer than the update interval.",
    "Routes flap, because they expire before the next update.",
    "Use a timeout of six update intervals, as is usual.",
)
RIP_ALONE = SUBJECT.kind(
    "rip-alone",
    "RIP has no interface to run on.",
    "It has no neighbors.",
    "Link the router.",
)
RIP_MISMATCH = SUBJECT.kind(
    "rip-mismatch",
    "Two neighbors have different keys, or one of them has no address on the link, or routes expire on one before the "
    "other one sends its next update.",
    "They ignore each other's updates, or routes flap.",
    "Set the same values on both sides.",
    runs=True,
)
RIP_FAR = SUBJECT.kind(
    "rip-far",
    "Two routers with RIP are more than 15 hops apart.",
    "RIP counts to 15. A metric of 16 means unreachable (RFC 2453).",
    "Use OSPF or IS-IS.",
)


def _speakers(facts: Facts) -> Iterator[tuple[Router, str, int, Rip | Ripng]]:
    for router in facts.routers():
        for field, version in _VERSIONS:
            settings = getattr(router, field)
            if settings is not None:
                yield router, field, version, settings


@SUBJECT.rule(RIP_TIMERS, RIP_ALONE, UNUSED_KEY)
def settings(facts: Facts) -> Iterator[Problem]:
    """Routes last longer than the update interval, the protocol has an interface, and only RIP has keys."""
    for router, field, version, rip in _speakers(facts):
        if rip.timeout_s <= rip.update_s:
            message = f"{rip.timeout_s} s is not longer than the update interval of {rip.update_s} s, so routes flap"
            remedy = f"use a longer time, such as {6 * rip.update_s} s"
            yield error(RIP_TIMERS, router.name, f"{field}.timeout_s", message, remedy)
        if not any(address.version == version for address in facts.addresses(router.name)):
            protocol = "RIP" if field == "rip" else "RIPng"
            message = f"no interface of the router has an IPv{version} address, so {protocol} cannot run on any"
            yield warning(RIP_ALONE, router.name, field, message, "link the router")
        for row in rip.interfaces:
            if row.key and field == "ripng":
                message = f"the key of {row.interface} has no effect: only RIP has keys"
                yield warning(UNUSED_KEY, router.name, "ripng.interfaces", message, "remove it")


@SUBJECT.rule(RIP_MISMATCH)
def neighbors(facts: Facts) -> Iterator[Problem]:
    """Neighbors have the same keys, and routes do not expire before the next update."""
    for domain in facts.domains:
        for field, version in _VERSIONS:
            places = [p for p in domain.ends if isinstance(p.node, Router) and getattr(p.node, field)]
            passive = [p for p in places if getattr(p.node, field).at(p.end.interface).passive]
            active = [p for p in places if p not in passive]
            yield from passive_ends(RIP_MISMATCH, f"{field}.interfaces", passive, active)
            bare = [p for p in active if not has_address(p, version)]
            yield from ends_without_address(RIP_MISMATCH, version, bare, [p for p in active if p not in bare])
            for place in places[1:]:
                first = places[0]
                own_settings, peer_settings = getattr(place.node, field), getattr(first.node, field)
                row, peer_row = own_settings.at(place.end.interface), peer_settings.at(first.end.interface)
                if row.passive or peer_row.passive or first.end.node == place.end.node:
                    continue
                peer = f"{first.end.node} ({first.end.interface})"
                if field == "rip" and (row.key, row.key_id) != (peer_row.key, peer_row.key_id):
                    message = f"the key of {place.end.interface} differs from that of {peer}: they reject each other's "
                    message += "updates"
                    yield error(RIP_MISMATCH, place.end.node, "rip.interfaces", message, "set the same on both")
                if own_settings.timeout_s <= peer_settings.update_s or peer_settings.timeout_s <= own_settings.update_s:
                    message = f"routes expire before the next update of {peer}, or the other way round"
                    remedy = "set the same timers on both"
                    yield error(RIP_MISMATCH, place.end.node, f"{field}.timeout_s", message, remedy)


@SUBJECT.rule(RIP_FAR)
def distances(facts: Facts) -> Iterator[Problem]:
    """No two routers are more than 15 hops apart, the largest metric of RIP."""
    for field, _ in _VERSIONS:
        next_to: dict[str, set[str]] = {r.name: set() for r in facts.routers() if getattr(r, field)}
        for domain in facts.domains:
            names = {place.end.node for place in domain.ends if place.end.node in next_to}
            for name in names:
                next_to[name] |= names - {name}
        if len(next_to) <= FARTHEST:
            continue
        for name in next_to:
            far = _router_out_of_reach(name, next_to)
            if far:
                message = f"{name} is more than {FARTHEST} hops from {far}, so neither gets the routes of the other"
                yield warning(RIP_FAR, name, field, message, "use OSPF or IS-IS")
                break


def _router_out_of_reach(start: str, next_to: dict[str, set[str]]) -> str:
    """A router whose networks are out of reach; empty if all are in reach."""
    hops, queue = {start: 1}, deque([start])
    while queue:
        name = queue.popleft()
        for neighbor in sorted(next_to[name] - hops.keys()):
            hops[neighbor] = hops[name] + 1
            if hops[neighbor] > FARTHEST:
                return neighbor
            queue.append(neighbor)
    return ""


# --- fixes -----------------------------------------------------------------------------------------------------------


SUBJECT.fix(RIP_TIMERS)(timer_fixer("timeout_s", "update_s", 6))
