"""Autonomous systems for all routers of a drawing at once: one for each router, or one for each group of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice, product
from typing import Any, Literal

from frrlib.addressing.addressing import addressed, broadcast_domains
from frrlib.addressing.domains import Attachment, Domain
from frrlib.edits.parts import known_names, with_each_router
from frrlib.errors import TopologyError
from frrlib.model.base import Address, IpAddress
from frrlib.model.nodes import Router
from frrlib.model.protocols.common import IGPS, holds
from frrlib.model.routing import (
    Bgp,
    BgpAggregate,
    BgpNeighbor,
    BgpPeerGroup,
    Isis,
    IsisInterface,
    Network,
    Ospf,
    Ospf6,
    OspfInterface,
)
from frrlib.model.topology import Topology

#: The number that AS numbers are counted from.
FIRST_ASN = 65_001
#: AS numbers for private use (RFC 6996): 16 bits, and the 32-bit ones for drawings that have more routers.
_PRIVATE = range(64_512, 65_535)
_PRIVATE_32 = range(4_200_000_000, 4_294_967_295)
#: Names of the peer groups for sessions within an AS.
INSIDE, CLIENTS = "inside", "clients"
_NO_IGP: dict[str, Any] = dict.fromkeys(IGPS)


def as_per_router(topology: Topology, first_asn: int = FIRST_ASN) -> Topology:
    """Make every router an autonomous system of its own, with a BGP session to each router next to it.

    Sessions and announcements speak of addresses, so all routers' interfaces and loopbacks state theirs from now on;
    hosts keep automatic ones in the same networks. Each router announces every network that it is connected to. Other
    protocols within an AS are taken off; other settings of BGP stay.

    Args:
        topology: the drawing, its names all different.
        first_asn: number of the first router's AS; the others count on in the order of the nodes. Where that leaves the
            numbers for private use, the 32-bit ones are counted from their start.

    Raises:
        TopologyError: two nodes have the same name.
    """
    _refuse_namesakes(topology)
    names = [router.name for router in topology.routers]
    systems = dict(zip(names, _numbers(len(names), first_asn), strict=True))
    speakers = {router.name: router.bgp or Bgp(asn=first_asn) for router in topology.routers}
    filled = addressed(_with_routers(topology, {name: {"bgp": bgp} for name, bgp in speakers.items()}))
    domains = broadcast_domains(filled)
    networks = _networks(filled, domains)
    sessions = _sessions(domains, systems)
    changes: dict[str, dict[str, Any]] = {}
    for name, bgp in speakers.items():
        update = {"asn": systems[name], "networks": tuple(networks[name]), "neighbors": tuple(sessions[name])}
        changes[name] = {**_NO_IGP, "loopbacks": _loopbacks(filled, name), "bgp": bgp.model_copy(update=update)}
    return _with_routers(_with_router_addresses(topology, filled, set(systems)), changes)


def groups_as_systems(
    topology: Topology,
    groups: Sequence[Iterable[str]],
    *,
    first_asn: int = FIRST_ASN,
    igp: Literal["ospf", "isis"] = "ospf",
    reflectors: int = 0,
    aggregates: bool = False,
) -> Topology:
    """Make every group of routers an autonomous system.

    Within a group an IGP runs, and iBGP between loopbacks, with next-hop-self: between every two routers, or by way of
    route reflectors. Between groups there is a session on every link that joins routers of two, and the routers at such
    links announce every network of their AS. (Were each loopback announced by its own router, the route would be its
    own next hop within the AS, which FRR takes for a loop.) All routers' interfaces and loopbacks state their addresses
    from now on. Routers in no group keep their settings, and no session goes to them.

    Args:
        topology: the drawing, its names all different.
        groups: names of each AS's nodes; nodes that are no routers do not matter, nor does a group without routers.
        first_asn: number of the first AS; the others count on in the order of the groups.
        igp: what runs within them: "ospf" (OSPFv3 too where there is IPv6) or "isis".
        reflectors: how many routers of each group reflect routes to its others: those with the most links. 0 for
            sessions between every two.
        aggregates: whether routers at the border announce a prefix instead of the longer ones of their AS, where there
            is one that holds all these and nothing of any other AS.

    Raises:
        TopologyError: two nodes have one name, a name is no node's, a router is in two groups, or a group's routers are
            not joined by links that are theirs alone.
    """
    _refuse_namesakes(topology)
    members = _members(topology, groups)
    systems = {name: number for number, names in enumerate(members) for name in names}
    numbers = _numbers(len(members), first_asn)
    speaking = {name: Bgp(asn=numbers[number]) for name, number in systems.items()}
    filled = addressed(_with_routers(topology, {name: {"bgp": bgp} for name, bgp in speaking.items()}))
    domains = broadcast_domains(filled)
    inner = _inner_neighbours(domains, systems)
    for names in members:
        _refuse_parts(names, inner)
    between = _sessions(_across(domains, systems), {name: speaking[name].asn for name in systems})
    networks = _networks(filled, domains)
    taken = _taken(networks, systems)
    changes: dict[str, dict[str, Any]] = {}
    for number, names in enumerate(members):
        chosen = _reflectors(names, inner, reflectors)
        for name in names:
            bgp = Bgp(
                asn=numbers[number],
                networks=tuple(dict.fromkeys(each for at in (name, *names) for each in networks[at]))
                if between[name]
                else (),
                neighbors=(*_inside(filled, name, names, chosen), *between[name]),
                peer_groups=_peer_groups(name, names, chosen),
                aggregates=_summaries(number, taken) if aggregates and between[name] else (),
            )
            kept = {"loopbacks": _loopbacks(filled, name), "bgp": bgp, **_NO_IGP}
            changes[name] = {**kept, **_igp(igp, filled, name, _outer(domains, name, systems))}
    return _with_routers(_with_router_addresses(topology, filled, set(systems)), changes)


def _refuse_namesakes(topology: Topology) -> None:
    if len(known_names(topology, (node.name for node in topology.nodes))) != len(topology.nodes):
        raise TopologyError("two nodes have the same name", right="give each node its own name")


def _with_routers(topology: Topology, changes: Mapping[str, Mapping[str, Any]]) -> Topology:
    def changed(router: Router) -> Router:
        return router.model_copy(update=changes[router.name]) if router.name in changes else router

    return with_each_router(topology, changed)


def _members(topology: Topology, groups: Sequence[Iterable[str]]) -> list[list[str]]:
    """The routers of each group that has any, in the order of the nodes."""
    routers, seen, found = {router.name for router in topology.routers}, set[str](), []
    for group in groups:
        names = [name for name in known_names(topology, group) if name in routers]
        for name in names:
            if name in seen:
                raise TopologyError("is in two groups", node=name, right="put each router into one group")
            seen.add(name)
        found += [names] if names else []
    return found


def _systems_at(domain: Domain, systems: Mapping[str, int]) -> set[int]:
    """The groups that have a router on a domain; -1 for routers in none."""
    return {systems.get(place.node.name, -1) for place in domain.ends if place.node.kind == "router"}


def _across(domains: tuple[Domain, ...], systems: Mapping[str, int]) -> tuple[Domain, ...]:
    """The domains that join routers of different groups, one for each pair of routers and none within a group."""
    found = []
    for domain in domains:
        routers = [place for place in domain.ends if place.node.name in systems]
        pairs = combinations(routers, 2)
        found += [
            Domain(domain.links, pair, domain.switches)
            for pair in pairs
            if systems[pair[0].node.name] != systems[pair[1].node.name]
        ]
    return tuple(found)


def _inner_neighbours(domains: tuple[Domain, ...], systems: Mapping[str, int]) -> dict[str, set[str]]:
    """The routers of its own group next to a router on segments that no other group is on."""
    found: dict[str, set[str]] = {name: set() for name in systems}
    for domain in domains:
        if len(_systems_at(domain, systems)) == 1:
            names = {place.node.name for place in domain.ends if place.node.name in systems}
            for name in names:
                found[name] |= names - {name}
    return found


def _refuse_parts(names: list[str], inner: Mapping[str, set[str]]) -> None:
    seen, waiting = {names[0]}, [names[0]]
    while waiting:
        fresh = inner[waiting.pop()] - seen
        seen |= fresh
        waiting += sorted(fresh)
    for name in names:
        if name not in seen:
            why = f"cannot be reached from {names[0]} by links within its AS"
            raise TopologyError(why, node=name, right="link it to a router of its group, or give it its own group")


def _reflectors(names: list[str], inner: Mapping[str, set[str]], count: int) -> list[str]:
    """The routers that reflect: those with the most neighbours in their AS; none where all would."""
    if count < 1 or len(names) < 3:
        return []
    most = sorted(names, key=lambda name: (-len(inner[name]), names.index(name)))
    return most[: min(count, len(names) - 1)]


def _inside(filled: Topology, name: str, names: list[str], chosen: list[str]) -> Iterator[BgpNeighbor]:
    """The sessions of a router with others of its AS, loopback to loopback, one for each family."""
    mine = {address.version for address in _loopbacks(filled, name)}
    own = filled.node(name)
    assert isinstance(own, Router)
    assert own.bgp is not None
    for other in names:
        if other == name or (chosen and name not in chosen and other not in chosen):
            continue
        group = CLIENTS if chosen and name in chosen and other not in chosen else INSIDE
        firsts = {a.version: a.ip for a in reversed(_loopbacks(filled, other)) if a.version in mine}
        for version in sorted(firsts):
            yield BgpNeighbor(
                address=firsts[version], remote_as=own.bgp.asn, peer_group=group, description=f"{other}, inside"
            )


def _peer_groups(name: str, names: list[str], chosen: list[str]) -> tuple[BgpPeerGroup, ...]:
    inside = BgpPeerGroup(name=INSIDE, remote_as="internal", update_source="lo", next_hop_self=True)
    clients = inside.model_copy(update={"name": CLIENTS, "route_reflector_client": True})
    if len(names) < 2:
        return ()
    if name not in chosen:
        return (inside,)
    return (inside, clients) if len(chosen) > 1 else (clients,)


def _outer(domains: tuple[Domain, ...], name: str, systems: Mapping[str, int]) -> list[str]:
    """A router's interfaces to what others than its own group are on, too."""
    return [
        place.end.interface
        for domain in domains
        if _systems_at(domain, systems) - {systems[name]}
        for place in domain.ends
        if place.node.name == name
    ]


