"""Texts on a canvas: their fonts and sizes at every zoom, and the plates behind them.

A plate is a rectangle in the color of the background. It covers the lines behind a text.
"""

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

#: Texts smaller than this, in pixels at a scaling of 1, cannot be read and are hidden: names below half of their
#: size, and texts beside links, which are meant for a larger zoom, below three quarters.
_SMALLEST_PX = {NAME_SIZE: 5.5, SMALL_SIZE: 7.5}
#: The tag of the plate behind a text on its link.
_LINK_PLATE = "back"
#: Rounding error allowed in a zoom, which is a product of many steps.
_TOLERANCE = 1e-6
#: The tag of everything drawn for nodes, lines and flows.
SPRITE = "sprite"
#: The tags of texts by their sizes.
_TAGS = {NAME_SIZE: "name", SMALL_SIZE: "small"}
#: Size of the font for measuring texts: large, so that the rounding of each letter matters little.
_RULER_PX = 96


class TextCanvas(Viewport):
    """A canvas with texts.

    Attributes:
        theme: its colors.
    """

    def __init__(self, parent: tk.Misc, ui: float, theme: Theme) -> None:
        super().__init__(parent, ui)
        self.theme = theme
        self._family = family = tkfont.nametofont("TkDefaultFont").actual("family")
        self._fonts: dict[int, tkfont.Font] = {}
        # The sizes of texts after the last zoom, in pixels, by their tags; 0 for hidden ones.
        self._sizes: dict[str, int] = {}
        self._ruler = tkfont.Font(self, family=family, size=-_RULER_PX)
        self._widths: dict[str, float] = {}
        # Two hidden items separate three levels: lines, then names, then icons, so that a name never hides an icon.
        self._line_ceiling = self.create_line(0, 0, 0, 0, state="hidden")
        self._name_ceiling = self.create_line(0, 0, 0, 0, state="hidden")

    @property
    def small_font(self) -> tkfont.Font:
        """The font of texts beside links, at the present zoom."""
        return self._font_of(SMALL_SIZE)

    @property
    def name_font(self) -> tkfont.Font:
        """The font of names and notes, at the present zoom."""
        return self._font_of(NAME_SIZE)

    def _font_of(self, units: float) -> tkfont.Font:
        """The font of a size at the present zoom.

        No font is changed later: Tk would then lay out every widget of the window again.
        """
        px = self._text_px(units)
        if px not in self._fonts:
            self._fonts[px] = tkfont.Font(self, family=self._family, size=-px)
        return self._fonts[px]

    @property
    def hides_names(self) -> bool:
        """Whether names are too small to read, and therefore hidden."""
        return self._is_too_small(NAME_SIZE)

    def measure(self, text: str, units: float) -> float:
        """The width of a line of text at a size, in world units."""
        width = self._widths.get(text)
        if width is None:
            width = self._widths[text] = self._ruler.measure(text) / _RULER_PX
        return width * units

    def _is_too_small(self, units: float) -> bool:
        return units * self.zoom < _SMALLEST_PX[units] - _TOLERANCE

    def _draw_text(self, at: Point, text: str, units: float, color: str, anchor: Any = "center") -> int:
        """Draw a text of one of the two sizes at a point of the canvas; returns the item."""
        state: Any = "hidden" if self._is_too_small(units) else "normal"
        return self.create_text(
            *at, text=text, font=self._font_of(units), fill=color, anchor=anchor, justify=line_alignment(anchor),
            tags=("text", _TAGS[units], SPRITE), state=state,
        )  # fmt: skip

    def _draw_plate(self, text: int) -> int:
        """Draw a plate behind the text of a node or a flow, so that no line runs through it."""
        state: Any = self.itemcget(text, "state")
        background = self._background_of_text(text)
        self.itemconfigure(text, fill=text_on(background, self.theme))
        plate = self.create_rectangle(
            *self._plate_box(text),
            fill=background,
            width=0,
            tags=("plate", *self.gettags(text)[1:]),
            state=state,
        )
        self.tag_lower(plate, self._name_ceiling)
        return plate

    def _draw_link_plate(self, text: int) -> int:
        """Draw a plate behind a text on its link; the text keeps its color and its height."""
        color = self.itemcget(text, "fill")
        plate = self._draw_plate(text)
        self.itemconfigure(text, fill=color)
        self.addtag_withtag(_LINK_PLATE, plate)
        self.tag_lower(plate, text)
        return plate

    def _background_at(self, at: Point) -> str:
        """The background color at a point, in world units."""
        return self.theme.canvas

    def _background_of_text(self, text: int) -> str:
        """The background color at the first line of a text."""
        x, y = self.coords(text)
        return self._background_at((x / self.factor, y / self.factor + NAME_SIZE / 2))

    def _recolor_plates(self) -> None:
        for plate in self.find_withtag("plate"):
            text = self.find_above(plate)[0]
            background = self._background_of_text(text)
            self.itemconfigure(plate, fill=background)
            if _LINK_PLATE not in self.gettags(plate):
                self.itemconfigure(text, fill=text_on(background, self.theme))

    def _plate_box(self, text: int) -> tuple[float, ...]:
        # A hidden text has no size; its plate gets one when it is shown again.
        box: tuple[float, ...] | None = self.bbox(text)
        return tuple(box or self.coords(text) * 2)

    def _resize_texts(self) -> None:
        for units, tag in _TAGS.items():
            px = 0 if self._is_too_small(units) else self._text_px(units)
            previous_px, self._sizes[tag] = self._sizes.get(tag), px
            if not px:
                if previous_px != px:
                    self.itemconfigure(tag, state="hidden")
                continue
            if previous_px != px:
                self.itemconfigure(f"{tag}&&!plate", font=self._font_of(units), state="normal")
                self.itemconfigure(f"{tag}&&plate", state="normal")
            # The size of a text does not follow the zoom. It is known only once the text has its new font.
            plates = ((plate,) for plate in self.find_withtag(f"{tag}&&plate"))
            for_each(self, "plate", plates, "$canvas coords $plate [$canvas bbox [$canvas find above $plate]]")
