"""Numbers and series from runs that several experiments use, in the units of published figures.

All functions are pure. A flow is named by its id. A series is a pair of float arrays (time_s, value) of the same
length, with increasing times, see `frrlib.results.series`. Without samples it is empty, and its statistics are None.
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
    """The samples of a flow; None if the run has no such flow."""
    return next((samples for samples in flow_samples(results) if samples.id == name), None)


def flow_names(results: Results) -> list[str]:
    """The ids of all flows, in the order of the run."""
    return [samples.id for samples in flow_samples(results)]


# --- over time -------------------------------------------------------------------------------------------------------


def goodput(
    results: Results, name: str, bin_s: float, from_s: float | None = None, to_s: float | None = None
) -> Series:
    """Application bytes that reached the receiver in order, in Mbit/s over bins of `bin_s`, at the middles of the bins.

    A capture behind the bottleneck shows the same rate plus headers and duplicates. After a loss, no bytes arrive in
    order until it is repaired, and then many at once.

    Args:
        from_s, to_s: the beginning and end; None for the time in which the flow sent.
    """
    samples = find_flow(results, name)
    return _while_sending(samples, delivered(samples), bin_s, from_s, to_s) if samples else EMPTY_SERIES


def arrival_rate(
    results: Results, name: str, bin_s: float, from_s: float | None = None, to_s: float | None = None
) -> Series:
    """As `goodput`, but including segments that arrived out of order.

    The sender's count of delivered packets is used: full segments that acknowledgments, including selective ones, have
    confirmed. A capture at the receiver shows the same rate. A repaired loss leaves neither a dip nor a spike.
    """
    samples = find_flow(results, name)
    if samples is None:
        return EMPTY_SERIES
    times, packets = series(samples.sender, "delivered_packets")
    return _while_sending(samples, (times, packets * FULL_SEGMENT_BYTES), bin_s, from_s, to_s)


def _while_sending(
    samples: FlowSamples, count: Series, bin_s: float, from_s: float | None, to_s: float | None
) -> Series:
    """The rate of a flow from a count of bytes, see `goodput`."""
    span = sending_span(samples)
    if span is None or not count[0].size:
        return EMPTY_SERIES
    return binned_mbit(count, span[0] if from_s is None else from_s, span[1] if to_s is None else to_s, bin_s)


def output_rate(results: Results, direction: str, bin_s: float, from_s: float, to_s: float) -> Series:
    """The output rate of a queue in Mbit/s of whole frames over bins of `bin_s`, as in a capture just behind it.

    Args:
        direction: the name of the queue's direction ("l2:r1-h2"); empty for the bottleneck.
    """
    data = queue_series(results, "sent_bytes", direction)
    return binned_mbit(data, from_s, to_s, bin_s) if data[0].size else EMPTY_SERIES


def sender_series(results: Results, name: str, column: str) -> Series:
    """A column of the table "tcp" (`frrlib.wire.TABLES`) at the sender of a flow."""
    samples = find_flow(results, name)
    return series(samples.sender, column) if samples else EMPTY_SERIES


def rtt_ms(results: Results, name: str) -> Series:
    """The sender's smoothed round-trip time, as `ss` shows it: each measurement has the weight 1/8."""
    return sender_series(results, name, "srtt_ms")


def cwnd_packets(results: Results, name: str) -> Series:
    """The sender's congestion window, as `ss` shows it."""
    return sender_series(results, name, "cwnd_packets")


def queue_series(results: Results, column: str = "backlog_packets", direction: str = "") -> Series:
    """A column of the table "queue" for one queue.

    Args:
        column: "backlog_packets", "backlog_bytes", or a count since the start: "sent_bytes", "sent_packets", "drops",
            "marks".
        direction: the direction of the queue; empty for the bottleneck, or for the only queue.
    """
    names = queue_directions(results)
    queue_name = direction or bottleneck(results)[0] or (next(iter(names)) if len(names) == 1 else "")
    if queue_name not in names:
        return EMPTY_SERIES
    return series(select(results.queue, results.queue["direction"] == queue_name), column)


# --- numbers ---------------------------------------------------------------------------------------------------------


def statistic(
    data: Series, from_s: float = -math.inf, to_s: float = math.inf, take: Callable[[Floats], Any] = np.mean
) -> float | None:
    """A statistic, such as `np.mean` or `np.max`, of the values from one time to another; None without values."""
    values = within(data, from_s, to_s)
    return float(take(values)) if values.size else None


def percentile(percent: float) -> Callable[[Floats], float]:
    """A percentile as a function for `statistic`, linear between values like numpy's."""
    return lambda values: float(np.percentile(values, percent))


def goodput_mbit(results: Results, name: str, from_s: float, to_s: float) -> float | None:
    """A flow's mean goodput from one time to another; 0 if it delivered nothing in this time.

    `frrlib.results.statistics.summary.goodput_mbit` raises an error if the run has no such flow. This function returns
    None, since a check looks for its flow in every case.
    """
    samples = find_flow(results, name)
    return None if samples is None else rate_mbit(delivered(samples), from_s, to_s)


def goodputs_mbit(results: Results, from_s: float, to_s: float) -> dict[str, float]:
    """The mean goodput of every flow by its id, see `goodput_mbit`."""
    rates = ((name, goodput_mbit(results, name, from_s, to_s)) for name in flow_names(results))
    return {name: rate for name, rate in rates if rate is not None}


def growth(data: Series, from_s: float, to_s: float) -> float | None:
    """The growth of a count from one time to another, interpolated between samples; None without samples."""
    if not data[0].size:
        return None
    begin, end = np.interp([from_s, to_s], *data)
    return float(end - begin)


def share(values: Sequence[float], index: int = 0) -> float | None:
    """The share of one value in the sum, 0 to 1; None if the sum is 0."""
    total = sum(values)
    return values[index] / total if total else None
