"""A topology as the plan that the agent in the lab carries out: every address, command and file written out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from frrlib.addressing.addressing import gateways
from frrlib.addressing.known_names import hosts_file
from frrlib.edits.new_names import spelt_ids
from frrlib.model import hosting, openflow
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Bridge, Controller, Host, Node, Router, Switch
from frrlib.model.own_commands import queue_place
from frrlib.model.topology import Topology
from frrlib.model.traffic.kinds import Bulk
from frrlib.prediction.congestion import control_of
from frrlib.prediction.flow_paths import address_of
from frrlib.render import frr, hosts, ovs, tc
from frrlib.render.faults import cabled_by_faults
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

#: Servers listen from this port on, data connections leave from that one on: one of each per flow.
FIRST_PORT = 5201
FIRST_SOURCE_PORT = 40001

_ALWAYS = {
    # A flow must not inherit ssthresh or RTT from the one before it.
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
#: More than any lab needs; the kernel's own is none.
_LABELS = 100_000
#: First words of free lines of `frr.conf` that speak of labels.
_MPLS_LINES = ("mpls ", "segment-routing")


def plan(topology: Topology, *, open_vswitch: bool = True) -> Plan:
    """The plan of a lab.

    Args:
        topology: with names and addresses filled in (`addressing.addressed`) and without errors (`check`).
        open_vswitch: whether Open vSwitch is there; where it is not, switches are plain bridges.
    """
    plain = not any(link.is_shaped for link in topology.links)
    faulty = cabled_by_faults(topology)
    linked = {node.name for node in topology.nodes if not isinstance(node, Controller)}
    read = {switch.name for switch in topology.switches} if open_vswitch else set()
    around, bgp_turns, probes = frr.Surroundings(topology), turns(topology), neighbor_probes(topology)
    defaults = {version: gateways(topology, version) for version in (4, 6)}
    return Plan(
        nodes=tuple(_node(around, node, open_vswitch, defaults, bgp_turns) for node in topology.nodes),
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


def asked_qdiscs(topology: Topology) -> dict[str, list[tc.Qdisc]]:
    """Every qdisc that the plan asks for at nodes, by node, to compare with what the kernel says it has."""
    asked: dict[str, list[tc.Qdisc]] = {}
    for link in topology.links:
        for sender, shape, back in link.there_and_back:
            if qdiscs := _end_qdiscs(topology, sender, shape, back):
                asked.setdefault(sender.node, []).extend(qdiscs)
    return asked


def asked_cable_qdiscs(topology: Topology) -> list[tuple[str, tc.Qdisc]]:
    """Every qdisc asked for in the cable room, as (direction name, qdisc with `{dev}` as its device)."""
    return [
        (direction_name(link, sender), qdisc)
        for link in topology.links
        for sender, _, shape in link.directions
        if (qdisc := tc.cable_qdisc("{dev}", shape))
    ]


def qdisc_differences(topology: Topology, built: BuildReply) -> list[str]:
    """How the kernel's read-back of all qdiscs differs from what the drawing asks for; one sentence each.

    Args:
        topology: with names and addresses filled in.
        built: the result of `wire.Build`.
    """
    read_back = built["qdiscs"]
    said = [
        f"{node}: {text}"
        for node, asked in asked_qdiscs(topology).items()
        for text in tc.differences(asked, read_back.get(node, ()))
    ]
    cables = built["cables"]
    asked_cables = [
        tc.on_device(qdisc, cables.get(direction, "?")) for direction, qdisc in asked_cable_qdiscs(topology)
    ]
    return said + tc.differences(asked_cables, read_back.get("", ()))


def own_read_back(topology: Topology, built: BuildReply) -> dict[str, dict[str, Any]]:
    """The qdiscs that directions with custom commands asked for, and those that the kernel has; neither is judged.

    Args:
        topology: with names and addresses filled in.
        built: the result of `wire.Build`.

    Returns:
        by direction: "asked", the lines, and "there", the entries of `tc -d -j -r qdisc show`.
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
    """The queues worth sampling: every direction with a rate, or with commands of its own."""
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
    """Every flow, equal ones spelt out, each with ports of its own.

    Raises:
        TopologyError: a destination has no address.
    """
    plans: list[FlowPlan] = []
    next_port = FIRST_SOURCE_PORT
    for flow in topology.flows:
        control = control_of(topology, flow)
        for number, name in enumerate(spelt_ids(flow)):
            plans.append(
                FlowPlan(
                    id=name,
                    source=flow.source,
                    destination=flow.destination,
                    address=address_of(topology, flow.destination),
                    port=FIRST_PORT + len(plans),
                    source_port=next_port,
                    congestion_control=flow.congestion_control if flow.is_tcp else "",
                    start_s=round(flow.start_s + number * flow.stagger_s, 6),
                    duration_s=flow.duration_s or 0.0,
                    size_bytes=flow.size_bytes or 0,
                    expected_control=control.name,
                    expected_by=control.chooser if control.name else "",
                    kind=flow.kind,
                    transport=flow.traffic.over,
                    settings=flow.traffic.spelt_out(),
                    streams=flow.streams if type(flow.traffic).has_streams else 1,
                    asked_by="source" if flow.asks_from == flow.source else "destination",
                    dscp=flow.dscp,
                    ecn=flow.ecn,
                    tool=_tool(flow),
                    colour=flow.colour,
                )
            )
            next_port += plans[-1].streams
    return tuple(plans)


