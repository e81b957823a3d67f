"""RFC9438: the mean window of one flow of CUBIC or Reno under random loss of data, with an RTT of 0.1 s."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from frrlib.model.flow_words import control_name
from miniedit_frr.experiments import measures, published_style
from miniedit_frr.experiments.bbr2_tum.figures import set_logarithmic_x
from miniedit_frr.experiments.bbr2_tum.lab import Sender, bdp_bytes, dumbbell
from miniedit_frr.experiments.declaration import Case, Check, CheckResult, Experiment, Picture
from miniedit_frr.experiments.runs import Run, Runs

CONTROLS = ("cubic", "reno")
RTT_MS = 100.0
#: A round trip carries 1,700 packets at this rate, nine times the largest window of the table.
RATE_MBIT = 200.0
#: Table 1 of RFC 9438 (RTT 0.1 s, C = 0.4): the mean window of CUBIC in packets, by the loss from 0 to 1.
CUBIC_PACKETS = {1e-2: 12.0, 1e-3: 38.0, 1e-4: 187.0}
#: Losses in a run, at the published window of CUBIC. The windows between two losses vary about as much as their mean,
#: so the mean over 5 runs of that length has a standard error of 1 / sqrt(5 x 120), which is 4 %.
_LOSSES, _QUICK_LOSSES = 120, 20
#: Losses that belong to the end of slow start, and are left out.
_SKIPPED_LOSSES = 15
_REPEAT, _HZ = 5, 10.0


def loss_interval_s(loss: float) -> float:
    """The mean time between two losses with the published window of CUBIC: 1 / p packets at W packets per RTT."""
    return RTT_MS / 1e3 / (loss * CUBIC_PACKETS[loss])


def begin_s(loss: float) -> float:
    """The beginning of the measurement, after slow start."""
    return math.ceil(_SKIPPED_LOSSES * loss_interval_s(loss))


def duration_s(loss: float, quick: bool) -> float:
    """The duration of a run: the time of the losses that are left out, and of those that are measured."""
    return begin_s(loss) + math.ceil((_QUICK_LOSSES if quick else _LOSSES) * loss_interval_s(loss))


def window_cases(quick: bool) -> tuple[Case, ...]:
    """The cases of each congestion control with each loss; the shortened ones run once."""
    return tuple(
        Case(
            f"right-{cc}-loss-{loss * 100:g}",
            dumbbell(
                f"{control_name(cc)} with {loss * 100:g} % of loss",
                [Sender(cc, RTT_MS)],
                duration_s(loss, quick),
                bdp_bytes(RATE_MBIT, RTT_MS),
                rate_mbit=RATE_MBIT,
                loss_percent=loss * 100,
            ),
            setup="right",
            values={"cc": cc, "loss_percent": loss * 100},
            repeat=1 if quick else _REPEAT,
            sample_hz=_HZ,
        )
        for loss in CUBIC_PACKETS
        for cc in CONTROLS
    )


def mathis_packets(loss: float, acked: int = 1) -> float:
    """Reno's mean window under random loss: sqrt(3 / 2 b) / sqrt(p) packets.

    Args:
        loss: p, from 0 to 1.
        acked: b, the number of packets for each ACK of a sender that counts ACKs; 2 with delayed ACKs. 1 for a sender
            that counts acknowledged bytes (RFC 3465), as Linux does.
    """
    return math.sqrt(1.5 / (acked * loss))


def window_packets(run: Run) -> float | None:
    """The mean of the sender's congestion window after slow start, in packets."""
    name = measures.flow_names(run.results)[0]
    begin = begin_s(round(float(run.values["loss_percent"]) / 100, 6))
    return measures.statistic(measures.cwnd_packets(run.results, name), begin)


def delivered_packets(run: Run) -> float | None:
    """The mean number of packets that were delivered per RTT without queue, after slow start."""
    name = measures.flow_names(run.results)[0]
    times, packets = measures.sender_series(run.results, name, "delivered_packets")
    begin = begin_s(round(float(run.values["loss_percent"]) / 100, 6))
    if not times.size or times[-1] <= begin:
        return None
    grown = measures.growth((times, packets), begin, float(times[-1]))
    return None if grown is None else grown / (float(times[-1]) - begin) * RTT_MS / 1e3


def _values(runs: Runs, cc: str, loss: float, measure: Callable[[Run], float | None]) -> list[float]:
    selected = runs.select("right", cc=cc, loss_percent=loss * 100)
    return [value for run in selected if (value := measure(run)) is not None]


