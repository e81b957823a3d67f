"""The prefixes that speakers of BGP announce themselves: networks, redistributed routes and default routes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from frrlib.model.nodes import Router
from frrlib.model.protocols.common import DEFAULT_ROUTES, IGPS, VERSION_OF
from frrlib.model.routing import Bgp, Network, Redistribution
from frrlib.model.topology import Topology
from frrlib.prediction.bgp.filters import Policies, apply_route_map
from frrlib.prediction.bgp.paths import LOCAL_PREFERENCE, NO_ROUTE, BgpRoute, RouteOptions
from frrlib.prediction.bgp.sessions import SessionEnd

#: Prefix to the routers that originate it, each with the routes that it may originate.
Origins = dict[Network, dict[str, RouteOptions]]


def origins_of(
    topology: Topology,
    speakers: Mapping[str, tuple[Router, Bgp]],
    policies: Mapping[str, Policies],
    sessions: Iterable[SessionEnd],
    known_networks: Mapping[str, set[Network]],
) -> Origins:
    """The routes that each speaker originates, by prefix.

    Args:
        topology: with names and addresses filled in.
        speakers: router to itself and its settings of BGP.
        policies: router to its lists and route maps.
        sessions: all established sessions.
        known_networks: the networks that each router reaches without BGP, its own included.
    """
    origins: Origins = {}
    for name, (router, bgp) in speakers.items():
        preference = bgp.local_preference or LOCAL_PREFERENCE
        local_route = BgpRoute(local_preference=preference, originator=name)
        for network in bgp.networks:
            # Free lines may add the route that the announcement needs.
            is_certain = network in known_networks[name] or bool(router.frr_conf.strip())
            origins.setdefault(network, {})[name] = (
                frozenset((local_route,)) if is_certain else frozenset((local_route, None))
            )
        for redistribution in bgp.redistribute:
            prefixes, is_certain = _prefixes_of_source(topology, router, redistribution.source, known_networks[name])
            options_by_prefix = _redistributed(policies[name], redistribution, local_route._replace(origin=2), prefixes)
            for prefix, options in options_by_prefix.items():
                options_by_router = origins.setdefault(prefix, {})
                if name not in options_by_router or None in options_by_router[name]:
                    options_by_router[name] = options if is_certain else options | NO_ROUTE
    for session in sessions:
        if session.settings.default_originate:
            for version in (4, 6):
                if f"ipv{version}" in session.families:
                    origins.setdefault(DEFAULT_ROUTES[version], {})
    return origins


def _redistributed(
    policies: Policies, redistribution: Redistribution, local_route: BgpRoute, prefixes: Iterable[Network]
) -> dict[Network, RouteOptions]:
    """Prefix to the routes that a router may originate for it."""
    # A route of an IGP keeps its next hop. Whether other routers resolve that next hop is unknown.
    route = local_route if redistribution.source == "connected" else local_route._replace(is_uncertain=True)
    if not redistribution.route_map:
        return dict.fromkeys(prefixes, frozenset((route,)))
    return {prefix: apply_route_map(policies, redistribution.route_map, route, prefix) for prefix in prefixes}


def _prefixes_of_source(
    topology: Topology, router: Router, source: str, known_networks: set[Network]
) -> tuple[set[Network], bool]:
    """The prefixes of a source of routes, and whether they certainly belong to that source."""
    connected = _connected_networks(topology, router)
    static = {route.prefix for route in router.static_routes} - connected
    if source == "connected":
        return connected, True
    if source == "static":
        return static, True
    if source not in IGPS or not getattr(router, source):
        return set(), True
    unstated = known_networks - connected - static
    learnt = {prefix for prefix in unstated if prefix.version == VERSION_OF.get(source, prefix.version)}
    running = [name for name in IGPS if getattr(router, name)]
    rivals = [name for name in running if name != source and (name == "isis" or source == "isis" or name[-1] != "6")]
    return learnt, not rivals


def _connected_networks(topology: Topology, router: Router) -> set[Network]:
    """The networks of a router's interfaces in the default table."""
    addresses = [] if router.vrf_of("lo") else [*router.loopbacks]
    for link, end in topology.ends_at(router.name):
        if link.up and not router.vrf_of(end.interface):
            addresses += end.addresses
    return {address.network for address in addresses if not address.ip.is_link_local}
