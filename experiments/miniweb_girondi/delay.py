"""Bulk data over links that only delay: 5 to 200 ms at each interface of a star, and the limit behind the curve."""

from __future__ import annotations

from typing import Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from frrlib.model.flow_words import control_name
from miniedit_frr.experiments import published_style
from miniedit_frr.experiments.declaration import Case, Check, CheckResult, Experiment, Picture
from miniedit_frr.experiments.expectations import published_rows
from miniedit_frr.experiments.miniweb_girondi.figures import draw_line
from miniedit_frr.experiments.miniweb_girondi.star import (
    CONTROLS,
    NETEM_LIMIT_PACKETS,
    SOURCE,
    add_flows_in_turn,
    median_of,
    median_rates_mbit,
    published_star,
    rates_mbit,
    right_star,
)
from miniedit_frr.experiments.miniweb_girondi.words import LESSON_DELAY, SETUP_DELAY
from miniedit_frr.experiments.runs import Runs
from miniedit_frr.experiments.theory import PAYLOAD_SHARE

DELAYS_MS = (5.0, 10.0, 20.0, 50.0, 100.0, 200.0)
#: Delays with which the published curve is below the links' capacity, so that something else limits it.
LIMITED_MS = (50.0, 100.0, 200.0)
_QUICK_MS = (5.0, 50.0, 200.0)
DURATION_S = 20.0
#: With delays up to this one a flow reaches its rate quickly, so that a shorter flow has the same result.
_SOON_MS, _SHORTER_S = 20.0, 8.0
_RAISED_PACKETS = 100_000
_TABLE = "girondi_iperf_delay.csv"

_RAISED_BYTES = 64 * 1024 * 1024

#: The published star, and the limits that are raised in it: packets in netem, and bytes in socket buffers (None:
#: Mininet's). The raised limit that changes the result is the one behind the curve.
Variant = Literal["", "limit", "buffers", "both"]
_VARIANTS: dict[Variant, tuple[int, int | None]] = {
    "": (NETEM_LIMIT_PACKETS, None),
    "limit": (_RAISED_PACKETS, None),
    "buffers": (NETEM_LIMIT_PACKETS, _RAISED_BYTES),
    "both": (_RAISED_PACKETS, _RAISED_BYTES),
}
_WORDS: dict[Variant, str] = {
    "": "as published",
    "limit": "netem limit 100 000",
    "buffers": "buffers 64 MiB",
    "both": "both raised",
}


def _cases(is_quick: bool) -> tuple[Case, ...]:
    variants: tuple[Variant, ...] = ("limit", "buffers") if is_quick else ("limit", "buffers", "both")
    delays = _QUICK_MS if is_quick else DELAYS_MS
    raised = _QUICK_MS[-1:] if is_quick else LIMITED_MS
    right_delays = _QUICK_MS[1:2] if is_quick else DELAYS_MS
    return (
        *(_published(delay, "", CONTROLS, is_quick) for delay in delays),
        *(_published(delay, variant, ("reno",), is_quick) for variant in variants for delay in raised),
        *(_right(delay, is_quick) for delay in right_delays),
    )


def _published(delay_ms: float, variant: Variant, controls: tuple[str, ...], is_quick: bool) -> Case:
    limit, buffers = _VARIANTS[variant]
    net = published_star(delay_ms=delay_ms, limit_packets=limit, buffer_bytes=buffers)
    add_flows_in_turn(net, dict.fromkeys(controls, 1), dict.fromkeys(controls, _lasts_s(delay_ms, is_quick)))
    name = "-".join(filter(None, ("published", variant, f"delay-{delay_ms:g}")))
    return Case(name, net.topology, "published", {"delay_ms": delay_ms, "raised": variant}, sample_hz=1.0)


def _right(delay_ms: float, is_quick: bool) -> Case:
    net = right_star(delay_ms=delay_ms)
    add_flows_in_turn(
        net, dict.fromkeys(CONTROLS, 1), dict.fromkeys(CONTROLS, 5.0 if is_quick else _lasts_s(delay_ms, is_quick))
    )
    return Case(f"right-delay-{delay_ms:g}", net.topology, "right", {"delay_ms": delay_ms, "raised": ""}, sample_hz=1.0)


def _lasts_s(delay_ms: float, is_quick: bool) -> float:
    if delay_ms <= _SOON_MS:
        return 1.0 if is_quick else _SHORTER_S
    return DURATION_S


# --- statements -------------------------------------------------------------------------------------------------------


def _rate(delay_ms: float) -> Check:
    return Check(f"MG.D{delay_ms:g}", lambda runs: median_rates_mbit(("reno",), runs, delay_ms=delay_ms, raised=""))


