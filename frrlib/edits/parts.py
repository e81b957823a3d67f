"""Small steps that all edits take: look a node or a link up, put another in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from frrlib.errors import TopologyError
from frrlib.model.links import Link
from frrlib.model.nodes import Bridge, Node, Router, Switch
from frrlib.model.topology import Topology


def find_node(topology: Topology, name: str) -> Node:
    """The first node of that name.

    Raises:
        TopologyError: there is none.
    """
    node = topology.node(name)
    if node is None:
        raise TopologyError("the node does not exist", node=name)
    return node


def find_link(topology: Topology, link_id: str) -> Link:
    """The first link of that id.

    Raises:
        TopologyError: there is none.
    """
    link = topology.link(link_id)
    if link is None:
        raise TopologyError("the link does not exist", node=link_id)
    return link


def known_names(topology: Topology, names: Iterable[str]) -> tuple[str, ...]:
    """The names in the order of the nodes, each once.

    Raises:
        TopologyError: one of them is the name of no node.
    """
    wanted = dict.fromkeys(names)
    found = dict.fromkeys(node.name for node in topology.nodes if node.name in wanted)
    for name in wanted:
        if name not in found:
            raise TopologyError("the node does not exist", node=name)
    return tuple(found)


def with_nodes(topology: Topology, changed: Mapping[str, Node]) -> Topology:
    """The topology with other nodes in the place of the first ones of these names."""
    waiting = dict(changed)
    nodes = tuple(waiting.pop(node.name, node) for node in topology.nodes)
    return topology.model_copy(update={"nodes": nodes})


def with_each_router(topology: Topology, changed: Callable[[Router], Router]) -> Topology:
    """The topology with every router changed."""
    nodes = tuple(changed(node) if isinstance(node, Router) else node for node in topology.nodes)
    return topology.model_copy(update={"nodes": nodes})


def controllers_of(node: Node) -> tuple[str, ...]:
    """Names of the controllers that a node lists; empty for kinds that have none."""
    return (node.controllers or ()) if isinstance(node, Switch | Bridge | Router) else ()


def with_controllers(node: Node, controllers: Iterable[str]) -> Node:
    """The node with another list of controllers; the same node where it lists these already."""
    listed = tuple(controllers)
    return node if listed == controllers_of(node) else node.model_copy(update={"controllers": listed})
