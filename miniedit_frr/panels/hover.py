"""A tip beside the pointer about the thing under it on the canvas."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from functools import partial

from frrlib.picture.scene import Key
from miniedit_frr.canvas.view import View
from miniedit_frr.widgets.tip import Tip


class HoverTip:
    """Shows a tip when the pointer rests on something that has a text.

    Args:
        text_of: returns the text about a key, or an empty text.
    """

    def __init__(self, view: View, text_of: Callable[[Key], str]) -> None:
        self._view, self._text_of = view, text_of
        self._key: Key | None = None
        self._tip = Tip(view, lambda: view.theme, view.ui)
        view.bind("<Motion>", self._move, add=True)
        for sequence in ("<Leave>", "<ButtonPress>", "<KeyPress>"):
            view.bind(sequence, lambda event: self._forget(), add=True)

    def _forget(self) -> None:
        self._key = None

    def _move(self, event: tk.Event) -> None:
        view = self._view
        key = view.scene.at(view.to_world(event.x, event.y), 5 * view.ui / view.factor)
        key = key or view.routing.key_at(view.to_world(event.x, event.y))
        if key != self._key:
            self._tip.hide()
            self._key = key
            if key is not None and self._text_of(key):
                self._tip.soon(partial(self._text_of, key), event.x_root, event.y_root)
