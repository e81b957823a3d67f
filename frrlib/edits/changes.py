"""Drawing nodes, deleting, renaming, and putting changed values in place."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from frrlib.edits.fault_plan import with_link_id
from frrlib.edits.interfaces import follow, moved_end
from frrlib.edits.links import link_refusal
from frrlib.edits.new_names import fresh_flow_ids, fresh_names, result_ids
from frrlib.edits.parts import controllers_of, find_link, find_node, known_names, with_controllers, with_nodes
from frrlib.errors import TopologyError
from frrlib.model.annotations import on_canvas
from frrlib.model.base import INTERFACE_NAME_LENGTH
from frrlib.model.flows import Flow
from frrlib.model.links import Link
from frrlib.model.names import node_name_fault, sanitized
from frrlib.model.nodes import ADDRESSED, SWITCHING, Bridge, Controller, Host, Node, Router, Switch
from frrlib.model.topology import Topology

#: What the tools of an editor draw: the letter of its names, and the node that it makes from name and number.
TOOLS: dict[str, tuple[str, Callable[[str, int], Node]]] = {
    "host": ("h", lambda name, number: Host(name=name, number=number)),
    "router": ("r", lambda name, number: Router(name=name, number=number, daemons=("zebra", "staticd"))),
    "legacy-router": ("r", lambda name, number: Router(name=name, number=number)),
    "switch": ("s", lambda name, number: Switch(name=name, number=number)),
    "bridge": ("s", lambda name, number: Bridge(name=name, number=number)),
    "controller": ("c", lambda name, number: Controller(name=name)),
}


def add_node(topology: Topology, tool: str, x: float, y: float) -> tuple[Topology, str]:
    """Draw a node.

    Args:
        topology: the drawing.
        tool: one of `TOOLS`: "host", "router" (with FRR), "legacy-router" (forwards only), "switch" (OpenFlow),
            "bridge" or "controller".
        x, y: where, in pixels of the canvas; finite.

    Returns:
        The drawing, and the node's name: MiniEdit's letter and the next number.

    Raises:
        TopologyError: that is no position.
        KeyError: there is no such tool.
    """
    letter, make = TOOLS[tool]
    if not (math.isfinite(x) and math.isfinite(y)):
        raise TopologyError(f"({x}, {y}) is not a valid position")
    name = next(fresh_names(topology, letter))
    node = make(name, int(name[len(letter) :])).model_copy(update={"x": on_canvas(x), "y": on_canvas(y)})
    return topology.model_copy(update={"nodes": (*topology.nodes, node)}), name


def delete(
    topology: Topology, names: Iterable[str] = (), link_ids: Iterable[str] = (), flow_ids: Iterable[str] = ()
) -> Topology:
    """Delete nodes, links and flows.

    With a node go its links, the flows from and to it, and its name on lists of controllers. What OSPF was told about
    an interface goes with its link. BGP sessions and static routes to what is gone stay: `check` tells of them.

    Raises:
        TopologyError: there is no such node, link or flow.
    """
    gone, gone_links, gone_flows = set(names), set(link_ids), set(flow_ids)
    known_names(topology, gone)
    for kind, asked, there in (
        ("link", gone_links, {link.id for link in topology.links}),
        ("flow", gone_flows, {flow.id for flow in topology.flows}),
    ):
        for name in sorted(asked - there):
            raise TopologyError(f"the {kind} does not exist", node=name)
    after = topology.model_copy(
        update={
            "nodes": tuple(_without(node, gone) for node in topology.nodes if node.name not in gone),
            "links": tuple(
                link
                for link in topology.links
                if link.id not in gone_links and link.a.node not in gone and link.b.node not in gone
            ),
            "flows": tuple(
                flow
                for flow in topology.flows
                if flow.id not in gone_flows and flow.source not in gone and flow.destination not in gone
            ),
        }
    )
    return follow(topology, after)


def _without(node: Node, gone: set[str]) -> Node:
    return with_controllers(node, (name for name in controllers_of(node) if name not in gone))


# --- names ------------------------------------------------------------------------------------------------------


def name_fault(topology: Topology, node: str, name: str) -> str:
    """Why a node cannot be called `name`, as a clause ("is the name of another node"); empty where it can."""
    if name == node:
        return ""
    if topology.node(name) is not None:
        return "is the name of another node"
    fault = node_name_fault(name)
    there = topology.node(node)
    if not fault and there is not None and there.kind in SWITCHING and len(name) > INTERFACE_NAME_LENGTH:
        fault = f"has {len(name)} characters, a switch's name has up to {INTERFACE_NAME_LENGTH}"
    return fault


def rename(topology: Topology, old: str, new: str) -> Topology:
    """Give a node another name, wherever it is named: in links, flows, lists of controllers and interface names.

    Automatic addresses follow names, so they may change. Lines of FRR's follow where they name an interface; other free
    text (start commands, labels) stays.

    Raises:
        TopologyError: there is no such node, or it cannot have that name.
    """
    node = find_node(topology, old)
    if new == old:
        return topology
    fault = name_fault(topology, old, new)
    if fault:
        free = sanitized(new, {each.name for each in topology.nodes}, INTERFACE_NAME_LENGTH)
        raise TopologyError(f"{new!r} {fault}", node=old, field="name", right=f"such as {free}")
    changed = with_nodes(topology, {old: node.model_copy(update={"name": new})})
    after = changed.model_copy(
        update={
            "nodes": tuple(_renamed_controllers(each, old, new) for each in changed.nodes),
            "links": _renamed_links(topology, old, new),
            "flows": tuple(_renamed_flow(flow, old, new) for flow in topology.flows),
        }
    )
    return follow(topology, after, {old: new})


def _renamed_controllers(node: Node, old: str, new: str) -> Node:
    return with_controllers(node, (new if name == old else name for name in controllers_of(node)))


def _renamed_links(topology: Topology, old: str, new: str) -> tuple[Link, ...]:
    taken = {end.interface for _, end in topology.ends_at(old)}
    links = []
    for link in topology.links:
        ends = {side: moved_end(end, new, taken) for side, end in zip("ab", link.ends, strict=True) if end.node == old}
        links.append(link.model_copy(update=ends) if ends else link)
    return tuple(links)


def _renamed_flow(flow: Flow, old: str, new: str) -> Flow:
    ends = {field: new for field in ("source", "destination") if getattr(flow, field) == old}
    return flow.model_copy(update=ends) if ends else flow


# --- values of dialogs ------------------------------------------------------------------------------------------


def replace_node(topology: Topology, name: str, node: Node) -> Topology:
    """Put a node's new value in its place. Where that has another name, the node is renamed (see `rename`).

    Raises:
        TopologyError: there is no such node, it is of another kind, or it cannot have its new name.
    """
    there = find_node(topology, name)
    if there.kind != node.kind:
        raise TopologyError(f"is a {there.kind}, which cannot become a {node.kind}", node=name, right="draw a new node")
    fault = name_fault(topology, name, node.name)
    if fault:
        raise TopologyError(f"{node.name!r} {fault}", node=name, field="name")
    kept = with_nodes(topology, {name: node.model_copy(update={"name": name})})
    return rename(kept, name, node.name)


def replace_link(topology: Topology, link_id: str, link: Link) -> Topology:
    """Put a link's new value in its place. Its id and its ends may be others.

    Raises:
        TopologyError: there is no such link, the new id is another link's, or the new ends cannot be linked.
    """
    there = find_link(topology, link_id)
    if link.id != link_id and topology.link(link.id) is not None:
        raise TopologyError("another link has this ID", node=link.id, field="id")
    ends = (link.a.node, link.b.node)
    if ends != (there.a.node, there.b.node):
        fault = link_refusal(topology, *ends)
        if not fault and "controller" in {find_node(topology, end).kind for end in ends}:
            fault = "no cable joins a controller"
        if fault:
            raise TopologyError(fault, node=link_id)
    index = topology.links.index(there)

    def swapped(value: Link) -> Topology:
        return topology.model_copy(update={"links": (*topology.links[:index], value, *topology.links[index + 1 :])})

    # Settings follow by id, so the id changes last: it names no interface.
    followed = follow(topology, swapped(link.model_copy(update={"id": link_id})))
    links = (*followed.links[:index], link, *followed.links[index + 1 :])
    return with_link_id(followed.model_copy(update={"links": links}), link_id, link.id)


def set_flows(topology: Topology, flows: Iterable[Flow]) -> Topology:
    """Put other flows in the place of all.

    Raises:
        TopologyError: two have one id, or one does not go from one host or router to another.
    """
    listed = tuple(flows)
    seen: set[str] = set()
    for flow in listed:
        for name in result_ids(flow):
            if name in seen:
                raise TopologyError("two flows have this ID", node=name, field="id", right="give each flow its own ID")
            seen.add(name)
        _refuse_ends(topology, flow.source, flow.destination, flow.id)
    return topology.model_copy(update={"flows": listed})


def add_flow(topology: Topology, source: str, destination: str, like: Flow | None = None) -> tuple[Topology, str]:
    """Draw a flow; returns the drawing and the flow's id.

    Args:
        topology: the drawing.
        source, destination: from where to where.
        like: what it is in all else but its colour; None for the usual settings.

    Raises:
        TopologyError: it does not go from one host or router to another.
    """
    _refuse_ends(topology, source, destination, "")
    name = next(fresh_flow_ids(topology))
    known = {} if like is None else {**dict(like), "colour": ""}
    flow = Flow(**{**known, "id": name, "source": source, "destination": destination})
    return topology.model_copy(update={"flows": (*topology.flows, flow)}), flow.id


def flow_fault(topology: Topology, source: str, destination: str = "") -> str:
    """Why no flow goes from a node (to another one), as a clause; empty where one may."""
    for name in (source, destination) if destination else (source,):
        node = topology.node(name)
        if node is None or node.kind not in ADDRESSED:
            kind = "switch" if node is not None and node.kind == "bridge" else node.kind if node is not None else ""
            return f"{name} is a {kind}; flows go between hosts and routers" if kind else f"there is no node {name}"
    return f"{source} would send to itself" if source == destination else ""


def _refuse_ends(topology: Topology, source: str, destination: str, flow: str) -> None:
    for field, name in (("source", source), ("destination", destination)):
        node = topology.node(name)
        if node is None or node.kind not in ADDRESSED:
            why = f"{name} is a {node.kind}" if node else f"there is no node {name}"
            raise TopologyError(why, node=flow, field=field, right="choose a host or a router")
    if source == destination:
        raise TopologyError(f"{source} is also the source", node=flow, field="destination", right="choose another node")
