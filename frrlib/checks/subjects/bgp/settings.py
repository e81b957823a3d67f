"""Settings of a BGP speaker: networks, policies, groups, confederations and timers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from frrlib.checks.bgp_tables import BgpTable
from frrlib.checks.facts import Facts, has_own_lines
from frrlib.checks.fix import Fix, protocol_fix, timer_fixer
from frrlib.checks.kinds import CheckSubject, error, warning
from frrlib.checks.subjects.bgp.sessions import (
    CONFEDERATION,
    NO_NEIGHBOR,
    session_field,
    session_title,
    speakers,
    suggest_neighbor,
)
from frrlib.checks.subjects.multicast import NO_GROUP
from frrlib.checks.subjects.routing import NO_SOURCE
from frrlib.model.nodes import Router
from frrlib.model.problem import Problem
from frrlib.model.protocols.common import IGPS
from frrlib.model.routing import BgpUnnumbered, Network
from frrlib.prediction.bgp.filters import has_policy
from frrlib.prediction.bgp.sessions import AnyNeighbor, SessionKind, all_neighbors, configured_kind, with_group_settings

SUBJECT = CheckSubject()
UNKNOWN_NETWORK = SUBJECT.kind(
    "unknown-network",
    "BGP announces a network for which the router has no route of exactly that prefix length.",
    "BGP announces it only while such a route exists.",
    "Choose a network that is connected, or add a static route for it (a blackhole route is enough).",
    runs=True,
)
NO_POLICY = SUBJECT.kind(
    "no-policy",
    "External sessions require policies (RFC 8212), and one of them has none.",
    "The session is established but exchanges no routes.",
    "Add policies in both directions, or turn `requires_policy` off.",
)
DUPLICATE_GROUP = SUBJECT.kind(
    "duplicate-group",
    "Two peer groups have the same name.",
    "The second one replaces the first.",
    "Choose another name.",
)
FOREIGN_CLIENT = SUBJECT.kind(
    "foreign-client",
    "A route reflector has a client in another AS.",
    "FRR refuses it. Clients are in the AS of the reflector.",
    "Turn route reflection off for that session.",
)
INNER_PRIVATE_AS = SUBJECT.kind(
    "inner-private-as",
    "Private AS numbers are removed from paths on an internal session.",
    "FRR refuses this setting for internal sessions.",
    "Turn it off for that session.",
)
UNNUMBERED_MULTIHOP = SUBJECT.kind(
    "unnumbered-multihop",
    "An unnumbered session has a number of hops.",
    "The neighbor on a link is always one hop away.",
    "Remove the number, or configure the session by address.",
)
MIXED_GROUP = SUBJECT.kind(
    "mixed-group",
    "A peer group has internal and external sessions.",
    "In FRR all sessions of a group are internal, or all are external.",
    "Create one group for each kind.",
)
BGP_TIMERS = SUBJECT.kind(
    "bgp-timers",
    "The hold time is not longer than the keepalive interval.",
    "The session ends again and again, because it expires before the next keepalive.",
    "Use a hold time of three times the keepalive interval, as is usual.",
)
OWN_SOURCE = SUBJECT.kind(
    "own-source",
    "BGP redistributes BGP.",
    "FRR refuses it.",
    "Remove BGP from the redistributed sources.",
)
ILLEGAL_DESCRIPTION = SUBJECT.kind(
    "illegal-description",
    "A description is not a single line of up to 80 characters.",
    "FRR would read the rest as further configuration.",
    "Shorten it to one line.",
)


@SUBJECT.rule(UNKNOWN_NETWORK)
def networks(facts: Facts) -> Iterator[Problem]:
    """A network is announced only while the router has a route of exactly that prefix."""
    igp_networks = _IgpNetworks(facts)
    for table, bgp in speakers(facts):
        present: set[Network] = {address.network for address in table.addresses}
        present |= {route.prefix for route in table.holder.static_routes}
        for network in bgp.networks:
            if network in present or igp_networks.may_reach(table, network):
                continue
            may_learn = any(getattr(table.holder, name, None) for name in IGPS) or has_own_lines(table.router)
            make = warning if may_learn else error
            message = f"{network} is neither connected nor a static route, so it is not announced"
            remedy = _suggest_networks(present, network.version)
            yield make(UNKNOWN_NETWORK, table.name, table.field("networks"), message, remedy)


class _IgpNetworks:
    """The networks that routers may learn from interior protocols."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        #: The interior protocols of a router to the routers that announce each network into them.
        self._announcers: dict[frozenset[str], dict[Network, set[str]]] = {}

    def may_reach(self, table: BgpTable, network: Network) -> bool:
        """Whether another router may announce a network to this one, or this one has it by an interior protocol."""
        protocols = frozenset(name for name in IGPS if getattr(table.holder, name, None))
        if protocols not in self._announcers:
            self._announcers[protocols] = self._announcers_into(protocols)
        return bool(self._announcers[protocols].get(network, set()) - {f"bgp {table.router.name}"})

    def _announcers_into(self, protocols: frozenset[str]) -> dict[Network, set[str]]:
        """The networks of routers with these protocols, and those that are redistributed into them, each with the
        routers that announce it; "bgp" and a name for a router that announces it by BGP."""
        sources = set(protocols)
        routers = list(self._facts.routers()) if protocols else []
        while new := {source for router in routers for source in _redistributed_into(router, sources)} - sources:
            sources |= new
        announcers: dict[Network, set[str]] = {}
        for router in routers:
            networks: set[Network] = set()
            if any(getattr(router, name) for name in IGPS if name in sources):
                networks |= {address.network for address in self._facts.all_addresses(router)}
                networks |= {route.prefix for route in router.static_routes} if "static" in sources else set()
            for network in networks:
                announcers.setdefault(network, set()).add(router.name)
            for network in router.bgp.networks if "bgp" in sources and router.bgp else ():
                announcers.setdefault(network, set()).add(f"bgp {router.name}")
        return announcers


