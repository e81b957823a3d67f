"""The start page on an empty canvas: how to begin, a few examples to click, and where the others are."""

from __future__ import annotations

import tkinter as tk
import tkinter.ttk as ttk
from collections.abc import Callable, Sequence

from PIL import ImageTk

from frrlib.errors import LabError
from frrlib.formats import mn
from miniedit_frr.canvas.picture import picture
from miniedit_frr.panels.examples import Example
from miniedit_frr.style.theme import Theme
from miniedit_frr.widgets.popup import popup

_HOW = (
    "Choose a tool at the left, then click on the canvas to place a node.\n"
    "With NetLink press on a node and drag to another. Whatever is selected has its properties at the right."
)


class StartPage(tk.Frame):
    """Shown over the canvas as long as the drawing is empty.

    Args:
        listed: what has a card.
        pick: called with the example whose card was clicked.
        more: fills a menu with all examples; asked when it opens.
    """

    def __init__(
        self, parent: tk.Misc, listed: Sequence[Example], pick: Callable[[Example], None],
        more: Callable[[tk.Menu], None], ui: float, theme: Theme,
    ) -> None:  # fmt: skip
        super().__init__(parent, background=theme.canvas)
        self._pick, self._ui, self._theme = pick, ui, theme
        self._images: list[ImageTk.PhotoImage] = []
        self.cards: list[tk.Frame] = []
        self._label(self, "Draw a network", 20, theme.text, bold=True).pack(pady=(0, 6))
        self._label(self, _HOW, 11, theme.faint).pack(pady=(0, 22))
        if listed:
            self._label(self, "… or begin with an example", 12, theme.text).pack(pady=(0, 8))
            shelf = tk.Frame(self, background=theme.canvas)
            shelf.pack()
            for example in listed:
                self._card(shelf, example)
            self._more(more)

    def _more(self, fill: Callable[[tk.Menu], None]) -> None:
        button = ttk.Menubutton(self, text="All examples ")
        menu = popup(button, self._theme)
        menu.configure(postcommand=lambda: fill(menu))
        button.configure(menu=menu)
        button.pack(pady=(18, 0))

    def _label(self, parent: tk.Misc, text: str, size: int, colour: str, bold: bool = False) -> tk.Label:
        font = ("TkDefaultFont", -round(size * 1.25 * self._ui), "bold" if bold else "normal")
        ground = str(parent.cget("background"))
        return tk.Label(parent, text=text, font=font, foreground=colour, background=ground, justify="center")

    def _card(self, shelf: tk.Frame, example: Example) -> None:
        theme, ui = self._theme, self._ui
        try:
            topology = mn.load(example.path).topology
        except LabError:
            return
        card = tk.Frame(
            shelf, background=theme.card, highlightthickness=max(1, round(ui)), highlightbackground=theme.edge,
            cursor="hand2", takefocus=True,
        )  # fmt: skip
        card.configure(highlightcolor=theme.accent)
        image = ImageTk.PhotoImage(picture(topology, round(210 * ui), round(120 * ui), theme), master=self)
        self._images.append(image)
        parts: list[tk.Widget] = [tk.Label(card, image=image, background=theme.card, borderwidth=0)]
        parts.append(self._label(card, example.title, 11, theme.text, bold=True))
        about = self._label(card, example.about, 9, theme.faint)
        about.configure(wraplength=round(200 * ui))
        parts.append(about)
        for part, pady in zip(parts, ((8, 2), (2, 0), (0, 10)), strict=True):
            part.pack(padx=8, pady=pady)
        for widget in (card, *parts):
            widget.bind("<ButtonRelease-1>", lambda event: self._pick(example))
            widget.bind("<Enter>", lambda event: card.configure(highlightbackground=theme.accent))
            widget.bind("<Leave>", lambda event: card.configure(highlightbackground=theme.edge))
        card.bind("<Return>", lambda event: self._pick(example))
        card.pack(side="left", padx=10, fill="y")
        self.cards.append(card)
