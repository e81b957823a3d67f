"""TU-L and TU-Q: the throughput of one flow against random loss, and its latency against the size of the buffer."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from frrlib.model.flow_words import control_name
from miniedit_frr.experiments import measures, published_style
from miniedit_frr.experiments.bbr2_tum.figures import set_logarithmic_x
from miniedit_frr.experiments.bbr2_tum.lab import RATE_MBIT, SOURCE, Sender, bdp_bytes, dumbbell
from miniedit_frr.experiments.bbr2_tum.models import bbr_cliff, bbr_mbit, cubic_mbit, policer_cliff
from miniedit_frr.experiments.declaration import Case, Check, CheckResult, Experiment, Picture
from miniedit_frr.experiments.runs import Run, Runs
from miniedit_frr.experiments.theory import mathis_mbit

CONTROLS = ("cubic", "bbr")
_HZ = 10.0

# --- loss -----------------------------------------------------------------------------------------------------------

LOSS_RATE_MBIT, LOSS_RTT_MS = 100.0, 100.0
LOSSES_PERCENT = (0.001, 0.01, 0.1, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 50.0)
#: Additional losses in the range in which CUBIC's throughput falls fastest.
_MORE_FOR_CUBIC_PERCENT = (0.003, 0.03)
_QUICK_LOSSES_PERCENT = (0.001, 0.1, 1.0, 5.0, 15.0, 30.0)
_LOSS_LASTS_S, _QUICK_LOSS_LASTS_S = 60.0, 15.0
#: Just below BBR's cliff it is random whether BBR assumes a policer. This loss has more repetitions.
_NEAR_PERCENT, _NEAR_REPEAT, _QUICK_NEAR_REPEAT = 15.0, 7, 3


def loss_cases(quick: bool) -> tuple[Case, ...]:
    """The cases of one flow of each congestion control with each loss, with repetitions for BBR near its cliff."""
    lasts_s = _QUICK_LOSS_LASTS_S if quick else _LOSS_LASTS_S
    near = _QUICK_NEAR_REPEAT if quick else _NEAR_REPEAT
    plans = [(cc, loss) for loss in (_QUICK_LOSSES_PERCENT if quick else LOSSES_PERCENT) for cc in CONTROLS]
    plans += [("cubic", loss) for loss in (() if quick else _MORE_FOR_CUBIC_PERCENT)]
    return tuple(
        Case(
            f"right-{cc}-loss-{loss:g}",
            dumbbell(
                f"{control_name(cc)} with {loss:g} % of loss",
                [Sender(cc, LOSS_RTT_MS)],
                lasts_s,
                bdp_bytes(LOSS_RATE_MBIT, LOSS_RTT_MS),
                rate_mbit=LOSS_RATE_MBIT,
                loss_percent=loss,
            ),
            setup="right",
            values={"cc": cc, "loss_percent": loss},
            repeat=near if cc == "bbr" and loss == _NEAR_PERCENT else 1,
            sample_hz=_HZ,
        )
        for cc, loss in plans
    )


def throughput_mbit(run: Run) -> float:
    """The goodput of a run's only flow, from its first byte to its last; 0 if it has sent nothing."""
    return run.summary.flows[0].goodput_mbit or 0.0


def _at_loss(cc: str, loss_percent: float) -> Callable[[Runs], CheckResult]:
    """The check of the throughput with a loss: the median of all repetitions."""

    def measure(runs: Runs) -> CheckResult:
        rates = [throughput_mbit(run) for run in runs.select("right", cc=cc, loss_percent=loss_percent)]
        if not rates:
            return None
        return {cc if len(rates) == 1 else f"{cc}, median of {len(rates)}": statistics.median(rates)}

    return measure


def draw_losses(runs: Runs) -> Figure:
    """The throughput against loss on a logarithmic axis."""
    figure, (panel,) = published_style.new_figure(width=6.4, height=3.6)
    published_style.set_axes(panel, "loss (%)", "throughput (Mbit/s)", (1e-3, 1e2), (0, 100))
    set_logarithmic_x(panel)
    panel.axvspan(100 * policer_cliff(), 100 * bbr_cliff(), color=published_style.PUBLISHED, alpha=0.2, linewidth=0,
                  label="BBR suspects a policer; probes in vain")  # fmt: skip
    losses = np.geomspace(1e-5, 1.0, 200)
    thin: dict[str, Any] = {"linewidth": 0.8, "zorder": 1.5}
    panel.plot(100 * losses, [bbr_mbit(loss, LOSS_RATE_MBIT) for loss in losses], color=published_style.PUBLISHED,
               label="remaining capacity, (1 - p)", **thin)  # fmt: skip
    for predict_mbit, line, label in (
        (cubic_mbit, (0, (5, 2)), "CUBIC by RFC 9438"),
        (mathis_mbit, (0, (1, 1.5)), "Reno by Mathis et al."),
    ):
        rates = [min(predict_mbit(loss, LOSS_RTT_MS), bbr_mbit(loss, LOSS_RATE_MBIT)) for loss in losses]
        panel.plot(100 * losses, rates, color=published_style.PUBLISHED, linestyle=line, label=label, **thin)
    for cc in CONTROLS:
        points = [(float(run.values["loss_percent"]), throughput_mbit(run)) for run in runs.select("right", cc=cc)]
        if not points:
            continue
        median = {
            loss_percent: statistics.median(rate for loss, rate in points if loss == loss_percent)
            for loss_percent in sorted(dict(points))
        }
        panel.plot(list(median), list(median.values()), **published_style.control_style(cc))
        panel.plot(
            *zip(*points, strict=True),
            **published_style.control_style(cc, label=None, marker="o", markersize=3.5, linestyle="none"),
        )
    published_style.add_legend(panel, loc="center left", bbox_to_anchor=(0.4, 0.42))
    published_style.add_note(
        figure, ["A point is a run; lines join the medians of equal ones.", *published_style.missing_case_notes(runs)]
    )
    return figure


