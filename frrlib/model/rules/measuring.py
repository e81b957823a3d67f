"""Rules on what a flow can show: long enough, through something that limits it, with buffers that let it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from frrlib.model.congestion import control_of
from frrlib.model.courses import Course
from frrlib.model.flow_paths import Way
from frrlib.model.frames import FULL_FRAME_BYTES, full_segment_bytes
from frrlib.model.labels import link_title
from frrlib.model.links import queue_limit_bytes
from frrlib.model.nodes import Host
from frrlib.model.problem import Problem, note, warning
from frrlib.model.quantities import size_words
from frrlib.model.queues import Bfifo, Pfifo
from frrlib.model.rules.facts import Facts, Rule
from frrlib.model.tcp import BUFFER_PER_DATA, USUAL_RECEIVE_BUFFER_BYTES, USUAL_SEND_BUFFER_BYTES

#: Below so many round trips a mean is the mean of the beginning.
_ROUND_TRIPS = 20
#: Packets of the first window (RFC 6928), and the data of a full one in bytes.
_FIRST_WINDOW = 10
#: How often BBR looks for the round trip at rest, in seconds (its PROBE_RTT).
PROBE_RTT_S = 10.0
#: The least time after which TCP sends again unasked, in ms (Linux, TCP_RTO_MIN).
_LEAST_TIMEOUT_MS = 200.0


def bottleneck(facts: Facts) -> Iterator[Problem]:
    """A flow goes through something that is slower than the machine, and whose round trip is not 0."""
    varied = {fault.target for fault in facts.drawn.faults if _sets(fault.course, fault.values, "rate_mbit")}
    delayed = {fault.target for fault in facts.drawn.faults if _sets(fault.course, fault.values, "delay_ms")}
    for way in facts.ways:
        links = {link.id for link, _, _ in way.hops}
        if way.bottleneck is None:
            if not links & varied and way.is_drawn:
                why = "crosses no link with a rate: what it reaches is what this machine can do"
                yield note("no-bottleneck", way.flow.id, "", why, "a rate at a link on its path")
        elif not way.rtt_ms and not links & delayed:
            why = "has no delay on its path: round trips and windows tell of the queue and of this machine only"
            yield note("no-base-rtt", way.flow.id, "", why, "a delay at a link on its path")


def _sets(course: Course | None, values: object, name: str) -> bool:
    return (course is not None and course.value == name) or bool(getattr(values, name, None))


def durations(facts: Facts) -> Iterator[Problem]:
    """A flow lasts longer than it takes to begin."""
    for way in facts.ways:
        lasts_s = way.flow.duration_s
        if lasts_s is None:
            continue
        begins_s, least_s = slow_start_s(way), least_duration_s(way)
        if lasts_s < least_s:
            why = f"is {lasts_s:g} s: {lasts_s * 1e3 / way.rtt_ms:.3g} round trips of {way.rtt_ms:g} ms, "
            why += f"of which slow start takes about {begins_s * 1e3 / way.rtt_ms:.0f}"
            yield note("short-flow", way.flow.id, "duration_s", why, f"{math.ceil(least_s)} s or more")
        elif lasts_s < PROBE_RTT_S and control_of(facts.filled, way.flow).name.startswith("bbr"):
            why = (
                f"is {lasts_s:g} s, and BBR looks for the round trip at rest every {PROBE_RTT_S:g} s: it never does so"
            )
            yield note("short-bbr", way.flow.id, "duration_s", why, f"more than {PROBE_RTT_S:g} s")


def least_duration_s(way: Way) -> float:
    """The duration from which a flow's mean says more than its beginning."""
    return max(_ROUND_TRIPS * way.rtt_ms / 1e3, 2 * slow_start_s(way))


def slow_start_s(way: Way) -> float:
    """About how long slow start takes to fill a path: the first window, doubled each round trip up to the BDP."""
    packets = (way.bdp_bytes or 0.0) / full_segment_bytes(way.mtu_bytes)
    return way.rtt_ms / 1e3 * math.ceil(math.log2(packets / _FIRST_WINDOW)) if packets > _FIRST_WINDOW else 0.0


def buffers(facts: Facts) -> Iterator[Problem]:
    """Whether the data that a flow's path can hold fit into the buffers at its ends; told once for each host."""
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
    of = "its" if host.tcp.buffer_bytes else "the kernel's usual"
    why = f"is about {size_words(most / BUFFER_PER_DATA, 3)} of data in {of} buffer of {size_words(most)}, and"
    step = way.bottleneck
    if BUFFER_PER_DATA * product > most:
        why += f" the path of flow {way.flow.id} holds {size_words(product, 3)}: the flow cannot fill it"
        return warning("small-buffer", host.name, "tcp.buffer_bytes", why, "a buffer of 2 BDP or more")
    queue = queue_limit_bytes(step.there, step.back, step.sender.frame_bytes) if step is not None else None
    if step is None or queue is None or not isinstance(step.there.discipline, Pfifo | Bfifo):
        return None
    if BUFFER_PER_DATA * (product + queue) > most:
        why += f" path and queue of flow {way.flow.id} hold {size_words(product + queue, 3)}: it never fills the queue"
        right = f"{size_words(BUFFER_PER_DATA * (product + queue))} or more"
        return note("buffer-below-queue", host.name, "tcp.buffer_bytes", why, right)
    return None


