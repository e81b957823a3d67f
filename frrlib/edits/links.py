"""Rules for the nodes that a link may join, and edits that add links.

| from \\ to      | host, router, bridge | OpenFlow switch       | controller |
| -------------- | -------------------- | --------------------- | ---------- |
| host, router,  | a link               | a link                | refused    |
| bridge         |                      |                       |            |
| switch         | a link               | a link                | on its list|
| controller     | refused              | on the switch's list  | refused    |

In contrast to MiniEdit, two hosts may be linked, and two nodes may have several links.
"""

from __future__ import annotations

from frrlib.edits.new_names import fresh_link_ids
from frrlib.edits.parts import controllers_of, find_node, with_controllers, with_nodes
from frrlib.errors import TopologyError
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Node
from frrlib.model.topology import Topology

#: The reason why a controller cannot be linked to a node of this kind; other kinds are allowed.
_NO_CONTROLLER = {
    "host": "a controller speaks to OpenFlow switches, and {other} is a host",
    "router": "a controller speaks to OpenFlow switches, and {other} is a router",
    "bridge": "a controller speaks to OpenFlow switches, and {other} is a plain bridge",
    "controller": "a controller speaks to OpenFlow switches, and {other} is a controller too",
}


def link_refusal(topology: Topology, a: str, b: str) -> str:
    """The reason why `a` and `b` cannot be linked, for the user; empty if they can."""
    first, second = topology.node(a), topology.node(b)
    if first is None or second is None:
        return f"there is no node {a if first is None else b}"
    if a == b:
        return f"{a} cannot be linked to itself"
    if "controller" not in (first.kind, second.kind):
        return ""
    controller, second = (first, second) if first.kind == "controller" else (second, first)
    if second.kind in _NO_CONTROLLER:
        return _NO_CONTROLLER[second.kind].format(other=second.name)
    if controller.name in controllers_of(second):
        return f"{controller.name} controls {second.name} already"
    return ""


def add_link(topology: Topology, a: str, b: str, shape: Shape | None = None) -> tuple[Topology, str]:
    """Link two nodes. Instead of a link to a controller, a switch gets the controller on its list.

    Args:
        topology: the topology.
        a, b: names of the nodes.
        shape: the shape of both directions; None for an unshaped link.

    Returns:
        The topology, and the id of the new link, which is empty for a controller.

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


def _controlled(topology: Topology, first: Node, second: Node) -> Topology:
    controller, switch = (first, second) if first.kind == "controller" else (second, first)
    listed = with_controllers(switch, (*controllers_of(switch), controller.name))
    return with_nodes(topology, {switch.name: listed})


def release(topology: Topology, switch: str, controller: str) -> Topology:
    """Remove a controller from a switch's list, which deletes the control link between them.

    Raises:
        TopologyError: there is no such switch, or the controller is not on its list.
    """
    node = find_node(topology, switch)
    if controller not in controllers_of(node):
        raise TopologyError(f"is not controlled by {controller}", node=switch, field="controllers")
    released = with_controllers(node, (name for name in controllers_of(node) if name != controller))
    return with_nodes(topology, {switch: released})