# --- buffers --------------------------------------------------------------------------------------------------------

QUEUE_RTT_MS = 40.0
BUFFERS_KB = (100, 500, 1000, 2500, 5000, 7500, 10000)
_QUICK_BUFFERS_KB = (100, 2500, 10000)
_SWITCHED_KB = (1000, 5000, 10000)
#: The duration, and the beginning of means after CUBIC's first loss. CUBIC needs some 25 s to fill 10 MB if HyStart has
#: ended slow start early.
_QUEUE_LASTS_S, _QUEUE_FROM_S = 120.0, 40.0
#: The end of the published axis of latency.
_PUBLISHED_MS = 6000.0


def queue_cases(quick: bool) -> tuple[Case, ...]:
    """The cases of one flow of each congestion control with each buffer, and of CUBIC some with only switches. A
    shorter run would not fill the buffer."""
    plans = [("right", cc, size) for size in (_QUICK_BUFFERS_KB if quick else BUFFERS_KB) for cc in CONTROLS]
    plans += [("published", "cubic", size) for size in (() if quick else _SWITCHED_KB)]
    return tuple(
        Case(
            f"{setup}-{cc}-buffer-{size}",
            dumbbell(
                f"{control_name(cc)} over a buffer of {size} kB",
                [Sender(cc, QUEUE_RTT_MS)],
                _QUEUE_LASTS_S,
                size * 1000,
                switched=setup == "published",
            ),
            setup="published" if setup == "published" else "right",
            values={"cc": cc, "buffer_kb": float(size)},
            sample_hz=_HZ,
        )
        for setup, cc, size in plans
    )


def latency_ms(run: Run) -> float | None:
    """The mean of the sender's smoothed RTT, after the time for filling the buffer."""
    data = measures.rtt_ms(run.results, measures.flow_names(run.results)[0])
    return measures.statistic(data, _QUEUE_FROM_S, _QUEUE_LASTS_S)


def full_ms(buffer_kb: float) -> float:
    """The delay that a full buffer adds to the RTT."""
    return buffer_kb * 8 / RATE_MBIT


def _of_full(runs: Runs) -> CheckResult:
    """The delay that CUBIC's queue adds to the RTT, as a fraction of a full buffer's delay."""
    fill_by_size = {}
    for run in runs.select("right", cc="cubic"):
        latency, size = latency_ms(run), float(run.values["buffer_kb"])
        if latency is not None:
            fill_by_size[f"{size:g} kB"] = (latency - QUEUE_RTT_MS) / full_ms(size)
    return fill_by_size or None


def _bbr_latency(runs: Runs) -> CheckResult:
    latency_by_size = {f"{run.values['buffer_kb']:g} kB": latency_ms(run) for run in runs.select("right", cc="bbr")}
    return {size: latency for size, latency in latency_by_size.items() if latency is not None} or None


def _switched_latency(runs: Runs) -> CheckResult:
    latency_by_size = {
        f"{run.values['buffer_kb']:g} kB": latency_ms(run) for run in runs.select("published", cc="cubic")
    }
    return {size: latency for size, latency in latency_by_size.items() if latency is not None} or None


