"""Layouts of a topology or a part of it: layers, left to right, circle, springs, grid. All are deterministic edits.

The laid-out nodes keep their left and top, so that they do not move away from other nodes.
"""

from __future__ import annotations

import cmath
import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence

from frrlib.edits.arrange import move
from frrlib.edits.parts import known_names
from frrlib.edits.spring_layout import auto_layout, neighbors_of, reached
from frrlib.model.topology import Topology

#: Distance of neighbors in a row, and of rows, in pixels.
PITCH_PX, LAYER_PX = 100.0, 120.0
#: Distance of columns, with room for a link's rate and delay.
COLUMN_PX = 190.0
#: In larger parts the center is approximated by two walks instead of one from every node.
_MOST_WALKS = 300
_SWEEPS = 12

Neighbors = Mapping[str, list[str]]
Spots = dict[str, complex]


def circle(topology: Topology, names: Iterable[str] | None = None) -> Topology:
    """Place nodes on a circle in the order of their links; leaves are placed outside, beside their neighbor.

    Raises:
        TopologyError: there is no such node.
    """
    selected, near = _selection(topology, names)
    leaves = {name: near[name][0] for name in selected if len(near[name]) == 1 and len(near[near[name][0]]) > 1}
    leaves_of: dict[str, list[str]] = {name: [] for name in _along(selected, near) if name not in leaves}
    for leaf, holder in leaves.items():
        leaves_of[holder].append(leaf)
    shares = {name: max(1, len(below)) for name, below in leaves_of.items()}
    total = sum(shares.values())
    radius = max(PITCH_PX, total * PITCH_PX / (2 * math.pi)) if total > 1 else 0.0
    spots: Spots = {}
    passed = 0.0
    for name, below in leaves_of.items():
        middle = passed + shares[name] / 2
        spots[name] = cmath.rect(radius, 2 * math.pi * middle / total - math.pi / 2)
        for index, leaf in enumerate(below):
            turn = passed + (index + 0.5) * shares[name] / len(below)
            spots[leaf] = cmath.rect(radius + PITCH_PX, 2 * math.pi * turn / total - math.pi / 2)
        passed += shares[name]
    return _moved(topology, spots)


