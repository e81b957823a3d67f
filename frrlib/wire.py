"""The typed messages between a `Lab` outside and the agent inside.

Outside decides, inside does: what the agent is asked to build is a `Plan`, in which every address, `tc` command and
configuration file is already written out. So the agent needs neither the model nor its validation, and starts quickly
where starting is dear (in a lab kernel a page fault costs a third of a millisecond).

One message is one line of JSON. Outside sends `Request`s, inside answers each with exactly one `Done` or `Failed` that
repeats its `id`; `Event`s come at any time in between.

Times named `time_s` are seconds of the lab's own monotonic clock; the clock's zero is of no meaning, differences are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

WIRE_VERSION = 1


class _Value(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of all messages and their parts: frozen, strict about unknown fields."""


# --- the plan of a lab ----------------------------------------------------------------------------------------------


class InterfacePlan(_Value, frozen=True):
    """One end of a link.

    Attributes:
        node: name of the node that has it.
        name: name of the interface, 1 to 15 characters.
        addresses: addresses with prefix length, "10.0.0.1/16" or "2001:db8::1/64".
        mac: hardware address, empty for the kernel's choice.
        mtu_bytes: MTU, 0 for the kernel's default.
        tc: arguments of `tc`, one command a line, run in order in the node ("qdisc replace dev r1-eth0 root ...").
    """

    node: str
    name: str
    addresses: tuple[str, ...] = ()
    mac: str = ""
    mtu_bytes: int = 0
    tc: tuple[str, ...] = ()


class LinkPlan(_Value, frozen=True):
    """A link between two interfaces.

    Where either direction has delay or loss the link runs through the lab's *cable room*, a namespace of its own in
    which each end of the link has a counterpart. What arrives at one counterpart is redirected to the other, whose
    egress queue delays and loses it. So no delay sits on a node's own queue, and a queue limit counts the queue only.

    Attributes:
        id: the link's id in the topology.
        a, b: its two ends.
        cable_tc_to_b: arguments of `tc` (as in `InterfacePlan.tc`) for the counterpart from which packets leave
            towards `b`; `{dev}` stands for its name. Empty, together with `cable_tc_to_a`, for a plain veth pair.
        cable_tc_to_a: the same towards `a`. One direction may be empty, for one without delay and loss.
        offloads: whether segmentation and receive offloads stay on at both ends.
        checksums: whether senders may leave checksums out, as kernels do among themselves; not where a program reads
            the packets, as Open vSwitch does.
        up: whether the link has carrier at the start.
    """

    id: str
    a: InterfacePlan
    b: InterfacePlan
    cable_tc_to_b: tuple[str, ...] = ()
    cable_tc_to_a: tuple[str, ...] = ()
    offloads: bool = True
    checksums: bool = True
    up: bool = True


class RoutePlan(_Value, frozen=True):
    """A route that is set in the kernel at the start: `prefix` ("0.0.0.0/0") via the address `via`."""

    prefix: str
    via: str


class VlanPlan(_Value, frozen=True):
    """A VLAN sub-interface `interface.vlan_id` with its addresses."""

    interface: str
    vlan_id: int
    addresses: tuple[str, ...] = ()


class PrivateDirPlan(_Value, frozen=True):
    """A folder that a node has for itself.

    Attributes:
        path: where the node sees it, an absolute path.
        kept: folder behind it, relative to the lab's writable folder, which outlives the lab; empty for a tmpfs.
    """

    path: str
    kept: str = ""


class CpuPlan(_Value, frozen=True):
    """What a node may use of the CPUs.

    Attributes:
        percent: share of all CPUs of the place, 0 for no limit.
        cores: numbers of the CPUs that it may use; empty for all.
    """

    percent: float = 0.0
    cores: tuple[int, ...] = ()


class SwitchPlan(_Value, frozen=True):
    """A switch of Open vSwitch.

    Attributes:
        ovs: arguments of `ovs-vsctl`, one command each, which make the bridge; `{datapath}` stands for the type of
            datapath that the place has. All switches of a lab are made in one transaction.
        controllers: how it calls its controllers ("tcp:127.0.0.1:6633"); `ovs` has them too.
        addresses: addresses with prefix length of the switch itself, on its local port, which has its name.
    """

    ovs: tuple[tuple[str, ...], ...]
    controllers: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()


class ControllerPlan(_Value, frozen=True):
    """A controller that the lab runs.

    Attributes:
        programs: names of programs that can do it; the first that is installed does.
        arguments: its arguments; it is started once for each, since a program serves so many switches and no more.
    """

    programs: tuple[str, ...]
    arguments: tuple[tuple[str, ...], ...]


class FrrPlan(_Value, frozen=True):
    """FRR on a router.

    Attributes:
        daemons: names without path, zebra first ("zebra", "bgpd").
        files: file name below /etc/frr to its text ("frr.conf", "vtysh.conf", "daemons").
    """

    daemons: tuple[str, ...]
    files: dict[str, str]