def _igp(igp: str, filled: Topology, name: str, outer: list[str]) -> dict[str, Any]:
    """The IGP of a router; it tells of links to others and says nothing on them."""
    if igp == "isis":
        return {"isis": Isis(interfaces=tuple(IsisInterface(interface=each, passive=True) for each in outer))}
    rows = tuple(OspfInterface(interface=each, passive=True) for each in outer)
    has_ipv6 = any(each.version == 6 for each in _addresses(filled, name))
    return {"ospf": Ospf(interfaces=rows), "ospf6": Ospf6(interfaces=rows) if has_ipv6 else None}


def _addresses(filled: Topology, name: str) -> list[Address]:
    return [address for _, end in filled.ends_at(name) for address in end.addresses]


def _taken(networks: Mapping[str, Mapping[Network, None]], systems: Mapping[str, int]) -> dict[int, set[Network]]:
    """The networks of each group; those of routers in none are under -1."""
    found: dict[int, set[Network]] = {}
    for name, own in networks.items():
        found.setdefault(systems.get(name, -1), set()).update(own)
    return found


def _summaries(number: int, taken: Mapping[int, set[Network]]) -> tuple[BgpAggregate, ...]:
    """The smallest prefix of each family that holds what only this AS has, where it holds nothing of another one."""
    others = set().union(*(networks for each, networks in taken.items() if each != number))
    found = []
    for version in (4, 6):
        own = [network for network in taken[number] - others if network.version == version]
        if len(own) < 2:
            continue
        cover = own[0]
        while cover.prefixlen and not all(holds(cover, network) for network in own):
            cover = cover.supernet()
        alone = not any(holds(cover, network) or holds(network, cover) for network in others)
        if alone and cover.prefixlen and cover not in own:
            found.append(BgpAggregate(prefix=cover, summary_only=True))
    return tuple(found)


