"""A scene on a canvas: draws it, then redraws only what differs.

The canvas decides nothing and keeps no facts: everything shown comes from the scene.
"""

from __future__ import annotations

import tkinter as tk
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from frrlib.picture.geometry import Box, Point, beside, length
from frrlib.picture.label_positions import place_texts
from frrlib.picture.scene import Key, Scene
from frrlib.picture.shapes import handles
from frrlib.picture.theme import Theme
from miniedit_frr.canvas.batch import move
from miniedit_frr.canvas.link_items import LinkItems
from miniedit_frr.canvas.node_items import NodeItems
from miniedit_frr.canvas.shape_items import ShapeItems
from miniedit_frr.canvas.shifts import shifts
from miniedit_frr.canvas.soft_edges import MOST_LINES
from miniedit_frr.canvas.text_canvas import SPRITE

#: Half the edge of a badge in the middle of a link.
_BADGE_HALF = 8.0


class Painter(NodeItems, LinkItems):
    """A drawing with what is selected, marked and lit in it."""

    def __init__(self, parent: tk.Misc, ui: float, theme: Theme) -> None:
        super().__init__(parent, ui, theme)
        self._is_stacked = True
        self._shapes = ShapeItems(self, self.measure)

    # --- what is shown ---

    def show(self, scene: Scene) -> None:
        """Show a scene; sprites equal to present ones stay untouched."""
        old, self.scene = self.scene, scene
        for key in old.keys() - scene.keys():
            self._erase(key)
        moved = {name for name, at in scene.places.items() if old.places.get(name) != at}
        texts, self._placed_texts = self._placed_texts, place_texts(scene, self.measure, self._all_taken())
        shifted = shifts(old, scene, texts, self._placed_texts)
        self._shift(shifted)
        self._soften(old)
        are_same = old.lines is scene.lines and old.flows == scene.flows and texts == self._placed_texts
        are_done = len(shifted) == len(scene.nodes) + len(scene.lines) + len(scene.flows)
        for line in scene.connections if (moved or not are_same) and not are_done else ():
            if line.key not in shifted and (
                line.a in moved
                or line.b in moved
                or not (
                    are_same
                    or (old.connection(line.key) == line and texts.get(line.key) == self._placed_texts.get(line.key))
                )
            ):
                self._draw(line.key)
        for key, node in scene.nodes.items() if not are_done else ():
            if old.nodes.get(key) is not node and key not in shifted and old.nodes.get(key) != node:
                self._draw(key)
        for key, shape in scene.shapes.items():
            if old.shapes.get(key) != shape:
                self._draw(key)
        if [*old.shapes.values()] != [*scene.shapes.values()]:
            self._restack()
            self._repaint_plates()
            self._reground(scene.nodes)
        elif scene.shapes:
            self._reground(key for key in shifted if key in scene.nodes)
        if old.places != scene.places or old.shapes != scene.shapes:
            self._size_region()
        self.select(self.selection)

    def _soften(self, old: Scene) -> None:
        """Give lines soft edges, or take them away, where the drawing is no longer too large for them, or is now."""
        before, self._edges.are_drawn = self._edges.are_drawn, len(self.scene.lines) <= MOST_LINES
        if before != self._edges.are_drawn:
            self._redraw(way.key for way in self.scene.connections if old.connection(way.key) is not None)

    def _shift(self, ways: Mapping[Key, Point]) -> None:
        """Move things, each by so much in world units."""
        alike: defaultdict[Point, list[Key]] = defaultdict(list)
        for key, way in ways.items():
            alike[way].append(key)
        for (x, y), keys in alike.items():
            self._move(keys, x * self.factor, y * self.factor)
        self._followed(ways.keys())

    def _move(self, keys: Collection[Key], dx: float, dy: float) -> None:
        """Move nodes, lines and flows by so many pixels; if that is all of them, Tk is told of their tag only."""
        scene = self.scene
        if len(keys) == len(scene.nodes) + len(scene.lines) + len(scene.flows):
            self.move(SPRITE, dx, dy)
        else:
            move(self, chain.from_iterable(map(self._items.__getitem__, keys)), dx, dy)

    def _taken(self) -> Sequence[Box]:
        """Where texts of links should not stand, besides on icons and names."""
        return ()

    def _all_taken(self) -> Iterable[Box]:
        """The same, and where the badges of links are."""
        yield from self._taken()
        for key in self._marks:
            line = self.scene.lines.get(key)
            if line is not None:
                path = self.scene.path(line)
                x, y = beside(path, length(path) / 2, 0)[0]
                yield Box(x, y, x, y).grown(_BADGE_HALF)

    def place_texts(self) -> None:
        """Find new places for the texts of links, after other things have moved."""
        before, self._placed_texts = self._placed_texts, place_texts(self.scene, self.measure, self._all_taken())
        self._redraw(
            way.key for way in self.scene.connections if before.get(way.key) != self._placed_texts.get(way.key)
        )

    def mark(self, marks: Mapping[Key, str]) -> None:
        """Put a badge ("error" or "warning") on each of these, and on no other."""
        before, self._marks = self._marks, marks
        if any(key in self.scene.lines for key in before.keys() ^ marks.keys()):
            self.place_texts()
        for key in set(before) | set(marks):
            if key in self._items and before.get(key) != marks.get(key):
                self._draw(key)

    def show_states(self, states: Mapping[Key, str]) -> None:
        """Show the state of a running lab's parts: nodes "starting", "up", "failed", "frozen" or "warning", links "up",
        "down" or "lossy".
        """
        before, self._states = self._states, dict(states)
        self._redraw(key for key in {*before, *states} if before.get(key) != states.get(key))

    def highlight(self, keys: Iterable[Key], back: Iterable[Key] = ()) -> None:
        """Light these, a path through the drawing, and nothing else.

        Args:
            back: the path back; its parts that are not on the first one are lit in another colour, with dashed lines.
        """
        before, before_back, self._highlighted = self._highlighted, self._highlighted_back, frozenset(keys)
        self._highlighted_back = frozenset(back) - self._highlighted
        self._restyle((before ^ self._highlighted) | (before_back ^ self._highlighted_back))

    def _redraw(self, keys: Iterable[Key]) -> None:
        shapes = self.scene.shapes
        for key in keys:
            if key in self._items:
                self._draw(key)
                if key in shapes:
                    self._is_stacked = False
        if not self._is_stacked:
            self._restack()

    def select(self, keys: Iterable[Key]) -> None:
        """Select these, as far as they are shown, and nothing else."""
        before, self.selection = self.selection, self.scene.known(keys)
        if before != self.selection:
            self._restyle(before ^ self.selection)
            for listener in self.on_select:
                listener()

    def set_theme(self, theme: Theme) -> None:
        """Show everything in another theme's colours."""
        self.theme = theme
        self.configure(background=theme.canvas)
        self._images.clear()
        self._redraw(tuple(self._items))

    # --- the items on the canvas ---

    @property
    def drawn_keys(self) -> frozenset[Key]:
        """The nodes, lines, flows and shapes that have items on the canvas."""
        return frozenset(self._items)

    def items_of(self, key: Key) -> tuple[int, ...]:
        """The items of something on the canvas, its icon, line or outline first; none if it is not drawn."""
        return tuple(self._items.get(key, ()))

    @property
    def highlighted_keys(self) -> frozenset[Key]:
        """The parts of the highlighted path, without those of the path back alone."""
        return self._highlighted

    def badge_of(self, key: Key) -> str:
        """The badge on something ("error" or "warning"); empty for none."""
        return self._marks.get(key, "")

    @property
    def states(self) -> Mapping[Key, str]:
        """The shown states of a running lab's parts, as `show_states` describes them."""
        return self._states

    # --- sprites as items ---

    def _erase(self, key: Key) -> None:
        self._halos.pop(key, None)
        self._grounds.pop(key, None)
        self._edges.forget(key)
        self.delete(*self._items.pop(key, ()))

    def _draw(self, key: Key) -> None:
        self._erase(key)
        if key in self.scene.nodes:
            self._items[key] = list(self._node(self.scene.nodes[key]))
        elif key in self.scene.shapes:
            self._items[key] = self._shapes.draw(self.scene.shapes[key], key in self.selection)
        elif key in self.scene.flows:
            self._items[key] = list(self._flow(self.scene.flows[key]))
        else:
            self._items[key] = list(self._line(self.scene.lines[key]))

    def _restack(self) -> None:
        """Stack the shapes in their order; those drawn again lie on top of the others."""
        self._is_stacked = True
        if len(self.scene.shapes) > 1:
            self._shapes.restack(self._items[key] for key in self.scene.shapes if key in self._items)

    # --- what stands out ---

    def _restyle(self, keys: Iterable[Key]) -> None:
        """Set for each of these whether it is highlighted. The items of nodes, lines and flows stay, and Tk is told of
        all of them at once.
        """
        scene, kinds = self.scene, defaultdict[str, list[Key]](list)
        for key in keys:
            if key in self._items:
                kinds[key.kind].append(key)
        self._set_frames(kinds["node"])
        front = self._set_looks("line", scene.lines, kinds["link"] + kinds["control"])
        front += self._set_looks("flow", scene.flows, kinds["flow"])
        # Highlighted things are before the others, with their texts.
        if len(front) < len(scene.lines) + len(scene.flows):
            self._bring_forward(front)
        self._redraw(kinds["annotation"])

    def _reground(self, keys: Iterable[Key]) -> None:
        """Draw nodes again whose background has changed."""
        nodes = self.scene.nodes
        self._redraw([key for key in keys if self._grounds.get(key) != self._grounds_of(nodes[key])])

    # --- what is under the pointer ---

    def key_of_item(self, item: int) -> Key | None:
        """The key of the thing that an item of the canvas belongs to; None for the grid, previews and the like."""
        return next((key for key, items in self._items.items() if item in items), None)

    def handle_at(self, px: float, py: float) -> tuple[Key, str] | None:
        """The handle of a selected shape under a pixel of the widget, and the sides that follow it."""
        for key in self.selection & self.scene.shapes.keys():
            for sides, at in handles(self.scene.shapes[key].box).items():
                x, y = self.to_widget(at)
                if max(abs(px - x), abs(py - y)) <= 6 * self.ui:
                    return key, sides
        return None

    # --- what layers above the scene need ---

    def pixel_of(self, at: Point) -> Point:
        """A point of the drawing in the canvas's own coordinates."""
        return self._px(at)

    def lower_below_icons(self, item: int) -> None:
        """Put an item above lines and names, and below icons."""
        self.tag_lower(item, self._shelf)

    def lower_to_lines(self, item: int) -> None:
        """Put an item above the lines that are there, and below names and icons."""
        self.tag_lower(item, self._floor)

    def bounds(self) -> Box | None:
        """The rectangle around the whole scene; None for an empty one."""
        return self.scene.bounds()

    def reveal(self, key: Key) -> None:
        """Scroll so that something is in the middle, unless it is well visible."""
        if key in self.scene.nodes:
            at = self.scene.nodes[key].at
        elif key in self.scene.shapes:
            at = self.scene.shapes[key].box.center
        else:
            way = self.scene.connection(key)
            assert way is not None
            path = self.scene.path(way)
            at, _ = beside(path, length(path) / 2, 0)
        x, y = self.to_widget(at)
        width, height, rim = self.winfo_width(), self.winfo_height(), 40
        if not (rim < x < width - rim and rim < y < height - rim):
            self._put(at, width / 2, height / 2)

    # --- texts and icons at the present zoom ---

    def _scaled(self) -> None:
        self._size_nodes()
        self._size_ways()
        self._size_texts()
        # Their handles and outlines do not grow with them.
        self._redraw(self.scene.shapes)

    # --- single things ---

    def emphasize(self, key: Key) -> None:
        """Highlight a line until it is shown again."""
        line = self._items[key][0]
        self.itemconfigure(line, width=float(self.itemcget(line, "width")) + 1.5 * self.ui)
        self._edges.follow(key, line)

    def redraw(self, key: Key) -> None:
        """Show something as it is."""
        self._redraw([key])
