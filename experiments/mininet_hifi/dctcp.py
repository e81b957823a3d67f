"""HIFI-DCTCP: the queue of two flows of DCTCP or Reno at 100 Mbit/s."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from frrlib.model.flow_words import control_name
from frrlib.model.frames import FULL_SEGMENT_BYTES
from frrlib.results.records import Results
from frrlib.results.series import Series
from miniedit_frr.experiments import measures, published_style
from miniedit_frr.experiments.declaration import Case, Check, CheckResult, Experiment, Picture, Setup
from miniedit_frr.experiments.expectations import published_rows
from miniedit_frr.experiments.mininet_hifi.lab import HIFI, QUEUE, star
from miniedit_frr.experiments.runs import Run, Runs

CONTROLS = ("reno", "dctcp")
SETUPS: tuple[Setup, ...] = ("published", "right")
_LASTS_S, _QUICK_LASTS_S, _REPEAT = 60.0, 20.0, 3
#: The end of slow start, which is left out, as in the published numbers.
BEGIN_S = 2.0
_TABLE = "hifi_dctcp_queue.csv"


def queue_cases(quick: bool) -> tuple[Case, ...]:
    """Each congestion control in each set-up; the shortened cases run once, done right only."""
    return tuple(
        Case(
            f"{setup}-{cc}",
            star(f"The queue of {control_name(cc)}", setup, cc, _QUICK_LASTS_S if quick else _LASTS_S),
            setup=setup,
            values={"cc": cc},
            repeat=1 if quick else _REPEAT,
        )
        for setup in (SETUPS[1:] if quick else SETUPS)
        for cc in CONTROLS
    )


# --- the models from which the bands are derived ----------------------------------------------------------------------


def dctcp_queue_packets(flows: int, threshold: float, bdp_packets: float) -> tuple[float, float]:
    """The least and the greatest queue of synchronized flows of DCTCP (Alizadeh et al., section 3.3), in packets."""
    greatest = threshold + flows
    return greatest - math.sqrt(2 * flows * (bdp_packets + threshold)) / 2, greatest


def dctcp_alpha(flows: int, threshold: float, bdp_packets: float) -> float:
    """The share of marked packets in the steady state (the same section): alpha^2 (1 - alpha / 4) is known."""
    window = (bdp_packets + threshold) / flows
    known = (2 * window + 1) / (window + 1) ** 2
    low, high = 0.0, 1.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if middle**2 * (1 - middle / 4) < known else (low, middle)
    return low


def saw_queue_packets(limit: float, bdp_packets: float, kept: float, share: float) -> float:
    """A quantile of the queue of Reno's flows, in packets.

    The flows add a packet per RTT, and the RTT is proportional to the queue, so the time at a queue is, too.

    Args:
        limit: the queue at which a packet is lost.
        kept: the share of the sum of all windows that is left after a loss: 1/2 if two flows lose at once, 3/4 if one
            of them does.
        share: the share of time with at most the returned queue, from 0 to 1.
    """
    least = (limit + bdp_packets) * kept - bdp_packets
    return math.sqrt(least**2 + share * (limit**2 - least**2))


# --- numbers from runs ------------------------------------------------------------------------------------------------


def queue(results: Results) -> Series:
    """The queue of the bottleneck in packets."""
    return measures.queue_series(results, direction=QUEUE)


def _end_s(results: Results) -> float:
    return min(flow.duration_s for flow in results.info.flows)


def quantile(percent: float) -> Callable[[Results], float | None]:
    """A percentile of the queue after slow start, while both flows send."""
    return lambda results: measures.statistic(queue(results), BEGIN_S, _end_s(results), measures.percentile(percent))


def goodput_mbit(results: Results) -> float | None:
    """The sum of the rates after slow start, in Mbit/s of delivered data.

    Packets are counted as they arrive. Bytes in order would include those that waited for a lost packet at the start.
    """
    packets = [
        measures.growth(measures.sender_series(results, name, "delivered_packets"), BEGIN_S, _end_s(results))
        for name in measures.flow_names(results)
    ]
    present = [count for count in packets if count is not None]
    return sum(present) * FULL_SEGMENT_BYTES * 8e-6 / (_end_s(results) - BEGIN_S) if present else None


def alpha(results: Results) -> float | None:
    """The mean estimate of congestion over time and flows, from 0 to 1."""
    means = [
        measures.statistic(measures.sender_series(results, name, "dctcp_alpha"), BEGIN_S, _end_s(results))
        for name in measures.flow_names(results)
    ]
    present = [mean for mean in means if mean is not None]
    return sum(present) / len(present) if present else None


def _growth(results: Results, column: str) -> float | None:
    return measures.growth(measures.queue_series(results, column, QUEUE), BEGIN_S, _end_s(results))


def marked_share(results: Results) -> float | None:
    """The share of packets that the bottleneck marked, from 0 to 1."""
    marks, sent = _growth(results, "marks"), _growth(results, "sent_packets")
    return None if marks is None or not sent else marks / sent


def drops(results: Results) -> float | None:
    """The number of packets that the bottleneck dropped."""
    return _growth(results, "drops")


_SETUP_NAMES = {"published": "as published", "right": "done right"}


def _check(cc: str, **measured: Callable[[Results], float | None]) -> Callable[[Runs], CheckResult]:
    """The check of medians over the runs of a congestion control, in each set-up; keywords name the numbers."""

    def measure(runs: Runs) -> CheckResult:
        numbers = {
            f"{name.replace('_', ' ')} {_SETUP_NAMES[setup]}".strip(): median
            for setup in SETUPS
            for name, take in measured.items()
            if (median := runs.median(take, setup, cc=cc)) is not None
        }
        return numbers or None

    return measure


def queue_ratio(runs: Runs) -> CheckResult:
    """The median queue of Reno over that of DCTCP, in each set-up."""
    ratios = {}
    for setup in SETUPS:
        reno, dctcp = (runs.median(quantile(50), setup, cc=cc) for cc in CONTROLS)
        if reno is not None and dctcp:
            ratios[_SETUP_NAMES[setup]] = reno / dctcp
    return ratios or None


def goodputs(runs: Runs) -> CheckResult:
    """The sum of the goodputs of each congestion control in each set-up."""
    results = {cc: _check(cc, **{cc: goodput_mbit})(runs) for cc in CONTROLS}
    return {name: rate for result in results.values() if result for name, rate in result.items()} or None


# --- figures ----------------------------------------------------------------------------------------------------------

_LINES = {"published": (0, (4, 1.5)), "right": "-"}


def draw_distribution(runs: Runs) -> Figure:
    """The share of samples over the queue, for Reno and DCTCP side by side."""
    figure, panels = published_style.new_figure(1, 2, width=6.8, height=3.2, share_x=False)
    rows = published_rows(_TABLE)
    shares = [float(row["percent"]) / 100 for row in rows]
    for panel, cc, most in zip(panels, CONTROLS, (450, 40), strict=True):
        for place, line in (("emulated", "-"), ("hardware", (0, (1, 1.5)))):
            label = {"emulated": "Mininet-HiFi", "hardware": "hardware"}[place]
            values = [float(row[f"{cc}_{place}"]) for row in rows]
            panel.plot(values, shares, color=published_style.PUBLISHED, linewidth=1.2, linestyle=line, label=label)
        for setup in SETUPS:
            for run in runs.select(setup, cc=cc):
                _draw_cdf(panel, run, cc, setup)
        published_style.set_axes(panel, "queue (packets)", "share of samples", (0, most), (0, 1), control_name(cc))
        published_style.add_legend(panel, loc="upper left", fontsize=7)
    published_style.add_note(figure, published_style.missing_case_notes(runs))
    return figure


def _draw_cdf(panel: Axes, run: Run, cc: str, setup: str) -> None:
    times, packets = queue(run.results)
    values = np.sort(packets[(times >= BEGIN_S) & (times <= _end_s(run.results))])
    if values.size:
        style = published_style.control_style(cc, label=f"ours, {_SETUP_NAMES[setup]}", linestyle=_LINES[setup])
        panel.step(values, np.arange(1, values.size + 1) / values.size, where="post", linewidth=1.0, **style)


def draw_over_time(runs: Runs) -> Figure:
    """The queue over time: the first run of each congestion control, done right."""
    figure, (panel,) = published_style.new_figure(width=6.4, height=3.0)
    published_style.set_axes(panel, "time (s)", "queue (packets)", (0, 20), (0, 450))
    for cc in CONTROLS:
        run = runs.first("right", cc=cc)
        if run:
            published_style.draw_series(panel, queue(run.results), **published_style.control_style(cc, linewidth=0.9))
    published_style.add_legend(panel, loc=(0.82, 0.15))
    published_style.add_note(figure, published_style.missing_case_notes(runs))
    return figure


QUEUES = Experiment(
    name="HIFI-DCTCP",
    title="The queue of DCTCP and of Reno",
    source=(
        f"{HIFI}; Alizadeh, Greenberg, Maltz, Padhye, Patel, Prabhakar, Sengupta, Sridharan: Data Center TCP (DCTCP), "
        "SIGCOMM 2010, https://doi.org/10.1145/1851182.1851192"
    ),
    setup="""Two hosts send to a third through a switch; all links have 100 Mbit/s, and the RTT without queue is 0.4 ms.
