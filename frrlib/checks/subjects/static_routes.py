"""Static routes: their next hops, and the path of a packet from one static route to the next."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from frrlib.checks.facts import Facts, contains, has_own_lines
from frrlib.checks.kinds import CheckSubject, error, warning
from frrlib.checks.subjects.gateways import FAR_GATEWAY, NO_GATEWAY, OWN_GATEWAY, host_with_address
from frrlib.model.base import IpAddress
from frrlib.model.nodes import Router
from frrlib.model.problem import Problem
from frrlib.model.protocols.common import PROTOCOLS, holds
from frrlib.model.routing import Network, StaticRoute, Vrf

SUBJECT = CheckSubject()
MIXED_ROUTE = SUBJECT.kind(
    "mixed-route",
    "A static route mixes IPv4 and IPv6.",
    "FRR refuses it.",
    "Use a next hop of the same address family as the prefix.",
)
ROUTE_LOOP = SUBJECT.kind(
    "route-loop",
    "Static routes to one prefix lead from router to router in a circle.",
    "Packets circulate until their TTL is 0, and are dropped.",
    "Choose a next hop that is nearer to the destination.",
)
DEAD_END = SUBJECT.kind(
    "dead-end",
    "The next hop of a static route is a router without a route to the prefix.",
    "That router drops the packets, and reports to the sender that the network is unreachable.",
    "Add a route on that router, or choose another next hop.",
)


@dataclass(frozen=True, eq=False)
class _Table:
    """A routing table of a router.

    Attributes:
        router: the router.
        holder: the owner of its settings: the router, or one of its VRFs.
        connected: the networks of its interfaces and loopbacks.
    """

    router: Router
    holder: Router | Vrf
    connected: tuple[Network, ...]

    @property
    def vrf(self) -> str:
        """The name of its VRF; empty for the default table."""
        return self.holder.name if isinstance(self.holder, Vrf) else ""

    @property
    def field(self) -> str:
        """The field of its static routes."""
        return "vrfs" if self.vrf else "static_routes"

    @cached_property
    def static_routes(self) -> RouteIndex:
        """Its static routes by prefix."""
        return RouteIndex(self.holder.static_routes)

    @property
    def may_have_other_routes(self) -> bool:
        """Whether it may have routes that are neither connected nor static."""
        router = self.router
        return bool(has_own_lines(router) or router.start_command.strip() or router.daemons) or _may_learn(self.holder)


class RouteIndex:
    """Static routes by prefix. A search through all routes for each of them would take minutes for some thousands."""

    def __init__(self, routes: Iterable[StaticRoute]) -> None:
        self._by_prefix: dict[Network, list[StaticRoute]] = {}
        for route in routes:
            self._by_prefix.setdefault(route.prefix, []).append(route)
        self._prefixes = {
            version: sorted(prefix for prefix in self._by_prefix if prefix.version == version) for version in (4, 6)
        }
        self._lengths = {version: {prefix.prefixlen for prefix in self._prefixes[version]} for version in (4, 6)}

    def overlapping(self, prefix: Network) -> list[StaticRoute]:
        """The routes to networks that contain a prefix, or are inside of it."""
        containing = [
            prefix.supernet(new_prefix=length) for length in self._lengths[prefix.version] if length < prefix.prefixlen
        ]
        prefixes = self._prefixes[prefix.version]
        first = bisect_left(prefixes, int(prefix.network_address), key=_first_address)
        end = bisect_right(prefixes, int(prefix.broadcast_address), key=_first_address)
        inside = [other for other in prefixes[first:end] if other.prefixlen >= prefix.prefixlen]
        return [route for other in (*containing, *inside) for route in self._by_prefix.get(other, ())]


def _first_address(prefix: Network) -> int:
    return int(prefix.network_address)


def _may_learn(holder: Router | Vrf) -> bool:
    """Whether a table may learn routes from a protocol, through which a next hop further away is reachable."""
    return any(getattr(holder, protocol, None) for protocol in PROTOCOLS)


def _tables(facts: Facts) -> list[_Table]:
    tables = []
    for router in facts.routers():
        ends = [end for _, end in facts.ends.get(router.name, ())]
        for holder in router.tables:
            vrf = holder.name if isinstance(holder, Vrf) else ""
            addresses = [a for end in ends if router.vrf_of(end.interface) == vrf for a in end.addresses]
            addresses += [] if vrf else router.loopbacks
            tables.append(_Table(router, holder, tuple(address.network for address in addresses)))
    return tables


@SUBJECT.rule(MIXED_ROUTE, OWN_GATEWAY, FAR_GATEWAY, NO_GATEWAY)
def static_routes(facts: Facts) -> Iterator[Problem]:
    """The next hop of a static route has the family of its prefix and can be reached."""
    for router in facts.routers():
        for table in router.tables:
            yield from _check_next_hops(facts, router, table)


def _check_next_hops(facts: Facts, router: Router, table: Router | Vrf) -> Iterator[Problem]:
    """Check the static routes of one routing table of a router."""
    vrf = table.name if isinstance(table, Vrf) else ""
    field = "vrfs" if vrf else "static_routes"
    ends = [end for _, end in facts.ends.get(router.name, ()) if router.vrf_of(end.interface) == vrf]
    networks = [address.network for end in ends for address in end.addresses]
    own_addresses = [address.ip for address in facts.all_addresses(router)]
    for route in table.static_routes:
        if isinstance(route.via, str):
            continue  # a blackhole or reject route has no next hop
        title = _title(route, vrf)
        if route.prefix.version != route.via.version:
            remedy = "use a next hop of the same address family as the prefix"
            yield error(MIXED_ROUTE, router.name, field, f"{title} mixes IPv4 and IPv6", remedy)
        elif route.via in own_addresses:
            remedy = "choose the address of the next router"
            message = f"{title}: the next hop is an address of {router.name} itself"
            yield error(OWN_GATEWAY, router.name, field, message, remedy)
        elif route.via.is_link_local:
            continue
        elif not contains(networks, route.via):
            make = warning if has_own_lines(router) or _may_learn(table) else error
            message = f"{title}: no interface is in the network of {route.via}"
            yield make(FAR_GATEWAY, router.name, field, message, "choose the address of a neighboring router")
        elif route.via not in facts.owners:
            message = f"{title}: no node has the address {route.via}"
            yield warning(NO_GATEWAY, router.name, field, message, "choose the address of a router")
        elif host := host_with_address(facts, route.via):
            message = f"{title}: {route.via} is the host {host}, which does not forward packets"
            yield warning(NO_GATEWAY, router.name, field, message, "choose the address of a router")


def _title(route: StaticRoute, vrf: str) -> str:
    return f"{route.prefix} via {route.via}" + (f" in {vrf}" if vrf else "")


# --- from one static route to the next --------------------------------------------------------------------------------


class _NextHops:
    """The tables behind the next hops of static routes, and the distances of routers.

    Args:
        facts: the facts of the topology.
    """

    def __init__(self, facts: Facts) -> None:
        self.tables = _tables(facts)
        self._by_vrf = {(table.router.name, table.vrf): table for table in self.tables}
        self._at_address: dict[IpAddress, _Table | None] = {}
        self._near: dict[str, set[str]] = {}
        for domain in facts.domains:
            places = [place for place in domain.ends if isinstance(place.node, Router)]
            names = {place.end.node for place in places}
            for place in places:
                assert isinstance(place.node, Router)
                self._near.setdefault(place.end.node, set()).update(names - {place.end.node})
                table = self._by_vrf.get((place.end.node, place.node.vrf_of(place.end.interface)))
                for address in place.end.addresses:
                    # A next hop with several owners is a problem of its own.
                    self._at_address[address.ip] = None if address.ip in self._at_address else table

    def after(self, route: StaticRoute) -> _Table | None:
        """The table that gets the packets of a route; None if it is unknown."""
        if isinstance(route.via, str) or route.via.is_link_local or route.via.version != route.prefix.version:
            return None
        return self._at_address.get(route.via)

    def distances(self, prefix: Network) -> dict[str, int]:
        """The number of hops of each router to a router with an interface in a prefix; empty if there is none."""
        start = [table.router.name for table in self.tables if any(prefix.overlaps(n) for n in table.connected)]
        found, queue = dict.fromkeys(start, 0), deque(start)
        while queue:
            name = queue.popleft()
            for neighbor in sorted(self._near.get(name, set()) - found.keys()):
                found[neighbor] = found[name] + 1
                queue.append(neighbor)
        return found


def _decides_alone(table: _Table, prefix: Network) -> StaticRoute | str:
    """The one static route of a table for all of a prefix; "none" without any route, "other" for all other cases."""
    if table.may_have_other_routes or any(prefix.overlaps(network) for network in table.connected):
        return "other"
    routes = table.static_routes.overlapping(prefix)
    if any(not holds(route.prefix, prefix) for route in routes):
        return "other"
    if not routes:
        return "none"
    length = max(route.prefix.prefixlen for route in routes)
    longest = [route for route in routes if route.prefix.prefixlen == length]
    distance = min(route.distance or 1 for route in longest)
    best = [route for route in longest if (route.distance or 1) == distance]
    return best[0] if len(best) == 1 else "other"


@SUBJECT.rule(ROUTE_LOOP, DEAD_END)
def paths(facts: Facts) -> Iterator[Problem]:
    """Static routes lead to their prefixes. Tables that may have other routes are not judged."""
    next_hops = _NextHops(facts)
    for table in next_hops.tables:
        for route in dict.fromkeys(table.holder.static_routes):
            if _decides_alone(table, route.prefix) != route:
                continue
            following = next_hops.after(route)
            if following is None or following.router is table.router:
                continue
            if _decides_alone(following, route.prefix) == "none":
                yield _dead_end(next_hops, table, route, following)
            elif circle := _circle(next_hops, table, route):
                distances = next_hops.distances(route.prefix)
                if _is_nearer(distances, following, table):
                    continue  # another router of the circle has the wrong next hop
                names = " → ".join(item.router.name for item in (*circle, circle[0]))
                message = f"{_title(route, table.vrf)}: packets circulate along {names}"
                remedy = "choose a next hop that is nearer to the destination"
                yield warning(ROUTE_LOOP, table.router.name, table.field, message, remedy)


def _dead_end(next_hops: _NextHops, table: _Table, route: StaticRoute, following: _Table) -> Problem:
    """The problem at the router that lacks a route, or at that with the next hop if it leads away from the prefix."""
    name = following.router.name
    if _is_nearer(next_hops.distances(route.prefix), following, table):
        message = f"has no route to {route.prefix}, so it drops the packets that {table.router.name} sends to it"
        return warning(DEAD_END, name, following.field, message, f"add a static route to {route.prefix}")
    message = f"{_title(route, table.vrf)}: {name} has no route to {route.prefix}, so it drops the packets"
    return warning(DEAD_END, table.router.name, table.field, message, f"choose another next hop, or add one at {name}")


def _is_nearer(distances: dict[str, int], one: _Table, other: _Table) -> bool:
    """Whether a router is nearer to a prefix than another one."""
    far = len(distances) + 1
    return distances.get(one.router.name, far) < distances.get(other.router.name, far)


def _circle(next_hops: _NextHops, start: _Table, route: StaticRoute) -> list[_Table]:
    """The tables along a circle of static routes that returns to its start; empty if there is none."""
    circle, decision = [start], route
    while True:
        table = next_hops.after(decision)
        if table is start:
            return circle
        if table is None or table in circle:
            return []
        circle.append(table)
        following = _decides_alone(table, route.prefix)
        if isinstance(following, str):
            return []
        decision = following
