"""Shortens long series for figures without losing visible features."""

from __future__ import annotations

import math

import numpy as np

from frrlib.results.series import Series

#: The maximum number of bins of a line in a figure: about the number of pixels across a panel.
PIXELS = 1000


def binned_mbit(data: Series, from_s: float, to_s: float, bin_s: float) -> Series:
    """The growth of a count of bytes in Mbit/s, averaged over bins as `binned_rate` does."""
    times, rates = binned_rate(data, from_s, to_s, bin_s)
    return times, rates * 8e-6


def binned_rate(data: Series, from_s: float, to_s: float, bin_s: float) -> Series:
    """The growth of a count per second, averaged over bins that begin at whole multiples of `bin_s`.

    Returns:
        The middle of each bin, and the mean rate in it. The first and the last bin are cut to the span. They are left
        out if less than half of them is inside, because the mean over such a short time means little.
    """
    first, last = math.ceil(from_s / bin_s - 0.5), math.floor(to_s / bin_s + 0.5)
    edges = np.arange(first, last + 1) * bin_s
    if last <= first:
        edges = np.array([from_s, to_s])
    edges[0], edges[-1] = max(edges[0], from_s), min(edges[-1], to_s)
    widths_s = np.diff(edges)
    growth = np.diff(np.interp(edges, *data))
    rates = np.divide(growth, widths_s, out=np.zeros_like(growth), where=widths_s > 0)
    return (edges[:-1] + edges[1:]) / 2, rates


def thinned(data: Series, bins: int = PIXELS) -> Series:
    """A series with about two points for each bin of time: its least and its largest value, in their order. A line
    through them looks the same, and no spike is lost."""
    times, values = data
    if times.size <= 2 * bins:
        return data
    edges = np.linspace(times[0], times[-1], bins + 1)[1:-1]
    starts = np.unique(np.append(0, np.searchsorted(times, edges)))
    starts = starts[starts < times.size]
    sizes = np.diff(np.append(starts, times.size))
    index_parts = [np.array([0, times.size - 1])]
    for extreme in (np.minimum, np.maximum):
        # the first place in each bin that has the bin's least, or largest, value
        hits = np.flatnonzero(values == np.repeat(extreme.reduceat(values, starts), sizes))
        bin_of = np.searchsorted(starts, hits, "right")
        index_parts.append(hits[np.append(True, np.diff(bin_of) > 0)])
    indices = np.unique(np.concatenate(index_parts))
    return times[indices], values[indices]
