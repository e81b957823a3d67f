"""Figure sizes for papers, slides and screens, the project's style, and the content of files in every format."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Literal

import numpy as np
from matplotlib import rc_context, rc_params_from_file
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from frrlib.plots.pgf import pgf_bytes

#: No text is passed to LaTeX. matplotlib reads its settings from the current folder, which may be a stranger's.
WITHOUT_LATEX: Any = {"text.usetex": False}
#: Settings for texts from a topology or a lab: a dollar in them does not begin a formula.
AS_WRITTEN: Any = {"text.parse_math": False, **WITHOUT_LATEX}  # matplotlib declares a key for each setting
#: The style file, for matplotlib.style.use.
STYLE = Path(__file__).with_name("miniedit.mplstyle")
#: Widths in inches of a figure in one column of a paper, across two, on a slide of 16 to 9, and on a screen.
WIDTHS_INCHES = {"column": 3.5, "page": 7.16, "slide": 13.333, "screen": 8.0}
SLIDE_HIGH_INCHES = 7.5
#: The factors for letters and lines on a slide, which is read from afar, and the size of its titles.
_SLIDE_LETTERS, _SLIDE_LINES, _SLIDE_TITLE_POINTS = 1.6, 1.8, 9.0
#: The size of letters in one column of a paper.
_COLUMN_POINTS = 7.0
#: The mark of a legend beside its panel.
_BESIDE = "beside"
#: The mark of a legend above its panel, at the right of the title, and its compact layout.
_ABOVE = "above"
_TIGHT: dict[str, Any] = {
    "fontsize": 7, "columnspacing": 1.0, "handlelength": 1.8, "handletextpad": 0.5, "borderpad": 0.1, "frameon": False,
}  # fmt: skip
FORMATS = ("png", "svg", "pdf", "pgf")
#: The style file that is used after the project's own; empty for none.
_SHEET: ContextVar[str] = ContextVar("sheet", default="")

Size = Literal["column", "page", "slide", "screen"]


@contextmanager
def styled(*, formulas: bool = False) -> Iterator[None]:
    """Draw and write in the project's style; afterwards the settings of matplotlib are restored.

    Args:
        formulas: whether texts between dollars are formulas, which the numbers of a logarithmic axis are. Never for
            texts of a topology or a lab.
    """
    sheet = _SHEET.get()
    changes: Any = rc_params_from_file(STYLE.with_stem(sheet), use_default_template=False) if sheet else {}
    settings = WITHOUT_LATEX if formulas else AS_WRITTEN
    with rc_context({**changes, **settings}, STYLE):
        yield


@contextmanager
def sheet_style(name: str) -> Iterator[None]:
    """Let `styled` use another style file of this package after the project's own, such as "ieee"; empty for none."""
    token = _SHEET.set(name)
    try:
        yield
    finally:
        _SHEET.reset(token)


def page(size: Size, height_share: float = 0.62) -> Figure:
    """An empty figure with a canvas of its own. Its height is a share of its width, a larger one in a narrow column; a
    slide has a fixed height."""
    width = WIDTHS_INCHES[size]
    height = width * (height_share * 1.3 if size == "column" else height_share)
    height = SLIDE_HIGH_INCHES if size == "slide" else height
    fig = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(fig)
    return fig


def legend_above(panel: Axes, handles: Sequence[Artist | None], most_columns: int = 3) -> None:
    """A legend above a panel, at the right of its title and outside of the data; a long one has several rows."""
    shown_handles = [handle for handle in handles if handle is not None]
    if shown_handles:
        fig = panel.legend(
            handles=shown_handles, loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.0,
            ncols=min(most_columns, len(shown_handles)), **_TIGHT,
        )  # fmt: skip
        fig.set_gid(_ABOVE)


def legend_beside(panel: Axes, **options: Any) -> None:
    """A legend at the right of a panel, or below it in a figure of one column."""
    legend = panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), **options)
    legend.set_gid(_BESIDE)


