"""The facts for the rules: the topology, its resolved form with names and addresses, and some look-up tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address, IPv4Network, IPv6Network

from frrlib.addressing.domains import Domain, broadcast_domains
from frrlib.addressing.resolved import resolved
from frrlib.model.base import Address, IpAddress
from frrlib.model.labels import link_title
from frrlib.model.links import End, Link
from frrlib.model.nodes import Host, Node, Router
from frrlib.model.problem import Problem
from frrlib.model.routing import Network
from frrlib.model.topology import Topology
from frrlib.prediction.bgp.sessions import SessionEnd, sessions
from frrlib.prediction.flow_paths import PathFinder, RoutedFlow
from frrlib.prediction.routes import known_without_bgp

#: A rule yields all problems of its kind.
Rule = Callable[["Facts"], Iterator[Problem]]


@dataclass(frozen=True)
class Facts:
    """A topology with look-up tables.

    Attributes:
        topology: the topology itself.
        resolved: the topology of the lab (`resolved`), with all names and addresses.
        nodes: the first node of each name, from `resolved`.
        ends: each node's link ends in the order of the links, from `resolved`.
        domains: broadcast domains of `resolved`.
        owners: address to the nodes that have it on an interface or loopback; without empty lists.
    """

    topology: Topology
    resolved: Topology
    nodes: dict[str, Node]
    ends: dict[str, list[tuple[Link, End]]]
    domains: tuple[Domain, ...]
    owners: dict[IpAddress, list[str]]

    @cached_property
    def flow_paths(self) -> tuple[RoutedFlow, ...]:
        """The greedy flows of `all_flow_paths`, which use the full rate of their path."""
        return tuple(flow_path for flow_path in self.all_flow_paths if flow_path.flow.traffic.is_greedy)

    @cached_property
    def all_flow_paths(self) -> tuple[RoutedFlow, ...]:
        """The flows whose ends are joined by links, each with its path."""
        finder = PathFinder(self.resolved)
        paths = ((flow, finder.path(flow.source, flow.destination)) for flow in self.topology.flows)
        return tuple(RoutedFlow(flow, hops) for flow, hops in paths if hops)

    @cached_property
    def known_without_bgp(self) -> dict[str, set[Network]]:
        """The networks that each router reaches in its default table without BGP, its own included."""
        return known_without_bgp(self.resolved)

    @cached_property
    def bgp_sessions(self) -> tuple[SessionEnd, ...]:
        """Every established BGP session, once from each end."""
        return sessions(self.resolved, self.known_without_bgp)

    @cached_property
    def domain_at(self) -> dict[tuple[str, str], Domain]:
        """Node and interface to the first broadcast domain there."""
        return {
            (place.end.node, place.end.interface): domain for domain in reversed(self.domains) for place in domain.ends
        }

    def addresses(self, node: str) -> list[Address]:
        """The addresses of a node's interfaces."""
        return [address for _, end in self.ends.get(node, ()) for address in end.addresses]

    def all_addresses(self, router: Router) -> list[Address]:
        """The addresses of a router's interfaces and loopbacks."""
        return [*router.loopbacks, *self.addresses(router.name)]

    def networks(self, node: str) -> list[IPv4Network | IPv6Network]:
        """The networks of a node's interfaces."""
        return [address.network for address in self.addresses(node)]

    def router_of(self, address: IpAddress) -> Router | None:
        """The first router that has the address."""
        owners = (self.nodes.get(name) for name in self.owners.get(address, ()))
        return next((node for node in owners if isinstance(node, Router)), None)

    def routers(self) -> Iterator[Router]:
        """The routers, with names and addresses, one of each name."""
        return (node for node in self.nodes.values() if isinstance(node, Router))

    def hosts(self) -> Iterator[Host]:
        """The hosts, with names and addresses, one of each name."""
        return (node for node in self.nodes.values() if isinstance(node, Host))

    def interface_names(self, node: str) -> list[str]:
        """Names of a node's interfaces."""
        return [end.interface for _, end in self.ends.get(node, ())]


def facts_of(topology: Topology) -> Facts:
    """Collect the facts of a topology. Never raises."""
    resolved_topology = resolved(topology)
    nodes: dict[str, Node] = {}
    for node in resolved_topology.nodes:
        nodes.setdefault(node.name, node)
    ends: dict[str, list[tuple[Link, End]]] = {}
    for link in resolved_topology.links:
        for end in link.ends:
            ends.setdefault(end.node, []).append((link, end))
    owners: dict[IpAddress, list[str]] = {}
    for name, node in nodes.items():
        listed = [address for _, end in ends.get(name, ()) for address in end.addresses]
        listed += node.loopbacks if isinstance(node, Router) else ()
        for address in listed:
            owners.setdefault(address.ip, []).append(name)
    return Facts(topology, resolved_topology, nodes, ends, broadcast_domains(resolved_topology), owners)


def contains(networks: Iterable[IPv4Network | IPv6Network], address: IpAddress) -> bool:
    """Whether any of the networks has the address."""
    return any(address in network for network in networks)


def adjacent_addresses(facts: Facts, router: Router) -> list[str]:
    """The addresses of other routers on the links of a router."""
    domains = [domain for domain in facts.domains if any(place.end.node == router.name for place in domain.ends)]
    places = (place for domain in domains for place in domain.ends if place.end.node != router.name)
    return [str(address.ip) for place in places if isinstance(place.node, Router) for address in place.end.addresses]


def router_id(facts: Facts, router: Router, configured: IPv4Address | None) -> IPv4Address | None:
    """The router ID of a daemon: the configured one, or the one that it derives from an address."""
    return router.identity(configured, facts.addresses(router.name))


def has_own_lines(*routers: Router) -> bool:
    """Whether routers have free lines of `frr.conf`, which may add to the settings."""
    return any(router.frr_conf.strip() for router in routers)


def net_title(facts: Facts, domain: Domain) -> str:
    """The title of a net for people: its first switch, or the ends of its only link."""
    return f"the net of {domain.switches[0]}" if domain.switches else link_title(facts.topology, domain.links[0])
