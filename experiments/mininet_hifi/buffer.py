"""HIFI-BUFFER: the smallest queue with which n long flows of Reno fill a link of 62.5 Mbit/s."""

from __future__ import annotations

import math
from collections.abc import Callable

from matplotlib.figure import Figure

from frrlib.model.topology import Topology
from frrlib.network.network import Network, Shape, TcpTuning, Wait, end
from frrlib.results.records import Results
from miniedit_frr.experiments import measures, published_style
from miniedit_frr.experiments.declaration import Case, Check, CheckResult, Experiment, Picture
from miniedit_frr.experiments.expectations import published_rows
from miniedit_frr.experiments.mininet_hifi.lab import BUFFER_BYTES, FRAME_BYTES, HIFI, QUEUE
from miniedit_frr.experiments.runs import Run, Runs

RATE_MBIT, RTT_MS = 62.5, 87.0
BDP_PACKETS = RATE_MBIT * 1e6 * RTT_MS * 1e-3 / 8 / FRAME_BYTES
#: The share of the link's rate that a sufficient queue reaches, as in Mininet-HiFi.
TARGET = 0.98
#: For each number of flows, the divisors of the BDP that give its queues; the square root of n is the rule.
LADDERS = {2: (16, 8, 4, 2), 8: (64, 32, 16, 8, 4, 2), 32: (64, 32, 16, 8, 4), 128: (64, 32, 16, 8)}
FAR_SMALLER = 16
_QUICK_FLOWS = (2, 32)
_SENDERS, _RTT_SPREAD_MS, _STARTS_S = 8, 40.0, 5.0
#: The time in which rates are measured; before it, the windows grow to their shares.
BEGIN_S, LASTS_S, _QUICK_BEGIN_S, _QUICK_LASTS_S = 20.0, 60.0, 10.0, 25.0
_TABLE = "hifi_buffer_queue.csv"


def rule_packets(flows: int) -> int:
    """The queue of Appenzeller's rule, the BDP over the square root of the number of flows, in packets."""
    return round(BDP_PACKETS / math.sqrt(flows))


def queue_packets(divisor: float) -> int:
    """A queue of the ladder: the BDP over a divisor, in packets."""
    return round(BDP_PACKETS / divisor)


def buffer_cases(quick: bool) -> tuple[Case, ...]:
    """Each number of flows with each queue of its ladder, and with that of the rule."""
    cases = []
    for flows, divisors in LADDERS.items():
        if quick and flows not in _QUICK_FLOWS:
            continue
        queues = {queue_packets(divisor) for divisor in ((FAR_SMALLER,) if quick else divisors)}
        for packets in sorted(queues | {rule_packets(flows)}):
            case = Case(
                f"flows-{flows}-queue-{packets}",
                dumbbell(flows, packets, _QUICK_LASTS_S if quick else LASTS_S),
                setup="right",
                values={"flows": flows, "queue_packets": packets},
                sample_hz=10.0,
            )
            cases.append(case)
    return tuple(cases)


def dumbbell(flows: int, packets: int, end_s: float) -> Topology:
    """The lab: senders with different RTTs, a router, and a receiver behind the bottleneck.

    Args:
        flows: the number of flows, which the senders share equally; they start one by one within 5 s.
        packets: the limit of the bottleneck's queue.
        end_s: the time until which all flows send, in whole seconds.
    """
    net = Network(f"{flows} flows with a queue of {packets} packets", wait=Wait(ping_count=3))
    net.router("s1", at=(320, 200))
    tuning = TcpTuning(buffer_bytes=BUFFER_BYTES)
    net.host("h1", at=(540, 200), tcp=tuning)
    net.link(
        end("s1", "10.0.1.254/24"), end("h1", "10.0.1.1/24"), id="bottleneck",
        a_to_b=Shape(rate_mbit=RATE_MBIT, queue_packets=packets), b_to_a=Shape(),
    )  # fmt: skip
    senders = min(flows, _SENDERS)
    for index in range(senders):
        name = f"h{index + 2}"
        delay_ms = (RTT_MS + _RTT_SPREAD_MS * ((index + 0.5) / senders - 0.5)) / 2
        net.host(name, at=(100, 200 + 80 * (index + 0.5 - senders / 2)), tcp=tuning)
        net.link(
            end(name, f"10.0.{index + 2}.1/24"), end("s1", f"10.0.{index + 2}.254/24"), id=f"in{index + 2}",
            a_to_b=Shape(delay_ms=delay_ms), b_to_a=Shape(delay_ms=delay_ms),
        )  # fmt: skip
    for number in range(flows):
        start_s = round(_STARTS_S * number / flows, 3)
        net.flow(
            f"reno-{number + 1}", f"h{number % senders + 2}", "h1", congestion_control="reno",
            start_s=start_s, duration_s=end_s - math.floor(start_s),
        )  # fmt: skip
    return net.topology


