"""Where the small signs of routing stand: on links near the routers that speak over them, and at routers' corners."""

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

#: Height of a sign, distance of those above each other, room for its mark, and room after its text.
SIGN_HEIGHT, STEP, MARK, AFTER = 15.0, 16.5, 15.0, 6.0
#: Widths are multiples of this, so that few different backgrounds need to be painted.
_GRAIN = 6.0
#: Distance of a sign from its router's icon, how far it may move along its link, and in what steps.
_OFF, _FARTHEST, _PACE = 3.0, 120.0, 6.0
#: How far beside its link a mark may stand, the nearest first.
_ASIDE = (0.0, 10.0, -10.0, 18.0, -18.0, 26.0, -26.0, 34.0, -34.0)
#: How much of a mark may touch others, as an area: marks are round.
_TOUCH = 16.0
#: Links at a router avoid its corner's sign as if this much of it were covered.
_LINE_COSTS = 60.0

#: Signs at a link by the node at whose end they stand.
LinkSigns = Mapping[str, "tuple[Sign, ...]"]


class Sign(NamedTuple):
    """A sign: its text, and its grade: "up", "coming" or "down"."""

    text: str
    grade: str


@dataclass(frozen=True)
class PlacedSign:
    """A sign in its place: its centre, its size, its text (empty for a mark alone) and its grade.

    Attributes:
        mark_at: where its mark stands where texts are too small to be read; None for its centre.
    """

    at: Point
    width: float
    text: str
    grade: str
    mark_at: Point | None = None

    @property
    def box(self) -> Box:
        """The rectangle that it takes."""
        (x, y), half = self.at, self.width / 2
        return Box(x - half, y - SIGN_HEIGHT / 2, x + half, y + SIGN_HEIGHT / 2)