class NodePlan(_Value, frozen=True):
    """A node.

    Attributes:
        name: its name, also its namespace's and host name.
        kind: "host", "router", "bridge", "switch" or "controller".
        loopbacks: addresses with prefix length on `lo`.
        routes: kernel routes set once all interfaces are up.
        sysctls: key with dots ("net.ipv4.ip_forward") to value, set in the node's namespace.
        vlans: VLAN sub-interfaces.
        private_dirs: folders that this node has for itself.
        external_interfaces: interfaces of the machine that this node gets; the place has them in the lab by then.
        cpu: limits of the node's processes; None for none.
        stp: whether a bridge speaks the spanning tree protocol.
        frr: FRR's daemons and files; None where it runs none.
        switch: what makes a switch one of Open vSwitch; None for a plain bridge.
        controller: what a controller runs; None for one that somebody else runs.
        targets: how switches call a controller ("tcp:127.0.0.1:6633"); several for one that is several programs.
        start_command, stop_command: lines for a shell in the node, empty for none.
    """

    name: str
    kind: str
    loopbacks: tuple[str, ...] = ()
    routes: tuple[RoutePlan, ...] = ()
    sysctls: dict[str, str] = {}
    vlans: tuple[VlanPlan, ...] = ()
    private_dirs: tuple[PrivateDirPlan, ...] = ()
    external_interfaces: tuple[str, ...] = ()
    cpu: CpuPlan | None = None
    stp: bool = False
    frr: FrrPlan | None = None
    switch: SwitchPlan | None = None
    controller: ControllerPlan | None = None
    targets: tuple[str, ...] = ()
    start_command: str = ""
    stop_command: str = ""


class Plan(_Value, frozen=True):
    """All that is needed to build a lab."""

    nodes: tuple[NodePlan, ...]
    links: tuple[LinkPlan, ...]


class FlowPlan(_Value, frozen=True):
    """One TCP flow, sent with iperf3.

    Attributes:
        id: the flow's id; one of several equal ones has a suffix ("bbr.2").
        source, destination: names of nodes; data goes from source to destination.
        address: address of the destination, without prefix length.
        port: the server's port.
        source_port: the port of the data connection at the source, by which samples are told apart.
        congestion_control: the kernel's name ("bbr").
        start_s: when it starts, from the start of all flows.
        duration_s: how long it sends; 0 where `size_bytes` ends it.
        size_bytes: how much it sends; 0 where `duration_s` ends it.
    """

    id: str
    source: str
    destination: str
    address: str
    port: int
    source_port: int
    congestion_control: str
    start_s: float = 0.0
    duration_s: float = 10.0
    size_bytes: int = 0


class QueueProbe(_Value, frozen=True):
    """A queue to sample: the root qdisc of `interface` in `node`, reported as `direction` ("l1:r1-r2") of a link."""

    direction: str
    node: str
    interface: str


# --- requests -------------------------------------------------------------------------------------------------------


class Build(_Value, frozen=True, tag="build"):
    """Make the lab and start its daemons.

    Result: `{"qdiscs": {"NODE": [...], "": [...]}}`, the kernel's read-back of every qdisc as `tc -j -r qdisc show`
    tells it, by node (the empty name is the cable room); `"cables": {"l1:r1-r2": "dev"}`, the cable room's interface
    from which each direction goes on; `"versions": {"frr": ...}` of the programs that a lab uses; `"failed_commands":
    {"NODE": why}`, of start commands that failed, and of controllers that somebody else runs and that are not there.
    """

    plan: Plan


class WaitRoutes(_Value, frozen=True, tag="wait_routes"):
    """Wait until every router has a kernel route to every prefix expected of it.

    Attributes:
        expected: router to prefixes ("10.1.0.0/16").
        timeout_s: how long to wait; then the answer is `Failed`, naming who misses what.

    Result: `{"seconds": {"r1": 1.2, ...}}`, the time each router took from the request on.
    """

    expected: dict[str, tuple[str, ...]]
    timeout_s: float


class Ping(_Value, frozen=True, tag="ping"):
    """Ping from a node. Result: `{"sent": n, "received": n, "ttl": [..], "rtt_ms": [..]}`, lost ones in `sent`."""

    source: str
    address: str
    count: int = 3
    interval_s: float = 0.2
    timeout_s: float = 2.0


class RunFlows(_Value, frozen=True, tag="run_flows"):
    """Send flows and sample meanwhile. Events: `Samples`, `FlowEvent`. Result: `{"flows": {id: iperf3's own JSON
    report}, "failures": {id: why}, "zero_time_s": the lab time that start_s counts from, "sampler_cpu_s": {...}}`."""

    flows: tuple[FlowPlan, ...]
    queues: tuple[QueueProbe, ...] = ()
    sample_hz: float = 100.0


class Execute(_Value, frozen=True, tag="execute"):
    """Run a command in a node ("" for the lab itself). Result: `{"status": n, "stdout": text, "stderr": text}`."""

    node: str
    argv: tuple[str, ...]
    timeout_s: float = 30.0


