"""Queues: whether a standing queue drained at its rate, and the largest backlog."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frrlib.results.layout import QueueInfo
from frrlib.results.queue_limits import limit_history
from frrlib.results.rates import rate_history
from frrlib.results.records import Results
from frrlib.results.series import queue_directions
from frrlib.results.table_reader import Columns
from frrlib.results.verdict import fault_times
from frrlib.results.verdict.finding import Finding, Severity

Floats = NDArray[np.float64]

#: The total time for which a queue must have been standing before its rate is judged.
LEAST_S = 1.0
#: The bounds for the rate at which a standing queue drains, as shares of the configured rate. A busy machine makes it
#: lower, but never higher.
SHARE_LOW, SHARE_HIGH = 0.98, 1.005
#: The share of the configured rate below which, on a machine that is not busy, the rate is wrong. It is also wrong
#: if it exceeds the configured rate by as much.
SHARE_WRONG = 0.9
#: The mean size of frames that are nearly all full, as a share of a full one.
FULL_SHARE = 0.99
#: The precision of the times of samples, and the longest gap between two samples that are compared.
CLOCK_S, LONGEST_GAP_S = 0.003, 0.25
#: The tolerated distance of a queue from its limit when it drops packets, in frames.
FRAMES = 2
#: The share of samples in which drops may have another cause than a full queue (a frame larger than the bucket).
ODD_SHARE = 0.02


@dataclass(frozen=True, eq=False)
class _Queue:
    """A sampled queue, interval by interval: between each sample and the next."""

    direction: str
    info: QueueInfo
    times: Floats
    backlog: Floats
    sent: Floats
    drops: Floats
    packets: Floats

    @property
    def gaps(self) -> Floats:
        return np.diff(self.times)


def findings(results: Results, *, calm: bool) -> Iterator[Finding]:
    """Findings about rate and limit of every queue with known values and enough samples.

    Args:
        calm: whether the machine was not too busy, so that it delayed no packet.
    """
    for direction, rows in queue_directions(results).items():
        info = results.info.queues.get(direction)
        if info is None or info.rate_mbit is None or not info.frame_bytes:
            continue
        packets = info.counts == "packets"
        queue = _sampled(direction, info, rows, "packets" if packets else "bytes")
        if queue.times.size > 1:
            yield from _rate(results, _sampled(direction, info, rows, "bytes"), calm)
            yield from _limit(results, queue)


def _sampled(direction: str, info: QueueInfo, rows: Columns, counted: str) -> _Queue:
    names = ("time_s", f"backlog_{counted}", f"sent_{counted}", "drops", "sent_packets")
    columns = [rows[name] for name in names]
    is_known = np.logical_and.reduce([~np.isnan(column) for column in columns])
    order = np.argsort(columns[0][is_known], kind="stable")
    return _Queue(direction, info, *(column[is_known][order] for column in columns))


# --- rate -------------------------------------------------------------------------------------------------------------


def _rate(results: Results, queue: _Queue, calm: bool) -> Iterator[Finding]:
    """The output rate while the backlog at each sample was more than could leave until the next sample."""
    info, gaps = queue.info, queue.gaps
    rates, steady = _rates(results, queue)
    rates *= info.frame_bytes / info.accounting.charged_bytes(info.frame_bytes)
    spans = fault_times.outage_spans(results, queue.direction)
    fits = steady & (rates > 0) & (gaps > 0) & (gaps < LONGEST_GAP_S)
    fits &= ~fault_times.overlap(queue.times[:-1], queue.times[1:], spans)
    is_standing = fits & (queue.backlog[:-1] >= rates * 125_000 * gaps + info.frame_bytes)
    if not info.is_exact or gaps[is_standing].sum() < LEAST_S:
        return
    if not info.accounting.is_plain and _mean_frame(queue, is_standing) < FULL_SHARE * info.frame_bytes:
        return  # a shaper that adds bytes to each frame carries less data in short frames
    lasted_s = float(gaps[is_standing].sum())
    configured = float((rates * gaps)[is_standing].sum()) / lasted_s
    measured = float(np.diff(queue.sent)[is_standing].sum()) * 8e-6 / lasted_s
    # The tolerance at the ends of each stretch is a frame and the precision of the times. The errors of many stretches
    # partly cancel out.
    stretches = int(is_standing[0]) + int(np.count_nonzero(is_standing[1:] & ~is_standing[:-1]))
    slack = 2 * math.sqrt(stretches) * (info.frame_bytes * 8e-6 + CLOCK_S * configured) / lasted_s
    low, high = SHARE_LOW * configured - slack, SHARE_HIGH * configured + slack
    severity: Severity = "ok" if low <= measured <= high else "doubt"
    message = advice = ""
    if severity == "doubt":
        less = measured < low
        gross = (calm and measured < SHARE_WRONG * configured - slack) or measured > (
            2 - SHARE_WRONG
        ) * configured + slack
        severity = "wrong" if gross else "doubt"
        message = (
            f"{queue.direction} carried {measured:.4g} Mbit/s while packets waited for {lasted_s:.3g} s, and "
            f"{configured:.4g} Mbit/s is configured"
        )
        advice = "use a quieter machine or a lower rate" if less and not gross else "look at the link's rate with tc"
    yield Finding(
        what="rate", subject=queue.direction, configured=configured, measured=measured, unit="Mbit/s", low=low,
        high=high, severity=severity, message=message, remedy=advice,
    )  # fmt: skip


def _mean_frame(queue: _Queue, mask: NDArray[np.bool_]) -> float:
    """The mean size in bytes of the frames that left in some intervals."""
    return float(np.diff(queue.sent)[mask].sum() / max(1.0, np.diff(queue.packets)[mask].sum()))


def _rates(results: Results, queue: _Queue) -> tuple[Floats, NDArray[np.bool_]]:
    """The rate in force in each interval in Mbit/s, 0 for none, and the mask of intervals without a change."""
    rate = rate_history(results, queue.direction, queue.info.rate_mbit)
    begins, ends = queue.times[:-1], queue.times[1:]
    spans = [(change - fault_times.BEFORE_S, change + fault_times.AFTER_S) for change in rate.times_s[1:].tolist()]
    return np.nan_to_num(rate.at(begins)), ~fault_times.overlap(begins, ends, spans)


# --- limit ------------------------------------------------------------------------------------------------------------


def _limit(results: Results, queue: _Queue) -> Iterator[Finding]:
    """The largest backlog, which may not exceed the limit in force; a queue that drops must have reached its limit."""
    info, backlog = queue.info, queue.backlog
    unit = info.counts
    if not unit or info.limit_bytes is None:
        return
    limits, is_judged = _limits(results, queue)
    pairs = is_judged[:-1] & is_judged[1:] & (limits[:-1] == limits[1:])
    if not pairs.any():
        return
    frame = 1 if unit == "packets" else info.frame_bytes
    dropped = pairs & (np.diff(queue.drops) > 0)
    over = np.where(is_judged, backlog - limits, -np.inf)
    worst = int(np.argmax(over))
    if not dropped.any() and over[worst] <= frame:
        return  # the limit of a queue that never filled cannot be judged
    # Packets that left between two samples may have been in the queue at the moment of a drop.
    fullest = np.maximum(backlog[:-1], backlog[1:]) + np.diff(queue.sent)
    early = int(np.count_nonzero(dropped & (fullest < limits[:-1] - FRAMES * frame)))
    yield _limit_finding(
        queue, float(limits[worst]), frame, float(backlog[worst]), early, int(np.count_nonzero(dropped))
    )


def _limits(results: Results, queue: _Queue) -> tuple[Floats, NDArray[np.bool_]]:
    """The limit in force at each sample, in its own unit, and the mask of samples at which it can be judged."""
    info, times = queue.info, queue.times
    limit = limit_history(results, queue.direction, info.limit_bytes)
    limits = limit.at(times)
    if info.counts == "packets":
        limits = np.ceil(limits / info.frame_bytes)
    is_judged = ~np.isnan(limits) & (
        times < fault_times.limit_unknown_from_s(results, queue.direction, limit.times_s[1:].tolist())
    )
    rate = rate_history(results, queue.direction, info.rate_mbit)
    size = info.frame_bytes if info.counts == "packets" else 1
    for change_s in limit.times_s[1:].tolist():
        # A reduced limit drops no packets that are already in the queue: these have to leave first.
        following = int(np.searchsorted(times, change_s, side="right"))
        excess = (
            max(0.0, float(queue.backlog[following - 1] - limits[following])) if 0 < following < times.size else 0.0
        )
        waits_s = excess * size * 8e-6 / (rate.at_mbit(change_s) or math.inf)
        is_judged &= (times < change_s - fault_times.BEFORE_S) | (times > change_s + waits_s + fault_times.AFTER_S)
    return limits, is_judged


def _limit_finding(queue: _Queue, limit: float, frame: int, largest: float, early: int, dropping: int) -> Finding:
    unit, direction = queue.info.counts, queue.direction
    rate_bytes_s = (queue.info.rate_mbit or 0.0) * 125_000
    between = rate_bytes_s * float(np.median(queue.gaps)) / (queue.info.frame_bytes if unit == "packets" else 1)
    low = max(0.0, limit - FRAMES * frame - between) if dropping else None
    severity: Severity = "ok"
    message = ""
    if largest > limit + frame:
        severity, message = "wrong", f"{direction} held {largest:.0f} {unit}, and its configured limit is {limit:.0f}"
    elif early > 1 + ODD_SHARE * dropping:
        severity = "wrong"
        message = f"{direction} dropped packets while it held no more than {largest:.0f} {unit} of {limit:.0f} as drawn"
    advice = "look at the queue's limit with tc" if message else ""
    return Finding(
        what="queue", subject=direction, configured=limit, measured=largest, unit=unit, low=low, high=limit + frame,
        severity=severity, message=message, remedy=advice,
    )  # fmt: skip
