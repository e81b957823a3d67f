"""The drawing by keys alone: Ctrl with an arrow selects the nearest thing there, and the menu key opens its menu."""

from __future__ import annotations

from collections.abc import Callable

from frrlib.picture.scene import Key
from miniedit_frr.tools.base import ToolContext

_DIRECTIONS = {"Left": (-1.0, 0.0), "Right": (1.0, 0.0), "Up": (0.0, -1.0), "Down": (0.0, 1.0)}


class DrawingKeys:
    """Keys of the canvas that select things and open their menus.

    Args:
        context: the canvas.
        open_menu: opens the menu of a thing, or that of the drawing, at a position on the screen.
    """

    def __init__(self, context: ToolContext, open_menu: Callable[[Key | None, int, int], object]) -> None:
        self._context, self._show_menu = context, open_menu
        view = context.view
        for key, towards in _DIRECTIONS.items():
            view.bind(f"<Control-{key}>", lambda event, towards=towards: self._select(towards))  # type: ignore[misc]
        for sequence in ("<Shift-F10>", "<Menu>"):
            view.bind(sequence, lambda event: self._open_menu())

    def _select(self, towards: tuple[float, float]) -> str:
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
        return "break"

    def _open_menu(self) -> str:
        """Open the menu of the selected thing, or that of the drawing."""
        view = self._context.view
        key = min(view.selection, default=None)
        x, y = view.to_widget(view.scene.center(key)) if key is not None else (view.winfo_width() / 2, 0.0)
        self._show_menu(key, round(view.winfo_rootx() + x), round(view.winfo_rooty() + y))
        return "break"
