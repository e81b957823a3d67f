"""BGP in `frr.conf`.

The settings of a peer group are written at the group only, not again at its members. Every address family is activated
explicitly, so that the families of a session are visible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from frrlib.model.nodes import Router
from frrlib.model.protocols.common import VERSION_OF
from frrlib.model.routing import Bgp, BgpNeighbor, BgpPeerGroup, BgpSession, BgpUnnumbered, PrefixList
from frrlib.prediction.bgp.sessions import all_neighbors, families_of, with_group_settings
from frrlib.render.routing import bfd
from frrlib.render.routing.router_views import RouterView
from frrlib.render.routing.sections import Section, redistribution, section

_FAMILIES = (("ipv4", 4), ("ipv6", 6))
#: FRR's default keepalive interval and hold time.
_KEEPALIVE_S, _HOLD_S = 60, 180
_NO_POLICY = (
    " ! RFC 8212: without a policy an external session exchanges nothing; those of a drawing are meant to.",
    " no bgp ebgp-requires-policy",
)


def sections(view: RouterView, bgp: Bgp, vrf: str = "") -> Iterator[Section]:
    """The lines of BGP for a router.

    Args:
        view: the router with its interfaces and neighbors.
        bgp: its settings.
        vrf: the VRF of the settings; empty for the default table.
    """
    lines = [*_of_router(view, bgp)]
    for group in bgp.peer_groups:
        lines += [f" neighbor {group.name} peer-group"]
        lines += [f" neighbor {group.name} remote-as {_remote_as(bgp, group)}"] if _has_as(group) else []
        lines += _of_session(view.router, bgp, group.name, group)
    for session in all_neighbors(bgp):
        lines += [*_session_opening(bgp, session), *_of_session(view.router, bgp, name_of(session), session)]
    for family, version in _FAMILIES:
        inner = [*_of_family(view.router, bgp, family, version)]
        lines += [f" address-family {family} unicast", *inner, " exit-address-family"] if inner else []
    yield section(f"router bgp {bgp.asn}" + (f" vrf {vrf}" if vrf else ""), lines)


def name_of(session: BgpNeighbor | BgpUnnumbered) -> str:
    """FRR's name for the neighbor of a session: its address, or the interface that leads to it."""
    return session.interface if isinstance(session, BgpUnnumbered) else str(session.address)


def _of_router(view: RouterView, bgp: Bgp) -> Iterator[str]:
    identity = view.router_id(bgp.router_id)
    yield from [f" bgp router-id {identity}"] if identity else []
    yield from [" bgp log-neighbor-changes"] if bgp.log_changes else []
    yield from [" bgp always-compare-med"] if bgp.always_compare_med else []
    yield from () if bgp.requires_policy else _NO_POLICY
    yield " no bgp default ipv4-unicast"
    yield from [f" bgp default local-preference {bgp.local_preference}"] if bgp.local_preference is not None else []
    yield from [f" bgp cluster-id {bgp.cluster_id}"] if bgp.cluster_id else []
    if bgp.confederation_id is not None:
        yield f" bgp confederation identifier {bgp.confederation_id}"
        members = " ".join(str(member) for member in bgp.confederation_members if member != bgp.asn)
        yield from [f" bgp confederation peers {members}"] if members else []
    yield f" coalesce-time {bgp.coalesce_ms}"
    yield from [" bgp bestpath as-path multipath-relax"] if bgp.multipath_relax else []
    yield from _timers("timers bgp", bgp.keepalive_s, bgp.hold_s)


def _session_opening(bgp: Bgp, session: BgpNeighbor | BgpUnnumbered) -> Iterator[str]:
    """The lines that create a session, with its own AS or that of its group."""
    name, group = name_of(session), _group_of(bgp, session)
    of_group = group is not None and _has_as(group)
    remote_as = "" if of_group else f"remote-as {_remote_as(bgp, with_group_settings(bgp, session))}"
    joining = f"peer-group {group.name}" if group is not None else ""
    parts = [part for part in (remote_as, joining) if part]
    if isinstance(session, BgpUnnumbered):
        # FRR writes the group first. But within a confederation it treats members without an AS as external.
        first, *more_parts = parts if bgp.confederation_id is not None else reversed(parts)
        # Use the link-local address even if the interface has an IPv4 network of two addresses.
        parts = [f"interface v6only {first}", *more_parts]
    yield from (f" neighbor {name} {part}" for part in parts)
    over_ipv6 = isinstance(session, BgpNeighbor) and session.address.version == 6
    if over_ipv6 and "ipv4" in families_of(with_group_settings(bgp, session)):
        yield f" neighbor {name} capability extended-nexthop"


def _has_as(group: BgpPeerGroup) -> bool:
    """Whether the AS is written at the group; otherwise each member states its own."""
    return group.remote_as not in (None, "external")


def _remote_as(bgp: Bgp, session: BgpUnnumbered | BgpPeerGroup | BgpNeighbor) -> int | str | None:
    """The AS of a session; our own AS as a number.

    FRR 8.4 treats members of a group with `remote-as internal` as external when it sends updates: it omits the local
    preference, and the neighbor rejects the update.
    """
    return bgp.asn if session.remote_as == "internal" else session.remote_as


