"""The canvas of the editor: the scene with its layers, the things under the pointer, and previews of gestures."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import chain
from typing import Any

from frrlib.picture.geometry import Box, Point, beside, length
from frrlib.picture.label_positions import default_texts
from frrlib.picture.scene import Key, Scene
from frrlib.picture.theme import LIGHT, Theme
from miniedit_frr.canvas.grid import Grid
from miniedit_frr.canvas.hover import Hover
from miniedit_frr.canvas.load_layer import LoadLayer
from miniedit_frr.canvas.painter import Painter
from miniedit_frr.canvas.routing_layer import RoutingLayer


class View(Painter):
    """The drawing as users see it and move things in it.

    Attributes:
        snap_grid: the grid, and how drags snap. (The method `grid` is Tk's.)
        hover: highlights the thing under the pointer.
        routing: the signs of a running lab's routing.
        loads: the loads of a running lab's links.
    """

    def __init__(self, parent: tk.Misc, ui: float = 1.0, theme: Theme = LIGHT) -> None:
        super().__init__(parent, ui, theme)
        self._moved: tuple[frozenset[str], Point] | None = None
        self._outer_lines: list[Key] = []
        self._resized: Key | None = None
        self.loads, self.routing = LoadLayer(self), RoutingLayer(self)
        self.snap_grid, self.hover = Grid(self), Hover(self)
        self.on_scroll.append(lambda *_: self.snap_grid.refresh())
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Show everything in the colors of another theme."""
        super().set_theme(theme)
        self.snap_grid.refresh()
        self.loads.redraw_all()
        self.routing.redraw_all()

    def show(self, scene: Scene) -> None:
        """Show a scene. Items of sprites that are equal to present ones stay as they are."""
        super().show(scene)
        self.routing.place_all()

    def _occupied_boxes(self) -> list[Box]:
        return self.routing.occupied_boxes()

    def _draw(self, key: Key) -> None:
        super()._draw(key)
        self.loads.redraw(key)
        self.routing.redraw(key)

    def _update_layers(self, keys: Collection[Key]) -> None:
        for layer in (self.loads, self.routing):
            for key in layer.shown_keys(keys):
                layer.redraw(key)

    # --- things under the pointer ---

    def key_of_item(self, item: int) -> Key | None:
        """The key of the thing that an item of the canvas belongs to; None for items of the grid and of previews."""
        key = super().key_of_item(item)
        return key or self.loads.key_of_item(item) or self.routing.key_of_item(item)

    def name_at(self, at: Point) -> Key | None:
        """The node whose shown name, or the flow whose text, is under a point."""
        x, y = self._pixel(at)
        for item in reversed(self.find_overlapping(x, y, x, y)):
            if "plate" in self.gettags(item):
                named = chain(self.scene.nodes, self.scene.flows)
                return next((key for key in named if item in self._items[key]), None)
        return None

    # --- previews of a gesture ---

    def preview_move(self, names: frozenset[str], dx: float, dy: float, shapes: Iterable[Key] = ()) -> None:
        """Show nodes and shapes as if they had moved, with their lines. `preview_end` puts them back."""
        if self._moved is None or self._moved[0] != names:
            self.preview_end()
            self._begin_move(names, shapes)
        previous = self._moved[1] if self._moved else (0.0, 0.0)
        self.move("moving", (dx - previous[0]) * self.factor, (dy - previous[1]) * self.factor)
        self._moved = names, (dx, dy)
        self._bend_outer(names, dx, dy)

    def preview_end(self) -> None:
        """End all previews: show the scene as it is."""
        if self._moved is not None:
            (_, (dx, dy)), self._moved = self._moved, None
            self.move("moving", -dx * self.factor, -dy * self.factor)
            self.dtag("moving", "moving")
            outer, self._outer_lines = self._outer_lines, []
            self._redraw(outer)
            self.loads.unhide()
            self.routing.unhide()
        if self._resized is not None:
            key, self._resized = self._resized, None
            self._redraw([key])
        self.delete("preview", "guide")

    def _begin_move(self, names: frozenset[str], shapes: Iterable[Key]) -> None:
        inner = [*(key for key in self.scene.nodes if key.name in names), *shapes]
        for line in self.scene.connections:
            hits = (line.a in names) + (line.b in names)
            if hits == 2:
                inner.append(line.key)
            elif hits:
                self._outer_lines.append(line.key)
        self.loads.hide([*inner, *self._outer_lines])
        self.routing.hide([*inner, *self._outer_lines])
        for item in chain.from_iterable(self._items[key] for key in inner):
            self.addtag_withtag("moving", item)

    def _bend_outer(self, names: frozenset[str], dx: float, dy: float) -> None:
        at = self.scene.places
        places = {name: (at[name][0] + dx, at[name][1] + dy) for name in names if name in at}
        for key in self._outer_lines:
            sprite, items = self.scene.connection(key), self._items[key]
            assert sprite is not None
            path = self.scene.path(sprite, places)
            self.coords(items[0], *self._pixels(path))
            self._edges.update(key, items[0])
            texts = default_texts(sprite, path)
            for item, (place, anchor, _) in zip(items[1:], texts, strict=False):
                self.coords(item, *self._pixel(place))
                self.itemconfigure(item, anchor=anchor)
            plates = [item for item in items if "plate" in self.gettags(item)]
            for plate in plates:
                self.coords(plate, *self._plate_box(items[len(texts)]))
            edge = self._edges.of(key)
            for badge in (item for item in items[1 + len(texts) + len(plates) :] if item != edge):
                self.coords(badge, *self._pixel(beside(path, length(path) / 2, 0)[0]))

    def preview_shape(self, key: Key, box: Box) -> None:
        """Show a shape as if it had another size. `preview_end` restores its own."""
        self.delete(*self._items.pop(key, ()))
        self._items[key] = self._shapes.draw(replace(self.scene.shapes[key], box=box), True)
        self._restack()
        self._resized = key

    def preview_box(self, box: Box) -> None:
        """Show a rubber band."""
        corners = self._pixels([(box.left, box.top), (box.right, box.bottom)])
        self._preview("rectangle", corners, outline=self.theme.accent, width=self._width(1), dash=(4, 3))

    def preview_guides(self, x: float | None, y: float | None) -> None:
        """Show guides, lines through the whole window, at an x and a y; None for no line."""
        self.delete("guide")
        x_min, y_min = self.canvasx(0), self.canvasy(0)
        x_max, y_max = x_min + self.winfo_width(), y_min + self.winfo_height()
        lines = [] if x is None else [(x * self.factor, y_min, x * self.factor, y_max)]
        lines += [] if y is None else [(x_min, y * self.factor, x_max, y * self.factor)]
        for at in lines:
            self.create_line(*at, fill=self.theme.accent, width=max(1, round(self.ui)), dash=(2, 4), tags="guide")

    def preview_line(self, a: Point, b: Point) -> None:
        """Show a line that may become a link."""
        self._preview("line", self._pixels([a, b]), fill=self.theme.accent, width=self._width(2), dash=(6, 4))

    def _preview(self, kind: str, at: list[float], **options: Any) -> None:
        items = self.find_withtag("preview")
        if items:
            self.coords(items[0], *at)
        elif kind == "line":
            self.create_line(*at, tags="preview", **options)
        else:
            self.create_rectangle(*at, tags="preview", **options)
