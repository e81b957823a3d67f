"""Ends of links: MTUs, offloads, MAC addresses, and MiniEdit's speedup."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from frrlib.checks.facts import Facts
from frrlib.checks.fix import Fix, links_fix, place_title
from frrlib.checks.kinds import CheckSubject, error, note, warning
from frrlib.model.frames import LEAST_IPV6_MTU_BYTES
from frrlib.model.labels import place_words
from frrlib.model.links import Link
from frrlib.model.problem import Problem

SUBJECT = CheckSubject()
MTU_MISMATCH = SUBJECT.kind(
    "mtu-mismatch",
    "The ends of a link have different MTUs.",
    "The side with the smaller MTU silently drops large packets of the other one. Small packets pass: ping works, "
    "and TCP stalls at its first full packet.",
    "Set the same MTU at both ends.",
)
SMALL_MTU = SUBJECT.kind(
    "small-mtu",
    "An interface with an IPv6 address has an MTU below 1280.",
    "IPv6 needs 1280 bytes (RFC 8200, section 5). The kernel disables IPv6 on such an interface.",
    "Set an MTU of 1280 or more.",
)
ILLEGAL_MAC = SUBJECT.kind(
    "illegal-mac",
    "A MAC address is a group address or all zeros.",
    "No station can have it.",
    "Leave it empty for an automatic address, or use an even first byte.",
)
DUPLICATE_MAC = SUBJECT.kind(
    "duplicate-mac",
    "Two interfaces on one net have the same MAC address.",
    "Bridges learn it alternately on two ports, and frames go to the wrong station.",
    "Leave one of them empty for an automatic address.",
    runs=True,
)
OFFLOADS_ON = SUBJECT.kind(
    "offloads-on",
    "An end of a link has segmentation and receive offloads on, in a lab with shaped links.",
    "A packet may then have 64 kB. It counts as one packet in the queue limit, is lost as a whole, and makes the "
    "traffic bursty.",
    "Leave offloads to the lab, unless they are the subject of the experiment.",
)
SPEEDUP = SUBJECT.kind(
    "speedup",
    "A link has MiniEdit's speedup, and one of its ends is a switch.",
    "As in Mininet, the switch then sends at that rate instead of the rate in the topology, in this direction only.",
    "Set the rate of that direction instead, which everyone can see, or remove the speedup.",
)


@SUBJECT.rule(MTU_MISMATCH, SMALL_MTU)
def mtus(facts: Facts) -> Iterator[Problem]:
    """Both ends of a link have the same MTU, and IPv6 needs 1280 bytes (RFC 8200, section 5)."""
    for link in facts.resolved.links:
        a, b = (end.real_mtu_bytes for end in link.ends)
        if a != b:
            message = f"is {a} bytes at {link.a.node}, but {b} bytes at {link.b.node}: larger packets are silently lost"
            yield warning(MTU_MISMATCH, link, "mtu_bytes", message, "set the same at both ends")
        for side, end in zip("ab", link.ends, strict=True):
            if end.real_mtu_bytes < LEAST_IPV6_MTU_BYTES and any(address.version == 6 for address in end.addresses):
                message = "is below 1280 bytes, which IPv6 needs"
                yield error(SMALL_MTU, link, f"{side}.mtu_bytes", message, "set at least 1280 bytes")


@SUBJECT.rule(OFFLOADS_ON)
def offloads(facts: Facts) -> Iterator[Problem]:
    """Offloads are off in a lab with shaped links, so that a packet is a frame."""
    if not any(link.is_shaped for link in facts.topology.links):
        return
    for link in facts.topology.links:
        for side, end in zip("ab", link.ends, strict=True):
            if end.offloads:
                message = f"are on at {end.node}: a packet of up to 64 kB counts as one in queue limits, is lost as a "
                message += "whole, and makes the traffic bursty"
                yield warning(OFFLOADS_ON, link, f"{side}.offloads", message, "leave them to the lab")


@SUBJECT.rule(SPEEDUP)
def speedups(facts: Facts) -> Iterator[Problem]:
    """With MiniEdit's speedup, a switch sends at another rate than the one in the topology."""
    for link, real in zip(facts.topology.links, facts.resolved.links, strict=True):
        for (sender, _, shape), (_, _, sent) in zip(link.directions, real.directions, strict=True):
            if shape.rate_mbit is not None and sent.rate_mbit is not None and shape != sent:
                message = f"{sender.node} sends at {sent.rate_mbit:g} Mbit/s instead of the rate of {shape.rate_mbit:g}"
                yield note(SPEEDUP, link, "speedup_mbit", message, "set that rate in this direction instead")


