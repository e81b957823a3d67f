"""The part of a student's topology that counts: routing, addresses and default routes of nodes that are not locked.

Everything else comes from the exercise's own start: nodes, links, rates and delays. So the commands, folders and kernel
modules that a stranger's file requests never reach the teacher's machine.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Any, Literal, TypeVar

from frrlib.exercises.errors import ExerciseError
from frrlib.model.base import Value
from frrlib.model.links import Link
from frrlib.model.nodes import Host, Node, Router
from frrlib.model.topology import Topology

#: Fields of a router that students do not set.
_NOT_OF_ROUTERS = {
    "kind", "name", "x", "y", "number", "original_name", "label", "colour", "start_command", "stop_command", "foreign",
    "controllers",
}  # fmt: skip
#: Fields of routers, queues, flows and hosts that students may set; those of queues and flows only if they are
#: changeable.
ROUTER_FIELDS = tuple(name for name in Router.model_fields if name not in _NOT_OF_ROUTERS)
#: Parts that an exercise may open to students besides these.
Changeable = Literal["queues", "congestion-control"]
QUEUE_FIELDS = ("queue", "queue_packets", "queue_bytes", "queue_ms", "queue_bdp")
FLOW_FIELDS = ("congestion_control", "ecn")
HOST_FIELDS = ("default_route", "vlan_interfaces")
_V = TypeVar("_V", bound=Value)
#: The ends of a link, in any order.
_Pair = frozenset[str]


def permitted(
    start: Topology, submitted: Topology, locked: Collection[str] = (), changeable: Collection[Changeable] = ()
) -> Topology:
    """The start of an exercise with the settings of a student's topology.

    Args:
        start: the exercise's start with the student's values.
        submitted: the student's topology.
        locked: nodes that keep the settings and addresses of the start.
        changeable: further parts that students may change.

    Raises:
        ExerciseError: a node or a link was added or removed; the message names the first one.
    """
    for difference in structural_differences(start, submitted):
        raise ExerciseError("", difference, "the nodes and links of the exercise must stay as they are")
    nodes = tuple(_node(node, submitted.node(node.name), locked) for node in start.nodes)
    submitted_links = links_by_pair(submitted)
    links = []
    for pair, group in links_by_pair(start).items():
        links += [
            _link(link, own, locked, "queues" in changeable)
            for link, own in zip(group, submitted_links[pair], strict=True)
        ]
    order = {id(link): position for position, link in enumerate(start.links)}
    originals = [link for group in links_by_pair(start).values() for link in group]
    ranked = sorted(zip(originals, links, strict=True), key=lambda both: order[id(both[0])])
    update: dict[str, Any] = {"nodes": nodes, "links": tuple(link for _, link in ranked)}
    if "congestion-control" in changeable:
        own_flows = {flow.id: flow for flow in submitted.flows}
        update["flows"] = tuple(_with(flow, own_flows.get(flow.id, flow), FLOW_FIELDS) for flow in start.flows)
    return start.model_copy(update=update)


def refused_change(start: Topology, old: Topology, new: Topology, locked: Collection[str]) -> str:
    """Why a student must not change a topology in this way; empty if the change is allowed.

    A change that leads back to nodes, links or settings of the start is allowed.

    Args:
        start: the exercise's start with the student's values.
        old, new: the student's topology before and after the change.
        locked: nodes that keep the settings and addresses of the start.
    """
    if old == new:
        return ""
    earlier = set(_violations(start, old, locked))
    return next((reason for reason in _violations(start, new, locked) if reason not in earlier), "")


def _violations(start: Topology, submitted: Topology, locked: Collection[str]) -> Iterator[str]:
    differences = [*structural_differences(start, submitted)]
    for difference in differences:
        yield f"Refused: {difference}. The nodes and links of an exercise stay as they are."
    if differences:
        return
    for name in _changed_nodes(start, submitted, locked):
        yield f"{name} is locked: its settings and addresses are given by the exercise."


def _changed_nodes(start: Topology, submitted: Topology, names: Collection[str]) -> Iterator[str]:
    """Those of the given nodes whose settings or addresses differ. Both topologies have the same nodes and links."""
    for node in start.nodes:
        if node.name in names and _node(node, submitted.node(node.name), ()) != node:
            yield node.name
    submitted_links = links_by_pair(submitted)
    for pair, group in links_by_pair(start).items():
        for link, own in zip(group, submitted_links[pair], strict=True):
            changed = _link(link, own, (), has_own_queues=False)
            for before, after in zip(link.ends, changed.ends, strict=True):
                if before.node in names and before != after:
                    yield before.node


def structural_differences(start: Topology, submitted: Topology) -> Iterator[str]:
    """Clauses about nodes and links that only one of the two topologies has."""
    kinds, submitted_kinds = ({node.name: node.kind for node in each.nodes} for each in (start, submitted))
    for name, kind in kinds.items():
        if submitted_kinds.get(name) != kind:
            yield f"the {kind} {name} is missing"
    for name in submitted_kinds.keys() - kinds.keys():
        yield f"the node {name} was added"
    if len(submitted.nodes) != len(submitted_kinds):
        yield "two nodes have one name"
    links, submitted_links = links_by_pair(start), links_by_pair(submitted)
    for pair in {**links, **submitted_links}:
        count, submitted_count = len(links[pair]), len(submitted_links[pair])
        if count != submitted_count:
            verb = "was added" if submitted_count > count else "is missing"
            yield f"a link between {' and '.join(sorted(pair))} {verb}"


def links_by_pair(topology: Topology) -> defaultdict[_Pair, list[Link]]:
    """The links by their two nodes; several links of a pair keep their order."""
    by_pair: defaultdict[_Pair, list[Link]] = defaultdict(list)
    for link in topology.links:
        by_pair[frozenset((link.a.node, link.b.node))].append(link)
    return by_pair


def _node(node: Node, own: Node | None, locked: Collection[str]) -> Node:
    if node.name in locked or own is None:
        return node
    fields: tuple[str, ...] = ()
    if isinstance(node, Router):
        fields = ROUTER_FIELDS
    elif isinstance(node, Host):
        fields = HOST_FIELDS
    return _with(node, own, fields)


def _with(value: _V, own: _V, fields: Collection[str]) -> _V:
    """The value with some fields of the student's own."""
    return value.model_copy(update={name: getattr(own, name) for name in fields})


def _link(link: Link, own: Link, locked: Collection[str], has_own_queues: bool) -> Link:
    update: dict[str, Any] = {}
    own_ends = {end.node: end for end in own.ends}
    for side, end in (("a", link.a), ("b", link.b)):
        own_end = own_ends[end.node]
        if end.node not in locked:
            fields = {
                "addresses": own_end.addresses,
                "interface": own_end.interface or end.interface,
                "ospf_cost": own_end.ospf_cost,
            }
            update[side] = end.model_copy(update=fields)
            if has_own_queues:
                name = "a_to_b" if side == "a" else "b_to_a"
                own_name = "a_to_b" if own.a.node == end.node else "b_to_a"
                update[name] = _with(getattr(link, name), getattr(own, own_name), QUEUE_FIELDS)
    return link.model_copy(update=update)
