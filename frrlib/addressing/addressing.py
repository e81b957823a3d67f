"""Automatic names and addresses for what a drawing leaves open.

Missing values are filled in from names alone, not from a count of objects, so that adding or deleting a node leaves
the others' addresses as they were (`pools` has the table). The rules:

* Every broadcast domain is one network. Where an interface in it has an address, that network is the domain's, and the
  others get free addresses of it; else the domain gets a network of its own that no stated one overlaps. A default
  route that a host states and nobody has becomes the address of the first router there (drawings of MiniEdit have
  gateways, and no addresses at routers).
* IPv6 comes where the drawing asks for it by stating an IPv6 address on any interface or loopback: then all that is
  open gets both. A domain whose stated addresses are all IPv6 gets IPv6 only. An
  interface with an address gets no more.
* In a drawing without routers a host's first interface gets what MiniEdit gives it: the network of the preferences
  plus the host's number, or a free address of it where that is taken or is the network's own.
* A router that runs FRR and has no loopback address gets one.
* A host without a default route gets the first router in the network of its first interface that has one.

Still, some things move: addresses of a domain whose first switch is deleted or which joins another one; everything when
the first router comes into a drawing, the first IPv6 address, or a stated network that covers an automatic one. Two odd
names whose hashes collide keep their order: deleting the first may move the second.
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

    Router loopbacks and the hosts' default routes are filled in too. What is stated stays. An interface keeps none only
    where no network or no address is free; `check` tells. Never raises.
    """
    named = with_names(topology)
    return _Filling(named).result()


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
    """The network of the preferences from which MiniEdit numbers hosts; 10.0.0.0/8 where that cannot be read."""
    try:
        return IPv4Network(topology.preferences.ip_base.strip(), strict=False)
    except ValueError:
        return _IP_BASE


