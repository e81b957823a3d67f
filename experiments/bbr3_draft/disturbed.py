"""BBR3-PATH: BBRv3 on a path that changes, loses or delays, against the example test cases of its draft.

    h1 ──── s2 ──[bottleneck]── r1

Packets are delayed on the way back only, so a fault before the bottleneck meets data and not ACKs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from frrlib.model.topology import Topology
from frrlib.network.network import LinkValues, Network, OnOff, Shape, TcpTuning, Wait, end
from frrlib.plots.flows import plotted_flows
from frrlib.plots.phases import draw_bandwidth
from frrlib.results.series import Series
from frrlib.results.table_reader import Columns
from miniedit_frr.experiments import measures, published_style
from miniedit_frr.experiments.bbr2_tum.lab import BUFFER_BYTES, PINGS, RATE_MBIT, bdp_bytes
from miniedit_frr.experiments.bbr3_draft.states import CONTROL, RTT_MS, STATES, State, color_states, states, successions
from miniedit_frr.experiments.declaration import Case, Check, CheckResult, Experiment, Picture
from miniedit_frr.experiments.runs import Run, Runs
from miniedit_frr.experiments.theory import PAYLOAD_SHARE

_FAST_MBIT = 10 * RATE_MBIT
#: Two BDPs of the faster rate, so that the tenfold rate finds room; one BDP of it for the step down.
_DEEP_BYTES, _SHALLOW_BYTES = 2 * bdp_bytes(_FAST_MBIT, RTT_MS), bdp_bytes(_FAST_MBIT, RTT_MS)
#: The times of the disturbances, in seconds: all in ProbeBW.
_RISES_S, _FALLS_S, _LOSES_S, _LATE_S = 6.0, 4.0, 6.0, 6.3
_ON_S, _OFF_S = 4.0, 7.0
_LOSS_PERCENT = 4.0
#: Data is late for longer than the retransmission timeout, which is at least 200 ms above the RTT.
_LATE_MS, _LATE_FOR_S = 600.0, 1.0
#: Buckets of the policer in full frames: one BDP, and three.
_BUCKETS = (33, 100)
#: The policer is judged without Startup.
_SETTLED_S = 5.0
_HZ = 200.0
_FLOW = "bbr3"
_ACK_SHAPE = Shape(delay_ms=RTT_MS)


def path(
    title: str,
    duration_s: float,
    bottleneck: Shape,
    traffic: OnOff | None = None,
    ack_shape: Shape = _ACK_SHAPE,
) -> Network:
    """The lab with one flow of BBRv3. `ack_shape` is the shape of the ACKs' direction."""
    net = Network(title, wait=Wait(ping_count=PINGS))
    tuning = TcpTuning(pacing=True, buffer_bytes=BUFFER_BYTES)
    net.host("h1", at=(100, 200), tcp=tuning)
    net.router("s2", at=(400, 200))
    net.host("r1", at=(700, 200), tcp=tuning)
    net.link(end("h1", "10.1.0.1/16"), end("s2", "10.1.255.254/16"), id="before", a_to_b=Shape(), b_to_a=ack_shape)
    net.link(end("s2", "10.2.255.254/16"), end("r1", "10.2.0.1/16"), id="bottleneck", a_to_b=bottleneck, b_to_a=Shape())
    fields: dict[str, Any] = {"traffic": traffic} if traffic is not None else {}
    net.flow(_FLOW, "h1", "r1", congestion_control=CONTROL, duration_s=duration_s, **fields)
    return net


def fifo(rate_mbit: float, limit_bytes: float) -> Shape:
    """A bottleneck with a queue of this size."""
    return Shape(rate_mbit=rate_mbit, queue_bytes=round(limit_bytes), burst_frames=1)


def path_case(name: str, topology: Topology, **values: float) -> Case:
    """The case of a path."""
    return Case(name, topology, setup="right", values={"path": name, **values}, sample_hz=_HZ, needs=CONTROL)


def disturbed_cases(quick: bool) -> tuple[Case, ...]:
    """The cases. A quick run has the same ones, since each needs its time."""
    usual = fifo(RATE_MBIT, 2 * bdp_bytes(RATE_MBIT, RTT_MS))
    faster = path("Tenfold rate", 14.0, fifo(RATE_MBIT, _DEEP_BYTES))
    faster.fault(_RISES_S, "link-values", "bottleneck", values=LinkValues(rate_mbit=_FAST_MBIT), towards="r1")
    slower = path("A tenth of the rate", 22.0, fifo(_FAST_MBIT, _SHALLOW_BYTES))
    slower.fault(_FALLS_S, "link-values", "bottleneck", values=LinkValues(rate_mbit=RATE_MBIT), towards="r1")
    pauses = path("Pauses of the application", 28.0, usual, OnOff(on_s=_ON_S, off_s=_OFF_S))
    losing = path("Losses while probing", 14.0, usual)
    losing.fault(_LOSES_S, "loss", "before", loss_percent=_LOSS_PERCENT, duration_s=7.5, towards="s2")
    late = path("Late packets", 12.0, usual)
    late.fault(_LATE_S, "link-values", "before", values=LinkValues(delay_ms=_LATE_MS), towards="s2")
    late.fault(_LATE_S + _LATE_FOR_S, "link-values", "before", values=LinkValues(delay_ms=0.0), towards="s2")
    policers = [
        path_case(
            f"policer-{bucket}",
            path("Policer", 20.0, Shape(rate_mbit=RATE_MBIT, queue_packets=1, burst_frames=bucket)).topology,
            bucket=bucket,
        )
        for bucket in _BUCKETS
    ]
    named = {"faster": faster, "slower": slower, "pauses": pauses, "losing": losing, "late": late}
    return (*(path_case(name, net.topology) for name, net in named.items()), *policers)