The port towards the receiver has a queue of 425 packets. Reno fills it. DCTCP stays near the threshold of K = 20
packets above which the port marks packets. Mininet-HiFi showed the distribution of the queue beside that of a hardware
switch. The data of both curves are published, so the figure has all samples.

As published, both ends of each link have the `tc` commands of Mininet's TCLink: htb, netem, and for DCTCP a RED whose
marking begins at 30,000 bytes and is complete at 35,000. The links of the senders have a jitter. Done right, the
bottleneck marks each packet that finds K full frames in the queue, and nothing has a jitter. A run lasts 60 s; the
first 2 s are left out.

**The node in the middle is a router here, instead of the published switch.** Since Linux 4.19 a packet that passes only
bridges still belongs to its sender's socket while it waits in a queue. The socket then holds back further packets, so
TCP never fills the queue. A router forwards the packet without its socket, as a switch outside the sender does.""",
    lesson="""**The bands are derived from models, not from the published data.** Two flows of Reno halve their windows
when the queue is full. The flows add a packet per RTT, and an RTT is as long as the queue, so the distribution is a
parabola from 211 packets (both flows lose) or 318 (one of them does) to 425. For DCTCP, Alizadeh et al. compute a queue
between 17.2 and 22 packets for K = 20 and two flows. A delayed ACK releases two packets at once, which widens the
tails.

