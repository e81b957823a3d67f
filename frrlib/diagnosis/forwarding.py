"""Causes of lost packets that the kernels' tables name: the decision of each node on the path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address, ip_network

from frrlib.diagnosis.explanation import Step, cause
from frrlib.diagnosis.facts import LabFacts
from frrlib.diagnosis.links import disabled_cause
from frrlib.diagnosis.origins import static_routes
from frrlib.diagnosis.routes import missing_route_steps, network_of
from frrlib.diagnosis.wiring import Port
from frrlib.lab.path import LabPath
from frrlib.model.nodes import SWITCHING
from frrlib.wire.replies import PathHop, PathStop

_REFUSING = re.compile(r"has an? (\w+) route to (\S+)")
#: Words of `ip route` for the kinds of refusing routes.
_KEYWORDS = {"prohibiting": "prohibit", "throwing": "throw"}
_NO_NODE = re.compile(r"finds no node with the address (\S+) at (\S+)")


@dataclass(frozen=True)
class Direction:
    """The pings on their path, or the replies on theirs.

    Attributes:
        path: the path by the kernels' tables.
        is_reply: whether the packets are replies.
    """

    path: LabPath
    is_reply: bool

    @property
    def packets(self) -> str:
        """The packets in words."""
        return f"{'replies' if self.is_reply else 'packets'} to {self.path.address}"

    @property
    def version(self) -> int:
        """The IP version of the packets."""
        return ip_address(self.path.address).version

    def arrivals(self, facts: LabFacts, node: str, vrf: str = "") -> list[str]:
        """The interfaces of a node by which the packets arrive there."""
        names = [
            arrival_interface(facts, hop)
            for stop in self.path.stops
            for hop in stop.hops
            if (hop.node, hop.vrf) == (node, vrf) and hop.links
        ]
        return list(dict.fromkeys(name for name in names if name))


def arrival_interface(facts: LabFacts, hop: PathHop) -> str:
    """The interface by which packets of a hop arrive at its next node; empty if the hop crosses no link."""
    ids = hop.links[-1:]
    ends = (end.interface for link, end in facts.topology.ends_at(hop.node) if (link.id,) == ids)
    lower, dot, vlan = hop.interface.partition(".")
    return next((f"{name}{dot}{vlan}" if lower else name for name in ends), "")


def path_causes(facts: LabFacts, direction: Direction) -> Iterator[Step]:
    """The causes that the tables of the nodes on a path give, the nearest to the sender first."""
    for stop in direction.path.stops:
        if stop.reason:
            yield from _stop_causes(facts, direction, stop)
        for hop in stop.hops:
            if hop.reason:
                yield from _hop_causes(facts, direction, stop, hop)
            elif hop.links:
                yield from _disabled_ends(facts, stop, hop)
    yield from _loop_causes(direction)


# --- decisions of a node ----------------------------------------------------------------------------------------------


def _stop_causes(facts: LabFacts, direction: Direction, stop: PathStop) -> Iterator[Step]:
    node = stop.node
    if refusing := _REFUSING.fullmatch(stop.reason):
        yield _refusing_route(facts, direction, node, refusing[1], refusing[2])
    elif stop.reason.startswith("has no route"):
        yield from _no_route(facts, direction, stop)
    elif stop.reason.startswith("does not forward"):
        yield _forwarding_off(facts, direction, stop)
    elif "sender" in stop.reason:
        yield from _refused_sender(facts, direction, stop)
    else:
        yield cause(node, "", f"{node} {stop.reason}.")


def _refusing_route(facts: LabFacts, direction: Direction, node: str, kind: str, prefix: str) -> Step:
    keyword = _KEYWORDS.get(kind, kind)
    article = "an" if kind == "unreachable" else "a"
    sentence = f"{node} has {article} {kind} route to {prefix}, which drops the {direction.packets}."
    network = ip_network(prefix)
    typed = static_routes(facts, node, network) if node in facts.routers else []
    lines = [route.line for route in typed if route.hop in ("blackhole", "reject", "Null0")]
    family = "-6 " if network.version == 6 else ""
    remedy = f"At {node}: `ip {family}route del {keyword} {prefix}`."
    return cause(node, "", sentence, f"In vtysh of {node}: `no {lines[0]}`." if lines else remedy)


def _no_route(facts: LabFacts, direction: Direction, stop: PathStop) -> Iterator[Step]:
    node, address = stop.node, direction.path.address
    preposition = "back to" if direction.is_reply else "to"
    in_vrf = f" in VRF {stop.vrf}" if stop.vrf else ""
    sentence = f"{node} has no route {preposition} {address}{in_vrf}."
    steps: list[Step] = []
    if node in facts.routers and stop.vrf == facts.vrf(node):
        steps = missing_route_steps(facts, node, network_of(facts, address))
    if node not in facts.routers:
        steps = list(_disabled_interfaces(facts, node))
    if any(step.is_cause for step in steps):
        yield Step(node, "", sentence)
        yield from steps
        return
    yield cause(node, "", sentence, _route_remedy(facts, direction, stop))


def _disabled_interfaces(facts: LabFacts, node: str) -> Iterator[Step]:
    for link, end in facts.topology.ends_at(node):
        if not facts.interface(node, end.interface).is_enabled:
            yield disabled_cause(facts, Port(node, end.interface, link.id))


def _route_remedy(facts: LabFacts, direction: Direction, stop: PathStop) -> str:
    """A command that gives a node a route: over a router on one of its networks."""
    node, version = stop.node, direction.version
    networks = [known.network for port in facts.interfaces(node).values() for known in port.of_version(version)]
    gateways = [
        str(known.ip)
        for router in facts.topology.routers
        if router.name != node
        for port in facts.interfaces(router.name).values()
        for known in port.of_version(version)
        if any(known.ip in network for network in networks)
    ]
    family, command = ("", "ip route") if version == 4 else ("-6 ", "ipv6 route")
    gateway = gateways[0] if gateways else "GATEWAY"
    if node in facts.routers:
        suffix = f" vrf {stop.vrf}" if stop.vrf else ""
        network = network_of(facts, direction.path.address)
        return f"In vtysh of {node}: `{command} {network} NEXT-HOP{suffix}`, or let a routing protocol carry it."
    return f"Give {node} a default route: `ip {family}route add default via {gateway}`."


def _forwarding_off(facts: LabFacts, direction: Direction, stop: PathStop) -> Step:
    node = stop.node
    if direction.version == 6:
        name = "net.ipv6.conf.all.forwarding"
        return cause(node, "", f"{node} does not forward packets: {name} is 0.", _sysctl(node, name, "1"))
    for interface in direction.arrivals(facts, node, stop.vrf):
        is_global = facts.sysctl(node, "net/ipv4/ip_forward") == "0"
        if not is_global and facts.sysctl(node, f"net/ipv4/conf/{interface}/forwarding") == "0":
            name = f"net.ipv4.conf.{interface}.forwarding"
            sentence = f"{node} does not forward packets that arrive on {interface}: {name} is 0."
            return cause(node, interface, sentence, _sysctl(node, name, "1"))
    name = "net.ipv4.ip_forward"
    return cause(node, "", f"{node} does not forward packets: {name} is 0.", _sysctl(node, name, "1"))


def _refused_sender(facts: LabFacts, direction: Direction, stop: PathStop) -> Iterator[Step]:
    """The cause at a node that refuses the sender's address. Newer kernels give one error for all of these causes."""
    node, sender = stop.node, direction.path.sender
    if sender in facts.addresses(node):
        sentence = f"{node} drops the {direction.packets}, because it has their source address {sender} itself."
        yield cause(node, "", sentence, f"Remove the address {sender} from {node}, or give the sender another.")
        return
    steps = [reverse_path_cause(facts, direction, node, name) for name in direction.arrivals(facts, node, stop.vrf)]
    if causes := [step for step in steps if step]:
        yield from causes
        return
    yield cause(node, "", f"{node} drops the {direction.packets}: it accepts no packets from {sender}.")


