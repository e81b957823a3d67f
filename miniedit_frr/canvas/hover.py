"""Highlights the thing under the pointer a little, to show what a click would hit."""

from __future__ import annotations

import tkinter as tk

from frrlib.picture.geometry import NODE_HALF
from frrlib.picture.scene import Key
from miniedit_frr.canvas.painter import Painter

_CURSORS = {
    "nw": "top_left_corner", "n": "top_side", "ne": "top_right_corner", "w": "left_side", "e": "right_side",
    "sw": "bottom_left_corner", "s": "bottom_side", "se": "bottom_right_corner",
}  # fmt: skip
_BUTTONS = 0x700


class Hover:
    """Watches the pointer over a canvas.

    Attributes:
        key: the node, line or flow that is highlighted now; None if there is no such thing.
    """

    def __init__(self, view: Painter) -> None:
        self._view, self._item, self._has_cursor = view, 0, False
        self.key: Key | None = None
        view.configure(closeenough=3 * view.ui)
        view.bind("<Motion>", self._on_motion, add=True)
        for sequence in ("<Leave>", "<ButtonPress>"):
            view.bind(sequence, lambda event: self._show(None), add=True)

    def _on_motion(self, event: tk.Event) -> None:
        if int(event.state) & _BUTTONS:
            return
        view = self._view
        items = view.find_withtag("current")
        item = items[0] if items else 0
        if item != self._item:
            self._item = item
            self._show(view.key_of_item(item))
        self._set_cursor(event)

    def _set_cursor(self, event: tk.Event) -> None:
        """Show the directions of a handle by the cursor; elsewhere the cursor is the tool's."""
        view = self._view
        if view.cget("cursor") and not self._has_cursor:
            return
        handle = view.handle_at(event.x, event.y)
        if handle is not None or self._has_cursor:
            view.configure(cursor=_CURSORS[handle[1]] if handle else "")
            self._has_cursor = handle is not None

    def _show(self, key: Key | None) -> None:
        view = self._view
        previous, self.key = self.key, key
        if key is None:
            self._item = 0
        if previous == key:
            return
        view.delete("hover")
        if previous is not None and view.scene.connection(previous) is not None:
            view.redraw(previous)
        if key is None or key in view.selection:
            return
        if key in view.scene.nodes:
            (x, y), half = view.scene.nodes[key].at, NODE_HALF + 4
            corners = [coordinate * view.factor for coordinate in (x - half, y - half, x + half, y + half)]
            view.create_rectangle(*corners, outline=view.theme.edge, width=max(1.0, 1.5 * view.ui), tags="hover")
        elif view.scene.connection(key) is not None:
            view.emphasize(key)
