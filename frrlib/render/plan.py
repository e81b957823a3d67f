"""A topology as the plan that the agent in the lab executes, with every address, command and file written out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from frrlib.addressing.addressing import gateways
from frrlib.addressing.known_names import hosts_file
from frrlib.model import hosting, openflow
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Bridge, Controller, Host, Node, Router, Switch
from frrlib.model.own_commands import queue_place
from frrlib.model.problem import REFUSED_LINE
from frrlib.model.tcp import NEEDS_ECN
from frrlib.model.topology import Topology
from frrlib.model.traffic.kinds import Bulk
from frrlib.prediction.congestion import control_of
from frrlib.prediction.flow_paths import address_of
from frrlib.render import frr, hosts, ovs, tc
from frrlib.render.faults import links_through_namespace
from frrlib.render.neighbors import neighbor_probes
from frrlib.render.routing.connect_order import Turn, turns
from frrlib.wire.plan import (
    CpuPlan,
    FlowPlan,
    FrrPlan,
    InterfacePlan,
    LinkPlan,
    NodePlan,
    Plan,
    PrivateDirPlan,
    QueueProbe,
    VrfPlan,
)
from frrlib.wire.replies import BuildReply

#: First port of servers, and first source port of data connections; each flow has its own.
FIRST_PORT = 5201
FIRST_SOURCE_PORT = 40001

_ALWAYS = {
    # A flow must not inherit ssthresh or RTT from an earlier one.
    "net.ipv4.tcp_no_metrics_save": "1",
    "net.ipv6.conf.all.accept_dad": "0",
    "net.ipv6.conf.default.accept_dad": "0",
    "net.ipv6.conf.all.keep_addr_on_down": "1",
}
_FORWARDING = {
    "net.ipv4.ip_forward": "1",
    "net.ipv6.conf.all.forwarding": "1",
    "net.ipv4.conf.all.rp_filter": "0",
    "net.ipv4.conf.default.rp_filter": "0",
    "net.ipv4.fib_multipath_hash_policy": "1",
}
#: Number of MPLS labels, more than any lab needs; the kernel's default is 0.
_LABELS = 100_000
#: First words of custom lines of `frr.conf` that need labels.
_MPLS_LINES = ("mpls ", "segment-routing")


def plan(topology: Topology, *, open_vswitch: bool = True) -> Plan:
    """The plan of a lab.

    Args:
        topology: with names and addresses filled in (`addressing.addressed`) and without errors (`check`).
        open_vswitch: whether Open vSwitch is available; without it, switches are plain bridges.
    """
    plain = not any(link.is_shaped for link in topology.links)
    faulty = links_through_namespace(topology)
    linked = {node.name for node in topology.nodes if not isinstance(node, Controller)}
    read = {switch.name for switch in topology.switches} if open_vswitch else set()
    views, bgp_turns, probes = frr.RouterViews(topology), turns(topology), neighbor_probes(topology)
    defaults = {version: gateways(topology, version) for version in (4, 6)}
    return Plan(
        nodes=tuple(_node(views, node, open_vswitch, defaults, bgp_turns) for node in topology.nodes),
        links=tuple(
            _link(topology, link, plain, read, link.id in faulty, probes)
            for link in topology.links
            if {link.a.node, link.b.node} <= linked
        ),
        delay_tables={
            table.name: table.text
            for link in topology.links
            for _, _, shape in link.directions
            if (table := tc.delay_table(shape)) is not None
        },
        hosts=hosts_file(topology),
    )


def requested_qdiscs(topology: Topology) -> dict[str, list[tc.RequestedQdisc]]:
    """The requested qdiscs by node, to compare with the kernel's read-back."""
    requested: dict[str, list[tc.RequestedQdisc]] = {}
    for link in topology.links:
        for sender, shape, reverse in link.directions_with_reverse:
            if qdiscs := _end_qdiscs(topology, sender, shape, reverse):
                requested.setdefault(sender.node, []).extend(qdiscs)
    return requested


def requested_link_qdiscs(topology: Topology) -> list[tuple[str, tc.RequestedQdisc]]:
    """The requested qdiscs in the link namespace, as (direction name, qdisc with `{dev}` as its device)."""
    return [
        (direction_name(link, sender), qdisc)
        for link in topology.links
        for sender, _, shape in link.directions
        if (qdisc := tc.link_qdisc("{dev}", shape))
    ]


def qdisc_differences(topology: Topology, built: BuildReply) -> list[str]:
    """The kernel's deviations from the requested qdiscs, one sentence each.

    Args:
        topology: with names and addresses filled in.
        built: the result of `wire.Build`.
    """
    read_back = built["qdiscs"]
    sentences = [
        f"{node}: {text}"
        for node, requested in requested_qdiscs(topology).items()
        for text in tc.differences(requested, read_back.get(node, ()))
    ]
    cables = built["cables"]
    link_qdiscs = [
        tc.on_device(qdisc, cables.get(direction, "?")) for direction, qdisc in requested_link_qdiscs(topology)
    ]
    return sentences + tc.differences(link_qdiscs, read_back.get("", ()))


