"""The commands of a `Lab` to its agent."""

from __future__ import annotations

from typing import Any, Generic, TypeVar, get_args

from frrlib.wire.changes import LabChange
from frrlib.wire.plan import CapturePlan, FaultPlan, FlowPlan, Plan, QueueProbe, WireStruct
from frrlib.wire.replies import (
    ActiveFaults,
    AdjacenciesReply,
    BuildReply,
    ChangeReply,
    ConfigurationsReply,
    ConvergenceReply,
    DirectionReply,
    EndedChange,
    ExecuteReply,
    FlowsReply,
    JsonObject,
    LabChangeReply,
    PathReply,
    PingReply,
    RoutesReply,
    StopReply,
    TraceReply,
    VtyshReply,
    convert_reply,
)

Reply = TypeVar("Reply")


class TypedCommand(WireStruct, Generic[Reply], frozen=True):
    """A command whose reply has the type `Reply` (`frrlib.wire.replies`). Its docstring describes the reply."""


class Build(TypedCommand[BuildReply], frozen=True, tag="build"):
    """Make the lab and start its daemons.

    Result: `{"qdiscs": {"NODE": [...], "": [...]}}`, the kernel's read-back of every qdisc by node, as printed by
    `tc -j -r qdisc show` (the empty name is the link namespace); `"kernels": {"NODE": {"sysctls": {key: text},
    "routes": [...]}}`, settings and routes of the nodes that are read back, a route with the fields of `RoutePlan`;
    `"cables": {"l1:r1-r2": "dev"}`, the interface of the link namespace that sends the packets of each direction;
    `"versions": {"frr": ...}` of the programs that a lab uses; `"warnings": ["NODE: words"]`, about qdiscs that the
    kernel has made in spite of a message, about controllers outside that do not answer, and about intended lines that
    FRR refused; `"failed_commands": {"NODE": reason}`, of start commands that failed.
    """

    plan: Plan


class WaitRoutes(TypedCommand[RoutesReply], frozen=True, tag="wait_routes"):
    """Wait until every router has a kernel route to every prefix expected of it.

    Attributes:
        expected: router to prefixes ("10.1.0.0/16").
        timeout_s: longest wait; after it the reply is `Failed` and lists the missing routes of each router.

    Result: `{"seconds": {"r1": 1.2, ...}}`, the time that each router took, from the request on.
    """

    expected: dict[str, tuple[str, ...]]
    timeout_s: float


class ExpectedAdjacency(WireStruct, frozen=True):
    """An expected neighbor of a routing daemon.

    Attributes:
        router, protocol, neighbor, interface, vrf: as in `AdjacencyEvent`.
        names: the neighbor's addresses, router IDs and host name; the daemon may use any of them for it.
        both: whether several adjacencies to it are expected at the interface (IS-IS at both levels).
        neighbor_interface: the interface of the neighbor; empty if none is known.
    """

    router: str
    protocol: str
    neighbor: str
    interface: str = ""
    names: tuple[str, ...] = ()
    vrf: str = ""
    both: bool = False
    neighbor_interface: str = ""

    def is_opposite(self, other: ExpectedAdjacency) -> bool:
        """Whether the other is the same adjacency as its other end expects it."""
        if (self.protocol, self.router, self.neighbor) != (other.protocol, other.neighbor, other.router):
            return False
        if self.neighbor_interface and other.neighbor_interface:
            return (self.interface, self.neighbor_interface) == (other.neighbor_interface, other.interface)
        return self.vrf == other.vrf


class ExpectedRoutes(WireStruct, frozen=True):
    """Expected prefixes ("10.1.0.0/16") of a table of a router's kernel; `vrf` is the table's name for people."""

    router: str
    prefixes: tuple[str, ...]
    table: int = 254
    vrf: str = ""


