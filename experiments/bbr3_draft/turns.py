"""BBR3-TURN: BBRv3 when the path changes at a transition, reorders or aggregates, and on a path below one packet.

The lab is that of BBR3-PATH. Times of changes are those of transitions with seed 1; each change may come earlier by
several round trips.
"""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure

from frrlib.network.network import LinkValues, Network, OnOff, Shape
from frrlib.plots.flows import plotted_flows
from frrlib.plots.phases import draw_in_flight
from miniedit_frr.experiments import published_style
from miniedit_frr.experiments.bbr2_tum.lab import RATE_MBIT, bdp_bytes
from miniedit_frr.experiments.bbr3_draft.disturbed import case_check, column, fifo, path, path_case
from miniedit_frr.experiments.bbr3_draft.states import (
    CONTROL,
    RTT_MS,
    STATES,
    State,
    color_states,
    states,
    successions,
)
from miniedit_frr.experiments.declaration import Case, Check, Experiment, Picture
from miniedit_frr.experiments.runs import Run, Runs
from miniedit_frr.experiments.theory import PAYLOAD_SHARE

#: Drain begins at 0.47 s, the first DOWN after ProbeRTT at 6.97 s, the first UP at 2.24 s and the first REFILL at
#: 2.19 s.
_DRAIN_S, _DOWN_S, _UP_S, _REFILL_S = 0.47, 6.97, 2.24, 2.19
#: The rate after the change: less by 10 %, as the draft says, and less by 60 %.
_LESS_MBIT, _MUCH_LESS_MBIT = 0.9 * RATE_MBIT, 0.4 * RATE_MBIT
#: For this time packets are late by as much, so later ones overtake them; and late enough for the timeout.
_SHORT_MS, _SHORT_S, _LATE_MS, _LATE_S = 25.0, 0.03, 600.0, 1.0
#: ACKs leave every 20 ms only, which is half an RTT.
_SLOT_MS = 20.0
_SLOW_MBIT, _SLOW_LASTS_S = 0.1, 60.0
#: The application stops while 128 kB wait in its socket, which are sent in 0.107 s. It stops so early that nothing
#: remains when REFILL begins.
_PAUSE_AFTER_S, _PAUSE_S = _REFILL_S - 0.1, 0.25
#: Goodput on the aggregating path is judged between Startup and the first ProbeRTT.
_FROM_S, _TO_S = 2.0, 4.9
_RTT_S = RTT_MS / 1e3
#: A flow returns to its probe within this time; samples per second.
_RETURNS_S, _HZ = 0.5, 200.0


def _changing(title: str, duration_s: float, time_s: float, rate_mbit: float) -> Network:
    """The path whose rate falls, with a queue of four BDPs, which loses nothing."""
    net = path(title, duration_s, fifo(RATE_MBIT, 4 * bdp_bytes(RATE_MBIT, RTT_MS)))
    net.fault(time_s, "link-values", "bottleneck", values=LinkValues(rate_mbit=rate_mbit), towards="r1")
    return net


def _delayed(title: str, delay_ms: float, delay_for_s: float) -> Network:
    """The path that delays the data of an UP."""
    net = path(title, 6.0, fifo(RATE_MBIT, 4 * bdp_bytes(RATE_MBIT, RTT_MS)))
    net.fault(_UP_S, "link-values", "before", values=LinkValues(delay_ms=delay_ms), towards="s2")
    net.fault(_UP_S + delay_for_s, "link-values", "before", values=LinkValues(delay_ms=0.0), towards="s2")
    return net


