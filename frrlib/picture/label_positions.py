"""Positions of the texts along links and flows, which avoid icons, names and each other if there is room."""

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

#: A topology with more texts along links than this has no room for them; each text gets its first place.
MOST_TEXTS = 500
#: With more texts than this, crossings with lines are ignored, because lines are everywhere.
_FEW_TEXTS = 150
_CELL = 64.0
_LONGEST = 8000.0
#: Positions of a text in the middle of a link, as shares of its length; the best first.
_MIDDLES = (0.5, 0.42, 0.58, 0.34, 0.66)
#: Further distances of a text at an end along its link.
_STEPS = (0.0, 16.0, 34.0, 54.0)
#: The anchor of a text on its link, with a background behind it.
ON_LINE = "center"
#: The distance of the texts at the ends from a link with a value on it, and the additional distance for each line.
_ROOM, _ROOM_PER_LINE = 3.0, 6.0
#: The maximum distance of a text from its own end, as a share of its distance from the other end.
_NEARER = 0.8
#: The minimum distance of a text at the end of a descending link from the node if the size of its name is unknown.
_PAST_NAME = NODE_HALF + 50.0
#: The minimum visible length of a link beside a value on it.
_VISIBLE = 14.0
#: The maximum slope of a level link, and the approximate width of a letter, in sizes, if it is not measured.
_LEVEL_SHARE, _LETTER = 0.2, 0.58
#: The minimum distance between texts of different links.
_MARGIN = 3.0
#: The width of another link that counts as covered by a text.
_LINE_WIDTH = 2.0
#: Further distances of a text from its link.
_LIFTS = (0.0, 13.0, 26.0, 39.0)


#: A text, complete or shortened, with its possible places, the best first.
Choice = tuple[str, Iterable[tuple[Point, str]]]


class PlacedText(NamedTuple):
    """A text and its place: a point, and its Tk anchor."""

    at: Point
    anchor: str
    text: str

    def box(self, width: float, height: float) -> Box:
        """The rectangle of the text."""
        return anchored(self.at, self.anchor, (width, height))


