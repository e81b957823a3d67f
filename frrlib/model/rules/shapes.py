"""Rules on the shape of links and on hardware addresses."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from frrlib.model.frames import LEAST_IPV6_MTU_BYTES, memory_bytes
from frrlib.model.links import (
    QUEUE_LIMITS,
    End,
    Link,
    Shape,
    bdp_bytes,
    queue_limit_bytes,
    usual_burst_frames,
)
from frrlib.model.own_sizes import too_small, with_size
from frrlib.model.problem import Problem, error, note, warning
from frrlib.model.quantities import size_words
from frrlib.model.queues import USUAL_PACKET_BYTES, Choke, Red, Sfq
from frrlib.model.rules.facts import Facts, Rule

#: The share of all packets, as netem counts shares.
_NETEM_SHARES = 2**32 - 1
_MODELS = {"gilbert_elliott": "Gilbert and Elliott", "four_states": "four states"}


def shapes(facts: Facts) -> Iterator[Problem]:
    """Every direction of every link, by the table below."""
    for link in facts.filled.links:
        for side, shape, back in (("a_to_b", link.a_to_b, link.b_to_a), ("b_to_a", link.b_to_a, link.a_to_b)):
            for rule in _SHAPE_RULES:
                problem = rule(link, side, shape, back)
                if problem is not None:
                    yield problem


def _queue_without_rate(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    given = next((name for name in QUEUE_LIMITS if getattr(shape, name) is not None), None)
    if given is None or shape.rate_mbit is not None:
        return None
    why = "limits a queue, and without a rate there is none"
    return error("queue-without-rate", link.id, f"{side}.{given}", why, "give a rate too, or no limit")


def _queue_without_rtt(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    if shape.queue_bdp is None or shape.delay_ms + back.delay_ms > 0:
        return None
    why = "counts in bandwidth-delay products, and this link has no delay in either direction"
    return error("bdp-without-delay", link.id, f"{side}.queue_bdp", why, "give a delay, or the queue in packets or ms")


def sender_of(link: Link, field: str) -> End:
    """The end from which a direction leaves.

    Args:
        field: the direction, or a field of it ("a_to_b.queue_bytes").
    """
    return link.a if field.startswith("a_to_b") else link.b


def _small_queue(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    if shape.rate_mbit is None:
        return None
    frame = sender_of(link, side).frame_bytes
    if shape.queue_bytes is not None and shape.queue_bytes < frame:
        why = f"is {size_words(shape.queue_bytes)}: a full frame of {frame} bytes never fits"
        return error("small-queue", link.id, f"{side}.queue_bytes", why, f"at least {frame} bytes")
    if shape.queue_ms is not None and bdp_bytes(shape.rate_mbit, shape.queue_ms) < frame:
        why = f"is {shape.queue_ms:g} ms: less than a full frame, and the lab uses one full frame"
        return warning("small-queue", link.id, f"{side}.queue_ms", why)
    rtt_ms = shape.delay_ms + back.delay_ms
    if shape.queue_bdp is not None and 0 < shape.queue_bdp * bdp_bytes(shape.rate_mbit, rtt_ms) < frame:
        why = f"is {shape.queue_bdp:g} BDP: less than a full frame, and the lab uses one full frame"
        return warning("small-queue", link.id, f"{side}.queue_bdp", why)
    return None


def _jitter(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    if shape.jitter_ms > shape.delay_ms:
        delay = f"the delay of {shape.delay_ms:g} ms"
        why = f"is {shape.jitter_ms:g} ms, more than {delay}: no packet arrives before it leaves"
        return warning("much-jitter", link.id, f"{side}.jitter_ms", why, "at most the delay")
    if shape.jitter_ms:
        return note("reordering", link.id, f"{side}.jitter_ms", "lets packets overtake each other")
    return None


def _all_lost(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    if shape.loss_percent < 100:
        return None
    return warning(
        "all-lost", link.id, f"{side}.loss_percent", "is 100 %: nothing arrives", "less, or a link that is down"
    )


def _discipline_without_rate(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    if shape.queue is None or shape.rate_mbit is not None:
        return None
    why = f"is {shape.queue.kind}, and without a rate no queue ever forms"
    return error("queue-without-rate", link.id, f"{side}.queue", why, "give a rate too, or no queueing discipline")


def _averaging(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    """RED's average can only follow a burst that is longer than its lower mark."""
    match shape.queue:
        case Red(min_bytes=int(low), burst_packets=int(burst)) as queue:
            frames = low / (queue.avpkt_bytes or USUAL_PACKET_BYTES)
        case Choke(min_packets=int(low), burst_packets=int(burst)):
            frames = float(low)
        case _:
            return None
    if burst >= frames:
        return None
    why = f"is {burst}: the average of so short a burst never comes to the lower mark of {frames:.4g} packets"
    return error("short-burst", link.id, f"{side}.queue.burst_packets", why, f"at least {math.ceil(frames)}")