# --- the models from which the bands are derived ----------------------------------------------------------------------


def normal_utilization(flows: int, queue_bdp: float) -> float:
    """The lower bound of the utilization by independent flows (Appenzeller et al., section 3), from 0 to 1.

    Each window is uniform between 2/3 and 4/3 of its mean, so the sum of many is normal.

    Args:
        flows: the number of flows.
        queue_bdp: the queue in units of the bandwidth-delay product.
    """
    return math.erf(3 * math.sqrt(3) / (2 * math.sqrt(2)) * queue_bdp * math.sqrt(flows) / (1 + queue_bdp))


def saw_utilization(kept: float, queue_bdp: float) -> float:
    """The utilization by windows whose sum grows linearly per RTT, and is cut whenever the queue is full, from 0 to 1.

    Args:
        kept: the share of the sum that is left after a loss: 1/2 if all flows lose, 3/4 if one of two flows does.
        queue_bdp: the queue in units of the bandwidth-delay product.
    """
    greatest = 1 + queue_bdp
    least = kept * greatest
    if least >= 1:
        return 1.0
    # in units of the BDP; a round lasts an RTT, which is longer by the queue once the window exceeds the BDP
    delivered = (greatest**2 - least**2) / 2
    return delivered / ((1 - least) + queue_bdp + queue_bdp**2 / 2)


def least_queue_bdp(utilization: Callable[[float], float]) -> float:
    """The smallest queue, up to one BDP, in units of the BDP, with which a rising model reaches 98 %."""
    low, high = 0.0, 1.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if utilization(middle) < TARGET else (low, middle)
    return low


def bound_packets(flows: int) -> float:
    """The queue that certainly suffices: that of synchronized flows for two, of independent ones for more."""
    if flows == 2:
        return BDP_PACKETS * least_queue_bdp(lambda queue: saw_utilization(0.5, queue))
    return BDP_PACKETS * least_queue_bdp(lambda queue: normal_utilization(flows, queue))


# --- numbers from runs ------------------------------------------------------------------------------------------------


def utilization(results: Results) -> float | None:
    """The share of the link's rate that the bottleneck sends, in whole frames, after the start."""
    end_s = min(flow.start_s + flow.duration_s for flow in results.info.flows)
    begin_s = BEGIN_S if end_s > _QUICK_LASTS_S else _QUICK_BEGIN_S
    sent = measures.growth(measures.queue_series(results, "sent_bytes", QUEUE), begin_s, end_s)
    return None if sent is None else sent * 8e-6 / (end_s - begin_s) / RATE_MBIT


def points(runs: Runs, flows: int) -> list[tuple[float, float]]:
    """The utilization with each queue, by the queue in packets."""
    utilizations: list[tuple[float, float]] = []
    for run in runs.select(flows=flows):
        share = utilization(run.results)
        if share is not None:
            utilizations.append((_queue_of(run), share))
    return sorted(utilizations)


def _queue_of(run: Run) -> float:
    return float(run.values["queue_packets"])


def smallest_queue(measured: list[tuple[float, float]]) -> float | None:
    """The smallest queue from which all larger ones reach 98 %, in packets.

    It is interpolated over the logarithm of the queue. If all queues reach the target, it is the smallest of them; if
    the largest does not, it is None.
    """
    if not measured or measured[-1][1] < TARGET:
        return None
    for (low, below), (high, above) in zip(measured[-2::-1], measured[:0:-1], strict=True):
        if below < TARGET:
            return float(low * (high / low) ** ((TARGET - below) / (above - below)))
    return measured[0][0]


