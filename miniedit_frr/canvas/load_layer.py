"""How loaded links are, above the drawing: an arrow for each direction, and a gauge for its queue.

Only a link whose class of load, width or fill has changed is drawn again.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from frrlib.picture.colors import load
from frrlib.picture.geometry import NODE_HALF, Point, length, part
from frrlib.picture.scene import Key
from frrlib.picture.theme import Theme
from miniedit_frr.canvas.painter import Painter

#: Up to which share of its rate a direction is in which class, each with a colour of its own.
LOAD_CLASSES = (0.4, 0.7, 0.9, math.inf)
#: Rates below this, in Mbit/s, are not shown.
LEAST_MBIT = 0.02
#: A gauge: its size, how far from the node and from the line it stands, and in how many steps it fills.
_GAUGE = (6.0, 18.0)
_ALONG, _ASIDE, _STEPS = 16.0, 11.0, 18


class LoadLook(NamedTuple):
    """How a direction is shown.

    Attributes:
        grade: the place of its colour in `CLASSES`; -1 where it has no rate, -2 where nothing goes.
        width: of its arrow, in units.
        fill: of its gauge, in steps; 0 for an empty queue, which has no gauge, -1 where that is not known.
    """

    grade: int
    width: float
    fill: int


def load_look(rate_mbit: float, share: float | None, fill: float | None) -> LoadLook:
    """How a load is shown.

    Args:
        rate_mbit: the rate.
        share: of the drawn rate; None where there is none.
        fill: of the queue, 0 to 1; None where that is not known.
    """
    steps = -1 if fill is None else min(_STEPS, math.ceil(fill * _STEPS - 1e-9))
    if rate_mbit < LEAST_MBIT:
        return LoadLook(-2, 0.0, steps)
    grade = -1 if share is None else next(index for index, limit in enumerate(LOAD_CLASSES) if share < limit)
    return LoadLook(grade, round(2 * (2.2 + 1.6 * math.log10(1 + rate_mbit))) / 2, steps)


def load_color(grade: int, theme: Theme) -> str:
    """The colour of a class of load."""
    return load(grade, theme) if grade >= 0 else theme.faint


class LoadLayer:
    """The loads on a canvas.

    Attributes:
        drawn: how many times something was drawn, for tests that nothing is drawn in vain.
    """

    def __init__(self, view: Painter) -> None:
        self._view = view
        #: For each link, how the directions from its nodes are shown.
        self._links: Mapping[Key, Mapping[str, LoadLook]] = {}
        self._items: dict[Key, list[int]] = {}
        self._owner: dict[int, Key] = {}
        self._hidden: set[Key] = set()
        self.draw_count = 0
        view.on_zoom.append(self.redraw_all)

    def show(self, links: Mapping[Key, Mapping[str, LoadLook]]) -> None:
        """Show these loads and no others; by link and the node from which packets go."""
        before, self._links = self._links, {key: dict(sights) for key, sights in links.items()}
        for key in before.keys() | self._links.keys():
            if before.get(key) != self._links.get(key):
                self.follow(key)

    def follow(self, key: Key) -> None:
        """Draw a link again, above earlier items."""
        view = self._view
        items = self._items.pop(key, ())
        if items:
            view.delete(*items)
            for item in items:
                self._owner.pop(item, None)
        if key in self._links and key not in self._hidden and key in view.scene.lines:
            self.draw_count += 1
            self._items[key] = made = list(self._draw(key))
            self._owner |= dict.fromkeys(made, key)

    def at(self, keys: Collection[Key]) -> Collection[Key]:
        """Those of some things that have a load."""
        return [key for key in keys if key in self._links] if self._links else ()

    def redraw_all(self) -> None:
        """Draw everything again, in another size or other colours."""
        for key in self._links:
            self.follow(key)

    def hide(self, keys: Iterable[Key]) -> None:
        """Take loads away while their links are moved."""
        self._hidden |= {key for key in keys if key in self._items}
        for key in self._hidden:
            self.follow(key)

    def unhide(self) -> None:
        """Show them again."""
        hidden, self._hidden = self._hidden, set()
        for key in hidden:
            self.follow(key)

    def key_of_item(self, item: int) -> Key | None:
        """The link whose load an item shows."""
        return self._owner.get(item)

    def looks(self, key: Key) -> Mapping[str, LoadLook]:
        """How the load of a link is shown."""
        return self._links.get(key, {})

    # --- how ---

    def _draw(self, key: Key) -> Iterator[int]:
        line = self._view.scene.lines[key]
        path = self._view.scene.path(line)
        for node, way in ((line.a, path), (line.b, path[::-1])):
            sight = self._links[key].get(node)
            if sight is None or line.a == line.b:
                continue
            if sight.grade > -2:
                yield from self._arrow(sight, way)
            if sight.fill > 0:
                yield from self._gauge(sight, way)

    def _arrow(self, sight: LoadLook, path: tuple[Point, ...]) -> Iterator[int]:
        """From the node that sends to the middle."""
        view, whole = self._view, length(path)
        begin, end = min(NODE_HALF, whole / 4), whole / 2 - 1.5
        points = [each for at in part(path, begin, end) for each in view.pixel_of(at)]
        wide = view.line_width(sight.width)
        item = view.create_line(
            *points, fill=load_color(sight.grade, view.theme), width=wide, arrow="last",
            arrowshape=(wide * 1.6, wide * 1.9, wide * 0.75), capstyle="butt", tags="load",
        )  # fmt: skip
        view.lower_to_lines(item)
        yield item

    def _gauge(self, sight: LoadLook, path: tuple[Point, ...]) -> Iterator[int]:
        """Beside the line where packets leave, at their left."""
        view = self._view
        whole = length(path)
        at, ahead = part(path, min(NODE_HALF + _ALONG, whole / 2 - 2), min(NODE_HALF + _ALONG + 1, whole / 2))[:2]
        run = math.hypot(ahead[0] - at[0], ahead[1] - at[1]) or 1.0
        x = at[0] + (ahead[1] - at[1]) / run * (_ASIDE + _GAUGE[0] / 2)
        y = at[1] - (ahead[0] - at[0]) / run * (_ASIDE + _GAUGE[1] / 4)
        (half, high), theme = (_GAUGE[0] / 2, _GAUGE[1]), view.theme
        top, bottom = y - high / 2, y + high / 2
        outer = view.create_rectangle(
            *view.pixel_of((x - half, top)), *view.pixel_of((x + half, bottom)), fill=theme.card, outline=theme.faint,
            width=max(1, round(view.ui)), tags="load",
        )  # fmt: skip
        view.lower_below_icons(outer)
        yield outer
        share = sight.fill / _STEPS
        grade = next(index for index, limit in enumerate(LOAD_CLASSES) if share < limit)
        corners = (x - half + 1, bottom - share * (high - 2) - 1), (x + half - 1, bottom - 1)
        inner = view.create_rectangle(
            *view.pixel_of(corners[0]), *view.pixel_of(corners[1]), fill=load_color(grade, theme), width=0, tags="load"
        )
        view.lower_below_icons(inner)
        yield inner
