"""Reno and CUBIC on a LAN of 1 Gbit/s, with loss of data or of acknowledgments; and the slowest star."""

from __future__ import annotations

import statistics

from matplotlib.figure import Figure

from frrlib.model.flow_words import control_name
from frrlib.model.frames import FULL_FRAME_BYTES
from miniedit_frr.experiments import published_style
from miniedit_frr.experiments.declaration import Case, Check, CheckResult, Experiment, Picture, Setup
from miniedit_frr.experiments.miniweb_girondi.star import (
    MAY_FAIL,
    SOURCE,
    add_flows_in_turn,
    median_of,
    path_loss_percent,
    published_star,
    rates_mbit,
    right_star,
)
from miniedit_frr.experiments.miniweb_girondi.words import LESSON_LAN, LESSON_SLOW, SETUP_LAN, SETUP_SLOW
from miniedit_frr.experiments.runs import Runs

# --- MG-N -------------------------------------------------------------------------------------------------------------

#: The capacity of a link of 1 Gbit/s in frames without preamble, checksum and gap, which take 24 more bytes.
LAN_MBIT = 1000.0 * FULL_FRAME_BYTES / (FULL_FRAME_BYTES + 24)
#: The RTT of a switched LAN.
LAN_RTT_MS = 0.4
_LAN_CONTROLS = ("reno", "cubic")
_LASTS_S, _LASTS_QUICK_S = 10.0, 2.0
#: The conditions of shortened runs.
_QUICK_CONDITIONS = ("none", "delay-100", "acks-5", "data-5")
#: Name, label, delay in ms added to the RTT, loss of data and of acknowledgments in percent, and the published rates of
#: Reno and CUBIC in Mbit/s.
_CONDITIONS: tuple[tuple[str, str, float, float, float, tuple[float, float] | None], ...] = (
    ("none", "neither", 0.0, 0.0, 0.0, (947, 942)),
    ("delay-100", "100 ms", 100.0, 0.0, 0.0, (201, 196)),
    ("acks-5", "5 % of ACKs", 0.0, 0.0, 5.0, (944, 942)),
    ("acks-10", "10 % of ACKs", 0.0, 0.0, 10.0, (943, 913)),
    ("data-5", "5 % of data", 0.0, 5.0, 0.0, (944, 942)),
    ("data-10", "10 % of data", 0.0, 10.0, 0.0, (943, 913)),
)


def _lan_cases(is_quick: bool) -> tuple[Case, ...]:
    cases = []
    for name, _, delay_ms, data, acks, _ in (
        condition for condition in _CONDITIONS if not is_quick or condition[0] in _QUICK_CONDITIONS
    ):
        # Default socket buffers, as on the published machines. With 100 ms they limit the rate.
        rtt_ms = LAN_RTT_MS + delay_ms
        net = right_star(
            rate_mbit=LAN_MBIT, delay_ms=rtt_ms / 4, loss_percent=data, ack_loss_percent=acks, buffer_bytes=None
        )
        lasts_s = 4.0 if is_quick and delay_ms else _LASTS_QUICK_S if is_quick else _LASTS_S
        add_flows_in_turn(net, dict.fromkeys(_LAN_CONTROLS, 1), dict.fromkeys(_LAN_CONTROLS, lasts_s))
        cases.append(Case(name, net.topology, "both", {"way": name}, sample_hz=1.0))
    return tuple(cases)


def _lan_rate(id: str, *conditions: str) -> Check:
    def check(runs: Runs) -> CheckResult:
        rates = {}
        for condition in conditions:
            for control in _LAN_CONTROLS:
                rate = median_of(rates_mbit(runs.select(way=condition), control))
                if rate is not None:
                    rates[control if len(conditions) == 1 else f"{control}, {condition}"] = rate
        return rates or None

    return Check(id, check)


def _lan_figure(runs: Runs) -> Figure:
    figure, (panel,) = published_style.new_figure(width=7.6, height=3.8)
    for place, (name, _, _, _, _, published_mbit) in enumerate(_CONDITIONS):
        for number, control in enumerate(_LAN_CONTROLS):
            x = place + (number - 0.5) * 0.34
            rate = median_of(rates_mbit(runs.select(way=name), control))
            if rate is not None:
                panel.bar(x, rate, 0.32, **published_style.control_style(control))
                panel.annotate(f"{rate:.0f}" if rate >= 10 else f"{rate:.1f}", (x, rate), (0, 6), fontsize=7,
                               textcoords="offset points", ha="center")  # fmt: skip
            if published_mbit is not None:
                panel.plot(x, published_mbit[number], **published_style.PUBLISHED_POINTS)
    panel.plot([], [], **{**published_style.PUBLISHED_POINTS, "label": "published (interface of the loss unknown)"})
    panel.set_xticks(range(len(_CONDITIONS)), [words for _, words, *_ in _CONDITIONS])
    published_style.set_axes(panel, "delay, or loss", "speed (Mbit/s)", y_range=(0, 1180))
    published_style.add_legend(panel, fontsize=7, ncols=3, loc="upper right")
    published_style.add_note(figure, published_style.missing_case_notes(runs))
    return figure


