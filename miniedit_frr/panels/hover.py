"""A small text beside the pointer, about what is under it on the canvas."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable

from miniedit_frr.canvas.scene import Key
from miniedit_frr.canvas.view import View

_DELAY_MS = 350


class Hover:
    """Shows a text when the pointer rests on something that has one.

    Args:
        text_of: the text of something; empty for none.
    """

    def __init__(self, view: View, text_of: Callable[[Key], str]) -> None:
        self._view, self._text_of = view, text_of
        self._key: Key | None = None
        self._timer = ""
        self._window: tk.Toplevel | None = None
        view.bind("<Motion>", self._move, add=True)
        for sequence in ("<Leave>", "<ButtonPress>", "<KeyPress>"):
            view.bind(sequence, lambda event: self._hide(), add=True)

    def _move(self, event: tk.Event) -> None:
        view = self._view
        key = view.scene.at(view.to_world(event.x, event.y), 5 * view.ui / view.factor)
        if key != self._key:
            self._hide()
            self._key = key
            if key is not None and self._text_of(key):
                self._timer = view.after(_DELAY_MS, self._show, key, event.x_root, event.y_root)

    def _hide(self) -> None:
        self._key = None
        if self._timer:
            self._view.after_cancel(self._timer)
            self._timer = ""
        if self._window is not None:
            self._window.destroy()
            self._window = None

    def _show(self, key: Key, x: int, y: int) -> None:
        self._timer = ""
        theme, ui = self._view.theme, self._view.ui
        window = self._window = tk.Toplevel(self._view)
        window.wm_overrideredirect(True)
        window.wm_geometry(f"+{x + round(14 * ui)}+{y + round(10 * ui)}")
        tk.Label(
            window, text=self._text_of(key), justify="left", background=theme.card, foreground=theme.text,
            wraplength=round(460 * ui), padx=8, pady=5, highlightthickness=1, highlightbackground=theme.edge,
        ).pack()  # fmt: skip
