"""Positions of node names: below the icon, or on a side without links if a link leaves below."""

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
    without such a side stay below.

    Args:
        nodes: all nodes.
        link_directions: the directions of a node's links as vectors of any length, by the index of the node.
    """
    sides_by_node: dict[int, str] = {}
    moved = [
        index
        for index, directions in link_directions.items()
        if nodes[index].text and _is_crossed("below", *rough_size(nodes[index].text), directions)
    ]
    if not moved:
        return sides_by_node
    occupied: defaultdict[tuple[int, int], list[tuple[int, Box]]] = defaultdict(list)

    def occupy(index: int, box: Box) -> None:
        for cell in _cells(box):
            occupied[cell].append((index, box))

    for index, (at, text) in enumerate(nodes):
        occupy(index, Box(*at, *at).grown(NODE_HALF))
        if text and index not in moved:
            occupy(index, name_box(at, "below", *rough_size(text)))
    for index in moved:
        at, text = nodes[index]
        width, height = rough_size(text)
        side = "below"
        for candidate in SIDES:
            box = name_box(at, candidate, width, height)
            is_occupied = (
                occupant != index and _touch(box, occupied_box)
                for cell in _cells(box)
                for occupant, occupied_box in occupied[cell]
            )
            if not _is_crossed(candidate, width, height, link_directions[index]) and not any(is_occupied):
                side = sides_by_node[index] = candidate
                break
        occupy(index, name_box(at, side, width, height))
    return sides_by_node


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
