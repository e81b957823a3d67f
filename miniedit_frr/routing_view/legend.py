"""A small card over the canvas: the meaning of the routing signs, and the numbers of neighbors."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Mapping

from PIL import ImageTk

from frrlib.picture.theme import Theme
from miniedit_frr.canvas.routing_layer import grade_color, sign_background
from miniedit_frr.canvas.routing_signs import SIGN_HEIGHT
from miniedit_frr.canvas.view import View
from miniedit_frr.panels.corner import Corner

_WORDS = {"up": "up", "coming": "coming up", "down": "down"}


class RoutingLegend:
    """The card; it is visible while it has content.

    Attributes:
        frame: the card; None if it is hidden.
    """

    def __init__(self, view: View, theme: Theme) -> None:
        self._view, self._theme = view, theme
        self._corner = Corner(view, "left")
        self._totals: dict[str, tuple[int, int, str]] = {}
        self._images: list[ImageTk.PhotoImage] = []
        self._counts: dict[str, tk.Label] = {}
        self.frame: tk.Frame | None = None

    def show(self, totals: Mapping[str, tuple[int, int, str]]) -> None:
        """Show for each protocol the number of neighbors that are up, of all neighbors, and the worst grade."""
        if dict(totals) == self._totals:
            return
        is_same = [*totals] == [*self._totals]
        self._totals = dict(totals)
        if not is_same:
            self._build()
        self._count()

    def set_theme(self, theme: Theme) -> None:
        """Show it in a theme's colors."""
        self._theme = theme
        self._build()
        self._count()

    def _build(self) -> None:
        if self.frame is not None:
            self.frame.destroy()
            self.frame = None
        if not self._totals:
            self._corner.clear()
            return
        theme, ui = self._theme, self._view.ui
        card = self.frame = tk.Frame(
            self._view, background=theme.card, highlightthickness=1, highlightbackground=theme.edge,
            padx=round(8 * ui), pady=round(4 * ui),
        )  # fmt: skip
        px = round(SIGN_HEIGHT * ui)
        self._images = [
            ImageTk.PhotoImage(sign_background(px, px, grade, theme.name), master=self._view) for grade in _WORDS
        ]
        for image, word in zip(self._images, _WORDS.values(), strict=True):
            tk.Label(card, image=image, background=theme.card, borderwidth=0).pack(side="left", padx=(0, round(4 * ui)))
            self._label(word, theme.faint).pack(side="left", padx=(0, round(10 * ui)))
        tk.Frame(card, background=theme.edge, width=1).pack(side="left", fill="y", padx=(0, round(10 * ui)))
        self._counts = {}
        for title in self._totals:
            self._label(title, theme.text).pack(side="left", padx=(0, round(4 * ui)))
            self._counts[title] = label = self._label("", theme.text)
            label.pack(side="left", padx=(0, round(10 * ui)))
        self._corner.put(card)

    def _label(self, text: str, color: str) -> tk.Label:
        return tk.Label(self.frame, text=text, background=self._theme.card, foreground=color, borderwidth=0)

    def _count(self) -> None:
        for title, (up, every, grade) in self._totals.items():
            if title in self._counts and self.frame is not None:
                self._counts[title].configure(text=f"{up}/{every}", foreground=grade_color(grade, self._theme))
