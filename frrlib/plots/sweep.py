"""Draws a metric over two fields that differ between runs, as heat maps with the numbers in their cells."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from frrlib.plots.fields import axis_label, field_values, matching_field, values_text
from frrlib.plots.page import Size, page, styled
from frrlib.results.layout import ResultsError
from frrlib.results.records import Results
from frrlib.results.statistics.comparison import METRICS, GroupStatistics, group_statistics
from frrlib.results.statistics.differences import Value, field_text, short_names, value_text

_COLORS = "cividis"
#: The maximum number of maps side by side, one for each value of a third field.
_MOST_MAPS = 4
#: The share of the color scale above which letters are black.
_LIGHT = 0.5


def heat(
    runs: Sequence[Results], metric: str = "goodput_mbit", across: str = "", up: str = "", size: Size = "page"
) -> Figure:
    """The mean of a metric over the runs of each cell, for two fields that differ between the runs.

    For a third field with a few words as values, such as the congestion control, there is a map for each value. The
    cells are means over all other fields that differ, which are listed below the maps.

    Args:
        runs: the runs of a sweep.
        metric: one of `comparison.METRICS`.
        across, up: the fields of the axes, or the ends of their names ("delay"); empty for those with the most values.

    Raises:
        ResultsError: less than two fields differ, or a field is unknown or ambiguous.
        KeyError: the metric is unknown.
    """
    rows = group_statistics(runs)
    fields = list(rows[0].group.values) if rows else []
    across, up = _axes(rows, runs, across, up)
    beside = next(
        (field for field in fields if field not in (across, up) and _are_words(field_values(rows, field))), ""
    )
    parts = field_values(rows, beside) if beside else [""]
    maps = [_cells([row for row in rows if not beside or row.group.values[beside] == part], rows, metric, across, up)
            for part in parts]  # fmt: skip
    known_values = np.concatenate([cells[~np.isnan(cells)] for cells in maps])
    low, high = (float(known_values.min()), float(known_values.max())) if known_values.size else (0.0, 1.0)
    names = short_names(fields)
    title = METRICS[metric].axis[:1].upper() + METRICS[metric].axis[1:]
    with styled():
        fig = page(size, 0.6 if len(parts) == 1 else 0.5)
        panels = fig.subplots(1, len(parts), sharey=True, squeeze=False)[0]
        for panel, part, cells in zip(panels, parts, maps, strict=True):
            image = _draw(panel, cells, low, high)
            panel.set_xticks(range(cells.shape[1]), [value_text(value) for value in field_values(rows, across)])
            panel.set_yticks(range(cells.shape[0]), [value_text(value) for value in field_values(rows, up)])
            panel.set_xlabel(axis_label(names[across]))
            panel.set_title(field_text(names[beside], part) if beside else title, loc="left")
        panels[0].set_ylabel(axis_label(names[up]))
        bar = fig.colorbar(image, ax=panels, shrink=0.9)
        if beside:
            bar.set_label(METRICS[metric].axis)
        if over := _averaged_fields(rows, names, (across, up, beside)):
            fig.supxlabel(over, fontsize="small")
    return fig


def _cells(
    part: Sequence[GroupStatistics], rows: Sequence[GroupStatistics], metric: str, across: str, up: str
) -> npt.NDArray[np.float64]:
    """The means of some rows, by line and column; NaN without known values."""
    columns, lines = field_values(rows, across), field_values(rows, up)
    cells = np.full((len(lines), len(columns)), np.nan)
    for y, line in enumerate(lines):
        for x, column in enumerate(columns):
            cell_rows = [row for row in part if row.group.values[across] == column and row.group.values[up] == line]
            values = [
                value for row in cell_rows for run in row.statistics if (value := METRICS[metric].of(run)) is not None
            ]
            if values:
                cells[y, x] = float(np.mean(values))
    return cells


def _draw(panel: Axes, cells: npt.NDArray[np.float64], low: float, high: float) -> AxesImage:
    """Draw one map; all maps of a figure have the same color scale."""
    image = panel.imshow(cells, cmap=_COLORS, origin="lower", aspect="auto", vmin=low, vmax=high)
    for (y, x), value in np.ndenumerate(cells):
        text = "-" if np.isnan(value) else f"{value:.3g}"
        is_light = value > low + _LIGHT * (high - low)
        panel.text(x, y, text, ha="center", va="center", color="black" if is_light else "white")
    panel.grid(visible=False)
    return image


def _are_words(values: Sequence[Value]) -> bool:
    return len(values) <= _MOST_MAPS and all(isinstance(value, str) and not value[:1].isdigit() for value in values)


def _averaged_fields(rows: Sequence[GroupStatistics], names: dict[str, str], shown_fields: Sequence[str]) -> str:
    """A text about the other varied fields, over which the cells are averaged; empty for none."""
    parts = [values_text(names[field], field_values(rows, field)) for field in names if field not in shown_fields]
    return f"each cell is the mean over {'; '.join(parts)}" if parts else ""


def _axes(rows: Sequence[GroupStatistics], runs: Sequence[Results], across: str, up: str) -> tuple[str, str]:
    fields = list(rows[0].group.values) if rows else []
    folder = runs[0].folder.parent if runs else Path()
    if len(fields) < 2:
        raise ResultsError(
            folder, f"a heat map needs runs that differ in two fields, but these differ in {len(fields)}",
            "use bars, or add runs",
        )  # fmt: skip
    counted = sorted(fields, key=lambda field: -len(field_values(rows, field)))
    requested = [matching_field(fields, name, folder) if name else "" for name in (across, up)]
    free = iter([field for field in counted if field not in requested])
    first, second = (name or next(free) for name in requested)
    return first, second
