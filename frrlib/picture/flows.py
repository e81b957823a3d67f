"""The appearance of flows: the color of each, and arcs side by side between the same nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import copysign, dist

from frrlib.model.topology import Topology
from frrlib.picture.geometry import NODE_HALF, Box, Point, arc, length_within
from frrlib.prediction.congestion import control_of
from frrlib.results.palette import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, curve_styles

#: The distance between the summits of flows between the same nodes: a text fits between two of them.
LANE = 17.0
#: The first summit as a share of the distance of the nodes, and its minimum and maximum height.
_FIRST = (0.16, 34.0, 84.0)
#: Factors for alternatives to the first summit, the best first: on its side, on the other side, farther out.
_TRIED = (1.0, -1.0, 1.7, -1.7, 2.6, -2.6)
#: The additional cost of each further alternative, as a length of covered icons.
_FARTHER = 5.0
#: The maximum of pairs times boxes up to which arcs are searched; above it all flows get the first arc.
_MOST = 1500
#: The number of flows between the same nodes for which covered boxes are counted; further flows may cover anything.
_MOST_LANES = 4

#: Colors for color-blind readers, by their common names.
NAMED = {
    "blue": BLUE, "vermilion": VERMILION, "green": GREEN, "orange": ORANGE, "sky": SKY, "purple": PURPLE,
    "black": BLACK,
}  # fmt: skip
Ends = tuple[str, str]


def controls_of(topology: Topology, addressed: Topology | None = None) -> dict[str, str]:
    """The congestion control of each flow, by id; empty for the kernel's default.

    Args:
        addressed: the topology with names and addresses; without it, only the flows' own settings are used.
    """
    controls = {}
    for flow in topology.flows:
        controls[flow.id] = flow.congestion_control if flow.is_tcp else ""
        if flow.is_tcp and not flow.congestion_control and addressed is not None:
            controls[flow.id] = control_of(addressed, flow).name
    return controls


def colors_of(topology: Topology, controls: Mapping[str, str]) -> dict[str, str]:
    """The color of each flow by id, as "#rrggbb": its own, or else that of its first copy in figures.

    Args:
        controls: as returned by `controls_of`; for a flow without one, its kind is used.
    """
    names = [controls.get(flow.id) or flow.kind for flow in topology.flows for _ in range(flow.count)]
    styles = iter(curve_styles(names) if names else ())
    colors = {}
    for flow in topology.flows:
        first, *_ = [next(styles) for _ in range(flow.count)]
        colors[flow.id] = flow.colour or first.colour
    return colors


def bows_of(ends: Sequence[Ends], places: Mapping[str, Point], obstacles: Iterable[Box]) -> list[float]:
    """The bow of each flow's arc to its left, chosen to cover as little as possible; flows between the same nodes have
    different bows.

    Args:
        ends: source and destination of each flow; both have a place.
        places: the positions of nodes.
        obstacles: the rectangles of icons and names, which arcs should not cover.
    """
    boxes = list(obstacles)
    pairs = Counter(ends)
    has_room = len(pairs) * len(boxes) <= _MOST
    first = {pair: _first_bow(pair, places, boxes if has_room else [], count) for pair, count in pairs.items()}
    lanes: Counter[tuple[Ends, bool]] = Counter()
    bows = []
    for pair in ends:
        bow = first[pair]
        # Flows of both directions may have arcs on the same side.
        is_turned = pair[0] > pair[1]
        side = (pair[::-1] if is_turned else pair), (bow > 0) != is_turned
        away = lanes[side] * LANE
        lanes[side] += 1
        bows.append(bow + away if bow > 0 else bow - away)
    return bows


def _first_bow(pair: Ends, places: Mapping[str, Point], boxes: Sequence[Box], count: int) -> float:
    """The bow of the first of `count` flows: the alternative with which all of them cover least."""
    a, b = places[pair[0]], places[pair[1]]
    share, least, most = _FIRST
    usual = min(max(share * dist(a, b), least), most)
    near = [box for box in boxes if not any(box.grown(NODE_HALF).contains(at) for at in (a, b))]
    end_boxes = [box for box in boxes if box not in near]
    costs = []
    for number, factor in enumerate(_TRIED):
        bow = factor * usual
        paths = [arc(a, b, bow + copysign(lane * LANE, bow)) for lane in range(min(count, _MOST_LANES))]
        covered = sum(_covered(path, near) + _covered(_middle(path), end_boxes) for path in paths)
        costs.append((covered + _FARTHER * number, bow))
    # Among alternatives of equal cost, the first is used.
    return min(costs, key=lambda cost: cost[0])[1]


def _middle(path: Sequence[Point]) -> Sequence[Point]:
    """A path without its ends, which necessarily cover its nodes."""
    return path[1:-1] if len(path) > 3 else path


def _covered(path: Sequence[Point], boxes: Iterable[Box]) -> float:
    return sum(length_within(start, end, box) for box in boxes for start, end in pairwise(path))


def head_of(path: Sequence[Point], long: float = 10.0, wide: float = 4.2) -> tuple[Point, Point, Point]:
    """The head of an arrow at the end of a path, as a triangle with its tip as the first corner."""
    tip = path[-1]
    x, y = next((at for at in reversed(path) if dist(at, tip) >= long), path[0])
    run = dist(tip, (x, y)) or 1.0
    ux, uy = (tip[0] - x) / run, (tip[1] - y) / run
    base = tip[0] - ux * long, tip[1] - uy * long
    return tip, (base[0] - uy * wide, base[1] + ux * wide), (base[0] + uy * wide, base[1] - ux * wide)
