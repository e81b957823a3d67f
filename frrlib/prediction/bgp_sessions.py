"""The BGP sessions that a drawing makes, each as both of its ends are told it.

A session counts where both ends agree on all that decides whether it comes up: addresses, sources, AS numbers, hops,
passwords. What free lines of `frr.conf` add is not understood here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Literal

from frrlib.addressing.domains import Attachment, broadcast_domains
from frrlib.model.base import IpAddress
from frrlib.model.links import End
from frrlib.model.nodes import Router
from frrlib.model.routing import Bgp, BgpNeighbor, BgpSession, BgpUnnumbered, Network
from frrlib.model.topology import Topology

SessionKind = Literal["external", "internal", "confederation"]
AnyNeighbor = BgpNeighbor | BgpUnnumbered
_OF_ITS_OWN = ("peer_group", "families", "description")


@dataclass(frozen=True)
class SessionEnd:
    """A session as one of its ends sees it.

    Attributes:
        mine, peer: names of the routers at this end and at the other.
        kind: whether the other end is in another AS, in the own, or in another member of the own confederation.
        told: what this end is told of the session, its group's settings included.
        peer_told: the same of the other end.
        families: what both ends carry.
        address: of the other end, as this one calls it; None for an unnumbered session.
        source: of this end, as the other one calls it; None for an unnumbered session.
        direct: whether both addresses are in one network, or the session needs none.
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
    """A session with the settings of its peer group wherever it says nothing else; families of both count."""
    group = next((each for each in bgp.peer_groups if each.name == session.peer_group), None)
    if group is None or not session.peer_group:
        return session
    update = {
        name: getattr(group, name)
        for name, information in BgpSession.model_fields.items()
        if name not in _OF_ITS_OWN and getattr(session, name) == information.default
    }
    families = tuple(dict.fromkeys((*group.families, *session.families)))
    if group.remote_as is not None and isinstance(session, BgpUnnumbered):
        update["remote_as"] = group.remote_as
    return session.model_copy(update={**update, "families": families})


def all_neighbors(bgp: Bgp) -> tuple[AnyNeighbor, ...]:
    """All sessions that a speaker is told of."""
    return (*bgp.neighbors, *bgp.unnumbered)


def families_of(session: AnyNeighbor) -> frozenset[str]:
    """The address families that a session (with its group's settings) carries."""
    if session.families:
        return frozenset(session.families)
    if isinstance(session, BgpUnnumbered):
        return frozenset(("ipv4", "ipv6"))
    return frozenset((f"ipv{session.address.version}",))


def presented_asn(bgp: Bgp, peer: Bgp) -> int:
    """The AS number by which `bgp` is known to `peer`: that of the confederation, unless both are in it."""
    if bgp.confederation_id is None or bgp.confederation_id == peer.confederation_id:
        return bgp.asn
    return bgp.confederation_id


def kind_between(bgp: Bgp, peer: Bgp) -> SessionKind:
    """The kind of a session between two speakers."""
    together = bgp.confederation_id is not None and bgp.confederation_id == peer.confederation_id
    mine, theirs = presented_asn(bgp, peer), presented_asn(peer, bgp)
    if mine == theirs:
        return "internal"
    return "confederation" if together else "external"


def configured_kind(bgp: Bgp, told: AnyNeighbor) -> SessionKind:
    """The kind of a session by this end's settings (its group's included), whatever the other end is."""
    if told.remote_as in ("internal", bgp.asn):
        return "internal"
    is_member = bgp.confederation_id is not None and told.remote_as in bgp.confederation_members
    return "confederation" if is_member else "external"


def accepts_as_of(bgp: Bgp, told: AnyNeighbor, peer: Bgp) -> bool:
    """Whether the AS that is stated for the other end is the one that it presents."""
    theirs = presented_asn(peer, bgp)
    if told.remote_as == "internal":
        return theirs == bgp.asn
    if told.remote_as == "external":
        return theirs != bgp.asn
    return told.remote_as == theirs


def sessions(topology: Topology, known: Mapping[str, set[Network]]) -> tuple[SessionEnd, ...]:
    """Every session that comes up, twice: once from each end, in the order of the routers.

    Args:
        topology: with names and addresses filled in.
        known: what each router reaches without BGP, its own networks included; default routes do not count.
    """
    map_ = _Map(topology, known)
    found = []
    for router in topology.routers:
        for told in all_neighbors(router.bgp) if router.bgp else ():
            session = map_.session(router, told)
            if session is not None:
                found.append(session)
    return tuple(found)


