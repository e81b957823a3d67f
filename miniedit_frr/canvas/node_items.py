"""Nodes as items of the canvas: their icons, their names, the frames around them, and badges at their corners."""

from __future__ import annotations

import tkinter as tk
from collections import defaultdict
from collections.abc import Iterable, Sequence

from frrlib.picture.geometry import NODE_HALF, STATE_AT
from frrlib.picture.name_positions import name_place
from frrlib.picture.scene import Key, NodeSprite
from frrlib.picture.text_sizes import NAME_SIZE
from frrlib.picture.theme import Theme
from miniedit_frr.canvas.batch import for_each
from miniedit_frr.canvas.looks import IconLook
from miniedit_frr.canvas.scene_canvas import SceneCanvas
from miniedit_frr.canvas.text_canvas import SPRITE


class NodeItems(SceneCanvas):
    """A canvas that draws nodes."""

    def __init__(self, parent: tk.Misc, ui: float, theme: Theme) -> None:
        super().__init__(parent, ui, theme)
        self._frames: dict[Key, int] = {}
        self._backgrounds: dict[Key, tuple[str, str]] = {}

    def _draw_node(self, sprite: NodeSprite) -> Iterable[int]:
        x, y = self._pixel(sprite.at)
        background, _ = self._backgrounds[sprite.key] = self._backgrounds_of(sprite)
        look = IconLook(sprite.icon, sprite.colour, background)
        yield self.create_image(x, y, image=self._image(look), tags=("icon", look.tag, SPRITE))
        if sprite.text:
            place, anchor = name_place(sprite.at, sprite.side)
            text = self._draw_text(self._pixel(place), sprite.text, NAME_SIZE, self.theme.text, anchor=anchor)
            yield self._draw_plate(text)
            self.tag_lower(text, self._name_ceiling)
            yield text
        if color := self._highlight_color(sprite.key):
            frame = self._frames[sprite.key] = self.create_rectangle(
                *self._frame_box(sprite), outline=color, width=self._width(2), tags=("halo", SPRITE)
            )
            yield frame
        (x, y), (out, below) = sprite.at, STATE_AT
        yield from self._draw_badge(self._marks, sprite.key, (x + out, y - NODE_HALF + 3))
        yield from self._draw_badge(self._states, sprite.key, (x + out, y + below))

    def _frame_box(self, sprite: NodeSprite) -> tuple[float, float, float, float]:
        """The corners of the frame around a highlighted node, in pixels of the canvas."""
        (x, y), half = self._pixel(sprite.at), (NODE_HALF + 4) * self.factor
        return x - half, y - half, x + half, y + half

    def _draw_frames(self, keys: Sequence[Key]) -> None:
        """Frame the nodes that are highlighted, and no others."""
        frames, items, nodes, frame = self._frames, self._items, self.scene.nodes, self._frame_box
        for key in (framed_before := [key for key in keys if key in frames]):
            items[key].remove(frames[key])
        self.delete(*(frames.pop(key) for key in framed_before))
        by_color: defaultdict[str, list[Key]] = defaultdict(list)
        for key in keys:
            by_color[self._highlight_color(key)].append(key)
        options = f"-outline $color -width {self._width(2)} -tags {{halo {SPRITE}}}"
        body = f"$canvas create rectangle $left $top $right $low {options}"
        for color, framed in by_color.items():
            rows = [frame(nodes[key]) for key in framed] if color else ()
            for key, item in zip(framed, for_each(self, "left top right low", rows, body, color=color), strict=False):
                frames[key] = int(item)
                items[key].append(int(item))
        # Badges stay above the frame. Their items come after the icon and, if there is one, the text and its plate.
        with_badges = (key for key in keys if key in frames and (key in self._marks or key in self._states))
        badges = (item for key in with_badges for item in items[key][3 if nodes[key].text else 1 : -1])
        for_each(self, "badge", zip(badges), "$canvas raise $badge")

    def _backgrounds_of(self, sprite: NodeSprite) -> tuple[str, str]:
        """The background colors of an icon and of its text."""
        (x, y), _ = name_place(sprite.at, sprite.side)
        return self._background_at(sprite.at), self._background_at((x, y + NAME_SIZE / 2))

    def _resize_nodes(self) -> None:
        """Paint icons and badges in their sizes at the present zoom."""
        looks = tuple(self._images)
        self._images.clear()
        for look in looks:
            if self.find_withtag(look.tag):
                self.itemconfigure(look.tag, image=self._image(look))
        self.itemconfigure("halo", width=self._width(2))
