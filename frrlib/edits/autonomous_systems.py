"""Presets with autonomous systems for all routers of a topology: one for each router, or one for each group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice, product
from typing import Any, Literal

from frrlib.addressing.addressing import addressed, broadcast_domains
from frrlib.addressing.domains import Domain
from frrlib.edits.parts import known_names, with_each_router
from frrlib.errors import TopologyError
from frrlib.model.base import Address, IpAddress
from frrlib.model.links import End
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

#: The first AS number by default.
FIRST_ASN = 65_001
#: AS numbers for private use (RFC 6996): 16-bit ones, and 32-bit ones for topologies with more routers.
_PRIVATE = range(64_512, 65_535)
_PRIVATE_32 = range(4_200_000_000, 4_294_967_295)
#: Names of the peer groups for sessions within an AS.
INSIDE, CLIENTS = "inside", "clients"
_NO_IGP: dict[str, Any] = dict.fromkeys(IGPS)


def as_per_router(topology: Topology, first_asn: int = FIRST_ASN) -> Topology:
    """Make every router its own autonomous system, with a BGP session to each adjacent router.

    Sessions and announcements refer to addresses. Therefore all interfaces and loopbacks of routers get stated
    addresses; hosts keep automatic ones in the same networks. Each router announces its connected networks. Interior
    gateway protocols are removed; other settings of BGP stay.

    Args:
        topology: the topology; its node names must be unique.
        first_asn: AS number of the first router; the others follow in the order of the nodes. If the numbers would
            leave the range for private use, the 32-bit ones are used from their start.

    Raises:
        TopologyError: two nodes have the same name.
    """
    _refuse_namesakes(topology)
    names = [router.name for router in topology.routers]
    systems = dict(zip(names, _numbers(len(names), first_asn), strict=True))
    bgp_of = {router.name: router.bgp or Bgp(asn=first_asn) for router in topology.routers}
    filled = addressed(_with_routers(topology, {name: {"bgp": bgp} for name, bgp in bgp_of.items()}))
    domains = broadcast_domains(filled)
    networks = _networks(filled, domains)
    sessions = _sessions(domains, systems)
    changes: dict[str, dict[str, Any]] = {}
    for name, bgp in bgp_of.items():
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

    Each group runs an IGP, and iBGP between loopbacks with next-hop-self, as a full mesh or with route reflectors.
    Routers of two groups have an eBGP session on every link between them. Border routers announce all networks of their
    AS. (If each router announced its own loopback, the loopback's route would be its own next hop within the AS, which
    FRR treats as a loop.) All interfaces and loopbacks of these routers get stated addresses. Routers in no group keep
    their settings, and get no sessions.

    Args:
        topology: the topology; its node names must be unique.
        groups: names of the nodes of each AS; nodes other than routers, and groups without routers, are ignored.
        first_asn: number of the first AS; the others follow in the order of the groups.
        igp: the IGP: "ospf" (with OSPFv3 if IPv6 is used) or "isis".
        reflectors: number of route reflectors in each group, which are the routers with the most links; 0 for a full
            mesh.
        aggregates: whether border routers announce one prefix instead of the longer ones of their AS, if it contains
            all of these and none of another AS.

    Raises:
        TopologyError: two nodes have one name, a node does not exist, a router is in two groups, or the routers of a
            group are not connected by links within the group.
    """
    _refuse_namesakes(topology)
    members = _members(topology, groups)
    systems = {name: number for number, names in enumerate(members) for name in names}
    numbers = _numbers(len(members), first_asn)
    bgp_of = {name: Bgp(asn=numbers[number]) for name, number in systems.items()}
    filled = addressed(_with_routers(topology, {name: {"bgp": bgp} for name, bgp in bgp_of.items()}))
    domains = broadcast_domains(filled)
    inner = _inner_neighbors(domains, systems)
    for names in members:
        _refuse_parts(names, inner)
    external_sessions = _sessions(_border_domains(domains, systems), {name: bgp_of[name].asn for name in systems})
    networks = _networks(filled, domains)
    networks_of = _networks_by_system(networks, systems)
    changes: dict[str, dict[str, Any]] = {}
    for number, names in enumerate(members):
        reflector_names = _reflectors(names, inner, reflectors)
        for name in names:
            bgp = Bgp(
                asn=numbers[number],
                networks=tuple(dict.fromkeys(network for at in (name, *names) for network in networks[at]))
                if external_sessions[name]
                else (),
                neighbors=(*_internal_sessions(filled, name, names, reflector_names), *external_sessions[name]),
                peer_groups=_peer_groups(name, names, reflector_names),
                aggregates=_summaries(number, networks_of) if aggregates and external_sessions[name] else (),
            )
            fields = {"loopbacks": _loopbacks(filled, name), "bgp": bgp, **_NO_IGP}
            changes[name] = {**fields, **_igp(igp, filled, name, _outer_interfaces(domains, name, systems))}
    return _with_routers(_with_router_addresses(topology, filled, set(systems)), changes)


def _refuse_namesakes(topology: Topology) -> None:
    if len(known_names(topology, (node.name for node in topology.nodes))) != len(topology.nodes):
        raise TopologyError("two nodes have the same name", remedy="give each node its own name")


