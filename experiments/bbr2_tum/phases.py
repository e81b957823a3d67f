"""TU-P and TU-R: the phases of BBR over half a minute, and two flows of BBR with round trips of 10 and 50 ms."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from frrlib.model.flow_words import control_name
from frrlib.model.frames import FULL_SEGMENT_BYTES
from frrlib.plots.phases import shade
from frrlib.results.palette import BLUE, VERMILION
from frrlib.results.records import Results
from frrlib.results.statistics import bbr
from miniedit_frr.experiments import measures, published_style
from miniedit_frr.experiments.bbr2_tum.figures import mark_empty, short_missing_case_notes
from miniedit_frr.experiments.bbr2_tum.lab import (
    BIN_S,
    BUFFER_100_MS,
    DEFAULTS,
    RATE_MBIT,
    SOURCE,
    Sender,
    bdp_bytes,
    dumbbell,
    sending_rate,
    sent_bytes,
)
from miniedit_frr.experiments.declaration import Case, Check, CheckResult, Experiment, Picture
from miniedit_frr.experiments.runs import Run, Runs

RTT_MS = 50.0
#: The RTTs of two flows over one bottleneck.
SHORT_MS, LONG_MS = 10.0, 50.0
#: The durations. The figure of phases shows 30 s; the run is longer, so that the third ProbeRTT is complete.
_PHASES_S, _UNFAIR_S = 32.0, 50.0
#: The sampling rates. The shortest phase, Drain, lasts about a round trip.
_PHASES_HZ, _UNFAIR_HZ = 50.0, 20.0
_SHADED_PHASES = ("startup", "drain", "probe_rtt")
#: The label of each phase, the rate to which its arrow points, and the rate at which it stands, in Mbit/s.
_PHASE_LABELS = {
    "startup": ("Startup", 16.0, 16.0),
    "drain": ("Drain", 4.0, 3.0),
    "probe_bw": ("ProbeBW", 12.3, 15.0),
    "probe_rtt": ("ProbeRTT", 4.0, 4.0),
}
VERSIONS = ("bbr", "bbr2")


# --- phases ---------------------------------------------------------------------------------------------------------


def phase_cases(quick: bool) -> tuple[Case, ...]:
    """One flow of each version. The cases are short enough for a class."""
    return tuple(
        Case(
            f"right-{cc}",
            dumbbell(f"Phases of {control_name(cc)}", [Sender(cc, RTT_MS)], _PHASES_S, BUFFER_100_MS),
            setup="right",
            values={"cc": cc},
            sample_hz=_PHASES_HZ,
            needs="" if cc == "bbr" else cc,
        )
        for cc in VERSIONS
    )


def probe_rtts(results: Results, name: str) -> list[bbr.Span]:
    """The ProbeRTT phases of a flow, without one that the end of the run has cut off."""
    samples = measures.find_flow(results, name)
    spans = bbr.phases(samples.sender) if samples else []
    return [span for number, span in enumerate(spans) if span[2] == "probe_rtt" and number < len(spans) - 1]


def _intervals(cc: str, runs: Runs) -> CheckResult:
    run = runs.first("right", cc=cc)
    if run is None:
        return None
    begins = [span[0] for span in probe_rtts(run.results, f"{cc}-1")]
    return {f"{number} to {number + 1}": later - begin for number, (begin, later) in enumerate(pairwise(begins), 1)}


def _rates(runs: Runs) -> CheckResult:
    """For each ProbeRTT the lowest sending rate over 0.2 s, in percent of the bottleneck.

    A bin of a fixed grid would lie in a phase of 0.28 s only by chance, so the bin is moved within the phase.
    """
    run = runs.first("right", cc="bbr")
    if run is None:
        return None
    times, sent = sent_bytes(run.results, "bbr-1")
    percents = {}
    for number, (begin_s, end_s, _) in enumerate(probe_rtts(run.results, "bbr-1"), 1):
        begins = np.linspace(begin_s, max(begin_s, end_s - BIN_S), 50)
        least = float(np.min(np.interp(begins + BIN_S, times, sent) - np.interp(begins, times, sent)))
        percents[f"ProbeRTT {number}"] = least * 8e-6 / BIN_S / RATE_MBIT * 100
    return percents


def _window(runs: Runs) -> CheckResult:
    """For each ProbeRTT of BBRv2 the least window, in bandwidth-delay products."""
    run = runs.first("right", cc="bbr2")
    if run is None:
        return None
    data, bdp = measures.cwnd_packets(run.results, "bbr2-1"), bdp_bytes(RATE_MBIT, RTT_MS) / FULL_SEGMENT_BYTES
    spans = probe_rtts(run.results, "bbr2-1")
    lows = [measures.statistic(data, begin_s, end_s, np.min) for begin_s, end_s, _ in spans]
    return {f"ProbeRTT {number}": low / bdp for number, low in enumerate(lows, 1) if low is not None}


def draw_phases(runs: Runs) -> Figure:
    """The sending rate over time with shaded phases, in a panel for each version."""
    figure, panels = published_style.new_figure(2, 1, height=4.4, height_ratios=(2, 1))
    for panel, cc in zip(panels, VERSIONS, strict=True):
        published_style.set_axes(panel, "", "sending rate (Mbit/s)", (0, 30), (0, 20), control_name(cc))
        panel.yaxis.set_major_locator(MultipleLocator(5))
        run = runs.first("right", cc=cc)
        if run is None:
            mark_empty(panel)
            continue
        color, fine_s = published_style.control_style(cc)["color"], RTT_MS / 1e3
        fine = sending_rate(run.results, f"{cc}-1", fine_s)
        published_style.draw_series(
            panel, fine, color=color, alpha=0.35, linewidth=0.7, label=f"mean of {fine_s:g} s, a round trip"
        )
        published_style.draw_series(
            panel, sending_rate(run.results, f"{cc}-1"), color=color, label=f"mean of {BIN_S:g} s"
        )
        panel.axhline(RATE_MBIT, color="black", linewidth=0.8, linestyle=(0, (4, 1.5)), label="bottleneck")
        _mark_phases(panel, run, f"{cc}-1")
        published_style.add_legend(panel, loc="upper right", ncols=3)
    panels[-1].set_xlabel("time (s)")
    published_style.add_note(figure, short_missing_case_notes(runs))
    return figure


def _mark_phases(panel: Axes, run: Run, name: str) -> None:
    """Shade the short phases, and label the first phase of each kind."""
    samples = measures.find_flow(run.results, name)
    named: set[str] = set()
    spans = bbr.phases(samples.sender) if samples else []
    shade(panel, spans, _SHADED_PHASES)
    for begin_s, end_s, phase in spans:
        if phase in named:
            continue
        named.add(phase)
        word, at_mbit, text_mbit = _PHASE_LABELS[phase]
        at_s = (begin_s + end_s) / 2
        arrow = {"arrowstyle": "-", "color": "black", "linewidth": 0.6, "shrinkA": 1, "shrinkB": 1}
        panel.annotate(word, (at_s, at_mbit), (at_s + 1.0, text_mbit), arrowprops=arrow, va="center", fontsize=8)


# --- round trips of 10 and 50 ms ------------------------------------------------------------------------------------


def unfair_cases(quick: bool) -> tuple[Case, ...]:
    """Two flows of each version, the first with the shorter RTT."""
    return tuple(
        Case(
            f"right-{cc}",
            dumbbell(
                f"Two flows of {control_name(cc)}, {SHORT_MS:g} and {LONG_MS:g} ms",
                [Sender(cc, SHORT_MS), Sender(cc, LONG_MS)],
                _UNFAIR_S,
                BUFFER_100_MS,
            ),
            setup="right",
            values={"cc": cc},
            sample_hz=_UNFAIR_HZ,
            needs="" if cc == "bbr" else cc,
        )
        for cc in VERSIONS
    )


def _long_share(runs: Runs) -> CheckResult:
    run = runs.first("right", cc="bbr")
    if run is None:
        return None
    rates = list(measures.goodputs_mbit(run.results, 20, 50).values())
    share = measures.share(rates, 1)
    return None if share is None else {"50 ms": share * 100}


def draw_unfair(runs: Runs) -> Figure:
    """The sending rates of both flows over time."""
    figure, panels = published_style.new_figure(2, 1, height=4.4, height_ratios=(2, 1))
    long_part = LONG_MS / (LONG_MS + SHORT_MS)
    for panel, cc in zip(panels, VERSIONS, strict=True):
        published_style.set_axes(panel, "", "sending rate (Mbit/s)", (0, 50), (0, 10), control_name(cc))
        run = runs.first("right", cc=cc)
        if run is None:
            mark_empty(panel)
            continue
        for number, rtt_ms, color in ((2, LONG_MS, BLUE), (1, SHORT_MS, VERMILION)):
            data = sending_rate(run.results, f"{cc}-{number}")
            published_style.draw_series(panel, data, color=color, label=f"{rtt_ms:g} ms")
        panel.axhline(RATE_MBIT / 2, color="black", linewidth=0.8, linestyle=(0, (4, 1.5)), label="fair share")
        for part in (long_part, 1 - long_part):
            panel.axhline(RATE_MBIT * part, color=published_style.PUBLISHED, linewidth=0.7, linestyle=(0, (1, 1.5)),
                          label="as the round trips, 5:1")  # fmt: skip
        if not figure.legends:  # both panels have the same lines, and the lower panel has no room for a legend
            published_style.add_legend_above(figure, published_style.legend_entries(panel), 4, 8)
    panels[-1].set_xlabel("time (s)")
    published_style.add_note(figure, short_missing_case_notes(runs))
    return figure


PHASES = Experiment(
    name="TU-P",
    title="The phases of BBR",
    source=SOURCE,
    setup=f"""One flow sends for half a minute through a bottleneck of 10 Mbit/s. The slides name the phases in the
