"""Draws several runs into the same panels, and the shares of the flows of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from frrlib.plots.flows import TIME_WORDS, PlottedFlow, from_own_start, plotted_flows, time_limits
from frrlib.plots.page import Size, legend_beside, page, styled
from frrlib.results.binning import thinned
from frrlib.results.flow_names import named_flow
from frrlib.results.palette import LINES, CurveStyle, DashPattern, curve_styles
from frrlib.results.records import Results
from frrlib.results.series import Floats, Series, queue_directions, series
from frrlib.results.statistics.arrivals import arrived_mbit
from frrlib.results.statistics.bottleneck import bottleneck
from frrlib.results.statistics.differences import groups
from frrlib.results.statistics.fairness import BIN_S, TOLERANCE, convergence_s, shares
from frrlib.results.statistics.statistics import run_name

#: Runs with more flows than this show the sum of their flows' throughputs, and the mean of their RTTs.
_MOST_FLOWS = 3
#: How much higher a narrow figure is for each line of its legend.
_LINE_INCHES = 0.15
#: The number of times at which repetitions are compared: about the number of pixels across a panel.
_MOMENTS = 500


def overlay(runs: Sequence[Results], size: Size = "page", *, aligned: bool = False) -> Figure:
    """Throughput, RTT and the bottleneck's queue of several runs over one time axis.

    Each experiment has its color, and its repetitions are drawn as a mean in a band. If all runs are repetitions of one
    experiment, each run has its color.

    Args:
        aligned: whether times are since each flow's own start.
    """
    experiments = named_experiments(runs)
    styles = curve_styles([""] * len(experiments))
    crowded = any(len(plotted_flows(run)) > _MOST_FLOWS for run in runs)
    flows: dict[str, int] = {}
    with styled():
        fig = page(size, 0.95)
        panels = fig.subplots(3, 1, sharex=True)
        goodput, rtt, queue = panels
        for (_, repetitions), style in zip(experiments, styles, strict=True):
            of_flows = [flow for run in repetitions for flow in _of_run(run, crowded, aligned)]
            for name in dict.fromkeys(name for name, _, _ in of_flows):
                line = LINES[flows.setdefault(name, len(flows)) % len(LINES)]
                series_of_flow = [(rates, rtts) for flow, rates, rtts in of_flows if flow == name]
                draw_repetitions(goodput, [rates for rates, _ in series_of_flow], style.colour, line, 0.9)
                draw_repetitions(rtt, [rtts for _, rtts in series_of_flow], style.colour, line, 0.9)
            backlogs = [backlog for run in repetitions for backlog in _queues(run, aligned and not crowded)]
            for name in dict.fromkeys(name for name, _ in backlogs):
                line = LINES[flows.get(name, 0) % len(LINES)]
                draw_repetitions(queue, [data for flow, data in backlogs if flow == name], style.colour, line, 0.8)
        _titles(panels, crowded, aligned)
        limits = [time_limits(_flows(run, aligned), run) for run in runs]
        queue.set_xlim(min(low for low, _ in limits), max(high for _, high in limits))
        handles: list[Any] = [Line2D([], [], color=style.colour, label=label)
                   for style, (label, _) in zip(styles, experiments, strict=True)]  # fmt: skip
        if any(len(repetitions) > 1 for _, repetitions in experiments):
            handles.append(Patch(color="0.5", alpha=0.3, linewidth=0, label="all repetitions, around their mean"))
        if not crowded and len(flows) > 1:
            for flow, at in flows.items():
                options: dict[str, Any] = {"linestyle": LINES[at % len(LINES)]}
                handles.append(Line2D([], [], color="0.3", label=f"flow {_flow_label(flow, runs)}", **options))
        if size == "column":
            fig.set_figheight(fig.get_figheight() + _LINE_INCHES * len(handles))
        fig.legend(handles=handles, loc="outside upper center", ncols=1 if size == "column" else 3)
    return fig


def _flow_label(flow: str, runs: Sequence[Results]) -> str:
    """A flow's name, with its congestion control if that is the same in all runs."""
    flows = [candidate for run in runs for candidate in plotted_flows(run)]
    controls = {candidate.samples.congestion_control for candidate in flows if candidate.samples.id == flow}
    return named_flow(flow, controls.pop()) if len(controls) == 1 else flow


