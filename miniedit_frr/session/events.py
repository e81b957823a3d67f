"""The events and orders of a session: plain values without threads and windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from frrlib.conf.running import RunningConfig
from frrlib.model.topology import Topology
from frrlib.run.run import RunOutcome
from miniedit_frr.live.messages import AdjacencyState, Incident, RouteChange
from miniedit_frr.session.pending import PendingRequest

#: The reason why a lab in virtual time accepts no requests: a request at a moment of real time would change the run.
VIRTUAL_TIME_REFUSAL = (
    "terminals and commands would make a run in virtual time unrepeatable; run the lab in real time for them"
)


class LabState(StrEnum):
    """The state of the lab. `FAILED` is an end with a reason; a lab can be started from it as from `IDLE`."""

    IDLE = "idle"
    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    FAILED = "failed"


@dataclass(frozen=True)
class StateChange:
    """The session's state has changed; `reason` describes a failure."""

    state: LabState
    reason: str = ""


@dataclass(frozen=True)
class StepProgress:
    """A step of the start or the run ("boot", "daemons"): `state` is "start", "done" or "failed", `text` is for
    people."""

    name: str
    state: str
    text: str = ""


@dataclass(frozen=True)
class NodeState:
    """A node is "starting", "up", "failed", or runs with a limitation ("warning"). `reason` describes the latter two.
    For a daemon's failure it contains the end of its log."""

    node: str
    state: str
    reason: str = ""


@dataclass(frozen=True)
class LinkState:
    """A link is "starting", "up" or "down"."""

    link: str
    state: str


@dataclass(frozen=True)
class FaultReport:
    """A fault was started or cleared: its name and target as in `wire.FaultEvent`, and a text for people."""

    fault: str
    target: str
    text: str = ""


@dataclass(frozen=True)
class FlowProgress:
    """A flow of a run has changed: `kind` is "start", "end" or "failed", `time_s` counts from the start of all
    flows."""

    flow: str
    kind: str
    time_s: float


@dataclass(frozen=True)
class SampleBatch:
    """Rows of one table of samples ("tcp", "queue", ...), in the order of its columns in `wire.TABLES`.

    `zero_s` is the latest time on the lab's clock at which the flows can have begun, according to these rows.
    """

    table: str
    rows: Sequence[Sequence[Any]]
    zero_s: float


@dataclass(frozen=True)
class ClockTime:
    """The clock of a lab in virtual time, in seconds; sent at least twice per virtual second."""

    time_s: float


@dataclass(frozen=True)
class LabFacts:
    """The place of the lab and the release of its kernel. Sent once per lab, when it is built."""

    place: str
    kernel: str


@dataclass(frozen=True)
class OtherTopology:
    """Another program has given the running lab this topology, which has all addresses."""

    drawn: Topology


@dataclass(frozen=True)
class ConvergenceProgress:
    """The missing items while a network converges: router to sentences, empty once nothing is missing."""

    routers: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class LogLine:
    """A line for the detailed log."""

    text: str


@dataclass(frozen=True)
class PairRoundTrip:
    """One ping of a matrix: `rtt_ms` is None if no reply came; `done` of `total` pairs have a result."""

    request: PendingRequest[Any]
    source: str
    destination: str
    rtt_ms: float | None
    done: int
    total: int


@dataclass(frozen=True)
class LabReply:
    """The one reply to a request: its result, or the reason of its failure (`error` is not empty)."""

    request: PendingRequest[Any]
    result: Any = None
    error: str = ""


@dataclass(frozen=True)
class FlowsEnd:
    """The flows have ended, or were stopped. The measurements are in `outcome.folder`. Sent once per run."""

    outcome: RunOutcome


@dataclass(frozen=True)
class FinalConfigs:
    """The configurations of a lab that ends, by router. Sent once, before its end, if they could be read."""

    configs: Mapping[str, RunningConfig]


Event = (
    StateChange
    | FinalConfigs
    | StepProgress
    | NodeState
    | LinkState
    | FaultReport
    | FlowProgress
    | SampleBatch
    | ClockTime
    | LabFacts
    | OtherTopology
    | ConvergenceProgress
    | LogLine
    | PairRoundTrip
    | LabReply
    | FlowsEnd
    | AdjacencyState
    | RouteChange
    | Incident
)


@dataclass(frozen=True)
class LabOrder:
    """An order to run a lab.

    Attributes:
        topology: the topology to build.
        text: the text of its file, stored with the results.
        place: "auto", "namespace", "labkernel" or "root".
        kernel: a lab kernel to use instead of the distribution's; None for the distribution's.
        out: the results folder; required for flows.
        flows: whether to wait for the routes, send the flows and store the measurements, as the command line does.
        keep_up: whether the lab keeps running after the flows until it is stopped. Without flows it always does.
        sample_hz: samples per second of every flow and queue.
        captures: interfaces to capture packet headers at, as in `frrlib.run.Settings`.
        virtual_time: whether the lab runs in virtual time, in which it accepts no requests.
        seed: the seed of all random numbers of a lab in virtual time.
        overwrite: whether an earlier run in `out` may be replaced.
        join: name of a detached lab to join instead of starting one; empty for a new lab.
        allowed_controllers: addresses of controllers outside the lab that it may reach, as in `Lab`.
    """

    topology: Topology
    text: str = ""
    place: str = "auto"
    kernel: Path | None = None
    out: Path | None = None
    flows: bool = False
    keep_up: bool = False
    sample_hz: float = 100.0
    captures: tuple[str, ...] = ()
    virtual_time: bool = False
    seed: int = 1
    overwrite: bool = False
    join: str = ""
    allowed_controllers: tuple[str, ...] = ()
