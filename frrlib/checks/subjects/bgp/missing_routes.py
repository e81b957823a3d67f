"""Routes of BGP that a flow needs and that do not arrive: a policy rejects them, or the AS of their receiver does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from frrlib.addressing.addressing import gateways
from frrlib.checks.facts import Facts, has_own_lines
from frrlib.checks.kinds import CheckSubject, warning
from frrlib.checks.subjects.announcements import directions, first_routers
from frrlib.model.base import IpAddress
from frrlib.model.flows import Flow
from frrlib.model.nodes import Router
from frrlib.model.problem import Problem
from frrlib.model.protocols.common import IGPS
from frrlib.model.routing import Bgp, BgpSession, Network
from frrlib.model.topology import Topology
from frrlib.model.traffic.kinds import Command
from frrlib.prediction.bgp.routes import bgp_routes, possible_bgp_routes

SUBJECT = CheckSubject()
FILTERED_ROUTE = SUBJECT.kind(
    "filtered-route",
    "A policy rejects a route that a flow needs.",
    "The session is established, and the routers behind it drop the packets of the flow.",
    "Permit the prefix in the policy. A prefix list, an AS path list and a route map end with a deny of everything.",
)
OWN_AS_IN_PATH = SUBJECT.kind(
    "own-as-in-path",
    "A flow needs a route between two routers of one AS that are joined through another AS only.",
    "A router rejects a route whose path contains its own AS (RFC 4271, section 9.1.2).",
    "Add an internal session between the two, give one of them another AS, or accept routes that contain the own AS.",
)
#: Fields of a session that name a policy, with their words.
_POLICIES = {
    f"{kind}_{direction}": f"{words} {direction}"
    for kind, words in (("prefix_list", "prefix list"), ("as_path_list", "AS path list"), ("route_map", "route map"))
    for direction in ("in", "out")
}
#: Fields of BGP with sessions.
_SESSION_FIELDS = ("neighbors", "unnumbered", "peer_groups")
#: The limit of policies that are removed by trial for each missing route.
_MOST_TRIALS = 40


class _Need(NamedTuple):
    """A route that a flow needs: the router that needs it, the address that it leads to, and the flow."""

    router: str
    address: IpAddress
    flow: Flow


class _Policy(NamedTuple):
    """A policy of a session: the router, the field of BGP, the position of the session there, and its own field."""

    router: str
    field: str
    position: int
    name: str


@SUBJECT.rule(FILTERED_ROUTE, OWN_AS_IN_PATH)
def missing_routes(facts: Facts) -> Iterator[Problem]:
    """The first routers of flows get the routes that BGP announces for the other ends."""
    speakers = {router.name: router.bgp for router in facts.routers() if router.bgp}
    if not facts.topology.flows or len(speakers) < 2 or _is_open(facts):
        return
    if not any(_policies(facts)) and not _is_system_divided(facts):
        return  # nothing can reject a route, and the prediction takes a while
    known_networks = facts.known_without_bgp
    possible = possible_bgp_routes(facts.resolved, known_networks)
    reported = set[Problem]()
    for need in _needs(facts):
        networks = known_networks.get(need.router, set()) | possible.get(need.router, set())
        if need.router not in speakers or any(need.address in network for network in networks):
            continue
        problem = _problem_of(facts, need, known_networks)
        if problem is not None and problem not in reported:
            reported.add(problem)
            yield problem


def _is_open(facts: Facts) -> bool:
    """Whether routes may come from free lines, from commands, or by protocols that redistribute BGP."""
    for router in facts.routers():
        if has_own_lines(router) or router.start_command.strip():
            return True
        rows = (row for name in IGPS if (settings := getattr(router, name)) for row in settings.redistribute)
        if any(row.source == "bgp" for row in rows):
            return True
    return False


def _is_system_divided(facts: Facts) -> bool:
    """Whether an AS may have routers that no chain of internal sessions joins. Unnumbered sessions are not followed."""
    members: dict[int, set[str]] = {}
    joined: dict[str, set[str]] = {}
    for router in facts.routers():
        if router.bgp is None:
            continue
        members.setdefault(router.bgp.asn, set()).add(router.name)
        for neighbor in router.bgp.neighbors:
            peer = facts.router_of(neighbor.address)
            if peer is not None and peer.bgp is not None and peer.bgp.asn == router.bgp.asn:
                joined.setdefault(router.name, set()).add(peer.name)
                joined.setdefault(peer.name, set()).add(router.name)
    for names in members.values():
        waiting = [min(names)]
        reached = set(waiting)
        while waiting:
            new = joined.get(waiting.pop(), set()) - reached
            reached |= new
            waiting += new
        if names - reached:
            return True
    return False


def _needs(facts: Facts) -> Iterator[_Need]:
    gateways_by_version = {version: gateways(facts.resolved, version, facts.domains) for version in (4, 6)}
    for flow in facts.topology.flows:
        if isinstance(flow.traffic, Command):
            continue
        for sender, _, targets in directions(facts, flow):
            for name in sorted(first_routers(facts, gateways_by_version, sender, targets)):
                yield _Need(name, targets[0], flow)


def _policies(facts: Facts) -> Iterator[_Policy]:
    for router in facts.routers():
        for field in _SESSION_FIELDS if router.bgp else ():
            for position, session in enumerate(getattr(router.bgp, field)):
                yield from (_Policy(router.name, field, position, name) for name in _POLICIES if getattr(session, name))


def _problem_of(facts: Facts, need: _Need, known_networks: dict[str, set[Network]]) -> Problem | None:
    """The policy or the AS that keeps a route away; None if it is missing for another reason."""

    def arrives(change: Callable[[str, Bgp], Bgp]) -> bool:
        changed = _with_bgp(facts.resolved, change)
        return any(need.address in network for network in bgp_routes(changed, known_networks).get(need.router, ()))

    if arrives(lambda _, bgp: _with_sessions(bgp, dict.fromkeys(_POLICIES, ""))):
        for policy in islice(_policies(facts), _MOST_TRIALS):
            if arrives(lambda name, bgp, policy=policy: _without(policy, name, bgp)):  # type: ignore[misc]
                return _filtered(facts, need, policy)
        return None
    if arrives(lambda _, bgp: _with_sessions(bgp, {"allow_as_in": 10})):
        asn = next(router.bgp.asn for router in facts.routers() if router.name == need.router and router.bgp)
        message = f"the path to {need.address}, which {need.flow.id} needs, contains AS {asn}, so {need.router} "
        message += "rejects the route"
        remedy = "add a session within the AS, use another AS, or accept the own AS in paths"
        return warning(OWN_AS_IN_PATH, need.router, "bgp.asn", message, remedy)
    return None


def _filtered(facts: Facts, need: _Need, policy: _Policy) -> Problem:
    router = facts.nodes[policy.router]
    assert isinstance(router, Router)
    session = getattr(router.bgp, policy.field)[policy.position]
    title = getattr(session, "address", None) or getattr(session, "interface", None) or session.name
    list_name = getattr(session, policy.name)
    message = f"{title}: the {_POLICIES[policy.name]}, {list_name}, rejects the route to {need.address}, "
    message += f"so {need.router} has none for {need.flow.id}"
    return warning(FILTERED_ROUTE, policy.router, f"bgp.{policy.field}", message, f"permit it in {list_name}")


def _with_bgp(topology: Topology, change: Callable[[str, Bgp], Bgp]) -> Topology:
    nodes = tuple(
        node.model_copy(update={"bgp": change(node.name, node.bgp)}) if isinstance(node, Router) and node.bgp else node
        for node in topology.nodes
    )
    return topology.model_copy(update={"nodes": nodes})


def _with_sessions(bgp: Bgp, update: dict[str, Any]) -> Bgp:
    """The settings with changed fields of all sessions and groups."""
    changed = {
        field: tuple(session.model_copy(update=update) for session in getattr(bgp, field)) for field in _SESSION_FIELDS
    }
    return bgp.model_copy(update=changed)


def _without(policy: _Policy, router: str, bgp: Bgp) -> Bgp:
    """The settings without a policy, if it belongs to the router."""
    if router != policy.router:
        return bgp
    sessions: list[BgpSession] = list(getattr(bgp, policy.field))
    sessions[policy.position] = sessions[policy.position].model_copy(update={policy.name: ""})
    return bgp.model_copy(update={policy.field: tuple(sessions)})