def turning_cases(quick: bool) -> tuple[Case, ...]:
    """The cases. A quick run has the same ones, since each needs its time."""
    deep = fifo(RATE_MBIT, 4 * bdp_bytes(RATE_MBIT, RTT_MS))
    slots = Shape(qdiscs=(f"root handle 1: netem delay {RTT_MS:g}ms slot {_SLOT_MS:g}ms {_SLOT_MS:g}ms limit 10000",))
    # The rate of netem passes no burst, while a token bucket passes one frame at line rate.
    slow = Shape(qdiscs=(f"root handle 1: netem rate {1e3 * _SLOW_MBIT:g}kbit limit 100",))
    named = {
        "drain-10": _changing("A tenth less in Drain", 4.0, _DRAIN_S, _LESS_MBIT),
        "drain-60": _changing("Much less in Drain", 4.0, _DRAIN_S, _MUCH_LESS_MBIT),
        "down": _changing("A tenth less in DOWN", 12.0, _DOWN_S, _LESS_MBIT),
        "reorder": _delayed("Reordering in UP", _SHORT_MS, _SHORT_S),
        "late-up": _delayed("Late packets in UP", _LATE_MS, _LATE_S),
        "aggregation": path("ACKs in bursts", 12.0, deep, ack_shape=slots),
        "small": path("Less than a packet", _SLOW_LASTS_S, slow),
        "pause": path("Pause in REFILL", 4.0, deep, OnOff(on_s=_PAUSE_AFTER_S, off_s=_PAUSE_S)),
    }
    return tuple(path_case(name, net.topology) for name, net in named.items())


# --- measures --------------------------------------------------------------------------------------------------------


def _drain(run: Run) -> tuple[State, State] | None:
    return next(iter(successions(states(run), "drain")), None)


def drained_packets(run: Run) -> dict[str, float]:
    """The volume in flight at the first sample after Drain."""
    pair = _drain(run)
    return {"in flight": pair[1].in_flight_packets} if pair else {}


def drain_s(run: Run) -> dict[str, float]:
    """The duration of Drain."""
    pair = _drain(run)
    return {"Drain": pair[0].end_s - pair[0].start_s} if pair else {}


def _down(run: Run) -> tuple[State, State] | None:
    """The DOWN in which the rate falls, or the first one after that."""
    return next((pair for pair in successions(states(run), "down") if pair[0].end_s > _DOWN_S), None)


def refill_after_down(run: Run) -> dict[str, float]:
    """1 if REFILL follows the DOWN in which the rate falls, else 0."""
    pair = _down(run)
    return {"DOWN": float(pair[1].name == "refill")} if pair else {}


def down_s(run: Run) -> dict[str, float]:
    """The duration of the DOWN in which the rate falls."""
    pair = _down(run)
    return {"DOWN": pair[0].end_s - pair[0].start_s} if pair else {}


def _probes(run: Run) -> list[tuple[State, State]]:
    """The probes that end after the data is delayed, each with the next state."""
    return [pair for pair in successions(states(run), "up") if pair[0].end_s > _UP_S]


def ended_probe_rounds(run: Run) -> dict[str, float]:
    """The time from the end of the delay to DOWN, in RTTs; infinite if another state follows UP."""
    ends = [state.end_s if after.name == "down" else math.inf for state, after in _probes(run)]
    return {"end to DOWN": (ends[0] - _UP_S - _SHORT_S) / _RTT_S} if ends else {}


def returns_s(run: Run) -> dict[str, float]:
    """The time from the end of the delayed probe to the start of the next one; infinite without one."""
    probes = [state for state, _ in _probes(run)]
    starts = [*(state.start_s for state in probes[1:]), math.inf]
    return {"UP again": starts[0] - probes[0].end_s} if probes else {}


def bounds_are_gone(run: Run) -> dict[str, float]:
    """For both bounds: 1 if it is absent 0.5 s after the delayed probe, as before the losses, else 0."""
    probes, numbers = _probes(run), {}
    for name in ("inflight_longterm", "inflight_shortterm") if probes else ():
        times_s, values = column(run, f"bbr_{name}_packets")
        known = times_s[np.isfinite(values)]
        numbers[name] = float(not np.any(np.abs(known - probes[0][0].end_s - _RETURNS_S) < 1 / _HZ))
    return numbers


