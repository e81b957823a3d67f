"""A page of 73 files over lossy links: the time that it takes with Reno, CUBIC and BBR."""

from __future__ import annotations

import math
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from frrlib.model.flow_words import control_name
from miniedit_frr.experiments import published_style
from miniedit_frr.experiments.declaration import Case, Check, CheckResult, Experiment, Picture
from miniedit_frr.experiments.expectations import published_rows
from miniedit_frr.experiments.miniweb_girondi.figures import draw_line, draw_published_range, draw_violin
from miniedit_frr.experiments.miniweb_girondi.star import CONTROLS, MAY_FAIL, SOURCE, Repairs, median_of
from miniedit_frr.experiments.miniweb_girondi.web import (
    LOSSES_PERCENT,
    TIMEOUT_S,
    add_web_flows,
    page_sizes_bytes,
    page_times_s,
    speeds_mbit,
    star,
)
from miniedit_frr.experiments.miniweb_girondi.words import LESSON_PAGE, SETUP_PAGE
from miniedit_frr.experiments.runs import Runs
from miniedit_frr.experiments.values import Values

TIMES, TIMES_QUICK = 8, 1
#: The loss of the additional published case with RACK.
RACK_PERCENT = 5.0
_QUICK_PERCENT = (0.0, 1.0, 5.0, 10.0)
#: The losses of the shortened cases in the right set-up.
_QUICK_RIGHT_PERCENT = (5.0,)
_TIME_TABLE, _SPEED_TABLE = "girondi_http_page_time.csv", "girondi_http_page_speed.csv"


def _cases(is_quick: bool) -> tuple[Case, ...]:
    losses, right_losses = (_QUICK_PERCENT, _QUICK_RIGHT_PERCENT) if is_quick else (LOSSES_PERCENT, LOSSES_PERCENT)
    return (
        *(_case("published", loss, is_quick) for loss in losses),
        _case("published", RACK_PERCENT, is_quick, "rack"),
        *(_case("right", loss, is_quick, "rack") for loss in right_losses),
    )


def _case(
    setup: Literal["published", "right"], loss_percent: float, is_quick: bool, repairs: Repairs = "dupacks"
) -> Case:
    net = star(setup, loss_percent, repairs)
    add_web_flows(net, "page", page_sizes_bytes(), TIMES_QUICK if is_quick else TIMES, 0.0, TIMEOUT_S + 1)
    values: Values = {"loss_percent": loss_percent, "repairs": repairs}
    name = f"{setup}{'-rack' if (setup, repairs) == ('published', 'rack') else ''}-loss-{loss_percent:g}"
    return Case(name, net.topology, setup, values, sample_hz=1.0, may_fail=MAY_FAIL if loss_percent else "")


# --- statements -------------------------------------------------------------------------------------------------------


def _times(runs: Runs, control: str, loss_percent: float) -> list[float]:
    """The times of pages in the published set-up; infinite for an unfinished page."""
    times_s = page_times_s(runs.select("published", loss_percent=loss_percent, repairs="dupacks"), f"{control}-page")
    return [math.inf if time_s is None else time_s for time_s in times_s]


def _wall_time(runs: Runs) -> CheckResult:
    median_by_control = {control: median_of(_times(runs, control, 0.0)) for control in CONTROLS}
    return {control: median_s for control, median_s in median_by_control.items() if median_s is not None} or None


def _ratio(runs: Runs) -> CheckResult:
    reno, bbr = (median_of(_times(runs, control, 5.0)) for control in ("reno", "bbr"))
    return None if reno is None or bbr is None else {"reno / bbr": reno / bbr}


def _finished(*controls: str) -> Check:
    def check(runs: Runs) -> CheckResult:
        percent_by_control = {}
        for control in controls:
            if times := _times(runs, control, 10.0):
                percent_by_control[control] = 100.0 * sum(math.isfinite(time_s) for time_s in times) / len(times)
        return percent_by_control or None

    return Check("MG.W10b" if controls == ("bbr",) else "MG.W10", check)


_CHECKS = (Check("MG.W0", _wall_time), Check("MG.W5", _ratio), _finished("reno", "cubic"), _finished("bbr"))


# --- figures ----------------------------------------------------------------------------------------------------------


