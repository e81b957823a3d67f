"""A session's events and its orders: plain values, which know neither threads nor a window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from frrlib.conf.running import RunningConfig
from frrlib.model.topology import Topology
from frrlib.run.run import Outcome
from miniedit_frr.live.messages import AdjacencyState, Incident, RouteChange
from miniedit_frr.session.pending import PendingRequest

#: Why a window asks nothing of a lab in virtual time: a question at a moment of real time would change the run.
VIRTUAL_TIME_REFUSAL = (
    "terminals and commands would make a run in virtual time unrepeatable; run the lab in real time for them"
)


class LabState(StrEnum):
    """The state of the lab; `FAILED` is an end with a reason, after which a lab can be started as from `IDLE`."""

    IDLE = "idle"
    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    FAILED = "failed"


@dataclass(frozen=True)
class StateChange:
    """The session's state changed; `why` tells of a failure."""

    state: LabState
    reason: str = ""


@dataclass(frozen=True)
class StepProgress:
    """A step of the start or the run ("boot", "daemons"): `state` is "start", "done" or "failed", `text` for people."""

    name: str
    state: str
    text: str = ""


@dataclass(frozen=True)
class NodeState:
    """A node is "starting", "up", "failed", or goes on without something ("warning"); `why` tells of the latter two, of
    a failure with the end of a daemon's log."""

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
    """Somebody made a fault, or mended one: its name and target as in `wire.FaultEvent`, and words for people."""

    fault: str
    target: str
    text: str = ""


@dataclass(frozen=True)
class FlowProgress:
    """A flow of a run changed: `what` is "start", "end" or "failed", `time_s` counts from the start of all flows."""

    flow: str
    what: str
    time_s: float


@dataclass(frozen=True)
class SampleBatch:
    """Rows of one table of samples ("tcp", "queue", ...), in the order of its columns in `wire.TABLES`.

    `zero_s` is when the flows began by the lab's clock, as far as these rows tell: they cannot have begun later.
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
    """Where the lab runs: the place's name and the release of its kernel. Told once a lab, when it is built."""

    place: str
    kernel: str


@dataclass(frozen=True)
class ConvergenceProgress:
    """The items still missing while a network converges: router to sentences, empty once nothing is missing."""

    routers: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class LogLine:
    """A line for the detailed log."""

    text: str


@dataclass(frozen=True)
class PairPing:
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
    """The flows have ended, or were stopped; measurements are in `outcome.folder`. Sent once a run."""

    outcome: Outcome


@dataclass(frozen=True)
class FinalConfigs:
    """The configurations of a lab that ends, router by router; sent before its end, once, where they could be read."""

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
    | ConvergenceProgress
    | LogLine
    | PairPing
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
        topology: what to build.
        text: its file's text, kept with the results.
        place: "auto", "namespace", "labkernel" or "root".
        kernel: a lab kernel to use instead of the distribution's; None for that.
        out: the results folder; needed for flows.
        flows: whether to wait for the routes, send the flows and keep what is measured, as the command line does.
        keep_up: whether the lab stays when the flows are over, until it is stopped. Without flows it always does.
        sample_hz: samples a second of every flow and queue.
        captures: interfaces whose packets' headers are kept, as `frrlib.run.Settings` takes them.
        virtual_time: whether the lab runs in virtual time, where nothing can be asked of it meanwhile.
        seed: what all random numbers of a lab in virtual time come from.
        overwrite: whether `out` may hold an earlier run, which is then replaced.
        join: name of a lab that runs by itself, to join instead of starting one; empty for a new one.
        allowed_controllers: where controllers outside of the lab are that it may reach, as `Lab` takes them.
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
