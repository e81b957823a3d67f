"""Paints the background of the track: lanes, names at the left, and the axis above."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Collection
from dataclasses import dataclass
from tkinter import font as tkfont

from frrlib.picture.scene import Key
from frrlib.picture.theme import Theme
from miniedit_frr.track.layout import AXIS_HEIGHT, NAMES_WIDTH, Band, Layout

#: In units: positions of names, titles of rows and numbers, the width of numbers, and the minimum distance of two.
_TITLE, _ROW_TITLE, _SCALE, _NUMBER, _NUMBERS = 10.0, 118.0, 226.0, 46.0, 12.0
#: In units: the gap beside a text.
GAP = 5.0


@dataclass
class BackgroundPainter:
    """Paints the background on a canvas with these fonts and colors.

    Attributes:
        scrolled: the distance in pixels by which the rows are scrolled up.
        has_keys: whether the track has the keyboard.
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

    def width(self) -> float:
        """The width of the canvas, in pixels."""
        return float(self.canvas.winfo_width())

    def _lane_color(self, band: Band, lanes: Collection[Key]) -> str:
        """The background color of a lane. Selected lanes have another color; the others alternate."""
        theme = self.theme
        return theme.pressed if band.lane.key in lanes else theme.card if band.number % 2 == 0 else theme.canvas

    def paint_row(self, layout: Layout, band: Band, lanes: Collection[Key]) -> None:
        """Paint the background of a row."""
        theme, fill = self.theme, self._lane_color(band, lanes)
        self.canvas.create_rectangle(
            0, self.y(band.top), self.width(), self.y(band.bottom), fill=fill, width=0, tags="ground"
        )
        if band.is_first:
            self.canvas.create_line(0, self.y(band.top), self.width(), self.y(band.top), fill=theme.grid)

    def paint_grid(self, layout: Layout) -> None:
        """Paint a line for each label of the axis."""
        bottom = self.y(layout.height)
        for time_s in layout.axis.ticks():
            x = layout.axis.x_of(time_s)
            self.canvas.create_line(x, AXIS_HEIGHT * self.ui, x, bottom, fill=self.theme.grid)

    def paint_names(self, layout: Layout, lanes: Collection[Key]) -> None:
        """Paint the names of lanes and rows, over entries that are scrolled below them."""
        canvas, theme, ui = self.canvas, self.theme, self.ui
        left = NAMES_WIDTH * ui
        for band in layout.bands:
            top, bottom = self.y(band.top), self.y(band.bottom)
            canvas.create_rectangle(0, top, left, bottom, fill=self._lane_color(band, lanes), width=0, tags="gutter")
            middle = (top + bottom) / 2 if band.row.has_values or band.row.lines == 1 else top + 14 * ui
            if band.is_first:
                canvas.create_line(0, top, left, top, fill=theme.grid)
                name = cut(band.lane.title, (_ROW_TITLE - _TITLE - GAP) * ui, self.bold)
                canvas.create_text(_TITLE * ui, middle, text=name, font=self.bold, fill=theme.text, anchor="w")
            room = (_SCALE - _ROW_TITLE - (_NUMBER if band.row.has_values else 0)) * ui
            title = cut(band.row.title, room, self.small)
            canvas.create_text(_ROW_TITLE * ui, middle, text=title, font=self.small, fill=theme.faint, anchor="w")
            if band.row.has_values:
                self._paint_numbers(layout, band)
        canvas.create_line(left, 0, left, max(self.y(layout.height), AXIS_HEIGHT * ui), fill=theme.edge)

    def _paint_numbers(self, layout: Layout, band: Band) -> None:
        """Paint the levels of a row beside it, the highest with the unit. Overlapping numbers are left out."""
        levels = {value for entry in band.row.entries for value in entry.levels.values()}
        if not levels:
            points = [value for entry in band.row.entries for _, value in entry.points]
            levels = {max(points), min(points)} if points else set()
        levels |= {value for _, value in band.row.steps[:1]}
        drawn_ys: list[float] = []
        for value in sorted(levels, reverse=True):
            y = self.y(layout.y_of(band, value))
            if all(abs(y - drawn_y) >= _NUMBERS * self.ui for drawn_y in drawn_ys):
                unit = f" {band.row.unit}" if not drawn_ys else ""
                self.canvas.create_text(
                    _SCALE * self.ui, y, text=f"{value:g}{unit}", font=self.small, fill=self.theme.faint, anchor="e"
                )
                drawn_ys.append(y)

    def paint_axis(self, layout: Layout) -> None:
        """Paint the axis, over entries that are scrolled below it."""
        canvas, theme, ui, axis = self.canvas, self.theme, self.ui, layout.axis
        height = AXIS_HEIGHT * ui
        canvas.create_rectangle(0, 0, self.width(), height, fill=theme.base_ground, width=0)
        edge_color = theme.accent if self.has_keys else theme.edge
        canvas.create_line(0, height, self.width(), height, fill=edge_color, width=ui * (2 if self.has_keys else 1))
        for time_s in axis.ticks():
            x = axis.x_of(time_s)
            canvas.create_line(x, height - 4 * ui, x, height, fill=theme.faint)
            canvas.create_text(x, 4 * ui, text=f"{time_s:g} s", font=self.small, fill=theme.faint, anchor="n")


def cut(text: str, width: float, font: tkfont.Font) -> str:
    """The text, shortened to a width; empty if fewer than three characters fit."""
    if font.measure(text) <= width:
        return text
    while len(text) > 2 and font.measure(f"{text}…") > width:
        text = text[:-1]
    return f"{text}…" if len(text) > 2 else ""
