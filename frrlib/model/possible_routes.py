"""Which routers may come to know a way to an address, by whatever the drawing could bring about.

The opposite of `reachability`, which says what must come: here all that the drawing leaves open counts as if it came.
Sessions that may fail, policies, areas, metrics and links that are down hinder nothing, and a router with lines or
commands of its own is taken to know and to announce everything. So a router that is not found here has no way at all.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from ipaddress import ip_network
from typing import Any

from frrlib.model.base import IpAddress
from frrlib.model.bgp.sessions import numbered_and_not
from frrlib.model.domains import Domain
from frrlib.model.nodes import Router
from frrlib.model.protocols.common import IGPS, PROTOCOLS, VERSION_OF, Redistribution
from frrlib.model.routing import Bgp, BgpNeighbor, Network
from frrlib.model.topology import Topology

#: Daemons that bring routes and have no settings in the drawing: whatever they do was typed by somebody.
_UNTOLD = frozenset({"eigrpd", "babeld", "nhrpd", "pbrd", "pathd", "fabricd"})
#: Names of routers.
Names = frozenset[str]


class _Prefixes:
    """Prefixes and the routers that they are of, looked up by an address within."""

    def __init__(self) -> None:
        self._owners: dict[Network, set[str]] = defaultdict(set)
        self._lengths: dict[int, set[int]] = {4: set(), 6: set()}

    def add(self, prefix: Network, router: str) -> None:
        self._owners[prefix].add(router)
        self._lengths[prefix.version].add(prefix.prefixlen)

    def holding(self, address: IpAddress) -> set[str]:
        """The routers of all prefixes that an address is within."""
        inside = (ip_network((address, length), strict=False) for length in self._lengths[address.version])
        return set().union(*(self._owners.get(prefix, ()) for prefix in inside))


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
        self._known: dict[IpAddress, Names] = {}
        self._reaching: dict[IpAddress, Names] = {}

    # --- asked --------------------------------------------------------------------------------------------------------

    def connected(self, address: IpAddress) -> Names:
        """The routers with an interface in the network of an address."""
        return frozenset(self._connected.holding(address))

    def knowing(self, address: IpAddress) -> Names:
        """The routers that may have a route for an address."""
        if address not in self._known:
            self._known[address] = self._find(address)
        return self._known[address]

    def reaching(self, address: IpAddress) -> Names:
        """The routers from which a packet may get into the network of an address, over routers with a route only."""
        if address not in self._reaching:
            knowing = self.knowing(address)
            self._reaching[address] = _spread(self.connected(address) & knowing, self._near, knowing)
        return self._reaching[address]

    def stopping(self, start: Iterable[str], address: IpAddress) -> Names:
        """The routers without a route that packets for an address may come to."""
        knowing = self.knowing(address)
        passed = _spread(frozenset(start) & knowing, self._near, knowing)
        return frozenset(start).union(*(self._near[name] for name in passed)) - knowing

    def together(self, protocol: str, router: str) -> Names:
        """The routers that may learn by a protocol what a router announces by it, itself included."""
        return next((group for group in self._groups[protocol] if router in group), frozenset())

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
        """Who may hear whom by a protocol."""
        speakers = {name for name in self._routers if self._speaks(name, protocol)}
        if protocol != "bgp":
            return {name: self._near[name] & speakers for name in speakers}
        peers: dict[str, set[str]] = {name: set() for name in speakers}
        for name in speakers:
            for bgp in _settings(self._routers[name], "bgp"):
                for told in numbered_and_not(bgp):
                    if isinstance(told, BgpNeighbor):
                        found = {owners[told.address]} if told.address in owners else set()
                    else:
                        found = self._beside.get((name, told.interface), set())
                    for other in found & speakers:
                        peers[name].add(other)
                        peers[other].add(name)
        return peers

    def _grouped(self, peers: Mapping[str, set[str]]) -> tuple[Names, ...]:
        groups, left = [], set(peers)
        while left:
            group = _spread({min(left)}, peers, frozenset(peers))
            groups.append(group)
            left -= group
        return tuple(groups)

    def _find(self, address: IpAddress) -> Names:
        """What each protocol may bring, until another look finds no more."""
        connected, static = self._connected.holding(address), self._static.holding(address)
        sources = {"connected": connected, "static": static | self._dropped.holding(address)}
        told = self._told.holding(address)
        version = address.version
        learnt = {name: set[str]() for name in PROTOCOLS if VERSION_OF.get(name, version) == version}
        grew = True
        while grew:
            grew = False
            for protocol, found in learnt.items():
                for group in self._groups[protocol]:
                    if not group <= found and any(self._announces(n, protocol, sources, told, learnt) for n in group):
                        found |= group
                        grew = True
        return frozenset(connected.union(static, self.open, *learnt.values()))

    def _announces(
        self,
        name: str,
        protocol: str,
        sources: Mapping[str, set[str]],
        told: set[str],
        learnt: Mapping[str, set[str]],
    ) -> bool:
        if name in self.open:
            return True
        if protocol in IGPS and name in sources["connected"]:
            return True
        if protocol == "bgp" and name in told:
            return True
        for settings in _settings(self._routers[name], protocol):
            if _tells_default(settings):
                return True
            for row in settings.redistribute:
                if self._has(name, row, sources, learnt):
                    return True
        return False

    def _has(
        self, name: str, row: Redistribution, sources: Mapping[str, set[str]], learnt: Mapping[str, set[str]]
    ) -> bool:
        if row.source == "kernel":
            return True
        if row.source in sources:
            return name in sources[row.source]
        return name in learnt.get(row.source, ()) or (row.source in IGPS and name in sources["connected"])


def _is_open(router: Router) -> bool:
    """Whether a router may have and announce what the drawing does not say."""
    return bool(router.frr_conf.strip() or router.start_command.strip() or _UNTOLD.intersection(router.daemons))


def _settings(router: Router, protocol: str) -> Iterator[Any]:
    """What a router is told of a protocol, in its default table and in VRFs."""
    for table in router.tables:
        settings = getattr(table, protocol, None)
        if settings is not None:
            yield settings


def _tells_default(settings: Any) -> bool:
    """Whether a default route may be announced: when asked to, or into areas that take nothing else."""
    if isinstance(settings, Bgp):
        return any(each.default_originate for each in (*numbered_and_not(settings), *settings.peer_groups))
    return settings.default_originate or any(each.kind != "normal" for each in getattr(settings, "areas", ()))


def _spread(start: Iterable[str], near: Mapping[str, set[str]], within: Names) -> Names:
    """All that is reached from some routers step by step, those themselves included."""
    seen = set(start)
    queue = deque(seen)
    while queue:
        fresh = (near.get(queue.popleft(), set()) & within) - seen
        seen |= fresh
        queue.extend(fresh)
    return frozenset(seen)