MG_N = Experiment(
    "MG-N",
    "Reno and CUBIC on a LAN",
    SOURCE,
    SETUP_LAN,
    LESSON_LAN,
    _lan_cases,
    (
        _lan_rate("MG.N1", "none"),
        _lan_rate("MG.N2", "delay-100"),
        _lan_rate("MG.N3", "acks-5"),
        _lan_rate("MG.N4", "data-5"),
    ),
    (Picture("placement", "Speed on a LAN with delay, and with loss on either way", _lan_figure),),
)

# --- MG-0 -------------------------------------------------------------------------------------------------------------

_SLOW_MBIT, _SLOW_LOSS_PERCENT = 10.0, 10.0
_SLOW_CONTROLS = ("cubic", "bbr")
#: Published rates of the receiver and the sender, in Mbit/s.
_PUBLISHED_MBIT = {"cubic": (0.143, 0.305), "bbr": (8.65, 8.85)}


def _slow_cases(is_quick: bool) -> tuple[Case, ...]:
    published_net = published_star(rate_mbit=_SLOW_MBIT, loss_percent=_SLOW_LOSS_PERCENT)
    right_net = right_star(rate_mbit=_SLOW_MBIT, loss_percent=path_loss_percent(_SLOW_LOSS_PERCENT))
    setups: tuple[Setup, ...] = ("published", "right")
    cases = []
    for setup, net in zip(setups, (published_net, right_net), strict=True):
        add_flows_in_turn(net, dict.fromkeys(_SLOW_CONTROLS, 2 if is_quick else 11), dict.fromkeys(_SLOW_CONTROLS, 5.0))
        cases.append(Case(setup, net.topology, setup, {}, sample_hz=1.0, may_fail=MAY_FAIL))
    return tuple(cases)


def _slow_rate(id: str, control: str) -> Check:
    def check(runs: Runs) -> CheckResult:
        rate = median_of(rates_mbit(runs.select("published"), control))
        return None if rate is None else {control: rate}

    return Check(id, check)


def _slow_figure(runs: Runs) -> Figure:
    figure, panels = published_style.new_figure(1, 2, width=6.8, height=3.2)
    for panel, control in zip(panels, _SLOW_CONTROLS, strict=True):
        for place, setup in enumerate(("published", "right")):
            rates = rates_mbit(runs.select(setup), control)
            panel.plot(
                [place] * len(rates), rates, ".", color=published_style.control_style(control)["color"], alpha=0.7
            )
            if rates:
                panel.plot(
                    place,
                    statistics.median(rates),
                    "o",
                    color="white",
                    markeredgecolor=published_style.control_style(control)["color"],
                )
        for published_mbit, words, up in zip(_PUBLISHED_MBIT[control], ("receiver", "sender"), (-8, 3), strict=True):
            panel.plot(0.18, published_mbit, **published_style.PUBLISHED_POINTS)
            panel.annotate(words, (0.18, published_mbit), (6, up), textcoords="offset points", fontsize=7)
        panel.set_xticks((0, 1), ("as published", "done right"))
        panel.set_xlim(-0.5, 1.5)
        published_style.set_axes(panel, "", "speed (Mbit/s)", title=control_name(control))
        panel.set_ylim(0, 1.12 * max(panel.get_ylim()[1], *_PUBLISHED_MBIT[control]))
    published_style.add_note(
        figure,
        ["Points: runs of 5 s, circles: medians, diamonds: published.", *published_style.missing_case_notes(runs)],
    )
    return figure


MG_0 = Experiment(
    "MG-0",
    "A slow star that loses a tenth",
    SOURCE,
    SETUP_SLOW,
    LESSON_SLOW,
    _slow_cases,
    (_slow_rate("MG.0", "cubic"), _slow_rate("MG.0b", "bbr")),
    (Picture("speeds", "Speed over 10 Mbit/s with 10 % of loss at each interface", _slow_figure),),
)
