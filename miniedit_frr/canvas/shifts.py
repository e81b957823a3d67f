"""The parts of a scene that look as before and only stand elsewhere: they are moved instead of redrawn."""

from __future__ import annotations

from collections.abc import Mapping

from frrlib.picture.geometry import Point
from frrlib.picture.label_positions import PlacedText
from frrlib.picture.scene import Key, Scene

#: Farther out than this, in world units, a sum of floats is no longer a precise place.
_FARTHEST = 1e6
#: Shifts are equal to so many digits after the point, and texts have moved along to within as much.
_DIGITS, _APART = 6, 1e-3

Texts = Mapping[Key, tuple[PlacedText, ...]]


def shifts(before: Scene, after: Scene, texts_before: Texts, texts: Texts) -> dict[Key, Point]:
    """The shift of each thing that is otherwise the same, in world units: nodes, and lines and flows between two nodes
    with the same shift. Shapes are not included.

    Args:
        before, after: the scenes.
        texts_before, texts: where the texts along lines and flows stand in them, as far as that is known.
    """
    far, found = _FARTHEST, dict[Key, Point]()
    by_name: dict[str, Point] = {}
    ways: dict[Point, Point] = {}
    for key, node in after.nodes.items():
        was = before.nodes.get(key)
        if was is node or was is None or was.at == node.at:
            continue
        (x0, y0), (x1, y1) = was.at, node.at
        raw = x1 - x0, y1 - y0
        if not (-far < x0 < far and -far < y0 < far and -far < x1 < far and -far < y1 < far):
            continue
        # Sums of floats differ in their last digits, and most nodes shift equally.
        way = ways.get(raw)
        if way is None:
            way = ways[raw] = round(raw[0], _DIGITS), round(raw[1], _DIGITS)
        if not key.qualifier:
            by_name[key.name] = way
        if (was.text, was.icon, was.colour, was.side) == (node.text, node.icon, node.colour, node.side):
            found[key] = way
    if len(by_name) < 2:
        return found
    same_lines = before.lines is after.lines and before.flows == after.flows
    way_of, text_before, text_now = by_name.get, texts_before.get, texts.get
    for line in after.connections:
        way = way_of(line.a)
        if way is None or way != way_of(line.b) or not (same_lines or before.connection(line.key) == line):
            continue
        key = line.key
        old, new = text_before(key), text_now(key)
        if old is new or _are_moved(old or (), new or (), way):
            found[key] = way
    return found


def _are_moved(before: tuple[PlacedText, ...], after: tuple[PlacedText, ...], way: Point) -> bool:
    return len(before) == len(after) and all(
        (one.anchor, one.text) == (other.anchor, other.text)
        and abs(one.at[0] + way[0] - other.at[0]) < _APART
        and abs(one.at[1] + way[1] - other.at[1]) < _APART
        for one, other in zip(before, after, strict=True)
    )
