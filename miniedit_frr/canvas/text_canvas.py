"""Texts on a canvas: their fonts and sizes at every zoom, and the background behind them."""

from __future__ import annotations

import tkinter as tk
from tkinter import font as tkfont
from typing import Any

from frrlib.picture.colors import text_on
from frrlib.picture.geometry import Point
from frrlib.picture.text_sizes import NAME_SIZE, SMALL_SIZE, line_alignment
from frrlib.picture.theme import Theme
from miniedit_frr.canvas.batch import for_each
from miniedit_frr.canvas.viewport import Viewport

#: Texts smaller than this, in pixels at a scaling of 1, cannot be read and are left out: names below half of their
#: size, and texts beside links, which are for a closer look, below three quarters.
_SMALLEST_PX = {NAME_SIZE: 5.5, SMALL_SIZE: 7.5}
#: The tag of the background behind a text on its link.
_BACK = "back"
#: Rounding error allowed in a zoom, which is a product of many steps.
_TINY = 1e-6
#: The tag of everything drawn for nodes, lines and flows.
SPRITE = "sprite"
#: The tags of texts by their sizes.
_TAGS = {NAME_SIZE: "name", SMALL_SIZE: "small"}
#: Size of the font that texts are measured with: large, so that a letter's rounding counts for little.
_RULER_PX = 96


class TextCanvas(Viewport):
    """A canvas that can write.

    Attributes:
        theme: its colours.
    """

    def __init__(self, parent: tk.Misc, ui: float, theme: Theme) -> None:
        super().__init__(parent, ui)
        self.theme = theme
        self._family = family = tkfont.nametofont("TkDefaultFont").actual("family")
        self._fonts: dict[int, tkfont.Font] = {}
        # The sizes in pixels that texts had after the last zoom, by their tags; 0 for hidden.
        self._sizes: dict[str, int] = {}
        self._ruler = tkfont.Font(self, family=family, size=-_RULER_PX)
        self._widths: dict[str, float] = {}
        # Lines are below the floor, names between floor and shelf, icons above: a name never hides an icon.
        self._floor = self.create_line(0, 0, 0, 0, state="hidden")
        self._shelf = self.create_line(0, 0, 0, 0, state="hidden")

    @property
    def small_font(self) -> tkfont.Font:
        """The font of texts beside links, at the present zoom."""
        return self._font_of(SMALL_SIZE)

    @property
    def name_font(self) -> tkfont.Font:
        """The font of names and notes, at the present zoom."""
        return self._font_of(NAME_SIZE)

    def _font_of(self, units: float) -> tkfont.Font:
        """The font of a size at the present zoom. Each stays as it is made: a named font that changes has Tk lay out
        every widget of the window."""
        px = self._text_px(units)
        if px not in self._fonts:
            self._fonts[px] = tkfont.Font(self, family=self._family, size=-px)
        return self._fonts[px]

    @property
    def hides_names(self) -> bool:
        """Whether names are too small to read, and therefore left out."""
        return self._is_tiny(NAME_SIZE)

    def measure(self, text: str, units: float) -> float:
        """The width of a line of text at a size, in world units."""
        width = self._widths.get(text)
        if width is None:
            width = self._widths[text] = self._ruler.measure(text) / _RULER_PX
        return width * units

    def _is_tiny(self, units: float) -> bool:
        return units * self.zoom < _SMALLEST_PX[units] - _TINY

    def _text(self, at: Point, text: str, units: float, colour: str, anchor: Any = "center") -> int:
        """A text of one of the two sizes at a point of the canvas."""
        state: Any = "hidden" if self._is_tiny(units) else "normal"
        return self.create_text(
            *at, text=text, font=self._font_of(units), fill=colour, anchor=anchor, justify=line_alignment(anchor),
            tags=("text", _TAGS[units], SPRITE), state=state,
        )  # fmt: skip

    def _plate(self, text: int) -> int:
        """A background behind the text of a node or a flow, so that no line runs through it."""
        state: Any = self.itemcget(text, "state")
        behind = self._ground_below(text)
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

    def _back(self, text: int) -> int:
        """A background behind a text on its link, which keeps its colour and its height."""
        colour = self.itemcget(text, "fill")
        plate = self._plate(text)
        self.itemconfigure(text, fill=colour)
        self.addtag_withtag(_BACK, plate)
        self.tag_lower(plate, text)
        return plate

    def _ground_at(self, at: Point) -> str:
        """The colour behind a point, in world units."""
        return self.theme.canvas

    def _ground_below(self, text: int) -> str:
        """The colour behind the first line of a text."""
        x, y = self.coords(text)
        return self._ground_at((x / self.factor, y / self.factor + NAME_SIZE / 2))

    def _repaint_plates(self) -> None:
        for plate in self.find_withtag("plate"):
            text = self.find_above(plate)[0]
            behind = self._ground_below(text)
            self.itemconfigure(plate, fill=behind)
            if _BACK not in self.gettags(plate):
                self.itemconfigure(text, fill=text_on(behind, self.theme))

    def _plate_box(self, text: int) -> tuple[float, ...]:
        # A hidden text has no size; its plate gets one when it is shown again.
        box: tuple[float, ...] | None = self.bbox(text)
        return tuple(box or self.coords(text) * 2)

    def _size_texts(self) -> None:
        for units, tag in _TAGS.items():
            px = 0 if self._is_tiny(units) else self._text_px(units)
            before, self._sizes[tag] = self._sizes.get(tag), px
            if not px:
                if before != px:
                    self.itemconfigure(tag, state="hidden")
                continue
            if before != px:
                self.itemconfigure(f"{tag}&&!plate", font=self._font_of(units), state="normal")
                self.itemconfigure(f"{tag}&&plate", state="normal")
            # A text keeps its size while all around it grows, and knows it with the new font only.
            plates = ((each,) for each in self.find_withtag(f"{tag}&&plate"))
            for_each(self, "plate", plates, "$canvas coords $plate [$canvas bbox [$canvas find above $plate]]")