def _numbers(count: int, first: int) -> range:
    """So many AS numbers from one on; from the first private 32-bit one on where those are too few."""
    last = first + count - 1
    fits = (first in _PRIVATE and last in _PRIVATE) or (first not in _PRIVATE and last <= _PRIVATE_32[-1])
    start = first if fits else _PRIVATE_32[0]
    return range(start, start + count)


def _networks(filled: Topology, domains: tuple[Domain, ...]) -> dict[str, dict[Network, None]]:
    """The networks of each router, loopbacks first; lone and link-local addresses of interfaces left out."""
    found: dict[str, dict[Network, None]] = {
        router.name: {address.network: None for address in router.loopbacks} for router in filled.routers
    }
    for domain in domains:
        for place in domain.ends:
            if place.node.kind == "router":
                networks = (each.network for each in place.end.addresses if not each.ip.is_link_local)
                found[place.node.name].update((each, None) for each in networks if each.num_addresses > 1)
    return found


def _sessions(domains: tuple[Domain, ...], systems: dict[str, int]) -> dict[str, list[BgpNeighbor]]:
    """Sessions between every two routers that hear each other, per link and address family."""
    found: dict[str, dict[IpAddress, BgpNeighbor]] = {name: {} for name in systems}
    for domain in domains:
        routers = [place for place in domain.ends if place.node.kind == "router"]
        for one, other in combinations(routers, 2):
            if one.node.name == other.node.name:
                continue
            for mine, theirs in _pairs(one, other):
                for place, peer, address in ((one, other, theirs), (other, one, mine)):
                    session = BgpNeighbor(address=address.ip, remote_as=systems[peer.node.name])
                    found[place.node.name].setdefault(session.address, session)
    return {name: list(neighbors.values()) for name, neighbors in found.items()}