class WaitConverged(TypedCommand[ConvergenceReply], frozen=True, tag="wait_converged"):
    """Wait until all expected adjacencies and routes exist and nothing has changed for a while. Events: `WaitingFor`.

    Attributes:
        adjacencies, routes: the expected ones; further ones are allowed.
        timeout_s: longest wait, `stable_s` included; after it the reply is `Failed`. It lists the missing ones of each
            router, and the reasons if they are visible.
        stable_s: time without any change of an adjacency or a route, from the request on.
        configured: routers with configuration text about BGP. All sessions that FRR reports as configured there are
            expected, and all their `network` lines.
        possible: pairs of interfaces, one with configuration text about OSPF or IS-IS. Each is expected if FRR reports
            that both ends speak the protocol.

    Result: `{"converged_s": 1.9, "adjacencies": {"r1": 1.2}, "routes": {"r1": 1.9}}`: seconds until the last change,
    and until each router had all its expected adjacencies and routes. The first wait of a lab counts them from the
    start of the daemons, any later one from its request.
    """

    adjacencies: tuple[ExpectedAdjacency, ...]
    routes: tuple[ExpectedRoutes, ...]
    timeout_s: float
    stable_s: float = 0.5
    configured: tuple[str, ...] = ()
    possible: tuple[ExpectedAdjacency, ...] = ()


class WatchAdjacencies(TypedCommand[JsonObject], frozen=True, tag="watch_adjacencies"):
    """Poll all daemons for their neighbors `hz` times a second, and report changes; 0 stops it.

    Without it adjacencies are reported when the daemons log them, which costs nothing; changes that they do not log are
    missed. Events: an `AdjacencyEvent` for each neighbor at once, and for every change.
    """

    hz: float


class Adjacencies(TypedCommand[AdjacenciesReply], frozen=True, tag="adjacencies"):
    """Read the daemons' neighbors now. Result: `{"adjacencies": [...]}`, `AdjacencyEvent`s as dictionaries.

    Attributes:
        routers: the routers to read from; empty for all.
    """

    routers: tuple[str, ...] = ()


class Ping(TypedCommand[PingReply], frozen=True, tag="ping"):
    """Ping from a node. Result: `{"sent": n, "received": n, "duplicates": n, "ttl": [..], "rtt_ms": [..]}`; `sent`
    includes lost requests.

    One more request goes first and is not in the result: it makes the nodes on the path resolve hardware addresses.

    Attributes:
        source: the node.
        address: the destination.
        count: number of requests in the result.
        interval_s: time between two requests.
        timeout_s: time to wait for replies, after the first request and after the last one.
    """

    source: str
    address: str
    count: int = 3
    interval_s: float = 0.2
    timeout_s: float = 2.0


class FollowPath(TypedCommand[PathReply], frozen=True, tag="follow_path"):
    """Look up the path of packets in the kernels' tables, node after node. Result: `{"stops": [...]}`, `PathStop`s as
    dictionaries, the source first; and `{"from": the source's address, empty without a route}`.

    Attributes:
        source: the first node.
        address: the destination.
        vrf: the VRF of the source in which the path begins; empty for none.
    """

    source: str
    address: str
    vrf: str = ""


class Trace(TypedCommand[TraceReply], frozen=True, tag="trace"):
    """Run a traceroute: send echo requests with increasing TTL, and record the senders of the replies.

    Attributes:
        source, address, vrf: as in `FollowPath`.
        most_hops: maximum TTL.
        timeout_s: time to wait for a reply; a hop without one gets a second request.

    Result: `{"hops": [{"ttl": 1, "address": the sender of the reply, empty without one, "nodes": all nodes with this
    address, "rtt_ms": round trip, or null, "said": "" if the TTL expired, REACHED, or the reported error in words}]}`.
    It ends when the address is reached or reported as unreachable, and after four hops without a reply.
    """

    source: str
    address: str
    vrf: str = ""
    most_hops: int = 30
    timeout_s: float = 1.0


