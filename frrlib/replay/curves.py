"""The panels of curves: throughput, congestion window, round-trip time and queue, as in the figure of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from frrlib.plots.flows import PlottedFlow, hull, plotted_flows, throughput_bin_s
from frrlib.replay.samples import milliseconds, packed, packed_rows
from frrlib.results.palette import LINES, QUEUE_COLORS
from frrlib.results.queue_limits import limit_history
from frrlib.results.rates import rate_history
from frrlib.results.records import Results
from frrlib.results.series import Series, flow_samples, select, series
from frrlib.results.statistics.arrivals import arrived_mbit, has_acknowledged_bytes
from frrlib.results.statistics.bottleneck import bottleneck, busy_queues

#: The most flows with curves; of more, those that delivered most are chosen.
MOST_FLOWS = 12
#: The most queues with curves: those with the largest backlogs.
MOST_QUEUES = 4
_PROBE_COLOR = "#7f7f7f"
_DASHES = {"-": ()}


@dataclass(frozen=True, eq=False)
class Curve:
    """A curve.

    Attributes:
        name: its name in the legend.
        color: "#rrggbb"; `dashes` are the lengths of its dashes and gaps, empty for a solid line.
        data: times in seconds of the run, and values.
        mean_over_s: for means over bins of time, the length of a bin; the times are the middles of the bins. 0 for
            samples.
    """

    name: str
    color: str
    dashes: tuple[float, ...]
    data: Series
    mean_over_s: float = 0.0


@dataclass(frozen=True, eq=False)
class Reference:
    """A configured value, as steps: each value holds from its time on."""

    name: str
    times_s: Sequence[float]
    values: Sequence[float]


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves with a common unit.

    Attributes:
        name, unit, note: the words above it.
        curves, references: its lines.
        drops_s: the times of samples with new drops.
    """

    name: str
    unit: str
    note: str = ""
    curves: tuple[Curve, ...] = ()
    references: tuple[Reference, ...] = ()
    drops_s: Sequence[float] = field(default=())


def chosen_flows(results: Results) -> tuple[list[PlottedFlow], int]:
    """The flows with curves, in their order, and the number of further flows."""
    flows = plotted_flows(results)
    sizes = {
        flow.samples.id: float(series(flow.samples.receiver, "bytes_received")[1].max(initial=0)) for flow in flows
    }
    largest = sorted(sizes, key=lambda name: -sizes[name])[:MOST_FLOWS]
    chosen = [flow for flow in flows if flow.samples.id in largest]
    if len(flows) > MOST_FLOWS:  # their labels are those of their kinds
        chosen = [replace(flow, label=flow.samples.id) for flow in chosen]
    return chosen, len(flows) - len(chosen)


def panels(results: Results, flows: Sequence[PlottedFlow]) -> list[Panel]:
    """The panels of a run, from the top; those without data are left out."""
    in_order = (_throughput(results, flows), _window(flows), _round_trips(results, flows), _queues(results))
    return [panel for panel in in_order if panel.curves]


def packed_panel(panel: Panel, bins: int, color_class: Callable[[str], str]) -> dict[str, Any]:
    """A panel in the page.

    Args:
        bins: the number of bins into which samples are thinned.
        color_class: returns the class of a color.
    """
    return {
        "name": panel.name,
        "unit": panel.unit,
        "curves": [
            {
                "name": curve.name,
                "color": color_class(curve.color),
                "dashes": list(curve.dashes),
                "meanOver": milliseconds(curve.mean_over_s),
                **packed(curve.data, bins),
            }
            for curve in panel.curves
        ],
        "references": [
            {"name": reference.name, **packed_rows(reference.times_s, reference.values)}
            for reference in panel.references
        ],
        "drops": _packed_times(panel.drops_s, bins),
    }


