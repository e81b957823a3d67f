"""Parallel connections of one flow, seen as one: counts are added up, all else is the first one's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from frrlib.results.tables import Columns

#: Between the id of a flow and the number of its stream, from 1.
SEPARATOR = "/"
#: What is added up: counts, and what each connection may have under way.
_ADDED = (
    "cwnd_packets", "unacked_packets", "in_flight_packets", "pacing_rate_mbit", "delivery_rate_mbit",
    "bytes_acked", "bytes_received", "bytes_sent", "bytes_retrans", "retransmits", "lost_packets", "sacked_packets",
    "duplicate_packets", "out_of_order_packets",
)  # fmt: skip


def stream_names(flow: str, count: int) -> list[str]:
    """The names of a flow's connections in samples."""
    return [flow] if count == 1 else [f"{flow}{SEPARATOR}{number}" for number in range(1, count + 1)]


def merge_streams(streams: Sequence[Columns]) -> Columns:
    """The rows of some connections of one side as those of one connection, at the times of the first one.

    Each other one counts with what it was sampled with last; one that has ended keeps what it came to.
    """
    first, *others = streams
    found = dict(first)
    for name in (each for each in _ADDED if each in first):
        total = first[name].astype(np.float64)
        for other in others:
            known = ~np.isnan(other[name])
            times, values = other["time_s"][known], other[name][known]
            if values.size:
                place = np.searchsorted(times, first["time_s"], side="right")
                total = total + np.where(place > 0, values[np.maximum(place - 1, 0)], 0.0)
        found[name] = total
    return found