def _with_routers(topology: Topology, changes: Mapping[str, Mapping[str, Any]]) -> Topology:
    def changed(router: Router) -> Router:
        return router.model_copy(update=changes[router.name]) if router.name in changes else router

    return with_each_router(topology, changed)


def _members(topology: Topology, groups: Sequence[Iterable[str]]) -> list[list[str]]:
    """The routers of each group, in the order of the nodes; groups without routers are left out."""
    routers, assigned, members = {router.name for router in topology.routers}, set[str](), []
    for group in groups:
        names = [name for name in known_names(topology, group) if name in routers]
        for name in names:
            if name in assigned:
                raise TopologyError("is in two groups", node=name, remedy="put each router into one group")
            assigned.add(name)
        members += [names] if names else []
    return members


def _systems_at(domain: Domain, systems: Mapping[str, int]) -> set[int]:
    """The groups that have a router on a domain; -1 for routers in none."""
    return {systems.get(place.node.name, -1) for place in domain.ends if place.node.kind == "router"}


def _border_domains(domains: tuple[Domain, ...], systems: Mapping[str, int]) -> tuple[Domain, ...]:
    """The domains between routers of different groups, reduced to one domain for each pair of routers."""
    pairs_of_routers = []
    for domain in domains:
        routers = [place for place in domain.ends if place.node.name in systems]
        pairs = combinations(routers, 2)
        pairs_of_routers += [
            replace(domain, ends=pair) for pair in pairs if systems[pair[0].node.name] != systems[pair[1].node.name]
        ]
    return tuple(pairs_of_routers)


def _inner_neighbors(domains: tuple[Domain, ...], systems: Mapping[str, int]) -> dict[str, set[str]]:
    """The neighbors of each router within its group, on segments without routers of other groups."""
    neighbors: dict[str, set[str]] = {name: set() for name in systems}
    for domain in domains:
        if len(_systems_at(domain, systems)) == 1:
            names = {place.node.name for place in domain.ends if place.node.name in systems}
            for name in names:
                neighbors[name] |= names - {name}
    return neighbors


def _refuse_parts(names: list[str], inner: Mapping[str, set[str]]) -> None:
    reached, waiting = {names[0]}, [names[0]]
    while waiting:
        fresh = inner[waiting.pop()] - reached
        reached |= fresh
        waiting += sorted(fresh)
    for name in names:
        if name not in reached:
            reason = f"cannot be reached from {names[0]} by links within its AS"
            raise TopologyError(reason, node=name, remedy="link it to a router of its group, or give it its own group")


def _reflectors(names: list[str], inner: Mapping[str, set[str]], count: int) -> list[str]:
    """The route reflectors: the routers with the most neighbors in their AS; empty for small groups."""
    if count < 1 or len(names) < 3:
        return []
    most = sorted(names, key=lambda name: (-len(inner[name]), names.index(name)))
    return most[: min(count, len(names) - 1)]


def _internal_sessions(filled: Topology, name: str, names: list[str], reflectors: list[str]) -> Iterator[BgpNeighbor]:
    """The iBGP sessions of a router, between loopbacks, one for each address family."""
    versions = {address.version for address in _loopbacks(filled, name)}
    router = filled.node(name)
    assert isinstance(router, Router)
    assert router.bgp is not None
    for peer in names:
        if peer == name or (reflectors and name not in reflectors and peer not in reflectors):
            continue
        group = CLIENTS if reflectors and name in reflectors and peer not in reflectors else INSIDE
        firsts = {a.version: a.ip for a in reversed(_loopbacks(filled, peer)) if a.version in versions}
        for version in sorted(firsts):
            yield BgpNeighbor(
                address=firsts[version], remote_as=router.bgp.asn, peer_group=group, description=f"{peer}, inside"
            )


def _peer_groups(name: str, names: list[str], reflectors: list[str]) -> tuple[BgpPeerGroup, ...]:
    inside = BgpPeerGroup(name=INSIDE, remote_as="internal", update_source="lo", next_hop_self=True)
    clients = inside.model_copy(update={"name": CLIENTS, "route_reflector_client": True})
    if len(names) < 2:
        return ()
    if name not in reflectors:
        return (inside,)
    return (inside, clients) if len(reflectors) > 1 else (clients,)


def _outer_interfaces(domains: tuple[Domain, ...], name: str, systems: Mapping[str, int]) -> list[str]:
    """A router's interfaces on segments with routers of other groups."""
    return [
        place.end.interface
        for domain in domains
        if _systems_at(domain, systems) - {systems[name]}
        for place in domain.ends
        if place.node.name == name
    ]


def _igp(igp: str, filled: Topology, name: str, outer: list[str]) -> dict[str, Any]:
    """The IGP of a router; it announces links to other groups, but is passive on them."""
    if igp == "isis":
        return {"isis": Isis(interfaces=tuple(IsisInterface(interface=interface, passive=True) for interface in outer))}
    rows = tuple(OspfInterface(interface=interface, passive=True) for interface in outer)
    has_ipv6 = any(interface.version == 6 for interface in _addresses(filled, name))
    return {"ospf": Ospf(interfaces=rows), "ospf6": Ospf6(interfaces=rows) if has_ipv6 else None}