def named_experiments(runs: Sequence[Results]) -> list[tuple[str, tuple[Results, ...]]]:
    """The experiments, each with its name and its repetitions; for a single experiment, each run with the name of its
    folder."""
    experiments = groups(runs)
    if len(experiments) > 1:
        return [(group.label, group.runs) for group in experiments]
    return [(run.folder.resolve().name, (run,)) for run in runs]


def _flows(run: Results, aligned: bool) -> list[PlottedFlow]:
    """The flows of a run, with times since their own starts if they are aligned."""
    return [from_own_start(flow) if aligned else flow for flow in plotted_flows(run)]


def _of_run(run: Results, crowded: bool, aligned: bool) -> Iterator[tuple[str, Series, Series]]:
    """Name, throughput and RTT of each flow; of all flows together if there are many."""
    flows = _flows(run, aligned)
    if not flows:
        return
    if not crowded:
        for flow in flows:
            rates = arrived_mbit(flow.samples, *flow.span, BIN_S)
            yield flow.samples.id, rates, thinned(series(flow.samples.sender, "srtt_ms"))
        return
    begin_s, end_s = min(flow.span[0] for flow in flows), max(flow.span[1] for flow in flows)
    rates_of_flows = [arrived_mbit(flow.samples, begin_s, end_s, BIN_S) for flow in flows]
    times = rates_of_flows[0][0]
    rtts = [np.interp(times, *srtt, left=np.nan, right=np.nan) for flow in flows
            if (srtt := series(flow.samples.sender, "srtt_ms"))[0].size]  # fmt: skip
    rtt_values = np.array(rtts) if rtts else np.full((1, times.size), np.nan)
    counts = (~np.isnan(rtt_values)).sum(axis=0)
    mean = np.divide(np.nansum(rtt_values, axis=0), counts, out=np.full(times.size, np.nan), where=counts > 0)
    yield "all", (times, np.sum([rates for _, rates in rates_of_flows], axis=0)), (times, mean)


def _queues(run: Results, aligned: bool) -> Iterator[tuple[str, Series]]:
    """The backlog of the bottleneck: over the whole run with an empty name; if aligned, for each flow while it sent."""
    times, held = _queue(run)
    if not aligned:
        yield "", thinned((times, held))
        return
    for flow in plotted_flows(run):
        sending = (times >= flow.span[0]) & (times <= flow.span[1])
        yield flow.samples.id, thinned((times[sending] - flow.span[0], held[sending]))


def _queue(run: Results) -> Series:
    direction = bottleneck(run)[0]
    directions = queue_directions(run)
    if direction not in directions:
        return np.zeros(0), np.zeros(0)
    times, backlog = series(directions[direction], "backlog_bytes")
    return times, backlog / 1000


def _titles(panels: Sequence[Axes], crowded: bool, aligned: bool) -> None:
    whose = "all flows of a run together" if crowded else "each flow"
    words = (
        (f"Throughput of {whose}, mean over {BIN_S:g} s", "Throughput, Mbit/s"),
        (f"Smoothed RTT, {'mean of all flows' if crowded else 'each flow'}", "RTT, ms"),
        ("Queue at the bottleneck", "Queue, kB"),
    )
    for panel, (title, unit) in zip(panels, words, strict=True):
        panel.set_title(title)
        panel.set_ylabel(unit)
        panel.set_ylim(bottom=0)
    panels[-1].set_xlabel(TIME_WORDS[aligned])


