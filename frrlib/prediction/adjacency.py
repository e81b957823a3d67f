"""The neighbours that the drawing's routing protocols must bring together.

Computed from the drawing alone, and only where both ends agree: what the drawing itself keeps apart (timers, areas or
keys that differ, a link without carrier) is not waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address

from frrlib.model.base import IpAddress
from frrlib.model.protocols.at_interface import bfd_at
from frrlib.model.routing import Isis, Network, Ospf, Ospf6
from frrlib.model.topology import Topology
from frrlib.prediction.bgp_sessions import SessionEnd, is_resolved, sessions
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
    """A neighbour that a router must have.

    Attributes:
        router: who must have it.
        protocol: "ospf", "ospf6", "isis", "bgp", "bfd", "pim" or "ldp".
        neighbor: the node at the other end.
        interface: of the router; empty where the session has none.
        names: what the router may call the neighbour: addresses, router ids; empty where only the interface tells.
        vrf: empty for the default table.
        both: whether adjacencies at both levels of IS-IS are meant.
    """

    router: str
    protocol: str
    neighbor: str
    interface: str = ""
    names: tuple[str, ...] = ()
    vrf: str = ""
    both: bool = False


def expected_adjacencies(topology: Topology, known: Mapping[str, set[Network]]) -> tuple[Adjacency, ...]:
    """Every adjacency that must come up, seen from each of its ends; in the order of protocols, links and routers.

    Args:
        topology: with names and addresses filled in (`addressing.addressed`).
        known: what each router reaches without BGP (`reachability.known_without_bgp`): sessions between loopbacks need
            a way.
    """
    pairs = interface_pairs(topology, router_interfaces(topology))
    bgp = [session for session in sessions(topology, known) if _is_decided(topology, session)]
    found = [
        *_ospf(topology, pairs),
        *_isis(pairs),
        *(_of_session(session, "bgp") for session in bgp),
        *_pim(pairs),
        *_ldp(topology, pairs, known),
        *_bfd(topology, pairs, bgp),
    ]
    return tuple(dict.fromkeys(found))


def _ospf(topology: Topology, pairs: tuple[InterfacePair, ...]) -> Iterator[Adjacency]:
    for joint in pairs:
        for protocol, of in (("ospf", ospf_of), ("ospf6", ospf6_of)):
            spoken = of(joint.remote)
            if spoken is not None and ospf_agree(joint, of):
                name = router_id(joint.remote.router, topology, spoken.router_id)
                yield _at(joint, protocol, (name,))


def _isis(pairs: tuple[InterfacePair, ...]) -> Iterator[Adjacency]:
    for joint in pairs:
        if levels := isis_levels(joint):
            spoken = isis_of(joint.remote)
            system = spoken.system_id if spoken else ""
            names = (joint.remote.router.name, *((system,) if system else ()))
            yield _at(joint, "isis", names, both=len(levels) > 1)


def _pim(pairs: tuple[InterfacePair, ...]) -> Iterator[Adjacency]:
    for joint in pairs:
        if pim_agree(joint):
            address = joint.remote.inside(4, joint.local.networks(4))
            yield _at(joint, "pim", (str(address.ip),) if address else ())


def _ldp(
    topology: Topology, pairs: tuple[InterfacePair, ...], known: Mapping[str, set[Network]]
) -> Iterator[Adjacency]:
    for joint in pairs:
        if not ldp_agree(joint):
            continue
        there, here = joint.remote.router, joint.local.router
        assert there.ldp is not None
        assert here.ldp is not None
        theirs, mine = router_id(there, topology, there.ldp.router_id), router_id(here, topology, here.ldp.router_id)
        if _reaches(known, here.name, theirs) and _reaches(known, there.name, mine):
            yield Adjacency(here.name, "ldp", there.name, names=(theirs,))


def _bfd(topology: Topology, pairs: tuple[InterfacePair, ...], bgp: list[SessionEnd]) -> Iterator[Adjacency]:
    for joint in pairs:
        if any(_ask(joint, of) and ospf_agree(joint, of) for of in (ospf_of, ospf6_of)) or (
            _ask(joint, isis_of) and isis_levels(joint)
        ):
            yield _at(joint, "bfd", ())
    yield from (_of_session(each, "bfd") for each in bgp if each.settings.bfd and each.peer_settings.bfd)
    yield from _bfd_alone(topology)


def _bfd_alone(topology: Topology) -> Iterator[Adjacency]:
    """Sessions that are listed at both ends."""
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
        back = [each for (other, to), each in listed.items() if other == port.router.name and _is_of(owner, to, name)]
        if any(each.multihop == peer.multihop for each in back):
            yield Adjacency(name, "bfd", port.router.name, names=(str(address),))


def _is_of(owner: Mapping[IpAddress, RouterInterface], address: IpAddress, router: str) -> bool:
    port = owner.get(address)
    return port is not None and port.router.name == router


def _ask(joint: InterfacePair, of: Callable[[RouterInterface], Ospf | Ospf6 | Isis | None]) -> bool:
    """Whether a protocol asks for BFD at both ends; `of`: what a port has of it, such as `ospf_of`."""
    spoken = ((of(port), port.name) for port in (joint.local, joint.remote))
    return all(settings is not None and bfd_at(settings, name) for settings, name in spoken)


def _of_session(session: SessionEnd, protocol: str) -> Adjacency:
    if session.address is not None:
        return Adjacency(session.router, protocol, session.peer, names=(str(session.address),))
    return Adjacency(session.router, protocol, session.peer, interface=getattr(session.settings, "interface", ""))


def _at(joint: InterfacePair, protocol: str, names: tuple[str, ...], *, both: bool = False) -> Adjacency:
    here, there = joint.local, joint.remote
    return Adjacency(here.router.name, protocol, there.router.name, here.name, names, here.vrf, both)


def _is_decided(topology: Topology, session: SessionEnd) -> bool:
    return all(
        is_predictable(router, "bgp") for router in topology.routers if router.name in (session.router, session.peer)
    )


def _reaches(known: Mapping[str, set[Network]], router: str, address: str) -> bool:
    return bool(address) and is_resolved(known.get(router, set()), IPv4Address(address))
