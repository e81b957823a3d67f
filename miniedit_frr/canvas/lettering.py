"""Texts on a canvas: their fonts and sizes at every zoom, and the ground behind them."""

from __future__ import annotations

import tkinter as tk
from tkinter import font as tkfont
from typing import Any

from miniedit_frr.canvas.texts import NAME_SIZE
from miniedit_frr.canvas.viewport import Viewport
from miniedit_frr.style.colours import text_on
from miniedit_frr.style.theme import Theme

#: Texts smaller than this say nothing to anyone, and are left out.
_SMALLEST_TEXT_PX = 6
#: Size of the font that texts are measured with: large, so that a letter's rounding counts for little.
_RULER_PX = 96


class Lettering(Viewport):
    """A canvas that can write.

    Attributes:
        theme: its colours.
    """

    def __init__(self, parent: tk.Misc, ui: float, theme: Theme) -> None:
        super().__init__(parent, ui)
        self.theme = theme
        family = tkfont.nametofont("TkDefaultFont").actual("family")
        self._font = tkfont.Font(self, family=family, size=-self._text_px(12))
        self._small = tkfont.Font(self, family=family, size=-self._text_px(10))
        self._ruler = tkfont.Font(self, family=family, size=-_RULER_PX)
        self._widths: dict[str, float] = {}
        # Lines are below the floor, names between floor and shelf, icons above: a name never hides an icon.
        self._floor = self.create_line(0, 0, 0, 0, state="hidden")
        self._shelf = self.create_line(0, 0, 0, 0, state="hidden")

    @property
    def small_font(self) -> tkfont.Font:
        """The font of what stands beside links, at the present zoom."""
        return self._small

    @property
    def name_font(self) -> tkfont.Font:
        """The font of names and notes, at the present zoom."""
        return self._font

    @property
    def hides_names(self) -> bool:
        """Whether names are too small to be read, and left out."""
        return self._is_tiny(NAME_SIZE)

    def measure(self, text: str, units: float) -> float:
        """The width of a line of text at a size, in world units."""
        width = self._widths.get(text)
        if width is None:
            width = self._widths[text] = self._ruler.measure(text) / _RULER_PX
        return width * units

    def _is_tiny(self, units: float) -> bool:
        return self._text_px(units) < _SMALLEST_TEXT_PX

    def _text(self, x: float, y: float, text: str, font: tkfont.Font, colour: str, anchor: Any = "center") -> int:
        tag = "name" if font is self._font else "small"
        state: Any = "hidden" if self._is_tiny(12 if tag == "name" else 10) else "normal"
        return self.create_text(
            x, y, text=text, font=font, fill=colour, anchor=anchor, justify="center", tags=("text", tag), state=state
        )

    def _plate(self, text: int) -> int:
        """A ground behind the text of a node or a flow, so that no line runs through it."""
        state: Any = self.itemcget(text, "state")
        behind = self._ground_at(self.coords(text))
        self.itemconfigure(text, fill=text_on(behind, self.theme))
        plate = self.create_rectangle(
            *self._plate_box(text),
            fill=behind,
            width=0,
            tags=("plate", *self.gettags(text)[1:]),
            state=state,
        )
        self.tag_lower(plate, self._shelf)
        return plate

    def _ground_at(self, at: list[float]) -> str:
        """The colour behind a text that stands there, in canvas coordinates."""
        return self.theme.canvas

    def _repaint_plates(self) -> None:
        for plate in self.find_withtag("plate"):
            text = self.find_above(plate)[0]
            behind = self._ground_at(self.coords(text))
            self.itemconfigure(plate, fill=behind)
            self.itemconfigure(text, fill=text_on(behind, self.theme))

    def _plate_box(self, text: int) -> tuple[float, ...]:
        # A hidden text has no size; its plate gets one when it is shown again.
        box: tuple[float, ...] | None = self.bbox(text)
        return tuple(box or self.coords(text) * 2)

    def _refit_plates(self) -> None:
        for plate in self.find_withtag("plate"):
            self.coords(plate, *self._plate_box(self.find_above(plate)[0]))

    def _size_texts(self) -> None:
        for tag, units, font in (("name", 12, self._font), ("small", 10, self._small)):
            if self._is_tiny(units):
                self.itemconfigure(tag, state="hidden")
                continue
            font.configure(size=-self._text_px(units))
            # Only then a text knows how large it is with the new font.
            self.itemconfigure(tag, state="normal")
        self._refit_plates()
