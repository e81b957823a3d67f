"""Where the texts along links stand: neither on icons and names nor on each other, where there is room."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from miniedit_frr.canvas.geometry import NODE_HALF, TEXT_GAP, Box, Point, beside, beside_end, length
from miniedit_frr.canvas.scene import Key, LinkSprite, Scene
from miniedit_frr.canvas.shapes import text_place
from miniedit_frr.canvas.texts import NAME_SIZE, SMALL_SIZE, Measure, size, wrapped

#: In a drawing with more texts along links there is no room anyway, and each takes its first place.
MOST_TEXTS = 500
#: Distance of a node's text from its icon.
NAME_GAP = 5.0
_CELL = 64.0
#: Where along a link a text in its middle may stand, in shares of its length; the best first.
_MIDDLES = (0.5, 0.42, 0.58, 0.34, 0.66)
#: How much farther along a link a text at its end may stand.
_STEPS = (0.0, 16.0, 34.0, 54.0)
#: How much farther from its link a text may stand.
_LIFTS = (0.0, 13.0, 26.0, 39.0)


class Placed(NamedTuple):
    """A text and its place: a point, and the Tk anchor with which it stands there."""

    at: Point
    anchor: str
    text: str

    def box(self, width: float, height: float) -> Box:
        """The rectangle that it takes."""
        x, y = self.at
        left = x if "w" in self.anchor else x - width if "e" in self.anchor else x - width / 2
        top = y if "n" in self.anchor else y - height if "s" in self.anchor else y - height / 2
        return Box(left, top, left + width, top + height)


class Crowd:
    """Rectangles that are taken, found by where they are."""

    def __init__(self) -> None:
        self._cells: defaultdict[tuple[int, int], list[Box]] = defaultdict(list)

    def add(self, box: Box) -> None:
        """Take a rectangle."""
        for cell in self._around(box):
            self._cells[cell].append(box)

    def covered(self, box: Box) -> float:
        """How much of a rectangle is taken, as an area; what is taken twice may count twice."""
        boxes = {id(each): each for cell in self._around(box) for each in self._cells.get(cell, ())}
        return sum(
            max(0.0, min(box.right, each.right) - max(box.left, each.left))
            * max(0.0, min(box.bottom, each.bottom) - max(box.top, each.top))
            for each in boxes.values()
        )

    @staticmethod
    def _around(box: Box) -> Iterator[tuple[int, int]]:
        for column in range(int(box.left // _CELL), int(box.right // _CELL) + 1):
            for row in range(int(box.top // _CELL), int(box.bottom // _CELL) + 1):
                yield column, row


def usual(line: LinkSprite, path: Sequence[Point]) -> tuple[Placed, ...]:
    """The texts of a link at their first places: first end, second end, middle, as far as there are any."""
    return tuple(Placed(*next(iter(places)), text) for text, places in _choices(line, path))


def placed(scene: Scene, measure: Measure) -> Mapping[Key, tuple[Placed, ...]]:
    """The texts of all links, in the order of `usual`; empty where there are too many for all to have room."""
    lines = [line for line in scene.lines.values() if any(line.texts)]
    if not lines or sum(bool(text) for line in lines for text in line.texts) > MOST_TEXTS:
        return {}
    crowd = Crowd()
    for box in _standing(scene, measure):
        crowd.add(box)
    paths = {line.key: scene.path(line) for line in lines}
    chosen: dict[tuple[Key, int], Placed] = {}
    # Ends have fewer places than middles, so they choose first.
    for is_end in (True, False):
        for line in lines:
            ends = bool(line.texts.a) + bool(line.texts.b)
            for index, (text, places) in enumerate(_choices(line, paths[line.key])):
                if (index < ends) == is_end:
                    chosen[line.key, index] = _best(text, places, crowd, measure)
    return {line.key: tuple(chosen[line.key, index] for index in range(sum(map(bool, line.texts)))) for line in lines}


def _best(text: str, places: Iterable[tuple[Point, str]], crowd: Crowd, measure: Measure) -> Placed:
    """The first place that is free, else the one of which least is taken; it is taken then."""
    width, height = size(text, SMALL_SIZE, measure)
    best: tuple[float, Placed] | None = None
    for place in places:
        one = Placed(*place, text)
        covered = crowd.covered(one.box(width, height))
        if best is None or covered < best[0] - 1:
            best = covered, one
        if not covered:
            break
    assert best is not None
    crowd.add(best[1].box(width, height))
    return best[1]


def _standing(scene: Scene, measure: Measure) -> Iterator[Box]:
    """What stands where it is: icons, names, and texts in shapes."""
    for node in scene.nodes.values():
        x, y = node.at
        yield Box(x, y, x, y).grown(NODE_HALF)
        if node.text:
            width, height = size(node.text, NAME_SIZE, measure)
            yield Placed((x, y + NODE_HALF + NAME_GAP), "n", node.text).box(width, height)
    for shape in scene.shapes.values():
        if shape.text:
            place = text_place(shape.kind, shape.box)
            text = wrapped(shape.text, place.width, NAME_SIZE, measure)
            yield Placed(place.at, place.anchor, text).box(*size(text, NAME_SIZE, measure))


def _choices(line: LinkSprite, path: Sequence[Point]) -> Iterator[tuple[str, Iterable[tuple[Point, str]]]]:
    """Each text of a link with the places that it may take, the best first."""
    if line.texts.a:
        yield line.texts.a, _end_places(path, False)
    if line.texts.b:
        yield line.texts.b, _end_places(path[::-1], True)
    if line.texts.middle:
        yield line.texts.middle, _middle_places(path)


def _end_places(path: Sequence[Point], is_second: bool) -> Iterator[tuple[Point, str]]:
    for lift in _LIFTS:
        for step in _STEPS:
            for other_side in (False, True):
                yield beside_end(path, is_second, step, lift, other_side)


def _middle_places(path: Sequence[Point]) -> Iterator[tuple[Point, str]]:
    whole = length(path)
    for lift in _LIFTS:
        for aside in (TEXT_GAP + lift, -TEXT_GAP - lift):
            for share in _MIDDLES:
                yield beside(path, whole * share, aside)
