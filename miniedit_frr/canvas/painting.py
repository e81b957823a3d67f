"""A scene on a canvas: draws it, and again only what differs from the one before.

The canvas decides nothing and keeps no fact: what is shown comes from the scene alone.
"""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Iterable, Mapping, Sequence

from PIL import ImageTk

from miniedit_frr.canvas import icons
from miniedit_frr.canvas.geometry import NODE_HALF, Box, Point, beside, length
from miniedit_frr.canvas.lettering import Lettering
from miniedit_frr.canvas.placing import NAME_GAP, Placed, placed, usual
from miniedit_frr.canvas.scene import FlowSprite, Key, LinkSprite, NodeSprite, Scene
from miniedit_frr.canvas.shape_items import ShapeItems
from miniedit_frr.canvas.shapes import holds
from miniedit_frr.canvas.texts import NAME_SIZE
from miniedit_frr.style.colours import curve, ground
from miniedit_frr.style.theme import Theme

_DASHES = {"down": (5, 5), "control": (7, 4, 2, 4)}
_BACK_DASH = (6, 3)
_PROBE_DASH = (2, 4)
#: The head of a flow's arrow as Tk wants it, in units.
_HEAD = (10.0, 11.0, 4.2)


class Painting(Lettering):
    """A drawing with what is selected, marked and lit in it.

    Attributes:
        scene: what is shown.
        selection: keys of what is selected; all are in the scene.
        on_select: called after the selection has changed.
    """

    def __init__(self, parent: tk.Misc, ui: float, theme: Theme) -> None:
        super().__init__(parent, ui, theme)
        self.scene = Scene()
        self.selection: frozenset[Key] = frozenset()
        self.on_select: list[Callable[[], None]] = []
        self._marks: Mapping[Key, str] = {}
        self._states: Mapping[Key, str] = {}
        self._lit: frozenset[Key] = frozenset()
        self._lit_back: frozenset[Key] = frozenset()
        self._items: dict[Key, list[int]] = {}
        self._placed: Mapping[Key, tuple[Placed, ...]] = {}
        self._images: dict[str, ImageTk.PhotoImage] = {}
        self._is_stacked = True
        self._shapes = ShapeItems(self, self.measure)

    # --- what is shown ---

    def show(self, scene: Scene) -> None:
        """Show a scene; what is equal in the present one stays untouched."""
        old, self.scene = self.scene, scene
        for key in old.keys() - scene.keys():
            self.delete(*self._items.pop(key))
        moved = {name for name, at in scene.places.items() if old.places.get(name) != at}
        texts, self._placed = self._placed, placed(scene, self.measure, self._taken())
        for line in scene.ways:
            if (
                old.way(line.key) != line
                or line.a in moved
                or line.b in moved
                or texts.get(line.key) != self._placed.get(line.key)
            ):
                self._draw(line.key)
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

    def _taken(self) -> Sequence[Box]:
        """Where no text of a link should stand, besides on icons and names."""
        return ()

    def place_texts(self) -> None:
        """Find places for the texts of links anew, where other things stand now."""
        before, self._placed = self._placed, placed(self.scene, self.measure, self._taken())
        self._redraw(way.key for way in self.scene.ways if before.get(way.key) != self._placed.get(way.key))

    def mark(self, marks: Mapping[Key, str]) -> None:
        """Put a badge ("error" or "warning") on each of these, and on no other."""
        before, self._marks = self._marks, marks
        for key in set(before) | set(marks):
            if key in self._items and before.get(key) != marks.get(key):
                self._draw(key)

    def show_states(self, states: Mapping[Key, str]) -> None:
        """Show how parts of a running lab are: nodes "starting", "up", "failed", "frozen" or "warning", links "up",
        "down" or "lossy"."""
        before, self._states = self._states, dict(states)
        self._redraw(key for key in {*before, *states} if before.get(key) != states.get(key))

    def light(self, keys: Iterable[Key], back: Iterable[Key] = ()) -> None:
        """Light these, a way through the drawing, and nothing else.

        Args:
            back: another way; what of it is not on the first one is lit in another colour, its lines dashed.
        """
        before, before_back, self._lit = self._lit, self._lit_back, frozenset(keys)
        self._lit_back = frozenset(back) - self._lit
        self._redraw((before ^ self._lit) | (before_back ^ self._lit_back))

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
        elif key in self.scene.flows:
            self._items[key] = list(self._flow(self.scene.flows[key]))
        else:
            self._items[key] = list(self._line(self.scene.lines[key]))

    def _restack(self) -> None:
        """Put the shapes on each other in their order; what was drawn again lies on top of the others."""
        self._is_stacked = True
        if len(self.scene.shapes) > 1:
            self._shapes.restack(self._items[key] for key in self.scene.shapes if key in self._items)

    def _node(self, sprite: NodeSprite) -> Iterable[int]:
        x, y = self._px(sprite.at)
        if self._stands_out(sprite.key):
            half = (NODE_HALF + 4) * self.factor
            colour = self._lit_colour(sprite.key)
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
            *self._flat(path), fill=colour, width=self._width(self._weight(sprite)),
            dash=_BACK_DASH if sprite.key in self._lit_back else _DASHES.get(style, ()),
            tags=("line", "thick" if self._weight(sprite) > 2 else "thin"),
        )  # fmt: skip
        self.tag_lower(line, self._floor)
        yield line
        for at, anchor, text in self._placed.get(sprite.key) or usual(sprite, path):
            item = self._text(*self._px(at), text, self._small, self.theme.faint, anchor=anchor)
            self.tag_lower(item, self._floor)
            yield item
        middle = beside(path, length(path) / 2, 0)[0]
        badge = {"down": "failed", "lossy": "lossy"}.get(self._states.get(sprite.key, ""))
        if badge:
            yield from self._badge({sprite.key: badge}, sprite.key, middle)
        yield from self._badge(self._marks, sprite.key, middle)

    def _flow(self, sprite: FlowSprite) -> Iterable[int]:
        path, stands_out = self.scene.path(sprite), self._stands_out(sprite.key)
        colour = self._lit_colour(sprite.key) if stands_out else curve(sprite.colour, self.theme)
        line = self.create_line(
            *self._flat(path), fill=colour, width=self._width(3.5 if stands_out else 2), arrow="last",
            arrowshape=self._head(), dash=_PROBE_DASH if sprite.style == "probe" else (),
            tags=("flow", "thick" if stands_out else "thin"),
        )  # fmt: skip
        self.tag_lower(line, self._floor)
        yield line
        for at, anchor, words in self._placed.get(sprite.key) or usual(sprite, path):
            text = self._text(*self._px(at), words, self._small, self.theme.text, anchor=anchor)
            plate = self._plate(text)
            self.tag_lower(text, self._shelf)
            yield from (text, plate)
        yield from self._badge(self._marks, sprite.key, beside(path, length(path) / 2, 0)[0])

    def _head(self) -> tuple[float, float, float]:
        long, barbs, wide = (each * self.factor for each in _HEAD)
        return long, barbs, wide

    def _badge(self, names: Mapping[Key, str], key: Key, at: Point) -> Iterable[int]:
        if key in names:
            name = names[key]
            yield self.create_image(*self._px(at), image=self._image(name), tags=("icon", f"icon-{name}"))

    def _ground_at(self, at: list[float]) -> str:
        """The colour behind a text that stands there, in canvas coordinates."""
        if self.scene.shapes:
            x, y = at[0] / self.factor, at[1] / self.factor + NAME_SIZE / 2
            for sprite in reversed(self.scene.shapes.values()):  # type: ignore[call-overload]
                if sprite.fill and holds(sprite.kind, sprite.box, True, (x, y), 0):
                    return ground(sprite.fill, self.theme)
        return self.theme.canvas

    def _style(self, sprite: LinkSprite) -> str:
        """The style of a line, as the link is in the running lab if one runs."""
        state = self._states.get(sprite.key, "")
        if state == "down":
            return "down"
        return "plain" if state in ("up", "lossy") and sprite.style == "down" else sprite.style

    def _line_colour(self, key: Key, style: str) -> str:
        theme = self.theme
        if self._stands_out(key):
            return self._lit_colour(key)
        return {"shaped": theme.shaped, "control": theme.control, "down": theme.down}.get(style, theme.link)

    def _stands_out(self, key: Key) -> bool:
        return key in self.selection or key in self._lit or key in self._lit_back

    def _lit_colour(self, key: Key) -> str:
        theme = self.theme
        return theme.accent if key in self.selection else theme.lit if key in self._lit else theme.note

    def _weight(self, sprite: LinkSprite) -> float:
        return 3.5 if self._stands_out(sprite.key) else 1.6 if sprite.style == "control" else 2.0

    def _image(self, name: str) -> ImageTk.PhotoImage:
        if name not in self._images:
            icon, _, colour = name.partition("/")
            units = icons.BADGES.get(icon, 2 * NODE_HALF)
            picture = icons.image(icon, max(4, round(units * self.factor)), self.theme.name, colour)
            self._images[name] = ImageTk.PhotoImage(picture, master=self)
        return self._images[name]

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
        """What holds the whole scene; None for an empty one."""
        return self.scene.bounds()

    def reveal(self, key: Key) -> None:
        """Scroll so that something is in the middle, unless it is well visible."""
        if key in self.scene.nodes:
            at = self.scene.nodes[key].at
        elif key in self.scene.shapes:
            at = self.scene.shapes[key].box.centre
        else:
            way = self.scene.way(key)
            assert way is not None
            path = self.scene.path(way)
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
        self.itemconfigure("flow", arrowshape=self._head())
        self._size_texts()
        # Their handles and outlines do not grow with them.
        self._redraw(self.scene.shapes)

    # --- single things ---

    def thicken(self, key: Key) -> None:
        """Make a line stand out until it is shown again."""
        line = self._items[key][0]
        self.itemconfigure(line, width=float(self.itemcget(line, "width")) + 1.5 * self.ui)

    def show_again(self, key: Key) -> None:
        """Show something as it is."""
        self._redraw([key])
