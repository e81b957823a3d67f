"""The places of nodes: moving, aligning, distributing, and snapping to a grid."""

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


#: Kinds of alignment: the coordinate that becomes the same, and the one of its values that is taken.
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
        topology: the drawing.
        positions: node to (x, y) in pixels of the canvas, y downwards; what is farther than `FAR_PX` comes there.

    Raises:
        TopologyError: there is no such node, or a coordinate is not a finite number.
    """
    known_names(topology, positions)
    for name, (x, y) in positions.items():
        if not (math.isfinite(x) and math.isfinite(y)):
            raise TopologyError(f"({x}, {y}) is not a valid position", node=name)
    nodes = tuple(_placed(node, *positions[node.name]) if node.name in positions else node for node in topology.nodes)
    return topology.model_copy(update={"nodes": nodes})


def _placed(node: Node, x: float, y: float) -> Node:
    x, y = on_canvas(x), on_canvas(y)
    return node if (node.x, node.y) == (x, y) else node.model_copy(update={"x": x, "y": y})


def shift(topology: Topology, names: Iterable[str], dx: float, dy: float) -> Topology:
    """Move nodes by so many pixels.

    Raises:
        TopologyError: there is no such node, or it would leave the plane of finite numbers.
    """
    return move(topology, {node.name: (node.x + dx, node.y + dy) for node in _chosen(topology, names)})


def align(topology: Topology, names: Iterable[str], edge: Edge) -> Topology:
    """Bring nodes to one line: their common left, right, top or bottom, or half way ("centre" for x, "middle" for y).

    Raises:
        TopologyError: there is no such node.
    """
    chosen = _chosen(topology, names)
    if not chosen:
        return topology
    axis, choose = _EDGES[edge]
    value = choose([getattr(node, axis) for node in chosen])
    if axis == "x":
        return move(topology, {node.name: (value, node.y) for node in chosen})
    return move(topology, {node.name: (node.x, value) for node in chosen})


def distribute(topology: Topology, names: Iterable[str], axis: Axis) -> Topology:
    """Space nodes evenly between the outermost two, in the order in which they stand.

    Raises:
        TopologyError: there is no such node.
    """
    horizontal = axis == "horizontal"
    chosen = sorted(_chosen(topology, names), key=lambda node: node.x if horizontal else node.y)
    if len(chosen) < 3:
        return topology
    values = [node.x if horizontal else node.y for node in chosen]
    step = (values[-1] - values[0]) / (len(values) - 1)
    positions = {}
    for index, node in enumerate(chosen[1:-1], start=1):
        value = values[0] + step * index
        positions[node.name] = (value, node.y) if horizontal else (node.x, value)
    return move(topology, positions)


def snap(topology: Topology, names: Iterable[str], grid_px: float) -> Topology:
    """Put nodes on the nearest crossings of a grid; half way goes right and down.

    Raises:
        TopologyError: there is no such node.
        ValueError: the grid's pitch is not above 0.
    """
    if not grid_px > 0:
        raise ValueError("the pitch of the grid must be above 0")
    return move(
        topology,
        {node.name: (_nearest(node.x, grid_px), _nearest(node.y, grid_px)) for node in _chosen(topology, names)},
    )


def _nearest(value: float, pitch: float) -> float:
    return math.floor(value / pitch + 0.5) * pitch


def _chosen(topology: Topology, names: Iterable[str]) -> list[Node]:
    wanted = set(known_names(topology, names))
    return [node for node in topology.nodes if node.name in wanted]
