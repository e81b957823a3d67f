"""Small steps of edits: find a node or a link, and replace it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from frrlib.errors import TopologyError
from frrlib.model.links import Link
from frrlib.model.nodes import Bridge, Node, Router, Switch
from frrlib.model.topology import Topology


def find_node(topology: Topology, name: str) -> Node:
    """The first node with that name.

    Raises:
        TopologyError: the node does not exist.
    """
    node = topology.node(name)
    if node is None:
        raise TopologyError("the node does not exist", node=name)
    return node


def find_link(topology: Topology, link_id: str) -> Link:
    """The first link with that ID.

    Raises:
        TopologyError: the link does not exist.
    """
    link = topology.link(link_id)
    if link is None:
        raise TopologyError("the link does not exist", node=link_id)
    return link


def known_names(topology: Topology, names: Iterable[str]) -> tuple[str, ...]:
    """The names in the order of the nodes, each once.

    Raises:
        TopologyError: a node does not exist.
    """
    requested = dict.fromkeys(names)
    existing = dict.fromkeys(node.name for node in topology.nodes if node.name in requested)
    for name in requested:
        if name not in existing:
            raise TopologyError("the node does not exist", node=name)
    return tuple(existing)


def with_nodes(topology: Topology, changed: Mapping[str, Node]) -> Topology:
    """The topology with the first nodes of these names replaced."""
    waiting = dict(changed)
    nodes = tuple(waiting.pop(node.name, node) for node in topology.nodes)
    return topology.model_copy(update={"nodes": nodes})


def with_each_router(topology: Topology, changed: Callable[[Router], Router]) -> Topology:
    """The topology with every router changed."""
    nodes = tuple(changed(node) if isinstance(node, Router) else node for node in topology.nodes)
    return topology.model_copy(update={"nodes": nodes})


def controllers_of(node: Node) -> tuple[str, ...]:
    """Names of a node's controllers; empty for kinds without controllers."""
    return (node.controllers or ()) if isinstance(node, Switch | Bridge | Router) else ()


def with_controllers(node: Node, controllers: Iterable[str]) -> Node:
    """The node with another list of controllers; the same object if the list is equal."""
    listed = tuple(controllers)
    return node if listed == controllers_of(node) else node.model_copy(update={"controllers": listed})