class Vtysh(_Value, frozen=True, tag="vtysh"):
    """Run vtysh commands on a router, one after the other in one vtysh. Result: `{"text": output}`."""

    router: str
    commands: tuple[str, ...]
    timeout_s: float = 30.0


class SetLink(_Value, frozen=True, tag="set_link"):
    """Give a link carrier (`up`) or take it away at both ends."""

    link: str
    up: bool


class KillDaemon(_Value, frozen=True, tag="kill_daemon"):
    """Send a signal to a router's daemon by its pid; 9 kills it, 19 stops it, 18 lets it go on."""

    router: str
    daemon: str
    signal: int = 9


class RestartDaemon(_Value, frozen=True, tag="restart_daemon"):
    """End a router's daemon if it runs, start it with its configuration file, and wait until it answers."""

    router: str
    daemon: str


class Stop(_Value, frozen=True, tag="stop"):
    """Run stop commands, end daemons and processes, collect logs, then end the agent (after its `Done`)."""


Command = Build | WaitRoutes | Ping | RunFlows | Execute | Vtysh | SetLink | KillDaemon | RestartDaemon | Stop


class Request(_Value, frozen=True):
    """A command with the number that its answer repeats."""

    id: int
    command: Command


# --- what comes back ------------------------------------------------------------------------------------------------


class Ready(_Value, frozen=True, tag="ready"):
    """The agent is there. `facts`: kernel release, tool versions, clock ("monotonic", seconds), boot times."""

    version: int
    facts: dict[str, Any] = {}


class Step(_Value, frozen=True, tag="step"):
    """Progress: `name` ("daemons", "r1") reached `state` ("start", "done", "failed") at `time_s`; `text` for people."""

    name: str
    state: str
    time_s: float
    text: str = ""


class Samples(_Value, frozen=True, tag="samples"):
    """Rows of one table ("tcp", "queue"), in the order of its columns (see `TABLES`)."""

    table: str
    rows: list[list[Any]]


class FlowEvent(_Value, frozen=True, tag="flow"):
    """A flow changed: `what` is "start", "end" or "failed"; `time_s` counts from the start of all flows."""

    flow: str
    what: str
    time_s: float
    text: str = ""


class DaemonDied(_Value, frozen=True, tag="daemon_died"):
    """A daemon ended without being asked: its exit status (negative: a signal) and the end of its log."""

    router: str
    daemon: str
    status: int
    log: str
    time_s: float


class RouteEvent(_Value, frozen=True, tag="route"):
    """A route came (`added`) or went in a router's kernel table."""

    router: str
    prefix: str
    added: bool
    time_s: float


class Done(_Value, frozen=True, tag="done"):
    """The answer to a request: its result, as the request's docstring says."""

    id: int
    result: dict[str, Any] = {}


class Failed(_Value, frozen=True, tag="failed"):
    """The answer to a request that failed.

    Attributes:
        kind: "lab" (the lab did not do what was asked), "command" (a command in it failed), "machine" (the place lacks
            something) or "internal" (a defect of ours; `trace` has the traceback).
        why: one message for the user, naming the node.
    """

    id: int
    kind: str
    why: str
    argv: tuple[str, ...] = ()
    status: int = 0
    stderr: str = ""
    trace: str = ""


Message = Ready | Step | Samples | FlowEvent | DaemonDied | RouteEvent | Done | Failed

#: Columns of the sample tables, in order. `time_s` counts from the start of all flows; None is "not known".
TABLES: dict[str, tuple[str, ...]] = {
    "tcp": (
        "time_s", "flow", "side", "state", "cwnd_packets", "ssthresh_packets", "mss_bytes", "unacked_packets",
        "srtt_ms", "rttvar_ms", "min_rtt_ms", "pacing_rate_mbit", "delivery_rate_mbit", "bytes_acked",
        "bytes_received", "bytes_sent", "bytes_retrans", "retransmits", "lost_packets", "app_limited",
        "congestion_control", "bbr_bandwidth_mbit", "bbr_min_rtt_ms", "bbr_pacing_gain", "bbr_cwnd_gain",
    ),
    "queue": (
        "time_s", "direction", "backlog_bytes", "backlog_packets", "sent_bytes", "sent_packets", "drops", "marks",
        "overlimits", "requeues",
    ),
}  # fmt: skip

_requests = msgspec.json.Decoder(Request)
_messages: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)
_encoder = msgspec.json.Encoder()


def encode(message: Request | Message) -> bytes:
    """The message as one line, its newline included."""
    return _encoder.encode(message) + b"\n"


def decode_request(line: bytes) -> Request:
    """The request in a line. Raises msgspec.ValidationError or msgspec.DecodeError for anything else."""
    return _requests.decode(line)


def decode_message(line: bytes) -> Message:
    """The message in a line. Raises msgspec.ValidationError or msgspec.DecodeError for anything else."""
    return _messages.decode(line)


def lines(stream: BinaryIO, size: int = 65536) -> Iterator[bytes]:
    """The lines of an unbuffered stream as they come, without their newlines, until it ends."""
    rest = b""
    while chunk := stream.read(size):
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole
