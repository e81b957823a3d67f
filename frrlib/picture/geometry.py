"""Plane geometry of scenes, in world units: one unit is one pixel at a zoom of 100 %, and y increases downwards."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import cos, hypot, pi, sin

Point = tuple[float, float]
#: Half the edge of a node's icon.
NODE_HALF = 22.0
#: The middle of the badge with a node's state, relative to the middle of the node, and half its edge.
STATE_AT, STATE_HALF = (NODE_HALF - 3.0, NODE_HALF - 5.0), 7.0
#: Distance between the summits of parallel links.
LANE_GAP = 26.0
#: Distance between a line and a text beside it.
TEXT_GAP = 3.0
_STEPS = 12
#: Slopes, as sines: up to the first a path is level, from the second on a text at its end may overlap the node's name,
#: and a component below the third counts as 0.
_LEVEL, _STEEP, _UPRIGHT = 0.12, 0.4, 0.02
#: Distance of a text from an icon beside it, which keeps it off the badge at its corner; and the share of a path that
#: seems to belong to its end.
_ICON_GAP, _OWN_PART = 4.0, 0.38


@dataclass(frozen=True)
class Box:
    """A rectangle; left <= right and top <= bottom."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, points: Iterable[Point]) -> Box | None:
        """The smallest rectangle that contains all points; None without points."""
        listed = list(points)
        if not listed:
            return None
        xs, ys = [x for x, _ in listed], [y for _, y in listed]
        return cls(min(xs), min(ys), max(xs), max(ys))

    @classmethod
    def between(cls, a: Point, b: Point) -> Box:
        """The rectangle with two points as opposite corners."""
        return cls(min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1]))

    @property
    def center(self) -> Point:
        """The point in the middle."""
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def grown(self, margin: float) -> Box:
        """The rectangle extended by a margin on every side."""
        return Box(self.left - margin, self.top - margin, self.right + margin, self.bottom + margin)

    def contains(self, point: Point) -> bool:
        """Whether it contains a point, also on its edge."""
        return self.left <= point[0] <= self.right and self.top <= point[1] <= self.bottom


def lanes(count: int) -> tuple[float, ...]:
    """The bows of `count` parallel links, all different and symmetric around the straight line."""
    return tuple((index - (count - 1) / 2) * LANE_GAP for index in range(count))


def arc(a: Point, b: Point, bow: float, pieces: int = _STEPS) -> tuple[Point, ...]:
    """A path from a to b with its summit at the distance `bow` to the left of the straight line, seen from a; straight
    for 0. A curve has the given number of straight pieces.
    """
    length = hypot(b[0] - a[0], b[1] - a[1])
    if not length:
        return loop(a, bow)
    if not bow:
        return (a, b)
    # The control point of a quadratic curve is twice as far out as its summit.
    normal = ((b[1] - a[1]) / length, (a[0] - b[0]) / length)
    control = ((a[0] + b[0]) / 2 + normal[0] * 2 * bow, (a[1] + b[1]) / 2 + normal[1] * 2 * bow)
    steps = (index / pieces for index in range(pieces + 1))
    return tuple(_quadratic(a, control, b, t) for t in steps)


def loop(a: Point, bow: float = 0.0) -> tuple[Point, ...]:
    """A round path above a point that returns to it: a link between a node and itself."""
    radius = NODE_HALF * 0.8 + abs(bow) / 4
    turns = (2 * pi * index / _STEPS for index in range(_STEPS + 1))
    return tuple((a[0] + radius * sin(turn), a[1] - radius * (1 - cos(turn)) - NODE_HALF / 2) for turn in turns)


def _quadratic(a: Point, control: Point, b: Point, t: float) -> Point:
    p, q, r = (1 - t) ** 2, 2 * t * (1 - t), t * t
    return p * a[0] + q * control[0] + r * b[0], p * a[1] + q * control[1] + r * b[1]


def distance(point: Point, path: Sequence[Point]) -> float:
    """The distance of a point from a path of straight pieces."""
    return min(_to_piece(point, a, b) for a, b in itertools.pairwise(path))


def _to_piece(point: Point, a: Point, b: Point) -> float:
    dx, dy = b[0] - a[0], b[1] - a[1]
    square = dx * dx + dy * dy
    along = ((point[0] - a[0]) * dx + (point[1] - a[1]) * dy) / square if square else 0.0
    along = max(0.0, min(1.0, along))
    return hypot(point[0] - a[0] - along * dx, point[1] - a[1] - along * dy)


def length(path: Sequence[Point]) -> float:
    """The length of a path."""
    return sum(hypot(b[0] - a[0], b[1] - a[1]) for a, b in itertools.pairwise(path))


def part(path: Sequence[Point], begin: float, end: float) -> tuple[Point, ...]:
    """The part of a path between two distances from its start, `begin` < `end`; both within the path."""
    points, walked = [beside(path, begin, 0)[0]], 0.0
    for a, b in itertools.pairwise(path):
        walked += hypot(b[0] - a[0], b[1] - a[1])
        if begin < walked < end:
            points.append(b)
    return (*points, beside(path, end, 0)[0])


