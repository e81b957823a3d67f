"""Rules on whether the results of a flow are meaningful: its duration, its bottleneck, its buffers and its links."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from frrlib.checks.facts import Facts, Rule
from frrlib.model.courses import Course
from frrlib.model.frames import FULL_FRAME_BYTES, full_segment_bytes
from frrlib.model.labels import link_title
from frrlib.model.links import queue_limit_bytes
from frrlib.model.nodes import Host
from frrlib.model.problem import Problem, note, warning
from frrlib.model.quantities import size_words
from frrlib.model.queues import Bfifo, Pfifo
from frrlib.model.tcp import BUFFER_PER_DATA, USUAL_RECEIVE_BUFFER_BYTES, USUAL_SEND_BUFFER_BYTES
from frrlib.prediction.congestion import control_of
from frrlib.prediction.flow_paths import Way

#: The mean rate of a flow with fewer round trips is dominated by its start.
_ROUND_TRIPS = 20
#: Packets of the first window (RFC 6928), and the data of a full one in bytes.
_FIRST_WINDOW = 10
#: The interval in seconds at which BBR measures the minimum RTT (PROBE_RTT).
PROBE_RTT_S = 10.0
#: The minimum retransmission timeout of TCP in ms (Linux, TCP_RTO_MIN).
_LEAST_TIMEOUT_MS = 200.0


def bottleneck(facts: Facts) -> Iterator[Problem]:
    """A flow crosses a link with a rate, so that this machine does not limit it, and its base RTT is not 0."""
    varied = {fault.target for fault in facts.drawn.faults if _sets(fault.course, fault.values, "rate_mbit")}
    delayed = {fault.target for fault in facts.drawn.faults if _sets(fault.course, fault.values, "delay_ms")}
    for way in facts.ways:
        links = {link.id for link, _, _ in way.hops}
        if way.bottleneck is None:
            if not links & varied and way.is_drawn:
                message = "no link on its path has a rate, so the speed of this machine limits the flow"
                yield note("no-bottleneck", way.flow.id, "", message, "set the rate of a link on its path")
        elif not way.rtt_ms and not links & delayed:
            message = "no link on its path has a delay, so RTT and window show only the queue and this machine"
            yield note("no-base-rtt", way.flow.id, "", message, "set the delay of a link on its path")


def _sets(course: Course | None, values: object, name: str) -> bool:
    return (course is not None and course.value == name) or bool(getattr(values, name, None))


def durations(facts: Facts) -> Iterator[Problem]:
    """A flow lasts much longer than its start."""
    for way in facts.ways:
        lasts_s = way.flow.duration_s
        if lasts_s is None:
            continue
        begins_s, least_s = slow_start_s(way), least_duration_s(way)
        if lasts_s < least_s:
            message = f"is {lasts_s:g} s: {lasts_s * 1e3 / way.rtt_ms:.3g} round trips of {way.rtt_ms:g} ms, "
            message += f"of which slow start takes about {begins_s * 1e3 / way.rtt_ms:.0f}"
            yield note("short-flow", way.flow.id, "duration_s", message, f"use {math.ceil(least_s)} s or more")
        elif lasts_s < PROBE_RTT_S and control_of(facts.filled, way.flow).name.startswith("bbr"):
            message = f"is {lasts_s:g} s, but BBR measures the minimum RTT only every {PROBE_RTT_S:g} s (PROBE_RTT)"
            yield note("short-bbr", way.flow.id, "duration_s", message, f"use more than {PROBE_RTT_S:g} s")


def least_duration_s(way: Way) -> float:
    """The duration from which the mean rate of a flow is not dominated by its start."""
    return max(_ROUND_TRIPS * way.rtt_ms / 1e3, 2 * slow_start_s(way))


def slow_start_s(way: Way) -> float:
    """The approximate duration of slow start: the first window doubles each round trip up to the BDP of the path."""
    packets = (way.bdp_bytes or 0.0) / full_segment_bytes(way.mtu_bytes)
    return way.rtt_ms / 1e3 * math.ceil(math.log2(packets / _FIRST_WINDOW)) if packets > _FIRST_WINDOW else 0.0


def buffers(facts: Facts) -> Iterator[Problem]:
    """The buffers at the ends of a flow hold the BDP of its path. Each host is reported once."""
    told = set[str]()
    for way in facts.ways:
        product = way.bdp_bytes
        for name, usual in (
            (way.flow.source, USUAL_SEND_BUFFER_BYTES),
            (way.flow.destination, USUAL_RECEIVE_BUFFER_BYTES),
        ):
            host = facts.nodes.get(name)
            if not isinstance(host, Host) or host.tcp.buffer_bdp is not None or product is None or name in told:
                continue
            problem = _buffer(way, host, product, host.tcp.buffer_bytes or usual)
            if problem is not None:
                told.add(name)
                yield problem


def _buffer(way: Way, host: Host, product: float, most: int) -> Problem | None:
    which = "the" if host.tcp.buffer_bytes else "the kernel's default"
    message = f"{which} buffer of {size_words(most)} holds about {size_words(most / BUFFER_PER_DATA, 3)} of data, but"
    step = way.bottleneck
    if BUFFER_PER_DATA * product > most:
        message += f" the path of flow {way.flow.id} holds {size_words(product, 3)}: the flow cannot fill it"
        return warning("small-buffer", host.name, "tcp.buffer_bytes", message, "set a buffer of 2 BDP or more")
    queue = queue_limit_bytes(step.there, step.back, step.sender.frame_bytes) if step is not None else None
    if step is None or queue is None or not isinstance(step.there.discipline, Pfifo | Bfifo):
        return None
    if BUFFER_PER_DATA * (product + queue) > most:
        message += (
            f" path and queue of flow {way.flow.id} hold {size_words(product + queue, 3)}: it never fills the queue"
        )
        right = f"set {size_words(BUFFER_PER_DATA * (product + queue))} or more"
        return note("buffer-below-queue", host.name, "tcp.buffer_bytes", message, right)
    return None


def path_mtu(facts: Facts) -> Iterator[Problem]:
    """No link further along a path has a smaller MTU than the first one."""
    for way in facts.ways:
        sizes = [(min(end.real_mtu_bytes for end in step.link.ends), step) for step in way.steps]
        (first, start), (least, narrow) = sizes[0], min(sizes, key=lambda row: row[0])
        if least < first:
            where = link_title(facts.drawn, narrow.link)
            message = f"is {first} bytes at {start.sender.node}, but {least} bytes at {where} on the path of flow "
            message += f"{way.flow.id}: full packets are lost until an ICMP message from a router reduces their size"
            yield note("path-mtu", start.link.id, "mtu_bytes", message, f"use {least} bytes on the whole path")


# --- links ------------------------------------------------------------------------------------------------------------


def losses(facts: Facts) -> Iterator[Problem]:
    """Loss in both directions counts twice in a round trip."""
    for link in facts.filled.links:
        there, back = link.a_to_b.mean_loss_percent, link.b_to_a.mean_loss_percent
        if 0 < there < 100 and 0 < back < 100:
            both = 100 * (1 - (1 - there / 100) * (1 - back / 100))
            message = f"is {back:.3g} % here and {there:.3g} % in the other direction: {both:.3g} % of round trips fail"
            right = "set it in one direction if only data are to be lost"
            yield note("loss-both-ways", link.id, "b_to_a.loss_percent", message, right)


def slow_frames(facts: Facts) -> Iterator[Problem]:
    """At every rate, drawn or planned, one frame takes less time than TCP's minimum retransmission timeout."""
    frames = {link.id: max(end.frame_bytes for end in link.ends) for link in facts.filled.links}
    for link in facts.filled.links:
        for side, sender, shape in (("a_to_b", link.a, link.a_to_b), ("b_to_a", link.b, link.b_to_a)):
            if shape.rate_mbit is not None and (message := _too_slow(shape.rate_mbit, sender.frame_bytes)):
                yield warning("slow-frame", link.id, f"{side}.rate_mbit", message, _fast_enough(sender.frame_bytes))
    for fault in facts.drawn.faults:
        planned = [fault.values.rate_mbit] if fault.values and fault.values.rate_mbit else []
        if fault.course is not None and fault.course.value == "rate_mbit":
            planned += _amounts(fault.course)
        frame_bytes = frames.get(fault.target, FULL_FRAME_BYTES)
        if planned and (message := _too_slow(min(planned), frame_bytes)):
            yield warning("slow-frame", fault.target, "faults.course", f"the rate {message}", _fast_enough(frame_bytes))


