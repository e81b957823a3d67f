"""Bulk data over lossy links: Reno, CUBIC and BBR with 0 to 50 % of loss at each interface of a star."""

from __future__ import annotations

import math
import statistics
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from frrlib.model.flow_words import control_name
from miniedit_frr.experiments import published_style
from miniedit_frr.experiments.declaration import Case, Check, CheckResult, Experiment, Picture
from miniedit_frr.experiments.expectations import published_rows
from miniedit_frr.experiments.miniweb_girondi.figures import draw_published_range, draw_violin, set_log_scale
from miniedit_frr.experiments.miniweb_girondi.star import (
    CHANCE_REPEAT,
    CONTROLS,
    MAY_FAIL,
    SOURCE,
    add_flows_in_turn,
    flow_failures,
    median_rates_mbit,
    path_loss_percent,
    published_star,
    rates_mbit,
    right_star,
)
from miniedit_frr.experiments.miniweb_girondi.words import LESSON_LOSS, SETUP_LOSS
from miniedit_frr.experiments.runs import Runs
from miniedit_frr.experiments.theory import mathis_mbit
from miniedit_frr.experiments.values import Values

LOSSES_PERCENT = (0.0, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 50.0)
DURATION_S = 20.0
#: The loss of the additional case in which duplicate acknowledgments detect losses.
DUPACKS_PERCENT = 10.0
_RTT_MS = 20.0
#: From this loss on BBR is slow, and its runs differ most.
_SLOW_PERCENT = 10.0
#: Losses with which the runs differ so much that the statements need several runs of the case.
_CHANCE_PERCENT = (10.0, 20.0)
_QUICK_PERCENT = {"published": (0.0, 1.0, 5.0, 10.0, 20.0), "right": (1.0, 10.0)}
_TABLE = "girondi_iperf_loss.csv"


def _cases(is_quick: bool) -> tuple[Case, ...]:
    setups: tuple[Literal["published", "right"], ...] = ("published", "right")
    losses = {setup: _QUICK_PERCENT[setup] if is_quick else LOSSES_PERCENT for setup in setups}
    sweeps = [_case(setup, loss, is_quick) for setup in setups for loss in losses[setup]]
    return tuple(sweeps) if is_quick else (*sweeps, _with_dupacks())


def _case(setup: Literal["published", "right"], loss_percent: float, is_quick: bool) -> Case:
    """The case of a loss with all flows one after another, as published: Reno, CUBIC, BBR, and again."""
    if setup == "published":
        net = published_star(loss_percent=loss_percent)
    else:
        net = right_star(loss_percent=path_loss_percent(loss_percent))
    add_flows_in_turn(net, _numbers(setup, loss_percent, is_quick), _lasts_s(loss_percent, is_quick))
    name = f"{setup}-loss-{loss_percent:g}"
    values: Values = {"loss_percent": loss_percent, "repairs": "rack"}
    repeat = CHANCE_REPEAT if setup == "published" and loss_percent in _CHANCE_PERCENT and not is_quick else 1
    return Case(name, net.topology, setup, values, repeat, sample_hz=1.0, may_fail=MAY_FAIL if loss_percent else "")


def _numbers(setup: str, loss_percent: float, is_quick: bool) -> dict[str, int]:
    """The number of flows of each congestion control: one without loss, and few if a flow takes long to simulate."""
    if is_quick or not loss_percent:
        return dict.fromkeys(CONTROLS, 1)
    few, many = (2, 11) if setup == "published" else (1, 5)
    return {"reno": many, "cubic": many, "bbr": many if loss_percent >= _SLOW_PERCENT else few}


def _lasts_s(loss_percent: float, is_quick: bool) -> dict[str, float]:
    """The durations: as published, but shorter in shortened runs of fast flows, which take long to simulate."""
    if not is_quick:
        return dict.fromkeys(CONTROLS, DURATION_S)
    if not loss_percent:
        return dict.fromkeys(CONTROLS, 1.0)
    return dict.fromkeys(CONTROLS, DURATION_S) | ({"bbr": 6.0} if loss_percent < _SLOW_PERCENT else {})


def _with_dupacks() -> Case:
    """The case with duplicate acknowledgments, with so much loss that the detection of losses matters."""
    net = published_star(loss_percent=DUPACKS_PERCENT, repairs="dupacks")
    add_flows_in_turn(net, dict.fromkeys(CONTROLS[:2], 11), dict.fromkeys(CONTROLS[:2], DURATION_S))
    values: Values = {"loss_percent": DUPACKS_PERCENT, "repairs": "dupacks"}
    name = f"published-dupacks-loss-{DUPACKS_PERCENT:g}"
    return Case(name, net.topology, "published", values, sample_hz=1.0, may_fail=MAY_FAIL)


# --- statements -------------------------------------------------------------------------------------------------------


def _rate(control: str, loss_percent: float) -> Check:
    return Check(
        f"MG.L{loss_percent:g}.{control}",
        lambda runs: median_rates_mbit((control,), runs, loss_percent=loss_percent, repairs="rack"),
    )


def _ratio(runs: Runs) -> CheckResult:
    ratios = {}
    for loss in (1.0, 2.0, 5.0, 10.0):
        rates = median_rates_mbit(("reno", "bbr"), runs, loss_percent=loss, repairs="rack")
        if rates is not None and rates["reno"] > 0:
            ratios[f"{loss:g} %"] = rates["bbr"] / rates["reno"]
    return ratios or None


