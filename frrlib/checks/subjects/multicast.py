"""Multicast routing by PIM."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.checks.facts import Facts
from frrlib.checks.kinds import CheckSubject, error, warning
from frrlib.model.problem import Problem

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
            if facts.router_of(point.address) is None:
                message = f"no router has the address {point.address}"
                remedy = "use the loopback address of a router"
                yield warning(UNKNOWN_RP, router.name, "pim.rendezvous_points", message, remedy)