def _product(runs: Runs) -> CheckResult:
    """The rate times the RTT, in MB, with the delays at which something other than the links limits."""
    products = {}
    for delay in LIMITED_MS:
        for control, rate in (median_rates_mbit(("reno", "bbr"), runs, delay_ms=delay, raised="") or {}).items():
            products[f"{control}, {4 * delay:g} ms"] = rate * 4 * delay / 8e3
    return products or None


_CHECKS = (*(_rate(delay) for delay in DELAYS_MS), Check("MG.D.bdp", _product))


# --- figures ----------------------------------------------------------------------------------------------------------


def _sweep(runs: Runs) -> Figure:
    figure, panels = published_style.new_figure(1, 2, width=9.0, height=3.9)
    for panel, scale in zip(panels, ("linear", "log"), strict=True):
        panel.axhline(1000 * PAYLOAD_SHARE, color="black", linewidth=0.5)
        for control in CONTROLS:
            rows = [row for row in published_rows(_TABLE) if row["cc"] == control]
            style = {**published_style.PUBLISHED_POINTS, "color": published_style.control_style(control)["color"]}
            panel.plot([float(row["delay_ms"]) for row in rows], [float(row["median_Mbps"]) for row in rows], **style)
            _line(panel, runs, control, "published", "", linestyle="-")
            label = f"{control_name(control)}, done right"
            _line(panel, runs, control, "right", "", linestyle=":", marker="^", label=label)
        panel.plot([], [], **{**published_style.PUBLISHED_POINTS, "label": "published"})
        panel.set_yscale(scale)
        y_range = (0.0, 1000.0) if scale == "linear" else (10.0, 1100.0)
        published_style.set_axes(panel, "delay of each link (ms)", "speed (Mbit/s)", (0, 205), y_range)
    published_style.add_legend(panels[1], fontsize=7, ncols=2)
    published_style.add_note(
        figure,
        [
            "Published: medians, as diamonds. Round trip: four times the delay.",
            *published_style.missing_case_notes(runs),
        ],
    )
    return figure


def _line(panel: Axes, runs: Runs, control: str, setup: str, raised: str, **style: object) -> None:
    delays = runs.values_of("delay_ms", setup)
    medians = [median_of(rates_mbit(runs.select(setup, delay_ms=delay, raised=raised), control)) for delay in delays]
    points = [(float(delay), rate) for delay, rate in zip(delays, medians, strict=True) if rate is not None]
    draw_line(panel, [delay for delay, _ in points], [rate for _, rate in points], control, **style)


def _limits(runs: Runs) -> Figure:
    """The rates with each raised limit as bars, beside the published value."""
    figure, (panel,) = published_style.new_figure(width=6.8, height=3.8)
    shades = ("#009E73", "#7fceb9", "#56B4E9", "#0072B2")
    for place, delay in enumerate(LIMITED_MS):
        row = next(row for row in published_rows(_TABLE) if row["cc"] == "reno" and float(row["delay_ms"]) == delay)
        panel.plot(place - 0.4, float(row["median_Mbps"]), **published_style.PUBLISHED_POINTS)
        for number, (variant, shade) in enumerate(zip(_VARIANTS, shades, strict=True)):
            rate = median_of(rates_mbit(runs.select("published", delay_ms=delay, raised=variant), "reno"))
            if rate is not None:
                x = place - 0.24 + 0.18 * number
                panel.bar(x, rate, 0.17, color=shade, label=_WORDS[variant])
                panel.annotate(f"{rate:.0f}", (x, rate), (0, 1.5), textcoords="offset points", ha="center", fontsize=7)
    panel.plot([], [], **{**published_style.PUBLISHED_POINTS, "label": "published"})
    panel.set_xticks(range(len(LIMITED_MS)), [f"{delay:g} ms (RTT {4 * delay:g} ms)" for delay in LIMITED_MS])
    published_style.set_axes(
        panel, "delay of each link", "Reno, speed (Mbit/s)", title="The raised limit, in the published star"
    )
    published_style.add_legend(panel, fontsize=7)
    published_style.add_note(figure, published_style.missing_case_notes(runs))
    return figure


_PICTURES = (
    Picture("delay-sweep", "Speed of bulk data over the delay of each link, linear and logarithmic", _sweep),
    Picture("which-limit", "The limit of the published curve: netem's limit, or socket buffers", _limits),
)

MG_D = Experiment("MG-D", "Bulk data over long links", SOURCE, SETUP_DELAY, LESSON_DELAY, _cases, _CHECKS, _PICTURES)
