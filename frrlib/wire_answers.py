"""What an answer of the agent must look like, by the command that was asked, as far as this program relies on it.

A lab's root may speak in the agent's place. So an answer is looked at once, where it comes in, and whoever gets it need
not doubt the kind of anything that is named here. `frrlib.wire_requests` says what the values mean.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

import msgspec

from frrlib import wire_requests as ask

Object = dict[str, Any]
Texts = dict[str, str]


class Built(TypedDict):
    """Of `Build`."""

    qdiscs: dict[str, list[Object]]
    kernels: dict[str, Object]
    cables: Texts
    versions: Texts
    warnings: list[str]
    failed_commands: Texts


class Routed(TypedDict):
    """Of `WaitRoutes`."""

    seconds: dict[str, float]


class ConvergedAfter(TypedDict):
    """Of `WaitConverged`."""

    converged_s: float
    adjacencies: dict[str, float]
    routes: dict[str, float]


class Neighbours(TypedDict):
    """Of `Adjacencies`."""

    adjacencies: list[Object]


class Pinged(TypedDict):
    """Of `Ping`."""

    sent: int
    received: int
    ttl: list[int]
    rtt_ms: list[float]


Followed = TypedDict("Followed", {"stops": list[Object], "from": str})


class Traced(TypedDict):
    """Of `Trace`."""

    hops: list[Object]


class Tried(TypedDict):
    """Of `TryDirection`."""

    sent: int
    received: int
    rate_mbit: NotRequired[float | None]
    backlog_bytes: NotRequired[int]
    twice: NotRequired[int]
    overtaken: NotRequired[int]


class Way(TypedDict):
    """By which a flow leaves its source; nothing where no interface has its address."""

    interface: NotRequired[str]
    qdiscs: NotRequired[list[str]]


class Flowed(TypedDict):
    """Of `RunFlows`."""

    flows: dict[str, Object]
    failures: Texts
    zero_time_s: float
    zero_unix_s: float
    captures: dict[str, Object]
    samplers: dict[str, dict[str, float]]
    faults: list[Object | None]
    ways_out: dict[str, Way]
    counters: dict[str, dict[str, float]]


class Executed(TypedDict):
    """Of `Execute`."""

    status: int
    stdout: str
    stderr: str


class Said(TypedDict):
    """Of `Vtysh`."""

    text: str


class Configured(TypedDict):
    """Of `ReadConfigurations` and `Stop`: by router, "start", "now", "silent" and "written"."""

    routers: NotRequired[dict[str, dict[str, Texts]]]
    unread: NotRequired[str]


class Changed(TypedDict):
    """Of what changes the lab; only changed values of a link are read back."""

    qdiscs: NotRequired[dict[str, list[Object]]]
    cables: NotRequired[Texts]


class Disorder(TypedDict):
    """Of `AskFaults`."""

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
    ask.Stop: Configured,
}


def why_wrong(asked: type, result: Object) -> str:
    """What is wrong with an answer to a command of this type, for people; empty where it is as it must be."""
    try:
        msgspec.convert(result, ANSWERS[asked])
    except msgspec.ValidationError as error:
        return str(error)
    return ""
