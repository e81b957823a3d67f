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
        own = start.node(host.name)
        if isinstance(own, Host) and host.default_route is not None and host.default_route != own.default_route:
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
    def pairs(forwarding: Forwarding) -> dict[tuple[str, str, str], None]:
        return {(a.protocol, *sorted((a.router, a.neighbor))): None for a in forwarding.adjacencies}  # type: ignore[misc]

    earlier = pairs(start)
    for protocol, node, neighbor in pairs(solution):
        if (protocol, node, neighbor) in earlier:
            continue
        words = PROTOCOL_WORDS[protocol]
        message = f"{words} must run on both ends, with settings that fit together, such as areas, timers and keys."
        check = Neighbor.model_validate({
            "kind": "neighbor", "id": identifier(node, neighbor, protocol), "node": node, "neighbor": neighbor,
            "protocol": protocol, "title": f"{node} and {neighbor} are {words} neighbors", "within_s": _PROTOCOL_S,
            "message": _NEIGHBOR_MESSAGES.get(protocol, message),
        })  # fmt: skip
        yield Candidate(check, NEIGHBORS)


def _learned_routes(start: Forwarding, solution: Forwarding) -> Iterator[Candidate]:
    topology = solution.topology
    wanted = _networks_of_hosts(topology)
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
        is_at_edge = bool(wanted & connected_networks(topology, name))
        is_proposed = route.protocol == "bgp" or prefix.prefixlen == 0 or (prefix in wanted and is_at_edge)
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
            route, own = table[prefix], earlier.get(prefix)
            if own is not None and own.protocol == route.protocol not in ("static", "bgp"):
                continue  # a changed path is a check of its own
            if own is None or own != route:
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
    """Paths where the links permit several, then pings."""
    pings: list[Candidate] = []
    for source, destination in _pairs(solution.topology):
        there, back = solution.path(source, destination), solution.path(destination, source)
        old = start.path(source, destination), start.path(destination, source)
        is_symmetric = there.nodes == back.nodes[::-1] and there.state == back.state == "arrives"
        if solution.has_choice(source, destination):
            for path, own in zip((there, back), old, strict=True):
                if path.state == "arrives" and path != own and not (is_symmetric and path is back):
                    yield _path(path, own, both_ways=is_symmetric)
        reached = [path.state == "arrives" for path in (there, back)]
        reached_before = [path.state == "arrives" for path in old]
        if all(reached_before) and any(path.state == "stops" for path in (there, back)):
            pings.append(_ping(source, destination, reachable=False, is_certain=False))
        elif not all(reached_before):
            is_certain = all(reached) and any(path.state == "stops" for path in old)
            pings.append(_ping(source, destination, reachable=True, is_certain=is_certain))
    yield from pings


def _path(path: PredictedPath, earlier: PredictedPath, *, both_ways: bool) -> Candidate:
    source, destination = path.nodes[0], path.nodes[-1]
    between = "-".join(path.nodes[1:-1])
    direction = "between" if both_ways else "from"
    joined = "and" if both_ways else "to"
    check = PathCheck(
        kind="path", id=identifier(source, destination, "path"), path=path.nodes, both_ways=both_ways, points=2,
        title=f"The path {direction} {source} {joined} {destination} is {between}", within_s=_PROTOCOL_S,
        message="Packets take another path. Compare the costs, or the attributes, of the possible paths.",
    )  # fmt: skip
    return Candidate(check, PATHS, is_certain=earlier.state != "unknown")


def _ping(source: str, destination: str, *, reachable: bool, is_certain: bool) -> Candidate:
    if reachable:
        title = f"{source} reaches {destination}"
        message = "Packets or their replies are lost. Look at the routes on the path, in both directions."
    else:
        title, message = f"{source} does not reach {destination}", "Packets and replies still arrive."
    check = Ping(
        kind="ping", id=identifier(source, destination, "ping" if reachable else "no-ping"), source=source, points=2,
        destination=destination, reachable=reachable, title=title, message=message, within_s=_PROTOCOL_S,
    )  # fmt: skip
    return Candidate(check, PINGS if reachable else ABSENT, is_certain=is_certain)


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
    loopbacks = ((node.name, own) for node in topology.routers for own in node.loopbacks)
    ends = ((end.node, own) for link in topology.links for end in link.ends for own in end.addresses)
    return next((name for name, own in (*ends, *loopbacks) if ip_interface(own).ip == address), "")


def _prefix_text(prefix: Network) -> str:
    return "default" if prefix == DEFAULT_ROUTES[4] else str(prefix)


def _name_of(prefix: Network) -> str:
    return "the default route" if prefix.prefixlen == 0 else f"the route {prefix}"


def _id_of(prefix: Network) -> str:
    return "default" if prefix.prefixlen == 0 else str(prefix)
