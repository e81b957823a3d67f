"""Automatic names and addresses for interfaces that have none in the topology.

Missing values are derived from names alone, not from a count of objects, so that adding or deleting a node does not
change the addresses of others (`pools` has the table). A renamed node keeps its `original_name` for this purpose, so
that its addresses stay. The rules:

* Every broadcast domain is one network. If an interface in it has an address, its network is used for the whole domain,
  and the other interfaces get free addresses of it. Otherwise the domain gets its own network, which overlaps no stated
  one. If a host states a default route that no node has, the first router there gets this address (topologies of
  MiniEdit have gateways, and no addresses at routers).
* IPv6 is enabled by any IPv6 address on an interface or loopback. Then interfaces without addresses get both versions.
  A domain with only IPv6 addresses gets IPv6 only. An interface with an address gets no further ones, and a domain
  with an MTU below 1280 bytes gets IPv6 only if it has IPv6 addresses.
* Without routers, a host's first interface gets the address that MiniEdit assigns: the network of the preferences plus
  the host's number, or a free address of that network if this one is taken or not usable.
* A router that runs FRR without a loopback address gets one.
* A host without a default route gets the first router in the network of its first interface that has one.

Some changes still move addresses: deleting the first switch of a domain, joining two domains, and adding the first
router, the first IPv6 address, or a stated network that covers an automatic one. If the hashes of two other names
collide, deleting the first of these nodes may move the second.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import (
    IPv4Address,
    IPv4Interface,
    IPv4Network,
    IPv6Interface,
    IPv6Network,
)
from itertools import chain
from typing import Any

from frrlib.addressing.domains import Attachment, Domain, broadcast_domains
from frrlib.addressing.pools import NetworkSet, addresses_in, loopbacks4, loopbacks6, subnets4, subnets6
from frrlib.model.base import Address, IpAddress
from frrlib.model.frames import LEAST_IPV6_MTU_BYTES
from frrlib.model.interface_names import with_names
from frrlib.model.links import End, Link
from frrlib.model.names import numbered
from frrlib.model.nodes import Host, Node, Router
from frrlib.model.topology import Topology

__all__ = [
    "Domain",
    "addressed",
    "broadcast_domains",
    "interfaces",
    "ip_base",
    "stated_addresses",
]

_IP_BASE = IPv4Network("10.0.0.0/8")


# --- addresses --------------------------------------------------------------------------------------------------


def addressed(topology: Topology) -> Topology:
    """The topology with a name for every interface and an address for every interface of hosts and routers.

    Router loopbacks and the hosts' default routes are filled in, too. Stated values are kept. An interface remains
    without an address only if no network or no address is free, which `check` reports. Never raises.
    """
    named = with_names(topology)
    return _AddressAssignment(named).result()


def interfaces(topology: Topology, node: str) -> tuple[tuple[Link, End], ...]:
    """The interfaces of a node with their links, in the order of the links."""
    return tuple(topology.ends_at(node))


def stated_addresses(topology: Topology) -> Iterator[Address]:
    """Every address that a topology has on interfaces, loopbacks and VLAN interfaces."""
    for link in topology.links:
        for end in link.ends:
            yield from end.addresses
    for node in topology.nodes:
        if isinstance(node, Router):
            yield from node.loopbacks
        elif isinstance(node, Host):
            yield from (vlan.address for vlan in node.vlan_interfaces)


def ip_base(topology: Topology) -> IPv4Network:
    """The network of the preferences from which MiniEdit numbers hosts; 10.0.0.0/8 if it is invalid."""
    try:
        return IPv4Network(topology.preferences.ip_base.strip(), strict=False)
    except ValueError:
        return _IP_BASE


class _AddressAssignment:
    """One pass of automatic addressing: the used addresses, and the new ones of each interface."""

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.domains = broadcast_domains(topology)
        stated = list(stated_addresses(topology))
        self.used: set[IpAddress] = {address.ip for address in stated}
        self.uses_ipv6 = any(address.version == 6 and not address.is_link_local for address in stated)
        self.like_miniedit = not any(node.kind == "router" for node in topology.nodes)
        self.ip_base = ip_base(topology)
        networks = [address.network for address in stated if address.network.prefixlen]
        self.covered = NetworkSet([*networks, self.ip_base] if self.like_miniedit else networks)
        self.networks: set[IPv4Network | IPv6Network] = set()
        self.assigned: dict[tuple[int, int], tuple[Address, ...]] = {}
        self.first: dict[str, tuple[int, int]] = {}
        for index, link in enumerate(topology.links):
            for side, end in enumerate(link.ends):
                self.first.setdefault(end.node, (index, side))

    def result(self) -> Topology:
        """The topology with everything filled in."""
        if self.like_miniedit:
            self._assign_from_ip_base()
        # Numbered names have reserved places. They come first, since other names use places chosen by a hash.
        for domain in sorted(self.domains, key=lambda domain: numbered(domain.anchor) is None):
            self._assign_domain(domain)
        links = tuple(self._link(index, link) for index, link in enumerate(self.topology.links))
        loopbacks = self._loopbacks()
        nodes = tuple(
            node.model_copy(update={"loopbacks": loopbacks[position]}) if position in loopbacks else node
            for position, node in enumerate(self.topology.nodes)
        )
        filled = self.topology.model_copy(update={"links": links, "nodes": nodes})
        return _with_default_routes(filled)

    def _link(self, index: int, link: Link) -> Link:
        update: dict[str, Any] = {}
        for side, name in enumerate("ab"):
            if (index, side) in self.assigned:
                end = link.ends[side]
                update[name] = end.model_copy(update={"addresses": self.assigned[index, side]})
        return link.model_copy(update=update) if update else link

    def _addresses(self, place: Attachment) -> tuple[Address, ...]:
        return place.end.addresses or self.assigned.get((place.index, place.side), ())

    def _assign(self, place: Attachment, address: IpAddress, prefix: int) -> None:
        self.used.add(address)
        earlier = self.assigned.get((place.index, place.side), ())
        self.assigned[place.index, place.side] = (*earlier, _interface(address, prefix))

    def _free(self, candidates: Iterable[IpAddress]) -> IpAddress | None:
        return next((address for address in candidates if address not in self.used), None)

    # --- as MiniEdit does ---

    def _assign_from_ip_base(self) -> None:
        """Give first interfaces of hosts the preferences' network plus the host's number, if none is stated."""
        open_places = [
            place
            for domain in self.domains
            if not any(end.end.addresses for end in domain.ends)
            for place in domain.ends
            if self._is_first(place)
        ]
        postponed = []
        for place in sorted(open_places, key=lambda place: place.index):
            preferred = self._miniedit_address(place.node)
            if preferred is not None and preferred not in self.used:
                self._assign(place, preferred, self.ip_base.prefixlen)
            else:
                postponed.append(place)
        for place in postponed:
            address = self._free(addresses_in(self.ip_base, place.node.address_name, ""))
            if address is not None:
                self._assign(place, address, self.ip_base.prefixlen)

    def _is_first(self, place: Attachment) -> bool:
        return self.first[place.end.node] == (place.index, place.side)

    def _miniedit_address(self, node: Node) -> IPv4Address | None:
        number = node.number
        if number is None:
            parts = numbered(node.address_name)
            number = parts[1] if parts else None
        if number is None or not 0 < number < self.ip_base.num_addresses - 1:
            return None
        return self.ip_base.network_address + number

    # --- a network per domain ---

    def _assign_domain(self, domain: Domain) -> None:
        open_places = [place for place in domain.ends if not self._addresses(place)]
        if not open_places:
            return
        stated = [address for place in domain.ends for address in place.end.addresses]
        if not stated or any(address.version == 4 for address in stated):
            self._assign_version(domain, open_places, stated, 4)
        # The kernel gives no IPv6 to an interface with a smaller MTU, which is an error only if its net states IPv6.
        has_ipv6 = all(place.end.real_mtu_bytes >= LEAST_IPV6_MTU_BYTES for place in domain.ends)
        if self.uses_ipv6 and (has_ipv6 or any(address.version == 6 for address in stated)):
            self._assign_version(domain, open_places, stated, 6)

    def _assign_version(self, domain: Domain, places: list[Attachment], stated: list[Address], version: int) -> None:
        network = next((address.network for address in stated if _is_shared(address, version)), None)
        if network is None:
            network = self._new_network(domain, version)
        if network is None:
            return
        seen_nodes: set[str] = set()
        for place in sorted(places, key=lambda place: numbered(place.node.address_name) is None):
            gateways = self._stated_gateways(domain, network) if place.node.kind == "router" else []
            candidates = self._candidates(place, network, first=place.node.name not in seen_nodes)
            address = self._free(chain(gateways, candidates))
            seen_nodes.add(place.node.name)
            if address is not None:
                self._assign(place, address, network.prefixlen)

    @staticmethod
    def _stated_gateways(domain: Domain, network: IPv4Network | IPv6Network) -> list[IpAddress]:
        """Default routes of the domain's hosts that a router of its network can have."""
        stated = (place.node.default_route for place in domain.ends if isinstance(place.node, Host))
        return [address for address in stated if address is not None and _is_host_of(network, address)]

    def _candidates(self, place: Attachment, network: IPv4Network | IPv6Network, first: bool) -> Iterator[IpAddress]:
        preferred = self._miniedit_address(place.node) if self.like_miniedit and first else None
        first_candidates = [preferred] if preferred is not None and _is_host_of(network, preferred) else []
        return chain(first_candidates, addresses_in(network, place.node.address_name, "" if first else place.link.id))

    def _new_network(self, domain: Domain, version: int) -> IPv4Network | IPv6Network | None:
        candidates: Iterator[IPv4Network] | Iterator[IPv6Network]
        make = subnets4 if version == 4 else subnets6
        candidates = make(domain.anchor, bool(domain.switches))
        for network in candidates:
            if network not in self.networks and not self.covered.overlaps(network):
                self.networks.add(network)
                return network
        return None

    # --- loopbacks ---

    def _loopbacks(self) -> dict[int, tuple[Address, ...]]:
        """New loopback addresses by position of the router."""
        new_loopbacks: dict[int, tuple[Address, ...]] = {}
        routers = [
            (position, node)
            for position, node in enumerate(self.topology.nodes)
            if isinstance(node, Router) and node.runs_frr and not node.loopbacks
        ]
        for position, router in sorted(routers, key=lambda item: numbered(item[1].address_name) is None):
            makers = (loopbacks4, loopbacks6) if self.uses_ipv6 else (loopbacks4,)
            listed: list[Address] = []
            for maker in makers:
                address = self._free(
                    candidate for candidate in maker(router.address_name) if not self._is_covered(candidate)
                )
                if address is not None:
                    self.used.add(address)
                    listed.append(_interface(address, address.max_prefixlen))
            new_loopbacks[position] = tuple(listed)
        return new_loopbacks

    def _is_covered(self, address: IpAddress) -> bool:
        return self.covered.overlaps(_interface(address, address.max_prefixlen).network)


