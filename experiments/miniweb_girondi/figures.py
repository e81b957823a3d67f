"""Parts of M. Girondi's figures: violins on a logarithmic axis, and the published data beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter

from frrlib.model.flow_words import control_name
from miniedit_frr.experiments import published_style

#: Fewer values than this number are drawn as points only, without a density.
_FEWEST = 4


def draw_violin(panel: Axes, place: float, values: Sequence[float], control: str, floor: float = 0.001) -> None:
    """Draw the density of values on a logarithmic axis, their median, and each value as a point.

    Args:
        floor: the position of lower values, such as 0.
    """
    color = published_style.control_style(control)["color"]
    logs = np.log10(np.maximum(np.array(values, dtype=np.float64), floor))
    if logs.size >= _FEWEST and np.ptp(logs) > 0:
        grid = np.linspace(logs.min() - 0.1, logs.max() + 0.1, 120)
        width = max(0.03, 1.06 * float(logs.std()) * logs.size**-0.2)  # Silverman's rule
        density = np.exp(-0.5 * ((grid[:, None] - logs[None, :]) / width) ** 2).sum(axis=1)
        half = 0.26 * density / density.max()
        panel.fill_betweenx(10**grid, place - half, place + half, color=color, alpha=0.35, linewidth=0)
    panel.plot(np.full(logs.size, place), 10**logs, ".", color=color, markersize=2.5, alpha=0.8)
    if logs.size:
        middle = 10 ** float(np.median(logs))
        style = {"color": "white", "markeredgecolor": color, "markersize": 4.5, "linestyle": "none"}
        panel.plot(place, middle, marker="o", label=control_name(control), **style)


def draw_published_range(panel: Axes, place: float, row: Mapping[str, str], unit: str) -> None:
    """Draw the published range: least to greatest value, quartiles and median."""
    least, first, middle, third, most = (
        float(row[f"{name}_{unit}"]) for name in ("min", "p25", "median", "p75", "max")
    )
    if most <= 0:
        return
    panel.vlines(place, max(least, 1e-3), most, color=published_style.PUBLISHED, linewidth=0.8)
    panel.vlines(place, max(first, 1e-3), third, color=published_style.PUBLISHED, linewidth=2.4)
    panel.plot(place, middle, **published_style.PUBLISHED_POINTS)


def set_log_scale(panel: Axes, y_range: tuple[float, float]) -> None:
    """Make the axis of measured values logarithmic, with a line for each power of ten."""
    panel.set_yscale("log")
    panel.set_ylim(*y_range)
    panel.yaxis.set_major_locator(LogLocator(10, numticks=12))
    panel.yaxis.set_minor_formatter(NullFormatter())
    panel.grid(visible=False, axis="x")


def draw_line(panel: Axes, x: Sequence[Any], y: Sequence[float], control: str, **style: Any) -> None:
    """Draw our values over the varied value as a line; nothing without values."""
    if len(x):
        panel.plot(
            x,
            y,
            **published_style.control_style(control, **{"marker": "o", "markersize": 3.5, "linewidth": 1.1, **style}),
        )