def length_within(a: Point, b: Point, box: Box) -> float:
    """The length of a straight line's part inside a rectangle (Liang and Barsky's clipping)."""
    if max(a[0], b[0]) < box.left or min(a[0], b[0]) > box.right:
        return 0.0
    begin, end = 0.0, 1.0
    for start_value, end_value, low, high in ((a[0], b[0], box.left, box.right), (a[1], b[1], box.top, box.bottom)):
        change = end_value - start_value
        if not change:
            if not low <= start_value <= high:
                return 0.0
            continue
        first, last = sorted(((low - start_value) / change, (high - start_value) / change))
        begin, end = max(begin, first), min(end, last)
    return max(0.0, end - begin) * hypot(b[0] - a[0], b[1] - a[1])


def beside(path: Sequence[Point], along: float, aside: float) -> tuple[Point, str]:
    """A place for a text beside a path.

    Args:
        path: at least two points.
        along: the distance from its start along the path; if the path is shorter, its end is used.
        aside: the distance from the path: positive above it, negative below it. Beside an upright path, above is left.

    Returns:
        The place, and the anchor ("sw") that keeps a text there off the path.
    """
    for a, b in itertools.pairwise(path):
        piece = hypot(b[0] - a[0], b[1] - a[1])
        if piece and (along <= piece or b is path[-1]):
            share = min(1.0, along / piece)
            ux, uy = (b[0] - a[0]) / piece, (b[1] - a[1]) / piece
            # The normal that points up, or to the left beside a path that is upright.
            nx, ny = (uy, -ux) if (round(ux, 6), -uy) >= (0, 0) else (-uy, ux)
            at = a[0] + ux * piece * share + nx * aside, a[1] + uy * piece * share + ny * aside
            return at, _anchor(nx * aside, ny * aside)
        along -= piece
    return path[-1], "center"


def beside_end(
    path: Sequence[Point],
    size: tuple[float, float],
    is_second: bool,
    step: float = 0.0,
    lift: float = 0.0,
    other_side: bool = False,
    least: float = 0.0,
) -> tuple[Point, str]:
    """A place for a text at the start of a path that leaves a node, as near to the node as its icon permits.

    Args:
        path: at least two points, from the node on.
        size: width and height of the text.
        is_second: whether it is the second end of its link: at a level link the two texts are on different sides.
        step: an additional distance along the path.
        lift: an additional distance from the path.
        other_side: whether to use the side opposite to the default.
        least: the minimum distance along a descending path, past the node's own text below it; limited to the part of
            the path that seems to belong to this end.

    Returns:
        The place, and the anchor of the text. At a level path the text extends away from the node, so that its lines
        begin at its own node.
    """
    (x0, y0), (x1, y1) = path[0], path[1] if len(path) == 2 else beside(path, 2 * NODE_HALF, 0)[0]
    piece = hypot(x1 - x0, y1 - y0) or 1.0
    ux, uy = (x1 - x0) / piece, (y1 - y0) / piece
    is_above = uy > _LEVEL or (is_second and uy > -_LEVEL)
    aside = (TEXT_GAP + lift) * (1 if is_above != other_side else -1)
    (x, y), anchor = beside(((x0, y0), (x1, y1)), 0, aside)
    anchor = _outward(anchor, ux)
    along = _clear_way((ux, uy), anchored((x - x0, y - y0), anchor, size))
    if uy > _STEEP:
        along = max(along, min(least, length(path) * _OWN_PART))
    at, place_anchor = beside(path, along + step, aside)
    return at, _outward(place_anchor, ux)


def anchored(at: Point, anchor: str, size: tuple[float, float]) -> Box:
    """The rectangle of a text with a size (width and height) at a point, with a Tk anchor."""
    (x, y), (width, height), sides = at, size, anchor if anchor != "center" else ""
    left = x if "w" in sides else x - width if "e" in sides else x - width / 2
    top = y if "n" in sides else y - height if "s" in sides else y - height / 2
    return Box(left, top, left + width, top + height)


def _outward(anchor: str, ux: float) -> str:
    """The anchor of a text above or below a level path, changed to extend the text along the path."""
    return anchor + ("w" if ux > 0 else "e") if anchor in ("n", "s") else anchor


def _clear_way(along: Point, box: Box) -> float:
    """The distance by which a rectangle must move in a direction until it does not touch an icon at the origin; at
    least half of the icon."""
    (ux, uy), need = along, NODE_HALF + _ICON_GAP
    spans = (ux, box.left, box.right), (uy, box.top, box.bottom)
    distances = [(need - low) / u if u > 0 else (need + high) / -u for u, low, high in spans if abs(u) > _UPRIGHT]
    return max(NODE_HALF, min(distances, default=NODE_HALF))


def _anchor(nx: float, ny: float) -> str:
    size = hypot(nx, ny) or 1.0
    upright = "" if abs(ny) < 0.2 * size else "s" if ny < 0 else "n"
    across = "" if abs(nx) < 0.06 * size else "e" if nx < 0 else "w"
    return upright + across or "center"
