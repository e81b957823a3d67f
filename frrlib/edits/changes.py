"""Edits of nodes, links and flows: adding, deleting, renaming, and replacing values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from frrlib.edits.fault_plan import with_link_id
from frrlib.edits.interfaces import follow_interfaces, renamed_end
from frrlib.edits.links import link_refusal
from frrlib.edits.new_names import fresh_flow_ids, fresh_names
from frrlib.edits.parts import controllers_of, find_link, find_node, known_names, with_controllers, with_nodes
from frrlib.edits.router_tools import bgp_router, ospf_router
from frrlib.errors import TopologyError
from frrlib.model.annotations import on_canvas
from frrlib.model.base import INTERFACE_NAME_LENGTH
from frrlib.model.flows import Flow
from frrlib.model.links import Link
from frrlib.model.names import node_name_fault, sanitized
from frrlib.model.nodes import ADDRESSED, SWITCHING, Bridge, Controller, Host, Node, Router, Switch
from frrlib.model.topology import Topology

#: The tools for nodes without routing: the letter of names, and the function that creates a node from name and number.
_PLAIN: dict[str, tuple[str, Callable[[str, int], Node]]] = {
    "host": ("h", lambda name, number: Host(name=name, number=number)),
    "router": ("r", lambda name, number: Router(name=name, number=number, daemons=("zebra", "staticd"))),
    "legacy-router": ("r", lambda name, number: Router(name=name, number=number)),
    "switch": ("s", lambda name, number: Switch(name=name, number=number)),
    "bridge": ("s", lambda name, number: Bridge(name=name, number=number)),
    "controller": ("c", lambda name, number: Controller(name=name)),
}
#: The tools for routers that run a protocol at once.
_ROUTING = {"ospf-router": ospf_router, "bgp-router": bgp_router}
#: The names of all tools for nodes.
TOOLS = (*_PLAIN, *_ROUTING)


def add_node(topology: Topology, tool: str, x: float, y: float, *, lab_timers: bool = True) -> tuple[Topology, str]:
    """Add a node.

    Args:
        topology: the topology.
        tool: one of `TOOLS`: "host", "router" (with FRR), "legacy-router" (forwards only), "switch" (OpenFlow),
            "bridge", "controller", "ospf-router" (with FRR and OSPF) or "bgp-router" (with FRR, in an AS of its own).
        x, y: its position in pixels of the canvas; finite.
        lab_timers: whether the first router of a protocol gets lab timers, else FRR's default timers.

    Returns:
        The topology, and the node's name: MiniEdit's letter and the next number.

    Raises:
        TopologyError: the position is not finite.
        KeyError: there is no such tool.
    """
    letter = "r" if tool in _ROUTING else _PLAIN[tool][0]
    if not (math.isfinite(x) and math.isfinite(y)):
        raise TopologyError(f"({x}, {y}) is not a valid position")
    name = next(fresh_names(topology, letter))
    number = int(name[len(letter) :])
    node: Node
    if tool in _ROUTING:
        node = _ROUTING[tool](topology, name, number, lab_timers=lab_timers)
    else:
        node = _PLAIN[tool][1](name, number)
    node = node.model_copy(update={"x": on_canvas(x), "y": on_canvas(y)})
    return topology.model_copy(update={"nodes": (*topology.nodes, node)}), name


def delete(
    topology: Topology, names: Iterable[str] = (), link_ids: Iterable[str] = (), flow_ids: Iterable[str] = ()
) -> Topology:
    """Delete nodes, links and flows.

    A node is deleted with its links, its flows, and its name on lists of controllers. OSPF settings of an interface are
    deleted with its link. BGP sessions and static routes to deleted nodes stay; `check` reports them.

    Raises:
        TopologyError: there is no such node, link or flow.
    """
    removed, removed_links, removed_flows = set(names), set(link_ids), set(flow_ids)
    known_names(topology, removed)
    for kind, ids, existing in (
        ("link", removed_links, {link.id for link in topology.links}),
        ("flow", removed_flows, {flow.id for flow in topology.flows}),
    ):
        for name in sorted(ids - existing):
            raise TopologyError(f"the {kind} does not exist", node=name)
    remaining = topology.model_copy(
        update={
            "nodes": tuple(_without_controllers(node, removed) for node in topology.nodes if node.name not in removed),
            "links": tuple(
                link
                for link in topology.links
                if link.id not in removed_links and link.a.node not in removed and link.b.node not in removed
            ),
            "flows": tuple(
                flow
                for flow in topology.flows
                if flow.id not in removed_flows and flow.source not in removed and flow.destination not in removed
            ),
        }
    )
    return follow_interfaces(topology, remaining)


def _without_controllers(node: Node, removed: set[str]) -> Node:
    return with_controllers(node, (name for name in controllers_of(node) if name not in removed))


# --- names ------------------------------------------------------------------------------------------------------


def name_fault(topology: Topology, node: str, name: str) -> str:
    """The reason why a node cannot be called `name`, as a clause ("is the name of another node"); empty if it can."""
    if name == node:
        return ""
    if topology.node(name) is not None:
        return "is the name of another node"
    fault = node_name_fault(name)
    node_value = topology.node(node)
    if not fault and node_value is not None and node_value.kind in SWITCHING and len(name) > INTERFACE_NAME_LENGTH:
        fault = f"has {len(name)} characters, a switch's name has up to {INTERFACE_NAME_LENGTH}"
    return fault


def rename(topology: Topology, old: str, new: str) -> Topology:
    """Rename a node, also in links, flows, lists of controllers and interface names.

    Automatic addresses and datapath IDs stay, since the node keeps its original name for them. Interface names in
    custom lines of FRR follow; other free text (start commands, labels) stays.

    Raises:
        TopologyError: there is no such node, or the name is invalid.
    """
    node = find_node(topology, old)
    if new == old:
        return topology
    fault = name_fault(topology, old, new)
    if fault:
        free = sanitized(new, {other_node.name for other_node in topology.nodes}, INTERFACE_NAME_LENGTH)
        raise TopologyError(f"{new!r} {fault}", node=old, field="name", remedy=f"such as {free}")
    original_name = "" if new == node.address_name or isinstance(node, Controller) else node.address_name
    renamed_node = node.model_copy(update={"name": new, "original_name": original_name})
    changed = with_nodes(topology, {old: renamed_node})
    renamed = changed.model_copy(
        update={
            "nodes": tuple(_renamed_controllers(other_node, old, new) for other_node in changed.nodes),
            "links": _renamed_links(topology, old, new),
            "flows": tuple(_renamed_flow(flow, old, new) for flow in topology.flows),
        }
    )
    return follow_interfaces(topology, renamed, {old: new})


def _renamed_controllers(node: Node, old: str, new: str) -> Node:
    return with_controllers(node, (new if name == old else name for name in controllers_of(node)))


def _renamed_links(topology: Topology, old: str, new: str) -> tuple[Link, ...]:
    used_names = {end.interface for _, end in topology.ends_at(old)}
    links = []
    for link in topology.links:
        ends = {
            side: renamed_end(end, new, used_names)
            for side, end in zip("ab", link.ends, strict=True)
            if end.node == old
        }
        links.append(link.model_copy(update=ends) if ends else link)
    return tuple(links)


def _renamed_flow(flow: Flow, old: str, new: str) -> Flow:
    ends = {field: new for field in ("source", "destination") if getattr(flow, field) == old}
    return flow.model_copy(update=ends) if ends else flow


# --- values of dialogs ------------------------------------------------------------------------------------------


def replace_node(topology: Topology, name: str, node: Node) -> Topology:
    """Replace a node by a new value. If the value has another name, the node is renamed (see `rename`).

    Raises:
        TopologyError: there is no such node, the value has another kind, or its name is invalid.
    """
    old = find_node(topology, name)
    if old.kind != node.kind:
        raise TopologyError(f"is a {old.kind}, which cannot become a {node.kind}", node=name, remedy="draw a new node")
    fault = name_fault(topology, name, node.name)
    if fault:
        raise TopologyError(f"{node.name!r} {fault}", node=name, field="name")
    unnamed = with_nodes(topology, {name: node.model_copy(update={"name": name})})
    return rename(unnamed, name, node.name)


def replace_link(topology: Topology, link_id: str, link: Link) -> Topology:
    """Replace a link by a new value, which may have another ID and other ends.

    Raises:
        TopologyError: there is no such link, another link has the new ID, or the new ends cannot be linked.
    """
    old = find_link(topology, link_id)
    if link.id != link_id and topology.link(link.id) is not None:
        raise TopologyError("another link has this ID", node=link.id, field="id")
    ends = (link.a.node, link.b.node)
    if ends != (old.a.node, old.b.node):
        fault = link_refusal(topology, *ends)
        if not fault and "controller" in {find_node(topology, end).kind for end in ends}:
            fault = "no cable joins a controller"
        if fault:
            raise TopologyError(fault, node=link_id)
    index = topology.links.index(old)

    def swapped(value: Link) -> Topology:
        return topology.model_copy(update={"links": (*topology.links[:index], value, *topology.links[index + 1 :])})

    # Settings follow links by ID, so the ID changes last; interface names do not depend on it.
    followed = follow_interfaces(topology, swapped(link.model_copy(update={"id": link_id})))
    links = (*followed.links[:index], link, *followed.links[index + 1 :])
    return with_link_id(followed.model_copy(update={"links": links}), link_id, link.id)


def set_flows(topology: Topology, flows: Iterable[Flow]) -> Topology:
    """Replace all flows.

    Raises:
        TopologyError: two flows have one ID, or an end of a flow is not a host or router.
    """
    listed = tuple(flows)
    seen_ids: set[str] = set()
    for flow in listed:
        for name in flow.result_ids:
            if name in seen_ids:
                raise TopologyError("two flows have this ID", node=name, field="id", remedy="give each flow its own ID")
            seen_ids.add(name)
        _refuse_ends(topology, flow.source, flow.destination, flow.id)
    return topology.model_copy(update={"flows": listed})


def add_flow(topology: Topology, source: str, destination: str, like: Flow | None = None) -> tuple[Topology, str]:
    """Add a flow; returns the topology and the flow's ID.

    Args:
        topology: the topology.
        source, destination: its ends.
        like: a flow whose other settings are copied, except the color; None for defaults.

    Raises:
        TopologyError: an end is not a host or router, or both are the same.
    """
    _refuse_ends(topology, source, destination, "")
    name = next(fresh_flow_ids(topology))
    copied = {} if like is None else {**dict(like), "colour": ""}
    flow = Flow(**{**copied, "id": name, "source": source, "destination": destination})
    return topology.model_copy(update={"flows": (*topology.flows, flow)}), flow.id


def flow_fault(topology: Topology, source: str, destination: str = "") -> str:
    """The reason why a flow cannot start at a node (and end at another), as a clause; empty if it can."""
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
            reason = f"{name} is a {node.kind}" if node else f"there is no node {name}"
            raise TopologyError(reason, node=flow, field=field, remedy="choose a host or a router")
    if source == destination:
        raise TopologyError(
            f"{source} is also the source", node=flow, field="destination", remedy="choose another node"
        )
