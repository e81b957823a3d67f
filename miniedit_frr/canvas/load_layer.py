"""The loads of links, above the drawing: an arrow for each direction, and a gauge for its queue.

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

#: The classes of load, by the share of the link's rate: the upper limit of each. Each class has its own color.
LOAD_CLASSES = (0.4, 0.7, 0.9, math.inf)
#: Rates below this, in Mbit/s, are not shown.
MIN_RATE_MBIT = 0.02
#: A gauge: its size, its distances from the node and from the line, and the number of steps in which it fills.
_GAUGE = (6.0, 18.0)
_ALONG, _ASIDE, _STEPS = 16.0, 11.0, 18
#: Further distances from the node for a gauge whose place is occupied, and the tags of items that occupy places.
_SHIFTS = (0.0, 10.0, 20.0, 30.0, 40.0, 50.0)
_KEPT_FREE = frozenset(("text", "name", "icon", "routing", "load"))


class LoadLook(NamedTuple):
    """The look of the load of one direction of a link.

    Attributes:
        grade: the place of its color in `CLASSES`; -1 where it has no rate, -2 where nothing goes.
        width: the width of its arrow, in units.
        fill: the filled steps of its gauge; 0 for an empty queue, which has no gauge, -1 if it is unknown.
    """

    grade: int
    width: float
    fill: int


def load_look(rate_mbit: float, share: float | None, fill: float | None) -> LoadLook:
    """The look of a load.

    Args:
        rate_mbit: the measured rate.
        share: the measured rate as a share of the configured one; None for a link without a rate.
        fill: how full the queue is, 0 to 1; None if it is unknown.
    """
    steps = -1 if fill is None else min(_STEPS, math.ceil(fill * _STEPS - 1e-9))
    if rate_mbit < MIN_RATE_MBIT:
        return LoadLook(-2, 0.0, steps)
    grade = -1 if share is None else next(index for index, limit in enumerate(LOAD_CLASSES) if share < limit)
    return LoadLook(grade, round(2 * (2.2 + 1.6 * math.log10(1 + rate_mbit))) / 2, steps)


def load_color(grade: int, theme: Theme) -> str:
    """The color of a class of load."""
    return load(grade, theme) if grade >= 0 else theme.faint


class LoadLayer:
    """The loads on a canvas.

    Attributes:
        draw_count: the number of drawings of a link so far, for tests that nothing is drawn needlessly.
    """

    def __init__(self, view: Painter) -> None:
        self._view = view
        #: For each link, the looks of its directions, by the node that sends.
        self._links: Mapping[Key, Mapping[str, LoadLook]] = {}
        self._items: dict[Key, list[int]] = {}
        self._owner: dict[int, Key] = {}
        self._hidden: set[Key] = set()
        self.draw_count = 0
        view.on_zoom.append(self.redraw_all)

    def show(self, links: Mapping[Key, Mapping[str, LoadLook]]) -> None:
        """Show these loads and no others.

        Args:
            links: looks by link and by the node that sends.
        """
        previous, self._links = self._links, {key: dict(looks) for key, looks in links.items()}
        for key in previous.keys() | self._links.keys():
            if previous.get(key) != self._links.get(key):
                self.redraw(key)

    def redraw(self, key: Key) -> None:
        """Draw a link again, above earlier items."""
        view = self._view
        old_items = self._items.pop(key, ())
        if old_items:
            view.delete(*old_items)
            for item in old_items:
                self._owner.pop(item, None)
        if key in self._links and key not in self._hidden and key in view.scene.lines:
            self.draw_count += 1
            self._items[key] = new_items = list(self._draw(key))
            self._owner |= dict.fromkeys(new_items, key)

    def shown_keys(self, keys: Collection[Key]) -> Collection[Key]:
        """The keys of things that have a load, of the given ones."""
        return [key for key in keys if key in self._links] if self._links else ()

    def redraw_all(self) -> None:
        """Draw all loads again, in another size or other colors."""
        for key in self._links:
            self.redraw(key)

    def hide(self, keys: Iterable[Key]) -> None:
        """Hide loads while their links are moved."""
        self._hidden |= {key for key in keys if key in self._items}
        for key in self._hidden:
            self.redraw(key)

    def unhide(self) -> None:
        """Show the hidden loads again."""
        hidden, self._hidden = self._hidden, set()
        for key in hidden:
            self.redraw(key)

    def key_of_item(self, item: int) -> Key | None:
        """The link whose load an item shows."""
        return self._owner.get(item)

    def looks(self, key: Key) -> Mapping[str, LoadLook]:
        """The looks of a link's directions, by the node that sends."""
        return self._links.get(key, {})

    # --- items ---

    def _draw(self, key: Key) -> Iterator[int]:
        line = self._view.scene.lines[key]
        path = self._view.scene.path(line)
        for node, outward in ((line.a, path), (line.b, path[::-1])):
            look = self._links[key].get(node)
            if look is None or line.a == line.b:
                continue
            if look.grade > -2:
                yield from self._arrow(look, outward)
            if look.fill > 0:
                yield from self._gauge(look, outward)

    def _arrow(self, look: LoadLook, path: tuple[Point, ...]) -> Iterator[int]:
        """Draw the arrow from the node that sends to the middle of the link."""
        view, path_length = self._view, length(path)
        begin, end = min(NODE_HALF, path_length / 4), path_length / 2 - 1.5
        points = [coordinate for at in part(path, begin, end) for coordinate in view.pixel_of(at)]
        width = view.line_width(look.width)
        item = view.create_line(
            *points, fill=load_color(look.grade, view.theme), width=width, arrow="last",
            arrowshape=(width * 1.6, width * 1.9, width * 0.75), capstyle="butt", tags="load",
        )  # fmt: skip
        view.lower_to_lines(item)
        yield item

    def _gauge(self, look: LoadLook, path: tuple[Point, ...]) -> Iterator[int]:
        """Draw the gauge beside the line, near the node that sends."""
        view = self._view
        x, y = self._gauge_at(path)
        (half, height), theme = (_GAUGE[0] / 2, _GAUGE[1]), view.theme
        top, bottom = y - height / 2, y + height / 2
        outer = view.create_rectangle(
            *view.pixel_of((x - half, top)), *view.pixel_of((x + half, bottom)), fill=theme.card, outline=theme.faint,
            width=max(1, round(view.ui)), tags="load",
        )  # fmt: skip
        view.lower_below_icons(outer)
        yield outer
        share = look.fill / _STEPS
        grade = next(index for index, limit in enumerate(LOAD_CLASSES) if share < limit)
        corners = (x - half + 1, bottom - share * (height - 2) - 1), (x + half - 1, bottom - 1)
        inner = view.create_rectangle(
            *view.pixel_of(corners[0]), *view.pixel_of(corners[1]), fill=load_color(grade, theme), width=0, tags="load"
        )
        view.lower_below_icons(inner)
        yield inner

    def _gauge_at(self, path: tuple[Point, ...]) -> Point:
        """The center of a gauge: to the left in the direction of the packets and near the node that sends, or the next
        place that covers no text, icon, sign or other gauge. If all places are occupied, it is the first one."""
        farthest = max(0.0, length(path) / 2 - 2)
        distances = {min(NODE_HALF + _ALONG + shift, farthest) for shift in _SHIFTS}
        places = [_gauge_place(path, distance, side) for distance in sorted(distances) for side in (1, -1)]
        return next((place for place in places if not self._is_covered(place)), places[0])

    def _is_covered(self, at: Point) -> bool:
        """Whether a gauge at this place would cover something besides lines."""
        view, (width, height) = self._view, _GAUGE
        left, top = view.pixel_of((at[0] - width / 2, at[1] - height / 2))
        right, bottom = view.pixel_of((at[0] + width / 2, at[1] + height / 2))
        return any(
            str(view.type(item)) != "line" and view.itemcget(item, "state") != "hidden"
            for item in view.find_overlapping(left - 1, top - 1, right + 1, bottom + 1)
            if not _KEPT_FREE.isdisjoint(view.gettags(item))
        )


def _gauge_place(path: tuple[Point, ...], distance: float, side: int) -> Point:
    """The center of a gauge beside a path, at a distance from its beginning: to the left (1) or to the right (-1)."""
    at, ahead = part(path, distance, distance + 1)[:2]
    step = math.hypot(ahead[0] - at[0], ahead[1] - at[1]) or 1.0
    x = at[0] + side * (ahead[1] - at[1]) / step * (_ASIDE + _GAUGE[0] / 2)
    y = at[1] - side * (ahead[0] - at[0]) / step * (_ASIDE + _GAUGE[1] / 4)
    return x, y
