"""Draws throughput against delay, with an ellipse for how both vary together, as Winstein and Balakrishnan draw it.

The axis of delay runs backwards, so that better is up and to the right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse

from frrlib.plots.page import Size, legend_beside, page, styled
from frrlib.results.flow_names import named_flow
from frrlib.results.palette import CurveStyle, curve_styles
from frrlib.results.records import Results
from frrlib.results.series import Floats, flow_samples, sending_span, series
from frrlib.results.statistics.arrivals import arrived
from frrlib.results.statistics.differences import groups
from frrlib.results.statistics.measures import MOST_FLOWS, stem
from frrlib.results.statistics.statistics import base_rtt_ms, run_name

#: Points are means over so many seconds.
BIN_S = 1.0
_MARKERS = "osD^vP*X"


@dataclass(frozen=True, eq=False)
class Cloud:
    """Points of one flow, or of several alike: queueing delay in ms, goodput in Mbit/s."""

    label: str
    control: str
    group: int
    delay_ms: Floats
    goodput_mbit: Floats


def ellipse_of(x: Floats, y: Floats) -> tuple[float, float, float]:
    """Width, height and angle in degrees of the ellipse of one standard deviation of points.

    Its axes are the directions of the covariance matrix; each is twice the root of that direction's variance long.
    """
    if x.size < 2:
        return 0.0, 0.0, 0.0
    variances, directions = np.linalg.eigh(np.cov(x, y))
    low, high = 2 * np.sqrt(np.maximum(variances, 0.0))
    return float(high), float(low), float(np.degrees(np.arctan2(directions[1, 1], directions[0, 1])))


def clouds(runs: Sequence[Results]) -> list[Cloud]:
    """The points of all runs; repetitions of one experiment are one cloud for each flow."""
    found: list[Cloud] = []
    experiments = groups(runs)
    for number, group in enumerate(experiments):
        points: dict[str, list[tuple[Floats, Floats]]] = {}
        controls: dict[str, str] = {}
        for run in group.runs:
            for flow, control, delay_ms, goodput_mbit in _points(run):
                points.setdefault(flow, []).append((delay_ms, goodput_mbit))
                controls[flow] = control
        for flow, parts in points.items():
            named = named_flow(flow, controls[flow])
            label = f"{group.label}: {named}" if len(experiments) > 1 else named
            delay_ms, goodput_mbit = (np.concatenate(each) for each in zip(*parts, strict=True))
            found.append(Cloud(label, controls[flow], number, delay_ms, goodput_mbit))
    return found


def scatter(runs: Sequence[Results], size: Size = "page") -> Figure:
    """Goodput against queueing delay: points, their mean, and the ellipse of one standard deviation, for each flow."""
    found = clouds(runs)
    with styled():
        made = page(size, 0.6)
        panel = made.add_subplot()
        for cloud, look in zip(found, _looks(found), strict=True):
            marker = _MARKERS[cloud.group % len(_MARKERS)]
            at = float(cloud.delay_ms.mean()), float(cloud.goodput_mbit.mean())
            panel.scatter(
                cloud.delay_ms, cloud.goodput_mbit, s=7, color=look.colour, marker=marker, alpha=0.3, linewidth=0
            )
            width, height, angle = ellipse_of(cloud.delay_ms, cloud.goodput_mbit)
            panel.add_patch(
                Ellipse(at, width, height, angle=angle, facecolor=(look.colour, 0.13), edgecolor=look.colour)
            )
            panel.plot(*at, marker, color=look.colour, markeredgecolor="white", markersize=7, label=cloud.label)
        panel.set_xlim(left=0)
        panel.set_ylim(bottom=0)
        panel.invert_xaxis()
        panel.set_xlabel("queueing delay (ms), decreasing to the right")
        panel.set_ylabel("goodput (Mbit/s)")
        names = {run_name(run) for run in runs}
        title = f"Means over {BIN_S:g} s; ellipse: one standard deviation"
        panel.set_title(f"{names.pop()}\n{title}" if len(names) == 1 else title)
        if found:
            legend_beside(panel)
    return made


def _points(run: Results) -> Iterator[tuple[str, str, Floats, Floats]]:
    flows = flow_samples(run)
    crowded = len(flows) > MOST_FLOWS
    for flow in flows:
        span, base = sending_span(flow), base_rtt_ms(run, flow)
        if span is None or base is None or span[1] - span[0] < BIN_S:
            continue
        edges = np.arange(span[0], span[1] + 1e-9, BIN_S)
        goodput = np.diff(np.interp(edges, *arrived(flow))) * 8e-6 / BIN_S
        times, srtt_ms = series(flow.sender, "srtt_ms")
        sums = np.histogram(times, edges, weights=np.maximum(srtt_ms - base, 0.0))[0]
        counts = np.histogram(times, edges)[0]
        known = counts > 0
        yield (
            stem(flow.id) if crowded else flow.id,
            flow.congestion_control,
            sums[known] / counts[known],
            goodput[known],
        )


def _looks(found: Sequence[Cloud]) -> list[CurveStyle]:
    """Flows of one experiment by their congestion control, as everywhere; the same colours in every experiment."""
    chosen: list[CurveStyle] = []
    for number in dict.fromkeys(cloud.group for cloud in found):
        chosen += curve_styles([cloud.control for cloud in found if cloud.group == number])
    return chosen
