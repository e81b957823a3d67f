"""BBR3-LIMITED: BBRv3 with an application that sends less than the path carries, against the test cases of its draft.

The lab is that of BBR3-PATH. The application of a case has a constant rate below that of the bottleneck, or the
bottleneck becomes faster than the application while the flow probes.
"""

from __future__ import annotations

import math
from typing import Any

from matplotlib.figure import Figure

from frrlib.network.network import LinkValues, Network, OnOff
from frrlib.plots.flows import plotted_flows
from frrlib.plots.phases import draw_bandwidth
from miniedit_frr.experiments import published_style
from miniedit_frr.experiments.bbr2_tum.lab import RATE_MBIT, bdp_bytes
from miniedit_frr.experiments.bbr3_draft.disturbed import case_check, column, fifo, first_time, path, path_case
from miniedit_frr.experiments.bbr3_draft.states import (
    CONTROL,
    RTT_MS,
    STATES,
    State,
    color_states,
    probe_rtt_durations,
    states,
    successions,
)
from miniedit_frr.experiments.declaration import Case, Check, Experiment, Picture
from miniedit_frr.experiments.runs import Run, Runs
from miniedit_frr.experiments.theory import PAYLOAD_SHARE

_FAST_MBIT = 10 * RATE_MBIT
#: A round of the slow application has 7 packets, a round of the other one 83, so that six of them can be lost.
_SLOW_MBIT, _MIDDLE_MBIT, _MIDDLE_RATE_MBIT = 2.0, 25.0, 50.0
#: The application is faster than the bottleneck until the first probe, which begins at 2.24 s with seed 1.
_ABOVE_MBIT, _RISES_S, _RESTS_S = 9.7, 2.2, 0.1
_LOSS_PERCENT, _LOSS_LASTS_S = 20.0, 0.3
_STARTUP_LOSES_S, _PROBE_LOSES_S = 2.0, 4.0
_STAYS_S = 16.0


def _steady(rate_mbit: float, duration_s: float) -> OnOff:
    """An application with a constant rate, without a pause."""
    return OnOff(on_s=duration_s, off_s=1.0, rate_mbit=rate_mbit, paced_by="application")


def _outgrown(title: str, duration_s: float) -> Network:
    """The path that becomes ten times as fast during the first probe, and so limits the application no more."""
    application = OnOff(on_s=_RISES_S, off_s=_RESTS_S, rate_mbit=_ABOVE_MBIT, paced_by="application")
    net = path(title, duration_s, fifo(RATE_MBIT, 2 * bdp_bytes(RATE_MBIT, RTT_MS)), application)
    net.fault(_RISES_S, "link-values", "bottleneck", values=LinkValues(rate_mbit=_FAST_MBIT), towards="r1")
    return net


def _lose(net: Network, time_s: float) -> None:
    shares: dict[str, Any] = {"loss_percent": _LOSS_PERCENT, "duration_s": _LOSS_LASTS_S}
    net.fault(time_s, "loss", "before", towards="s2", **shares)


def limited_cases(quick: bool) -> tuple[Case, ...]:
    """The cases. A quick run has the same ones, since each needs its time."""
    usual = fifo(RATE_MBIT, 2 * bdp_bytes(RATE_MBIT, RTT_MS))
    middle = fifo(_MIDDLE_RATE_MBIT, 2 * bdp_bytes(_MIDDLE_RATE_MBIT, RTT_MS))
    slow = path("Slow application in Startup", _STAYS_S, usual, _steady(_SLOW_MBIT, _STAYS_S))
    lossy = path("Losses of an application-limited Startup", 4.0, middle, _steady(_MIDDLE_MBIT, 4.0))
    _lose(lossy, _STARTUP_LOSES_S)
    outgrown = _outgrown("Slow application in UP", _STAYS_S)
    lossy_probe = _outgrown("Losses of an application-limited UP", 6.0)
    _lose(lossy_probe, _PROBE_LOSES_S)
    named = {
        "slow": slow,
        "lossy-startup": lossy,
        "outgrown": outgrown,
        "lossy-probe": lossy_probe,
    }
    return tuple(path_case(name, net.topology) for name, net in named.items())


# --- measures --------------------------------------------------------------------------------------------------------


def startup_leavings(run: Run) -> dict[str, float]:
    """The number of states that are neither Startup nor ProbeRTT."""
    return {"other states": float(sum(state.name not in ("startup", "probe_rtt") for state in states(run)))}


def startup_after_probe_rtt(run: Run) -> dict[str, float]:
    """For every ProbeRTT: 1 if Startup follows it, else 0."""
    pairs = successions(states(run), "probe_rtt")
    return {f"ProbeRTT {number}": float(after.name == "startup") for number, (_, after) in enumerate(pairs, 1)}


def _first_leaving(pairs: list[tuple[State, State]], lost_s: float) -> tuple[State, State] | None:
    """The first of the visits that ends after the losses began, with the next state."""
    return next((pair for pair in pairs if pair[0].end_s > lost_s), None)


def _rounds_of_losses(pair: tuple[State, State] | None, lost_s: float, next_state: str = "") -> dict[str, float]:
    """The time from the first losses to the end of a state, in RTTs; infinite if another state than this follows."""
    if pair is None:
        return {"end": math.inf}
    is_next = not next_state or pair[1].name == next_state
    return {
        f"losses to {next_state or pair[1].name}": (pair[0].end_s - lost_s) / (RTT_MS / 1e3) if is_next else math.inf
    }


