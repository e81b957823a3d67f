"""The types of the agent's replies, one for each command, with the values that this program relies on.

The root user of a lab may reply in place of the agent. So a reply is checked once, at its arrival, and callers get the
values named here with their types. `frrlib.wire.requests` explains the values.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

import msgspec

from frrlib.wire.events import AdjacencyEvent
from frrlib.wire.plan import RoutePlan, WireStruct

JsonObject = dict[str, Any]
Texts = dict[str, str]


class QdiscReport(dict[str, Any]):
    """A qdisc or class as `tc` reports it. The values that identify it, if present, are text."""

    TEXTS = ("kind", "handle", "dev")


class KernelSettings(TypedDict):
    """The settings read back from a node."""

    sysctls: NotRequired[Texts]
    routes: NotRequired[list[RoutePlan]]


class BuildReply(TypedDict):
    """The reply to `Build`."""

    qdiscs: dict[str, list[QdiscReport]]
    kernels: dict[str, KernelSettings]
    cables: Texts
    versions: Texts
    warnings: list[str]
    failed_commands: Texts


class InterfaceReport(TypedDict):
    """The settings read back from an interface."""

    name: str
    addresses: list[str]
    mtu: int


class LabChangeReply(TypedDict):
    """The reply to `ChangeLab`."""

    qdiscs: dict[str, list[QdiscReport]]
    kernels: dict[str, KernelSettings]
    cables: Texts
    warnings: list[str]
    failed_commands: Texts
    interfaces: dict[str, list[InterfaceReport]]
    configurations: dict[str, Texts]


class EndedChange(TypedDict):
    """The reply to `EndChange`."""

    warnings: list[str]


class RoutesReply(TypedDict):
    """The reply to `WaitRoutes`."""

    seconds: dict[str, float]


class ConvergenceReply(TypedDict):
    """The reply to `WaitConverged`."""

    converged_s: float
    adjacencies: dict[str, float]
    routes: dict[str, float]


class AdjacenciesReply(TypedDict):
    """The reply to `Adjacencies`."""

    adjacencies: list[AdjacencyEvent]


class PingReply(TypedDict):
    """The reply to `Ping`."""

    sent: int
    received: int
    duplicates: int
    ttl: list[int]
    rtt_ms: list[float]


class PathHop(WireStruct, frozen=True):
    """A next hop of a node on a path.

    Attributes:
        interface: the outgoing interface.
        gateway: the next hop's address; empty on the destination's own network.
        node: the node with this address; empty if there is none, or if it cannot be reached through the network.
        vrf: of the next node's incoming interface; empty for none.
        links, switches: passed between the two nodes, in order.
        labels: pushed MPLS labels, "16/17".
        reason: the reason why packets do not arrive at the next node; empty if they do.
    """

    interface: str
    gateway: str = ""
    node: str = ""
    vrf: str = ""
    links: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()
    labels: str = ""
    reason: str = ""


class PathStop(WireStruct, frozen=True):
    """The decision of a node's kernel about the packets of a path.

    Attributes:
        node, vrf: the place of the packets.
        prefix, protocol: of the selected route ("10.1.0.0/16", "ospf"); empty without a route.
        hops: its next hops; several if they are equal, empty if the packets end here.
        is_end: whether the address is the node's own.
        reason: the reason why packets end here; empty if they are forwarded, or have arrived.
    """

    node: str
    vrf: str = ""
    prefix: str = ""
    protocol: str = ""
    hops: tuple[PathHop, ...] = ()
    is_end: bool = False
    reason: str = ""


#: Value of `said` of the last hop of a trace that reached its address.
REACHED = "reached"


PathReply = TypedDict("PathReply", {"stops": list[PathStop], "from": str})


class TracedHop(TypedDict):
    """The sender of the reply to a packet whose TTL expired, or that was not forwarded."""

    ttl: int
    address: str
    nodes: list[str]
    rtt_ms: float | None
    said: str


class TraceReply(TypedDict):
    """The reply to `Trace`."""

    hops: list[TracedHop]


#: A number of packets that a lab may count within some seconds.
Count = Annotated[int, msgspec.Meta(ge=0, le=10**9)]


class DirectionReply(TypedDict):
    """The reply to `TryDirection`."""

    sent: Count
    received: Count
    rate_mbit: NotRequired[float | None]
    backlog_bytes: NotRequired[int]
    twice: NotRequired[Count]
    overtaken: NotRequired[Count]


class SendingInterface(TypedDict):
    """The interface by which a flow leaves its source; empty if no interface has its address."""

    interface: NotRequired[str]
    qdiscs: NotRequired[list[str]]


class CaptureResult(TypedDict):
    """The result of a capture during a run."""

    file: str
    captured: int | None
    dropped: int | None


class ChangeReply(TypedDict):
    """The reply to commands that change the lab; only changed values of a link are read back."""

    qdiscs: NotRequired[dict[str, list[QdiscReport]]]
    cables: NotRequired[Texts]


class PlannedFaultResult(ChangeReply):
    """The result of a planned fault."""

    error: NotRequired[str]


class SamplerCost(TypedDict, total=False):
    """The cost of a process that takes samples."""

    cpu_s: float
    busy_s: float
    seconds: float
    taken: int
    left_out: int


class FlowsReply(TypedDict):
    """The reply to `RunFlows`."""

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
    """The reply to `Execute`."""

    status: int
    stdout: str
    stderr: str


class VtyshReply(TypedDict):
    """The reply to `Vtysh`."""

    text: str


#: Router to the kinds of its configuration, each by daemon or file.
Configurations = dict[str, dict[Literal["start", "now", "silent", "written"], Texts]]


class ConfigurationsReply(TypedDict):
    """The reply to `ReadConfigurations`."""

    routers: Configurations


class StopReply(TypedDict):
    """The reply to `Stop`."""

    routers: NotRequired[Configurations]
    unread: NotRequired[str]


class ActiveFaults(TypedDict):
    """The reply to `AskFaults`."""

    links_down: list[str]
    interfaces_down: list[str]
    frozen: list[str]
    stopped: list[str]
    dead: list[str]
    lossy: list[str]
    values: Texts


def convert_reply(reply_type: Any, result: JsonObject) -> Any:
    """A reply converted to its type, without unknown values. Raises msgspec.ValidationError if it has another form."""
    return msgspec.convert(result, reply_type, dec_hook=_qdisc)


def _qdisc(value_type: type, value: Any) -> Any:
    """A `QdiscReport`, the only type here that msgspec does not know. msgspec adds the value's place to errors."""
    if value_type is not QdiscReport or not isinstance(value, dict):
        raise ValueError(f"Expected `object`, got `{type(value).__name__}`")
    for name in QdiscReport.TEXTS:
        if not isinstance(value.get(name, ""), str):
            raise ValueError(f"`{name}` of a qdisc is no text")
    return QdiscReport(value)
