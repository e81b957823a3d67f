"""What is shown on a canvas and how it stands out, and the small pictures of it: icons and badges."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Collection, Iterable, Mapping

from PIL import ImageTk

from frrlib.picture import icons
from frrlib.picture.colors import ground
from frrlib.picture.geometry import NODE_HALF, Point
from frrlib.picture.scene import Key, Scene
from frrlib.picture.shapes import is_on_shape
from frrlib.picture.theme import Theme
from miniedit_frr.canvas.looks import IconLook
from miniedit_frr.canvas.text_canvas import SPRITE, TextCanvas


class SceneCanvas(TextCanvas):
    """A canvas that knows what is on it.

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
        self._highlighted: frozenset[Key] = frozenset()
        self._highlighted_back: frozenset[Key] = frozenset()
        self._items: dict[Key, list[int]] = {}
        self._images: dict[IconLook, ImageTk.PhotoImage] = {}

    def _followed(self, keys: Collection[Key]) -> None:
        """Things have moved, or come before others: update what is drawn at them."""

    def _lit_colour(self, key: Key) -> str:
        """The colour of something highlighted; empty where it is not."""
        if key in self.selection:
            return self.theme.accent
        return self.theme.lit if key in self._highlighted else self.theme.note if key in self._highlighted_back else ""

    def _badge(self, names: Mapping[Key, str], key: Key, at: Point) -> Iterable[int]:
        if key in names:
            stamp = IconLook(names[key], "", self.theme.canvas)
            yield self.create_image(*self._px(at), image=self._image(stamp), tags=("icon", stamp.tag, SPRITE))

    def _image(self, stamp: IconLook) -> ImageTk.PhotoImage:
        if stamp not in self._images:
            units = icons.BADGES.get(stamp.icon, 2 * NODE_HALF)
            picture = icons.image(stamp.icon, max(4, round(units * self.factor)), self.theme.name, stamp.colour)
            self._images[stamp] = ImageTk.PhotoImage(icons.cut_out(picture, stamp.ground), master=self)
        return self._images[stamp]

    def _ground_at(self, at: Point) -> str:
        for sprite in reversed(self.scene.shapes.values()):  # type: ignore[call-overload]
            if sprite.fill and is_on_shape(sprite.kind, sprite.box, True, at, 0):
                return ground(sprite.fill, self.theme)
        return self.theme.canvas