def _addresses(filled: Topology, name: str) -> list[Address]:
    return [address for _, end in filled.ends_at(name) for address in end.addresses]


def _networks_by_system(
    networks: Mapping[str, Mapping[Network, None]], systems: Mapping[str, int]
) -> dict[int, set[Network]]:
    """The networks of each group; -1 for those of routers in no group."""
    networks_of: dict[int, set[Network]] = {}
    for name, router_networks in networks.items():
        networks_of.setdefault(systems.get(name, -1), set()).update(router_networks)
    return networks_of


def _summaries(number: int, networks_of: Mapping[int, set[Network]]) -> tuple[BgpAggregate, ...]:
    """The smallest prefix of each family for the networks of this AS alone, unless it overlaps another AS."""
    foreign = set().union(*(networks for system, networks in networks_of.items() if system != number))
    aggregates = []
    for version in (4, 6):
        own_networks = [network for network in networks_of[number] - foreign if network.version == version]
        if len(own_networks) < 2:
            continue
        cover = own_networks[0]
        while cover.prefixlen and not all(holds(cover, network) for network in own_networks):
            cover = cover.supernet()
        alone = not any(holds(cover, network) or holds(network, cover) for network in foreign)
        if alone and cover.prefixlen and cover not in own_networks:
            aggregates.append(BgpAggregate(prefix=cover, summary_only=True))
    return tuple(aggregates)


def _numbers(count: int, first: int) -> range:
    """`count` AS numbers from `first` on, or the private 32-bit ones if the range is too small."""
    last = first + count - 1
    fits = (first in _PRIVATE and last in _PRIVATE) or (first not in _PRIVATE and last <= _PRIVATE_32[-1])
    start = first if fits else _PRIVATE_32[0]
    return range(start, start + count)


def _networks(filled: Topology, domains: tuple[Domain, ...]) -> dict[str, dict[Network, None]]:
    """The networks of each router, loopbacks first, without single-address and link-local ones of interfaces."""
    networks_of: dict[str, dict[Network, None]] = {
        router.name: {address.network: None for address in router.loopbacks} for router in filled.routers
    }
    for domain in domains:
        for place in domain.ends:
            if place.node.kind == "router":
                networks = (value.network for value in place.end.addresses if not value.ip.is_link_local)
                networks_of[place.node.name].update((value, None) for value in networks if value.num_addresses > 1)
    return networks_of


def _sessions(domains: tuple[Domain, ...], systems: dict[str, int]) -> dict[str, list[BgpNeighbor]]:
    """The sessions of each router with its adjacent routers, for each link and address family."""
    sessions_of: dict[str, dict[IpAddress, BgpNeighbor]] = {name: {} for name in systems}
    for domain in domains:
        routers = [place for place in domain.ends if place.node.kind == "router"]
        for first, second in combinations(routers, 2):
            if first.node.name == second.node.name:
                continue
            for mine, theirs in address_pairs(first.end, second.end):
                for place, peer, address in ((first, second, theirs), (second, first, mine)):
                    session = BgpNeighbor(address=address.ip, remote_as=systems[peer.node.name])
                    sessions_of[place.node.name].setdefault(session.address, session)
    return {name: list(neighbors.values()) for name, neighbors in sessions_of.items()}


def address_pairs(first: End, second: End) -> Iterator[tuple[Address, Address]]:
    """The first addresses of two ends of links that are in one network, for each address family."""
    for version in (4, 6):
        mine = [address for address in first.addresses if address.version == version]
        theirs = [address for address in second.addresses if address.version == version]
        shared = ((a, b) for a, b in product(mine, theirs) if a.ip in b.network and b.ip in a.network)
        yield from islice(((a, b) for a, b in shared if not a.ip.is_link_local), 1)


def _loopbacks(filled: Topology, name: str) -> tuple[Address, ...]:
    """The loopbacks of a router, including automatic ones."""
    node = filled.node(name)
    return node.loopbacks if isinstance(node, Router) else ()


def _with_router_addresses(topology: Topology, filled: Topology, routers: set[str]) -> Topology:
    """State the addresses of these routers' interfaces, as they are in `filled`."""
    links = []
    for link, full in zip(topology.links, filled.links, strict=True):
        ends = {
            side: end.model_copy(update={"addresses": filled_end.addresses})
            for side, end, filled_end in zip("ab", link.ends, full.ends, strict=True)
            if end.node in routers and not end.addresses
        }
        links.append(link.model_copy(update=ends) if ends else link)
    return topology.model_copy(update={"links": tuple(links)})


def free_asn(topology: Topology) -> int:
    """The next AS number after the largest private one in use, including VRFs; `FIRST_ASN` if none is in use."""
    numbers = [table.bgp.asn for router in topology.routers for table in router.tables if table.bgp is not None]
    return max((asn + 1 for asn in numbers if FIRST_ASN <= asn < _PRIVATE[-1]), default=FIRST_ASN)