def _with_queue(flows: int, packets: int) -> Callable[[Runs], CheckResult]:
    def measure(runs: Runs) -> CheckResult:
        share = dict(points(runs, flows)).get(packets)
        return None if share is None else {f"queue {packets}": share}

    return measure


def rises(runs: Runs) -> CheckResult:
    """Whether the utilization with a queue of 1/16 BDP rises with the number of flows."""
    shares = [dict(points(runs, flows)).get(queue_packets(FAR_SMALLER)) for flows in (2, 8, 32)]
    present = [share for share in shares if share is not None]
    return {"2, 8, 32 flows": float(present == sorted(set(present)))} if len(present) == len(shares) else None


def smallest_queues(runs: Runs) -> dict[int, float]:
    """The smallest sufficient queue in packets by the number of flows."""
    if runs.is_quick:
        return {}
    queues = {flows: smallest_queue(points(runs, flows)) for flows in LADDERS}
    return {flows: packets for flows, packets in queues.items() if packets is not None}


def over_bounds(runs: Runs) -> CheckResult:
    """The smallest sufficient queue over the bound of the models.

    If no queue of the ladder suffices, the largest is used. It is larger than the bound.
    """
    queues = smallest_queues(runs)
    measured = {flows: points(runs, flows) for flows in LADDERS}
    if runs.is_quick or not all(measured.values()):
        return None
    return {f"{flows} flows": queues.get(flows, measured[flows][-1][0]) / bound_packets(flows) for flows in LADDERS}


def falls(runs: Runs) -> CheckResult:
    """Whether the smallest sufficient queue falls with each step of the number of flows."""
    queues = list(smallest_queues(runs).values())
    return {"2, 8, 32, 128 flows": float(queues == sorted(set(queues), reverse=True))} if len(queues) == 4 else None


def smallest_of_two(runs: Runs) -> CheckResult:
    """The smallest sufficient queue of two flows, in packets."""
    packets = smallest_queues(runs).get(2)
    return None if packets is None else {"2 flows": packets}


# --- figures ----------------------------------------------------------------------------------------------------------


def draw_queues(runs: Runs) -> Figure:
    """The smallest sufficient queue over the number of flows, beside the published data and the rule."""
    figure, (panel,) = published_style.new_figure(width=6.0, height=3.8)
    for place, marker, label in (("emulated", "D", "Mininet-HiFi"), ("hardware", "s", "hardware")):
        rows = [row for row in published_rows(_TABLE) if row["place"] == place]
        flows, middle, low, high = (
            [float(row[column]) for row in rows]
            for column in ("flows", "median_packets", "least_packets", "greatest_packets")
        )
        spread = [[m - v for m, v in zip(middle, low, strict=True)], [v - m for m, v in zip(middle, high, strict=True)]]
        style = {**published_style.PUBLISHED_POINTS, "marker": marker}
        panel.errorbar(flows, middle, yerr=spread, elinewidth=0.7, capsize=2, label=f"{label} (BIC)", **style)
    counts = [2.0, 800.0]
    rule = [BDP_PACKETS / math.sqrt(count) for count in counts]
    panel.plot(counts, rule, label=r"BDP / $\sqrt{n}$", **published_style.PUBLISHED_LINE)
    queues = smallest_queues(runs)
    style = published_style.control_style("reno", label="ours (Reno)", marker="o", linewidth=1.0)
    panel.plot(list(queues), list(queues.values()), **style)
    panel.set_xscale("log")
    panel.set_yscale("log")
    published_style.set_axes(panel, "flows", "smallest sufficient queue (packets)", (1.5, 1000), (1, 500))
    published_style.add_legend(panel, loc="lower left", fontsize=7)
    published_style.add_note(figure, published_style.missing_case_notes(runs))
    return figure


