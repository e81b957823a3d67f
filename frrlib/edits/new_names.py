"""Names for new nodes: MiniEdit's letters and counters, and never a name in use.

Counters are read off the drawing: one above the highest number in use. A gap that a deleted node left is not filled,
so what still speaks of the old one does not come to mean the new one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from frrlib.addressing.pools import subnets4
from frrlib.model.base import IpAddress
from frrlib.model.flows import Flow
from frrlib.model.names import numbered
from frrlib.model.nodes import Host, Router
from frrlib.model.topology import Topology

#: The letter of each kind of node. Bridges are switches to MiniEdit, and share their letter.
LETTERS = {"host": "h", "router": "r", "switch": "s", "bridge": "s", "controller": "c"}
#: Where each letter starts to count; the others start at 1.
_FIRST = {"c": 0}
#: Numbers above are people's own; counting goes on below them, where numbers make addresses that can be read.
_LARGEST = 9999


def fresh_names(topology: Topology, letter: str) -> Iterator[str]:
    """Names of that letter for new nodes ("h3", "h4", ...), none of which is in the drawing. Never ends."""
    taken = {node.name for node in topology.nodes}
    numbers = [parts[1] for name in taken if (parts := numbered(name)) and parts[0] == letter]
    numbers += [node.number for node in topology.nodes if node.number is not None and LETTERS[node.kind] == letter]
    first = max((number for number in numbers if number <= _LARGEST), default=-1) + 1
    start = max(first, _FIRST.get(letter, 1))
    return (name for number in count(start) if (name := f"{letter}{number}") not in taken)


def fresh_link_ids(topology: Topology) -> Iterator[str]:
    """Ids for new links ("l3", "l4", ...), none of which is in the drawing. Never ends.

    A link's automatic network follows from its id. Ids whose network holds an address that some setting still speaks of
    (a BGP neighbour, a next hop, a default route) are passed over: that was another link's.
    """
    taken = {link.id for link in topology.links}
    numbers = [parts[1] for name in taken if (parts := numbered(name)) and parts[0] == "l"]
    start = max((number for number in numbers if number <= _LARGEST), default=0) + 1
    spoken_of = referenced_addresses(topology)
    for number in count(start):
        link_id = f"l{number}"
        network = next(subnets4(link_id, False))
        if link_id not in taken and not any(address in network for address in spoken_of):
            yield link_id


def referenced_addresses(topology: Topology) -> set[IpAddress]:
    """Addresses that settings of nodes speak of, as those of others."""
    found: set[IpAddress] = set()
    for node in topology.nodes:
        if isinstance(node, Host) and node.default_route is not None:
            found.add(node.default_route)
        elif isinstance(node, Router):
            for holder in node.tables:
                found |= {route.via for route in holder.static_routes if not isinstance(route.via, str)}
                found |= {neighbor.address for neighbor in holder.bgp.neighbors} if holder.bgp else set()
            found |= {peer.address for peer in node.bfd.peers} if node.bfd else set()
            found |= {point.address for point in node.pim.rendezvous_points} if node.pim else set()
    return found


def result_ids(flow: Flow) -> list[str]:
    """The ids under which a flow is in the results: its own, or those of so many equal ones."""
    return [flow.id] if flow.count == 1 else [f"{flow.id}.{number}" for number in range(1, flow.count + 1)]


def used_flow_ids(topology: Topology) -> set[str]:
    """All ids of flows, as drawn and as in the results."""
    return {name for flow in topology.flows for name in (flow.id, *result_ids(flow))}


def fresh_flow_ids(topology: Topology) -> Iterator[str]:
    """Ids for new flows ("f1", "f2", ...), none of which is in the drawing. Never ends."""
    taken = used_flow_ids(topology)
    numbers = [parts[1] for name in taken if (parts := numbered(name)) and parts[0] == "f"]
    start = max((number for number in numbers if number <= _LARGEST), default=0) + 1
    return (name for number in count(start) if (name := f"f{number}") not in taken)
