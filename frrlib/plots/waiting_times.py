"""The waiting times of applications over time: a dot for each request, page, chunk or burst, at its start."""

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
        label: the flow's name in the legend.
        transaction: "request", "page", "chunk" or "burst"; for a command its own word.
        style: the style of the flow's curves, if it has any.
        times_s, durations_ms: start and duration of each successful one.
        failed_s: start of each failed one.
    """

    label: str
    transaction: str
    style: CurveStyle
    times_s: Floats
    durations_ms: Floats
    failed_s: Floats


def waiting_times(results: Results, flows: Sequence[PlottedFlow]) -> list[WaitingTimes]:
    """The waiting times of each flow, in the order of the plan, except plain bulk flows.

    Args:
        flows: the flows with curves, which determine the styles.
    """
    named = set(results.app["flow"].tolist())
    planned = [info for info in results.info.flows if info.id in named and info.kind != "bulk"]
    styles = {flow.samples.id: flow.style for flow in flows}
    without_curves = [info for info in planned if info.id not in styles]
    controls = [flow.samples.congestion_control for flow in flows] + [info.control for info in without_curves]
    styles |= {info.id: style for info, style in zip(without_curves, curve_styles(controls)[len(flows) :], strict=True)}
    waits = []
    for info in planned:
        rows = select(results.app, results.app["flow"] == info.id)
        unit = JUDGED_BY.get(info.kind) or str(rows["what"][0])
        rows = select(rows, rows["what"] == unit)
        succeeded = (rows["outcome"] == "") & ~np.isnan(rows["duration_ms"])
        label = named_flow(info.id, info.control)
        times = rows["time_s"]
        waits.append(
            WaitingTimes(
                label, unit, styles[info.id], times[succeeded], rows["duration_ms"][succeeded], times[~succeeded]
            )
        )
    return [flow_waits for flow_waits in waits if flow_waits.times_s.size or flow_waits.failed_s.size]


def draw_waiting_times(panel: Axes, waits: Sequence[WaitingTimes]) -> None:
    """Draw a dot for each successful request, page, chunk or burst, and a cross at the top for each failed one."""
    across = blended_transform_factory(panel.transData, panel.transAxes)
    for flow_waits in waits:
        panel.plot(flow_waits.times_s, flow_waits.durations_ms, **_dots(flow_waits))
        panel.plot(
            flow_waits.failed_s,
            np.full(flow_waits.failed_s.size, 0.96),
            "x",
            color=FAULT,
            markersize=4,
            transform=across,
        )
    units = " and ".join(dict.fromkeys(flow_waits.transaction for flow_waits in waits))
    failed = " (crosses: failed)" if any(flow_waits.failed_s.size for flow_waits in waits) else ""
    panel.set_title(f"Duration of each {units}, at its start{failed}", loc="left", fontsize=9)
    panel.set_ylabel("Waiting time, ms", fontsize=9)


def legend_of(waits: Sequence[WaitingTimes], labels: Sequence[str]) -> list[Line2D]:
    """Handles for flows that no other panel has in its legend."""
    return [Line2D([], [], **_dots(flow_waits)) for flow_waits in waits if flow_waits.label not in labels]


def _dots(flow_waits: WaitingTimes) -> dict[str, Any]:
    return {
        "color": flow_waits.style.colour,
        "marker": "o",
        "markersize": 3.5,
        "linestyle": "none",
        "label": flow_waits.label,
    }