def startup_rounds(run: Run, next_state: str = "") -> dict[str, float]:
    """The time from the first losses to the end of Startup, in RTTs; infinite if another state than this follows."""
    pair = _first_leaving(successions(states(run), "startup"), _STARTUP_LOSES_S)
    return _rounds_of_losses(pair, _STARTUP_LOSES_S, next_state)


def startup_share(run: Run) -> dict[str, float]:
    """The estimated bandwidth after the losses have ended Startup, as a share of what the link carries."""
    pair = _first_leaving(successions(states(run), "startup"), _STARTUP_LOSES_S)
    return {"estimate": pair[1].bandwidth_mbit / (_MIDDLE_RATE_MBIT * PAYLOAD_SHARE)} if pair else {}


def _probes(run: Run) -> list[tuple[State, State]]:
    """The probes that end after the path has become faster than the application, each with the next state."""
    return [pair for pair in successions(states(run), "up") if pair[0].end_s > _RISES_S]


def limited_probe_rounds(run: Run) -> dict[str, float]:
    """The duration of each probe in RTTs, which ProbeRTT must end; 0 if another state does."""
    return {
        f"UP {number}": (state.end_s - state.start_s) / (RTT_MS / 1e3) if after.name == "probe_rtt" else 0.0
        for number, (state, after) in enumerate(_probes(run), 1)
    }


def lossy_probe_rounds(run: Run, next_state: str = "") -> dict[str, float]:
    """The time from the first losses in a probe to its end, in RTTs; infinite if another state than this follows."""
    return _rounds_of_losses(_first_leaving(_probes(run), _PROBE_LOSES_S), _PROBE_LOSES_S, next_state)


def longterm_is_set(run: Run) -> dict[str, float]:
    """1 if the losses in a probe set the long-term bound of the volume in flight, else 0."""
    if not states(run):
        return {}
    bounds = column(run, "bbr_inflight_longterm_packets")
    return {"inflight_longterm": float(first_time(bounds, _PROBE_LOSES_S, math.isfinite) < math.inf)}


def draw_limited(runs: Runs) -> Figure:
    """The estimated bandwidth over time when the application limits Startup and UP, in the colors of the states."""
    figure, panels = published_style.new_figure(2, width=6.4, height=4.6)
    rows_of = {}
    titles = {"slow": "A slow application from the start", "outgrown": "The path becomes faster than the application"}
    for panel, (name, title) in zip(panels, titles.items(), strict=True):
        run = runs.first("right", path=name)
        flow = next(iter(plotted_flows(run.results)), None) if run else None
        if flow:
            draw_bandwidth(panel, flow)
            rows_of[panel] = flow.samples.sender
        published_style.set_axes(panel, "time (s)", "payload (Mbit/s)", (0, _STAYS_S), (0, 20), title)
        published_style.add_legend(panel, loc="upper right")
    if rows_of:
        color_states(figure, rows_of)
    published_style.add_note(figure, published_style.missing_case_notes(runs))
    return figure


LIMITED = Experiment(
    name="BBR3-LIMITED",
    title="BBRv3 with an application that limits it",
    source=STATES.source,
    setup="""Four runs of one flow on the path of `BBR3-PATH`: an application of 2 Mbit/s on 10 Mbit/s; one of
25 Mbit/s on 50 Mbit/s with 20 % of loss in Startup; and one of 9.7 Mbit/s, which the path of 10 Mbit/s limits until it
becomes ten times as fast during the first probe, without losses and with 20 % of loss in this probe.""",
    lesson="""Samples that the application limits do not count as rounds without growth, so neither Startup nor UP ends
by them; only losses, and for a time ProbeRTT, end both. After losses have ended them, Drain and DOWN are not seen: both
end when the volume in flight is at most one BDP, and a flow that its application limits has less than that in flight.
So each ends with the ACK that begins it, and the next sample shows CRUISE. Statements on Drain and DOWN fail for this
reason; BBR3.50 and BBR3.51 were added after the first run, with the same bands, and judge the ends of Startup and UP.

The draft contradicts itself in one point: its test case requires a new long-term bound after losses in a limited probe,
but its pseudocode (HandleInflightTooHigh) sets the bound only if the sample is not limited. The module follows the
pseudocode.""",
    cases=limited_cases,
    checks=(
        Check("BBR3.42", case_check("slow", startup_leavings), CONTROL),
        Check("BBR3.43", case_check("slow", startup_after_probe_rtt), CONTROL),
        Check("BBR3.44", case_check("slow", lambda run: probe_rtt_durations(states(run))), CONTROL),
        Check("BBR3.45", case_check("lossy-startup", lambda run: startup_rounds(run, "drain")), CONTROL),
        Check("BBR3.46", case_check("lossy-startup", startup_share), CONTROL),
        Check("BBR3.47", case_check("outgrown", limited_probe_rounds), CONTROL),
        Check("BBR3.48", case_check("lossy-probe", lambda run: lossy_probe_rounds(run, "down")), CONTROL),
        Check("BBR3.49", case_check("lossy-probe", longterm_is_set), CONTROL),
        Check("BBR3.50", case_check("lossy-startup", startup_rounds), CONTROL),
        Check("BBR3.51", case_check("lossy-probe", lossy_probe_rounds), CONTROL),
    ),
    pictures=(Picture("limited", "Estimated bandwidth when the application limits the flow", draw_limited),),
)
