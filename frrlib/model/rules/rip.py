"""Rules on RIP and RIPng."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from frrlib.model.nodes import Router
from frrlib.model.problem import Problem, error, warning
from frrlib.model.protocols.rip import FARTHEST
from frrlib.model.routing import Rip, Ripng
from frrlib.model.rules.facts import Facts, Rule

_VERSIONS = (("rip", 4), ("ripng", 6))


def _spoken(facts: Facts) -> Iterator[tuple[Router, str, int, Rip | Ripng]]:
    for router in facts.routers():
        for field, version in _VERSIONS:
            settings = getattr(router, field)
            if settings is not None:
                yield router, field, version, settings


def settings(facts: Facts) -> Iterator[Problem]:
    """Routes last longer than the time between two announcements; there is an interface; keys are where they count."""
    for router, field, version, rip in _spoken(facts):
        if rip.timeout_s <= rip.update_s:
            why = f"is {rip.timeout_s} s, not more than the update interval of {rip.update_s} s: routes come and go"
            yield error("rip-timers", router.name, f"{field}.timeout_s", why, f"such as {6 * rip.update_s} s")
        if not any(address.version == version for address in facts.addresses(router.name)):
            why = f"has no interface with an IPv{version} address to run on"
            yield warning("rip-alone", router.name, field, why, "link the router")
        for row in rip.interfaces:
            if row.key and field == "ripng":
                why = f"the key of {row.interface} is for RIP only"
                yield warning("unused-key", router.name, "ripng.interfaces", why)


def neighbours(facts: Facts) -> Iterator[Problem]:
    """Neighbours have the same keys, and do not give up routes before they hear of them again."""
    for domain in facts.domains:
        for field, _ in _VERSIONS:
            places = [p for p in domain.ends if isinstance(p.node, Router) and getattr(p.node, field)]
            for place in places[1:]:
                first = places[0]
                mine, theirs = getattr(place.node, field), getattr(first.node, field)
                own, its = mine.at(place.end.interface), theirs.at(first.end.interface)
                if own.passive or its.passive or first.end.node == place.end.node:
                    continue
                where = f"{first.end.node} ({first.end.interface})"
                if field == "rip" and (own.key, own.key_id) != (its.key, its.key_id):
                    why = f"the key of {place.end.interface} is not that of {where}: they hear nothing of each other"
                    yield error("rip-mismatch", place.end.node, "rip.interfaces", why, "the same on both")
                if mine.timeout_s <= theirs.update_s or theirs.timeout_s <= mine.update_s:
                    why = f"routes expire before {where} tells them again, or the other way round"
                    yield error("rip-mismatch", place.end.node, f"{field}.timeout_s", why, "the same timers on both")


def distances(facts: Facts) -> Iterator[Problem]:
    """RIP counts to 15."""
    for field, _ in _VERSIONS:
        next_to: dict[str, set[str]] = {r.name: set() for r in facts.routers() if getattr(r, field)}
        for domain in facts.domains:
            names = {place.end.node for place in domain.ends if place.end.node in next_to}
            for name in names:
                next_to[name] |= names - {name}
        if len(next_to) <= FARTHEST:
            continue
        for name in next_to:
            far = _farther(name, next_to)
            if far:
                why = f"is more than {FARTHEST} hops from {far}, so routes of the one never reach the other"
                yield warning("rip-far", name, field, why, "OSPF or IS-IS")
                break


def _farther(start: str, next_to: dict[str, set[str]]) -> str:
    """A router whose own networks are out of reach; empty for none."""
    hops, queue = {start: 1}, deque([start])
    while queue:
        name = queue.popleft()
        for other in sorted(next_to[name] - hops.keys()):
            hops[other] = hops[name] + 1
            if hops[other] > FARTHEST:
                return other
            queue.append(other)
    return ""


RULES: tuple[Rule, ...] = (settings, neighbours, distances)
