"""Causes of missing BGP sessions: the neighbor statements of both ends, and the packets between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from frrlib.diagnosis.explanation import Step, cause
from frrlib.diagnosis.facts import LabFacts
from frrlib.diagnosis.links import link_causes, node_causes
from frrlib.diagnosis.wiring import SharedLink
from frrlib.model.base import is_address


@dataclass(frozen=True)
class SessionEnd:
    """A session as one end has it.

    Attributes:
        router: the end.
        peer: the router at the other end.
        name: the address, or the interface, in its neighbor statement.
        settings: its entry in `show bgp neighbors json`.
    """

    router: str
    peer: str
    name: str
    settings: dict[str, Any]

    @property
    def is_established(self) -> bool:
        """Whether the session is up."""
        return bool(self.settings.get("bgpState") == "Established")

    @property
    def is_external(self) -> bool:
        """Whether this end takes it for a session between two AS."""
        return bool(self.settings.get("localAs") != self.settings.get("remoteAs"))

    def family(self, version: int) -> dict[str, Any] | None:
        """Its settings for IPv4 or IPv6 unicast; None if that is not activated."""
        families = self.settings.get("addressFamilyInfo", {})
        settings = families.get(f"ipv{version}Unicast")
        return settings if isinstance(settings, dict) else None


def session_ends(facts: LabFacts, router: str, peer: str, links: tuple[SharedLink, ...]) -> list[SessionEnd]:
    """The sessions of a router with a peer, by the addresses that the peer's kernel has now."""
    addresses = facts.addresses(peer)
    ports = {link.a.interface for link in links if link.a.node == router}
    return [
        SessionEnd(router, peer, name, settings)
        for name, settings in facts.bgp_neighbors(router).items()
        if name in addresses or name in ports
    ]


def neighbor_lines(facts: LabFacts, router: str, name: str, family: str = "") -> list[str]:
    """The settings of a neighbor in the running configuration, and those of its peer group ("remote-as 65001").

    Args:
        family: "ipv4 unicast": settings of that address family; empty for those outside of address families.
    """
    lines = list(_bgp_lines(facts, router, family))
    everywhere = lines if not family else [*lines, *_bgp_lines(facts, router, "")]
    groups = [
        line.split()[-1] for line in everywhere if line.startswith(f"neighbor {name} ") and " peer-group " in line
    ]
    subjects = tuple(f"neighbor {subject} " for subject in (name, *groups))
    peer_lines = [line.removeprefix(subject) for subject in subjects for line in lines if line.startswith(subject)]
    return [line for line in peer_lines if line != "peer-group"]  # the definition of the group itself


def _bgp_lines(facts: LabFacts, router: str, family: str) -> Iterator[str]:
    for section in facts.sections(router, "bgp"):
        for entry in section.below:
            if not family and not entry.kind:
                yield entry.text
            elif family and entry.text == f"address-family {family}":
                yield from (line.text for line in entry.below)


def bgp_lines(facts: LabFacts, router: str, version: int) -> list[str]:
    """The lines of an address family of BGP."""
    return list(_bgp_lines(facts, router, f"ipv{version} unicast"))


def as_number(facts: LabFacts, router: str) -> int:
    """The AS of a router; 0 if it has none."""
    words = [section.text.split() for section in facts.sections(router, "bgp")]
    return next((int(parts[2]) for parts in words if len(parts) > 2 and parts[2].isdecimal()), 0)


def bgp_causes(facts: LabFacts, a: str, b: str, links: tuple[SharedLink, ...]) -> Iterator[Step]:
    """The causes that keep two routers from having a BGP session.

    Args:
        links: the links that both share, seen from `a`; empty if they share none.
    """
    stopped = [step for router in (a, b) for step in node_causes(facts, router, "bgpd")]
    if stopped:
        yield from stopped
        return
    reverse = tuple(SharedLink(link.b, link.a) for link in links)
    ends_a, ends_b = session_ends(facts, a, b, links), session_ends(facts, b, a, reverse)
    if not ends_a or not ends_b:
        yield from _missing_statement(facts, a, b, links, ends_a, ends_b)
        return
    end_a, end_b = _matching(facts, ends_a, ends_b)
    for end in (end_a, end_b):
        if end.settings.get("adminShutDown"):
            remedy = f"In vtysh of {end.router}: `no neighbor {end.name} shutdown` in `router bgp`."
            yield cause(end.router, "", f"{end.router} has shut down its session with {end.peer} ({end.name}).", remedy)
    if broken := [step for end in (end_a, end_b) for step in _unreachable(facts, end, links)]:
        yield from broken
        return
    for end, other in ((end_a, end_b), (end_b, end_a)):
        yield from _wrong_as(end, other)
    yield from _wrong_source(facts, end_a, end_b)
    far = [(step, _is_adjacent(facts, end)) for end in (end_a, end_b) for step in _one_hop(facts, end)]
    yield from (step for step, is_adjacent in far if not is_adjacent)
    yield from _other_differences(facts, end_a, end_b)
    # Between neighboring routers, one hop is enough for some versions of FRR.
    yield from (step for step, is_adjacent in far if is_adjacent)