def draw_latencies(runs: Runs) -> Figure:
    """The latency against the size of the buffer."""
    figure, (panel,) = published_style.new_figure(width=6.4, height=3.6)
    published_style.set_axes(panel, "buffer (kB)", "latency (ms)", (0, 10_000), (0, 7000))
    # The note stands between the legend and the lines, which are lower there.
    begins_kb, note_ends_kb = 4200, 7000
    panel.hlines(
        _PUBLISHED_MS, begins_kb, 10_000, color=published_style.PUBLISHED, linewidth=0.6, linestyle=(0, (1, 1.5))
    )
    panel.text(
        note_ends_kb,
        _PUBLISHED_MS,
        "the published axis ends here",
        ha="right",
        va="bottom",
        fontsize=7,
        color=published_style.PUBLISHED,
    )
    sizes = np.array([0.0, 10_000.0])
    thin: dict[str, Any] = {"color": published_style.PUBLISHED, "linewidth": 0.8, "zorder": 1.5}
    panel.plot(sizes, QUEUE_RTT_MS + full_ms(1) * sizes, label="a full buffer", **thin)
    panel.plot(sizes, QUEUE_RTT_MS + 0.7 * full_ms(1) * sizes, linestyle=(0, (5, 2)), label="70 % full", **thin)
    for cc in CONTROLS:
        points = [(float(run.values["buffer_kb"]), latency_ms(run) or np.nan) for run in runs.select("right", cc=cc)]
        if points:
            panel.plot(
                *zip(*sorted(points), strict=True),
                **published_style.control_style(cc, marker="o", markersize=3.5, clip_on=False),
            )
    switched = [
        (float(run.values["buffer_kb"]), latency_ms(run) or np.nan) for run in runs.select("published", cc="cubic")
    ]
    if switched:
        panel.plot(*zip(*sorted(switched), strict=True), clip_on=False, linestyle="none", marker="x", markersize=6,
                   **published_style.control_style("cubic", label="CUBIC, switches only (as published)"))  # fmt: skip
    published_style.add_legend(panel, loc="upper left")
    published_style.add_note(figure, published_style.missing_case_notes(runs))
    return figure


LOSS = Experiment(
    name="TU-L",
    title="Throughput over random loss",
    source=SOURCE
    + "; after Cardwell, Cheng, Gunn, Yeganeh, Jacobson: BBR, Communications of the ACM 60(2), 2017, figure 8",
    setup="""One flow for 60 s over 100 Mbit/s and 100 ms, with random losses behind the bottleneck, from 0.001 to 50 %
on a logarithmic axis. Published: CUBIC has a tenth of its throughput at 0.1 % and stalls above 1 %. BBR uses all that
losses leave of the link up to 5 %, and nearly all up to 15 %. The source does not state the buffer; here it is one BDP.
Losses begin with the flow, after address resolution.""",
    lesson="""CUBIC reduces its window after each loss, so the window follows from the loss alone: 1.2 packets divided
by the square root of p, or the value of its own curve where that is more (both are thin lines). At 1 % this is 12
packets in 100 ms, whatever the link can carry. Where CUBIC is above the line, the reason is that a minute is short: at
0.01 % it starts with slow start and has some twenty losses.

The drop of BBR can be computed, too. It probes with 1.25 times its estimated bandwidth, of which 1 - p arrives. Where
that is less than the estimate, BBR forgets the higher rate: 19.2 %, with the pacing margin of 1 %. A little below, at
16.3 %, 50 packets are lost for 256 delivered ones. BBR then assumes a policer on the path, and keeps to its mean rate
(the gray area between both).

At 15 % this depends on chance, as the seven runs show: most reach 65 Mbit/s, and some have two periods with more loss
than that while they are still slow, and remain slow for a minute. The statement is about the median; a single run could
show either.""",
    cases=loss_cases,
    checks=(
        Check("TU.L1", _at_loss("bbr", 1.0)),
        Check("TU.L2", _at_loss("bbr", 5.0)),
        Check("TU.L3", _at_loss("bbr", 15.0)),
        Check("TU.L4", _at_loss("bbr", 30.0)),
        Check("TU.L5", _at_loss("cubic", 0.1)),
        Check("TU.L6", _at_loss("cubic", 1.0)),
    ),
    pictures=(Picture("loss", "Throughput of one flow against loss", draw_losses),),
)

LATENCY = Experiment(
    name="TU-Q",
    title="Latency over the buffer size",
    source=SOURCE,
    setup="""One flow over 10 Mbit/s and 40 ms, with a buffer of up to 10,000 kB. In the slides CUBIC's latency grows in
proportion to the buffer, to seconds, and BBR's stays at the bottom of the figure. A run lasts 120 s, and the first 40 s
are left out: CUBIC needs some 25 s to fill 10 MB. Latency is the mean of the sender's smoothed RTT, sampled ten times a
second.""",
    lesson="""A loss-based flow fills any buffer, reduces its window to seven tenths and fills it again. So its latency
is between 70 and 100 % of a full buffer (the thin lines); 10 MB at 10 Mbit/s are eight seconds. BBR keeps two BDPs in
flight at most, with any buffer. Two things can hide that: a run that ends before CUBIC's window, which grows as 0.4 t³
packets, has filled the buffer, and socket buffers smaller than the queue (a receive buffer of 6 MB holds about 3 MB of
data).

**In the published set-up** only switches are between the hosts. In one kernel the sender's TCP then counts the packets
at the bottleneck as its own (see TU-B) and stops long before the buffer is full. So CUBIC's latency is as flat as BBR's
(crosses): a good result whose reason is not the congestion control.""",
    cases=queue_cases,
    checks=(Check("TU.Q1", _of_full), Check("TU.Q2", _bbr_latency), Check("TU-Q.1", _switched_latency)),
    pictures=(Picture("latency", "Latency of one flow against the size of the buffer", draw_latencies),),
)
