"""Texts in the columns of a list, cut with an ellipsis to the width of their columns."""

from __future__ import annotations

from collections.abc import Sequence
from tkinter import font as tkfont

import ttkbootstrap as ttk

from miniedit_frr.widgets.ellipsis import elide

#: Padding of the list in each column, in units.
_ROOM = 14


class ColumnTexts:
    """Keeps the full texts of a list's rows, and shows as much of each as fits, also after a change of width.

    Args:
        tree: the list, with all its columns.
        ui: scaling of the screen.
        before_px: width of the parts before a row's first text, such as a picture.
    """

    def __init__(self, tree: ttk.Treeview, ui: float, before_px: int = 0) -> None:
        self._tree, self._before_px = tree, before_px
        self._font, self._room_px = tkfont.nametofont("TkDefaultFont"), round(_ROOM * ui)
        self._widest_px = self._font.measure("W")
        self._rows: dict[str, tuple[str, Sequence[str]]] = {}
        tree.bind("<Configure>", lambda event: self._fit(), add=True)
        tree.bind("<ButtonRelease-1>", lambda event: self._fit(), add=True)

    def put(self, item: str, values: Sequence[str], text: str = "") -> None:
        """Show texts in an existing row: `values` in its columns, and `text` in the column of the tree."""
        self._rows[item] = text, values
        self._show(item)

    def clear(self) -> None:
        """Forget deleted rows."""
        self._rows = {item: row for item, row in self._rows.items() if self._tree.exists(item)}

    def full_texts(self, item: str) -> Sequence[str]:
        """The full texts of a row's columns; empty for an unknown row."""
        return self._rows.get(item, ("", ()))[1]

    def _fit(self) -> None:
        self.clear()
        for item in self._rows:
            self._show(item)

    def _show(self, item: str) -> None:
        text, values = self._rows[item]
        visible_values = [self._cut(value, self._width(index)) for index, value in enumerate(values)]
        current = self._tree.item(item)
        if text:
            room = self._width("#0") - self._before_px
            text = "\n".join(self._cut(line, room) for line in text.split("\n"))
        if list(map(str, current["values"] or ())) != visible_values or current["text"] != text:
            self._tree.item(item, values=visible_values, text=text)

    def _width(self, column: int | str) -> int:
        return int(self._tree.column(column, "width")) - self._room_px

    def _cut(self, text: str, width_px: int) -> str:
        return text if len(text) * self._widest_px <= width_px else elide(text, self._font, width_px)
