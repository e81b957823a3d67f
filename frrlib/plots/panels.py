"""The panels of figures of runs: goodput, congestion window, round-trip time and queue over time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import blended_transform_factory

from frrlib.plots.flows import MOST_FLOWS, PlottedFlow, hull, line_options, throughput_bin_s
from frrlib.plots.page import legend_above
from frrlib.results.binning import PIXELS, thinned
from frrlib.results.layout import QueueInfo
from frrlib.results.palette import FAULT, LINES, QUEUE_COLORS
from frrlib.results.queue_limits import LimitHistory, limit_history
from frrlib.results.rates import new_rate, rate_history
from frrlib.results.records import Results
from frrlib.results.series import (
    FlowSamples,
    Series,
    queue_directions,
    rest_rtt_ms,
    series,
)
from frrlib.results.statistics.arrivals import arrived_mbit, has_acknowledged_bytes, payload_share
from frrlib.results.statistics.bottleneck import bottleneck, busy_queues
from frrlib.results.statistics.summary import drain_ms
from frrlib.results.table_reader import Columns

#: The maximum number of queues in a figure; those with the largest backlogs are drawn.
MOST_QUEUES = 6

#: A reference line is drawn if the data reach this share of it; else it would compress the data at the bottom.
FAR_ABOVE = 0.3

#: The share of the time axis that the name of a fault takes.
_NAME_SHARE = 0.06
#: The minimum distance of marked changes of a rate, as a share of the axis: closer lines would form a gray area.
_CHANGE_SHARE = 0.02
#: The gray of lines and words about configured values.
REFERENCE = "0.45"
#: The lines of a link's rate and other limits, and the fainter line of the rate of payload.
RATE_LINE: dict[str, Any] = {"color": REFERENCE, "linewidth": 0.8, "linestyle": (0, (5, 3))}
PAYLOAD_LINE: dict[str, Any] = {"color": "0.65", "linewidth": 0.8, "linestyle": (0, (1, 2))}
_PROBE_COLORS = ("#000000", "0.5", "0.7", "#CC79A7")


# --- the panels -------------------------------------------------------------------------------------------------------


def draw_goodput(
    panel: Axes,
    flows: Sequence[PlottedFlow],
    queues: Mapping[str, QueueInfo],
    results: Results,
    *,
    aligned: bool = False,
) -> None:
    """Draw the throughput of each flow (or of each kind, if there are many), their sum if any two overlap, the rate of
    the bottleneck, and its rate of payload.

    Args:
        aligned: whether times are since each flow's own start. Then neither the sum nor a varying rate is drawn.
    """
    bin_s = throughput_bin_s(flows)
    kinds: dict[str, list[PlottedFlow]] = {}
    for flow in flows:
        kinds.setdefault(flow.label, []).append(flow)
    for same_label in kinds.values():
        span = same_label[0].span if len(same_label) == 1 else hull(same_label)
        rates_of_flows = [arrived_mbit(flow.samples, *span, bin_s) for flow in same_label]
        panel.plot(
            rates_of_flows[0][0],
            np.sum([rates for _, rates in rates_of_flows], axis=0),
            **line_options(same_label[0], summed=len(same_label) > 1),
        )
    if not aligned and (total := _total(flows, bin_s)):
        panel.plot(*total, color="0.7", linewidth=0.9, label="all flows", zorder=1.5)
    _draw_rates(panel, flows, queues, results, aligned=aligned)
    counted = "bytes acknowledged" if any(has_acknowledged_bytes(flow.samples) for flow in flows) else "bytes in order"
    title = "Throughput of each kind" if len(kinds) < len(flows) else f"Throughput: {counted}"
    _name(panel, f"{title}, mean over {bin_s * 1000:g} ms", "Throughput, Mbit/s")


def _draw_rates(
    panel: Axes, flows: Sequence[PlottedFlow], queues: Mapping[str, QueueInfo], results: Results, *, aligned: bool
) -> None:
    """Draw the rate of the bottleneck and its rate of payload, as steps if the run changed it."""
    direction, rate_mbit = bottleneck(results, queues)
    if not rate_mbit:
        return
    rate, info = rate_history(results, direction, rate_mbit), queues.get(direction, QueueInfo())
    if aligned and not rate.is_steady:
        return
    share = payload_share(info, (flow.samples for flow in flows))
    filled = busy_queues(results, MOST_QUEUES)[0]
    as_slow = sum(queues.get(name, QueueInfo()).rate_mbit == rate_mbit for name in filled)
    end_s = max((flow.span[1] for flow in flows), default=rate.times_s[-1])
    handles = []
    for part, line, title in (
        (1.0, RATE_LINE, "each link" if as_slow > 1 else "link"),
        (share, PAYLOAD_LINE, "payload"),
    ):
        if part is None:
            continue
        if rate.is_steady:
            handles += _reference(panel, rate_mbit * part, f"{title} {_mbit(rate_mbit * part)} Mbit/s", line)
        else:
            ends = np.append(rate.times_s, end_s)
            panel.stairs(rate.rates_mbit * part, ends, baseline=None, zorder=1.2, label="_reference", **line)
            handles.append(Line2D([], [], label=f"{title}: rate" if part == 1.0 else f"{100 * part:.1f} % payload",
                                  **line))  # fmt: skip
    legend_above(panel, handles)


def draw_window(panel: Axes, flows: Sequence[PlottedFlow]) -> None:
    """Draw the congestion window of each flow."""
    for flow in flows:
        panel.plot(*_sending(flow, "cwnd_packets"), **line_options(flow))
    _name(panel, "cwnd: congestion window at the sender", "cwnd, packets")


def draw_rtt(panel: Axes, flows: Sequence[PlottedFlow], results: Results, *, aligned: bool = False) -> None:
    """Draw the smoothed RTT of each flow and the RTT of pings before; of a few flows, the minimum RTT too.

    Args:
        aligned: whether times are since each flow's own start. Then pings beside the flows are not drawn.
    """
    is_crowded = len(flows) > MOST_FLOWS
    for flow in flows:
        panel.plot(*_sending(flow, "srtt_ms"), **line_options(flow))
        if not is_crowded:
            low = _sending(flow, "min_rtt_ms")
            panel.plot(*low, color=flow.style.colour, linewidth=0.8, linestyle=(0, (1, 1.5)), alpha=0.9, label="_min")
    probes = {} if aligned else _probes(results)
    for (name, rtts), color in zip(probes.items(), _PROBE_COLORS, strict=False):
        panel.plot(*rtts, color=color, linewidth=0.8, label=name)
    handles = [line for line in panel.get_lines() if line.get_label() in probes]
    at_rest = {_at_rest(results, flow.samples) for flow in flows} - {None}
    for rtt_ms in sorted(filter(None, at_rest)):
        handles += _reference(panel, rtt_ms, f"at rest {rtt_ms:.3g} ms" if len(at_rest) == 1 else "")
    legend_above(panel, handles)
    _name(panel, f"RTT at the sender: smoothed (srtt){'' if is_crowded else ', and its minimum (dotted)'}", "RTT, ms")


def _probes(results: Results) -> dict[str, Series]:
    """The round trips of pings that ran beside the flows, by their names."""
    names = results.probe["flow"]
    rtts_by_name = {
        str(name): thinned(series({key: column[names == name] for key, column in results.probe.items()}, "rtt_ms"))
        for name in dict.fromkeys(names.tolist())
    }
    return {name: rtts for name, rtts in rtts_by_name.items() if rtts[0].size}


def draw_queues(panel: Axes, results: Results, queues: Mapping[str, QueueInfo]) -> None:
    """Draw the backlog of the busiest queues, the times of their drops, and their limits."""
    busiest, left_out = busy_queues(results, MOST_QUEUES)
    dropped = False
    for number, ((direction, rows), color) in enumerate(zip(busiest.items(), QUEUE_COLORS, strict=False)):
        times, backlog = thinned(series(rows, "backlog_bytes"))
        kind = queues.get(direction, QueueInfo()).discipline
        label = f"{direction} ({kind})" if kind else direction
        line = LINES[number % len(LINES)]
        panel.plot(times, backlog / 1000, color=color, linestyle=line, linewidth=0.8, label=label)
        dropped |= _mark_drops(panel, rows)
    limits = _draw_limits(panel, results, queues, busiest)
    title = f"Queue {next(iter(busiest))}" if len(busiest) == 1 else "Queues" if busiest else "Queue"
    _name(panel, f"{title} (red ticks: drops)" if dropped else title, "Queue, kB")
    if not busiest:
        panel.text(0.5, 0.5, "no queue was sampled", transform=panel.transAxes, ha="center", color=REFERENCE)
        panel.set_yticks([])
    if len(busiest) < 2:
        legend_above(panel, limits)
    else:
        extra = [Line2D([], [], linestyle="none", label=f"{left_out} more")] if left_out else []
        legend_above(panel, [*panel.get_legend_handles_labels()[0], *extra, *limits])
    rates = {queues.get(name, QueueInfo()).rate_mbit for name in busiest}
    if len(rates) == 1 and (rate_mbit := rates.pop()):
        is_steady = all(rate_history(results, name, rate_mbit).is_steady for name in busiest)
        _delay_axis(panel, rate_mbit, "" if is_steady else f" at {rate_mbit:g} Mbit/s")


def _draw_limits(
    panel: Axes, results: Results, queues: Mapping[str, QueueInfo], drawn_queues: Mapping[str, Columns]
) -> list[Line2D]:
    """Draw the limits in force of some queues, as steps if the run changed them. Returns the handles for a legend."""
    limits = [limit_history(results, name, queues.get(name, QueueInfo()).limit_bytes) for name in drawn_queues]
    steady = sorted({limit_bytes for limit in limits if limit.is_steady and (limit_bytes := limit.at_bytes(0.0))})
    varied = [(limit, rows) for limit, rows in zip(limits, drawn_queues.values(), strict=True) if not limit.is_steady]
    is_alone = len(steady) + len(varied) == 1
    handles: list[Line2D] = []
    for limit_bytes in steady:
        handles += _reference(panel, limit_bytes / 1000, f"limit {limit_bytes / 1000:.4g} kB" if is_alone else "")
    for limit, rows in varied:
        times = rows["time_s"]
        steps = _draw_steps(panel, limit, (float(times.min()), float(times.max()))) if times.size else []
        handles += steps if is_alone else []
    return handles


def _draw_steps(panel: Axes, limit: LimitHistory, span: tuple[float, float], from_s: float = 0.0) -> list[Line2D]:
    """Draw a limit that changes as steps, without those far above the data. Returns the handle for a legend.

    Args:
        span: start and end in seconds of the run.
        from_s: the time of the run at which the panel's axis begins.
    """
    times = limit.edges(*span)
    limits_kb = limit.at(times[:-1]) / 1000
    in_force = limits_kb[~np.isnan(limits_kb)]
    if not in_force.size:
        return []
    text = "limit " + " to ".join(f"{limit_kb:.4g}" for limit_kb in sorted({in_force.min(), in_force.max()})) + " kB"
    largest = panel.dataLim.y1  # -inf for a panel without data
    is_far = (largest >= 0) & (largest < FAR_ABOVE * limits_kb)
    if is_far.all():
        return [Line2D([], [], linestyle="none", label=f"{text}, beyond this scale")]
    panel.stairs(
        np.where(is_far, np.nan, limits_kb), times - from_s, baseline=None, zorder=1.2, label="_reference", **RATE_LINE
    )
    return [Line2D([], [], label=f"{text}, partly beyond this scale" if is_far.any() else text, **RATE_LINE)]


def draw_queue_by_flow(
    panel: Axes, flows: Sequence[PlottedFlow], queues: Mapping[str, QueueInfo], results: Results
) -> None:
    """Draw the backlog of the bottleneck's queue while each flow sent, from that flow's own start.

    Args:
        flows: with their times in the run.
    """
    direction, rate_mbit = bottleneck(results, queues)
    queue = direction or next(iter(busy_queues(results, 1)[0]), "")
    _name(panel, f"Queue {queue}, while each flow sent" if queue else "Queue", "Queue, kB")
    if not queue:
        return
    times, backlog = series(queue_directions(results)[queue], "backlog_bytes")
    for flow in flows:
        sending = (times >= flow.span[0]) & (times <= flow.span[1])
        backlog_of_flow = thinned((times[sending] - flow.span[0], backlog[sending] / 1000))
        panel.plot(*backlog_of_flow, **{**line_options(flow), "linewidth": 0.8})
    limit = limit_history(results, queue, queues.get(queue, QueueInfo()).limit_bytes)
    if not limit.is_steady:
        for flow in flows:
            handles = _draw_steps(panel, limit, flow.span, flow.span[0])
        legend_above(panel, handles)
    elif limit_bytes := limit.at_bytes(0.0):
        legend_above(panel, _reference(panel, limit_bytes / 1000, f"limit {limit_bytes / 1000:.4g} kB"))
    if rate_mbit and rate_history(results, queue, rate_mbit).is_steady:
        _delay_axis(panel, rate_mbit, "")


def _delay_axis(panel: Axes, rate_mbit: float, words: str) -> None:
    """Add a second scale: the time to drain the backlog at a rate. `words` name the rate if there are several."""
    per_kb = drain_ms(1000, rate_mbit) or math.nan

    def to_ms(kilobytes: Any) -> Any:
        return kilobytes * per_kb

    def to_kilobytes(delay_ms: Any) -> Any:
        return delay_ms / per_kb

    axis = panel.secondary_yaxis("right", functions=(to_ms, to_kilobytes))
    axis.set_ylabel(f"queueing delay{words}, ms", fontsize=8)
    axis.tick_params(labelsize=8)
    axis.spines["right"].set_visible(False)


def _mark_drops(panel: Axes, rows: Columns) -> bool:
    """Draw a tick at the top for each sample with new drops. Returns whether there are any."""
    times, drops = series(rows, "drops")
    when = times[1:][np.diff(drops) > 0]
    if when.size > PIXELS:
        when = np.unique(np.round(when, 2))
    across = blended_transform_factory(panel.transData, panel.transAxes)
    panel.plot(
        when, np.full(when.size, 0.975), "|", color=FAULT, markersize=5, markeredgewidth=0.7,
        transform=across, label="_drops",
    )  # fmt: skip
    return bool(when.size)


# --- series -----------------------------------------------------------------------------------------------------------


def _total(flows: Sequence[PlottedFlow], bin_s: float) -> Series | None:
    """The sum of all flows; None if no two of them overlap."""
    spans = sorted(flow.span for flow in flows)
    if not any(later[0] < earlier[1] - bin_s for earlier, later in pairwise(spans)):
        return None
    begin_s, end_s = hull(flows)
    rates_of_flows = [arrived_mbit(flow.samples, begin_s, end_s, bin_s) for flow in flows]
    return rates_of_flows[0][0], np.sum([rates for _, rates in rates_of_flows], axis=0)


def _sending(flow: PlottedFlow, column: str) -> Series:
    times, values = series(flow.samples.sender, column)
    while_sending = (times >= flow.span[0]) & (times <= flow.span[1])
    return thinned((times[while_sending], values[while_sending]))


def _at_rest(results: Results, flow: FlowSamples) -> float | None:
    return rest_rtt_ms(results, flow.planned.source, flow.planned.address)


# --- layout -----------------------------------------------------------------------------------------------------------


def _name(panel: Axes, title: str, unit: str) -> None:
    # A fixed position: without one, matplotlib looks for ticks above the title each time it draws.
    panel.set_title(title, loc="left", fontsize=9, y=1.0)
    panel.set_ylabel(unit, fontsize=9)


def dress(panel: Axes) -> None:
    """Give a panel the common grid, ticks and spines, and a scale that begins at 0."""
    panel.set_ylim(bottom=0)
    if panel.lines:
        panel.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    panel.grid(True, color="0.9", linewidth=0.6)
    panel.set_axisbelow(True)
    panel.tick_params(labelsize=8)
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)


def _reference(panel: Axes, value: float, text: str, line: Mapping[str, Any] = RATE_LINE) -> list[Line2D]:
    """Draw a thin line across a panel, unless it is far above the data. Returns its handle for a legend.

    Args:
        text: its label; empty for no handle.
    """
    largest = panel.dataLim.y1  # -inf for a panel without data
    if 0 <= largest < FAR_ABOVE * value:
        return [Line2D([], [], linestyle="none", label=f"{text}, outside of this scale")] if text else []
    panel.axhline(value, zorder=1.2, label="_reference", **line)
    return [Line2D([], [], label=text, **line)] if text else []


def _mbit(rate_mbit: float) -> str:
    return f"{rate_mbit:.3g}" if rate_mbit < 1000 else f"{rate_mbit:.0f}"


def mark_faults(panel: Axes, results: Results, *, named: bool) -> None:
    """Draw a line at each fault, with its name if there is room for it."""
    across = blended_transform_factory(panel.transData, panel.transAxes)
    span_s = float(np.ptp(panel.get_xlim()))
    room_s = _NAME_SHARE * span_s
    named_s = changed_s = -math.inf
    for event in results.events:
        if event.kind in ("fault", "daemon") and event.time_s >= 0:
            if new_rate(event) is not None:  # often many; the rate itself is drawn, too
                if event.time_s - changed_s > _CHANGE_SHARE * span_s:
                    panel.axvline(event.time_s, color=REFERENCE, linewidth=0.4, alpha=0.5, label="_fault")
                changed_s = event.time_s
                continue
            panel.axvline(event.time_s, color=FAULT, linewidth=0.8, label="_fault")
            if named and event.time_s - named_s > room_s:  # overlapping names cannot be read
                named_s = event.time_s
                panel.annotate(
                    f"{event.subject} {event.what}", (event.time_s, 0.03), xycoords=across, xytext=(2, 0),
                    textcoords="offset points", fontsize=7, color=FAULT, annotation_clip=True, in_layout=False,
                )  # fmt: skip
