"""BFD in `frr.conf`, and the lines by which protocols use it."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.model.nodes import Router
from frrlib.model.routing import Bfd, BfdPeer
from frrlib.render.routing.sections import Section, section

#: Name of the profile with the router's BFD settings.
PROFILE = "lab"
#: FRR's defaults, which need no lines.
_DEFAULTS = Bfd()


def bfd_lines(router: Router, line: str) -> list[str]:
    """The lines by which a protocol uses BFD: `line` ("ip ospf bfd"), and the profile if BFD has settings."""
    return [f" {line}", *([f" {line} profile {PROFILE}"] if router.bfd else [])]


def sections(bfd: Bfd) -> Iterator[Section]:
    """The profile, and the neighbors that are monitored without a protocol."""
    lines = [f" profile {PROFILE}"]
    lines += (
        [f"  detect-multiplier {bfd.detect_multiplier}"] if bfd.detect_multiplier != _DEFAULTS.detect_multiplier else []
    )
    lines += [f"  transmit-interval {bfd.transmit_ms}"] if bfd.transmit_ms != _DEFAULTS.transmit_ms else []
    lines += [f"  receive-interval {bfd.receive_ms}"] if bfd.receive_ms != _DEFAULTS.receive_ms else []
    lines += [" exit"]
    for peer in bfd.peers:
        lines += [f" {_peer(peer)}", f"  profile {PROFILE}", " exit"]
    yield section("bfd", lines)


def _peer(peer: BfdPeer) -> str:
    words = [f"peer {peer.address}"]
    words += ["multihop"] if peer.multihop else []
    words += [f"local-address {peer.local_address}"] if peer.local_address else []
    words += [f"interface {peer.interface}"] if peer.interface else []
    return " ".join(words)


def uses_bfd(router: Router) -> bool:
    """Whether any protocol of a router uses BFD."""
    protocols = [router.ospf6, router.isis, *(table.ospf for table in router.tables)]
    if any(protocol.bfd or any(row.bfd for row in protocol.interfaces) for protocol in protocols if protocol):
        return True
    bgp_settings = [table.bgp for table in router.tables if table.bgp]
    return any(session.bfd for bgp in bgp_settings for session in (*bgp.neighbors, *bgp.unnumbered, *bgp.peer_groups))
