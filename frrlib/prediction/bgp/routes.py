"""The routes that are expected from BGP at each router, as far as the topology determines them.

Every announced prefix is propagated from session to session according to RFC 4271, with reflectors (RFC 4456),
confederations (RFC 5065), aggregates and policies. A route whose propagation the topology does not determine is not
expected, and a lab does not wait for it. VRFs have their own tables and are left out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal

from frrlib.model.base import IpAddress
from frrlib.model.nodes import Router
from frrlib.model.protocols.common import holds
from frrlib.model.routing import Bgp, Network
from frrlib.model.topology import Topology
from frrlib.prediction.bgp.filters import (
    Policies,
    apply_policies,
    has_policy,
    policies_of,
    prefix_list_permits,
)
from frrlib.prediction.bgp.origins import origins_of
from frrlib.prediction.bgp.paths import LOCAL_PREFERENCE, NO_ROUTE, BgpRoute, RouteOptions, Source, best_routes
from frrlib.prediction.bgp.plain import PlainFamily
from frrlib.prediction.bgp.sessions import SessionEnd, is_resolved, presented_asn, sessions

#: The limit of steps for each router. A route that still changes after them is not expected.
_STEPS_PER_ROUTER = 60
_PRIVATE = (range(64_512, 65_535), range(4_200_000_000, 4_294_967_295))
#: Well-known communities to the kinds of session over which such routes are not sent (RFC 1997).
_NOT_ADVERTISED_TO = {
    "no-advertise": ("internal", "confederation", "external"),
    "local-as": ("confederation", "external"),
    "no-export": ("external",),
}


def bgp_routes(topology: Topology, known_networks: Mapping[str, set[Network]]) -> dict[str, set[Network]]:
    """The prefixes that each router receives by BGP.

    Args:
        topology: with names and addresses filled in.
        known_networks: the networks that each router reaches without BGP, its own included.

    Returns:
        router to the prefixes that it certainly receives from another router.
    """
    world = _BgpTopology(topology, known_networks)
    received: dict[str, set[Network]] = {}
    others: list[Network] = []
    for version in (4, 6):
        family = PlainFamily(f"ipv{version}", world.speakers, world.sessions, known_networks)
        origins = {prefix: routers for prefix, routers in world.origins.items() if prefix.version == version}
        plain, different = family.routes(origins)
        others += different
        for name, prefixes in plain.items():
            received.setdefault(name, set()).update(prefixes)
    propagated = _prefixes_by_router(
        world.tables(others), lambda options: None not in options and all(route and route.sender for route in options)
    )
    for name, prefixes in propagated.items():
        received.setdefault(name, set()).update(prefixes)
    return received


def possible_bgp_routes(topology: Topology, known_networks: Mapping[str, set[Network]]) -> dict[str, set[Network]]:
    """As `bgp_routes`: router to the prefixes that it may receive or announce. It certainly gets no others by BGP."""
    world = _BgpTopology(topology, known_networks)
    unknown: dict[str, RouteOptions] = dict.fromkeys(world.speakers, frozenset((BgpRoute(), None)))
    tables = {prefix: options_by_router or unknown for prefix, options_by_router in world.tables().items()}
    return _prefixes_by_router(tables, lambda options: options != NO_ROUTE)


def chosen_bgp_routes(
    topology: Topology, known_networks: Mapping[str, set[Network]]
) -> dict[str, dict[Network, BgpRoute]]:
    """As `bgp_routes`: router to its received routes by prefix, where the topology determines exactly one."""
    chosen: dict[str, dict[Network, BgpRoute]] = {}
    for prefix, options_by_router in _BgpTopology(topology, known_networks).tables().items():
        for name, options in options_by_router.items():
            if len(options) == 1 and (route := next(iter(options))) and route.sender:
                chosen.setdefault(name, {})[prefix] = route
    return chosen


def _prefixes_by_router(
    tables: Mapping[Network, Mapping[str, RouteOptions]], counts: Callable[[RouteOptions], bool]
) -> dict[str, set[Network]]:
    result: dict[str, set[Network]] = {}
    for prefix, options_by_router in tables.items():
        for name, options in options_by_router.items():
            if counts(options):
                result.setdefault(name, set()).add(prefix)
    return result


class _BgpTopology:
    """A topology with its BGP speakers, sessions and policies."""

    def __init__(self, topology: Topology, known_networks: Mapping[str, set[Network]]) -> None:
        self.topology, self.known_networks = topology, known_networks
        self.speakers: dict[str, tuple[Router, Bgp]] = {r.name: (r, r.bgp) for r in topology.routers if r.bgp}
        self.policies: dict[str, Policies] = {name: policies_of(router) for name, (router, _) in self.speakers.items()}
        self.resolved_next_hops: dict[tuple[str, IpAddress], bool] = {}
        self.sessions = sessions(topology, known_networks)
        self.sent_by: dict[str, list[int]] = {}
        self.received_by: dict[str, list[int]] = {}
        for number, session in enumerate(self.sessions):
            self.sent_by.setdefault(session.router, []).append(number)
            self.received_by.setdefault(session.peer, []).append(number)
        #: The routes that each speaker originates, by prefix.
        self.origins = origins_of(topology, self.speakers, self.policies, self.sessions, known_networks)
        #: An upper bound of the number of prefixes that a session carries.
        self.prefix_count = len(self.origins) + sum(len(bgp.aggregates) for _, bgp in self.speakers.values()) + 2

    # --- what is announced --------------------------------------------------------------------------------------------

    def tables(self, prefixes: Iterable[Network] | None = None) -> dict[Network, dict[str, RouteOptions]]:
        """Propagate prefixes, and then the aggregates, which depend on the prefixes inside of them.

        Args:
            prefixes: only these of `origins`; None for all. Without all of them there may be no aggregates.

        Returns:
            prefix to the possible best routes of each router; empty for a prefix whose selection does not converge.
        """
        origins = self.origins
        reached: dict[Network, dict[str, RouteOptions]] = {}
        alike: dict[object, dict[str, RouteOptions]] = {}
        for prefix in origins if prefixes is None else prefixes:
            originated = origins[prefix]
            likeness = (frozenset(originated.items()), self._prefix_class(prefix))
            if likeness not in alike:
                alike[likeness] = self._propagate(prefix, originated)
            reached[prefix] = alike[likeness]
        aggregates = {a.prefix for _, bgp in self.speakers.values() for a in bgp.aggregates}
        for prefix in sorted(aggregates, key=lambda aggregate: -aggregate.prefixlen):
            both = {**origins.get(prefix, {}), **self._aggregate_origins(prefix, reached)}
            reached[prefix] = self._propagate(prefix, both)
        return reached

    def _aggregate_origins(
        self, prefix: Network, reached: Mapping[Network, dict[str, RouteOptions]]
    ) -> dict[str, RouteOptions]:
        """The speakers that announce an aggregate: those that have a longer prefix within it."""
        options_by_router: dict[str, RouteOptions] = {}
        contributors = [candidate for candidate in reached if _is_within(candidate, prefix)]
        for name, (_, bgp) in self.speakers.items():
            aggregate = next((candidate for candidate in bgp.aggregates if candidate.prefix == prefix), None)
            if aggregate is None:
                continue
            contributed = [reached[candidate].get(name, NO_ROUTE) for candidate in contributors]
            if not any(options != NO_ROUTE for options in contributed):
                continue
            route = BgpRoute(local_preference=bgp.local_preference or LOCAL_PREFERENCE, originator=name)
            if aggregate.as_set:
                route = route._replace(
                    path=None, possible_asns=self._asns_in_paths(contributors, name, reached), is_uncertain=True
                )
            is_certain = any(None not in options for options in contributed)
            options_by_router[name] = frozenset((route,)) if is_certain else frozenset((route, None))
        return options_by_router

    def _asns_in_paths(
        self, prefixes: Iterable[Network], name: str, reached: Mapping[Network, dict[str, RouteOptions]]
    ) -> frozenset[int]:
        """The AS numbers that any path of a router to these prefixes may contain, not only the best path."""
        bgp = self.speakers[name][1]
        tables = [reached[prefix] for prefix in prefixes]
        asns = {asn for table in tables for route in table.get(name, NO_ROUTE) if route for asn in route.possible_asns}
        for session in (self.sessions[number] for number in self.received_by.get(name, ())):
            added = {presented_asn(self.speakers[session.router][1], bgp)} if session.kind == "external" else set()
            for route in (route for table in tables for route in table.get(session.router, NO_ROUTE) if route):
                if _passes_own_as(bgp, session.peer_settings.allow_as_in or 0, route) is not False:
                    asns |= route.possible_asns | added
        return frozenset(asns)

    def _prefix_class(self, prefix: Network) -> object:
        """The key that distinguishes prefixes announced by the same routers."""
        lists = tuple(
            prefix_list_permits(policies, name, prefix)
            for policies in self.policies.values()
            for name, _ in policies.prefix_lists
        )
        keeping = tuple(name for name in self.speakers if self._is_suppressed(name, prefix))
        alone = prefix if prefix.num_addresses == 1 else None  # it may be its own next hop
        return prefix.version, prefix.prefixlen == 0, lists, keeping, alone

    def _is_suppressed(self, name: str, prefix: Network) -> bool:
        """Whether an aggregate of a router suppresses a prefix."""
        return any(
            aggregate.summary_only and _is_within(prefix, aggregate.prefix)
            for aggregate in self.speakers[name][1].aggregates
        )

    # --- how it is carried --------------------------------------------------------------------------------------------

    def _propagate(self, prefix: Network, originated: Mapping[str, RouteOptions]) -> dict[str, RouteOptions]:
        """The possible best routes of each router to a prefix; empty if the selection does not converge."""
        family = f"ipv{prefix.version}"
        received: dict[int, RouteOptions] = {}
        tables: dict[str, RouteOptions] = dict(originated)
        waiting = deque(dict.fromkeys([*originated, *self._default_originators(prefix)]))
        steps = _STEPS_PER_ROUTER * (len(self.speakers) + 1)
        while waiting:
            steps -= 1
            if steps < 0:
                return {}
            name = waiting.popleft()
            for number in self.sent_by.get(name, ()):
                session = self.sessions[number]
                if family not in session.families:
                    continue
                options = self._routes_over_session(session, tables.get(name, NO_ROUTE), prefix)
                if options == received.get(number, NO_ROUTE):
                    continue
                received[number] = options
                peer = session.peer
                received_options = [
                    originated.get(peer, NO_ROUTE),
                    *(received.get(n, NO_ROUTE) for n in self.received_by[peer]),
                ]
                selected = best_routes(received_options)
                if selected != tables.get(peer, NO_ROUTE):
                    tables[peer] = selected
                    if peer not in waiting:
                        waiting.append(peer)
        return tables

    def _default_originators(self, prefix: Network) -> Iterator[str]:
        if not prefix.prefixlen:
            yield from (session.router for session in self.sessions if session.settings.default_originate)

    def _routes_over_session(self, session: SessionEnd, options: RouteOptions, prefix: Network) -> RouteOptions:
        """The routes that may reach the other end of a session."""
        if self._is_suppressed(session.router, prefix):
            return NO_ROUTE
        if not prefix.prefixlen and session.settings.default_originate:
            sent = self._originated_default(session, options, prefix)
        else:
            sent = {None} if None in options else set()
            for route in options:
                sent |= self._sent_routes(session, route, prefix) if route is not None else set()
        limits = [settings.maximum_prefixes for settings in (session.settings, session.peer_settings)]
        if any(limit is not None and limit < self.prefix_count for limit in limits):
            sent.add(None)
        return frozenset(sent)

    def _originated_default(self, session: SessionEnd, options: RouteOptions, prefix: Network) -> set[BgpRoute | None]:
        """The possible forms of a default route that a session originates itself."""
        local_route = BgpRoute(originator=session.router)
        filtered_out = self._sent_routes(session, local_route, prefix)
        # FRR applies no policy to it, and may withdraw it if another default route of the router changes.
        received = self._accepted_routes(session, self._outgoing(session, local_route, local_route.next_hop), prefix)
        is_sure = received == filtered_out and options == NO_ROUTE
        return {*received, *filtered_out, *(() if is_sure else NO_ROUTE)}

    def _sent_routes(self, session: SessionEnd, route: BgpRoute, prefix: Network) -> RouteOptions:
        _, bgp = self.speakers[session.router]
        if route.sender == session.peer or not self._may_be_advertised(session, route):
            return NO_ROUTE
        if session.kind == "external" and bgp.requires_policy and not has_policy(session.settings, "out"):
            return NO_ROUTE
        received: set[BgpRoute | None] = set()
        for passed in apply_policies(self.policies[session.router], session.settings, "out", route, prefix):
            if passed is None:
                received.add(None)
            else:
                received |= self._accepted_routes(session, self._outgoing(session, passed, route.next_hop), prefix)
        return frozenset(received)

    def _may_be_advertised(self, session: SessionEnd, route: BgpRoute) -> bool:
        communities = route.communities or frozenset()
        if any(name in communities and session.kind in kinds for name, kinds in _NOT_ADVERTISED_TO.items()):
            return False
        if session.kind != "internal" or route.source not in ("internal", "client"):
            return True
        return route.source == "client" or session.settings.route_reflector_client

    def _outgoing(
        self, session: SessionEnd, route: BgpRoute, original_next_hop: IpAddress | Literal["link"] | None
    ) -> BgpRoute:
        """A route as it is sent. `original_next_hop` is its next hop before policies."""
        _, bgp = self.speakers[session.router]
        _, peer = self.speakers[session.peer]
        settings = session.settings
        is_internal = session.kind != "external"
        reflected = session.kind == "internal" and route.source in ("internal", "client")
        sets_next_hop = (
            not is_internal
            or route.source == "self"
            or (settings.next_hop_self and not reflected)
            or settings.next_hop_self_force
        )
        next_hop = route.next_hop
        if next_hop == original_next_hop:
            if sets_next_hop:
                is_uncertain = is_internal and route.source == "self" and route.is_uncertain
                is_uncertain = is_uncertain and not (settings.next_hop_self or settings.next_hop_self_force)
                next_hop = None if is_uncertain else session.source or "link"
            elif next_hop == "link":
                next_hop = None
        if session.kind == "external":
            if settings.remove_private_as and route.path and all(_is_private(asn) for asn in route.path):
                route = route._replace(path=(), length=0, possible_asns=frozenset(), certain_asns=frozenset())
            return route.sent_to_other_as(next_hop, presented_asn(bgp, peer))
        if session.kind == "confederation":
            inner = route.confederation_members | {bgp.asn}
            return route._replace(next_hop=next_hop, confederation_members=inner, clusters=frozenset())
        if reflected:
            cluster = str(bgp.cluster_id or session.router)
            return route._replace(next_hop=next_hop, clusters=route.clusters | {cluster})
        return route._replace(next_hop=next_hop, originator=session.router)

    def _accepted_routes(self, session: SessionEnd, route: BgpRoute, prefix: Network) -> RouteOptions:
        """The routes that the other end may store for an announced one."""
        _, bgp = self.speakers[session.peer]
        settings = session.peer_settings
        if session.kind == "external" and bgp.requires_policy and not has_policy(settings, "in"):
            return NO_ROUTE
        cluster = str(bgp.cluster_id or session.peer)
        if session.kind == "internal" and (route.originator == session.peer or cluster in route.clusters):
            return NO_ROUTE
        passes = _passes_own_as(bgp, settings.allow_as_in or 0, route)
        if passes is False:
            return NO_ROUTE
        is_certain = passes is True
        if prefix.version == 6 and session.source is not None and session.source.version == 4:
            is_certain = False  # the next hop is then any IPv6 address of the interface, if it has one
        source: Source = session.kind
        if source == "internal" and settings.route_reflector_client:
            source = "client"
        preference = route.local_preference
        if session.kind == "external":
            preference = bgp.local_preference or LOCAL_PREFERENCE
        weight = settings.weight or 0
        route = route._replace(source=source, sender=session.router, weight=weight, local_preference=preference)
        passed_options = apply_policies(self.policies[session.peer], settings, "in", route, prefix)
        options = frozenset(
            None if passed is None or _is_own_next_hop(session, passed, prefix) else passed for passed in passed_options
        )
        is_certain = is_certain and all(
            self._is_resolved(session, passed, prefix) for passed in options if passed is not None
        )
        return options if is_certain else options | NO_ROUTE

    def _is_resolved(self, session: SessionEnd, route: BgpRoute, prefix: Network) -> bool:
        """Whether the other end certainly resolves the next hop."""
        if route.next_hop == "link" or (session.direct and route.next_hop and route.next_hop == session.source):
            return True
        if route.next_hop is None:
            return False
        key = (session.peer, route.next_hop)
        if key not in self.resolved_next_hops:
            self.resolved_next_hops[key] = is_resolved(self.known_networks[session.peer], route.next_hop)
        return self.resolved_next_hops[key]


def _is_own_next_hop(session: SessionEnd, route: BgpRoute, prefix: Network) -> bool:
    """Whether a prefix is its own next hop, which FRR rejects as a loop, except in routes from a reflector's client."""
    is_loop = prefix.num_addresses == 1 and route.next_hop == prefix.network_address
    return is_loop and not session.peer_settings.route_reflector_client


def _passes_own_as(bgp: Bgp, allowed: int, route: BgpRoute) -> bool | None:
    """Whether a router accepts a route although the path may contain its own AS; None if that is unknown.

    Args:
        bgp: the settings of the router.
        allowed: how often the path may contain its own AS.
        route: the received route, over any kind of session. Its path may contain the own AS in the middle, too.
    """
    own_asns = {bgp.asn, bgp.confederation_id or bgp.asn}
    verdicts: list[bool | None] = [True]
    if bgp.asn in route.confederation_members:
        verdicts.append(False if route.path is not None and not allowed else None)
    if own_asns & route.possible_asns and route.path is not None:
        verdicts.append(max(route.path.count(asn) for asn in own_asns) <= allowed)
    elif own_asns & route.possible_asns:
        verdicts.append(False if own_asns & route.certain_asns and not allowed else None)
    return False if False in verdicts else None if None in verdicts else True


def _is_within(inner: Network, outer: Network) -> bool:
    """Whether a prefix is inside another one and longer."""
    return inner.prefixlen > outer.prefixlen and holds(outer, inner)


def _is_private(asn: int) -> bool:
    return any(asn in numbers for numbers in _PRIVATE)