class TryDirection(TypedCommand[DirectionReply], frozen=True, tag="try_direction"):
    """Send datagrams over one direction of a link, and count those that arrive.

    Attributes:
        sender, interface: the sending node, and its interface at the link.
        receiver: the node at the other end.
        source, destination: addresses of the two ends, of one family.
        kind: "flood" fills the queue and keeps it full; "count" sends less than the link can carry.
        payload_bytes, frame_bytes: sizes of a datagram's payload, and of its frame as the link counts it.
        rate_mbit: of the link, for a flood; of the sender, for a count.
        queue_bytes: capacity of the link's queue.
        seconds: duration of a flood.
        count: number of datagrams of a count.
        under_way_s: longest delay of a datagram.
        bucket_frames: number of frames that the link's shaper passes at once after an idle time.

    Result: of a flood `{"sent": n, "received": n, "rate_mbit": at the receiver while the queue was not empty, None if
    that time was too short, "backlog_bytes": the highest backlog of the queue}`, without the last two if nearly nothing
    arrived; of a count `{"sent": n, "received": n, "twice": n, "overtaken": n}`.
    """

    sender: str
    interface: str
    receiver: str
    source: str
    destination: str
    kind: str
    payload_bytes: int
    frame_bytes: int
    rate_mbit: float
    queue_bytes: int = 0
    seconds: float = 0.0
    count: int = 0
    under_way_s: float = 1.0
    bucket_frames: int = 3


class RunFlows(TypedCommand[FlowsReply], frozen=True, tag="run_flows"):
    """Send flows and sample meanwhile, and make faults at their times.

    Events: `Samples`, `FlowEvent`, `FaultEvent`. Result: `{"flows": {id: iperf3's own JSON report, or that of our
    own senders, which has a "kind"}, "failures": {id: reason}, "zero_time_s": the lab time that start_s counts from,
    "zero_unix_s": the lab's time of day then, "samplers": {names of nodes: cost of the process that sampled them,
    {"cpu_s": processor time, missing if the kernel only estimates it (a lab kernel), "busy_s": time from the start to
    the end of its samples, other processes included, "seconds": sampling time, "taken": number of samples,
    "left_out": number of samples that were skipped because they were late}}, "faults": [one for each fault: the result
    of its `MakeFault`, or {"error": reason}; None for a fault that was not made], "ways_out": {id: {"interface": the
    source's outgoing interface, "qdiscs": kinds of its qdiscs, the root's first}}, "counters": {sending node: {name of
    a TCP counter of the kernel: its increase}}, "queue_drops": {direction: [dropped packets at the end of the flows,
    and after the last sample]}, "captures": {"NODE:INTERFACE": {"file": below the writable folder, "captured" and
    "dropped": numbers of packets, None if unknown}}}`.

    Attributes:
        flows: the flows to send.
        queues: the queues to sample.
        sample_hz: samples per second; 0 for none.
        faults: the faults to make.
        captures: the interfaces to capture packets at.
    """

    flows: tuple[FlowPlan, ...]
    queues: tuple[QueueProbe, ...] = ()
    sample_hz: float = 100.0
    faults: tuple[FaultPlan, ...] = ()
    captures: tuple[CapturePlan, ...] = ()


class Execute(TypedCommand[ExecuteReply], frozen=True, tag="execute"):
    """Run a command in a node ("" for the lab itself). Result: `{"status": n, "stdout": text, "stderr": text}`."""

    node: str
    argv: tuple[str, ...]
    timeout_s: float = 30.0


class Vtysh(TypedCommand[VtyshReply], frozen=True, tag="vtysh"):
    """Run vtysh commands on a router, one after the other in one vtysh. Result: `{"text": output}`."""

    router: str
    commands: tuple[str, ...]
    timeout_s: float = 30.0


#: Time limit for reading all configurations when a lab ends; later ones are lost. Stopped daemons are not asked.
LAST_REPLY_S = 8.0


class ReadConfigurations(TypedCommand[ConfigurationsReply], frozen=True, tag="read_configurations"):
    """Read the configuration of every daemon, as it was when the lab was up and as it is now.

    Attributes:
        routers: the routers to read from; empty for all.
        timeout_s: time limit for all daemons together; a daemon without a reply by then is listed as silent.

    Result: `{"routers": {"r1": {"start": {daemon: text}, "now": {daemon: text}, "silent": {daemon: reason},
    "written": {file: text}}}}`; `written` are files of /etc/frr that have changed since the start.
    """

    routers: tuple[str, ...] = ()
    timeout_s: float = 3.0


