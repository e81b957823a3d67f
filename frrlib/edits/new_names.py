"""Unused names for new nodes, links and flows, with MiniEdit's letters and counters.

A counter starts above the highest number in use. Numbers of deleted nodes are not reused, so that remaining references
to a deleted node do not refer to a new one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from frrlib.addressing.pools import subnets4
from frrlib.model.base import IpAddress
from frrlib.model.names import numbered
from frrlib.model.nodes import Host, Router
from frrlib.model.topology import Topology

#: The letter of each kind of node. MiniEdit treats bridges as switches, so they share their letter.
LETTERS = {"host": "h", "router": "r", "switch": "s", "bridge": "s", "controller": "c"}
#: The first number of each letter; the others start at 1.
_FIRST = {"c": 0}
#: Larger numbers in use are ignored, since only smaller ones give readable addresses.
_LARGEST = 9999


def fresh_names(topology: Topology, letter: str) -> Iterator[str]:
    """Unused names with that letter for new nodes ("h3", "h4", ...). Never ends."""
    used = {name for node in topology.nodes for name in (node.name, node.address_name)}
    numbers = [parts[1] for name in used if (parts := numbered(name)) and parts[0] == letter]
    numbers += [node.number for node in topology.nodes if node.number is not None and LETTERS[node.kind] == letter]
    first = max((number for number in numbers if number <= _LARGEST), default=-1) + 1
    start = max(first, _FIRST.get(letter, 1))
    return (name for number in count(start) if (name := f"{letter}{number}") not in used)


def fresh_link_ids(topology: Topology) -> Iterator[str]:
    """Unused IDs for new links ("l3", "l4", ...). Never ends.

    A link's automatic network follows from its ID. An ID is skipped if a setting still refers to an address in its
    network (a BGP neighbor, a next hop, a default route), which belonged to another link.
    """
    used = {link.id for link in topology.links}
    numbers = [parts[1] for name in used if (parts := numbered(name)) and parts[0] == "l"]
    start = max((number for number in numbers if number <= _LARGEST), default=0) + 1
    referenced = referenced_addresses(topology)
    for number in count(start):
        link_id = f"l{number}"
        network = next(subnets4(link_id, False))
        if link_id not in used and not any(address in network for address in referenced):
            yield link_id


def referenced_addresses(topology: Topology) -> set[IpAddress]:
    """Addresses of other nodes that settings refer to."""
    addresses: set[IpAddress] = set()
    for node in topology.nodes:
        if isinstance(node, Host) and node.default_route is not None:
            addresses.add(node.default_route)
        elif isinstance(node, Router):
            for holder in node.tables:
                addresses |= {route.via for route in holder.static_routes if not isinstance(route.via, str)}
                addresses |= {neighbor.address for neighbor in holder.bgp.neighbors} if holder.bgp else set()
            addresses |= {peer.address for peer in node.bfd.peers} if node.bfd else set()
            addresses |= {point.address for point in node.pim.rendezvous_points} if node.pim else set()
    return addresses


def used_flow_ids(topology: Topology) -> set[str]:
    """All IDs of flows, in the topology and in the results."""
    return {name for flow in topology.flows for name in (flow.id, *flow.result_ids)}


def fresh_flow_ids(topology: Topology) -> Iterator[str]:
    """Unused IDs for new flows ("f1", "f2", ...). Never ends."""
    used = used_flow_ids(topology)
    numbers = [parts[1] for name in used if (parts := numbered(name)) and parts[0] == "f"]
    start = max((number for number in numbers if number <= _LARGEST), default=0) + 1
    return (name for number in count(start) if (name := f"f{number}") not in used)