def _redistributed_into(router: Router, protocols: set[str]) -> Iterator[str]:
    """The sources that a router redistributes into any of these protocols."""
    for name in IGPS:
        if name in protocols and (settings := getattr(router, name)):
            yield from (row.source for row in settings.redistribute)


def _suggest_networks(present: set[Network], version: int) -> str:
    names = sorted(str(network) for network in present if network.version == version)
    return f"choose a network such as {', '.join(names[:4])}" if names else "add a static route for it"


@SUBJECT.rule(NO_NEIGHBOR, NO_POLICY)
def sessions(facts: Facts) -> Iterator[Problem]:
    """Speakers without sessions, and sessions that exchange no routes."""
    for table, bgp in speakers(facts):
        effective = [with_group_settings(bgp, neighbor) for neighbor in all_neighbors(bgp)]
        if not effective and not has_own_lines(table.router):
            remedy = suggest_neighbor(facts, table.router)
            yield warning(NO_NEIGHBOR, table.name, table.field("neighbors"), "has no BGP session", remedy)
        external = [neighbor for neighbor in effective if configured_kind(bgp, neighbor) == "external"]
        without_policy = [neighbor for neighbor in external if not _has_policies(neighbor)]
        if bgp.requires_policy and without_policy and "route-map" not in table.router.frr_conf:
            message = (
                f"is on, but {session_title(without_policy[0])} has no policies for both directions, so it exchanges "
            )
            message += "no routes (RFC 8212)"
            remedy = "turn it off, or set policies for both directions"
            yield warning(NO_POLICY, table.name, table.field("requires_policy"), message, remedy)


def _has_policies(neighbor: AnyNeighbor) -> bool:
    return has_policy(neighbor, "in") and has_policy(neighbor, "out")


@SUBJECT.rule(DUPLICATE_GROUP, NO_GROUP)
def groups(facts: Facts) -> Iterator[Problem]:
    """Peer groups have unique names, and sessions refer to defined groups."""
    for table, bgp in speakers(facts):
        names = [group.name for group in bgp.peer_groups]
        for name in sorted({name for name in names if names.count(name) > 1}):
            message = f"peer group {name} is defined twice"
            yield error(DUPLICATE_GROUP, table.name, table.field("peer_groups"), message, "rename one of them")
        for neighbor in all_neighbors(bgp):
            if neighbor.peer_group and neighbor.peer_group not in names:
                remedy = f"choose one of {', '.join(names)}" if names else "define a peer group of that name"
                message = f"{session_title(neighbor)} refers to peer group {neighbor.peer_group}, which is not defined"
                yield error(NO_GROUP, table.name, session_field(table, neighbor), message, remedy)
        for group in bgp.peer_groups:
            if group.peer_group:
                message = f"peer group {group.name} is in another group, but groups cannot be nested"
                yield error(NO_GROUP, table.name, table.field("peer_groups"), message, "remove it from the other group")


