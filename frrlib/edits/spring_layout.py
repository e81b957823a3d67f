"""Automatic positions of nodes by springs and repulsion, rounded to a grid.

The result is deterministic: nodes start on a circle in the order in which links reach them, and the number of steps is
bounded (after T. Fruchterman and E. Reingold, "Graph drawing by force-directed placement", Software: Practice and
Experience 21, 1991).
"""

from __future__ import annotations

import cmath
import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping

from frrlib.edits.arrange import move
from frrlib.edits.parts import controllers_of, known_names
from frrlib.model.topology import Topology

_MOST_STEPS = 150
#: Maximum number of pairs of nodes over all steps, about half a second.
_MOST_PAIRS = 600_000


def auto_layout(
    topology: Topology,
    names: Iterable[str] | None = None,
    pitch_px: float = 120.0,
    corner: tuple[float, float] = (80.0, 80.0),
) -> Topology:
    """Lay out nodes, with linked nodes near each other and no two at the same position.

    Args:
        topology: the topology.
        names: the nodes; None for all.
        pitch_px: approximate distance of linked nodes. Nodes are placed on a grid of half of it.
        corner: left and top of the laid-out nodes.

    Raises:
        TopologyError: there is no such node.
    """
    selected = known_names(topology, [node.name for node in topology.nodes] if names is None else names)
    if not selected:
        return topology
    neighbors = neighbors_of(topology, selected)
    spread = _relaxed(_circle(selected, neighbors), neighbors)
    cells = _on_grid(spread)
    first_column, first_row = min(column for column, _ in cells.values()), min(row for _, row in cells.values())
    half = pitch_px / 2
    return move(
        topology,
        {
            name: (corner[0] + (column - first_column) * half, corner[1] + (row - first_row) * half)
            for name, (column, row) in cells.items()
        },
    )


def neighbors_of(topology: Topology, names: tuple[str, ...]) -> dict[str, list[str]]:
    """The neighbors of each node by links and by lists of controllers, each once."""
    pairs = [(link.a.node, link.b.node) for link in topology.links]
    pairs += [(node.name, controller) for node in topology.nodes for controller in controllers_of(node)]
    neighbors: dict[str, dict[str, None]] = {name: {} for name in names}
    for first, second in pairs:
        if first in neighbors and second in neighbors and first != second:
            neighbors[first][second] = neighbors[second][first] = None
    return {name: list(names_of_neighbors) for name, names_of_neighbors in neighbors.items()}


def _circle(names: tuple[str, ...], neighbors: Mapping[str, list[str]]) -> dict[str, complex]:
    """Nodes on a circle, neighbors one after the other; distances are in units of a link's length."""
    order = list(reached(names, neighbors))
    radius = max(1.0, len(order) / (2 * math.pi))
    return {name: cmath.rect(radius, 2 * math.pi * index / len(order)) for index, name in enumerate(order)}


def reached(names: Iterable[str], neighbors: Mapping[str, list[str]]) -> Iterator[str]:
    """The names in the order of a breadth-first walk, part by part."""
    visited: set[str] = set()
    for start in names:
        waiting = deque([start])
        while waiting:
            name = waiting.popleft()
            if name not in visited:
                visited.add(name)
                yield name
                waiting.extend(neighbors[name])


def _relaxed(spots: dict[str, complex], neighbors: Mapping[str, list[str]]) -> dict[str, complex]:
    """Positions after springs have pulled linked nodes together and repulsion has pushed all nodes apart."""
    names = list(spots)
    steps = min(_MOST_STEPS, max(8, 2 * _MOST_PAIRS // len(names) ** 2))
    for step in range(steps):
        most = max(1.0, math.sqrt(len(names)) / 2) * (1 - step / steps) ** 2 + 0.01
        forces = {name: -0.02 * spot for name, spot in spots.items()}
        for index, node in enumerate(names):
            for peer in names[index + 1 :]:
                apart = spots[node] - spots[peer]
                push = apart / max(abs(apart) ** 3, 0.05)
                forces[node] += push
                forces[peer] -= push
            for peer in neighbors[node]:
                apart = spots[peer] - spots[node]
                forces[node] += apart * abs(apart)
        spots = {name: spots[name] + _at_most(forces[name], most) for name in names}
    return spots


def _at_most(force: complex, length: float) -> complex:
    return force if abs(force) <= length else force * (length / abs(force))


def _on_grid(spots: Mapping[str, complex]) -> dict[str, tuple[int, int]]:
    """The nearest free cell of half a link's length for each node; the eight cells around a node stay free."""
    closed: set[tuple[int, int]] = set()
    cells = {}
    for name, spot in spots.items():
        wish = (round(spot.real * 2), round(spot.imag * 2))
        cell = next(cell for cell in _rings_around(wish) if cell not in closed)
        closed |= {(cell[0] + dx, cell[1] + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
        cells[name] = cell
    return cells


def _rings_around(middle: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """A cell, then the square rings around it. Never ends."""
    column, row = middle
    yield middle
    ring = 0
    while True:
        ring += 1
        square = [(dx, dy) for dx in range(-ring, ring + 1) for dy in range(-ring, ring + 1)]
        edge = [(dx, dy) for dx, dy in square if max(abs(dx), abs(dy)) == ring]
        edge.sort(key=lambda step: step[0] ** 2 + step[1] ** 2)
        yield from ((column + dx, row + dy) for dx, dy in edge)
