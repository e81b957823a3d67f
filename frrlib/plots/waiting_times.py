"""The waiting times of applications over time: a dot for each request, page, chunk or burst, where it began."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.transforms import blended_transform_factory

from frrlib.plots.flows import PlottedFlow
from frrlib.results.flow_names import named_flow
from frrlib.results.palette import FAULT, CurveStyle, curve_styles
from frrlib.results.records import Results
from frrlib.results.series import Floats, select
from frrlib.results.statistics.applications import JUDGED_BY


@dataclass(frozen=True, eq=False)
class WaitingTimes:
    """The waiting times of one flow.

    Attributes:
        label: what the legend calls the flow.
        what: "request", "page", "chunk" or "burst"; of a command its own word.
        look: that of the flow's curves, where it has any.
        times_s, durations_ms: of each that went well, when it began and how long it took.
        failed_s: when each began that went wrong.
    """

    label: str
    what: str
    style: CurveStyle
    times_s: Floats
    durations_ms: Floats
    failed_s: Floats


def waiting_times(results: Results, flows: Sequence[PlottedFlow]) -> list[WaitingTimes]:
    """The waiting times of each flow, in the order of the plan; the curve of plain bulk shows how long it takes.

    Args:
        flows: those that have curves, so that each looks the same everywhere.
    """
    named = set(results.app["flow"].tolist())
    planned = [info for info in results.info.flows if info.id in named and info.kind != "bulk"]
    known = {flow.samples.id: flow.style for flow in flows}
    others = [info for info in planned if info.id not in known]
    controls = [flow.samples.congestion_control for flow in flows] + [info.control for info in others]
    known |= {info.id: look for info, look in zip(others, curve_styles(controls)[len(flows) :], strict=True)}
    found = []
    for info in planned:
        rows = select(results.app, results.app["flow"] == info.id)
        what = JUDGED_BY.get(info.kind) or str(rows["what"][0])
        rows = select(rows, rows["what"] == what)
        fine = (rows["outcome"] == "") & ~np.isnan(rows["duration_ms"])
        label = named_flow(info.id, info.control)
        times = rows["time_s"]
        found.append(WaitingTimes(label, what, known[info.id], times[fine], rows["duration_ms"][fine], times[~fine]))
    return [each for each in found if each.times_s.size or each.failed_s.size]


def draw_waiting_times(panel: Axes, waits: Sequence[WaitingTimes]) -> None:
    """A dot for each, and a cross at the top for each that went wrong."""
    across = blended_transform_factory(panel.transData, panel.transAxes)
    for one in waits:
        panel.plot(one.times_s, one.durations_ms, **_dots(one))
        panel.plot(one.failed_s, np.full(one.failed_s.size, 0.96), "x", color=FAULT, markersize=4, transform=across)
    each = " and ".join(dict.fromkeys(one.what for one in waits))
    failed = " (crosses: failed)" if any(one.failed_s.size for one in waits) else ""
    panel.set_title(f"Duration of each {each}, at its start{failed}", loc="left", fontsize=9)
    panel.set_ylabel("Waiting time, ms", fontsize=9)


def legend_of(waits: Sequence[WaitingTimes], labels: Sequence[str]) -> list[Line2D]:
    """Handles for those flows that no other panel names."""
    return [Line2D([], [], **_dots(one)) for one in waits if one.label not in labels]


def _dots(one: WaitingTimes) -> dict[str, Any]:
    return {"color": one.style.colour, "marker": "o", "markersize": 3.5, "linestyle": "none", "label": one.label}