def _windows(run: Run, name: str) -> list[float]:
    """For each visit to a state, the largest window above two BDPs of the estimates, in packets."""
    times_s, windows = column(run, "cwnd_packets")
    excesses = []
    for state in states(run):
        if state.name == name:
            inside = (times_s >= state.start_s) & (times_s < state.end_s)
            mbit, rtt_ms = (
                np.interp(times_s[inside], *column(run, known)) for known in ("bbr_bandwidth_mbit", "bbr_min_rtt_ms")
            )
            excesses.append(float(np.max(windows[inside] - 2 * mbit * rtt_ms * 125 / 1448)))
    return excesses


def drain_window(run: Run) -> dict[str, float]:
    """The largest window of Drain, which is that of Startup, above two BDPs, in packets."""
    windows = _windows(run, "drain")
    return {"Startup": windows[0]} if windows else {}


def cruise_window(run: Run) -> dict[str, float]:
    """The largest window of each CRUISE above two BDPs, in packets."""
    return {f"CRUISE {number}": window for number, window in enumerate(_windows(run, "cruise"), 1)}


def startup_share(run: Run) -> dict[str, float]:
    """The estimated bandwidth at the end of Startup, as a share of what the link carries."""
    pairs = successions(states(run), "startup")
    return {"estimate": pairs[0][1].bandwidth_mbit / (RATE_MBIT * PAYLOAD_SHARE)} if pairs else {}


def _goodput_share(run: Run, from_s: float, to_s: float, rate_mbit: float) -> float:
    acked = np.interp((from_s, to_s), *column(run, "bytes_acked"))
    return float(8e-6 * (acked[1] - acked[0]) / (to_s - from_s) / (rate_mbit * PAYLOAD_SHARE))


def aggregated_share(run: Run) -> dict[str, float]:
    """Goodput between Startup and ProbeRTT, as a share of what the link carries."""
    return {"goodput": _goodput_share(run, _FROM_S, _TO_S, RATE_MBIT)}


def least_window(run: Run) -> dict[str, float]:
    """The least window in ProbeBW, in packets."""
    times_s, windows = column(run, "cwnd_packets")
    spans = [state for state in states(run) if state.name in ("down", "cruise", "refill", "up")]
    values = [windows[(times_s >= state.start_s) & (times_s < state.end_s)].min() for state in spans]
    return {"window": float(min(values))} if values else {}


def cruise_pacing(run: Run) -> dict[str, float]:
    """The pacing rate in the middle of each CRUISE, as a share of what the slow link carries."""
    pacing = column(run, "pacing_rate_mbit")
    visits = [state for state in states(run) if state.name == "cruise"]
    rates = [float(np.interp((state.start_s + state.end_s) / 2, *pacing)) for state in visits]
    return {f"CRUISE {number}": rate / (_SLOW_MBIT * PAYLOAD_SHARE) for number, rate in enumerate(rates, 1)}


def slow_share(run: Run) -> dict[str, float]:
    """Goodput of the slow link after Startup, as a share of what it carries."""
    return {"goodput": _goodput_share(run, 10.0, _SLOW_LASTS_S - 1, _SLOW_MBIT)}


def _first_refill(run: Run) -> tuple[State, State] | None:
    return next(iter(successions(states(run), "refill")), None)


def in_flight_after_refill(run: Run) -> dict[str, float]:
    """The volume in flight at the end of the first REFILL."""
    pair = _first_refill(run)
    return {"in flight": pair[1].in_flight_packets} if pair else {}


def up_after_refill(run: Run) -> dict[str, float]:
    """1 if UP follows the first REFILL, else 0."""
    pair = _first_refill(run)
    return {"REFILL": float(pair[1].name == "up")} if pair else {}


def estimate_after_refill(run: Run) -> dict[str, float]:
    """The estimated bandwidth at the end of the first REFILL and of the probe after it, relative to that before."""
    pair = _first_refill(run)
    after_up = next((after for _, after in successions(states(run), "up")), None)
    if pair is None or after_up is None:
        return {}
    before = pair[0].bandwidth_mbit
    return {"after REFILL": pair[1].bandwidth_mbit / before, "after UP": after_up.bandwidth_mbit / before}