def _interface(address: IpAddress, prefix: int) -> Address:
    if isinstance(address, IPv4Address):
        return IPv4Interface((address, prefix))
    return IPv6Interface((address, prefix))


def _is_host_of(network: IPv4Network | IPv6Network, address: IpAddress) -> bool:
    """Whether an address is in the network and is neither its network nor its broadcast address."""
    ends = () if network.num_addresses <= 2 else (network.network_address, network.broadcast_address)
    return address in network and address not in ends


def _is_shared(address: Address, version: int) -> bool:
    """Whether an address determines the network of its domain; single-address and link-local networks do not."""
    return (
        address.version == version
        and address.network.num_addresses > 1
        and not (address.version == 6 and address.is_link_local)
    )


def gateways(topology: Topology, version: int, domains: tuple[Domain, ...] | None = None) -> dict[str, IpAddress]:
    """The default gateway of each host: the address of the first router in its first network that has one.

    Args:
        topology: with all addresses.
        version: IP version, 4 or 6.
        domains: its broadcast domains, if they are already known.
    """
    gateway_by_host: dict[str, IpAddress] = {}
    nets = broadcast_domains(topology) if domains is None else domains
    pairs = [(place, number) for number, domain in enumerate(nets) for place in domain.ends]
    routers: dict[int, list[Address]] = {}
    for place, number in pairs:
        if place.node.kind == "router":
            usable = (address for address in place.end.addresses if address.version == version)
            routers.setdefault(number, []).extend(usable)
    hosts = [pair for pair in pairs if isinstance(pair[0].node, Host)]
    for place, number in sorted(hosts, key=lambda pair: (pair[0].index, pair[0].side)):
        gateway = _gateway(place.end, routers.get(number, []))
        if gateway is not None:
            gateway_by_host.setdefault(place.node.name, gateway)
    return gateway_by_host


def _with_default_routes(topology: Topology) -> Topology:
    gateway_by_host = {**gateways(topology, 6), **gateways(topology, 4)}
    nodes = tuple(
        node.model_copy(update={"default_route": gateway_by_host[node.name]})
        if isinstance(node, Host) and node.default_route is None and node.name in gateway_by_host
        else node
        for node in topology.nodes
    )
    return topology.model_copy(update={"nodes": nodes})


def _gateway(end: End, gateways: list[Address]) -> IpAddress | None:
    for address in end.addresses:
        for gateway in gateways:
            if gateway.ip in address.network:
                return gateway.ip
    return None
