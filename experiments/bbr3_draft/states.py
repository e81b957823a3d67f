"""BBR3-DRAFT: the state machine of BBRv3 on an undisturbed path, against the example test cases of its draft."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from frrlib.model.flow_words import control_name
from frrlib.plots.flows import plotted_flows
from frrlib.plots.phases import draw_in_flight, shade, state_patches
from frrlib.results.statistics import bbr
from frrlib.results.table_reader import Columns
from miniedit_frr.experiments import measures, published_style
from miniedit_frr.experiments.bbr2_tum.lab import RATE_MBIT, Sender, bdp_bytes, dumbbell
from miniedit_frr.experiments.declaration import Case, Check, CheckResult, Experiment, Picture
from miniedit_frr.experiments.runs import Run, Runs

CONTROL = "bbr3"
RTT_MS = 40.0
#: Two BDPs: the bound of what is in flight while probing is 2.25 BDP, so nothing is lost.
_QUEUE_BDP = 2.0
_LASTS_S, _QUICK_LASTS_S = 22.0, 12.0
#: A sample every 5 ms, an eighth of an RTT.
_HZ = 200.0


@dataclass(frozen=True)
class State:
    """A visit of the sender to one state, with values of its first sample.

    Attributes:
        name: "startup", "drain", "probe_rtt", or the phase within ProbeBW: "down", "cruise", "refill", "up".
        start_s, end_s: times of the first sample, and of the first sample of the next state.
        pacing_gain, cwnd_gain: the gains.
        bandwidth_mbit: the estimated bandwidth of payload.
        in_flight_packets: the volume in flight.
    """

    name: str
    start_s: float
    end_s: float
    pacing_gain: float
    cwnd_gain: float
    bandwidth_mbit: float
    in_flight_packets: float


def draft_cases(quick: bool, control: str = CONTROL) -> tuple[Case, ...]:
    """The case of one flow alone. `control` is the name of BBRv3 in the kernel; some kernels call it "bbr"."""
    return (
        Case(
            f"right-{control}",
            dumbbell(
                f"States of {control_name(control)}",
                [Sender(control, RTT_MS)],
                _QUICK_LASTS_S if quick else _LASTS_S,
                _QUEUE_BDP * bdp_bytes(RATE_MBIT, RTT_MS),
            ),
            setup="right",
            values={"cc": control},
            sample_hz=_HZ,
            needs="" if control == "bbr" else control,
        ),
    )


def states(run: Run) -> list[State]:
    """The states of the run's only flow in order, without the last one, which the end of the run cuts off."""
    samples = measures.find_flow(run.results, measures.flow_names(run.results)[0])
    if samples is None:
        return []
    rows = samples.sender
    columns = ("bbr_pacing_gain", "bbr_cwnd_gain", "bbr_bandwidth_mbit", "in_flight_packets")
    return [
        State(word, begin_s, end_s, *(float(rows[name][np.searchsorted(rows["time_s"], begin_s)]) for name in columns))
        for begin_s, end_s, word in bbr.states(rows)[:-1]
    ]


def successions(visited: list[State], name: str) -> list[tuple[State, State]]:
    """Each visit to a state, with the state after it."""
    return [(state, after) for state, after in pairwise(visited) if state.name == name]


def _numbers(measure: Callable[[list[State]], dict[str, float]]) -> Callable[[Runs], CheckResult]:
    """The check of numbers from the states of the first run."""

    def check(runs: Runs) -> CheckResult:
        run = runs.first("right")
        return (measure(states(run)) or None) if run else None

    return check


def startup_bandwidth(visited: list[State]) -> dict[str, float]:
    """The estimated bandwidth at the end of Startup, which Drain must follow."""
    return {
        state.name: after.bandwidth_mbit for state, after in successions(visited, "startup") if after.name == "drain"
    }


def drain_gain(visited: list[State]) -> dict[str, float]:
    """The pacing gain of Drain."""
    return {state.name: state.pacing_gain for state in visited if state.name == "drain"}


def drained_packets(visited: list[State]) -> dict[str, float]:
    """The volume in flight at the first sample after Drain."""
    return {state.name: after.in_flight_packets for state, after in successions(visited, "drain")}


def probe_rounds(visited: list[State]) -> dict[str, float]:
    """The duration of each UP in RTTs without queue; UP must end in DOWN."""
    return {
        f"UP {number}": (state.end_s - state.start_s) / (RTT_MS / 1e3) if after.name == "down" else 0.0
        for number, (state, after) in enumerate(successions(visited, "up"), 1)
    }


