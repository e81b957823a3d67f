"""The commands of `exec` that give a node of containerlab the state that a lab of the topology has."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator

from frrlib.model.nodes import Bridge, Node, Router
from frrlib.wire.plan import InterfacePlan, LinkPlan, NodePlan, Plan, RoutePlan

#: The bridge in a container that stands for a bridge of the topology.
BRIDGE = "br0"
#: The handle of netem above a shaper. In a lab it is at an interface of its own.
_NETEM = "100:"
#: Containers without a network of their own start without IPv6.
_WITH_IPV6 = {"net.ipv6.conf.all.disable_ipv6": "0", "net.ipv6.conf.default.disable_ipv6": "0"}
_DISTRIBUTION = re.compile(r" distribution (?!normal\b|pareto\b|paretonormal\b)\S+")


def commands_of(node: Node, plan: Plan) -> list[str]:
    """The commands of a node, in the order in which they run.

    Args:
        node: a node of the topology.
        plan: the plan of the lab.
    """
    node_plan = next(entry for entry in plan.nodes if entry.name == node.name)
    ends = [(end, _delay(link, end)) for link in plan.links for end in (link.a, link.b) if end.node == node.name]
    down = [end.name for link in plan.links for end in (link.a, link.b) if end.node == node.name and not link.up]
    commands = [f"sysctl -w {key}={shlex.quote(value)}" for key, value in (_WITH_IPV6 | node_plan.sysctls).items()]
    if isinstance(node, Bridge) and ends:
        commands += _bridge(node, [end.name for end, _ in ends])
    commands += _vrfs(node_plan)
    if not (isinstance(node, Router) and node_plan.frr is not None):  # zebra sets addresses of its own configuration
        commands += [f"ip addr add {address} dev lo" for address in node_plan.loopbacks]
        commands += [f"ip addr add {address} dev {end.name}" for end, _ in ends for address in end.addresses]
    commands += [f"ip link set dev {end.name} mtu {end.mtu_bytes}" for end, _ in ends if end.mtu_bytes]
    commands += _vlans(node_plan)
    commands += [_route(route) for route in node_plan.routes]
    for end, delay in ends:
        commands += _traffic_control(end, delay)
    commands += [f"ip link set dev {name} down" for name in down]
    return commands + ([shlex.join(["sh", "-c", node.start_command])] if node.start_command else [])


def _delay(link: LinkPlan, end: InterfacePlan) -> tuple[str, ...]:
    """The commands for delay and loss of the packets that an end sends; its device is `{dev}`."""
    return link.cable_tc_to_b if end is link.a else link.cable_tc_to_a


def _bridge(node: Bridge, interfaces: Iterable[str]) -> Iterator[str]:
    yield f"ip link add {BRIDGE} type bridge{' stp_state 1' if node.stp else ''}"
    for name in interfaces:
        yield f"ip link set dev {name} master {BRIDGE}"
    yield f"ip link set dev {BRIDGE} up"


def _vrfs(node: NodePlan) -> Iterator[str]:
    for vrf in node.vrfs:
        yield f"ip link add {vrf.name} type vrf table {vrf.table}"
        yield f"ip link set dev {vrf.name} up"
        for name in vrf.interfaces:
            yield f"ip link set dev {name} master {vrf.name}"


def _vlans(node: NodePlan) -> Iterator[str]:
    interfaces: set[str] = set()
    for vlan in node.vlans:
        name = f"{vlan.interface}.{vlan.vlan_id}"
        if name not in interfaces:
            yield f"ip link add link {vlan.interface} name {name} type vlan id {vlan.vlan_id}"
        interfaces.add(name)
        for address in vlan.addresses:
            yield f"ip addr add {address} dev {name}"
        yield f"ip link set dev {name} up"


def _route(route: RoutePlan) -> str:
    words = ["ip route replace", "default" if route.prefix in ("0.0.0.0/0", "::/0") else route.prefix]
    words += [f"via {route.via}"] if route.via else [f"dev {route.interface}"]
    words += [f"src {route.source}"] if route.source else []
    words += [f"congctl {route.congestion_control}"] if route.congestion_control else []
    words += [f"initcwnd {route.initial_window_packets}"] if route.initial_window_packets else []
    words += [f"initrwnd {route.initial_receive_window_packets}"] if route.initial_receive_window_packets else []
    return " ".join(words)


def _traffic_control(end: InterfacePlan, delay: tuple[str, ...]) -> Iterator[str]:
    """Rate and queue of an end, and its delay and loss. Both are at one interface, with the delay above the rate."""
    for command in delay:
        command = _DISTRIBUTION.sub("", command.format(dev=end.name))
        yield f"tc {command.replace(' handle 1: ', f' handle {_NETEM} ', 1) if end.tc else command}"
    for command in end.tc:
        yield f"tc {command.replace(' root ', f' parent {_NETEM}1 ', 1) if delay else command}"
