"""The flows of a run as figures draw them: their looks, alike in every panel, and the time that they take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from frrlib.model.flow_words import control_name
from frrlib.results.flow_names import named_flow
from frrlib.results.palette import CurveStyle, curve_styles
from frrlib.results.records import Results
from frrlib.results.series import FlowSamples, flow_samples, sending_span
from frrlib.results.statistics.measures import stem
from frrlib.results.trust.flows import late_by_s

#: More flows than these are drawn by kind: one colour and one line of the legend for all that are alike.
MOST_FLOWS = 12
_THIN = 0.6
#: What a time axis says: of a run, and where each flow counts from its own start.
TIME_WORDS = {False: "time since the start of all flows (s)", True: "time since each flow's first data (s)"}


@dataclass(frozen=True, eq=False)
class PlottedFlow:
    """A flow with what belongs to drawing it.

    Attributes:
        samples: the flow.
        look: colour and line; of many flows those of one kind have the same.
        span: from when to when it sent, in seconds.
        label: what the legend calls it, or its kind.
    """

    samples: FlowSamples
    style: CurveStyle
    span: tuple[float, float]
    label: str


def plotted_flows(results: Results) -> list[PlottedFlow]:
    """The flows that sent, with their looks. Of more than MOST_FLOWS those of one line of the drawing look the same;
    where the drawing has as many lines, those with one congestion control."""
    flows = [(flow, span) for flow in flow_samples(results) if (span := sending_span(flow))]
    if len(flows) <= MOST_FLOWS:
        chosen = curve_styles([flow.congestion_control for flow, _ in flows])
        pairs = zip(flows, chosen, strict=True)
        return [PlottedFlow(flow, _planned(flow, look), span, _label(flow)) for (flow, span), look in pairs]
    kinds = {flow.id: stem(flow.id) for flow, _ in flows}
    if len(set(kinds.values())) > MOST_FLOWS:
        kinds = {flow.id: flow.congestion_control or "flow" for flow, _ in flows}
    counts = Counter(kinds.values())
    controls = {kinds[flow.id]: flow.congestion_control for flow, _ in flows}
    ordered = curve_styles([controls[kind] for kind in counts])
    by_kind = {kind: replace(look, width=_THIN) for kind, look in zip(counts, ordered, strict=True)}
    labels = {kind: _kind_label(kind, count, controls[kind]) for kind, count in counts.items()}
    return [PlottedFlow(flow, by_kind[kinds[flow.id]], span, labels[kinds[flow.id]]) for flow, span in flows]


def _planned(flow: FlowSamples, look: CurveStyle) -> CurveStyle:
    """The look with the colour that was drawn, where one was."""
    return replace(look, colour=flow.planned.colour) if flow.planned.colour else look


def _kind_label(kind: str, count: int, control: str) -> str:
    named = f"{count} \N{MULTIPLICATION SIGN} {kind}" if count > 1 else kind
    return named if not control or control in kind else f"{named} ({control_name(control)})"


def from_own_start(flow: PlottedFlow) -> PlottedFlow:
    """A flow whose times count from its own first data, in samples and span."""
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
    """From when to when any of these flows sent, in seconds."""
    if not flows:
        return 0.0, 1.0
    return min(flow.span[0] for flow in flows), max(flow.span[1] for flow in flows)


def time_limits(flows: Sequence[PlottedFlow], results: Results) -> tuple[float, float]:
    """The ends of the time axis: all flows; where there are none, all samples."""
    times = results.queue["time_s"]
    begin_s, end_s = hull(flows) if flows or not times.size else (float(times.min()), float(times.max()))
    margin_s = 0.01 * (end_s - begin_s) or 1.0
    return min(0.0, begin_s) - margin_s, end_s + margin_s


def line_options(flow: PlottedFlow, *, summed: bool = False) -> dict[str, Any]:
    """The style of a flow's line, as matplotlib takes it; that of several together is as thick as that of one."""
    return {
        "color": flow.style.colour,
        "linestyle": flow.style.line_style,
        "linewidth": 1.2 if summed else flow.style.width,
        "label": flow.label,
    }


def _label(flow: FlowSamples) -> str:
    """Its name and congestion control, and by how much it was late."""
    named = named_flow(flow.id, flow.congestion_control)
    late_s = late_by_s(flow)
    return named if late_s is None else f"{named}, starts {late_s:.2g} s late"
