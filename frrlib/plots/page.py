"""The paper that figures are drawn on: sizes of columns and screens, the project's style, and files of every format."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np
from matplotlib import rc_context
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

#: For what draws texts of a drawing or a lab: a dollar in them begins no formula.
AS_WRITTEN: Any = {"text.parse_math": False}  # matplotlib declares a key for each setting
#: What matplotlib.style.use takes.
STYLE = Path(__file__).with_name("miniedit.mplstyle")
#: Widths in inches of a figure in one column of a paper, across two, on a slide of 16 to 9, and on a screen.
WIDTHS_INCHES = {"column": 3.5, "page": 7.16, "slide": 13.333, "screen": 8.0}
SLIDE_HIGH_INCHES = 7.5
#: On a slide, which is read from afar, letters and lines are so much larger.
_SLIDE_LETTERS, _SLIDE_LINES, _SLIDE_TITLE_POINTS = 1.6, 1.8, 9.0
#: Letters in one column of a paper, which has room for few.
_COLUMN_POINTS = 7.0
#: What marks a legend that stands beside its panel.
_BESIDE = "beside"
#: What marks one that stands above its panel, at the right of the title, and how tight it is.
_ABOVE = "above"
_TIGHT: dict[str, Any] = {
    "fontsize": 7, "columnspacing": 1.0, "handlelength": 1.8, "handletextpad": 0.5, "borderpad": 0.1, "frameon": False,
}  # fmt: skip
FORMATS = ("png", "svg", "pdf")

Size = Literal["column", "page", "slide", "screen"]


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
    """An empty figure with a canvas of its own; its height is a share of its width, a bit more in a narrow column; a
    slide has its own."""
    width = WIDTHS_INCHES[size]
    height = width * (height_share * 1.3 if size == "column" else height_share)
    height = SLIDE_HIGH_INCHES if size == "slide" else height
    fig = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(fig)
    return fig


def legend_above(panel: Axes, handles: Sequence[Artist | None], most_columns: int = 3) -> None:
    """A legend above a panel, at the right of its title, where no data are; in several rows where it is long."""
    kept = [handle for handle in handles if handle is not None]
    if kept:
        fig = panel.legend(
            handles=kept, loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.0,
            ncols=min(most_columns, len(kept)), **_TIGHT,
        )  # fmt: skip
        fig.set_gid(_ABOVE)


def legend_beside(panel: Axes, **options: Any) -> None:
    """A legend at the right of a panel, below it where the figure is of one column."""
    legend = panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), **options)
    legend.set_gid(_BESIDE)


def fit_column(fig: Figure) -> None:
    """Make a figure's texts fit one column of a paper: the first words of titles, and letters of one size."""
    for panel in fig.axes:
        panel.set_title(_first_words(panel), loc="left", fontsize=_COLUMN_POINTS + 0.5)
        for text in (panel.xaxis.label, panel.yaxis.label, *panel.get_xticklabels(), *panel.get_yticklabels()):
            text.set_fontsize(_COLUMN_POINTS)
        panel.tick_params(labelsize=_COLUMN_POINTS)
        legend = panel.get_legend()
        if legend is not None and legend.get_gid() == _ABOVE:
            legend_above(panel, legend.legend_handles, most_columns=1)  # beside the title there is no room for more
        for text in legend.get_texts() if legend is not None else ():
            text.set_fontsize(min(float(text.get_fontsize()), _COLUMN_POINTS - 1))
        if legend is not None and legend.get_gid() == _BESIDE:
            lines = len(legend.get_texts())
            fig.set_figheight(fig.get_figheight() + 0.15 * lines)
            legend.set_loc("upper left")
            legend.set_bbox_to_anchor((0.0, -0.55 / panel.get_position().height / fig.get_figheight()), panel.transAxes)
        for second in panel.child_axes:
            second.yaxis.label.set_fontsize(_COLUMN_POINTS)
            second.tick_params(labelsize=_COLUMN_POINTS)
    for legend in fig.legends:
        legend.get_title().set_fontsize(_COLUMN_POINTS + 1.5)


def _first_words(panel: Axes) -> str:
    last = panel.get_title(loc="left").rpartition("\n")[2]
    return re.split(r": |[(,;]", last)[0].strip()


def fit_slide(fig: Figure) -> None:
    """Make a figure as large as a slide, with letters and lines to be seen from afar, and the first words of titles."""
    fig.set_size_inches(WIDTHS_INCHES["slide"], SLIDE_HIGH_INCHES)
    of_ticks: set[Text] = set()
    for panel in fig.axes:
        panel.set_title(_first_words(panel), loc="left", fontsize=_SLIDE_TITLE_POINTS)
        for line in panel.get_lines():
            line.set_linewidth(_SLIDE_LINES * line.get_linewidth())
        for each in (panel, *panel.child_axes):
            each.yaxis.label.set_text(each.yaxis.label.get_text().replace(", ", ",\n"))  # panels are low
            for axis in (each.xaxis, each.yaxis):
                labels = axis.get_ticklabels()
                of_ticks.update(labels)
                if labels:
                    axis.set_tick_params(labelsize=_SLIDE_LETTERS * float(labels[0].get_fontsize()))
    for text in fig.findobj(Text):
        if isinstance(text, Text) and text not in of_ticks:
            text.set_fontsize(_SLIDE_LETTERS * float(text.get_fontsize()))


def show_span(fig: Figure, from_s: float | None, to_s: float | None) -> None:
    """Show a part of the time axis, in all panels; scales that begin at 0 end above the largest value in sight."""
    low, high = fig.axes[0].get_xlim()
    low, high = low if from_s is None else from_s, high if to_s is None else to_s
    for panel in fig.axes:
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


def figure_bytes(fig: Figure, kind: str, *, formulas: bool = False) -> bytes:
    """A figure as the content of a file of one of FORMATS; the same figure gives the same bytes.

    Args:
        formulas: as for `styled`.

    Raises:
        ValueError: `kind` is none of FORMATS.
    """
    if kind not in FORMATS:
        raise ValueError(f"{kind or 'no ending'} is not a picture format; choose one of {', '.join(FORMATS)}")
    out = io.BytesIO()
    dates: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}
    with styled(formulas=formulas):
        fig.savefig(out, format=kind, metadata=dates[kind])
    return out.getvalue()
