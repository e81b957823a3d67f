"""Draws routing and transport of one run over one time axis: the events of the routers, and the flows."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from frrlib.plots.flows import line_options, plotted_flows, time_limits
from frrlib.plots.page import Size, page, styled
from frrlib.plots.panels import draw_goodput, draw_queues, draw_rtt, draw_window, dress
from frrlib.plots.timeline import MOST_LANES, draw_lanes, mark_moments
from frrlib.results.records import Results
from frrlib.results.timeline import FaultEffects, fault_timeline


def routing(runs: Sequence[Results], size: Size = "screen") -> Figure:
    """Goodput, congestion window, RTT and queues of a run above a lane for each router with its adjacencies, SPF runs
    and routes. Faults are marked in all panels, and gaps of flows are shaded. Only the first of several runs is drawn.
    """
    results = runs[0]
    story = fault_timeline(results)
    routers = story.routers[:MOST_LANES]
    flows = plotted_flows(results)
    moments = [moment for chapter in story.chapters for moment in chapter.moments]
    with styled():
        fig = page(size, 1.1 + 0.025 * len(routers))
        panels = fig.subplots(5, 1, sharex=True, height_ratios=(1, 1, 1, 1, max(0.7, 0.2 * len(routers))))
        goodput, window, rtt, queue, lanes = panels
        draw_goodput(goodput, flows, results.info.queues, results)
        draw_window(window, flows)
        draw_rtt(rtt, flows, results)
        draw_queues(queue, results, results.info.queues)
        draw_lanes(lanes, moments, routers)
        for panel in panels[:-1]:
            dress(panel)
        lanes.spines[["top", "right"]].set_visible(False)
        lanes.set_xlim(time_limits(flows, results))
        for panel in panels:
            mark_moments(panel, moments, named=panel is goodput)
            _shade(panel, story.chapters)
        lanes.set_xlabel("time since the start of all flows (s)")
        kinds = {flow.label: flow for flow in reversed(flows)}
        handles = [Line2D([], [], **{**line_options(kinds[label]), "linewidth": 1.6}) for label in reversed(kinds)]
        fig.legend(handles=handles, loc="outside upper center", ncols=6, title=story.title, title_fontsize=11)
    return fig


def _shade(panel: Axes, chapters: Sequence[FaultEffects]) -> None:
    """Shade the gaps of flows in gray, darker if those of several flows overlap."""
    for chapter in chapters:
        for gap in chapter.gaps:
            panel.axvspan(gap.from_s, gap.from_s + gap.lasted_s, color="0.5", alpha=0.1, zorder=0, linewidth=0)
