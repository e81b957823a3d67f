"""The differences of two topologies as checks of an exercise: what students must reach, and the lines that do it.

A check of the network's behavior, such as a neighbor or a path, accepts every solution of a task. A check of a line
accepts only one, so it is offered with the better checks that cover it.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_interface
from itertools import combinations

from frrlib.addressing.domains import broadcast_domains
from frrlib.addressing.resolved import resolved
from frrlib.exercises.checks import InterfaceAddress, Neighbor, PathCheck, Ping, Route
from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.making.candidate import (
    ABSENT,
    ADDRESSES,
    NEIGHBORS,
    PATHS,
    PINGS,
    ROUTES,
    STATIC,
    Candidate,
    identifier,
    with_unique_ids,
)
from frrlib.exercises.making.forwarding import Forwarding, PredictedPath, PredictedRoute
from frrlib.exercises.making.lines import line_candidates
from frrlib.exercises.permitted import permitted
from frrlib.model.nodes import Host
from frrlib.model.protocols.common import DEFAULT_ROUTES
from frrlib.model.routing import Network
from frrlib.model.topology import Topology
from frrlib.prediction.bgp.routes import possible_bgp_routes
from frrlib.prediction.routes import connected_networks, known_without_bgp

#: Names of protocols in sentences.
PROTOCOL_WORDS = {
    "ospf": "OSPF", "ospf6": "OSPFv3", "isis": "IS-IS", "bgp": "BGP", "bfd": "BFD", "pim": "PIM", "ldp": "LDP",
    "rip": "RIP", "ripng": "RIPng", "static": "a static route",
}  # fmt: skip
#: Names of protocols in checks of routes, where they differ; the check knows no name for RIPng.
_ROUTE_PROTOCOLS = {"ospf6": "ospf", "ripng": ""}
#: Time for protocols with FRR's own timers, which students may use.
_PROTOCOL_S = 90.0
#: Maximum number of pairs of hosts.
_MOST_PAIRS = 28
_NEIGHBOR_MESSAGES = {
    "bgp": "The session is not established. Compare the AS numbers and addresses at both ends.",
    "isis": "IS-IS must run on both ends of the link, with levels and areas that fit together.",
}


def counted_solution(start: Topology, solution: Topology) -> Topology:
    """The start with those settings of a solution that students can change.

    Raises:
        ExerciseError: a node or a link was added or removed.
    """
    try:
        return permitted(start, solution)
    except ExerciseError as error:
        raise ExerciseError(
            "the solution", error.problem, "start and solution must have the same nodes and links"
        ) from None


def candidate_checks(start: Topology, solution: Topology) -> tuple[Candidate, ...]:
    """The checks that hold in a solution and fail at the start, as far as the topologies determine it.

    Args:
        start: the topology at the start.
        solution: the same nodes and links with the settings that students should find.

    Returns:
        The candidates in the order of `GROUPS`; empty if nothing that students can change differs.

    Raises:
        ExerciseError: a node or a link was added or removed.
    """
    ends = resolved(start), resolved(counted_solution(start, solution))
    if ends[0] == ends[1]:
        return ()
    behavior = with_unique_ids(_behavior(Forwarding(ends[0]), Forwarding(ends[1])))
    return tuple(with_unique_ids([*behavior, *line_candidates(*ends, behavior)]))


def _behavior(start: Forwarding, solution: Forwarding) -> list[Candidate]:
    return [
        *_addresses(start.topology, solution.topology),
        *_static_routes(start, solution),
        *_neighbors(start, solution),
        *_learned_routes(start, solution),
        *_paths_and_pings(start, solution),
        *_absences(start, solution),
    ]


# --- addresses and static routes --------------------------------------------------------------------------------------


def _addresses(start: Topology, solution: Topology) -> Iterator[Candidate]:
    for before, after in zip(start.links, solution.links, strict=True):
        for own_end, end in ((before.a, after.a), (before.b, after.b)):
            for address in end.addresses:
                if address in own_end.addresses or address.ip.is_link_local:
                    continue
                neighbor = after.other(end.node).node
                check = InterfaceAddress(
                    kind="address", id=identifier(end.node, "address", neighbor), node=end.node, address=str(address),
                    towards=neighbor, title=f"{end.node} has the address {address} towards {neighbor}",
                    message=f"{end.node} has another address or prefix length there than the task asks for.",
                )  # fmt: skip
                yield Candidate(check, ADDRESSES)
    for host in solution.hosts:
        earlier = start.node(host.name)
        if isinstance(earlier, Host) and host.default_route is not None and host.default_route != earlier.default_route:
            gateway = Route(
                kind="route", id=identifier(host.name, "gateway"), node=host.name,
                prefix=_prefix_text(DEFAULT_ROUTES[host.default_route.version]), next_hop=str(host.default_route),
                title=f"The default gateway of {host.name} is {host.default_route}",
                message=f"{host.name} has another default gateway, or none.",
            )  # fmt: skip
            yield Candidate(gateway, ADDRESSES)


def _static_routes(start: Forwarding, solution: Forwarding) -> Iterator[Candidate]:
    for name, prefix, route in _new_routes(start, solution):
        if route.protocol != "static":
            continue
        subject = "all other packets" if prefix.prefixlen == 0 else f"packets for {prefix}"
        does = f"drops {subject}"
        if route.next_hop is not None:
            does = f"sends {subject} to {_owner(solution.topology, route.next_hop) or route.next_hop}"
        check = Route(
            kind="route", id=identifier(name, "static", _id_of(prefix)), node=name, prefix=_prefix_text(prefix),
            next_hop=str(route.next_hop) if route.next_hop else "", protocol="static", title=f"{name} {does}",
            message=f"{name} lacks a static route for {prefix}, or it has another next hop.",
        )  # fmt: skip
        yield Candidate(check, STATIC)


# --- protocols --------------------------------------------------------------------------------------------------------


def _neighbors(start: Forwarding, solution: Forwarding) -> Iterator[Candidate]:
    """The expected neighbors, and sessions of BGP that are configured without being expected for certain."""
    expected, configured = _pairs_of_neighbors(solution), _configured_sessions(solution.topology)
    earlier = {*_pairs_of_neighbors(start), *_configured_sessions(start.topology)}
    for protocol, node, neighbor in (*expected, *(pair for pair in configured if pair not in expected)):
        if (protocol, node, neighbor) in earlier:
            continue
        words = PROTOCOL_WORDS[protocol]
        message = f"{words} must run on both ends, with settings that fit together, such as areas, timers and keys."
        check = Neighbor.model_validate({
            "kind": "neighbor", "id": identifier(node, neighbor, protocol), "node": node, "neighbor": neighbor,
            "protocol": protocol, "title": f"{node} and {neighbor} are {words} neighbors", "within_s": _PROTOCOL_S,
            "message": _NEIGHBOR_MESSAGES.get(protocol, message),
        })  # fmt: skip
        yield Candidate(check, NEIGHBORS, is_certain=(protocol, node, neighbor) in expected)


def _pairs_of_neighbors(forwarding: Forwarding) -> list[tuple[str, str, str]]:
    """The expected neighbors, each once: the protocol and the two routers."""
    pairs = ((a.protocol, min(a.router, a.neighbor), max(a.router, a.neighbor)) for a in forwarding.adjacencies)
    return [*dict.fromkeys(pairs)]


def _configured_sessions(topology: Topology) -> list[tuple[str, str, str]]:
    """The pairs of routers that name each other as neighbors of BGP, in the form of `_pairs_of_neighbors`."""
    named = {
        (router.name, _owner(topology, neighbor.address))
        for router in topology.routers
        for neighbor in (router.bgp.neighbors if router.bgp else ())
    }
    return sorted(("bgp", router, peer) for router, peer in named if router < peer and (peer, router) in named)


def _learned_routes(start: Forwarding, solution: Forwarding) -> Iterator[Candidate]:
    topology = solution.topology
    host_networks = _networks_of_hosts(topology)
    for name, prefix, route in _new_routes(start, solution):
        if route.protocol == "static":
            continue
        next_hop = _checked_next_hop(route, topology, name)
        is_from_sender = next_hop and _owner(topology, route.next_hop) == route.sender
        origin = f"from {route.sender} by BGP" if is_from_sender else f"of {PROTOCOL_WORDS[route.protocol]}"
        fields: dict[str, object] = {
            "kind": "route", "id": identifier(name, "route", _id_of(prefix)), "node": name, "points": 2,
            "prefix": _prefix_text(prefix), "protocol": _ROUTE_PROTOCOLS.get(route.protocol, route.protocol),
            "title": f"{name} has {_name_of(prefix)} {origin}", "within_s": _PROTOCOL_S, "next_hop": next_hop,
            "message": f"{name} lacks the route, or has it from elsewhere. Follow it back to the router that "
            "announces it.",
        }  # fmt: skip
        earlier = start.routes.get(name, {}).get(prefix)
        if earlier is not None and earlier.protocol == route.protocol == "bgp":
            fields |= _changed_attributes(earlier, route)
        is_at_edge = bool(host_networks & connected_networks(topology, name))
        is_proposed = route.protocol == "bgp" or prefix.prefixlen == 0 or (prefix in host_networks and is_at_edge)
        yield Candidate(Route.model_validate(fields), ROUTES, is_proposed=is_proposed)
    yield from _possible_routes(start, solution)


def _possible_routes(start: Forwarding, solution: Forwarding) -> Iterator[Candidate]:
    """Routes of BGP that the topology permits without determining them."""
    topology = solution.topology
    if not any(router.bgp for router in topology.routers):
        return
    for name, prefixes in possible_bgp_routes(topology, known_without_bgp(topology)).items():
        known = {*solution.routes.get(name, {}), *start.routes.get(name, {}), *connected_networks(topology, name)}
        for prefix in sorted(prefixes - known, key=str):
            check = Route(
                kind="route", id=identifier(name, "route", _id_of(prefix)), node=name, points=2, protocol="bgp",
                prefix=_prefix_text(prefix), title=f"{name} has the route {prefix} of BGP", within_s=_PROTOCOL_S,
                message=f"{name} lacks the route. Follow it back to the router that announces it.",
            )  # fmt: skip
            yield Candidate(check, ROUTES, is_certain=False)


def _changed_attributes(earlier: PredictedRoute, route: PredictedRoute) -> dict[str, object]:
    """The attributes of BGP in which a route differs from the one at the start."""
    changed: dict[str, object] = {}
    if route.as_path is not None and route.as_path != earlier.as_path:
        changed["as_path"] = " ".join(map(str, route.as_path))
    if route.local_preference is not None and route.local_preference != earlier.local_preference:
        changed["local_preference"] = str(route.local_preference)
    return changed


def _checked_next_hop(route: PredictedRoute, topology: Topology, name: str) -> str:
    """The next hop that a check requires: that of BGP over a link. Others depend on more than the task."""
    networks = connected_networks(topology, name)
    is_near = route.next_hop is not None and any(route.next_hop in network for network in networks)
    return str(route.next_hop) if is_near else ""


def _new_routes(start: Forwarding, solution: Forwarding) -> Iterator[tuple[str, Network, PredictedRoute]]:
    """The routes of the solution that the start lacks, or has from another source or with other attributes."""
    for name, table in solution.routes.items():
        earlier = start.routes.get(name, {})
        for prefix in sorted(table, key=lambda network: (network.version, network)):
            route, earlier_route = table[prefix], earlier.get(prefix)
            if earlier_route is not None and earlier_route.protocol == route.protocol not in ("static", "bgp"):
                continue  # a changed path is a check of its own
            if earlier_route is None or earlier_route != route:
                yield name, prefix, route


def _absences(start: Forwarding, solution: Forwarding) -> Iterator[Candidate]:
    """Routes of protocols that the start has and the solution lacks."""
    for name, table in start.routes.items():
        remaining = {*solution.routes.get(name, {}), *connected_networks(solution.topology, name)}
        for prefix in sorted({*table} - remaining, key=lambda network: (network.version, network)):
            check = Route(
                kind="route", id=identifier(name, "without", _id_of(prefix)), node=name, prefix=_prefix_text(prefix),
                present=False, title=f"{name} does not have {_name_of(prefix)}", within_s=_PROTOCOL_S,
                message=f"{name} still has the route. Find the router that announces it.",
            )  # fmt: skip
            yield Candidate(check, ABSENT, is_certain=False)


# --- packets ----------------------------------------------------------------------------------------------------------


def _paths_and_pings(start: Forwarding, solution: Forwarding) -> Iterator[Candidate]:
    """Paths where the links permit several, then pings, for each IP version that both ends have."""
    pings: list[Candidate] = []
    for source, destination in _pairs(solution.topology):
        versions = [v for v in (4, 6) if solution.address(source, v) and solution.address(destination, v)]
        for version in versions:
            address = solution.address(destination, version) if version != versions[0] else ""
            forward, reverse = _both(solution, source, destination, version)
            old = _both(start, source, destination, version)
            is_symmetric = forward.nodes == reverse.nodes[::-1] and forward.state == reverse.state == "arrives"
            if solution.has_choice(source, destination):
                for path, earlier in zip((forward, reverse), old, strict=True):
                    if path.state == "arrives" and path != earlier and not (is_symmetric and path is reverse):
                        target = solution.address(path.nodes[-1], version) if address else ""
                        yield _path(path, earlier, target, both_ways=is_symmetric)
            reached_before = all(path.state == "arrives" for path in old)
            if not reached_before:
                is_certain = all(path.state == "arrives" for path in (forward, reverse))
                is_certain &= any(path.state == "stops" for path in old)
                pings.append(_ping(source, destination, address, reachable=True, is_certain=is_certain))
            elif any(path.state == "stops" for path in (forward, reverse)):
                pings.append(_ping(source, destination, address, reachable=False, is_certain=False))
    yield from pings


def _both(forwarding: Forwarding, source: str, destination: str, version: int) -> tuple[PredictedPath, PredictedPath]:
    """The forward and the reverse path."""
    return forwarding.path(source, destination, version), forwarding.path(destination, source, version)


def _path(path: PredictedPath, earlier: PredictedPath, address: str, *, both_ways: bool) -> Candidate:
    """The check of a path; `address` is that of its end if it is not the preferred one."""
    source, destination = path.nodes[0], path.nodes[-1]
    words = f"between {source} and {destination}" if both_ways else f"from {source} to {destination}"
    check = PathCheck(
        kind="path", id=identifier(source, destination, _version_words("path", address)), path=path.nodes, points=2,
        address=address, both_ways=both_ways, within_s=_PROTOCOL_S,
        title=_version_words(f"The path {words} is {'-'.join(path.nodes[1:-1])}", address),
        message="Packets take another path. Compare the costs, or the attributes, of the possible paths.",
    )  # fmt: skip
    return Candidate(check, PATHS, is_certain=earlier.state != "unknown")


def _ping(source: str, destination: str, address: str, *, reachable: bool, is_certain: bool) -> Candidate:
    """The check of a ping; `address` is that of its destination if it is not the preferred one."""
    if reachable:
        title = f"{source} reaches {destination}"
        message = "Packets or their replies are lost. Look at the routes on the path, in both directions."
    else:
        title, message = f"{source} does not reach {destination}", "Packets and replies still arrive."
    word = "ping" if reachable else "no-ping"
    check = Ping(
        kind="ping", id=identifier(source, destination, _version_words(word, address)), source=source, points=2,
        destination=address or destination, reachable=reachable, title=_version_words(title, address),
        message=message, within_s=_PROTOCOL_S,
    )  # fmt: skip
    return Candidate(check, PINGS if reachable else ABSENT, is_certain=is_certain)


def _version_words(words: str, address: str) -> str:
    """Words with the IP version of an address; unchanged without one."""
    return f"{words} by IPv{ip_interface(address).version}" if address else words


def _pairs(topology: Topology) -> list[tuple[str, str]]:
    """Pairs of hosts, and of routers if there are not two hosts; one of each network if there are many."""
    names = [host.name for host in topology.hosts]
    if len(names) < 2:
        names = [router.name for router in topology.routers]
    if len(names) * (len(names) - 1) // 2 > _MOST_PAIRS:
        networks: dict[frozenset[Network], str] = {}
        for name in names:
            networks.setdefault(frozenset(connected_networks(topology, name)), name)
        names = [*networks.values()]
    return [*combinations(names, 2)][:_MOST_PAIRS]


# --- words ------------------------------------------------------------------------------------------------------------


def _networks_of_hosts(topology: Topology) -> set[Network]:
    """The networks that hosts are in."""
    return {
        address.network
        for domain in broadcast_domains(topology)
        if any(isinstance(place.node, Host) for place in domain.ends)
        for place in domain.ends
        for address in place.end.addresses
    }


def _owner(topology: Topology, address: object) -> str:
    """The node that has an address; empty if there is none."""
    loopbacks = ((node.name, owned) for node in topology.routers for owned in node.loopbacks)
    ends = ((end.node, owned) for link in topology.links for end in link.ends for owned in end.addresses)
    return next((name for name, owned in (*ends, *loopbacks) if ip_interface(owned).ip == address), "")


def _prefix_text(prefix: Network) -> str:
    return "default" if prefix == DEFAULT_ROUTES[4] else str(prefix)


def _name_of(prefix: Network) -> str:
    return "the default route" if prefix.prefixlen == 0 else f"the route {prefix}"


def _id_of(prefix: Network) -> str:
    return "default" if prefix.prefixlen == 0 else str(prefix)
