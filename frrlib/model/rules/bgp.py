"""Rules on BGP: sessions, what they carry, and what is announced. Names of policies are in `policy`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from frrlib.model.base import IpAddress
from frrlib.model.bgp.filters import has_policy
from frrlib.model.bgp.sessions import (
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
from frrlib.model.domains import Attachment
from frrlib.model.nodes import Router
from frrlib.model.problem import Problem, error, warning
from frrlib.model.protocols.common import IGPS
from frrlib.model.routing import Bgp, BgpNeighbor, BgpUnnumbered, Network
from frrlib.model.rules.bgp_tables import Table, table_of, tables, tables_of
from frrlib.model.rules.facts import Facts, Rule, contains, has_own_lines


def _speakers(facts: Facts) -> Iterator[tuple[Table, Bgp]]:
    return ((table, table.bgp) for table in tables(facts) if table.bgp is not None)


def neighbours(facts: Facts) -> Iterator[Problem]:
    """Every session has a router of the stated AS at the other end, which knows of it."""
    for table, bgp in _speakers(facts):
        seen: set[IpAddress | str] = set()
        for told in numbered_and_not(bgp):
            title = _title(told)
            if title in seen:
                yield error("duplicate-neighbor", table.name, _field(table, told), f"has {title} twice")
            elif isinstance(told, BgpNeighbor):
                yield from _numbered(facts, table, bgp, told)
            else:
                yield from _unnumbered(facts, table, bgp, told)
            seen.add(title)


def _title(told: Numbered) -> str:
    return str(told.address) if isinstance(told, BgpNeighbor) else told.interface


def _field(table: Table, told: Numbered) -> str:
    return table.field("neighbors" if isinstance(told, BgpNeighbor) else "unnumbered")


def _numbered(facts: Facts, table: Table, bgp: Bgp, told: BgpNeighbor) -> Iterator[Problem]:
    field, title = _field(table, told), str(told.address)
    peer = table_of(facts, told.address)
    if peer is None:
        owner = next(iter(facts.owners.get(told.address, ())), "")
        why = f"{title} is an address of {owner}, which is no router" if owner else f"no router has the address {title}"
        yield error("no-neighbor", table.name, field, why, _offer(facts, table.router))
        return
    if peer.name == table.name:
        yield error("no-neighbor", table.name, field, f"{title} is its own address", _offer(facts, table.router))
        return
    if peer.bgp is None:
        make = warning if has_own_lines(peer.router) else error
        yield make("one-sided", table.name, field, f"{title} is {peer.name}, which does not speak BGP")
        return
    yield from _same_as(table, bgp, told, peer, peer.bgp)
    mine = {address.ip for address in table.addresses}
    backs = [merged(peer.bgp, back) for back in peer.bgp.neighbors if back.address in mine]
    if not backs:
        if _misses(facts, peer.bgp, table, bgp):
            return
        make = warning if has_own_lines(peer.router) else error
        why = f"{title} is {peer.name}, which has no session back to {table.name}"
        yield make("one-sided", table.name, field, why, f"a neighbour of {peer.name} at an address of {table.name}")
        return
    settled = merged(bgp, told)
    yield from _reached(table, settled, told.address, peer, backs)
    known = {each.address: each for each in reversed(backs) if isinstance(each, BgpNeighbor)}
    matching = next((known[source] for source in _sources(table, settled) if source in known), backs[0])
    yield from _alike(table, bgp, settled, peer, peer.bgp, matching)


def _misses(facts: Facts, bgp: Bgp, table: Table, other: Bgp) -> bool:
    """Whether a speaker calls a router of that AS in a network of that table by an address that nobody has.

    It is told there that nobody has it, and is the session that is not found here.
    """
    networks = [each.network for each in table.links]
    sessions = (each for each in bgp.neighbors if each.address not in facts.owners)
    return any(contains(networks, each.address) and takes(bgp, merged(bgp, each), other) for each in sessions)


def _same_as(table: Table, bgp: Bgp, told: Numbered, peer: Table, other: Bgp) -> Iterator[Problem]:
    field, settled = _field(table, told), merged(bgp, told)
    if not takes(bgp, settled, other):
        theirs = presented_as(other, bgp)
        stated = settled.remote_as if isinstance(settled.remote_as, str) else f"AS {settled.remote_as}"
        why = f"{_title(told)} is {peer.name} in AS {theirs}, and {stated} is stated"
        # FRR takes it, and the session stays down: that can be looked at in a lab, which is what teachers do.
        yield warning("wrong-as", table.name, field, why, f"Remote AS {theirs}")
    group = next((each for each in bgp.peer_groups if each.name == told.peer_group), None)
    if group is not None and group.remote_as is not None and isinstance(told, BgpNeighbor):
        said = {"internal": told.remote_as == bgp.asn, "external": told.remote_as != bgp.asn}
        if not said.get(str(group.remote_as), group.remote_as == told.remote_as):
            why = f"{_title(told)} is in AS {told.remote_as}, and its group {group.name} is for {group.remote_as}"
            yield error("wrong-as", table.name, field, why, "another group, or one without an AS")


def _reached(table: Table, told: Numbered, address: IpAddress, peer: Table, backs: list[Numbered]) -> Iterator[Problem]:
    """A session's ends speak from addresses that the other one knows, and there is a way between them."""
    field, title, bgp = _field(table, told), str(address), table.bgp
    assert bgp is not None
    make = warning if has_own_lines(table.router, peer.router) else error
    sources = _sources(table, told)
    if told.update_source and not sources:
        why = f"{title}: {told.update_source} is no IPv{address.version} address of its own nor an interface with one"
        right = "lo" if table.router.loopbacks else "an interface or an address of its own"
        yield make("no-update-source", table.name, field, why, right)
        return
    known = [each.address for each in backs if isinstance(each, BgpNeighbor)]
    if not set(sources) & set(known) and address not in {s for back in backs for s in _sources(peer, back)}:
        why = f"{peer.name} knows it as {known[0]}, and it speaks from {_from(told, sources)}"
        loopback = any(each.ip == known[0] for each in table.router.loopbacks)
        yield make("wrong-source", table.name, field, why, f"Update source {'lo' if loopback else known[0]}")
    networks = [each.network for each in table.links]
    if contains(networks, address):
        return
    if peer.bgp is not None and kind_between(bgp, peer.bgp) == "external" and (told.multihop or 1) < 2:
        if not has_own_lines(table.router):
            why = f"{title} is {peer.name}, in no network of {table.name}"
            right = "an address on the link between them, or 2 hops away and Update source lo"
            yield error("distant-neighbor", table.name, field, why, right)
    elif not _knows_a_way(table, address):
        why = f"{title} is {peer.name}, in no network of {table.name}, and nothing brings a route there"
        yield warning("distant-neighbor", table.name, field, why, "OSPF or a static route to it, on both")