@SUBJECT.rule(FOREIGN_CLIENT, INNER_PRIVATE_AS, UNNUMBERED_MULTIHOP, MIXED_GROUP)
def kinds(facts: Facts) -> Iterator[Problem]:
    """FRR accepts some settings for internal or for external sessions only. A group has members of one kind."""
    for table, bgp in speakers(facts):
        member_kinds: dict[str, set[SessionKind]] = {}
        for neighbor in all_neighbors(bgp):
            field, title, effective = (
                session_field(table, neighbor),
                session_title(neighbor),
                with_group_settings(bgp, neighbor),
            )
            kind = configured_kind(bgp, effective)
            member_kinds.setdefault(neighbor.peer_group, set()).add(kind)
            if effective.route_reflector_client and kind != "internal":
                message = f"{title} is in another AS, but clients of a route reflector are in its own AS"
                yield error(FOREIGN_CLIENT, table.name, field, message, "turn Reflector client off")
            if effective.remove_private_as and kind == "internal":
                message = f"{title} is in the same AS, where no AS numbers are removed from paths"
                yield error(INNER_PRIVATE_AS, table.name, field, message, "turn Remove private AS off")
            if isinstance(neighbor, BgpUnnumbered) and neighbor.multihop is not None:
                message = f"{title}: the neighbor of an unnumbered session is one hop away"
                remedy = "remove Hops away, or configure the session by address"
                yield error(UNNUMBERED_MULTIHOP, table.name, field, message, remedy)
        for group in bgp.peer_groups:
            if len(group_kinds := member_kinds.get(group.name, set())) > 1:
                message = f"peer group {group.name} has {' and '.join(sorted(group_kinds))} sessions"
                yield error(MIXED_GROUP, table.name, table.field("peer_groups"), message, "use one group for each kind")


@SUBJECT.rule(CONFEDERATION)
def confederations(facts: Facts) -> Iterator[Problem]:
    """Members of a confederation have its identifier, which is not the AS number of a member."""
    for table, bgp in speakers(facts):
        field = table.field("confederation_id")
        if bgp.confederation_members and bgp.confederation_id is None:
            message = "is missing, but other members of a confederation are listed"
            yield error(CONFEDERATION, table.name, field, message, "enter the AS number of the confederation")
        if bgp.confederation_id is not None and bgp.confederation_id in (bgp.asn, *bgp.confederation_members):
            message = f"is {bgp.confederation_id}, which is also the AS number of a member"
            yield error(CONFEDERATION, table.name, field, message, "choose another number")


@SUBJECT.rule(BGP_TIMERS)
def timers(facts: Facts) -> Iterator[Problem]:
    """The hold time is longer than the keepalive interval."""
    for table, bgp in speakers(facts):
        sessions_ = [
            (f"{session_title(neighbor)}: ", session_field(table, neighbor), with_group_settings(bgp, neighbor))
            for neighbor in all_neighbors(bgp)
        ]
        for prefix, field, timed in (("", table.field("hold_s"), bgp), *sessions_):
            keepalive_s, hold_s = timed.keepalive_s, timed.hold_s
            if keepalive_s is not None and hold_s is not None and keepalive_s >= hold_s:
                message = f"{prefix}the hold time of {hold_s} s is not longer than the keepalive interval of "
                message += f"{keepalive_s} s"
                yield error(BGP_TIMERS, table.name, field, message, f"use a longer time, such as {3 * keepalive_s} s")


@SUBJECT.rule(OWN_SOURCE, NO_SOURCE)
def redistributed(facts: Facts) -> Iterator[Problem]:
    """Redistributed sources exist."""
    for table, bgp in speakers(facts):
        field = table.field("redistribute")
        for row in bgp.redistribute:
            if row.source == "bgp":
                yield error(OWN_SOURCE, table.name, field, "BGP redistributes its own routes", "remove BGP")
            elif row.source in (*IGPS, "static") and not has_own_lines(table.router):
                source = getattr(table.holder, "static_routes" if row.source == "static" else row.source, None)
                if not source:
                    message = f"there are no {row.source} routes to redistribute"
                    yield warning(NO_SOURCE, table.name, field, message, f"remove {row.source}, or configure it")


@SUBJECT.rule(ILLEGAL_DESCRIPTION)
def descriptions(facts: Facts) -> Iterator[Problem]:
    """A description is one line."""
    for table, bgp in speakers(facts):
        described = [
            (session_title(neighbor), session_field(table, neighbor), neighbor.description)
            for neighbor in all_neighbors(bgp)
        ]
        described += [(group.name, table.field("peer_groups"), group.description) for group in bgp.peer_groups]
        for title, field, description in described:
            if not description.isprintable() or len(description) > 80:
                message = f"the description of {title} is not a single line of up to 80 characters"
                yield error(ILLEGAL_DESCRIPTION, table.name, field, message, "shorten it")


# --- fixes -----------------------------------------------------------------------------------------------------------


@SUBJECT.fix(OWN_SOURCE)
def _remove_bgp_source(facts: Facts, problem: Problem) -> Fix | None:
    def change(settings: Any) -> dict[str, Any]:
        return {"redistribute": tuple(row for row in settings.redistribute if row.source != "bgp")}

    return protocol_fix(facts, problem, "remove BGP from its own sources", change)


SUBJECT.fix(BGP_TIMERS)(timer_fixer("hold_s", "keepalive_s", 3))
