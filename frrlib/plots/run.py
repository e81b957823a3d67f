"""Draws a run: goodput, congestion window, round-trip time and queue over one time axis.

Figures are made from a results folder alone, at any time after the run. Nothing here changes matplotlib's global state:
a figure has its own canvas, so that a window may draw another figure at the same time.
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
from frrlib.results.verdict.judge import findings
from frrlib.system.atomic_files import replaced

SIZE_INCHES = (8.0, 9.0)
#: The minimum height of a figure with four panels.
_LEAST_INCHES = 5.2
#: The number of letters of a legend per inch, and the space of a line beside its name, in letters.
_LETTERS_PER_INCH, _LETTERS_OF_LINE = 13, 7
DPI = 150
#: The number of panels of a figure with the height in `SIZE_INCHES`, and the height of legend and caption, in panels.
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
        queues: rate and limit of queues by direction; None for those in the folder.
        width_inches: its width, which determines the height.
        aligned: as for `draw`.
    """
    fig = Figure(dpi=DPI, layout="constrained")
    FigureCanvasAgg(fig)
    panels = draw(fig, results, queues, width_inches, aligned=aligned)
    height_inches = max(SIZE_INCHES[1] * width_inches / SIZE_INCHES[0], _LEAST_INCHES)
    fig.set_size_inches(width_inches, height_inches * (_ABOVE + len(panels)) / (_ABOVE + USUAL_PANELS))
    return fig


def save_figure(results: Results, folder: Path) -> tuple[Path, ...]:
    """Write the figure of a run into a folder, as PNG and as PDF. Returns the paths."""
    fig = figure(results)
    if (layout_engine := fig.get_layout_engine()) is not None:
        layout_engine.execute(fig)  # once for both files: it takes as long as drawing one
        fig.set_layout_engine(None)  # "none" would leave a placeholder, with which each file is drawn twice
    paths = tuple(folder / name for name in layout.FIGURES)
    for path in paths:
        with replaced(path) as beside:
            fig.savefig(beside, format=path.suffix[1:])
    return paths


def warm_up() -> None:
    """Load fonts and everything else that the first figure needs, while a program waits."""
    fig = Figure()
    FigureCanvasAgg(fig)
    fig.text(0, 0, "0")
    for name in layout.FIGURES:
        fig.savefig(io.BytesIO(), format=name.rpartition(".")[2])


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
        queues: rate and limit of queues by direction; None for those in the folder.
        width_inches: its future width; None for its present width.
        aligned: whether times are since each flow's own start, for flows that ran one after the other.

    Returns:
        Its panels, top to bottom: goodput, congestion window, RTT, waiting times of applications, queue. Panels without
        data are left out.
    """
    queue_infos = dict(results.info.queues if queues is None else queues)
    sent = plotted_flows(results)
    flows = [from_own_start(flow) for flow in sent] if aligned else sent
    room = below_banner(onto, findings(results))
    apps = [] if aligned else waiting_times(results, flows)
    has_tcp = bool(results.tcp["time_s"].size) or not results.has_flow_samples
    draw_panels: list[Callable[[Axes], None]] = []
    if flows or has_tcp:
        draw_panels.append(lambda panel: draw_goodput(panel, flows, queue_infos, results, aligned=aligned))
    if has_tcp:
        draw_panels.append(lambda panel: draw_window(panel, flows))
    if has_tcp or results.probe["time_s"].size:
        draw_panels.append(lambda panel: draw_rtt(panel, flows, results, aligned=aligned))
    if apps:
        draw_panels.append(lambda panel: draw_waiting_times(panel, apps))
    if aligned:
        draw_panels.append(lambda panel: draw_queue_by_flow(panel, sent, queue_infos, results))
    else:
        draw_panels.append(lambda panel: draw_queues(panel, results, queue_infos))
    panels = tuple(np.atleast_1d(room.subplots(len(draw_panels), 1, sharex=True)).tolist())
    for panel, draw_it in zip(panels, draw_panels, strict=True):
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
        # The title is that of the legend, because the layout makes room only for the legend outside of the panels.
        letters = max(len(str(handle.get_label())) for handle in handles) + _LETTERS_OF_LINE
        fitting = max(1, int(width_inches * _LETTERS_PER_INCH / letters))
        rows = math.ceil(len(handles) / min(6, fitting))
        onto.legend(
            handles=handles, loc="outside upper center", ncols=math.ceil(len(handles) / rows), fontsize=8,
            frameon=False, handlelength=2.6, title=title, title_fontsize=12, borderpad=0.2,
        )  # fmt: skip
    else:
        onto.suptitle(title, fontsize=12)
    words = [
        info.place,
        kernel_words(info),
        info.started[:16].replace("T", " "),
    ]
    if results.status != "finished":
        words.append(f"this run is {results.status}" if results.status == "running" else f"this run {_fate(results)}")
    onto.supxlabel(" · ".join(filter(None, words)), x=0.99, ha="right", fontsize=7, color=REFERENCE)


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