def share(runs: Sequence[Results], size: Size = "page") -> Figure:
    """Each flow's share of the goodput over time, and Jain's index below, for the first of the runs.

    The time at which the flows converge to equal shares is marked.
    """
    run = runs[0]
    flow_shares, greedy = shares(run), shares(run, greedy=True)
    flows = {flow.samples.id: flow for flow in plotted_flows(run)}
    names = {flow: named_flow(flow, plotted.samples.congestion_control) for flow, plotted in flows.items()}
    styles_by_flow = {flow: plotted.style for flow, plotted in flows.items()}
    styles = [styles_by_flow.get(flow, CurveStyle("0.5", "-", 1.0)) for flow in flow_shares.flows]
    with styled():
        fig = page(size, 0.75)
        panels = fig.subplots(2, 1, sharex=True, height_ratios=(3, 1.3))
        parts, jain = panels
        if flow_shares.flows:
            edges = np.append(
                flow_shares.times_s - flow_shares.bin_s / 2, flow_shares.times_s[-1] + flow_shares.bin_s / 2
            )
            floor = np.zeros(flow_shares.times_s.size)
            for flow, style, part in zip(flow_shares.flows, styles, 100 * flow_shares.parts, strict=True):
                parts.stairs(floor + part, edges, baseline=floor, fill=True, color=style.colour, alpha=0.85,
                             label=names.get(flow, flow), edgecolor="white", linewidth=0.4)  # fmt: skip
                floor = floor + part
            jain.plot(greedy.times_s, greedy.jain, color="black")
            parts.set_xlim(edges[0], edges[-1])
            legend_beside(parts, reverse=True)
        took_s = convergence_s(greedy)
        if took_s is not None:
            together = greedy.times_s[greedy.sending.all(axis=0)][0] - greedy.bin_s / 2
            for panel in panels:
                panel.axvline(together + took_s, color="0.2", linestyle=(0, (4, 2)), linewidth=0.9)
            jain.annotate(
                f"equal shares after {took_s:g} s (within {100 * TOLERANCE:.0f} %)",
                (together + took_s, 0.08), xytext=(4, 0), textcoords="offset points", fontsize=7,
            )  # fmt: skip
        parts.set_ylim(0, 100)
        parts.set_ylabel("Share of goodput, %")
        parts.set_title(f"{run_name(run)}\nShare of all goodput, mean over {flow_shares.bin_s:g} s")
        jain.set_ylim(0, 1.05)
        jain.set_ylabel("Jain's index")
        jain.set_title("Jain's index of the active bulk flows")
        jain.set_xlabel("time since the start of all flows (s)")
    return fig


def band(repetitions: Sequence[Series]) -> tuple[Floats, Floats, Floats, Floats]:
    """The minimum, mean and maximum of repetitions over time.

    Args:
        repetitions: a series of each repetition; empty ones are ignored.

    Returns:
        Times in seconds, and the minimum, mean and maximum of the repetitions at these times, interpolated between
        samples. A repetition that has ended is not included. All are empty without samples.
    """
    known_series = [data for data in repetitions if data[0].size]
    if not known_series:
        nothing = np.zeros(0)
        return nothing, nothing, nothing, nothing
    times = np.linspace(min(xs[0] for xs, _ in known_series), max(xs[-1] for xs, _ in known_series), _MOMENTS)
    values = np.array([np.interp(times, xs, ys, left=np.nan, right=np.nan) for xs, ys in known_series])
    has_values = ~np.isnan(values).all(axis=0)  # repetitions that do not overlap leave a gap
    times, values = times[has_values], values[:, has_values]
    return times, np.nanmin(values, axis=0), np.nanmean(values, axis=0), np.nanmax(values, axis=0)


def draw_repetitions(panel: Axes, repetitions: Sequence[Series], color: str, line: DashPattern, width: float) -> None:
    """Draw one repetition as a line, and several as their mean in a band."""
    if len(repetitions) == 1:
        panel.plot(*repetitions[0], color=color, linestyle=line, linewidth=width)
        return
    times, least, mean, most = band(repetitions)
    panel.fill_between(times, least, most, color=color, alpha=0.2, linewidth=0)
    panel.plot(times, mean, color=color, linestyle=line, linewidth=width)
