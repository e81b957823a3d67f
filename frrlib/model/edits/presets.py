"""Routing for all routers of a drawing at once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice, product

from frrlib.errors import TopologyError
from frrlib.model.addressing import addressed, broadcast_domains
from frrlib.model.base import Address, IpAddress
from frrlib.model.domains import Attachment, Domain
from frrlib.model.edits.parts import known_names
from frrlib.model.nodes import Router
from frrlib.model.routing import Bgp, BgpNeighbor, Network, Ospf
from frrlib.model.topology import Topology

#: AS numbers for private use (RFC 6996): 16 bits, and the 32-bit ones for drawings that have more routers.
_PRIVATE = range(64_512, 65_535)
_PRIVATE_32 = range(4_200_000_000, 4_294_967_295)


def ospf_everywhere(topology: Topology, area: str = "0") -> Topology:
    """Run OSPF on all routers, in one area. Routers that run it already keep their settings; BGP stays as it is.

    Args:
        topology: the drawing.
        area: the area, as a number or dotted.
    """
    nodes = tuple(
        node.model_copy(update={"ospf": Ospf(area=area)}) if isinstance(node, Router) and node.ospf is None else node
        for node in topology.nodes
    )
    return topology.model_copy(update={"nodes": nodes})


def as_per_router(topology: Topology, first_asn: int = 65_001) -> Topology:
    """Make every router an autonomous system of its own, with a BGP session to each router next to it.

    Sessions and announcements speak of addresses, so all routers' interfaces and loopbacks state theirs from now on;
    hosts keep automatic ones in the same networks. Each router announces every network that it is connected to. OSPF
    is taken off; other settings of BGP stay.

    Args:
        topology: the drawing, its names all different.
        first_asn: number of the first router's AS; the others count on in the order of the nodes. Where that leaves the
            numbers for private use, the 32-bit ones are counted from their start.

    Raises:
        TopologyError: two nodes have one name.
    """
    if len(known_names(topology, (node.name for node in topology.nodes))) != len(topology.nodes):
        raise TopologyError("two nodes have one name", right="give each its own")
    speaking = tuple(
        node.model_copy(update={"bgp": node.bgp or Bgp(asn=first_asn)}) if isinstance(node, Router) else node
        for node in topology.nodes
    )
    filled = addressed(topology.model_copy(update={"nodes": speaking}))
    domains = broadcast_domains(filled)
    systems = _systems([router.name for router in topology.routers], first_asn)
    networks = _networks(filled, domains)
    sessions = _sessions(domains, systems)
    nodes = tuple(
        node.model_copy(
            update={
                "ospf": None,
                "loopbacks": node.loopbacks or _loopbacks(filled, node),
                "bgp": (node.bgp or Bgp(asn=first_asn)).model_copy(
                    update={
                        "asn": systems[node.name],
                        "networks": tuple(networks[node.name]),
                        "neighbors": tuple(sessions[node.name]),
                    }
                ),
            }
        )
        if isinstance(node, Router)
        else node
        for node in topology.nodes
    )
    return _with_router_addresses(topology, filled).model_copy(update={"nodes": nodes})


def _systems(routers: list[str], first: int) -> dict[str, int]:
    last = first + len(routers) - 1
    fits = (first in _PRIVATE and last in _PRIVATE) or (first not in _PRIVATE and last <= _PRIVATE_32[-1])
    start = first if fits else _PRIVATE_32[0]
    return {name: start + index for index, name in enumerate(routers)}


def _networks(filled: Topology, domains: tuple[Domain, ...]) -> dict[str, dict[Network, None]]:
    """What each router is connected to, loopbacks first; lone and link-local addresses of interfaces left out."""
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


def _loopbacks(filled: Topology, router: Router) -> tuple[Address, ...]:
    """The loopbacks of a router, the automatic ones too."""
    there = filled.node(router.name)
    return there.loopbacks if isinstance(there, Router) else ()


def _with_router_addresses(topology: Topology, filled: Topology) -> Topology:
    """State the addresses of all routers' interfaces, as they are in `filled`."""
    routers = {router.name for router in topology.routers}
    links = []
    for link, full in zip(topology.links, filled.links, strict=True):
        ends = {
            side: end.model_copy(update={"addresses": there.addresses})
            for side, end, there in zip("ab", link.ends, full.ends, strict=True)
            if end.node in routers and not end.addresses
        }
        links.append(link.model_copy(update=ends) if ends else link)
    return topology.model_copy(update={"links": tuple(links)})
