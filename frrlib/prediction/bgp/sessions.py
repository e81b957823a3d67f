"""The BGP sessions of a topology, with the settings of both ends.

A session counts if both ends agree on addresses, source addresses, AS numbers, hops and passwords, so that it is
established. Free lines of `frr.conf` are not evaluated.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Literal

from frrlib.addressing.domains import Attachment, broadcast_domains
from frrlib.model.base import IpAddress
from frrlib.model.links import End
from frrlib.model.nodes import Router
from frrlib.model.routing import Bgp, BgpNeighbor, BgpSession, BgpUnnumbered, Network
from frrlib.model.topology import Topology

SessionKind = Literal["external", "internal", "confederation"]
AnyNeighbor = BgpNeighbor | BgpUnnumbered
#: The fields of a session that its peer group sets, with the values that leave them to the group.
_GROUP_FIELDS = {
    name: information.default
    for name, information in BgpSession.model_fields.items()
    if name not in ("peer_group", "families", "description")
}


@dataclass(frozen=True)
class SessionEnd:
    """A session, seen from one of its ends.

    Attributes:
        router, peer: names of the routers at this end and at the other end.
        kind: whether the other end is in another AS, in the same AS, or in another member of the same confederation.
        settings: the session's settings at this end, those of its peer group included.
        peer_settings: the settings at the other end.
        families: the address families of both ends.
        address: the address of the other end in the settings of this one; None for an unnumbered session.
        source: the address of this end in the settings of the other one; None for an unnumbered session.
        direct: whether both addresses are in one network, or the session is unnumbered.
    """

    router: str
    peer: str
    kind: SessionKind
    settings: AnyNeighbor
    peer_settings: AnyNeighbor
    families: frozenset[str]
    address: IpAddress | None
    source: IpAddress | None
    direct: bool


def with_group_settings(bgp: Bgp, session: AnyNeighbor) -> AnyNeighbor:
    """A session with the settings of its peer group in all fields with default values. Families of both are joined."""
    group = next((candidate for candidate in bgp.peer_groups if candidate.name == session.peer_group), None)
    if group is None or not session.peer_group:
        return session
    update = {
        name: getattr(group, name) for name, default in _GROUP_FIELDS.items() if getattr(session, name) == default
    }
    families = tuple(dict.fromkeys((*group.families, *session.families)))
    if group.remote_as is not None and isinstance(session, BgpUnnumbered):
        update["remote_as"] = group.remote_as
    return session.model_copy(update={**update, "families": families})


def all_neighbors(bgp: Bgp) -> tuple[AnyNeighbor, ...]:
    """All configured sessions of a speaker."""
    return (*bgp.neighbors, *bgp.unnumbered)


def families_of(session: AnyNeighbor) -> frozenset[str]:
    """The address families that a session (with its group's settings) carries."""
    if session.families:
        return frozenset(session.families)
    if isinstance(session, BgpUnnumbered):
        return frozenset(("ipv4", "ipv6"))
    return frozenset((f"ipv{session.address.version}",))


def presented_asn(bgp: Bgp, peer: Bgp) -> int:
    """The AS number that `bgp` presents to `peer`: that of the confederation, unless both are members of it."""
    if bgp.confederation_id is None or bgp.confederation_id == peer.confederation_id:
        return bgp.asn
    return bgp.confederation_id


def kind_between(bgp: Bgp, peer: Bgp) -> SessionKind:
    """The kind of a session between two speakers."""
    same_confederation = bgp.confederation_id is not None and bgp.confederation_id == peer.confederation_id
    own_asn, peer_asn = presented_asn(bgp, peer), presented_asn(peer, bgp)
    if own_asn == peer_asn:
        return "internal"
    return "confederation" if same_confederation else "external"


def configured_kind(bgp: Bgp, neighbor: AnyNeighbor) -> SessionKind:
    """The kind of a session by this end's settings (its group's included), whatever the other end has."""
    if neighbor.remote_as in ("internal", bgp.asn):
        return "internal"
    is_member = bgp.confederation_id is not None and neighbor.remote_as in bgp.confederation_members
    return "confederation" if is_member else "external"


def accepts_as_of(bgp: Bgp, neighbor: AnyNeighbor, peer: Bgp) -> bool:
    """Whether the configured AS of the other end is the one that it presents."""
    peer_asn = presented_asn(peer, bgp)
    if neighbor.remote_as == "internal":
        return peer_asn == bgp.asn
    if neighbor.remote_as == "external":
        return peer_asn != bgp.asn
    return neighbor.remote_as == peer_asn


def sessions(topology: Topology, known_networks: Mapping[str, set[Network]]) -> tuple[SessionEnd, ...]:
    """Every session that is established, once from each end, in the order of the routers.

    Args:
        topology: with names and addresses filled in.
        known_networks: the networks that each router reaches without BGP, its own included, without default routes.
    """
    session_map = _SessionMap(topology, known_networks)
    session_ends = []
    for router in topology.routers:
        for neighbor in all_neighbors(router.bgp) if router.bgp else ():
            session = session_map.session(router, neighbor)
            if session is not None:
                session_ends.append(session)
    return tuple(session_ends)


class _SessionMap:
    """The owner of each address, and the neighbors of each speaker."""

    def __init__(self, topology: Topology, known_networks: Mapping[str, set[Network]]) -> None:
        self.topology, self.known_networks = topology, known_networks
        self.ends: dict[str, list[End]] = {}
        self.numbered: dict[str, dict[IpAddress, list[BgpNeighbor]]] = {}
        self.owners: dict[IpAddress, Router] = {}
        self.remote_places: dict[tuple[str, str], list[Attachment]] = {}
        self.adjacent_routers: dict[str, set[str]] = {}
        for router in topology.routers:
            self.ends[router.name] = [
                end for link, end in topology.ends_at(router.name) if link.up and not router.vrf_of(end.interface)
            ]
            addresses = [a for end in self.ends[router.name] for a in end.addresses]
            for address in (*router.loopbacks, *addresses):
                self.owners.setdefault(address.ip, router)
        for domain in broadcast_domains(topology):
            places = [
                place
                for place in domain.ends
                if isinstance(place.node, Router) and place.link.up and not place.node.vrf_of(place.end.interface)
            ]
            for place in places:
                remote_places = [remote for remote in places if remote is not place]
                self.remote_places[place.node.name, place.end.interface] = remote_places
                self.adjacent_routers.setdefault(place.node.name, set()).update(
                    remote.node.name for remote in remote_places
                )

    def session(self, router: Router, neighbor: AnyNeighbor) -> SessionEnd | None:
        """The session of a configured neighbor; None if it is not established."""
        assert router.bgp is not None
        neighbor = with_group_settings(router.bgp, neighbor)
        reverse = (
            self._unnumbered_peer(router, neighbor)
            if isinstance(neighbor, BgpUnnumbered)
            else self._numbered_peer(router, neighbor)
        )
        if reverse is None:
            return None
        peer, reverse_neighbor, source = reverse
        assert peer.bgp is not None
        families = families_of(neighbor) & families_of(reverse_neighbor)
        if not families or not self._do_ends_agree(router, neighbor, peer, reverse_neighbor):
            return None
        kind = kind_between(router.bgp, peer.bgp)
        address = None if isinstance(neighbor, BgpUnnumbered) else neighbor.address
        direct = address is None or self._is_direct(router, address)
        if not direct and not self._do_ends_reach_each_other(
            router, neighbor, peer, reverse_neighbor, kind, address, source
        ):
            return None
        return SessionEnd(router.name, peer.name, kind, neighbor, reverse_neighbor, families, address, source, direct)

    def _unnumbered_peer(self, router: Router, neighbor: BgpUnnumbered) -> tuple[Router, AnyNeighbor, None] | None:
        remote_places = self.remote_places.get((router.name, neighbor.interface), [])
        if len(remote_places) != 1 or not isinstance(peer := remote_places[0].node, Router) or peer.bgp is None:
            return None
        reverse_neighbor = next(
            (candidate for candidate in peer.bgp.unnumbered if candidate.interface == remote_places[0].end.interface),
            None,
        )
        return (peer, with_group_settings(peer.bgp, reverse_neighbor), None) if reverse_neighbor is not None else None

    def _numbered_peer(self, router: Router, neighbor: BgpNeighbor) -> tuple[Router, AnyNeighbor, IpAddress] | None:
        peer, source = self.owners.get(neighbor.address), self._source_address(router, neighbor)
        if peer is None or peer is router or peer.bgp is None or source is None:
            return None
        for reverse_neighbor in self._neighbors_at(peer, source):
            if self._source_address(peer, reverse_neighbor) == neighbor.address:
                return peer, reverse_neighbor, source
        return None

    def _neighbors_at(self, router: Router, address: IpAddress) -> list[BgpNeighbor]:
        """The configured neighbors of a router with an address, with the settings of their peer groups."""
        if router.name not in self.numbered:
            by_address = self.numbered[router.name] = {}
            for neighbor in router.bgp.neighbors if router.bgp else ():
                by_address.setdefault(neighbor.address, []).append(neighbor)
        configured = self.numbered[router.name].get(address, [])
        settings = [with_group_settings(router.bgp, neighbor) for neighbor in configured] if router.bgp else []
        return [neighbor for neighbor in settings if isinstance(neighbor, BgpNeighbor)]

    def _source_address(self, router: Router, neighbor: BgpNeighbor) -> IpAddress | None:
        """The source address of a session; None if the outgoing interface determines it."""
        if neighbor.update_source:
            return source_address(router, self.ends[router.name], neighbor.update_source, neighbor.address.version)
        near = (a for end in self.ends[router.name] for a in end.addresses if neighbor.address in a.network)
        return next((address.ip for address in near), None)

    def _do_ends_agree(
        self, router: Router, neighbor: AnyNeighbor, peer: Router, reverse_neighbor: AnyNeighbor
    ) -> bool:
        assert router.bgp is not None
        assert peer.bgp is not None
        if (
            neighbor.shutdown
            or reverse_neighbor.shutdown
            or (neighbor.passive and reverse_neighbor.passive)
            or neighbor.password != reverse_neighbor.password
        ):
            return False
        if not (
            accepts_as_of(router.bgp, neighbor, peer.bgp) and accepts_as_of(peer.bgp, reverse_neighbor, router.bgp)
        ):
            return False
        if kind_between(router.bgp, peer.bgp) != "confederation":
            return True
        return peer.bgp.asn in router.bgp.confederation_members and router.bgp.asn in peer.bgp.confederation_members

    def _is_direct(self, router: Router, address: IpAddress) -> bool:
        return any(address in a.network for end in self.ends[router.name] for a in end.addresses)

    def _do_ends_reach_each_other(
        self,
        router: Router,
        neighbor: AnyNeighbor,
        peer: Router,
        reverse_neighbor: AnyNeighbor,
        kind: SessionKind,
        address: IpAddress | None,
        source: IpAddress | None,
    ) -> bool:
        is_reachable = address is not None and is_resolved(self.known_networks.get(router.name, ()), address)
        if not is_reachable or source is None or not is_resolved(self.known_networks.get(peer.name, ()), source):
            return False
        if kind == "internal":
            return True
        # The path may be longer than the shortest one, so several hops are certain only with hops for all routers.
        distance, all_routers = self._hop_count(router.name, peer.name), len(self.topology.routers)
        needed = 2 if distance <= 1 else all_routers
        return all((end.multihop or 1) >= needed for end in (neighbor, reverse_neighbor))

    def _hop_count(self, start: str, end: str) -> int:
        reached, queue = {start}, deque([(start, 0)])
        while queue:
            name, hops = queue.popleft()
            if name == end:
                return hops
            fresh = self.adjacent_routers.get(name, set()) - reached
            reached |= fresh
            queue.extend((router_name, hops + 1) for router_name in fresh)
        return len(self.topology.routers)


def source_address(router: Router, ends: list[End], update_source: str, version: int) -> IpAddress | None:
    """The address of an `update_source`: the address itself, or the first one of that family on the interface."""
    addresses: Iterator[IpAddress]
    try:
        source = ip_address(update_source)
    except ValueError:
        listed = (
            router.loopbacks
            if update_source == "lo"
            else [a for e in ends if e.interface == update_source for a in e.addresses]
        )
        addresses = (address.ip for address in listed if address.version == version)
        return next(addresses, None)
    addresses = (a.ip for a in (*router.loopbacks, *(a for end in ends for a in end.addresses)))
    return source if source in set(addresses) else None


def is_resolved(known_networks: set[Network] | tuple[()], address: IpAddress) -> bool:
    """Whether a route other than a default route leads to a next hop. BGP does not use a default route for it."""
    if ip_network(address) in known_networks:
        return True
    return any(address in network for network in known_networks if network.prefixlen)
