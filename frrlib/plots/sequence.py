"""Draws sequence numbers over time from captured packets, as Stevens and tcptrace do.

A packet with data is a bar from its first byte to its last; the line below is the acknowledgment. (W. R. Stevens,
TCP/IP Illustrated, Volume 1, 1994, section 20.3; S. Ostermann, tcptrace, 1997.)
"""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from frrlib.plots.packets import first_captures, flow_colors
from frrlib.plots.page import WIDTHS_INCHES, Size, page, styled
from frrlib.results.flow_names import named_flow
from frrlib.results.layout import ResultsError
from frrlib.results.packets.sequence import Blocks, Sequence, sequence
from frrlib.results.packets.views import captured_flows
from frrlib.results.palette import FAULT
from frrlib.results.records import Results
from frrlib.results.series import flow_samples
from frrlib.results.statistics.statistics import run_name

#: The maximum number of flows; each has a panel.
MOST_FLOWS = 3
_PANEL_INCHES, _ALONE_INCHES, _MARGIN_INCHES = 2.3, 3.4, 0.95
_ACK_COLOR, _SACK_COLOR, _TWICE_COLOR = "#005f38", "0.55", "black"
#: With more bars than this, they are dots of a picture in vector formats.
_MOST_VECTORS = 3000
_SPACE = 0.04
_KILO = 1000.0