def draw_turns(runs: Runs) -> Figure:
    """The volume in flight when the rate falls in Drain and in DOWN, in the colors of the states."""
    figure, panels = published_style.new_figure(2, width=6.4, height=4.6, share_x=False)
    rows_of = {}
    spans = {"drain-60": (0, 4, "60 % less in Drain"), "down": (4, 12, "10 % less in DOWN")}
    for panel, (name, (from_s, to_s, title)) in zip(panels, spans.items(), strict=True):
        run = runs.first("right", path=name)
        flow = next(iter(plotted_flows(run.results)), None) if run else None
        if flow:
            draw_in_flight(panel, flow)
            rows_of[panel] = flow.samples.sender
        published_style.set_axes(panel, "time (s)", "packets", (from_s, to_s), (0, 120), title)
        published_style.add_legend(panel, loc="upper right", ncols=3)
    if rows_of:
        color_states(figure, rows_of)
    published_style.add_note(figure, published_style.missing_case_notes(runs))
    return figure


TURNS = Experiment(
    name="BBR3-TURN",
    title="BBRv3 on paths that change at a transition, reorder and aggregate",
    source=STATES.source,
    setup="""Eight runs of one flow on the path of `BBR3-PATH`: the rate falls in Drain, by 10 % and by 60 %, and in
DOWN, by 10 %; data of a probe is late by 25 ms, so later packets overtake it, and by 600 ms, which is longer than the
retransmission timeout; ACKs leave in bursts every 20 ms; the path has 0.1 Mbit/s and so a third of a packet as its BDP;
and the application pauses when REFILL begins.""",
    lesson="""A rate that is 10 % lower cannot keep the queue in Drain, though the draft's test case expects it: with a
pacing gain of 0.5 a queue of one BDP drains in 2.5 RTTs at 0.9 of the rate. Only a rate below half keeps it.

A spurious loss that ends UP is not undone here. In the case of reordering, the draft's pseudocode saves the state again
at the next loss, because DOWN has cleared the mark of the first loss, and the second save has the bounds that the first
loss left. In the case of the timeout, this module counts the losses with the next ACK, which is also the one that
undoes them, so UP ends after the undo. The draft counts each loss when it is marked. BBR3.18 passes because its timeout
comes in CRUISE, and the probe begins only afterwards.""",
    cases=turning_cases,
    checks=(
        Check("BBR3.22", case_check("drain-60", drain_s), CONTROL),
        Check("BBR3.23", case_check("drain-60", drained_packets), CONTROL),
        Check("BBR3.24", case_check("drain-10", drained_packets), CONTROL),
        Check("BBR3.25", case_check("down", refill_after_down), CONTROL),
        Check("BBR3.26", case_check("down", down_s), CONTROL),
        Check("BBR3.27", case_check("reorder", ended_probe_rounds), CONTROL),
        Check("BBR3.28", case_check("reorder", returns_s), CONTROL),
        Check("BBR3.29", case_check("reorder", bounds_are_gone), CONTROL),
        Check("BBR3.30", case_check("late-up", returns_s), CONTROL),
        Check("BBR3.31", case_check("late-up", bounds_are_gone), CONTROL),
        Check("BBR3.32", case_check("aggregation", startup_share), CONTROL),
        Check("BBR3.33", case_check("aggregation", drain_window), CONTROL),
        Check("BBR3.34", case_check("aggregation", cruise_window), CONTROL),
        Check("BBR3.35", case_check("aggregation", aggregated_share), CONTROL),
        Check("BBR3.36", case_check("small", least_window), CONTROL),
        Check("BBR3.37", case_check("small", cruise_pacing), CONTROL),
        Check("BBR3.38", case_check("small", slow_share), CONTROL),
        Check("BBR3.39", case_check("pause", in_flight_after_refill), CONTROL),
        Check("BBR3.40", case_check("pause", up_after_refill), CONTROL),
        Check("BBR3.41", case_check("pause", estimate_after_refill), CONTROL),
    ),
    pictures=(Picture("turns", "Volume in flight when the rate falls in Drain and in DOWN", draw_turns),),
)
