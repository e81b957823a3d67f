"""Makes long series short enough to draw, without losing what an eye would look for."""

from __future__ import annotations

import math

import numpy as np

from frrlib.results.series import Series

#: So many bins a drawn line has at most: about as many as there are pixels across a panel.
PIXELS = 1000


def binned_mbit(data: Series, from_s: float, to_s: float, bin_s: float) -> Series:
    """The growth of a count of bytes in Mbit/s, averaged over bins as `binned_rate` does."""
    times, rates = binned_rate(data, from_s, to_s, bin_s)
    return times, rates * 8e-6


def binned_rate(data: Series, from_s: float, to_s: float, bin_s: float) -> Series:
    """The growth of a count a second, averaged over bins that begin at whole multiples of `bin_s`.

    Returns:
        the middle of each bin, and the mean rate in it. Of the first and last bin only what is in the span counts;
        they are left out where that is less than half of them, as the mean over so short a time says little.
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
    """A series with at most about two points for each of so many bins of time: each bin's least and largest value, in
    their order. So a line looks the same, and no spike is lost."""
    times, values = data
    if times.size <= 2 * bins:
        return data
    edges = np.linspace(times[0], times[-1], bins + 1)[1:-1]
    starts = np.unique(np.append(0, np.searchsorted(times, edges)))
    starts = starts[starts < times.size]
    sizes = np.diff(np.append(starts, times.size))
    chosen = [np.array([0, times.size - 1])]
    for extreme in (np.minimum, np.maximum):
        # the first place in each bin that has the bin's least, or largest, value
        hits = np.flatnonzero(values == np.repeat(extreme.reduceat(values, starts), sizes))
        bin_of = np.searchsorted(starts, hits, "right")
        chosen.append(hits[np.append(True, np.diff(bin_of) > 0)])
    kept = np.unique(np.concatenate(chosen))
    return times[kept], values[kept]
