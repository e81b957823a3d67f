"""Draws a run: goodput, congestion window, round-trip time and queue over one time axis.

Figures are made from a results folder alone, long after the run if need be. Nothing here touches matplotlib's global
state: a figure is made with its own canvas, so that a window may draw into one of its own at the same time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import blended_transform_factory

from frrlib.results import layout
from frrlib.results.binning import PIXELS, binned_mbit, thinned
from frrlib.results.layout import QueueInfo
from frrlib.results.palette import Look, looks
from frrlib.results.read import Results
from frrlib.results.series import (
    FlowSamples,
    Series,
    delivered,
    flow_samples,
    queue_directions,
    rest_rtt_ms,
    sending_span,
    series,
)
from frrlib.results.summary import drain_ms
from frrlib.results.tables import Columns

SIZE_INCHES = (8.0, 9.0)
DPI = 150
#: Spans of time over which goodput may be averaged, in seconds; the least that gives at most `MOST_BINS` is taken.
BINS_S = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 3600.0)
MOST_BINS = 400
#: Goodput is averaged over at least so many round trips of an empty path.
ROUND_TRIPS = 4
#: So many queues are drawn, those with the largest backlogs.
MOST_QUEUES = 4

#: A reference line is drawn if the data reach this share of it; else it would press them to the ground.
FAR_ABOVE = 0.3

_REFERENCE = "0.45"
_FAULT = "#c1121f"
_QUEUE_COLOURS = ("#000000", "#CC79A7", "#56B4E9", "#E69F00")


@dataclass(frozen=True, eq=False)
class _Drawn:
    """A flow with what belongs to drawing it."""

    samples: FlowSamples
    look: Look
    span: tuple[float, float]


def figure(results: Results, queues: Mapping[str, QueueInfo] | None = None) -> Figure:
    """A figure of a run, with a canvas of its own.

    Args:
        results: the opened folder.
        queues: rate and limit of queues by direction; None for what the folder says.
    """
    made = Figure(figsize=SIZE_INCHES, dpi=DPI, layout="constrained")
    FigureCanvasAgg(made)
    draw(made, results, queues)
    return made


def save_figure(results: Results, folder: Path) -> tuple[Path, ...]:
    """Write the figure of a run into a folder, once for screens and once for print; the paths."""
    made = figure(results)
    paths = tuple(folder / name for name in layout.FIGURES)
    for path in paths:
        beside = path.with_name(f".{path.name}.new")
        made.savefig(beside, format=path.suffix[1:])
        beside.replace(path)
    return paths


def draw(onto: Figure, results: Results, queues: Mapping[str, QueueInfo] | None = None) -> tuple[Axes, ...]:
    """Draw a run onto an empty figure, such as a window's.

    Returns:
        its panels, top to bottom: goodput, congestion window, RTT, queue.
    """
    known = dict(results.info.queues if queues is None else queues)
    flows = _drawn_flows(results)
    panels = tuple(onto.subplots(4, 1, sharex=True))
    goodput, window, rtt, queue = panels
    _draw_goodput(goodput, flows, known, results)
    _draw_window(window, flows)
    _draw_rtt(rtt, flows, results)
    _draw_queues(queue, results, known)
    for panel in panels:
        _dress(panel)
        _mark_faults(panel, results, named=panel is goodput)
    queue.set_xlabel("time since the start of all flows (s)", fontsize=9)
    queue.set_xlim(_time_limits(flows, results))
    _caption(onto, results, flows)
    return panels


# --- the four panels --------------------------------------------------------------------------------------------------


def _draw_goodput(panel: Axes, flows: Sequence[_Drawn], known: Mapping[str, QueueInfo], results: Results) -> None:
    bin_s = _bin_s(flows)
    for flow in flows:
        times, rates = binned_mbit(delivered(flow.samples), *flow.span, bin_s)
        panel.plot(times, rates, **_style(flow))
    if total := _total(flows, bin_s):
        panel.plot(*total, color="0.7", linewidth=0.9, label="all flows", zorder=1.5)
    if rate_mbit := _bottleneck_mbit(known, results):
        _reference(panel, rate_mbit, f"link {rate_mbit:g} Mbit/s")
    _name(panel, f"Throughput: bytes delivered in order at the receiver, mean over {bin_s * 1000:g} ms", "Mbit/s")


def _draw_window(panel: Axes, flows: Sequence[_Drawn]) -> None:
    for flow in flows:
        panel.plot(*_sending(flow, "cwnd_packets"), **_style(flow))
    _name(panel, "cwnd: congestion window at the sender", "packets")


def _draw_rtt(panel: Axes, flows: Sequence[_Drawn], results: Results) -> None:
    for flow in flows:
        panel.plot(*_sending(flow, "srtt_ms"), **_style(flow))
        lowest = _sending(flow, "min_rtt_ms")
        panel.plot(*lowest, color=flow.look.colour, linewidth=0.8, linestyle=(0, (1, 1.5)), alpha=0.9, label="_min")
    at_rest = {_at_rest(results, flow.samples) for flow in flows} - {None}
    for rtt_ms in sorted(filter(None, at_rest)):
        _reference(panel, rtt_ms, f"at rest {rtt_ms:.3g} ms" if len(at_rest) == 1 else "")
    _name(panel, "RTT at the sender: smoothed (srtt), and its minimum (dotted)", "ms")


def _draw_queues(panel: Axes, results: Results, known: Mapping[str, QueueInfo]) -> None:
    chosen, left_out = _busiest(queue_directions(results))
    dropped = False
    for (direction, rows), colour in zip(chosen.items(), _QUEUE_COLOURS, strict=False):
        times, backlog = thinned(series(rows, "backlog_bytes"))
        panel.plot(times, backlog / 1000, color=colour, linewidth=0.8, label=direction)
        dropped |= _mark_drops(panel, rows)
    infos = {info.limit_bytes: info for name in chosen if (info := known.get(name, QueueInfo())).limit_bytes}
    for limit_bytes in sorted(filter(None, infos)):
        _reference(panel, limit_bytes / 1000, f"limit {limit_bytes / 1000:.4g} kB" if len(infos) == 1 else "")
    title = f"Queue {next(iter(chosen))}" if len(chosen) == 1 else "Queues" if chosen else "Queue"
    _name(panel, f"{title} (red ticks: drops)" if dropped else title, "kB")
    if not chosen:
        panel.text(0.5, 0.5, "no queue was sampled", transform=panel.transAxes, ha="center", color=_REFERENCE)
        panel.set_yticks([])
    if len(chosen) > 1:
        more = [Line2D([], [], linestyle="none", label=f"{left_out} more")] if left_out else []
        handles = [*panel.get_legend_handles_labels()[0], *more]
        panel.legend(
            handles=handles, loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.0,
            fontsize=7, frameon=False, ncols=len(handles), columnspacing=1.2,
        )  # fmt: skip
    rates = {known.get(name, QueueInfo()).rate_mbit for name in chosen}
    if len(rates) == 1 and (rate_mbit := rates.pop()):
        _delay_axis(panel, rate_mbit)


def _delay_axis(panel: Axes, rate_mbit: float) -> None:
    """A second scale: how long the backlog takes to leave."""
    per_kb = drain_ms(1000, rate_mbit) or math.nan

    def to_ms(kilobytes: Any) -> Any:
        return kilobytes * per_kb

    def to_kilobytes(delay_ms: Any) -> Any:
        return delay_ms / per_kb

    axis = panel.secondary_yaxis("right", functions=(to_ms, to_kilobytes))
    axis.set_ylabel("ms at its rate", fontsize=8)
    axis.tick_params(labelsize=8)
    axis.spines["right"].set_visible(False)


def _mark_drops(panel: Axes, rows: Columns) -> bool:
    """A tick at the top for each sample that counts new drops; whether there are any."""
    times, drops = series(rows, "drops")
    when = times[1:][np.diff(drops) > 0]
    if when.size > PIXELS:
        when = np.unique(np.round(when, 2))
    across = blended_transform_factory(panel.transData, panel.transAxes)
    panel.plot(
        when, np.full(when.size, 0.975), "|", color=_FAULT, markersize=5, markeredgewidth=0.7,
        transform=across, label="_drops",
    )  # fmt: skip
    return bool(when.size)


# --- series for drawing -----------------------------------------------------------------------------------------------


def _bin_s(flows: Sequence[_Drawn]) -> float:
    """Over how long to average: no less than two samples, nor than some round trips, as a loss holds back all that
    follows until it is repaired, and then that is delivered at once, faster than any link."""
    begin_s, end_s = _hull(flows)
    least_s = (end_s - begin_s) / MOST_BINS
    for flow in flows:
        times, lowest = delivered(flow.samples)[0], series(flow.samples.sender, "min_rtt_ms")[1]
        spacing_s = float(np.median(np.diff(times))) if times.size > 1 else 0.0
        rtt_s = float(lowest.min()) / 1000 if lowest.size else 0.0
        least_s = max(least_s, 2 * spacing_s, ROUND_TRIPS * rtt_s)
    return next((bin_s for bin_s in BINS_S if bin_s >= least_s * 0.999), BINS_S[-1])


def _total(flows: Sequence[_Drawn], bin_s: float) -> Series | None:
    """The sum of all flows; None where never two of them send at once."""
    spans = sorted(flow.span for flow in flows)
    if not any(later[0] < earlier[1] - bin_s for earlier, later in pairwise(spans)):
        return None
    begin_s, end_s = _hull(flows)
    each = [binned_mbit(delivered(flow.samples), begin_s, end_s, bin_s) for flow in flows]
    return each[0][0], np.sum([rates for _, rates in each], axis=0)


def _sending(flow: _Drawn, column: str) -> Series:
    times, values = series(flow.samples.sender, column)
    while_sending = (times >= flow.span[0]) & (times <= flow.span[1])
    return thinned((times[while_sending], values[while_sending]))


def _busiest(directions: Mapping[str, Columns]) -> tuple[dict[str, Columns], int]:
    """The queues worth drawing, in their own order, and how many others there are."""
    largest = {
        name: float(backlog.max()) if (backlog := series(rows, "backlog_bytes")[1]).size else 0.0
        for name, rows in directions.items()
    }
    floor = max(largest.values(), default=0.0) * 0.02
    ranked = sorted((name for name in largest if largest[name] >= floor), key=lambda name: -largest[name])
    chosen = set(ranked[:MOST_QUEUES])
    return {name: rows for name, rows in directions.items() if name in chosen}, len(directions) - len(chosen)


def _bottleneck_mbit(known: Mapping[str, QueueInfo], results: Results) -> float | None:
    """The least rate of the queues that filled, which is what held the flows up; None if no such rate is known."""
    chosen, _ = _busiest(queue_directions(results))
    return min((rate for name in chosen if (rate := known.get(name, QueueInfo()).rate_mbit)), default=None)


def _drawn_flows(results: Results) -> list[_Drawn]:
    flows = [(flow, span) for flow in flow_samples(results) if (span := sending_span(flow))]
    chosen = looks([flow.congestion_control for flow, _ in flows])
    return [_Drawn(flow, look, span) for (flow, span), look in zip(flows, chosen, strict=True)]


def _at_rest(results: Results, flow: FlowSamples) -> float | None:
    return rest_rtt_ms(results, flow.planned.source, flow.planned.address)


def _hull(flows: Sequence[_Drawn]) -> tuple[float, float]:
    if not flows:
        return 0.0, 1.0
    return min(flow.span[0] for flow in flows), max(flow.span[1] for flow in flows)


def _time_limits(flows: Sequence[_Drawn], results: Results) -> tuple[float, float]:
    times = results.queue["time_s"]
    begin_s, end_s = _hull(flows) if flows or not times.size else (float(times.min()), float(times.max()))
    margin_s = 0.01 * (end_s - begin_s) or 1.0
    return min(0.0, begin_s) - margin_s, end_s + margin_s


# --- looks ------------------------------------------------------------------------------------------------------------


def _style(flow: _Drawn) -> dict[str, Any]:
    return {
        "color": flow.look.colour,
        "linestyle": flow.look.line_style,
        "linewidth": flow.look.width,
        "label": _label(flow.samples),
    }


def _label(flow: FlowSamples) -> str:
    control = flow.congestion_control
    return flow.id if not control or control in flow.id else f"{flow.id} ({control})"


def _name(panel: Axes, title: str, unit: str) -> None:
    panel.set_title(title, loc="left", fontsize=9)
    panel.set_ylabel(unit, fontsize=9)


def _dress(panel: Axes) -> None:
    panel.set_ylim(bottom=0)
    if panel.lines:
        panel.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    panel.grid(True, color="0.9", linewidth=0.6)
    panel.set_axisbelow(True)
    panel.tick_params(labelsize=8)
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)


def _reference(panel: Axes, value: float, text: str) -> None:
    """A thin dashed line across a panel, with its meaning at the right; only the words if it is far above the data."""
    across = blended_transform_factory(panel.transAxes, panel.transData)
    largest = panel.dataLim.y1  # -inf for a panel without data
    if 0 <= largest < FAR_ABOVE * value:
        where: dict[str, Any] = {"xy": (0.998, 0.97), "xycoords": panel.transAxes, "va": "top"}
        text = f"{text} is beyond this scale" if text else ""
    else:
        panel.axhline(value, color=_REFERENCE, linewidth=0.8, linestyle=(0, (5, 3)), zorder=1.2, label="_reference")
        where = {"xy": (0.998, value), "xycoords": across, "va": "bottom"}
    panel.annotate(
        text, xytext=(0, 1.5), textcoords="offset points", ha="right", fontsize=7, color=_REFERENCE, zorder=5,
        bbox={"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.6}, **where,
    )  # fmt: skip


def _mark_faults(panel: Axes, results: Results, *, named: bool) -> None:
    across = blended_transform_factory(panel.transData, panel.transAxes)
    for event in results.events:
        if event.kind in ("fault", "daemon") and event.time_s >= 0:
            panel.axvline(event.time_s, color=_FAULT, linewidth=0.8, label="_fault")
            if named:
                panel.annotate(
                    f"{event.subject} {event.what}", (event.time_s, 0.03), xycoords=across, xytext=(2, 0),
                    textcoords="offset points", fontsize=7, color=_FAULT,
                )  # fmt: skip


def _caption(onto: Figure, results: Results, flows: Sequence[_Drawn]) -> None:
    info = results.info
    title = info.title or results.folder.resolve().name
    if handles := _legend(flows, onto.axes[0]):
        # the title belongs to the legend, which is the one thing outside the panels that finds its own room
        rows = math.ceil(len(handles) / 6)
        onto.legend(
            handles=handles, loc="outside upper center", ncols=math.ceil(len(handles) / rows), fontsize=8,
            frameon=False, title=title, title_fontsize=12, borderpad=0.2,
        )  # fmt: skip
    else:
        onto.suptitle(title, fontsize=12)
    said = [
        info.place,
        f"kernel {info.facts['kernel']}" if "kernel" in info.facts else "",
        info.started[:16].replace("T", " "),
    ]
    if results.status != "finished":
        said.append(f"this run is {results.status}" if results.status == "running" else f"this run {_fate(results)}")
    onto.supxlabel(" · ".join(filter(None, said)), x=0.99, ha="right", fontsize=7, color=_REFERENCE)


def _fate(results: Results) -> str:
    return {"failed": "failed", "interrupted": "was interrupted", "killed": "was killed"}.get(results.status, "")


def _legend(flows: Sequence[_Drawn], goodput: Axes) -> list[Line2D]:
    handles = [Line2D([], [], **{**_style(flow), "linewidth": 1.6}) for flow in flows]
    totals = [line for line in goodput.get_lines() if line.get_label() == "all flows"]
    return handles + [Line2D([], [], color=line.get_color(), linewidth=1.6, label="all flows") for line in totals]
