"""The routers that may learn a route to an address.

`routes` gives the routes that are certain. This module gives those that are possible: everything that the topology
leaves open counts as present. Failing sessions, policies, areas, metrics and links that are down are ignored, and a
router with free lines or commands may have and announce any route. A link whose ends are all passive joins no routers.
A router that is not found here has no route.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from frrlib.addressing.domains import Attachment, Domain
from frrlib.model.base import IpAddress
from frrlib.model.nodes import Router
from frrlib.model.protocols.common import IGPS, PROTOCOLS, VERSION_OF
from frrlib.model.routing import Bgp, BgpNeighbor, Network
from frrlib.model.topology import Topology
from frrlib.prediction.bgp.sessions import all_neighbors

#: Daemons that add routes and have no settings in the topology, only free lines.
_DAEMONS_WITHOUT_SETTINGS = frozenset({"eigrpd", "babeld", "nhrpd", "pbrd", "pathd", "fabricd"})
#: Protocols that form no adjacency between passive interfaces. One passive end is a problem of its own.
_SILENT_IF_PASSIVE = ("ospf", "ospf6", "isis")
#: Names of routers.
RouterNames = frozenset[str]


class _Prefixes:
    """Prefixes and their routers, looked up by an address inside of them."""

    def __init__(self) -> None:
        #: By IP version, then by the number of host bits, then by the bits of the prefix.
        self._owners: dict[int, dict[int, dict[int, set[str]]]] = {4: {}, 6: {}}

    def add(self, prefix: Network, router: str) -> None:
        host_bits = prefix.max_prefixlen - prefix.prefixlen
        owners_of_length = self._owners[prefix.version].setdefault(host_bits, {})
        owners_of_length.setdefault(int(prefix.network_address) >> host_bits, set()).add(router)

    def holding(self, address: IpAddress) -> RouterNames:
        """The routers of all prefixes that contain an address."""
        value = int(address)
        owners = (
            owners_of_length.get(value >> host_bits)
            for host_bits, owners_of_length in self._owners[address.version].items()
        )
        return frozenset().union(*filter(None, owners))


class _AddressFacts(NamedTuple):
    """The settings about an address: its IP version, and the routers with a connected network, a static route, a route
    that drops packets, and a network or aggregate of BGP that contain the address."""

    version: int
    connected: RouterNames
    static: RouterNames
    dropped: RouterNames
    announced: RouterNames


class _Announcers(NamedTuple):
    """The possible announcers of a protocol: routers that receive any address, and others by redistributed source."""

    always_heard: RouterNames
    by_source: Mapping[str, set[str]]


class PossibleRoutes:
    """The routes that the routers of a topology may have.

    Args:
        topology: with names and addresses filled in.
        domains: its broadcast domains.
    """

    def __init__(self, topology: Topology, domains: Iterable[Domain]) -> None:
        self._routers = {router.name: router for router in reversed(topology.routers)}
        self._connected, self._static, self._announced = _Prefixes(), _Prefixes(), _Prefixes()
        self._dropped = _Prefixes()
        #: Routers that may have and announce any route.
        self.open = frozenset(name for name, router in self._routers.items() if _may_do_anything(router))
        owners: dict[IpAddress, str] = {}
        self._adjacent: dict[str, set[str]] = {name: set() for name in self._routers}
        self._adjacent_on_interface: dict[tuple[str, str], set[str]] = {}
        self._nets: list[list[Attachment]] = []
        for domain in domains:
            places = [place for place in domain.ends if place.node.name in self._routers]
            names = {place.node.name for place in places}
            self._nets.append(places)
            for place in places:
                name = place.node.name
                self._adjacent[name] |= names - {name}
                self._adjacent_on_interface[name, place.end.interface] = names - {name}
                for address in place.end.addresses:
                    self._connected.add(address.network, name)
                    owners.setdefault(address.ip, name)
        for name, router in self._routers.items():
            for address in router.loopbacks:
                self._connected.add(address.network, name)
                owners.setdefault(address.ip, name)
            self._add_settings(router)
        self._groups = {protocol: self._group_peers(self._peers(protocol, owners)) for protocol in PROTOCOLS}
        self._possible_announcers = {protocol: self._announcers(protocol) for protocol in PROTOCOLS}
        #: The routers with a route by the facts of the address, and the connected parts that they form. Many addresses
        #: have the same facts.
        self._routers_with_route: dict[_AddressFacts, RouterNames] = {}
        self._parts: dict[RouterNames, dict[str, RouterNames]] = {}

    # --- queries ------------------------------------------------------------------------------------------------------

    def connected(self, address: IpAddress) -> RouterNames:
        """The routers with an interface in the network of an address."""
        return self._connected.holding(address)

    def knowing(self, address: IpAddress) -> RouterNames:
        """The routers that may have a route for an address."""
        stated = self._facts_of_address(address)
        if stated not in self._routers_with_route:
            self._routers_with_route[stated] = self._find_routers_with_route(stated)
        return self._routers_with_route[stated]

    def reaching(self, address: IpAddress) -> RouterNames:
        """The routers from which a packet may reach the network of an address over routers with a route."""
        return self._spread(self.connected(address), self.knowing(address))

    def stopping(self, start: Iterable[str], address: IpAddress) -> RouterNames:
        """The routers without a route to which packets for an address may be forwarded."""
        knowing = self.knowing(address)
        passed = self._spread(start, knowing)
        return frozenset(start).union(*(self._adjacent[name] for name in passed)) - knowing

    def together(self, protocol: str, router: str) -> RouterNames:
        """The routers that may learn the announcements of a router by a protocol, itself included."""
        return self._groups[protocol].get(router, frozenset())

    # --- found --------------------------------------------------------------------------------------------------------

    def _add_settings(self, router: Router) -> None:
        for table in router.tables:
            for route in table.static_routes:
                dropped = isinstance(route.via, str)
                (self._dropped if dropped else self._static).add(route.prefix, router.name)
            for prefix in (
                (*table.bgp.networks, *(aggregate.prefix for aggregate in table.bgp.aggregates)) if table.bgp else ()
            ):
                self._announced.add(prefix, router.name)

    def _may_run(self, name: str, protocol: str) -> bool:
        return name in self.open or any(_settings(self._routers[name], protocol))

    def _peers(self, protocol: str, owners: Mapping[IpAddress, str]) -> dict[str, set[str]]:
        """The possible neighbors of each router by a protocol."""
        speakers = {name for name in self._routers if self._may_run(name, protocol)}
        peers: dict[str, set[str]] = {name: set() for name in speakers}
        if protocol != "bgp":
            for net in self._nets:
                names = {place.node.name for place in net} & speakers
                active = {place.node.name for place in net if not self._is_passive(place, protocol)} & names
                for name in names:
                    peers[name] |= (names if name in active else active) - {name}
            return peers
        for name in speakers:
            for bgp in _settings(self._routers[name], "bgp"):
                for neighbor in all_neighbors(bgp):
                    if isinstance(neighbor, BgpNeighbor):
                        candidates = {owners[neighbor.address]} if neighbor.address in owners else set()
                    else:
                        candidates = self._adjacent_on_interface.get((name, neighbor.interface), set())
                    for peer in candidates & speakers:
                        peers[name].add(peer)
                        peers[peer].add(name)
        return peers

    def _is_passive(self, place: Attachment, protocol: str) -> bool:
        """Whether an interface forms no adjacency by a protocol if the other end is passive, too."""
        name = place.node.name
        if protocol not in _SILENT_IF_PASSIVE:
            return False
        settings = list(_settings(self._routers[name], protocol))
        return name not in self.open and bool(settings) and all(s.at(place.end.interface).passive for s in settings)

    def _group_peers(self, peers: Mapping[str, set[str]]) -> dict[str, RouterNames]:
        """Router to all routers whose announcements it may receive, itself included."""
        return _connected_parts(peers, frozenset(peers))

    def _announcers(self, protocol: str) -> _Announcers:
        """The possible announcers of a protocol and their sources, for any address."""
        everything, by_source = set(self.open), defaultdict[str, set[str]](set)
        for name, router in self._routers.items():
            for settings in _settings(router, protocol):
                if _may_announce_default(settings):
                    everything.add(name)
                for row in settings.redistribute:
                    (everything if row.source == "kernel" else by_source[row.source]).add(name)
        groups = self._groups[protocol]
        return _Announcers(frozenset().union(*(groups.get(name, ()) for name in everything)), by_source)

    def _facts_of_address(self, address: IpAddress) -> _AddressFacts:
        holding = (
            prefixes.holding(address) for prefixes in (self._connected, self._static, self._dropped, self._announced)
        )
        return _AddressFacts(address.version, *holding)

    def _find_routers_with_route(self, stated: _AddressFacts) -> RouterNames:
        """The routers that may have a route, by all protocols, repeated until no router is added."""
        sources = {"connected": stated.connected, "static": stated.static | stated.dropped}
        spoken = [name for name in PROTOCOLS if VERSION_OF.get(name, stated.version) == stated.version]
        learnt = {protocol: self._possible_announcers[protocol].always_heard for protocol in spoken}
        grew = True
        while grew:
            grew = False
            for protocol in spoken:
                groups, heard = self._groups[protocol], learnt[protocol]
                fresh = self._current_announcers(protocol, stated, sources, learnt) - heard
                if heard_now := frozenset[str]().union(*(groups.get(name, ()) for name in fresh)) - heard:
                    learnt[protocol] = heard | heard_now
                    grew = True
        return stated.connected.union(stated.static, self.open, *learnt.values())

    def _current_announcers(
        self,
        protocol: str,
        stated: _AddressFacts,
        sources: Mapping[str, RouterNames],
        learnt: Mapping[str, RouterNames],
    ) -> RouterNames:
        """The routers that may announce the address by a protocol: a connected, configured or redistributed route."""
        announcers = set(stated.connected if protocol in IGPS else stated.announced if protocol == "bgp" else ())
        for source, names in self._possible_announcers[protocol].by_source.items():
            if source in sources:
                announcers |= names & sources[source]
            else:
                announcers |= names & learnt.get(source, frozenset())
                announcers |= names & stated.connected if source in IGPS else set()
        return frozenset(announcers)

    def _spread(self, start: Iterable[str], within: RouterNames) -> RouterNames:
        """All routers that are reachable from some routers over those `within`, including the start if it is within."""
        if within not in self._parts:
            self._parts[within] = _connected_parts(self._adjacent, within)
        parts = self._parts[within]
        reached_parts = {parts[name] for name in start if name in parts}
        return next(iter(reached_parts)) if len(reached_parts) == 1 else frozenset().union(*reached_parts)


def _may_do_anything(router: Router) -> bool:
    """Whether a router may have and announce routes that are not in the topology."""
    return bool(
        router.frr_conf.strip()
        or router.start_command.strip()
        or _DAEMONS_WITHOUT_SETTINGS.intersection(router.daemons)
    )


def _settings(router: Router, protocol: str) -> Iterator[Any]:
    """A router's settings of a protocol, in its default table and in VRFs."""
    for table in router.tables:
        settings = getattr(table, protocol, None)
        if settings is not None:
            yield settings


def _may_announce_default(settings: Any) -> bool:
    """Whether a default route may be announced: by a setting, or into stub areas and NSSAs."""
    if isinstance(settings, Bgp):
        return any(item.default_originate for item in (*all_neighbors(settings), *settings.peer_groups))
    return settings.default_originate or any(item.kind != "normal" for item in getattr(settings, "areas", ()))


def _connected_parts(near: Mapping[str, set[str]], within: RouterNames) -> dict[str, RouterNames]:
    """Router to all routers that are reachable from it over those `within`, itself included."""
    parts: dict[str, RouterNames] = {}
    for name in within:
        if name not in parts:
            part = {name}
            queue = deque(part)
            while queue:
                fresh = (near.get(queue.popleft(), set()) & within) - part
                part |= fresh
                queue.extend(fresh)
            parts |= dict.fromkeys(part, frozenset(part))
    return parts
