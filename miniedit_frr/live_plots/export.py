"""A picture of plots, for a file: everything on the screen, and a legend."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from frrlib.picture.theme import LIGHT, Theme
from miniedit_frr.live.curves import TimeWindow
from miniedit_frr.live.samples import LiveRun
from miniedit_frr.live_plots.figure import PlotFigure
from miniedit_frr.live_plots.looks import PlotColors, curve_name

#: Kinds of files in the dialog.
KINDS = (("PNG", "*.png"), ("SVG", "*.svg"), ("PDF", "*.pdf"))
_WIDE_INCHES, _HIGH_INCHES, _LEGEND_INCHES = 8.0, 1.75, 0.45
_DPI = 150


@rc_context({"text.parse_math": False, "text.usetex": False})
def save_picture(
    path: Path, run: LiveRun, keys: Sequence[str], hidden: set[str], view: TimeWindow, theme: Theme = LIGHT
) -> None:
    """Write a picture of some quantities in a time window.

    Args:
        path: the file; its suffix determines its kind.

    Raises:
        OSError: it cannot be written.
        ValueError: its suffix is unknown.
    """
    high = _HIGH_INCHES * max(1, len(keys)) + _LEGEND_INCHES
    figure = Figure(figsize=(_WIDE_INCHES, high), dpi=_DPI)
    FigureCanvasAgg(figure)
    plots = PlotFigure(figure, _DPI / 96, theme, is_still=True)
    plots.values_right, plots.above_px = False, _LEGEND_INCHES * _DPI
    plots.hidden = hidden
    plots.choose(keys)
    plots.show(run, view.from_s, view.to_s)
    colors = PlotColors(run, theme)
    curves = [line for panel in plots.panels for line in panel.lines if line.style not in ("limit", "resent")]
    lines = {(line.of, line.subject): line for line in curves}
    handles = []
    for line in lines.values():
        look, handle = colors.look(line.of, line.subject), Line2D([], [], linewidth=1.6, label=curve_name(line, run))
        handle.set(color=look.colour, linestyle=look.line_style)
        handles.append(handle)
    if handles:
        figure.legend(
            handles=handles, loc="upper center", ncols=min(len(handles), 6), frameon=False, fontsize=7.5,
            labelcolor=theme.text,
        )  # fmt: skip
    with rc_context({"svg.fonttype": "none", "pdf.fonttype": 42}):
        figure.savefig(path, format=path.suffix[1:].lower() or "png", facecolor=theme.canvas)