def custom_qdiscs(topology: Topology, built: BuildReply) -> dict[str, dict[str, Any]]:
    """The requested and the actual qdiscs of directions with custom commands; they are not compared.

    Args:
        topology: with names and addresses filled in.
        built: the result of `wire.Build`.

    Returns:
        by direction: "asked", the custom commands, and "there", the entries of `tc -d -j -r qdisc show`.
    """
    read_back = built["qdiscs"]
    return {
        direction_name(link, sender): {
            "asked": list(shape.qdiscs),
            "there": [entry for entry in read_back.get(sender.node, ()) if entry.get("dev") == sender.interface],
        }
        for link in topology.links
        for sender, _, shape in link.directions
        if shape.qdiscs
    }


def direction_name(link: Link, sender: End) -> str:
    """The name of a link's direction in results: "l1:r1-r2" for link l1 from r1 to r2."""
    return f"{link.id}:{sender.node}-{link.b.node if sender is link.a else link.a.node}"


def queue_probes(topology: Topology) -> tuple[QueueProbe, ...]:
    """The queues to sample: those of directions with a rate or with custom commands."""
    return tuple(
        QueueProbe(
            direction_name(link, sender),
            sender.node,
            sender.interface,
            queue_place(shape.qdiscs).replace("root", ""),
            bool(shape.qdiscs),
        )
        for link in topology.links
        for sender, _, shape in link.directions
        if shape.rate_mbit is not None or shape.qdiscs
    )


def flow_plans(topology: Topology) -> tuple[FlowPlan, ...]:
    """The plans of all flows, one for each of several equal flows, each with its own ports.

    Raises:
        TopologyError: a destination has no address.
    """
    plans: list[FlowPlan] = []
    next_port = FIRST_SOURCE_PORT
    for flow in topology.flows:
        control = control_of(topology, flow)
        tool = _tool(flow, control.name)
        for number, name in enumerate(flow.result_ids):
            plans.append(
                FlowPlan(
                    id=name,
                    source=flow.source,
                    destination=flow.destination,
                    address=address_of(topology, flow.destination),
                    port=FIRST_PORT + len(plans),
                    source_port=next_port,
                    congestion_control=_socket_control(flow, control.name, tool),
                    start_s=round(flow.start_s + number * flow.stagger_s, 6),
                    duration_s=flow.duration_s or 0.0,
                    size_bytes=flow.size_bytes or 0,
                    expected_control=control.name,
                    expected_by=control.chooser if control.name else "",
                    kind=flow.kind,
                    transport=flow.traffic.over,
                    settings=flow.traffic.sender_settings(),
                    streams=flow.streams if type(flow.traffic).has_streams else 1,
                    asked_by="source" if flow.initiator == flow.source else "destination",
                    dscp=flow.dscp,
                    ecn=True if control.name in NEEDS_ECN and tool == "own" else flow.ecn,
                    tool=tool,
                    colour=flow.colour,
                )
            )
            next_port += plans[-1].streams
    return tuple(plans)


def _tool(flow: Flow, control: str) -> str:
    """The sender of bulk data: "iperf3", "own", or "auto" for either. `control` is the flow's congestion control."""
    tool = flow.traffic.tool if isinstance(flow.traffic, Bulk) else "own"
    return "own" if not flow.with_iperf3 or (tool == "auto" and control in NEEDS_ECN) else tool


def _socket_control(flow: Flow, control: str, tool: str) -> str:
    """The congestion control that a flow's sockets set; empty for none.

    Our own sender also sets one that comes from a link or a host if it negotiates ECN, since the other end must have it
    as well.
    """
    if not flow.is_tcp:
        return ""
    return control if control in NEEDS_ECN and tool == "own" else flow.congestion_control


def _node(
    views: frr.RouterViews,
    node: Node,
    open_vswitch: bool,
    defaults: hosts.Defaults,
    bgp_turns: Mapping[str, Turn],
) -> NodePlan:
    topology = views.topology
    sysctls = dict(_ALWAYS)
    if isinstance(node, Router):
        sysctls |= _FORWARDING | _mpls_sysctls(topology, node)
    if isinstance(node, Host):
        sysctls |= hosts.tcp_sysctls(topology, node)
    return NodePlan(
        name=node.name,
        kind=node.kind,
        loopbacks=tuple(str(address) for address in node.loopbacks) if isinstance(node, Router) else (),
        routes=tuple(hosts.routes(topology, node, defaults)) if isinstance(node, Host) else (),
        sysctls=sysctls,
        read_back=isinstance(node, Host) and hosts.has_tcp_settings(topology, node),
        vlans=tuple(hosts.vlans(topology, node)) if isinstance(node, Host) else (),
        private_dirs=_private_dirs(node) if isinstance(node, Host) else (),
        external_interfaces=node.external_interfaces if isinstance(node, Host | Switch) else (),
        cpu=_cpu(node) if isinstance(node, Host) else None,
        vrfs=_vrfs(node) if isinstance(node, Router) else (),
        frr=_frr(views, node, bgp_turns.get(node.name, Turn())) if isinstance(node, Router) else None,
        stp=isinstance(node, Bridge) and node.stp,
        switch=ovs.switch_plan(topology, node) if isinstance(node, Switch) and open_vswitch else None,
        controller=ovs.controller_plan(topology, node) if isinstance(node, Controller) else None,
        targets=openflow.targets(topology, node) if isinstance(node, Controller) else (),
        start_command=node.start_command,
        stop_command=node.stop_command,
    )


