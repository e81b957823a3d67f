"""Places for the texts along links and flows: off icons, names and each other, where there is room."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise
from typing import NamedTuple

from frrlib.picture.geometry import NODE_HALF, TEXT_GAP, Box, Point, anchored, beside, beside_end, length, length_within
from frrlib.picture.labels import LinkTexts
from frrlib.picture.name_positions import name_box
from frrlib.picture.scene import FlowSprite, Key, LinkSprite, Scene
from frrlib.picture.shapes import text_place
from frrlib.picture.text_sizes import NAME_SIZE, SMALL_SIZE, MeasureWidth, size, wrapped

#: A drawing with more texts along links has no room anyway; each takes its first place.
MOST_TEXTS = 500
#: Beyond this many, lines are everywhere, and looking for a place without any only takes time.
_FEW_TEXTS = 150
_CELL = 64.0
_LONGEST = 8000.0
#: Where along a link a text in its middle may stand, in shares of its length; the best first.
_MIDDLES = (0.5, 0.42, 0.58, 0.34, 0.66)
#: How much farther along a link a text at its end may stand.
_STEPS = (0.0, 16.0, 34.0, 54.0)
#: The anchor of a text that stands on its link, with a ground behind it.
ON_LINE = "center"
#: How far the texts at the ends stay from a link for its value to stand on it, and how much farther for each line.
_ROOM, _ROOM_PER_LINE = 3.0, 6.0
#: A text at an end belongs to it where that node is so much nearer than the other one, as a share of its distance.
_NEARER = 0.8
#: Along a link that leads down, a text at its end stays so far from the node where nobody knows what its name takes.
_PAST_NAME = NODE_HALF + 50.0
#: How much of a link is seen at least beside a value that stands on it.
_SEEN = 14.0
#: The slope up to which a link is level, and about how wide a letter is, in sizes, where nobody measures it.
_LEVEL_SHARE, _LETTER = 0.2, 0.58
#: How far texts of different links stay from each other.
_MARGIN = 3.0
#: How wide another link counts where a text stands on it.
_LINE_WIDTH = 2.0
#: How much farther from its link a text may stand.
_LIFTS = (0.0, 13.0, 26.0, 39.0)


#: A text, whole or shortened, with the places that it may take, the best first.
Choice = tuple[str, Iterable[tuple[Point, str]]]


class PlacedText(NamedTuple):
    """A text and its place: a point, and the Tk anchor with which it stands there."""

    at: Point
    anchor: str
    text: str

    def box(self, width: float, height: float) -> Box:
        """The rectangle that it takes."""
        return anchored(self.at, self.anchor, (width, height))


class OccupiedSpace:
    """Occupied rectangles, and lines to be crossed only if need be, found by where they are."""

    def __init__(self) -> None:
        self._cells: defaultdict[tuple[int, int], list[Box]] = defaultdict(list)
        self._lines: defaultdict[tuple[int, int], set[tuple[Key, Point, Point]]] = defaultdict(set)

    def add(self, box: Box) -> None:
        """Take a rectangle."""
        for cell in self._around(box):
            self._cells[cell].append(box)

    def add_line(self, key: Key, path: Sequence[Point]) -> None:
        """Draw a line. One longer than any screen occupies no place: nobody could see where it is missing."""
        if not length(path) <= _LONGEST:  # NaN or infinite where node positions are at the limits of floats
            return
        for one, other in pairwise(path):
            # In steps of half a cell, with all that lies around each of them.
            count = 1 + int(math.dist(one, other) / (_CELL / 2))
            for step in range(count + 1):
                x, y = (a + (b - a) * step / count for a, b in zip(one, other, strict=True))
                for cell in self._around(Box(x, y, x, y).grown(_CELL / 4)):
                    self._lines[cell].add((key, one, other))

    def crossed(self, box: Box, own: Key) -> float:
        """The total length of other lines within a rectangle."""
        lines = {each for cell in self._around(box) for each in self._lines.get(cell, ())}
        return sum(length_within(one, other, box) for key, one, other in lines if key != own)

    def covered(self, box: Box) -> float:
        """How much of a rectangle is occupied, as an area; overlaps may count twice."""
        boxes = {id(each): each for cell in self._around(box) for each in self._cells.get(cell, ())}
        return sum(
            max(0.0, min(box.right, each.right) - max(box.left, each.left))
            * max(0.0, min(box.bottom, each.bottom) - max(box.top, each.top))
            for each in boxes.values()
        )

    @staticmethod
    def _around(box: Box) -> Iterator[tuple[int, int]]:
        if not all(map(math.isfinite, (box.left, box.top, box.right, box.bottom))):
            return
        for column in range(int(box.left // _CELL), int(box.right // _CELL) + 1):
            for row in range(int(box.top // _CELL), int(box.bottom // _CELL) + 1):
                yield column, row


def default_texts(line: LinkSprite | FlowSprite, path: Sequence[Point]) -> tuple[PlacedText, ...]:
    """The texts of a link at their first places: first end, second end, middle, as far as there are any. A flow has one
    in its middle. Nothing is measured; widths are guessed."""
    first = (next(iter(choices)) for choices in _choices(line, path))
    return tuple(PlacedText(*next(iter(places)), text) for text, places in first)


def place_texts(
    scene: Scene, measure: MeasureWidth, occupied: Iterable[Box] = ()
) -> Mapping[Key, tuple[PlacedText, ...]]:
    """The texts of all links and flows, in the order of `default_texts`; empty where there are too many for all to have room.

    Args:
        occupied: where things stand that the scene does not know.
    """
    lines = list(islice((line for line in scene.connections if any(_texts(line))), MOST_TEXTS + 1))
    count = sum(bool(text) for line in lines for text in _texts(line))
    if not 0 < count <= MOST_TEXTS:
        return {}
    crowd = OccupiedSpace()
    for box in chain(_standing(scene, measure), occupied):
        crowd.add(box)
    paths = {line.key: scene.path(line) for line in lines}
    for line in scene.connections if count <= _FEW_TEXTS else ():
        crowd.add_line(line.key, paths.get(line.key) or scene.path(line))
    chosen: dict[tuple[Key, int], PlacedText] = {}
    # Ends have fewer places than middles, so they choose first.
    for is_end in (True, False):
        for line in lines:
            ends = bool(line.texts.a) + bool(line.texts.b) if isinstance(line, LinkSprite) else 0
            for index, choices in enumerate(_choices(line, paths[line.key], measure)):
                if (index < ends) == is_end:
                    one = chosen[line.key, index] = _fitting(line.key, choices, crowd, measure)
                    crowd.add(one.box(*size(one.text, SMALL_SIZE, measure)).grown(_MARGIN))
    return {line.key: tuple(chosen[line.key, index] for index in range(sum(map(bool, _texts(line))))) for line in lines}


def _fitting(key: Key, choices: Iterable[Choice], crowd: OccupiedSpace, measure: MeasureWidth) -> PlacedText:
    """The first of several forms of a text that occupies nothing at its best place, else the one that does least."""
    best: tuple[float, PlacedText] | None = None
    for text, places in choices:
        one = _best(key, text, places, crowd, measure)
        covered = crowd.covered(one.box(*size(text, SMALL_SIZE, measure)))
        if best is None or covered < best[0]:
            best = covered, one
        if not covered:
            break
    assert best is not None
    return best[1]


def _best(
    key: Key, text: str, places: Iterable[tuple[Point, str]], crowd: OccupiedSpace, measure: MeasureWidth
) -> PlacedText:
    """The first free place, else the least occupied and then least crossed one."""
    width, height = size(text, SMALL_SIZE, measure)
    best: tuple[float, PlacedText] | None = None
    for place in places:
        one = PlacedText(*place, text)
        box = one.box(width, height)
        covered = crowd.covered(box)
        if best is None or covered < best[0] - 1:
            covered += _LINE_WIDTH * crowd.crossed(box, key)
        if best is None or covered < best[0] - 1:
            best = covered, one
        if not covered:
            break
    assert best is not None
    return best[1]


def node_boxes(scene: Scene, measure: MeasureWidth) -> Iterator[Box]:
    """Where icons and names stand."""
    for node in scene.nodes.values():
        x, y = node.at
        yield Box(x, y, x, y).grown(NODE_HALF)
        if node.text:
            yield name_box(node.at, node.side, *size(node.text, NAME_SIZE, measure))


def _standing(scene: Scene, measure: MeasureWidth) -> Iterator[Box]:
    """Everything with a fixed place: icons, names, and texts in shapes."""
    yield from node_boxes(scene, measure)
    for shape in scene.shapes.values():
        if shape.text:
            place = text_place(shape.kind, shape.box)
            text = wrapped(shape.text, place.width, NAME_SIZE, measure)
            yield PlacedText(place.at, place.anchor, text).box(*size(text, NAME_SIZE, measure))


def _texts(line: LinkSprite | FlowSprite) -> tuple[str, ...]:
    return line.texts if isinstance(line, LinkSprite) else (line.text,)


def _choices(
    line: LinkSprite | FlowSprite, path: Sequence[Point], measure: MeasureWidth | None = None
) -> Iterator[Iterable[Choice]]:
    """For each text of a link or a flow its forms, the fullest first; without `measure`, widths are guessed."""
    if isinstance(line, FlowSprite):
        if line.text:
            yield ((line.text, _summit_places(path)),)
        return
    # Between texts at both ends a value has room on its link only, of which something is to be seen.
    seen = _SEEN if line.texts.a and line.texts.b else 0.0
    texts = line.texts._replace(middle=_broken(line.texts.middle, path, seen))
    apart = _ROOM + _ROOM_PER_LINE * len(texts.middle.split("\n")) if _is_full(texts, path) else 0.0
    if texts.a:
        yield _end_choices(texts.a, path, False, apart, measure)
    if texts.b:
        yield _end_choices(texts.b, path[::-1], True, apart, measure)
    if texts.middle:
        places = _middle_places(path, texts.middle)
        yield ((texts.middle, chain(_on_line(path), places) if apart else places),)


def _end_choices(
    text: str, path: Sequence[Point], is_second: bool, apart: float, measure: MeasureWidth | None
) -> Iterator[Choice]:
    """A text at the end of a link, and its first line alone for where all of it has no room: of an interface that is
    its name. Only places that are clearly nearer to the text's own node than to the other one are taken, if any are.
    """
    least = 0.0 if measure else _PAST_NAME
    whole, alone = text, text.partition("\n")[0]
    for form in dict.fromkeys((whole, alone)):
        room = size(form, SMALL_SIZE, measure or _guess)
        places = _end_places(path, room, is_second, apart, least)
        own = (place for place in places if _is_nearer(anchored(*place, room).centre, path))
        first = next(own, None)
        if first is not None:
            yield form, chain((first,), own)
        elif form == alone:
            yield form, _end_places(path, room, is_second, apart, least)


def _is_nearer(at: Point, path: Sequence[Point]) -> bool:
    """Whether a point is clearly nearer to the start of a path than to its end; any is where these are one."""
    return path[0] == path[-1] or math.dist(at, path[0]) <= _NEARER * math.dist(at, path[-1])


def _guess(text: str, units: float) -> float:
    """About how wide a line of text is, where nobody measures it."""
    return len(text) * units * _LETTER


def _broken(value: str, path: Sequence[Point], seen: float) -> str:
    """The value of a link, in two lines where it is wider than the link without the length `seen`. The link must be
    more level than upright: beside one that is upright any width has room.
    """
    (x0, y0), (x1, y1) = path[0], path[-1]
    room = length(path) - 2 * NODE_HALF - seen
    if abs(y1 - y0) > abs(x1 - x0) or "\n" in value or _rough_width(value) <= room:
        return value
    parts = value.split(", ")
    cuts = [(",\n".join((", ".join(parts[:cut]), ", ".join(parts[cut:])))) for cut in range(1, len(parts))]
    return min(cuts, key=_rough_width, default=value)


def _rough_width(text: str) -> float:
    return size(text, SMALL_SIZE, _guess)[0]


def _is_full(texts: LinkTexts, path: Sequence[Point]) -> bool:
    """Whether the value of a level link has room on it, but not beside it between the texts at its ends, roughly."""
    (x0, y0), (x1, y1), whole = path[0], path[-1], length(path)
    if not all(texts) or abs(y1 - y0) > _LEVEL_SHARE * abs(x1 - x0):
        return False
    a, b, middle = map(_rough_width, texts)
    beside_ends = NODE_HALF + max(a, b) + _MARGIN + middle / 2
    return whole * (1 - _MIDDLES[-2]) < beside_ends and middle <= whole - 2 * NODE_HALF - _SEEN


def _end_places(
    path: Sequence[Point], room: tuple[float, float], is_second: bool, apart: float, least: float
) -> Iterator[tuple[Point, str]]:
    for lift in _LIFTS:
        for step in _STEPS:
            for other_side in (False, True):
                yield beside_end(path, room, is_second, step, lift + apart, other_side, least)


def _middle_places(path: Sequence[Point], text: str) -> Iterator[tuple[Point, str]]:
    (x0, y0), (x1, y1), whole = path[0], path[-1], length(path)
    is_seen = abs(y1 - y0) > abs(x1 - x0) or _rough_width(text) <= whole - 2 * NODE_HALF - _SEEN
    for lift in _LIFTS:
        for aside in (TEXT_GAP + lift, -TEXT_GAP - lift):
            for share in _MIDDLES:
                yield beside(path, whole * share, aside)
        # Better on the link, which it interrupts, than far from it.
        if is_seen and not lift:
            yield from _on_line(path)


def _on_line(path: Sequence[Point]) -> Iterator[tuple[Point, str]]:
    for share in _MIDDLES:
        yield beside(path, length(path) * share, 0)[0], ON_LINE


def _summit_places(path: Sequence[Point]) -> Iterator[tuple[Point, str]]:
    """On an arc itself, where its text interrupts it; else beside it."""
    whole = length(path)
    for lift in (0.0, TEXT_GAP + _LIFTS[1], -TEXT_GAP - _LIFTS[1]):
        for share in (*_MIDDLES, 0.26, 0.74):
            yield beside(path, whole * share, lift)[0], "center"
