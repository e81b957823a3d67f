"""Repetitions of one experiment as one line: their mean over time, in a band from the least to the most of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from frrlib.results.palette import DashPattern
from frrlib.results.series import Floats, Series

#: At so many moments repetitions are compared: about as many as a panel has pixels for.
_MOMENTS = 500


def band(repetitions: Sequence[Series]) -> tuple[Floats, Floats, Floats, Floats]:
    """What repetitions have in common, at moments of their own time.

    Args:
        repetitions: a series of each repetition; empty ones do not count.

    Returns:
        times in seconds, and there the least, the mean and the most of those repetitions that last so long; between
        their samples evenly. All are empty where none has samples.
    """
    known = [data for data in repetitions if data[0].size]
    if not known:
        nothing = np.zeros(0)
        return nothing, nothing, nothing, nothing
    times = np.linspace(min(xs[0] for xs, _ in known), max(xs[-1] for xs, _ in known), _MOMENTS)
    values = np.array([np.interp(times, xs, ys, left=np.nan, right=np.nan) for xs, ys in known])
    there = ~np.isnan(values).all(axis=0)  # between two that do not meet there is nothing
    times, values = times[there], values[:, there]
    return times, np.nanmin(values, axis=0), np.nanmean(values, axis=0), np.nanmax(values, axis=0)


def draw_repetitions(panel: Axes, repetitions: Sequence[Series], colour: str, line: DashPattern, width: float) -> None:
    """Draw one repetition as it is, and several as their mean in a band."""
    if len(repetitions) == 1:
        panel.plot(*repetitions[0], color=colour, linestyle=line, linewidth=width)
        return
    times, least, mean, most = band(repetitions)
    panel.fill_between(times, least, most, color=colour, alpha=0.2, linewidth=0)
    panel.plot(times, mean, color=colour, linestyle=line, linewidth=width)
