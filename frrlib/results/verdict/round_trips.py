"""Round-trip times: none is longer than the base RTT of the path and all of its full queues."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from frrlib.results.layout import FlowPath, QueueInfo
from frrlib.results.queue_limits import LimitHistory, limit_history
from frrlib.results.rates import RateHistory, rate_history
from frrlib.results.records import Results
from frrlib.results.series import Floats, FlowSamples, Series, growth, queue_directions, rest_rtt_ms, select, series
from frrlib.results.verdict import fault_times
from frrlib.results.verdict.finding import Finding, Severity
from frrlib.results.verdict.path_validity import delays_until_s

#: Disciplines that send packets in the order of their arrival, so that a full queue bounds the waiting time.
IN_ORDER = frozenset({"", "pfifo", "bfifo", "codel", "pie", "red"})
#: The maximum delay of an acknowledgment by a receiver (TCP_DELACK_MAX of Linux), and the maximum of its share in the
#: smoothed RTT if one measurement of eight or more has that delay: 200 / 8 / (1 - (7/8)^8).
DELAYED_ACK_MS, SELDOM_DELAYED_MS = 200.0, 40.0
#: With this number of packets in flight, each pair of which is acknowledged at once, at most one measurement of eight
#: has that delay.
IN_FLIGHT = 16
#: The error of TCP timestamps, which count milliseconds at both ends.
TIMESTAMP_MS = 2.0
#: A lost acknowledgment is replaced by the next one, or by the answer to a probe after two round trips (RFC 8985).
LOST_ACK_FACTOR = 3.0
#: The number of round trips that contribute to the smoothed RTT, which keeps 7/8 of its value at each measurement.
SMOOTHED_OVER = 10.0
#: The delay in real time that a machine which is not busy may add, and the share beyond which the excess has another
#: cause.
MACHINE_MS, SHARE_WRONG = 5.0, 0.2
#: The delay in virtual time of system calls and of a switch's program, which handles the first packet of a flow.
PROGRAMS_MS = 0.1
#: Without a ping beforehand, addresses are resolved while a flow connects: each request is repeated after a second.
RESOLUTION_S = 3.0

_RIGHT = "look for a queue or a delay that is not drawn: tc -s qdisc at the interfaces of the path"


@dataclass(frozen=True, eq=False)
class _FullQueue:
    """The queue of a direction when it is full.

    Attributes:
        size_bytes: its maximum backlog at the limit of the start, and a frame, as its shaper counts them.
        limit, rate: its limit and its rate over the run.
    """

    size_bytes: float
    limit: LimitHistory
    rate: RateHistory

    def drain_ms(self, begin_s: float, end_s: float) -> float:
        """The longest time to drain it: the largest limit of the span at the least rate of the span."""
        growth = max(1.0, float(self.limit.between(begin_s, end_s).max() / self.limit.limits_bytes[0]))
        return growth * self.size_bytes * 8e-3 / (self.rate.least_mbit(begin_s, end_s) or math.inf)

    @property
    def is_steady(self) -> bool:
        """Whether neither its limit nor its rate changes."""
        return self.limit.is_steady and self.rate.is_steady


@dataclass(frozen=True, eq=False)
class _Bound:
    """The longest round trip of a path as a function of time.

    Attributes:
        fixed_ms: base RTT and jitter.
        queues: those of all directions with a queue.
    """

    fixed_ms: float
    queues: tuple[_FullQueue, ...]

    @property
    def longest_ms(self) -> float:
        """The bound at the least rates and the largest limits of the run."""
        return self.fixed_ms + sum(queue.drain_ms(-math.inf, math.inf) for queue in self.queues)

    def at(self, times_s: Floats, memory_s: float) -> Floats:
        """The bound in ms at some times.

        Args:
            memory_s: the least rate and the largest limit over this time before are used.
        """
        total = np.full(times_s.shape, self.fixed_ms)
        for queue in self.queues:
            if queue.is_steady:
                total += queue.drain_ms(-math.inf, math.inf)
            else:
                total += np.array([queue.drain_ms(t - memory_s, t) for t in times_s.tolist()])
        return total


@dataclass(frozen=True, eq=False)
class _RoundTrips:
    """Round trips of one kind.

    Attributes:
        name: for people ("smoothed RTT").
        times_s, rtt_ms: the round trips and their times; minus infinity for a time before the flows.
        high_ms: the longest round trip that the path and both ends explain at these times.
    """

    name: str
    times_s: Floats
    rtt_ms: Floats
    high_ms: Floats

    def excess_ms(self) -> Floats:
        """The excess of each round trip over its bound; negative for those within it."""
        return self.rtt_ms - self.high_ms


def findings(results: Results, flows: Sequence[FlowSamples], *, calm: bool) -> Iterator[Finding]:
    """A finding for every flow with a known path and known queues.

    Args:
        calm: whether the machine was not too busy, so that it delayed no packet.
    """
    is_virtual = results.info.settings.get("virtual_time") is True
    for flow in flows:
        path = flow.planned.path
        bound = _bound(results, path) if path is not None else None
        if path is None or bound is None:
            continue
        until_s = delays_until_s(results, (*path.forward, *path.reverse))
        slack_ms = PROGRAMS_MS if is_virtual else MACHINE_MS
        measured = [_before(kind, until_s, slack_ms) for kind in _sampled(results, flow, path, bound)]
        measured = [kind for kind in measured if kind.rtt_ms.size]
        if measured:
            yield _longest(results, flow, path, bound, measured, calm=calm, is_virtual=is_virtual)


def _bound(results: Results, path: FlowPath) -> _Bound | None:
    """The bound of a path; None if a delay is not certain or a queue has no bound."""
    if path.base_rtt_ms is None:
        return None
    queues = []
    for direction in (*path.forward, *path.reverse):
        info = results.info.queues.get(direction)
        if info is None:
            continue  # without a rate there is no queue
        size_bytes = _size_bytes(info)
        rate = rate_history(results, direction, info.rate_mbit)
        limit = limit_history(results, direction, info.limit_bytes)
        if size_bytes is None or fault_times.new_discipline_s(results, direction) < math.inf:
            return None
        if np.isnan(rate.rates_mbit).all() or np.isnan(limit.limits_bytes).any():
            return None
        queues.append(_FullQueue(size_bytes, limit, rate))
    return _Bound(path.base_rtt_ms + path.jitter_ms, tuple(queues))


def _size_bytes(info: QueueInfo) -> float | None:
    """The maximum backlog of a queue, and a frame, as its shaper counts them; None for a queue without a bound."""
    if info.discipline not in IN_ORDER or info.limit_bytes is None or not info.frame_bytes or not info.rate_mbit:
        return None
    frames = info.limit_bytes / info.frame_bytes if info.limit_packets is None else info.limit_packets
    return (frames + 1) * info.accounting.charged_bytes(info.frame_bytes)


def _sampled(results: Results, flow: FlowSamples, path: FlowPath, bound: _Bound) -> Iterator[_RoundTrips]:
    rest_ms = rest_rtt_ms(results, flow.planned.source, flow.planned.address)
    if rest_ms is not None:
        ends = flow.planned.source, flow.planned.address
        answers = [
            rtt_ms for ping in results.info.pings if (ping.source, ping.address) == ends for rtt_ms in ping.rtt_ms
        ]
        yield _kind("ping", (np.full(len(answers), -np.inf), np.array(answers)), bound)
    yield _kind("ping", series(select(results.probe, results.probe["flow"] == flow.id), "rtt_ms"), bound)
    resolved_s = -np.inf if rest_ms is not None else flow.start_s + RESOLUTION_S
    least = _kind("least RTT", _after(series(flow.sender, "min_rtt_ms"), resolved_s), bound)
    yield replace(least, high_ms=least.high_ms + TIMESTAMP_MS)
    smoothed = _kind("smoothed RTT", _after(series(flow.sender, "srtt_ms"), resolved_s), bound)
    factor = LOST_ACK_FACTOR if _loses_acks(results, path) else 1.0
    delayed_ms = _delayed_acks_ms(flow, smoothed.times_s, _memory_s(bound))
    yield replace(smoothed, high_ms=factor * smoothed.high_ms + TIMESTAMP_MS + delayed_ms)


def _kind(name: str, rtt_ms: Series, bound: _Bound) -> _RoundTrips:
    return _RoundTrips(name, *rtt_ms, bound.at(rtt_ms[0], _memory_s(bound)))


def _memory_s(bound: _Bound) -> float:
    return SMOOTHED_OVER * bound.longest_ms / 1e3


def _delayed_acks_ms(flow: FlowSamples, times_s: Floats, memory_s: float) -> Floats:
    """The maximum that delayed acknowledgments add to the smoothed RTT at some times."""
    known_s, in_flight = series(flow.sender, "unacked_packets")
    begins, ends = (np.searchsorted(known_s, times) for times in (times_s - memory_s, times_s))
    least = [in_flight[begin : end + 1].min(initial=np.inf) for begin, end in zip(begins, ends, strict=True)]
    has_many = (np.array(least) >= IN_FLIGHT) & (ends > begins)
    return np.where(has_many, SELDOM_DELAYED_MS, DELAYED_ACK_MS)


def _loses_acks(results: Results, path: FlowPath) -> bool:
    """Whether acknowledgments of a flow were lost, or may have been."""
    links = {direction.partition(":")[0] for direction in path.reverse}
    if any(event.kind == "fault" and event.subject in links and "loss" in event.what for event in results.events):
        return True
    queues, cables = queue_directions(results), results.info.cables
    return any(
        (direction in cables and cables[direction].loss_percent > 0)
        or (direction in queues and (growth(series(queues[direction], "drops")) or 0) > 0)
        for direction in path.reverse
    )


def _after(data: Series, from_s: float) -> Series:
    holds = ~(data[0] < from_s)
    return data[0][holds], data[1][holds]


def _before(kind: _RoundTrips, until_s: float, slack_ms: float) -> _RoundTrips:
    holds = kind.times_s < until_s
    return _RoundTrips(kind.name, kind.times_s[holds], kind.rtt_ms[holds], kind.high_ms[holds] + slack_ms)


def _longest(
    results: Results,
    flow: FlowSamples,
    path: FlowPath,
    bound: _Bound,
    measured: Sequence[_RoundTrips],
    *,
    calm: bool,
    is_virtual: bool,
) -> Finding:
    """The finding about the round trip with the largest excess over its bound, else about the longest."""
    exceeding = [kind for kind in measured if kind.excess_ms().max() > 0]
    kind = max(exceeding or measured, key=lambda kind: float((kind.excess_ms() if exceeding else kind.rtt_ms).max()))
    at = int(np.argmax(kind.excess_ms() if exceeding else kind.rtt_ms))
    rtt_ms, high_ms, at_s = (float(values[at]) for values in (kind.rtt_ms, kind.high_ms, kind.times_s))
    severity: Severity = "ok"
    message = ""
    if exceeding:
        gross = is_virtual or (calm and rtt_ms - high_ms > SHARE_WRONG * high_ms + MACHINE_MS)
        severity = "wrong" if gross else "doubt"
        when = f" at {at_s:.2f} s" if np.isfinite(at_s) else ""
        message = (
            f"flow {flow.id} had a {kind.name} of {rtt_ms:.4g} ms{when}, and full queues on its whole path explain up "
            f"to {high_ms:.4g} ms{_cause(results, flow, at_s, _memory_s(bound))}"
        )
    return Finding(
        what="RTT", subject=flow.id, configured=path.base_rtt_ms, measured=rtt_ms, unit="ms", high=high_ms,
        severity=severity, message=message, remedy=_RIGHT if message else "",
    )  # fmt: skip


def _cause(results: Results, flow: FlowSamples, at_s: float, memory_s: float) -> str:
    """A possible cause of a long round trip, to end a sentence; empty for none."""
    faults = [event for event in results.events if event.kind == "fault" and at_s - memory_s <= event.time_s <= at_s]
    if faults:
        last = faults[-1]
        return f"; the fault {last.what} of {last.subject} at {last.time_s:.2f} s may be the cause"
    if rest_rtt_ms(results, flow.planned.source, flow.planned.address) is None:
        return "; no ping resolved the hardware addresses beforehand, and a request may have waited in a full queue"
    return ""
