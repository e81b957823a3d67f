"""Scroll bars on the canvas, visible while a part of the drawing is outside the view."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from typing import Any

import ttkbootstrap as ttk

#: A view scrolls by whole pixels, so a view of everything may still cut a fraction of a pixel.
_LEAST_PX = 2


def add_bars(view: tk.Canvas, on_scroll: list[Callable[[str, float, float], None]]) -> None:
    """Put scroll bars at the right and the lower edge of a canvas.

    Args:
        view: the canvas.
        on_scroll: listeners that the canvas calls after scrolling, with the axis ("x" or "y") and the beginning and end
            of the visible part, 0 to 1.
    """
    places: dict[str, dict[str, Any]] = {
        "x": {"relx": 0, "rely": 1, "relwidth": 1, "anchor": "sw"},
        "y": {"relx": 1, "rely": 0, "relheight": 1, "anchor": "ne"},
    }
    bars = {
        "x": ttk.Scrollbar(view, orient="horizontal", command=view.xview, cursor="arrow"),
        "y": ttk.Scrollbar(view, orient="vertical", command=view.yview, cursor="arrow"),
    }

    def show(axis: str, first: float, last: float) -> None:
        bars[axis].set(first, last)
        seen_px = view.winfo_width() if axis == "x" else view.winfo_height()
        hidden_px = seen_px * (1 - (last - first)) / max(last - first, 1e-6)
        if hidden_px < _LEAST_PX:
            bars[axis].place_forget()
        elif not bars[axis].winfo_manager():
            bars[axis].place(**places[axis])

    on_scroll.append(show)
