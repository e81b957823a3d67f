"""A list of values as a table: editable cells, and buttons that add, move and remove rows."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import ttkbootstrap as ttk

from miniedit_frr.dialogs.draft import FormDraft
from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.fields.kinds import FIXED
from miniedit_frr.dialogs.fields.list_widgets import ListInput
from miniedit_frr.dialogs.fields.lists import TableKind
from miniedit_frr.dialogs.fields.slots import Input, Slot

CellTexts = tuple[tuple[str, ...], ...]


class TableInput(ListInput):
    """The widget of a field of kind `TableKind`."""

    def __init__(self, parent: tk.Misc, draft: FormDraft, field: Field, ui: float) -> None:
        super().__init__(parent, draft, field, ui)
        self._list.pack(fill="x", expand=True)
        self._built: tuple[int, bool] | None = None
        self._shown_state: tuple[object, ...] | None = None
        self._read_rows: CellTexts | None = None

    @property
    def table(self) -> TableKind:
        """The kind of the field."""
        kind = self.kind
        assert isinstance(kind, TableKind)
        return kind

    def _texts(self, row: int) -> set[str]:
        columns = range(len(self._cells[row]))
        return {text for number in columns for text in (self._read(row, number), self._hint(row, number))}

    def refresh(self) -> None:
        """Show the content of the draft."""
        rows = self._content
        faults = self._draft.cell_faults(self._field.path)
        shown_state = (rows, tuple(faults), id(self._draft.context))
        state = (-1 if rows is None else len(rows), self._is_on)
        if state != self._built:
            self._built = state
            self._build()
        elif shown_state == self._shown_state:
            return
        # Each cell reads its text by itself. Computing the rows for each cell would take too long in a long table.
        self._shown_state, self._read_rows = shown_state, rows
        try:
            for line in self._cells:
                for cell in line:
                    cell.refresh()
        finally:
            self._read_rows = None

    def _new_row(self, rows: Sequence[Any]) -> tuple[str, ...]:
        single = self._draft.values[0] if len(self._draft.values) == 1 else None
        new = self.table.new
        assert new is not None
        return new(self._draft.context, single, tuple(rows))

    def _suggested_row(self, rows: Sequence[Any]) -> tuple[str, ...] | None:
        """The next new row; None if its first cell is empty."""
        row = self._new_row(rows)
        return row if row[0] else None

    def _build(self) -> None:
        self._cells, rows = [], self._content
        if self._build_head(rows):
            for index in range(len(rows or ())):
                self._cells.append([self._cell(index, number) for number in range(len(self.table.columns))])
                self._add_buttons(index, self._row_buttons(index))

    def _row_buttons(self, index: int) -> list[ttk.Button]:
        movers = [
            ttk.Button(self._grid, text=sign, width=2, bootstyle="link", takefocus=False,
                       command=partial(self.move, index, step))
            for sign, step in ((("▲", -1), ("▼", 1)) if self.table.ordered else ())
        ]  # fmt: skip
        return [] if self.table.is_fixed else [*movers, self._remove_button(index)]

    def _cell(self, row: int, number: int) -> Input:
        column = self.table.columns[number]
        kind = FIXED if self._is_closed(row, number) else column.plain
        slot = Slot(
            replace(kind, unit=""), partial(self._read, row, number), partial(self._write, row, number),
            partial(self._hint, row, number),
            lambda: self._draft.cell_faults(self._field.path).get((row, number), ""),
            offers=self._draft.choices_of(column),
        )  # fmt: skip
        return self._add_cell(row, number, slot)

    def _is_closed(self, row: int, number: int) -> bool:
        value = self._value(row)
        return value is not None and self.table.has_no_cell(value, self.table.columns[number].path)

    def _value(self, row: int) -> Any:
        """The value of a row; None for a new row."""
        rows = self.table.rows(self._field.get(self._draft.values[0]) or ())
        return rows[row] if row < len(rows) else None

    def _read(self, row: int, number: int) -> str:
        rows = self._read_rows or self._content or ()
        return rows[row][number] if row < len(rows) else ""

    def _write(self, row: int, number: int, text: str) -> None:
        rows = [list(cells) for cells in self._content or ()]
        if row < len(rows):
            rows[row][number] = text
            self._draft.set(self._field.path, tuple(tuple(cells) for cells in rows))

    def _hint(self, row: int, number: int) -> str:
        hint = self.table.columns[number].hint
        if isinstance(hint, str):
            return hint
        value = self._value(row)
        return hint(self._draft.context, value) if value is not None else ""