def rows(topology: Topology, names: Iterable[str] | None = None) -> Topology:
    """Place nodes in rows and columns, in the order in which links reach them.

    Raises:
        TopologyError: there is no such node.
    """
    selected, near = _selection(topology, names)
    across = math.ceil(math.sqrt(1.5 * len(selected)))
    spots = {
        name: complex(index % across * PITCH_PX, index // across * PITCH_PX)
        for index, name in enumerate(reached(selected, near))
    }
    return _moved(topology, spots)


def layered(topology: Topology, names: Iterable[str] | None = None) -> Topology:
    """Place the center of the network in the top row, and every other node in the row of its distance from there.

    Controllers are placed above. The order within rows keeps crossings of links few, and nodes are near the middle of
    their neighbors. Unconnected parts are placed side by side.

    Raises:
        TopologyError: there is no such node.
    """
    selected, near = _selection(topology, names)
    kinds = {node.name: node.kind for node in topology.nodes}
    spots: Spots = {}
    left_px = 0.0
    for part in _parts(selected, near):
        across = _columns(_layers(part, near, kinds), near)
        shift = left_px - min(spot.real for spot in across.values())
        spots |= {name: spot + shift for name, spot in across.items()}
        left_px = max(spots[name].real for name in part) + PITCH_PX
    return _moved(topology, spots)


def left_to_right(topology: Topology, names: Iterable[str] | None = None) -> Topology:
    """Place senders of flows in the left column, and every other node in the column of its distance in hops.

    If two nodes send to each other, the first flow decides. Without flows, the end of a longest path is at the left.
    Columns are ordered as the rows of `layered`; unconnected parts are placed below each other.

    Raises:
        TopologyError: there is no such node.
    """
    selected, near = _selection(topology, names)
    senders = _senders(topology)
    spots: Spots = {}
    top = 0.0
    for part in _parts(selected, near):
        within = set(part)
        starts = [name for name in part if name in senders] or list(_walk(part[:1], near, within))[-1:]
        columns: dict[int, list[str]] = {}
        for name, away in _walk(starts, near, within).items():
            columns.setdefault(away, []).append(name)
        placed = _columns([columns[at] for at in sorted(columns)], near)
        shift = top - min(spot.real for spot in placed.values())
        spots |= {n: complex(s.imag * COLUMN_PX / LAYER_PX, s.real + shift) for n, s in placed.items()}
        top = max(spots[name].imag for name in part) + PITCH_PX
    return _moved(topology, spots)


def springs(topology: Topology, names: Iterable[str] | None = None) -> Topology:
    """Place linked nodes near each other and all others apart, by springs and repulsion.

    Raises:
        TopologyError: there is no such node.
    """
    selected, _ = _selection(topology, names)
    return auto_layout(topology, selected, corner=_corner(topology, selected)) if selected else topology


#: The layouts by their menu labels.
LAYOUTS: dict[str, Callable[..., Topology]] = {
    "Layers": layered,
    "Left to Right": left_to_right,
    "Circle": circle,
    "Springs": springs,
    "Grid": rows,
}


# --- steps ----------------------------------------------------------------------------------------------------------


def _selection(topology: Topology, names: Iterable[str] | None) -> tuple[tuple[str, ...], Neighbors]:
    selected = known_names(topology, [node.name for node in topology.nodes] if names is None else names)
    return selected, neighbors_of(topology, selected)


def _senders(topology: Topology) -> set[str]:
    """Nodes that send flows, except receivers of earlier flows."""
    senders: set[str] = set()
    receivers: set[str] = set()
    for flow in topology.flows:
        if flow.source not in receivers:
            senders.add(flow.source)
        if flow.destination not in senders:
            receivers.add(flow.destination)
    return senders


def _corner(topology: Topology, names: Iterable[str]) -> tuple[float, float]:
    selected = set(names)
    nodes = [node for node in topology.nodes if node.name in selected]
    return min(node.x for node in nodes), min(node.y for node in nodes)


def _moved(topology: Topology, spots: Spots) -> Topology:
    if not spots:
        return topology
    x, y = _corner(topology, spots)
    left, top = min(spot.real for spot in spots.values()), min(spot.imag for spot in spots.values())
    return move(topology, {n: (x + round(s.real - left), y + round(s.imag - top)) for n, s in spots.items()})


def _walk(starts: Iterable[str], near: Neighbors, within: set[str]) -> dict[str, int]:
    """The distance of each node from the nearest start, in links."""
    away = dict.fromkeys(starts, 0)
    waiting = deque(away)
    while waiting:
        name = waiting.popleft()
        for neighbor in near[name]:
            if neighbor in within and neighbor not in away:
                away[neighbor] = away[name] + 1
                waiting.append(neighbor)
    return away


def _along(names: Iterable[str], near: Neighbors) -> list[str]:
    """The names in the order of a depth-first walk, which follows a ring around."""
    order: dict[str, None] = {}
    for start in names:
        waiting = [start]
        while waiting:
            name = waiting.pop()
            if name not in order:
                order[name] = None
                waiting += reversed([neighbor for neighbor in near[name] if neighbor not in order])
    return list(order)


def _parts(names: Sequence[str], near: Neighbors) -> list[list[str]]:
    """The connected parts, each in the order in which links reach its nodes."""
    visited: set[str] = set()
    parts = []
    for name in names:
        if name not in visited:
            part = list(_walk([name], near, set(names)))
            visited.update(part)
            parts.append(part)
    return parts


def _middle(names: Sequence[str], ends: set[str], near: Neighbors, within: set[str]) -> list[str]:
    """The names with the smallest distance to their farthest end; in a large part, the middle of a long path."""
    if len(names) <= _MOST_WALKS:
        reach = {name: max(away for end, away in _walk([name], near, within).items() if end in ends) for name in names}
        middle = [name for name in names if reach[name] == min(reach.values())]
        # If all distances are equal, use one node: a ring in one row would be a line.
        is_ring = len(middle) == len(names) > 2
        return middle[:1] if is_ring else middle
    farthest = list(_walk([names[0]], near, within))[-1]
    from_one = _walk([farthest], near, within)
    from_other = _walk([list(from_one)[-1]], near, within)
    return [min(names, key=lambda name: max(from_one.get(name, 0), from_other.get(name, 0)))]


def _layers(part: Sequence[str], near: Neighbors, kinds: Mapping[str, str]) -> list[list[str]]:
    controllers = [name for name in part if kinds[name] == "controller"]
    below = {name for name in part if kinds[name] != "controller"}
    layers: dict[int, list[str]] = {-1: controllers} if controllers else {}
    remaining = [name for name in part if name in below]
    while remaining:
        # Without its controllers the part may be disconnected.
        piece = _walk([remaining[0]], near, below)
        devices = [name for name in piece if kinds[name] != "host"] or list(piece)
        ends = {name for name in piece if kinds[name] == "host"} or set(piece)
        for name, away in _walk(_middle(devices, ends, near, below), near, below).items():
            layers.setdefault(away, []).append(name)
        remaining = [name for name in remaining if name not in piece]
    return [layers[level] for level in sorted(layers)]


def _columns(layers: list[list[str]], near: Neighbors) -> Spots:
    """A position for each node of each layer: rows with few crossings, nodes near the middle of their neighbors."""
    across = {name: index * PITCH_PX for layer in layers for index, name in enumerate(layer)}
    level = {name: number for number, layer in enumerate(layers) for name in layer}
    wide = max(layers, key=len)
    for sweep in range(_SWEEPS):
        is_down = sweep % 2 == 0
        for number in range(len(layers)) if is_down else reversed(range(len(layers))):
            layer = layers[number]
            previous = number - 1 if is_down else number + 1
            wish = {}
            for name in layer:
                beside = [across[neighbor] for neighbor in near[name] if level[neighbor] == previous]
                wish[name] = sum(beside) / len(beside) if beside else across[name]
            layer.sort(key=wish.__getitem__)
            if layer is not wide or sweep < _SWEEPS - 2:
                across |= _apart([wish[name] for name in layer], layer)
    spots = {name: complex(across[name], level[name] * LAYER_PX) for layer in layers for name in layer}
    for layer in layers:
        place = {name: index for index, name in enumerate(layer)}
        if any(
            abs(place[neighbor] - place[name]) > 1 for name in layer for neighbor in near[name] if neighbor in place
        ):
            # On an arc, no straight line between two nodes passes through a third.
            spots |= {name: spots[name] - 1j * _bow(index, len(layer)) for name, index in place.items()}
    return spots


def _bow(index: int, count: int) -> float:
    share = 2 * index / (count - 1) - 1
    return 0.4 * LAYER_PX * (1 - share * share)


def _apart(wishes: Sequence[float], layer: Sequence[str]) -> dict[str, float]:
    """Positions in this order, at least a pitch apart and near the wishes, as the mean of passes from both sides."""
    from_left, from_right = list(wishes), list(wishes)
    for index in range(1, len(layer)):
        from_left[index] = max(from_left[index], from_left[index - 1] + PITCH_PX)
        from_right[-1 - index] = min(from_right[-1 - index], from_right[-index] - PITCH_PX)
    return {name: (a + b) / 2 for name, a, b in zip(layer, from_left, from_right, strict=True)}
