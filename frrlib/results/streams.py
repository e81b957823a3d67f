"""Parallel connections of one flow merged into one: counts are added up, other values are those of the first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from frrlib.results.table_reader import Columns

#: The text between the id of a flow and the number of its stream, which counts from 1.
SEPARATOR = "/"
#: The columns that are added up: counts, and the data that each connection may have in flight.
_SUMMED = (
    "cwnd_packets", "unacked_packets", "in_flight_packets", "pacing_rate_mbit", "delivery_rate_mbit",
    "bytes_acked", "bytes_received", "bytes_sent", "bytes_retrans", "retransmits", "lost_packets", "sacked_packets",
    "duplicate_packets", "out_of_order_packets",
)  # fmt: skip


def stream_names(flow: str, count: int) -> list[str]:
    """The names of a flow's connections in samples."""
    return [flow] if count == 1 else [f"{flow}{SEPARATOR}{number}" for number in range(1, count + 1)]


def merge_streams(streams: Sequence[Columns]) -> Columns:
    """The rows of parallel connections of one side as those of one connection, at the times of the first.

    The other connections count with their latest sample before each time. An ended connection keeps its last count.
    """
    first, *later_streams = streams
    summed = dict(first)
    for name in (column for column in _SUMMED if column in first):
        total = first[name].astype(np.float64)
        for stream in later_streams:
            is_known = ~np.isnan(stream[name])
            times, values = stream["time_s"][is_known], stream[name][is_known]
            if values.size:
                place = np.searchsorted(times, first["time_s"], side="right")
                total = total + np.where(place > 0, values[np.maximum(place - 1, 0)], 0.0)
        summed[name] = total
    return summed