def _sources(table: Table, told: Numbered) -> list[IpAddress]:
    """The addresses that a router may speak from: one, or any on its links where the way out decides."""
    address = told.address if isinstance(told, BgpNeighbor) else None
    if address is None:
        return []
    if told.update_source:
        found = source_address(table.router, table.ends, told.update_source, address.version)
        return [found] if found is not None else []
    near = [each.ip for each in table.links if address in each.network]
    return near[:1] or [each.ip for each in table.links if each.version == address.version]


def _from(told: Numbered, sources: list[IpAddress]) -> str:
    if len(sources) == 1:
        return str(sources[0])
    return f"one of {', '.join(str(each) for each in sources[:3])}" if sources else "no address of that family"


def _knows_a_way(table: Table, address: IpAddress) -> bool:
    speaks = any(getattr(table.holder, name, None) for name in IGPS) or has_own_lines(table.router)
    return speaks or contains([route.prefix for route in table.holder.static_routes], address)


def _unnumbered(facts: Facts, table: Table, bgp: Bgp, told: BgpUnnumbered) -> Iterator[Problem]:
    field, name = _field(table, told), told.interface
    names = [end.interface for end in table.ends]
    if name not in names:
        why = f"has no interface {name}"
        yield error(
            "no-interface", table.name, field, why, f"one of {', '.join(names)}" if names else "link the router"
        )
        return
    domain = next(each for each in facts.domains if any(_is_at(place, table, name) for place in each.ends))
    others = [place for place in domain.ends if isinstance(place.node, Router) and not _is_at(place, table, name)]
    if len(others) != 1:
        found = ", ".join(place.end.node for place in others)
        why = f"{name} leads to {'several routers: ' + found if others else 'no router'}"
        right = "a session by address to each" if others else "link it to a router"
        yield error("several-neighbors" if others else "no-neighbor", table.name, field, why, right)
        return
    place = others[0]
    assert isinstance(place.node, Router)
    peer = next(each for each in tables_of(facts, place.node) if place.end.interface in each.interfaces)
    if peer.bgp is None:
        make = warning if has_own_lines(peer.router) else error
        yield make("one-sided", table.name, field, f"{name} leads to {peer.name}, which does not speak BGP")
        return
    yield from _same_as(table, bgp, told, peer, peer.bgp)
    back = next((each for each in peer.bgp.unnumbered if each.interface == place.end.interface), None)
    if back is None:
        make = warning if has_own_lines(peer.router) else error
        why = f"{name} leads to {peer.name}, which has no session back"
        yield make("one-sided", table.name, field, why, f"an unnumbered one of {peer.name} on {place.end.interface}")
        return
    yield from _alike(table, bgp, merged(bgp, told), peer, peer.bgp, merged(peer.bgp, back))


