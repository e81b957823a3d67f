"""The flows of a run with their styles, which are the same in every panel, and the time axis of figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from frrlib.model.flow_words import control_name
from frrlib.results.flow_names import named_flow
from frrlib.results.palette import CurveStyle, curve_styles
from frrlib.results.records import Results
from frrlib.results.series import FlowSamples, flow_samples, sending_span, series
from frrlib.results.statistics.arrivals import arrived
from frrlib.results.statistics.measures import stem
from frrlib.results.verdict.flows import late_by_s

#: With more flows than this, flows of the same kind share a color and a line of the legend.
MOST_FLOWS = 12
_THIN = 0.6
#: Lengths of the bins over which throughput may be averaged, in seconds; the shortest with up to `_MOST_BINS` bins is
#: used.
_BINS_S = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 3600.0)
_MOST_BINS = 400
#: The minimum number of round trips of an empty path in a bin of goodput.
_ROUND_TRIPS = 4
#: The labels of the time axis: for the time of a run, and for times since each flow's own start.
TIME_WORDS = {False: "time since the start of all flows (s)", True: "time since each flow's first data (s)"}


@dataclass(frozen=True, eq=False)
class PlottedFlow:
    """A flow with the style and the label of its curves.

    Attributes:
        samples: the flow.
        style: color and line; with many flows, those of one kind have the same style.
        span: the start and the end of the time in which it sent, in seconds.
        label: its name, or that of its kind, in the legend.
    """

    samples: FlowSamples
    style: CurveStyle
    span: tuple[float, float]
    label: str


def plotted_flows(results: Results) -> list[PlottedFlow]:
    """The flows that sent, with their styles. If there are more than MOST_FLOWS, those with a common entry in the
    topology have the same style; with as many entries, those with the same congestion control."""
    flows = [(flow, span) for flow in flow_samples(results) if (span := sending_span(flow))]
    if len(flows) <= MOST_FLOWS:
        styles = curve_styles([flow.congestion_control for flow, _ in flows])
        pairs = zip(flows, styles, strict=True)
        return [PlottedFlow(flow, _with_own_color(flow, style), span, _label(flow)) for (flow, span), style in pairs]
    kinds = {flow.id: stem(flow.id) for flow, _ in flows}
    if len(set(kinds.values())) > MOST_FLOWS:
        kinds = {flow.id: flow.congestion_control or "flow" for flow, _ in flows}
    counts = Counter(kinds.values())
    controls = {kinds[flow.id]: flow.congestion_control for flow, _ in flows}
    ordered = curve_styles([controls[kind] for kind in counts])
    by_kind = {kind: replace(style, width=_THIN) for kind, style in zip(counts, ordered, strict=True)}
    labels = {kind: _kind_label(kind, count, controls[kind]) for kind, count in counts.items()}
    return [PlottedFlow(flow, by_kind[kinds[flow.id]], span, labels[kinds[flow.id]]) for flow, span in flows]


def _with_own_color(flow: FlowSamples, style: CurveStyle) -> CurveStyle:
    """The style with the flow's color in the topology, if it has one."""
    return replace(style, colour=flow.planned.colour) if flow.planned.colour else style


def _kind_label(kind: str, count: int, control: str) -> str:
    named = f"{count} \N{MULTIPLICATION SIGN} {kind}" if count > 1 else kind
    return named if not control or control in kind else f"{named} ({control_name(control)})"


def from_own_start(flow: PlottedFlow) -> PlottedFlow:
    """The flow with times since its own first data, in samples and span."""
    begin_s, samples = flow.span[0], flow.samples
    sender, receiver = (
        {**rows, "time_s": rows["time_s"] - begin_s} if "time_s" in rows else rows
        for rows in (samples.sender, samples.receiver)
    )
    moved = replace(
        samples, sender=sender, receiver=receiver, start_s=samples.start_s - begin_s, end_s=samples.end_s - begin_s
    )
    return replace(flow, samples=moved, span=(0.0, flow.span[1] - begin_s))


def hull(flows: Sequence[PlottedFlow]) -> tuple[float, float]:
    """The start and the end of the time in which any of these flows sent, in seconds."""
    if not flows:
        return 0.0, 1.0
    return min(flow.span[0] for flow in flows), max(flow.span[1] for flow in flows)


def throughput_bin_s(flows: Sequence[PlottedFlow]) -> float:
    """The length of the bins of throughput in seconds: at least two samples and some round trips. Data is sent in
    bursts of a round trip, and the bytes behind a loss are delivered together after its repair."""
    begin_s, end_s = hull(flows)
    least_s = (end_s - begin_s) / _MOST_BINS
    for flow in flows:
        times, lowest = arrived(flow.samples)[0], series(flow.samples.sender, "min_rtt_ms")[1]
        spacing_s = float(np.median(np.diff(times))) if times.size > 1 else 0.0
        rtt_s = float(lowest.min()) / 1000 if lowest.size else 0.0
        least_s = max(least_s, 2 * spacing_s, _ROUND_TRIPS * rtt_s)
    return next((bin_s for bin_s in _BINS_S if bin_s >= least_s * 0.999), _BINS_S[-1])


def time_limits(flows: Sequence[PlottedFlow], results: Results) -> tuple[float, float]:
    """The limits of the time axis, with all flows; without flows, with all samples."""
    times = results.queue["time_s"]
    begin_s, end_s = hull(flows) if flows or not times.size else (float(times.min()), float(times.max()))
    margin_s = 0.01 * (end_s - begin_s) or 1.0
    return min(0.0, begin_s) - margin_s, end_s + margin_s


def line_options(flow: PlottedFlow, *, summed: bool = False) -> dict[str, Any]:
    """The options of a flow's line for matplotlib.

    Args:
        summed: whether the line is the sum of several flows, which has the width of a single flow's line.
    """
    return {
        "color": flow.style.colour,
        "linestyle": flow.style.line_style,
        "linewidth": 1.2 if summed else flow.style.width,
        "label": flow.label,
    }


def _label(flow: FlowSamples) -> str:
    """Its name and congestion control, and its delay if it started late."""
    named = named_flow(flow.id, flow.congestion_control)
    late_s = late_by_s(flow)
    return named if late_s is None else f"{named}, starts {late_s:.2g} s late"