@dataclass(frozen=True)
class Span:
    """The visible time; None for the first or the last packet of data."""

    from_s: float | None = None
    to_s: float | None = None

    def mask(self, times: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        """Whether each time is visible."""
        low, high = -np.inf if self.from_s is None else self.from_s, np.inf if self.to_s is None else self.to_s
        return (times >= low) & (times <= high)


def sequences(
    runs: SequenceOf[Results], size: Size = "page", *, from_s: float | None = None, to_s: float | None = None
) -> Figure:
    """The sequence numbers of each flow of a run over time, at the captured interface nearest to its sender.

    Raises:
        ResultsError: the run has no captures, or no TCP flow with data in the visible time in them.
    """
    (run,) = runs
    span = Span(from_s, to_s)
    captured, remarks = captured_flows(run)
    colors = flow_colors(run, captured)
    controls = {flow.id: flow.congestion_control for flow in flow_samples(run)}
    captures = [(view, sequence(view.data, view.acks)) for view in first_captures(captured)]
    flows = [(view, numbers) for view, numbers in captures if span.mask(numbers.sent_s).any()]
    if not flows:
        remedy = "choose other seconds with --from and --to" if captures else "capture at an interface on a flow's path"
        raise ResultsError(run.folder, "contains no captured data of TCP in this time", remedy)
    drawn = flows[:MOST_FLOWS]
    if len(flows) > len(drawn):
        remarks = [*remarks, f"{len(flows) - len(drawn)} more flows are not shown"]
    inches = _MARGIN_INCHES + (_ALONE_INCHES if len(drawn) == 1 else _PANEL_INCHES * len(drawn))
    with styled():
        fig = page(size, inches / WIDTHS_INCHES["page"])
        if size == "column":
            fig.set_figheight(inches)
        panels = fig.subplots(len(drawn), 1, sharex=True, squeeze=False)[:, 0]
        for panel, (view, numbers) in zip(panels, drawn, strict=True):
            handles = draw_sequence(panel, numbers, span, colors[view.flow])
            name = named_flow(view.flow, controls.get(view.flow, ""))
            panel.set_title(f"{name}, captured at {view.interface}", loc="left")
            # No packet is in this corner: numbers never fall.
            panel.legend(handles=handles, loc="upper left", fontsize=7, handlelength=1.6, borderaxespad=0.3)
        times = np.concatenate([numbers.sent_s[span.mask(numbers.sent_s)] for _, numbers in drawn])
        low, high = float(times.min()) if from_s is None else from_s, float(times.max()) if to_s is None else to_s
        margin_s = _SPACE / 4 * (high - low) or 1e-3
        panels[-1].set_xlim(low - margin_s if from_s is None else low, high + margin_s if to_s is None else high)
        panels[-1].set_xlabel("time since the start of all flows (s)")
        fig.suptitle(run_name(run))
        if remarks:
            fig.supxlabel("; ".join(remarks), x=0.99, ha="right", fontsize=7)
    return fig


def draw_sequence(panel: Axes, numbers: Sequence, span: Span, color: str) -> list[Line2D]:
    """Draw a connection's visible packets onto a panel. Returns the handles of its legend, with their counts."""
    sent, acked = span.mask(numbers.sent_s), span.mask(numbers.acked_s)
    again, duplicate = sent & numbers.is_resent, acked & numbers.is_duplicate
    many = int(sent.sum()) > _MOST_VECTORS
    width = 0.9 if many else 1.6
    first = sent & ~numbers.is_resent
    _bars(panel, numbers.sent_s[first], numbers.starts[first], numbers.ends[first], color, width, many)
    sacks, twice = _visible(numbers.sacks, span), _visible(numbers.duplicates, span)
    _bars(panel, sacks.time_s, sacks.starts, sacks.ends, _SACK_COLOR, width, many, zorder=1.8, alpha=0.6)
    panel.plot(
        numbers.acked_s[acked], numbers.acknowledged[acked] / _KILO, drawstyle="steps-post", color=_ACK_COLOR,
        linewidth=1.0,
    )  # fmt: skip
    _marks(panel, numbers.acked_s[duplicate], numbers.acknowledged[duplicate], "|", _ACK_COLOR, 5)
    middles = (numbers.starts + numbers.ends) / 2
    _bars(panel, numbers.sent_s[again], numbers.starts[again], numbers.ends[again], FAULT, 2 * width, many, zorder=2.6)
    _marks(panel, numbers.sent_s[again], middles[again], "o", FAULT, 3)
    _marks(panel, twice.time_s, (twice.starts + twice.ends) / 2, "x", _TWICE_COLOR, 4)
    panel.set_ylabel("sequence number (kB)")
    _dress(panel, numbers, sent, acked)
    kinds: tuple[tuple[str, int, dict[str, Any]], ...] = (
        ("data", int(first.sum()), {"color": color, "linewidth": 2}),
        ("retransmitted", int(again.sum()), {"color": FAULT, "marker": "o", "markersize": 3, "linestyle": "none"}),
        ("acknowledged", -1, {"color": _ACK_COLOR, "linewidth": 1}),
        (
            "duplicate ACK",
            int(duplicate.sum()),
            {"color": _ACK_COLOR, "marker": "|", "markersize": 5, "linestyle": "none"},
        ),
        ("SACK", int(sacks.time_s.size), {"color": _SACK_COLOR, "linewidth": 2, "alpha": 0.6}),
        (
            "D-SACK",
            int(twice.time_s.size),
            {"color": _TWICE_COLOR, "marker": "x", "markersize": 4, "linestyle": "none"},
        ),
    )
    return [
        Line2D([], [], label=label if count < 0 else f"{label} ({count})", **style)
        for label, count, style in kinds
        if count
    ]


def _visible(blocks: Blocks, span: Span) -> Blocks:
    mask = span.mask(blocks.time_s)
    return Blocks(blocks.time_s[mask], blocks.starts[mask], blocks.ends[mask])


def _bars(
    panel: Axes, times: Any, starts: Any, ends: Any, color: str, width: float, rasterized: bool, **options: Any
) -> None:
    """Draw a vertical bar for each range of bytes."""
    if not times.size:
        return
    points = np.stack((np.stack((times, starts / _KILO), axis=1), np.stack((times, ends / _KILO), axis=1)), axis=1)
    panel.add_collection(
        LineCollection(points, colors=color, linewidths=width, rasterized=rasterized, **options)  # type: ignore[arg-type]
    )


def _marks(panel: Axes, times: Any, values: Any, marker: str, color: str, points: float) -> None:
    if times.size:
        panel.plot(times, values / _KILO, linestyle="none", marker=marker, markersize=points, color=color,
                   markeredgewidth=0.9, rasterized=times.size > _MOST_VECTORS)  # fmt: skip


def _dress(panel: Axes, numbers: Sequence, sent: npt.NDArray[np.bool_], acked: npt.NDArray[np.bool_]) -> None:
    """Fit the scale to the visible data and acknowledgments."""
    values = np.concatenate((numbers.starts[sent], numbers.ends[sent], numbers.acknowledged[acked])) / _KILO
    low, high = float(values.min()), float(values.max())
    panel.set_ylim(low - _SPACE * (high - low), high + _SPACE * (high - low))
    panel.grid(visible=True, color="0.9", linewidth=0.6)
    panel.set_axisbelow(True)
    panel.tick_params(labelsize=8)
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
