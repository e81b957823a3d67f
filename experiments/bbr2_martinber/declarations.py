"""Scenarios 1 to 5 of martinber's comparison of Reno, CUBIC, BBR and BBRv2, and the scripts' scenario 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from miniedit_frr.experiments.bbr2_martinber import words
from miniedit_frr.experiments.bbr2_martinber.bgp import MB_BGP
from miniedit_frr.experiments.bbr2_martinber.figures import ALL_QUANTITIES, THROUGHPUT, WINDOW, Quantity, draw_scenario
from miniedit_frr.experiments.bbr2_martinber.lab import BBR2, Scenario, SetupName, cases
from miniedit_frr.experiments.bbr2_martinber.numbers import (
    Measure,
    cwnd_packets,
    number_in_each_setup,
    number_name,
    numbers_in_each_setup,
    queue_packets,
    rate_after_cuts_mbit,
    rate_by_period_mbit,
    rtt_ms,
    rtt_probe_count,
    throughput_mbit,
    unless_quick,
)
from miniedit_frr.experiments.declaration import Case, Check, CheckResult, Experiment, Picture
from miniedit_frr.experiments.runs import Runs

_S0 = Scenario(0, ("bbr", BBR2), 100, 30, "latency 30ms", "50kb", 426_200, 10)
_S1 = Scenario(1, ("reno", "cubic", "bbr", BBR2), 10, 100, "latency 50ms", "32kb", 95_268, 20)
_S2 = Scenario(2, ("bbr", BBR2), 100, 30, "latency 30ms", "50kb", 426_200, 60)
_S3 = Scenario(
    3, ("reno", "cubic", "bbr", BBR2), 100, 100, "latency 100ms", "50kb", 1_301_200, 10, 0.5, ("buffer_ms", 100)
)
_S3_REPORT = Scenario(
    3, ("reno", "cubic", "bbr", BBR2), 100, 100, "latency 50ms", "50kb", 676_200, 10, 0.5, ("buffer_ms", 50)
)
_S4 = Scenario(4, ("reno", "bbr", BBR2), 100, 50, "latency 50ms", "50kb", 676_200, 60, cores="0")
_S5 = Scenario(5, ("reno", "bbr", BBR2), 100, 50, "limit 200000", "50kb", 200_000, 60, variant=("delay_ms", 50))
_S5_REPORT = Scenario(
    5, ("reno", "bbr", BBR2), 100, 200, "limit 200000", "50kb", 200_000, 60, variant=("delay_ms", 200)
)

#: A scenario of a minute is sampled half as often as shorter ones. ProbeRTT, the shortest phase in it, lasts 200 ms.
_MINUTE_HZ = 50.0
#: Ten seconds have few random losses. A statement is about the median of this number of runs.
_LOSSY_RUNS = 3
#: The phase in which BBR begins to probe is random, and affects the mean of 20 s at 10 Mbit/s.
_PHASES = 3
#: The throughput after the start. The start of scenario 3 takes longer: if the first random loss is late, a window of a
#: thousand packets must shrink. (The published means of Reno and CUBIC from 2 s on and from 5 s on are the same.)
_SETTLED = throughput_mbit(2.5)
_SETTLED_3 = throughput_mbit(5.0)
#: The upper limit of Reno and CUBIC in scenario 3, in Mbit/s.
_SLOW_MBIT = 5.0


def _throughputs(scenario: Scenario, measure: Measure = _SETTLED, over: str = "", **values: float) -> tuple[Check, ...]:
    """The checks of a scenario's mean throughputs."""
    return tuple(
        Check(
            f"MB{scenario.number}.thr.{control}",
            number_in_each_setup(measure, control, over=over, **values),
            BBR2 if control == BBR2 else "",
        )
        for control in scenario.controls
    )


def _twice(measure: Measure) -> Measure:
    return lambda results: None if (number := measure(results)) is None else 2 * number


