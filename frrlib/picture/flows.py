"""How flows are drawn: the colour of each, and the arcs that lie side by side between the same nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import copysign, dist

from frrlib.model.topology import Topology
from frrlib.picture.geometry import NODE_HALF, Box, Point, arc, length_within
from frrlib.prediction.congestion import control_of
from frrlib.results.palette import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, curve_styles

#: Distance between the summits of flows between the same nodes: a text fits between two of them.
LANE = 17.0
#: The first summit, in shares of the distance, and its least and largest distance from the straight line.
_FIRST = (0.16, 34.0, 84.0)
#: Alternatives to the first summit, the best first: on its side, on the other one, farther out.
_TRIED = (1.0, -1.0, 1.7, -1.7, 2.6, -2.6)
#: The cost of each further one, in units of a covered icon.
_FARTHER = 5.0
#: Above this many pairs times boxes no arc is searched for: all take the first one.
_MOST = 1500
#: Where more flows than these join the same nodes, the others may cover anything.
_MOST_LANES = 4

#: Colours that colour-blind people can tell apart, by their common names.
NAMED = {
    "blue": BLUE, "vermilion": VERMILION, "green": GREEN, "orange": ORANGE, "sky": SKY, "purple": PURPLE,
    "black": BLACK,
}  # fmt: skip
Ends = tuple[str, str]


def controls_of(topology: Topology, addressed: Topology | None = None) -> dict[str, str]:
    """The congestion control that each flow has, by id; empty for the kernel's own.

    Args:
        addressed: the drawing with names and addresses; without it only what flows say themselves is known.
    """
    found = {}
    for flow in topology.flows:
        found[flow.id] = flow.congestion_control if flow.is_tcp else ""
        if flow.is_tcp and not flow.congestion_control and addressed is not None:
            found[flow.id] = control_of(addressed, flow).name
    return found


def colours_of(topology: Topology, controls: Mapping[str, str]) -> dict[str, str]:
    """The colour of each flow by id, as "#rrggbb": its own, else that of the first of its equal ones in figures.

    Args:
        controls: as `controls_of` gives them; a flow without one goes by its kind.
    """
    spelt = [controls.get(flow.id) or flow.kind for flow in topology.flows for _ in range(flow.count)]
    chosen = iter(curve_styles(spelt) if spelt else ())
    found = {}
    for flow in topology.flows:
        first, *_ = [next(chosen) for _ in range(flow.count)]
        found[flow.id] = flow.colour or first.colour
    return found


def bows_of(ends: Sequence[Ends], places: Mapping[str, Point], standing: Iterable[Box]) -> list[float]:
    """How far each flow's arc bows out to its left, chosen to cover least; no two between the same nodes are equal.

    Args:
        ends: source and destination of each flow; both have a place.
        places: where nodes stand.
        standing: icons and names, to be kept clear where possible.
    """
    boxes = list(standing)
    pairs = Counter(ends)
    has_room = len(pairs) * len(boxes) <= _MOST
    first = {pair: _first_bow(pair, places, boxes if has_room else [], count) for pair, count in pairs.items()}
    lanes: Counter[tuple[Ends, bool]] = Counter()
    found = []
    for pair in ends:
        bow = first[pair]
        # Flows of both directions may have been given the same side.
        is_turned = pair[0] > pair[1]
        side = (pair[::-1] if is_turned else pair), (bow > 0) != is_turned
        away = lanes[side] * LANE
        lanes[side] += 1
        found.append(bow + away if bow > 0 else bow - away)
    return found


def _first_bow(pair: Ends, places: Mapping[str, Point], boxes: Sequence[Box], count: int) -> float:
    """The bow for each of so many flows; the first choice that covers least in total."""
    a, b = places[pair[0]], places[pair[1]]
    share, least, most = _FIRST
    usual = min(max(share * dist(a, b), least), most)
    near = [box for box in boxes if not any(box.grown(NODE_HALF).holds(at) for at in (a, b))]
    around = [box for box in boxes if box not in near]
    costs = []
    for number, factor in enumerate(_TRIED):
        bow = factor * usual
        paths = [arc(a, b, bow + copysign(lane * LANE, bow)) for lane in range(min(count, _MOST_LANES))]
        covered = sum(_covered(path, near) + _covered(_middle(path), around) for path in paths)
        costs.append((covered + _FARTHER * number, bow))
    # Of equally cheap choices the first wins.
    return min(costs, key=lambda cost: cost[0])[1]


def _middle(path: Sequence[Point]) -> Sequence[Point]:
    """A path without its ends, where it leaves its nodes and cannot avoid covering them."""
    return path[1:-1] if len(path) > 3 else path


def _covered(path: Sequence[Point], boxes: Iterable[Box]) -> float:
    return sum(length_within(one, other, box) for box in boxes for one, other in pairwise(path))


def head_of(path: Sequence[Point], long: float = 10.0, wide: float = 4.2) -> tuple[Point, Point, Point]:
    """The head of an arrow at the end of a path, as a triangle whose first corner is its tip."""
    tip = path[-1]
    x, y = next((at for at in reversed(path) if dist(at, tip) >= long), path[0])
    run = dist(tip, (x, y)) or 1.0
    ux, uy = (tip[0] - x) / run, (tip[1] - y) / run
    back = tip[0] - ux * long, tip[1] - uy * long
    return tip, (back[0] - uy * wide, back[1] + ux * wide), (back[0] + uy * wide, back[1] - ux * wide)
