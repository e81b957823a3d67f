"""Goodput: neither a flow nor the sum of flows carries more over a link than its rate.

A rate over a short time means little: a receiver that repairs a hole counts bytes that had arrived long before, and
acknowledgments arrive in bursts. Therefore the bytes that certainly passed the link between two times are compared:
those that had arrived by the second time, less those that had been sent by the first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from frrlib.model.frames import udp_headers_bytes
from frrlib.model.links import usual_burst_frames
from frrlib.results.layout import QueueInfo
from frrlib.results.rates import RateHistory, rate_history
from frrlib.results.records import Results
from frrlib.results.series import Floats, FlowSamples, Series, select, series
from frrlib.results.statistics.arrivals import payload_share
from frrlib.results.verdict import fault_times
from frrlib.results.verdict.finding import Finding, Severity
from frrlib.results.verdict.path_validity import path_until_s
from frrlib.results.verdict.queues import CLOCK_S, SHARE_HIGH, SHARE_WRONG

_RIGHT = "look at the rates of the link with tc -s, and whether packets may bypass its queue"


@dataclass(frozen=True, eq=False)
class _FlowBytes:
    """The bytes of a flow on the wire of a link, as the shaper counts them.

    Attributes:
        arrived: a lower bound of the bytes that had passed the link, over time.
        sent: an upper bound of the bytes that had been sent, over time.
        share: the share of data in the bytes on the wire.
        total_bytes: all bytes that were sent.
    """

    arrived: Series
    sent: Series
    share: float
    total_bytes: float

    def arrived_by(self, times_s: Floats) -> Floats:
        """A lower bound of the bytes that had passed by each of these times."""
        index = np.searchsorted(self.arrived[0], times_s, side="right") - 1
        return np.where(index < 0, 0.0, self.arrived[1][np.maximum(index, 0)])

    def sent_by(self, times_s: Floats) -> Floats:
        """An upper bound of the bytes that had been sent by each of these times."""
        index = np.searchsorted(self.sent[0], times_s, side="left")
        is_sampled = index < self.sent[0].size
        return np.where(is_sampled, self.sent[1][np.minimum(index, self.sent[0].size - 1)], self.total_bytes)


@dataclass(frozen=True, eq=False)
class _Capacity:
    """The bytes that a direction of a link can carry.

    Attributes:
        rate: over time.
        burst_bytes: the maximum that leaves at line rate after an idle moment, and a frame.
        change_bytes: the maximum that leaves in excess of the rate when it changes: a burst, and in real time the bytes
            between the change and its event.
    """

    rate: RateHistory
    burst_bytes: float
    change_bytes: float

    def by(self, times_s: Floats) -> Floats:
        """The bytes that the link can carry from the first of ascending times to each of them."""
        edges = np.union1d(times_s, self.rate.times_s[1:])
        carried = np.concatenate(([0.0], np.cumsum(self.rate.at(edges[:-1]) * 125_000 * np.diff(edges))))
        changes = np.searchsorted(self.rate.times_s[1:], edges, side="right")
        carried = carried + changes * self.change_bytes
        carried_by = np.interp(times_s, edges, carried)
        return np.asarray(carried_by - carried_by[0], dtype=np.float64)


@dataclass(frozen=True)
class _Worst:
    """The span of time with the largest excess, the bytes that were carried in it, and the maximum at the rate."""

    begin_s: float
    end_s: float
    carried_bytes: float
    most_bytes: float


def findings(results: Results, flows: Sequence[FlowSamples], *, calm: bool) -> Iterator[Finding]:
    """A finding for every flow at its slowest link, and for every direction with several flows.

    Args:
        calm: whether the machine was not too busy, so that no sample was late.
    """
    until_s = path_until_s(results)
    is_virtual = results.info.settings.get("virtual_time") is True
    queues = {direction: info for direction, info in results.info.queues.items() if info.rate_mbit and info.frame_bytes}
    capacities = {name: _capacity(results, name, info, is_virtual) for name, info in queues.items()}
    passing: dict[str, dict[str, _FlowBytes]] = {}
    for flow in flows:
        for direction in flow.planned.path.forward if flow.planned.path else ():
            if direction in queues and (carried := _bytes_on_link(results, flow, queues[direction], until_s)):
                passing.setdefault(direction, {})[flow.id] = carried
    for flow in flows:
        passed = [direction for direction, carried_by in passing.items() if flow.id in carried_by]
        narrowest = min(passed, key=lambda name: float(np.nanmin(capacities[name].rate.rates_mbit)), default=None)
        if narrowest is not None:
            alone = {flow.id: passing[narrowest][flow.id]}
            yield from _finding_of("goodput", flow.id, narrowest, alone, capacities[narrowest], is_virtual, calm)
    for direction, carried_by in passing.items():
        if len(carried_by) > 1:
            yield from _finding_of("sum", direction, direction, carried_by, capacities[direction], is_virtual, calm)


def _capacity(results: Results, direction: str, info: QueueInfo, is_virtual: bool) -> _Capacity:
    rate = rate_history(results, direction, info.rate_mbit)
    fastest = float(np.nanmax(rate.rates_mbit))
    usual_bytes = usual_burst_frames(fastest, info.frame_bytes) * info.frame_bytes
    burst_bytes = max(info.burst_bytes, usual_bytes) + info.frame_bytes
    late_bytes = 0.0 if is_virtual else fault_times.BEFORE_S * fastest * 125_000
    return _Capacity(rate, burst_bytes, burst_bytes + late_bytes)


def _bytes_on_link(results: Results, flow: FlowSamples, info: QueueInfo, until_s: float) -> _FlowBytes | None:
    """The bytes of a flow on a link; None if they are unknown."""
    if flow.planned.transport == "tcp" and flow.planned.is_sampled:
        share = payload_share(info, [flow])
        received, acked = series(flow.receiver, "bytes_received"), series(flow.sender, "bytes_acked")
        arrived = _maximum(received, acked)
        sent = _sent(flow)
    elif flow.planned.transport == "udp" and info.accounting.is_plain:
        rows = select(results.datagram, results.datagram["flow"] == flow.id)
        headers = udp_headers_bytes(6 if ":" in flow.planned.address else 4)
        rows = {**rows, "wire": rows["received_bytes"] + headers * rows["received_packets"]}
        share, arrived, sent = 1.0, series(rows, "wire"), (np.zeros(0), np.zeros(0))
    else:
        return None
    holds = arrived[0] < until_s
    if not share or np.count_nonzero(holds) < 2 or math.isnan(flow.start_s):
        return None
    begin = (np.array([min(flow.start_s, float(arrived[0][0]))]), np.zeros(1))
    sent = np.concatenate((begin[0], sent[0])), np.concatenate((begin[1], sent[1] / share))
    wire = arrived[1] / share
    return _FlowBytes((arrived[0][holds], wire[holds]), sent, share, max(float(wire.max()), float(sent[1].max())))


def _maximum(first: Series, second: Series) -> Series:
    """The maximum of two rising counts at all times of both, each with its latest value."""
    times = np.union1d(first[0], second[0])
    counts = np.zeros(times.shape)
    for sample_times, values in (first, second):
        if sample_times.size:
            index = np.searchsorted(sample_times, times, side="right") - 1
            counts = np.maximum(counts, np.where(index < 0, 0.0, values[np.maximum(index, 0)]))
    return times, np.maximum.accumulate(counts)


def _sent(flow: FlowSamples) -> Series:
    """The data that a sender had sent, without retransmissions; empty if it was not sampled."""
    rows = flow.sender
    if not {"bytes_sent", "bytes_retrans"} <= rows.keys():
        return np.zeros(0), np.zeros(0)
    times, counts = series({"time_s": rows["time_s"], "new": rows["bytes_sent"] - rows["bytes_retrans"]}, "new")
    return times, np.maximum.accumulate(counts) if counts.size else counts


# --- findings ---------------------------------------------------------------------------------------------------------


def _finding_of(
    quantity: str,
    subject: str,
    direction: str,
    carried_by: Mapping[str, _FlowBytes],
    capacity: _Capacity,
    is_virtual: bool,
    calm: bool,
) -> Iterator[Finding]:
    sampled = [flow_bytes.arrived[0] for flow_bytes in carried_by.values()]
    times = np.unique(np.concatenate(sampled + [flow_bytes.sent[0] for flow_bytes in carried_by.values()]))
    if np.isnan(capacity.rate.at(times)).any():
        return  # the link was unlimited for a time
    worst = _worst(times, carried_by, capacity)
    slack_bytes = capacity.burst_bytes
    slack_bytes += 0.0 if is_virtual else CLOCK_S * float(np.nanmax(capacity.rate.rates_mbit)) * 125_000
    exceeds = worst.carried_bytes > SHARE_HIGH * worst.most_bytes + slack_bytes
    if not exceeds:
        worst = _whole(times, carried_by, capacity)
    span_s = worst.end_s - worst.begin_s
    if span_s <= 0:
        return
    share = min(flow_bytes.share for flow_bytes in carried_by.values()) if quantity == "goodput" else 1.0
    mbit = share * 8e-6 / span_s
    measured, configured = worst.carried_bytes * mbit, worst.most_bytes * mbit
    high = (SHARE_HIGH * worst.most_bytes + slack_bytes) * mbit
    severity: Severity = "ok"
    message = ""
    if exceeds:
        gross = is_virtual or (calm and measured > (2 - SHARE_WRONG) * high)
        severity = "wrong" if gross else "doubt"
        flows = f"flow {subject} carried {measured:.4g} Mbit/s of data over {direction}"
        if quantity == "sum":
            flows = f"{len(carried_by)} flows carried {measured:.4g} Mbit/s over {direction}"
        message = (
            f"{flows} from {worst.begin_s:.2f} to {worst.end_s:.2f} s, and its rate allows {configured:.4g} Mbit/s"
        )
    yield Finding(
        what=quantity, subject=subject, configured=configured, measured=measured, unit="Mbit/s", high=high,
        severity=severity, message=message, remedy=_RIGHT if message else "",
    )  # fmt: skip


def _worst(times: Floats, carried_by: Mapping[str, _FlowBytes], capacity: _Capacity) -> _Worst:
    """The span of time with the largest excess over the capacity of the link."""
    could = SHARE_HIGH * capacity.by(times)
    arrived = np.sum([flow_bytes.arrived_by(times) for flow_bytes in carried_by.values()], axis=0) - could
    sent = np.sum([flow_bytes.sent_by(times) for flow_bytes in carried_by.values()], axis=0) - could
    least = np.minimum.accumulate(sent)
    end = int(np.argmax(arrived - least))
    begin = int(np.argmin(sent[: end + 1]))
    most = (could[end] - could[begin]) / SHARE_HIGH
    return _Worst(float(times[begin]), float(times[end]), float(arrived[end] - sent[begin]) + SHARE_HIGH * most, most)


def _whole(times: Floats, carried_by: Mapping[str, _FlowBytes], capacity: _Capacity) -> _Worst:
    """The span from the first start of a flow to the last arrival."""
    arrived = np.sum([flow_bytes.arrived_by(times) for flow_bytes in carried_by.values()], axis=0)
    end = int(np.argmax(arrived))
    could = capacity.by(times)
    return _Worst(float(times[0]), float(times[end]), float(arrived[end]), float(could[end]))
