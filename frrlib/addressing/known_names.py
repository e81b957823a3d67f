"""By which addresses nodes are known to each other, and by which names."""

from __future__ import annotations

from frrlib.errors import TopologyError
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology


def addresses_of(topology: Topology, name: str, vrf: str = "") -> list[str]:
    """All addresses of a node, the one that packets are sent to first; those of IPv6 after those of IPv4.

    A router with OSPF is known by its loopbacks before its interfaces.

    Raises:
        TopologyError: there is no such node.
    """
    node = topology.node(name)
    if node is None:
        raise TopologyError("is not in the topology", node=name)
    loopback = 2 if vrf or not (isinstance(node, Router) and node.ospf) else 0
    found = [(loopback, each) for each in (node.loopbacks if isinstance(node, Router) else ())]
    vrfs = {port: each.name for each in node.vrfs for port in each.interfaces} if isinstance(node, Router) else {}
    for _, end in topology.ends_at(name):
        there = vrfs.get(end.interface, "")
        found += [(1 if there == vrf else 3, each) for each in end.addresses]
    found.sort(key=lambda each: (each[1].version, each[0]))
    return [str(each.ip) for _, each in found]


def hosts_file(topology: Topology) -> str:
    """Text of the file `/etc/hosts` (hosts(5)) in which every node has its name, at all of its addresses.

    Args:
        topology: with all addresses.
    """
    lines = ["127.0.0.1\tlocalhost", "::1\tlocalhost ip6-localhost"]
    for node in topology.nodes:
        lines += [f"{address}\t{node.name}" for address in dict.fromkeys(addresses_of(topology, node.name))]
    return "\n".join(lines) + "\n"