def path_mtu(facts: Facts) -> Iterator[Problem]:
    """A path whose links take smaller packets than its first one."""
    for way in facts.ways:
        sizes = [(min(end.real_mtu_bytes for end in step.link.ends), step) for step in way.steps]
        (first, start), (least, narrow) = sizes[0], min(sizes, key=lambda row: row[0])
        if least < first:
            where = link_title(facts.drawn, narrow.link)
            why = f"is {first} bytes at {start.sender.node}, and {where} on the path of flow {way.flow.id} takes "
            why += f"{least}: the first full packets are lost, until a message from a router makes them smaller"
            yield note("path-mtu", start.link.id, "mtu_bytes", why, f"{least} bytes from the start")


# --- links ------------------------------------------------------------------------------------------------------------


def losses(facts: Facts) -> Iterator[Problem]:
    """Loss in both directions counts twice in a round trip."""
    for link in facts.filled.links:
        there, back = link.a_to_b.mean_loss_percent, link.b_to_a.mean_loss_percent
        if 0 < there < 100 and 0 < back < 100:
            both = 100 * (1 - (1 - there / 100) * (1 - back / 100))
            why = f"is {back:.3g} % here and {there:.3g} % in the other direction: {both:.3g} % of round trips fail"
            right = "one direction, where the loss of data is meant"
            yield note("loss-both-ways", link.id, "b_to_a.loss_percent", why, right)


def slow_frames(facts: Facts) -> Iterator[Problem]:
    """A rate at which one frame takes longer than TCP waits, drawn or planned."""
    frames = {link.id: max(end.frame_bytes for end in link.ends) for link in facts.filled.links}
    for link in facts.filled.links:
        for side, sender, shape in (("a_to_b", link.a, link.a_to_b), ("b_to_a", link.b, link.b_to_a)):
            if shape.rate_mbit is not None and (why := _too_slow(shape.rate_mbit, sender.frame_bytes)):
                yield warning("slow-frame", link.id, f"{side}.rate_mbit", why, _fast_enough(sender.frame_bytes))
    for fault in facts.drawn.faults:
        planned = [fault.values.rate_mbit] if fault.values and fault.values.rate_mbit else []
        if fault.course is not None and fault.course.value == "rate_mbit":
            planned += _amounts(fault.course)
        frame_bytes = frames.get(fault.target, FULL_FRAME_BYTES)
        if planned and (why := _too_slow(min(planned), frame_bytes)):
            yield warning("slow-frame", fault.target, "faults.course", f"rate {why}", _fast_enough(frame_bytes))


def _fast_enough(frame_bytes: int) -> str:
    return f"{frame_bytes * 8 / _LEAST_TIMEOUT_MS / 1e3:.3g} Mbit/s or more"


def _too_slow(rate_mbit: float, frame_bytes: int) -> str:
    takes_ms = frame_bytes * 8 / rate_mbit / 1e3
    if takes_ms <= _LEAST_TIMEOUT_MS:
        return ""
    takes = f"one full frame takes {takes_ms:.3g} ms"
    return f"is {rate_mbit:g} Mbit/s: {takes}, and TCP sends again after {_LEAST_TIMEOUT_MS:g} ms"


def _amounts(course: Course) -> list[float]:
    return [value for _, value in course.points] if course.pattern == "trace" else [course.low, course.high]


def fast_courses(facts: Facts) -> Iterator[Problem]:
    """A value that changes more often than a flow hears of it."""
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
            why = f"goes up and down every {every_s:g} s, and flow {crossing.flow.id} hears of it after "
            why += f"{crossing.rtt_ms:g} ms at best: no congestion control can follow"
            yield note("fast-course", fault.target, "faults.course", why, "a slower change, or noise on purpose")


def _changes_every_s(course: Course) -> float:
    """How long a wave takes from one turn to the next, or a trace from one point to the next; the least of it."""
    if course.pattern == "trace":
        times = [time_s for time_s, _ in course.points]
        return min((later - sooner for sooner, later in pairwise(times)), default=math.inf)
    return course.period_s / 2


RULES: tuple[Rule, ...] = (bottleneck, durations, buffers, path_mtu, losses, slow_frames, fast_courses)