def _packed_times(times_s: Sequence[float], bins: int) -> list[int]:
    """Times of marks: one for each bin that has any."""
    moments = np.array([milliseconds(time_s) for time_s in times_s], dtype=np.int64)
    if moments.size > bins:
        width = max(1, int(moments.max() - moments.min()) // bins)
        moments = moments[np.append(True, np.diff(moments // width) > 0)]
    return [int(moment) for moment in np.diff(moments, prepend=0)]


def _throughput(results: Results, flows: Sequence[PlottedFlow]) -> Panel:
    bin_s = throughput_bin_s(flows)
    curves = tuple(
        _curve(flow, arrived_mbit(flow.samples, *flow.span, bin_s), bin_s)
        for flow in flows
        if flow.span[1] > flow.span[0]
    )
    counted = "bytes acknowledged" if any(has_acknowledged_bytes(flow.samples) for flow in flows) else "bytes in order"
    direction, rate_mbit = bottleneck(results)
    references = []
    if direction and rate_mbit:
        rate = rate_history(results, direction, rate_mbit)
        references = [Reference(f"rate of {direction}", rate.times_s.tolist(), rate.rates_mbit.tolist())]
    note = f"{counted}, mean over {bin_s * 1000:g} ms"
    return Panel("Throughput", "Mbit/s", note, curves, tuple(references))


def _window(flows: Sequence[PlottedFlow]) -> Panel:
    return Panel("Congestion window", "packets", "cwnd at the sender", tuple(_sampled(flows, "cwnd_packets")))


def _round_trips(results: Results, flows: Sequence[PlottedFlow]) -> Panel:
    curves = [*_sampled(flows, "srtt_ms"), *_pings(results)]
    return Panel("RTT", "ms", "smoothed RTT at the sender", tuple(curves))


def _sampled(flows: Iterable[PlottedFlow], column: str) -> Iterator[Curve]:
    """A column of the senders' samples while each flow sent."""
    for flow in flows:
        times, values = series(flow.samples.sender, column)
        is_sending = (times >= flow.span[0]) & (times <= flow.span[1])
        if is_sending.any():
            yield _curve(flow, (times[is_sending], values[is_sending]))


def _pings(results: Results) -> Iterator[Curve]:
    names = results.probe["flow"]
    for name in list(dict.fromkeys(names.tolist()))[:MOST_FLOWS]:
        data = series(select(results.probe, names == name), "rtt_ms")
        if data[0].size:
            yield Curve(str(name), _PROBE_COLOR, (1.5, 1.0), data)


def _curve(flow: PlottedFlow, data: Series, mean_over_s: float = 0.0) -> Curve:
    return Curve(flow.label, flow.style.colour, _dashes(flow.style.line_style), data, mean_over_s)


def _dashes(line_style: str | tuple[float, tuple[float, ...]]) -> tuple[float, ...]:
    return _DASHES.get(line_style, ()) if isinstance(line_style, str) else line_style[1]


def _queues(results: Results) -> Panel:
    busiest, left_out = busy_queues(results, MOST_QUEUES)
    curves, references, drops_s = [], [], list[float]()
    for number, (direction, rows) in enumerate(busiest.items()):
        times, backlog = series(rows, "backlog_bytes")
        if not times.size:
            continue
        curves.append(Curve(direction, QUEUE_COLORS[number], _dashes(LINES[number]), (times, backlog / 1000)))
        info = results.info.queues.get(direction)
        limit = limit_history(results, direction, info.limit_bytes if info else None)
        if not np.isnan(limit.limits_bytes).all():
            name = f"limit of {direction}"
            references.append(Reference(name, limit.times_s.tolist(), (limit.limits_bytes / 1000).tolist()))
        drop_times, drops = series(rows, "drops")
        drops_s += drop_times[1:][np.diff(drops) > 0].tolist()
    note = ", ".join(
        filter(None, ("red ticks: drops" if drops_s else "", f"{left_out} more queues" if left_out else ""))
    )
    return Panel("Queue", "kB", note, tuple(curves), tuple(references), sorted(drops_s))


def time_span(results: Results, flows: Sequence[PlottedFlow]) -> tuple[float, float]:
    """The start and the end of the replay in seconds of the run: the flows from their plan to their end; without flows,
    all samples and events."""
    if flows:
        begin_s, end_s = hull(flows)
        ends = [flow.end_s for flow in flow_samples(results) if flow.end_s > end_s]
        return min(0.0, begin_s), max(end_s, *ends) if ends else end_s
    times = [event.time_s for event in results.events if np.isfinite(event.time_s)]
    times += [*results.queue["time_s"].tolist(), *results.interface["time_s"].tolist()]
    return (min(times), max(times)) if times and max(times) > min(times) else (0.0, 1.0)
