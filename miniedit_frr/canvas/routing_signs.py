"""Places for the signs of routing: on links, near the routers with sessions over them, and at routers' corners."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from frrlib.picture.geometry import NODE_HALF, STATE_AT, STATE_HALF, Box, Point, beside, length
from frrlib.picture.label_positions import OccupiedSpace, node_boxes
from frrlib.picture.scene import Key, LinkSprite, Scene
from frrlib.picture.text_sizes import SMALL_SIZE, MeasureWidth
from miniedit_frr.live.adjacencies import worst

#: Height of a sign, distance between signs above each other, room for the mark, and room after the text.
SIGN_HEIGHT, STACK_STEP, MARK_WIDTH, ROOM_AFTER_TEXT = 15.0, 16.5, 15.0, 6.0
#: Widths are multiples of this, so that few different backgrounds need to be painted.
_WIDTH_STEP = 6.0
#: Distance between a sign and its router's icon, its greatest shift along the link, and the step of this shift.
_GAP, _MAX_SHIFT, _SHIFT_STEP = 3.0, 120.0, 6.0
#: Distances of a mark from its link, in order of preference.
_OFFSETS = (0.0, 10.0, -10.0, 18.0, -18.0, 26.0, -26.0, 34.0, -34.0)
#: The area of a mark that others may cover: marks are round, so corners of their boxes are empty.
_COVERED_AREA = 16.0
#: The cost of a place on a link for a sign at a router's corner, as if this area of the sign were covered.
_LINE_COST = 60.0

#: Signs of a link, by the node at whose end they stand.
LinkSigns = Mapping[str, "tuple[Sign, ...]"]


class Sign(NamedTuple):
    """A sign: its text, and its grade, which is "up", "coming" or "down"."""

    text: str
    grade: str


@dataclass(frozen=True)
class PlacedSign:
    """A sign in its place: its center, its width, its text (empty for a mark only) and its grade.

    Attributes:
        mark_at: the place of its mark when texts are too small to be read; None for its center.
    """

    at: Point
    width: float
    text: str
    grade: str
    mark_at: Point | None = None

    @property
    def box(self) -> Box:
        """The rectangle around the sign."""
        (x, y), half = self.at, self.width / 2
        return Box(x - half, y - SIGN_HEIGHT / 2, x + half, y + SIGN_HEIGHT / 2)


def width_of(text: str, measure: MeasureWidth) -> float:
    """The width of a sign; a sign without a text is round."""
    if not text:
        return SIGN_HEIGHT
    width = MARK_WIDTH + measure(text, SMALL_SIZE) + ROOM_AFTER_TEXT
    return -(-width // _WIDTH_STEP) * _WIDTH_STEP


def place_signs(
    scene: Scene,
    links: Mapping[Key, LinkSigns],
    nodes: Mapping[Key, tuple[Sign, ...]],
    measure: MeasureWidth,
    fixed: Mapping[Key, tuple[PlacedSign, ...]] | None = None,
) -> dict[Key, tuple[PlacedSign, ...]]:
    """Place all signs, if there is room so that they cover no icons, no names and not each other.

    The signs of routers are placed first. Then come those of links, which can be shifted along their link. On a link
    that is too short for texts, each end gets one mark, of its worst grade.

    Args:
        fixed: signs that keep their places.
    """
    occupied = OccupiedSpace()
    placed = dict(fixed or {})
    for box in chain(
        node_boxes(scene, measure),
        _state_boxes(scene),
        (placed_sign.box for placed_signs in placed.values() for placed_sign in placed_signs),
    ):
        occupied.add(box)
    lines_at = _paths(scene) if nodes.keys() - placed.keys() else {}
    for key, router_signs in nodes.items():
        if key in scene.nodes and key not in placed:
            at, lines = scene.nodes[key].at, lines_at.get(key.name, ())
            placed[key] = tuple(_at_corner(at, sign, lines, occupied, measure) for sign in router_signs)
    for key, signs in links.items():
        if key in scene.lines and key not in placed:
            placed[key] = tuple(_on_link(scene, scene.lines[key], signs, occupied, measure))
    return placed


def _state_boxes(scene: Scene) -> Iterator[Box]:
    """The boxes of the badges with the states of nodes."""
    for node in scene.nodes.values():
        x, y = node.at[0] + STATE_AT[0], node.at[1] + STATE_AT[1]
        yield Box(x, y, x, y).grown(STATE_HALF)


def _paths(scene: Scene) -> Mapping[str, list[Sequence[Point]]]:
    """The paths of the lines at each node, beginning there."""
    paths: dict[str, list[Sequence[Point]]] = {}
    for line in scene.lines.values():
        path = scene.path(line)
        paths.setdefault(line.a, []).append(path)
        paths.setdefault(line.b, []).append(path[::-1])
    return paths


# --- at a router ------------------------------------------------------------------------------------------------------


def _at_corner(
    node: Point, sign: Sign, paths: Iterable[Sequence[Point]], occupied: OccupiedSpace, measure: MeasureWidth
) -> PlacedSign:
    width = width_of(sign.text, measure)
    (x, y), out = node, NODE_HALF + 6  # outside the frame around a selected node
    places = (
        (x - out - width / 2, y - NODE_HALF + 4),
        (x, y - out - SIGN_HEIGHT / 2),
        (x - out - width / 2, y),
        (x - out - width / 2, y + NODE_HALF - 4),
        (x + out + width / 2, y),
    )
    line_points = [at for path in paths for at in _first_points(path)]

    def cost(place: tuple[int, Point]) -> float:
        box = PlacedSign(place[1], width, *sign).box
        icon = Box(x, y, x, y).grown(NODE_HALF)
        return (
            _covered_area(occupied, box, icon)
            + _LINE_COST * any(box.grown(2).contains(at) for at in line_points)
            + place[0]
        )

    _, at = min(enumerate(places), key=cost)
    aside = max(0.0, (width - SIGN_HEIGHT) / 2)
    near = at[0] + max(-aside, min(aside, x - at[0])), at[1]
    placed_sign = PlacedSign(at, width, *sign, near)
    occupied.add(placed_sign.box)
    return placed_sign


def _covered_area(occupied: OccupiedSpace, box: Box, icon: Box) -> float:
    """The area of other things that a sign covers. It may touch the icon of its own router."""
    icon_overlap = max(0.0, min(box.right, icon.right) - max(box.left, icon.left)) * max(
        0.0, min(box.bottom, icon.bottom) - max(box.top, icon.top)
    )
    return occupied.covered(box) - icon_overlap


def _first_points(path: Sequence[Point]) -> list[Point]:
    """Points along the beginning of a path."""
    path_length = length(path)
    return [
        beside(path, distance, 0)[0] for distance in range(int(NODE_HALF), int(min(path_length, NODE_HALF + 60)), 5)
    ]


# --- on a link --------------------------------------------------------------------------------------------------------


def _on_link(
    scene: Scene, line: LinkSprite, signs: LinkSigns, occupied: OccupiedSpace, measure: MeasureWidth
) -> Iterator[PlacedSign]:
    path = scene.path(line)
    a, b = signs.get(line.a, ()), signs.get(line.b, ())
    yield from _at_end(path, a, occupied, measure, length(path) / 2 if b else length(path) - NODE_HALF)
    if line.a != line.b:
        yield from _at_end(path[::-1], b, occupied, measure, length(path) / 2 if a else length(path) - NODE_HALF)


def _at_end(
    path: Sequence[Point], signs: Sequence[Sign], occupied: OccupiedSpace, measure: MeasureWidth, limit: float
) -> Sequence[PlacedSign]:
    """The signs at one end: with texts at the first free place, or one mark if no place is free."""
    if not signs:
        return ()
    widths = [width_of(sign.text, measure) for sign in signs]
    width, height = max(widths), SIGN_HEIGHT + STACK_STEP * (len(signs) - 1)
    distance = NODE_HALF + _GAP + SIGN_HEIGHT / 2
    while distance <= min(limit, NODE_HALF + _MAX_SHIFT):
        x, y = beside(path, distance, 0)[0]
        box = Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
        if not occupied.covered(box) and _is_within(path, box, limit):
            occupied.add(box)
            top = y - (height - SIGN_HEIGHT) / 2
            return [PlacedSign((x, top + index * STACK_STEP), widths[index], *sign) for index, sign in enumerate(signs)]
        distance += _SHIFT_STEP
    return [_mark(path, signs, occupied, limit)]


def _is_within(path: Sequence[Point], box: Box, limit: float) -> bool:
    """Whether a sign ends before the limit, where the room of the other end begins."""
    return not box.contains(beside(path, limit + 1, 0)[0])


def _mark(path: Sequence[Point], signs: Sequence[Sign], occupied: OccupiedSpace, limit: float) -> PlacedSign:
    grade = worst(sign.grade for sign in signs)
    first = min(NODE_HALF + _GAP + SIGN_HEIGHT / 2, limit * 0.8)
    for aside in _OFFSETS:
        # A place slightly beyond the middle, or beside the line, is better than one on a name.
        for step in range(max(1, round(3 * (limit * 1.35 - SIGN_HEIGHT / 2 - first) / _SHIFT_STEP))):
            mark = PlacedSign(beside(path, first + step * _SHIFT_STEP / 3, aside)[0], SIGN_HEIGHT, "", grade)
            if occupied.covered(mark.box) <= _COVERED_AREA:
                occupied.add(mark.box)
                return mark
    return PlacedSign(beside(path, first, 0)[0], SIGN_HEIGHT, "", grade)
