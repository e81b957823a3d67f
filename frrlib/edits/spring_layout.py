"""A place for every node of a drawing that has none worth keeping: springs and repulsion, then a grid.

The same drawing always comes out the same: nodes start on a circle in the order in which links reach them, the number
of steps is bounded, and no chance is involved (after T. Fruchterman and E. Reingold, "Graph drawing by force-directed
placement", Software: Practice and Experience 21, 1991).
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
#: Pairs of nodes looked at over all steps: about half a second.
_MOST_PAIRS = 600_000


def auto_layout(
    topology: Topology,
    names: Iterable[str] | None = None,
    pitch_px: float = 120.0,
    corner: tuple[float, float] = (80.0, 80.0),
) -> Topology:
    """Lay nodes out anew, linked ones near each other, no two in one place.

    Args:
        topology: the drawing.
        names: the nodes; None for all.
        pitch_px: distance of linked nodes, roughly. Nodes come to stand on a grid of half of it.
        corner: left and top of what is laid out.

    Raises:
        TopologyError: there is no such node.
    """
    chosen = known_names(topology, [node.name for node in topology.nodes] if names is None else names)
    if not chosen:
        return topology
    neighbours = neighbors_of(topology, chosen)
    spread = _settled(_circle(chosen, neighbours), neighbours)
    cells = _on_grid(spread)
    left, top = min(column for column, _ in cells.values()), min(row for _, row in cells.values())
    half = pitch_px / 2
    return move(
        topology,
        {
            name: (corner[0] + (column - left) * half, corner[1] + (row - top) * half)
            for name, (column, row) in cells.items()
        },
    )


def neighbors_of(topology: Topology, names: tuple[str, ...]) -> dict[str, list[str]]:
    """The neighbours of each node, by links and by controllers' lists, each once."""
    pairs = [(link.a.node, link.b.node) for link in topology.links]
    pairs += [(node.name, controller) for node in topology.nodes for controller in controllers_of(node)]
    found: dict[str, dict[str, None]] = {name: {} for name in names}
    for one, other in pairs:
        if one in found and other in found and one != other:
            found[one][other] = found[other][one] = None
    return {name: list(others) for name, others in found.items()}


def _circle(names: tuple[str, ...], neighbours: Mapping[str, list[str]]) -> dict[str, complex]:
    """Nodes on a circle, neighbours after each other; distances are in units of a link's length."""
    order = list(reached(names, neighbours))
    radius = max(1.0, len(order) / (2 * math.pi))
    return {name: cmath.rect(radius, 2 * math.pi * index / len(order)) for index, name in enumerate(order)}


def reached(names: Iterable[str], neighbours: Mapping[str, list[str]]) -> Iterator[str]:
    """The names in the order in which links reach them from the first, part by part."""
    seen: set[str] = set()
    for start in names:
        waiting = deque([start])
        while waiting:
            name = waiting.popleft()
            if name not in seen:
                seen.add(name)
                yield name
                waiting.extend(neighbours[name])


def _settled(spots: dict[str, complex], neighbours: Mapping[str, list[str]]) -> dict[str, complex]:
    """Let springs pull linked nodes together and all nodes push each other apart, ever more slowly."""
    names = list(spots)
    steps = min(_MOST_STEPS, max(8, 2 * _MOST_PAIRS // len(names) ** 2))
    for step in range(steps):
        most = max(1.0, math.sqrt(len(names)) / 2) * (1 - step / steps) ** 2 + 0.01
        forces = {name: -0.02 * spot for name, spot in spots.items()}
        for index, one in enumerate(names):
            for other in names[index + 1 :]:
                apart = spots[one] - spots[other]
                push = apart / max(abs(apart) ** 3, 0.05)
                forces[one] += push
                forces[other] -= push
            for other in neighbours[one]:
                apart = spots[other] - spots[one]
                forces[one] += apart * abs(apart)
        spots = {name: spots[name] + _at_most(forces[name], most) for name in names}
    return spots


def _at_most(force: complex, length: float) -> complex:
    return force if abs(force) <= length else force * (length / abs(force))


def _on_grid(spots: Mapping[str, complex]) -> dict[str, tuple[int, int]]:
    """The nearest cell of half a link's length for each node; the eight cells around a node's stay free."""
    closed: set[tuple[int, int]] = set()
    cells = {}
    for name, spot in spots.items():
        wish = (round(spot.real * 2), round(spot.imag * 2))
        cell = next(cell for cell in _around(wish) if cell not in closed)
        closed |= {(cell[0] + dx, cell[1] + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
        cells[name] = cell
    return cells


def _around(middle: tuple[int, int]) -> Iterator[tuple[int, int]]:
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
