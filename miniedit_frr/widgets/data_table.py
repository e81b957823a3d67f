"""A table with column titles and rows of text. A click on a title sorts it."""

from __future__ import annotations

import re
import tkinter as tk
from collections.abc import Collection, Sequence
from functools import partial
from typing import Literal, NamedTuple

import ttkbootstrap as ttk

from miniedit_frr.widgets.column_texts import ColumnTexts
from miniedit_frr.widgets.list_parts import AutoScrollbar


class Column(NamedTuple):
    """A column: its title, its width in units, and whether it contains numbers, which are aligned right."""

    title: str
    width: int
    is_number: bool = False


class DataTable(ttk.Frame):
    """A table.

    Attributes:
        tree: the Treeview; an item's id is the number of its row.
    """

    def __init__(self, parent: tk.Misc, columns: Sequence[Column], ui: float, height: int = 6) -> None:
        super().__init__(parent)
        self._sorted: tuple[int, bool] | None = None
        names = [str(index) for index in range(len(columns))]
        self.tree = ttk.Treeview(self, columns=names, show="headings", height=height)
        for index, column in enumerate(columns):
            anchor: Literal["e", "w"] = "e" if column.is_number else "w"
            self.tree.heading(index, text=column.title, anchor=anchor, command=partial(self._sort, index))
            is_last = index == len(columns) - 1
            self.tree.column(index, width=round(column.width * ui), anchor=anchor, stretch=is_last)
        self.tree.pack(side="left", fill="both", expand=True)
        AutoScrollbar(self, self.tree)
        self._fitting = ColumnTexts(self.tree, ui)

    def fill(self, rows: Sequence[Sequence[object]], tags: Sequence[str] = ()) -> None:
        """Replace the rows, with a tag for each if given. The sort order stays."""
        self.tree.delete(*self.tree.get_children())
        self._fitting.clear()
        for index, row in enumerate(rows):
            self.put(str(index), row, tuple(tags[index : index + 1]))
        if self._sorted is not None:
            self._order(*self._sorted)

    def set(self, index: int, row: Sequence[object], tag: str = "") -> None:
        """Replace a row, or append it."""
        self.put(str(index), row, (tag,))

    def put(self, item: str, row: Sequence[object], tags: tuple[str, ...] = ()) -> None:
        """Replace the row with an item id, or append it under this id."""
        if self.tree.exists(item):
            self.tree.item(item, tags=tags)
        else:
            self.tree.insert("", "end", iid=item, tags=tags)
        self._fitting.put(item, tuple(map(str, row)))

    def rows(self) -> list[list[str]]:
        """The full texts of all rows, in their present order."""
        return [list(self._row(item)) for item in self.tree.get_children()]

    def _row(self, item: str) -> Sequence[str]:
        """The full texts of a row; the visible texts if the row was inserted into the widget directly."""
        return self._fitting.full_texts(item) or [str(value) for value in self.tree.item(item, "values")]

    def color(self, tag: str, color: str) -> None:
        """Set the color of the rows with a tag."""
        self.tree.tag_configure(tag, foreground=color)

    def _sort(self, column: int) -> None:
        backwards = self._sorted == (column, False)
        self._sorted = column, backwards
        self._order(column, backwards)

    def _order(self, column: int, backwards: bool) -> None:
        rows: Collection[str] = self.tree.get_children()
        keys = {item: _key(self._row(item)[column]) for item in rows}
        for index, item in enumerate(sorted(rows, key=keys.__getitem__, reverse=backwards)):
            self.tree.move(item, "", index)


def _key(text: str) -> list[tuple[bool, float, str]]:
    """A sort key that orders numbers within texts by value: "eth10" follows "eth9"."""
    parts = re.split(r"(\d+(?:\.\d+)?)", text)
    return [
        (True, 0.0, part.lower()) if index % 2 == 0 else (False, float(part), "") for index, part in enumerate(parts)
    ]
