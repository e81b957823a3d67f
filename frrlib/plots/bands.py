"""Repetitions of an experiment as one line: their mean over time, in a band from their minimum to their maximum."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from frrlib.results.palette import DashPattern
from frrlib.results.series import Floats, Series

#: The number of times at which repetitions are compared: about the number of pixels across a panel.
_MOMENTS = 500


def band(repetitions: Sequence[Series]) -> tuple[Floats, Floats, Floats, Floats]:
    """The minimum, mean and maximum of repetitions over time.

    Args:
        repetitions: a series of each repetition; empty ones are ignored.

    Returns:
        Times in seconds, and the minimum, mean and maximum of the repetitions at these times, interpolated between
        samples. A repetition that has ended is not included. All are empty without samples.
    """
    known_series = [data for data in repetitions if data[0].size]
    if not known_series:
        nothing = np.zeros(0)
        return nothing, nothing, nothing, nothing
    times = np.linspace(min(xs[0] for xs, _ in known_series), max(xs[-1] for xs, _ in known_series), _MOMENTS)
    values = np.array([np.interp(times, xs, ys, left=np.nan, right=np.nan) for xs, ys in known_series])
    has_values = ~np.isnan(values).all(axis=0)  # repetitions that do not overlap leave a gap
    times, values = times[has_values], values[:, has_values]
    return times, np.nanmin(values, axis=0), np.nanmean(values, axis=0), np.nanmax(values, axis=0)


def draw_repetitions(panel: Axes, repetitions: Sequence[Series], color: str, line: DashPattern, width: float) -> None:
    """Draw one repetition as a line, and several as their mean in a band."""
    if len(repetitions) == 1:
        panel.plot(*repetitions[0], color=color, linestyle=line, linewidth=width)
        return
    times, least, mean, most = band(repetitions)
    panel.fill_between(times, least, most, color=color, alpha=0.2, linewidth=0)
    panel.plot(times, mean, color=color, linestyle=line, linewidth=width)