class _Map:
    """The owner of each address, and the neighbours of each speaker."""

    def __init__(self, topology: Topology, known: Mapping[str, set[Network]]) -> None:
        self.topology, self.known = topology, known
        self.ends: dict[str, list[End]] = {}
        self.owners: dict[IpAddress, Router] = {}
        self.opposite: dict[tuple[str, str], list[Attachment]] = {}
        self.nearby: dict[str, set[str]] = {}
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
                others = [other for other in places if other is not place]
                self.opposite[place.node.name, place.end.interface] = others
                self.nearby.setdefault(place.node.name, set()).update(other.node.name for other in others)

    def session(self, router: Router, told: AnyNeighbor) -> SessionEnd | None:
        """The session that a router is told of; None where it does not come up."""
        assert router.bgp is not None
        told = with_group_settings(router.bgp, told)
        found = self._unnumbered(router, told) if isinstance(told, BgpUnnumbered) else self._numbered(router, told)
        if found is None:
            return None
        peer, back, source = found
        assert peer.bgp is not None
        families = families_of(told) & families_of(back)
        if not families or not self._agree(router, told, peer, back):
            return None
        kind = kind_between(router.bgp, peer.bgp)
        address = None if isinstance(told, BgpUnnumbered) else told.address
        direct = address is None or self._is_direct(router, address)
        if not direct and not self._reaches(router, told, peer, back, kind, address, source):
            return None
        return SessionEnd(router.name, peer.name, kind, told, back, families, address, source, direct)

    def _unnumbered(self, router: Router, told: BgpUnnumbered) -> tuple[Router, AnyNeighbor, None] | None:
        others = self.opposite.get((router.name, told.interface), [])
        if len(others) != 1 or not isinstance(peer := others[0].node, Router) or peer.bgp is None:
            return None
        back = next((each for each in peer.bgp.unnumbered if each.interface == others[0].end.interface), None)
        return (peer, with_group_settings(peer.bgp, back), None) if back is not None else None

    def _numbered(self, router: Router, told: BgpNeighbor) -> tuple[Router, AnyNeighbor, IpAddress] | None:
        peer, source = self.owners.get(told.address), self._source(router, told)
        if peer is None or peer is router or peer.bgp is None or source is None:
            return None
        for each in peer.bgp.neighbors:
            back = with_group_settings(peer.bgp, each)
            if each.address == source and isinstance(back, BgpNeighbor) and self._source(peer, back) == told.address:
                return peer, back, source
        return None

    def _source(self, router: Router, told: BgpNeighbor) -> IpAddress | None:
        """The address that a router speaks from; None where the way out decides."""
        if told.update_source:
            return source_address(router, self.ends[router.name], told.update_source, told.address.version)
        near = (a for end in self.ends[router.name] for a in end.addresses if told.address in a.network)
        return next((address.ip for address in near), None)

    def _agree(self, router: Router, told: AnyNeighbor, peer: Router, back: AnyNeighbor) -> bool:
        assert router.bgp is not None
        assert peer.bgp is not None
        if told.shutdown or back.shutdown or (told.passive and back.passive) or told.password != back.password:
            return False
        if not (accepts_as_of(router.bgp, told, peer.bgp) and accepts_as_of(peer.bgp, back, router.bgp)):
            return False
        if kind_between(router.bgp, peer.bgp) != "confederation":
            return True
        return peer.bgp.asn in router.bgp.confederation_members and router.bgp.asn in peer.bgp.confederation_members

    def _is_direct(self, router: Router, address: IpAddress) -> bool:
        return any(address in a.network for end in self.ends[router.name] for a in end.addresses)

    def _reaches(
        self,
        router: Router,
        told: AnyNeighbor,
        peer: Router,
        back: AnyNeighbor,
        kind: SessionKind,
        address: IpAddress | None,
        source: IpAddress | None,
    ) -> bool:
        there = address is not None and is_resolved(self.known.get(router.name, ()), address)
        if not there or source is None or not is_resolved(self.known.get(peer.name, ()), source):
            return False
        if kind == "internal":
            return True
        # The way may be longer than the shortest one, so more than one hop is sure only with hops for all routers.
        away, all_routers = self._hops(router.name, peer.name), len(self.topology.routers)
        needed = 2 if away <= 1 else all_routers
        return all((each.multihop or 1) >= needed for each in (told, back))

    def _hops(self, start: str, end: str) -> int:
        seen, queue = {start}, deque([(start, 0)])
        while queue:
            name, hops = queue.popleft()
            if name == end:
                return hops
            fresh = self.nearby.get(name, set()) - seen
            seen |= fresh
            queue.extend((other, hops + 1) for other in fresh)
        return len(self.topology.routers)


def source_address(router: Router, ends: list[End], said: str, version: int) -> IpAddress | None:
    """The address that `update_source` means: itself, or the first one of that family on the interface."""
    own: Iterator[IpAddress]
    try:
        wanted = ip_address(said)
    except ValueError:
        listed = router.loopbacks if said == "lo" else [a for e in ends if e.interface == said for a in e.addresses]
        own = (address.ip for address in listed if address.version == version)
        return next(own, None)
    own = (a.ip for a in (*router.loopbacks, *(a for end in ends for a in end.addresses)))
    return wanted if wanted in set(own) else None


def is_resolved(known: set[Network] | tuple[()], address: IpAddress) -> bool:
    """Whether a next hop is reached by more than a default route, which BGP does not take for it."""
    return any(address in network for network in known if network.prefixlen)
