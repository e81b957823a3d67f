"""Draws the timeline of a run's faults: throughput with the faults marked, and a lane for each router below."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from frrlib.plots.page import AS_WRITTEN
from frrlib.results.flow_names import named_flow
from frrlib.results.palette import BLUE, FAULT, GREEN, ORANGE, PURPLE, SKY, VERMILION, curve_styles
from frrlib.results.records import Results
from frrlib.results.series import flow_samples, sending_span
from frrlib.results.statistics.arrivals import arrived_mbit
from frrlib.results.timeline import FaultTimeline, Moment, fault_timeline

SIZE_INCHES = (9.0, 5.2)
DPI = 150
#: Throughput is averaged over this time in seconds, short enough to show gaps at their times.
BIN_S = 0.1
#: The maximum number of lanes; those routers with the earliest events are drawn.
MOST_LANES = 24
_MENDED = "#2a7f3f"
#: The color, marker, size, and name in the legend of each kind of moment.
_MARKS = {
    "detected": (VERMILION, "X", 8, "detected"),
    "neighbor lost": (ORANGE, "v", 6, "neighbor lost"),
    "spf": (SKY, "|", 9, "SPF"),
    "route": (BLUE, "d", 5, "routes change"),
    "neighbor back": (GREEN, "^", 6, "neighbor back"),
    "daemon": (PURPLE, "s", 6, "daemon ended"),
}


def figure(results: Results) -> Figure:
    """A figure of the timeline, with a canvas of its own."""
    fig = Figure(figsize=SIZE_INCHES, dpi=DPI, layout="constrained")
    FigureCanvasAgg(fig)
    draw(fig, results)
    return fig


def figure_bytes(results: Results, kind: str) -> bytes:
    """The figure as a file of a kind: "png", "svg" or "pdf"."""
    out = io.BytesIO()
    figure(results).savefig(out, format=kind)
    return out.getvalue()


@rc_context(AS_WRITTEN)
def draw(onto: Figure, results: Results, story: FaultTimeline | None = None) -> tuple[Axes, Axes]:
    """Draw the timeline onto an empty figure, such as a window's. Returns the panels of flows and routers."""
    story = story or fault_timeline(results)
    routers = story.routers[:MOST_LANES]
    flows, lanes = onto.subplots(2, 1, sharex=True, height_ratios=(3, max(1.2, 0.32 * len(routers))))
    _draw_flows(flows, results)
    moments = [moment for chapter in story.chapters for moment in chapter.moments]
    draw_lanes(lanes, moments, routers)
    for panel in (flows, lanes):
        _dress(panel)
        mark_moments(panel, moments, named=panel is flows)
    for chapter in story.chapters:
        for gap in chapter.gaps:
            flows.axvspan(gap.from_s, gap.from_s + gap.lasted_s, color="0.88", zorder=0, linewidth=0)
    lanes.set_xlabel("time since the start of all flows (s)", fontsize=9)
    onto.suptitle(story.title, fontsize=11)
    return flows, lanes


def _draw_flows(panel: Axes, results: Results) -> None:
    flows = flow_samples(results)
    ends = [0.0]
    for flow, style in zip(flows, curve_styles([flow.congestion_control for flow in flows]), strict=True):
        span = sending_span(flow)
        if span is None:
            continue
        times, rates = arrived_mbit(flow, *span, BIN_S)
        label = named_flow(flow.id, flow.congestion_control)
        panel.plot(times, rates, color=style.colour, linestyle=style.line_style, linewidth=1.1, label=label)
        ends.append(span[1])
    panel.set_xlim(0.0, max(ends) or 1.0)
    panel.set_ylim(bottom=0.0)
    panel.set_ylabel("Throughput, Mbit/s", fontsize=9)
    title = f"Throughput, mean over {BIN_S * 1000:g} ms; gray: no arrivals"
    panel.set_title(title, fontsize=9, loc="left")
    if panel.lines:
        panel.legend(fontsize=8, loc="upper right", frameon=True, framealpha=0.85, edgecolor="none")


def draw_lanes(panel: Axes, moments: Sequence[Moment], routers: Sequence[str]) -> None:
    """Draw a lane for each router with the events of its routing daemons."""
    lanes = {router: number for number, router in enumerate(sorted(routers, key=_natural))}
    handles = []
    for kind, (color, marker, size, title) in _MARKS.items():
        mine = [moment for moment in moments if moment.what == kind and moment.who in lanes]
        if mine:
            xs, ys = [moment.time_s for moment in mine], [lanes[moment.who] for moment in mine]
            panel.plot(xs, ys, linestyle="none", marker=marker, markersize=size, color=color, zorder=3)
            handles.append(Line2D([], [], linestyle="none", marker=marker, markersize=size, color=color, label=title))
    panel.set_yticks(list(lanes.values()), labels=list(lanes), fontsize=8)
    panel.set_ylim(len(lanes) - 0.5 if lanes else 0.5, -0.5)
    panel.set_title("Events of the routers", fontsize=9, loc="left")
    if handles:
        panel.legend(
            handles=handles, fontsize=8, ncols=len(handles), loc="lower right", bbox_to_anchor=(1.0, 1.0),
            frameon=False, borderaxespad=0.1, handletextpad=0.2, columnspacing=1.0,
        )  # fmt: skip


def _natural(name: str) -> tuple[str, int]:
    """A key that sorts r10 after r9."""
    letters = name.rstrip("0123456789")
    return letters, int(name[len(letters) :] or 0)


def mark_moments(panel: Axes, moments: Sequence[Moment], *, named: bool) -> None:
    """Draw a line at each fault and at its end, with their names if there is room."""
    width_s = float(np.ptp(panel.get_xlim()))
    written_s = -width_s
    for moment in moments:
        if moment.what not in ("fault", "cleared"):
            continue
        color = FAULT if moment.what == "fault" else _MENDED
        panel.axvline(moment.time_s, color=color, linewidth=1.0, linestyle="-" if moment.what == "fault" else "--")
        if named and moment.time_s - written_s > 0.08 * width_s:  # overlapping texts cannot be read
            written_s = moment.time_s
            panel.annotate(
                f"{moment.text.partition(',')[0]} {moment.who}", (moment.time_s, 0.94),
                xycoords=panel.get_xaxis_transform(), xytext=(3, 0), textcoords="offset points", fontsize=7.5,
                color=color, annotation_clip=True, in_layout=False,
            )  # fmt: skip


def _dress(panel: Axes) -> None:
    panel.grid(visible=True, axis="both", color="0.92", linewidth=0.6)
    panel.set_axisbelow(True)
    panel.tick_params(labelsize=8)
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
