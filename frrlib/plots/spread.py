"""Draws distributions: cumulative distributions, boxes, violins, and bars with confidence intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from frrlib.plots.page import Size, legend_beside, page, styled
from frrlib.results.flow_names import named_flow
from frrlib.results.palette import LINES, CurveStyle, curve_styles
from frrlib.results.records import Results
from frrlib.results.statistics.comparison import METRICS, group_statistics
from frrlib.results.statistics.intervals import CONFIDENCE, Interval
from frrlib.results.statistics.measures import MEASURES, Sample, samples
from frrlib.results.statistics.statistics import FlowStatistics, run_name

#: The maximum number of lines of a legend inside the panel; a longer one is beside it.
_MOST_INSIDE = 6
#: The hatches of the bars of the first flow, the second, ..., which differ in gray print, too.
HATCHES = ("", "///", "...", "xxx")
#: Units at the end of titles of metrics.
_UNITS = ("Mbit/s", "ms", "s", "%", "kB")
#: The total number of letters of horizontal labels below boxes; longer labels are slanted.
_MOST_LETTERS = 90


def cdf(runs: Sequence[Results], measure: str = "rtt", size: Size = "page") -> Figure:
    """The cumulative distribution of a measure: for each value, the share of samples up to this value."""
    measured = samples(runs, measure)
    with styled():
        fig = page(size)
        panel = fig.add_subplot()
        for sample, style in zip(measured, _styles(measured), strict=True):
            values = np.sort(sample.values)
            part = np.arange(1, values.size + 1) / values.size
            panel.step(values, part, where="post", color=style.colour, linestyle=style.line_style, label=sample.label)
        panel.set_ylim(0, 1.01)
        panel.set_ylabel("share of samples")
        panel.set_xlabel(_axis(measure))
        _head(panel, runs, MEASURES[measure].title)
        _legend(panel, len(measured))
    return fig


def box(runs: Sequence[Results], measure: str = "rtt", size: Size = "page") -> Figure:
    """A box for each flow from the 25th to the 75th percentile, with the median, and whiskers from the 5th to the 95th
    percentile."""
    measured = samples(runs, measure)
    with styled():
        fig = page(size)
        panel = fig.add_subplot()
        places = _places(measured)
        if measured:
            boxes = panel.boxplot(
                [sample.values for sample in measured], positions=places, widths=0.6, whis=(5, 95), showfliers=False,
                patch_artist=True, medianprops={"color": "black", "linewidth": 1.2},
            )  # fmt: skip
            for patch, style in zip(boxes["boxes"], _styles(measured), strict=True):
                patch.set(facecolor=style.colour, alpha=0.75, linewidth=0.8)
        _below(panel, measured, places)
        panel.set_ylabel(_axis(measure))
        _head(panel, runs, f"{MEASURES[measure].title}; whiskers: 5 % to 95 %")
    return fig


def violin(runs: Sequence[Results], measure: str = "rtt", size: Size = "page") -> Figure:
    """The density of a measure for each flow, with its median and quartiles; a kernel density estimate."""
    measured = [sample for sample in samples(runs, measure) if np.ptp(sample.values) > 0]
    with styled():
        fig = page(size)
        panel = fig.add_subplot()
        places = _places(measured)
        if measured:
            violins: dict[str, Any] = panel.violinplot(
                [_without_extremes(sample.values) for sample in measured],
                positions=places,
                widths=0.8,
                showextrema=False,
            )
            for body, style in zip(violins["bodies"], _styles(measured), strict=True):
                body.set(facecolor=style.colour, edgecolor="none", alpha=0.7)
            for place, sample in zip(places, measured, strict=True):
                low, middle, high = np.percentile(sample.values, (25, 50, 75))
                panel.vlines(place, low, high, color="black", linewidth=2.2)
                panel.plot(place, middle, "o", color="white", markeredgecolor="black", markersize=3.5)
        _below(panel, measured, places)
        panel.set_ylim(bottom=0)
        panel.set_ylabel(_axis(measure))
        _head(panel, runs, f"{MEASURES[measure].title}; dot: median, bar: quartiles")
    return fig


#: Metrics with a value for each flow; the others have one value for a run.
FLOW_METRICS = {
    "goodput_mbit": lambda flow: flow.goodput_mbit,
    "share_percent": lambda flow: flow.share_percent,
    "rtt_median_ms": lambda flow: flow.rtt_ms and flow.rtt_ms.p50,
    "rtt_p95_ms": lambda flow: flow.rtt_ms and flow.rtt_ms.p95,
    "queueing_ms": lambda flow: flow.queueing_ms and flow.queueing_ms.mean,
    "resent_percent": lambda flow: flow.resent_percent,
    "completion_s": lambda flow: flow.completion_s,
    "waited_ms": lambda flow: flow.waited_ms and flow.waited_ms.mean,
}  # fmt: skip


def bar(runs: Sequence[Results], metric: str = "goodput_mbit", size: Size = "page") -> Figure:
    """A bar for each flow and experiment, or for each experiment if the metric has one value for a run, with the 95 %
    confidence interval over repetitions.

    Raises:
        KeyError: the metric is unknown.
    """
    rows = group_statistics(runs)
    of: Any = FLOW_METRICS.get(metric)
    if of is None and metric not in METRICS:
        raise KeyError(metric)
    flows = list(dict.fromkeys(flow.flow for row in rows for run in row.statistics for flow in run.flows))
    flows = flows if of else [""]
    all_flows = [flow for row in rows for run in row.statistics for flow in run.flows]
    styles, hatches = _flow_styles(all_flows, flows), [HATCHES[number % len(HATCHES)] for number in range(len(flows))]
    width = 0.8 / max(1, len(flows))
    many = len(rows) > 1
    with styled():
        fig = page(size)
        panel = fig.add_subplot()
        for number, (flow, style) in enumerate(zip(flows, styles, strict=True)):
            for at, row in enumerate(rows):
                value: Interval | None = row.flow(flow, of, metric) if of else row.metric(metric)
                place = at + (number - (len(flows) - 1) / 2) * width if many else number
                if value is not None:
                    _one_bar(panel, place, value, style, width * 0.92 if many else 0.5, hatches[number])
        names = [_flow_name(all_flows, flow) for flow in flows]
        labels = [row.group.label for row in rows] if many else [name or run_name(runs[0]) for name in names]
        _ticks(panel, labels)
        if many and len(flows) > 1:
            handles = [
                Patch(facecolor=style.colour, edgecolor="white", hatch=hatch, label=name)
                for name, style, hatch in zip(names, styles, hatches, strict=True)
            ]
            legend_beside(panel, handles=handles, handleheight=1.2)
        panel.set_ylim(bottom=0)
        title = METRICS[metric].title if metric in METRICS else metric.replace("_percent", " %")
        panel.set_ylabel(_quantity(title))
        repeated = max((len(row.statistics) for row in rows), default=1)
        note = f"; {CONFIDENCE * 100:.0f} % confidence intervals, n = {repeated}" if repeated > 1 else ""
        _head(panel, runs, f"{title[:1].upper()}{title[1:]}{note}")
    return fig


def _one_bar(panel: Axes, place: float, value: Interval, style: CurveStyle, width: float, hatch: str) -> None:
    panel.bar(place, value.mean, width, color=style.colour, alpha=0.85, hatch=hatch, edgecolor="white", linewidth=0)
    if value.low is not None and value.high is not None:
        ends = [[value.mean - value.low], [value.high - value.mean]]
        panel.errorbar(place, value.mean, yerr=ends, color="black", capsize=2.5, linewidth=0.9)


def _quantity(title: str) -> str:
    """The title of a metric as the label of an axis: "Goodput, Mbit/s" for "goodput Mbit/s"."""
    words, _, unit = title.rpartition(" ")
    label = f"{words}, {unit}" if words and unit in _UNITS else title
    return f"{label[:1].upper()}{label[1:]}"


def _flow_name(statistics: Sequence[FlowStatistics], flow: str) -> str:
    """The name of a flow in a legend, with its congestion control if that is the same in all runs."""
    controls = {candidate.congestion_control for candidate in statistics if candidate.flow == flow}
    return named_flow(flow, controls.pop()) if len(controls) == 1 else flow


def _flow_styles(statistics: Sequence[FlowStatistics], flows: Sequence[str]) -> list[CurveStyle]:
    controls = {flow.flow: flow.congestion_control for flow in statistics}
    return curve_styles([controls.get(flow, "") for flow in flows])


# --- styles -----------------------------------------------------------------------------------------------------------


def _styles(measured: Sequence[Sample]) -> list[CurveStyle]:
    """The styles of samples: for one experiment as in the figure of its run; for several, a color for each flow and a
    line style for each experiment."""
    names = {sample.name: sample.control for sample in measured}
    styles = dict(zip(names, curve_styles(list(names.values())), strict=True))
    if len({sample.group for sample in measured}) <= 1:
        return [styles[sample.name] for sample in measured]
    return [replace(styles[sample.name], line_style=LINES[sample.group % len(LINES)]) for sample in measured]


def _places(measured: Sequence[Sample]) -> list[float]:
    """The position of each box: those of one experiment side by side, with a gap before the next experiment."""
    return [number + 0.6 * sample.group for number, sample in enumerate(measured)]


def _below(panel: Axes, measured: Sequence[Sample], places: Sequence[float]) -> None:
    _ticks(panel, [sample.label.replace(": ", "\n") for sample in measured], places)


def _ticks(panel: Axes, labels: Sequence[str], places: Sequence[float] | None = None) -> None:
    letters = sum(max(map(len, label.split("\n"))) for label in labels)
    width_inches = panel.bbox.width / panel.figure.dpi
    slanted = letters > _MOST_LETTERS * width_inches / 6
    panel.set_xticks(
        list(range(len(labels)) if places is None else places),
        [label.replace("\n", ": ") if slanted else label for label in labels],
        rotation=35 if slanted else 0, ha="right" if slanted else "center",
    )  # fmt: skip
    panel.grid(visible=False, axis="x")


def _axis(measure: str) -> str:
    return f"{MEASURES[measure].title.partition(':')[0]} ({MEASURES[measure].unit})"


def _head(panel: Axes, runs: Sequence[Results], title: str) -> None:
    """Set the title of the panel, below the name of the runs if they have the same."""
    names = {run_name(run) for run in runs}
    panel.set_title(f"{names.pop()}\n{title}" if len(names) == 1 else title)


def _legend(panel: Axes, lines: int) -> None:
    if lines > _MOST_INSIDE:
        legend_beside(panel)
    elif lines:
        panel.legend(loc="lower right")


def _without_extremes(values: Any) -> Any:
    """A number of values that suffices for a density, without the outermost half a percent, which would stretch it."""
    low, high = np.percentile(values, (0.5, 99.5))
    inner = values[(values >= low) & (values <= high)]
    inner = inner if np.ptp(inner) > 0 else values
    return inner[:: max(1, inner.size // 4000)]
