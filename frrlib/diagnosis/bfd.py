"""Causes of missing BFD sessions (RFC 5880 to 5883): the sessions of both ends, and the packets between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from frrlib.diagnosis.bgp import as_number, neighbor_lines, session_ends
from frrlib.diagnosis.explanation import Step, cause
from frrlib.diagnosis.facts import LabFacts
from frrlib.diagnosis.firewalls import drop_rules
from frrlib.diagnosis.links import address_causes, link_causes, node_causes
from frrlib.diagnosis.wiring import SharedLink
from frrlib.model.base import is_address

#: The line of an interface by which a protocol uses BFD, by protocol.
_LINES = {"ospf": "ip ospf bfd", "ospf6": "ipv6 ospf6 bfd", "isis": "isis bfd"}
#: UDP port of the control packets of single-hop and of multihop sessions.
_PORTS = {False: "3784", True: "4784"}
#: The largest TTL, with which control packets are sent.
_SENT_TTL = 255


@dataclass(frozen=True)
class BfdEnd:
    """A BFD session as one end has it.

    Attributes:
        router: the end.
        peer: the router at the other end.
        settings: its entry in `show bfd peers json`.
    """

    router: str
    peer: str
    settings: dict[str, Any]

    @property
    def address(self) -> str:
        """The address of the peer."""
        return str(self.settings.get("peer", ""))

    @property
    def is_multihop(self) -> bool:
        """Whether the peer may be behind other routers."""
        return bool(self.settings.get("multihop"))

    @property
    def status(self) -> str:
        """The state: "up", "down", "init" or "shutdown"."""
        return str(self.settings.get("status", ""))

    @property
    def statement(self) -> str:
        """The line in `bfd` that would define it."""
        local = f" local-address {self.settings['local']}" if self.is_multihop and "local" in self.settings else ""
        return f"peer {self.address}{' multihop' if self.is_multihop else ''}{local}"


def bfd_ends(facts: LabFacts, router: str, peer: str, links: tuple[SharedLink, ...]) -> list[BfdEnd]:
    """The BFD sessions of a router with a peer, by the addresses that the peer's kernel has now."""
    addresses = facts.addresses(peer)
    ports = {port.interface for link in links for port in link.ends if port.node == router}
    return [
        BfdEnd(router, peer, entry)
        for entry in facts.bfd_peers(router)
        if entry.get("peer") in addresses
        or (str(entry.get("peer", "")).startswith("fe80:") and entry.get("interface") in ports)
    ]


def bfd_users(facts: LabFacts, router: str, peer: str, links: tuple[SharedLink, ...]) -> dict[str, str]:
    """The protocols of a router that use BFD for a peer, each with the command that makes them do so."""
    users = {}
    for link in links:
        name = next(port.interface for port in link.ends if port.node == router)
        for protocol, line in _LINES.items():
            if line in facts.lines(router, f"interface {name}"):
                users[protocol] = f"`interface {name}`, `{line}`"
    own_links = tuple(link if link.a.node == router else SharedLink(link.b, link.a) for link in links)
    for end in session_ends(facts, router, peer, own_links):
        if any(line.split()[0] == "bfd" for line in neighbor_lines(facts, router, end.name)):
            users["bgp"] = f"`router bgp {as_number(facts, router)}`, `neighbor {end.name} bfd`"
    return users


def bfd_causes(facts: LabFacts, a: str, b: str, links: tuple[SharedLink, ...]) -> Iterator[Step]:
    """The causes that keep two routers from having a BFD session.

    Args:
        links: the links that both share, seen from `a`; empty if they share none.
    """
    if stopped := [step for router in (a, b) for step in node_causes(facts, router, "bfdd")]:
        yield from stopped
        return
    ends_a, ends_b = bfd_ends(facts, a, b, links), bfd_ends(facts, b, a, links)
    if not ends_a or not ends_b:
        yield from _missing_session(facts, a, b, links, ends_a, ends_b)
        return
    end_a, end_b = _matching(ends_a, ends_b)
    for end in (end_a, end_b):
        if end.status == "shutdown":
            sentence = f"{end.router} has shut down its BFD session with {end.peer} ({end.address})."
            yield cause(end.router, "", sentence, f"In vtysh of {end.router}: `bfd`, `{end.statement}`, `no shutdown`.")
    if broken := list(_unreachable(facts, end_a, end_b, links)):
        yield from broken
        return
    yield from _differences(facts, end_a, end_b, links)
    yield from _wrong_addresses(facts, end_a, end_b)
    yield from _low_ttl(facts, end_a, end_b)
    yield from _filters(facts, end_a, end_b)