class OccupiedSpace:
    """Occupied rectangles, and lines that texts should not cross, in a grid of cells."""

    def __init__(self) -> None:
        self._cells: defaultdict[tuple[int, int], list[Box]] = defaultdict(list)
        self._lines: defaultdict[tuple[int, int], set[tuple[Key, Point, Point]]] = defaultdict(set)

    def add(self, box: Box) -> None:
        """Add a rectangle."""
        for cell in self._around(box):
            self._cells[cell].append(box)

    def add_line(self, key: Key, path: Sequence[Point]) -> None:
        """Add a line. A line longer than any screen is ignored."""
        if not length(path) <= _LONGEST:  # NaN or infinite for node positions at the limits of floats
            return
        for start, end in pairwise(path):
            # In steps of half a cell, with all cells around each step.
            count = 1 + int(math.dist(start, end) / (_CELL / 2))
            for step in range(count + 1):
                x, y = (a + (b - a) * step / count for a, b in zip(start, end, strict=True))
                for cell in self._around(Box(x, y, x, y).grown(_CELL / 4)):
                    self._lines[cell].add((key, start, end))

    def crossed(self, box: Box, own_key: Key) -> float:
        """The total length of other lines within a rectangle."""
        lines = {line for cell in self._around(box) for line in self._lines.get(cell, ())}
        return sum(length_within(start, end, box) for key, start, end in lines if key != own_key)

    def covered(self, box: Box) -> float:
        """The occupied area of a rectangle; overlaps may count twice."""
        boxes = {id(occupied): occupied for cell in self._around(box) for occupied in self._cells.get(cell, ())}
        return sum(
            max(0.0, min(box.right, occupied.right) - max(box.left, occupied.left))
            * max(0.0, min(box.bottom, occupied.bottom) - max(box.top, occupied.top))
            for occupied in boxes.values()
        )

    @staticmethod
    def _around(box: Box) -> Iterator[tuple[int, int]]:
        if not all(map(math.isfinite, (box.left, box.top, box.right, box.bottom))):
            return
        for column in range(int(box.left // _CELL), int(box.right // _CELL) + 1):
            for row in range(int(box.top // _CELL), int(box.bottom // _CELL) + 1):
                yield column, row


def default_texts(line: LinkSprite | FlowSprite, path: Sequence[Point]) -> tuple[PlacedText, ...]:
    """The existing texts of a link at their first places: first end, second end, middle. A flow has one in its middle.
    Widths are estimated."""
    first = (next(iter(choices)) for choices in _choices(line, path))
    return tuple(PlacedText(*next(iter(places)), text) for text, places in first)


def place_texts(
    scene: Scene, measure: MeasureWidth, occupied: Iterable[Box] = ()
) -> Mapping[Key, tuple[PlacedText, ...]]:
    """The texts of all links and flows, in the order of `default_texts`; empty if there are more than `MOST_TEXTS`.

    Args:
        occupied: rectangles of things that are not in the scene.
    """
    lines = list(islice((line for line in scene.connections if any(_texts(line))), MOST_TEXTS + 1))
    count = sum(bool(text) for line in lines for text in _texts(line))
    if not 0 < count <= MOST_TEXTS:
        return {}
    space = OccupiedSpace()
    for box in chain(_fixed_boxes(scene, measure), occupied):
        space.add(box)
    paths = {line.key: scene.path(line) for line in lines}
    for line in scene.connections if count <= _FEW_TEXTS else ():
        space.add_line(line.key, paths.get(line.key) or scene.path(line))
    texts: dict[tuple[Key, int], PlacedText] = {}
    # Ends have fewer places than middles, so they choose first.
    for is_end in (True, False):
        for line in lines:
            ends = bool(line.texts.a) + bool(line.texts.b) if isinstance(line, LinkSprite) else 0
            for index, choices in enumerate(_choices(line, paths[line.key], measure)):
                if (index < ends) == is_end:
                    placed = texts[line.key, index] = _best_form(line.key, choices, space, measure)
                    space.add(placed.box(*size(placed.text, SMALL_SIZE, measure)).grown(_MARGIN))
    return {line.key: tuple(texts[line.key, index] for index in range(sum(map(bool, _texts(line))))) for line in lines}


def _best_form(key: Key, choices: Iterable[Choice], space: OccupiedSpace, measure: MeasureWidth) -> PlacedText:
    """The first of several forms of a text with a free place, else the form with the least occupied place."""
    best: tuple[float, PlacedText] | None = None
    for text, places in choices:
        candidate = _best_place(key, text, places, space, measure)
        covered = space.covered(candidate.box(*size(text, SMALL_SIZE, measure)))
        if best is None or covered < best[0]:
            best = covered, candidate
        if not covered:
            break
    assert best is not None
    return best[1]


def _best_place(
    key: Key, text: str, places: Iterable[tuple[Point, str]], space: OccupiedSpace, measure: MeasureWidth
) -> PlacedText:
    """The first free place, else the least occupied and then least crossed one."""
    width, height = size(text, SMALL_SIZE, measure)
    best: tuple[float, PlacedText] | None = None
    for place in places:
        candidate = PlacedText(*place, text)
        box = candidate.box(width, height)
        covered = space.covered(box)
        if best is None or covered < best[0] - 1:
            covered += _LINE_WIDTH * space.crossed(box, key)
        if best is None or covered < best[0] - 1:
            best = covered, candidate
        if not covered:
            break
    assert best is not None
    return best[1]


def node_boxes(scene: Scene, measure: MeasureWidth) -> Iterator[Box]:
    """The rectangles of icons and names."""
    for node in scene.nodes.values():
        x, y = node.at
        yield Box(x, y, x, y).grown(NODE_HALF)
        if node.text:
            yield name_box(node.at, node.side, *size(node.text, NAME_SIZE, measure))


def _fixed_boxes(scene: Scene, measure: MeasureWidth) -> Iterator[Box]:
    """The rectangles of everything with a fixed place: icons, names, and texts in shapes."""
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
    """For each text of a link or a flow its forms, the longest first; without `measure`, widths are estimated."""
    if isinstance(line, FlowSprite):
        if line.text:
            yield ((line.text, _summit_places(path)),)
        return
    # Between texts at both ends there is room for a value only on its link, a part of which must stay visible.
    visible = _VISIBLE if line.texts.a and line.texts.b else 0.0
    texts = line.texts._replace(middle=_in_two_lines(line.texts.middle, path, visible))
    apart = _ROOM + _ROOM_PER_LINE * len(texts.middle.split("\n")) if _fits_only_on_line(texts, path) else 0.0
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
    """A text at the end of a link, and its first line alone (the name of an interface) in case there is no room for the
    full text. Places that are clearly nearer to the text's own node than to the other are preferred.
    """
    least = 0.0 if measure else _PAST_NAME
    full_text, first_line = text, text.partition("\n")[0]
    for form in dict.fromkeys((full_text, first_line)):
        room = size(form, SMALL_SIZE, measure or _estimated_width)
        places = _end_places(path, room, is_second, apart, least)
        own_places = (place for place in places if _is_nearer(anchored(*place, room).center, path))
        first = next(own_places, None)
        if first is not None:
            yield form, chain((first,), own_places)
        elif form == first_line:
            yield form, _end_places(path, room, is_second, apart, least)


def _is_nearer(at: Point, path: Sequence[Point]) -> bool:
    """Whether a point is clearly nearer to the start of a path than to its end; always true for a closed path."""
    return path[0] == path[-1] or math.dist(at, path[0]) <= _NEARER * math.dist(at, path[-1])


def _estimated_width(text: str, units: float) -> float:
    """The estimated width of a line of text."""
    return len(text) * units * _LETTER


def _in_two_lines(value: str, path: Sequence[Point], visible: float) -> str:
    """The value of a link, in two lines if it is wider than the link without the length `visible`. A link that is more
    upright than level has room beside it for any width.
    """
    (x0, y0), (x1, y1) = path[0], path[-1]
    room = length(path) - 2 * NODE_HALF - visible
    if abs(y1 - y0) > abs(x1 - x0) or "\n" in value or _rough_text_width(value) <= room:
        return value
    parts = value.split(", ")
    cuts = [(",\n".join((", ".join(parts[:cut]), ", ".join(parts[cut:])))) for cut in range(1, len(parts))]
    return min(cuts, key=_rough_text_width, default=value)


def _rough_text_width(text: str) -> float:
    return size(text, SMALL_SIZE, _estimated_width)[0]


def _fits_only_on_line(texts: LinkTexts, path: Sequence[Point]) -> bool:
    """Whether the value of a level link fits on it, but not beside it between the texts at its ends, by estimate."""
    (x0, y0), (x1, y1), path_length = path[0], path[-1], length(path)
    if not all(texts) or abs(y1 - y0) > _LEVEL_SHARE * abs(x1 - x0):
        return False
    a, b, middle = map(_rough_text_width, texts)
    beside_ends = NODE_HALF + max(a, b) + _MARGIN + middle / 2
    return path_length * (1 - _MIDDLES[-2]) < beside_ends and middle <= path_length - 2 * NODE_HALF - _VISIBLE


def _end_places(
    path: Sequence[Point], room: tuple[float, float], is_second: bool, apart: float, least: float
) -> Iterator[tuple[Point, str]]:
    for lift in _LIFTS:
        for step in _STEPS:
            for other_side in (False, True):
                yield beside_end(path, room, is_second, step, lift + apart, other_side, least)


def _middle_places(path: Sequence[Point], text: str) -> Iterator[tuple[Point, str]]:
    (x0, y0), (x1, y1), path_length = path[0], path[-1], length(path)
    leaves_line_visible = (
        abs(y1 - y0) > abs(x1 - x0) or _rough_text_width(text) <= path_length - 2 * NODE_HALF - _VISIBLE
    )
    for lift in _LIFTS:
        for aside in (TEXT_GAP + lift, -TEXT_GAP - lift):
            for share in _MIDDLES:
                yield beside(path, path_length * share, aside)
        # A place on the link, which the text interrupts, is better than one far from it.
        if leaves_line_visible and not lift:
            yield from _on_line(path)


def _on_line(path: Sequence[Point]) -> Iterator[tuple[Point, str]]:
    for share in _MIDDLES:
        yield beside(path, length(path) * share, 0)[0], ON_LINE


def _summit_places(path: Sequence[Point]) -> Iterator[tuple[Point, str]]:
    """The places on an arc, which its text interrupts, then those over its edges, then those clearly beside it."""
    path_length = length(path)
    shares = (*_MIDDLES, 0.26, 0.74)
    for aside in (0.0, TEXT_GAP + _LIFTS[1], -TEXT_GAP - _LIFTS[1]):
        for share in shares:
            yield beside(path, path_length * share, aside)[0], "center"
    for lift in _LIFTS:
        for aside in (TEXT_GAP + lift, -TEXT_GAP - lift):
            for share in shares:
                yield beside(path, path_length * share, aside)
