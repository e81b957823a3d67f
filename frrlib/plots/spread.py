"""Draws how values are spread: cumulative distributions, boxes, violins; and bars with their confidence intervals."""

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

#: A legend of more lines than this stands beside the panel.
_MOST_INSIDE = 6
#: Of the bars of the first flow, the second, ...: they differ on grey paper, too.
HATCHES = ("", "///", "...", "xxx")
#: Of numbers whose titles end with one.
_UNITS = ("Mbit/s", "ms", "s", "%", "kB")
#: Labels below boxes that are longer than this together stand at an angle.
_MOST_LETTERS = 90


def cdf(runs: Sequence[Results], measure: str = "rtt", size: Size = "page") -> Figure:
    """The cumulative distribution of a measure: for each value the share of samples that are at most as large."""
    found = samples(runs, measure)
    with styled():
        made = page(size)
        panel = made.add_subplot()
        for sample, look in zip(found, _looks(found), strict=True):
            values = np.sort(sample.values)
            part = np.arange(1, values.size + 1) / values.size
            panel.step(values, part, where="post", color=look.colour, linestyle=look.line_style, label=sample.label)
        panel.set_ylim(0, 1.01)
        panel.set_ylabel("share of samples")
        panel.set_xlabel(_axis(measure))
        _head(panel, runs, MEASURES[measure].title)
        _legend(panel, len(found))
    return made


def box(runs: Sequence[Results], measure: str = "rtt", size: Size = "page") -> Figure:
    """A box from the 25th to the 75th percentile for each flow, with its median, whiskers from the 5th to the 95th."""
    found = samples(runs, measure)
    with styled():
        made = page(size)
        panel = made.add_subplot()
        places = _places(found)
        if found:
            drawn = panel.boxplot(
                [sample.values for sample in found], positions=places, widths=0.6, whis=(5, 95), showfliers=False,
                patch_artist=True, medianprops={"color": "black", "linewidth": 1.2},
            )  # fmt: skip
            for patch, look in zip(drawn["boxes"], _looks(found), strict=True):
                patch.set(facecolor=look.colour, alpha=0.75, linewidth=0.8)
        _below(panel, found, places)
        panel.set_ylabel(_axis(measure))
        _head(panel, runs, f"{MEASURES[measure].title}; whiskers: 5 % to 95 %")
    return made


def violin(runs: Sequence[Results], measure: str = "rtt", size: Size = "page") -> Figure:
    """The density of a measure for each flow, with its median and quartiles; a kernel density estimate."""
    found = [sample for sample in samples(runs, measure) if np.ptp(sample.values) > 0]
    with styled():
        made = page(size)
        panel = made.add_subplot()
        places = _places(found)
        if found:
            drawn: dict[str, Any] = panel.violinplot(
                [_within_reason(sample.values) for sample in found], positions=places, widths=0.8, showextrema=False
            )
            for body, look in zip(drawn["bodies"], _looks(found), strict=True):
                body.set(facecolor=look.colour, edgecolor="none", alpha=0.7)
            for place, sample in zip(places, found, strict=True):
                low, middle, high = np.percentile(sample.values, (25, 50, 75))
                panel.vlines(place, low, high, color="black", linewidth=2.2)
                panel.plot(place, middle, "o", color="white", markeredgecolor="black", markersize=3.5)
        _below(panel, found, places)
        panel.set_ylim(bottom=0)
        panel.set_ylabel(_axis(measure))
        _head(panel, runs, f"{MEASURES[measure].title}; dot: median, bar: quartiles")
    return made


