"""Draws throughput against delay, with an ellipse for their covariance, after Winstein and Balakrishnan.

The axis of delay is inverted, so that better values are at the top right.
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

#: Points are means over this time in seconds.
BIN_S = 1.0
_MARKERS = "osD^vP*X"


@dataclass(frozen=True, eq=False)
class Cloud:
    """Points of one flow, or of several of one kind: queueing delay in ms, goodput in Mbit/s."""

    label: str
    control: str
    group: int
    delay_ms: Floats
    goodput_mbit: Floats


def ellipse_of(x: Floats, y: Floats) -> tuple[float, float, float]:
    """Width, height and angle in degrees of the ellipse of one standard deviation of points.

    Its axes have the directions of the eigenvectors of the covariance matrix. Their lengths are twice the square roots
    of the eigenvalues.
    """
    if x.size < 2:
        return 0.0, 0.0, 0.0
    variances, directions = np.linalg.eigh(np.cov(x, y))
    low, high = 2 * np.sqrt(np.maximum(variances, 0.0))
    return float(high), float(low), float(np.degrees(np.arctan2(directions[1, 1], directions[0, 1])))


def clouds(runs: Sequence[Results]) -> list[Cloud]:
    """The points of all runs; repetitions of one experiment are one cloud for each flow."""
    all_clouds: list[Cloud] = []
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
            delay_ms, goodput_mbit = (np.concatenate(values) for values in zip(*parts, strict=True))
            all_clouds.append(Cloud(label, controls[flow], number, delay_ms, goodput_mbit))
    return all_clouds


def scatter(runs: Sequence[Results], size: Size = "page") -> Figure:
    """Goodput against queueing delay: points, their mean, and the ellipse of one standard deviation, for each flow."""
    all_clouds = clouds(runs)
    with styled():
        fig = page(size, 0.6)
        panel = fig.add_subplot()
        for cloud, style in zip(all_clouds, _styles(all_clouds), strict=True):
            marker = _MARKERS[cloud.group % len(_MARKERS)]
            at = float(cloud.delay_ms.mean()), float(cloud.goodput_mbit.mean())
            panel.scatter(
                cloud.delay_ms, cloud.goodput_mbit, s=7, color=style.colour, marker=marker, alpha=0.3, linewidth=0
            )
            width, height, angle = ellipse_of(cloud.delay_ms, cloud.goodput_mbit)
            panel.add_patch(
                Ellipse(at, width, height, angle=angle, facecolor=(style.colour, 0.13), edgecolor=style.colour)
            )
            panel.plot(*at, marker, color=style.colour, markeredgecolor="white", markersize=7, label=cloud.label)
        panel.set_xlim(left=0)
        panel.set_ylim(bottom=0)
        panel.invert_xaxis()
        panel.set_xlabel("queueing delay (ms), decreasing to the right")
        panel.set_ylabel("goodput (Mbit/s)")
        names = {run_name(run) for run in runs}
        title = f"Means over {BIN_S:g} s; ellipse: one standard deviation"
        panel.set_title(f"{names.pop()}\n{title}" if len(names) == 1 else title)
        if all_clouds:
            legend_beside(panel)
    return fig


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
        has_samples = counts > 0
        yield (
            stem(flow.id) if crowded else flow.id,
            flow.congestion_control,
            sums[has_samples] / counts[has_samples],
            goodput[has_samples],
        )


def _styles(all_clouds: Sequence[Cloud]) -> list[CurveStyle]:
    """The styles of flows by their congestion control; each experiment has the same colors."""
    styles: list[CurveStyle] = []
    for number in dict.fromkeys(cloud.group for cloud in all_clouds):
        styles += curve_styles([cloud.control for cloud in all_clouds if cloud.group == number])
    return styles