def down_gain(visited: list[State]) -> dict[str, float]:
    """The pacing gain of each DOWN that CRUISE follows, after a probe."""
    pairs = successions(visited, "down")
    return {f"DOWN {number}": state.pacing_gain for number, (state, after) in enumerate(pairs, 1)
            if after.name == "cruise"}  # fmt: skip


def cruise_packets(visited: list[State]) -> dict[str, float]:
    """The volume in flight at the first sample of CRUISE after DOWN."""
    pairs = [after for _, after in successions(visited, "down") if after.name == "cruise"]
    return {f"CRUISE {number}": after.in_flight_packets for number, after in enumerate(pairs, 1)}


def _of_probe_rtt(number_of: Callable[[State, State], float]) -> Callable[[list[State]], dict[str, float]]:
    def measure(visited: list[State]) -> dict[str, float]:
        pairs = successions(visited, "probe_rtt")
        return {f"ProbeRTT {number}": number_of(*pair) for number, pair in enumerate(pairs, 1)}

    return measure


def probe_rtt_durations(visited: list[State]) -> dict[str, float]:
    """The duration of each ProbeRTT, in ms."""
    return _of_probe_rtt(lambda state, _: 1e3 * (state.end_s - state.start_s))(visited)


def draw_states(runs: Runs) -> Figure:
    """The volume in flight, the window and the bandwidth-delay product over time, in the colors of the states."""
    figure, (panel,) = published_style.new_figure(width=6.4, height=3.6)
    published_style.set_axes(panel, "time (s)", "packets", (0, 12), (0, 100))
    run = runs.first("right")
    flow = next(iter(plotted_flows(run.results)), None) if run else None
    if flow:
        draw_in_flight(panel, flow)
        published_style.set_axes(panel, "time (s)", "packets", (0, 12), (0, 100))
        color_states(figure, {panel: flow.samples.sender})
        published_style.add_legend(panel, loc="upper right", ncols=3)
    published_style.add_note(figure, published_style.missing_case_notes(runs))
    return figure


def color_states(figure: Figure, rows_of: Mapping[Axes, Columns]) -> None:
    """Color the states behind the curves of panels, each with the sender's samples, above a common legend."""
    spans_of = {panel: bbr.states(rows) for panel, rows in rows_of.items()}
    for panel, spans in spans_of.items():
        shade(panel, spans)
        panel.grid(visible=False)
    patches = state_patches(spans_of.values())
    figure.legend(handles=patches, loc="outside upper center", ncols=len(patches), handlelength=1.2)


STATES = Experiment(
    name="BBR3-DRAFT",
    title="The states of BBRv3 on an undisturbed path",
    source=(
        "Cardwell, Swett, Beshay: BBR Congestion Control, draft-ietf-ccwg-bbr, appendix: example test cases, "
        "https://datatracker.ietf.org/doc/draft-ietf-ccwg-bbr/"
    ),
    setup="""The draft ends with 22 test cases for implementations. Five of them need nothing but one flow and a fixed
path: the ends of Startup, Drain, UP and DOWN, and ProbeRTT. Here the path has 10 Mbit/s, 40 ms and a queue of two BDPs,
which loses nothing. `BBR3-PATH` has six of the others, `BBR3-TURN` seven and `BBR3-LIMITED` four.""",
    lesson="""The kernel reports the state, the gains and the estimated bandwidth with each sample, so each transition
can be compared with the text of the draft. A sample every 5 ms sees a state up to 5 ms after it began. The estimated
bandwidth counts payload, so it is compared with the link's rate without headers. One BDP is 33 packets of payload; the
kernel adds an allowance for bursts and delayed ACKs.""",
    cases=draft_cases,
    checks=(
        Check("BBR3.1", _numbers(startup_bandwidth), CONTROL),
        Check("BBR3.2", _numbers(drain_gain), CONTROL),
        Check("BBR3.3", _numbers(drained_packets), CONTROL),
        Check("BBR3.4", _numbers(probe_rounds), CONTROL),
        Check("BBR3.5", _numbers(down_gain), CONTROL),
        Check("BBR3.6", _numbers(cruise_packets), CONTROL),
        Check("BBR3.7", _numbers(_of_probe_rtt(lambda state, _: state.cwnd_gain)), CONTROL),
        Check("BBR3.8", _numbers(probe_rtt_durations), CONTROL),
        Check(
            "BBR3.9",
            _numbers(_of_probe_rtt(lambda _, after: float(after.name in ("cruise", "down", "refill")))),
            CONTROL,
        ),
    ),
    pictures=(Picture("states", "Volume in flight and window of one flow of BBRv3", draw_states),),
)
