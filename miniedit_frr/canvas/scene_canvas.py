"""A canvas with a scene: the state of the things in it, and their small pictures, icons and badges."""

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
    """A canvas with a scene, and the state of what is in it.

    Attributes:
        scene: the scene that is shown.
        selection: keys of the selected things; all are in the scene.
        on_select: called after the selection has changed.
        on_states: called after the shown states of a running lab have changed.
    """

    def __init__(self, parent: tk.Misc, ui: float, theme: Theme) -> None:
        super().__init__(parent, ui, theme)
        self.scene = Scene()
        self.selection: frozenset[Key] = frozenset()
        self.on_select: list[Callable[[], None]] = []
        self.on_states: list[Callable[[], None]] = []
        self._marks: Mapping[Key, str] = {}
        self._states: Mapping[Key, str] = {}
        self._highlighted: frozenset[Key] = frozenset()
        self._highlighted_back: frozenset[Key] = frozenset()
        self._items: dict[Key, list[int]] = {}
        self._images: dict[IconLook, ImageTk.PhotoImage] = {}

    def _update_layers(self, keys: Collection[Key]) -> None:
        """Update the layers after things have moved, or were raised above others."""

    def _highlight_color(self, key: Key) -> str:
        """The color of a highlighted thing; empty for any other."""
        if key in self.selection:
            return self.theme.accent
        return self.theme.lit if key in self._highlighted else self.theme.note if key in self._highlighted_back else ""

    def _draw_badge(self, names: Mapping[Key, str], key: Key, at: Point) -> Iterable[int]:
        if key in names:
            look = IconLook(names[key], "", self.theme.canvas)
            yield self.create_image(*self._pixel(at), image=self._image(look), tags=("icon", look.tag, SPRITE))

    def _image(self, look: IconLook) -> ImageTk.PhotoImage:
        if look not in self._images:
            units = icons.BADGES.get(look.icon, 2 * NODE_HALF)
            picture = icons.image(look.icon, max(4, round(units * self.factor)), self.theme.name, look.color)
            self._images[look] = ImageTk.PhotoImage(icons.cut_out(picture, look.background), master=self)
        return self._images[look]

    def _background_at(self, at: Point) -> str:
        for sprite in reversed(self.scene.shapes.values()):  # type: ignore[call-overload]
            if sprite.fill and is_on_shape(sprite.kind, sprite.box, True, at, 0):
                return ground(sprite.fill, self.theme)
        return self.theme.canvas
