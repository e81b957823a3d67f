"""Queues: whether one that stood was emptied at its rate, and how much it held."""

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
from frrlib.results.tables import Columns
from frrlib.results.trust import disturbed
from frrlib.results.trust.finding import Finding, Severity

Floats = NDArray[np.float64]

#: A queue must have stood for so long together before its rate is judged.
LEAST_S = 1.0
#: Shares of the rate between which a standing queue empties; the machine may lose some of it, and add none.
SHARE_LOW, SHARE_HIGH = 0.98, 1.005
#: Below this share of it, on a machine that is not busy, the rate is another one; and so it is as far above.
SHARE_WRONG = 0.9
#: The mean of frames that are nearly all full, as a share of a full one.
FULL_SHARE = 0.99
#: How exactly the moment of a sample is known, and how long a gap between two may be to say anything.
CLOCK_S, LONGEST_GAP_S = 0.003, 0.25
#: How far from its limit a queue that dropped may have been, in frames.
FRAMES = 2
#: A few drops may have another reason than a full queue (a frame that no bucket takes); this share of samples, and one.
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
    """Rate and limit of every queue of which enough is known and was seen.

    Args:
        calm: whether nothing is known of the machine by which a queue would be emptied late.
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
    known = np.logical_and.reduce([~np.isnan(column) for column in columns])
    order = np.argsort(columns[0][known], kind="stable")
    return _Queue(direction, info, *(column[known][order] for column in columns))


# --- rate -------------------------------------------------------------------------------------------------------------


def _rate(results: Results, queue: _Queue, calm: bool) -> Iterator[Finding]:
    """The output rate while, at each sample, the backlog was more than could leave until the next."""
    info, gaps = queue.info, queue.gaps
    rates, steady = _rates(results, queue)
    rates *= info.frame_bytes / info.accounting.charged_bytes(info.frame_bytes)
    spans = disturbed.outage_spans(results, queue.direction)
    fits = steady & (rates > 0) & (gaps > 0) & (gaps < LONGEST_GAP_S)
    fits &= ~disturbed.overlap(queue.times[:-1], queue.times[1:], spans)
    stood = fits & (queue.backlog[:-1] >= rates * 125_000 * gaps + info.frame_bytes)
    if not info.is_exact or gaps[stood].sum() < LEAST_S:
        return
    if not info.accounting.is_plain and _mean_frame(queue, stood) < FULL_SHARE * info.frame_bytes:
        return  # a shaper that adds something to each frame carries less of short ones
    lasted_s = float(gaps[stood].sum())
    drawn = float((rates * gaps)[stood].sum()) / lasted_s
    measured = float(np.diff(queue.sent)[stood].sum()) * 8e-6 / lasted_s
    # At the ends of a stretch a frame more or less, and how exactly the time is known; of many, the errors make up for
    # each other.
    stretches = int(stood[0]) + int(np.count_nonzero(stood[1:] & ~stood[:-1]))
    slack = 2 * math.sqrt(stretches) * (info.frame_bytes * 8e-6 + CLOCK_S * drawn) / lasted_s
    low, high = SHARE_LOW * drawn - slack, SHARE_HIGH * drawn + slack
    severity: Severity = "ok" if low <= measured <= high else "doubt"
    why = right = ""
    if severity == "doubt":
        less = measured < low
        gross = (calm and measured < SHARE_WRONG * drawn - slack) or measured > (2 - SHARE_WRONG) * drawn + slack
        severity = "wrong" if gross else "doubt"
        why = (
            f"{queue.direction} carried {measured:.4g} Mbit/s while packets waited for {lasted_s:.3g} s, and "
            f"{drawn:.4g} Mbit/s is drawn"
        )
        right = "take a quieter machine or a lower rate" if less and not gross else "look at the link's rate with tc"
    yield Finding(
        what="rate", subject=queue.direction, configured=drawn, measured=measured, unit="Mbit/s", low=low, high=high,
        severity=severity, why=why, right=right,
    )  # fmt: skip


def _mean_frame(queue: _Queue, chosen: NDArray[np.bool_]) -> float:
    """The mean size in bytes of the frames that left in some intervals."""
    return float(np.diff(queue.sent)[chosen].sum() / max(1.0, np.diff(queue.packets)[chosen].sum()))


def _rates(results: Results, queue: _Queue) -> tuple[Floats, NDArray[np.bool_]]:
    """The rate in force in each interval in Mbit/s, 0 for none, and in which intervals it did not change."""
    rate = rate_history(results, queue.direction, queue.info.rate_mbit)
    begins, ends = queue.times[:-1], queue.times[1:]
    spans = [(change - disturbed.BEFORE_S, change + disturbed.AFTER_S) for change in rate.times_s[1:].tolist()]
    return np.nan_to_num(rate.at(begins)), ~disturbed.overlap(begins, ends, spans)


# --- limit ------------------------------------------------------------------------------------------------------------


def _limit(results: Results, queue: _Queue) -> Iterator[Finding]:
    """How much it held: never more than the limit in force, and where it dropped its newest no less than that."""
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
        return  # a queue that never filled says nothing of its limit
    # What left since the sample before, or until this one, may be what there was more at the moment of a drop.
    fullest = np.maximum(backlog[:-1], backlog[1:]) + np.diff(queue.sent)
    early = int(np.count_nonzero(dropped & (fullest < limits[:-1] - FRAMES * frame)))
    yield _held(queue, float(limits[worst]), frame, float(backlog[worst]), early, int(np.count_nonzero(dropped)))


def _limits(results: Results, queue: _Queue) -> tuple[Floats, NDArray[np.bool_]]:
    """The limit in force at each sample, in what it counts, and at which samples it can be judged."""
    info, times = queue.info, queue.times
    limit = limit_history(results, queue.direction, info.limit_bytes)
    limits = limit.at(times)
    if info.counts == "packets":
        limits = np.ceil(limits / info.frame_bytes)
    is_judged = ~np.isnan(limits) & (
        times < disturbed.limit_unknown_from_s(results, queue.direction, limit.times_s[1:].tolist())
    )
    rate = rate_history(results, queue.direction, info.rate_mbit)
    size = info.frame_bytes if info.counts == "packets" else 1
    for change_s in limit.times_s[1:].tolist():
        # A limit that becomes smaller drops no packets that wait already: these have to leave first.
        after = int(np.searchsorted(times, change_s, side="right"))
        excess = max(0.0, float(queue.backlog[after - 1] - limits[after])) if 0 < after < times.size else 0.0
        waits_s = excess * size * 8e-6 / (rate.at_mbit(change_s) or math.inf)
        is_judged &= (times < change_s - disturbed.BEFORE_S) | (times > change_s + waits_s + disturbed.AFTER_S)
    return limits, is_judged


def _held(queue: _Queue, limit: float, frame: int, largest: float, early: int, dropping: int) -> Finding:
    unit, direction = queue.info.counts, queue.direction
    rate_bytes_s = (queue.info.rate_mbit or 0.0) * 125_000
    between = rate_bytes_s * float(np.median(queue.gaps)) / (queue.info.frame_bytes if unit == "packets" else 1)
    low = max(0.0, limit - FRAMES * frame - between) if dropping else None
    severity: Severity = "ok"
    why = ""
    if largest > limit + frame:
        severity, why = "wrong", f"{direction} held {largest:.0f} {unit}, and its limit is drawn as {limit:.0f}"
    elif early > 1 + ODD_SHARE * dropping:
        severity = "wrong"
        why = f"{direction} dropped packets while it held no more than {largest:.0f} {unit} of {limit:.0f} as drawn"
    right = "look at the queue's limit with tc" if why else ""
    return Finding(
        what="queue", subject=direction, configured=limit, measured=largest, unit=unit, low=low, high=limit + frame,
        severity=severity, why=why, right=right,
    )  # fmt: skip
