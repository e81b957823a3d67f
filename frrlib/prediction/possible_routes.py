"""The routers that may learn a way to an address, by anything that the drawing could bring about.

The opposite of `reachability`, which says what must come: here all that the drawing leaves open counts as if it came.
Sessions that may fail, policies, areas, metrics and links that are down hinder nothing, and a router with lines or
commands of its own is taken to know and to announce everything. So a router that is not found here has no way at all.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from frrlib.addressing.domains import Domain
from frrlib.model.base import IpAddress
from frrlib.model.nodes import Router
from frrlib.model.protocols.common import IGPS, PROTOCOLS, VERSION_OF
from frrlib.model.routing import Bgp, BgpNeighbor, Network
from frrlib.model.topology import Topology
from frrlib.prediction.bgp_sessions import all_neighbors

#: Daemons that bring routes and have no settings in the drawing: whatever they do was typed by somebody.
_UNTOLD = frozenset({"eigrpd", "babeld", "nhrpd", "pbrd", "pathd", "fabricd"})
#: Names of routers.
RouterNames = frozenset[str]


class _Prefixes:
    """Prefixes and the routers that they are of, looked up by an address within."""

    def __init__(self) -> None:
        #: By IP version, then by how many bits of an address are no part of the prefix, then by those that are.
        self._owners: dict[int, dict[int, dict[int, set[str]]]] = {4: {}, 6: {}}

    def add(self, prefix: Network, router: str) -> None:
        rest = prefix.max_prefixlen - prefix.prefixlen
        known = self._owners[prefix.version].setdefault(rest, {})
        known.setdefault(int(prefix.network_address) >> rest, set()).add(router)

    def holding(self, address: IpAddress) -> RouterNames:
        """The routers of all prefixes that an address is within."""
        value = int(address)
        found = (known.get(value >> rest) for rest, known in self._owners[address.version].items())
        return frozenset().union(*filter(None, found))


class _Stated(NamedTuple):
    """A drawing's statements about an address: the IP version, and the routers with a network, a static route, a route
    that drops, and a network or aggregate of BGP that it is within."""

    version: int
    connected: RouterNames
    static: RouterNames
    dropped: RouterNames
    told: RouterNames


class _Announcers(NamedTuple):
    """Possible announcers by a protocol: routers that hear of every address anyway, others by redistributed source."""

    heard_anyway: RouterNames
    by_source: Mapping[str, set[str]]


class PossibleRoutes:
    """The ways that packets may find through a drawing.

    Args:
        topology: with names and addresses filled in.
        domains: its broadcast domains.
    """

    def __init__(self, topology: Topology, domains: Iterable[Domain]) -> None:
        self._routers = {router.name: router for router in reversed(topology.routers)}
        self._connected, self._static, self._told = _Prefixes(), _Prefixes(), _Prefixes()
        self._dropped = _Prefixes()
        #: Routers that may do anything.
        self.open = frozenset(name for name, router in self._routers.items() if _is_open(router))
        owners: dict[IpAddress, str] = {}
        self._near: dict[str, set[str]] = {name: set() for name in self._routers}
        self._beside: dict[tuple[str, str], set[str]] = {}
        for domain in domains:
            here = [place for place in domain.ends if place.node.name in self._routers]
            names = {place.node.name for place in here}
            for place in here:
                name = place.node.name
                self._near[name] |= names - {name}
                self._beside[name, place.end.interface] = names - {name}
                for address in place.end.addresses:
                    self._connected.add(address.network, name)
                    owners.setdefault(address.ip, name)
        for name, router in self._routers.items():
            for address in router.loopbacks:
                self._connected.add(address.network, name)
                owners.setdefault(address.ip, name)
            self._add_stated(router)
        self._groups = {protocol: self._grouped(self._peers(protocol, owners)) for protocol in PROTOCOLS}
        self._announcing = {protocol: self._announcers(protocol) for protocol in PROTOCOLS}
        #: Who knows an address, by what is stated of it, and the parts of the drawing that they make: of many addresses
        #: it is the same.
        self._known: dict[_Stated, RouterNames] = {}
        self._parts: dict[RouterNames, dict[str, RouterNames]] = {}

    # --- asked --------------------------------------------------------------------------------------------------------

    def connected(self, address: IpAddress) -> RouterNames:
        """The routers with an interface in the network of an address."""
        return self._connected.holding(address)

    def knowing(self, address: IpAddress) -> RouterNames:
        """The routers that may have a route for an address."""
        stated = self._stated_of(address)
        if stated not in self._known:
            self._known[stated] = self._find(stated)
        return self._known[stated]

    def reaching(self, address: IpAddress) -> RouterNames:
        """The routers from which a packet may get into the network of an address, over routers with a route only."""
        return self._spread(self.connected(address), self.knowing(address))

    def stopping(self, start: Iterable[str], address: IpAddress) -> RouterNames:
        """The routers without a route that packets for an address may come to."""
        knowing = self.knowing(address)
        passed = self._spread(start, knowing)
        return frozenset(start).union(*(self._near[name] for name in passed)) - knowing

    def together(self, protocol: str, router: str) -> RouterNames:
        """The routers that may learn by a protocol what a router announces by it, itself included."""
        return self._groups[protocol].get(router, frozenset())

    # --- found --------------------------------------------------------------------------------------------------------

    def _add_stated(self, router: Router) -> None:
        for table in router.tables:
            for route in table.static_routes:
                dropped = isinstance(route.via, str)
                (self._dropped if dropped else self._static).add(route.prefix, router.name)
            for prefix in (*table.bgp.networks, *(each.prefix for each in table.bgp.aggregates)) if table.bgp else ():
                self._told.add(prefix, router.name)

    def _speaks(self, name: str, protocol: str) -> bool:
        return name in self.open or any(_settings(self._routers[name], protocol))

    def _peers(self, protocol: str, owners: Mapping[IpAddress, str]) -> dict[str, set[str]]:
        """The routers that may hear each other by a protocol."""
        speakers = {name for name in self._routers if self._speaks(name, protocol)}
        if protocol != "bgp":
            return {name: self._near[name] & speakers for name in speakers}
        peers: dict[str, set[str]] = {name: set() for name in speakers}
        for name in speakers:
            for bgp in _settings(self._routers[name], "bgp"):
                for told in all_neighbors(bgp):
                    if isinstance(told, BgpNeighbor):
                        found = {owners[told.address]} if told.address in owners else set()
                    else:
                        found = self._beside.get((name, told.interface), set())
                    for other in found & speakers:
                        peers[name].add(other)
                        peers[other].add(name)
        return peers

    def _grouped(self, peers: Mapping[str, set[str]]) -> dict[str, RouterNames]:
        """Router to all that it hears of, itself included."""
        return _parts_of(peers, frozenset(peers))

    def _announcers(self, protocol: str) -> _Announcers:
        """The announcers and their sources by a protocol, whatever the address."""
        everything, by_source = set(self.open), defaultdict[str, set[str]](set)
        for name, router in self._routers.items():
            for settings in _settings(router, protocol):
                if _tells_default(settings):
                    everything.add(name)
                for row in settings.redistribute:
                    (everything if row.source == "kernel" else by_source[row.source]).add(name)
        groups = self._groups[protocol]
        return _Announcers(frozenset().union(*(groups.get(name, ()) for name in everything)), by_source)

    def _stated_of(self, address: IpAddress) -> _Stated:
        holding = (each.holding(address) for each in (self._connected, self._static, self._dropped, self._told))
        return _Stated(address.version, *holding)

    def _find(self, stated: _Stated) -> RouterNames:
        """The routes that each protocol may bring, repeated until nothing is added."""
        sources = {"connected": stated.connected, "static": stated.static | stated.dropped}
        spoken = [name for name in PROTOCOLS if VERSION_OF.get(name, stated.version) == stated.version]
        learnt = {protocol: self._announcing[protocol].heard_anyway for protocol in spoken}
        grew = True
        while grew:
            grew = False
            for protocol in spoken:
                groups, heard = self._groups[protocol], learnt[protocol]
                fresh = self._announcing_now(protocol, stated, sources, learnt) - heard
                if heard_now := frozenset[str]().union(*(groups.get(name, ()) for name in fresh)) - heard:
                    learnt[protocol] = heard | heard_now
                    grew = True
        return stated.connected.union(stated.static, self.open, *learnt.values())

    def _announcing_now(
        self, protocol: str, stated: _Stated, sources: Mapping[str, RouterNames], learnt: Mapping[str, RouterNames]
    ) -> RouterNames:
        """The routers that announce by a protocol what they are connected to, are told, or have from elsewhere."""
        found = set(stated.connected if protocol in IGPS else stated.told if protocol == "bgp" else ())
        for source, names in self._announcing[protocol].by_source.items():
            if source in sources:
                found |= names & sources[source]
            else:
                found |= names & learnt.get(source, frozenset())
                found |= names & stated.connected if source in IGPS else set()
        return frozenset(found)

    def _spread(self, start: Iterable[str], within: RouterNames) -> RouterNames:
        """All that is reached from some routers over those `within`, those that are within themselves included."""
        if within not in self._parts:
            self._parts[within] = _parts_of(self._near, within)
        parts = self._parts[within]
        found = {parts[name] for name in start if name in parts}
        return next(iter(found)) if len(found) == 1 else frozenset().union(*found)


def _is_open(router: Router) -> bool:
    """Whether a router may have and announce routes that the drawing does not have."""
    return bool(router.frr_conf.strip() or router.start_command.strip() or _UNTOLD.intersection(router.daemons))


def _settings(router: Router, protocol: str) -> Iterator[Any]:
    """A router's settings of a protocol, in its default table and in VRFs."""
    for table in router.tables:
        settings = getattr(table, protocol, None)
        if settings is not None:
            yield settings


def _tells_default(settings: Any) -> bool:
    """Whether a default route may be announced: when asked to, or into areas that take nothing else."""
    if isinstance(settings, Bgp):
        return any(each.default_originate for each in (*all_neighbors(settings), *settings.peer_groups))
    return settings.default_originate or any(each.kind != "normal" for each in getattr(settings, "areas", ()))


def _parts_of(near: Mapping[str, set[str]], within: RouterNames) -> dict[str, RouterNames]:
    """Router to all that is reached from it step by step, itself included, of those `within`."""
    found: dict[str, RouterNames] = {}
    for name in within:
        if name not in found:
            part = {name}
            queue = deque(part)
            while queue:
                fresh = (near.get(queue.popleft(), set()) & within) - part
                part |= fresh
                queue.extend(fresh)
            found |= dict.fromkeys(part, frozenset(part))
    return found
