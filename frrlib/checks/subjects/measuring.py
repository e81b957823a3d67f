"""Flows whose results are not meaningful: their duration, bottleneck, buffers and MTU."""

from __future__ import annotations

import math
from collections.abc import Iterator

from frrlib.checks.facts import Facts
from frrlib.checks.fix import Fix, duration_fix, tcp_fix
from frrlib.checks.kinds import CheckSubject, note, warning
from frrlib.checks.subjects.links.ends import mtu_fix
from frrlib.model.courses import Course
from frrlib.model.frames import full_segment_bytes
from frrlib.model.labels import link_title
from frrlib.model.links import queue_limit_bytes
from frrlib.model.nodes import Host
from frrlib.model.problem import Problem
from frrlib.model.quantities import size_words
from frrlib.model.queues import Bfifo, Pfifo
from frrlib.model.tcp import BUFFER_PER_DATA, USUAL_RECEIVE_BUFFER_BYTES, USUAL_SEND_BUFFER_BYTES
from frrlib.prediction.congestion import control_of
from frrlib.prediction.flow_paths import RoutedFlow

SUBJECT = CheckSubject()
#: The mean rate of a flow with fewer round trips is dominated by its start.
_ROUND_TRIPS = 20
#: Packets of the first window (RFC 6928), and the data of a full one in bytes.
_FIRST_WINDOW = 10
#: The interval in seconds at which BBR measures the minimum RTT (PROBE_RTT).
PROBE_RTT_S = 10.0
#: Buffer sizes are multiples of this, so that they are round numbers.
_BUFFER_STEP_BYTES = 64 * 1024
_MOST_BUFFER_BYTES = 2**31 - 1
NO_BOTTLENECK = SUBJECT.kind(
    "no-bottleneck",
    "No link on the path of a flow has a rate.",
    "The speed of this machine's processor limits the flow. It differs between runs and between machines. In virtual "
    "time, which does not pass while programs compute, such a flow makes the lab's clock almost stop.",
    "Set the rate of a link on the path.",
)
NO_BASE_RTT = SUBJECT.kind(
    "no-base-rtt",
    "No link on the path of a flow has a delay.",
    "The base RTT is then some tens of microseconds of this machine's time. Windows are a few packets, and the "
    "measured RTT shows only queueing and scheduling.",
    "Set the delay of a link on the path.",
)
SHORT_FLOW = SUBJECT.kind(
    "short-flow",
    "A flow is shorter than 20 round trips, or shorter than twice the duration of slow start.",
    "The results show how the flow starts. Its mean rate says little about the congestion control.",
    "Use a longer flow, unless short flows are the subject.",
)
SHORT_BBR = SUBJECT.kind(
    "short-bbr",
    "A flow with BBR is shorter than 10 s.",
    "BBR drains its queue every 10 s to measure the minimum RTT (PROBE_RTT). A shorter flow never does, so the "
    "results show neither the dip nor its consequences.",
    "Use a flow of more than 10 s, preferably 30 s.",
)
SMALL_BUFFER = SUBJECT.kind(
    "small-buffer",
    "The socket buffer of a host is smaller than the capacity of the path.",
    "The buffer limits the flow instead of the network: the window stops growing without any loss. A buffer holds "
    "about half its size in data, since the kernel also counts its overhead for each packet.",
    "Set a buffer of at least two bandwidth-delay products of the path.",
)
BUFFER_BELOW_QUEUE = SUBJECT.kind(
    "buffer-below-queue",
    "The socket buffer of a host is large enough for the path, but not for the path and the queue.",
    "A single flow never fills the queue and sees no loss, so the size of the queue has no effect.",
    "Set a buffer for both, or leave it empty if the kernel's default is larger.",
)
PATH_MTU = SUBJECT.kind(
    "path-mtu",
    "A link further along the path has a smaller MTU than the first one.",
    "Full packets are dropped there. A router reports this by ICMP, a switch does not. Path MTU discovery delays "
    "the start of every connection.",
    "Set the smaller MTU on the first link, or the larger one on all links.",
)