def _is_at(place: Attachment, table: Table, interface: str) -> bool:
    return (place.end.node, place.end.interface) == (table.name, interface)


def _alike(table: Table, bgp: Bgp, told: Numbered, peer: Table, other: Bgp, back: Numbered) -> Iterator[Problem]:
    """Settings that both ends of a session must share, and those that depend on who they are."""
    field, title = _field(table, told), _title(told)
    make = warning if has_own_lines(table.router, peer.router) else error
    kind = kind_between(bgp, other)
    if told.password != back.password:
        yield warning("wrong-password", table.name, field, f"{title}: {peer.name} has another password for it")
    if told.passive and back.passive:
        yield warning("both-passive", table.name, field, f"{title}: both sides wait for the other to call")
    if told.bfd != back.bfd and told.bfd:
        yield warning(
            "one-sided-bfd", table.name, field, f"{title}: BFD watches on this side only", "BFD on both sides"
        )
    mine, theirs = families_of(told), families_of(back)
    if not mine & theirs:
        why = f"{title} carries {_and(mine)} here and {_and(theirs)} at {peer.name}"
        yield make("no-common-family", table.name, field, why, "the same families on both")
    for family in sorted(mine & theirs):
        if isinstance(told, BgpNeighbor) and not _has_family(table, family, told):
            why = f"{title} carries {family}, and {table.name} has no address of it to be the next hop"
            yield error(
                "no-address", table.name, field, why, f"an {family} address, or a session that does not carry {family}"
            )
    if kind == "confederation" and other.asn not in bgp.confederation_members:
        why = f"lacks AS {other.asn} of {peer.name}, which is in confederation {bgp.confederation_id} too"
        yield error("confederation", table.name, table.field("confederation_members"), why, f"add {other.asn}")


def _and(words: Iterable[str]) -> str:
    return " and ".join(sorted(words)) or "nothing"


def _has_family(table: Table, family: str, told: BgpNeighbor) -> bool:
    """Whether there is an address to be the next hop; IPv4 goes over an IPv6 session without one (RFC 8950)."""
    if family == "ipv4" and told.address.version == 6:
        return True
    return any(f"ipv{each.version}" == family and not each.ip.is_link_local for each in table.addresses)


def _offer(facts: Facts, router: Router) -> str:
    """Addresses of routers next to this one."""
    found = [
        str(address.ip)
        for domain in facts.domains
        if any(place.end.node == router.name for place in domain.ends)
        for place in domain.ends
        if place.end.node != router.name and place.node.kind == "router"
        for address in place.end.addresses
    ]
    return f"such as {', '.join(found[:3])}" if found else "link a router to it"


def networks(facts: Facts) -> Iterator[Problem]:
    """A network is announced only while the router has a route to exactly it."""
    for table, bgp in _speakers(facts):
        present: set[Network] = {address.network for address in table.addresses}
        present |= {route.prefix for route in table.holder.static_routes}
        for network in bgp.networks:
            if network in present or network in _taught(facts, table):
                continue
            learns = any(getattr(table.holder, name, None) for name in IGPS) or has_own_lines(table.router)
            make = warning if learns else error
            why = f"{network} is neither connected nor a static route: it is not announced"
            yield make(
                "unknown-network", table.name, table.field("networks"), why, _networks_offer(present, network.version)
            )


def _taught(facts: Facts, table: Table) -> set[Network]:
    """The networks of the routers that speak the same IGP."""
    spoken = [name for name in IGPS if getattr(table.holder, name, None)]
    others = (each for each in facts.routers() if any(getattr(each, name) for name in spoken)) if spoken else ()
    return {address.network for router in others for address in facts.all_addresses(router)}


def _networks_offer(present: set[Network], version: int) -> str:
    shown = sorted(str(network) for network in present if network.version == version)
    return f"such as {', '.join(shown[:4])}" if shown else ""


def sessions(facts: Facts) -> Iterator[Problem]:
    """Speakers without sessions, and sessions that carry nothing."""
    for table, bgp in _speakers(facts):
        told = [merged(bgp, each) for each in numbered_and_not(bgp)]
        if not told and not has_own_lines(table.router):
            yield warning(
                "no-neighbor", table.name, table.field("neighbors"), "has no session", _offer(facts, table.router)
            )
        silent = [each for each in told if stated_kind(bgp, each) == "external" and not _has_policies(each)]
        if bgp.requires_policy and silent and "route-map" not in table.router.frr_conf:
            why = f"is on, and {_title(silent[0])} has no policy in and out: it exchanges nothing (RFC 8212)"
            yield warning(
                "no-policy", table.name, table.field("requires_policy"), why, "the switch off, or policies in and out"
            )


def _has_policies(told: Numbered) -> bool:
    return has_policy(told, "in") and has_policy(told, "out")


