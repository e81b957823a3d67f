"""Sessions of BGP, and their two ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from frrlib.addressing.domains import Attachment
from frrlib.checks.bgp_tables import BgpTable, table_of, tables, tables_of
from frrlib.checks.facts import Facts, adjacent_addresses, contains, has_own_lines
from frrlib.checks.fix import Fix, protocol_fix
from frrlib.checks.kinds import CheckSubject, error, warning
from frrlib.checks.subjects.addresses import NO_ADDRESS
from frrlib.checks.subjects.routing import NO_INTERFACE
from frrlib.model.base import IpAddress
from frrlib.model.nodes import Router
from frrlib.model.problem import Problem
from frrlib.model.protocols.common import IGPS
from frrlib.model.routing import Bgp, BgpNeighbor, BgpUnnumbered
from frrlib.prediction.bgp.sessions import (
    AnyNeighbor,
    accepts_as_of,
    all_neighbors,
    families_of,
    kind_between,
    presented_asn,
    source_address,
    with_group_settings,
)

SUBJECT = CheckSubject()
DUPLICATE_NEIGHBOR = SUBJECT.kind(
    "duplicate-neighbor",
    "A BGP session is configured twice.",
    "The second entry replaces the first.",
    "Remove one of them.",
)
NO_NEIGHBOR = SUBJECT.kind(
    "no-neighbor",
    "A router has no BGP session, or a session with an address or interface behind which there is no router.",
    "The session is never established.",
    "Enter the address of a router on a common link.",
    runs=True,
)
SEVERAL_NEIGHBORS = SUBJECT.kind(
    "several-neighbors",
    "An unnumbered session uses an interface with several routers behind it.",
    "Unnumbered sessions are for links between two routers: the neighbor is the router that sends router "
    "advertisements.",
    "Configure a session by address with each of them.",
)
ONE_SIDED = SUBJECT.kind(
    "one-sided",
    "The other router has no session with this one, or does not run BGP.",
    "It refuses the connection.",
    "Add a neighbor with an address of this router there.",
    runs=True,
)
WRONG_AS = SUBJECT.kind(
    "wrong-as",
    "The neighbor is in another AS than the configured one.",
    'The session is refused at once (OPEN message error, "Bad Peer AS"). A lab runs all the same and shows that.',
    "Enter the AS number of the other router.",
    runs=True,
)
NO_UPDATE_SOURCE = SUBJECT.kind(
    "no-update-source",
    "A session uses an address or interface as its update source that the router does not have.",
    "FRR then uses the address of the link, for which the neighbor may have no session.",
    'Use "lo" if the router has a loopback address.',
    runs=True,
)
WRONG_SOURCE = SUBJECT.kind(
    "wrong-source",
    "The router's source address is not the address that its neighbor expects.",
    "Each side refuses the connection of the other.",
    "Set an update source, or enter the other address at the neighbor.",
    runs=True,
)
DISTANT_NEIGHBOR = SUBJECT.kind(
    "distant-neighbor",
    "The neighbor is on no common link, and no route to it is configured.",
    "External sessions have a TTL of 1. Internal sessions need a route to the address.",
    "Use an address on the link between them. Otherwise set multihop, or run OSPF or add a static route on both.",
    runs=True,
)
WRONG_PASSWORD = SUBJECT.kind(
    "wrong-password",
    "The two ends have different passwords.",
    "The kernel drops all packets of the session (RFC 2385).",
    "Set the same password on both ends.",
    runs=True,
)
BOTH_PASSIVE = SUBJECT.kind(
    "both-passive",
    "Both ends are passive.",
    "Neither of them opens the connection.",
    "Make at most one end passive.",
    runs=True,
)
ONE_SIDED_BFD = SUBJECT.kind(
    "one-sided-bfd",
    "BFD is enabled on only one end of a session.",
    "The BFD session stays down.",
    "Enable BFD on both ends.",
)
NO_COMMON_FAMILY = SUBJECT.kind(
    "no-common-family",
    "The two ends have no address family in common.",
    "The session is established but exchanges no routes.",
    "Select the same address families on both ends.",
    runs=True,
)
CONFEDERATION = SUBJECT.kind(
    "confederation",
    "Members of a confederation do not list it or each other, or its identifier is the AS number of a member.",
    "Sessions are refused, or paths appear to contain a loop.",
    "Make the change that the message names.",
)


def speakers(facts: Facts) -> Iterator[tuple[BgpTable, Bgp]]:
    return ((table, table.bgp) for table in tables(facts) if table.bgp is not None)


@SUBJECT.rule(
    DUPLICATE_NEIGHBOR,
    NO_NEIGHBOR,
    ONE_SIDED,
    WRONG_AS,
    NO_UPDATE_SOURCE,
    WRONG_SOURCE,
    DISTANT_NEIGHBOR,
    WRONG_PASSWORD,
    BOTH_PASSIVE,
    ONE_SIDED_BFD,
    NO_COMMON_FAMILY,
    CONFEDERATION,
    NO_ADDRESS,
    NO_INTERFACE,
    SEVERAL_NEIGHBORS,
)
def neighbors(facts: Facts) -> Iterator[Problem]:
    """Every session has a router of the configured AS at the other end, with a matching session."""
    for table, bgp in speakers(facts):
        titles: set[IpAddress | str] = set()
        for neighbor in all_neighbors(bgp):
            title = session_title(neighbor)
            if title in titles:
                message = f"session {title} is configured twice"
                yield error(
                    DUPLICATE_NEIGHBOR, table.name, session_field(table, neighbor), message, "remove one of them"
                )
            elif isinstance(neighbor, BgpNeighbor):
                yield from _check_numbered(facts, table, bgp, neighbor)
            else:
                yield from _check_unnumbered(facts, table, bgp, neighbor)
            titles.add(title)


def session_title(neighbor: AnyNeighbor) -> str:
    """The address of a neighbor, or the interface of an unnumbered session."""
    return str(neighbor.address) if isinstance(neighbor, BgpNeighbor) else neighbor.interface


def session_field(table: BgpTable, neighbor: AnyNeighbor) -> str:
    return table.field("neighbors" if isinstance(neighbor, BgpNeighbor) else "unnumbered")


def _check_numbered(facts: Facts, table: BgpTable, bgp: Bgp, neighbor: BgpNeighbor) -> Iterator[Problem]:
    """Problems of a session that is configured by the address of the neighbor."""
    field, title = session_field(table, neighbor), str(neighbor.address)
    peer = table_of(facts, neighbor.address)
    if peer is None:
        owner = next(iter(facts.owners.get(neighbor.address, ())), "")
        message = (
            f"{title} is an address of {owner}, which is not a router"
            if owner
            else f"no router has the address {title}"
        )
        yield error(NO_NEIGHBOR, table.name, field, message, suggest_neighbor(facts, table.router))
        return
    if peer.name == table.name:
        message = f"{title} is an address of {table.name} itself"
        yield error(NO_NEIGHBOR, table.name, field, message, suggest_neighbor(facts, table.router))
        return
    if peer.bgp is None:
        make = warning if has_own_lines(peer.router) else error
        message = f"{title} is {peer.name}, which does not run BGP"
        yield make(ONE_SIDED, table.name, field, message, f"run BGP on {peer.name}")
        return
    yield from _check_as(table, bgp, neighbor, peer, peer.bgp)
    own_addresses = {address.ip for address in table.addresses if address.version == neighbor.address.version}
    reverse_sessions = [
        with_group_settings(peer.bgp, session) for session in peer.bgp.neighbors if session.address in own_addresses
    ]
    if not reverse_sessions:
        if _uses_unknown_address(facts, peer.bgp, table, bgp):
            return
        make = warning if has_own_lines(peer.router) else error
        message = f"{title} is {peer.name}, which has no session with {table.name}"
        remedy = f"add a neighbor with an address of {table.name} to {peer.name}"
        yield make(ONE_SIDED, table.name, field, message, remedy)
        return
    effective = with_group_settings(bgp, neighbor)
    yield from _check_reachable(table, effective, neighbor.address, peer, reverse_sessions)
    by_address = {
        session.address: session for session in reversed(reverse_sessions) if isinstance(session, BgpNeighbor)
    }
    sources = (source for source in _source_addresses(table, effective) if source in by_address)
    reverse_session = next((by_address[source] for source in sources), reverse_sessions[0])
    yield from _check_both_ends(table, bgp, effective, peer, peer.bgp, reverse_session)


def _uses_unknown_address(facts: Facts, bgp: Bgp, table: BgpTable, peer_bgp: Bgp) -> bool:
    """Whether `bgp` has a neighbor of the AS of `peer_bgp`, in a network of `table`, at an address that no node has.

    That neighbor is reported at its own router. It is the reverse session that seems to be missing here.
    """
    networks = [address.network for address in table.links]
    sessions = (session for session in bgp.neighbors if session.address not in facts.owners)
    return any(
        contains(networks, session.address) and accepts_as_of(bgp, with_group_settings(bgp, session), peer_bgp)
        for session in sessions
    )


def _check_as(table: BgpTable, bgp: Bgp, neighbor: AnyNeighbor, peer: BgpTable, peer_bgp: Bgp) -> Iterator[Problem]:
    """The configured AS is that of the peer, and that of the peer group."""
    field, effective = session_field(table, neighbor), with_group_settings(bgp, neighbor)
    if not accepts_as_of(bgp, effective, peer_bgp):
        peer_as = presented_asn(peer_bgp, bgp)
        remote_as = effective.remote_as
        configured = f'remote AS "{remote_as}"' if isinstance(remote_as, str) else f"AS {remote_as}"
        message = f"{session_title(neighbor)} is {peer.name} in AS {peer_as}, but {configured} is configured"
        # FRR accepts the line and the session stays down. Teachers show this in a lab, so it is no error.
        yield warning(WRONG_AS, table.name, field, message, f"set Remote AS to {peer_as}")
    group = next((group for group in bgp.peer_groups if group.name == neighbor.peer_group), None)
    if group is not None and group.remote_as is not None and isinstance(neighbor, BgpNeighbor):
        matches = {"internal": neighbor.remote_as == bgp.asn, "external": neighbor.remote_as != bgp.asn}
        if not matches.get(str(group.remote_as), group.remote_as == neighbor.remote_as):
            members = f"{group.remote_as} sessions" if isinstance(group.remote_as, str) else f"AS {group.remote_as}"
            message = (
                f"{session_title(neighbor)} is in AS {neighbor.remote_as}, but its peer group {group.name} is for "
            )
            message += members
            yield error(WRONG_AS, table.name, field, message, "choose another peer group, or one without an AS")


def _check_reachable(
    table: BgpTable, neighbor: AnyNeighbor, address: IpAddress, peer: BgpTable, reverse_sessions: list[AnyNeighbor]
) -> Iterator[Problem]:
    """Each end sends from the address that the other end expects, and there is a route between these addresses."""
    field, title, bgp = session_field(table, neighbor), str(address), table.bgp
    assert bgp is not None
    make = warning if has_own_lines(table.router, peer.router) else error
    sources = _source_addresses(table, neighbor)
    if neighbor.update_source and not sources:
        message = (
            f"{title}: {neighbor.update_source} is neither an IPv{address.version} address of {table.name} nor an "
        )
        message += "interface with one"
        remedy = (
            "set Update source to lo" if table.router.loopbacks else "choose an interface or address of this router"
        )
        yield make(NO_UPDATE_SOURCE, table.name, field, message, remedy)
        return
    expected = [session.address for session in reverse_sessions if isinstance(session, BgpNeighbor)]
    peer_sources = {source for session in reverse_sessions for source in _source_addresses(peer, session)}
    if not set(sources) & set(expected) and address not in peer_sources:
        message = f"{peer.name} expects the source address {expected[0]}, but {table.name} sends from "
        message += _source_words(sources)
        is_loopback = any(loopback.ip == expected[0] for loopback in table.router.loopbacks)
        remedy = f"set Update source to {'lo' if is_loopback else expected[0]}"
        yield make(WRONG_SOURCE, table.name, field, message, remedy)
    if contains([link_address.network for link_address in table.links], address):
        return
    if peer.bgp is not None and kind_between(bgp, peer.bgp) == "external" and (neighbor.multihop or 1) < 2:
        if not has_own_lines(table.router):
            message = f"{title} is {peer.name}, which is in no network of {table.name}"
            remedy = "choose an address on the link between them, or set Hops away to 2 and Update source to lo"
            yield error(DISTANT_NEIGHBOR, table.name, field, message, remedy)
    elif not _may_have_route(table, address):
        message = f"{title} is {peer.name}, which is in no network of {table.name}, and {table.name} has no route to it"
        yield warning(DISTANT_NEIGHBOR, table.name, field, message, "run OSPF or add a static route, on both routers")


def _source_addresses(table: BgpTable, neighbor: AnyNeighbor) -> list[IpAddress]:
    """The possible source addresses of a session: one, or those of all links if routing decides."""
    address = neighbor.address if isinstance(neighbor, BgpNeighbor) else None
    if address is None:
        return []
    if neighbor.update_source:
        source = source_address(table.router, table.ends, neighbor.update_source, address.version)
        return [source] if source is not None else []
    same_network = [source.ip for source in table.links if address in source.network]
    return same_network[:1] or [source.ip for source in table.links if source.version == address.version]


def _source_words(sources: list[IpAddress]) -> str:
    if len(sources) == 1:
        return str(sources[0])
    return f"one of {', '.join(str(source) for source in sources[:3])}" if sources else "no address of that family"


def _may_have_route(table: BgpTable, address: IpAddress) -> bool:
    has_igp = any(getattr(table.holder, name, None) for name in IGPS) or has_own_lines(table.router)
    return has_igp or contains([route.prefix for route in table.holder.static_routes], address)


def _check_unnumbered(facts: Facts, table: BgpTable, bgp: Bgp, neighbor: BgpUnnumbered) -> Iterator[Problem]:
    """Problems of a session that is configured by interface."""
    field, name = session_field(table, neighbor), neighbor.interface
    names = [end.interface for end in table.ends]
    if name not in names:
        remedy = f"choose one of {', '.join(names)}" if names else "link the router"
        yield error(NO_INTERFACE, table.name, field, f"has no interface {name}", remedy)
        return
    domain = facts.domain_at[table.name, name]
    remote_ends = [place for place in domain.ends if isinstance(place.node, Router) and not _is_at(place, table, name)]
    if len(remote_ends) != 1:
        routers = ", ".join(place.end.node for place in remote_ends)
        message = f"{name} leads to {'several routers: ' + routers if remote_ends else 'no router'}"
        remedy = "configure a session by address with each of them" if remote_ends else "link it to a router"
        yield error(SEVERAL_NEIGHBORS if remote_ends else NO_NEIGHBOR, table.name, field, message, remedy)
        return
    place = remote_ends[0]
    assert isinstance(place.node, Router)
    peer = next(t for t in tables_of(facts, place.node) if place.end.interface in t.interfaces)
    if peer.bgp is None:
        make = warning if has_own_lines(peer.router) else error
        message = f"{name} leads to {peer.name}, which does not run BGP"
        yield make(ONE_SIDED, table.name, field, message, f"run BGP on {peer.name}")
        return
    yield from _check_as(table, bgp, neighbor, peer, peer.bgp)
    sessions_there = (session for session in peer.bgp.unnumbered if session.interface == place.end.interface)
    reverse_session = next(sessions_there, None)
    if reverse_session is None:
        make = warning if has_own_lines(peer.router) else error
        message = f"{name} leads to {peer.name}, which has no session with {table.name}"
        remedy = f"add an unnumbered session on {place.end.interface} to {peer.name}"
        yield make(ONE_SIDED, table.name, field, message, remedy)
        return
    yield from _check_both_ends(
        table, bgp, with_group_settings(bgp, neighbor), peer, peer.bgp, with_group_settings(peer.bgp, reverse_session)
    )


def _is_at(place: Attachment, table: BgpTable, interface: str) -> bool:
    return (place.end.node, place.end.interface) == (table.name, interface)


def _check_both_ends(
    table: BgpTable, bgp: Bgp, neighbor: AnyNeighbor, peer: BgpTable, peer_bgp: Bgp, reverse_session: AnyNeighbor
) -> Iterator[Problem]:
    """Settings that both ends of a session must share, and those that depend on the other end."""
    field, title = session_field(table, neighbor), session_title(neighbor)
    make = warning if has_own_lines(table.router, peer.router) else error
    if neighbor.password != reverse_session.password:
        message = f"{title}: {peer.name} has a different password for this session"
        yield warning(WRONG_PASSWORD, table.name, field, message, "set the same password on both")
    if neighbor.passive and reverse_session.passive:
        message = f"{title}: both ends are passive, so neither opens the connection"
        yield warning(BOTH_PASSIVE, table.name, field, message, "make only one end passive")
    if neighbor.bfd != reverse_session.bfd and neighbor.bfd:
        message = f"{title}: BFD is enabled at this end only"
        yield warning(ONE_SIDED_BFD, table.name, field, message, "enable BFD at both ends")
    families, peer_families = families_of(neighbor), families_of(reverse_session)
    if not families & peer_families:
        message = f"{title} carries {_family_words(families)} here and {_family_words(peer_families)} at {peer.name}"
        yield make(NO_COMMON_FAMILY, table.name, field, message, "select the same address families on both")
    for family in sorted(families & peer_families):
        if isinstance(neighbor, BgpNeighbor) and not _has_next_hop(table, family, neighbor):
            version = _family_words([family])
            message = f"{title} carries {version}, but {table.name} has no {version} address to use as next hop"
            remedy = f"give {table.name} an {version} address, or remove {version} from the session"
            yield error(NO_ADDRESS, table.name, field, message, remedy)
    if kind_between(bgp, peer_bgp) == "confederation" and peer_bgp.asn not in bgp.confederation_members:
        message = f"lacks AS {peer_bgp.asn} of {peer.name}, which is also in confederation {bgp.confederation_id}"
        yield error(CONFEDERATION, table.name, table.field("confederation_members"), message, f"add {peer_bgp.asn}")


def _family_words(families: Iterable[str]) -> str:
    """Address families for people: "IPv4 and IPv6"."""
    return " and ".join(family.replace("ip", "IP", 1) for family in sorted(families)) or "nothing"


def _has_next_hop(table: BgpTable, family: str, neighbor: BgpNeighbor) -> bool:
    """Whether there is an address for the next hop. IPv4 over an IPv6 session needs none (RFC 8950)."""
    if family == "ipv4" and neighbor.address.version == 6:
        return True
    return any(f"ipv{address.version}" == family and not address.ip.is_link_local for address in table.addresses)


def suggest_neighbor(facts: Facts, router: Router) -> str:
    """A remedy that names addresses of adjacent routers."""
    adjacent = adjacent_addresses(facts, router)
    if not adjacent:
        return f"link another router to {router.name}"
    return f"choose the address of a neighboring router, such as {', '.join(adjacent[:3])}"


# --- fixes -----------------------------------------------------------------------------------------------------------


@SUBJECT.fix(WRONG_AS)
def _use_actual_as(facts: Facts, problem: Problem) -> Fix | None:
    """Set the AS numbers of a router's neighbors to their actual ones, without VRFs and confederations."""
    router = facts.nodes.get(problem.node)
    if problem.field != "bgp.neighbors" or not isinstance(router, Router) or router.bgp is None:
        return None

    def change(settings: Any) -> dict[str, Any]:
        rows = []
        for neighbor in settings.neighbors:
            peer = facts.router_of(neighbor.address)
            peer_bgp = peer.bgp if peer is not None else None
            is_plain = peer_bgp is not None and peer_bgp.confederation_id is None
            rows.append(neighbor.model_copy(update={"remote_as": peer_bgp.asn}) if peer_bgp and is_plain else neighbor)
        return {"neighbors": tuple(rows)}

    if router.bgp.confederation_id is not None:
        return None
    return protocol_fix(facts, problem, "use the actual AS numbers of the neighbors", change)
