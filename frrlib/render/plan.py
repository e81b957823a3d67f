"""A topology as the plan that the agent in the lab carries out: every address, command and file written out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from frrlib.errors import TopologyError
from frrlib.model import hosting, openflow
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Bridge, Controller, Host, Node, Router, Switch
from frrlib.model.topology import Topology
from frrlib.render import frr, ovs, tc
from frrlib.wire import (
    CpuPlan,
    FlowPlan,
    FrrPlan,
    InterfacePlan,
    LinkPlan,
    NodePlan,
    Plan,
    PrivateDirPlan,
    QueueProbe,
    RoutePlan,
    VlanPlan,
)

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


def plan(topology: Topology, *, open_vswitch: bool = True) -> Plan:
    """The plan of a lab.

    Args:
        topology: with names and addresses filled in (`addressing.addressed`) and without errors (`check`).
        open_vswitch: whether Open vSwitch is there; where it is not, switches are plain bridges.
    """
    offloads = not any(link.is_shaped for link in topology.links)
    linked = {node.name for node in topology.nodes if not isinstance(node, Controller)}
    read = {switch.name for switch in topology.switches} if open_vswitch else set()
    return Plan(
        nodes=tuple(_node(topology, node, open_vswitch) for node in topology.nodes),
        links=tuple(_link(link, offloads, read) for link in topology.links if {link.a.node, link.b.node} <= linked),
    )


def asked_qdiscs(topology: Topology) -> dict[str, list[tc.Qdisc]]:
    """Every qdisc that the plan asks for at nodes, by node, to compare with what the kernel says it has."""
    asked: dict[str, list[tc.Qdisc]] = {}
    for link in topology.links:
        for sender, shape, back in link.there_and_back:
            if qdiscs := tc.queue_qdiscs(sender.interface, shape, back):
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


def qdisc_differences(topology: Topology, built: Mapping[str, Any]) -> list[str]:
    """How the kernel's read-back of all qdiscs differs from what the drawing asks for; one sentence each.

    Args:
        topology: with names and addresses filled in.
        built: the result of `wire.Build`.
    """
    read_back: Mapping[str, Any] = built.get("qdiscs", {})
    said = [
        f"{node}: {text}"
        for node, asked in asked_qdiscs(topology).items()
        for text in tc.differences(asked, read_back.get(node, ()))
    ]
    cables: Mapping[str, str] = built.get("cables", {})
    asked_cables = [
        tc.on_device(qdisc, cables.get(direction, "?")) for direction, qdisc in asked_cable_qdiscs(topology)
    ]
    return said + tc.differences(asked_cables, read_back.get("", ()))


def direction_name(link: Link, sender: End) -> str:
    """How a direction of a link is called in results: "l1:r1-r2" for link l1 from r1 to r2."""
    return f"{link.id}:{sender.node}-{link.b.node if sender is link.a else link.a.node}"


def queue_probes(topology: Topology) -> tuple[QueueProbe, ...]:
    """The queues worth sampling: every direction with a rate."""
    return tuple(
        QueueProbe(direction_name(link, sender), sender.node, sender.interface)
        for link in topology.links
        for sender, _, shape in link.directions
        if shape.rate_mbit is not None
    )


def flow_plans(topology: Topology) -> tuple[FlowPlan, ...]:
    """Every flow, equal ones spelt out, each with ports of its own.

    Raises:
        TopologyError: a destination has no address.
    """
    plans: list[FlowPlan] = []
    for flow in topology.flows:
        for number in range(1, flow.count + 1):
            plans.append(
                FlowPlan(
                    id=flow.id if flow.count == 1 else f"{flow.id}.{number}",
                    source=flow.source,
                    destination=flow.destination,
                    address=address_of(topology, flow.destination),
                    port=FIRST_PORT + len(plans),
                    source_port=FIRST_SOURCE_PORT + len(plans),
                    congestion_control=flow.congestion_control,
                    start_s=flow.start_s,
                    duration_s=flow.duration_s or 0.0,
                    size_bytes=flow.size_bytes or 0,
                )
            )
    return tuple(plans)


def address_of(topology: Topology, name: str) -> str:
    """The address by which others reach a node: of a router with OSPF its first loopback, else of its first interface.

    Raises:
        TopologyError: it has none.
    """
    node = topology.node(name)
    loopbacks = node.loopbacks if isinstance(node, Router) and node.ospf else ()
    addresses = [*loopbacks, *(address for _, end in topology.ends_at(name) for address in end.addresses)]
    addresses.sort(key=lambda address: address.version)
    if not addresses:
        raise TopologyError("has no address", node=name, right="give one of its interfaces an address")
    return str(addresses[0].ip)


def _node(topology: Topology, node: Node, open_vswitch: bool) -> NodePlan:
    sysctls = dict(_ALWAYS)
    if isinstance(node, Router):
        sysctls |= _FORWARDING
    if isinstance(node, Host) and node.congestion_control:
        sysctls["net.ipv4.tcp_congestion_control"] = node.congestion_control
    return NodePlan(
        name=node.name,
        kind=node.kind,
        loopbacks=tuple(str(address) for address in node.loopbacks) if isinstance(node, Router) else (),
        routes=tuple(_routes(topology, node)),
        sysctls=sysctls,
        vlans=tuple(_vlans(topology, node)),
        private_dirs=_private_dirs(node) if isinstance(node, Host) else (),
        external_interfaces=node.external_interfaces if isinstance(node, Host | Switch) else (),
        cpu=_cpu(node) if isinstance(node, Host) else None,
        frr=_frr(topology, node) if isinstance(node, Router) else None,
        stp=isinstance(node, Bridge) and node.stp,
        switch=ovs.switch_plan(topology, node) if isinstance(node, Switch) and open_vswitch else None,
        controller=ovs.controller_plan(topology, node) if isinstance(node, Controller) else None,
        targets=openflow.targets(topology, node) if isinstance(node, Controller) else (),
        start_command=node.start_command,
        stop_command=node.stop_command,
    )


def _private_dirs(host: Host) -> tuple[PrivateDirPlan, ...]:
    return tuple(PrivateDirPlan(each.path, hosting.kept_folder(host.name, each)) for each in host.private_directories)


def _cpu(host: Host) -> CpuPlan | None:
    found = CpuPlan(hosting.cpu_share(host), hosting.core_numbers(host.cores))
    return found if found != CpuPlan() else None


def _routes(topology: Topology, node: Node) -> Iterator[RoutePlan]:
    if isinstance(node, Host) and node.default_route is not None:
        prefix = "0.0.0.0/0" if node.default_route.version == 4 else "::/0"
        yield RoutePlan(prefix, str(node.default_route))


def _vlans(topology: Topology, node: Node) -> Iterator[VlanPlan]:
    first = next((end.interface for _, end in topology.ends_at(node.name)), "")
    if isinstance(node, Host) and first:
        for vlan in node.vlan_interfaces:
            yield VlanPlan(first, vlan.vlan_id, (str(vlan.address),))


def _frr(topology: Topology, router: Router) -> FrrPlan | None:
    names = frr.daemons(router)
    if not names:
        return None
    text = frr.frr_conf(topology, router)
    files = {"frr.conf": text, "vtysh.conf": "service integrated-vtysh-config\n", **frr.per_daemon(text, names)}
    return FrrPlan(names, files)


def _link(link: Link, offloads: bool, read: set[str]) -> LinkPlan:
    """The plan of a link.

    Args:
        offloads: whether no link of the lab is shaped.
        read: nodes that are programs, which read every packet.
    """
    whole = not {link.a.node, link.b.node} & read
    cabled = any(shape.needs_cable_room for _, _, shape in link.directions)
    return LinkPlan(
        id=link.id,
        a=_interface(link.a, link.a_to_b, link.b_to_a),
        b=_interface(link.b, link.b_to_a, link.a_to_b),
        cable_tc_to_b=_cable(link.a_to_b) if cabled else (),
        cable_tc_to_a=_cable(link.b_to_a) if cabled else (),
        offloads=offloads and whole,
        checksums=whole,
        up=link.up,
    )


def _cable(shape: Shape) -> tuple[str, ...]:
    qdisc = tc.cable_qdisc("{dev}", shape)
    return (qdisc.command,) if qdisc else ()


def _interface(end: End, shape: Shape, back: Shape) -> InterfacePlan:
    return InterfacePlan(
        node=end.node,
        name=end.interface,
        addresses=tuple(str(address) for address in end.addresses),
        mac=end.mac,
        mtu_bytes=end.mtu_bytes or 0,
        tc=tuple(qdisc.command for qdisc in tc.queue_qdiscs(end.interface, shape, back)),
    )
