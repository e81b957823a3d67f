"""Notes and shapes: the place of their text, tests for hits, and handles to resize them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import hypot

from frrlib.model.annotations import Annotation
from frrlib.picture.geometry import Box, Point
from frrlib.picture.text_sizes import LINE_STEP, NAME_SIZE, MeasureWidth, wrapped

#: The edge of a note's folded corner, and the minimum edge of a resized shape.
FOLD, LEAST = 11.0, 16.0
_ROOM_ACROSS, _ROOM_ABOVE = 9.0, 7.0
_ELLIPSE_SHARE, _ELLIPSE_TOP = 0.62, 0.09


@dataclass(frozen=True)
class ShapeText:
    """The place of a text in a shape: a point, a Tk anchor, and the maximum width of its lines."""

    at: Point
    anchor: str
    width: float


def box_of(annotation: Annotation) -> Box:
    """The rectangle of an annotation."""
    x, y = annotation.x, annotation.y
    return Box(x, y, x + annotation.width, y + annotation.height)


def text_place(kind: str, box: Box) -> ShapeText:
    """The place of a shape's text: at the left in notes and rectangles, in the middle of ellipses, and at the top."""
    width = box.right - box.left
    if kind == "ellipse":
        at = (box.center[0], box.top + max(_ROOM_ABOVE, _ELLIPSE_TOP * (box.bottom - box.top)))
        return ShapeText(at, "n", width * _ELLIPSE_SHARE)
    return ShapeText((box.left + _ROOM_ACROSS, box.top + _ROOM_ABOVE), "nw", width - 2 * _ROOM_ACROSS)


def height_for(text: str, kind: str, box: Box, measure: MeasureWidth) -> float:
    """The height that a shape of this width needs for its text."""
    place = text_place(kind, box)
    lines = wrapped(text, place.width, NAME_SIZE, measure).count("\n") + 1
    return place.at[1] - box.top + lines * NAME_SIZE * LINE_STEP + _ROOM_ABOVE


def note_outline(box: Box) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
    """The outline of a note without its lower right corner, and the flap folded there."""
    fold = min(FOLD, (box.right - box.left) / 2, (box.bottom - box.top) / 2)
    right, low = (box.right, box.bottom - fold), (box.right - fold, box.bottom)
    inner = (box.right - fold, box.bottom - fold)
    return ((box.left, box.top), (box.right, box.top), right, low, (box.left, box.bottom)), (right, low, inner)


def is_on_shape(kind: str, box: Box, is_filled: bool, point: Point, tolerance: float) -> bool:
    """Whether a point is on a shape: inside a filled one, else near its outline or its text."""
    if kind == "ellipse":
        (x, y), half = box.center, ((box.right - box.left) / 2, (box.bottom - box.top) / 2)
        # The distance of the point from the center, in radii; the tolerance is that along the shorter radius.
        out = hypot((point[0] - x) / half[0], (point[1] - y) / half[1])
        slack = tolerance / min(half)
        return out <= 1 + slack and (is_filled or out >= 1 - slack)
    inner = box.grown(-tolerance)
    is_inside = inner.left <= inner.right and inner.top <= inner.bottom and inner.contains(point)
    return box.grown(tolerance).contains(point) and (is_filled or not is_inside)


def handles(box: Box) -> Mapping[str, Point]:
    """The handles to resize a shape, by the sides that they move: "nw", "n", ..."""
    across = {"w": box.left, "": box.center[0], "e": box.right}
    down = {"n": box.top, "": box.center[1], "s": box.bottom}
    return {v + h: (x, y) for v, y in down.items() for h, x in across.items() if v + h}


def resized(box: Box, handle: str, to: Point) -> Box:
    """The rectangle after its handle was dragged to a point. It never flips, and stays large enough for its handles."""
    left_edge = min(to[0], box.right - LEAST) if "w" in handle else box.left
    right_edge = max(to[0], box.left + LEAST) if "e" in handle else box.right
    top = min(to[1], box.bottom - LEAST) if "n" in handle else box.top
    bottom = max(to[1], box.top + LEAST) if "s" in handle else box.bottom
    return Box(left_edge, top, right_edge, bottom)
