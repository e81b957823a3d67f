"""BFD as `frr.conf` has it, and how protocols ask for it."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.model.nodes import Router
from frrlib.model.routing import Bfd, BfdPeer
from frrlib.render.routing.sections import Section, section

#: The router's BFD settings, by which protocols take them.
PROFILE = "lab"
#: FRR's own values, which it leaves unsaid.
_OWN = Bfd()


def bfd_lines(router: Router, line: str) -> list[str]:
    """Lines by which a protocol asks for BFD: `line` ("ip ospf bfd"), and the profile where the router has settings."""
    return [f" {line}", *([f" {line} profile {PROFILE}"] if router.bfd else [])]


def sections(bfd: Bfd) -> Iterator[Section]:
    """The profile, and the neighbours that are watched without a protocol."""
    lines = [f" profile {PROFILE}"]
    lines += [f"  detect-multiplier {bfd.detect_multiplier}"] if bfd.detect_multiplier != _OWN.detect_multiplier else []
    lines += [f"  transmit-interval {bfd.transmit_ms}"] if bfd.transmit_ms != _OWN.transmit_ms else []
    lines += [f"  receive-interval {bfd.receive_ms}"] if bfd.receive_ms != _OWN.receive_ms else []
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