# --- measures --------------------------------------------------------------------------------------------------------


def column(run: Run, name: str) -> Series:
    """A column of the sender's samples over time."""
    return measures.sender_series(run.results, _FLOW, name)


def case_check(name: str, measure: Callable[[Run], dict[str, float]]) -> Callable[[Runs], CheckResult]:
    """The check of numbers from the run of a case."""

    def check(runs: Runs) -> CheckResult:
        run = runs.first("right", path=name)
        return (measure(run) or None) if run else None

    return check


def _of_policers(measure: Callable[[Run], float]) -> Callable[[Runs], CheckResult]:
    """The check of a number from the run of each policer."""

    def check(runs: Runs) -> CheckResult:
        found = {bucket: runs.first("right", path=f"policer-{bucket}") for bucket in _BUCKETS}
        numbers = {f"{bucket} frames": measure(run) for bucket, run in found.items() if run}
        return numbers if len(numbers) == len(_BUCKETS) else None

    return check


def first_time(values: Series, after_s: float, is_reached: Callable[[float], bool]) -> float:
    """The time from `after_s` to the first value that is reached; infinite if there is none."""
    pairs = zip(*values, strict=True)
    return next((float(at) - after_s for at, value in pairs if at >= after_s and is_reached(value)), math.inf)


def rise_s(run: Run) -> dict[str, float]:
    """The time from the rise of the rate until the estimate is within 2 % of it."""
    least_mbit = 0.98 * _FAST_MBIT * PAYLOAD_SHARE
    return {"rise": first_time(column(run, "bbr_bandwidth_mbit"), _RISES_S, lambda value: value >= least_mbit)}


def rise_rounds(run: Run) -> dict[str, float]:
    """The duration of the first probe after the rise, in RTTs without queue."""
    probe = next((state for state in states(run) if state.name == "up" and state.start_s > _RISES_S), None)
    return {"UP": (probe.end_s - probe.start_s) / (RTT_MS / 1e3)} if probe else {}


def fall_s(run: Run) -> dict[str, float]:
    """The time from the fall of the rate until the estimate, which the short-term bound limits, is at most half."""
    half = _FAST_MBIT * PAYLOAD_SHARE / 2
    return {"fall": first_time(column(run, "bbr_bandwidth_mbit"), _FALLS_S, lambda value: value <= half)}


def fall_probes(run: Run) -> dict[str, float]:
    """The number of probes from the fall of the rate until the estimate stays within 2 % of the new rate."""
    most = 1.02 * RATE_MBIT * PAYLOAD_SHARE
    times_s, estimates = column(run, "bbr_bandwidth_mbit")
    too_high = [float(at) for at in times_s[estimates > most]]
    if not too_high or too_high[-1] >= float(times_s[-1]):
        return {"probes": math.inf}
    return {
        "probes": float(sum(_FALLS_S < state.start_s < too_high[-1] for state in states(run) if state.name == "up"))
    }


def probe_rtts_after_pauses(run: Run) -> dict[str, float]:
    """The number of ProbeRTT within a second after each pause."""
    begins = [number * (_ON_S + _OFF_S) for number in (1, 2)]
    return {
        f"pause {number}": float(
            sum(state.name == "probe_rtt" and begin <= state.start_s <= begin + 1 for state in states(run))
        )
        for number, begin in enumerate(begins, 1)
    }


def _lossy_probes(run: Run) -> list[tuple[State, State]]:
    return [pair for pair in successions(states(run), "up") if _LOSES_S < pair[0].start_s < _LOSES_S + 7]


def lossy_probe_rounds(run: Run) -> dict[str, float]:
    """The duration of each probe while packets are lost, in RTTs without queue; DOWN must follow."""
    return {
        f"UP {number}": (state.end_s - state.start_s) / (RTT_MS / 1e3) if after.name == "down" else math.inf
        for number, (state, after) in enumerate(_lossy_probes(run), 1)
    }


