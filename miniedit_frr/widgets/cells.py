"""A table of many rows and columns that draws only the visible cells."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence
from tkinter import font as tkfont
from typing import NamedTuple

import ttkbootstrap as ttk

from frrlib.picture.theme import Theme
from miniedit_frr.widgets.deferred import DeferredCall

_HIGH, _HEAD, _WIDE = 24, 28, 190
#: The minimum and maximum width of the first column.
_FIRST, _FIRST_MOST = 170, 340


class CellContent(NamedTuple):
    """The content of a cell: a text, and its change: "new", "changed", "gone" or ""."""

    text: str
    change: str = ""


_MARKS = {"new": "+", "changed": "~", "gone": "✗"}


class Cells(ttk.Frame):
    """The table. The first column and the head are always visible.

    Attributes:
        on_pick: called with the row and column of a clicked cell.
        item_count: number of items on the canvas, for tests.
        selected_cell: row and column of the cell clicked last; None without one.

    Args:
        cell: returns the content for a row and a column.
    """

    def __init__(self, parent: tk.Misc, cell: Callable[[int, int], CellContent], ui: float, theme: Theme) -> None:
        super().__init__(parent)
        self._cell, self._ui, self._theme = cell, ui, theme
        self.on_pick: Callable[[int, int], None] = lambda row, column: None
        self._rows: Sequence[str] = ()
        self._columns: Sequence[str] = ()
        self._first_row = self._first_column = 0
        self._first_width: float = _FIRST
        self.selected_cell: tuple[int, int] | None = None
        self._drawing = DeferredCall(self, self._draw)
        self.item_count = 0
        self._font = tkfont.nametofont("TkDefaultFont")
        self.view = tk.Canvas(self, background=theme.canvas, highlightthickness=0, width=round(900 * ui),
                              height=round(420 * ui), takefocus=True)  # fmt: skip
        self._down = ttk.Scrollbar(self, command=self._scroll_rows)
        self._across = ttk.Scrollbar(self, orient="horizontal", command=self._scroll_columns)
        self.columnconfigure(0, weight=1)
        self.rowconfigure(0, weight=1)
        self.view.grid(row=0, column=0, sticky="nsew")
        self._bind_keys()

    def _bind_keys(self) -> None:
        view = self.view
        view.bind("<Configure>", lambda event: self._drawing.soon())
        view.bind("<Button-1>", self._press)
        for sequence, rows, columns in (
            ("<Button-4>", -3, 0), ("<Button-5>", 3, 0), ("<Shift-Button-4>", 0, -1), ("<Shift-Button-5>", 0, 1),
            ("<Up>", -1, 0), ("<Down>", 1, 0), ("<Prior>", -15, 0), ("<Next>", 15, 0), ("<Left>", 0, -1),
            ("<Right>", 0, 1), ("<Home>", -1_000_000, -1_000_000), ("<End>", 1_000_000, 0),
        ):  # fmt: skip
            view.bind(sequence, lambda event, r=rows, c=columns: self._move(r, c))  # type: ignore[misc]
        view.bind("<MouseWheel>", lambda event: self._move(-3 if event.delta > 0 else 3, 0))

    def show(self, rows: Sequence[str], columns: Sequence[str]) -> None:
        """Show rows and columns with these titles. The scroll position stays."""
        if rows != self._rows or columns != self._columns:
            self.selected_cell = None
        self._rows, self._columns = rows, columns
        widest = max((self._font.measure(title) for title in _longest(rows)), default=0)
        self._first_width = min(max(_FIRST, widest / self._ui + 18), _FIRST_MOST)
        self._drawing.soon()

    def place_of(self, row: int, column: int) -> tuple[float, float]:
        """The center of a cell on the canvas, which may be outside the visible part."""
        ui = self._ui
        x = (self._first_width + (column - self._first_column + 0.5) * self._wide) * ui
        return x, (_HEAD + (row - self._first_row + 0.5) * _HIGH) * ui

    # --- the visible part ---

    @property
    def _room(self) -> tuple[int, int]:
        """The number of rows and columns that fit."""
        ui, view = self._ui, self.view
        rows = (view.winfo_height() / ui - _HEAD) / _HIGH
        return max(1, int(rows)), max(1, int((view.winfo_width() / ui - self._first_width) / self._wide))

    @property
    def _wide(self) -> float:
        """The width of a column in units. A small number of columns share the full width."""
        room = self.view.winfo_width() / self._ui - self._first_width
        return max(_WIDE, min(room / max(1, len(self._columns)), 2 * _WIDE))

    def _move(self, rows: int, columns: int) -> str:
        self._first_row, self._first_column = self._first_row + rows, self._first_column + columns
        self._drawing.soon()
        return "break"

    def _scroll_rows(self, command: str, amount: str, unit: str = "") -> None:
        self._first_row = self._scroll_position(self._first_row, len(self._rows), self._room[0], command, amount, unit)
        self._drawing.soon()

    def _scroll_columns(self, command: str, amount: str, unit: str = "") -> None:
        self._first_column = self._scroll_position(
            self._first_column, len(self._columns), self._room[1], command, amount, unit
        )
        self._drawing.soon()

    @staticmethod
    def _scroll_position(now: int, every: int, room: int, command: str, amount: str, unit: str) -> int:
        if command == "moveto":
            return round(float(amount) * every)
        return now + int(amount) * (room if unit == "pages" else 1)

    def _draw(self) -> None:
        rows, columns = self._room
        self._first_row = max(0, min(self._first_row, len(self._rows) - rows))
        self._first_column = max(0, min(self._first_column, len(self._columns) - columns))
        self._bars(rows, columns)
        self.view.delete("all")
        visible_rows = range(self._first_row, min(len(self._rows), self._first_row + rows + 1))
        last_column = min(len(self._columns), self._first_column + columns + 1)
        self._draw_cells(visible_rows, range(self._first_column, last_column))
        self.item_count = len(self.view.find_all())

    def _bars(self, rows: int, columns: int) -> None:
        for bar, first, room, every, at in (
            (self._down, self._first_row, rows, len(self._rows), {"row": 0, "column": 1, "sticky": "ns"}),
            (self._across, self._first_column, columns, len(self._columns), {"row": 1, "column": 0, "sticky": "ew"}),
        ):
            bar.set(first / max(1, every), min(1.0, (first + room) / max(1, every)))
            if every <= room:
                bar.grid_forget()
            elif not bar.winfo_manager():
                bar.grid(**at)

    def _draw_cells(self, rows: range, columns: range) -> None:
        view, theme, ui = self.view, self._theme, self._ui
        first, wide, high, head = self._first_width * ui, self._wide * ui, _HIGH * ui, _HEAD * ui
        right_edge = first + len(columns) * wide
        for place, row in enumerate(rows):
            top = head + place * high
            if row % 2 == 0:
                view.create_rectangle(0, top, right_edge, top + high, fill=theme.card, width=0)
            for across, column in enumerate(columns):
                self._draw_cell(row, column, first + across * wide, top, wide, high)
            view.create_rectangle(0, top, first, top + high, fill=theme.card if row % 2 == 0 else theme.canvas, width=0)
            view.create_text(8 * ui, top + high / 2, text=self._rows[row], anchor="w", fill=theme.text)
        view.create_rectangle(0, 0, view.winfo_width(), head, fill=theme.hover, width=0)
        view.create_text(8 * ui, head / 2, text="Prefix", anchor="w", fill=theme.faint)
        for across, column in enumerate(columns):
            view.create_text(
                first + across * wide + 8 * ui, head / 2, text=self._columns[column], anchor="w", fill=theme.text
            )
            x = first + across * wide
            view.create_line(x, 0, x, head + len(rows) * high, fill=theme.edge)

    def _draw_cell(self, row: int, column: int, x: float, y: float, wide: float, high: float) -> None:
        text, change = self._cell(row, column)
        view, theme, pad = self.view, self._theme, 8 * self._ui
        if change:
            grounds = {"new": theme.up, "changed": theme.starting, "gone": theme.error}
            view.create_rectangle(x + 1, y + 1, x + 4 * self._ui, y + high - 1, fill=grounds[change], width=0)
            view.create_rectangle(x + 1, y + 1, x + wide - 1, y + high - 1, outline=grounds[change])
            text = f"{_MARKS[change]} {text}"
        if (row, column) == self.selected_cell:
            view.create_rectangle(x + 2, y + 2, x + wide - 2, y + high - 2, outline=theme.accent, width=2)
        if text:
            color = theme.faint if change == "gone" else theme.text
            visible_text = self._cut(text, wide - 2 * pad)
            item = view.create_text(x + pad, y + high / 2, text=visible_text, anchor="w", fill=color)
            if change == "gone":
                x0, y0, x1, y1 = view.bbox(item)
                skip = self._font.measure(f"{_MARKS[change]} ")
                view.create_line(x0 + skip, (y0 + y1) / 2, x1, (y0 + y1) / 2, fill=theme.faint)

    def _cut(self, text: str, room: float) -> str:
        """The beginning of a text that fits into the room, with an ellipsis if it is cut."""
        if self._font.measure(text) <= room:
            return text
        while text and self._font.measure(f"{text}…") > room:
            text = text[:-1]
        return f"{text}…"

    def _press(self, event: tk.Event) -> None:
        self.view.focus_set()
        ui = self._ui
        row = int((event.y / ui - _HEAD) // _HIGH) + self._first_row
        column = int((event.x / ui - self._first_width) // self._wide) + self._first_column
        if (
            event.x > self._first_width * ui
            and event.y > _HEAD * ui
            and row < len(self._rows)
            and column < len(self._columns)
        ):
            self.selected_cell = row, column
            self.on_pick(row, column)
            self._drawing.soon()


def _longest(titles: Sequence[str]) -> list[str]:
    """The titles with the most letters. One of them is the widest; measuring all titles takes too long."""
    return sorted(titles, key=len)[-8:]
