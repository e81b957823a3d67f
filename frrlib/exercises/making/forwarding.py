"""The expected routes of a topology with their next hops, and the expected paths of packets.

They follow from the topology alone, by longest prefix, administrative distance and interface costs. Areas, levels and
most policies are not considered, so a lab must confirm a path.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from ipaddress import ip_address
from itertools import pairwise
from typing import Literal, NamedTuple

from frrlib.addressing.domains import broadcast_domains
from frrlib.addressing.known_names import addresses_of
from frrlib.conf.text import parse
from frrlib.errors import TopologyError
from frrlib.model.base import IpAddress
from frrlib.model.nodes import Host, Router
from frrlib.model.routing import Network
from frrlib.model.topology import Topology
from frrlib.prediction.adjacency import Adjacency, expected_adjacencies
from frrlib.prediction.bgp.paths import BgpRoute
from frrlib.prediction.bgp.routes import chosen_bgp_routes
from frrlib.prediction.flow_paths import default_gateways
from frrlib.prediction.routes import connected_networks, known_without_bgp, routes_by_protocol
from frrlib.render.frr import frr_confs

#: Administrative distances of FRR.
_STATIC, _EBGP, _OSPF, _ISIS, _RIP, _IBGP = 1, 20, 110, 115, 120, 200
_DISTANCES = {"static": _STATIC, "ospf": _OSPF, "ospf6": _OSPF, "isis": _ISIS, "rip": _RIP, "ripng": _RIP}
#: Cost of an interface without a stated one, for OSPF and IS-IS; all have the same rate. RIP counts hops.
_USUAL_COST = 10
#: Lines of an interface that state a cost.
_COST_LINES = {"ip ospf cost": "ospf", "ipv6 ospf6 cost": "ospf6", "isis metric": "isis"}
#: Maximum number of next hops that lead to further next hops.
_MOST_RECURSIONS = 4


class PredictedRoute(NamedTuple):
    """An expected route of a router, which is not connected.

    Attributes:
        protocol: "static", "bgp", or the name of an interior protocol.
        next_hop: address of its next hop; None if it is unknown, or if packets are dropped.
        routers: the routers at its next hops; empty if they are unknown.
        sender: the router that sent the route of BGP.
        as_path: the AS path of BGP; None for other protocols, or if it is unknown.
        local_preference: the local preference of BGP.
    """

    protocol: str
    next_hop: IpAddress | None = None
    routers: frozenset[str] = frozenset()
    sender: str = ""
    as_path: tuple[int, ...] | None = None
    local_preference: int | None = None


@dataclass(frozen=True)
class PredictedPath:
    """An expected path.

    Attributes:
        state: "arrives"; "stops" if a node has no route; "unknown" if the topology does not determine the path.
        nodes: the nodes up to its end.
    """

    state: Literal["arrives", "stops", "unknown"]
    nodes: tuple[str, ...]


class Forwarding:
    """The expected forwarding of a topology.

    Args:
        topology: with names and addresses filled in.
    """

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self._owners: dict[IpAddress, str] = {}
        #: The nodes in a network with each node.
        self._near: dict[str, set[str]] = {node.name: set() for node in topology.nodes}
        for domain in broadcast_domains(topology):
            places = [place for place in domain.ends if place.link.up]
            for place in places:
                self._near[place.node.name] |= {other.node.name for other in places} - {place.node.name}
                for address in place.end.addresses:
                    self._owners.setdefault(address.ip, place.node.name)
        for router in topology.routers:
            for address in router.loopbacks:
                self._owners.setdefault(address.ip, router.name)
        self._known_without_bgp = known_without_bgp(topology)
        self._trees: dict[tuple[str, str], dict[str, tuple[int, frozenset[str]]]] = {}

    @cached_property
    def adjacencies(self) -> tuple[Adjacency, ...]:
        """The expected adjacencies, once from each end."""
        return expected_adjacencies(self.topology, self._known_without_bgp)

    @cached_property
    def routes(self) -> dict[str, dict[Network, PredictedRoute]]:
        """Router to its expected routes in the default table, without connected networks."""
        routes: dict[str, dict[Network, PredictedRoute]] = {}
        for router in self.topology.routers:
            own_networks = connected_networks(self.topology, router.name)
            protocols = {
                prefix: protocol
                for prefix, protocol in self._protocols[router.name].items()
                if prefix not in own_networks
            }
            routes[router.name] = {
                prefix: self._route(router, prefix, protocol) for prefix, protocol in protocols.items()
            }
        return routes

    def address(self, name: str, version: int) -> str:
        """The address by which other nodes reach a node with an IP version; empty if it has none."""
        try:
            addresses = [ip_address(text) for text in addresses_of(self.topology, name)]
        except TopologyError:
            return ""
        return next(
            (str(address) for address in addresses if address.version == version and not address.is_link_local), ""
        )

    def path(self, source: str, destination: str, version: int = 4) -> PredictedPath:
        """The expected path of packets from a node to another one with an IP version."""
        text = self.address(destination, version)
        if not text:
            return PredictedPath("stops", (source,))
        address = ip_address(text)
        nodes = [source]
        while nodes[-1] != destination:
            following = self._next_nodes(nodes[-1], address)
            if following is None or len(following) > 1:
                return PredictedPath("unknown", tuple(nodes))
            if not following or next(iter(following)) in nodes:
                return PredictedPath("stops", tuple(nodes))
            nodes += following
        return PredictedPath("arrives", tuple(nodes))

    def has_choice(self, source: str, destination: str) -> bool:
        """Whether the links permit several paths between two nodes."""
        only = self._any_path(source, destination, frozenset())
        steps = pairwise(only)
        return any(self._any_path(source, destination, frozenset(step)) for step in steps)

    def _any_path(self, source: str, destination: str, without: frozenset[str]) -> list[str]:
        """A path over networks, without the step between two nodes; empty if there is none. Hosts do not forward."""
        previous, queue = {source: ""}, deque([source])
        while queue and destination not in previous:
            name = queue.popleft()
            if name != source and not isinstance(self.topology.node(name), Router):
                continue
            for neighbor in sorted(self._near[name]):
                if neighbor not in previous and {name, neighbor} != without:
                    previous[neighbor] = name
                    queue.append(neighbor)
        nodes = [destination] if destination in previous else []
        while nodes and nodes[-1] != source:
            nodes.append(previous[nodes[-1]])
        return nodes[::-1]

    # --- next nodes ---------------------------------------------------------------------------------------------------

    def _next_nodes(self, name: str, address: IpAddress) -> frozenset[str] | None:
        """The nodes to which a node forwards packets for an address; None if they are unknown."""
        node = self.topology.node(name)
        if isinstance(node, Host):
            own_networks = connected_networks(self.topology, name)
            if any(address in network for network in own_networks):
                return self._neighbor_with(name, address)
            gateway = default_gateways(self.topology, node).get(address.version)
            return frozenset() if gateway is None else self._neighbor_with(name, gateway)
        return self._router_hops(name, address, _MOST_RECURSIONS) if isinstance(node, Router) else frozenset()

    def _neighbor_with(self, name: str, address: IpAddress) -> frozenset[str]:
        owner = self._owners.get(address, "")
        return frozenset((owner,)) if owner in self._near[name] else frozenset()

    def _router_hops(self, name: str, address: IpAddress, steps_left: int) -> frozenset[str] | None:
        connected = dict.fromkeys(connected_networks(self.topology, name))
        table: dict[Network, PredictedRoute | None] = {**self.routes.get(name, {}), **connected}
        matches = [prefix for prefix in table if prefix.version == address.version and address in prefix]
        if not matches:
            return frozenset()
        route = table[max(matches, key=lambda prefix: prefix.prefixlen)]
        if route is None:
            return self._neighbor_with(name, address)
        if route.routers:
            return route.routers
        if route.next_hop is None or not steps_left:
            return frozenset() if route.protocol == "static" else None
        return self._router_hops(name, route.next_hop, steps_left - 1)

    # --- routes -------------------------------------------------------------------------------------------------------

    @cached_property
    def _bgp(self) -> dict[str, dict[Network, BgpRoute]]:
        return chosen_bgp_routes(self.topology, self._known_without_bgp)

    @cached_property
    def _protocols(self) -> dict[str, dict[Network, str]]:
        """Router to the protocol of each prefix in its default table: the one with the lowest distance."""
        best: dict[str, dict[Network, tuple[int, str]]] = {router.name: {} for router in self.topology.routers}
        for protocol, tables in routes_by_protocol(self.topology).items():
            for name, prefixes in tables.items():
                for prefix in prefixes:
                    candidate = (self._distance(name, prefix, protocol), protocol)
                    best[name][prefix] = min(candidate, best[name].get(prefix, candidate))
        return {name: {prefix: protocol for prefix, (_, protocol) in table.items()} for name, table in best.items()}

    def _distance(self, name: str, prefix: Network, protocol: str) -> int:
        router = self.topology.node(name)
        if protocol == "static" and isinstance(router, Router):
            return min((r.distance or _STATIC for r in router.static_routes if r.prefix == prefix), default=_STATIC)
        if protocol == "bgp":
            route = self._bgp.get(name, {}).get(prefix)
            return _EBGP if route is None or route.source == "external" else _IBGP
        return _DISTANCES[protocol]

    def _route(self, router: Router, prefix: Network, protocol: str) -> PredictedRoute:
        if protocol == "static":
            rows = [row for row in router.static_routes if row.prefix == prefix]
            row = min(rows, key=lambda candidate: candidate.distance or _STATIC, default=None)
            next_hop = row.via if row is not None and not isinstance(row.via, str) else None
            return PredictedRoute(protocol, next_hop)
        if protocol == "bgp":
            route = self._bgp.get(router.name, {}).get(prefix)
            if route is None:
                return PredictedRoute(protocol)
            is_address = route.next_hop is not None and route.next_hop != "link"
            return PredictedRoute(
                protocol,
                ip_address(str(route.next_hop)) if is_address else None,
                frozenset((route.sender,)) if route.next_hop == "link" else frozenset(),
                route.sender,
                route.path,
                route.local_preference,
            )
        return PredictedRoute(protocol, None, self._nearest_hops(router.name, prefix, protocol))

    def _nearest_hops(self, name: str, prefix: Network, protocol: str) -> frozenset[str]:
        """The first routers on the cheapest paths of an interior protocol to the routers that announce a prefix."""
        tree = self._tree(name, protocol)
        costs = {
            target: tree[target][0] + cost
            for target, cost in self._announcers(prefix, protocol).items()
            if target in tree and target != name
        }
        cheapest = [target for target, cost in costs.items() if cost == min(costs.values())]
        return frozenset[str]().union(*(tree[target][1] for target in cheapest))

    def _announcers(self, prefix: Network, protocol: str) -> dict[str, int]:
        """The routers that have a prefix from another source, with the cost of their interface in it."""
        announcers = {}
        for router in self.topology.routers:
            if getattr(router, protocol) is None:
                continue
            ends = [end for _, end in self.topology.ends_at(router.name)]
            inside = [end for end in ends if any(address.network == prefix for address in end.addresses)]
            if inside or any(address.network == prefix for address in router.loopbacks):
                announcers[router.name] = min(
                    (self._cost(router, end.interface, protocol) for end in inside), default=0
                )
            elif self._protocols[router.name].get(prefix, protocol) != protocol:
                announcers[router.name] = 0
        return announcers

    def _tree(self, start: str, protocol: str) -> Mapping[str, tuple[int, frozenset[str]]]:
        """Router to its distance from `start` and the first routers on the cheapest paths (Dijkstra)."""
        if (start, protocol) not in self._trees:
            neighbors: dict[str, list[tuple[str, int]]] = {}
            for adjacency in self._interior_adjacencies(protocol):
                router = self.topology.node(adjacency.router)
                assert isinstance(router, Router)
                cost = self._cost(router, adjacency.interface, protocol)
                neighbors.setdefault(adjacency.router, []).append((adjacency.neighbor, cost))
            self._trees[start, protocol] = cheapest_paths(start, neighbors)
        return self._trees[start, protocol]

    def _interior_adjacencies(self, protocol: str) -> Iterable[Adjacency]:
        if protocol in ("rip", "ripng"):  # RIP has no adjacencies
            speakers = {router.name for router in self.topology.routers if getattr(router, protocol) is not None}
            return [Adjacency(name, protocol, other) for name in speakers for other in self._near[name] & speakers]
        return [adjacency for adjacency in self.adjacencies if adjacency.protocol == protocol]

    def _cost(self, router: Router, interface: str, protocol: str) -> int:
        usual = 1 if protocol in ("rip", "ripng") else _USUAL_COST
        return self._stated_costs[router.name].get((interface, protocol), usual)

    @cached_property
    def _stated_costs(self) -> dict[str, dict[tuple[str, str], int]]:
        """Router to the costs of its configuration, those of free lines included, by interface and protocol."""
        costs: dict[str, dict[tuple[str, str], int]] = {}
        texts = frr_confs(self.topology)
        for router in self.topology.routers:
            costs[router.name] = {}
            for section in parse(texts.get(router.name, "")):
                for entry in section.below if section.kind == "interface" else ():
                    start, _, cost = entry.text.rpartition(" ")
                    if start in _COST_LINES and cost.isdecimal():
                        costs[router.name][section.text.split()[1], _COST_LINES[start]] = int(cost)
        return costs


def cheapest_paths(
    start: str, neighbors: Mapping[str, Iterable[tuple[str, int]]]
) -> dict[str, tuple[int, frozenset[str]]]:
    """Each reachable node to its distance from `start` and the first nodes of all cheapest paths.

    Args:
        start: the node to begin at; its own first nodes are empty.
        neighbors: node to its neighbors with the cost of the step, at least 1.
    """
    found: dict[str, tuple[int, frozenset[str]]] = {start: (0, frozenset())}
    queue, done = [(0, start)], set[str]()
    while queue:
        distance, name = heapq.heappop(queue)
        if name in done:
            continue
        done.add(name)
        for neighbor, cost in neighbors.get(name, ()):
            first = frozenset((neighbor,)) if name == start else found[name][1]
            known = found.get(neighbor)
            if known is None or distance + cost < known[0]:
                found[neighbor] = (distance + cost, first)
                heapq.heappush(queue, (distance + cost, neighbor))
            elif distance + cost == known[0]:
                found[neighbor] = (known[0], known[1] | first)
    return found
