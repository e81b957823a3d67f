"""Rules on the ends, times and paths of flows, and on commands of nodes and flows."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from frrlib.checks.facts import Facts, Rule, contains
from frrlib.model.flows import Flow
from frrlib.model.nodes import Host, Router
from frrlib.model.problem import Problem, error, note, warning
from frrlib.model.traffic.kinds import Command

#: Every flow has its own TCP port, starting from 40001.
_MOST_FLOWS = 25_000


def flow_ends(facts: Facts) -> Iterator[Problem]:
    """A flow goes from one host or router to another one that has an address."""
    for flow in facts.drawn.flows:
        if flow.source == flow.destination:
            message = f"{flow.source} is also the source"
            yield error("flow-to-itself", flow.id, "destination", message, "choose another node")
        for field, name in (("source", flow.source), ("destination", flow.destination)):
            node = facts.nodes.get(name)
            if node is None:
                yield error("no-node", flow.id, field, f"there is no node {name}", _offer(facts))
            elif not isinstance(node, Host | Router):
                message = f"{name} is a {node.kind}, which cannot send or receive flows"
                yield error("no-end-system", flow.id, field, message, "choose a host or a router")
            elif not facts.addresses(name):
                message = f"{name} has no interface with an address"
                yield error("no-address", flow.id, field, message, f"link {name} to a network")


def _offer(facts: Facts) -> str:
    names = [name for name, node in facts.nodes.items() if isinstance(node, Host)]
    return f"choose a node such as {', '.join(names[:3])}" if names else "draw a host"


def flow_times(facts: Facts) -> Iterator[Problem]:
    """Flows of iperf3 last for whole seconds. It would silently drop a fraction."""
    for flow in facts.drawn.flows:
        if flow.with_iperf3 and flow.duration_s is not None and flow.duration_s % 1:
            message = f"{flow.duration_s:g} s is not a whole number of seconds, but iperf3 sends for whole seconds only"
            right = f"use {max(1, round(flow.duration_s))} s, or a size, or Sent by our own"
            yield error("fraction", flow.id, "duration_s", message, right)


def flow_paths(facts: Facts) -> Iterator[Problem]:
    """Links lead from source to destination, and the hosts have a route."""
    reach: dict[str, set[str]] = {}
    live: dict[str, set[str]] = {}
    for flow in facts.drawn.flows:
        ends = [facts.nodes.get(name) for name in (flow.source, flow.destination)]
        if flow.source == flow.destination or not all(isinstance(end, Host | Router) for end in ends):
            continue
        if flow.source not in reach:
            reach[flow.source] = _reachable(facts, flow.source, with_down=True)
            live[flow.source] = _reachable(facts, flow.source, with_down=False)
        if flow.destination not in reach[flow.source]:
            message = f"no path of links leads from {flow.source} to {flow.destination}"
            yield error("no-path", flow.id, "", message, "connect them through switches or routers")
        else:
            if flow.destination not in live[flow.source]:
                message = f"every path from {flow.source} to {flow.destination} has a link that is down at the start"
                yield warning("path-down", flow.id, "", message, "set a link of the path up at the start")
            yield from _ways(facts, flow)


def _reachable(facts: Facts, start: str, with_down: bool) -> set[str]:
    """Nodes to which links lead. Hosts and controllers do not forward packets."""
    seen, queue = {start}, deque([start])
    while queue:
        name = queue.popleft()
        node = facts.nodes.get(name)
        if node is None or (name != start and node.kind in ("host", "controller")):
            continue
        for link, end in facts.ends.get(name, ()):
            other = (link.b if end is link.a else link.a).node
            if (link.up or with_down) and other not in seen:
                seen.add(other)
                queue.append(other)
    return seen


def _ways(facts: Facts, flow: Flow) -> Iterator[Problem]:
    for name, far in ((flow.source, flow.destination), (flow.destination, flow.source)):
        node = facts.nodes[name]
        if not isinstance(node, Host) or node.default_route is not None:
            continue
        targets = facts.addresses(far)
        if targets and not any(contains(facts.networks(name), target.ip) for target in targets):
            message = f"{name} has no default route, and {far} is in none of its networks"
            yield warning("no-default-route", flow.id, "", message, f"set a default route at {name}")


def many_flows(facts: Facts) -> Iterator[Problem]:
    """The number of flows does not exceed the number of ports."""
    total = sum(flow.count * flow.streams for flow in facts.drawn.flows)
    if total > _MOST_FLOWS:
        yield error("many-flows", "", "flows", f"there are {total} in total", f"use at most {_MOST_FLOWS}")


def commands(facts: Facts) -> Iterator[Problem]:
    """Commands of the topology are shown, so that nobody runs one unknowingly."""
    for node in facts.drawn.nodes:
        for field in ("start_command", "stop_command"):
            yield from _command(node.name, field, getattr(node, field))
    for flow in facts.drawn.flows:
        if isinstance(flow.traffic, Command):
            yield from _command(flow.id, "traffic.command", flow.traffic.command)
            yield from _command(flow.id, "traffic.server", flow.traffic.server)


def _command(name: str, field: str, text: str) -> Iterator[Problem]:
    if text.strip():
        shown = text if len(text) <= 60 else f"{text[:57]}..."
        yield note("command", name, field, f"{shown!r} runs in the lab only")


RULES: tuple[Rule, ...] = (
    flow_ends,
    flow_times,
    flow_paths,
    many_flows,
    commands,
)