def _of_session(router: Router, bgp: Bgp, name: str, session: BgpSession) -> Iterator[str]:
    """The lines of a session, or of all sessions of a group."""
    start = f" neighbor {name}"
    yield from [f"{start} description {session.description}"] if session.description else []
    yield from [f"{start} update-source {session.update_source}"] if session.update_source else []
    yield from [f"{start} ebgp-multihop {session.multihop}"] if session.multihop else []
    yield from [f"{start} password {session.password}"] if session.password else []
    yield from _timers(f"neighbor {name} timers", session.keepalive_s, session.hold_s)
    if _group_of(bgp, session) is None:
        yield f"{start} timers connect {bgp.connect_retry_s}"
        yield from [f"{start} advertisement-interval {bgp.advertisement_s}"] if bgp.advertisement_s is not None else []
    yield from [f"{start} passive"] if session.passive else []
    yield from [f"{start} shutdown"] if session.shutdown else []
    yield from bfd.bfd_lines(router, start.strip() + " bfd") if session.bfd else []


def _timers(start: str, keepalive_s: int | None, hold_s: int | None) -> list[str]:
    """The line with both timers, since FRR sets them together. The hold time should cover three keepalives."""
    if keepalive_s is None and hold_s is None:
        return []
    hold = hold_s if hold_s is not None else max(_HOLD_S * (keepalive_s or _KEEPALIVE_S) // _KEEPALIVE_S, 3)
    keepalive = keepalive_s if keepalive_s is not None else max(hold // 3, 1)
    return [f" {start} {keepalive} {min(hold, 65_535)}"]


def _of_family(router: Router, bgp: Bgp, family: str, version: int) -> Iterator[str]:
    yield from (f"  network {network}" for network in bgp.networks if network.version == version)
    for aggregate in bgp.aggregates:
        if aggregate.prefix.version == version:
            words = (" as-set" if aggregate.as_set else "") + (" summary-only" if aggregate.summary_only else "")
            yield f"  aggregate-address {aggregate.prefix}{words}"
    used = families_in_use(bgp)
    if family in used:
        for item in bgp.redistribute:
            if VERSION_OF.get(item.source, version) == version:
                yield f"  {redistribution(item)}"
    lists = _lists(router.prefix_lists)
    for group in bgp.peer_groups:
        members = [item for item in all_neighbors(bgp) if item.peer_group == group.name]
        if family in group.families:
            yield f"  neighbor {group.name} activate"
        # Without members FRR cannot tell whether the sessions are internal, and rejects lines that depend on it.
        if any(family in families_of(with_group_settings(bgp, item)) for item in members):
            yield from _policies(group.name, group, family, lists)
    for session in all_neighbors(bgp):
        its_group = _group_of(bgp, session)
        if family in families_of(with_group_settings(bgp, session)):
            if its_group is None or family not in its_group.families:
                yield f"  neighbor {name_of(session)} activate"
            yield from _policies(name_of(session), session, family, lists)
    if family in used:
        yield from [f"  maximum-paths {bgp.maximum_paths}"] if bgp.maximum_paths else []
        yield from [f"  maximum-paths ibgp {bgp.maximum_paths_internal}"] if bgp.maximum_paths_internal else []


def families_in_use(bgp: Bgp) -> frozenset[str]:
    """The address families of all sessions; IPv4 without sessions."""
    families = [families_of(with_group_settings(bgp, session)) for session in all_neighbors(bgp)]
    return frozenset[str]().union(*families) or frozenset(("ipv4",))


def _policies(name: str, session: BgpSession, family: str, lists: dict[str, set[str]]) -> Iterator[str]:
    """The lines of a session within an address family."""
    start = f"  neighbor {name}"
    yield from [f"{start} weight {session.weight}"] if session.weight is not None else []
    yield from [f"{start} route-reflector-client"] if session.route_reflector_client else []
    if session.next_hop_self or session.next_hop_self_force:
        yield f"{start} next-hop-self" + (" force" if session.next_hop_self_force else "")
    yield from [f"{start} remove-private-AS"] if session.remove_private_as else []
    yield from [f"{start} default-originate"] if session.default_originate else []
    yield from [f"{start} soft-reconfiguration inbound"] if session.soft_reconfiguration else []
    yield from [f"{start} maximum-prefix {session.maximum_prefixes}"] if session.maximum_prefixes else []
    yield from [f"{start} allowas-in {session.allow_as_in}"] if session.allow_as_in else []
    for direction in ("in", "out"):
        prefixes = getattr(session, f"prefix_list_{direction}")
        # A list with only the other family is undefined here, and FRR rejects all routes for an undefined list.
        if prefixes and family in lists.get(prefixes, (family,)):
            yield f"{start} prefix-list {prefixes} {direction}"
        for word, field in (("filter-list", "as_path_list"), ("route-map", "route_map")):
            policy = getattr(session, f"{field}_{direction}")
            yield from [f"{start} {word} {policy} {direction}"] if policy else []


def _lists(prefix_lists: Iterable[PrefixList]) -> dict[str, set[str]]:
    """The address families of each prefix list that has rules."""
    families: dict[str, set[str]] = {}
    for prefix_list in prefix_lists:
        families.setdefault(prefix_list.name, set()).update(f"ipv{rule.prefix.version}" for rule in prefix_list.rules)
    return families


def _group_of(bgp: Bgp, session: BgpSession) -> BgpPeerGroup | None:
    name = session.peer_group
    return next((group for group in bgp.peer_groups if name and group.name == name), None)
