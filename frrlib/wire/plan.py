"""The plan of a lab, which the agent carries out. Every address, command and file in it is written out.

So the agent needs neither the model nor its validation, and starts quickly. In a lab kernel this matters: a page fault
costs a third of a millisecond.
"""

from __future__ import annotations

from typing import Any

import msgspec


class WireStruct(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of all messages and their parts: frozen, strict about unknown fields."""


class InterfacePlan(WireStruct, frozen=True):
    """One end of a link.

    Attributes:
        node: name of its node.
        name: name of the interface, 1 to 15 characters.
        addresses: addresses with prefix length, "10.0.0.1/16" or "2001:db8::1/64".
        mac: hardware address; empty for the kernel's choice.
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

    If a direction has delay or loss, the link runs through the lab's *link namespace*, which has a counterpart for each
    end of the link. Packets that arrive at one counterpart are redirected to the other, whose egress queue delays and
    drops them. So no delay sits on a node's own queue, and a queue limit counts the queue only.

    Attributes:
        id: the link's id in the topology.
        a, b: its two ends.
        cable_tc_to_b: arguments of `tc` (as in `InterfacePlan.tc`) for the counterpart that sends packets towards `b`;
            `{dev}` stands for its name. Empty, together with `cable_tc_to_a`, for a plain veth pair.
        cable_tc_to_a: the same towards `a`. It is empty for a direction without delay and loss.
        checksums: whether senders may omit checksums, like kernels among themselves; False if a program such as Open
            vSwitch reads the packets.
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
        via: address of the next hop; empty for a network that is connected at `interface`. Such a route replaces the
            one that the kernel makes for an address.
        interface: of the connected network; empty if `via` is set.
        source: the source address of packets to a connected network; empty for IPv6, which selects it itself.
        congestion_control: of TCP connections that use the route; empty for the default.
        initial_window_packets, initial_receive_window_packets: of TCP connections that use it; 0 for the kernel's.
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
        """Whether it has settings of TCP."""
        windows = self.initial_window_packets or self.initial_receive_window_packets
        return bool(self.congestion_control or windows)


class VlanPlan(WireStruct, frozen=True):
    """A VLAN sub-interface `interface.vlan_id` with its addresses."""

    interface: str
    vlan_id: int
    addresses: tuple[str, ...] = ()


class PrivateDirPlan(WireStruct, frozen=True):
    """A private folder of a node.

    Attributes:
        path: its absolute path in the node.
        kept: the folder that stores its files, relative to the lab's writable folder, which outlives the lab; empty for
            a tmpfs.
    """

    path: str
    kept: str = ""


class CpuPlan(WireStruct, frozen=True):
    """The CPU limits of a node.

    Attributes:
        percent: share of all CPUs of the place, 0 for no limit.
        cores: numbers of the allowed CPUs; empty for all.
    """

    percent: float = 0.0
    cores: tuple[int, ...] = ()


class SwitchPlan(WireStruct, frozen=True):
    """A switch of Open vSwitch.

    Attributes:
        ovs: arguments of the `ovs-vsctl` commands that make the bridge, one tuple per command; `{datapath}` stands for
            the place's type of datapath. All switches of a lab are made in one transaction.
        controllers: targets of its controllers ("tcp:127.0.0.1:6633"); `ovs` contains them, too.
        addresses: addresses with prefix length of the switch itself, on its local port, which has the switch's name.
    """

    ovs: tuple[tuple[str, ...], ...]
    controllers: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()


class ControllerPlan(WireStruct, frozen=True):
    """A controller that the lab runs.

    Attributes:
        programs: names of controller programs; the first installed one is used.
        arguments: its arguments. It is started once for each tuple, since a program serves a limited number of
            switches.
    """

    programs: tuple[str, ...]
    arguments: tuple[tuple[str, ...], ...]


class VrfPlan(WireStruct, frozen=True):
    """A VRF.

    Attributes:
        name: of its device.
        table: number of the kernel's routing table.
        interfaces: names of its interfaces.
    """

    name: str
    table: int
    interfaces: tuple[str, ...] = ()


class FrrPlan(WireStruct, frozen=True):
    """FRR on a router.

    Attributes:
        daemons: names without path, zebra first ("zebra", "bgpd").
        files: file name below /etc/frr to its text ("frr.conf", "vtysh.conf", "daemons").
        turn: order in which bgpd starts: 0 together with the other daemons, 1 after all of turn 0 listen, and so on.
        callers: addresses of BGP neighbors that open their session; this router opens none to them before the lab has
            started.
        skips_refused: whether the router starts without the lines that FRR refuses, with a warning.
    """

    daemons: tuple[str, ...]
    files: dict[str, str]
    turn: int = 0
    callers: tuple[str, ...] = ()
    skips_refused: bool = False


class NodePlan(WireStruct, frozen=True):
    """A node.

    Attributes:
        name: its name; its namespace and its host name are the same.
        kind: "host", "router", "bridge", "switch" or "controller".
        loopbacks: addresses with prefix length on `lo`.
        routes: kernel routes set once all interfaces are up.
        sysctls: key with dots ("net.ipv4.ip_forward") to value, set in the node's namespace.
        read_back: whether `sysctls` and `routes` are read back when the lab is built.
        vlans: VLAN sub-interfaces.
        vrfs: routing tables besides the main one.
        private_dirs: private folders of this node.
        external_interfaces: interfaces of the machine that move to this node; the place has moved them into the lab.
        cpu: limits of the node's processes; None for no limit.
        stp: whether a bridge runs the spanning tree protocol.
        frr: FRR's daemons and files; None for a node without FRR.
        switch: settings of a switch of Open vSwitch; None for a plain bridge.
        controller: the program of a controller; None for one outside of the lab.
        targets: targets of a controller for switches ("tcp:127.0.0.1:6633"), one for each of its programs.
        start_command, stop_command: commands for a shell in the node; empty for none.
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
    """The complete plan of a lab.

    Attributes:
        delay_tables: text of tables of delays, by their name in commands of `tc`.
        hosts: text of the lab's `/etc/hosts`; empty for that of the machine.
    """

    nodes: tuple[NodePlan, ...]
    links: tuple[LinkPlan, ...]
    delay_tables: dict[str, str] = {}
    hosts: str = ""


class FlowPlan(WireStruct, frozen=True):
    """One flow.

    Attributes:
        id: the flow's id, with a suffix if it is one of several equal flows ("bbr.2").
        source, destination: names of nodes; data goes from source to destination.
        address: address of the destination, without prefix length.
        port: the server's port.
        source_port: the port of the data connection at the source, which identifies its samples; further streams use
            the following ports.
        congestion_control: the kernel's name ("bbr") for its sockets; empty to set none.
        expected_control: the required congestion control of its sender; empty to accept the kernel's choice.
        expected_by: origin of this requirement, for people ("link l1 at h1").
        start_s: start time, from the start of all flows.
        duration_s: sending time; 0 if `size_bytes` limits the flow.
        size_bytes: amount of data; 0 if `duration_s` limits the flow.
        kind: of its traffic ("bulk", "voip"), as in `frrlib.model.traffic`.
        transport: "tcp", "udp", "icmp", or empty for a command, which may use any.
        settings: of its traffic, by name; random values are already drawn.
        streams: number of parallel connections.
        asked_by: the end that connects or sends first: "source" or "destination".
        dscp: class of its packets; None for the host's.
        ecn: whether it requests ECN; None for the host's setting.
        tool: for bulk data: "iperf3", "own", or "auto" for either.
        colour: in figures ("#3366cc"); empty for an automatic color.
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
        node: the node to run them in; empty for the link namespace.
        lines: arguments of each command. In the link namespace `{a}` and `{b}` stand for the counterparts that send
            packets towards the ends of the link.
        link: the link of these counterparts; empty for none.
    """

    node: str
    lines: tuple[str, ...]
    link: str = ""


class FaultPlan(WireStruct, frozen=True):
    """A fault, or the fault that clears another one, with everything written out.

    Attributes:
        fault, target: as in `wire.FaultEvent`.
        time_s: its time, from the start of all flows; ignored for a fault that is made at once.
        duration_s: time after which it is cleared; 0 for never.
        ended_by: name of the fault that clears it then.
        text: its settings, for people; empty for none.
        limits: as in `wire.FaultEvent`.
        links: its links.
        node, interface, daemon: its node, interface and daemon; empty for none.
        times, period_s: number of flaps of an interface, and the time from one to the next.
        tc, tc_back: commands that make and clear a fault of delay or loss. For new values of a link, `tc_back` has the
            commands that make its old queues anew after the kernel has refused one of `tc`.
        values: the link's shape with the fault, as a text that the agent stores without parsing it.
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
        direction: name of the direction of a link in samples ("l1:r1-r2").
        node, interface: its place.
        parent: the class ("1:1") that holds the sampled qdisc; empty for the root.
        is_own: whether custom commands made it. Then further qdiscs of the interface are sampled separately, named by
            their handles.
    """

    direction: str
    node: str
    interface: str
    parent: str = ""
    is_own: bool = False


class CapturePlan(WireStruct, frozen=True):
    """An interface to capture packets at while flows run. The first `most_bytes` of each packet hold its headers."""

    node: str
    interface: str
    most_bytes: int = 128