def _marks_in_queue(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    frame = sender_of(link, side).frame_bytes
    limit_bytes = queue_limit_bytes(shape, back, frame)
    match shape.queue:
        case Red(max_bytes=int(high)) if limit_bytes is not None and high > limit_bytes:
            most = size_words(limit_bytes)
            why = f"is {size_words(high)}, more than the queue's {most}: it is full before all are dropped early"
            return error("mark-beyond-queue", link.id, f"{side}.queue.max_bytes", why, f"at most {most}")
        case Choke(max_packets=int(high)) if limit_bytes is not None and high * frame > limit_bytes:
            frames = limit_bytes // frame
            why = f"is {high}, more than the queue's {frames} full frames: it is full before all are dropped early"
            return error("mark-beyond-queue", link.id, f"{side}.queue.max_packets", why, f"at most {frames}")
        case Sfq() as queue if limit_bytes is not None and shape.has_queue_limit:
            room = room_of_sfq(queue)
            frames = math.ceil(limit_bytes / frame)
            if frames > room:
                why = f"is {frames} packets, and sfq has room for {room}: so many flows of so many packets"
                given = next(name for name in QUEUE_LIMITS if getattr(shape, name) is not None)
                return error("mark-beyond-queue", link.id, f"{side}.{given}", why, f"at most {room} packets")
    return None


def room_of_sfq(queue: Sfq) -> int:
    """The number of packets that sfq has room for."""
    return (queue.depth_packets or 127) * (queue.flows or 128)


def _memory(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    if shape.queue is None or shape.queue.limit_in != "memory" or not shape.has_queue_limit:
        return None
    given = next(name for name in QUEUE_LIMITS if getattr(shape, name) is not None)
    why = f"limits the memory of {shape.queue.kind}, which counts what the kernel spends on a packet: fewer frames fit"
    return note("memory-limit", link.id, f"{side}.{given}", why)


def _small_memory(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    """A limit in memory that one full frame exceeds: everything full-sized is dropped."""
    frame = sender_of(link, side).frame_bytes
    limit, field = getattr(shape.queue, "memory_limit_bytes", None), "queue.memory_limit_bytes"
    if shape.queue is not None and shape.queue.limit_in == "memory" and shape.has_queue_limit:
        limit = queue_limit_bytes(shape, back, frame)
        field = next(name for name in QUEUE_LIMITS if getattr(shape, name) is not None)
    if limit is None or limit >= memory_bytes(frame):
        return None
    needs = memory_bytes(frame)
    why = f"is {limit} bytes of memory, and the kernel spends about {needs} on a full frame, which is dropped"
    return warning("no-full-frame", link.id, f"{side}.{field}", why, f"at least {needs} bytes")


def _own_commands(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    if not shape.qdiscs:
        return None
    sender = link.a if side == "a_to_b" else link.b
    why = (
        f"are tc commands of its own: what leaves {sender.node} here is held up, lost and counted as they say, and "
        "none of it is checked before the run or held against the drawing after it"
    )
    return note("own-commands", link.id, f"{side}.qdiscs", why)


def _own_sizes(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    """Own commands with a bucket or a limit that no full frame passes."""
    found = next(too_small(shape.qdiscs, sender_of(link, side).frame_bytes), None)
    if found is None:
        return None
    line = shape.qdiscs[found.line]
    why = f"line {found.line + 1} has a {found.what} of {found.has_bytes} bytes ({found.word}), and a full frame "
    why += f"counts {found.needs_bytes} bytes here: it is dropped, while small packets pass"
    right = with_size(line, found.word, found.needs_bytes)
    return warning("no-full-frame", link.id, f"{side}.qdiscs", why, right)


def _burst(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    frame = sender_of(link, side).frame_bytes
    frames, usual = shape.burst_frames or 0, usual_burst_frames(shape.rate_mbit or 0.0, frame)
    if frames <= usual or shape.rate_mbit is None:
        return None
    size_bytes = frames * frame
    lasts_ms = size_bytes * 8 / shape.rate_mbit / 1e3
    why = (
        f"is {frames}: after an idle {lasts_ms:.3g} ms {size_words(size_bytes)} pass at once, and congestion control "
        "that measures the rate sees more than the link has"
    )
    return warning("large-burst", link.id, f"{side}.burst_frames", why, f"{usual} or none")


def _two_losses(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    rare = shape.impairments
    model = next((name for name in _MODELS if getattr(rare, name)), "")
    if not model or not (shape.loss_percent or rare.loss_correlation_percent):
        return None
    why = f"is given, and so is the model of {_MODELS[model]}: there is one kind of loss at a time"
    field = "loss_percent" if shape.loss_percent else "impairments.loss_correlation_percent"
    return error("two-losses", link.id, f"{side}.{field}", why, "one of them")


def _reordering_without_delay(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    if not shape.impairments.reorder_percent or shape.delay_ms:
        return None
    why = "lets packets skip the delay, and there is none"
    return error("reorder-without-delay", link.id, f"{side}.impairments.reorder_percent", why, "give a delay too")


def _below_resolution(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    for field in ("delay_ms", "jitter_ms"):
        value_ms = getattr(shape, field)
        if value_ms and not round(value_ms * 1e3):
            why = f"is {value_ms * 1e3:g} us, which tc rounds to none: it counts whole microseconds"
            return error("below-resolution", link.id, f"{side}.{field}", why, "none, or at least 0.001 ms")
    shares = {"loss_percent": shape.loss_percent}
    for name in ("duplicate_percent", "corrupt_percent", "reorder_percent"):
        shares[f"impairments.{name}"] = getattr(shape.impairments, name)
    for field, percent in shares.items():
        if percent and not round(percent / 100 * _NETEM_SHARES):
            why = f"is {percent:g} %, which netem rounds to none: it counts in steps of 2.3e-8 %"
            return error("below-resolution", link.id, f"{side}.{field}", why, "none, or at least 2.4e-8 %")
    return None


def _without_jitter(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    rare = shape.impairments
    if shape.jitter_ms:
        return None
    field = (
        "jitter_samples_ms" if rare.jitter_samples_ms
        else "jitter_distribution" if rare.jitter_distribution != "uniform"
        else "jitter_correlation_percent" if rare.jitter_correlation_percent else ""
    )  # fmt: skip
    why = "says how the jitter is, and there is none"
    return warning("no-jitter", link.id, f"{side}.impairments.{field}", why, "give a jitter too") if field else None


_SHAPE_RULES: tuple[Callable[[Link, str, Shape, Shape], Problem | None], ...] = (
    _queue_without_rate,
    _discipline_without_rate,
    _averaging,
    _marks_in_queue,
    _memory,
    _small_memory,
    _own_commands,
    _own_sizes,
    _burst,
    _two_losses,
    _below_resolution,
    _reordering_without_delay,
    _without_jitter,
    _queue_without_rtt,
    _small_queue,
    _jitter,
    _all_lost,
)


def mtus(facts: Facts) -> Iterator[Problem]:
    """Both ends of a link agree on the largest packet, and IPv6 needs 1280 bytes (RFC 8200, section 5)."""
    for link in facts.filled.links:
        a, b = (end.real_mtu_bytes for end in link.ends)
        if a != b:
            why = f"is {a} bytes at {link.a.node} and {b} at {link.b.node}: larger packets are lost without a word"
            yield warning("mtu-mismatch", link.id, "mtu_bytes", why, "the same at both ends")
        for side, end in zip("ab", link.ends, strict=True):
            if end.real_mtu_bytes < LEAST_IPV6_MTU_BYTES and any(address.version == 6 for address in end.addresses):
                yield error(
                    "small-mtu", link.id, f"{side}.mtu_bytes", "is below 1280, and IPv6 needs that", "at least 1280"
                )


def offloads(facts: Facts) -> Iterator[Problem]:
    """In a shaped lab a packet is a frame, unless somebody wants it otherwise."""
    if not any(link.is_shaped for link in facts.drawn.links):
        return
    for link in facts.drawn.links:
        for side, end in zip("ab", link.ends, strict=True):
            if end.offloads:
                why = (
                    f"are on at {end.node}: a packet of 64 kB counts as one in limits and is lost whole, and it comes "
                    "in lumps"
                )
                yield warning("offloads-on", link.id, f"{side}.offloads", why, "them off, as the lab needs")


def speedups(facts: Facts) -> Iterator[Problem]:
    """A switch may send at another rate than is drawn: MiniEdit's speedup."""
    for link, real in zip(facts.drawn.links, facts.filled.links, strict=True):
        for (sender, _, shape), (_, _, sent) in zip(link.directions, real.directions, strict=True):
            if shape.rate_mbit is not None and sent.rate_mbit is not None and shape != sent:
                why = f"{sender.node} sends into it at {sent.rate_mbit:g} Mbit/s, not at the drawn {shape.rate_mbit:g}"
                yield note("speedup", link.id, "speedup_mbit", why, "draw that rate in this direction instead")


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


RULES: tuple[Rule, ...] = (shapes, mtus, offloads, speedups, hardware_addresses)