def _order(runs: Runs) -> CheckResult:
    """Whether the order of throughputs is as published, in each set-up and variant; with BBRv2 if it was run."""
    order_holds: dict[str, float] = {}
    for setup in ("published", "right"):
        for buffer_ms in runs.values_of("buffer_ms", setup):
            rates = {
                control: runs.median(_SETTLED_3, setup, cc=control, buffer_ms=buffer_ms) for control in _S3.controls
            }
            slow, bbr, bbr2 = (rates["reno"], rates["cubic"]), rates["bbr"], rates[BBR2]
            if bbr is None or None in slow:
                continue
            highest = max(rate for rate in slow if rate is not None)
            is_between = bbr2 is None or highest < bbr2 < bbr
            order_holds[number_name(setup, f"{buffer_ms:g} ms")] = float(highest < _SLOW_MBIT < bbr and is_between)
    return order_holds or None


def _starved(control: str, *, or_control_run: bool = False) -> Check:
    """The check of a throughput in scenario 4, with one processor for all. The control run replaces a missing run if
    the statement must hold for both (`or_control_run`)."""

    def check(runs: Runs) -> CheckResult:
        for setup in ("published", "right") if or_control_run else ("published",):
            number = runs.median(_SETTLED, setup, cc=control)
            if number is not None:
                return {number_name(setup): number}
        return None

    return Check(f"MB4.thr.{control}", check, BBR2 if control == BBR2 else "")


def _picture(
    name: str,
    title: str,
    scenario: Scenario,
    figures: Mapping[str, int],
    quantities: Sequence[Quantity] = ALL_QUANTITIES,
    notes: Sequence[str] = (),
    *,
    one_scale: bool = True,
) -> Picture:
    return Picture(
        name,
        title,
        lambda runs: draw_scenario(
            scenario, runs, figures=figures, quantities=quantities, one_scale=one_scale, words=notes
        ),
    )


def _variant_setups(quick: bool) -> tuple[SetupName, ...]:
    """The set-ups that are run with the values of the report."""
    return ("published",) if quick else ("published", "right")


def _cases_4(quick: bool) -> tuple[Case, ...]:
    starved = cases(
        _S4, quick, setups=("published",), sample_hz=100.0, captures=("h1:h1-eth0",), real_time=words.ONE_PROCESSOR
    )
    return (*starved, *cases(_S4, quick, setups=("right",), sample_hz=_MINUTE_HZ))


MB0 = Experiment(
    "MB0",
    "BBR for ten seconds (scenario 0)",
    words.SOURCE,
    words.SETUP_0,
    words.LESSON_0,
    lambda quick: cases(_S0, quick),
    (),
    (_picture("scenario-0", "BBR at 100 Mbit/s and 30 ms: no figure of it was published", _S0, {}),),
)

MB1 = Experiment(
    "MB1",
    "One flow at 10 Mbit/s and 100 ms (scenario 1)",
    words.SOURCE,
    words.SETUP_1,
    words.LESSON_1,
    lambda quick: (
        *cases(_S1, quick, controls=("reno", "cubic")),
        *cases(_S1, quick, controls=("bbr", BBR2), repeat=_PHASES),
    ),
    (
        *_throughputs(_S1),
        Check("MB1.rtt.loss", number_in_each_setup(rtt_ms(np.max, 0.0), "reno", "cubic")),
        Check("MB1.rtt.bbr", number_in_each_setup(rtt_ms(np.mean), "bbr")),
        Check("MB1.rtt.bbr2", number_in_each_setup(rtt_ms(np.mean), BBR2), BBR2),
        Check(
            "MB1.cwnd.reno",
            numbers_in_each_setup(
                {"peak": cwnd_packets(np.max), "twice the trough": _twice(cwnd_packets(np.min))}, "reno"
            ),
        ),
        Check("MB1.q", number_in_each_setup(queue_packets(np.max), "reno")),
    ),
    (
        _picture(
            "figures-18-21",
            "Throughput, window, round trip and queue of each congestion control at 10 Mbit/s and 100 ms",
            _S1,
            {"reno": 18, "cubic": 19, "bbr": 20, BBR2: 21},
            notes=[words.QUEUE_UNITS],
        ),
    ),
)