def width_of(text: str, measure: MeasureWidth) -> float:
    """The width of a sign; one without a text is round."""
    if not text:
        return SIGN_HEIGHT
    wanted = MARK + measure(text, SMALL_SIZE) + AFTER
    return -(-wanted // _GRAIN) * _GRAIN


def place_signs(
    scene: Scene,
    links: Mapping[Key, LinkSigns],
    nodes: Mapping[Key, tuple[Sign, ...]],
    measure: MeasureWidth,
    kept: Mapping[Key, tuple[PlacedSign, ...]] | None = None,
) -> dict[Key, tuple[PlacedSign, ...]]:
    """Place all signs: off icons, names and each other, where there is room.

    A router's own signs come first, and then those of each link, which may go along it. Where a link is too short for
    words its end has one mark, the worst.

    Args:
        kept: well-placed signs, which stay there.
    """
    crowd = OccupiedSpace()
    found = dict(kept or {})
    for box in chain(
        node_boxes(scene, measure), _states(scene), (pill.box for pills in found.values() for pill in pills)
    ):
        crowd.add(box)
    lines_at = _paths(scene) if nodes.keys() - found.keys() else {}
    for key, several in nodes.items():
        if key in scene.nodes and key not in found:
            at, lines = scene.nodes[key].at, lines_at.get(key.name, ())
            found[key] = tuple(_at_corner(at, sign, lines, crowd, measure) for sign in several)
    for key, signs in links.items():
        if key in scene.lines and key not in found:
            found[key] = tuple(_on_link(scene, scene.lines[key], signs, crowd, measure))
    return found


def _states(scene: Scene) -> Iterator[Box]:
    """Where the badges with the nodes' states are."""
    for node in scene.nodes.values():
        x, y = node.at[0] + STATE_AT[0], node.at[1] + STATE_AT[1]
        yield Box(x, y, x, y).grown(STATE_HALF)


def _paths(scene: Scene) -> Mapping[str, list[Sequence[Point]]]:
    """The paths of the lines at each node, from it on."""
    found: dict[str, list[Sequence[Point]]] = {}
    for line in scene.lines.values():
        path = scene.path(line)
        found.setdefault(line.a, []).append(path)
        found.setdefault(line.b, []).append(path[::-1])
    return found


# --- at a router ------------------------------------------------------------------------------------------------------


def _at_corner(
    node: Point, sign: Sign, paths: Iterable[Sequence[Point]], crowd: OccupiedSpace, measure: MeasureWidth
) -> PlacedSign:
    width = width_of(sign.text, measure)
    (x, y), out = node, NODE_HALF + 6  # off the frame around what is selected, too
    places = (
        (x - out - width / 2, y - NODE_HALF + 4),
        (x, y - out - SIGN_HEIGHT / 2),
        (x - out - width / 2, y),
        (x - out - width / 2, y + NODE_HALF - 4),
        (x + out + width / 2, y),
    )
    passed = [at for path in paths for at in _points(path)]

    def cost(place: tuple[int, Point]) -> float:
        box = PlacedSign(place[1], width, *sign).box
        icon = Box(x, y, x, y).grown(NODE_HALF)
        return _crossed(crowd, box, icon) + _LINE_COSTS * any(box.grown(2).contains(at) for at in passed) + place[0]

    _, at = min(enumerate(places), key=cost)
    aside = max(0.0, (width - SIGN_HEIGHT) / 2)
    near = at[0] + max(-aside, min(aside, x - at[0])), at[1]
    pill = PlacedSign(at, width, *sign, near)
    crowd.add(pill.box)
    return pill


def _crossed(crowd: OccupiedSpace, box: Box, icon: Box) -> float:
    """How much of others a sign covers; touching its own router's icon is intended."""
    own = max(0.0, min(box.right, icon.right) - max(box.left, icon.left)) * max(
        0.0, min(box.bottom, icon.bottom) - max(box.top, icon.top)
    )
    return crowd.covered(box) - own


def _points(path: Sequence[Point]) -> list[Point]:
    """Points along the beginning of a path."""
    whole = length(path)
    return [beside(path, way, 0)[0] for way in range(int(NODE_HALF), int(min(whole, NODE_HALF + 60)), 5)]


# --- on a link --------------------------------------------------------------------------------------------------------


def _on_link(
    scene: Scene, line: LinkSprite, signs: LinkSigns, crowd: OccupiedSpace, measure: MeasureWidth
) -> Iterator[PlacedSign]:
    path = scene.path(line)
    a, b = signs.get(line.a, ()), signs.get(line.b, ())
    yield from _at_end(path, a, crowd, measure, length(path) / 2 if b else length(path) - NODE_HALF)
    if line.a != line.b:
        yield from _at_end(path[::-1], b, crowd, measure, length(path) / 2 if a else length(path) - NODE_HALF)


def _at_end(
    path: Sequence[Point], signs: Sequence[Sign], crowd: OccupiedSpace, measure: MeasureWidth, limit: float
) -> Sequence[PlacedSign]:
    """The signs of one end: with texts at the first place that is free, else a mark."""
    if not signs:
        return ()
    widths = [width_of(sign.text, measure) for sign in signs]
    wide, high = max(widths), SIGN_HEIGHT + STEP * (len(signs) - 1)
    way = NODE_HALF + _OFF + SIGN_HEIGHT / 2
    while way <= min(limit, NODE_HALF + _FARTHEST):
        x, y = beside(path, way, 0)[0]
        whole = Box(x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)
        if not crowd.covered(whole) and _inner(path, whole, limit):
            crowd.add(whole)
            top = y - (high - SIGN_HEIGHT) / 2
            return [PlacedSign((x, top + index * STEP), widths[index], *sign) for index, sign in enumerate(signs)]
        way += _PACE
    return [_mark(path, signs, crowd, limit)]


def _inner(path: Sequence[Point], box: Box, limit: float) -> bool:
    """Whether a sign ends before the other end's begins."""
    return not box.contains(beside(path, limit + 1, 0)[0])


def _mark(path: Sequence[Point], signs: Sequence[Sign], crowd: OccupiedSpace, limit: float) -> PlacedSign:
    grade = worst(sign.grade for sign in signs)
    first = min(NODE_HALF + _OFF + SIGN_HEIGHT / 2, limit * 0.8)
    for aside in _ASIDE:
        # Somewhat beyond the middle, or beside the line, is better than on a name.
        for step in range(max(1, round(3 * (limit * 1.35 - SIGN_HEIGHT / 2 - first) / _PACE))):
            pill = PlacedSign(beside(path, first + step * _PACE / 3, aside)[0], SIGN_HEIGHT, "", grade)
            if crowd.covered(pill.box) <= _TOUCH:
                crowd.add(pill.box)
                return pill
    return PlacedSign(beside(path, first, 0)[0], SIGN_HEIGHT, "", grade)
