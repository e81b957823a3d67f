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
from miniedit_frr.canvas.soft_edges import MAX_LINES
from miniedit_frr.canvas.text_canvas import SPRITE

#: Half the edge of a badge in the middle of a link.
_BADGE_HALF = 8.0


class Painter(NodeItems, LinkItems):
    """A canvas that shows a scene, with what is selected, marked and highlighted in it."""

    def __init__(self, parent: tk.Misc, ui: float, theme: Theme) -> None:
        super().__init__(parent, ui, theme)
        self._is_stacked = True
        self._shapes = ShapeItems(self, self.measure)

    # --- the scene and its state ---

    def show(self, scene: Scene) -> None:
        """Show a scene. Items of sprites that are equal to present ones stay as they are."""
        old, self.scene = self.scene, scene
        for key in old.keys() - scene.keys():
            self._erase(key)
        moved = {name for name, at in scene.places.items() if old.places.get(name) != at}
        texts, self._placed_texts = self._placed_texts, place_texts(scene, self.measure, self._obstacles())
        shifted = shifts(old, scene, texts, self._placed_texts)
        self._shift(shifted)
        self._update_soft_edges(old)
        are_lines_equal = old.lines is scene.lines and old.flows == scene.flows and texts == self._placed_texts
        are_all_shifted = len(shifted) == len(scene.nodes) + len(scene.lines) + len(scene.flows)
        for line in scene.connections if (moved or not are_lines_equal) and not are_all_shifted else ():
            if line.key not in shifted and (
                line.a in moved
                or line.b in moved
                or not (
                    are_lines_equal
                    or (old.connection(line.key) == line and texts.get(line.key) == self._placed_texts.get(line.key))
                )
            ):
                self._draw(line.key)
        for key, node in scene.nodes.items() if not are_all_shifted else ():
            if old.nodes.get(key) is not node and key not in shifted and old.nodes.get(key) != node:
                self._draw(key)
        for key, shape in scene.shapes.items():
            if old.shapes.get(key) != shape:
                self._draw(key)
        if [*old.shapes.values()] != [*scene.shapes.values()]:
            self._restack()
            self._recolor_plates()
            self._update_backgrounds(scene.nodes)
        elif scene.shapes:
            self._update_backgrounds(key for key in shifted if key in scene.nodes)
        if old.places != scene.places or old.shapes != scene.shapes:
            self._update_region()
        self.select(self.selection)

    def _update_soft_edges(self, old: Scene) -> None:
        """Draw soft edges, or remove them, after the number of lines has crossed the limit for them."""
        were_drawn, self._edges.are_drawn = self._edges.are_drawn, len(self.scene.lines) <= MAX_LINES
        if were_drawn != self._edges.are_drawn:
            self._redraw(line.key for line in self.scene.connections if old.connection(line.key) is not None)

    def _shift(self, offsets: Mapping[Key, Point]) -> None:
        """Move things, each by its own offset in world units."""
        by_offset: defaultdict[Point, list[Key]] = defaultdict(list)
        for key, offset in offsets.items():
            by_offset[offset].append(key)
        for (x, y), keys in by_offset.items():
            self._move(keys, x * self.factor, y * self.factor)
        self._update_layers(offsets.keys())

    def _move(self, keys: Collection[Key], dx: float, dy: float) -> None:
        """Move nodes, lines and flows by a number of pixels. If these are all, one call moves them by their tag."""
        scene = self.scene
        if len(keys) == len(scene.nodes) + len(scene.lines) + len(scene.flows):
            self.move(SPRITE, dx, dy)
        else:
            move(self, chain.from_iterable(map(self._items.__getitem__, keys)), dx, dy)

    def _occupied_boxes(self) -> Sequence[Box]:
        """Boxes that texts of links should avoid, besides icons and names."""
        return ()

    def _obstacles(self) -> Iterable[Box]:
        """The occupied boxes, and those of the badges of links."""
        yield from self._occupied_boxes()
        for key in self._marks:
            line = self.scene.lines.get(key)
            if line is not None:
                path = self.scene.path(line)
                x, y = beside(path, length(path) / 2, 0)[0]
                yield Box(x, y, x, y).grown(_BADGE_HALF)

    def place_texts(self) -> None:
        """Find new places for the texts of links after other things have moved."""
        previous, self._placed_texts = self._placed_texts, place_texts(self.scene, self.measure, self._obstacles())
        self._redraw(
            line.key for line in self.scene.connections if previous.get(line.key) != self._placed_texts.get(line.key)
        )

    def mark(self, marks: Mapping[Key, str]) -> None:
        """Put badges on these things and on no others.

        Args:
            marks: "error" or "warning" by key.
        """
        previous, self._marks = self._marks, marks
        if any(key in self.scene.lines for key in previous.keys() ^ marks.keys()):
            self.place_texts()
        for key in set(previous) | set(marks):
            if key in self._items and previous.get(key) != marks.get(key):
                self._draw(key)

    def show_states(self, states: Mapping[Key, str]) -> None:
        """Show the states of a running lab's nodes and links.

        Args:
            states: "starting", "up", "failed", "frozen" or "warning" for nodes, "up", "down" or "lossy" for links.
        """
        previous, self._states = self._states, dict(states)
        changed = [key for key in {*previous, *states} if previous.get(key) != states.get(key)]
        self._redraw(changed)
        for listener in self.on_states if changed else ():
            listener()

    def highlight(self, keys: Iterable[Key], way_back: Iterable[Key] = ()) -> None:
        """Highlight a path through the topology, and nothing else.

        Args:
            keys: the nodes, links and flows of the path.
            way_back: those of the path back. Parts that are not on the first path get another color and dashed lines.
        """
        previous, previous_back, self._highlighted = self._highlighted, self._highlighted_back, frozenset(keys)
        self._highlighted_back = frozenset(way_back) - self._highlighted
        self._restyle((previous ^ self._highlighted) | (previous_back ^ self._highlighted_back))

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
        """Select the given things that are shown, and nothing else."""
        previous, self.selection = self.selection, self.scene.known(keys)
        if previous != self.selection:
            self._restyle(previous ^ self.selection)
            for listener in self.on_select:
                listener()

    def set_theme(self, theme: Theme) -> None:
        """Show everything in the colors of another theme."""
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
        self._frames.pop(key, None)
        self._backgrounds.pop(key, None)
        self._edges.forget(key)
        self.delete(*self._items.pop(key, ()))

    def _draw(self, key: Key) -> None:
        self._erase(key)
        if key in self.scene.nodes:
            self._items[key] = list(self._draw_node(self.scene.nodes[key]))
        elif key in self.scene.shapes:
            self._items[key] = self._shapes.draw(self.scene.shapes[key], key in self.selection)
        elif key in self.scene.flows:
            self._items[key] = list(self._draw_flow(self.scene.flows[key]))
        else:
            self._items[key] = list(self._draw_line(self.scene.lines[key]))

    def _restack(self) -> None:
        """Stack the shapes in their order. New items lie on top of the others."""
        self._is_stacked = True
        if len(self.scene.shapes) > 1:
            self._shapes.restack(self._items[key] for key in self.scene.shapes if key in self._items)

    # --- highlights ---

    def _restyle(self, keys: Iterable[Key]) -> None:
        """Update for each of these whether it is highlighted.

        The items of nodes, lines and flows stay. Things with equal looks share one call of Tk.
        """
        scene, kinds = self.scene, defaultdict[str, list[Key]](list)
        for key in keys:
            if key in self._items:
                kinds[key.kind].append(key)
        self._draw_frames(kinds["node"])
        front = self._set_looks("line", scene.lines, kinds["link"] + kinds["control"])
        front += self._set_looks("flow", scene.flows, kinds["flow"])
        # Highlighted things and their texts are in front of the others.
        if len(front) < len(scene.lines) + len(scene.flows):
            self._bring_forward(front)
        self._redraw(kinds["annotation"])

    def _update_backgrounds(self, keys: Iterable[Key]) -> None:
        """Redraw those nodes whose background has changed."""
        nodes = self.scene.nodes
        self._redraw([key for key in keys if self._backgrounds.get(key) != self._backgrounds_of(nodes[key])])

    # --- things under the pointer ---

    def key_of_item(self, item: int) -> Key | None:
        """The key of the thing that an item of the canvas belongs to; None for items of the grid and of previews."""
        return next((key for key, items in self._items.items() if item in items), None)

    def handle_at(self, px: float, py: float) -> tuple[Key, str] | None:
        """The key of a selected shape with a handle at a pixel of the widget, and the sides that this handle moves."""
        for key in self.selection & self.scene.shapes.keys():
            for sides, at in handles(self.scene.shapes[key].box).items():
                x, y = self.to_widget(at)
                if max(abs(px - x), abs(py - y)) <= 6 * self.ui:
                    return key, sides
        return None

    # --- for layers above the scene ---

    def pixel_of(self, at: Point) -> Point:
        """A point of the drawing in coordinates of the canvas."""
        return self._pixel(at)

    def lower_below_icons(self, item: int) -> None:
        """Put an item above lines and names, and below icons."""
        self.tag_lower(item, self._name_ceiling)

    def lower_to_lines(self, item: int) -> None:
        """Put an item above present lines, and below names and icons."""
        self.tag_lower(item, self._line_ceiling)

    def bounds(self) -> Box | None:
        """The rectangle around the whole scene; None for an empty one."""
        return self.scene.bounds()

    def reveal(self, key: Key) -> None:
        """Scroll so that a thing is in the middle, unless it is well visible."""
        at = self.scene.center(key)
        x, y = self.to_widget(at)
        width, height, margin = self.winfo_width(), self.winfo_height(), 40
        if not (margin < x < width - margin and margin < y < height - margin):
            self._scroll_to(at, width / 2, height / 2)

    # --- texts and icons at the present zoom ---

    def _resize_items(self) -> None:
        self._resize_nodes()
        self._resize_lines()
        self._resize_texts()
        # Tk does not scale the handles and outlines of shapes.
        self._redraw(self.scene.shapes)

    # --- single things ---

    def emphasize(self, key: Key) -> None:
        """Make a line wider until it is redrawn."""
        line = self._items[key][0]
        self.itemconfigure(line, width=float(self.itemcget(line, "width")) + 1.5 * self.ui)
        self._edges.update(key, line)

    def redraw(self, key: Key) -> None:
        """Redraw one thing as it is in the scene."""
        self._redraw([key])
