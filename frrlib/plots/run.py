"""Draws a run: goodput, congestion window, round-trip time and queue over one time axis.

Figures are made from a results folder alone, long after the run if need be. Nothing here touches matplotlib's global
state: a figure is made with its own canvas, so that a window may draw into one of its own at the same time.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, FigureBase
from matplotlib.lines import Line2D

from frrlib.plots.banner import below_banner
from frrlib.plots.flows import TIME_WORDS, PlottedFlow, from_own_start, line_options, plotted_flows, time_limits
from frrlib.plots.page import AS_WRITTEN
from frrlib.plots.panels import (
    REFERENCE,
    draw_goodput,
    draw_queue_by_flow,
    draw_queues,
    draw_rtt,
    draw_window,
    dress,
    mark_faults,
)
from frrlib.plots.waiting_times import draw_waiting_times, legend_of, waiting_times
from frrlib.results import layout
from frrlib.results.layout import QueueInfo, RunInfo
from frrlib.results.records import Results
from frrlib.results.trust.judge import findings
from frrlib.system.atomic_files import replaced

SIZE_INCHES = (8.0, 9.0)
#: Four panels need as much height as this, however narrow they are.
_LEAST_INCHES = 5.2
#: Letters of a legend on an inch, and how much room a line beside its name takes.
_LETTERS_PER_INCH, _LETTERS_OF_LINE = 13, 7
DPI = 150
#: A figure is as high as `SIZE_INCHES` with so many panels; legend and caption take as much as this many.
USUAL_PANELS, _ABOVE = 4, 0.5


def figure(
    results: Results,
    queues: Mapping[str, QueueInfo] | None = None,
    width_inches: float = SIZE_INCHES[0],
    *,
    aligned: bool = False,
) -> Figure:
    """A figure of a run, with a canvas of its own.

    Args:
        results: the opened folder.
        queues: rate and limit of queues by direction; None for what the folder says.
        width_inches: its width; the height goes with it.
        aligned: as for `draw`.
    """
    made = Figure(dpi=DPI, layout="constrained")
    FigureCanvasAgg(made)
    panels = draw(made, results, queues, width_inches, aligned=aligned)
    height_inches = max(SIZE_INCHES[1] * width_inches / SIZE_INCHES[0], _LEAST_INCHES)
    made.set_size_inches(width_inches, height_inches * (_ABOVE + len(panels)) / (_ABOVE + USUAL_PANELS))
    return made


def save_figure(results: Results, folder: Path) -> tuple[Path, ...]:
    """Write the figure of a run into a folder, once for screens and once for print; the paths."""
    made = figure(results)
    if (layout_engine := made.get_layout_engine()) is not None:
        layout_engine.execute(made)  # once for both files: it takes as long as drawing one
        made.set_layout_engine(None)  # "none" would leave one that has every file drawn twice
    paths = tuple(folder / name for name in layout.FIGURES)
    for path in paths:
        with replaced(path) as beside:
            made.savefig(beside, format=path.suffix[1:])
    return paths


def warm_up() -> None:
    """Load fonts and everything else that the first figure needs, for a program with time to spare before it."""
    made = Figure()
    FigureCanvasAgg(made)
    made.text(0, 0, "0")
    for name in layout.FIGURES:
        made.savefig(io.BytesIO(), format=name.rpartition(".")[2])


@rc_context(AS_WRITTEN)
def draw(
    onto: Figure,
    results: Results,
    queues: Mapping[str, QueueInfo] | None = None,
    width_inches: float | None = None,
    *,
    aligned: bool = False,
) -> tuple[Axes, ...]:
    """Draw a run onto an empty figure, such as a window's.

    Args:
        width_inches: how wide it will be; None for as wide as it is.
        aligned: whether each flow counts from its own start, for flows that go one after the other.

    Returns:
        its panels, top to bottom: goodput, congestion window, RTT, what applications waited for, queue; without those
        of which the run tells nothing.
    """
    known = dict(results.info.queues if queues is None else queues)
    sent = plotted_flows(results)
    flows = [from_own_start(flow) for flow in sent] if aligned else sent
    room = below_banner(onto, findings(results))
    apps = [] if aligned else waiting_times(results, flows)
    has_tcp = bool(results.tcp["time_s"].size) or not results.has_flow_samples
    wanted: list[Callable[[Axes], None]] = []
    if flows or has_tcp:
        wanted.append(lambda panel: draw_goodput(panel, flows, known, results, aligned=aligned))
    if has_tcp:
        wanted.append(lambda panel: draw_window(panel, flows))
    if has_tcp or results.probe["time_s"].size:
        wanted.append(lambda panel: draw_rtt(panel, flows, results, aligned=aligned))
    if apps:
        wanted.append(lambda panel: draw_waiting_times(panel, apps))
    if aligned:
        wanted.append(lambda panel: draw_queue_by_flow(panel, sent, known, results))
    else:
        wanted.append(lambda panel: draw_queues(panel, results, known))
    panels = tuple(np.atleast_1d(room.subplots(len(wanted), 1, sharex=True)).tolist())
    for panel, draw_it in zip(panels, wanted, strict=True):
        draw_it(panel)
        dress(panel)
        if not aligned:
            mark_faults(panel, results, named=panel is panels[0])
    panels[-1].set_xlabel(TIME_WORDS[aligned], fontsize=9)
    panels[-1].set_xlim(time_limits(flows, results))
    handles = _legend(flows, panels[0])
    handles += legend_of(apps, [str(handle.get_label()) for handle in handles])
    _caption(room, results, handles, width_inches or float(onto.get_size_inches()[0]))
    return panels


def _caption(onto: FigureBase, results: Results, handles: Sequence[Line2D], width_inches: float) -> None:
    info = results.info
    title = info.title or results.folder.resolve().name
    if handles:
        # the title belongs to the legend, which is the one thing outside the panels that finds its own room
        letters = max(len(str(handle.get_label())) for handle in handles) + _LETTERS_OF_LINE
        fitting = max(1, int(width_inches * _LETTERS_PER_INCH / letters))
        rows = math.ceil(len(handles) / min(6, fitting))
        onto.legend(
            handles=handles, loc="outside upper center", ncols=math.ceil(len(handles) / rows), fontsize=8,
            frameon=False, handlelength=2.6, title=title, title_fontsize=12, borderpad=0.2,
        )  # fmt: skip
    else:
        onto.suptitle(title, fontsize=12)
    said = [
        info.place,
        kernel_words(info),
        info.started[:16].replace("T", " "),
    ]
    if results.status != "finished":
        said.append(f"this run is {results.status}" if results.status == "running" else f"this run {_fate(results)}")
    onto.supxlabel(" · ".join(filter(None, said)), x=0.99, ha="right", fontsize=7, color=REFERENCE)


def kernel_words(info: RunInfo) -> str:
    """The kernel of a run for a figure's footer, with the beginning of its file's digest; empty if not recorded."""
    facts = info.facts
    digest = str(facts.get("kernel_digest", ""))[:8]
    return f"kernel {facts['kernel']}{f' ({digest})' if digest else ''}" if "kernel" in facts else ""


def _fate(results: Results) -> str:
    return {"failed": "failed", "interrupted": "was interrupted", "killed": "was killed"}.get(results.status, "")


def _legend(flows: Sequence[PlottedFlow], goodput: Axes) -> list[Line2D]:
    kinds = {flow.label: flow for flow in reversed(flows)}
    handles = [Line2D([], [], **{**line_options(kinds[label]), "linewidth": 1.6}) for label in reversed(kinds)]
    totals = [line for line in goodput.get_lines() if line.get_label() == "all flows"]
    return handles + [Line2D([], [], color=line.get_color(), linewidth=1.6, label="all flows") for line in totals]
