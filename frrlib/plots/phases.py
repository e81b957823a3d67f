"""Draws the states of BBR over time as colored spans, behind its estimates and the bounds of the data in flight."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from frrlib import bbr
from frrlib.plots.flows import PlottedFlow, line_options, plotted_flows
from frrlib.plots.page import WIDTHS_INCHES, Size, legend_above, page, styled
from frrlib.plots.panels import PAYLOAD_LINE, RATE_LINE, dress
from frrlib.results.binning import thinned
from frrlib.results.layout import ResultsError
from frrlib.results.records import Results
from frrlib.results.series import FlowSamples, Series, series
from frrlib.results.statistics.arrivals import payload_share
from frrlib.results.statistics.bbr import Span, states
from frrlib.results.statistics.bottleneck import bottleneck
from frrlib.results.statistics.statistics import run_name

#: The colors of states: pale, because curves are drawn over them; they get darker in this order on gray paper.
STATE_COLORS: Mapping[str, str] = {
    "cruise": "#F4F4F4", "probe_bw": "#F4F4F4", "refill": "#D6ECFA", "startup": "#FCE4B4", "down": "#BFE3D6",
    "up": "#F6BFA0", "drain": "#E6BAD3", "probe_rtt": "#A6A6A6",
}  # fmt: skip
#: The names of states, as the draft writes them.
STATE_TITLES: Mapping[str, str] = {
    "startup": "Startup", "drain": "Drain", "refill": "REFILL", "up": "UP", "down": "DOWN", "cruise": "CRUISE",
    "probe_bw": "ProbeBW", "probe_rtt": "ProbeRTT",
}  # fmt: skip
#: Curves besides that of the flow itself: they differ in color and dashes.
_DELIVERED: dict[str, Any] = {"color": "0.55", "linewidth": 0.7}
_WINDOW: dict[str, Any] = {"color": "black", "linewidth": 0.9, "linestyle": (0, (4, 1.5))}
_SHORT_TERM: dict[str, Any] = {"color": "#c1121f", "linewidth": 1.2}
_LONG_TERM: dict[str, Any] = {"color": "#005f38", "linewidth": 1.2, "linestyle": (0, (6, 1, 1.5, 1))}
#: The maximum number of flows; each has two panels, and a flow alone has a third one for its RTT.
MOST_FLOWS = 3
_PANEL_INCHES, _MARGIN_INCHES = 1.55, 0.95
#: The axis ends above this share of the values, because Startup overshoots by far in a single sample.
_SHOWN_PERCENT, _ABOVE = 99.5, 1.15
_BITS = 8.0


def phases(runs: Sequence[Results], size: Size = "page") -> Figure:
    """The states of each flow of BBR in a run, with its estimated bandwidth and its data in flight.

    Raises:
        ResultsError: no flow of the run used BBR.
    """
    (run,) = runs
    flows = [(flow, spans) for flow in plotted_flows(run) if (spans := states(flow.samples.sender))]
    if not flows:
        raise ResultsError(run.folder, "contains no samples of BBR", "give a flow the congestion control bbr, bbr2 or "
                           "bbr3")  # fmt: skip
    shown = flows[:MOST_FLOWS]
    rows = 3 if len(shown) == 1 else 2 * len(shown)
    with styled():
        fig = page(size, (_MARGIN_INCHES + _PANEL_INCHES * rows) / WIDTHS_INCHES["page"])
        if size == "column":
            fig.set_figheight(_MARGIN_INCHES + _PANEL_INCHES * rows)
        panels = fig.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]
        for number, (flow, spans) in enumerate(shown):
            own = panels[2 * number :]
            draw_bandwidth(own[0], flow, run)
            draw_in_flight(own[1], flow)
            if rows == 3:
                _draw_rtt(own[2], flow)
            for panel in own[: rows if rows == 3 else 2]:
                shade(panel, spans)
                _finish(panel, flow.label, 2 if size == "column" else 6)
        panels[-1].set_xlabel("time since the start of all flows (s)")
        begins, ends = zip(*((spans[0][0], spans[-1][1]) for _, spans in shown), strict=True)
        panels[-1].set_xlim(min(begins), max(ends))
        columns = 3 if size == "column" else 8
        fig.legend(
            handles=state_patches(spans for _, spans in shown), loc="outside upper center", ncols=columns,
            title=run_name(run), handlelength=1.2, columnspacing=1.2,
        )  # fmt: skip
        if len(flows) > len(shown):
            fig.supxlabel(f"{len(flows) - len(shown)} more flows of BBR are not shown", x=0.99, ha="right", fontsize=7)
    return fig


# --- parts, also for figures of experiments ---------------------------------------------------------------------------


def shade(panel: Axes, spans: Sequence[Span], only: Collection[str] = (), zorder: float = 0.4) -> None:
    """Color the times of states behind the curves of a panel.

    Args:
        only: the states to color; empty for all.
    """
    for name, color in STATE_COLORS.items():
        bars = [(begin_s, end_s - begin_s) for begin_s, end_s, word in spans if word == name]
        if bars and (not only or name in only):
            panel.broken_barh(
                bars, (0, 1), facecolors=color, linewidth=0, zorder=zorder, transform=panel.get_xaxis_transform(),
                label=f"_{name}",
            )  # fmt: skip


def state_patches(all_spans: Any, only: Collection[str] = ()) -> list[Patch]:
    """The legend of the states that occur, in their order of time."""
    present = {word for spans in all_spans for _, _, word in spans}
    return [
        Patch(facecolor=STATE_COLORS[name], edgecolor="0.6", linewidth=0.4, label=STATE_TITLES[name])
        for name in bbr.STATES
        if name in present and (not only or name in only)
    ]


def bdp_packets(flow: FlowSamples) -> Series:
    """The bandwidth-delay product over time in packets, by the flow's own estimates of bandwidth and minimum RTT."""
    rows = flow.sender
    bits = rows["bbr_bandwidth_mbit"] * 1e6 * rows["bbr_min_rtt_ms"] / 1e3
    return series({"time_s": rows["time_s"], "bdp": bits / _BITS / rows["mss_bytes"]}, "bdp")