def draw_utilization(runs: Runs) -> Figure:
    """The utilization over the queue for each number of flows; the queue of the rule is marked."""
    figure, (panel,) = published_style.new_figure(width=6.0, height=3.6)
    for index, flows in enumerate(LADDERS):
        measured = points(runs, flows)
        if not measured:
            continue
        queues, shares = zip(*measured, strict=True)
        panel.plot(queues, shares, color=f"C{index}", marker="o", markersize=3, linewidth=1.0, label=f"{flows} flows")
        rule = [point for point in measured if point[0] == rule_packets(flows)]
        panel.plot(*zip(*rule, strict=True), color=f"C{index}", marker="o", markersize=8, fillstyle="none")
    panel.axhline(TARGET, **published_style.PUBLISHED_LINE)
    panel.set_xscale("log")
    published_style.set_axes(
        panel, "queue (packets); a ring is BDP / $\\sqrt{n}$", "utilization", (6, 500), (0.4, 1.02)
    )
    published_style.add_legend(panel, loc="lower right")
    published_style.add_note(figure, published_style.missing_case_notes(runs))
    return figure


BUFFER = Experiment(
    name="HIFI-BUFFER",
    title="The smallest buffer that keeps a link busy",
    source=(
        f"{HIFI}; Appenzeller, Keslassy, McKeown: Sizing Router Buffers, SIGCOMM 2004, "
        "https://doi.org/10.1145/1015467.1015499"
    ),
    setup="""Long flows share a link of 62.5 Mbit/s with an RTT of 87 ms. Appenzeller et al. claim that a queue of
BDP / sqrt(n) is enough for n flows, if they do not synchronize. Mininet-HiFi searched the smallest queue with which the
rate is 98 % of that with a queue of one BDP, for up to 800 flows, and repeated a measurement on a hardware router. The
data of both are published.

The published flows used BIC, had the same RTT, and began together. Here the experiment is done right only: Reno, for
which the rule was derived; eight senders with RTTs from 69.5 to 104.5 ms (77 and 97 ms for two flows); starts spread
over 5 s. The published search changes the queue while the flows run. Here each queue has a run of its own of 60 s, of
which the first 20 s are left out. The reference is the rate of the link. The BDP is 449 frames of 1514 bytes.""",
    lesson="""**The bands are derived from models, not from the published data, and were written before the
first run.** With the queue of the rule, 2, 8, 32 and 128 flows reach 99.6, 98.5, 98.6 and 100.0 % of the rate.
The smallest queue for 98 % is
260, 151, 66 and 15 packets. It falls faster than 1 / sqrt(n) at the end.

**The published data do not follow the rule cleanly.** Mininet-HiFi's median is 15 packets with 20 flows and 45 with
100. Few flows need far smaller queues there than here. BIC keeps 0.8 of a window after a loss and Reno half, and the
search measures each queue for 3 s only, which is shorter than a tooth of few flows' saw.

**One statement fails: with 28 packets, 8 flows use less of the link than 2** (71 % and 83 %). The model has losses only
when the sum of the windows is the BDP and the queue, 477 packets. At five times from 20 to 59 s the sum of the 8
windows was 271 to 337. The queue dropped packets while the link was not full, in each 10 s alike. Probably packets
arrive in bursts, which a queue of 28 packets cannot hold. The senders have fast links and do
not pace. We did not repeat it with pacing.

**Each case ran once.** The numbers between the steps of the queue are interpolated.""",
    cases=buffer_cases,
    checks=(
        *(
            Check(f"HIFI-BUFFER.{number}", _with_queue(flows, rule_packets(flows)))
            for number, flows in enumerate(LADDERS, 1)
        ),
        Check("HIFI-BUFFER.5", _with_queue(2, queue_packets(FAR_SMALLER))),
        Check("HIFI-BUFFER.6", rises),
        Check("HIFI-BUFFER.7", over_bounds),
        Check("HIFI-BUFFER.8", falls),
        Check("HIFI-BUFFER.9", smallest_of_two),
    ),
    pictures=(
        Picture("flows", "The smallest queue for 98 % of the rate, beside the published data", draw_queues),
        Picture("utilization", "The utilization with each queue", draw_utilization),
    ),
)
