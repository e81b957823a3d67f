"""A table: columns with titles, rows of text, sorted by a click on a title."""

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
    """A column: its title, its width in units, and whether it holds numbers, which stand at the right."""

    title: str
    width: int
    is_number: bool = False


class DataTable(ttk.Frame):
    """A table.

    Attributes:
        tree: the widget; an item's id is the number of its row.
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
        """Show these rows, each with its tag if there are tags; the chosen order stays."""
        self.tree.delete(*self.tree.get_children())
        self._fitting.clear()
        for index, row in enumerate(rows):
            self.put(str(index), row, tuple(tags[index : index + 1]))
        if self._sorted is not None:
            self._order(*self._sorted)

    def set(self, index: int, row: Sequence[object], tag: str = "") -> None:
        """Show a row in the place of another, or as the last one."""
        self.put(str(index), row, (tag,))

    def put(self, item: str, row: Sequence[object], tags: tuple[str, ...] = ()) -> None:
        """Show a row by the id of its item, which is made as the last one where there is none."""
        if self.tree.exists(item):
            self.tree.item(item, tags=tags)
        else:
            self.tree.insert("", "end", iid=item, tags=tags)
        self._fitting.put(item, tuple(map(str, row)))

    def rows(self) -> list[list[str]]:
        """The rows in their present order, with the texts that do not fit."""
        return [list(self._row(each)) for each in self.tree.get_children()]

    def _row(self, item: str) -> Sequence[str]:
        """The whole of a row; of one that somebody put into the widget, the shown texts."""
        return self._fitting.full_texts(item) or [str(value) for value in self.tree.item(item, "values")]

    def color(self, tag: str, colour: str) -> None:
        """The colour of the rows with a tag."""
        self.tree.tag_configure(tag, foreground=colour)

    def _sort(self, column: int) -> None:
        backwards = self._sorted == (column, False)
        self._sorted = column, backwards
        self._order(column, backwards)

    def _order(self, column: int, backwards: bool) -> None:
        rows: Collection[str] = self.tree.get_children()
        keys = {each: _key(self._row(each)[column]) for each in rows}
        for index, each in enumerate(sorted(rows, key=keys.__getitem__, reverse=backwards)):
            self.tree.move(each, "", index)


def _key(text: str) -> list[tuple[bool, float, str]]:
    """An order in which "eth10" follows "eth9"; fractions are numbers."""
    parts = re.split(r"(\d+(?:\.\d+)?)", text)
    return [
        (True, 0.0, part.lower()) if index % 2 == 0 else (False, float(part), "") for index, part in enumerate(parts)
    ]