def reverse_path_cause(facts: LabFacts, direction: Direction, node: str, interface: str) -> Step | None:
    """The cause that the reverse path filter of an interface drops the packets; None if it is off.

    The kernel uses the larger one of the values of `all` and of the interface.
    """
    paths = [f"net/ipv4/conf/{name}/rp_filter" for name in (interface, "all")]
    values = {path: int(facts.sysctl(node, path) or 0) for path in paths}
    path = max(paths, key=lambda known: values[known])
    if not values[path]:
        return None
    name, sender = path.replace("/", "."), direction.path.sender
    route = facts.route_to(node, sender)
    is_loose = values[path] == 2
    return_route = f"uses {route['dev']}" if route.get("dev") else "is missing"
    mode = "loose" if is_loose else "strict"
    sentence = (
        f"{node} drops the {direction.packets} on {interface} by its reverse path filter: its route back to {sender} "
        f"{return_route}, and {name} is {values[path]} ({mode})."
    )
    remedy = _sysctl(node, name, "2" if not is_loose and route else "0")
    return cause(node, interface, sentence, f"{remedy[:-1]}; or route {sender} over {interface} at {node}.")


def _sysctl(node: str, name: str, value: str) -> str:
    return f"At {node}: `sysctl -w {name}={value}`."


# --- between two nodes ------------------------------------------------------------------------------------------------


