"""CF5, CF6 and CFB: figures of the BBR paper as castroflavio replicated them in Mininet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from frrlib.model.flow_words import control_name
from frrlib.results.palette import curve_styles
from frrlib.results.records import Results
from frrlib.results.series import Floats
from frrlib.results.statistics.summary import jain_index
from miniedit_frr.experiments import measures, published_style
from miniedit_frr.experiments.bbr_castroflavio import words
from miniedit_frr.experiments.bbr_castroflavio.lab import QUEUE, topology
from miniedit_frr.experiments.bbr_castroflavio.rtt import ack_rtt
from miniedit_frr.experiments.declaration import Case, Check, CheckResult, Experiment, Picture, Setup
from miniedit_frr.experiments.runs import Run, Runs

SETUPS: tuple[Setup, ...] = ("published", "right")
TITLES = {"published": "as published", "right": "done right"}
CONTROLS = ("cubic", "bbr")
Measure = Callable[[Results], float | None]


def _number_in_each_setup(
    runs: Runs, measure: Measure, setups: Sequence[Setup] = SETUPS, **values: str | float
) -> CheckResult:
    """A number for each set-up with finished runs; None without runs."""
    number_by_setup = {
        setup: number for setup in setups if (number := runs.median(measure, setup, **values)) is not None
    }
    return {TITLES[setup]: number for setup, number in number_by_setup.items()} or None


# --- figure 5 -------------------------------------------------------------------------------------------------------

_LASTS_5_S = 8.0
#: From this time on BBR has left start-up, and CUBIC slow start.
_SETTLED_S = 1.5


def _cases_5(quick: bool) -> tuple[Case, ...]:
    return tuple(
        Case(
            f"{setup}-{control}",
            topology(
                f"One {control_name(control)} flow, 10 Mbit/s and 40 ms, {TITLES[setup]}", setup, (control,),
                rate_mbit=10, delay_ms=20, packets=175, duration_s=_LASTS_5_S,
            ),
            setup=setup, values={"cc": control}, sample_hz=50, captures=("h1:h1-eth0",),
        )
        for setup in (SETUPS[:1] if quick else SETUPS) for control in CONTROLS
    )  # fmt: skip


def _rtt(control: str, from_s: float, function: Callable[[Floats], Any]) -> Measure:
    return lambda results: measures.statistic(measures.rtt_ms(results, control), from_s, _LASTS_5_S, function)


def _ratio(runs: Runs) -> CheckResult:
    means = {
        control: _number_in_each_setup(runs, _rtt(control, _SETTLED_S, np.mean), cc=control) or {}
        for control in CONTROLS
    }
    setups = [name for name in means["cubic"] if name in means["bbr"]]
    return {name: means["cubic"][name] / means["bbr"][name] for name in setups} or None


def _goodputs_5(runs: Runs) -> CheckResult:
    goodputs: dict[str, float] = {}
    for control in CONTROLS:
        # The first second is start-up, in which the pipe is not yet full.
        goodput_by_setup = _number_in_each_setup(runs, _goodput(control, 1.0, _LASTS_5_S), cc=control) or {}
        goodputs |= {f"{control_name(control)} {name}": rate for name, rate in goodput_by_setup.items()}
    return goodputs or None


def _goodput(flow: str, from_s: float, to_s: float) -> Measure:
    return lambda results: measures.goodput_mbit(results, flow, from_s, to_s)


#: RTTs in ms, read from the published figure, and their labels.
_PUBLISHED_5 = {50: "BBR, average and worst, about 50", 150: "CUBIC, average, about 150", 400: "CUBIC, worst, 400"}
#: The distance of each label below its line, where nothing else is drawn.
_BELOW_MS = {50: 18, 150: 5, 400: 5}


def _draw_5(runs: Runs) -> Figure:
    figure, panels = published_style.new_figure(1, 2, width=9.0, height=3.8, sharey=True)
    for panel, setup in zip(panels, SETUPS, strict=True):
        for control in CONTROLS:
            run = runs.first(setup, cc=control)
            if run is None:
                continue
            style = published_style.control_style(control)
            label = str(style.pop("label"))
            dots = ack_rtt(run.results)
            panel.plot(*dots, ".", markersize=1.2, alpha=0.35, zorder=1, **style)
            published_style.draw_series(panel, measures.rtt_ms(run.results, control), label=label, **style)
        published_style.set_axes(panel, "time (s)", "", (0, _LASTS_5_S), (0, 500), TITLES[setup])
    panels[0].set_ylabel("round trip (ms)")
    for height, text in _PUBLISHED_5.items():
        panels[0].axhline(height, **published_style.PUBLISHED_LINE)
        panels[0].text(
            7.9, height - _BELOW_MS[height], text, ha="right", va="top", fontsize=7, color=published_style.PUBLISHED
        )
    published_style.add_legend(panels[1], loc="upper right")
    line = (
        "lines: the sender's smoothed round trip; dots: each acknowledgment after its packet's first sending (ack_rtt)"
    )
    published_style.add_note(
        figure, [f"{line}; gray: published averages and maxima", *published_style.missing_case_notes(runs)]
    )
    return figure


CF5 = Experiment(
    "CF5",
    "Round trips of BBR and of CUBIC (figure 5)",
    words.SOURCE,
    words.SETUP_5,
    words.LESSON_5,
    _cases_5,
    (
        Check("CF5.1", lambda runs: _number_in_each_setup(runs, _rtt("bbr", _SETTLED_S, np.median), cc="bbr")),
        Check("CF5.2", lambda runs: _number_in_each_setup(runs, _rtt("cubic", 0.0, np.mean), cc="cubic")),
        # The band is for a queue that contains the delay. In our set-up the delay follows the queue.
        Check(
            "CF5.3", lambda runs: _number_in_each_setup(runs, _rtt("cubic", 0.0, np.max), ("published",), cc="cubic")
        ),
        Check("CF5.4", _ratio),
        Check("CF5.5", _goodputs_5),
    ),
    (Picture("figure-5", "Round trips of one flow of BBR and of one of CUBIC over 10 Mbit/s and 40 ms.", _draw_5),),
)

# --- figure 6 -------------------------------------------------------------------------------------------------------

_LASTS_6_S, _QUICK_6_S = 55.0, 20.0
_FLOWS_6 = tuple(f"bbr-{number}" for number in range(1, 6))
#: The time after the first common ProbeRTT of all flows, see the basis of CF6.1.
_FAIR_S = (30.0, 45.0)
_FULL_S = (12.0, 45.0)


def _cases_6(quick: bool) -> tuple[Case, ...]:
    lasts_s = _QUICK_6_S if quick else _LASTS_6_S
    return tuple(
        Case(
            setup,
            topology(
                f"Five BBR flows that begin 2 s after each other, {TITLES[setup]}", setup, ("bbr",) * 5,
                rate_mbit=100, delay_ms=5, packets=1024, duration_s=lasts_s, stagger_s=2.0,
            ),
            setup=setup, sample_hz=20,
        )
        for setup in (SETUPS[:1] if quick else SETUPS)
    )  # fmt: skip


def _is_whole(results: Results) -> bool:
    """Whether the flows have lasted for the whole time of the statements."""
    return max((flow.start_s + flow.duration_s for flow in results.info.flows), default=0.0) >= _FAIR_S[1]


def _means_6(runs: Runs) -> CheckResult:
    goodputs: dict[str, float] = {}
    for number, flow in enumerate(_FLOWS_6, 1):
        goodput_by_setup = _number_in_each_setup(runs, _if_whole(_goodput(flow, *_FAIR_S))) or {}
        goodputs |= {f"flow {number} {name}": rate for name, rate in goodput_by_setup.items()}
    return goodputs or None


def _if_whole(measure: Measure) -> Measure:
    return lambda results: measure(results) if _is_whole(results) else None


def _jain(results: Results) -> float | None:
    return jain_index(measures.goodputs_mbit(results, *_FAIR_S).values()) if _is_whole(results) else None


def _sum_6(results: Results) -> float | None:
    return sum(measures.goodputs_mbit(results, *_FULL_S).values()) if _is_whole(results) else None


def _dips(results: Results) -> float | None:
    """The number of dips below half of the median output rate of the bottleneck in 10 s, from the first to the last
    dip."""
    if not _is_whole(results):
        return None
    times, rates = measures.output_rate(results, QUEUE, 0.1, _FULL_S[0], _LASTS_6_S)
    low = rates < np.median(rates) / 2
    begins = times[low & ~np.append(False, low[:-1])]
    return 10 * (begins.size - 1) / float(begins[-1] - begins[0]) if begins.size > 1 else 0.0


def _draw_flows(panel: Axes, run: Run, bin_s: float, labels: Mapping[str, str] = {}) -> None:
    """The arrival rate of each flow of a run."""
    names = measures.flow_names(run.results)
    for name, look in zip(
        names, curve_styles([info.congestion_control for info in run.results.info.flows]), strict=True
    ):
        curve_style = {"color": look.colour, "linestyle": look.line_style, "linewidth": look.width}
        published_style.draw_series(
            panel, measures.arrival_rate(run.results, name, bin_s), label=labels.get(name, name), **curve_style
        )


def _draw_6(runs: Runs) -> Figure:
    figure, panels = published_style.new_figure(2, 1, width=7.2, height=5.2, sharey=True)
    for panel, setup in zip(panels, SETUPS, strict=True):
        run = runs.first(setup)
        if run is not None:
            _draw_flows(panel, run, 0.25, {name: f"flow {number}" for number, name in enumerate(_FLOWS_6, 1)})
        panel.axhline(95.6 / 5, **published_style.PUBLISHED_LINE)
        published_style.set_axes(panel, "", "throughput (Mbit/s)", (0, 50), (0, 100), TITLES[setup])
    panels[1].set_xlabel("time (s)")
    published_style.add_legend(panels[0], "a fifth of the link", loc="upper right", ncols=2)
    published_style.add_note(figure, published_style.missing_case_notes(runs))
    return figure


CF6 = Experiment(
    "CF6",
    "Five BBR flows share a link (figure 6)",
    words.SOURCE,
    words.SETUP_6,
    words.LESSON_6,
    _cases_6,
    (
        Check("CF6.1", _means_6),
        Check("CF6.2", lambda runs: _number_in_each_setup(runs, _jain)),
        Check("CF6.3", lambda runs: _number_in_each_setup(runs, _sum_6)),
        Check("CF6.4", lambda runs: _number_in_each_setup(runs, _dips)),
    ),
    (Picture("figure-6", "Throughput of five BBR flows that begin 2 s after each other, over 100 Mbit/s.", _draw_6),),
)

# --- the buffer, shared with CUBIC ------------------------------------------------------------------------------------

_LASTS_B_S, _QUICK_B_S = 100.0, 20.0
SMALL, LARGE = 200, 600
#: From this time on both flows have left start-up.
_FROM_B_S = 5.0


def _cases_b(quick: bool, buffers: Sequence[int]) -> tuple[Case, ...]:
    lasts_s = _QUICK_B_S if quick else _LASTS_B_S
    return tuple(
        Case(
            f"{setup}-{packets}",
            topology(
                f"CUBIC and BBR over a buffer of {packets} packets, {TITLES[setup]}", setup, CONTROLS,
                rate_mbit=10, delay_ms=10, packets=packets, duration_s=lasts_s,
            ),
            setup=setup, values={"buffer_packets": float(packets)}, sample_hz=20,
        )
        for setup in (SETUPS[:1] if quick else SETUPS) for packets in buffers
    )  # fmt: skip


def _share(results: Results) -> float | None:
    """BBR's share of the goodput in percent; None for a run shorter than 100 s."""
    ends_s = max((flow.start_s + flow.duration_s for flow in results.info.flows), default=0.0)
    if ends_s < _LASTS_B_S:
        return None
    rates = measures.goodputs_mbit(results, _FROM_B_S, ends_s)
    share = measures.share([rates.get("bbr-2", 0.0), rates.get("cubic-1", 0.0)])
    return None if share is None else 100 * share


