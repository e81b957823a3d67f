"""Multicast routing by PIM."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from frrlib.checks.facts import Facts, has_own_lines
from frrlib.checks.kinds import CheckSubject, error, warning
from frrlib.model.problem import Problem
from frrlib.model.routing import PimRp

SUBJECT = CheckSubject()
NO_GROUP = SUBJECT.kind(
    "no-group",
    "A multicast group is not a multicast address, or a peer group is referenced but not defined.",
    "FRR refuses it.",
    "Use a group within 224.0.0.0/4, or a peer group of the router.",
)
NO_RP = SUBJECT.kind(
    "no-rp",
    "PIM has no rendezvous point.",
    "Only source-specific groups (232.0.0.0/8) work.",
    "Set the same rendezvous point on all routers.",
)
UNKNOWN_RP = SUBJECT.kind(
    "unknown-rp",
    "No router has the address of the rendezvous point.",
    "Multicast traffic of the senders does not reach the receivers.",
    "Use the loopback address of a router.",
)

DIFFERENT_RP = SUBJECT.kind(
    "different-rp",
    "Two routers next to each other have different rendezvous points for the same groups.",
    "Receivers join at one rendezvous point, and senders register at the other, so nothing arrives.",
    "Set the same rendezvous points on all routers.",
)


@SUBJECT.rule(NO_RP, NO_GROUP, UNKNOWN_RP)
def pim(facts: Facts) -> Iterator[Problem]:
    """Groups are multicast addresses, and a router has the address of the rendezvous point."""
    for router in facts.routers():
        if router.pim is None:
            continue
        for row in router.pim.interfaces:
            for group in row.joins:
                if not group.is_multicast:
                    message = f"{group} is not a multicast address"
                    yield error(NO_GROUP, router.name, "pim.interfaces", message, "use a group within 224.0.0.0/4")
        points = router.pim.rendezvous_points
        if not points:
            message = "there is no rendezvous point, so only source-specific groups (232.0.0.0/8) work"
            yield warning(NO_RP, router.name, "pim.rendezvous_points", message, "set the same one on all routers")
        for point in points:
            if not point.groups.is_multicast:
                message = f"{point.groups} is not a multicast network"
                remedy = "use groups within 224.0.0.0/4"
                yield error(NO_GROUP, router.name, "pim.rendezvous_points", message, remedy)
            if point.address.is_unspecified or point.address.is_multicast:
                message = f"{point.address} is not the address of a router"
                remedy = "use the loopback address of a router"
                yield error(UNKNOWN_RP, router.name, "pim.rendezvous_points", message, remedy)
            elif facts.router_of(point.address) is None:
                message = f"no router has the address {point.address}"
                remedy = "use the loopback address of a router"
                yield warning(UNKNOWN_RP, router.name, "pim.rendezvous_points", message, remedy)


@SUBJECT.rule(DIFFERENT_RP)
def rendezvous_points(facts: Facts) -> Iterator[Problem]:
    """Neighbors have the same rendezvous points. The one whose points fewer routers have is reported."""
    points_of = {r.name: frozenset(r.pim.rendezvous_points) for r in facts.routers() if r.pim and not has_own_lines(r)}
    counts = Counter(points_of.values())
    reported = set[str]()
    for domain in facts.domains:
        names = dict.fromkeys(place.end.node for place in domain.ends if points_of.get(place.end.node))
        for name in names:
            rival = max(names, key=lambda other: counts[points_of[other]])
            if points_of[rival] != points_of[name] and name not in reported:
                reported.add(name)
                message = f"{_words(points_of[name])}, but {_words(points_of[rival])} at {rival}"
                remedy = "set the same rendezvous points on all routers"
                yield warning(DIFFERENT_RP, name, "pim.rendezvous_points", message, remedy)


def _words(points: frozenset[PimRp]) -> str:
    return " and ".join(sorted(f"{point.address} for {point.groups}" for point in points))
