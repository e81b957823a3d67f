"""The paths of flows over time, by the routes that each router reported."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from frrlib.replay.wiring import Direction, IpAddress, Wiring
from frrlib.results.layout import FlowInfo
from frrlib.results.records import Event, Results

#: With more changes of routes than this, no paths are computed, because they would take too long.
MOST_CHANGES = 20_000
#: The most directions of one path, which may branch where a router has several next hops.
_MOST_DIRECTIONS = 200
#: The most states of all paths together; later changes are not shown.
_MOST_STATES = 2000
_Network = IPv4Network | IPv6Network
_HOP = re.compile(r"(?:([0-9a-fA-F.:]+) )?([^\s,]+)")


@dataclass(frozen=True)
class PathState:
    """The path of a flow from a time on.

    Attributes:
        time_s: the time in seconds of the run.
        directions: the names of the directions of links on it.
        words: the path as text ("h1 → r1 → h2").
        is_complete: whether it reaches the destination.
    """

    time_s: float
    directions: tuple[str, ...]
    words: str
    is_complete: bool = True


@dataclass(frozen=True)
class _NextHop:
    gateway: IpAddress | None
    interface: str


class _Tables:
    """The routes of all routers at a moment; only those of the main table."""

    def __init__(self) -> None:
        self._routes: dict[str, dict[_Network, tuple[_NextHop, ...]]] = {}

    def take(self, event: Event) -> None:
        """Apply an event of a route. One that cannot be read changes nothing."""
        try:
            prefix = ip_network(event.text, strict=False)
        except ValueError:
            return
        _, _, via = event.detail.partition("via ")
        if " table " in f" {event.detail}":
            return
        table = self._routes.setdefault(event.subject, {})
        if event.what == "added":
            table[prefix] = tuple(_next_hops(via))
        else:
            table.pop(prefix, None)

    def best(self, router: str, address: IpAddress) -> tuple[_NextHop, ...]:
        """The next hops of the most specific route; empty without a route."""
        matches = [
            prefix for prefix in self._routes.get(router, {}) if prefix.version == address.version and address in prefix
        ]
        return self._routes[router][max(matches, key=lambda prefix: prefix.prefixlen)] if matches else ()


def flow_paths(
    results: Results, wiring: Wiring, flows: Iterable[FlowInfo], begin_s: float
) -> dict[str, list[PathState]]:
    """The path of each flow as it changed, by the flow's id; without flows whose path is not known.

    A path that the run recorded as the only possible one holds throughout. Other paths follow the routes.

    Args:
        begin_s: the start of the replay; of the paths before, only the last is kept.
    """
    planned = [flow for flow in flows if flow.source and flow.address]
    paths = {flow.id: [_recorded(flow, wiring)] for flow in planned if flow.path and flow.path.forward}
    open_flows = [flow for flow in planned if flow.id not in paths]
    changes = [event for event in results.events if event.kind == "route" and not math.isnan(event.time_s)]
    if open_flows and changes and len(changes) <= MOST_CHANGES:
        for flow in open_flows:
            paths[flow.id] = []
        _follow(sorted(changes, key=lambda event: event.time_s), wiring, open_flows, paths)
    in_run = {name: _from(states, begin_s) for name, states in paths.items()}
    return {name: states for name, states in in_run.items() if any(state.directions for state in states)}


def _from(states: Sequence[PathState], begin_s: float) -> list[PathState]:
    """The states from a time on, and the one that holds then."""
    before = [state for state in states if state.time_s <= begin_s]
    return [*before[-1:], *(state for state in states if state.time_s > begin_s)]


def _recorded(flow: FlowInfo, wiring: Wiring) -> PathState:
    names = flow.path.forward if flow.path else ()
    known = [wiring.directions[name] for name in names if name in wiring.directions]
    return PathState(-math.inf, tuple(direction.name for direction in known), _words(flow, known, {flow.destination}))


def _follow(
    changes: Sequence[Event], wiring: Wiring, flows: Sequence[FlowInfo], paths: dict[str, list[PathState]]
) -> None:
    tables = _Tables()
    for number, event in enumerate(changes):
        tables.take(event)
        if number + 1 < len(changes) and changes[number + 1].time_s == event.time_s:
            continue
        if sum(len(states) for states in paths.values()) > _MOST_STATES:
            for flow in flows:
                paths[flow.id].append(PathState(event.time_s, (), "not computed from here on: too many changes"))
            return
        made: dict[tuple[str, str, str], PathState] = {}
        for flow in flows:
            key = flow.source, flow.interface, flow.address
            if key not in made:
                made[key] = _path(tables, wiring, flow, event.time_s)
            states = paths[flow.id]
            if not states or states[-1].directions != made[key].directions or states[-1].words != made[key].words:
                states.append(made[key])


def _path(tables: _Tables, wiring: Wiring, flow: FlowInfo, time_s: float) -> PathState:
    """The path at a moment: from router to router, with all branches where there are several next hops."""
    try:
        destination = ip_address(flow.address)
    except ValueError:
        return PathState(time_s, (), "", is_complete=False)
    owner = wiring.owner(destination)
    directions: dict[str, Direction] = {}
    seen: set[str] = {owner}
    waiting, ended = [flow.source], set[str]()
    while waiting and len(directions) < _MOST_DIRECTIONS:
        node = waiting.pop(0)
        if node in seen:
            ended |= {node} & {owner}
            continue
        seen.add(node)
        for hops in _leaving(tables, wiring, flow, node, destination):
            directions |= {direction.name: direction for direction in hops}
            ended |= {hops[-1].receiver} & {owner}
            waiting.append(hops[-1].receiver)
    return PathState(time_s, tuple(directions), _words(flow, [*directions.values()], ended), bool(ended))


def _leaving(
    tables: _Tables, wiring: Wiring, flow: FlowInfo, node: str, destination: IpAddress
) -> Iterator[list[Direction]]:
    """The ways from a node to the next one: from a host by its gateway, from a router by its routes."""
    routes = tables.best(node, destination)
    if not routes and node == flow.source:
        interface = flow.interface or next((item.interface for item in wiring.leaving(node)), "")
        routes = (_NextHop(wiring.next_hop(node, interface, destination), interface),)
    for route in routes:
        if hops := wiring.hop(node, route.interface, route.gateway or destination):
            yield hops


def _next_hops(text: str) -> Iterator[_NextHop]:
    """The next hops in the event of a route: "10.0.1.2 r1-eth0, 10.0.5.5 r1-eth1"; without an address if connected."""
    for part in text.split(", "):
        match = _HOP.match(part.strip())
        if match is None:
            continue
        try:
            gateway = ip_address(match[1]) if match[1] else None
        except ValueError:
            continue
        yield _NextHop(gateway, match[2])


def _words(flow: FlowInfo, directions: Sequence[Direction], ended: set[str]) -> str:
    """A path as text. Where it branches, the words say so; where it ends early, too."""
    after: dict[str, list[str]] = {}
    for direction in directions:
        after.setdefault(direction.sender, []).append(direction.receiver)
    nodes = [flow.source]
    while len(after.get(nodes[-1], [])) == 1 and after[nodes[-1]][0] not in nodes:
        nodes.append(after[nodes[-1]][0])
    words = " → ".join(nodes)
    following = after.get(nodes[-1], [])
    if len(following) > 1:
        return f"{words}, then by {' or '.join(following)}"
    if following:
        return f"{words} → {following[0]}, a loop"
    return words if ended else f"{words}, no route further"