@SUBJECT.rule(NO_BOTTLENECK, NO_BASE_RTT)
def bottleneck(facts: Facts) -> Iterator[Problem]:
    """A flow crosses a link with a rate, so that this machine does not limit it, and its base RTT is not 0."""
    varied = {fault.target for fault in facts.topology.faults if _varies(fault.course, fault.values, "rate_mbit")}
    delayed = {fault.target for fault in facts.topology.faults if _varies(fault.course, fault.values, "delay_ms")}
    for flow_path in facts.flow_paths:
        links = {link.id for link, _, _ in flow_path.hops}
        if flow_path.bottleneck is None:
            if not links & varied and flow_path.is_modeled:
                message = "no link on its path has a rate, so the speed of this machine limits the flow"
                yield note(NO_BOTTLENECK, flow_path.flow, "", message, "set the rate of a link on its path")
        elif not flow_path.rtt_ms and not links & delayed:
            message = "no link on its path has a delay, so RTT and window show only the queue and this machine"
            yield note(NO_BASE_RTT, flow_path.flow, "", message, "set the delay of a link on its path")


def _varies(course: Course | None, values: object, name: str) -> bool:
    return (course is not None and course.value == name) or bool(getattr(values, name, None))


@SUBJECT.rule(SHORT_FLOW, SHORT_BBR)
def durations(facts: Facts) -> Iterator[Problem]:
    """A flow lasts much longer than its start."""
    for flow_path in facts.flow_paths:
        lasts_s = flow_path.flow.duration_s
        if lasts_s is None:
            continue
        begins_s, least_s = slow_start_s(flow_path), minimum_duration_s(flow_path)
        if lasts_s < least_s:
            message = (
                f"is {lasts_s:g} s: {lasts_s * 1e3 / flow_path.rtt_ms:.3g} round trips of {flow_path.rtt_ms:g} ms, "
            )
            message += f"of which slow start takes about {begins_s * 1e3 / flow_path.rtt_ms:.0f}"
            yield note(SHORT_FLOW, flow_path.flow, "duration_s", message, f"use {math.ceil(least_s)} s or more")
        elif lasts_s < PROBE_RTT_S and control_of(facts.resolved, flow_path.flow).name.startswith("bbr"):
            message = f"is {lasts_s:g} s, but BBR measures the minimum RTT only every {PROBE_RTT_S:g} s (PROBE_RTT)"
            yield note(SHORT_BBR, flow_path.flow, "duration_s", message, f"use more than {PROBE_RTT_S:g} s")


def minimum_duration_s(flow_path: RoutedFlow) -> float:
    """The duration from which the mean rate of a flow is not dominated by its start."""
    return max(_ROUND_TRIPS * flow_path.rtt_ms / 1e3, 2 * slow_start_s(flow_path))


def slow_start_s(flow_path: RoutedFlow) -> float:
    """The approximate duration of slow start: the first window doubles each round trip up to the BDP of the path."""
    packets = (flow_path.bdp_bytes or 0.0) / full_segment_bytes(flow_path.mtu_bytes)
    return flow_path.rtt_ms / 1e3 * math.ceil(math.log2(packets / _FIRST_WINDOW)) if packets > _FIRST_WINDOW else 0.0


@SUBJECT.rule(SMALL_BUFFER, BUFFER_BELOW_QUEUE)
def buffers(facts: Facts) -> Iterator[Problem]:
    """The buffers at the ends of a flow hold the BDP of its path. Each host is reported once."""
    reported = set[str]()
    for flow_path in facts.flow_paths:
        product = flow_path.bdp_bytes
        for name, usual in (
            (flow_path.flow.source, USUAL_SEND_BUFFER_BYTES),
            (flow_path.flow.destination, USUAL_RECEIVE_BUFFER_BYTES),
        ):
            host = facts.nodes.get(name)
            if not isinstance(host, Host) or host.tcp.buffer_bdp is not None or product is None or name in reported:
                continue
            problem = _buffer_problem(flow_path, host, product, host.tcp.buffer_bytes or usual)
            if problem is not None:
                reported.add(name)
                yield problem


