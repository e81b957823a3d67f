"""A list of values as a table that is edited in place: entries for each row, and buttons to add and remove."""

from __future__ import annotations

import re
import tkinter as tk
from functools import partial
from typing import Any

import ttkbootstrap as ttk

from miniedit_frr.dialogs.draft import SEVERAL, Draft
from miniedit_frr.dialogs.fields import Field, Table
from miniedit_frr.dialogs.inputs import SMALL_FONT, Input, Slot, input_for
from miniedit_frr.dialogs.kinds import FIXED, Kind

#: Stands where a row has no cell.
_NO_CELL = FIXED
Rows = tuple[tuple[str, ...], ...]


class TableInput:
    """The widget of a field that is a table. It has what an `Input` has."""

    def __init__(self, parent: tk.Misc, draft: Draft, field: Field, ui: float) -> None:
        self._draft, self._field, self._ui = draft, field, ui
        self.widget = ttk.Frame(parent)
        self._grid = ttk.Frame(self.widget)
        self._grid.pack(fill="x", expand=True)
        self._cells: list[list[Input]] = []
        self._is_on = True
        self.add_button: ttk.Button | None = None
        bar = ttk.Frame(self.widget)
        if self.table.make is not None:
            self.add_button = ttk.Button(bar, text=f"+  Add {self.table.what}", bootstyle="secondary-outline",
                                   command=self.add)  # fmt: skip
            self.add_button.pack(side="left", pady=(round(6 * ui), 0))
            bar.pack(fill="x")
        self._built: tuple[int, bool] | None = None
        self._shown: tuple[object, ...] | None = None
        self._read_rows: Rows | None = None

    @property
    def focus(self) -> tk.Widget:
        """What gets the keyboard: the first cell that is wrong, else the first one that takes input."""
        wrong = min(self._draft.cell_faults(self._field.path), default=None)
        if wrong is not None and self._cells:
            return self._cells[wrong[0]][wrong[1]].focus
        cells = (cell for line in self._cells for cell in line if cell.slot.kind.widget != "fixed")
        first = next(cells, None)
        return first.focus if first is not None else self.add_button or self.widget

    def focus_row(self, column: str, words: str) -> None:
        """Put the keyboard on the cell of a row that some words speak of.

        Args:
            column: path of the column; the first one that takes input where there is none of that path.
            words: hold a text of the row, such as the name of an interface.
        """
        spoken = set(re.split(r"[\s,;:()]+", words)) - {""}
        for row, line in enumerate(self._cells):
            texts = {text for number in range(len(line)) for text in (self._read(row, number), self._hint(row, number))}
            if texts.intersection(spoken):
                paths = [each.path for each in self.table.columns]
                open_cells = [number for number, cell in enumerate(line) if cell.slot.kind.widget != "fixed"]
                number = paths.index(column) if column in paths else next(iter(open_cells), 0)
                line[number].focus.focus_set()
                return

    @property
    def table(self) -> Table:
        """The kind of the field."""
        kind = self._draft.kind(self._field.path)
        assert isinstance(kind, Table)
        return kind

    @property
    def _rows(self) -> Rows | None:
        content = self._draft.content(self._field.path)
        return content if content is None or isinstance(content, tuple) else ()

    def refresh(self) -> None:
        """Show what the draft holds."""
        rows = self._rows
        faults = self._draft.cell_faults(self._field.path)
        shown = (rows, tuple(faults), id(self._draft.context))
        state = (-1 if rows is None else len(rows), self._is_on)
        if state != self._built:
            self._built = state
            self._build()
        elif shown == self._shown:
            return
        # Cells ask for their text one by one; to work the rows out each time would take long in a long table.
        self._shown, self._read_rows = shown, rows
        try:
            for line in self._cells:
                for cell in line:
                    cell.refresh()
        finally:
            self._read_rows = None

    def enable(self, is_on: bool) -> None:
        """Take input or not."""
        if is_on != self._is_on:
            self._is_on = is_on
            if self.add_button is not None:
                self.add_button.state(["!disabled" if is_on else "disabled"])
            for line in self._cells:
                for cell in line:
                    cell.enable(is_on)

    def add(self) -> None:
        """Add a row at the end and go there."""
        rows, table = self._rows or (), self.table
        only = self._draft.values[0] if len(self._draft.values) == 1 else None
        if table.new is not None:
            self._draft.set(self._field.path, (*rows, table.new(self._draft.context, only, rows)))
            self.refresh()
            if self._cells:
                self._cells[-1][0].focus.focus_set()

    def remove(self, index: int) -> None:
        """Take a row away; the keyboard goes to its neighbour."""
        rows = self._rows or ()
        self._draft.set(self._field.path, (*rows[:index], *rows[index + 1 :]))
        self.refresh()
        near = self._cells[min(index, len(self._cells) - 1)][0].focus if self._cells else self.focus
        near.focus_set()

    def _remove_by_key(self, row: int) -> None:
        if self.table.make is not None and self._is_on:
            self.remove(row)

    def cell(self, row: int, column: int) -> Input:
        """The widget of a cell."""
        return self._cells[row][column]

    def _build(self) -> None:
        for child in self._grid.winfo_children():
            child.destroy()
        self._cells = []
        table, rows, gap = self.table, self._rows, round(4 * self._ui)
        if not rows:
            text = SEVERAL if rows is None else table.empty
            ttk.Label(self._grid, text=text, bootstyle="secondary").grid(row=0, column=0, sticky="w", pady=gap)
            return
        weights = table.weights or (1,) * len(table.columns)
        for number, (column, weight) in enumerate(zip(table.columns, weights, strict=True)):
            self._grid.columnconfigure(number, weight=weight)
            unit = f" ({column.unit})" if column.unit else ""
            head = ttk.Label(self._grid, text=f"{column.label}{unit}", font=SMALL_FONT, bootstyle="secondary")
            head.grid(row=0, column=number, sticky="w", padx=(0, gap))
        for index in range(len(rows)):
            self._cells.append([self._cell(index, number) for number in range(len(table.columns))])
            if table.make is not None:
                button = ttk.Button(self._grid, text="✕", width=2, bootstyle="link", takefocus=True,
                                    command=partial(self.remove, index))  # fmt: skip
                button.grid(row=index + 1, column=len(table.columns))
                if not self._is_on:
                    button.state(["disabled"])

    def _cell(self, row: int, number: int) -> Input:
        column = self.table.columns[number]
        kind = _NO_CELL if self._is_closed(row, number) else column.plain
        bare = Kind(kind.read, kind.show, kind.widget, "", kind.choices, kind.width)
        slot = Slot(
            bare, partial(self._read, row, number), partial(self._write, row, number),
            partial(self._hint, row, number),
            lambda: self._draft.cell_faults(self._field.path).get((row, number), ""),
        )  # fmt: skip
        width = 12 if kind.widget == "choice" else max(4, kind.width or 14)
        cell = input_for(self._grid, slot, self._ui, width, fills=True)
        cell.widget.grid(
            row=row + 1, column=number, sticky="ew", padx=(0, round(4 * self._ui)), pady=round(2 * self._ui)
        )
        for key, way in (("<Up>", -1), ("<Down>", 1)):
            if kind.widget == "line":
                cell.focus.bind(key, partial(self._go, row + way, number))
        cell.focus.bind("<Control-Delete>", lambda event: self._remove_by_key(row))
        cell.enable(self._is_on)
        return cell

    def _is_closed(self, row: int, number: int) -> bool:
        value = self._value(row)
        return value is not None and self.table.closed(value, self.table.columns[number].path)

    def _value(self, row: int) -> Any:
        """The value that a row stands for; None for a new row."""
        shown = self.table.rows(self._field.get(self._draft.values[0]) or ())
        return shown[row] if row < len(shown) else None

    def _go(self, row: int, number: int, event: tk.Event) -> None:
        if 0 <= row < len(self._cells):
            self._cells[row][number].focus.focus_set()

    def _read(self, row: int, number: int) -> str:
        rows = self._read_rows or self._rows or ()
        return rows[row][number] if row < len(rows) else ""

    def _write(self, row: int, number: int, text: str) -> None:
        rows = [list(each) for each in self._rows or ()]
        if row < len(rows):
            rows[row][number] = text
            self._draft.set(self._field.path, tuple(tuple(each) for each in rows))

    def _hint(self, row: int, number: int) -> str:
        hint = self.table.columns[number].hint
        if isinstance(hint, str):
            return hint
        value = self._value(row)
        return hint(self._draft.context, value) if value is not None else ""
