"""The required form of the agent's answers, by the command asked, as far as this program relies on it.

A lab's root may speak in the agent's place. So an answer is checked once, where it arrives, and callers can rely
on the type of everything that is named here. `frrlib.wire_requests` says what the values mean.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

import msgspec

from frrlib import wire_requests as ask
from frrlib.wire_events import AdjacencyEvent

Object = dict[str, Any]
Texts = dict[str, str]


class Qdisc(TypedDict):
    """A qdisc or class as `tc` tells it, as far as one is told from another."""

    kind: NotRequired[str]
    handle: NotRequired[str]
    dev: NotRequired[str]


class Route(TypedDict):
    """A route that was read back: fields of `RoutePlan`."""

    prefix: str


class Kernel(TypedDict):
    """The settings read back from a node."""

    sysctls: NotRequired[Texts]
    routes: NotRequired[list[Route]]


class Built(TypedDict):
    """The answer to `Build`."""

    qdiscs: dict[str, list[Qdisc]]
    kernels: dict[str, Kernel]
    cables: Texts
    versions: Texts
    warnings: list[str]
    failed_commands: Texts


class Routed(TypedDict):
    """The answer to `WaitRoutes`."""

    seconds: dict[str, float]


class ConvergedAfter(TypedDict):
    """The answer to `WaitConverged`."""

    converged_s: float
    adjacencies: dict[str, float]
    routes: dict[str, float]


class Neighbours(TypedDict):
    """The answer to `Adjacencies`."""

    adjacencies: list[AdjacencyEvent]


class Pinged(TypedDict):
    """The answer to `Ping`."""

    sent: int
    received: int
    ttl: list[int]
    rtt_ms: list[float]


Followed = TypedDict("Followed", {"stops": list[ask.PathStop], "from": str})


class TracedHop(TypedDict):
    """The sender of the answer to a packet that could go no farther."""

    ttl: int
    address: str
    nodes: list[str]
    rtt_ms: float | None
    said: str


class Traced(TypedDict):
    """The answer to `Trace`."""

    hops: list[TracedHop]


#: How many of something a lab has seen in a few seconds.
Count = Annotated[int, msgspec.Meta(ge=0, le=10**9)]


class Tried(TypedDict):
    """The answer to `TryDirection`."""

    sent: Count
    received: Count
    rate_mbit: NotRequired[float | None]
    backlog_bytes: NotRequired[int]
    twice: NotRequired[Count]
    overtaken: NotRequired[Count]


class Way(TypedDict):
    """By which a flow leaves its source; nothing where no interface has its address."""

    interface: NotRequired[str]
    qdiscs: NotRequired[list[str]]


class Captured(TypedDict):
    """A capture of a run; nothing else is told of it."""

    file: str
    captured: int | None
    dropped: int | None


class Changed(TypedDict):
    """The answer to commands that change the lab; only changed values of a link are read back."""

    qdiscs: NotRequired[dict[str, list[Qdisc]]]
    cables: NotRequired[Texts]


class Planned(Changed):
    """The result of a planned fault."""

    error: NotRequired[str]


class Flowed(TypedDict):
    """The answer to `RunFlows`."""

    flows: dict[str, Object]
    failures: Texts
    zero_time_s: float
    zero_unix_s: float
    captures: dict[str, Captured]
    samplers: dict[str, dict[str, float]]
    faults: list[Planned | None]
    ways_out: dict[str, Way]
    counters: dict[str, dict[str, int]]


class Executed(TypedDict):
    """The answer to `Execute`."""

    status: int
    stdout: str
    stderr: str


class Said(TypedDict):
    """The answer to `Vtysh`."""

    text: str


#: Of each router.
Configurations = dict[str, dict[Literal["start", "now", "silent", "written"], Texts]]


class Configured(TypedDict):
    """The answer to `ReadConfigurations`."""

    routers: Configurations


class Stopped(TypedDict):
    """The answer to `Stop`."""

    routers: NotRequired[Configurations]
    unread: NotRequired[str]


class Disorder(TypedDict):
    """The answer to `AskFaults`."""

    links_down: list[str]
    interfaces_down: list[str]
    frozen: list[str]
    stopped: list[str]
    dead: list[str]
    lossy: list[str]
    values: Texts


ANSWERS: dict[type, Any] = {
    ask.Build: Built,
    ask.WaitRoutes: Routed,
    ask.WaitConverged: ConvergedAfter,
    ask.WatchAdjacencies: Object,
    ask.Adjacencies: Neighbours,
    ask.Ping: Pinged,
    ask.FollowPath: Followed,
    ask.Trace: Traced,
    ask.TryDirection: Tried,
    ask.RunFlows: Flowed,
    ask.Execute: Executed,
    ask.Vtysh: Said,
    ask.ReadConfigurations: Configured,
    ask.SetLink: Changed,
    ask.KillDaemon: Changed,
    ask.RestartDaemon: Changed,
    ask.AddDaemon: Changed,
    ask.MakeFault: Changed,
    ask.AskFaults: Disorder,
    ask.Stop: Stopped,
}


def why_wrong(asked: type, result: Object) -> str:
    """The error in an answer to a command of this type, for people; empty if it is valid."""
    try:
        msgspec.convert(result, ANSWERS[asked])
    except msgspec.ValidationError as error:
        return str(error)
    return ""
