"""The required form of the agent's answers, by the command asked, as far as this program relies on it.

A lab's root may speak in the agent's place. So an answer is checked once, where it arrives, and callers get what is
named here, with its type. `frrlib.wire.requests` says what the values mean.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

import msgspec

from frrlib.wire.events import AdjacencyEvent
from frrlib.wire.plan import RoutePlan, WireStruct

JsonObject = dict[str, Any]
Texts = dict[str, str]


class QdiscReport(dict[str, Any]):
    """A qdisc or class, all that `tc` tells of it; what tells one from another is text, where it is there."""

    TEXTS = ("kind", "handle", "dev")


class KernelSettings(TypedDict):
    """The settings read back from a node."""

    sysctls: NotRequired[Texts]
    routes: NotRequired[list[RoutePlan]]


class BuildReply(TypedDict):
    """The answer to `Build`."""

    qdiscs: dict[str, list[QdiscReport]]
    kernels: dict[str, KernelSettings]
    cables: Texts
    versions: Texts
    warnings: list[str]
    failed_commands: Texts


class RoutesReply(TypedDict):
    """The answer to `WaitRoutes`."""

    seconds: dict[str, float]


class ConvergenceReply(TypedDict):
    """The answer to `WaitConverged`."""

    converged_s: float
    adjacencies: dict[str, float]
    routes: dict[str, float]


class AdjacenciesReply(TypedDict):
    """The answer to `Adjacencies`."""

    adjacencies: list[AdjacencyEvent]


class PingReply(TypedDict):
    """The answer to `Ping`."""

    sent: int
    received: int
    duplicates: int
    ttl: list[int]
    rtt_ms: list[float]


class PathHop(WireStruct, frozen=True):
    """A next hop of a node on a path.

    Attributes:
        interface: by which packets leave.
        gateway: the next hop's address; empty on the destination's own network.
        node: whose that is; empty where nobody has it, or the network between does not lead there.
        vrf: of the interface at which they arrive there; empty for none.
        links, switches: what they pass on the way there, in order.
        labels: MPLS labels that they get, "16/17".
        why: why they do not arrive there; empty where they do.
    """

    interface: str
    gateway: str = ""
    node: str = ""
    vrf: str = ""
    links: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()
    labels: str = ""
    why: str = ""


class PathStop(WireStruct, frozen=True):
    """The decision of a node's kernel about the packets of a path.

    Attributes:
        node, vrf: where they are.
        prefix, protocol: of the route that it takes ("10.1.0.0/16", "ospf"); empty where it takes none.
        hops: its next hops, several where they are equally good; none where the packets go no farther.
        is_end: whether the address is the node's own.
        why: why they go no farther; empty where they do, or have arrived.
    """

    node: str
    vrf: str = ""
    prefix: str = ""
    protocol: str = ""
    hops: tuple[PathHop, ...] = ()
    is_end: bool = False
    why: str = ""


#: What the last hop of a trace has said that reached its address.
REACHED = "reached"


PathReply = TypedDict("PathReply", {"stops": list[PathStop], "from": str})


class TracedHop(TypedDict):
    """The sender of the answer to a packet that could go no farther."""

    ttl: int
    address: str
    nodes: list[str]
    rtt_ms: float | None
    said: str


class TraceReply(TypedDict):
    """The answer to `Trace`."""

    hops: list[TracedHop]


#: How many of something a lab has seen in a few seconds.
Count = Annotated[int, msgspec.Meta(ge=0, le=10**9)]


class DirectionReply(TypedDict):
    """The answer to `TryDirection`."""

    sent: Count
    received: Count
    rate_mbit: NotRequired[float | None]
    backlog_bytes: NotRequired[int]
    twice: NotRequired[Count]
    overtaken: NotRequired[Count]


class SendingInterface(TypedDict):
    """By which a flow leaves its source; nothing where no interface has its address."""

    interface: NotRequired[str]
    qdiscs: NotRequired[list[str]]


class CaptureResult(TypedDict):
    """A capture of a run; nothing else is told of it."""

    file: str
    captured: int | None
    dropped: int | None


class ChangeReply(TypedDict):
    """The answer to commands that change the lab; only changed values of a link are read back."""

    qdiscs: NotRequired[dict[str, list[QdiscReport]]]
    cables: NotRequired[Texts]


class PlannedFaultResult(ChangeReply):
    """The result of a planned fault."""

    error: NotRequired[str]


class SamplerCost(TypedDict, total=False):
    """The cost of a process that sampled."""

    cpu_s: float
    busy_s: float
    seconds: float
    taken: int
    left_out: int


class FlowsReply(TypedDict):
    """The answer to `RunFlows`."""

    flows: dict[str, JsonObject]
    failures: Texts
    zero_time_s: float
    zero_unix_s: float
    captures: dict[str, CaptureResult]
    samplers: dict[str, SamplerCost]
    faults: list[PlannedFaultResult | None]
    ways_out: dict[str, SendingInterface]
    counters: dict[str, dict[str, int]]
    queue_drops: dict[str, tuple[int, int]]


class ExecuteReply(TypedDict):
    """The answer to `Execute`."""

    status: int
    stdout: str
    stderr: str


class VtyshReply(TypedDict):
    """The answer to `Vtysh`."""

    text: str


#: Of each router.
Configurations = dict[str, dict[Literal["start", "now", "silent", "written"], Texts]]


class ConfigurationsReply(TypedDict):
    """The answer to `ReadConfigurations`."""

    routers: Configurations


class StopReply(TypedDict):
    """The answer to `Stop`."""

    routers: NotRequired[Configurations]
    unread: NotRequired[str]


class ActiveFaults(TypedDict):
    """The answer to `AskFaults`."""

    links_down: list[str]
    interfaces_down: list[str]
    frozen: list[str]
    stopped: list[str]
    dead: list[str]
    lossy: list[str]
    values: Texts


def convert_reply(form: Any, result: JsonObject) -> Any:
    """An answer in its form, without what nobody relies on. Raises msgspec.ValidationError where it is none."""
    return msgspec.convert(result, form, dec_hook=_qdisc)


def _qdisc(form: type, value: Any) -> Any:
    """A `QdiscReport`, the only type here that msgspec does not know. msgspec adds the value's place to errors."""
    if form is not QdiscReport or not isinstance(value, dict):
        raise ValueError(f"Expected `object`, got `{type(value).__name__}`")
    for name in QdiscReport.TEXTS:
        if not isinstance(value.get(name, ""), str):
            raise ValueError(f"`{name}` of a qdisc is no text")
    return QdiscReport(value)
