"""The drawing by keys alone: arrows select and move things, Return opens their properties, the menu key their menu."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from functools import partial

from frrlib.picture.scene import Key
from miniedit_frr.tools.base import ToolContext

_DIRECTIONS = {"Left": (-1.0, 0.0), "Right": (1.0, 0.0), "Up": (0.0, -1.0), "Down": (0.0, 1.0)}
#: The distance of a move by an arrow key, in world units; with Shift it is one unit.
_STEP = 10
#: Kinds of things that arrow keys move.
_MOVABLE = ("node", "annotation")


class DrawingKeys:
    """Keys of the canvas that select things, move them, and open their menus and properties.

    Ctrl with an arrow selects the nearest thing in a direction. An arrow alone moves the selection; if nothing that can
    be moved is selected, it selects a thing, too.

    Args:
        context: the canvas.
        open_menu: opens the menu of a thing, or that of the drawing, at a position on the screen.
        move: moves the selection by a distance in world units.
        open_properties: opens the properties of the selection.
    """

    def __init__(
        self,
        context: ToolContext,
        open_menu: Callable[[Key | None, int, int], object],
        move: Callable[[float, float], object],
        open_properties: Callable[[], object],
    ) -> None:
        self._context, self._show_menu, self._move = context, open_menu, move
        view = context.view
        for key, towards in _DIRECTIONS.items():
            view.bind(f"<Control-{key}>", partial(self._arrow, towards, 0))
            view.bind(f"<{key}>", partial(self._arrow, towards, _STEP))
            view.bind(f"<Shift-{key}>", partial(self._arrow, towards, 1))
        for key in ("Return", "KP_Enter"):
            view.bind(f"<{key}>", lambda event: open_properties() if view.selection else None)
            for modifier in ("Alt", "Control", "Shift"):  # commands of the menus
                view.bind(f"<{modifier}-{key}>", lambda event: None)
        for sequence in ("<Shift-F10>", "<Menu>"):
            view.bind(sequence, lambda event: self._open_menu())

    def _arrow(self, towards: tuple[float, float], distance: float, event: tk.Event) -> str:
        """Move the selection by a distance; for a distance of zero, or if it cannot be moved, select a thing."""
        if distance and any(key.kind in _MOVABLE for key in self._context.view.selection):
            self._move(distance * towards[0], distance * towards[1])
        else:
            self._select(towards)
        return "break"

    def _select(self, towards: tuple[float, float]) -> None:
        """Select the nearest thing in a direction. Without a selection, it is the one nearest to the edge behind."""
        view = self._context.view
        selected = sorted(view.selection)
        if len(selected) == 1:
            at = view.scene.center(selected[0])
        else:
            width, height = view.winfo_width(), view.winfo_height()
            at = view.to_world(width * (1 - towards[0]) / 2, height * (1 - towards[1]) / 2)
        if (key := view.scene.nearest(at, towards)) is not None:
            view.select({key})
            view.reveal(key)

    def _open_menu(self) -> str:
        """Open the menu of the selected thing, or that of the drawing."""
        view = self._context.view
        key = min(view.selection, default=None)
        x, y = view.to_widget(view.scene.center(key)) if key is not None else (view.winfo_width() / 2, 0.0)
        self._show_menu(key, round(view.winfo_rootx() + x), round(view.winfo_rooty() + y))
        return "break"
