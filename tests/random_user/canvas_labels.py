"""Texts on the canvas that cover each other, or an icon, although there is room beside them.

The boxes are those that Tk has drawn. The places are searched here, by rules of their own: a text of a link belongs
beside the middle of its link or beside its own end, and a name beside its icon.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from frrlib.picture.scene import Key, LinkSprite

#: Left, top, right and bottom in pixels of the canvas.
Box = tuple[float, float, float, float]
Point = tuple[float, float]
#: With more things than this, a drawing leaves no room.
_MOST_THINGS = 120
#: Below this zoom, fonts are rounded to few pixels, and texts are wider than planned.
_LEAST_ZOOM = 0.9
#: Overlaps up to these are no fault: units, and shares of the smaller width and height. Tk's boxes have a margin, and
#: the drawing estimates the widths of names.
_SLACK, _SLACK_WIDTH, _SLACK_HEIGHT = 4.0, 0.1, 0.3
#: The free margin around a place with room, and the distances of a text from its line, in units.
_MARGIN, _GAP = 4.0, 3.0
_SHARES, _LIFTS, _STEPS = (0.42, 0.5, 0.58), (0.0, 13.0), (0.0, 16.0, 34.0)
_NODE_HALF, _NAME_GAP = 22.0, 5.0


@dataclass(frozen=True)
class Label:
    """A text on the canvas.

    Attributes:
        key: the thing that it belongs to.
        role: "name", "middle", "first end" or "second end"; "fixed" for the text of a note.
        text: the text.
        box: its box.
    """

    key: Key
    role: str
    text: str
    box: Box


def avoidable_overlaps(view: Any) -> Iterator[str]:
    """The texts with an avoidable overlap, one sentence each. Must be called in the window's thread."""
    scene = view.scene
    if len(scene.keys()) > _MOST_THINGS or view.zoom < _LEAST_ZOOM:
        return
    labels = [label for key in sorted(scene.keys()) for label in _labels(view, key)]
    icons = {key: _icon_box(view, node.at) for key, node in scene.nodes.items()}
    lines = {line.key: [view.pixel_of(point) for point in scene.path(line)] for line in scene.connections}
    slack = _SLACK * view.factor
    for label in labels:
        others = [other for other in labels if other is not label]
        # Texts of links avoid names, and names avoid icons and each other.
        avoided = others if label.role != "name" else [other for other in others if other.role == "name"]
        hit = [repr(other.text) for other in avoided if _overlap(label.box, other.box, slack)]
        other_icons = {key: box for key, box in icons.items() if key != label.key}
        hit += [f"the icon of {key.name}" for key, box in other_icons.items() if _overlap(label.box, box, slack)]
        if hit and label.role != "fixed":
            boxes = [*(other.box for other in others), *icons.values()]
            if place := next(_free_places(view, label, boxes, lines), None):
                at = ", ".join(f"{value / view.factor:.0f}" for value in place)
                yield f"{label.role} {label.text!r} of {label.key.name} covers {hit[0]}, but has room at {at}"


def _labels(view: Any, key: Key) -> Iterator[Label]:
    texts = [item for item in view.items_of(key) if view.type(item) == "text" and view.itemcget(item, "text").strip()]
    for role, item in zip(_roles(view, key, len(texts)), texts, strict=True):
        box = view.bbox(item) if view.itemcget(item, "state") != "hidden" else None
        if box:
            yield Label(key, role, view.itemcget(item, "text"), box)


def _roles(view: Any, key: Key, count: int) -> Sequence[str]:
    if key.kind == "node":
        return ["name"] * count
    if key.kind == "annotation":
        return ["fixed"] * count
    line = view.scene.connection(key)
    if isinstance(line, LinkSprite):
        roles = zip(("first end", "second end", "middle"), line.texts, strict=True)
        return [role for role, text in roles if text]
    return ["middle"] * count


def _icon_box(view: Any, at: Point) -> Box:
    (x, y), half = view.pixel_of(at), _NODE_HALF * view.factor
    return x - half, y - half, x + half, y + half


def _common(a: Box, b: Box) -> Point:
    """The width and the height of the common part of two boxes; negative if they are apart."""
    return min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])