def _window(cc: str, loss: float) -> Callable[[Runs], CheckResult]:
    """The check of the mean window over all runs, as sampled and as delivered per RTT."""

    def measure(runs: Runs) -> CheckResult:
        windows = _values(runs, cc, loss, window_packets)
        delivered = _values(runs, cc, loss, delivered_packets)
        if not windows or not delivered:
            return None
        return {"cwnd": statistics.mean(windows), "delivered per RTT": statistics.mean(delivered)}

    return measure


def draw_windows(runs: Runs) -> Figure:
    """The mean window against loss, both axes logarithmic."""
    figure, (panel,) = published_style.new_figure(width=6.4, height=3.6)
    published_style.set_axes(panel, "loss (%)", "mean congestion window (packets)", (5e-3, 2.0), (5, 400))
    set_logarithmic_x(panel)
    panel.set_yscale("log")
    losses = np.geomspace(5e-5, 2e-2, 50)
    thin: dict[str, Any] = {"color": published_style.PUBLISHED, "linewidth": 0.8, "zorder": 1.5}
    for acked, line, label in (
        (1, "-", "Reno by Mathis et al."),
        (2, (0, (1, 1.5)), "the same, counting delayed ACKs"),
    ):
        panel.plot(100 * losses, [mathis_packets(loss, acked) for loss in losses], linestyle=line, label=label, **thin)
    panel.plot(
        [100 * loss for loss in CUBIC_PACKETS], list(CUBIC_PACKETS.values()), label="CUBIC, table 1 of RFC 9438",
        **published_style.PUBLISHED_POINTS,
    )  # fmt: skip
    for cc in CONTROLS:
        points = [(100 * loss, value) for loss in CUBIC_PACKETS for value in _values(runs, cc, loss, window_packets)]
        if points:
            panel.plot(
                *zip(*points, strict=True),
                **published_style.control_style(cc, marker="o", markersize=3.5, linestyle="none"),
            )
    published_style.add_legend(panel, loc="upper right")
    published_style.add_note(figure, ["A point is a run.", *published_style.missing_case_notes(runs)])
    return figure


WINDOWS = Experiment(
    name="RFC9438",
    title="The window of CUBIC and Reno under random loss",
    source=(
        "Xu, Ha, Rhee, Goel, Eggert: CUBIC for Fast and Long-Distance Networks, RFC 9438, 2023, table 1, "
        "https://www.rfc-editor.org/rfc/rfc9438; Mathis, Semke, Mahdavi, Ott: The Macroscopic Behavior of the TCP "
        "Congestion Avoidance Algorithm, Computer Communication Review 27(3), 1997"
    ),
    setup="""One flow with an RTT of 0.1 s loses 1, 0.1 or 0.01 % of its packets at random. The RFC computes a mean
window of 12, 38 and 187 packets for CUBIC with C = 0.4. Mathis et al. compute 1.22 / sqrt(p) for Reno, which is 12, 39
and 122. Here data are lost behind a bottleneck of 200 Mbit/s, and ACKs are not lost. The link carries nine times the
largest window, so it is never the limit after slow start.

A run lasts as long as 135 losses at the published window: 1 min 53 s, 6 min and 12 min. The first 15 losses end slow
start and are left out. The windows between two losses vary about as much as their mean, so the mean over five runs has
a standard error of some 4 %.""",
    lesson="""Both formulas describe a regular saw: a loss after every 1 / p packets. The window is shown as sampled,
and as packets that were delivered per RTT without queue, which does not depend on what the kernel calls its window in
recovery.

**Delayed ACKs.** Mathis et al. derive 1.22 for a receiver that acknowledges each packet, and 0.87 for one that
acknowledges every second packet. The second constant holds for a sender that counts ACKs. Linux counts acknowledged
packets (as RFC 3465 proposes), in Reno and in the Reno-friendly region of CUBIC, so 1.22 applies although the receiver
delays its ACKs.

**Random losses give CUBIC more than the table.** The table assumes a loss after every 1 / p packets. With random
losses, long intervals reach the cubic curve, which Reno's window cannot follow, and short ones cost little. The window
functions of the RFC, computed round trip by round trip, have a mean of 39 packets with regular losses of 0.1 %, and of
43 with random ones; at 0.01 % it is 182 and 214. The same computation for Reno gives 38 and 41, and 122 and 130. At 1 %
CUBIC is Reno: its window is that of the Reno-friendly region.""",
    cases=window_cases,
    checks=(
        *(Check(f"RFC9438.{number}", _window("cubic", loss)) for number, loss in enumerate(CUBIC_PACKETS, 1)),
        *(Check(f"RFC9438.{number}", _window("reno", loss)) for number, loss in enumerate(CUBIC_PACKETS, 4)),
    ),
    pictures=(Picture("windows", "Mean congestion window of one flow against loss", draw_windows),),
)
