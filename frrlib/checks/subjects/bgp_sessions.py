"""Rules on BGP: sessions, what they carry, and what is announced. Names of policies are in `policy`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from frrlib.addressing.domains import Attachment
from frrlib.checks.bgp_tables import Table, table_of, tables, tables_of
from frrlib.checks.facts import Facts, Rule, adjacent_addresses, contains, has_own_lines
from frrlib.model.base import IpAddress
from frrlib.model.nodes import Router
from frrlib.model.problem import Problem, error, warning
from frrlib.model.protocols.common import IGPS
from frrlib.model.routing import Bgp, BgpNeighbor, BgpUnnumbered, Network
from frrlib.prediction.bgp_filters import has_policy
from frrlib.prediction.bgp_sessions import (
    Kind,
    Numbered,
    families_of,
    kind_between,
    merged,
    numbered_and_not,
    presented_as,
    source_address,
    stated_kind,
    takes,
)


def _speakers(facts: Facts) -> Iterator[tuple[Table, Bgp]]:
    return ((table, table.bgp) for table in tables(facts) if table.bgp is not None)


def neighbors(facts: Facts) -> Iterator[Problem]:
    """Every session has a router of the configured AS at the other end, with a matching session."""
    for table, bgp in _speakers(facts):
        seen: set[IpAddress | str] = set()
        for neighbor in numbered_and_not(bgp):
            title = _title(neighbor)
            if title in seen:
                message = f"session {title} is configured twice"
                yield error("duplicate-neighbor", table.name, _field(table, neighbor), message, "remove one of them")
            elif isinstance(neighbor, BgpNeighbor):
                yield from _check_numbered(facts, table, bgp, neighbor)
            else:
                yield from _check_unnumbered(facts, table, bgp, neighbor)
            seen.add(title)


def _title(neighbor: Numbered) -> str:
    """The address of a neighbor, or the interface of an unnumbered session."""
    return str(neighbor.address) if isinstance(neighbor, BgpNeighbor) else neighbor.interface


def _field(table: Table, neighbor: Numbered) -> str:
    return table.field("neighbors" if isinstance(neighbor, BgpNeighbor) else "unnumbered")


def _check_numbered(facts: Facts, table: Table, bgp: Bgp, neighbor: BgpNeighbor) -> Iterator[Problem]:
    """Problems of a session that is configured by the address of the neighbor."""
    field, title = _field(table, neighbor), str(neighbor.address)
    peer = table_of(facts, neighbor.address)
    if peer is None:
        owner = next(iter(facts.owners.get(neighbor.address, ())), "")
        message = (
            f"{title} is an address of {owner}, which is not a router"
            if owner
            else f"no router has the address {title}"
        )
        yield error("no-neighbor", table.name, field, message, _suggest_neighbor(facts, table.router))
        return
    if peer.name == table.name:
        message = f"{title} is an address of {table.name} itself"
        yield error("no-neighbor", table.name, field, message, _suggest_neighbor(facts, table.router))
        return
    if peer.bgp is None:
        make = warning if has_own_lines(peer.router) else error
        message = f"{title} is {peer.name}, which does not run BGP"
        yield make("one-sided", table.name, field, message, f"run BGP on {peer.name}")
        return
    yield from _check_as(table, bgp, neighbor, peer, peer.bgp)
    own_addresses = {address.ip for address in table.addresses}
    reverse_sessions = [merged(peer.bgp, session) for session in peer.bgp.neighbors if session.address in own_addresses]
    if not reverse_sessions:
        if _uses_unknown_address(facts, peer.bgp, table, bgp):
            return
        make = warning if has_own_lines(peer.router) else error
        message = f"{title} is {peer.name}, which has no session with {table.name}"
        right = f"add a neighbor with an address of {table.name} to {peer.name}"
        yield make("one-sided", table.name, field, message, right)
        return
    effective = merged(bgp, neighbor)
    yield from _check_reachable(table, effective, neighbor.address, peer, reverse_sessions)
    by_address = {
        session.address: session for session in reversed(reverse_sessions) if isinstance(session, BgpNeighbor)
    }
    sources = (source for source in _source_addresses(table, effective) if source in by_address)
    reverse_session = next((by_address[source] for source in sources), reverse_sessions[0])
    yield from _check_both_ends(table, bgp, effective, peer, peer.bgp, reverse_session)


def _uses_unknown_address(facts: Facts, bgp: Bgp, table: Table, other: Bgp) -> bool:
    """Whether `bgp` has a neighbor of the AS of `other`, in a network of `table`, at an address that no node has.

    That neighbor is reported at its own router. It is the reverse session that seems to be missing here.
    """
    networks = [address.network for address in table.links]
    sessions = (session for session in bgp.neighbors if session.address not in facts.owners)
    return any(contains(networks, session.address) and takes(bgp, merged(bgp, session), other) for session in sessions)


def _check_as(table: Table, bgp: Bgp, neighbor: Numbered, peer: Table, other: Bgp) -> Iterator[Problem]:
    """The configured AS is that of the peer, and that of the peer group."""
    field, effective = _field(table, neighbor), merged(bgp, neighbor)
    if not takes(bgp, effective, other):
        peer_as = presented_as(other, bgp)
        remote_as = effective.remote_as
        configured = f'remote AS "{remote_as}"' if isinstance(remote_as, str) else f"AS {remote_as}"
        message = f"{_title(neighbor)} is {peer.name} in AS {peer_as}, but {configured} is configured"
        # FRR accepts the line and the session stays down. Teachers show this in a lab, so it is no error.
        yield warning("wrong-as", table.name, field, message, f"set Remote AS to {peer_as}")
    group = next((group for group in bgp.peer_groups if group.name == neighbor.peer_group), None)
    if group is not None and group.remote_as is not None and isinstance(neighbor, BgpNeighbor):
        matches = {"internal": neighbor.remote_as == bgp.asn, "external": neighbor.remote_as != bgp.asn}
        if not matches.get(str(group.remote_as), group.remote_as == neighbor.remote_as):
            members = f"{group.remote_as} sessions" if isinstance(group.remote_as, str) else f"AS {group.remote_as}"
            message = (
                f"{_title(neighbor)} is in AS {neighbor.remote_as}, but its peer group {group.name} is for {members}"
            )
            yield error("wrong-as", table.name, field, message, "choose another peer group, or one without an AS")


def _check_reachable(
    table: Table, neighbor: Numbered, address: IpAddress, peer: Table, reverse_sessions: list[Numbered]
) -> Iterator[Problem]:
    """Each end sends from the address that the other end expects, and there is a route between these addresses."""
    field, title, bgp = _field(table, neighbor), str(address), table.bgp
    assert bgp is not None
    make = warning if has_own_lines(table.router, peer.router) else error
    sources = _source_addresses(table, neighbor)
    if neighbor.update_source and not sources:
        message = (
            f"{title}: {neighbor.update_source} is neither an IPv{address.version} address of {table.name} nor an "
        )
        message += "interface with one"
        right = "set Update source to lo" if table.router.loopbacks else "choose an interface or address of this router"
        yield make("no-update-source", table.name, field, message, right)
        return
    expected = [session.address for session in reverse_sessions if isinstance(session, BgpNeighbor)]
    peer_sources = {source for session in reverse_sessions for source in _source_addresses(peer, session)}
    if not set(sources) & set(expected) and address not in peer_sources:
        message = f"{peer.name} expects the source address {expected[0]}, but {table.name} sends from "
        message += _source_words(sources)
        is_loopback = any(loopback.ip == expected[0] for loopback in table.router.loopbacks)
        right = f"set Update source to {'lo' if is_loopback else expected[0]}"
        yield make("wrong-source", table.name, field, message, right)
    if contains([link_address.network for link_address in table.links], address):
        return
    if peer.bgp is not None and kind_between(bgp, peer.bgp) == "external" and (neighbor.multihop or 1) < 2:
        if not has_own_lines(table.router):
            message = f"{title} is {peer.name}, which is in no network of {table.name}"
            right = "choose an address on the link between them, or set Hops away to 2 and Update source to lo"
            yield error("distant-neighbor", table.name, field, message, right)
    elif not _may_have_route(table, address):
        message = f"{title} is {peer.name}, which is in no network of {table.name}, and {table.name} has no route to it"
        yield warning("distant-neighbor", table.name, field, message, "run OSPF or add a static route, on both routers")


def _source_addresses(table: Table, neighbor: Numbered) -> list[IpAddress]:
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


def _may_have_route(table: Table, address: IpAddress) -> bool:
    has_igp = any(getattr(table.holder, name, None) for name in IGPS) or has_own_lines(table.router)
    return has_igp or contains([route.prefix for route in table.holder.static_routes], address)


def _check_unnumbered(facts: Facts, table: Table, bgp: Bgp, neighbor: BgpUnnumbered) -> Iterator[Problem]:
    """Problems of a session that is configured by interface."""
    field, name = _field(table, neighbor), neighbor.interface
    names = [end.interface for end in table.ends]
    if name not in names:
        right = f"choose one of {', '.join(names)}" if names else "link the router"
        yield error("no-interface", table.name, field, f"has no interface {name}", right)
        return
    domain = next(domain for domain in facts.domains if any(_is_at(place, table, name) for place in domain.ends))
    others = [place for place in domain.ends if isinstance(place.node, Router) and not _is_at(place, table, name)]
    if len(others) != 1:
        routers = ", ".join(place.end.node for place in others)
        message = f"{name} leads to {'several routers: ' + routers if others else 'no router'}"
        right = "configure a session by address with each of them" if others else "link it to a router"
        yield error("several-neighbors" if others else "no-neighbor", table.name, field, message, right)
        return
    place = others[0]
    assert isinstance(place.node, Router)
    peer = next(t for t in tables_of(facts, place.node) if place.end.interface in t.interfaces)
    if peer.bgp is None:
        make = warning if has_own_lines(peer.router) else error
        message = f"{name} leads to {peer.name}, which does not run BGP"
        yield make("one-sided", table.name, field, message, f"run BGP on {peer.name}")
        return
    yield from _check_as(table, bgp, neighbor, peer, peer.bgp)
    sessions_there = (session for session in peer.bgp.unnumbered if session.interface == place.end.interface)
    reverse_session = next(sessions_there, None)
    if reverse_session is None:
        make = warning if has_own_lines(peer.router) else error
        message = f"{name} leads to {peer.name}, which has no session with {table.name}"
        right = f"add an unnumbered session on {place.end.interface} to {peer.name}"
        yield make("one-sided", table.name, field, message, right)
        return
    yield from _check_both_ends(table, bgp, merged(bgp, neighbor), peer, peer.bgp, merged(peer.bgp, reverse_session))


def _is_at(place: Attachment, table: Table, interface: str) -> bool:
    return (place.end.node, place.end.interface) == (table.name, interface)


def _check_both_ends(
    table: Table, bgp: Bgp, neighbor: Numbered, peer: Table, other: Bgp, reverse_session: Numbered
) -> Iterator[Problem]:
    """Settings that both ends of a session must share, and those that depend on the other end."""
    field, title = _field(table, neighbor), _title(neighbor)
    make = warning if has_own_lines(table.router, peer.router) else error
    if neighbor.password != reverse_session.password:
        message = f"{title}: {peer.name} has a different password for this session"
        yield warning("wrong-password", table.name, field, message, "set the same password on both")
    if neighbor.passive and reverse_session.passive:
        message = f"{title}: both ends are passive, so neither opens the connection"
        yield warning("both-passive", table.name, field, message, "make only one end passive")
    if neighbor.bfd != reverse_session.bfd and neighbor.bfd:
        message = f"{title}: BFD is enabled at this end only"
        yield warning("one-sided-bfd", table.name, field, message, "enable BFD at both ends")
    families, peer_families = families_of(neighbor), families_of(reverse_session)
    if not families & peer_families:
        message = f"{title} carries {_family_words(families)} here and {_family_words(peer_families)} at {peer.name}"
        yield make("no-common-family", table.name, field, message, "select the same address families on both")
    for family in sorted(families & peer_families):
        if isinstance(neighbor, BgpNeighbor) and not _has_next_hop(table, family, neighbor):
            version = _family_words([family])
            message = f"{title} carries {version}, but {table.name} has no {version} address to use as next hop"
            right = f"give {table.name} an {version} address, or remove {version} from the session"
            yield error("no-address", table.name, field, message, right)
    if kind_between(bgp, other) == "confederation" and other.asn not in bgp.confederation_members:
        message = f"lacks AS {other.asn} of {peer.name}, which is also in confederation {bgp.confederation_id}"
        yield error("confederation", table.name, table.field("confederation_members"), message, f"add {other.asn}")


def _family_words(families: Iterable[str]) -> str:
    """Address families for people: "IPv4 and IPv6"."""
    return " and ".join(family.replace("ip", "IP", 1) for family in sorted(families)) or "nothing"


def _has_next_hop(table: Table, family: str, neighbor: BgpNeighbor) -> bool:
    """Whether there is an address for the next hop. IPv4 over an IPv6 session needs none (RFC 8950)."""
    if family == "ipv4" and neighbor.address.version == 6:
        return True
    return any(f"ipv{address.version}" == family and not address.ip.is_link_local for address in table.addresses)


def _suggest_neighbor(facts: Facts, router: Router) -> str:
    """A remedy that names addresses of adjacent routers."""
    adjacent = adjacent_addresses(facts, router)
    if not adjacent:
        return f"link another router to {router.name}"
    return f"choose the address of a neighboring router, such as {', '.join(adjacent[:3])}"


def networks(facts: Facts) -> Iterator[Problem]:
    """A network is announced only while the router has a route of exactly that prefix."""
    for table, bgp in _speakers(facts):
        present: set[Network] = {address.network for address in table.addresses}
        present |= {route.prefix for route in table.holder.static_routes}
        for network in bgp.networks:
            if network in present or network in _igp_networks(facts, table):
                continue
            may_learn = any(getattr(table.holder, name, None) for name in IGPS) or has_own_lines(table.router)
            make = warning if may_learn else error
            message = f"{network} is neither connected nor a static route, so it is not announced"
            right = _suggest_networks(present, network.version)
            yield make("unknown-network", table.name, table.field("networks"), message, right)


def _igp_networks(facts: Facts, table: Table) -> set[Network]:
    """The networks of the routers that run the same IGP."""
    protocols = [name for name in IGPS if getattr(table.holder, name, None)]
    routers = facts.routers() if protocols else ()
    others = (router for router in routers if any(getattr(router, name) for name in protocols))
    return {address.network for router in others for address in facts.all_addresses(router)}


def _suggest_networks(present: set[Network], version: int) -> str:
    shown = sorted(str(network) for network in present if network.version == version)
    return f"choose a network such as {', '.join(shown[:4])}" if shown else "add a static route for it"


def sessions(facts: Facts) -> Iterator[Problem]:
    """Speakers without sessions, and sessions that exchange no routes."""
    for table, bgp in _speakers(facts):
        effective = [merged(bgp, neighbor) for neighbor in numbered_and_not(bgp)]
        if not effective and not has_own_lines(table.router):
            right = _suggest_neighbor(facts, table.router)
            yield warning("no-neighbor", table.name, table.field("neighbors"), "has no BGP session", right)
        external = [neighbor for neighbor in effective if stated_kind(bgp, neighbor) == "external"]
        without_policy = [neighbor for neighbor in external if not _has_policies(neighbor)]
        if bgp.requires_policy and without_policy and "route-map" not in table.router.frr_conf:
            message = f"is on, but {_title(without_policy[0])} has no policies for both directions, so it exchanges no "
            message += "routes (RFC 8212)"
            right = "turn it off, or set policies for both directions"
            yield warning("no-policy", table.name, table.field("requires_policy"), message, right)


def _has_policies(neighbor: Numbered) -> bool:
    return has_policy(neighbor, "in") and has_policy(neighbor, "out")


def groups(facts: Facts) -> Iterator[Problem]:
    """Peer groups have unique names, and sessions refer to defined groups."""
    for table, bgp in _speakers(facts):
        names = [group.name for group in bgp.peer_groups]
        for name in sorted({name for name in names if names.count(name) > 1}):
            message = f"peer group {name} is defined twice"
            yield error("duplicate-group", table.name, table.field("peer_groups"), message, "rename one of them")
        for neighbor in numbered_and_not(bgp):
            if neighbor.peer_group and neighbor.peer_group not in names:
                right = f"choose one of {', '.join(names)}" if names else "define a peer group of that name"
                message = f"{_title(neighbor)} refers to peer group {neighbor.peer_group}, which is not defined"
                yield error("no-group", table.name, _field(table, neighbor), message, right)
        for group in bgp.peer_groups:
            if group.peer_group:
                message = f"peer group {group.name} is in another group, but groups cannot be nested"
                yield error(
                    "no-group", table.name, table.field("peer_groups"), message, "remove it from the other group"
                )


def kinds(facts: Facts) -> Iterator[Problem]:
    """FRR accepts some settings for internal or for external sessions only. A group has members of one kind."""
    for table, bgp in _speakers(facts):
        member_kinds: dict[str, set[Kind]] = {}
        for neighbor in numbered_and_not(bgp):
            field, title, effective = _field(table, neighbor), _title(neighbor), merged(bgp, neighbor)
            kind = stated_kind(bgp, effective)
            member_kinds.setdefault(neighbor.peer_group, set()).add(kind)
            if effective.route_reflector_client and kind != "internal":
                message = f"{title} is in another AS, but clients of a route reflector are in its own AS"
                yield error("foreign-client", table.name, field, message, "turn Reflector client off")
            if effective.remove_private_as and kind == "internal":
                message = f"{title} is in the same AS, where no AS numbers are removed from paths"
                yield error("inner-private-as", table.name, field, message, "turn Remove private AS off")
            if isinstance(neighbor, BgpUnnumbered) and neighbor.multihop is not None:
                message = f"{title}: the neighbor of an unnumbered session is one hop away"
                right = "remove Hops away, or configure the session by address"
                yield error("unnumbered-multihop", table.name, field, message, right)
        for group in bgp.peer_groups:
            if len(group_kinds := member_kinds.get(group.name, set())) > 1:
                message = f"peer group {group.name} has {' and '.join(sorted(group_kinds))} sessions"
                yield error(
                    "mixed-group", table.name, table.field("peer_groups"), message, "use one group for each kind"
                )


def confederations(facts: Facts) -> Iterator[Problem]:
    """Members of a confederation have its identifier, which is not the AS number of a member."""
    for table, bgp in _speakers(facts):
        field = table.field("confederation_id")
        if bgp.confederation_members and bgp.confederation_id is None:
            message = "is missing, but other members of a confederation are listed"
            yield error("confederation", table.name, field, message, "enter the AS number of the confederation")
        if bgp.confederation_id is not None and bgp.confederation_id in (bgp.asn, *bgp.confederation_members):
            message = f"is {bgp.confederation_id}, which is also the AS number of a member"
            yield error("confederation", table.name, field, message, "choose another number")


def timers(facts: Facts) -> Iterator[Problem]:
    """The hold time is longer than the keepalive interval."""
    for table, bgp in _speakers(facts):
        sessions_ = [
            (f"{_title(neighbor)}: ", _field(table, neighbor), merged(bgp, neighbor))
            for neighbor in numbered_and_not(bgp)
        ]
        for prefix, field, timed in (("", table.field("hold_s"), bgp), *sessions_):
            keepalive_s, hold_s = timed.keepalive_s, timed.hold_s
            if keepalive_s is not None and hold_s is not None and keepalive_s >= hold_s:
                message = f"{prefix}the hold time of {hold_s} s is not longer than the keepalive interval of "
                message += f"{keepalive_s} s"
                yield error("bgp-timers", table.name, field, message, f"use a longer time, such as {3 * keepalive_s} s")


def redistributed(facts: Facts) -> Iterator[Problem]:
    """Redistributed sources exist."""
    for table, bgp in _speakers(facts):
        field = table.field("redistribute")
        for row in bgp.redistribute:
            if row.source == "bgp":
                yield error("own-source", table.name, field, "BGP redistributes its own routes", "remove BGP")
            elif row.source in (*IGPS, "static") and not has_own_lines(table.router):
                source = getattr(table.holder, "static_routes" if row.source == "static" else row.source, None)
                if not source:
                    message = f"there are no {row.source} routes to redistribute"
                    yield warning("no-source", table.name, field, message, f"remove {row.source}, or configure it")


def descriptions(facts: Facts) -> Iterator[Problem]:
    """A description is one line."""
    for table, bgp in _speakers(facts):
        described = [
            (_title(neighbor), _field(table, neighbor), neighbor.description) for neighbor in numbered_and_not(bgp)
        ]
        described += [(group.name, table.field("peer_groups"), group.description) for group in bgp.peer_groups]
        for title, field, description in described:
            if not description.isprintable() or len(description) > 80:
                message = f"the description of {title} is not a single line of up to 80 characters"
                yield error("illegal-description", table.name, field, message, "shorten it")


RULES: tuple[Rule, ...] = (
    neighbors,
    networks,
    sessions,
    groups,
    kinds,
    confederations,
    timers,
    redistributed,
    descriptions,
)
