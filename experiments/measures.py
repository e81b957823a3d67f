"""Numbers and series that several experiments take from a run, in the units of published figures.

All functions are pure. A flow is named by its id. A series is a pair of float arrays (time_s, value) of one length,
times rising, see `frrlib.results.series`; where nothing was sampled it is empty, and a number of it is None.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from frrlib.model.frames import FULL_SEGMENT_BYTES
from frrlib.results.binning import binned_mbit
from frrlib.results.records import Results
from frrlib.results.series import (
    Floats,
    FlowSamples,
    Series,
    delivered,
    flow_samples,
    queue_directions,
    rate_mbit,
    select,
    sending_span,
    series,
    within,
)
from frrlib.results.statistics.bottleneck import bottleneck

EMPTY_SERIES: Series = (np.zeros(0), np.zeros(0))


def find_flow(results: Results, name: str) -> FlowSamples | None:
    """A flow's samples; None for a flow that is not in the run."""
    return next((each for each in flow_samples(results) if each.id == name), None)


def flow_names(results: Results) -> list[str]:
    """The ids of all flows, in their order."""
    return [each.id for each in flow_samples(results)]


# --- over time -------------------------------------------------------------------------------------------------------


def goodput(
    results: Results, name: str, bin_s: float, from_s: float | None = None, to_s: float | None = None
) -> Series:
    """Application bytes that reached the receiver in order, in Mbit/s over bins of `bin_s`, at their middles.

    It is what a capture behind the bottleneck shows, less headers and less what was sent twice. After a loss nothing
    arrives in order until it is repaired, and then much at once.

    Args:
        from_s, to_s: of which time; None for that in which the flow sent.
    """
    one = find_flow(results, name)
    return _while_sending(one, delivered(one), bin_s, from_s, to_s) if one else EMPTY_SERIES


def arrival_rate(
    results: Results, name: str, bin_s: float, from_s: float | None = None, to_s: float | None = None
) -> Series:
    """As `goodput`, whether in order or not: what acknowledgments, selective ones too, have told the sender to be
    there, counted in full segments. A capture at the receiver shows the same, so a hole that is being repaired leaves
    no dip and no spike behind it.
    """
    one = find_flow(results, name)
    if one is None:
        return EMPTY_SERIES
    times, packets = series(one.sender, "delivered_packets")
    return _while_sending(one, (times, packets * FULL_SEGMENT_BYTES), bin_s, from_s, to_s)


def _while_sending(one: FlowSamples, count: Series, bin_s: float, from_s: float | None, to_s: float | None) -> Series:
    """The growth of a flow's count of bytes, see `goodput`."""
    span = sending_span(one)
    if span is None or not count[0].size:
        return EMPTY_SERIES
    return binned_mbit(count, span[0] if from_s is None else from_s, span[1] if to_s is None else to_s, bin_s)


def output_rate(results: Results, direction: str, bin_s: float, from_s: float, to_s: float) -> Series:
    """What left a queue, in Mbit/s of whole frames over bins of `bin_s`: what a capture just behind it shows.

    Args:
        direction: of the queue ("l2:r1-h2"); empty for the bottleneck.
    """
    data = queue_series(results, "sent_bytes", direction)
    return binned_mbit(data, from_s, to_s, bin_s) if data[0].size else EMPTY_SERIES


def sender_series(results: Results, name: str, column: str) -> Series:
    """A column of the table "tcp" at a flow's sender (`frrlib.wire.TABLES`)."""
    one = find_flow(results, name)
    return series(one.sender, column) if one else EMPTY_SERIES


def rtt_ms(results: Results, name: str) -> Series:
    """The sender's smoothed round-trip time, as `ss` shows it: each measurement counts 1/8."""
    return sender_series(results, name, "srtt_ms")


def cwnd_packets(results: Results, name: str) -> Series:
    """The sender's congestion window, as `ss` shows it."""
    return sender_series(results, name, "cwnd_packets")


def queue_series(results: Results, column: str = "backlog_packets", direction: str = "") -> Series:
    """A column of the table "queue", of one queue.

    Args:
        column: "backlog_packets", "backlog_bytes"; counts since the start: "sent_bytes", "sent_packets", "drops",
            "marks".
        direction: of the queue; empty for the bottleneck, or for the only one.
    """
    names = queue_directions(results)
    wanted = direction or bottleneck(results)[0] or (next(iter(names)) if len(names) == 1 else "")
    if wanted not in names:
        return EMPTY_SERIES
    return series(select(results.queue, results.queue["direction"] == wanted), column)


# --- numbers ---------------------------------------------------------------------------------------------------------


def statistic(
    data: Series, from_s: float = -math.inf, to_s: float = math.inf, take: Callable[[Floats], Any] = np.mean
) -> float | None:
    """A number of the values from one time to another, such as `np.mean`, `np.median`, `np.max`; None for no values."""
    values = within(data, from_s, to_s)
    return float(take(values)) if values.size else None


def percentile(percent: float) -> Callable[[Floats], float]:
    """For `over`: linear between values, as numpy has it."""
    return lambda values: float(np.percentile(values, percent))


def goodput_mbit(results: Results, name: str, from_s: float, to_s: float) -> float | None:
    """A flow's mean goodput from one time to another; 0 for a flow that delivered nothing then.

    As `frrlib.results.statistics.summary.goodput_mbit`, for which an id that is not in the run is a mistake. Here it
    gives None, since a check looks for its flow in every case.
    """
    one = find_flow(results, name)
    return None if one is None else rate_mbit(delivered(one), from_s, to_s)


def goodputs_mbit(results: Results, from_s: float, to_s: float) -> dict[str, float]:
    """The same of every flow, by its id."""
    found = ((name, goodput_mbit(results, name, from_s, to_s)) for name in flow_names(results))
    return {name: rate for name, rate in found if rate is not None}


def growth(data: Series, from_s: float, to_s: float) -> float | None:
    """By how much a count grew from one time to another, between samples evenly; None for no samples."""
    if not data[0].size:
        return None
    begin, end = np.interp([from_s, to_s], *data)
    return float(end - begin)


def share(values: Sequence[float], index: int = 0) -> float | None:
    """One value's part of the sum, 0 to 1; None where the sum is 0."""
    total = sum(values)
    return values[index] / total if total else None
