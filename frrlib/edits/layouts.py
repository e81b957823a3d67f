"""Layouts of a drawing, or of a part of it: layers, left to right, circle, springs, grid. Edits all, none of chance.

Whatever is laid out keeps its left and its top, so that it does not run away from what stands around it.
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

#: Distance of neighbours in a row, and of rows, in pixels.
PITCH_PX, LAYER_PX = 100.0, 120.0
#: Distance of columns, between which a link has room for its rate and delay.
COLUMN_PX = 190.0
#: In larger parts the middle is found by two walks instead of one from every node.
_MOST_WALKS = 300
_SWEEPS = 12

Neighbours = Mapping[str, list[str]]
Spots = dict[str, complex]


def circle(topology: Topology, names: Iterable[str] | None = None) -> Topology:
    """Nodes on a circle in the order of their links; what hangs on one node only stands outside, beside it.

    Raises:
        TopologyError: there is no such node.
    """
    chosen, near = _chosen(topology, names)
    leaves = {name: near[name][0] for name in chosen if len(near[name]) == 1 and len(near[near[name][0]]) > 1}
    hung: dict[str, list[str]] = {name: [] for name in _along(chosen, near) if name not in leaves}
    for leaf, holder in leaves.items():
        hung[holder].append(leaf)
    shares = {name: max(1, len(below)) for name, below in hung.items()}
    whole = sum(shares.values())
    radius = max(PITCH_PX, whole * PITCH_PX / (2 * math.pi)) if whole > 1 else 0.0
    spots: Spots = {}
    passed = 0.0
    for name, below in hung.items():
        middle = passed + shares[name] / 2
        spots[name] = cmath.rect(radius, 2 * math.pi * middle / whole - math.pi / 2)
        for index, leaf in enumerate(below):
            turn = passed + (index + 0.5) * shares[name] / len(below)
            spots[leaf] = cmath.rect(radius + PITCH_PX, 2 * math.pi * turn / whole - math.pi / 2)
        passed += shares[name]
    return _moved(topology, spots)


def rows(topology: Topology, names: Iterable[str] | None = None) -> Topology:
    """Nodes in rows and columns, in the order in which links reach them.

    Raises:
        TopologyError: there is no such node.
    """
    chosen, near = _chosen(topology, names)
    across = math.ceil(math.sqrt(1.5 * len(chosen)))
    spots = {
        name: complex(index % across * PITCH_PX, index // across * PITCH_PX)
        for index, name in enumerate(reached(chosen, near))
    }
    return _moved(topology, spots)


def layered(topology: Topology, names: Iterable[str] | None = None) -> Topology:
    """The middle of the network in the top row, and every other node as many rows below as it is away from there.

    Controllers stand above. Rows are ordered so that few links cross, and nodes stand near the middle of their
    neighbours. Parts that are not linked stand side by side.

    Raises:
        TopologyError: there is no such node.
    """
    chosen, near = _chosen(topology, names)
    kinds = {node.name: node.kind for node in topology.nodes}
    spots: Spots = {}
    left = 0.0
    for part in _parts(chosen, near):
        across = _columns(_layers(part, near, kinds), near)
        shift = left - min(spot.real for spot in across.values())
        spots |= {name: spot + shift for name, spot in across.items()}
        left = max(spots[name].real for name in part) + PITCH_PX
    return _moved(topology, spots)


def left_to_right(topology: Topology, names: Iterable[str] | None = None) -> Topology:
    """Senders of flows in the left column, and every other node as many columns to the right as it is hops away.

    Of two that send to each other the first is the sender; where nothing is sent, the end of a longest way is at the
    left. Columns are ordered as the rows of `layered`; parts that are not linked stand below each other.

    Raises:
        TopologyError: there is no such node.
    """
    chosen, near = _chosen(topology, names)
    senders = _senders(topology)
    spots: Spots = {}
    top = 0.0
    for part in _parts(chosen, near):
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
    """Linked nodes near each other, all others apart, as springs and repulsion would have it.

    Raises:
        TopologyError: there is no such node.
    """
    chosen, _ = _chosen(topology, names)
    return auto_layout(topology, chosen, corner=_corner(topology, chosen)) if chosen else topology


#: The layouts by what menus call them.
LAYOUTS: dict[str, Callable[..., Topology]] = {
    "Layers": layered,
    "Left to Right": left_to_right,
    "Circle": circle,
    "Springs": springs,
    "Grid": rows,
}


# --- steps ----------------------------------------------------------------------------------------------------------


def _chosen(topology: Topology, names: Iterable[str] | None) -> tuple[tuple[str, ...], Neighbours]:
    chosen = known_names(topology, [node.name for node in topology.nodes] if names is None else names)
    return chosen, neighbors_of(topology, chosen)


def _senders(topology: Topology) -> set[str]:
    """Nodes that send flows, but for those that were sent something by a flow before."""
    senders: set[str] = set()
    receivers: set[str] = set()
    for flow in topology.flows:
        if flow.source not in receivers:
            senders.add(flow.source)
        if flow.destination not in senders:
            receivers.add(flow.destination)
    return senders


def _corner(topology: Topology, names: Iterable[str]) -> tuple[float, float]:
    wanted = set(names)
    nodes = [node for node in topology.nodes if node.name in wanted]
    return min(node.x for node in nodes), min(node.y for node in nodes)


def _moved(topology: Topology, spots: Spots) -> Topology:
    if not spots:
        return topology
    x, y = _corner(topology, spots)
    left, top = min(spot.real for spot in spots.values()), min(spot.imag for spot in spots.values())
    return move(topology, {n: (x + round(s.real - left), y + round(s.imag - top)) for n, s in spots.items()})


def _walk(starts: Iterable[str], near: Neighbours, within: set[str]) -> dict[str, int]:
    """How many links each node is away from the nearest start."""
    away = dict.fromkeys(starts, 0)
    waiting = deque(away)
    while waiting:
        name = waiting.popleft()
        for other in near[name]:
            if other in within and other not in away:
                away[other] = away[name] + 1
                waiting.append(other)
    return away


def _along(names: Iterable[str], near: Neighbours) -> list[str]:
    """The names in the order of a walk that goes on to a new neighbour while there is one: around a ring."""
    order: dict[str, None] = {}
    for start in names:
        waiting = [start]
        while waiting:
            name = waiting.pop()
            if name not in order:
                order[name] = None
                waiting += reversed([other for other in near[name] if other not in order])
    return list(order)


def _parts(names: Sequence[str], near: Neighbours) -> list[list[str]]:
    """The parts that hang together, each in the order in which links reach its nodes."""
    seen: set[str] = set()
    parts = []
    for name in names:
        if name not in seen:
            part = list(_walk([name], near, set(names)))
            seen.update(part)
            parts.append(part)
    return parts


def _middle(names: Sequence[str], ends: set[str], near: Neighbours, within: set[str]) -> list[str]:
    """The names whose farthest end is nearest; of a large part one in the middle of a long way."""
    if len(names) <= _MOST_WALKS:
        reach = {
            name: max(away for other, away in _walk([name], near, within).items() if other in ends) for name in names
        }
        middle = [name for name in names if reach[name] == min(reach.values())]
        # Where all are alike, one begins: a ring in one row would be a line.
        is_ring = len(middle) == len(names) > 2
        return middle[:1] if is_ring else middle
    one = list(_walk([names[0]], near, within))[-1]
    from_one = _walk([one], near, within)
    from_other = _walk([list(from_one)[-1]], near, within)
    return [min(names, key=lambda name: max(from_one.get(name, 0), from_other.get(name, 0)))]


def _layers(part: Sequence[str], near: Neighbours, kinds: Mapping[str, str]) -> list[list[str]]:
    controllers = [name for name in part if kinds[name] == "controller"]
    below = {name for name in part if kinds[name] != "controller"}
    layers: dict[int, list[str]] = {-1: controllers} if controllers else {}
    left = [name for name in part if name in below]
    while left:
        # Taking the controllers away may have cut the part.
        piece = _walk([left[0]], near, below)
        devices = [name for name in piece if kinds[name] != "host"] or list(piece)
        ends = {name for name in piece if kinds[name] == "host"} or set(piece)
        for name, away in _walk(_middle(devices, ends, near, below), near, below).items():
            layers.setdefault(away, []).append(name)
        left = [name for name in left if name not in piece]
    return [layers[level] for level in sorted(layers)]


def _columns(layers: list[list[str]], near: Neighbours) -> Spots:
    """A place for each node of each layer: rows in an order with few crossings, nodes near their neighbours' middle."""
    across = {name: index * PITCH_PX for layer in layers for index, name in enumerate(layer)}
    level = {name: number for number, layer in enumerate(layers) for name in layer}
    wide = max(layers, key=len)
    for sweep in range(_SWEEPS):
        is_down = sweep % 2 == 0
        for number in range(len(layers)) if is_down else reversed(range(len(layers))):
            layer = layers[number]
            before = number - 1 if is_down else number + 1
            wish = {}
            for name in layer:
                beside = [across[other] for other in near[name] if level[other] == before]
                wish[name] = sum(beside) / len(beside) if beside else across[name]
            layer.sort(key=wish.__getitem__)
            if layer is not wide or sweep < _SWEEPS - 2:
                across |= _apart([wish[name] for name in layer], layer)
    spots = {name: complex(across[name], level[name] * LAYER_PX) for layer in layers for name in layer}
    for layer in layers:
        place = {name: index for index, name in enumerate(layer)}
        if any(abs(place[other] - place[name]) > 1 for name in layer for other in near[name] if other in place):
            # On a bow, no straight line between two of them runs through a third.
            spots |= {name: spots[name] - 1j * _bow(index, len(layer)) for name, index in place.items()}
    return spots


def _bow(index: int, count: int) -> float:
    share = 2 * index / (count - 1) - 1
    return 0.4 * LAYER_PX * (1 - share * share)


def _apart(wishes: Sequence[float], layer: Sequence[str]) -> dict[str, float]:
    """Places a pitch apart at least, in this order, as near to the wishes as going from both sides finds them."""
    right, left = list(wishes), list(wishes)
    for index in range(1, len(layer)):
        right[index] = max(right[index], right[index - 1] + PITCH_PX)
        left[-1 - index] = min(left[-1 - index], left[-index] - PITCH_PX)
    return {name: (a + b) / 2 for name, a, b in zip(layer, right, left, strict=True)}
