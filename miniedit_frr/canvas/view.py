"""The canvas: shows a scene, and changes only what differs from the one before.

World units times `factor` are canvas coordinates. Zooming scales all items at once, panning scrolls; neither draws
anything again. The canvas decides nothing and keeps no fact: what is shown comes from the scene alone.
"""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from tkinter import font as tkfont
from typing import Any

from PIL import ImageTk

from miniedit_frr.canvas import icons
from miniedit_frr.canvas.geometry import NODE_HALF, Box, Point, beside, length
from miniedit_frr.canvas.grid import Grid
from miniedit_frr.canvas.hover import Hover
from miniedit_frr.canvas.placing import NAME_GAP, Placed, placed, usual
from miniedit_frr.canvas.scene import Key, LinkSprite, NodeSprite, Scene
from miniedit_frr.canvas.shape_items import ShapeItems
from miniedit_frr.canvas.shapes import handles, holds
from miniedit_frr.canvas.texts import NAME_SIZE
from miniedit_frr.style.colours import ground
from miniedit_frr.style.theme import LIGHT, Theme

SMALLEST, LARGEST = 0.1, 5.0
#: Texts smaller than this say nothing to anyone, and are left out.
_SMALLEST_TEXT_PX = 6
#: Size of the font that texts are measured with: large, so that a letter's rounding counts for little.
_RULER_PX = 96
_DASHES = {"down": (5, 5), "control": (7, 4, 2, 4)}