def groups(facts: Facts) -> Iterator[Problem]:
    """Peer groups have names of their own, and sessions name groups that there are."""
    for table, bgp in _speakers(facts):
        names = [group.name for group in bgp.peer_groups]
        for name in sorted({name for name in names if names.count(name) > 1}):
            why = f"has the group {name} twice"
            yield error("duplicate-group", table.name, table.field("peer_groups"), why, "another name")
        for told in numbered_and_not(bgp):
            if told.peer_group and told.peer_group not in names:
                right = f"one of {', '.join(names)}" if names else "a peer group of that name"
                why = f"{_title(told)} is in the peer group {told.peer_group}, which there is not"
                yield error("no-group", table.name, _field(table, told), why, right)
        for group in bgp.peer_groups:
            if group.peer_group:
                why = f"{group.name} is in a group itself; groups do not nest"
                yield error("no-group", table.name, table.field("peer_groups"), why)


def kinds(facts: Facts) -> Iterator[Problem]:
    """FRR takes some settings of internal or of external sessions only, and a group's members are all of one kind."""
    for table, bgp in _speakers(facts):
        members: dict[str, set[Kind]] = {}
        for told in numbered_and_not(bgp):
            field, title, settled = _field(table, told), _title(told), merged(bgp, told)
            kind = stated_kind(bgp, settled)
            members.setdefault(told.peer_group, set()).add(kind)
            if settled.route_reflector_client and kind != "internal":
                why = f"{title} is in another AS; a reflector's clients are in its own"
                yield error("foreign-client", table.name, field, why, "no Reflector client")
            if settled.remove_private_as and kind == "internal":
                why = f"{title} is in its own AS, where no AS numbers are taken off paths"
                yield error("inner-private-as", table.name, field, why, "no Remove private AS")
            if isinstance(told, BgpUnnumbered) and told.multihop is not None:
                why = f"{title}: who is found on a link is one hop away"
                yield error("unnumbered-multihop", table.name, field, why, "no Hops away, or a session by address")
        for group in bgp.peer_groups:
            if len(found := members.get(group.name, set())) > 1:
                why = f"{group.name} has {_and(found)} sessions"
                yield error("mixed-group", table.name, table.field("peer_groups"), why, "a group for each kind")


def confederations(facts: Facts) -> Iterator[Problem]:
    """Members of a confederation say which one, and its number is none of theirs."""
    for table, bgp in _speakers(facts):
        if bgp.confederation_members and bgp.confederation_id is None:
            field = table.field("confederation_id")
            yield error(
                "confederation", table.name, field, "is missing, and there are other members", "the number of all"
            )
        if bgp.confederation_id is not None and bgp.confederation_id in (bgp.asn, *bgp.confederation_members):
            why = f"is {bgp.confederation_id}, which is one of its members, too"
            yield error("confederation", table.name, table.field("confederation_id"), why, "another number")


def timers(facts: Facts) -> Iterator[Problem]:
    """A neighbour is heard of more often than it is given up."""
    for table, bgp in _speakers(facts):
        told = [(f"of {_title(each)} ", _field(table, each), merged(bgp, each)) for each in numbered_and_not(bgp)]
        for whose, field, each in (("", table.field("hold_s"), bgp), *told):
            if each.keepalive_s is not None and each.hold_s is not None and each.keepalive_s >= each.hold_s:
                why = f"{whose}is {each.hold_s} s, not more than the keepalive interval of {each.keepalive_s} s"
                yield error("bgp-timers", table.name, field, why, f"such as {3 * each.keepalive_s} s")


def redistributed(facts: Facts) -> Iterator[Problem]:
    """Redistributed sources exist."""
    for table, bgp in _speakers(facts):
        field = table.field("redistribute")
        for each in bgp.redistribute:
            if each.source == "bgp":
                yield error("own-source", table.name, field, "BGP redistributes itself")
            elif each.source in (*IGPS, "static") and not has_own_lines(table.router):
                there = getattr(table.holder, "static_routes" if each.source == "static" else each.source, None)
                if not there:
                    yield warning("no-source", table.name, field, f"there are no routes of {each.source}")


def descriptions(facts: Facts) -> Iterator[Problem]:
    """A description is one line."""
    for table, bgp in _speakers(facts):
        said = [(_title(told), _field(table, told), told.description) for told in numbered_and_not(bgp)]
        said += [(group.name, table.field("peer_groups"), group.description) for group in bgp.peer_groups]
        for title, field, description in said:
            if not description.isprintable() or len(description) > 80:
                why = f"description of {title} is not one line of up to 80 characters"
                yield error("illegal-description", table.name, field, why)


RULES: tuple[Rule, ...] = (
    neighbours,
    networks,
    sessions,
    groups,
    kinds,
    confederations,
    timers,
    redistributed,
    descriptions,
)
