"""Every kind of figure by its name, one call each: `make("cdf", [open_results(folder)], of="rtt")`.

The functions themselves are in the modules `plots_*`; those who want to go on drawing take the matplotlib figure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from matplotlib.figure import Figure

from frrlib.plots import run, timeline
from frrlib.plots.overlay import overlay, share
from frrlib.plots.page import FORMATS, WIDTHS_INCHES, Size, figure_bytes, fit_column, fit_slide, show_span
from frrlib.plots.routing import routing
from frrlib.plots.scatter import scatter
from frrlib.plots.spread import FLOW_METRICS, bar, box, cdf, violin
from frrlib.plots.sweep import heat
from frrlib.results.layout import ResultsError
from frrlib.results.records import Results
from frrlib.results.statistics.comparison import METRICS
from frrlib.results.statistics.measures import MEASURES

__all__ = ["FORMATS", "KINDS", "WIDTHS_INCHES", "FigureKind", "default_kind", "figure_bytes", "make"]


@dataclass(frozen=True)
class FigureKind:
    """A kind of figure.

    Attributes:
        name, title: on the command line, and for people.
        of: what it can be of, the usual first; empty for a kind that needs no choice.
        most, least: how many runs it takes; None for any number.
        has_time: whether its axis is the time of a run.
        aligns: whether its flows can count from their own starts instead.
    """

    name: str
    title: str
    draw: Callable[..., Figure]
    of: tuple[str, ...] = ()
    most: int | None = None
    least: int = 1
    has_time: bool = False
    aligns: bool = False


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
        FigureKind("shares", "How flows share, and Jain's index", share, most=1, has_time=True),
        FigureKind("cdf", "Cumulative distribution", cdf, of=_MEASURES),
        FigureKind("box", "Boxes", box, of=_MEASURES),
        FigureKind("violin", "Densities", violin, of=_MEASURES),
        FigureKind("bar", "Bars with confidence intervals", bar, of=tuple(dict.fromkeys((*FLOW_METRICS, *_METRICS)))),
        FigureKind("scatter", "Goodput against queueing delay", scatter),
        FigureKind("heat", "A metric over two varied fields", heat, of=_METRICS, least=2),
    )
}


def default_kind(runs: int) -> str:
    """The kind of figure for so many runs, where none is asked for."""
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
) -> Figure:
    """A figure of one or several runs.

    Args:
        kind: one of KINDS.
        runs: opened folders; of a kind that draws one run, one.
        of: what it shows, one of the kind's `of`; empty for the usual.
        size: "column" or "page" of a paper, "slide" or "screen".
        across, up: of a heat map, the fields of its axes; empty for those with the most values.
        from_s, to_s: the part of the time axis that is shown; None for all.
        align: where time begins: at the start of the "run", or at each flow's own "start", so that flows that went one
            after the other lie over each other.

    Raises:
        ResultsError: the kind does not go with these runs, or that choice.
    """
    chosen = KINDS.get(kind)
    if not runs or chosen is None:
        raise ValueError(f"there is no figure {kind}" if chosen is None else "there are no runs to draw")
    folder, many = runs[0].folder, len(runs)
    if chosen.most is not None and many > chosen.most:
        raise ResultsError(folder, f"{kind} shows one run, but {many} are selected", "select one, or use overlay")
    if many < chosen.least:
        raise ResultsError(folder, f"{kind} needs several runs, but only one is selected", "select more folders")
    if of and of not in chosen.of:
        right = f"choose one of {', '.join(chosen.of)}" if chosen.of else "its content is fixed"
        raise ResultsError(folder, f"{kind} cannot show {of}", right)
    if align != "run" and not chosen.aligns:
        kinds = ", ".join(each.name for each in KINDS.values() if each.aligns)
        raise ResultsError(folder, f"{kind} cannot align the starts of flows", f"these figures can: {kinds}")
    draw = partial(chosen.draw, across=across, up=up) if kind == "heat" else chosen.draw
    draw = partial(draw, aligned=True) if align == "start" else draw
    made = draw(runs, of or chosen.of[0], size=size) if chosen.of else draw(runs, size=size)
    if size == "column":
        fit_column(made)
    elif size == "slide":
        fit_slide(made)
    if chosen.has_time and made.axes and (from_s is not None or to_s is not None):
        show_span(made, from_s, to_s)
    return made
