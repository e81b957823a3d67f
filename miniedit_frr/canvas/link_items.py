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

#: Widths of highlighted lines and arrows, of other ones, and of lines to controllers, in units.
_THICK, _THIN, _THINNER = 3.5, 2.0, 1.6
_DASHES = {"down": (5, 5), "control": (7, 4, 2, 4), "probe": (2, 4)}
_BACK_DASH = (6, 3)
#: Distance between the middle of a badge and the text after it.
_BADGE_GAP = 10.0
#: The head of a flow's arrow as in Tk's `arrowshape`, in units.
_HEAD = (10.0, 11.0, 4.2)


class LinkItems(SceneCanvas):
    """A canvas that draws links and flows."""

    def __init__(self, parent: tk.Misc, ui: float, theme: Theme) -> None:
        super().__init__(parent, ui, theme)
        self._edges = SoftEdges(self)
        self._placed_texts: Mapping[Key, tuple[PlacedText, ...]] = {}

    def _draw_line(self, sprite: LinkSprite) -> Iterable[int]:
        path = self.scene.path(sprite)
        line = self._draw_path(sprite, path, "line")
        yield line
        texts = self._placed_texts.get(sprite.key) or default_texts(sprite, path)
        for at, anchor, text in texts:
            item = self._draw_text(self._pixel(at), text, SMALL_SIZE, self.theme.faint, anchor=anchor)
            self.tag_lower(item, self._line_ceiling)
            yield item
            if anchor == ON_LINE:  # the text in the middle, which is the last
                yield self._draw_link_plate(item)
        middle = self._badge_at(path, texts)
        badge = {"down": "failed", "lossy": "lossy"}.get(self._states.get(sprite.key, ""))
        if badge:
            yield from self._draw_badge({sprite.key: badge}, sprite.key, middle)
        yield from self._draw_badge(self._marks, sprite.key, middle)
        yield from self._edges.draw(sprite.key, path, line, self._look(sprite), ("line", sprite.style))

    def _draw_flow(self, sprite: FlowSprite) -> Iterable[int]:
        path = self.scene.path(sprite)
        head: dict[str, Any] = {"arrow": "last", "arrowshape": self._arrow_head()}
        arrow = self._draw_path(sprite, path, "flow", **head)
        yield arrow
        texts = self._placed_texts.get(sprite.key) or default_texts(sprite, path)
        for at, anchor, words in texts:
            text = self._draw_text(self._pixel(at), words, SMALL_SIZE, self.theme.text, anchor=anchor)
            plate = self._draw_plate(text)
            self.tag_lower(text, self._name_ceiling)
            yield from (text, plate)
        yield from self._draw_badge(self._marks, sprite.key, self._badge_at(path, texts))
        yield from self._edges.draw(sprite.key, path, arrow, self._look(sprite), ("flow", sprite.style), **head)

    def _badge_at(self, path: Sequence[Point], texts: Iterable[PlacedText]) -> Point:
        """The place of a badge: the middle of a line or an arrow, or before the text on it."""
        for placed in texts:
            if placed.anchor == ON_LINE:
                return placed.at[0] - size(placed.text, SMALL_SIZE, self.measure)[0] / 2 - _BADGE_GAP, placed.at[1]
        return beside(path, length(path) / 2, 0)[0]

    def _draw_path(self, sprite: LinkSprite | FlowSprite, path: Sequence[Point], tag: str, **options: Any) -> int:
        look = self._look(sprite)
        item = self.create_line(
            *self._pixels(path),
            fill=look.fill,
            width=self._width(look.width),
            dash=look.dash,
            tags=(tag, sprite.style, SPRITE),
            **options,
        )
        self.tag_lower(item, self._line_ceiling)
        return item

    def _look(self, sprite: LinkSprite | FlowSprite) -> LineLook:
        key, theme, is_flow = sprite.key, self.theme, isinstance(sprite, FlowSprite)
        style = sprite.style if isinstance(sprite, FlowSprite) else self._style(sprite)
        dash = _BACK_DASH if key in self._highlighted_back and not is_flow else _DASHES.get(style, ())
        if color := self._highlight_color(key):
            return LineLook(color, _THICK, dash, True)
        if isinstance(sprite, FlowSprite):
            return LineLook(curve(sprite.colour, theme), _THIN, dash, False)
        colors = {"shaped": theme.shaped, "control": theme.control, "down": theme.down}
        return LineLook(colors.get(style, theme.link), _THINNER if style == "control" else _THIN, dash, False)

    def _style(self, sprite: LinkSprite) -> str:
        """The style of a line: by the link's state in the running lab, if there is one."""
        state = self._states.get(sprite.key, "")
        if state == "down":
            return "down"
        return "plain" if state in ("up", "lossy") and sprite.style == "down" else sprite.style

    def _arrow_head(self) -> tuple[float, float, float]:
        long, barbs, wide = (units * self.factor for units in _HEAD)
        return long, barbs, wide

    def _set_looks(
        self, tag: str, sprites: Mapping[Key, LinkSprite] | Mapping[Key, FlowSprite], keys: Sequence[Key]
    ) -> list[LinkSprite | FlowSprite]:
        """Update the looks of lines or flows; returns the highlighted ones."""
        selection, states = self.selection, self._states
        highlighted, highlighted_back = self._highlighted, self._highlighted_back
        has_highlights = bool(highlighted or highlighted_back)
        groups: defaultdict[tuple[object, ...], list[LinkSprite | FlowSprite]] = defaultdict(list)
        for key in keys:
            sprite = sprites[key]
            color = sprite.colour if isinstance(sprite, FlowSprite) else ""
            highlights = (key in highlighted, key in highlighted_back) if has_highlights else None
            groups[sprite.style, color, key in selection, highlights, states.get(key)].append(sprite)
        counts = Counter(line.style for line in sprites.values()) if keys else Counter()
        front: list[LinkSprite | FlowSprite] = []
        for group in groups.values():
            style, look = group[0].style, self._look(group[0])
            self._set_look(look, group, f"{tag}&&{style}" if counts[style] == len(group) else "")
            front += group if look.is_highlighted else ()
        return front

    def _set_look(self, look: LineLook, sprites: Sequence[LinkSprite | FlowSprite], tag: str) -> None:
        """Give lines a look.

        Args:
            tag: the tag of all these lines and of no other item; empty if there is no such tag.
        """
        width, dash = self._width(look.width), " ".join(map(str, look.dash))
        if tag:
            self.itemconfigure(tag, fill=look.fill, width=width, dash=look.dash)
            self._edges.set_all(look, tag)
        else:
            options = f"-fill $fill -width {width} -dash {{{dash}}}"
            lines = ((self._items[sprite.key][0],) for sprite in sprites)
            for_each(self, "line", lines, f"$canvas itemconfigure $line {options}", fill=look.fill)
            self._edges.set(look, [sprite.key for sprite in sprites])

    def _bring_forward(self, sprites: Sequence[LinkSprite | FlowSprite]) -> None:
        """Raise lines and their texts above the others."""
        raised: list[int] = []
        for sprite in sprites:
            text_count = sum(map(bool, sprite.texts)) if isinstance(sprite, LinkSprite) else 0
            items = self._items[sprite.key]
            raised += items[: 1 + text_count]
            if text_count and any(placed.anchor == ON_LINE for placed in self._placed_texts.get(sprite.key, ())):
                raised += items[1 + text_count], items[text_count]  # the plate, and the text above it
        for_each(self, "item", zip(raised), f"$canvas lower $item {self._line_ceiling}")
        self._update_layers([sprite.key for sprite in sprites])

    def _resize_lines(self) -> None:
        """Give lines and arrows their widths at the present zoom: Tk does not scale widths."""
        self.itemconfigure("line||flow", width=self._width(_THIN))
        self.itemconfigure("control", width=self._width(_THINNER))
        front = [
            sprite
            for key in self.selection | self._highlighted | self._highlighted_back
            if (sprite := self.scene.connection(key))
        ]
        lines = ((self._items[sprite.key][0],) for sprite in front)
        for_each(self, "line", lines, f"$canvas itemconfigure $line -width {self._width(_THICK)}")
        self.itemconfigure("flow", arrowshape=self._arrow_head())
        self._edges.resize("line", self._width(_THIN))
        self._edges.resize("flow", self._width(_THIN), arrowshape=self._arrow_head())
        for sprite in front:
            self._edges.update(sprite.key, self._items[sprite.key][0])
