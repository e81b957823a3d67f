"""The nodes that a link may join, and the drawing of links.

| from \\ to      | host, router, bridge | OpenFlow switch       | controller |
| -------------- | -------------------- | --------------------- | ---------- |
| host, router,  | a link               | a link                | refused    |
| bridge         |                      |                       |            |
| switch         | a link               | a link                | on its list|
| controller     | refused              | on the switch's list  | refused    |

Wider than MiniEdit: two hosts may be joined, and the same two nodes several times.
"""

from __future__ import annotations

from frrlib.edits.new_names import fresh_link_ids
from frrlib.edits.parts import controllers_of, find_node, with_controllers, with_nodes
from frrlib.errors import TopologyError
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Node
from frrlib.model.topology import Topology

#: Why a controller cannot be joined to a node of this kind; kinds that are not here, it can.
_NO_CONTROLLER = {
    "host": "a controller speaks to OpenFlow switches, and {other} is a host",
    "router": "a controller speaks to OpenFlow switches, and {other} is a router",
    "bridge": "a controller speaks to OpenFlow switches, and {other} is a plain bridge",
    "controller": "a controller speaks to OpenFlow switches, and {other} is a controller too",
}


def link_refusal(topology: Topology, a: str, b: str) -> str:
    """Why `a` and `b` cannot be linked, in words for the user; empty where they can."""
    one, other = topology.node(a), topology.node(b)
    if one is None or other is None:
        return f"there is no node {a if one is None else b}"
    if a == b:
        return f"{a} cannot be linked to itself"
    if "controller" not in (one.kind, other.kind):
        return ""
    controller, other = (one, other) if one.kind == "controller" else (other, one)
    if other.kind in _NO_CONTROLLER:
        return _NO_CONTROLLER[other.kind].format(other=other.name)
    if controller.name in controllers_of(other):
        return f"{controller.name} controls {other.name} already"
    return ""


def add_link(topology: Topology, a: str, b: str, shape: Shape | None = None) -> tuple[Topology, str]:
    """Link two nodes. A controller and a switch get no cable: the controller goes on the switch's list.

    Args:
        topology: the drawing.
        a, b: names of the nodes.
        shape: the shape of both directions; None for an ordinary cable.

    Returns:
        The drawing, and the id of the new link, which is empty for a controller.

    Raises:
        TopologyError: they cannot be linked (see `link_refusal`).
    """
    fault = link_refusal(topology, a, b)
    if fault:
        raise TopologyError(fault)
    ends = (find_node(topology, a), find_node(topology, b))
    if "controller" in (ends[0].kind, ends[1].kind):
        return _controlled(topology, *ends), ""
    link_id = next(fresh_link_ids(topology))
    both = shape or Shape()
    link = Link(id=link_id, a=End(node=a), b=End(node=b), a_to_b=both, b_to_a=both)
    return topology.model_copy(update={"links": (*topology.links, link)}), link_id


def _controlled(topology: Topology, one: Node, other: Node) -> Topology:
    controller, switch = (one, other) if one.kind == "controller" else (other, one)
    listed = with_controllers(switch, (*controllers_of(switch), controller.name))
    return with_nodes(topology, {switch.name: listed})


def release(topology: Topology, switch: str, controller: str) -> Topology:
    """Take a controller off a switch's list: deleting the control link between them.

    Raises:
        TopologyError: there is no such switch, or the controller is not on its list.
    """
    node = find_node(topology, switch)
    if controller not in controllers_of(node):
        raise TopologyError(f"is not controlled by {controller}", node=switch, field="controllers")
    kept = with_controllers(node, (name for name in controllers_of(node) if name != controller))
    return with_nodes(topology, {switch: kept})
