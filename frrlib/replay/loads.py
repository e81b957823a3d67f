"""The loads of links over time: the rate of each direction, as a mean over bins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from frrlib.replay.samples import milliseconds, packed_rows, rounded
from frrlib.replay.wiring import Wiring
from frrlib.results.rates import rate_history
from frrlib.results.records import Results
from frrlib.results.series import Series, queue_directions, select, series

#: The most values of all loads together, and the shortest and the most bins of one load.
MOST_VALUES, SHORTEST_BIN_S, MOST_BINS = 60_000, 0.1, 400


def bin_length_s(span: tuple[float, float], directions: int) -> float:
    """The length of the bins of loads, such that the page does not become too large."""
    bins = max(1, min(MOST_BINS, MOST_VALUES // max(directions, 1)))
    return max(SHORTEST_BIN_S, (span[1] - span[0]) / bins)


def sent_bytes(results: Results, wiring: Wiring) -> dict[str, Series]:
    """The count of sent bytes over time of each sampled direction: of its queue, or else of its interface."""
    counts = {
        name: series(rows, "sent_bytes")
        for name, rows in queue_directions(results).items()
        if name in wiring.directions
    }
    table = results.interface
    for (node, interface), direction in wiring.by_interface.items():
        if direction.name not in counts:
            rows = select(table, (table["node"] == node) & (table["interface"] == interface))
            counts[direction.name] = series(rows, "tx_bytes")
    return {name: data for name, data in counts.items() if data[0].size > 1}


def mean_rates(data: Series, span: tuple[float, float], bin_s: float) -> Iterator[float]:
    """The mean rate in Mbit/s in each bin from the start of the span; NaN for a bin that is not within the samples."""
    times, counts = data
    edges = span[0] + bin_s * np.arange(int(np.ceil((span[1] - span[0]) / bin_s - 1e-9)) + 1)
    begins, ends = np.maximum(edges[:-1], times[0]), np.minimum(edges[1:], times[-1])
    grown = np.interp(ends, times, counts) - np.interp(begins, times, counts)
    for begin_s, end_s, bytes_sent in zip(begins.tolist(), ends.tolist(), grown.tolist(), strict=True):
        yield bytes_sent * 8e-6 / (end_s - begin_s) if end_s - begin_s >= bin_s / 2 else float("nan")


def packed_loads(results: Results, wiring: Wiring, span: tuple[float, float]) -> dict[str, Any]:
    """The loads in the page: the length of a bin in milliseconds, and for each direction its rates and its limits."""
    counts = sent_bytes(results, wiring)
    bin_s = bin_length_s(span, len(counts))
    loads = []
    for name, data in counts.items():
        direction = wiring.directions[name]
        info = results.info.queues.get(name)
        limit = rate_history(results, name, info.rate_mbit if info else None)
        loads.append(
            {
                "name": name,
                "link": direction.link,
                "forward": direction.is_forward,
                "from": direction.sender,
                "to": direction.receiver,
                "rates": [rounded(rate) for rate in mean_rates(data, span, bin_s)],
                "limits": packed_rows(limit.times_s.tolist(), limit.rates_mbit.tolist()),
            }
        )
    return {"bin": milliseconds(bin_s), "begin": milliseconds(span[0]), "directions": loads}
