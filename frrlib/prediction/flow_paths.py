"""The path of a flow through a topology, and its rate, delay and bandwidth-delay product.

All functions are pure and take a topology with names and addresses (`addressing.addressed`). The first link is the one
that the host's kernel uses: that of the destination's network, or else that of the gateway. The rest is the path with
the fewest links. Routing protocols may choose another one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Interface, IPv6Interface, ip_address
from typing import NamedTuple

from frrlib.addressing.addressing import gateways
from frrlib.errors import TopologyError
from frrlib.model.base import IpAddress
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link, Shape, bdp_bytes
from frrlib.model.nodes import Host, Router
from frrlib.model.topology import Topology

#: A link of a path, its shape in the direction of the path, and its shape in the other direction.
Hop = tuple[Link, Shape, Shape]


class PathStep(NamedTuple):
    """A link of a flow's path.

    Attributes:
        sender: the end from which the data leave.
        link: the link.
        side: the direction of the data: "a_to_b" or "b_to_a".
        shape: the shape of that direction.
        reverse_shape: the shape of the other direction.
    """

    sender: End
    link: Link
    side: str
    shape: Shape
    reverse_shape: Shape


class RoutedFlow(NamedTuple):
    """A flow and its path."""

    flow: Flow
    hops: tuple[Hop, ...]

    @property
    def steps(self) -> Iterator[PathStep]:
        """The links in order."""
        node_name = self.flow.source
        for link, shape, reverse_shape in self.hops:
            sender = link.a if link.a.node == node_name else link.b
            yield PathStep(sender, link, "a_to_b" if sender is link.a else "b_to_a", shape, reverse_shape)
            node_name = link.other(node_name).node

    @property
    def bottleneck(self) -> PathStep | None:
        """The first link with the lowest rate; None if no link has a rate, or if the rates are unknown."""
        if not self.is_modeled:
            return None
        rated = (step for step in self.steps if step.shape.rate_mbit is not None)
        return min(rated, key=lambda step: step.shape.rate_mbit or 0.0, default=None)

    @property
    def is_modeled(self) -> bool:
        """Whether the topology describes all queues of the path: no direction of a link has its own tc commands."""
        return not any(shape.qdiscs or reverse_shape.qdiscs for _, shape, reverse_shape in self.hops)

    @property
    def rtt_ms(self) -> float:
        """The base RTT."""
        return base_rtt_ms(self.hops)

    @property
    def mtu_bytes(self) -> int:
        """The largest packet that passes all links."""
        return min(end.real_mtu_bytes for link, _, _ in self.hops for end in link.ends)

    @property
    def bdp_bytes(self) -> float | None:
        """The bandwidth-delay product; None if a rate or a delay is missing or unknown."""
        return path_bdp_bytes(self.hops) if self.is_modeled else None


def unlimited_flows(topology: Topology) -> list[str]:
    """The ids of flows that no link on their path limits, because none of them has a rate.

    Args:
        topology: with names and addresses.
    """
    finder = PathFinder(topology)
    paths = ((flow, finder.path(flow.source, flow.destination)) for flow in topology.flows if flow.traffic.is_greedy)
    routed = (RoutedFlow(flow, hops) for flow, hops in paths if hops)
    return [path.flow.id for path in routed if path.is_modeled and path.bottleneck is None]


def address_of(topology: Topology, name: str) -> str:
    """The address by which other nodes reach a node: a router's first loopback with OSPF, else its first interface's.

    Raises:
        TopologyError: the node has no address.
    """
    node = topology.node(name)
    loopbacks = node.loopbacks if isinstance(node, Router) and node.ospf else ()
    addresses = [*loopbacks, *(address for _, end in topology.ends_at(name) for address in end.addresses)]
    addresses.sort(key=lambda address: address.version)
    if not addresses:
        raise TopologyError("has no address", node=name, remedy="set an address at one of its interfaces")
    return str(addresses[0].ip)


def default_gateways(topology: Topology, host: Host) -> dict[int, IpAddress]:
    """IP version to a host's gateway: the configured one; for the other version, the first router of its first network.

    Versions without one are left out.
    """
    return gateways_of(host, {version: gateways(topology, version) for version in (4, 6)})


def gateways_of(host: Host, gateways_by_version: Mapping[int, Mapping[str, IpAddress]]) -> dict[int, IpAddress]:
    """As `default_gateways`, from the result of `addressing.gateways` for each version."""
    gateway_of_version = {version: gateways_by_version[version].get(host.name) for version in (4, 6)}
    if host.default_route is not None:
        gateway_of_version[host.default_route.version] = host.default_route
    return {version: gateway for version, gateway in gateway_of_version.items() if gateway is not None}


def departure(topology: Topology, host: Host, address: IpAddress, gateway: IpAddress | None) -> tuple[Link, End] | None:
    """The link and its end by which a host sends to an address; None if the host has no route, or needs no link.

    Args:
        gateway: the gateway for addresses outside of its networks; None if it has none.
    """
    ends = list(topology.ends_at(host.name))
    networks: list[tuple[IPv4Interface | IPv6Interface, tuple[Link, End]]] = [
        (own_address, place) for place in ends for own_address in place[1].addresses
    ]
    networks += [(vlan.address, ends[0]) for vlan in host.vlan_interfaces if ends]
    for target in (address, gateway):
        matches = [
            (own_address, place)
            for own_address, place in networks
            if target is not None and target in own_address.network
        ]
        if any(own_address.ip == target for own_address, _ in matches):
            return None
        if matches:  # the longest prefix, the first one of equal ones
            return max(matches, key=lambda match: match[0].network.prefixlen)[1]
    return None


class PathFinder:
    """Finds paths through a topology, with one search for each source.

    Args:
        topology: with names and addresses.
    """

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._kinds = {node.name: node.kind for node in reversed(topology.nodes)}
        self._ends: dict[str, list[tuple[Link, End]]] = {}
        for link in topology.links:
            for end in link.ends:
                self._ends.setdefault(end.node, []).append((link, end))
        #: Each node to its neighbors, each with the link to it.
        self._neighbors = {name: [*self._neighbors_of(name)] for name in self._kinds}
        self._trees: dict[tuple[str, str], dict[str, tuple[str, Hop]]] = {}

    def path(self, source: str, destination: str) -> tuple[Hop, ...] | None:
        """As `path`."""
        has_choice = self._kinds.get(source) == "host" and len(self._ends.get(source, ())) > 1
        only = _first_link(self._topology, source, destination) if has_choice else None
        key = (source, only.id if only is not None else "")
        if key not in self._trees:
            self._trees[key] = self._shortest_path_tree(source, only)
        previous, hops, node_name = self._trees[key], list[Hop](), destination
        while node_name != source:
            if node_name not in previous:
                return None
            node_name, hop = previous[node_name]
            hops.append(hop)
        return tuple(reversed(hops))

    def _neighbors_of(self, name: str) -> Iterator[tuple[str, Hop]]:
        for link, end in self._ends.get(name, ()):
            if link.up and end is link.a:
                yield link.b.node, (link, link.a_to_b, link.b_to_a)
            elif link.up:
                yield link.a.node, (link, link.b_to_a, link.a_to_b)

    def _shortest_path_tree(self, source: str, only: Link | None) -> dict[str, tuple[str, Hop]]:
        """Each reachable node to the previous node, and the link from there."""
        previous: dict[str, tuple[str, Hop]] = {}
        queue = deque([source])
        while queue:
            name = queue.popleft()
            if name != source and self._kinds.get(name) in ("host", "controller"):
                continue
            for neighbor, hop in self._neighbors.get(name, ()):
                if neighbor in previous or neighbor == source:
                    continue
                if only is None or name != source or hop[0] == only:
                    previous[neighbor] = (name, hop)
                    queue.append(neighbor)
        return previous


def path(topology: Topology, source: str, destination: str) -> tuple[Hop, ...] | None:
    """The links of a shortest path, in order; None if no links lead there. Hosts and controllers do not forward.

    Use `PathFinder` for many paths through one topology.
    """
    return PathFinder(topology).path(source, destination)


def _first_link(topology: Topology, source: str, destination: str) -> Link | None:
    """The link by which a host sends to a node; None if any link may be used, or if it is unknown."""
    host = topology.node(source)
    if not isinstance(host, Host):
        return None
    try:
        address = ip_address(address_of(topology, destination))
    except TopologyError:
        return None
    place = departure(topology, host, address, default_gateways(topology, host).get(address.version))
    return place[0] if place is not None else None


def base_rtt_ms(hops: tuple[Hop, ...]) -> float:
    """The base RTT of a path in ms: all delays in both directions."""
    return sum(shape.delay_ms + reverse_shape.delay_ms for _, shape, reverse_shape in hops)


def bottleneck_mbit(hops: tuple[Hop, ...]) -> float | None:
    """The lowest rate in the direction of the path; None if no link has one."""
    return min((shape.rate_mbit for _, shape, _ in hops if shape.rate_mbit is not None), default=None)


def path_bdp_bytes(hops: tuple[Hop, ...] | None) -> float | None:
    """The bandwidth-delay product of a path; None without a rate, a delay, or a path."""
    rate = bottleneck_mbit(hops) if hops else None
    return bdp_bytes(rate, base_rtt_ms(hops)) or None if hops and rate is not None else None


def flow_bdp_bytes(topology: Topology, flow: Flow) -> float | None:
    """As `path_bdp_bytes`, for the path of a flow."""
    return path_bdp_bytes(path(topology, flow.source, flow.destination))


def largest_bdp_bytes(topology: Topology, host: str) -> float | None:
    """The largest bandwidth-delay product of the flows that a host sends or receives; None if no flow has one."""
    own_flows = [flow for flow in topology.flows if host in (flow.source, flow.destination)]
    return max((product for flow in own_flows if (product := flow_bdp_bytes(topology, flow)) is not None), default=None)
