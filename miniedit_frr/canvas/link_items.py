"""Links and flows as items of the canvas: their lines and arrows, the texts along them, and badges in their middle."""

from __future__ import annotations

import tkinter as tk
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from frrlib.picture.colors import curve
from frrlib.picture.geometry import Point, beside, length
from frrlib.picture.label_positions import ON_LINE, PlacedText, default_texts
from frrlib.picture.scene import FlowSprite, Key, LinkSprite
from frrlib.picture.text_sizes import SMALL_SIZE, size
from frrlib.picture.theme import Theme
from miniedit_frr.canvas.batch import for_each
from miniedit_frr.canvas.looks import LineLook
from miniedit_frr.canvas.scene_canvas import SceneCanvas
from miniedit_frr.canvas.soft_edges import SoftEdges
from miniedit_frr.canvas.text_canvas import SPRITE

#: Widths in units of what stands out, of other lines and arrows, and of lines to controllers.
_THICK, _THIN, _THINNER = 3.5, 2.0, 1.6
_DASHES = {"down": (5, 5), "control": (7, 4, 2, 4), "probe": (2, 4)}
_BACK_DASH = (6, 3)
#: How far the middle of a badge is from the text after it.
_BADGE_GAP = 10.0
#: The head of a flow's arrow as Tk wants it, in units.
_HEAD = (10.0, 11.0, 4.2)


class LinkItems(SceneCanvas):
    """A canvas that draws what goes from node to node."""

    def __init__(self, parent: tk.Misc, ui: float, theme: Theme) -> None:
        super().__init__(parent, ui, theme)
        self._edges = SoftEdges(self)
        self._placed_texts: Mapping[Key, tuple[PlacedText, ...]] = {}

    def _line(self, sprite: LinkSprite) -> Iterable[int]:
        path = self.scene.path(sprite)
        line = self._way(sprite, path, "line")
        yield line
        texts = self._placed_texts.get(sprite.key) or default_texts(sprite, path)
        for at, anchor, text in texts:
            item = self._text(self._px(at), text, SMALL_SIZE, self.theme.faint, anchor=anchor)
            self.tag_lower(item, self._floor)
            yield item
            if anchor == ON_LINE:  # the one in the middle, which is the last
                yield self._back(item)
        middle = self._badge_at(path, texts)
        badge = {"down": "failed", "lossy": "lossy"}.get(self._states.get(sprite.key, ""))
        if badge:
            yield from self._badge({sprite.key: badge}, sprite.key, middle)
        yield from self._badge(self._marks, sprite.key, middle)
        yield from self._edges.draw(sprite.key, path, line, self._look(sprite), ("line", sprite.style))

    def _flow(self, sprite: FlowSprite) -> Iterable[int]:
        path = self.scene.path(sprite)
        head: dict[str, Any] = {"arrow": "last", "arrowshape": self._head()}
        arrow = self._way(sprite, path, "flow", **head)
        yield arrow
        texts = self._placed_texts.get(sprite.key) or default_texts(sprite, path)
        for at, anchor, words in texts:
            text = self._text(self._px(at), words, SMALL_SIZE, self.theme.text, anchor=anchor)
            plate = self._plate(text)
            self.tag_lower(text, self._shelf)
            yield from (text, plate)
        yield from self._badge(self._marks, sprite.key, self._badge_at(path, texts))
        yield from self._edges.draw(sprite.key, path, arrow, self._look(sprite), ("flow", sprite.style), **head)

    def _badge_at(self, path: Sequence[Point], texts: Iterable[PlacedText]) -> Point:
        """Where a badge stands: in the middle of a line or an arrow, or before the text that stands on it."""
        for one in texts:
            if one.anchor == ON_LINE:
                return one.at[0] - size(one.text, SMALL_SIZE, self.measure)[0] / 2 - _BADGE_GAP, one.at[1]
        return beside(path, length(path) / 2, 0)[0]

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

    def _look(self, sprite: LinkSprite | FlowSprite) -> LineLook:
        key, theme, is_flow = sprite.key, self.theme, isinstance(sprite, FlowSprite)
        style = sprite.style if isinstance(sprite, FlowSprite) else self._style(sprite)
        dash = _BACK_DASH if key in self._highlighted_back and not is_flow else _DASHES.get(style, ())
        if lit := self._lit_colour(key):
            return LineLook(lit, _THICK, dash, True)
        if isinstance(sprite, FlowSprite):
            return LineLook(curve(sprite.colour, theme), _THIN, dash, False)
        colours = {"shaped": theme.shaped, "control": theme.control, "down": theme.down}
        return LineLook(colours.get(style, theme.link), _THINNER if style == "control" else _THIN, dash, False)

    def _style(self, sprite: LinkSprite) -> str:
        """The style of a line, as the link is in the running lab if one runs."""
        state = self._states.get(sprite.key, "")
        if state == "down":
            return "down"
        return "plain" if state in ("up", "lossy") and sprite.style == "down" else sprite.style

    def _head(self) -> tuple[float, float, float]:
        long, barbs, wide = (each * self.factor for each in _HEAD)
        return long, barbs, wide

    def _set_looks(
        self, tag: str, sprites: Mapping[Key, LinkSprite] | Mapping[Key, FlowSprite], keys: Sequence[Key]
    ) -> list[LinkSprite | FlowSprite]:
        """Bring the looks of lines or flows up to date; returns the highlighted ones."""
        chosen, lit, back, states = self.selection, self._highlighted, self._highlighted_back, self._states
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

    def _set_look(self, look: LineLook, ways: Sequence[LinkSprite | FlowSprite], tag: str) -> None:
        """Give lines a look; `tag` is that of all of them and of no other, if there is one."""
        width, dash = self._width(look.width), " ".join(map(str, look.dash))
        if tag:
            self.itemconfigure(tag, fill=look.fill, width=width, dash=look.dash)
            self._edges.set_all(look, tag)
        else:
            options = f"-fill $fill -width {width} -dash {{{dash}}}"
            lines = ((self._items[way.key][0],) for way in ways)
            for_each(self, "line", lines, f"$canvas itemconfigure $line {options}", fill=look.fill)
            self._edges.set(look, [way.key for way in ways])

    def _bring_forward(self, ways: Sequence[LinkSprite | FlowSprite]) -> None:
        """Raise lines and their texts above other ones."""
        items: list[int] = []
        for way in ways:
            texts = sum(map(bool, way.texts)) if isinstance(way, LinkSprite) else 0
            own = self._items[way.key]
            items += own[: 1 + texts]
            if texts and any(one.anchor == ON_LINE for one in self._placed_texts.get(way.key, ())):
                items += own[1 + texts], own[texts]  # its ground, and the text above that
        for_each(self, "item", zip(items), f"$canvas lower $item {self._floor}")
        self._followed([way.key for way in ways])

    def _size_ways(self) -> None:
        """Give lines and arrows their widths at the present zoom, which do not grow with the drawing."""
        self.itemconfigure("line||flow", width=self._width(_THIN))
        self.itemconfigure("control", width=self._width(_THINNER))
        front = [
            way
            for key in self.selection | self._highlighted | self._highlighted_back
            if (way := self.scene.connection(key))
        ]
        lines = ((self._items[way.key][0],) for way in front)
        for_each(self, "line", lines, f"$canvas itemconfigure $line -width {self._width(_THICK)}")
        self.itemconfigure("flow", arrowshape=self._head())
        self._edges.resize("line", self._width(_THIN))
        self._edges.resize("flow", self._width(_THIN), arrowshape=self._head())
        for way in front:
            self._edges.follow(way.key, self._items[way.key][0])
