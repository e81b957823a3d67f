"""The adjacencies that are expected from a topology.

They are computed from the topology alone. An adjacency is expected only if both ends agree: if timers, areas or keys
differ, or the link has no carrier, a lab does not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address

from frrlib.model.base import IpAddress
from frrlib.model.protocols.at_interface import bfd_at
from frrlib.model.routing import Isis, Network, Ospf, Ospf6
from frrlib.model.topology import Topology
from frrlib.prediction.bgp.sessions import SessionEnd, is_resolved, sessions
from frrlib.prediction.shared_links import (
    InterfacePair,
    RouterInterface,
    interface_pairs,
    is_predictable,
    isis_levels,
    isis_of,
    ldp_agree,
    ospf6_of,
    ospf_agree,
    ospf_of,
    pim_agree,
    router_id,
    router_interfaces,
)


@dataclass(frozen=True)
class Adjacency:
    """A neighbor that a router is expected to have.

    Attributes:
        router: the router at this end.
        protocol: "ospf", "ospf6", "isis", "bgp", "bfd", "pim" or "ldp".
        neighbor: the node at the other end.
        interface: the interface of the router; empty for a session without one.
        names: the addresses and router IDs by which the router may list the neighbor; empty if only the interface
            identifies it.
        vrf: the VRF of the router; empty for the default table.
        both: whether adjacencies at both levels of IS-IS are expected.
        neighbor_interface: the interface of the neighbor; empty for a session without one.
    """

    router: str
    protocol: str
    neighbor: str
    interface: str = ""
    names: tuple[str, ...] = ()
    vrf: str = ""
    both: bool = False
    neighbor_interface: str = ""


def expected_adjacencies(topology: Topology, known_networks: Mapping[str, set[Network]]) -> tuple[Adjacency, ...]:
    """Every expected adjacency, once from each end, in the order of protocols, links and routers.

    Args:
        topology: with names and addresses filled in (`addressing.addressed`).
        known_networks: the networks that each router reaches without BGP (`routes.known_without_bgp`). Sessions between
            loopbacks need a route.
    """
    pairs = interface_pairs(topology, router_interfaces(topology))
    bgp_sessions = [
        session for session in sessions(topology, known_networks) if _is_session_predictable(topology, session)
    ]
    adjacencies = [
        *_ospf_adjacencies(topology, pairs),
        *_isis_adjacencies(pairs),
        *(_adjacency_of_session(session, "bgp") for session in bgp_sessions),
        *_pim_adjacencies(pairs),
        *_ldp_adjacencies(topology, pairs, known_networks),
        *_bfd_adjacencies(topology, pairs, bgp_sessions),
    ]
    return tuple(dict.fromkeys(adjacencies))


def _ospf_adjacencies(topology: Topology, pairs: tuple[InterfacePair, ...]) -> Iterator[Adjacency]:
    for pair in pairs:
        for protocol, settings_of in (("ospf", ospf_of), ("ospf6", ospf6_of)):
            settings = settings_of(pair.remote)
            if settings is not None and ospf_agree(pair, settings_of):
                name = router_id(pair.remote.router, topology, settings.router_id)
                yield _adjacency_of_pair(pair, protocol, (name,))


def _isis_adjacencies(pairs: tuple[InterfacePair, ...]) -> Iterator[Adjacency]:
    for pair in pairs:
        if levels := isis_levels(pair):
            settings = isis_of(pair.remote)
            system = settings.system_id if settings else ""
            names = (pair.remote.router.name, *((system,) if system else ()))
            yield _adjacency_of_pair(pair, "isis", names, both=len(levels) > 1)


def _pim_adjacencies(pairs: tuple[InterfacePair, ...]) -> Iterator[Adjacency]:
    for pair in pairs:
        if pim_agree(pair):
            address = pair.remote.inside(4, pair.local.networks(4))
            yield _adjacency_of_pair(pair, "pim", (str(address.ip),) if address else ())


def _ldp_adjacencies(
    topology: Topology, pairs: tuple[InterfacePair, ...], known_networks: Mapping[str, set[Network]]
) -> Iterator[Adjacency]:
    for pair in pairs:
        if not ldp_agree(pair):
            continue
        remote, local = pair.remote.router, pair.local.router
        assert remote.ldp is not None
        assert local.ldp is not None
        remote_id, local_id = (
            router_id(remote, topology, remote.ldp.router_id),
            router_id(local, topology, local.ldp.router_id),
        )
        if _has_route(known_networks, local.name, remote_id) and _has_route(known_networks, remote.name, local_id):
            yield Adjacency(local.name, "ldp", remote.name, names=(remote_id,))


def _bfd_adjacencies(
    topology: Topology, pairs: tuple[InterfacePair, ...], bgp: list[SessionEnd]
) -> Iterator[Adjacency]:
    for pair in pairs:
        if any(
            _both_use_bfd(pair, settings_of) and ospf_agree(pair, settings_of) for settings_of in (ospf_of, ospf6_of)
        ) or (_both_use_bfd(pair, isis_of) and isis_levels(pair)):
            yield _adjacency_of_pair(pair, "bfd", ())
    yield from (
        _adjacency_of_session(session, "bfd") for session in bgp if session.settings.bfd and session.peer_settings.bfd
    )
    yield from _configured_bfd_adjacencies(topology)


def _configured_bfd_adjacencies(topology: Topology) -> Iterator[Adjacency]:
    """BFD sessions that are configured at both ends."""
    owner = {address.ip: port for port in router_interfaces(topology) for address in port.addresses}
    listed = {
        (router.name, peer.address): peer
        for router in topology.routers
        for peer in (router.bfd.peers if router.bfd else ())
    }
    for (name, address), peer in listed.items():
        port = owner.get(address)
        if port is None:
            continue
        reverse_peers = [
            reverse_peer
            for (router_name, target), reverse_peer in listed.items()
            if router_name == port.router.name and _belongs_to(owner, target, name)
        ]
        if any(reverse_peer.multihop == peer.multihop for reverse_peer in reverse_peers):
            yield Adjacency(name, "bfd", port.router.name, names=(str(address),))


def _belongs_to(owner: Mapping[IpAddress, RouterInterface], address: IpAddress, router: str) -> bool:
    port = owner.get(address)
    return port is not None and port.router.name == router


def _both_use_bfd(pair: InterfacePair, settings_of: Callable[[RouterInterface], Ospf | Ospf6 | Isis | None]) -> bool:
    """Whether a protocol uses BFD at both ends; `settings_of` is the function of its settings, such as `ospf_of`."""
    settings_by_interface = ((settings_of(port), port.name) for port in (pair.local, pair.remote))
    return all(settings is not None and bfd_at(settings, name) for settings, name in settings_by_interface)


def _adjacency_of_session(session: SessionEnd, protocol: str) -> Adjacency:
    if session.address is not None:
        return Adjacency(session.router, protocol, session.peer, names=(str(session.address),))
    return Adjacency(session.router, protocol, session.peer, interface=getattr(session.settings, "interface", ""))


def _adjacency_of_pair(pair: InterfacePair, protocol: str, names: tuple[str, ...], *, both: bool = False) -> Adjacency:
    local, remote = pair.local, pair.remote
    return Adjacency(local.router.name, protocol, remote.router.name, local.name, names, local.vrf, both, remote.name)


def _is_session_predictable(topology: Topology, session: SessionEnd) -> bool:
    return all(
        is_predictable(router, "bgp") for router in topology.routers if router.name in (session.router, session.peer)
    )


def _has_route(known_networks: Mapping[str, set[Network]], router: str, address: str) -> bool:
    return bool(address) and is_resolved(known_networks.get(router, set()), IPv4Address(address))