def _tool(flow: Flow) -> str:
    """The sender of bulk data: "iperf3", "own", or "auto" for either."""
    told = flow.traffic.tool if isinstance(flow.traffic, Bulk) else "own"
    return told if flow.with_iperf3 else "own"


def _node(
    around: frr.Surroundings,
    node: Node,
    open_vswitch: bool,
    defaults: hosts.Defaults,
    bgp_turns: Mapping[str, Turn],
) -> NodePlan:
    topology = around.topology
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
        read_back=isinstance(node, Host) and hosts.is_told(topology, node),
        vlans=tuple(hosts.vlans(topology, node)) if isinstance(node, Host) else (),
        private_dirs=_private_dirs(node) if isinstance(node, Host) else (),
        external_interfaces=node.external_interfaces if isinstance(node, Host | Switch) else (),
        cpu=_cpu(node) if isinstance(node, Host) else None,
        vrfs=_vrfs(node) if isinstance(node, Router) else (),
        frr=_frr(around, node, bgp_turns.get(node.name, Turn())) if isinstance(node, Router) else None,
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
    """How many labels the kernel routes, and the interfaces on which it takes them; none where nothing speaks MPLS."""
    lines = [line.strip() for line in router.frr_conf.splitlines()]
    if not router.ldp and "ldpd" not in router.daemons and not any(line.startswith(_MPLS_LINES) for line in lines):
        return {}
    asked = router.ldp.interfaces if router.ldp else ()
    names = asked or tuple(end.interface for _, end in topology.ends_at(router.name))
    taken = {f"net/mpls/conf/{name}/input": "1" for name in ("lo", *names)}
    return {"net.mpls.platform_labels": str(_LABELS), **taken}


def _private_dirs(host: Host) -> tuple[PrivateDirPlan, ...]:
    return tuple(PrivateDirPlan(each.path, hosting.kept_folder(host.name, each)) for each in host.private_directories)


def _cpu(host: Host) -> CpuPlan | None:
    found = CpuPlan(hosting.cpu_share(host), hosting.core_numbers(host.cores))
    return found if found != CpuPlan() else None


def _frr(around: frr.Surroundings, router: Router, turn: Turn) -> FrrPlan | None:
    names = frr.daemons(router)
    if not names:
        return None
    text = frr.frr_conf(around.topology, router, around)
    files = {"frr.conf": text, "vtysh.conf": "service integrated-vtysh-config\n", **frr.at_start(text, names)}
    return FrrPlan(names, files, turn.number, turn.callers)


def _link(
    topology: Topology, link: Link, plain: bool, read: set[str], ready: bool, probes: Mapping[tuple[str, str], int]
) -> LinkPlan:
    """The plan of a link.

    Args:
        plain: whether no link of the lab is shaped.
        read: nodes that are programs, which read every packet.
        ready: whether it passes the cable room even without delay and loss, to get them later.
        probes: as `neighbor_probes` returns them.
    """
    whole = not {link.a.node, link.b.node} & read
    return LinkPlan(
        id=link.id,
        a=_interface(topology, link.a, link.a_to_b, link.b_to_a, plain, whole, probes),
        b=_interface(topology, link.b, link.b_to_a, link.a_to_b, plain, whole, probes),
        cable_tc_to_b=_cable(link.a_to_b, ready),
        cable_tc_to_a=_cable(link.b_to_a, ready),
        checksums=whole,
        up=link.up,
    )


def _cable(shape: Shape, ready: bool) -> tuple[str, ...]:
    """The cable's qdisc of a direction; one without delay and loss has one where it is `ready` to get them."""
    qdisc = tc.cable("{dev}", shape) if ready else tc.cable_qdisc("{dev}", shape)
    return (qdisc.command,) if qdisc else ()


def _interface(
    topology: Topology,
    end: End,
    shape: Shape,
    back: Shape,
    plain: bool,
    whole: bool,
    probes: Mapping[tuple[str, str], int],
) -> InterfacePlan:
    """The plan of an end; without offloads where it is one of a shaped lab, or its packets are read by a program."""
    return InterfacePlan(
        node=end.node,
        name=end.interface,
        addresses=tuple(str(address) for address in end.addresses),
        mac=end.mac,
        mtu_bytes=end.mtu_bytes or 0,
        tc=tc.own_commands(end.interface, shape)
        or tuple(qdisc.command for qdisc in _end_qdiscs(topology, end, shape, back)),
        offloads=whole and (plain if end.offloads is None else end.offloads),
        neighbor_probes=probes.get((end.node, end.interface), 0),
    )


def _end_qdiscs(topology: Topology, sender: End, shape: Shape, back: Shape) -> tuple[tc.Qdisc, ...]:
    """The qdiscs at the interface from which a direction leaves: its queue, or without one the pacing of a host."""
    return tc.queue_qdiscs(sender, shape, back) or hosts.pacing_qdiscs(topology, sender, shape)