MB2 = Experiment(
    "MB2",
    "BBR and BBRv2 at 100 Mbit/s and 30 ms (scenario 2)",
    words.SOURCE,
    words.SETUP_2,
    words.LESSON_2,
    lambda quick: cases(_S2, quick, sample_hz=_MINUTE_HZ),
    (
        *_throughputs(_S2),
        Check("MB2.rtt", number_in_each_setup(rtt_ms(np.mean), "bbr")),
        Check("MB2.rtt2", number_in_each_setup(rtt_ms(np.mean), BBR2), BBR2),
        Check("MB2.prtt", unless_quick(number_in_each_setup(rtt_probe_count, "bbr"))),
        Check("MB2.prtt2", unless_quick(number_in_each_setup(rtt_probe_count, BBR2)), BBR2),
    ),
    (
        _picture(
            "figures-22-23",
            "ProbeRTT of BBR and BBRv2",
            _S2,
            {"bbr": 22, BBR2: 23},
            notes=[words.COLUMNS, words.QUEUE_UNITS, words.NO_QUEUE],
        ),
    ),
)

MB3 = Experiment(
    "MB3",
    "Random loss of 0.5 % at 100 Mbit/s and 100 ms (scenario 3)",
    words.SOURCE,
    words.SETUP_3,
    words.LESSON_3,
    lambda quick: (
        *cases(_S3, quick, repeat=_LOSSY_RUNS),
        *cases(_S3_REPORT, quick, repeat=_LOSSY_RUNS, setups=_variant_setups(quick)),
    ),
    (*_throughputs(_S3, _SETTLED_3, "buffer_ms"), Check("MB3.order", _order)),
    tuple(
        _picture(
            f"figures-24-27-buffer-{scenario.variant[1]:g}",
            f"Tolerance of random loss, with a buffer of {scenario.variant[1]:g} ms, as {origin}",
            scenario,
            {"reno": 24, "cubic": 25, "bbr": 26, BBR2: 27},
            (THROUGHPUT, WINDOW),
            one_scale=False,
        )
        for scenario, origin in ((_S3, "in the scripts"), (_S3_REPORT, "in the report"))
        if scenario.variant
    ),
)

MB4 = Experiment(
    "MB4",
    "One processor for everything (scenario 4)",
    words.SOURCE,
    words.SETUP_4,
    words.LESSON_4,
    _cases_4,
    (
        _starved("reno", or_control_run=True),
        _starved("bbr"),
        _starved(BBR2),
    ),
    (
        _picture(
            "figures-28-30",
            "BBR with too little processor time, and the control run in virtual time",
            _S4,
            {"reno": 28, "bbr": 29, BBR2: 30},
            (THROUGHPUT, WINDOW),
            [words.COLUMNS],
        ),
    ),
)

MB5 = Experiment(
    "MB5",
    "A shallow buffer at 100 Mbit/s (scenario 5)",
    words.SOURCE,
    words.SETUP_5,
    words.LESSON_5,
    lambda quick: (
        *cases(_S5, quick, sample_hz=_MINUTE_HZ),
        *cases(_S5_REPORT, quick, sample_hz=_MINUTE_HZ, setups=_variant_setups(quick)),
    ),
    (
        *_throughputs(_S5, delay_ms=50.0),
        Check(
            "MB5.rtt",
            numbers_in_each_setup(
                {"least": rtt_ms(np.min, 0.0), "most": rtt_ms(np.max, 0.0)}, "reno", "bbr", BBR2, delay_ms=50.0
            ),
        ),
        Check(
            "MB5.reno",
            unless_quick(
                numbers_in_each_setup(
                    {"after halving": rate_after_cuts_mbit, "by the period": rate_by_period_mbit},
                    "reno",
                    delay_ms=50.0,
                )
            ),
        ),
        Check("MB5.q", number_in_each_setup(queue_packets(np.max), "reno", "bbr", BBR2, delay_ms=50.0)),
    ),
    tuple(
        _picture(
            f"figures-31-33-delay-{scenario.variant[1]:g}",
            f"A buffer of 200 kB with a delay of {scenario.variant[1]:g} ms, as {whose}",
            scenario,
            {"reno": 31, "bbr": 32, BBR2: 33},
            notes=[words.COLUMNS, words.QUEUE_UNITS, words.NO_QUEUE_5, *extra_notes],
        )
        for scenario, whose, extra_notes in (
            (_S5, "the scripts have it", []),
            (_S5_REPORT, "the report says", [words.BY_ROUND_TRIPS]),
        )
        if scenario.variant
    ),
)

EXPERIMENTS = (MB0, MB1, MB2, MB3, MB4, MB5, MB_BGP)
