"""A grid of fields that shows only the fields that the values have. Values may be of several classes."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import ttkbootstrap as ttk

from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.fields.slots import LABELS, TIGHT_LABELS, Input
from miniedit_frr.dialogs.parts import CustomWidget, FieldGroup, fields_of

if TYPE_CHECKING:
    from miniedit_frr.dialogs.form import Form


def present_fields(*parts: Field | FieldGroup) -> CustomWidget:
    """A part of a form that shows those of some fields that all values have (`Field.is_in`).

    The help text of a field may depend on the value (`Field.explains`). Groups consist of a heading and fields.
    """
    return CustomWidget("present_fields", lambda parent, form: PresentFieldsGrid(form, parts), tuple(fields_of(parts)))


class _Row:
    """A field with its widgets, which are created when the field is first shown."""

    def __init__(self, field: Field, number: int) -> None:
        self.field, self.number = field, number
        self.input: Any = None
        self.words: tuple[ttk.Label, ttk.Label] | None = None
        self.is_shown = False


class PresentFieldsGrid(ttk.Frame):
    """The fields, one below the other.

    Attributes:
        inputs: empty, because the form registers the inputs itself.
    """

    def __init__(self, form: Form, parts: Sequence[Field | FieldGroup]) -> None:
        super().__init__(form)
        self._form, self._draft, self._gap = form, form.draft, round(4 * form.ui)
        self.inputs: dict[str, Any] = {}
        tight = form.is_tight
        self.columnconfigure(0, minsize=round((TIGHT_LABELS if tight else LABELS) * form.ui))
        self.columnconfigure(1, weight=1)
        self.columnconfigure(2, minsize=form.remark_px + 3 * self._gap)
        self._rows: list[_Row] = []
        self._headings: list[tuple[ttk.Label, int, list[_Row]]] = []
        for number, (heading, fields) in enumerate(_sections(parts)):
            # Row numbers leave room for a heading, and do not change when other rows appear or disappear.
            rows = [_Row(field, 100 * number + 1 + below) for below, field in enumerate(fields)
                    if not (field.single and len(self._draft.values) > 1)]  # fmt: skip
            self._rows += rows
            if heading:
                self._headings.append((ttk.Label(self, text=heading, font="TkHeadingFont"), 100 * number, rows))
        self.refresh()

    def refresh(self) -> None:
        """Show the fields that the values have now, and their remarks."""
        values, has_new = self._draft.values, False
        for row in self._rows:
            is_in = all(row.field.is_in(value) for value in values)
            if is_in and row.input is None:
                self._make(row)
                has_new = True
            if is_in != row.is_shown:
                row.is_shown = is_in
                self._put(row)
            if is_in and row.field.explains is not None:
                self._form.show_help(row.field.path, row.field.explains(values[0]))
        for heading, number, rows in self._headings:
            is_there = any(row.is_shown for row in rows)
            if is_there != bool(heading.winfo_manager()):
                if is_there:
                    heading.grid(row=number, column=0, columnspan=3, sticky="w", pady=(3 * self._gap, self._gap))
                else:
                    heading.grid_remove()
        if has_new:
            for row in self._rows:
                if row.input is not None:
                    row.input.widget.lift()  # the Tab key follows this order

    def _make(self, row: _Row) -> None:
        form, field = self._form, row.field
        row.input = form.make_input(self, field)
        if isinstance(row.input, Input):
            row.input.on_key("<Control-z>", partial(self._revert, field.path))
        is_flag = self._draft.kind(field.path).widget == "flag"
        label = ttk.Label(self, text="" if is_flag else field.label)
        label.bind("<ButtonPress-1>", lambda event: row.input.focus.focus_set())
        row.words = label, form.note(self, field, form.remark_px - round(10 * form.ui))
        row.input.refresh()

    def _put(self, row: _Row) -> None:
        assert row.words is not None
        label, note = row.words
        widgets: tuple[tk.Widget, ...] = (label, row.input.widget, note)
        for column, widget in enumerate(widgets):
            if not row.is_shown:
                widget.grid_remove()
                continue
            padx = {0: (0, 4 * self._gap), 1: (0, 0), 2: (3 * self._gap, 0)}[column]
            widget.grid(row=row.number, column=column, sticky="ew" if column == 1 else "w", padx=padx, pady=self._gap)

    def _revert(self, path: str, event: tk.Event) -> str:
        self._draft.reset(path)
        return "break"


def _sections(parts: Sequence[Field | FieldGroup]) -> Iterator[tuple[str, list[Field]]]:
    """Headings with the fields below them. Fields outside groups come first, without a heading."""
    plain = [part for part in parts if isinstance(part, Field)]
    if plain:
        yield "", plain
    for part in parts:
        if isinstance(part, FieldGroup):
            yield part.title_for(()), list(fields_of(part.parts))