curve of the *sending rate*, measured before the bottleneck in bins of 0.2 s: Startup reaches twice the bottleneck's
rate, Drain falls to about half of it, ProbeBW varies by a quarter around it, and every 10 s ProbeRTT falls to nearly
zero. The dips of BBRv2 are shallower and come every 5 s. {DEFAULTS} The RTT is 50 ms, that of the framework's own
example, and the buffer has 100 ms.""",
    lesson="""The phases in the figure are not derived from the curve: the kernel reports BBR's gains with each sample,
and they determine the phase. ProbeRTT allows four packets per round trip, which is 0.97 Mbit/s here. Before that the
flow sends nothing for a round trip, because two BDPs were in flight. The time between two dips is a little more than 10
s: the 10 s begin with the lowest RTT, which is measured at the end of a dip.

The content of a figure of rates depends on its bins. ProbeBW sends 25 % more for one round trip and 25 % less for the
next one, so bins of 0.2 s, four round trips, hide that nearly completely. The pale line has bins of one round trip;
there Startup exceeds 20 Mbit/s, and ProbeBW varies as in the slides. So the RTT of the slides was longer, or their bins
were shorter. Also, a dip of 0.28 s need not contain a whole bin of 0.2 s: the first one here is divided between two
bins and looks shallower than the second.