def _matching(facts: LabFacts, ends_a: list[SessionEnd], ends_b: list[SessionEnd]) -> tuple[SessionEnd, SessionEnd]:
    """The statements of both ends that belong together, if the routers have several sessions."""
    pairs = [(a, b) for a in ends_a for b in ends_b]
    return next((pair for pair in pairs if source_address(facts, pair[0]) == pair[1].name), pairs[0])


def source_address(facts: LabFacts, end: SessionEnd) -> str:
    """The address from which a router opens a session; empty if it has no route to the neighbor."""
    lines = neighbor_lines(facts, end.router, end.name)
    stated = next((line.split()[1] for line in lines if line.startswith("update-source ")), "")
    if is_address(stated) or not is_address(end.name):
        return stated
    if stated:
        version = ip_address(end.name).version
        known = facts.interface(end.router, stated).of_version(version)
        return str(known[0].ip) if known else ""
    return str(facts.route_to(end.router, end.name).get("prefsrc", ""))


# --- neighbor statements ----------------------------------------------------------------------------------------------


def _missing_statement(
    facts: LabFacts, a: str, b: str, links: tuple[SharedLink, ...], ends_a: list[SessionEnd], ends_b: list[SessionEnd]
) -> Iterator[Step]:
    for router, peer, ends, others in ((a, b, ends_a, ends_b), (b, a, ends_b, ends_a)):
        if ends or _listens(facts, router):
            continue
        expected = next((source_address(facts, end) for end in others), "")
        expected = expected or next(iter(_link_addresses(facts, peer, links)), "")
        if stray := stray_neighbor(facts, router, peer):
            address = f"; {peer} has {expected}" if expected else ""
            sentence = f"{router} has the BGP neighbor {stray}, but no node has this address{address}."
            remedy = f"In vtysh of {router}, `router bgp {as_number(facts, router)}`: replace the neighbor {stray}."
        else:
            sentence = f"{router} has no BGP neighbor statement for {peer}."
            remedy = (
                f"In vtysh of {router}: `router bgp {as_number(facts, router) or 'AS'}`, "
                f"`neighbor {expected or 'ADDRESS'} remote-as {as_number(facts, peer) or 'AS'}`."
            )
        yield cause(router, "", sentence, remedy)


def _listens(facts: LabFacts, router: str) -> bool:
    """Whether a router accepts sessions without a statement for each neighbor."""
    return any(line.startswith("bgp listen range") for line in _bgp_lines(facts, router, ""))


def _link_addresses(facts: LabFacts, router: str, links: tuple[SharedLink, ...]) -> Iterator[str]:
    for link in links:
        for port in link.ends:
            if port.node == router:
                yield from (str(known.ip) for known in facts.interface(router, port.interface).addresses)


def stray_neighbor(facts: LabFacts, router: str, peer: str) -> str:
    """A neighbor address that no node has, in the AS or a network of the peer; empty for none."""
    networks = [known.network for port in facts.interfaces(peer).values() for known in port.addresses]
    strays = [
        (name, settings)
        for name, settings in facts.bgp_neighbors(router).items()
        if is_address(name) and not facts.owner(name)
    ]
    for name, settings in strays:
        if any(ip_address(name) in network for network in networks) or settings.get("remoteAs") == as_number(
            facts, peer
        ):
            return name
    return ""


# --- packets between the ends -----------------------------------------------------------------------------------------


def _unreachable(facts: LabFacts, end: SessionEnd, links: tuple[SharedLink, ...]) -> Iterator[Step]:
    """The reason why packets of one end do not leave towards the other."""
    if not is_address(end.name):
        yield from (step for link in links[:1] for step in link_causes(facts, link))
        return
    address = ip_address(end.name)
    for link in links:
        local, remote = (link.a, link.b) if link.a.node == end.router else (link.b, link.a)
        known_addresses = {known.ip for known in facts.interface(remote.node, remote.interface).addresses}
        if address in known_addresses and (broken := list(link_causes(facts, SharedLink(local, remote)))):
            yield from broken
            return
    if not facts.route_to(end.router, end.name):
        sentence = f"{end.router} has no route to {end.name}, the address of its BGP neighbor {end.peer}."
        remedy = f"`miniedit-frr why {end.router} {end.name}` names the reason; a static route is enough."
        yield cause(end.router, "", sentence, remedy)


