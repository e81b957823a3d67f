"""The canvas: shows a scene, and changes only what differs from the one before.

World units times `factor` are canvas coordinates. Zooming scales all items at once, panning scrolls; neither draws
anything again. The canvas decides nothing and keeps no fact: what is shown comes from the scene alone.
"""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from tkinter import font as tkfont
from typing import Any

from PIL import ImageTk

from miniedit_frr.canvas import icons
from miniedit_frr.canvas.geometry import NODE_HALF, TEXT_GAP, Box, Point, beside, beside_end, length
from miniedit_frr.canvas.scene import Key, LinkSprite, NodeSprite, Scene
from miniedit_frr.style.theme import LIGHT, Theme

SMALLEST, LARGEST = 0.1, 5.0
#: Texts smaller than this say nothing to anyone, and are left out.
_SMALLEST_TEXT_PX = 6
#: Below this length the texts of a link do not fit side by side.
_SHORT = 240.0
_DASHES = {"down": (5, 5), "control": (7, 4, 2, 4)}


class View(tk.Canvas):
    """The drawing as people see it.

    Attributes:
        ui: pixels per unit at a zoom of 100 %: what the screen's scaling asks for.
        factor: pixels per unit now.
        scene: what is shown.
        selection: keys of what is selected; all are in the scene.
        on_select, on_zoom: called after the selection, or the zoom, has changed.
    """

    def __init__(self, parent: tk.Misc, ui: float = 1.0, theme: Theme = LIGHT) -> None:
        super().__init__(parent, highlightthickness=0, borderwidth=0, takefocus=True)
        self.configure(xscrollincrement=1, yscrollincrement=1, confine=False, width=320, height=240)
        self.ui, self.factor, self.theme = ui, ui, theme
        self.scene = Scene()
        self.selection: frozenset[Key] = frozenset()
        self.on_select: list[Callable[[], None]] = []
        self.on_zoom: list[Callable[[], None]] = []
        self._marks: Mapping[Key, str] = {}
        self._items: dict[Key, list[int]] = {}
        self._images: dict[str, ImageTk.PhotoImage] = {}
        self._moved: tuple[frozenset[str], Point] | None = None
        self._outer: list[Key] = []
        family = tkfont.nametofont("TkDefaultFont").actual("family")
        self._font = tkfont.Font(self, family=family, size=-self._text_px(12))
        self._small = tkfont.Font(self, family=family, size=-self._text_px(10))
        # Lines are below the floor, names between floor and shelf, icons above: a name never hides an icon.
        self._floor = self.create_line(0, 0, 0, 0, state="hidden")
        self._shelf = self.create_line(0, 0, 0, 0, state="hidden")
        self.set_theme(theme)

    # --- what is shown ---

    def show(self, scene: Scene) -> None:
        """Show a scene; what is equal in the present one stays untouched."""
        old, self.scene = self.scene, scene
        for key in old.keys() - scene.keys():
            self.delete(*self._items.pop(key))
        moved = {name for name, at in scene.places.items() if old.places.get(name) != at}
        for key, line in scene.lines.items():
            if old.lines.get(key) != line or line.a in moved or line.b in moved:
                self._draw(key)
        for key, node in scene.nodes.items():
            if old.nodes.get(key) != node:
                self._draw(key)
        self.select(self.selection & scene.keys())

    def mark(self, marks: Mapping[Key, str]) -> None:
        """Put a badge ("error" or "warning") on each of these, and on no other."""
        before, self._marks = self._marks, marks
        for key in set(before) | set(marks):
            if key in self._items and before.get(key) != marks.get(key):
                self._draw(key)

    def select(self, keys: Iterable[Key]) -> None:
        """Select these and nothing else."""
        before, self.selection = self.selection, frozenset(keys)
        for key in before ^ self.selection:
            if key in self._items:
                self._draw(key)
        if before != self.selection:
            for listener in self.on_select:
                listener()

    def set_theme(self, theme: Theme) -> None:
        """Show everything in another theme's colours."""
        self.theme = theme
        self.configure(background=theme.canvas)
        self._images.clear()
        for key in tuple(self._items):
            self._draw(key)

    # --- sprites as items ---

    def _draw(self, key: Key) -> None:
        self.delete(*self._items.pop(key, ()))
        if key in self.scene.nodes:
            self._items[key] = list(self._node(self.scene.nodes[key]))
        else:
            self._items[key] = list(self._line(self.scene.lines[key]))

    def _node(self, sprite: NodeSprite) -> Iterable[int]:
        x, y = self._px(sprite.at)
        if sprite.key in self.selection:
            half = (NODE_HALF + 4) * self.factor
            yield self.create_rectangle(
                x - half, y - half, x + half, y + half, outline=self.theme.accent, width=self._width(2), tags="halo"
            )
        yield self.create_image(x, y, image=self._image(sprite.icon), tags=("icon", f"icon-{sprite.icon}"))
        if sprite.text:
            below = y + (NODE_HALF + 5) * self.factor
            text = self._text(x, below, sprite.text, self._font, self.theme.text, anchor="n")
            yield self._plate(text)
            self.tag_lower(text, self._shelf)
            yield text
        yield from self._badge(sprite.key, (sprite.at[0] + NODE_HALF - 3, sprite.at[1] - NODE_HALF + 3))

    def _line(self, sprite: LinkSprite) -> Iterable[int]:
        chosen = sprite.key in self.selection
        path = self.scene.path(sprite)
        colour = self.theme.accent if chosen else self._line_colour(sprite.style)
        line = self.create_line(
            *self._flat(path), fill=colour, width=self._width(self._weight(sprite)), dash=_DASHES.get(sprite.style, ()),
            tags=("line", "thick" if self._weight(sprite) > 2 else "thin"),
        )  # fmt: skip
        self.tag_lower(line, self._floor)
        yield line
        for at, anchor, text in self._line_texts(sprite, path):
            item = self._text(*self._px(at), text, self._small, self.theme.faint, anchor=anchor)
            self.tag_lower(item, self._floor)
            yield item
        yield from self._badge(sprite.key, beside(path, length(path) / 2, 0)[0])

    @staticmethod
    def _line_texts(sprite: LinkSprite, path: tuple[Point, ...]) -> list[tuple[Point, str, str]]:
        texts, whole = sprite.texts, length(path)
        # The values of a short level link stand above the text of its second end.
        is_short = whole < _SHORT and abs(path[-1][1] - path[0][1]) < 0.12 * whole
        lines = texts.b.count("\n") + 1 if texts.b and is_short else 0
        places = (
            (texts.a, beside_end(path, False)),
            (texts.b, beside_end(path[::-1], True)),
            (texts.middle, beside(path, whole / 2, TEXT_GAP + 13 * lines)),
        )
        return [(*place, text) for text, place in places if text]

    def _badge(self, key: Key, at: Point) -> Iterable[int]:
        if key in self._marks:
            name = self._marks[key]
            yield self.create_image(*self._px(at), image=self._image(name), tags=("icon", f"icon-{name}"))

    def _text(self, x: float, y: float, text: str, font: tkfont.Font, colour: str, anchor: Any = "center") -> int:
        tag = "name" if font is self._font else "small"
        state: Any = "hidden" if self._is_tiny(12 if tag == "name" else 10) else "normal"
        return self.create_text(
            x, y, text=text, font=font, fill=colour, anchor=anchor, justify="center", tags=("text", tag), state=state
        )

    def _plate(self, text: int) -> int:
        """A ground behind a node's text, so that no line runs through it."""
        state: Any = self.itemcget(text, "state")
        plate = self.create_rectangle(
            *self._plate_box(text), fill=self.theme.canvas, width=0, tags=("plate", "name"), state=state
        )
        self.tag_lower(plate, self._shelf)
        return plate

    def _plate_box(self, text: int) -> tuple[float, ...]:
        # A hidden text has no size; its plate gets one when it is shown again.
        box: tuple[float, ...] | None = self.bbox(text)
        return tuple(box or self.coords(text) * 2)

    def _refit_plates(self) -> None:
        for plate in self.find_withtag("plate"):
            self.coords(plate, *self._plate_box(self.find_above(plate)[0]))

    def _line_colour(self, style: str) -> str:
        theme = self.theme
        return {"shaped": theme.shaped, "control": theme.control, "down": theme.down}.get(style, theme.link)

    def _weight(self, sprite: LinkSprite) -> float:
        return 3.5 if sprite.key in self.selection else 1.6 if sprite.style == "control" else 2.0

    def _image(self, name: str) -> ImageTk.PhotoImage:
        if name not in self._images:
            units = 17 if name in ("error", "warning") else 2 * NODE_HALF
            picture = icons.image(name, max(4, round(units * self.factor)), self.theme.name)
            self._images[name] = ImageTk.PhotoImage(picture, master=self)
        return self._images[name]

    def _px(self, at: Point) -> Point:
        return at[0] * self.factor, at[1] * self.factor

    def _flat(self, path: Iterable[Point]) -> list[float]:
        return [each * self.factor for each in chain.from_iterable(path)]

    def _width(self, units: float) -> float:
        return max(1.0, units * min(self.factor, 2 * self.ui))

    def _text_px(self, units: float) -> int:
        return max(1, round(units * min(self.factor, 2.5 * self.ui)))

    def _is_tiny(self, units: float) -> bool:
        return self._text_px(units) < _SMALLEST_TEXT_PX

    # --- the visible part ---

    def to_world(self, px: float, py: float) -> Point:
        """The point of the drawing under a pixel of the widget."""
        return self.canvasx(px) / self.factor, self.canvasy(py) / self.factor

    def to_widget(self, at: Point) -> tuple[int, int]:
        """The pixel of the widget that shows a point of the drawing."""
        x, y = self._px(at)
        return round(x - self.canvasx(0)), round(y - self.canvasy(0))

    @property
    def zoom(self) -> float:
        """1.0 for 100 %."""
        return self.factor / self.ui

    def pan(self, dx_px: float, dy_px: float) -> None:
        """Scroll: show what is to the right and below for positive values."""
        self.xview_scroll(round(dx_px), "units")
        self.yview_scroll(round(dy_px), "units")

    def zoom_by(self, ratio: float, px: float | None = None, py: float | None = None) -> None:
        """Zoom so that the point under a pixel (the middle's by default) stays where it is."""
        px = self.winfo_width() / 2 if px is None else px
        py = self.winfo_height() / 2 if py is None else py
        fixed = self.to_world(px, py)
        self._set_factor(min(max(self.factor * ratio, SMALLEST * self.ui), LARGEST * self.ui))
        self._put(fixed, px, py)

    def zoom_to(self, zoom: float) -> None:
        """Zoom to a value, 1.0 for 100 %; the middle stays."""
        self.zoom_by(zoom * self.ui / self.factor)

    def fit(self) -> None:
        """Show everything, as large as fits but never above 150 %."""
        box = self.scene.bounds()
        if box is None:
            return
        self.update_idletasks()
        width, height = max(self.winfo_width(), 50), max(self.winfo_height(), 50)
        wanted = min(width / (box.right - box.left), height / (box.bottom - box.top))
        self._set_factor(min(max(wanted, SMALLEST * self.ui), 1.5 * self.ui))
        self._put(box.centre, width / 2, height / 2)

    def reveal(self, key: Key) -> None:
        """Scroll so that something is in the middle, unless it is well visible."""
        if key in self.scene.nodes:
            at = self.scene.nodes[key].at
        else:
            path = self.scene.path(self.scene.lines[key])
            at, _ = beside(path, length(path) / 2, 0)
        x, y = self.to_widget(at)
        width, height, rim = self.winfo_width(), self.winfo_height(), 40
        if not (rim < x < width - rim and rim < y < height - rim):
            self._put(at, width / 2, height / 2)

    def _put(self, at: Point, px: float, py: float) -> None:
        x, y = self._px(at)
        self.pan(x - self.canvasx(px), y - self.canvasy(py))

    def _set_factor(self, factor: float) -> None:
        ratio, self.factor = factor / self.factor, factor
        if ratio != 1:
            self.scale("all", 0, 0, ratio, ratio)
            self._images.clear()
            for name in icons.NAMES:
                if self.find_withtag(f"icon-{name}"):
                    self.itemconfigure(f"icon-{name}", image=self._image(name))
            self.itemconfigure("thin", width=self._width(2))
            self.itemconfigure("thick", width=self._width(3.5))
            self._size_texts()
        for listener in self.on_zoom:
            listener()

    def _size_texts(self) -> None:
        for tag, units, font in (("name", 12, self._font), ("small", 10, self._small)):
            if self._is_tiny(units):
                self.itemconfigure(tag, state="hidden")
                continue
            font.configure(size=-self._text_px(units))
            if font is self._font:
                self.itemconfigure(tag, state="normal")
                self._refit_plates()
            elif self.itemcget(tag, "state") == "hidden":
                self.itemconfigure(tag, state="normal")

    # --- what a gesture shows while it goes on ---

    def preview_move(self, names: frozenset[str], dx: float, dy: float) -> None:
        """Show nodes as if they stood elsewhere, with their lines; `preview_end` puts them back."""
        if self._moved is None or self._moved[0] != names:
            self.preview_end()
            self._begin_move(names)
        before = self._moved[1] if self._moved else (0.0, 0.0)
        self.move("moving", (dx - before[0]) * self.factor, (dy - before[1]) * self.factor)
        self._moved = names, (dx, dy)
        self._bend_outer(names, dx, dy)

    def preview_end(self) -> None:
        """Show the scene as it is again."""
        if self._moved is not None:
            (names, (dx, dy)), self._moved = self._moved, None
            self.move("moving", -dx * self.factor, -dy * self.factor)
            self._bend_outer(names, 0, 0)
            self.dtag("moving", "moving")
            self._outer = []
        self.delete("preview")

    def _begin_move(self, names: frozenset[str]) -> None:
        inner = [key for key in self.scene.nodes if key.name in names]
        for key, line in self.scene.lines.items():
            hits = (line.a in names) + (line.b in names)
            if hits == 2:
                inner.append(key)
            elif hits:
                self._outer.append(key)
        for item in chain.from_iterable(self._items[key] for key in inner):
            self.addtag_withtag("moving", item)

    def _bend_outer(self, names: frozenset[str], dx: float, dy: float) -> None:
        at = self.scene.places
        places = {name: (at[name][0] + dx, at[name][1] + dy) for name in names if name in at}
        for key in self._outer:
            sprite, items = self.scene.lines[key], self._items[key]
            path = self.scene.path(sprite, places)
            self.coords(items[0], *self._flat(path))
            texts = self._line_texts(sprite, path)
            for item, (place, anchor, _) in zip(items[1:], texts, strict=False):
                self.coords(item, *self._px(place))
                self.itemconfigure(item, anchor=anchor)
            if key in self._marks:
                self.coords(items[-1], *self._px(beside(path, length(path) / 2, 0)[0]))

    def preview_box(self, box: Box) -> None:
        """Show a rubber band."""
        corners = self._flat([(box.left, box.top), (box.right, box.bottom)])
        self._preview("rectangle", corners, outline=self.theme.accent, width=self._width(1), dash=(4, 3))

    def preview_line(self, a: Point, b: Point) -> None:
        """Show a line that may become a link."""
        self._preview("line", self._flat([a, b]), fill=self.theme.accent, width=self._width(2), dash=(6, 4))

    def _preview(self, what: str, at: list[float], **options: Any) -> None:
        items = self.find_withtag("preview")
        if items:
            self.coords(items[0], *at)
        elif what == "line":
            self.create_line(*at, tags="preview", **options)
        else:
            self.create_rectangle(*at, tags="preview", **options)
