"""The propagation of BGP routes within an AS: next hops, and routers that no route is sent to."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from frrlib.checks.facts import Facts, has_own_lines
from frrlib.checks.kinds import CheckSubject, warning
from frrlib.model.nodes import Router
from frrlib.model.problem import Problem
from frrlib.model.routing import Bgp
from frrlib.prediction.bgp.filters import has_policy
from frrlib.prediction.bgp.sessions import SessionEnd, all_neighbors, is_resolved

SUBJECT = CheckSubject()
UNREACHABLE_NEXT_HOP = SUBJECT.kind(
    "unreachable-next-hop",
    "A router passes on external routes with a next hop that its internal neighbor has no route to.",
    "The neighbor does not use these routes: BGP keeps the next hop on internal sessions (RFC 4271, section 5.1.3).",
    "Set next-hop-self for the neighbor, or announce the link to the other AS in the interior protocol.",
)
NO_FULL_MESH = SUBJECT.kind(
    "no-full-mesh",
    "A router of an AS does not get the routes of another one: they have no session, and no reflector is between them.",
    "A router does not pass routes from one internal neighbor on to another one (RFC 4271, section 9.2).",
    "Add a session between them, or make one of them the client of a route reflector between them.",
)

MAXIMUM_PREFIXES = SUBJECT.kind(
    "maximum-prefixes",
    "A neighbor announces more prefixes than the maximum of its session.",
    "FRR ends the session with a Cease message (RFC 4486), and keeps it down until it is cleared.",
    "Raise the maximum above the number of prefixes that the neighbor announces.",
)


def _has_bgp(facts: Facts) -> bool:
    return any(router.bgp for router in facts.routers())


@SUBJECT.rule(UNREACHABLE_NEXT_HOP)
def next_hops(facts: Facts) -> Iterator[Problem]:
    """Internal neighbors have a route to the next hops of external routes."""
    if not _has_bgp(facts):
        return
    routers = {router.name: router for router in facts.routers()}
    known_networks, all_sessions = facts.known_without_bgp, facts.bgp_sessions
    for internal in all_sessions:
        settings = internal.settings
        if internal.kind != "internal" or settings.next_hop_self or settings.next_hop_self_force:
            continue
        if settings.route_map_out or internal.peer_settings.route_map_in or _may_differ(routers, internal):
            continue
        for external in all_sessions:
            if external.router != internal.router or external.kind != "external" or external.address is None:
                continue
            if external.settings.route_map_in or not external.families & internal.families:
                continue
            if f"ipv{external.address.version}" not in internal.families:
                continue
            if not is_resolved(known_networks.get(internal.peer, set()), external.address):
                message = f"{internal.peer} has no route to {external.address}, the next hop of the routes that "
                message += f"{internal.router} gets from {external.peer}"
                yield warning(
                    UNREACHABLE_NEXT_HOP,
                    internal.router,
                    "bgp.neighbors",
                    message,
                    f"set next-hop-self for {internal.peer}, or announce the link to {external.peer} in the IGP",
                )


def _may_differ(routers: dict[str, Router], session: SessionEnd) -> bool:
    """Whether free lines of an end may change the session or the routes."""
    return has_own_lines(routers[session.router], routers[session.peer])


@SUBJECT.rule(NO_FULL_MESH)
def meshes(facts: Facts) -> Iterator[Problem]:
    """Routers that internal sessions connect get the routes of each other (RFC 4271, RFC 4456)."""
    if not _has_bgp(facts) or any(has_own_lines(router) for router in facts.routers() if router.bgp):
        return
    internal = [session for session in facts.bgp_sessions if session.kind == "internal"]
    for family in ("ipv4", "ipv6"):
        yield from _check_mesh([session for session in internal if family in session.families])


def _check_mesh(internal: list[SessionEnd]) -> Iterator[Problem]:
    """Problems of the internal sessions of one address family."""
    sent_by: dict[str, list[SessionEnd]] = {}
    for session in internal:
        sent_by.setdefault(session.router, []).append(session)
    for name in sent_by:
        for missing in sorted(_connected(name, sent_by) - _receivers(name, sent_by)):
            message = f"{missing} does not get its routes: no session joins them, and no route reflector passes them on"
            remedy = f"add a session between {name} and {missing}, or set route reflection on the router between them"
            yield warning(NO_FULL_MESH, name, "bgp.neighbors", message, remedy)
            break


def _connected(start: str, sent_by: dict[str, list[SessionEnd]]) -> set[str]:
    """The routers that internal sessions connect with a router, itself included."""
    reached, waiting = {start}, [start]
    while waiting:
        new = {session.peer for session in sent_by[waiting.pop()]} - reached
        reached |= new
        waiting += new
    return reached


def _receivers(start: str, sent_by: dict[str, list[SessionEnd]]) -> set[str]:
    """The routers that get the routes of a router, itself included."""
    # A router passes on routes of its own and of clients to everybody, and other routes to its clients only.
    first = (start, True)
    seen, waiting = {first}, deque([first])
    while waiting:
        name, passes_to_all = waiting.popleft()
        for session in sent_by[name]:
            if passes_to_all or session.settings.route_reflector_client:
                state = session.peer, session.peer_settings.route_reflector_client
                if state not in seen:
                    seen.add(state)
                    waiting.append(state)
    return {name for name, _ in seen}


@SUBJECT.rule(MAXIMUM_PREFIXES)
def maximums(facts: Facts) -> Iterator[Problem]:
    """A neighbor announces no more networks of its own than the maximum of the session."""
    routers = {router.name: router for router in facts.routers()}
    if not any(router.bgp and _has_maximum(router.bgp) for router in routers.values()):
        return
    known_networks = facts.known_without_bgp
    for session in facts.bgp_sessions:
        maximum, bgp = session.settings.maximum_prefixes, routers[session.peer].bgp
        if maximum is None or bgp is None or _may_differ(routers, session):
            continue
        if has_policy(session.settings, "in") or has_policy(session.peer_settings, "out"):
            continue
        announced = [network for network in set(bgp.networks) if network in known_networks[session.peer]]
        for version in (4, 6):
            count = sum(network.version == version for network in announced)
            # FRR compares before it adds a prefix, so it accepts one more.
            if f"ipv{version}" in session.families and count > maximum + 1:
                field = "bgp.unnumbered" if session.address is None else "bgp.neighbors"
                message = f"{session.peer} announces {count} networks, but the maximum of the session is {maximum}: "
                message += "FRR ends the session"
                yield warning(MAXIMUM_PREFIXES, session.router, field, message, f"raise the maximum above {count}")


def _has_maximum(bgp: Bgp) -> bool:
    return any(item.maximum_prefixes is not None for item in (*all_neighbors(bgp), *bgp.peer_groups))
