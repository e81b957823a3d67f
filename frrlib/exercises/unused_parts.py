"""The parts of a student's topology that do not count, as sentences for the teacher.

`permitted` leaves them out before a lab starts. Equal topologies give equal sentences, in the order of the topology.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from frrlib.exercises.permitted import (
    FLOW_FIELDS,
    HOST_FIELDS,
    QUEUE_FIELDS,
    ROUTER_FIELDS,
    Changeable,
    links_by_pair,
)
from frrlib.model.base import Value
from frrlib.model.links import End, Link
from frrlib.model.nodes import Host, Node, Router
from frrlib.model.topology import Topology
from frrlib.model.traffic.waiting_kinds import Command

#: The number of sentences about one submission; further parts are only counted.
_MOST = 30
#: Fields that no lab depends on, or that a rename or an import changes.
_NEUTRAL = {"kind", "name", "x", "y", "number", "original_name", "label", "colour", "foreign"}
_NEUTRAL_OF_LINKS = {"id", "a", "b", "a_to_b", "b_to_a", "foreign"}
_END_FIELDS = {"node", "addresses", "interface", "ospf_cost"}
#: Lists of a topology: what one entry is, and the reason why it does not count.
_LISTS = {
    "shown_folders": ("folder", "not shown to the lab"),
    "copied_folders": ("folder", "not copied into the lab"),
    "kernel_modules": ("kernel module", "not compiled and not loaded"),
    "kernel_parameters": ("kernel parameter", "not set"),
    "faults": ("planned fault", "not made"),
}


def unused_parts(
    start: Topology, submitted: Topology, locked: Collection[str] = (), changeable: Collection[Changeable] = ()
) -> tuple[str, ...]:
    """The parts of a student's topology that do not count, one clause each ("2 start commands of r1 were not run").

    Positions, colors and names do not matter. Nodes and links that were added have no clause of their own, except for
    their commands: `permitted` refuses such a topology.

    Args:
        start, submitted, locked, changeable: as for `permitted`.
    """
    clauses = list(dict.fromkeys(_all(start, submitted, locked, changeable)))
    more = len(clauses) - _MOST
    return (*clauses[:_MOST], *([f"{more} more parts were not used"] if more > 0 else []))


def _all(
    start: Topology, submitted: Topology, locked: Collection[str], changeable: Collection[Changeable]
) -> Iterator[str]:
    for node in submitted.nodes:
        yield from _of_node(start.node(node.name), node, locked)
    own_links = links_by_pair(submitted)
    for pair, group in links_by_pair(start).items():
        for link, submitted_link in zip(group, own_links[pair], strict=False):
            yield from _of_link(link, submitted_link, locked, "queues" in changeable)
    yield from _of_flows(start, submitted, "congestion-control" in changeable)
    for name, (noun, reason) in _LISTS.items():
        known = getattr(start, name)
        yield from _counted(sum(value not in known for value in getattr(submitted, name)), noun, reason)


def _counted(count: int, noun: str, reason: str, place: str = "") -> Iterator[str]:
    if count:
        place = f" of {place}" if place else ""
        yield f"{count} {noun}{'' if count == 1 else 's'}{place} {'was' if count == 1 else 'were'} {reason}"


# --- nodes ------------------------------------------------------------------------------------------------------------


def _of_node(node: Node | None, own: Node, locked: Collection[str]) -> Iterator[str]:
    name = own.name
    for field, noun in (("start_command", "start command"), ("stop_command", "stop command")):
        text = getattr(own, field)
        if text != getattr(node, field, ""):
            yield from _counted(_lines(text), noun, "not run", name)
    if node is None or node.kind != own.kind:
        return
    counting = ROUTER_FIELDS if isinstance(own, Router) else HOST_FIELDS if isinstance(own, Host) else ()
    commands = ("start_command", "stop_command")
    if changed := _changed(node, own, {*_NEUTRAL, *commands, *counting, "controllers"}):
        yield f"changed settings of {name} were not used ({', '.join(changed)})"
    if name in locked and _changed(node, own, set(type(own).model_fields) - set(counting)):
        yield f"changed settings of {name} were not used, because it is locked"


def _lines(text: str) -> int:
    """The number of commands in a text: its lines that are not empty."""
    return sum(bool(line.strip()) for line in text.splitlines())


def _changed(value: Value, own: Value, ignored: Collection[str]) -> list[str]:
    """The names of the fields that differ, in words."""
    return [
        name.replace("_", " ")
        for name in type(own).model_fields
        if name not in ignored and getattr(own, name) != getattr(value, name)
    ]


# --- links and flows --------------------------------------------------------------------------------------------------


def _of_link(link: Link, own: Link, locked: Collection[str], has_own_queues: bool) -> Iterator[str]:
    names = f"{link.a.node} and {link.b.node}"
    changed = _changed(link, own, _NEUTRAL_OF_LINKS)
    own_ends = {end.node: (end, shape) for end, _, shape in own.directions}
    for end, _, shape in link.directions:
        own_end, own_shape = own_ends[end.node]
        queues = QUEUE_FIELDS if has_own_queues and end.node not in locked else ()
        changed += [*_changed(end, own_end, _END_FIELDS), *_changed(shape, own_shape, queues)]
        if end.node in locked and _addressing(end) != _addressing(own_end):
            yield f"changed addresses of {end.node} at the link between {names} were not used, because it is locked"
    if changed:
        yield f"changed values of the link between {names} were not used ({', '.join(dict.fromkeys(changed))})"


def _addressing(end: End) -> tuple[Any, ...]:
    return end.addresses, end.ospf_cost


def _of_flows(start: Topology, submitted: Topology, has_own_control: bool) -> Iterator[str]:
    flows = {flow.id: flow for flow in start.flows}
    commands = changed = 0
    for submitted_flow in submitted.flows:
        flow = flows.get(submitted_flow.id)
        if isinstance(submitted_flow.traffic, Command) and (flow is None or submitted_flow.traffic != flow.traffic):
            commands += bool(submitted_flow.traffic.command) + bool(submitted_flow.traffic.server)
        elif flow is None or _changed(flow, submitted_flow, {"colour", *(FLOW_FIELDS if has_own_control else ())}):
            changed += 1
    yield from _counted(commands, "command", "not run", "flows")
    missing = len(flows.keys() - {flow.id for flow in submitted.flows})
    yield from _counted(changed + missing, "changed flow", "not used")
