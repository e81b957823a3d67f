"""The paper that figures are drawn on: sizes of columns and screens, the project's style, and files of every format."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

#: For what draws texts of a drawing or a lab: a dollar in them begins no formula.
AS_WRITTEN: Any = {"text.parse_math": False}  # matplotlib declares a key for each setting
#: What matplotlib.style.use takes.
STYLE = Path(__file__).with_name("miniedit.mplstyle")
#: Widths in inches of a figure in one column of a paper, across two, and on a screen.
WIDTHS_INCHES = {"column": 3.5, "page": 7.16, "screen": 8.0}
#: Letters in one column of a paper, which has room for few.
_COLUMN_POINTS = 7.0
#: What marks a legend that stands beside its panel.
_BESIDE = "beside"
FORMATS = ("png", "svg", "pdf")

Size = Literal["column", "page", "screen"]


@contextmanager
def styled(*, formulas: bool = False) -> Iterator[None]:
    """Draw and write in the project's style; afterwards matplotlib is as it was.

    Args:
        formulas: whether texts between dollars are formulas, as the numbers of a logarithmic axis are. Never where a
            text is a drawing's or a lab's.
    """
    with rc_context({} if formulas else AS_WRITTEN, STYLE):
        yield


def page(size: Size, height_share: float = 0.62) -> Figure:
    """An empty figure with a canvas of its own; its height is a share of its width, a bit more in a narrow column."""
    width = WIDTHS_INCHES[size]
    height = width * (height_share * 1.3 if size == "column" else height_share)
    made = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(made)
    return made


def legend_beside(panel: Axes, **options: Any) -> None:
    """A legend at the right of a panel, below it where the figure is of one column."""
    legend = panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), **options)
    legend.set_gid(_BESIDE)


def fit_column(made: Figure) -> None:
    """Make a figure's texts fit one column of a paper: the first words of titles, and letters of one size."""
    for panel in made.axes:
        words = panel.get_title(loc="left")
        last = words.rpartition("\n")[2]
        panel.set_title(re.split(r": |[(,;]", last)[0].strip(), loc="left", fontsize=_COLUMN_POINTS + 0.5)
        for text in (panel.xaxis.label, panel.yaxis.label, *panel.get_xticklabels(), *panel.get_yticklabels()):
            text.set_fontsize(_COLUMN_POINTS)
        panel.tick_params(labelsize=_COLUMN_POINTS)
        legend = panel.get_legend()
        if legend is not None and legend.get_gid() == _BESIDE:
            lines = len(legend.get_texts())
            made.set_figheight(made.get_figheight() + 0.15 * lines)
            legend.set_loc("upper left")
            legend.set_bbox_to_anchor(
                (0.0, -0.55 / panel.get_position().height / made.get_figheight()), panel.transAxes
            )
        for second in panel.child_axes:
            second.yaxis.label.set_fontsize(_COLUMN_POINTS)
            second.tick_params(labelsize=_COLUMN_POINTS)
    for legend in made.legends:
        legend.get_title().set_fontsize(_COLUMN_POINTS + 1.5)


def show_span(made: Figure, from_s: float | None, to_s: float | None) -> None:
    """Show a part of the time axis, in all panels; scales that begin at 0 end above the largest value in sight."""
    low, high = made.axes[0].get_xlim()
    low, high = low if from_s is None else from_s, high if to_s is None else to_s
    for panel in made.axes:
        panel.set_xlim(low, high)
        tops = [
            float(np.nanmax(ys[seen]))
            for line in panel.get_lines()
            if line.get_transform() == panel.transData
            for xs, ys in [np.asarray(line.get_data(), dtype=np.float64)]
            if (seen := (xs >= low) & (xs <= high) & ~np.isnan(ys)).any()
        ]
        bottom, top = panel.get_ylim()
        if tops and bottom == 0 < top:
            panel.set_ylim(0, 1.08 * max(tops) or 1.0)


def figure_bytes(made: Figure, kind: str, *, formulas: bool = False) -> bytes:
    """A figure as the content of a file of one of FORMATS; the same figure gives the same bytes.

    Args:
        formulas: as for `styled`.

    Raises:
        ValueError: `kind` is none of FORMATS.
    """
    if kind not in FORMATS:
        raise ValueError(f"{kind or 'no ending'} is no kind of picture; there are {', '.join(FORMATS)}")
    out = io.BytesIO()
    dates: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}
    with styled(formulas=formulas):
        made.savefig(out, format=kind, metadata=dates[kind])
    return out.getvalue()