#: Metrics that each flow has by itself; of the others a run has one.
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
    """A bar for each flow and experiment, or for each experiment where the metric is one of whole runs; with the 95 %
    confidence interval over repetitions where there are any.

    Raises:
        KeyError: there is no such metric.
    """
    rows = group_statistics(runs)
    of: Any = FLOW_METRICS.get(metric)
    if of is None and metric not in METRICS:
        raise KeyError(metric)
    flows = list(dict.fromkeys(flow.flow for row in rows for run in row.statistics for flow in run.flows))
    flows = flows if of else [""]
    told = [flow for row in rows for run in row.statistics for flow in run.flows]
    chosen, hatches = _flow_looks(told, flows), [HATCHES[number % len(HATCHES)] for number in range(len(flows))]
    width = 0.8 / max(1, len(flows))
    many = len(rows) > 1
    with styled():
        made = page(size)
        panel = made.add_subplot()
        for number, (flow, look) in enumerate(zip(flows, chosen, strict=True)):
            for at, row in enumerate(rows):
                value: Interval | None = row.flow(flow, of) if of else row.metric(metric)
                place = at + (number - (len(flows) - 1) / 2) * width if many else number
                if value is not None:
                    _one_bar(panel, place, value, look, width * 0.92 if many else 0.5, hatches[number])
        names = [_flow_name(told, flow) for flow in flows]
        labels = [row.group.label for row in rows] if many else [name or run_name(runs[0]) for name in names]
        _ticks(panel, labels)
        if many and len(flows) > 1:
            handles = [
                Patch(facecolor=look.colour, edgecolor="white", hatch=hatch, label=name)
                for name, look, hatch in zip(names, chosen, hatches, strict=True)
            ]
            legend_beside(panel, handles=handles, handleheight=1.2)
        panel.set_ylim(bottom=0)
        title = METRICS[metric].title if metric in METRICS else metric.replace("_percent", " %")
        panel.set_ylabel(_quantity(title))
        repeated = max((len(row.statistics) for row in rows), default=1)
        said = f"; {CONFIDENCE * 100:.0f} % confidence intervals, n = {repeated}" if repeated > 1 else ""
        _head(panel, runs, f"{title[:1].upper()}{title[1:]}{said}")
    return made


def _one_bar(panel: Axes, place: float, value: Interval, look: CurveStyle, width: float, hatch: str) -> None:
    panel.bar(place, value.mean, width, color=look.colour, alpha=0.85, hatch=hatch, edgecolor="white", linewidth=0)
    if value.half is not None:
        panel.errorbar(place, value.mean, yerr=value.half, color="black", capsize=2.5, linewidth=0.9)


def _quantity(title: str) -> str:
    """A number's title as an axis has it: "Goodput, Mbit/s" of "goodput Mbit/s"."""
    words, _, unit = title.rpartition(" ")
    said = f"{words}, {unit}" if words and unit in _UNITS else title
    return f"{said[:1].upper()}{said[1:]}"


def _flow_name(known: Sequence[FlowStatistics], flow: str) -> str:
    """What a legend calls a flow: with its congestion control, where that is the same in all runs."""
    controls = {each.congestion_control for each in known if each.flow == flow}
    return named_flow(flow, controls.pop()) if len(controls) == 1 else flow


def _flow_looks(known: Sequence[FlowStatistics], flows: Sequence[str]) -> list[CurveStyle]:
    controls = {flow.flow: flow.congestion_control for flow in known}
    return curve_styles([controls.get(flow, "") for flow in flows])


# --- looks ------------------------------------------------------------------------------------------------------------


def _looks(found: Sequence[Sample]) -> list[CurveStyle]:
    """Of one experiment as in the figure of its run; of several a colour for each flow, a line style for each one."""
    names = {sample.name: sample.control for sample in found}
    chosen = dict(zip(names, curve_styles(list(names.values())), strict=True))
    if len({sample.group for sample in found}) <= 1:
        return [chosen[sample.name] for sample in found]
    return [replace(chosen[sample.name], line_style=LINES[sample.group % len(LINES)]) for sample in found]


def _places(found: Sequence[Sample]) -> list[float]:
    """Where each box stands: those of one experiment beside each other, with a gap before the next."""
    return [number + 0.6 * sample.group for number, sample in enumerate(found)]


def _below(panel: Axes, found: Sequence[Sample], places: Sequence[float]) -> None:
    _ticks(panel, [sample.label.replace(": ", "\n") for sample in found], places)


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
    """The title of the panel, and above it what was run where that is one thing."""
    names = {run_name(run) for run in runs}
    panel.set_title(f"{names.pop()}\n{title}" if len(names) == 1 else title)


def _legend(panel: Axes, lines: int) -> None:
    if lines > _MOST_INSIDE:
        legend_beside(panel)
    elif lines:
        panel.legend(loc="lower right")


def _within_reason(values: Any) -> Any:
    """At most so many values as a density needs, without the outermost half a percent, which would stretch it."""
    low, high = np.percentile(values, (0.5, 99.5))
    kept = values[(values >= low) & (values <= high)]
    kept = kept if np.ptp(kept) > 0 else values
    return kept[:: max(1, kept.size // 4000)]
