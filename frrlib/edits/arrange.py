"""Edits of positions: moving, aligning and distributing nodes, and snapping them to a grid."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Literal

from frrlib.edits.parts import known_names
from frrlib.errors import TopologyError
from frrlib.model.annotations import on_canvas
from frrlib.model.nodes import Node
from frrlib.model.topology import Topology

Edge = Literal["left", "right", "centre", "top", "bottom", "middle"]
Axis = Literal["horizontal", "vertical"]


def _half_way(values: list[float]) -> float:
    return (min(values) + max(values)) / 2


#: The coordinate that an alignment makes equal, and the function that chooses its value.
_EDGES: dict[Edge, tuple[Literal["x", "y"], Callable[[list[float]], float]]] = {
    "left": ("x", min),
    "right": ("x", max),
    "centre": ("x", _half_way),
    "top": ("y", min),
    "bottom": ("y", max),
    "middle": ("y", _half_way),
}


def move(topology: Topology, positions: Mapping[str, tuple[float, float]]) -> Topology:
    """Put nodes at new positions.

    Args:
        topology: the topology.
        positions: new (x, y) by node, in pixels of the canvas, y downwards; coordinates are limited to `FAR_PX`.

    Raises:
        TopologyError: there is no such node, or a coordinate is not a finite number.
    """
    known_names(topology, positions)
    for name, (x, y) in positions.items():
        if not (math.isfinite(x) and math.isfinite(y)):
            raise TopologyError(f"({x}, {y}) is not a valid position", node=name)
    nodes = tuple(
        _at_position(node, *positions[node.name]) if node.name in positions else node for node in topology.nodes
    )
    return topology.model_copy(update={"nodes": nodes})


def _at_position(node: Node, x: float, y: float) -> Node:
    x, y = on_canvas(x), on_canvas(y)
    return node if (node.x, node.y) == (x, y) else node.model_copy(update={"x": x, "y": y})


def shift(topology: Topology, names: Iterable[str], dx: float, dy: float) -> Topology:
    """Move nodes by a distance in pixels.

    Raises:
        TopologyError: there is no such node, or its new position is not finite.
    """
    return move(topology, {node.name: (node.x + dx, node.y + dy) for node in _nodes_of(topology, names)})


def align(topology: Topology, names: Iterable[str], edge: Edge) -> Topology:
    """Align nodes at their leftmost, rightmost, top or bottom position, or half way ("centre" in x, "middle" in y).

    Raises:
        TopologyError: there is no such node.
    """
    nodes = _nodes_of(topology, names)
    if not nodes:
        return topology
    axis, choose = _EDGES[edge]
    value = choose([getattr(node, axis) for node in nodes])
    if axis == "x":
        return move(topology, {node.name: (value, node.y) for node in nodes})
    return move(topology, {node.name: (node.x, value) for node in nodes})


def distribute(topology: Topology, names: Iterable[str], axis: Axis) -> Topology:
    """Space nodes evenly between the outermost two, in their present order.

    Raises:
        TopologyError: there is no such node.
    """
    horizontal = axis == "horizontal"
    nodes = sorted(_nodes_of(topology, names), key=lambda node: node.x if horizontal else node.y)
    if len(nodes) < 3:
        return topology
    values = [node.x if horizontal else node.y for node in nodes]
    step = (values[-1] - values[0]) / (len(values) - 1)
    positions = {}
    for index, node in enumerate(nodes[1:-1], start=1):
        value = values[0] + step * index
        positions[node.name] = (value, node.y) if horizontal else (node.x, value)
    return move(topology, positions)


def snap(topology: Topology, names: Iterable[str], grid_px: float) -> Topology:
    """Move nodes to the nearest crossings of a grid; ties are resolved to the right and down.

    Raises:
        TopologyError: there is no such node.
        ValueError: the grid's pitch is not above 0.
    """
    if not grid_px > 0:
        raise ValueError("the pitch of the grid must be above 0")
    return move(
        topology,
        {node.name: (_nearest(node.x, grid_px), _nearest(node.y, grid_px)) for node in _nodes_of(topology, names)},
    )


def _nearest(value: float, pitch: float) -> float:
    return math.floor(value / pitch + 0.5) * pitch


def _nodes_of(topology: Topology, names: Iterable[str]) -> list[Node]:
    selected = set(known_names(topology, names))
    return [node for node in topology.nodes if node.name in selected]