def down_sessions(facts: LabFacts, a: str, b: str, links: tuple[SharedLink, ...]) -> list[BfdEnd]:
    """The sessions of two routers with each other that are not up. A missing one does not count."""
    ends = [*bfd_ends(facts, a, b, links), *bfd_ends(facts, b, a, links)]
    return [end for end in ends if end.status != "up"]


def _matching(ends_a: list[BfdEnd], ends_b: list[BfdEnd]) -> tuple[BfdEnd, BfdEnd]:
    """The sessions of both ends that belong together, if there are several."""
    pairs = [(a, b) for a in ends_a for b in ends_b]
    same_kind = [(a, b) for a, b in pairs if a.is_multihop == b.is_multihop]
    fitting = [(a, b) for a, b in same_kind if a.settings.get("local") in (None, b.address)]
    return next(iter(fitting or same_kind or pairs))


# --- sessions ---------------------------------------------------------------------------------------------------------


def _missing_session(
    facts: LabFacts, a: str, b: str, links: tuple[SharedLink, ...], ends_a: list[BfdEnd], ends_b: list[BfdEnd]
) -> Iterator[Step]:
    for router, peer, ends, others in ((a, b, ends_a, ends_b), (b, a, ends_b, ends_a)):
        if ends:
            continue
        expected = next((_source(facts, end) for end in others), "") or _link_address(facts, peer, links)
        if stray := _stray_peer(facts, router, peer):
            sentence = f"{router} has the BFD peer {stray}, but no node has this address; {peer} has {expected}."
            remedy = f"In vtysh of {router}: `bfd`, `no peer {stray}`, `peer {expected or 'ADDRESS'}`."
        else:
            other = f", but {peer} has one with {router}" if others else ""
            sentence = f"{router} has no BFD session with {peer}{other}."
            remedy = f"In vtysh of {router}: {_session_command(facts, router, peer, links, others, expected)}."
        yield cause(router, "", sentence, remedy)


def _session_command(
    facts: LabFacts, router: str, peer: str, links: tuple[SharedLink, ...], others: list[BfdEnd], expected: str
) -> str:
    """The command that gives a router the session that its peer has: by the same protocol, or as a peer of BFD."""
    users = bfd_users(facts, peer, router, links)
    for link in links:
        name = next(port.interface for port in link.ends if port.node == router)
        if lines := [_LINES[protocol] for protocol in users if protocol in _LINES]:
            return f"`interface {name}`, `{lines[0]}`"
    if "bgp" in users:
        return f"`router bgp {as_number(facts, router)}`, `neighbor {expected or 'ADDRESS'} bfd`"
    multihop = " multihop local-address ADDRESS" if any(end.is_multihop for end in others) or not links else ""
    return f"`bfd`, `peer {expected or 'ADDRESS'}{multihop}`"


def _stray_peer(facts: LabFacts, router: str, peer: str) -> str:
    """A BFD peer of a router in a network of another router whose address no node has; empty for none."""
    networks = [known.network for port in facts.interfaces(peer).values() for known in port.addresses]
    addresses = [str(entry.get("peer", "")) for entry in facts.bfd_peers(router)]
    strays = [address for address in addresses if is_address(address) and not facts.owner(address)]
    return next((name for name in strays if any(ip_address(name) in network for network in networks)), "")


def _link_address(facts: LabFacts, router: str, links: tuple[SharedLink, ...]) -> str:
    ports = [port for link in links for port in link.ends if port.node == router]
    known = [address for port in ports for address in facts.interface(router, port.interface).addresses]
    return str(known[0].ip) if known else ""


def _source(facts: LabFacts, end: BfdEnd) -> str:
    """The address from which a router sends the packets of a session; empty if it has no route to the peer."""
    return str(end.settings.get("local") or facts.route_to(end.router, end.address).get("prefsrc", ""))


# --- packets ----------------------------------------------------------------------------------------------------------


def _unreachable(facts: LabFacts, a: BfdEnd, b: BfdEnd, links: tuple[SharedLink, ...]) -> Iterator[Step]:
    """The reason why packets of one end do not leave towards the other."""
    if not a.is_multihop and not b.is_multihop and links:
        broken = [list(link_causes(facts, link)) or list(address_causes(facts, link)) for link in links]
        if all(broken):
            yield from broken[0]
            return
    for end in (a, b):
        if not end.address.startswith("fe80:") and not facts.route_to(end.router, end.address):
            sentence = f"{end.router} has no route to {end.address}, the address of its BFD peer {end.peer}."
            remedy = f"`miniedit-frr why {end.router} {end.address}` names the reason; a static route is enough."
            yield cause(end.router, "", sentence, remedy)