def _wrong_as(end: SessionEnd, other: SessionEnd) -> Iterator[Step]:
    expected, real = end.settings.get("remoteAs"), other.settings.get("localAs")
    if expected and real and expected != real:
        sentence = f"{end.router} expects its neighbor {end.name} in AS {expected}, but {end.peer} is in AS {real}."
        remedy = f"In vtysh of {end.router}: `neighbor {end.name} remote-as {real}` in `router bgp`."
        yield cause(end.router, "", sentence, remedy)


def _wrong_source(facts: LabFacts, a: SessionEnd, b: SessionEnd) -> Iterator[Step]:
    """A session comes up if one end opens it from the address that the other end's statement names."""
    if not is_address(a.name) or not is_address(b.name):
        return
    if source_address(facts, a) == b.name or source_address(facts, b) == a.name:
        return
    for end, other in ((a, b), (b, a)):
        sent_from = source_address(facts, end)
        sentence = (
            f"{end.router} opens the session with {end.peer} from {sent_from}, but {end.peer} expects its neighbor at "
            f"{other.name}."
        )
        remedy = f"In vtysh of {end.router}: `neighbor {end.name} update-source {other.name}` in `router bgp`."
        yield cause(end.router, "", sentence, remedy)


def _one_hop(facts: LabFacts, end: SessionEnd) -> Iterator[Step]:
    """An external neighbor beyond a router, though the session is limited to one hop."""
    if not end.is_external or not is_address(end.name) or end.settings.get("externalBgpNbrMaxHopsAway", 1) != 1:
        return
    lines = neighbor_lines(facts, end.router, end.name)
    address = ip_address(end.name)
    networks = [known.network for port in facts.interfaces(end.router).values() for known in port.addresses]
    if any(address in network for network in networks) or "disable-connected-check" in lines:
        return
    sentence = (
        f"{end.name} is not in a network of an interface of {end.router}, and its external session with {end.peer} is "
        "limited to one hop."
    )
    remedy = f"In vtysh of {end.router}: `neighbor {end.name} ebgp-multihop 2` in `router bgp`, also at {end.peer}."
    yield cause(end.router, "", sentence, remedy)


def _is_adjacent(facts: LabFacts, end: SessionEnd) -> bool:
    """Whether the first router on the way to a neighbor is the neighbor itself."""
    gateway = facts.route_to(end.router, end.name).get("gateway")
    return not gateway or facts.owner(str(gateway)) == end.peer


def _other_differences(facts: LabFacts, a: SessionEnd, b: SessionEnd) -> Iterator[Step]:
    if not a.is_external and a.settings.get("localRouterId") == b.settings.get("localRouterId"):
        sentence = f"{a.router} and {b.router} have the same BGP router ID {a.settings.get('localRouterId')}."
        yield cause(a.router, "", sentence, f"In vtysh of {b.router}: `bgp router-id` with another ID in `router bgp`.")
    keys = [
        next((line for line in neighbor_lines(facts, end.router, end.name) if line.startswith("password ")), "")
        for end in (a, b)
    ]
    if keys[0] != keys[1]:
        lacking = [end.router for end, key in zip((a, b), keys, strict=True) if not key]
        sentence = (
            f"The authentication differs: {lacking[0]} has no password for the session of {a.router} and {b.router}."
            if lacking
            else f"The passwords of the session of {a.router} and {b.router} differ."
        )
        remedy = f"Set `neighbor {a.name} password` at {a.router} and `neighbor {b.name} password` at {b.router} alike."
        yield cause(a.router, "", sentence, remedy)
    security = [
        any(line.startswith("ttl-security") for line in neighbor_lines(facts, end.router, end.name)) for end in (a, b)
    ]
    if security[0] != security[1]:
        sentence = f"Only one end of the session of {a.router} and {b.router} has `ttl-security`."
        yield cause(a.router, "", sentence, "Set `neighbor ADDRESS ttl-security hops` at both ends, or at neither.")
    if not any(a.family(version) is not None and b.family(version) is not None for version in (4, 6)):
        sentence = f"No address family is activated at both {a.router} and {b.router}."
        remedy = "In `address-family ipv4 unicast` of both: `neighbor ADDRESS activate`."
        yield cause(a.router, "", sentence, remedy)