class _Filling:
    """One pass of automatic addressing: what is taken, and what each interface gets."""

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.domains = broadcast_domains(topology)
        stated = list(stated_addresses(topology))
        self.taken: set[IpAddress] = {address.ip for address in stated}
        self.wants_v6 = any(address.version == 6 and not address.is_link_local for address in stated)
        self.like_miniedit = not any(node.kind == "router" for node in topology.nodes)
        self.ip_base = ip_base(topology)
        networks = [address.network for address in stated if address.network.prefixlen]
        self.covered = NetworkSet([*networks, self.ip_base] if self.like_miniedit else networks)
        self.networks: set[IPv4Network | IPv6Network] = set()
        self.given: dict[tuple[int, int], tuple[Address, ...]] = {}
        self.first: dict[str, tuple[int, int]] = {}
        for index, link in enumerate(topology.links):
            for side, end in enumerate(link.ends):
                self.first.setdefault(end.node, (index, side))

    def result(self) -> Topology:
        """The topology with everything filled in."""
        if self.like_miniedit:
            self._fill_from_ip_base()
        # Names of the usual form have places of their own; the others, which go by hash, must not be in their way.
        for domain in sorted(self.domains, key=lambda domain: numbered(domain.anchor) is None):
            self._fill(domain)
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
            if (index, side) in self.given:
                end = link.ends[side]
                update[name] = end.model_copy(update={"addresses": self.given[index, side]})
        return link.model_copy(update=update) if update else link

    def _addresses(self, place: Attachment) -> tuple[Address, ...]:
        return place.end.addresses or self.given.get((place.index, place.side), ())

    def _give(self, place: Attachment, address: IpAddress, prefix: int) -> None:
        self.taken.add(address)
        had = self.given.get((place.index, place.side), ())
        self.given[place.index, place.side] = (*had, _interface(address, prefix))

    def _free(self, candidates: Iterable[IpAddress]) -> IpAddress | None:
        return next((address for address in candidates if address not in self.taken), None)

    # --- as MiniEdit does ---

    def _fill_from_ip_base(self) -> None:
        """First interfaces of hosts get the preferences' network plus the host's number, where none is stated."""
        open_places = [
            place
            for domain in self.domains
            if not any(end.end.addresses for end in domain.ends)
            for place in domain.ends
            if self._is_first(place)
        ]
        late = []
        for place in sorted(open_places, key=lambda place: place.index):
            wish = self._miniedit_address(place.node)
            if wish is not None and wish not in self.taken:
                self._give(place, wish, self.ip_base.prefixlen)
            else:
                late.append(place)
        for place in late:
            address = self._free(addresses_in(self.ip_base, place.node.name, ""))
            if address is not None:
                self._give(place, address, self.ip_base.prefixlen)

    def _is_first(self, place: Attachment) -> bool:
        return self.first[place.end.node] == (place.index, place.side)

    def _miniedit_address(self, node: Node) -> IPv4Address | None:
        number = node.number
        if number is None:
            parts = numbered(node.name)
            number = parts[1] if parts else None
        if number is None or not 0 < number < self.ip_base.num_addresses - 1:
            return None
        return self.ip_base.network_address + number

    # --- a network per domain ---

    def _fill(self, domain: Domain) -> None:
        open_places = [place for place in domain.ends if not self._addresses(place)]
        if not open_places:
            return
        stated = [address for place in domain.ends for address in place.end.addresses]
        if not stated or any(address.version == 4 for address in stated):
            self._fill_version(domain, open_places, stated, 4)
        if self.wants_v6:
            self._fill_version(domain, open_places, stated, 6)

    def _fill_version(self, domain: Domain, places: list[Attachment], stated: list[Address], version: int) -> None:
        network = next((address.network for address in stated if _is_shared(address, version)), None)
        if network is None:
            network = self._new_network(domain, version)
        if network is None:
            return
        named: set[str] = set()
        for place in sorted(places, key=lambda place: numbered(place.node.name) is None):
            gateways = self._stated_gateways(domain, network) if place.node.kind == "router" else []
            wishes = self._wishes(place, network, first=place.node.name not in named)
            address = self._free(chain(gateways, wishes))
            named.add(place.node.name)
            if address is not None:
                self._give(place, address, network.prefixlen)

    @staticmethod
    def _stated_gateways(domain: Domain, network: IPv4Network | IPv6Network) -> list[IpAddress]:
        """Default routes of the domain's hosts that a router of its network can have."""
        stated = (place.node.default_route for place in domain.ends if isinstance(place.node, Host))
        return [address for address in stated if address is not None and _is_host_of(network, address)]

    def _wishes(self, place: Attachment, network: IPv4Network | IPv6Network, first: bool) -> Iterator[IpAddress]:
        wish = self._miniedit_address(place.node) if self.like_miniedit and first else None
        before = [wish] if wish is not None and _is_host_of(network, wish) else []
        return chain(before, addresses_in(network, place.node.name, "" if first else place.link.id))

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
        found: dict[int, tuple[Address, ...]] = {}
        routers = [
            (position, node)
            for position, node in enumerate(self.topology.nodes)
            if isinstance(node, Router) and node.runs_frr and not node.loopbacks
        ]
        for position, router in sorted(routers, key=lambda item: numbered(item[1].name) is None):
            makers = (loopbacks4, loopbacks6) if self.wants_v6 else (loopbacks4,)
            listed: list[Address] = []
            for maker in makers:
                address = self._free(each for each in maker(router.name) if not self._is_covered(each))
                if address is not None:
                    self.taken.add(address)
                    listed.append(_interface(address, address.max_prefixlen))
            found[position] = tuple(listed)
        return found

    def _is_covered(self, address: IpAddress) -> bool:
        return self.covered.overlaps(_interface(address, address.max_prefixlen).network)


def _interface(address: IpAddress, prefix: int) -> Address:
    if isinstance(address, IPv4Address):
        return IPv4Interface((address, prefix))
    return IPv6Interface((address, prefix))


def _is_host_of(network: IPv4Network | IPv6Network, address: IpAddress) -> bool:
    """Whether the address is one of the network's, and not that of the network itself or of all in it."""
    ends = () if network.num_addresses <= 2 else (network.network_address, network.broadcast_address)
    return address in network and address not in ends


def _is_shared(address: Address, version: int) -> bool:
    """Whether an address says what network its domain is: one of one address alone, or link-local, does not."""
    return (
        address.version == version
        and address.network.num_addresses > 1
        and not (address.version == 6 and address.is_link_local)
    )


def gateways(topology: Topology, version: int, domains: tuple[Domain, ...] | None = None) -> dict[str, IpAddress]:
    """Host to the address of the first router of its first network that has one.

    Args:
        topology: with all addresses.
        version: of the addresses, 4 or 6.
        domains: its broadcast domains, where they are known already.
    """
    found: dict[str, IpAddress] = {}
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
            found.setdefault(place.node.name, gateway)
    return found


def _with_default_routes(topology: Topology) -> Topology:
    found = {**gateways(topology, 6), **gateways(topology, 4)}
    nodes = tuple(
        node.model_copy(update={"default_route": found[node.name]})
        if isinstance(node, Host) and node.default_route is None and node.name in found
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