The sending rate must be measured before the bottleneck: behind it the same flow never has more than 10 Mbit/s.""",
    cases=phase_cases,
    checks=(
        Check("TU.P1", lambda runs: _intervals("bbr", runs)),
        Check("TU.P2", lambda runs: _intervals("bbr2", runs), needs="bbr2"),
        Check("TU.P3", _rates),
        Check("TU.P4", _window, needs="bbr2"),
    ),
    pictures=(Picture("phases", "Sending rate and phases of one flow", draw_phases),),
)

UNFAIR = Experiment(
    name="TU-R",
    title="Unfairness between RTTs",
    source=SOURCE,
    setup=f"""Two flows of the same congestion control share 10 Mbit/s; one has an RTT of 10 ms, the other one of 50 ms.
In the slides the flow of 50 ms has more than the fair share all the time with BBR, and a little more with BBRv2.
{DEFAULTS} The buffer has 100 ms, the framework's default.""",
    lesson="""Loss-based congestion control favors the flow with the *shorter* RTT, which recovers from a loss sooner.
BBR favors the longer one. Each flow keeps up to two BDPs in flight, computed with its own base RTT. So the flow with
the longer RTT has most of the common queue, and with it most of the bandwidth. With equal bandwidth the ratio of the
windows is that of the RTTs, 5:1 (dotted).

Here it is about 3:1. In the samples the short flow has 16 packets in flight, although two of its BDPs are 5, and the
long one has 78 instead of 65: the kernel adds room for three bursts of segmentation and for aggregated ACKs. Ten
packets more are much for the one and little for the other. So the published unfairness is smaller with smaller BDPs,
and a longer RTT still increases the share.

In the slides BBRv2 is fairer. Ours (BBRv2 of 2021, ported to Linux 6.1) is not: the long flow gets 87 % of the total,
and 74 % with BBR. Eleven packets are lost in this buffer, so losses hardly limit BBRv2. The source does not state the
buffer of the slides, and the reason for the difference is not known.""",
    cases=unfair_cases,
    checks=(Check("TU.R1", _long_share),),
    pictures=(Picture("rtt-unfairness", "Sending rate of two flows with 10 and 50 ms", draw_unfair),),
)