class View(tk.Canvas):
    """The drawing as people see it.

    Attributes:
        ui: pixels per unit at a zoom of 100 %: what the screen's scaling asks for.
        factor: pixels per unit now.
        scene: what is shown.
        selection: keys of what is selected; all are in the scene.
        raster: the grid, and what drags hold on to.
        hover: what stands out under the pointer.
        on_select, on_zoom: called after the selection, or the zoom, has changed.
        on_scroll: called after another part is seen: "x" or "y", and where the seen part begins and ends, 0 to 1.
    """

    def __init__(self, parent: tk.Misc, ui: float = 1.0, theme: Theme = LIGHT) -> None:
        super().__init__(parent, highlightthickness=0, borderwidth=0, takefocus=True)
        self.configure(xscrollincrement=1, yscrollincrement=1, confine=False, width=320, height=240)
        self.ui, self.factor, self.theme = ui, ui, theme
        self.scene = Scene()
        self.selection: frozenset[Key] = frozenset()
        self.on_select: list[Callable[[], None]] = []
        self.on_zoom: list[Callable[[], None]] = []
        self.on_scroll: list[Callable[[str, float, float], None]] = []
        self._marks: Mapping[Key, str] = {}
        self._states: Mapping[Key, str] = {}
        self._lit: frozenset[Key] = frozenset()
        self._items: dict[Key, list[int]] = {}
        self._placed: Mapping[Key, tuple[Placed, ...]] = {}
        self._images: dict[str, ImageTk.PhotoImage] = {}
        self._moved: tuple[frozenset[str], Point] | None = None
        self._outer: list[Key] = []
        self._resized: Key | None = None
        self._is_stacked = True
        family = tkfont.nametofont("TkDefaultFont").actual("family")
        self._font = tkfont.Font(self, family=family, size=-self._text_px(12))
        self._small = tkfont.Font(self, family=family, size=-self._text_px(10))
        self._ruler = tkfont.Font(self, family=family, size=-_RULER_PX)
        self._widths: dict[str, float] = {}
        # Lines are below the floor, names between floor and shelf, icons above: a name never hides an icon.
        self._floor = self.create_line(0, 0, 0, 0, state="hidden")
        self._shelf = self.create_line(0, 0, 0, 0, state="hidden")
        self._shapes = ShapeItems(self, self.measure)
        self.raster, self.hover = Grid(self), Hover(self)
        self.configure(xscrollcommand=partial(self._scrolled, "x"), yscrollcommand=partial(self._scrolled, "y"))
        self.set_theme(theme)

    # --- what is shown ---

    def show(self, scene: Scene) -> None:
        """Show a scene; what is equal in the present one stays untouched."""
        old, self.scene = self.scene, scene
        for key in old.keys() - scene.keys():
            self.delete(*self._items.pop(key))
        moved = {name for name, at in scene.places.items() if old.places.get(name) != at}
        texts, self._placed = self._placed, placed(scene, self.measure)
        for key, line in scene.lines.items():
            if (
                old.lines.get(key) != line
                or line.a in moved
                or line.b in moved
                or texts.get(key) != self._placed.get(key)
            ):
                self._draw(key)
        for key, node in scene.nodes.items():
            if old.nodes.get(key) != node:
                self._draw(key)
        for key, shape in scene.shapes.items():
            if old.shapes.get(key) != shape:
                self._draw(key)
        if [*old.shapes.values()] != [*scene.shapes.values()]:
            self._restack()
            self._repaint_plates()
        if old.places != scene.places or old.shapes != scene.shapes:
            self._size_region()
        self.select(self.selection & scene.keys())

    def mark(self, marks: Mapping[Key, str]) -> None:
        """Put a badge ("error" or "warning") on each of these, and on no other."""
        before, self._marks = self._marks, marks
        for key in set(before) | set(marks):
            if key in self._items and before.get(key) != marks.get(key):
                self._draw(key)

    def show_states(self, states: Mapping[Key, str]) -> None:
        """Show how parts of a running lab are: nodes "starting", "up" or "failed", links "up" or "down"."""
        before, self._states = self._states, dict(states)
        self._redraw(key for key in {*before, *states} if before.get(key) != states.get(key))

    def light(self, keys: Iterable[Key]) -> None:
        """Light these, a way through the drawing, and nothing else."""
        before, self._lit = self._lit, frozenset(keys)
        self._redraw(before ^ self._lit)

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
        before, scene = self.selection, self.scene
        self.selection = frozenset(key for key in keys if key in scene)
        self._redraw(before ^ self.selection)
        if before != self.selection:
            for listener in self.on_select:
                listener()

    def set_theme(self, theme: Theme) -> None:
        """Show everything in another theme's colours."""
        self.theme = theme
        self.configure(background=theme.canvas)
        self._images.clear()
        self._redraw(tuple(self._items))
        self.raster.refresh()

    # --- sprites as items ---

    def _draw(self, key: Key) -> None:
        self.delete(*self._items.pop(key, ()))
        if key in self.scene.nodes:
            self._items[key] = list(self._node(self.scene.nodes[key]))
        elif key in self.scene.shapes:
            self._items[key] = self._shapes.draw(self.scene.shapes[key], key in self.selection)
        else:
            self._items[key] = list(self._line(self.scene.lines[key]))

    def _restack(self) -> None:
        """Put the shapes on each other in their order; what was drawn again lies on top of the others."""
        self._is_stacked = True
        if len(self.scene.shapes) > 1:
            self._shapes.restack(self._items[key] for key in self.scene.shapes if key in self._items)

    def _node(self, sprite: NodeSprite) -> Iterable[int]:
        x, y = self._px(sprite.at)
        if sprite.key in self.selection or sprite.key in self._lit:
            half = (NODE_HALF + 4) * self.factor
            colour = self.theme.accent if sprite.key in self.selection else self.theme.lit
            yield self.create_rectangle(
                x - half, y - half, x + half, y + half, outline=colour, width=self._width(2), tags="halo"
            )
        icon = f"{sprite.icon}/{sprite.colour}" if sprite.colour else sprite.icon
        yield self.create_image(x, y, image=self._image(icon), tags=("icon", f"icon-{icon}"))
        if sprite.text:
            below = y + (NODE_HALF + NAME_GAP) * self.factor
            text = self._text(x, below, sprite.text, self._font, self.theme.text, anchor="n")
            yield self._plate(text)
            self.tag_lower(text, self._shelf)
            yield text
        yield from self._badge(self._marks, sprite.key, (sprite.at[0] + NODE_HALF - 3, sprite.at[1] - NODE_HALF + 3))
        yield from self._badge(self._states, sprite.key, (sprite.at[0] + NODE_HALF - 3, sprite.at[1] + NODE_HALF - 5))

    def _line(self, sprite: LinkSprite) -> Iterable[int]:
        path, style = self.scene.path(sprite), self._style(sprite)
        colour = self._line_colour(sprite.key, style)
        line = self.create_line(
            *self._flat(path), fill=colour, width=self._width(self._weight(sprite)), dash=_DASHES.get(style, ()),
            tags=("line", "thick" if self._weight(sprite) > 2 else "thin"),
        )  # fmt: skip
        self.tag_lower(line, self._floor)
        yield line
        for at, anchor, text in self._placed.get(sprite.key) or usual(sprite, path):
            item = self._text(*self._px(at), text, self._small, self.theme.faint, anchor=anchor)
            self.tag_lower(item, self._floor)
            yield item
        middle = beside(path, length(path) / 2, 0)[0]
        if self._states.get(sprite.key) == "down":
            yield from self._badge({sprite.key: "failed"}, sprite.key, middle)
        yield from self._badge(self._marks, sprite.key, middle)

    def _badge(self, names: Mapping[Key, str], key: Key, at: Point) -> Iterable[int]:
        if key in names:
            name = names[key]
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
            *self._plate_box(text),
            fill=self._ground_at(self.coords(text)),
            width=0,
            tags=("plate", "name"),
            state=state,
        )
        self.tag_lower(plate, self._shelf)
        return plate

    def _ground_at(self, at: list[float]) -> str:
        """The colour behind a text that stands there, in canvas coordinates."""
        if self.scene.shapes:
            x, y = at[0] / self.factor, at[1] / self.factor + NAME_SIZE / 2
            for sprite in reversed(self.scene.shapes.values()):  # type: ignore[call-overload]
                if sprite.fill and holds(sprite.kind, sprite.box, True, (x, y), 0):
                    return ground(sprite.fill, self.theme)
        return self.theme.canvas

    def _repaint_plates(self) -> None:
        for plate in self.find_withtag("plate"):
            self.itemconfigure(plate, fill=self._ground_at(self.coords(self.find_above(plate)[0])))

    def _plate_box(self, text: int) -> tuple[float, ...]:
        # A hidden text has no size; its plate gets one when it is shown again.
        box: tuple[float, ...] | None = self.bbox(text)
        return tuple(box or self.coords(text) * 2)

    def _refit_plates(self) -> None:
        for plate in self.find_withtag("plate"):
            self.coords(plate, *self._plate_box(self.find_above(plate)[0]))

    def _style(self, sprite: LinkSprite) -> str:
        """The style of a line, as the link is in the running lab if one runs."""
        state = self._states.get(sprite.key, "")
        return "down" if state == "down" else "plain" if (state, sprite.style) == ("up", "down") else sprite.style

    def _line_colour(self, key: Key, style: str) -> str:
        theme = self.theme
        if key in self.selection or key in self._lit:
            return theme.accent if key in self.selection else theme.lit
        return {"shaped": theme.shaped, "control": theme.control, "down": theme.down}.get(style, theme.link)

    def _weight(self, sprite: LinkSprite) -> float:
        stands_out = sprite.key in self.selection or sprite.key in self._lit
        return 3.5 if stands_out else 1.6 if sprite.style == "control" else 2.0

    def _image(self, name: str) -> ImageTk.PhotoImage:
        if name not in self._images:
            icon, _, colour = name.partition("/")
            units = icons.BADGES.get(icon, 2 * NODE_HALF)
            picture = icons.image(icon, max(4, round(units * self.factor)), self.theme.name, colour)
            self._images[name] = ImageTk.PhotoImage(picture, master=self)
        return self._images[name]

    def _px(self, at: Point) -> Point:
        return at[0] * self.factor, at[1] * self.factor

    def _flat(self, path: Iterable[Point]) -> list[float]:
        return [each * self.factor for each in chain.from_iterable(path)]

    def _width(self, units: float) -> float:
        return max(1.0, units * min(self.factor, 2 * self.ui))

    def line_width(self, units: float) -> float:
        """The width in pixels of a line that is so wide in the drawing; never less than one."""
        return self._width(units)

    def _text_px(self, units: float) -> int:
        return max(1, round(units * min(self.factor, 2.5 * self.ui)))

    @property
    def name_font(self) -> tkfont.Font:
        """The font of names and notes, at the present zoom."""
        return self._font

    @property
    def hides_names(self) -> bool:
        """Whether names are too small to be read, and left out."""
        return self._is_tiny(NAME_SIZE)

    def measure(self, text: str, units: float) -> float:
        """The width of a line of text at a size, in world units."""
        width = self._widths.get(text)
        if width is None:
            width = self._widths[text] = self._ruler.measure(text) / _RULER_PX
        return width * units

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

    def _scrolled(self, axis: str, first: str, last: str) -> None:
        for listener in self.on_scroll:
            listener(axis, float(first), float(last))
        self.raster.refresh()

    def _size_region(self) -> None:
        """Tell the scroll bars how large the drawing is; one may go farther."""
        box = self.scene.bounds() or Box(0, 0, 0, 0)
        self.configure(scrollregion=self._flat([(box.left, box.top), (box.right, box.bottom)]))  # type: ignore[call-overload]

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
        elif key in self.scene.shapes:
            at = self.scene.shapes[key].box.centre
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
            names = tuple(self._images)
            self._images.clear()
            for name in names:
                if self.find_withtag(f"icon-{name}"):
                    self.itemconfigure(f"icon-{name}", image=self._image(name))
            self.itemconfigure("thin", width=self._width(2))
            self.itemconfigure("thick", width=self._width(3.5))
            self._size_texts()
            self._size_region()
            # Their handles and outlines do not grow with them.
            self._redraw(self.scene.shapes)
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

    # --- what is under the pointer ---

    def key_of_item(self, item: int) -> Key | None:
        """What an item of the canvas belongs to; None for the grid, previews and the like."""
        return next((key for key, items in self._items.items() if item in items), None)

    def name_at(self, at: Point) -> Key | None:
        """The node whose shown name is under a point."""
        x, y = self._px(at)
        for item in reversed(self.find_overlapping(x, y, x, y)):
            if "plate" in self.gettags(item):
                return next((key for key in self.scene.nodes if item in self._items[key]), None)
        return None

    def handle_at(self, px: float, py: float) -> tuple[Key, str] | None:
        """The handle of a selected shape under a pixel of the widget, and the sides that follow it."""
        for key in self.selection & self.scene.shapes.keys():
            for sides, at in handles(self.scene.shapes[key].box).items():
                x, y = self.to_widget(at)
                if max(abs(px - x), abs(py - y)) <= 6 * self.ui:
                    return key, sides
        return None

    def thicken(self, key: Key) -> None:
        """Make a line stand out until it is shown again."""
        line = self._items[key][0]
        self.itemconfigure(line, width=float(self.itemcget(line, "width")) + 1.5 * self.ui)

    def show_again(self, key: Key) -> None:
        """Show something as it is."""
        self._redraw([key])

    # --- what a gesture shows while it goes on ---

    def preview_move(self, names: frozenset[str], dx: float, dy: float, shapes: Iterable[Key] = ()) -> None:
        """Show nodes and shapes as if they stood elsewhere, with their lines; `preview_end` puts them back."""
        if self._moved is None or self._moved[0] != names:
            self.preview_end()
            self._begin_move(names, shapes)
        before = self._moved[1] if self._moved else (0.0, 0.0)
        self.move("moving", (dx - before[0]) * self.factor, (dy - before[1]) * self.factor)
        self._moved = names, (dx, dy)
        self._bend_outer(names, dx, dy)

    def preview_end(self) -> None:
        """Show the scene as it is again."""
        if self._moved is not None:
            (_, (dx, dy)), self._moved = self._moved, None
            self.move("moving", -dx * self.factor, -dy * self.factor)
            self.dtag("moving", "moving")
            outer, self._outer = self._outer, []
            self._redraw(outer)
        if self._resized is not None:
            key, self._resized = self._resized, None
            self._redraw([key])
        self.delete("preview", "guide")

    def _begin_move(self, names: frozenset[str], shapes: Iterable[Key]) -> None:
        inner = [*(key for key in self.scene.nodes if key.name in names), *shapes]
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
            texts = usual(sprite, path)
            for item, (place, anchor, _) in zip(items[1:], texts, strict=False):
                self.coords(item, *self._px(place))
                self.itemconfigure(item, anchor=anchor)
            for badge in items[1 + len(texts) :]:
                self.coords(badge, *self._px(beside(path, length(path) / 2, 0)[0]))

    def preview_shape(self, key: Key, box: Box) -> None:
        """Show a shape as if it had another size; `preview_end` gives it its own."""
        self.delete(*self._items.pop(key, ()))
        self._items[key] = self._shapes.draw(replace(self.scene.shapes[key], box=box), True)
        self._restack()
        self._resized = key

    def preview_box(self, box: Box) -> None:
        """Show a rubber band."""
        corners = self._flat([(box.left, box.top), (box.right, box.bottom)])
        self._preview("rectangle", corners, outline=self.theme.accent, width=self._width(1), dash=(4, 3))

    def preview_guides(self, x: float | None, y: float | None) -> None:
        """Show lines through the whole window at an x and a y; None for no line."""
        self.delete("guide")
        left, top = self.canvasx(0), self.canvasy(0)
        right, bottom = left + self.winfo_width(), top + self.winfo_height()
        lines = [] if x is None else [(x * self.factor, top, x * self.factor, bottom)]
        lines += [] if y is None else [(left, y * self.factor, right, y * self.factor)]
        for at in lines:
            self.create_line(*at, fill=self.theme.accent, width=max(1, round(self.ui)), dash=(2, 4), tags="guide")

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