def _time_figure(runs: Runs) -> Figure:
    figure, panels = published_style.new_figure(1, 3, width=9.0, height=3.6, sharey=True)
    rows = published_rows(_TIME_TABLE)
    for panel, control in zip(panels, CONTROLS, strict=True):
        for place, loss in enumerate(LOSSES_PERCENT):
            for row in rows:
                if row["cc"] == control and float(row["loss_pct"]) == loss:
                    draw_published_range(panel, place + 0.28, row, "s")
            times = page_times_s(runs.select("published", loss_percent=loss, repairs="dupacks"), f"{control}-page")
            draw_violin(panel, place - 0.1, [time_s for time_s in times if time_s is not None], control)
            if unfinished := sum(time_s is None for time_s in times):
                count_text = f"{unfinished} of {len(times)}"
                panel.text(place - 0.1, TIMEOUT_S * 1.35, count_text, ha="center", fontsize=6, rotation=90, va="bottom")
        _line(panel, runs, control)
        with_rack = page_times_s(runs.select("published", loss_percent=RACK_PERCENT, repairs="rack"), f"{control}-page")
        middle = median_of([time_s for time_s in with_rack if time_s is not None])
        if middle is not None:
            panel.plot(LOSSES_PERCENT.index(RACK_PERCENT) - 0.1, middle, "x", color="black", markersize=5)
        panel.axhline(TIMEOUT_S, color=published_style.PUBLISHED, linewidth=0.7, linestyle=":")
        panel.set_xticks(range(len(LOSSES_PERCENT)), [f"{loss:g}" for loss in LOSSES_PERCENT])
        panel.set_yscale("log")
        panel.set_yticks([1, 2, 5, 10, 20, 50, 120], ["1", "2", "5", "10", "20", "50", "120"])
        panel.minorticks_off()
        places = (-0.6, len(LOSSES_PERCENT) - 0.4)
        published_style.set_axes(panel, "loss at each interface (%)", "", places, (1.0, 300.0), control_name(control))
    panels[0].set_ylabel("time of the page (s)")
    words = (
        "As published: violins in color; published: diamonds, and ranges in gray, of pages that were finished; line: "
        "medians of the right set-up; cross: as published, but losses are found by RACK. Above the dotted line: how "
        "many pages were given up after 120 s."
    )
    published_style.add_note(figure, [words, *published_style.missing_case_notes(runs)])
    return figure


def _line(panel: Axes, runs: Runs, control: str) -> None:
    places, medians = [], []
    for place, loss in enumerate(LOSSES_PERCENT):
        times = page_times_s(runs.select("right", loss_percent=loss), f"{control}-page")
        middle = median_of([math.inf if time_s is None else time_s for time_s in times])
        if middle is not None and math.isfinite(middle):
            places.append(place)
            medians.append(middle)
    draw_line(panel, places, medians, control, linestyle=":", marker="^")


def _speed_figure(runs: Runs) -> Figure:
    figure, (panel,) = published_style.new_figure(width=6.4, height=3.8)
    for control in CONTROLS:
        rows = [row for row in published_rows(_SPEED_TABLE) if row["cc"] == control and float(row["mean_Mbps"]) > 0]
        published_look = {**published_style.PUBLISHED_POINTS, "color": published_style.control_style(control)["color"]}
        panel.plot(
            [float(row["loss_pct"]) for row in rows], [float(row["mean_Mbps"]) for row in rows], **published_look
        )
        for setup, style, label in (
            ("published", {"linestyle": "-"}, control_name(control)),
            ("right", {"linestyle": ":", "marker": "^"}, f"{control_name(control)}, done right"),
        ):
            losses, means = [], []
            for loss in runs.values_of("loss_percent", setup):
                repairs = "dupacks" if setup == "published" else "rack"
                speeds = speeds_mbit(runs.select(setup, loss_percent=loss, repairs=repairs), f"{control}-page")
                if any(speeds):
                    losses.append(loss)
                    means.append(sum(speeds) / len(speeds))
            draw_line(panel, losses, means, control, **style, label=label)
    panel.plot([], [], **{**published_style.PUBLISHED_POINTS, "label": "published"})
    panel.set_yscale("log")
    published_style.set_axes(
        panel, "loss at each interface (%)", "mean speed reported by wget (Mbit/s)", (-0.3, 10.3), (0.05, 1000)
    )
    published_style.add_legend(panel, ncols=2, fontsize=7)
    published_style.add_note(figure, ["A page that was given up counts 0.", *published_style.missing_case_notes(runs)])
    return figure


_PICTURES = (
    Picture("page-time", "How long a page of 73 files takes over loss at each interface", _time_figure),
    Picture("page-speed", "The speed of the page as reported by wget", _speed_figure),
)

MG_W = Experiment("MG-W", "A web page over lossy links", SOURCE, SETUP_PAGE, LESSON_PAGE, _cases, _CHECKS, _PICTURES)