def _pairs(one: Attachment, other: Attachment) -> Iterator[tuple[Address, Address]]:
    """The first addresses of two interfaces that are in one network, for each address family."""
    for version in (4, 6):
        mine = [address for address in one.end.addresses if address.version == version]
        theirs = [address for address in other.end.addresses if address.version == version]
        met = ((a, b) for a, b in product(mine, theirs) if a.ip in b.network and b.ip in a.network)
        yield from islice(((a, b) for a, b in met if not a.ip.is_link_local), 1)


def _loopbacks(filled: Topology, name: str) -> tuple[Address, ...]:
    """The loopbacks of a router, the automatic ones too."""
    there = filled.node(name)
    return there.loopbacks if isinstance(there, Router) else ()


def _with_router_addresses(topology: Topology, filled: Topology, routers: set[str]) -> Topology:
    """State the addresses of these routers' interfaces, as they are in `filled`."""
    links = []
    for link, full in zip(topology.links, filled.links, strict=True):
        ends = {
            side: end.model_copy(update={"addresses": there.addresses})
            for side, end, there in zip("ab", link.ends, full.ends, strict=True)
            if end.node in routers and not end.addresses
        }
        links.append(link.model_copy(update=ends) if ends else link)
    return topology.model_copy(update={"links": tuple(links)})


def free_asn(topology: Topology) -> int:
    """The number behind the largest that AS of a drawing have, in its tables and VRFs, as far as they are private ones;
    where none is, the usual first one."""
    spoken = [table.bgp.asn for router in topology.routers for table in router.tables if table.bgp is not None]
    return max((asn + 1 for asn in spoken if FIRST_ASN <= asn < _PRIVATE[-1]), default=FIRST_ASN)