def least_longterm_ratio(run: Run) -> dict[str, float]:
    """The least ratio of two successive long-term bounds of the volume in flight."""
    _, values = column(run, "bbr_inflight_longterm_packets")
    bounds = [float(value) for value in values[np.isfinite(values)]]
    ratios = [after / before for before, after in pairwise(bounds) if after != before]
    return {"least ratio": min(ratios)} if ratios else {}


def returns_s(run: Run) -> dict[str, float]:
    """The time from the end of the probe that the timeout ended to the next probe."""
    probes = [state for state in states(run) if state.name == "up" and state.start_s > _LATE_S]
    return {"UP again": probes[1].start_s - probes[0].end_s} if len(probes) > 1 else {}


def estimate_after_timeout(run: Run) -> dict[str, float]:
    """The estimate of the bandwidth one second after the late packets arrived, relative to the one before."""
    before, after = np.interp((_LATE_S, _LATE_S + _LATE_FOR_S + 1), *column(run, "bbr_bandwidth_mbit"))
    return {"after / before": float(after / before)}


def policer_loss_percent(run: Run) -> float:
    """Retransmitted bytes as a share of all bytes sent, without Startup."""
    (times_s, sent), (_, repeated) = (column(run, name) for name in ("bytes_sent", "bytes_retrans"))
    begin = int(np.searchsorted(times_s, _SETTLED_S))
    return float(100 * (repeated[-1] - repeated[begin]) / (sent[-1] - sent[begin]))


def policer_share(run: Run) -> float:
    """Goodput without Startup, as a share of the payload that the policer's rate carries."""
    times_s, acked = column(run, "bytes_acked")
    begin = int(np.searchsorted(times_s, _SETTLED_S))
    mbit = 8e-6 * float((acked[-1] - acked[begin]) / (times_s[-1] - times_s[begin]))
    return mbit / (RATE_MBIT * PAYLOAD_SHARE)


def policer_bounds(run: Run) -> float:
    """1 if a short-term bound of the volume in flight was set, else 0."""
    _, bounds = column(run, "bbr_inflight_shortterm_packets")
    return float(np.isfinite(bounds).any())


def draw_estimates(runs: Runs) -> Figure:
    """The estimated bandwidth over time when the rate rises and when it falls, in the colors of the states."""
    figure, panels = published_style.new_figure(2, width=6.4, height=4.6)
    rows_of: dict[Axes, Columns] = {}
    for panel, name, change_s in zip(panels, ("faster", "slower"), (_RISES_S, _FALLS_S), strict=True):
        run = runs.first("right", path=name)
        flow = next(iter(plotted_flows(run.results)), None) if run else None
        if flow:
            draw_bandwidth(panel, flow)
            rows_of[panel] = flow.samples.sender
        published_style.set_axes(panel, "time (s)", "payload (Mbit/s)", (0, 22), (0, 110), f"The rate is {name}")
        panel.axvline(change_s, color="black", linestyle=":", linewidth=1)
        published_style.add_legend(panel, loc="upper right")
    if rows_of:
        color_states(figure, rows_of)
    published_style.add_note(figure, ["Dotted: the rate changes.", *published_style.missing_case_notes(runs)])
    return figure


DISTURBED = Experiment(
    name="BBR3-PATH",
    title="BBRv3 on paths that change, lose and delay",
    source=STATES.source,
    setup="""Seven runs of one flow with an RTT of 40 ms: the rate of the bottleneck becomes ten times as high, or a
tenth; the application pauses for longer than the interval of ProbeRTT; 4 % of the packets are lost while the flow
probes; data is late for longer than the retransmission timeout; and two policers drop what exceeds a bucket of one or
three BDPs.""",
    lesson="""The draft states what must happen, and rarely how fast. Bands follow from its constants where it gives
none, as each statement says. `BBR3-TURN` has seven further cases of its list. In BBR3.18 the timeout comes in CRUISE,
and the probe that it ends begins only afterwards; `BBR3-TURN` has the timeout in UP.""",
    cases=disturbed_cases,
    checks=(
        Check("BBR3.10", case_check("pauses", probe_rtts_after_pauses), CONTROL),
        Check("BBR3.11", case_check("faster", rise_s), CONTROL),
        Check("BBR3.12", case_check("faster", rise_rounds), CONTROL),
        Check("BBR3.13", case_check("slower", fall_s), CONTROL),
        Check("BBR3.14", case_check("slower", fall_probes), CONTROL),
        Check("BBR3.15", _of_policers(policer_loss_percent), CONTROL),
        Check("BBR3.16", _of_policers(policer_share), CONTROL),
        Check("BBR3.17", _of_policers(policer_bounds), CONTROL),
        Check("BBR3.18", case_check("late", returns_s), CONTROL),
        Check("BBR3.19", case_check("late", estimate_after_timeout), CONTROL),
        Check("BBR3.20", case_check("losing", lossy_probe_rounds), CONTROL),
        Check("BBR3.21", case_check("losing", least_longterm_ratio), CONTROL),
    ),
    pictures=(Picture("estimates", "Estimated bandwidth when the rate rises and falls", draw_estimates),),
)
