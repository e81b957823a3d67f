"""The addresses of nodes in the order of preference, and the lab's `/etc/hosts`."""

from __future__ import annotations

from frrlib.errors import TopologyError
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology


def addresses_of(topology: Topology, name: str, vrf: str = "") -> list[str]:
    """All addresses of a node, the preferred destination first; IPv4 precedes IPv6.

    Loopbacks of a router with OSPF precede its interfaces.

    Raises:
        TopologyError: the topology has no such node.
    """
    node = topology.node(name)
    if node is None:
        raise TopologyError("is not in the topology", node=name)
    loopback = 2 if vrf or not (isinstance(node, Router) and node.ospf) else 0
    ranked = [(loopback, address) for address in (node.loopbacks if isinstance(node, Router) else ())]
    vrfs = (
        {port: address.name for address in node.vrfs for port in address.interfaces} if isinstance(node, Router) else {}
    )
    for _, end in topology.ends_at(name):
        vrf_of_end = vrfs.get(end.interface, "")
        ranked += [(1 if vrf_of_end == vrf else 3, address) for address in end.addresses]
    ranked.sort(key=lambda pair: (pair[1].version, pair[0]))
    return [str(address.ip) for _, address in ranked]


def hosts_file(topology: Topology) -> str:
    """The text of `/etc/hosts` (hosts(5)), with the name of every node at all of its addresses.

    Args:
        topology: with all addresses.
    """
    lines = ["127.0.0.1\tlocalhost", "::1\tlocalhost ip6-localhost"]
    for node in topology.nodes:
        lines += [f"{address}\t{node.name}" for address in dict.fromkeys(addresses_of(topology, node.name))]
    return "\n".join(lines) + "\n"
