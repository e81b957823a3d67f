"""Rules on the shape of links and on hardware addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from frrlib.model.links import FULL_FRAME_BYTES, Link, Shape, bdp_bytes
from frrlib.model.problem import Problem, error, note, warning
from frrlib.model.rules.facts import Facts, Rule

_QUEUES = ("queue_packets", "queue_bytes", "queue_ms", "queue_bdp")
_ETHERNET_HEADER_BYTES = 14


def shapes(facts: Facts) -> Iterator[Problem]:
    """Every direction of every link, by the table below."""
    for link in facts.filled.links:
        for side, shape, back in (("a_to_b", link.a_to_b, link.b_to_a), ("b_to_a", link.b_to_a, link.a_to_b)):
            for rule in _SHAPE_RULES:
                problem = rule(link, side, shape, back)
                if problem is not None:
                    yield problem


def _queue_without_rate(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    given = next((name for name in _QUEUES if getattr(shape, name) is not None), None)
    if given is None or shape.rate_mbit is not None:
        return None
    why = "limits a queue, and without a rate there is none"
    return error("queue-without-rate", link.id, f"{side}.{given}", why, "give rate_mbit too, or no limit")


def _queue_without_rtt(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    if shape.queue_bdp is None or shape.delay_ms + back.delay_ms > 0:
        return None
    why = "counts in bandwidth-delay products, and this link has no delay there and back"
    return error("bdp-without-delay", link.id, f"{side}.queue_bdp", why, "give a delay, or the queue in packets or ms")


def _small_queue(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    if shape.rate_mbit is None:
        return None
    mtus = [end.mtu_bytes for end in link.ends if end.mtu_bytes]
    frame = min(mtus) + _ETHERNET_HEADER_BYTES if mtus else FULL_FRAME_BYTES
    if shape.queue_bytes is not None and shape.queue_bytes < frame:
        why = f"is {shape.queue_bytes}: a full frame of {frame} bytes never fits"
        return error("small-queue", link.id, f"{side}.queue_bytes", why, f"at least {frame}")
    if shape.queue_ms is not None and bdp_bytes(shape.rate_mbit, shape.queue_ms) < FULL_FRAME_BYTES:
        why = f"is {shape.queue_ms:g}: less than a full frame, one is taken instead"
        return warning("small-queue", link.id, f"{side}.queue_ms", why)
    rtt_ms = shape.delay_ms + back.delay_ms
    if shape.queue_bdp is not None and 0 < shape.queue_bdp * bdp_bytes(shape.rate_mbit, rtt_ms) < FULL_FRAME_BYTES:
        why = f"is {shape.queue_bdp:g}: less than a full frame, one is taken instead"
        return warning("small-queue", link.id, f"{side}.queue_bdp", why)
    return None


def _jitter(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    if shape.jitter_ms > shape.delay_ms:
        why = f"is {shape.jitter_ms:g}, more than the delay of {shape.delay_ms:g}: no packet arrives before it leaves"
        return warning("much-jitter", link.id, f"{side}.jitter_ms", why, "at most the delay")
    if shape.jitter_ms:
        return note("reordering", link.id, f"{side}.jitter_ms", "lets packets overtake each other")
    return None


def _all_lost(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    if shape.loss_percent < 100:
        return None
    return warning(
        "all-lost", link.id, f"{side}.loss_percent", "is 100: nothing arrives", "less, or a link that is down"
    )


_SHAPE_RULES: tuple[Callable[[Link, str, Shape, Shape], Problem | None], ...] = (
    _queue_without_rate,
    _queue_without_rtt,
    _small_queue,
    _jitter,
    _all_lost,
)


def mtus(facts: Facts) -> Iterator[Problem]:
    """Both ends of a link agree on the largest packet, and IPv6 needs 1280 bytes (RFC 8200, section 5)."""
    for link in facts.filled.links:
        a, b = (end.mtu_bytes or 1500 for end in link.ends)
        if a != b:
            why = f"is {a} at {link.a.node} and {b} at {link.b.node}: larger packets are lost without a word"
            yield warning("mtu-mismatch", link.id, "mtu_bytes", why, "the same at both ends")
        for side, end in zip("ab", link.ends, strict=True):
            if (end.mtu_bytes or 1500) < 1280 and any(address.version == 6 for address in end.addresses):
                yield error(
                    "small-mtu", link.id, f"{side}.mtu_bytes", "is below 1280, and IPv6 needs that", "at least 1280"
                )


def hardware_addresses(facts: Facts) -> Iterator[Problem]:
    """Hardware addresses are a station's own, and nobody else's on the same net."""
    for link in facts.filled.links:
        for side, end in zip("ab", link.ends, strict=True):
            if end.mac and (int(end.mac[:2], 16) & 1 or not int(end.mac.replace(":", ""), 16)):
                why = f"{end.mac} is not an address of one station"
                yield error("illegal-mac", link.id, f"{side}.mac", why, "an even first byte, such as 02:00:00:00:00:01")
    for domain in facts.domains:
        seen: dict[str, str] = {}
        for link in domain.links:
            for side, end in zip("ab", link.ends, strict=True):
                where = f"{end.node} ({end.interface})"
                if end.mac and seen.setdefault(end.mac.lower(), where) != where:
                    why = f"{end.mac} is at {seen[end.mac.lower()]} too, on the same net"
                    yield error("duplicate-mac", link.id, f"{side}.mac", why, "another one")


RULES: tuple[Rule, ...] = (shapes, mtus, hardware_addresses)
