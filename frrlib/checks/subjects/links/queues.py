"""Queues of links: their limits, disciplines, shapers and tc commands."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from frrlib.checks.facts import Facts
from frrlib.checks.fix import Fix, last_part, place_title, shape_fix, tcp_fix, with_fields
from frrlib.checks.kinds import CheckSubject, error, note, warning
from frrlib.checks.own_command_sizes import delay_limits, undersized_limits, with_size
from frrlib.model.frames import FULL_FRAME_BYTES, memory_bytes
from frrlib.model.links import QUEUE_LIMITS, End, Link, Shape, bdp_bytes, queue_limit_bytes, usual_burst_frames
from frrlib.model.own_commands import commanded_rate_mbit
from frrlib.model.problem import Problem
from frrlib.model.quantities import size_words
from frrlib.model.queues import Choke, Red, Sfq

SUBJECT = CheckSubject()
#: The limit that replaces one in bandwidth-delay products if the delay is 0.
_USUAL_QUEUE_MS = 100.0
_NO_LIMIT: dict[str, Any] = dict.fromkeys(QUEUE_LIMITS)
QUEUE_WITHOUT_RATE = SUBJECT.kind(
    "queue-without-rate",
    "A queue limit or a queueing discipline is set, but no rate.",
    "A link without a rate accepts packets as fast as they arrive, so no queue forms.",
    "Set a rate, or remove the limit and the discipline.",
)
BDP_WITHOUT_DELAY = SUBJECT.kind(
    "bdp-without-delay",
    "A queue or a buffer is given in bandwidth-delay products, and the delay is 0. The queue of a link uses the "
    "delay of that link, both directions together.",
    "Any multiple of a product of 0 is 0.",
    "Set the delay of the link, or give the limit in packets, bytes or milliseconds.",
)
SMALL_QUEUE = SUBJECT.kind(
    "small-queue",
    "A queue is smaller than one full frame.",
    "With a limit in bytes no full frame would pass. With a limit in milliseconds or products, the lab uses one "
    "full frame instead.",
    "Set a limit of a few frames at least.",
)
SHORT_BURST = SUBJECT.kind(
    "short-burst",
    "The average burst of RED or CHOKe is shorter than the lower threshold.",
    "`tc` refuses it: the average of such a short burst never reaches the threshold.",
    "Set a longer burst, or remove it to use the kernel's default.",
)
MARK_BEYOND_QUEUE = SUBJECT.kind(
    "mark-beyond-queue",
    "The threshold for early drops is above the queue limit, or the limit exceeds the capacity of sfq.",
    "The queue is full before it reaches the threshold, so it behaves like a plain queue.",
    "Set a lower threshold, or a longer queue.",
)
MEMORY_LIMIT = SUBJECT.kind(
    "memory-limit",
    "The limit of this discipline counts the memory that the kernel uses for packets.",
    "The memory is about two to three times the packet length, so fewer frames fit than the limit suggests.",
    "No action is needed. You can set a limit two to three times as large.",
)
LARGE_BURST = SUBJECT.kind(
    "large-burst",
    "The bucket of the shaper holds many frames.",
    "After each idle period, a full bucket passes at line rate. Congestion control that measures rates (BBR) takes "
    "this for the rate of the link, and the queue looks shorter than it is.",
    "Leave the burst empty. The default is three frames, or the amount that the link carries in a millisecond if "
    "that is more.",
)
LOW_PEAK = SUBJECT.kind(
    "low-peak-rate",
    "The peak rate of a shaper is not above its rate.",
    "The rate alone already limits all packets. The kernel refuses such a peak rate, so a lab leaves it out.",
    "Set a peak rate above the rate, or leave it empty.",
)
OWN_COMMANDS = SUBJECT.kind(
    "own-commands",
    "A direction has its own tc commands.",
    "The lab runs them unchanged and does not analyze their effect on flows: a queue may be hidden, a limit may "
    "count packets in flight, a bucket may let bursts pass. Therefore the checks give no advice on this direction, "
    "its values cannot vary during a run, and the verdict on a run has no expectation for it.",
    "No action is needed to repeat a published setup. Otherwise set rate, delay and queue in the topology.",
)
DELAY_LIMITS_RATE = SUBJECT.kind(
    "delay-limits-rate",
    "The number of packets that a netem in a direction's tc commands may hold is below its delay times the rate.",
    "netem counts delayed packets in its limit, which is 1000 packets by default, and drops all others. So it "
    "carries at most this number of packets in each delay.",
    "Set a limit of more packets than are delayed at the same time: rate times delay, by the size of a frame.",
)
NO_FULL_FRAME = SUBJECT.kind(
    "no-full-frame",
    "A bucket or limit in a direction's tc commands is smaller than a full frame of the link's MTU, or a memory "
    "limit is smaller than the kernel's memory for one full frame.",
    "tbf drops every frame that is longer than its bucket, and so does a queue with a smaller limit. Pings and "
    "ACKs pass, and a flow stalls at its first full packet.",
    "Set at least the size of a full frame: MTU and Ethernet header, as the size table (`stab`) counts them.",
)


def sender_of(link: Link, field: str) -> End:
    """The end from which a direction leaves.

    Args:
        field: the direction, or a field of it ("a_to_b.queue_bytes").
    """
    return link.a if field.startswith("a_to_b") else link.b


def _check_queue_rate(link: Link, side: str, shape: Shape, reverse_shape: Shape) -> Problem | None:
    limit_name = next((name for name in QUEUE_LIMITS if getattr(shape, name) is not None), None)
    if limit_name is None or shape.rate_mbit is not None:
        return None
    message = "has no effect, because without a rate no queue forms"
    return error(QUEUE_WITHOUT_RATE, link, f"{side}.{limit_name}", message, "set a rate too, or remove the limit")


def _check_discipline_rate(link: Link, side: str, shape: Shape, reverse_shape: Shape) -> Problem | None:
    if shape.queue is None or shape.rate_mbit is not None:
        return None
    message = f"is {shape.queue.kind}, but without a rate no queue forms"
    remedy = "set a rate too, or remove the queueing discipline"
    return error(QUEUE_WITHOUT_RATE, link, f"{side}.queue", message, remedy)


def _check_average_burst(link: Link, side: str, shape: Shape, reverse_shape: Shape) -> Problem | None:
    """The average burst of RED must not be shorter than its lower threshold."""
    match shape.queue:
        case Red(min_bytes=int(low), burst_packets=int(burst)) as queue:
            frames = low / queue.effective("avpkt_bytes")
        case Choke(min_packets=int(low), burst_packets=int(burst)):
            frames = float(low)
        case _:
            return None
    if burst >= frames:
        return None
    message = f"is {burst}, so the average never reaches the lower mark of {frames:.4g} packets"
    return error(SHORT_BURST, link, f"{side}.queue.burst_packets", message, f"set at least {math.ceil(frames)}")


def _check_thresholds(link: Link, side: str, shape: Shape, reverse_shape: Shape) -> Problem | None:
    frame = sender_of(link, side).frame_bytes
    limit_bytes = queue_limit_bytes(shape, reverse_shape, frame)
    match shape.queue:
        case Red(max_bytes=int(high)) if limit_bytes is not None and high > limit_bytes:
            most = size_words(limit_bytes)
            message = f"is {size_words(high)}, which is more than the queue limit of {most}, so it is never reached"
            return error(MARK_BEYOND_QUEUE, link, f"{side}.queue.max_bytes", message, f"set at most {most}")
        case Choke(max_packets=int(high)) if limit_bytes is not None and high * frame > limit_bytes:
            frames = limit_bytes // frame
            message = f"is {high}, which is more than the queue limit of {frames} full frames, so it is never reached"
            return error(MARK_BEYOND_QUEUE, link, f"{side}.queue.max_packets", message, f"set at most {frames}")
        case Sfq() as queue if limit_bytes is not None and shape.has_queue_limit:
            room = queue.capacity_packets
            frames = math.ceil(limit_bytes / frame)
            if frames > room:
                message = f"is {frames} packets, but sfq has room for {room} (its number of queues times its depth)"
                limit_name = next(name for name in QUEUE_LIMITS if getattr(shape, name) is not None)
                return error(MARK_BEYOND_QUEUE, link, f"{side}.{limit_name}", message, f"set at most {room} packets")
    return None


def _check_memory_limit(link: Link, side: str, shape: Shape, reverse_shape: Shape) -> Problem | None:
    if shape.queue is None or shape.queue.limit_in != "memory" or not shape.has_queue_limit:
        return None
    limit_name = next(name for name in QUEUE_LIMITS if getattr(shape, name) is not None)
    message = (
        f"limits the kernel memory of {shape.queue.kind}, which is more than the packet length, so fewer frames fit"
    )
    return note(MEMORY_LIMIT, link, f"{side}.{limit_name}", message)


def _check_small_memory(link: Link, side: str, shape: Shape, reverse_shape: Shape) -> Problem | None:
    """A memory limit below the memory of one full frame, so that every full frame is dropped."""
    frame = sender_of(link, side).frame_bytes
    limit, field = getattr(shape.queue, "memory_limit_bytes", None), "queue.memory_limit_bytes"
    if shape.queue is not None and shape.queue.limit_in == "memory" and shape.has_queue_limit:
        limit = queue_limit_bytes(shape, reverse_shape, frame)
        field = next(name for name in QUEUE_LIMITS if getattr(shape, name) is not None)
    if limit is None or limit >= memory_bytes(frame):
        return None
    needs = memory_bytes(frame)
    message = f"is {limit} bytes of memory, but a full frame needs about {needs} bytes and is dropped"
    return warning(NO_FULL_FRAME, link, f"{side}.{field}", message, f"set at least {needs} bytes")


def _report_own_commands(link: Link, side: str, shape: Shape, reverse_shape: Shape) -> Problem | None:
    if not shape.qdiscs:
        return None
    sender = link.a if side == "a_to_b" else link.b
    message = f"these tc commands alone define delay, loss and queueing of the packets that leave {sender.node} here; "
    message += "they are neither checked before the run nor compared with the topology after it"
    return note(OWN_COMMANDS, link, f"{side}.qdiscs", message)


def _check_own_sizes(link: Link, side: str, shape: Shape, reverse_shape: Shape) -> Problem | None:
    """tc commands with a bucket or a limit below a full frame."""
    undersized = next(undersized_limits(shape.qdiscs, sender_of(link, side).frame_bytes), None)
    if undersized is None:
        return None
    line = shape.qdiscs[undersized.line]
    message = f"line {undersized.line + 1} has a {undersized.purpose} of {undersized.has_bytes} bytes "
    message += f"({undersized.word}), but a full frame "
    message += f"counts as {undersized.needs_bytes} bytes: it is dropped, while small packets pass"
    remedy = f"use {with_size(line, undersized.word, undersized.needs_bytes)}"
    return warning(NO_FULL_FRAME, link, f"{side}.qdiscs", message, remedy)


def _check_delay_limit(link: Link, side: str, shape: Shape, reverse_shape: Shape) -> Problem | None:
    """tc commands with a netem whose limit is too small for its delay at the rate, or at any high rate."""
    frame, rate_mbit = sender_of(link, side).frame_bytes, commanded_rate_mbit(shape.qdiscs) if shape.qdiscs else None
    for limit in delay_limits(shape.qdiscs):
        highest = limit.rate_mbit(frame)
        message = f"line {limit.line + 1} holds each packet for {limit.delay_ms:g} ms and at most {limit.packets} "
        message += f"packets (limit), so it carries at most {highest:.4g} Mbit/s"
        if rate_mbit is None:
            remedy = "add the limit that the intended rate needs, such as limit 100000"
            return note(DELAY_LIMITS_RATE, link, f"{side}.qdiscs", message, remedy)
        if highest < rate_mbit:
            remedy = f"add limit {limit.packets_at(rate_mbit, frame)} or more to it"
            return warning(DELAY_LIMITS_RATE, link, f"{side}.qdiscs", f"{message} of {rate_mbit:g}", remedy)
    return None


def _check_burst(link: Link, side: str, shape: Shape, reverse_shape: Shape) -> Problem | None:
    frame = sender_of(link, side).frame_bytes
    frames, usual = shape.burst_frames or 0, usual_burst_frames(shape.rate_mbit or 0.0, frame)
    if frames <= usual or shape.rate_mbit is None:
        return None
    size_bytes = frames * frame
    lasts_ms = size_bytes * 8 / shape.rate_mbit / 1e3
    message = f"is {frames}: after {lasts_ms:.3g} ms without packets, {size_words(size_bytes)} pass at line rate, so "
    message += "congestion control that measures the rate overestimates it"
    return warning(LARGE_BURST, link, f"{side}.burst_frames", message, f"set {usual}, or leave it empty")


def _check_peak(link: Link, side: str, shape: Shape, reverse_shape: Shape) -> Problem | None:
    peak_mbit, rate_mbit = shape.peak_rate_mbit, shape.rate_mbit
    if peak_mbit is None or rate_mbit is None or peak_mbit > rate_mbit:
        return None
    message = f"is {peak_mbit:g} Mbit/s, not above the rate of {rate_mbit:g} Mbit/s, so it has no effect"
    return warning(LOW_PEAK, link, f"{side}.peak_rate_mbit", message, "set a higher one, or leave it empty")


def _check_queue_rtt(link: Link, side: str, shape: Shape, reverse_shape: Shape) -> Problem | None:
    if shape.queue_bdp is None or shape.delay_ms + reverse_shape.delay_ms > 0:
        return None
    message = "is given in bandwidth-delay products, but this link has no delay in either direction"
    return error(BDP_WITHOUT_DELAY, link, f"{side}.queue_bdp", message, "set a delay, or the queue in packets or ms")


def _check_small_queue(link: Link, side: str, shape: Shape, reverse_shape: Shape) -> Problem | None:
    if shape.rate_mbit is None:
        return None
    frame = sender_of(link, side).frame_bytes
    if shape.queue_bytes is not None and shape.queue_bytes < frame:
        message = f"is {size_words(shape.queue_bytes)}, so a full frame of {frame} bytes does not fit"
        return error(SMALL_QUEUE, link, f"{side}.queue_bytes", message, f"set at least {frame} bytes")
    if shape.queue_ms is not None and bdp_bytes(shape.rate_mbit, shape.queue_ms) < frame:
        message = f"is {shape.queue_ms:g} ms, which is less than a full frame, so the lab uses one full frame"
        return warning(SMALL_QUEUE, link, f"{side}.queue_ms", message, "set a longer queue")
    rtt_ms = shape.delay_ms + reverse_shape.delay_ms
    if shape.queue_bdp is not None and 0 < shape.queue_bdp * bdp_bytes(shape.rate_mbit, rtt_ms) < frame:
        message = f"is {shape.queue_bdp:g} BDP, which is less than a full frame, so the lab uses one full frame"
        return warning(SMALL_QUEUE, link, f"{side}.queue_bdp", message, "set a longer queue")
    return None


#: Finds a problem in one direction of a link, from the link, the direction, its shape, and that of the other direction.
DirectionRule = Callable[[Link, str, Shape, Shape], Problem | None]
#: The rules on queues, in the order of reports; those of `link_impairments` come after each group.
QUEUE_RULES: tuple[DirectionRule, ...] = (
    _check_queue_rate,
    _check_discipline_rate,
    _check_average_burst,
    _check_thresholds,
    _check_memory_limit,
    _check_small_memory,
    _report_own_commands,
    _check_own_sizes,
    _check_delay_limit,
    _check_burst,
    _check_peak,
)
QUEUE_SIZE_RULES: tuple[DirectionRule, ...] = (_check_queue_rtt, _check_small_queue)


# --- fixes -----------------------------------------------------------------------------------------------------------


@SUBJECT.fix(QUEUE_WITHOUT_RATE)
def _remove_queue_setting(facts: Facts, problem: Problem) -> Fix | None:
    field = last_part(problem)
    part = "queueing discipline" if field == "queue" else "queue limit"
    label = f"remove the {part} at {place_title(facts, problem)}"
    return shape_fix(label, facts, problem, lambda shape, reverse_shape: {field: None})


@SUBJECT.fix(BDP_WITHOUT_DELAY)
def _replace_products(facts: Facts, problem: Problem) -> Fix | None:
    """Give a queue in milliseconds, or leave the buffer of a host to the kernel."""
    if problem.about == "node":
        return tcp_fix(facts, [problem.node], f"use the kernel's default buffer at {problem.node}", buffer_bdp=None)
    return shape_fix(
        f"set a queue of {_USUAL_QUEUE_MS:g} ms at {place_title(facts, problem)}", facts, problem,
        lambda shape, reverse_shape: {**_NO_LIMIT, "queue_ms": _USUAL_QUEUE_MS},
    )  # fmt: skip


@SUBJECT.fix(SMALL_QUEUE)
def _make_room_for_frame(facts: Facts, problem: Problem) -> Fix | None:
    link = facts.topology.link(problem.node)
    if link is None:
        return None
    at = place_title(facts, problem)
    if last_part(problem) == "queue_bytes":
        frame = sender_of(link, problem.field).frame_bytes
        return shape_fix(f"set a queue of one full frame at {at}", facts, problem, lambda *both: {"queue_bytes": frame})
    limit = {**_NO_LIMIT, "queue_packets": 1}
    return shape_fix(f"set a queue of 1 packet at {at}", facts, problem, lambda *both: limit)


@SUBJECT.fix(LARGE_BURST)
def _use_default_bucket(facts: Facts, problem: Problem) -> Fix | None:
    label = f"use the default burst at {place_title(facts, problem)}"
    return shape_fix(label, facts, problem, lambda shape, reverse_shape: {"burst_frames": None})


@SUBJECT.fix(LOW_PEAK)
def _remove_peak(facts: Facts, problem: Problem) -> Fix | None:
    label = f"remove the peak rate at {place_title(facts, problem)}"
    return shape_fix(label, facts, problem, lambda shape, reverse_shape: {"peak_rate_mbit": None, "peak_frames": None})


@SUBJECT.fix(SHORT_BURST)
def _use_default_average_burst(facts: Facts, problem: Problem) -> Fix | None:
    def update(shape: Shape, reverse_shape: Shape) -> dict[str, Any]:
        return {"queue": shape.queue.model_copy(update={"burst_packets": None})} if shape.queue else {}

    return shape_fix(f"use the kernel's default burst at {place_title(facts, problem)}", facts, problem, update)


@SUBJECT.fix(MARK_BEYOND_QUEUE)
def _fit_thresholds(facts: Facts, problem: Problem) -> Fix | None:
    frame = frame_of(facts, problem)

    def update(shape: Shape, reverse_shape: Shape) -> dict[str, Any]:
        limit = queue_limit_bytes(shape, reverse_shape, frame) or 0
        match shape.queue:
            case Red() as queue:
                return {"queue": with_fields(queue, max_bytes=limit) or queue}
            case Choke() as queue:
                return {"queue": with_fields(queue, max_packets=limit // frame) or queue}
            case Sfq() as queue:
                return {**_NO_LIMIT, "queue_packets": queue.capacity_packets}
        return {}

    return shape_fix(f"fit thresholds and queue limit at {place_title(facts, problem)}", facts, problem, update)


def frame_of(facts: Facts, problem: Problem) -> int:
    """The size of a full frame, in bytes, in the link direction of a problem."""
    link = facts.resolved.link(problem.node)
    return sender_of(link, problem.field).frame_bytes if link is not None else FULL_FRAME_BYTES


@SUBJECT.fix(NO_FULL_FRAME)
def _make_memory_for_frame(facts: Facts, problem: Problem) -> Fix | None:
    """Set a limit with room for a full frame, in memory or in the tc commands."""
    field, size = last_part(problem), memory_bytes(frame_of(facts, problem))
    if field == "qdiscs":
        return _raise_own_sizes(facts, problem)

    def update(shape: Shape, reverse_shape: Shape) -> dict[str, Any]:
        if field == "memory_limit_bytes" and shape.queue is not None:
            return {"queue": shape.queue.model_copy(update={"memory_limit_bytes": size})}
        return {**_NO_LIMIT, "queue_bytes": size}

    return shape_fix(f"set memory for a full frame at {place_title(facts, problem)}", facts, problem, update)


def _raise_own_sizes(facts: Facts, problem: Problem) -> Fix | None:
    """Raise every size in the tc commands that is below a full frame to a full frame."""
    frame = frame_of(facts, problem)

    def update(shape: Shape, reverse_shape: Shape) -> dict[str, Any]:
        lines = list(shape.qdiscs)
        for small in undersized_limits(shape.qdiscs, frame):
            lines[small.line] = with_size(lines[small.line], small.word, small.needs_bytes)
        return {"qdiscs": tuple(lines)}

    label = f"make room for a full frame in the tc commands at {place_title(facts, problem)}"
    return shape_fix(label, facts, problem, update)


def queue_fix(facts: Facts, problem: Problem, product: float, words: str) -> Fix | None:
    """Set a queue of `product` bytes in the link direction of a problem, in packets if its limit is in packets."""

    frame = frame_of(facts, problem)
    frames = max(1, math.ceil(product / frame))
    size = max(frame, math.ceil(product))

    def update(shape: Shape, reverse_shape: Shape) -> dict[str, Any]:
        return {"queue_packets": frames} if shape.queue_packets is not None else {**_NO_LIMIT, "queue_bytes": size}

    return shape_fix(f"{words} at {place_title(facts, problem)}: {size_words(size)}", facts, problem, update)