def _hop_causes(facts: LabFacts, direction: Direction, stop: PathStop, hop: PathHop) -> Iterator[Step]:
    node = stop.node
    if hop.reason.startswith("does not reach"):
        yield from _broken_link(facts, stop, hop)
    elif missing := _NO_NODE.fullmatch(hop.reason):
        address = missing[1]
        if address == direction.path.address:
            sentence = f"No node on the network of {hop.interface} of {node} has the address {address}."
            remedy = "Check the address, and the interface that should have it."
        else:
            sentence = (
                f"{node} sends the {direction.packets} to the next hop {address} at {hop.interface}, but no node there "
                "has this address."
            )
            remedy = f"Name the address of a router there in the route of {node} to {stop.prefix or 'it'}."
        yield cause(node, hop.interface, sentence, remedy)
    else:
        yield cause(node, hop.interface, f"{node} {hop.reason}.")


def _disabled_ends(facts: LabFacts, stop: PathStop, hop: PathHop) -> Iterator[Step]:
    """The causes at the two ends of a hop that are down. The kernel of the sender may still have its route."""
    for node, interface, link in (
        (stop.node, hop.interface, hop.links[0]),
        (hop.node, arrival_interface(facts, hop), hop.links[-1]),
    ):
        if node and interface and not facts.interface(node, interface).is_enabled:
            yield disabled_cause(facts, Port(node, interface, link))


def _broken_link(facts: LabFacts, stop: PathStop, hop: PathHop) -> Iterator[Step]:
    """The causes at the links of a hop, of which one is down."""
    links = [link for link in facts.topology.links if link.id in hop.links]
    for link in links:
        if link.id in facts.faults["links_down"]:
            sentence = f"The link between {link.a.node} and {link.b.node} is down."
            yield cause(stop.node, hop.interface, sentence, f"Set the link {link.id} up.")
            return
    for link in links:
        for end in link.ends:
            node = facts.topology.node(end.node)
            is_switching = node is None or node.kind in SWITCHING
            if not is_switching and not facts.interface(end.node, end.interface).is_enabled:
                yield disabled_cause(facts, Port(end.node, end.interface, link.id))
                return
    sentence = f"{stop.node} {hop.reason}."
    yield cause(stop.node, hop.interface, sentence, f"Set the links between {stop.node} and the next node up.")


def _loop_causes(direction: Direction) -> Iterator[Step]:
    for loop in direction.path.loops:
        stops = [stop for stop in direction.path.stops if stop.node in loop]
        routes = [f"{stop.node} uses its route to {stop.prefix} ({stop.protocol or 'unknown'})" for stop in stops]
        sentence = f"The {direction.packets} loop until their TTL expires: {' → '.join(loop)}; {', '.join(routes)}."
        typed = [stop for stop in stops if stop.protocol in ("static", "boot")]
        wrong = max(typed or stops, key=lambda stop: int(stop.prefix.partition("/")[2] or 0))
        remedy = f"Change the next hop of the route to {wrong.prefix} at {wrong.node}, or remove the route."
        yield cause(wrong.node, "", sentence, remedy)
