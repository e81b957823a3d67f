"""Why pings from a node to an address are lost.

explanation = explain_lost_packets(lab, "h1", "10.2.0.10")
print(explanation)  # "r2 does not forward packets: net.ipv4.ip_forward is 0."

The kernels' routing tables are followed first, there and back. Then the neighbors on the path are read, and pings are
counted at each interface.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any

from frrlib.addressing.domains import broadcast_domains
from frrlib.diagnosis.explanation import Explanation, Step, cause, explain
from frrlib.diagnosis.facts import LabFacts
from frrlib.diagnosis.forwarding import Direction, arrival_interface, path_causes
from frrlib.diagnosis.losses import loss_causes
from frrlib.diagnosis.routes import explain_missing_route
from frrlib.diagnosis.vrfs import facts_in_vrf, with_vrf_commands
from frrlib.errors import TopologyError
from frrlib.lab.lab import Lab
from frrlib.model.nodes import ADDRESSED
from frrlib.wire.replies import PathHop, PathStop

#: Bytes of the headers of IP and ICMP echo requests, by IP version.
_HEADER_BYTES = {4: 28, 6: 48}
_UNRESOLVED = {"FAILED", "INCOMPLETE"}


def explain_unreachable(lab: Lab, node: str, target: str, vrf: str = "") -> Explanation:
    """Why a node does not reach a prefix or an address.

    Args:
        node: a host or a router with FRR.
        target: a prefix or an address. For a prefix, or an address that no node has, a router's route is explained. For
            an address of a node, also pings to it are.
        vrf: a VRF of the router; empty for its main table.

    Raises:
        TopologyError: a name or the target is wrong, or the node is a host and the target is a prefix.
        LabFailed: the lab has ended, or does not reply in time.
    """
    facts = LabFacts(lab)
    try:
        ip_address(target)
    except ValueError:
        return explain_missing_route(lab, node, target, vrf)
    if node not in facts.routers:
        return explain_lost_packets(lab, node, target, vrf)
    route = explain_missing_route(lab, node, target, vrf)
    if not route.is_there or not facts_in_vrf(lab, node, vrf).owner(target):
        return route
    packets = explain_lost_packets(lab, node, target, vrf)
    return explain(packets.subject, (*route.steps, *packets.steps), is_there=packets.is_there)


def explain_lost_packets(lab: Lab, source: str, address: str, vrf: str = "") -> Explanation:
    """Why pings from a node to an address are not answered. Some pings are sent for it.

    Kernels are read as they are now, not as the topology describes them. Only links come from the topology.

    Args:
        source: a host or a router.
        address: an IPv4 or IPv6 address.
        vrf: the VRF of the source that sends the pings; empty for its main table.

    Raises:
        TopologyError: the node is missing or has no addresses, it has no such VRF, or `address` is invalid.
        LabFailed: the lab has ended, or does not reply in time.
    """
    facts = LabFacts(lab)
    node = facts.topology.node(source)
    if node is None:
        raise TopologyError("is not in the topology", node=source)
    if node.kind not in ADDRESSED:
        raise TopologyError("sends no packets of its own", node=source, remedy="name a host or a router")
    try:
        ip_address(address)
    except ValueError:
        raise TopologyError(f"{address!r} is no address", remedy="write it as in 10.1.0.10") from None
    facts = facts_in_vrf(lab, source, vrf)
    subject = f"pings from {source} to {address}{f' in VRF {vrf}' if vrf else ''}"
    if source in facts.faults["frozen"]:
        sentence, remedy = f"All processes of {source} are stopped.", f"`miniedit-frr fault thaw {source}`."
        return explain(subject, [cause(source, "", sentence, f"Continue them: {remedy}")])
    is_answered = facts.answers_ping(source, address)
    directions = _directions(facts, source, address)
    if is_answered:
        causes = [*_duplicate_causes(facts, directions), *_size_causes(facts, directions)]
        steps = [_answered_step(facts, directions[0]), *causes]
        return explain(subject, steps, is_there=not causes)
    unknown = f"{source} receives no replies from {address}. No cause was found."
    return explain(subject, with_vrf_commands(facts, _causes(facts, directions)), unknown=unknown)


def _directions(facts: LabFacts, source: str, address: str) -> list[Direction]:
    """The pings, and their replies if a node has the address."""
    pings = Direction(facts.path(source, address), is_reply=False)
    if not pings.path.owner:
        return [pings]
    return [pings, Direction(facts.path_back(pings.path), is_reply=True)]


def _answered_step(facts: LabFacts, direction: Direction) -> Step:
    path = direction.path
    branches = path.branches(1)
    names = " → ".join(branches[0]) if branches else path.source
    return Step(path.source, "", f"{path.source} receives replies from {path.address} ({names}).")


def _causes(facts: LabFacts, directions: list[Direction]) -> Iterator[Step]:
    """The causes of lost pings, those on the path of the pings first."""
    for direction in directions:
        steps = list(path_causes(facts, direction))
        yield from steps
        if any(step.is_cause for step in steps):
            return
    lossy = list(_lossy_links(facts, directions))
    early = [*_duplicate_causes(facts, directions), *_ignored_pings(facts, directions[0])]
    if not lossy:  # else requests for hardware addresses are lost, too
        early += [step for direction in directions for step in _neighbor_causes(facts, direction)]
    counted = [] if early else list(loss_causes(facts, directions))
    losing = counted[0].node if counted and "firewall" not in counted[0].sentence else ""
    at_link = [step for step in lossy if step.node == losing][:1]
    yield from early or at_link or counted or lossy[:1]


# --- addresses and neighbors ------------------------------------------------------------------------------------------


def _hops(direction: Direction) -> Iterator[tuple[PathStop, PathHop, str]]:
    """The hops over links: the node, the hop, and the address of the next node there."""
    for stop in direction.path.stops:
        for hop in stop.hops:
            if hop.node and hop.links:
                yield stop, hop, hop.gateway or direction.path.address


def _duplicate_causes(facts: LabFacts, directions: list[Direction]) -> list[Step]:
    """The addresses on the path that two nodes of one network have, as causes."""
    causes = {}
    for direction in directions:
        for _, hop, address in _hops(direction):
            domain = next(
                (d for d in broadcast_domains(facts.topology) if hop.links[-1] in {x.id for x in d.links}), None
            )
            ends = domain.ends if domain else ()
            ports = [(at.node.name, at.end.interface) for at in ends]
            having = [
                f"{name} of {node}"
                for node, name in ports
                if address in {str(known.ip) for known in facts.interface(node, name).addresses}
            ]
            if len(having) > 1:
                sentence = f"Two nodes of one network have the address {address}: {' and '.join(having)}."
                causes[address] = cause(hop.node, "", sentence, f"Give one of them another address than {address}.")
    return list(causes.values())


def _lossy_links(facts: LabFacts, directions: list[Direction]) -> Iterator[Step]:
    """The links on the path that lose packets by a fault, as causes; a link in both directions twice."""
    lossy = set(facts.faults["lossy"])
    for direction in directions:
        for stop, hop, _ in _hops(direction):
            for link in hop.links:
                if link in lossy:
                    sentence = f"The link {link} between {stop.node} and {hop.node} loses packets (a fault)."
                    remedy = f"Clear the fault: `miniedit-frr fault loss {link} 0`."
                    yield cause(stop.node, hop.interface, sentence, remedy)


def _neighbor_causes(facts: LabFacts, direction: Direction) -> Iterator[Step]:
    """The causes that a node does not find the hardware address of the next one, or has a wrong one."""
    for stop, hop, address in _hops(direction):
        arrival = arrival_interface(facts, hop)
        links: dict[str, dict[str, Any]] = {}
        for node, name in ((stop.node, hop.interface), (hop.node, arrival)):
            links[node] = next(iter(json.loads(facts.output(node, "ip", "-j", "link", "show", name) or "[]")), {})
            if "NOARP" in links[node].get("flags", ()):
                sentence = f"ARP is off at {name} of {node}, so neighbors do not learn hardware addresses."
                yield cause(node, name, sentence, f"At {node}: `ip link set {name} arp on`.")
                return
        text = facts.output(stop.node, "ip", "-j", "neigh", "show", address, "dev", hop.interface)
        for entry in [entry for entry in json.loads(text or "[]") if entry]:
            yield from _neighbor_cause(
                direction, stop, hop, address, arrival, entry, links[hop.node].get("address", "")
            )


def _neighbor_cause(
    direction: Direction, stop: PathStop, hop: PathHop, address: str, arrival: str, entry: dict[str, Any], real: str
) -> Iterator[Step]:
    """The cause in an entry of `ip neigh`.

    Args:
        real: the hardware address of the next node.
    """
    known, states = entry.get("lladdr", ""), set(entry.get("state", ()))
    if not known and states & _UNRESOLVED:
        requests = "ARP requests" if direction.version == 4 else "neighbor solicitations"
        sentence = (
            f"{stop.node} does not find the hardware address of {address} on {hop.interface} "
            f"({entry['state'][0]}): {hop.node} does not reply to its {requests}."
        )
        remedy = f"Look for filters and settings of {arrival} at {hop.node}, such as `arp_ignore`."
        yield cause(stop.node, hop.interface, sentence, remedy)
    elif known and real and known != real and "PERMANENT" in states:
        sentence = (
            f"{stop.node} has a permanent wrong hardware address for {address} on {hop.interface}: {known}; {arrival} "
            f"of {hop.node} has {real}."
        )
        remedy = f"At {stop.node}: `ip neigh del {address} dev {hop.interface}`."
        yield cause(stop.node, hop.interface, sentence, remedy)


def _ignored_pings(facts: LabFacts, direction: Direction) -> Iterator[Step]:
    owner = next((stop.node for stop in direction.path.stops if stop.is_end), "")
    path = "net/ipv4/icmp_echo_ignore_all" if direction.version == 4 else "net/ipv6/icmp/echo_ignore_all"
    if owner and facts.sysctl(owner, path) == "1":
        name = path.replace("/", ".")
        sentence = f"{owner} ignores pings: {name} is 1."
        yield cause(owner, "", sentence, f"At {owner}: `sysctl -w {name}=0`.")


# --- large packets ----------------------------------------------------------------------------------------------------


def _size_causes(facts: LabFacts, directions: list[Direction]) -> Iterator[Step]:
    """The first hop whose sender accepts larger packets than the receiver, as a cause if such pings are lost.

    A smaller MTU at both ends is no cause: the router reports it to the sender, which sends smaller packets then.
    """
    first = directions[0]
    for direction in directions:
        for stop, hop, _ in _hops(direction):
            arrival = arrival_interface(facts, hop)
            mtu = facts.interface(stop.node, hop.interface).mtu_bytes
            accepted = facts.interface(hop.node, arrival).mtu_bytes
            smallest = min(
                facts.interface(other.node, next_hop.interface).mtu_bytes for other, next_hop, _ in _hops(first)
            )
            size = min(mtu, smallest)
            if size <= accepted:
                continue
            payload_bytes = size - _HEADER_BYTES[direction.version]
            if facts.answers_ping(first.path.source, first.path.address, payload_bytes=payload_bytes):
                continue
            sentence = (
                f"Packets of more than {accepted} bytes are lost between {stop.node} and {hop.node}: {hop.interface} "
                f"of {stop.node} has an MTU of {mtu} bytes, {arrival} of {hop.node} has {accepted}."
            )
            remedy = f"Set one MTU at both ends: `ip link set {hop.interface} mtu {accepted}` at {stop.node}."
            yield cause(stop.node, hop.interface, sentence, remedy)
            return
