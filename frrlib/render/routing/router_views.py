"""Routers with their interfaces and neighbors, as the rendering of `frr.conf` needs them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address

from frrlib.addressing.domains import Attachment, Domain, broadcast_domains
from frrlib.model.base import Address
from frrlib.model.links import End, Link
from frrlib.model.names import natural
from frrlib.model.nodes import Host, Router, Switch
from frrlib.model.topology import Topology

LOOPBACK = "lo"


@dataclass(frozen=True)
class RouterPort:
    """An interface of a router.

    Attributes:
        name: its name; "lo" for the loopback.
        addresses: its addresses.
        vrf: the VRF that it belongs to; empty for the default table.
        ospf_cost: stated OSPF cost; None for the daemon's default.
        neighbors: interfaces of other routers on the same network, in the order of the links.
        is_switched: whether switches or bridges are between them.
        is_open: whether the network extends outside of the lab, where unknown routers may be.
        has_hosts: whether hosts are on the same network.
    """

    name: str
    addresses: tuple[Address, ...]
    vrf: str = ""
    ospf_cost: int | None = None
    neighbors: tuple[Attachment, ...] = ()
    is_switched: bool = False
    is_open: bool = False
    has_hosts: bool = False

    def has(self, version: int) -> bool:
        """Whether it has an address of IP version 4 or 6."""
        return any(address.version == version for address in self.addresses)

    @property
    def is_loopback(self) -> bool:
        """Whether it is the router's loopback."""
        return self.name == LOOPBACK

    @property
    def is_alone(self) -> bool:
        """Whether no other router can be on its network."""
        return not self.neighbors and not self.is_open

    @property
    def joins_two(self) -> bool:
        """Whether a direct link joins two routers."""
        return not self.is_switched and len(self.neighbors) == 1


@dataclass(frozen=True)
class RouterView:
    """A router with its interfaces and neighbors.

    Attributes:
        topology: the router's topology.
        router: the router.
        ports: its loopback, if that has addresses, then its interfaces, eth0 before eth1.
        prefixes: number of prefixes in the whole topology.
    """

    topology: Topology
    router: Router
    ports: tuple[RouterPort, ...]
    prefixes: int = 0

    def ports_in(self, vrf: str, version: int) -> tuple[RouterPort, ...]:
        """Ports of a VRF (empty for the default table) with an address of that IP version."""
        return tuple(port for port in self.ports if port.vrf == vrf and port.has(version))

    def router_id(self, stated: IPv4Address | None) -> IPv4Address | None:
        """The effective router ID, if a protocol states the ID `stated` (None for none)."""
        return self.router.identity(stated, (address for port in self.ports for address in port.addresses))


class RouterViews:
    """The views of all routers of a topology; shared data is computed once."""

    def __init__(self, topology: Topology) -> None:
        self.topology = topology

    def view(self, router: Router) -> RouterView:
        """The view of a router."""
        ends = sorted(self._ends.get(router.name, ()), key=lambda pair: natural(pair[1].interface))
        ports = [self._port(link, end, router.vrf_of(end.interface)) for link, end in ends]
        if router.loopbacks:
            ports.insert(0, RouterPort(LOOPBACK, router.loopbacks, router.vrf_of(LOOPBACK)))
        return RouterView(self.topology, router, tuple(ports), self._prefixes)

    def _port(self, link: Link, end: End, vrf: str) -> RouterPort:
        domain = self._domains.get(link.id)
        neighbors = _routers_at(domain.ends, end.node) if domain else ()
        is_switched = bool(domain and domain.switches)
        has_hosts = any(isinstance(place.node, Host) for place in domain.ends) if domain else False
        is_open = self._is_open(domain)
        return RouterPort(end.interface, end.addresses, vrf, end.ospf_cost, neighbors, is_switched, is_open, has_hosts)

    def _is_open(self, domain: Domain | None) -> bool:
        nodes = (self.topology.node(name) for name in domain.switches) if domain else ()
        return any(isinstance(node, Switch) and node.external_interfaces for node in nodes)

    @cached_property
    def _prefixes(self) -> int:
        addresses = [address for link in self.topology.links for end in link.ends for address in end.addresses]
        addresses += [address for router in self.topology.routers for address in router.loopbacks]
        return len({address.network for address in addresses})

    @cached_property
    def _domains(self) -> dict[str, Domain]:
        return {link.id: domain for domain in broadcast_domains(self.topology) for link in domain.links}

    @cached_property
    def _ends(self) -> dict[str, list[tuple[Link, End]]]:
        ends: dict[str, list[tuple[Link, End]]] = {}
        for link in self.topology.links:
            for end in link.ends:
                ends.setdefault(end.node, []).append((link, end))
        return ends


def _routers_at(places: Iterable[Attachment], name: str) -> tuple[Attachment, ...]:
    return tuple(p for p in places if p.end.node != name and isinstance(p.node, Router))