_CHECKS = (
    *(_rate(control, loss) for loss in (1.0, 2.0, 5.0, 10.0) for control in CONTROLS),
    _rate("bbr", 20.0),
    Check("MG.L.ratio", _ratio),
)


# --- figures ----------------------------------------------------------------------------------------------------------


def _mean(runs: Runs) -> Figure:
    figure, (panel,) = published_style.new_figure(width=6.8, height=4.4)
    for control in CONTROLS:
        rows = [row for row in published_rows(_TABLE) if row["cc"] == control]
        style = {**published_style.PUBLISHED_POINTS, "color": published_style.control_style(control)["color"]}
        panel.plot([float(row["loss_pct"]) for row in rows], [float(row["mean_Mbps"]) for row in rows], **style)
        _line(panel, runs, control, "published", linestyle="-", marker="o")
        label = f"{control_name(control)}, done right"
        _line(panel, runs, control, "right", linestyle=":", marker="^", label=label)
    losses = [0.5 + 0.1 * step for step in range(160)]
    expected = [mathis_mbit(path_loss_percent(loss) / 100, _RTT_MS) for loss in losses]
    panel.plot(losses, expected, color="black", linewidth=0.7, label="Mathis et al.")
    for gain, words in ((1.25, "p = 20 %:\n1.25 (1 - p) = 1"), (2.0, "p = 50 %:\n2 (1 - p) = 1")):
        limit = 100 * (1 - math.sqrt(1 / gain))  # a path through two such interfaces loses 1 - 1 / gain
        panel.axvline(limit, color=published_style.PUBLISHED, linewidth=0.8, linestyle=":")
        panel.text(limit + 0.4, 2000, words, fontsize=7, color=published_style.PUBLISHED, va="top")
    panel.plot([], [], **{**published_style.PUBLISHED_POINTS, "label": "published"})
    panel.set_yscale("log")
    published_style.set_axes(panel, "loss at each interface (%)", "mean speed (Mbit/s)", (-1, 51), (0.001, 3000))
    published_style.add_legend(panel, ncols=2, fontsize=7)
    published_style.add_note(figure, _notes(runs))
    return figure


def _line(panel: Axes, runs: Runs, control: str, setup: str, **style: object) -> None:
    losses, means = [], []
    for loss in runs.values_of("loss_percent", setup):
        rates = rates_mbit(runs.select(setup, loss_percent=loss, repairs="rack"), control)
        if rates:
            losses.append(loss)
            means.append(max(statistics.mean(rates), 0.001))
    if losses:
        panel.plot(losses, means, **published_style.control_style(control, markersize=3.5, linewidth=1.1, **style))


def _violins(runs: Runs) -> Figure:
    figure, panels = published_style.new_figure(1, 3, width=9.0, height=3.6, sharey=True)
    for panel, control in zip(panels, CONTROLS, strict=True):
        for place, loss in enumerate(LOSSES_PERCENT):
            row = next(row for row in published_rows(_TABLE) if row["cc"] == control and float(row["loss_pct"]) == loss)
            draw_published_range(panel, place + 0.28, row, "Mbps")
            rates = rates_mbit(runs.select("published", loss_percent=loss, repairs="rack"), control)
            draw_violin(panel, place - 0.12, rates, control)
        panel.set_xticks(range(len(LOSSES_PERCENT)), [f"{loss:g}" for loss in LOSSES_PERCENT])
        published_style.set_axes(panel, "loss at each interface (%)", "", title=control_name(control))
        set_log_scale(panel, (0.001, 2000))
    panels[0].set_ylabel("speed (Mbit/s)")
    published_style.add_note(figure, _notes(runs))
    return figure


def _notes(runs: Runs) -> list[str]:
    lines = ["In color: run here; diamonds, ranges in gray: published. A run that failed counts 0: the lower edge."]
    for setup, words in (("published", "as published"), ("right", "done right")):
        failed = {f"{loss:g} %": _failed(runs, setup, loss) for loss in runs.values_of("loss_percent", setup)}
        failure_texts = ", ".join(
            f"{number} of {flow_count} runs at {loss}" for loss, (number, flow_count) in failed.items() if number
        )
        lines.append(f"Failed, {words}: {failure_texts}" if failure_texts else "")
    return [*lines, *published_style.missing_case_notes(runs)]


def _failed(runs: Runs, setup: str, loss_percent: str | float) -> tuple[int, int]:
    """The numbers of failed flows and of all flows."""
    setup_runs = runs.select(setup, loss_percent=loss_percent, repairs="rack")
    flows = sum(len(run.results.info.flows) for run in setup_runs)
    return sum(len(flow_failures(setup_runs, control)) for control in CONTROLS), flows


_PICTURES = (
    Picture("mean-speed", "Mean speed of bulk data over loss at each interface", _mean),
    Picture("violins", "Speeds of single runs over loss, by congestion control", _violins),
)

MG_L = Experiment("MG-L", "Bulk data over lossy links", SOURCE, SETUP_LOSS, LESSON_LOSS, _cases, _CHECKS, _PICTURES)