def _differences(facts: LabFacts, a: BfdEnd, b: BfdEnd, links: tuple[SharedLink, ...]) -> Iterator[Step]:
    kinds = {True: "a multihop session", False: "a session over one hop"}
    if a.is_multihop != b.is_multihop:
        sentence = (
            f"The BFD sessions differ: {a.router} has {kinds[a.is_multihop]} with {a.peer}, {b.router} has "
            f"{kinds[b.is_multihop]}."
        )
        wrong = next(end for end in (a, b) if end.is_multihop == bool(links))
        local = _source(facts, wrong) or "ADDRESS"
        right = f"peer {wrong.address}" + ("" if links else f" multihop local-address {local}")
        yield cause(wrong.router, "", sentence, f"In vtysh of {wrong.router}: `bfd`, `{right}` in place of the other.")
    elif not a.is_multihop and not links:
        sentence = f"{a.router} and {b.router} share no link, but their BFD session is limited to one hop."
        remedy = (
            f"In vtysh of {a.router}: `bfd`, `peer {a.address} multihop local-address ADDRESS`, also at {b.router}."
        )
        yield cause(a.router, "", sentence, remedy)
    if a.settings.get("passive-mode") and b.settings.get("passive-mode"):
        sentence = f"The BFD session is passive at both {a.router} and {b.router}, so neither sends the first packet."
        remedy = f"In vtysh of {a.router}: `bfd`, `{a.statement}`, `no passive-mode`, or the same in its profile."
        yield cause(a.router, "", sentence, remedy)
    for end in (a, b):
        ports = {port.interface for link in links for port in link.ends if port.node == end.router}
        name = end.settings.get("interface", "")
        if not end.is_multihop and name and links and name not in ports:
            sentence = f"{end.router} has its BFD session with {end.peer} on {name}, which does not lead to {end.peer}."
            remedy = f"In vtysh of {end.router}: `bfd`, `peer {end.address} interface {' or '.join(sorted(ports))}`."
            yield cause(end.router, name, sentence, remedy)


def _wrong_addresses(facts: LabFacts, a: BfdEnd, b: BfdEnd) -> Iterator[Step]:
    """A control packet belongs to a session only if its source is the address of the peer."""
    for end, other in ((a, b), (b, a)):
        source = _source(facts, end)
        if source and not end.address.startswith("fe80:") and source != other.address:
            sentence = (
                f"{end.router} sends BFD packets to {end.peer} from {source}, but {end.peer} expects its peer at "
                f"{other.address}."
            )
            remedy = f"In vtysh of {other.router}: `bfd`, `peer {source}` in place of `peer {other.address}`."
            yield cause(end.router, "", sentence, remedy)


def _low_ttl(facts: LabFacts, a: BfdEnd, b: BfdEnd) -> Iterator[Step]:
    """Multihop packets whose TTL is too low when they arrive."""
    for sender, receiver in ((a, b), (b, a)):
        smallest = int(receiver.settings.get("minimum-ttl", 0))
        if not receiver.is_multihop or not smallest or not is_address(sender.address):
            continue
        branches = facts.path(sender.router, sender.address).branches(1)
        routers = max(len(branches[0]) - 2, 0) if branches else 0
        if _SENT_TTL - routers < smallest:
            sentence = (
                f"{receiver.router} accepts BFD packets of {sender.router} with a TTL of at least {smallest}, but "
                f"the routers on the path lower it to {_SENT_TTL - routers}."
            )
            command = f"`bfd`, `{receiver.statement}`, `minimum-ttl {_SENT_TTL - routers}`"
            yield cause(receiver.router, "", sentence, f"In vtysh of {receiver.router}: {command}.")


def _filters(facts: LabFacts, a: BfdEnd, b: BfdEnd) -> Iterator[Step]:
    """Rules of firewalls that name the port of BFD."""
    port = _PORTS[a.is_multihop]
    for end in (a, b):
        for rule in drop_rules(facts, end.router, ip_address(end.address).version if is_address(end.address) else 4):
            if port in rule.text:
                sentence = f"The firewall of {end.router} drops BFD packets: {rule.place} has `{rule.text}`."
                yield cause(end.router, "", sentence, f"At {end.router}: `{rule.removal}`.")
