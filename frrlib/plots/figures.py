"""Every kind of figure by its name, one call each: `make("cdf", [open_results(folder)], of="rtt")`.

The functions are in the modules of this package. They return matplotlib figures, which can be changed further.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from matplotlib.figure import Figure

from frrlib.plots import run, timeline
from frrlib.plots.inflight import inflight
from frrlib.plots.line import line
from frrlib.plots.line_points import LineOptions
from frrlib.plots.line_statistics import STATISTICS
from frrlib.plots.overlay import overlay, share
from frrlib.plots.page import FORMATS, WIDTHS_INCHES, Size, figure_bytes, sheet_style, show_span
from frrlib.plots.paper import SHEETS, Paper, fit_paper, sheet_of
from frrlib.plots.phases import phases
from frrlib.plots.routing import routing
from frrlib.plots.scatter import scatter
from frrlib.plots.sequence import sequences
from frrlib.plots.spread import FLOW_METRICS, bar, box, cdf, violin
from frrlib.plots.sweep import heat
from frrlib.results.layout import ResultsError
from frrlib.results.records import Results
from frrlib.results.statistics.comparison import METRICS
from frrlib.results.statistics.measures import MEASURES

__all__ = [
    "FORMATS", "KINDS", "SHEETS", "WIDTHS_INCHES", "FigureKind", "LineOptions", "Paper", "default_kind", "figure_bytes",
    "make",
]  # fmt: skip


@dataclass(frozen=True)
class FigureKind:
    """A kind of figure.

    Attributes:
        name, title: its name on the command line, and for people.
        draw: the function that draws it.
        of: the names of the quantities that it can show, the default first; empty if there is no choice.
        most, least: the maximum and the minimum number of runs; None for no maximum.
        has_time: whether its axis is the time of a run.
        aligns: whether the time of flows can count from their own starts instead.
        fits_span: whether its function takes the visible part of the time axis, to which it fits its other scales.
    """

    name: str
    title: str
    draw: Callable[..., Figure]
    of: tuple[str, ...] = ()
    most: int | None = None
    least: int = 1
    has_time: bool = False
    aligns: bool = False
    fits_span: bool = False


def _series(runs: Sequence[Results], size: Size, *, aligned: bool = False) -> Figure:
    return run.figure(runs[0], width_inches=WIDTHS_INCHES[size], aligned=aligned)


def _timeline(runs: Sequence[Results], size: Size) -> Figure:
    return timeline.figure(runs[0])


Align = Literal["run", "start"]
_MEASURES = tuple(MEASURES)
_METRICS = tuple(METRICS)

KINDS = {
    kind.name: kind
    for kind in (
        FigureKind(
            "series", "Throughput, window, RTT and queue over time", _series, most=1, has_time=True, aligns=True
        ),
        FigureKind("overlay", "Several runs in the same panels", overlay, has_time=True, aligns=True),
        FigureKind("routing", "Routing and transport over one time axis", routing, most=1, has_time=True),
        FigureKind("timeline", "Effects of each fault", _timeline, most=1, has_time=True),
        FigureKind("phases", "States of BBR over time", phases, most=1, has_time=True),
        FigureKind("inflight", "RTT and rate over data in flight", inflight, most=1),
        FigureKind("sequence", "Sequence numbers over time", sequences, most=1, has_time=True, fits_span=True),
        FigureKind("shares", "How flows share, and Jain's index", share, most=1, has_time=True),
        FigureKind("cdf", "Cumulative distribution", cdf, of=_MEASURES),
        FigureKind("box", "Boxes", box, of=_MEASURES),
        FigureKind("violin", "Densities", violin, of=_MEASURES),
        FigureKind("bar", "Bars with confidence intervals", bar, of=tuple(dict.fromkeys((*FLOW_METRICS, *_METRICS)))),
        FigureKind("scatter", "Goodput against queueing delay", scatter),
        FigureKind("line", "Statistics over a varied field", line, of=tuple(STATISTICS), least=2),
        FigureKind("heat", "A metric over two varied fields", heat, of=_METRICS, least=2),
    )
}


def default_kind(runs: int) -> str:
    """The default kind of figure for a number of runs."""
    return "series" if runs == 1 else "overlay"


def make(
    kind: str,
    runs: Sequence[Results],
    of: str = "",
    size: Size = "page",
    across: str = "",
    up: str = "",
    from_s: float | None = None,
    to_s: float | None = None,
    align: Align = "run",
    lines: LineOptions | None = None,
    paper: Paper | None = None,
) -> Figure:
    """A figure of one or several runs.

    Args:
        kind: one of KINDS.
        runs: opened folders; a single one for kinds that show one run.
        of: the quantity to show, one of the kind's `of`; empty for the default.
        size: "column" or "page" of a paper, "slide" or "screen".
        across, up: the fields of the axes of a heat map; empty for those with the most values.
        from_s, to_s: the visible part of the time axis; None for the whole axis.
        align: the zero of time: the start of the "run", or each flow's own "start", so that flows that ran one after
            the other are drawn over each other.
        lines: the fields and statistics of the kind "line".
        paper: its style sheet, and deviations from the size. `figure_bytes` needs the same style sheet.

    Raises:
        ResultsError: the kind does not support the number of runs, the quantity or the alignment.
    """
    figure_kind = KINDS.get(kind)
    if not runs or figure_kind is None:
        raise ValueError(f"there is no figure {kind}" if figure_kind is None else "there are no runs to draw")
    _check(figure_kind, runs, of, align)
    paper = paper or Paper()
    draw = partial(figure_kind.draw, across=across, up=up) if kind == "heat" else figure_kind.draw
    draw = partial(draw, options=lines) if kind == "line" else draw
    draw = partial(draw, aligned=True) if align == "start" else draw
    draw = partial(draw, from_s=from_s, to_s=to_s) if figure_kind.fits_span else draw
    with sheet_style(sheet_of(paper).style):
        fig = draw(runs, of or figure_kind.of[0], size=size) if figure_kind.of else draw(runs, size=size)
        fit_paper(fig, size, paper)
    if figure_kind.has_time and not figure_kind.fits_span and fig.axes and (from_s is not None or to_s is not None):
        show_span(fig, from_s, to_s)
    return fig


def _check(kind: FigureKind, runs: Sequence[Results], of: str, align: Align) -> None:
    """Check that a kind supports the number of runs, the quantity and the alignment."""
    folder, many = runs[0].folder, len(runs)
    if kind.most is not None and many > kind.most:
        raise ResultsError(folder, f"{kind.name} shows one run, but {many} are selected", "select one, or use overlay")
    if many < kind.least:
        raise ResultsError(folder, f"{kind.name} needs several runs, but only one is selected", "select more folders")
    if of and of not in kind.of:
        remedy = f"choose one of {', '.join(kind.of)}" if kind.of else "its content is fixed"
        raise ResultsError(folder, f"{kind.name} cannot show {of}", remedy)
    if align != "run" and not kind.aligns:
        kinds = ", ".join(candidate.name for candidate in KINDS.values() if candidate.aligns)
        raise ResultsError(folder, f"{kind.name} cannot align the starts of flows", f"these figures can: {kinds}")
