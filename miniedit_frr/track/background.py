"""The paper of the track: the background of its lanes, the names at the left, the axis above."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Collection
from dataclasses import dataclass
from tkinter import font as tkfont

from frrlib.picture.scene import Key
from frrlib.picture.theme import Theme
from miniedit_frr.track.layout import AXIS_HEIGHT, NAMES_WIDTH, Band, Layout

#: In units: where names, titles of rows and numbers stand, what numbers take, and the least distance of two.
_TITLE, _ROW_TITLE, _SCALE, _NUMBER, _NUMBERS = 10.0, 118.0, 226.0, 46.0, 12.0
#: In units: between a text and what is beside it.
GAP = 5.0


@dataclass
class BackgroundPainter:
    """A canvas with the fonts and colours that are used on it.

    Attributes:
        scrolled: by how many pixels the rows are scrolled up.
        has_keys: whether the keyboard is for the track.
    """

    canvas: tk.Canvas
    theme: Theme
    ui: float
    font: tkfont.Font
    small: tkfont.Font
    bold: tkfont.Font
    scrolled: float = 0.0
    has_keys: bool = False

    def y(self, y: float) -> float:
        """The pixel of the canvas for a height below the axis."""
        return y + AXIS_HEIGHT * self.ui - self.scrolled

    def wide(self) -> float:
        """The width of the canvas, in pixels."""
        return float(self.canvas.winfo_width())

    def _shade(self, band: Band, lanes: Collection[Key]) -> str:
        """The background of a lane: one that is selected stands out, the others alternate."""
        theme = self.theme
        return theme.pressed if band.lane.key in lanes else theme.card if band.number % 2 == 0 else theme.canvas

    def ground(self, layout: Layout, band: Band, lanes: Collection[Key]) -> None:
        """The background of a row."""
        theme, fill = self.theme, self._shade(band, lanes)
        self.canvas.create_rectangle(
            0, self.y(band.top), self.wide(), self.y(band.bottom), fill=fill, width=0, tags="ground"
        )
        if band.is_first:
            self.canvas.create_line(0, self.y(band.top), self.wide(), self.y(band.top), fill=theme.grid)

    def grid(self, layout: Layout) -> None:
        """A line for each time that is written at the axis."""
        bottom = self.y(layout.height)
        for time_s in layout.axis.ticks():
            x = layout.axis.x_of(time_s)
            self.canvas.create_line(x, AXIS_HEIGHT * self.ui, x, bottom, fill=self.theme.grid)

    def names(self, layout: Layout, lanes: Collection[Key]) -> None:
        """The names of lanes and rows, over whatever is scrolled below them."""
        canvas, theme, ui = self.canvas, self.theme, self.ui
        left = NAMES_WIDTH * ui
        for band in layout.bands:
            top, bottom = self.y(band.top), self.y(band.bottom)
            canvas.create_rectangle(0, top, left, bottom, fill=self._shade(band, lanes), width=0, tags="gutter")
            middle = (top + bottom) / 2 if band.row.has_values or band.row.lines == 1 else top + 14 * ui
            if band.is_first:
                canvas.create_line(0, top, left, top, fill=theme.grid)
                name = cut(band.lane.title, (_ROW_TITLE - _TITLE - GAP) * ui, self.bold)
                canvas.create_text(_TITLE * ui, middle, text=name, font=self.bold, fill=theme.text, anchor="w")
            room = (_SCALE - _ROW_TITLE - (_NUMBER if band.row.has_values else 0)) * ui
            title = cut(band.row.title, room, self.small)
            canvas.create_text(_ROW_TITLE * ui, middle, text=title, font=self.small, fill=theme.faint, anchor="w")
            if band.row.has_values:
                self._numbers(layout, band)
        canvas.create_line(left, 0, left, max(self.y(layout.height), AXIS_HEIGHT * ui), fill=theme.edge)

    def _numbers(self, layout: Layout, band: Band) -> None:
        """The levels of a row at its side, the highest with the unit; those that would touch are left out."""
        levels = {value for entry in band.row.entries for value in entry.levels.values()}
        if not levels:
            points = [value for entry in band.row.entries for _, value in entry.points]
            levels = {max(points), min(points)} if points else set()
        levels |= {value for _, value in band.row.steps[:1]}
        written: list[float] = []
        for value in sorted(levels, reverse=True):
            y = self.y(layout.y_of(band, value))
            if all(abs(y - other) >= _NUMBERS * self.ui for other in written):
                unit = f" {band.row.unit}" if not written else ""
                self.canvas.create_text(
                    _SCALE * self.ui, y, text=f"{value:g}{unit}", font=self.small, fill=self.theme.faint, anchor="e"
                )
                written.append(y)

    def head(self, layout: Layout) -> None:
        """The axis, over whatever is scrolled below it."""
        canvas, theme, ui, axis = self.canvas, self.theme, self.ui, layout.axis
        high = AXIS_HEIGHT * ui
        canvas.create_rectangle(0, 0, self.wide(), high, fill=theme.base_ground, width=0)
        rim = theme.accent if self.has_keys else theme.edge
        canvas.create_line(0, high, self.wide(), high, fill=rim, width=ui * (2 if self.has_keys else 1))
        for time_s in axis.ticks():
            x = axis.x_of(time_s)
            canvas.create_line(x, high - 4 * ui, x, high, fill=theme.faint)
            canvas.create_text(x, 4 * ui, text=f"{time_s:g} s", font=self.small, fill=theme.faint, anchor="n")


def cut(text: str, room: float, font: tkfont.Font) -> str:
    """As much of a text as has room; nothing where that is next to nothing."""
    if font.measure(text) <= room:
        return text
    while len(text) > 2 and font.measure(f"{text}…") > room:
        text = text[:-1]
    return f"{text}…" if len(text) > 2 else ""
