"""A scene on a canvas: draws it, and again only what differs from the one before.

The canvas decides nothing and keeps no fact: what is shown comes from the scene alone.
"""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Iterable, Mapping
from tkinter import font as tkfont
from typing import Any

from PIL import ImageTk

from miniedit_frr.canvas import icons
from miniedit_frr.canvas.geometry import NODE_HALF, Box, Point, beside, length
from miniedit_frr.canvas.placing import NAME_GAP, Placed, placed, usual
from miniedit_frr.canvas.scene import Key, LinkSprite, NodeSprite, Scene
from miniedit_frr.canvas.shape_items import ShapeItems
from miniedit_frr.canvas.shapes import holds
from miniedit_frr.canvas.texts import NAME_SIZE
from miniedit_frr.canvas.viewport import Viewport
from miniedit_frr.style.colours import ground
from miniedit_frr.style.theme import Theme

#: Texts smaller than this say nothing to anyone, and are left out.
_SMALLEST_TEXT_PX = 6
#: Size of the font that texts are measured with: large, so that a letter's rounding counts for little.
_RULER_PX = 96
_DASHES = {"down": (5, 5), "control": (7, 4, 2, 4)}


class Painting(Viewport):
    """A drawing with what is selected, marked and lit in it.

    Attributes:
        scene: what is shown.
        selection: keys of what is selected; all are in the scene.
        on_select: called after the selection has changed.
    """

    def __init__(self, parent: tk.Misc, ui: float, theme: Theme) -> None:
        super().__init__(parent, ui)
        self.theme = theme
        self.scene = Scene()
        self.selection: frozenset[Key] = frozenset()
        self.on_select: list[Callable[[], None]] = []
        self._marks: Mapping[Key, str] = {}
        self._states: Mapping[Key, str] = {}
        self._lit: frozenset[Key] = frozenset()
        self._items: dict[Key, list[int]] = {}
        self._placed: Mapping[Key, tuple[Placed, ...]] = {}
        self._images: dict[str, ImageTk.PhotoImage] = {}
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

    def bounds(self) -> Box | None:
        """What holds the whole scene; None for an empty one."""
        return self.scene.bounds()

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

    # --- texts and icons at the present zoom ---

    def _scaled(self) -> None:
        names = tuple(self._images)
        self._images.clear()
        for name in names:
            if self.find_withtag(f"icon-{name}"):
                self.itemconfigure(f"icon-{name}", image=self._image(name))
        self.itemconfigure("thin", width=self._width(2))
        self.itemconfigure("thick", width=self._width(3.5))
        self._size_texts()
        # Their handles and outlines do not grow with them.
        self._redraw(self.scene.shapes)

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

    # --- single things ---

    def thicken(self, key: Key) -> None:
        """Make a line stand out until it is shown again."""
        line = self._items[key][0]
        self.itemconfigure(line, width=float(self.itemcget(line, "width")) + 1.5 * self.ui)

    def show_again(self, key: Key) -> None:
        """Show something as it is."""
        self._redraw([key])
