"""Figures in their published form: axes, published points beside ours, and a note on missing cases."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from frrlib.formats.files import replace_file
from frrlib.model.flow_words import control_name
from frrlib.plots.page import figure_bytes, styled
from frrlib.results.binning import thinned
from frrlib.results.palette import color_of
from frrlib.results.series import Series
from miniedit_frr.experiments.declaration import Picture
from miniedit_frr.experiments.runs import Runs

_NOTE_LETTERS_PER_INCH = 19
#: Up to this number of names are listed; of longer lists only the first, and the number of further names.
_MAX_NAMES = 4
#: The formats of figures: for print and for screens.
FORMATS = ("pdf", "png")
#: Published data are gray, so that ours stand out: as a line, as points, as a range.
PUBLISHED = "#6e6e6e"
PUBLISHED_LINE: Mapping[str, Any] = {"color": PUBLISHED, "linewidth": 1.0, "linestyle": (0, (4, 1.5)), "zorder": 1.5}
PUBLISHED_POINTS: Mapping[str, Any] = {
    "color": PUBLISHED, "marker": "D", "markersize": 4, "markerfacecolor": "white", "linestyle": "none", "zorder": 3,
}  # fmt: skip


def draw_picture(picture: Picture, runs: Runs) -> Figure:
    """Draw a picture as a figure in the project's style."""
    with styled(formulas=True):
        return picture.draw(runs)


def save_picture(picture: Picture, runs: Runs, folder: Path) -> tuple[Path, ...]:
    """Draw a picture into a folder, in every format, and return the paths.

    Raises:
        PlaceError: a file cannot be written.
    """
    figure = draw_picture(picture, runs)
    folder.mkdir(parents=True, exist_ok=True)
    paths = tuple(folder / f"{picture.name}.{kind}" for kind in FORMATS)
    for path, kind in zip(paths, FORMATS, strict=True):
        replace_file(path, figure_bytes(figure, kind, formulas=True))
    return paths


def new_figure(
    rows: int = 1, columns: int = 1, *, width: float = 6.4, height: float = 3.6, share_x: bool = True, **grid: Any
) -> tuple[Figure, list[Axes]]:
    """A figure with its own canvas, and its panels row by row. `grid` is passed to `Figure.subplots`.

    It has the project's style if it is created within `draw_picture`.

    Args:
        width, height: its size in inches.
        share_x: whether the panels of a column share their x axis.
    """
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(rows, columns, sharex="col" if share_x else False, squeeze=False, **grid)
    return figure, [panel for row in panels for panel in row]


def control_style(control: str, **changes: Any) -> dict[str, Any]:
    """The style of a congestion control's lines and points; `changes` are added to it, or replace parts."""
    return {"color": color_of(control), "label": control_name(control), **changes}


def draw_series(panel: Axes, data: Series, **style: Any) -> None:
    """Draw a series as a line. A long series is thinned without losing spikes; an empty one is not drawn."""
    if data[0].size:
        panel.plot(*thinned(data), **style)


def set_axes(
    panel: Axes,
    x: str,
    y: str,
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
    title: str = "",
) -> None:
    """Set the labels of the axes, with units in parentheses ("time (s)"), and the published ranges."""
    panel.set_xlabel(x)
    panel.set_ylabel(y)
    if x_range:
        panel.set_xlim(*x_range)
    if y_range:
        panel.set_ylim(*y_range)
    if title:
        panel.set_title(title)


def add_legend(panel: Axes, published: str = "", **options: Any) -> None:
    """Add a legend of the drawn data, each label once; `published` is the label of published data."""
    entries = legend_entries(panel)
    if published:
        entries.setdefault(published, Line2D([], [], **PUBLISHED_LINE))
    if entries:
        panel.legend(list(entries.values()), list(entries), **{"loc": "best", **options})


def legend_entries(*panels: Axes) -> dict[str, Any]:
    """The entries of a legend for some panels: each label with the first artist that has it."""
    entries: dict[str, Any] = {}
    for panel in panels:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    return entries


def add_legend_above(figure: Figure, entries: dict[str, Any], columns: int, fontsize: float) -> None:
    """Add one legend above all panels of a figure; `entries` are as from `legend_entries`."""
    if entries:
        figure.legend(
            list(entries.values()), list(entries), loc="outside upper center", ncols=columns, fontsize=fontsize,
            frameon=False,
        )  # fmt: skip


def draw_band(panel: Axes, low: float, high: float, label: str = "") -> None:
    """Shade a published range, or the band of a statement, across a panel."""
    panel.axhspan(low, high, color=PUBLISHED, alpha=0.15, linewidth=0, zorder=0.5, label=label or None)


def add_note(figure: Figure, lines: Iterable[str]) -> None:
    """Add small text below a figure, such as the missing cases; nothing for empty lines."""
    letters = int(figure.get_figwidth() * _NOTE_LETTERS_PER_INCH)
    text = "\n".join(part for line in lines if line for part in textwrap.wrap(line, letters))
    if text:
        figure.supxlabel(text, x=0.01, ha="left", fontsize=7, color=PUBLISHED)


def missing_case_notes(runs: Runs, cases: Sequence[str] | None = None) -> list[str]:
    """Lines for `add_note`: missing cases with the reasons; cases with the same reason share a line.

    Args:
        cases: only these cases; None for all cases of the experiment.
    """
    reasons: dict[str, list[str]] = {}
    for case, reason in runs.missing.items():
        if cases is None or case in cases:
            reasons.setdefault(reason, []).append(case)
    lines = [f"not run: {_name_list(names)}: {reason}" for reason, names in reasons.items()]
    for control in dict.fromkeys(runs.substitutes.values()):
        replaced = [
            case
            for case, substitute in runs.substitutes.items()
            if substitute == control and (cases is None or case in cases)
        ]
        lines += [f"{control_name(control)} ran in {_name_list(replaced)}"] if replaced else []
    return ["shortened for a class (quick)", *lines] if runs.is_quick else lines


def _name_list(names: Sequence[str]) -> str:
    """The names as a list; of a long list only the first names, and the number of further ones."""
    further = len(names) - _MAX_NAMES
    return ", ".join(names) if further <= 1 else f"{', '.join(names[:_MAX_NAMES])} and {further} more"
