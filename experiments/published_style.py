"""Figures in the form in which they were published: axes, published points beside ours, and a note on cases not run."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.declaration import Picture
from experiments.runs import Runs
from frrlib.formats.files import replace_file
from frrlib.model.flow_words import control_name
from frrlib.plots.page import figure_bytes, styled
from frrlib.results.binning import thinned
from frrlib.results.palette import color_of
from frrlib.results.series import Series

_NOTE_LETTERS_PER_INCH = 19
#: So many names are told; of more the first, and how many more there are.
_MOST_NAMES = 4
#: In which formats figures are kept: for print and for screens.
FORMATS = ("pdf", "png")
#: Published data is grey, so that ours stands out: as a line, as points, as a range.
PUBLISHED = "#6e6e6e"
PUBLISHED_LINE: Mapping[str, Any] = {"color": PUBLISHED, "linewidth": 1.0, "linestyle": (0, (4, 1.5)), "zorder": 1.5}
PUBLISHED_POINTS: Mapping[str, Any] = {
    "color": PUBLISHED, "marker": "D", "markersize": 4, "markerfacecolor": "white", "linestyle": "none", "zorder": 3,
}  # fmt: skip


def draw_picture(picture: Picture, runs: Runs) -> Figure:
    """A picture as a figure, in the project's style."""
    with styled(formulas=True):
        return picture.draw(runs)


def save_picture(picture: Picture, runs: Runs, folder: Path) -> tuple[Path, ...]:
    """Draw a picture into a folder, in every format; the paths.

    Raises:
        PlaceError: a file cannot be written.
    """
    made = draw_picture(picture, runs)
    folder.mkdir(parents=True, exist_ok=True)
    paths = tuple(folder / f"{picture.name}.{kind}" for kind in FORMATS)
    for path, kind in zip(paths, FORMATS, strict=True):
        replace_file(path, figure_bytes(made, kind, formulas=True))
    return paths


def figure(
    rows: int = 1, columns: int = 1, *, width: float = 6.4, height: float = 3.6, share_x: bool = True, **grid: Any
) -> tuple[Figure, list[Axes]]:
    """A figure with its own canvas, and its panels row by row. `grid` is told to `Figure.subplots`.

    It has the project's style if it is made through `drawn`, as the runner of experiments does.

    Args:
        width, height: in inches.
        share_x: whether panels above each other have one axis of x.
    """
    made = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(made)
    panels = made.subplots(rows, columns, sharex="col" if share_x else False, squeeze=False, **grid)
    return made, [panel for row in panels for panel in row]


def control_style(control: str, **more: Any) -> dict[str, Any]:
    """How lines and points of a congestion control look; `more` is added, or put in place."""
    return {"color": color_of(control), "label": control_name(control), **more}


def draw_series(panel: Axes, data: Series, **how: Any) -> None:
    """A line; a long one is made short without losing a spike. Nothing where there is nothing."""
    if data[0].size:
        panel.plot(*thinned(data), **how)


def set_axes(
    panel: Axes,
    x: str,
    y: str,
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
    title: str = "",
) -> None:
    """Name the axes, with units in parentheses ("time (s)"), and give them the published ranges."""
    panel.set_xlabel(x)
    panel.set_ylabel(y)
    if x_range:
        panel.set_xlim(*x_range)
    if y_range:
        panel.set_ylim(*y_range)
    if title:
        panel.set_title(title)


def add_legend(panel: Axes, published: str = "", **how: Any) -> None:
    """A legend of the drawn data, each label once; `published` names the grey of published data."""
    shown = legend_entries(panel)
    if published:
        shown.setdefault(published, Line2D([], [], **PUBLISHED_LINE))
    if shown:
        panel.legend(list(shown.values()), list(shown), **{"loc": "best", **how})


def legend_entries(*panels: Axes) -> dict[str, Any]:
    """The entries of a legend for some panels: each label once, with the first artist that has it."""
    found: dict[str, Any] = {}
    for panel in panels:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    return found


def add_legend_above(made: Figure, shown: dict[str, Any], columns: int, fontsize: float) -> None:
    """One legend above all panels of a figure; `shown` is as of `entries`."""
    if shown:
        made.legend(list(shown.values()), list(shown), loc="outside upper center", ncols=columns, fontsize=fontsize,
                    frameon=False)  # fmt: skip


def draw_band(panel: Axes, low: float, high: float, label: str = "") -> None:
    """A published range, or a band of a statement, across a panel."""
    panel.axhspan(low, high, color=PUBLISHED, alpha=0.15, linewidth=0, zorder=0.5, label=label or None)


def add_note(made: Figure, lines: Iterable[str]) -> None:
    """Small words below a figure, such as the cases not run; nothing for no words."""
    letters = int(made.get_figwidth() * _NOTE_LETTERS_PER_INCH)
    text = "\n".join(part for line in lines if line for part in textwrap.wrap(line, letters))
    if text:
        made.supxlabel(text, x=0.01, ha="left", fontsize=7, color=PUBLISHED)


def missing_case_notes(runs: Runs, cases: Sequence[str] | None = None) -> list[str]:
    """For `note`: cases that were not run and why, those with the same reason in one line.

    Args:
        cases: only these; None for all of the experiment.
    """
    reasons: dict[str, list[str]] = {}
    for case, why in runs.missing.items():
        if cases is None or case in cases:
            reasons.setdefault(why, []).append(case)
    lines = [f"not run: {_few(names)}: {why}" for why, names in reasons.items()]
    for control in dict.fromkeys(runs.substitutes.values()):
        there = [case for case, other in runs.substitutes.items() if other == control and (cases is None or case in cases)]
        lines += [f"{control_name(control)} ran in {_few(there)}"] if there else []
    return ["shortened for a class (quick)", *lines] if runs.is_quick else lines


def _few(names: Sequence[str]) -> str:
    """Some names; of more than a figure has room for, the first, and how many more."""
    left = len(names) - _MOST_NAMES
    return ", ".join(names) if left <= 1 else f"{', '.join(names[:_MOST_NAMES])} and {left} more"
