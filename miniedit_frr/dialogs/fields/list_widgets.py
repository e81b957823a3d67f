"""The base of list widgets: lines of cells, and methods that add, move and remove rows."""

from __future__ import annotations

import re
import tkinter as tk
from collections.abc import Sequence
from functools import partial
from typing import Any

import ttkbootstrap as ttk

from miniedit_frr.dialogs.draft import SEVERAL, FormDraft
from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.fields.inputs import input_for
from miniedit_frr.dialogs.fields.lists import RowsKind, TableKind
from miniedit_frr.dialogs.fields.slots import SMALL_FONT, Input, Slot

#: The maximum number of rows that one click adds.
_MOST = 500


class ListInput:
    """The widget of a field whose value is a list, with a line of cells for each row. It has the members of an `Input`.

    Attributes:
        widget: the widget in the form.
        add_button: adds a row; None for a list with fixed rows.
    """

    def __init__(self, parent: tk.Misc, draft: FormDraft, field: Field, ui: float) -> None:
        self._draft, self._field, self._ui, self._gap = draft, field, ui, round(4 * ui)
        self.widget = ttk.Frame(parent)
        self._list = ttk.Frame(self.widget)
        self._grid = ttk.Frame(self._list)
        self._grid.pack(fill="x")
        self._cells: list[list[Input]] = []
        self._is_on = True
        self.add_button: ttk.Button | None = None
        self._buttons: list[ttk.Button] = []
        if not self.kind.is_fixed:
            self._add_bar()

    def _add_bar(self) -> None:
        bar, kind, above = ttk.Frame(self._list), self.kind, (round(6 * self._ui), 0)
        style = "secondary-outline"
        self.add_button = ttk.Button(bar, text=f"+  Add {kind.row_name}", bootstyle=style, command=self.add)
        self.add_button.pack(side="left", pady=above)
        self._buttons = [self.add_button]
        if kind.fill:
            self._buttons.append(ttk.Button(bar, text=kind.fill, bootstyle=style, command=self.fill))
            self._buttons[-1].pack(side="left", padx=(2 * self._gap, 0), pady=above)
        bar.pack(fill="x")

    # --- content ---

    @property
    def kind(self) -> TableKind | RowsKind:
        """The kind of the field."""
        kind = self._draft.kind(self._field.path)
        assert isinstance(kind, TableKind | RowsKind)
        return kind

    @property
    def _content(self) -> tuple[Any, ...] | None:
        """The rows; None if several values differ."""
        content = self._draft.content(self._field.path)
        return content if content is None or isinstance(content, tuple) else ()

    @property
    def focus(self) -> tk.Widget:
        """The widget that receives the focus: the first invalid cell, else the first editable cell."""
        cells = [cell for line in self._cells for cell in line]
        wrong = (cell for cell in cells if cell.slot.fault())
        open_ = (cell for cell in cells if cell.slot.kind.widget != "fixed")
        first = next(wrong, None) or next(open_, None)
        return first.focus if first is not None else self.add_button or self.widget

    def cell(self, row: int, column: int) -> Input:
        """The widget of a cell."""
        return self._cells[row][column]

    @property
    def row_count(self) -> int:
        """The number of rows."""
        return len(self._cells)

    def focus_row(self, column: str, words: str) -> None:
        """Move the focus to a cell of the row that some words name.

        Args:
            column: path of the column; without such a column, the first editable cell is used.
            words: contain a text of the row, such as the name of an interface.
        """
        tokens = set(re.split(r"[\s,;:()]+", words)) - {""} | set(words.split())
        row = next((row for row in range(len(self._cells)) if self._texts(row) & tokens), None)
        if row is not None:
            self._focus_in(row, column)

    def _texts(self, row: int) -> set[str]:
        """The texts that identify a row."""
        raise NotImplementedError

    def _focus_in(self, row: int, column: str) -> None:
        line = self._cells[row]
        paths = [self._name(field) for field in self.kind.columns]
        free = (number for number, cell in enumerate(line) if cell.slot.kind.widget != "fixed")
        line[paths.index(column) if column in paths else next(free, 0)].focus.focus_set()

    @staticmethod
    def _name(column: Field) -> str:
        """The name of a column in `focus_row`."""
        return column.path

    # --- changes ---

    def _new_row(self, rows: Sequence[Any]) -> Any:
        """A new row, after existing ones."""
        raise NotImplementedError

    def _suggested_row(self, rows: Sequence[Any]) -> Any:
        """The next suggested row; None without a suggestion."""
        raise NotImplementedError

    def _before_moving(self) -> None:
        """Prepare for a change of the order of rows."""

    def _put(self, rows: Sequence[Any]) -> None:
        self._draft.set(self._field.path, tuple(rows))
        self.refresh()

    def add(self) -> None:
        """Add a row at the end, with the focus on it."""
        rows = self._content or ()
        self._put((*rows, self._new_row(rows)))
        if self._cells:
            self._cells[-1][0].focus.focus_set()

    def fill(self) -> None:
        """Add all suggested rows."""
        rows = list(self._content or ())
        while len(rows) < _MOST and (row := self._suggested_row(rows)) is not None and row not in rows:
            rows.append(row)
        self._put(rows)

    def remove(self, index: int) -> None:
        """Remove a row. The focus moves to an adjacent row."""
        rows = self._content or ()
        self._before_moving()
        self._put((*rows[:index], *rows[index + 1 :]))
        near = self._cells[min(index, len(self._cells) - 1)][0].focus if self._cells else self.focus
        near.focus_set()

    def move(self, index: int, step: int) -> None:
        """Move a row up or down by one, together with the focus."""
        rows, to = list(self._content or ()), index + step
        if 0 <= to < len(rows):
            rows[index], rows[to] = rows[to], rows[index]
            self._before_moving()
            self._put(rows)
            self._cells[to][0].focus.focus_set()

    # --- showing ---

    def refresh(self) -> None:
        """Show the content of the draft."""
        raise NotImplementedError

    def enable(self, is_on: bool) -> None:
        """Enable or disable the list."""
        if is_on != self._is_on:
            self._is_on = is_on
            for button in self._buttons:
                button.state(["!disabled" if is_on else "disabled"])
            self.refresh()

    def _build_head(self, rows: Sequence[Any] | None) -> bool:
        """Clear the grid and show the column titles, or the reason why it is empty. Return whether there are rows."""
        for child in self._grid.winfo_children():
            child.destroy()
        kind = self.kind
        if not rows:
            text = SEVERAL if rows is None else kind.empty
            label = ttk.Label(self._grid, text=text, bootstyle="secondary")
            label.grid(row=0, column=0, sticky="w", pady=self._gap)
            return False
        weights = kind.weights or (1,) * len(kind.columns)
        for number, (column, weight) in enumerate(zip(kind.columns, weights, strict=True)):
            self._grid.columnconfigure(number, weight=weight)
            unit = f" ({column.unit})" if column.unit else ""
            head = ttk.Label(self._grid, text=f"{column.label}{unit}", font=SMALL_FONT, bootstyle="secondary")
            head.grid(row=0, column=number, sticky="w", padx=(0, self._gap))
        return True

    def _remove_button(self, index: int) -> ttk.Button:
        return ttk.Button(self._grid, text="✕", width=2, bootstyle="link", command=partial(self.remove, index))

    def _add_buttons(self, index: int, buttons: Sequence[ttk.Button]) -> None:
        """Place the buttons of a row after its cells. A list that cannot be changed shows none."""
        for number, button in enumerate(buttons, len(self.kind.columns)):
            if self._is_on:
                button.grid(row=index + 1, column=number)
            else:
                button.state(["disabled"])

    def _add_cell(self, row: int, number: int, slot: Slot) -> Input:
        """Create the widget of a cell, place it, and bind its keys."""
        kind = slot.kind
        width = 12 if kind.widget == "choice" else max(4, kind.width or 14)
        cell = input_for(self._grid, slot, self._ui, width, fills=True)
        cell.widget.grid(row=row + 1, column=number, sticky="ew", padx=(0, self._gap), pady=round(2 * self._ui))
        if kind.widget == "line":
            for key, step in (("<Up>", -1), ("<Down>", 1)):
                cell.focus.bind(key, partial(self._go, row + step, number))
        cell.focus.bind("<Control-Delete>", lambda event: self._remove_by_key(row))
        for key, step in (("<Alt-Up>", -1), ("<Alt-Down>", 1)):
            cell.focus.bind(key, partial(self._move_by_key, row, step))
        cell.enable(self._is_on)
        return cell

    def _go(self, row: int, number: int, event: tk.Event) -> None:
        if 0 <= row < len(self._cells):
            self._cells[row][number].focus.focus_set()

    def _remove_by_key(self, row: int) -> None:
        if not self.kind.is_fixed and self._is_on:
            self.remove(row)

    def _move_by_key(self, row: int, step: int, event: tk.Event) -> str:
        if not self.kind.is_fixed and self._is_on:
            self.move(row, step)
        return "break"
