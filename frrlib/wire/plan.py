"""The plan of a lab: what the agent is asked to build, every address, command and file in it written out.

Outside decides, inside does; so the agent needs neither the model nor its validation, and starts quickly where starting
is dear (in a lab kernel a page fault costs a third of a millisecond).
"""

from __future__ import annotations

from typing import Any

import msgspec


class WireStruct(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of all messages and their parts: frozen, strict about unknown fields."""


class InterfacePlan(WireStruct, frozen=True):
    """One end of a link.

    Attributes:
        node: name of the node that has it.
        name: name of the interface, 1 to 15 characters.
        addresses: addresses with prefix length, "10.0.0.1/16" or "2001:db8::1/64".
        mac: hardware address, empty for the kernel's choice.
        mtu_bytes: MTU, 0 for the kernel's default.
        tc: arguments of `tc`, one command a line, run in order in the node ("qdisc replace dev r1-eth0 root ...").
        offloads: whether segmentation and receive offloads stay on.
        neighbor_probes: number of requests for a neighbor's hardware address, 0 for the kernel's own.
    """

    node: str
    name: str
    addresses: tuple[str, ...] = ()
    mac: str = ""
    mtu_bytes: int = 0
    tc: tuple[str, ...] = ()
    offloads: bool = True
    neighbor_probes: int = 0


class LinkPlan(WireStruct, frozen=True):
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
        checksums: whether senders may leave checksums out, as kernels do among themselves; not where a program reads
            the packets, as Open vSwitch does.
        up: whether the link has carrier at the start.
    """

    id: str
    a: InterfacePlan
    b: InterfacePlan
    cable_tc_to_b: tuple[str, ...] = ()
    cable_tc_to_a: tuple[str, ...] = ()
    checksums: bool = True
    up: bool = True


class RoutePlan(WireStruct, frozen=True):
    """A route that is set in the kernel at the start.

    Attributes:
        prefix: "0.0.0.0/0".
        via: address of the next hop; empty for a network that is connected at `interface`, in place of the route that
            the kernel makes for an address.
        interface: of the connected network; empty where `via` says it.
        source: the address that packets to a connected network come from; empty for IPv6, which chooses by itself.
        congestion_control: of TCP that takes the route; empty for none of its own.
        initial_window_packets, initial_receive_window_packets: of TCP that takes it; 0 for the kernel's.
    """

    prefix: str
    via: str = ""
    interface: str = ""
    source: str = ""
    congestion_control: str = ""
    initial_window_packets: int = 0
    initial_receive_window_packets: int = 0

    @property
    def has_metrics(self) -> bool:
        """Whether it says anything about TCP."""
        windows = self.initial_window_packets or self.initial_receive_window_packets
        return bool(self.congestion_control or windows)


class VlanPlan(WireStruct, frozen=True):
    """A VLAN sub-interface `interface.vlan_id` with its addresses."""

    interface: str
    vlan_id: int
    addresses: tuple[str, ...] = ()


class PrivateDirPlan(WireStruct, frozen=True):
    """A folder that a node has for itself.

    Attributes:
        path: where the node sees it, an absolute path.
        kept: folder behind it, relative to the lab's writable folder, which outlives the lab; empty for a tmpfs.
    """

    path: str
    kept: str = ""


class CpuPlan(WireStruct, frozen=True):
    """The CPU limits of a node.

    Attributes:
        percent: share of all CPUs of the place, 0 for no limit.
        cores: numbers of the CPUs that it may use; empty for all.
    """

    percent: float = 0.0
    cores: tuple[int, ...] = ()


class SwitchPlan(WireStruct, frozen=True):
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


class ControllerPlan(WireStruct, frozen=True):
    """A controller that the lab runs.

    Attributes:
        programs: names of programs that can do it; the first that is installed does.
        arguments: its arguments; it is started once for each, since a program serves so many switches and no more.
    """

    programs: tuple[str, ...]
    arguments: tuple[tuple[str, ...], ...]


class VrfPlan(WireStruct, frozen=True):
    """A routing table of its own.

    Attributes:
        name: of its device.
        table: number of the kernel's routing table.
        interfaces: names of those that belong to it.
    """

    name: str
    table: int
    interfaces: tuple[str, ...] = ()


class FrrPlan(WireStruct, frozen=True):
    """FRR on a router.

    Attributes:
        daemons: names without path, zebra first ("zebra", "bgpd").
        files: file name below /etc/frr to its text ("frr.conf", "vtysh.conf", "daemons").
        turn: when bgpd starts: 0 for with the other daemons, 1 for when all of turn 0 listen, and so on.
        callers: addresses of BGP's neighbours that are to call first, and are not called until the lab has started.
    """

    daemons: tuple[str, ...]
    files: dict[str, str]
    turn: int = 0
    callers: tuple[str, ...] = ()


class NodePlan(WireStruct, frozen=True):
    """A node.

    Attributes:
        name: its name, also its namespace's and host name.
        kind: "host", "router", "bridge", "switch" or "controller".
        loopbacks: addresses with prefix length on `lo`.
        routes: kernel routes set once all interfaces are up.
        sysctls: key with dots ("net.ipv4.ip_forward") to value, set in the node's namespace.
        read_back: whether `sysctls` and `routes` are read back when the lab is built.
        vlans: VLAN sub-interfaces.
        vrfs: routing tables besides the main one.
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
    read_back: bool = False
    vlans: tuple[VlanPlan, ...] = ()
    vrfs: tuple[VrfPlan, ...] = ()
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


class Plan(WireStruct, frozen=True):
    """All that is needed to build a lab.

    Attributes:
        delay_tables: text of tables of delays, by the name under which commands of `tc` speak of them.
        hosts: text of the lab's `/etc/hosts`; empty where it has the machine's own.
    """

    nodes: tuple[NodePlan, ...]
    links: tuple[LinkPlan, ...]
    delay_tables: dict[str, str] = {}
    hosts: str = ""


class FlowPlan(WireStruct, frozen=True):
    """One flow.

    Attributes:
        id: the flow's id; one of several equal ones has a suffix ("bbr.2").
        source, destination: names of nodes; data goes from source to destination.
        address: address of the destination, without prefix length.
        port: the server's port.
        source_port: the port of the data connection at the source, by which samples are told apart; further streams
            have those behind it.
        congestion_control: the kernel's name ("bbr") for its sockets; empty to ask for none.
        expected_control: the one that its sender must have; empty where that is up to the kernel.
        expected_by: who says so, for people ("link l1 at h1").
        start_s: when it starts, from the start of all flows.
        duration_s: how long it sends; 0 where `size_bytes` ends it.
        size_bytes: how much it sends; 0 where `duration_s` ends it.
        kind: of its traffic ("bulk", "voip"), as in `frrlib.model.traffic`.
        transport: "tcp", "udp", "icmp", or empty for whatever a command does.
        settings: of its traffic, by name, with everything drawn that was left to chance.
        streams: parallel connections.
        asked_by: who connects or sends first: "source" or "destination".
        dscp: class of its packets; None for the host's.
        ecn: whether it asks for marks; None for what the host does.
        tool: of bulk data: "iperf3", "own", or "auto" where either will do.
        colour: in figures ("#3366cc"); empty for one that is chosen.
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
    expected_control: str = ""
    expected_by: str = ""
    kind: str = "bulk"
    transport: str = "tcp"
    settings: dict[str, Any] = {}
    streams: int = 1
    asked_by: str = "source"
    dscp: int | None = None
    ecn: bool | None = None
    tool: str = "auto"
    colour: str = ""


class TcPlan(WireStruct, frozen=True):
    """Commands of `tc`.

    Attributes:
        node: in which node; empty for the cable room.
        lines: arguments of each command. In the cable room `{a}` and `{b}` stand for the counterparts from which
            packets leave towards the ends of the link.
        link: the link whose counterparts these are; empty for none.
    """

    node: str
    lines: tuple[str, ...]
    link: str = ""


class FaultPlan(WireStruct, frozen=True):
    """A fault, or what mends one, with everything spelt out.

    Attributes:
        fault, target: as in `wire.FaultEvent`.
        time_s: when, from the start of all flows; of no meaning for one that is made at once.
        duration_s: after so long it is mended; 0 for never.
        ended_by: the name of what mends it then.
        text: its settings, for people; empty for none.
        limits: as in `wire.FaultEvent`.
        links: the links that it concerns.
        node, interface, daemon: the node and what of it; empty for none.
        times, period_s: how often an interface flaps, and how long going down and up takes together.
        tc, tc_back: what makes it and what mends it, for faults in the cable.
        values: the shape that the link has then, in words that the agent keeps and does not understand.
    """

    fault: str
    target: str
    time_s: float = 0.0
    duration_s: float = 0.0
    ended_by: str = ""
    text: str = ""
    limits: str = ""
    links: tuple[str, ...] = ()
    node: str = ""
    interface: str = ""
    daemon: str = ""
    times: int = 1
    period_s: float = 1.0
    tc: tuple[TcPlan, ...] = ()
    tc_back: tuple[TcPlan, ...] = ()
    values: str = ""


class QueueProbe(WireStruct, frozen=True):
    """A queue to sample.

    Attributes:
        direction: of a link, as which it is reported ("l1:r1-r2").
        node, interface: where it is.
        parent: the class ("1:1") in which the qdisc is that is sampled; empty for the root.
        is_own: whether somebody's own commands made it, so that other qdiscs there count for themselves, and are told
            apart by their handles.
    """

    direction: str
    node: str
    interface: str
    parent: str = ""
    is_own: bool = False


class CapturePlan(WireStruct, frozen=True):
    """An interface whose packets are kept while flows run, of each its first `most_bytes`: headers, and little more."""

    node: str
    interface: str
    most_bytes: int = 128