def fit_column(fig: Figure, points: float = _COLUMN_POINTS) -> None:
    """Make a figure's texts fit one column of a paper: shortened titles, and letters of one size."""
    for panel in fig.axes:
        panel.set_title(_first_words(panel), loc="left", fontsize=points + 0.5)
        for text in (panel.xaxis.label, panel.yaxis.label, *panel.get_xticklabels(), *panel.get_yticklabels()):
            text.set_fontsize(points)
        panel.tick_params(labelsize=points)
        legend = panel.get_legend()
        if legend is not None and legend.get_gid() == _ABOVE:
            legend_above(panel, legend.legend_handles, most_columns=1)  # more columns do not fit beside the title
        for text in legend.get_texts() if legend is not None else ():
            text.set_fontsize(min(float(text.get_fontsize()), points - 1))
        if legend is not None and legend.get_gid() == _BESIDE:
            lines = len(legend.get_texts())
            fig.set_figheight(fig.get_figheight() + 0.15 * lines)
            legend.set_loc("upper left")
            legend.set_bbox_to_anchor((0.0, -0.55 / panel.get_position().height / fig.get_figheight()), panel.transAxes)
        for second in panel.child_axes:
            second.yaxis.label.set_fontsize(points)
            second.tick_params(labelsize=points)
    for legend in fig.legends:
        legend.get_title().set_fontsize(points + 1.5)


def _first_words(panel: Axes) -> str:
    last = panel.get_title(loc="left").rpartition("\n")[2]
    return re.split(r": |[(,;]", last)[0].strip()


def fit_slide(fig: Figure) -> None:
    """Make a figure as large as a slide, with large letters, thick lines, and shortened titles."""
    fig.set_size_inches(WIDTHS_INCHES["slide"], SLIDE_HIGH_INCHES)
    of_ticks: set[Text] = set()
    for panel in fig.axes:
        panel.set_title(_first_words(panel), loc="left", fontsize=_SLIDE_TITLE_POINTS)
        for line in panel.get_lines():
            line.set_linewidth(_SLIDE_LINES * line.get_linewidth())
        for axes in (panel, *panel.child_axes):
            axes.yaxis.label.set_text(axes.yaxis.label.get_text().replace(", ", ",\n"))  # panels are low
            for axis in (axes.xaxis, axes.yaxis):
                labels = axis.get_ticklabels()
                of_ticks.update(labels)
                if labels:
                    axis.set_tick_params(labelsize=_SLIDE_LETTERS * float(labels[0].get_fontsize()))
    for text in fig.findobj(Text):
        if isinstance(text, Text) and text not in of_ticks:
            text.set_fontsize(_SLIDE_LETTERS * float(text.get_fontsize()))


def show_span(fig: Figure, from_s: float | None, to_s: float | None) -> None:
    """Show a part of the time axis in all panels; scales that begin at 0 end above the largest visible value."""
    low, high = fig.axes[0].get_xlim()
    low, high = low if from_s is None else from_s, high if to_s is None else to_s
    for panel in fig.axes:
        panel.set_xlim(low, high)
        tops = [
            float(np.nanmax(ys[in_span]))
            for line in panel.get_lines()
            if line.get_transform() == panel.transData
            for xs, ys in [np.asarray(line.get_data(), dtype=np.float64)]
            if (in_span := (xs >= low) & (xs <= high) & ~np.isnan(ys)).any()
        ]
        bottom, top = panel.get_ylim()
        if tops and bottom == 0 < top:
            panel.set_ylim(0, 1.08 * max(tops) or 1.0)


def figure_bytes(fig: Figure, kind: str, *, formulas: bool = False, sheet: str = "") -> bytes:
    """A figure as the content of a file of one of FORMATS; the same figure gives the same bytes.

    Args:
        formulas: as for `styled`.
        sheet: the style file under which the figure was drawn, as for `sheet_style`.

    Raises:
        ValueError: `kind` is not one of FORMATS, or is "pgf" for a figure with a color map.
    """
    if kind not in FORMATS:
        raise ValueError(f"{kind or 'no ending'} is not a picture format; choose one of {', '.join(FORMATS)}")
    if kind == "pgf":
        with sheet_style(sheet), styled(formulas=formulas):
            return pgf_bytes(fig)
    out = io.BytesIO()
    dates: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}
    with sheet_style(sheet), styled(formulas=formulas):
        fig.savefig(out, format=kind, metadata=dates[kind])
    return out.getvalue()
