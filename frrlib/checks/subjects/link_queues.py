"""Rules on the shape of links and on hardware addresses."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from frrlib.checks.facts import Facts, Rule
from frrlib.checks.own_command_sizes import too_small, with_size
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
from frrlib.model.problem import Problem, error, note, warning
from frrlib.model.quantities import size_words
from frrlib.model.queues import USUAL_PACKET_BYTES, Choke, Red, Sfq

#: The share of all packets, as netem counts shares.
_NETEM_SHARES = 2**32 - 1
_MODELS = {"gilbert_elliott": "Gilbert-Elliott", "four_states": "of four states"}


def shapes(facts: Facts) -> Iterator[Problem]:
    """All problems of each direction of each link, from the table below."""
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
    message = "has no effect, because without a rate no queue forms"
    return error("queue-without-rate", link.id, f"{side}.{given}", message, "set a rate too, or remove the limit")


def _queue_without_rtt(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    if shape.queue_bdp is None or shape.delay_ms + back.delay_ms > 0:
        return None
    message = "is given in bandwidth-delay products, but this link has no delay in either direction"
    return error(
        "bdp-without-delay", link.id, f"{side}.queue_bdp", message, "set a delay, or the queue in packets or ms"
    )


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
        message = f"is {size_words(shape.queue_bytes)}, so a full frame of {frame} bytes does not fit"
        return error("small-queue", link.id, f"{side}.queue_bytes", message, f"set at least {frame} bytes")
    if shape.queue_ms is not None and bdp_bytes(shape.rate_mbit, shape.queue_ms) < frame:
        message = f"is {shape.queue_ms:g} ms, which is less than a full frame, so the lab uses one full frame"
        return warning("small-queue", link.id, f"{side}.queue_ms", message, "set a longer queue")
    rtt_ms = shape.delay_ms + back.delay_ms
    if shape.queue_bdp is not None and 0 < shape.queue_bdp * bdp_bytes(shape.rate_mbit, rtt_ms) < frame:
        message = f"is {shape.queue_bdp:g} BDP, which is less than a full frame, so the lab uses one full frame"
        return warning("small-queue", link.id, f"{side}.queue_bdp", message, "set a longer queue")
    return None


def _jitter(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    if shape.jitter_ms > shape.delay_ms:
        delay = f"the delay of {shape.delay_ms:g} ms"
        message = f"is {shape.jitter_ms:g} ms, which is more than {delay}; a delay cannot be negative"
        return warning("much-jitter", link.id, f"{side}.jitter_ms", message, "set at most the delay")
    if shape.jitter_ms:
        return note("reordering", link.id, f"{side}.jitter_ms", "reorders packets")
    return None


def _all_lost(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    if shape.loss_percent < 100:
        return None
    message, right = "is 100 %, so no packet arrives", "set a lower loss, or take the link down"
    return warning("all-lost", link.id, f"{side}.loss_percent", message, right)


def _discipline_without_rate(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    if shape.queue is None or shape.rate_mbit is not None:
        return None
    message = f"is {shape.queue.kind}, but without a rate no queue forms"
    right = "set a rate too, or remove the queueing discipline"
    return error("queue-without-rate", link.id, f"{side}.queue", message, right)


def _averaging(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    """The average burst of RED must not be shorter than its lower threshold."""
    match shape.queue:
        case Red(min_bytes=int(low), burst_packets=int(burst)) as queue:
            frames = low / (queue.avpkt_bytes or USUAL_PACKET_BYTES)
        case Choke(min_packets=int(low), burst_packets=int(burst)):
            frames = float(low)
        case _:
            return None
    if burst >= frames:
        return None
    message = f"is {burst}, so the average never reaches the lower mark of {frames:.4g} packets"
    return error("short-burst", link.id, f"{side}.queue.burst_packets", message, f"set at least {math.ceil(frames)}")


def _marks_in_queue(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    frame = sender_of(link, side).frame_bytes
    limit_bytes = queue_limit_bytes(shape, back, frame)
    match shape.queue:
        case Red(max_bytes=int(high)) if limit_bytes is not None and high > limit_bytes:
            most = size_words(limit_bytes)
            message = f"is {size_words(high)}, which is more than the queue limit of {most}, so it is never reached"
            return error("mark-beyond-queue", link.id, f"{side}.queue.max_bytes", message, f"set at most {most}")
        case Choke(max_packets=int(high)) if limit_bytes is not None and high * frame > limit_bytes:
            frames = limit_bytes // frame
            message = f"is {high}, which is more than the queue limit of {frames} full frames, so it is never reached"
            return error("mark-beyond-queue", link.id, f"{side}.queue.max_packets", message, f"set at most {frames}")
        case Sfq() as queue if limit_bytes is not None and shape.has_queue_limit:
            room = room_of_sfq(queue)
            frames = math.ceil(limit_bytes / frame)
            if frames > room:
                message = f"is {frames} packets, but sfq has room for {room} (its number of queues times its depth)"
                given = next(name for name in QUEUE_LIMITS if getattr(shape, name) is not None)
                return error("mark-beyond-queue", link.id, f"{side}.{given}", message, f"set at most {room} packets")
    return None


def room_of_sfq(queue: Sfq) -> int:
    """The number of packets that sfq has room for."""
    return (queue.depth_packets or 127) * (queue.flows or 128)


def _memory(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    if shape.queue is None or shape.queue.limit_in != "memory" or not shape.has_queue_limit:
        return None
    given = next(name for name in QUEUE_LIMITS if getattr(shape, name) is not None)
    message = (
        f"limits the kernel memory of {shape.queue.kind}, which is more than the packet length, so fewer frames fit"
    )
    return note("memory-limit", link.id, f"{side}.{given}", message)


def _small_memory(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    """A memory limit below the memory of one full frame, so that every full frame is dropped."""
    frame = sender_of(link, side).frame_bytes
    limit, field = getattr(shape.queue, "memory_limit_bytes", None), "queue.memory_limit_bytes"
    if shape.queue is not None and shape.queue.limit_in == "memory" and shape.has_queue_limit:
        limit = queue_limit_bytes(shape, back, frame)
        field = next(name for name in QUEUE_LIMITS if getattr(shape, name) is not None)
    if limit is None or limit >= memory_bytes(frame):
        return None
    needs = memory_bytes(frame)
    message = f"is {limit} bytes of memory, but a full frame needs about {needs} bytes and is dropped"
    return warning("no-full-frame", link.id, f"{side}.{field}", message, f"set at least {needs} bytes")


def _own_commands(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    if not shape.qdiscs:
        return None
    sender = link.a if side == "a_to_b" else link.b
    message = f"these tc commands alone define delay, loss and queueing of the packets that leave {sender.node} here; "
    message += "they are neither checked before the run nor compared with the topology after it"
    return note("own-commands", link.id, f"{side}.qdiscs", message)


def _own_sizes(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    """tc commands with a bucket or a limit below a full frame."""
    found = next(too_small(shape.qdiscs, sender_of(link, side).frame_bytes), None)
    if found is None:
        return None
    line = shape.qdiscs[found.line]
    message = f"line {found.line + 1} has a {found.what} of {found.has_bytes} bytes ({found.word}), but a full frame "
    message += f"counts as {found.needs_bytes} bytes: it is dropped, while small packets pass"
    right = f"use {with_size(line, found.word, found.needs_bytes)}"
    return warning("no-full-frame", link.id, f"{side}.qdiscs", message, right)


def _burst(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    frame = sender_of(link, side).frame_bytes
    frames, usual = shape.burst_frames or 0, usual_burst_frames(shape.rate_mbit or 0.0, frame)
    if frames <= usual or shape.rate_mbit is None:
        return None
    size_bytes = frames * frame
    lasts_ms = size_bytes * 8 / shape.rate_mbit / 1e3
    message = f"is {frames}: after {lasts_ms:.3g} ms without packets, {size_words(size_bytes)} pass at line rate, so "
    message += "congestion control that measures the rate overestimates it"
    return warning("large-burst", link.id, f"{side}.burst_frames", message, f"set {usual}, or leave it empty")


def _two_losses(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    rare = shape.impairments
    model = next((name for name in _MODELS if getattr(rare, name)), "")
    if not model or not (shape.loss_percent or rare.loss_correlation_percent):
        return None
    message = f"is set together with the loss model {_MODELS[model]}, but netem supports one loss model at a time"
    field = "loss_percent" if shape.loss_percent else "impairments.loss_correlation_percent"
    return error("two-losses", link.id, f"{side}.{field}", message, "remove one of them")


def _reordering_without_delay(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    if not shape.impairments.reorder_percent or shape.delay_ms:
        return None
    message = "lets packets skip the delay, but the delay is 0"
    return error("reorder-without-delay", link.id, f"{side}.impairments.reorder_percent", message, "set a delay too")


def _below_resolution(link: Link, side: str, shape: Shape, back: Shape) -> Problem | None:
    for field in ("delay_ms", "jitter_ms"):
        value_ms = getattr(shape, field)
        if value_ms and not round(value_ms * 1e3):
            message = f"is {value_ms * 1e3:g} us, which tc rounds to 0 because it counts whole microseconds"
            return error("below-resolution", link.id, f"{side}.{field}", message, "set 0, or at least 0.001 ms")
    shares = {"loss_percent": shape.loss_percent}
    for name in ("duplicate_percent", "corrupt_percent", "reorder_percent"):
        shares[f"impairments.{name}"] = getattr(shape.impairments, name)
    for field, percent in shares.items():
        if percent and not round(percent / 100 * _NETEM_SHARES):
            message = f"is {percent:g} %, which netem rounds to 0 because it counts in steps of 2.3e-8 %"
            return error("below-resolution", link.id, f"{side}.{field}", message, "set 0, or at least 2.4e-8 %")
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
    message = "has no effect, because the jitter is 0"
    return warning("no-jitter", link.id, f"{side}.impairments.{field}", message, "set a jitter too") if field else None


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
    """Both ends of a link have the same MTU, and IPv6 needs 1280 bytes (RFC 8200, section 5)."""
    for link in facts.filled.links:
        a, b = (end.real_mtu_bytes for end in link.ends)
        if a != b:
            message = f"is {a} bytes at {link.a.node}, but {b} bytes at {link.b.node}: larger packets are silently lost"
            yield warning("mtu-mismatch", link.id, "mtu_bytes", message, "set the same at both ends")
        for side, end in zip("ab", link.ends, strict=True):
            if end.real_mtu_bytes < LEAST_IPV6_MTU_BYTES and any(address.version == 6 for address in end.addresses):
                message = "is below 1280 bytes, which IPv6 needs"
                yield error("small-mtu", link.id, f"{side}.mtu_bytes", message, "set at least 1280 bytes")


def offloads(facts: Facts) -> Iterator[Problem]:
    """Offloads are off in a lab with shaped links, so that a packet is a frame."""
    if not any(link.is_shaped for link in facts.drawn.links):
        return
    for link in facts.drawn.links:
        for side, end in zip("ab", link.ends, strict=True):
            if end.offloads:
                message = f"are on at {end.node}: a packet of up to 64 kB counts as one in queue limits, is lost as a "
                message += "whole, and makes the traffic bursty"
                yield warning("offloads-on", link.id, f"{side}.offloads", message, "leave them to the lab")


def speedups(facts: Facts) -> Iterator[Problem]:
    """With MiniEdit's speedup, a switch sends at another rate than the one in the topology."""
    for link, real in zip(facts.drawn.links, facts.filled.links, strict=True):
        for (sender, _, shape), (_, _, sent) in zip(link.directions, real.directions, strict=True):
            if shape.rate_mbit is not None and sent.rate_mbit is not None and shape != sent:
                message = f"{sender.node} sends at {sent.rate_mbit:g} Mbit/s instead of the rate of {shape.rate_mbit:g}"
                yield note("speedup", link.id, "speedup_mbit", message, "set that rate in this direction instead")


def hardware_addresses(facts: Facts) -> Iterator[Problem]:
    """MAC addresses are unicast addresses, and unique on each net."""
    for link in facts.filled.links:
        for side, end in zip("ab", link.ends, strict=True):
            if end.mac and (int(end.mac[:2], 16) & 1 or not int(end.mac.replace(":", ""), 16)):
                message = f"{end.mac} is not a unicast address"
                right = "use an even first byte, such as 02:00:00:00:00:01"
                yield error("illegal-mac", link.id, f"{side}.mac", message, right)
    for domain in facts.domains:
        seen: dict[str, str] = {}
        for link in domain.links:
            for side, end in zip("ab", link.ends, strict=True):
                where = f"{end.node} ({end.interface})"
                if end.mac and seen.setdefault(end.mac.lower(), where) != where:
                    message = f"{seen[end.mac.lower()]} on the same net also has the MAC address {end.mac}"
                    yield error("duplicate-mac", link.id, f"{side}.mac", message, "enter another one")


RULES: tuple[Rule, ...] = (shapes, mtus, offloads, speedups, hardware_addresses)