def _buffer_problem(flow_path: RoutedFlow, host: Host, product: float, most: int) -> Problem | None:
    which = "the" if host.tcp.buffer_bytes else "the kernel's default"
    message = f"{which} buffer of {size_words(most)} holds about {size_words(most / BUFFER_PER_DATA, 3)} of data, but"
    step = flow_path.bottleneck
    if BUFFER_PER_DATA * product > most:
        message += f" the path of flow {flow_path.flow.id} holds {size_words(product, 3)}: the flow cannot fill it"
        return warning(SMALL_BUFFER, host.name, "tcp.buffer_bytes", message, "set a buffer of 2 BDP or more")
    queue = queue_limit_bytes(step.shape, step.reverse_shape, step.sender.frame_bytes) if step is not None else None
    if step is None or queue is None or not isinstance(step.shape.discipline, Pfifo | Bfifo):
        return None
    if BUFFER_PER_DATA * (product + queue) > most:
        message += f" path and queue of flow {flow_path.flow.id} hold {size_words(product + queue, 3)}: "
        message += "it never fills the queue"
        remedy = f"set {size_words(BUFFER_PER_DATA * (product + queue))} or more"
        return note(BUFFER_BELOW_QUEUE, host.name, "tcp.buffer_bytes", message, remedy)
    return None


@SUBJECT.rule(PATH_MTU)
def path_mtu(facts: Facts) -> Iterator[Problem]:
    """No link further along a path has a smaller MTU than the first one."""
    for flow_path in facts.flow_paths:
        sizes = [(min(end.real_mtu_bytes for end in step.link.ends), step) for step in flow_path.steps]
        (first, start), (least, narrow) = sizes[0], min(sizes, key=lambda row: row[0])
        if least < first:
            where = link_title(facts.topology, narrow.link)
            message = f"is {first} bytes at {start.sender.node}, but {least} bytes at {where} on the path of flow "
            message += (
                f"{flow_path.flow.id}: full packets are lost until an ICMP message from a router reduces their size"
            )
            yield note(PATH_MTU, start.link, "mtu_bytes", message, f"use {least} bytes on the whole path")


# --- fixes -----------------------------------------------------------------------------------------------------------


@SUBJECT.fix(SHORT_FLOW)
def _extend_flow(facts: Facts, problem: Problem) -> Fix | None:
    flow_path = next((candidate for candidate in facts.flow_paths if candidate.flow.id == problem.node), None)
    return duration_fix(facts, problem, float(math.ceil(minimum_duration_s(flow_path)))) if flow_path else None


@SUBJECT.fix(SHORT_BBR)
def _extend_beyond_probe_rtt(facts: Facts, problem: Problem) -> Fix | None:
    return duration_fix(facts, problem, 1.5 * PROBE_RTT_S)


@SUBJECT.fix(SMALL_BUFFER, BUFFER_BELOW_QUEUE)
def _enlarge_buffer(facts: Facts, problem: Problem) -> Fix | None:
    """Set a buffer for the path and the queue of every flow of the host."""
    own_paths = [
        flow_path
        for flow_path in facts.flow_paths
        if problem.node in (flow_path.flow.source, flow_path.flow.destination)
    ]
    most = max((_bytes_in_flight(flow_path) for flow_path in own_paths), default=0.0)
    size = math.ceil(BUFFER_PER_DATA * most / _BUFFER_STEP_BYTES) * _BUFFER_STEP_BYTES
    if not 0 < size <= _MOST_BUFFER_BYTES:
        return None
    label = f"set a buffer of {size_words(size)} at {problem.node}"
    return tcp_fix(facts, [problem.node], label, buffer_bytes=size, buffer_bdp=None)


def _bytes_in_flight(flow_path: RoutedFlow) -> float:
    step = flow_path.bottleneck
    limit = queue_limit_bytes(step.shape, step.reverse_shape, step.sender.frame_bytes) if step is not None else None
    queue = limit or 0
    return (flow_path.bdp_bytes or 0.0) + queue


@SUBJECT.fix(PATH_MTU)
def _set_mtu_of_path(facts: Facts, problem: Problem) -> Fix | None:
    """Set the MTU of the path on its first link."""
    own_paths = [flow_path for flow_path in facts.flow_paths if next(flow_path.steps).link.id == problem.node]
    sizes = [end.real_mtu_bytes for flow_path in own_paths for link, _, _ in flow_path.hops for end in link.ends]
    return mtu_fix(facts, problem.node, min(sizes)) if sizes else None
