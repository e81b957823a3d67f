"""Draws the data of captured packets: rates at each interface, round trips, data in flight, and retransmissions."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from frrlib.plots.page import AS_WRITTEN
from frrlib.results.packets.series import in_flight, rates, retransmission_mask, rtt_by_ack, transit
from frrlib.results.packets.views import CapturedFlow, successive_captures, whole_span
from frrlib.results.palette import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, curve_styles
from frrlib.results.records import Results
from frrlib.results.series import flow_samples

SIZE_INCHES = (8.0, 9.0)
DPI = 150
#: Line styles for the interfaces, in the order in which a flow's packets pass them.
_PLACES: tuple[Any, ...] = ("-", (0, (4, 1.2)), (0, (1.5, 1)))
_COLORS = (BLUE, VERMILION, GREEN, ORANGE, SKY, PURPLE)
#: The maximum number of points of a flow; with more points, evenly spaced ones are drawn.
_MOST_POINTS = 4000


def figure_bytes(results: Results, captured: Sequence[CapturedFlow], bin_s: float, kind: str) -> bytes:
    """The figure as a file of a kind: "png", "svg" or "pdf"."""
    fig = Figure(figsize=SIZE_INCHES, dpi=DPI, layout="constrained")
    FigureCanvasAgg(fig)
    draw(fig, results, captured, bin_s)
    out = io.BytesIO()
    fig.savefig(out, format=kind)
    return out.getvalue()


@rc_context(AS_WRITTEN)
def draw(onto: Figure, results: Results, captured: Sequence[CapturedFlow], bin_s: float) -> tuple[Axes, ...]:
    """Draw onto an empty figure. Its panels from top to bottom: rate, round trip, transit time (with several
    interfaces), data in flight."""
    colors = flow_colors(results, captured)
    places = _places(captured)
    between = list(successive_captures(captured))
    panels = tuple(onto.subplots(4 if between else 3, 1, sharex=True))
    span = whole_span(captured, bin_s)
    for view in captured:
        times, passed = rates(view.data, bin_s, *span)
        style = _PLACES[places.index(view.interface) % len(_PLACES)]
        panels[0].plot(times, passed, color=colors[view.flow], linestyle=style, linewidth=1.1)
    for view in first_captures(captured):
        color = colors[view.flow]
        _ticks(panels[0], view.data.time_s[retransmission_mask(view.data)], color)
        _points(panels[1], rtt_by_ack(view.data, view.acks), color)
        panels[-1].plot(*_kilo(in_flight(view.data, view.acks)), color=color, linewidth=0.7)
    for upstream, downstream in between:
        _points(panels[2], transit(upstream.data, downstream.data)[0], colors[upstream.flow])
    titles = [
        f"Captured packets, mean over {bin_s * 1000:g} ms (Mbit/s); | retransmitted",
        f"RTT of each packet, captured at {_interface_names(first_captures(captured))} (ms)",
        f"From {' to '.join(places)} (ms)",
        "Unacknowledged data (kB)",
    ]
    if not between:
        del titles[2]
    for panel, title in zip(panels, titles, strict=True):
        _dress(panel, title)
    _legends(panels[0], colors, places)
    panels[-1].set_xlabel("time since the start of all flows (s)", fontsize=9)
    panels[-1].set_xlim(*span)
    onto.suptitle(results.info.title or "Packets", fontsize=11)
    return panels


def flow_colors(results: Results, captured: Sequence[CapturedFlow]) -> dict[str, str]:
    """The color of each flow by its congestion control, as in the run's figure; other connections get others."""
    flows = flow_samples(results)
    styles = curve_styles([flow.congestion_control for flow in flows])
    flow_colors = {flow.id: style.colour for flow, style in zip(flows, styles, strict=True)}
    names = dict.fromkeys(view.flow for view in captured)
    return {name: flow_colors.get(name, _COLORS[at % len(_COLORS)]) for at, name in enumerate(names)}


def _places(captured: Sequence[CapturedFlow]) -> list[str]:
    """The interfaces in the order in which packets pass them."""
    return list(dict.fromkeys(view.interface for view in sorted(captured, key=lambda view: view.span[0])))


def first_captures(captured: Sequence[CapturedFlow]) -> list[CapturedFlow]:
    """Each flow at its first interface, nearest to its sender."""
    nearest: dict[str, CapturedFlow] = {}
    for view in sorted(captured, key=lambda view: view.span[0]):
        nearest.setdefault(view.flow, view)
    return list(nearest.values())


def _interface_names(captured: Sequence[CapturedFlow]) -> str:
    return ", ".join(dict.fromkeys(view.interface for view in captured))


def _ticks(panel: Axes, times: np.ndarray, color: str) -> None:
    """Mark times at the bottom of a panel."""
    if times.size:
        ground = np.zeros(times.size)
        (line,) = panel.plot(times, ground, linestyle="none", marker="|", markersize=9, color=color, clip_on=False)
        line.set_in_layout(False)


def _points(panel: Axes, series: tuple[np.ndarray, np.ndarray], color: str) -> None:
    times, values = series
    every = max(1, times.size // _MOST_POINTS)
    panel.plot(times[::every], values[::every], linestyle="none", marker=".", markersize=1.6, color=color,
               rasterized=True)  # fmt: skip


def _kilo(series: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    times, values = series
    every = max(1, times.size // _MOST_POINTS)
    return times[::every], values[::every] / 1e3


def _legends(panel: Axes, colors: dict[str, str], places: Sequence[str]) -> None:
    handles = [Line2D([], [], color=color, linewidth=1.4, label=name) for name, color in colors.items()]
    styles = [_PLACES[at % len(_PLACES)] for at in range(len(places))]
    handles += [Line2D([], [], color="0.35", linestyle=style, label=f"at {where}")
                for style, where in zip(styles, places, strict=True)]  # fmt: skip
    panel.legend(
        handles=handles, fontsize=8, loc="lower right", bbox_to_anchor=(1.0, 1.12), ncols=min(6, len(handles)),
        frameon=False, borderaxespad=0.0, columnspacing=1.2,
    )  # fmt: skip


def _dress(panel: Axes, title: str) -> None:
    panel.set_title(title, fontsize=9, loc="left")
    panel.set_ylim(bottom=0.0)
    panel.grid(visible=True, axis="both", color="0.92", linewidth=0.6)
    panel.set_axisbelow(True)
    panel.tick_params(labelsize=8)
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