def _fast_enough(frame_bytes: int) -> str:
    return f"set {frame_bytes * 8 / _LEAST_TIMEOUT_MS / 1e3:.3g} Mbit/s or more"


def _too_slow(rate_mbit: float, frame_bytes: int) -> str:
    takes_ms = frame_bytes * 8 / rate_mbit / 1e3
    if takes_ms <= _LEAST_TIMEOUT_MS:
        return ""
    takes = f"one full frame takes {takes_ms:.3g} ms"
    return f"is {rate_mbit:g} Mbit/s: {takes}, but TCP retransmits after {_LEAST_TIMEOUT_MS:g} ms"


def _amounts(course: Course) -> list[float]:
    return [value for _, value in course.points] if course.pattern == "trace" else [course.low, course.high]


def fast_courses(facts: Facts) -> Iterator[Problem]:
    """A value changes at most once in a round trip of the flows that cross the link."""
    longest: dict[str, Way] = {}
    for way in facts.ways:
        for link, _, _ in way.hops:
            longest[link.id] = max(longest.get(link.id, way), way, key=lambda each: each.rtt_ms)
    for fault in facts.drawn.faults:
        course, crossing = fault.course, longest.get(fault.target)
        if course is None or crossing is None or course.pattern == "ramp":
            continue
        every_s = _changes_every_s(course)
        if every_s * 1e3 < crossing.rtt_ms:
            message = f"the value changes every {every_s:g} s, but flow {crossing.flow.id} notices a change only after "
            message += f"{crossing.rtt_ms:g} ms, so no congestion control can follow"
            yield note(
                "fast-course", fault.target, "faults.course", message, "use a slower change, unless noise is intended"
            )


def _changes_every_s(course: Course) -> float:
    """The shortest time in seconds between two turns of a wave, or between two points of a trace."""
    if course.pattern == "trace":
        times = [time_s for time_s, _ in course.points]
        return min((later - sooner for sooner, later in pairwise(times)), default=math.inf)
    return course.period_s / 2


RULES: tuple[Rule, ...] = (bottleneck, durations, buffers, path_mtu, losses, slow_frames, fast_courses)