def _overlap(a: Box, b: Box, slack: float) -> bool:
    """Whether two boxes overlap by more than margins and rounding."""
    wide, high = _common(a, b)
    least_wide = max(slack, _SLACK_WIDTH * min(a[2] - a[0], b[2] - b[0]))
    return wide > least_wide and high > max(slack, _SLACK_HEIGHT * min(a[3] - a[1], b[3] - b[1]))


def _free_places(view: Any, label: Label, boxes: Iterable[Box], lines: dict[Key, list[Point]]) -> Iterator[Box]:
    """The places of a text that nothing else occupies or crosses."""
    boxes, margin = [*boxes], _MARGIN * view.factor
    others = [piece for key, path in lines.items() if key != label.key for piece in pairwise(path)]
    if label.role == "name":
        others = [piece for path in lines.values() for piece in pairwise(path)]
    for place in _places(view, label, lines.get(label.key, ())):
        room = place[0] - margin, place[1] - margin, place[2] + margin, place[3] + margin
        is_free = all(min(_common(room, box)) <= 0 for box in boxes)
        if is_free and not any(_crosses(piece, room) for piece in others):
            yield place


def _crosses(piece: tuple[Point, Point], box: Box) -> bool:
    """Whether a straight line comes into a box, by its points at most two pixels apart."""
    (x0, y0), (x1, y1) = piece
    if max(x0, x1) < box[0] or min(x0, x1) > box[2] or max(y0, y1) < box[1] or min(y0, y1) > box[3]:
        return False
    count = max(1, math.ceil(math.hypot(x1 - x0, y1 - y0) / 2))
    points = ((x0 + (x1 - x0) * step / count, y0 + (y1 - y0) * step / count) for step in range(count + 1))
    return any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for x, y in points)


def _places(view: Any, label: Label, path: Sequence[Point]) -> Iterator[Box]:
    half = (label.box[2] - label.box[0]) / 2, (label.box[3] - label.box[1]) / 2
    if label.role == "name":
        yield from _places_of_name(view, view.scene.nodes[label.key].at, half)
    elif label.role == "middle" and _length(path) > 0:
        for share in _SHARES:
            yield from _places_beside(view, path, _length(path) * share, half)
    elif path and path[0] != path[-1]:
        own = path if label.role == "first end" else path[::-1]
        yield from _places_at_end(view, own, half)


def _places_of_name(view: Any, at: Point, half: Point) -> Iterator[Box]:
    (x, y), out = view.pixel_of(at), (_NODE_HALF + _NAME_GAP) * view.factor
    for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0)):
        yield _around((x + dx * (out + half[0]), y + dy * (out + half[1])), half)


def _places_at_end(view: Any, path: Sequence[Point], half: Point) -> Iterator[Box]:
    """The places beside a path's begin that are clearly nearer to its own node than to the other one."""
    icon, total = (_NODE_HALF + _NAME_GAP) * view.factor, _length(path)
    for step in _STEPS:
        along = icon + max(half) + step * view.factor
        for place in _places_beside(view, path, along, half):
            x, y = (place[0] + place[2]) / 2, (place[1] + place[3]) / 2
            if along < 0.4 * total and math.dist((x, y), path[0]) < 0.6 * math.dist((x, y), path[-1]):
                yield place


def _places_beside(view: Any, path: Sequence[Point], along: float, half: Point) -> Iterator[Box]:
    for (x0, y0), (x1, y1) in pairwise(path):
        piece = math.hypot(x1 - x0, y1 - y0)
        if piece and along <= piece:
            ux, uy = (x1 - x0) / piece, (y1 - y0) / piece
            away = half[0] * abs(uy) + half[1] * abs(ux)
            for lift in _LIFTS:
                for side in (1, -1):
                    aside = side * (away + (_GAP + lift) * view.factor)
                    yield _around((x0 + ux * along - uy * aside, y0 + uy * along + ux * aside), half)
            return
        along -= piece


def _around(at: Point, half: Point) -> Box:
    return at[0] - half[0], at[1] - half[1], at[0] + half[0], at[1] + half[1]


def _length(path: Sequence[Point]) -> float:
    return sum(math.dist(a, b) for a, b in pairwise(path))
