"""Ends, times and paths of flows."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from frrlib.checks.facts import Facts, contains
from frrlib.checks.fix import Fix, duration_fix
from frrlib.checks.kinds import CheckSubject, error, warning
from frrlib.checks.subjects.addresses import NO_ADDRESS
from frrlib.checks.subjects.gateways import NO_DEFAULT_ROUTE
from frrlib.model.flows import Flow
from frrlib.model.nodes import Host, Router
from frrlib.model.problem import Problem

SUBJECT = CheckSubject()
#: Every flow has its own TCP port, starting from 40001.
_MOST_FLOWS = 25_000
FLOW_TO_ITSELF = SUBJECT.kind(
    "flow-to-itself",
    "Source and destination of a flow are the same node.",
    "The flow crosses no link.",
    "Choose another source or destination.",
)
NO_NODE = SUBJECT.kind(
    "no-node",
    "A flow refers to a node that is not in the topology.",
    "The flow cannot be sent.",
    "Draw the node, or choose another one.",
)
NO_END_SYSTEM = SUBJECT.kind(
    "no-end-system",
    "A flow starts or ends at a switch or a controller.",
    "Switches and controllers have no address in the networks of the topology.",
    "Choose a host or a router.",
)
FRACTION = SUBJECT.kind(
    "fraction",
    "The duration of a flow is not a whole number of seconds.",
    "iperf3 sends for whole seconds. It would drop the fraction without a message.",
    "Enter whole seconds, or a size in bytes.",
)
NO_PATH = SUBJECT.kind(
    "no-path",
    "No path of links leads from the source of a flow to its destination.",
    "The flow would fail after a timeout. Hosts do not forward packets.",
    "Connect both through switches or routers.",
)
PATH_DOWN = SUBJECT.kind(
    "path-down",
    "Every path of a flow has a link that is down when the lab starts.",
    "The flow fails, unless a planned fault brings the link up in time.",
    "Set a link of the path up at the start.",
)
MANY_FLOWS = SUBJECT.kind(
    "many-flows",
    "The topology has more flows than available ports.",
    "Each flow has its own TCP port, starting from 40001.",
    "Reduce the number of flows.",
)


@SUBJECT.rule(FLOW_TO_ITSELF, NO_NODE, NO_END_SYSTEM, NO_ADDRESS)
def flow_ends(facts: Facts) -> Iterator[Problem]:
    """A flow goes from one host or router to another one that has an address."""
    for flow in facts.topology.flows:
        if flow.source == flow.destination:
            message = f"{flow.source} is also the source"
            yield error(FLOW_TO_ITSELF, flow, "destination", message, "choose another node")
        for field, name in (("source", flow.source), ("destination", flow.destination)):
            node = facts.nodes.get(name)
            if node is None:
                yield error(NO_NODE, flow, field, f"there is no node {name}", _suggest_hosts(facts))
            elif not isinstance(node, Host | Router):
                message = f"{name} is a {node.kind}, which cannot send or receive flows"
                yield error(NO_END_SYSTEM, flow, field, message, "choose a host or a router")
            elif not facts.addresses(name):
                message = f"{name} has no interface with an address"
                yield error(NO_ADDRESS, flow, field, message, f"link {name} to a network")


def _suggest_hosts(facts: Facts) -> str:
    names = [name for name, node in facts.nodes.items() if isinstance(node, Host)]
    return f"choose a node such as {', '.join(names[:3])}" if names else "draw a host"


@SUBJECT.rule(FRACTION)
def flow_times(facts: Facts) -> Iterator[Problem]:
    """Flows of iperf3 last for whole seconds. It would silently drop a fraction."""
    for flow in facts.topology.flows:
        if flow.with_iperf3 and flow.duration_s is not None and flow.duration_s % 1:
            message = f"{flow.duration_s:g} s is not a whole number of seconds, but iperf3 sends for whole seconds only"
            remedy = f"use {max(1, round(flow.duration_s))} s, or a size, or Sent by our own"
            yield error(FRACTION, flow, "duration_s", message, remedy)


@SUBJECT.rule(NO_PATH, PATH_DOWN, NO_DEFAULT_ROUTE)
def flow_paths(facts: Facts) -> Iterator[Problem]:
    """Links lead from source to destination, and the hosts have a route."""
    reach: dict[str, set[str]] = {}
    live: dict[str, set[str]] = {}
    for flow in facts.topology.flows:
        ends = [facts.nodes.get(name) for name in (flow.source, flow.destination)]
        if flow.source == flow.destination or not all(isinstance(end, Host | Router) for end in ends):
            continue
        if flow.source not in reach:
            reach[flow.source] = _reachable(facts, flow.source, with_down=True)
            live[flow.source] = _reachable(facts, flow.source, with_down=False)
        if flow.destination not in reach[flow.source]:
            message = f"no path of links leads from {flow.source} to {flow.destination}"
            yield error(NO_PATH, flow, "", message, "connect them through switches or routers")
        else:
            if flow.destination not in live[flow.source]:
                message = f"every path from {flow.source} to {flow.destination} has a link that is down at the start"
                yield warning(PATH_DOWN, flow, "", message, "set a link of the path up at the start")
            yield from _check_default_routes(facts, flow)


def _reachable(facts: Facts, start: str, with_down: bool) -> set[str]:
    """Nodes to which links lead. Hosts and controllers do not forward packets."""
    reached, queue = {start}, deque([start])
    while queue:
        name = queue.popleft()
        node = facts.nodes.get(name)
        if node is None or (name != start and node.kind in ("host", "controller")):
            continue
        for link, end in facts.ends.get(name, ()):
            neighbor = (link.b if end is link.a else link.a).node
            if (link.up or with_down) and neighbor not in reached:
                reached.add(neighbor)
                queue.append(neighbor)
    return reached


def _check_default_routes(facts: Facts, flow: Flow) -> Iterator[Problem]:
    for name, far in ((flow.source, flow.destination), (flow.destination, flow.source)):
        node = facts.nodes[name]
        if not isinstance(node, Host) or node.default_route is not None:
            continue
        targets = facts.addresses(far)
        if targets and not any(contains(facts.networks(name), target.ip) for target in targets):
            message = f"{name} has no default route, and {far} is in none of its networks"
            yield warning(NO_DEFAULT_ROUTE, flow, "", message, f"set a default route at {name}")


@SUBJECT.rule(MANY_FLOWS)
def many_flows(facts: Facts) -> Iterator[Problem]:
    """The number of flows does not exceed the number of ports."""
    total = sum(flow.count * flow.streams for flow in facts.topology.flows)
    if total > _MOST_FLOWS:
        yield error(MANY_FLOWS, "", "flows", f"there are {total} in total", f"use at most {_MOST_FLOWS}")


# --- fixes -----------------------------------------------------------------------------------------------------------


@SUBJECT.fix(FRACTION)
def _round_to_whole_seconds(facts: Facts, problem: Problem) -> Fix | None:
    flow = next(
        (
            candidate
            for candidate in facts.topology.flows
            if candidate.id == problem.node and (candidate.duration_s or 0) % 1
        ),
        None,
    )
    return duration_fix(facts, problem, float(max(1, round(flow.duration_s or 0)))) if flow else None
