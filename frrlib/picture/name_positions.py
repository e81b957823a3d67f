"""Where a node's name stands: below its icon, or where no link leaves if one leaves there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from frrlib.picture.geometry import NODE_HALF, Box, Point
from frrlib.picture.text_sizes import LINE_STEP, NAME_SIZE

#: Distance of a node's text from its icon.
NAME_GAP = 5.0
_OUT = NODE_HALF + NAME_GAP
#: For each side, the best first: where a name stands from the middle of its node, and with which Tk anchor.
SIDES: Mapping[str, tuple[Point, str]] = {
    "below": ((0.0, _OUT), "n"),
    "right": ((_OUT, 0.0), "w"),
    "above": ((0.0, -_OUT), "s"),
    "left": ((-_OUT, 0.0), "e"),
}
#: A drawing with more lines than this has all names below: links leave to everywhere in it.
MOST_LINES = 500
#: About how wide a letter of a name is, in sizes, where nobody measures it.
_LETTER = 0.58
#: Nodes are looked for in squares of this edge.
_CELL = 128.0


class NodeLabel(NamedTuple):
    """A node with a name: its place, and its text."""

    at: Point
    text: str


def name_place(at: Point, side: str) -> tuple[Point, str]:
    """The point and the Tk anchor with which the name of a node at a point stands on a side."""
    (x, y), anchor = SIDES[side]
    return (at[0] + x, at[1] + y), anchor


def name_box(at: Point, side: str, width: float, height: float) -> Box:
    """The rectangle that a name of this size takes."""
    (x, y), anchor = name_place(at, side)
    left = {"w": x, "e": x - width}.get(anchor, x - width / 2)
    top = {"n": y, "s": y - height}.get(anchor, y - height / 2)
    return Box(left, top, left + width, top + height)


def rough_size(text: str) -> tuple[float, float]:
    """About how wide and high a name is, where nobody can measure it."""
    lines = text.split("\n")
    return max(map(len, lines)) * NAME_SIZE * _LETTER, len(lines) * NAME_SIZE * LINE_STEP


def sides(nodes: Sequence[NodeLabel], link_directions: Mapping[int, Iterable[Point]]) -> dict[int, str]:
    """The side on which the name of a node stands if that is not below: the first where none of its links leaves and
    no other node stands; below, if there is none such.

    Args:
        nodes: all that are drawn.
        link_directions: by a node's place in them, in which directions links leave it, as vectors of any length.
    """
    found: dict[int, str] = {}
    moved = [
        index
        for index, ways in link_directions.items()
        if nodes[index].text and _is_crossed("below", *rough_size(nodes[index].text), ways)
    ]
    if not moved:
        return found
    taken: defaultdict[tuple[int, int], list[tuple[int, Box]]] = defaultdict(list)

    def take(index: int, box: Box) -> None:
        for cell in _cells(box):
            taken[cell].append((index, box))

    for index, (at, text) in enumerate(nodes):
        take(index, Box(*at, *at).grown(NODE_HALF))
        if text and index not in moved:
            take(index, name_box(at, "below", *rough_size(text)))
    for index in moved:
        at, text = nodes[index]
        width, height = rough_size(text)
        side = "below"
        for each in SIDES:
            box = name_box(at, each, width, height)
            is_taken = (other != index and _touch(box, one) for cell in _cells(box) for other, one in taken[cell])
            if not _is_crossed(each, width, height, link_directions[index]) and not any(is_taken):
                side = found[index] = each
                break
        take(index, name_box(at, side, width, height))
    return found


def _is_crossed(side: str, width: float, height: float, ways: Iterable[Point]) -> bool:
    """Whether a link that leaves in one of these directions runs through a name on a side."""
    (out_x, out_y), _ = SIDES[side]
    # A straight line from the middle is within the name where it enters it, or nowhere.
    half = (width if out_y else height) / 2
    for dx, dy in ways:
        out, aside = (dx * out_x + dy * out_y) / _OUT, abs(dx if out_y else dy)
        if out > 0 and aside * _OUT < half * out:
            return True
    return False


def _cells(box: Box) -> Iterable[tuple[int, int]]:
    for column in range(int(box.left // _CELL), int(box.right // _CELL) + 1):
        for row in range(int(box.top // _CELL), int(box.bottom // _CELL) + 1):
            yield column, row


def _touch(one: Box, other: Box) -> bool:
    return one.left < other.right and other.left < one.right and one.top < other.bottom and other.top < one.bottom