class SetLink(TypedCommand[ChangeReply], frozen=True, tag="set_link"):
    """Give a link carrier (`up`) or take it away at both ends."""

    link: str
    up: bool


class KillDaemon(TypedCommand[ChangeReply], frozen=True, tag="kill_daemon"):
    """Send a signal to a router's daemon by its pid; 9 kills it, 19 stops it, 18 continues it."""

    router: str
    daemon: str
    signal: int = 9


class RestartDaemon(TypedCommand[ChangeReply], frozen=True, tag="restart_daemon"):
    """End a router's daemon if it runs, start it with its configuration file, and wait until it responds."""

    router: str
    daemon: str


class AddDaemon(TypedCommand[ChangeReply], frozen=True, tag="add_daemon"):
    """Start a daemon that the router does not have in the topology, and wait until it responds.

    A daemon that the router has is left alone, even a dead one: it was killed on purpose.
    """

    router: str
    daemon: str


class MakeFault(TypedCommand[ChangeReply], frozen=True, tag="make_fault"):
    """Make a fault now. Event: `FaultEvent`, one for each fault that happens.

    The reply is sent when the fault is made. Flaps, and the end of a fault with a duration, come later; but a router
    that is power-cycled runs again by then. Result, for changed values of a link: `{"qdiscs": {"NODE": [...], "":
    [...]}, "cables": {"a": "dev", "b": "dev"}}`, the kernel's read-back of its qdiscs as in the reply to `Build`, and
    the interfaces of the link namespace that send packets towards the ends.
    """

    fault: FaultPlan


class AskFaults(TypedCommand[ActiveFaults], frozen=True, tag="ask_faults"):
    """List the faults in force. Result: `{"links_down": [...], "interfaces_down": ["r1:r1-eth0"], "frozen": [...],
    "stopped": ["r1:bgpd"], "dead": ["r1:bgpd"], "lossy": [links], "values": {link: as in `FaultPlan`}}`."""


class ChangeLab(TypedCommand[LabChangeReply], frozen=True, tag="change_lab"):
    """Change the lab; nodes that disappear keep running until `EndChange`. A failed change is taken back.

    Result: as that of `Build` without "versions", and the read-back of the nodes concerned: `"interfaces": {"NODE":
    [{"name": .., "addresses": ["10.0.0.1/16"], "mtu": n}]}`, without link-local addresses, and `"configurations":
    {"r1": {daemon: text}}` of changed routers.
    """

    change: LabChange


class EndChange(TypedCommand[EndedChange], frozen=True, tag="end_change"):
    """End a change: `keep` it and remove the nodes that disappear, or take it back. Result: `{"warnings": [..]}`."""

    keep: bool


class SaveLogs(TypedCommand[ChangeReply], frozen=True, tag="save_logs"):
    """Copy the logs of all daemons into the writable folder's `logs`, as `Stop` does; the lab goes on."""


class Stop(TypedCommand[StopReply], frozen=True, tag="stop"):
    """Run stop commands, end daemons and processes, collect logs, then end the agent (after its `Done`).

    Attributes:
        configurations: whether the configurations are read before anything ends.

    Result: with `configurations` that of `ReadConfigurations`.
    """

    configurations: bool = False


Command = (
    Build
    | WaitRoutes
    | WaitConverged
    | WatchAdjacencies
    | Adjacencies
    | Ping
    | FollowPath
    | Trace
    | TryDirection
    | RunFlows
    | Execute
    | Vtysh
    | ReadConfigurations
    | SetLink
    | KillDaemon
    | RestartDaemon
    | AddDaemon
    | MakeFault
    | AskFaults
    | ChangeLab
    | EndChange
    | SaveLogs
    | Stop
)

#: The type of the reply to each command.
REPLIES: dict[type, Any] = {command: get_args(command.__orig_bases__[0])[0] for command in get_args(Command)}


def parse_reply(command: TypedCommand[Reply], result: JsonObject) -> Reply:
    """The result of an agent for a command, converted to the type of the command's reply.

    Raises:
        msgspec.ValidationError: it has another form; the message names the place.
    """
    reply: Reply = convert_reply(REPLIES[type(command)], result)
    return reply