@SUBJECT.rule(ILLEGAL_MAC, DUPLICATE_MAC)
def hardware_addresses(facts: Facts) -> Iterator[Problem]:
    """MAC addresses are unicast addresses, and unique on each net."""
    for link in facts.resolved.links:
        for side, end in zip("ab", link.ends, strict=True):
            if end.mac and (int(end.mac[:2], 16) & 1 or not int(end.mac.replace(":", ""), 16)):
                message = f"{end.mac} is not a unicast address"
                remedy = "use an even first byte, such as 02:00:00:00:00:01"
                yield error(ILLEGAL_MAC, link, f"{side}.mac", message, remedy)
    for domain in facts.domains:
        owners: dict[str, str] = {}
        for link in domain.links:
            for side, end in zip("ab", link.ends, strict=True):
                place_title = f"{end.node} ({end.interface})"
                if end.mac and owners.setdefault(end.mac.lower(), place_title) != place_title:
                    message = f"{owners[end.mac.lower()]} on the same net also has the MAC address {end.mac}"
                    yield error(DUPLICATE_MAC, link, f"{side}.mac", message, "enter another one")


# --- fixes -----------------------------------------------------------------------------------------------------------


@SUBJECT.fix(MTU_MISMATCH)
def _set_same_mtu(facts: Facts, problem: Problem) -> Fix | None:
    link = facts.topology.link(problem.node)
    if link is None:
        return None
    sizes = sorted(end.real_mtu_bytes for end in link.ends)
    best = sizes[0] if sizes[0] >= LEAST_IPV6_MTU_BYTES else sizes[1]
    return mtu_fix(facts, link.id, best)


@SUBJECT.fix(SMALL_MTU)
def _set_mtu_for_ipv6(facts: Facts, problem: Problem) -> Fix | None:
    return mtu_fix(facts, problem.node, LEAST_IPV6_MTU_BYTES)


def mtu_fix(facts: Facts, link_id: str, mtu_bytes: int) -> Fix | None:
    """Set the same MTU at both ends of a link."""

    def change(link: Link) -> Link:
        ends = {side: getattr(link, side).model_copy(update={"mtu_bytes": mtu_bytes}) for side in "ab"}
        return link.model_copy(update=ends)

    label = f"set an MTU of {mtu_bytes} bytes at both ends of {place_words(facts.topology, link_id, '', 'link')}"
    return links_fix(label, facts.topology, link_id, change)


@SUBJECT.fix(ILLEGAL_MAC, DUPLICATE_MAC)
def _use_automatic_mac(facts: Facts, problem: Problem) -> Fix | None:
    return _end_fix(f"use an automatic MAC address at {place_title(facts, problem)}", facts, problem, mac="")


@SUBJECT.fix(OFFLOADS_ON)
def _leave_offloads_to_lab(facts: Facts, problem: Problem) -> Fix | None:
    return _end_fix(f"leave the offloads at {place_title(facts, problem)} to the lab", facts, problem, offloads=None)


def _end_fix(label: str, facts: Facts, problem: Problem, **update: Any) -> Fix | None:
    """Change values at the link end of a problem."""
    side = problem.field.partition(".")[0]

    def change(link: Link) -> Link:
        return link.model_copy(update={side: getattr(link, side).model_copy(update=update)})

    return links_fix(label, facts.topology, problem.node, change)


@SUBJECT.fix(SPEEDUP)
def _replace_speedup(facts: Facts, problem: Problem) -> Fix | None:
    """Set the effective rates, and remove the speedup."""
    link, real = facts.topology.link(problem.node), facts.resolved.link(problem.node)
    if link is None or real is None:
        return None
    fixed = link.model_copy(update={"a_to_b": real.a_to_b, "b_to_a": real.b_to_a, "speedup_mbit": None})
    label = f"replace the speedup of {place_title(facts, problem)} by a rate"
    return links_fix(label, facts.topology, problem.node, lambda _: fixed)