def _difference(runs: Runs) -> CheckResult:
    small, large = (
        _number_in_each_setup(runs, _share, buffer_packets=float(packets)) or {} for packets in (SMALL, LARGE)
    )
    return {name: large[name] - small[name] for name in large if name in small} or None


def _draw_b(buffers: Sequence[int]) -> Callable[[Runs], Figure]:
    def draw(runs: Runs) -> Figure:
        figure, panels = published_style.new_figure(
            len(SETUPS), len(buffers), width=3.6 + 3.2 * len(buffers), height=5.0, sharey=True
        )
        panel_cases = [(setup, packets) for setup in SETUPS for packets in buffers]
        for panel, (setup, packets) in zip(panels, panel_cases, strict=True):
            run = runs.first(setup, buffer_packets=float(packets))
            for control, name in zip(CONTROLS, ("cubic-1", "bbr-2"), strict=True):
                data = measures.arrival_rate(run.results, name, 1.0) if run else measures.EMPTY_SERIES
                published_style.draw_series(panel, data, **published_style.control_style(control))
            published_style.set_axes(panel, "", "", (0, 100), (0, 10), f"{packets} packets, {TITLES[setup]}")
        for panel in panels[-len(buffers) :]:
            panel.set_xlabel("time (s)")
        for panel in panels[:: len(buffers)]:
            panel.set_ylabel("throughput (Mbit/s)")
        published_style.add_legend(panels[0], loc="upper right")
        published_style.add_note(figure, published_style.missing_case_notes(runs))
        return figure

    return draw


CFB_SMALL = Experiment(
    "CFB-small",
    "BBR and CUBIC over a buffer of 200 packets",
    words.SOURCE,
    words.SETUP_B.format(packets=SMALL, bdp="12", ms="242"),
    words.LESSON_B,
    lambda quick: _cases_b(quick, (SMALL,)),
    (Check("CFB.1", lambda runs: _number_in_each_setup(runs, _share, buffer_packets=float(SMALL))),),
    (Picture("bonus-small", "Throughput of BBR beside CUBIC over a buffer of 200 packets.", _draw_b((SMALL,))),),
)
CFB_LARGE = Experiment(
    "CFB-large",
    "BBR and CUBIC over a buffer of 600 packets",
    words.SOURCE,
    words.SETUP_B.format(packets=LARGE, bdp="36", ms="727"),
    words.LESSON_B,
    lambda quick: _cases_b(quick, (LARGE,) if quick else (SMALL, LARGE)),
    (Check("CFB.2", _difference),),
    (Picture("bonus-large", "Throughput of BBR beside CUBIC over two buffers.", _draw_b((SMALL, LARGE))),),
)

EXPERIMENTS = (CF5, CF6, CFB_SMALL, CFB_LARGE)
