"""A list of values: a table of their main fields, and a form for the other fields of one row."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, Protocol

import ttkbootstrap as ttk
from pydantic import BaseModel

from miniedit_frr.dialogs.draft import FormDraft, row_draft
from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.fields.kinds import FIXED, RowEntry
from miniedit_frr.dialogs.fields.list_widgets import ListInput
from miniedit_frr.dialogs.fields.lists import RowsKind
from miniedit_frr.dialogs.fields.slots import Input, Slot
from miniedit_frr.dialogs.parts import Part, fields_of

_CLOSED, _OPENED = "More ▸", "More ▾"


class RowForm(Protocol):
    """The form of a row.

    Attributes:
        inputs: the widget of each field, by path.
    """

    @property
    def inputs(self) -> Mapping[str, Any]: ...

    def refresh(self) -> None:
        """Show the content of the draft."""

    def focus_path(self, path: str) -> bool:
        """Move the focus to a field, and return whether it exists."""

    def destroy(self) -> None:
        """Destroy the form."""

    def pack(self, *, fill: Literal["both"], expand: bool) -> None:
        """Show the form in the available room."""


MakeForm = Callable[[tk.Misc, Sequence[Part], FormDraft, bool], RowForm]


class RowsInput(ListInput):
    """The widget of a field of kind `RowsKind`.

    Attributes:
        details: the form of the open row, with all fields without a column; None if no row is open.
        open_row: number of the open row; -1 for none.

    Args:
        make_form: creates the form of a row from its parent, its parts, its draft, and whether the room is tight.
    """

    def __init__(
        self, parent: tk.Misc, draft: FormDraft, field: Field, ui: float, make_form: MakeForm, tight: bool = False
    ) -> None:
        super().__init__(parent, draft, field, ui)
        self._make_form = make_form
        self._tight = tight or self.rows.beside
        self._drafts: list[FormDraft] = []
        self._details_buttons: list[ttk.Button] = []
        self._shape: tuple[int, bool] | None = None
        self.details: RowForm | None = None
        self.open_row = -1
        self._edge = ttk.Frame(self.widget, padding=(0, self._gap))
        # A vertical line marks the fields of the row.
        ttk.Separator(self._edge, orient="vertical").pack(side="left", fill="y", padx=(0, 3 * self._gap))
        self._heading = ttk.Label(self._edge, font="TkHeadingFont")
        self._heading.pack(anchor="w", pady=(self._gap, self._gap))
        self._place()

    def _place(self) -> None:
        """Place the list. The form of a row goes beside it or below it."""
        if self.rows.beside:
            self._list.grid(row=0, column=0, sticky="nw")
            self.widget.columnconfigure(1, weight=1)
        else:
            self._list.grid(row=0, column=0, sticky="ew")
            self.widget.columnconfigure(0, weight=1)

    def _show_edge(self) -> None:
        if self.rows.beside:
            self._edge.grid(row=0, column=1, sticky="nsew", padx=(5 * self._gap, 0))
        else:
            self._edge.grid(row=1, column=0, sticky="ew")

    # --- content ---

    @property
    def rows(self) -> RowsKind:
        """The kind of the field."""
        kind = self.kind
        assert isinstance(kind, RowsKind)
        return kind

    def _texts(self, row: int) -> set[str]:
        return {cell.slot.read() or cell.slot.hint() for cell in self._cells[row]}

    @staticmethod
    def _name(column: Field) -> str:
        return column.path.rpartition(".")[2]

    def _focus_in(self, row: int, column: str) -> None:
        """Move the focus to a column of a row, or to a field of the row's form."""
        path = next((field.path for field in fields_of(self.rows.details) if self._name(field) == column), None)
        if path is None or column in map(self._name, self.rows.columns):
            super()._focus_in(row, column)
            return
        self.open(row)
        if self.details is not None:
            self.details.focus_path(path)

    # --- changes ---

    def _store_edits(self, row: int) -> None:
        entries, draft = list(self._content or ()), self._drafts[row]
        if row < len(entries):
            entries[row] = RowEntry(draft.original, tuple(draft.edits.items()))
            self._draft.set(self._field.path, tuple(entries))

    def _before_moving(self) -> None:
        self._close_form()

    def add(self) -> None:
        """Add a row at the end, with the focus on it."""
        super().add()
        if self._cells and self.rows.beside:
            self.open(len(self._cells) - 1)

    def _new_row(self, rows: Sequence[RowEntry]) -> RowEntry:
        return self._next_suggestion(rows) or RowEntry(self.rows.blank)

    def _suggested_row(self, rows: Sequence[RowEntry]) -> RowEntry | None:
        entry = self._next_suggestion(rows)
        return entry if entry is not None and any(content for _, content in entry.edits) else None

    def _next_suggestion(self, entries: Sequence[RowEntry]) -> RowEntry | None:
        """The next suggested row; None without a suggestion."""
        single = self._draft.values[0] if len(self._draft.values) == 1 else None
        values = tuple(row_draft(self.rows, entry, self._draft.row_context).values[0] for entry in entries)
        root = self._draft.root if getattr(self._draft.context, "root", None) is not None else single
        contents = self.rows.new(self._draft.context, root, values)
        return None if contents is None else RowEntry(self.rows.blank, tuple(contents.items()))

    def fill(self) -> None:
        """Add all suggested rows, and move the focus to the first cell with an error."""
        super().fill()
        if any(cell.slot.fault() for line in self._cells for cell in line):
            self.focus.focus_set()

    # --- showing ---

    def refresh(self) -> None:
        """Show the content of the draft."""
        entries = self._content
        shape = (-1 if entries is None else len(entries), self._is_on)
        if shape != self._shape:
            self._shape = shape
            self._build(entries)
        below = self._draft.row_context
        for draft, entry in zip(self._drafts, entries or (), strict=True):
            draft.load(entry, below)
        for line in self._cells:
            for cell in line:
                cell.refresh()
        if self.rows.beside and self._drafts and self.details is None and self._is_on:
            self.open(0)
        elif self.details is not None:
            self.details.refresh()
        self._mark()

    def _build(self, entries: Sequence[RowEntry] | None) -> None:
        opened = self.open_row
        self._close_form()
        self._cells, self._details_buttons, self._drafts = [], [], []
        if not self._build_head(entries) or entries is None:
            return
        below = self._draft.row_context
        for number, entry in enumerate(entries):
            draft = row_draft(self.rows, entry, below)
            draft.listeners.append(partial(self._store_edits, number))
            self._drafts.append(draft)
        for index in range(len(entries)):
            self._cells.append([self._cell(index, number) for number in range(len(self.rows.columns))])
            self._add_buttons(index, self._row_buttons(index))
        if 0 <= opened < len(entries) and self._is_on:
            self.open(opened)

    def _row_buttons(self, index: int) -> list[ttk.Button]:
        buttons = []
        if self.rows.details and not self.rows.beside:
            button = ttk.Button(self._grid, text=_CLOSED, bootstyle="link", command=partial(self._toggle, index))
            self._details_buttons.append(button)
            buttons.append(button)
        return buttons if self.rows.is_fixed else [*buttons, self._remove_button(index)]

    def _cell(self, row: int, number: int) -> Input:
        draft, column = self._drafts[row], self.rows.columns[number]
        is_closed = self.rows.has_no_cell(draft.values[0], column.path)
        kind = FIXED if is_closed else column.plain

        def read() -> str:
            return "" if is_closed else str(draft.content(column.path) or "")

        slot = Slot(
            replace(kind, unit=""), read, partial(draft.set, column.path),
            lambda: column.hint_for(draft.context, draft.values[0]), partial(draft.fault, column.path),
            offers=draft.choices_of(column),
        )  # fmt: skip
        cell = self._add_cell(row, number, slot)
        cell.focus.bind("<FocusIn>", lambda event: self._follow_focus(row), add=True)
        return cell

    # --- the form of a row ---

    def _follow_focus(self, row: int) -> None:
        """Show the form of the row that received the focus, if a form is visible."""
        if (
            self._is_on
            and self.rows.details
            and row != self.open_row
            and (self.rows.beside or self.details is not None)
        ):
            self.open(row)

    def _toggle(self, row: int) -> None:
        if row == self.open_row:
            self._close_form()
            self._mark()
            self._report_growth()
        else:
            self.open(row)
            if self.details is not None:
                self.details.focus_path(next(iter(self.details.inputs), ""))

    def open(self, row: int) -> None:
        """Show the form of a row."""
        self._close_form()
        if self.rows.details and 0 <= row < len(self._drafts):
            self.open_row = row
            self.details = self._make_form(self._edge, self.rows.details, self._drafts[row], self._tight)
            self.details.pack(fill="both", expand=True)
            self._show_edge()
            self._mark()
            self._report_growth()

    def _report_growth(self) -> None:
        """Let the scrolling container measure this widget again."""
        self.widget.winfo_toplevel().event_generate("<<Grown>>")

    def _close_form(self) -> None:
        if self.details is not None:
            self.details.destroy()
        self.details, self.open_row = None, -1
        self._edge.grid_remove()

    def _mark(self) -> None:
        """Mark the open row, and the rows whose forms contain changed settings or an error."""
        for number, (draft, button) in enumerate(zip(self._drafts, self._details_buttons, strict=False)):
            below = [field for field in fields_of(self.rows.details) if field.is_in(draft.values[0])]
            is_wrong = any(draft.fault(field.path) for field in below)
            has_settings = any(_differs_from_default(field, draft.values[0]) for field in below)
            text = _OPENED if number == self.open_row else _CLOSED
            button.configure(
                text=f"● {text}" if has_settings or is_wrong else text, bootstyle="danger-link" if is_wrong else "link"
            )
        if self.open_row >= 0:
            value = self._drafts[self.open_row].values[0]
            name = self.rows.called(value)
            self._heading.configure(text=name or f"{self.rows.row_name.capitalize()} {self.open_row + 1}")


def _differs_from_default(field: Field, value: Any) -> bool:
    """Whether a field differs from the default of its model."""
    for name in field.path.split(".")[:-1]:
        value = getattr(value, name)
    names = field.lens.covers if field.lens else (field.path.rpartition(".")[2],)
    info = type(value).model_fields if isinstance(value, BaseModel) else {}
    return any(
        name in info and getattr(value, name) != info[name].get_default(call_default_factory=True) for name in names
    )
