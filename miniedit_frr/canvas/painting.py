"""A scene on a canvas: draws it, then redraws only what differs.

The canvas decides nothing and keeps no facts: everything shown comes from the scene.
"""

from __future__ import annotations

import tkinter as tk
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from PIL import ImageTk

from miniedit_frr.canvas import icons
from miniedit_frr.canvas.batch import for_each, move
from miniedit_frr.canvas.geometry import NODE_HALF, Box, Point, beside, length
from miniedit_frr.canvas.lettering import SPRITE, Lettering
from miniedit_frr.canvas.looks import Look, Stamp
from miniedit_frr.canvas.placing import NAME_GAP, ON_LINE, Placed, placed, usual
from miniedit_frr.canvas.scene import FlowSprite, Key, LinkSprite, NodeSprite, Scene
from miniedit_frr.canvas.shape_items import ShapeItems
from miniedit_frr.canvas.shapes import handles, holds
from miniedit_frr.canvas.shifts import shifts
from miniedit_frr.canvas.texts import NAME_SIZE, SMALL_SIZE
from miniedit_frr.style.colours import curve, ground
from miniedit_frr.style.theme import Theme

#: Widths in units of what stands out, of other lines and arrows, and of lines to controllers.
_THICK, _THIN, _THINNER = 3.5, 2.0, 1.6
_DASHES = {"down": (5, 5), "control": (7, 4, 2, 4), "probe": (2, 4)}
_BACK_DASH = (6, 3)
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
        self._halos: dict[Key, int] = {}
        self._grounds: dict[Key, tuple[str, str]] = {}
        self._images: dict[Stamp, ImageTk.PhotoImage] = {}
        self._is_stacked = True
        self._shapes = ShapeItems(self, self.measure)

    # --- what is shown ---

    def show(self, scene: Scene) -> None:
        """Show a scene; sprites equal to present ones stay untouched."""
        old, self.scene = self.scene, scene
        for key in old.keys() - scene.keys():
            self._erase(key)
        moved = {name for name, at in scene.places.items() if old.places.get(name) != at}
        texts, self._placed = self._placed, placed(scene, self.measure, self._taken())
        shifted = shifts(old, scene, texts, self._placed)
        self._shift(shifted)
        are_same = old.lines is scene.lines and old.flows == scene.flows and texts == self._placed
        are_done = len(shifted) == len(scene.nodes) + len(scene.lines) + len(scene.flows)
        for line in scene.ways if (moved or not are_same) and not are_done else ():
            if line.key not in shifted and (
                line.a in moved
                or line.b in moved
                or not (are_same or (old.way(line.key) == line and texts.get(line.key) == self._placed.get(line.key)))
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

    def _followed(self, keys: Collection[Key]) -> None:
        """Things have moved, or come before others: update what is drawn at them."""

    def _taken(self) -> Sequence[Box]:
        """Where texts of links should not stand, besides on icons and names."""
        return ()

    def place_texts(self) -> None:
        """Find new places for the texts of links, after other things have moved."""
        before, self._placed = self._placed, placed(self.scene, self.measure, self._taken())
        self._redraw(way.key for way in self.scene.ways if before.get(way.key) != self._placed.get(way.key))

    def mark(self, marks: Mapping[Key, str]) -> None:
        """Put a badge ("error" or "warning") on each of these, and on no other."""
        before, self._marks = self._marks, marks
        for key in set(before) | set(marks):
            if key in self._items and before.get(key) != marks.get(key):
                self._draw(key)

    def show_states(self, states: Mapping[Key, str]) -> None:
        """Show the state of a running lab's parts: nodes "starting", "up", "failed", "frozen" or "warning", links "up",
        "down" or "lossy".
        """
        before, self._states = self._states, dict(states)
        self._redraw(key for key in {*before, *states} if before.get(key) != states.get(key))

    def light(self, keys: Iterable[Key], back: Iterable[Key] = ()) -> None:
        """Light these, a path through the drawing, and nothing else.

        Args:
            back: the path back; its parts that are not on the first one are lit in another colour, with dashed lines.
        """
        before, before_back, self._lit = self._lit, self._lit_back, frozenset(keys)
        self._lit_back = frozenset(back) - self._lit
        self._restyle((before ^ self._lit) | (before_back ^ self._lit_back))

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

    # --- sprites as items ---

    def _erase(self, key: Key) -> None:
        self._halos.pop(key, None)
        self._grounds.pop(key, None)
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

    def _node(self, sprite: NodeSprite) -> Iterable[int]:
        x, y = self._px(sprite.at)
        ground, _ = self._grounds[sprite.key] = self._grounds_of(sprite)
        stamp = Stamp(sprite.icon, sprite.colour, ground)
        yield self.create_image(x, y, image=self._image(stamp), tags=("icon", stamp.tag, SPRITE))
        if sprite.text:
            below = x, y + (NODE_HALF + NAME_GAP) * self.factor
            text = self._text(below, sprite.text, NAME_SIZE, self.theme.text, anchor="n")
            yield self._plate(text)
            self.tag_lower(text, self._shelf)
            yield text
        if lit := self._lit_colour(sprite.key):
            halo = self._halos[sprite.key] = self.create_rectangle(
                *self._frame(sprite), outline=lit, width=self._width(2), tags=("halo", SPRITE)
            )
            yield halo
        x, y = sprite.at[0] + NODE_HALF, sprite.at[1]
        yield from self._badge(self._marks, sprite.key, (x - 3, y - NODE_HALF + 3))
        yield from self._badge(self._states, sprite.key, (x - 3, y + NODE_HALF - 5))

    def _frame(self, sprite: NodeSprite) -> tuple[float, float, float, float]:
        """Where the frame of a highlighted node is, in pixels of the canvas."""
        (x, y), half = self._px(sprite.at), (NODE_HALF + 4) * self.factor
        return x - half, y - half, x + half, y + half

    def _line(self, sprite: LinkSprite) -> Iterable[int]:
        path = self.scene.path(sprite)
        yield self._way(sprite, path, "line")
        for at, anchor, text in self._placed.get(sprite.key) or usual(sprite, path):
            item = self._text(self._px(at), text, SMALL_SIZE, self.theme.faint, anchor=anchor)
            self.tag_lower(item, self._floor)
            yield item
            if anchor == ON_LINE:  # the one in the middle, which is the last
                yield self._back(item)
        middle = beside(path, length(path) / 2, 0)[0]
        badge = {"down": "failed", "lossy": "lossy"}.get(self._states.get(sprite.key, ""))
        if badge:
            yield from self._badge({sprite.key: badge}, sprite.key, middle)
        yield from self._badge(self._marks, sprite.key, middle)

    def _flow(self, sprite: FlowSprite) -> Iterable[int]:
        path = self.scene.path(sprite)
        yield self._way(sprite, path, "flow", arrow="last", arrowshape=self._head())
        for at, anchor, words in self._placed.get(sprite.key) or usual(sprite, path):
            text = self._text(self._px(at), words, SMALL_SIZE, self.theme.text, anchor=anchor)
            plate = self._plate(text)
            self.tag_lower(text, self._shelf)
            yield from (text, plate)
        yield from self._badge(self._marks, sprite.key, beside(path, length(path) / 2, 0)[0])

    def _way(self, sprite: LinkSprite | FlowSprite, path: Sequence[Point], tag: str, **more: Any) -> int:
        look = self._look(sprite)
        item = self.create_line(
            *self._flat(path),
            fill=look.fill,
            width=self._width(look.width),
            dash=look.dash,
            tags=(tag, sprite.style, SPRITE),
            **more,
        )
        self.tag_lower(item, self._floor)
        return item

    def _look(self, sprite: LinkSprite | FlowSprite) -> Look:
        key, theme, is_flow = sprite.key, self.theme, isinstance(sprite, FlowSprite)
        style = sprite.style if isinstance(sprite, FlowSprite) else self._style(sprite)
        dash = _BACK_DASH if key in self._lit_back and not is_flow else _DASHES.get(style, ())
        if lit := self._lit_colour(key):
            return Look(lit, _THICK, dash, True)
        if isinstance(sprite, FlowSprite):
            return Look(curve(sprite.colour, theme), _THIN, dash, False)
        colours = {"shaped": theme.shaped, "control": theme.control, "down": theme.down}
        return Look(colours.get(style, theme.link), _THINNER if style == "control" else _THIN, dash, False)

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

    def _set_frames(self, keys: Sequence[Key]) -> None:
        """Frame the nodes that are highlighted, and no others."""
        halos, items, nodes, frame = self._halos, self._items, self.scene.nodes, self._frame
        for key in (bare := [key for key in keys if key in halos]):
            items[key].remove(halos[key])
        self.delete(*(halos.pop(key) for key in bare))
        alike: defaultdict[str, list[Key]] = defaultdict(list)
        for key in keys:
            alike[self._lit_colour(key)].append(key)
        look = f"-outline $colour -width {self._width(2)} -tags {{halo {SPRITE}}}"
        body = f"$canvas create rectangle $left $top $right $low {look}"
        for colour, framed in alike.items():
            rows = [frame(nodes[key]) for key in framed] if colour else ()
            for key, halo in zip(framed, for_each(self, "left top right low", rows, body, colour=colour), strict=False):
                halos[key] = int(halo)
                items[key].append(int(halo))
        # Badges stay above the frame: they follow the icon and, if there is one, the text and its plate.
        crowned = (key for key in keys if key in halos and (key in self._marks or key in self._states))
        badges = (each for key in crowned for each in items[key][3 if nodes[key].text else 1 : -1])
        for_each(self, "badge", zip(badges), "$canvas raise $badge")

    def _set_looks(
        self, tag: str, sprites: Mapping[Key, LinkSprite] | Mapping[Key, FlowSprite], keys: Sequence[Key]
    ) -> list[LinkSprite | FlowSprite]:
        """Bring the looks of lines or flows up to date; returns the highlighted ones."""
        chosen, lit, back, states = self.selection, self._lit, self._lit_back, self._states
        has_way = bool(lit or back)
        alike: defaultdict[tuple[object, ...], list[LinkSprite | FlowSprite]] = defaultdict(list)
        for key in keys:
            sprite = sprites[key]
            colour = sprite.colour if isinstance(sprite, FlowSprite) else ""
            on_way = (key in lit, key in back) if has_way else None
            alike[sprite.style, colour, key in chosen, on_way, states.get(key)].append(sprite)
        counts = Counter(each.style for each in sprites.values()) if keys else Counter()
        front: list[LinkSprite | FlowSprite] = []
        for found in alike.values():
            style, look = found[0].style, self._look(found[0])
            self._set_look(look, found, f"{tag}&&{style}" if counts[style] == len(found) else "")
            front += found if look.stands_out else ()
        return front

    def _set_look(self, look: Look, ways: Sequence[LinkSprite | FlowSprite], tag: str) -> None:
        """Give lines a look; `tag` is that of all of them and of no other, if there is one."""
        width, dash = self._width(look.width), " ".join(map(str, look.dash))
        if tag:
            self.itemconfigure(tag, fill=look.fill, width=width, dash=look.dash)
        else:
            options = f"-fill $fill -width {width} -dash {{{dash}}}"
            lines = ((self._items[way.key][0],) for way in ways)
            for_each(self, "line", lines, f"$canvas itemconfigure $line {options}", fill=look.fill)

    def _bring_forward(self, ways: Sequence[LinkSprite | FlowSprite]) -> None:
        """Raise lines and their texts above other ones."""
        items: list[int] = []
        for way in ways:
            texts = sum(map(bool, way.texts)) if isinstance(way, LinkSprite) else 0
            own = self._items[way.key]
            items += own[: 1 + texts]
            if texts and any(one.anchor == ON_LINE for one in self._placed.get(way.key, ())):
                items += own[1 + texts], own[texts]  # its ground, and the text above that
        for_each(self, "item", zip(items), f"$canvas lower $item {self._floor}")
        self._followed([way.key for way in ways])

    def _reground(self, keys: Iterable[Key]) -> None:
        """Draw nodes again whose background has changed."""
        nodes = self.scene.nodes
        self._redraw([key for key in keys if self._grounds.get(key) != self._grounds_of(nodes[key])])

    def _grounds_of(self, sprite: NodeSprite) -> tuple[str, str]:
        """The colours behind an icon and behind its text."""
        x, y = sprite.at
        return self._ground_at(sprite.at), self._ground_at((x, y + NODE_HALF + NAME_GAP + NAME_SIZE / 2))

    def _head(self) -> tuple[float, float, float]:
        long, barbs, wide = (each * self.factor for each in _HEAD)
        return long, barbs, wide

    def _badge(self, names: Mapping[Key, str], key: Key, at: Point) -> Iterable[int]:
        if key in names:
            stamp = Stamp(names[key], "", self.theme.canvas)
            yield self.create_image(*self._px(at), image=self._image(stamp), tags=("icon", stamp.tag, SPRITE))

    def _ground_at(self, at: Point) -> str:
        for sprite in reversed(self.scene.shapes.values()):  # type: ignore[call-overload]
            if sprite.fill and holds(sprite.kind, sprite.box, True, at, 0):
                return ground(sprite.fill, self.theme)
        return self.theme.canvas

    def _style(self, sprite: LinkSprite) -> str:
        """The style of a line, as the link is in the running lab if one runs."""
        state = self._states.get(sprite.key, "")
        if state == "down":
            return "down"
        return "plain" if state in ("up", "lossy") and sprite.style == "down" else sprite.style

    def _lit_colour(self, key: Key) -> str:
        """The colour of something highlighted; empty where it is not."""
        if key in self.selection:
            return self.theme.accent
        return self.theme.lit if key in self._lit else self.theme.note if key in self._lit_back else ""

    def _image(self, stamp: Stamp) -> ImageTk.PhotoImage:
        if stamp not in self._images:
            units = icons.BADGES.get(stamp.icon, 2 * NODE_HALF)
            picture = icons.image(stamp.icon, max(4, round(units * self.factor)), self.theme.name, stamp.colour)
            self._images[stamp] = ImageTk.PhotoImage(icons.cut_out(picture, stamp.ground), master=self)
        return self._images[stamp]

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
        stamps = tuple(self._images)
        self._images.clear()
        for stamp in stamps:
            if self.find_withtag(stamp.tag):
                self.itemconfigure(stamp.tag, image=self._image(stamp))
        self.itemconfigure("halo", width=self._width(2))
        self.itemconfigure("line||flow", width=self._width(_THIN))
        self.itemconfigure("control", width=self._width(_THINNER))
        front = [way for key in self.selection | self._lit | self._lit_back if (way := self.scene.way(key))]
        lines = ((self._items[way.key][0],) for way in front)
        for_each(self, "line", lines, f"$canvas itemconfigure $line -width {self._width(_THICK)}")
        self.itemconfigure("flow", arrowshape=self._head())
        self._size_texts()
        # Their handles and outlines do not grow with them.
        self._redraw(self.scene.shapes)

    # --- single things ---

    def thicken(self, key: Key) -> None:
        """Highlight a line until it is shown again."""
        line = self._items[key][0]
        self.itemconfigure(line, width=float(self.itemcget(line, "width")) + 1.5 * self.ui)

    def show_again(self, key: Key) -> None:
        """Show something as it is."""
        self._redraw([key])
