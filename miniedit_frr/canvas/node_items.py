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
        self._halos: dict[Key, int] = {}
        self._grounds: dict[Key, tuple[str, str]] = {}

    def _node(self, sprite: NodeSprite) -> Iterable[int]:
        x, y = self._px(sprite.at)
        ground, _ = self._grounds[sprite.key] = self._grounds_of(sprite)
        stamp = IconLook(sprite.icon, sprite.colour, ground)
        yield self.create_image(x, y, image=self._image(stamp), tags=("icon", stamp.tag, SPRITE))
        if sprite.text:
            place, anchor = name_place(sprite.at, sprite.side)
            text = self._text(self._px(place), sprite.text, NAME_SIZE, self.theme.text, anchor=anchor)
            yield self._plate(text)
            self.tag_lower(text, self._shelf)
            yield text
        if lit := self._lit_colour(sprite.key):
            halo = self._halos[sprite.key] = self.create_rectangle(
                *self._frame(sprite), outline=lit, width=self._width(2), tags=("halo", SPRITE)
            )
            yield halo
        (x, y), (out, below) = sprite.at, STATE_AT
        yield from self._badge(self._marks, sprite.key, (x + out, y - NODE_HALF + 3))
        yield from self._badge(self._states, sprite.key, (x + out, y + below))

    def _frame(self, sprite: NodeSprite) -> tuple[float, float, float, float]:
        """Where the frame of a highlighted node is, in pixels of the canvas."""
        (x, y), half = self._px(sprite.at), (NODE_HALF + 4) * self.factor
        return x - half, y - half, x + half, y + half

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

    def _grounds_of(self, sprite: NodeSprite) -> tuple[str, str]:
        """The colours behind an icon and behind its text."""
        (x, y), _ = name_place(sprite.at, sprite.side)
        return self._ground_at(sprite.at), self._ground_at((x, y + NAME_SIZE / 2))

    def _size_nodes(self) -> None:
        """Paint icons and badges in the size that they have at the present zoom."""
        stamps = tuple(self._images)
        self._images.clear()
        for stamp in stamps:
            if self.find_withtag(stamp.tag):
                self.itemconfigure(stamp.tag, image=self._image(stamp))
        self.itemconfigure("halo", width=self._width(2))