def draw_bandwidth(panel: Axes, flow: PlottedFlow, run: Results | None = None) -> None:
    """Draw the estimated bandwidth, the delivery rate of each round trip, and the rate of the bottleneck.

    Args:
        run: the run with the bottleneck; None to draw no rate.
    """
    rows = flow.samples.sender
    delivered = series(rows, "delivery_rate_mbit")
    estimate = series(rows, "bbr_bandwidth_mbit")
    _line(panel, delivered, **_DELIVERED, label="delivery rate")
    _line(panel, estimate, **{**line_options(flow), "linestyle": "-", "label": "estimate"})
    _set_top(panel, delivered[1], estimate[1])
    direction, rate_mbit = bottleneck(run) if run is not None else ("", None)
    if run is not None and rate_mbit and rate_mbit < panel.get_ylim()[1]:
        panel.axhline(rate_mbit, **RATE_LINE, zorder=1.2, label=f"link {rate_mbit:g} Mbit/s")
        info = run.info.queues.get(direction)
        share = payload_share(info, [flow.samples]) if info is not None else None
        if share is not None:
            panel.axhline(share * rate_mbit, **PAYLOAD_LINE, zorder=1.2, label="payload")
    panel.set_title("bandwidth (payload)", loc="left")
    panel.set_ylabel("Mbit/s")


def draw_in_flight(panel: Axes, flow: PlottedFlow) -> None:
    """Draw the data in flight with its window, the bandwidth-delay product, and the bounds that losses set."""
    rows = flow.samples.sender
    in_flight = series(rows, "in_flight_packets")
    if not in_flight[0].size:
        in_flight = series(rows, "unacked_packets")
    _line(panel, in_flight, **{**line_options(flow), "linestyle": "-", "linewidth": 0.9, "label": "in flight"})
    window = series(rows, "cwnd_packets")
    _line(panel, window, **_WINDOW, label="window")
    product = bdp_packets(flow.samples)
    _line(panel, product, color="0.4", linewidth=0.9, linestyle=(0, (1, 1.2)), label="BDP")
    for column, label, style in (
        ("bbr_inflight_shortterm_packets", "short-term bound", _SHORT_TERM),
        ("bbr_inflight_longterm_packets", "long-term bound", _LONG_TERM),
    ):
        if np.isfinite(rows[column]).any():
            # a bound that is not set has a gap
            panel.step(rows["time_s"], rows[column], where="post", label=label, **style)
    _set_top(panel, in_flight[1], window[1])
    panel.set_title("data in flight", loc="left")
    panel.set_ylabel("packets")


def _draw_rtt(panel: Axes, flow: PlottedFlow) -> None:
    smoothed = series(flow.samples.sender, "srtt_ms")
    _line(panel, smoothed, **{**line_options(flow), "linestyle": "-", "label": "smoothed"})
    _line(panel, series(flow.samples.sender, "bbr_min_rtt_ms"), **_WINDOW, label="minimum of BBR")
    _set_top(panel, smoothed[1])
    panel.set_title("RTT", loc="left")
    panel.set_ylabel("ms")


def _line(panel: Axes, data: Series, **style: Any) -> None:
    if data[0].size:
        panel.plot(*thinned(data), **style)


def _set_top(panel: Axes, *values: np.ndarray) -> None:
    tops = [float(np.percentile(part, _SHOWN_PERCENT)) for part in values if part.size]
    top = max(tops, default=math.nan)
    panel.set_ylim(0, _ABOVE * top if top > 0 else 1.0)


def _finish(panel: Axes, flow: str, most_columns: int) -> None:
    dress(panel)
    panel.grid(visible=False)
    panel.set_title(f"{flow} {panel.get_title(loc='left')}", loc="left", fontsize=8.5, y=1.0)
    panel.set_ylabel(panel.get_ylabel(), fontsize=8)
    legend_above(panel, panel.get_legend_handles_labels()[0], most_columns)
    if (legend := panel.get_legend()) is not None:
        legend.set_gid("")  # its columns already fit