def _vrfs(router: Router) -> tuple[VrfPlan, ...]:
    return tuple(VrfPlan(vrf.name, vrf.table, vrf.interfaces) for vrf in router.vrfs)


def _mpls_sysctls(topology: Topology, router: Router) -> dict[str, str]:
    """The number of MPLS labels, and the interfaces that accept labels; empty for a router without MPLS."""
    lines = [line.strip() for line in router.frr_conf.splitlines()]
    if not router.ldp and "ldpd" not in router.daemons and not any(line.startswith(_MPLS_LINES) for line in lines):
        return {}
    stated = router.ldp.interfaces if router.ldp else ()
    names = stated or tuple(end.interface for _, end in topology.ends_at(router.name))
    inputs = {f"net/mpls/conf/{name}/input": "1" for name in ("lo", *names)}
    return {"net.mpls.platform_labels": str(_LABELS), **inputs}


def _private_dirs(host: Host) -> tuple[PrivateDirPlan, ...]:
    return tuple(
        PrivateDirPlan(directory.path, hosting.persistent_folder(host.name, directory))
        for directory in host.private_directories
    )


def _cpu(host: Host) -> CpuPlan | None:
    cpu = CpuPlan(hosting.cpu_share(host), hosting.core_numbers(host.cores))
    return cpu if cpu != CpuPlan() else None


def _frr(views: frr.RouterViews, router: Router, turn: Turn) -> FrrPlan | None:
    names = frr.daemons(router)
    if not names:
        return None
    text = frr.frr_conf(views.topology, router, views)
    files = {"frr.conf": text, "vtysh.conf": "service integrated-vtysh-config\n", **frr.at_start(text, names)}
    skips_refused = REFUSED_LINE in views.topology.intended_problems
    return FrrPlan(names, files, turn.number, turn.callers, skips_refused)


def _link(
    topology: Topology, link: Link, plain: bool, read: set[str], ready: bool, probes: Mapping[tuple[str, str], int]
) -> LinkPlan:
    """The plan of a link.

    Args:
        plain: whether no link of the lab is shaped.
        read: nodes that are programs and read every packet.
        ready: whether it passes through the link namespace even without delay and loss, to get them later.
        probes: as `neighbor_probes` returns them.
    """
    unread = not {link.a.node, link.b.node} & read
    return LinkPlan(
        id=link.id,
        a=_interface(topology, link.a, link.a_to_b, link.b_to_a, plain, unread, probes),
        b=_interface(topology, link.b, link.b_to_a, link.a_to_b, plain, unread, probes),
        cable_tc_to_b=_link_qdisc(link.a_to_b, ready),
        cable_tc_to_a=_link_qdisc(link.b_to_a, ready),
        checksums=unread,
        up=link.up,
    )


def _link_qdisc(shape: Shape, ready: bool) -> tuple[str, ...]:
    """The command for a direction's qdisc in the link namespace; without delay and loss only if it is `ready`."""
    qdisc = tc.netem_qdisc("{dev}", shape) if ready else tc.link_qdisc("{dev}", shape)
    return (qdisc.command,) if qdisc else ()


def _interface(
    topology: Topology,
    end: End,
    shape: Shape,
    reverse: Shape,
    plain: bool,
    unread: bool,
    probes: Mapping[tuple[str, str], int],
) -> InterfacePlan:
    """The plan of an end. Offloads are off in a lab with shaped links, and if a program reads the packets."""
    return InterfacePlan(
        node=end.node,
        name=end.interface,
        addresses=tuple(str(address) for address in end.addresses),
        mac=end.mac,
        mtu_bytes=end.mtu_bytes or 0,
        tc=tc.own_commands(end.interface, shape)
        or tuple(qdisc.command for qdisc in _end_qdiscs(topology, end, shape, reverse)),
        offloads=unread and (plain if end.offloads is None else end.offloads),
        neighbor_probes=probes.get((end.node, end.interface), 0),
    )


def _end_qdiscs(topology: Topology, sender: End, shape: Shape, reverse: Shape) -> tuple[tc.RequestedQdisc, ...]:
    """The qdiscs at a direction's sending interface: its queue, or the host's pacing if it has no queue."""
    return tc.queue_qdiscs(sender, shape, reverse) or hosts.pacing_qdiscs(topology, sender, shape)