**Done right, both flows of Reno lose together**, as on the hardware switch: the curves are equal to a few packets.
As published, the flows sometimes take turns. The bend at the bottom of the curve is the same in Mininet-HiFi's data and
in ours.

**Alpha depends on how marks are spread.** The model has both flows in step: all packets of one window are marked, and
then none for several RTTs. The steady state is then W = 2 / alpha^2, which is an alpha of 0.41. If each window has some
marked packets, it is W = 2 / alpha, or 0.17. Our first band had only the model of synchronized flows, and alpha was
0.22, so the flows do not keep in step.

**RED drops packets that it cannot mark.** With a step at K, each packet without ECN that finds more than K packets is
dropped. In our first runs these were up to three packets per run, a second apart like requests of ARP. The option
`nodrop` of RED accepts them, and is set where the experiment is done right.""",
    cases=queue_cases,
    checks=(
        Check("HIFI-DCTCP.1", _check("dctcp", _=quantile(50))),
        Check("HIFI-DCTCP.2", _check("dctcp", _=quantile(5))),
        Check("HIFI-DCTCP.3", _check("dctcp", _=quantile(95))),
        Check("HIFI-DCTCP.4", _check("reno", _=quantile(50))),
        Check("HIFI-DCTCP.5", _check("reno", _=quantile(5))),
        Check("HIFI-DCTCP.6", _check("reno", _=quantile(95))),
        Check("HIFI-DCTCP.7", queue_ratio),
        Check("HIFI-DCTCP.8", goodputs),
        Check("HIFI-DCTCP.9", _check("dctcp", alpha=alpha, marked_share=marked_share)),
        Check("HIFI-DCTCP.10", _check("dctcp", _=drops)),
    ),
    pictures=(
        Picture("queues", "Distribution of the queue after 2 s, beside the published data", draw_distribution),
        Picture("time", "The queue over time, done right", draw_over_time),
    ),
)
