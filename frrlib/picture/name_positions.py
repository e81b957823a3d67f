"""Positions of node names: below the icon, or on a free side if a link leaves below, or another node is there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from frrlib.picture.geometry import NODE_HALF, Box, Point
from frrlib.picture.text_sizes import LINE_STEP, NAME_SIZE

#: Distance of a node's text from its icon.
NAME_GAP = 5.0
_OUT = NODE_HALF + NAME_GAP
#: The position of a name relative to the middle of its node, and its Tk anchor, for each side; the best first.
SIDES: Mapping[str, tuple[Point, str]] = {
    "below": ((0.0, _OUT), "n"),
    "right": ((_OUT, 0.0), "w"),
    "above": ((0.0, -_OUT), "s"),
    "left": ((-_OUT, 0.0), "e"),
}
#: A topology with more lines than this has all names below, because links leave in all directions.
MOST_LINES = 500
#: A topology with more nodes than this has no room for names beside their nodes.
_FEW_NODES = 200
#: The part of a name, from each edge, that another node may cover before the name moves.
_HARMLESS = 3.0
#: The approximate width of a letter of a name, in sizes, if it is not measured.
_LETTER = 0.58
#: The edge of the cells in which nodes are searched.
_CELL = 128.0


class NodeLabel(NamedTuple):
    """The position and the text of a node."""

    at: Point
    text: str


def name_place(at: Point, side: str) -> tuple[Point, str]:
    """The point and the Tk anchor of a node's name on a side, for a node at a point."""
    (x, y), anchor = SIDES[side]
    return (at[0] + x, at[1] + y), anchor


def name_box(at: Point, side: str, width: float, height: float) -> Box:
    """The rectangle of a name of this size."""
    (x, y), anchor = name_place(at, side)
    left = {"w": x, "e": x - width}.get(anchor, x - width / 2)
    top = {"n": y, "s": y - height}.get(anchor, y - height / 2)
    return Box(left, top, left + width, top + height)


def rough_size(text: str) -> tuple[float, float]:
    """The estimated width and height of a name."""
    lines = text.split("\n")
    return max(map(len, lines)) * NAME_SIZE * _LETTER, len(lines) * NAME_SIZE * LINE_STEP


def sides(nodes: Sequence[NodeLabel], link_directions: Mapping[int, Iterable[Point]]) -> dict[int, str]:
    """The sides of names that are not below: the first side without a leaving link and without another node. Names
    without such a side stay below. In a large topology, names move only because of links.

    Args:
        nodes: all nodes.
        link_directions: the directions of a node's links as vectors of any length, by the index of the node.
    """
    crossed = [
        index
        for index, directions in link_directions.items()
        if nodes[index].text and _is_crossed("below", *rough_size(nodes[index].text), directions)
    ]
    are_few = len(nodes) <= _FEW_NODES
    if not crossed and not are_few:
        return {}
    names = _Names(nodes, link_directions)
    moved, is_crossed = list(crossed), frozenset(crossed)
    for index, (at, text) in enumerate(nodes):
        if text and index not in is_crossed:
            if are_few and names.is_occupied(index, name_box(at, "below", *rough_size(text)).grown(-_HARMLESS)):
                moved.append(index)
            else:
                names.put(index, "below")
    for index in moved:
        names.put(index, names.free_side(index) or "below")
    # A name without a free side stays below, where another name may be. That one can move.
    for index, side in tuple(names.sides.items()) if are_few else ():
        if names.is_occupied(index, names.box(index, side).grown(-_HARMLESS)):
            names.put(index, names.free_side(index) or side)
    return {index: side for index, side in names.sides.items() if side != "below"}


class _Names:
    """The sides of names, and the rectangles of icons and names in a grid of cells."""

    def __init__(self, nodes: Sequence[NodeLabel], link_directions: Mapping[int, Iterable[Point]]) -> None:
        self.sides: dict[int, str] = {}
        self._nodes, self._link_directions = nodes, link_directions
        self._occupied: defaultdict[tuple[int, int], list[tuple[int, Box]]] = defaultdict(list)
        for index, (at, _) in enumerate(nodes):
            self._occupy(index, Box(*at, *at).grown(NODE_HALF))

    def box(self, index: int, side: str) -> Box:
        """The rectangle of a name on a side."""
        at, text = self._nodes[index]
        return name_box(at, side, *rough_size(text))

    def put(self, index: int, side: str) -> None:
        """Put a name on a side, and nowhere else."""
        previous = self.sides.get(index)
        if previous is not None:
            box = self.box(index, previous)
            for cell in _cells(box):
                self._occupied[cell].remove((index, box))
        self.sides[index] = side
        self._occupy(index, self.box(index, side))

    def free_side(self, index: int) -> str:
        """The first side without a leaving link and without another node; empty if there is none."""
        size, directions = rough_size(self._nodes[index].text), self._link_directions.get(index, ())
        free = (
            side
            for side in SIDES
            if not _is_crossed(side, *size, directions) and not self.is_occupied(index, self.box(index, side))
        )
        return next(free, "")

    def is_occupied(self, index: int, box: Box) -> bool:
        """Whether the icon or the name of another node touches a rectangle of a node."""
        return any(
            occupant != index and _touch(box, occupied_box)
            for cell in _cells(box)
            for occupant, occupied_box in self._occupied.get(cell, ())
        )

    def _occupy(self, index: int, box: Box) -> None:
        for cell in _cells(box):
            self._occupied[cell].append((index, box))


def _is_crossed(side: str, width: float, height: float, directions: Iterable[Point]) -> bool:
    """Whether a link that leaves in one of these directions runs through a name on a side."""
    (out_x, out_y), _ = SIDES[side]
    # A straight line from the middle that crosses the name enters it at its near edge.
    half = (width if out_y else height) / 2
    for dx, dy in directions:
        out, aside = (dx * out_x + dy * out_y) / _OUT, abs(dx if out_y else dy)
        if out > 0 and aside * _OUT < half * out:
            return True
    return False


def _cells(box: Box) -> Iterable[tuple[int, int]]:
    for column in range(int(box.left // _CELL), int(box.right // _CELL) + 1):
        for row in range(int(box.top // _CELL), int(box.bottom // _CELL) + 1):
            yield column, row


def _touch(first: Box, second: Box) -> bool:
    return (
        first.left < second.right
        and second.left < first.right
        and first.top < second.bottom
        and second.top < first.bottom
    )
