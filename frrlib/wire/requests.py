"""A `Lab`'s requests to the agent: the commands of the wire."""

from __future__ import annotations

from typing import Any, Generic, TypeVar, get_args

from frrlib.wire.plan import CapturePlan, FaultPlan, FlowPlan, Plan, QueueProbe, WireStruct
from frrlib.wire.replies import (
    ActiveFaults,
    AdjacenciesReply,
    BuildReply,
    ChangeReply,
    ConfigurationsReply,
    ConvergenceReply,
    DirectionReply,
    ExecuteReply,
    FlowsReply,
    JsonObject,
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
    """A command whose answer is an `Reply` (`frrlib.wire.replies`), which its docstring describes."""


class Build(TypedCommand[BuildReply], frozen=True, tag="build"):
    """Make the lab and start its daemons.

    Result: `{"qdiscs": {"NODE": [...], "": [...]}}`, the kernel's read-back of every qdisc as `tc -j -r qdisc show`
    tells it, by node (the empty name is the cable room); `"kernels": {"NODE": {"sysctls": {key: text}, "routes":
    [...]}}`, settings and routes of the nodes that are read back, a route with the fields of `RoutePlan`; `"cables":
    {"l1:r1-r2": "dev"}`, the cable room's interface from which each direction goes on; `"versions": {"frr": ...}` of
    the programs that a lab uses; `"warnings": ["NODE: words"]`, of qdiscs that the kernel made all the same, and of
    controllers that somebody else runs and that do not answer; `"failed_commands": {"NODE": why}`, of start commands
    that failed.
    """

    plan: Plan


class WaitRoutes(TypedCommand[RoutesReply], frozen=True, tag="wait_routes"):
    """Wait until every router has a kernel route to every prefix expected of it.

    Attributes:
        expected: router to prefixes ("10.1.0.0/16").
        timeout_s: how long to wait; then the answer is `Failed`, naming who misses what.

    Result: `{"seconds": {"r1": 1.2, ...}}`, the time each router took from the request on.
    """

    expected: dict[str, tuple[str, ...]]
    timeout_s: float


class ExpectedAdjacency(WireStruct, frozen=True):
    """A neighbour that a routing daemon must have.

    Attributes:
        router, protocol, neighbor, interface, vrf: as in `AdjacencyEvent`.
        names: what the daemon may call the neighbour: its addresses, router ids, its host name; any of them will do.
        both: whether several adjacencies to it are expected at the interface (IS-IS at both levels).
    """

    router: str
    protocol: str
    neighbor: str
    interface: str = ""
    names: tuple[str, ...] = ()
    vrf: str = ""
    both: bool = False


class ExpectedRoutes(WireStruct, frozen=True):
    """Prefixes ("10.1.0.0/16") that a router's kernel must have in a table; `vrf` names it for people."""

    router: str
    prefixes: tuple[str, ...]
    table: int = 254
    vrf: str = ""


class WaitConverged(TypedCommand[ConvergenceReply], frozen=True, tag="wait_converged"):
    """Wait until all that is expected is there and nothing has changed for a while. Events: `WaitingFor`.

    Attributes:
        adjacencies, routes: what is expected; there may be more.
        timeout_s: how long to wait, `stable_s` included; then the answer is `Failed`, naming who misses what, and why
            where that can be seen.
        stable_s: for how long neither an adjacency nor a route may change, from the request on.

    Result: `{"converged_s": 1.9, "adjacencies": {"r1": 1.2}, "routes": {"r1": 1.9}}`: seconds until anything changed
    last, and until each router had all adjacencies and all routes that are expected of it. The first wait of a lab
    counts them from when its daemons had started, any other from its request.
    """

    adjacencies: tuple[ExpectedAdjacency, ...]
    routes: tuple[ExpectedRoutes, ...]
    timeout_s: float
    stable_s: float = 0.5


class WatchAdjacencies(TypedCommand[JsonObject], frozen=True, tag="watch_adjacencies"):
    """Ask all daemons for their neighbours so often a second from now on, and tell what changes; 0 for never again.

    Without it adjacencies are told as the daemons log them, which costs nothing; what they do not log is not. Events:
    an `AdjacencyEvent` for each neighbour at once, and for every change.
    """

    hz: float


class Adjacencies(TypedCommand[AdjacenciesReply], frozen=True, tag="adjacencies"):
    """Ask daemons for their neighbours now. Result: `{"adjacencies": [...]}`, `AdjacencyEvent`s as dictionaries.

    Attributes:
        routers: whose; empty for all.
    """

    routers: tuple[str, ...] = ()


class Ping(TypedCommand[PingReply], frozen=True, tag="ping"):
    """Ping from a node. Result: `{"sent": n, "received": n, "duplicates": n, "ttl": [..], "rtt_ms": [..]}`, lost ones
    in `sent`.

    One more request goes first and is not in the result: with it the nodes on the path resolve hardware addresses.

    Attributes:
        source: the node.
        address: the destination.
        count: number of requests in the result.
        interval_s: time between two requests.
        timeout_s: how long to wait for answers, after the first request and after the last one.
    """

    source: str
    address: str
    count: int = 3
    interval_s: float = 0.2
    timeout_s: float = 2.0


class FollowPath(TypedCommand[PathReply], frozen=True, tag="follow_path"):
    """Ask the kernels, node after node, where they would send packets. Result: `{"stops": [...]}`, `PathStop`s as
    dictionaries, the source first; and `{"from": the source's address, empty where it has no route}`.

    Attributes:
        source: the node where packets begin.
        address: to whom they go.
        vrf: in which of the source's VRFs they begin; empty for none.
    """

    source: str
    address: str
    vrf: str = ""


class Trace(TypedCommand[TraceReply], frozen=True, tag="trace"):
    """Send echo requests with one more hop to live each, and hear who answers.

    Attributes:
        source, address, vrf: as in `FollowPath`.
        most_hops: how far to look.
        timeout_s: how long to wait for an answer; who does not answer is asked a second time.

    Result: `{"hops": [{"ttl": 1, "address": who answered, empty for nobody, "nodes": all that have this address,
    "rtt_ms": round trip, or null, "said": "" where the packet's life was over, REACHED, or what is wrong in words}]}`.
    It ends where the address is reached, where somebody says that it cannot be, and after four silent hops.
    """

    source: str
    address: str
    vrf: str = ""
    most_hops: int = 30
    timeout_s: float = 1.0


class TryDirection(TypedCommand[DirectionReply], frozen=True, tag="try_direction"):
    """Send datagrams over one direction of a link, from its one end to its other, and see what comes.

    Attributes:
        sender, interface: the node that sends, and its interface at the link.
        receiver: the node at the other end.
        source, destination: addresses of the two ends, of one family.
        kind: "flood" fills the queue and keeps it full; "count" sends less than the link can carry.
        payload_bytes, frame_bytes: of a datagram, and what the link counts for it.
        rate_mbit: of the link in a flood; of what is sent in a count.
        queue_bytes: how much the link's queue takes.
        seconds: how long a flood lasts.
        count: how many datagrams a count sends.
        under_way_s: how long a datagram is under way at most.
        bucket_frames: how many frames the link's shaper lets pass at once behind an idle moment.

    Result: of a flood `{"sent": n, "received": n, "rate_mbit": at the far end, while the queue was not empty, None
    where that was too short to tell, "backlog_bytes": the fullest that the queue was seen}`, without the later ones
    where nearly nothing came; of a count `{"sent": n, "received": n, "twice": n, "overtaken": n}`.
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
    own senders, which has a "kind"}, "failures": {id: why}, "zero_time_s": the lab time that start_s counts from,
    "zero_unix_s": the lab's time of day then, "samplers": {names of nodes: what the process that sampled them cost,
    {"cpu_s": processor time, missing where the kernel only guesses it (a lab kernel), "busy_s": from the beginnings
    to the ends of its samples, other processes included, "seconds": how long it sampled, "taken": number of
    samples, "left_out": number of those for which it came too late}}, "faults": [one for each fault, what
    `MakeFault` would have answered, or {"error": why}; None for one that did not come], "ways_out": {id:
    {"interface": by which its packets leave the source, "qdiscs": kinds of qdiscs there, the root's first}},
    "counters": {node that sends: {name of a counter of the kernel's TCP: by how much it grew}}, "queue_drops":
    {direction: [packets dropped when the flows had ended, and after the last sample]}, "captures": {"NODE:INTERFACE":
    {"file": below the writable folder, "captured" and "dropped": numbers of packets, None where they are not
    known}}}`.

    Attributes:
        flows: what is sent.
        queues: what is sampled beside the flows.
        sample_hz: samples a second; 0 for none.
        faults: what goes wrong, and when.
        captures: whose packets are kept.
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


#: How long all daemons together may take to tell their configurations when a lab ends: what is not told then is lost.
#: Those that stand still are not asked.
LAST_REPLY_S = 8.0


class ReadConfigurations(TypedCommand[ConfigurationsReply], frozen=True, tag="read_configurations"):
    """Read the configuration of every daemon, as it was when the lab was up and as it is now.

    Attributes:
        routers: whose; empty for all.
        timeout_s: how long the daemons may take together; one that says nothing until then is told as silent.

    Result: `{"routers": {"r1": {"start": {daemon: text}, "now": {daemon: text}, "silent": {daemon: why},
    "written": {file: text}}}}`; `written` are files of /etc/frr that are no longer as they were at the start.
    """

    routers: tuple[str, ...] = ()
    timeout_s: float = 3.0


class SetLink(TypedCommand[ChangeReply], frozen=True, tag="set_link"):
    """Give a link carrier (`up`) or take it away at both ends."""

    link: str
    up: bool


class KillDaemon(TypedCommand[ChangeReply], frozen=True, tag="kill_daemon"):
    """Send a signal to a router's daemon by its pid; 9 kills it, 19 stops it, 18 lets it go on."""

    router: str
    daemon: str
    signal: int = 9


class RestartDaemon(TypedCommand[ChangeReply], frozen=True, tag="restart_daemon"):
    """End a router's daemon if it runs, start it with its configuration file, and wait until it answers."""

    router: str
    daemon: str


class AddDaemon(TypedCommand[ChangeReply], frozen=True, tag="add_daemon"):
    """Start a daemon that the router was drawn without, and wait until it answers.

    Nothing is done where it is one of the router's, be it dead: who killed it wants it so.
    """

    router: str
    daemon: str


class MakeFault(TypedCommand[ChangeReply], frozen=True, tag="make_fault"):
    """Make a fault now. Event: `FaultEvent`, one for each that happens.

    The answer comes when it is made; where it flaps or ends by itself, that goes on meanwhile. A router that is
    power-cycled is there again by then. Result, for changed values of a link: `{"qdiscs": {"NODE": [...], "": [...]},
    "cables": {"a": "dev", "b": "dev"}}`, the kernel's read-back of its qdiscs as `Build` gives it, and the cable room's
    interfaces from which packets leave towards the ends.
    """

    fault: FaultPlan


class AskFaults(TypedCommand[ActiveFaults], frozen=True, tag="ask_faults"):
    """Ask what is out of order. Result: `{"links_down": [...], "interfaces_down": ["r1:r1-eth0"], "frozen": [...],
    "stopped": ["r1:bgpd"], "dead": ["r1:bgpd"], "lossy": [links], "values": {link: as in `FaultPlan`}}`."""


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
    | SaveLogs
    | Stop
)

#: The form of the answer to each command.
REPLIES: dict[type, Any] = {command: get_args(command.__orig_bases__[0])[0] for command in get_args(Command)}


def parse_reply(asked: TypedCommand[Reply], result: JsonObject) -> Reply:
    """What an agent answered to a command, in the form that it was asked for.

    Raises:
        msgspec.ValidationError: it is not an answer to that; the text says where.
    """
    taken: Reply = convert_reply(REPLIES[type(asked)], result)
    return taken
