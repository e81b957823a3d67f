"""Which routes the drawing's routing protocols must bring to which router.

Computed from the drawing alone, so that "all routes present" means something exact before anything runs. What free
lines of `frr.conf` add or forbid is not understood here; a drawing that depends on them switches `wait.routes` off.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network

from frrlib.model.base import IpAddress
from frrlib.model.domains import broadcast_domains
from frrlib.model.nodes import Router
from frrlib.model.routing import BgpNeighbor
from frrlib.model.topology import Topology

Network = IPv4Network | IPv6Network


def expected_routes(topology: Topology) -> dict[str, tuple[Network, ...]]:
    """Prefixes that each router must have in its kernel's table beyond what is connected to it.

    Args:
        topology: with names and addresses filled in (`addressing.addressed`).

    Returns:
        router to prefixes in order; routers that expect none are left out.
    """
    wanted: dict[str, set[Network]] = {router.name: set() for router in topology.routers}
    for router in topology.routers:
        wanted[router.name] |= {route.prefix for route in router.static_routes}
    for source in (_ospf_routes(topology), _bgp_routes(topology)):
        for name, prefixes in source.items():
            wanted[name] |= prefixes
    result = {name: prefixes - connected_networks(topology, name) for name, prefixes in wanted.items()}
    return {name: tuple(sorted(found, key=_order)) for name, found in result.items() if found}


def connected_networks(topology: Topology, router: str) -> set[Network]:
    """The networks of a router's own interfaces and loopbacks."""
    node = topology.node(router)
    addresses = [address for _, end in topology.ends_at(router) for address in end.addresses]
    addresses += node.loopbacks if isinstance(node, Router) else ()
    return {address.network for address in addresses}


def _order(network: Network) -> tuple[int, int, int]:
    return network.version, int(network.network_address), network.prefixlen


def _ospf_routes(topology: Topology) -> dict[str, set[Network]]:
    """Every prefix of every OSPF router goes to all routers that adjacencies join to it."""
    speakers = {router.name: router for router in topology.routers if router.ospf}
    neighbours: dict[str, set[str]] = {name: set() for name in speakers}
    for domain in broadcast_domains(topology):
        active = {
            attached.node.name
            for attached in domain.ends
            if attached.node.name in speakers and attached.end.interface not in _passive(speakers[attached.node.name])
        }
        for name in active:
            neighbours[name] |= active - {name}
    announced = {name: {n for n in connected_networks(topology, name) if n.version == 4} for name in speakers}
    return {
        name: set().union(*(announced[other] for other in _reachable(name, neighbours) - {name})) for name in speakers
    }


def _passive(router: Router) -> tuple[str, ...]:
    return router.ospf.passive if router.ospf else ()


def _reachable(start: str, neighbours: dict[str, set[str]]) -> set[str]:
    seen, queue = {start}, deque([start])
    while queue:
        for name in neighbours[queue.popleft()] - seen:
            seen.add(name)
            queue.append(name)
    return seen


def _bgp_routes(topology: Topology) -> dict[str, set[Network]]:
    """Every announced network, carried from session to session as RFC 4271 has it.

    What came by iBGP is not told to another iBGP neighbour (section 9.2.1), and no path contains an AS twice.
    """
    sessions = _sessions(topology)
    routes: dict[str, set[Network]] = {}
    for origin in topology.routers:
        for network in origin.bgp.networks if origin.bgp else ():
            for name in _carried(origin, sessions):
                routes.setdefault(name, set()).add(network)
    return routes


def _carried(origin: Router, sessions: dict[str, list[tuple[Router, bool]]]) -> set[str]:
    """The routers that a route of `origin` reaches."""
    assert origin.bgp is not None
    reached: set[str] = set()
    start: tuple[str, bool, tuple[int, ...]] = (origin.name, False, (origin.bgp.asn,))
    queue = deque([start])
    seen: set[tuple[str, bool]] = set()
    while queue:
        name, internal, path = queue.popleft()
        for peer, is_internal in sessions.get(name, ()):
            if peer.name == origin.name or (internal and is_internal):
                continue
            asn = peer.bgp.asn if peer.bgp else 0
            if not is_internal and asn in path:
                continue
            if (peer.name, is_internal) in seen:
                continue
            seen.add((peer.name, is_internal))
            reached.add(peer.name)
            queue.append((peer.name, is_internal, path if is_internal else (*path, asn)))
    return reached


def _sessions(topology: Topology) -> dict[str, list[tuple[Router, bool]]]:
    """The sessions that both sides agree on: router to (peer, whether internal). Those without policy under RFC 8212
    carry nothing and are left out."""
    owner: dict[IpAddress, Router] = {
        address.ip: router
        for router in topology.routers
        for address in (*router.loopbacks, *(a for _, end in topology.ends_at(router.name) for a in end.addresses))
    }
    found: dict[str, list[tuple[Router, bool]]] = {}
    for router in topology.routers:
        for neighbor in router.bgp.neighbors if router.bgp else ():
            peer = owner.get(neighbor.address)
            if peer is not None and peer is not router and _agrees(router, neighbor, peer, owner):
                internal = router.bgp is not None and router.bgp.asn == neighbor.remote_as
                found.setdefault(router.name, []).append((peer, internal))
    return found


def _agrees(router: Router, neighbor: BgpNeighbor, peer: Router, owner: Mapping[IpAddress, Router]) -> bool:
    if router.bgp is None or peer.bgp is None or peer.bgp.asn != neighbor.remote_as:
        return False
    if router.bgp.asn != peer.bgp.asn and (router.bgp.requires_policy or peer.bgp.requires_policy):
        return False
    return any(owner.get(back.address) is router and back.remote_as == router.bgp.asn for back in peer.bgp.neighbors)
