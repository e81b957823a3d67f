"""The parts of a scene whose look is unchanged and only their place differs: they are moved instead of redrawn."""

from __future__ import annotations

from collections.abc import Mapping

from frrlib.picture.geometry import Point
from frrlib.picture.label_positions import PlacedText
from frrlib.picture.scene import Key, Scene

#: Beyond this coordinate, in world units, sums of floats are too imprecise to be places.
_FARTHEST = 1e6
#: The number of decimals by which shifts are compared, and the tolerance for texts that have moved along.
_DIGITS, _TOLERANCE = 6, 1e-3

Texts = Mapping[Key, tuple[PlacedText, ...]]


def shifts(old: Scene, new: Scene, old_texts: Texts, new_texts: Texts) -> dict[Key, Point]:
    """The shift of each thing that is otherwise the same, in world units.

    These are nodes, and lines and flows between two nodes with the same shift. Shapes are not included.

    Args:
        old, new: the scenes.
        old_texts, new_texts: the known places of the texts along lines and flows in these scenes.
    """
    far, shifted = _FARTHEST, dict[Key, Point]()
    by_name: dict[str, Point] = {}
    rounded: dict[Point, Point] = {}
    for key, node in new.nodes.items():
        old_node = old.nodes.get(key)
        if old_node is node or old_node is None or old_node.at == node.at:
            continue
        (x0, y0), (x1, y1) = old_node.at, node.at
        raw = x1 - x0, y1 - y0
        if not (-far < x0 < far and -far < y0 < far and -far < x1 < far and -far < y1 < far):
            continue
        # Sums of floats differ in their last digits, and most nodes shift equally.
        shift = rounded.get(raw)
        if shift is None:
            shift = rounded[raw] = round(raw[0], _DIGITS), round(raw[1], _DIGITS)
        if not key.qualifier:
            by_name[key.name] = shift
        if (old_node.text, old_node.icon, old_node.colour, old_node.side) == (
            node.text, node.icon, node.colour, node.side,
        ):  # fmt: skip
            shifted[key] = shift
    if len(by_name) < 2:
        return shifted
    same_lines = old.lines is new.lines and old.flows == new.flows
    shift_of, old_text_of, new_text_of = by_name.get, old_texts.get, new_texts.get
    for line in new.connections:
        shift = shift_of(line.a)
        if shift is None or shift != shift_of(line.b) or not (same_lines or old.connection(line.key) == line):
            continue
        key = line.key
        old_text, new_text = old_text_of(key), new_text_of(key)
        if old_text is new_text or _are_moved(old_text or (), new_text or (), shift):
            shifted[key] = shift
    return shifted


def _are_moved(old_texts: tuple[PlacedText, ...], new_texts: tuple[PlacedText, ...], shift: Point) -> bool:
    return len(old_texts) == len(new_texts) and all(
        (old.anchor, old.text) == (new.anchor, new.text)
        and abs(old.at[0] + shift[0] - new.at[0]) < _TOLERANCE
        and abs(old.at[1] + shift[1] - new.at[1]) < _TOLERANCE
        for old, new in zip(old_texts, new_texts, strict=True)
    )
