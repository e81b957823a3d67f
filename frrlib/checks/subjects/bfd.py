"""BFD: its peers, and the protocols that use it."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.checks.facts import Facts, contains, has_own_lines, net_title
from frrlib.checks.kinds import CheckSubject, error, warning
from frrlib.model.nodes import Router
from frrlib.model.problem import Problem
from frrlib.model.protocols.at_interface import bfd_at
from frrlib.model.routing import BfdPeer

SUBJECT = CheckSubject()
BFD_LOCAL = SUBJECT.kind(
    "bfd-local",
    "A multihop BFD session has no local address, or one that the router does not have.",
    "FRR refuses it.",
    "Set an address of the router, such as that of a loopback.",
)
BFD_NOBODY = SUBJECT.kind(
    "bfd-nobody",
    "No other router has the address of the BFD peer.",
    "The session stays down.",
    "Enter the address of a neighboring router.",
    runs=True,
)
BFD_FAR = SUBJECT.kind(
    "bfd-far",
    "The BFD peer is on none of the router's links.",
    "Packets of single-hop BFD have a TTL of 255 and are rejected after one hop (RFC 5881).",
    "Use multihop, with a local address.",
    runs=True,
)
BFD_ONE_SIDED = SUBJECT.kind(
    "bfd-one-sided",
    "BFD is enabled on only one side of a link.",
    "The BFD session stays down. The protocol continues without it.",
    "Enable BFD on both sides.",
)


@SUBJECT.rule(BFD_LOCAL, BFD_NOBODY, BFD_FAR, BFD_ONE_SIDED)
def bfd_peers(facts: Facts) -> Iterator[Problem]:
    """BFD peers exist, at the configured distance, and have a BFD session in the other direction."""
    for router in facts.routers():
        for peer in router.bfd.peers if router.bfd else ():
            if peer.multihop and peer.local_address is None:
                message = f"{peer.address} is several hops away, but the session has no local address"
                remedy = "set a local address, such as that of a loopback"
                yield error(BFD_LOCAL, router.name, "bfd.peers", message, remedy)
            own_addresses = [address.ip for address in facts.all_addresses(router)]
            if peer.local_address is not None and peer.local_address not in own_addresses:
                message = f"the local address {peer.local_address} is not an address of the router"
                yield error(BFD_LOCAL, router.name, "bfd.peers", message, "choose an address of the router")
            yield from _check_bfd_peer(facts, router, peer)


def _check_bfd_peer(facts: Facts, router: Router, peer: BfdPeer) -> Iterator[Problem]:
    field = "bfd.peers"
    if peer.address.is_link_local:
        return
    peer_router = facts.router_of(peer.address)
    if peer_router is None or peer_router.name == router.name:
        message = f"no other router has the address {peer.address}"
        yield error(BFD_NOBODY, router.name, field, message, "choose the address of a neighboring router")
        return
    if not peer.multihop and not contains(facts.networks(router.name), peer.address):
        message = f"no interface of the router is in the network of {peer.address}"
        yield error(BFD_FAR, router.name, field, message, "turn multihop on, and set a local address")
    own_addresses = {address.ip for address in facts.all_addresses(router)}
    if not any(
        reverse_peer.address in own_addresses for reverse_peer in (peer_router.bfd.peers if peer_router.bfd else ())
    ) and not has_own_lines(peer_router):
        message = (
            f"{peer.address} is {peer_router.name}, which has no BFD peer for this router, so the session stays down"
        )
        yield warning(
            BFD_ONE_SIDED, router.name, field, message, f"add this router as a BFD peer of {peer_router.name}"
        )


@SUBJECT.rule(BFD_ONE_SIDED)
def bfd_of_protocols(facts: Facts) -> Iterator[Problem]:
    """A protocol uses BFD on both sides of a link or on none."""
    for domain in facts.domains:
        for protocol in ("ospf", "ospf6", "isis"):
            bfd_by_node: dict[str, bool] = {}
            for place in domain.ends:
                settings = getattr(place.node, protocol, None)
                if settings:
                    name = place.end.interface
                    if not settings.at(name).passive:
                        bfd_by_node.setdefault(place.end.node, bfd_at(settings, name))
            without = [name for name, uses_bfd in bfd_by_node.items() if not uses_bfd]
            if without and any(bfd_by_node.values()):
                name = next(name for name, uses_bfd in bfd_by_node.items() if uses_bfd)
                message = (
                    f"is enabled on {net_title(facts, domain)}, but not at {without[0]}, so the session stays down"
                )
                yield warning(BFD_ONE_SIDED, name, f"{protocol}.bfd", message, "set the same on both")
