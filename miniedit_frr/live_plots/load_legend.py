"""A small card over the canvas: the meaning of the colors of loads."""

from __future__ import annotations

import tkinter as tk
from itertools import pairwise

from frrlib.picture.theme import Theme
from miniedit_frr.canvas.load_layer import LOAD_CLASSES, load_color
from miniedit_frr.canvas.view import View
from miniedit_frr.panels.corner import Corner


class LoadLegend:
    """The card.

    Attributes:
        frame: the card; None if it is hidden.
    """

    def __init__(self, view: View, theme: Theme) -> None:
        self._view, self._theme = view, theme
        self._corner = Corner(view, "right")
        self.frame: tk.Frame | None = None

    def show(self, is_there: bool) -> None:
        """Show or hide the card."""
        if is_there and self.frame is None:
            self._build()
        elif not is_there and self.frame is not None:
            self.frame.destroy()
            self.frame = None
            self._corner.clear()

    def set_theme(self, theme: Theme) -> None:
        """Show it in a theme's colors."""
        self._theme = theme
        if self.frame is not None:
            self.show(False)
            self.show(True)

    def _build(self) -> None:
        theme, ui = self._theme, self._view.ui
        card = self.frame = tk.Frame(
            self._view, background=theme.card, highlightthickness=1, highlightbackground=theme.edge,
            padx=round(8 * ui), pady=round(4 * ui),
        )  # fmt: skip
        self._label("load", theme.text)
        for grade, (low, high) in enumerate(pairwise((0.0, *LOAD_CLASSES))):
            swatch = tk.Frame(card, background=load_color(grade, theme), width=round(18 * ui), height=round(7 * ui))
            swatch.pack(side="left", padx=(round(8 * ui), round(4 * ui)))
            self._label(f"< {high:.0%}" if high <= 1 else f"{low:.0%} and more", theme.faint)
        tk.Frame(card, background=theme.edge, width=1).pack(side="left", fill="y", padx=round(8 * ui))
        self._label("gauge: queue", theme.faint)
        self._corner.put(card)

    def _label(self, text: str, color: str) -> None:
        label = tk.Label(
            self.frame, text=text.replace("%", " %"), background=self._theme.card, foreground=color, borderwidth=0
        )
        label.pack(side="left")
