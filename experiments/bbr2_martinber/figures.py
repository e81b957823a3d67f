"""martinber's figures: throughput, window, RTT and queue over time, with a column for each congestion control."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from frrlib.model.flow_words import control_name
from frrlib.results.palette import BLACK
from frrlib.results.records import Results
from frrlib.results.series import Floats, Series
from miniedit_frr.experiments import measures, published_style
from miniedit_frr.experiments.bbr2_martinber.lab import FLOW, Scenario
from miniedit_frr.experiments.bbr2_martinber.numbers import BIN_S, number_name, throughput
from miniedit_frr.experiments.expectations import published_rows
from miniedit_frr.experiments.runs import Runs

#: A scenario of at least this duration is drawn in this number of columns, since BBR's cycles would form a dark area.
_LONG_S, _COLUMNS = 60, 240


@dataclass(frozen=True)
class Quantity:
    """The quantity of a row of panels.

    Attributes:
        digitized_name: its name in the digitized series.
        label: the label of the axis, with unit.
        series: returns the quantity over time from a run of a scenario.
    """

    digitized_name: str
    label: str
    series: Callable[[Results, Scenario], Series]


def _throughput(results: Results, scenario: Scenario) -> Series:
    """Throughput in the published bins of 0.1 s. With a longer RTT each bin has its length, so that bursts are not
    visible."""
    return throughput(results, max(BIN_S, scenario.delay_ms / 1e3))


THROUGHPUT = Quantity("thr_Mbps", "Throughput at\nthe sender (Mbit/s)", _throughput)
WINDOW = Quantity("cwnd_pkt", "cwnd (packets)", lambda results, _: measures.cwnd_packets(results, FLOW))
RTT = Quantity("rtt_ms", "RTT (ms)", lambda results, _: measures.rtt_ms(results, FLOW))
QUEUE = Quantity("qlen_skb", "Queue (packets)", lambda results, _: measures.queue_series(results))
ALL_QUANTITIES = (THROUGHPUT, WINDOW, RTT, QUEUE)


def draw_scenario(
    scenario: Scenario,
    runs: Runs,
    *,
    figures: Mapping[str, int],
    quantities: Sequence[Quantity] = ALL_QUANTITIES,
    one_scale: bool = True,
    words: Sequence[str] = (),
) -> Figure:
    """The figures of a scenario beside each other.

    In a long scenario each line is the median of a column, and the area around it reaches from the least to the largest
    value, as in the digitized series.

    Args:
        figures: the numbers of the published figures by congestion control; empty if none was published.
        quantities: the rows.
        one_scale: whether the panels of a row have the same scale.
        words: lines below the figure.
    """
    controls = [
        control for control in scenario.controls if control in figures or runs.select(cc=control)
    ] or scenario.controls
    rows, columns = len(quantities), len(controls)
    width, height = 2.1 + 2.5 * columns, 1.1 + 1.5 * rows
    figure, panels = published_style.new_figure(
        rows, columns, width=width, height=height, sharey="row" if one_scale else False
    )
    places = [(panel, *divmod(number, columns)) for number, panel in enumerate(panels)]
    for panel, row, column in places:
        quantity, control = quantities[row], controls[column]
        _published(panel, scenario, control, quantity)
        _ours(panel, scenario, control, quantity, runs)
        prefix = f"Figure {figures[control]}: " if control in figures else ""
        published_style.set_axes(
            panel,
            "Time (s)" if row == rows - 1 else "",
            quantity.label if column == 0 else "",
            (0, scenario.seconds * 1.04),
            title=f"{prefix}{control_name(control)}" if row == 0 else "",
        )
        if row == 0 and not runs.select(cc=control):
            _mark(panel, "ours: not run")
        elif not panel.lines:
            _mark(panel, "no curve was published, ours: not run")
    for panel, row, _ in places:
        if quantities[row] is not RTT:
            panel.set_ylim(bottom=0)
    _legend(figure, bool(figures))
    published_style.add_note(figure, [*words, *published_style.missing_case_notes(runs)])
    return figure


def _ours(panel: Axes, scenario: Scenario, control: str, quantity: Quantity, runs: Runs) -> None:
    looks: dict[str, dict[str, Any]] = {
        "right": {"color": BLACK, "alpha": 0.75, "linewidth": 0.6, "zorder": 3},
        "published": {"color": published_style.control_style(control)["color"], "linewidth": 0.9, "zorder": 4},
    }
    for setup, look in looks.items():
        run = runs.first(setup, cc=control, **dict([scenario.variant] if scenario.variant else []))
        if run is None:
            continue
        data = quantity.series(run.results, scenario)
        if scenario.seconds < _LONG_S:
            published_style.draw_series(panel, data, **look)
        elif data[0].size:
            times, low, middle, high = _columns(data, scenario.seconds)
            panel.fill_between(times, low, high, color=look["color"], alpha=0.25, linewidth=0, zorder=look["zorder"])
            panel.plot(times, middle, **look)


def _columns(data: Series, seconds: float) -> tuple[Floats, Floats, Floats, Floats]:
    """A long series in the form of the digitized ones: mean time, least, median and largest value of each column."""
    times, values = data
    starts = np.unique(np.searchsorted(times, np.linspace(0, seconds, _COLUMNS + 1)[:-1]))
    parts = [part for part in np.split(values, starts[1:]) if part.size]
    numbers = [(part.min(), np.median(part), part.max()) for part in parts]
    low, middle, high = np.array(numbers).T
    return np.array([part.mean() for part in np.split(times, starts[1:]) if part.size]), low, middle, high


def _published(panel: Axes, scenario: Scenario, control: str, quantity: Quantity) -> None:
    curve = _digitized().get((f"MB{scenario.number}", control, quantity.digitized_name))
    if curve is not None:
        times, low, middle, high = curve
        panel.fill_between(times, low, high, color="0.8", linewidth=0, zorder=1)
        panel.plot(times, middle, color="0.6", linewidth=0.8, zorder=2)


@cache
def _digitized() -> Mapping[tuple[str, str, str], Floats]:
    """The digitized series by experiment, congestion control and quantity. The rows are the time, and the lower edge,
    middle and upper edge of the line in each column of pixels."""
    rows: dict[tuple[str, str, str], list[list[float]]] = {}
    for row in published_rows("martinber_figures_series.csv.gz"):
        numbers = [float(row[name]) for name in ("t_s", "low", "mid", "high")]
        rows.setdefault((row["experiment"], row["cc"], row["metric"]), []).append(numbers)
    return {key: np.array(numbers).T for key, numbers in rows.items()}


def _mark(panel: Axes, text: str) -> None:
    panel.text(
        0.97, 0.93, text, transform=panel.transAxes, ha="right", va="top", fontsize=7.5, color=published_style.PUBLISHED
    )


def _legend(figure: Figure, has_published: bool) -> None:
    lines = [Line2D([], [], color="0.6", linewidth=2, label="published (digitized)")] if has_published else []
    lines.append(Line2D([], [], color="C0", linewidth=1.4, label=f"ours, {number_name('published')} (colored)"))
    lines.append(Line2D([], [], color=BLACK, linewidth=1.0, label=f"ours, {number_name('right')}"))
    figure.legend(handles=lines, loc="outside upper center", ncols=3, fontsize=8, frameon=False)
