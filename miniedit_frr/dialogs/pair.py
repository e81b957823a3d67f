"""Grids with the same fields of two things side by side, such as both directions of a link."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import ttkbootstrap as ttk

from miniedit_frr.dialogs.draft import FormDraft
from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.fields.slots import LABELS, REMARKS, SMALL_FONT, Input
from miniedit_frr.dialogs.parts import FieldPair

#: Minimum width of a side. It keeps the width constant when fields appear or disappear.
_SIDE = 176
#: The row of the first field.
_FIRST = 2


class PairForm(Protocol):
    """The form that contains a pair.

    Attributes:
        draft: the edited values.
        ui: scaling of the screen.
    """

    draft: FormDraft
    ui: float

    def make_input(
        self, parent: tk.Misc, field: Field, write: Callable[[str], None] | None = None, *hinted: Any
    ) -> Any:
        """See `Form.make_input`."""

    def set_help(self, path: str, words: str) -> None:
        """See `Form.set_help`."""

    def remark_on(self, path: str) -> tuple[str, str]:
        """See `Form.remark_on`."""


class _Row:
    """A field with its two sides. Widgets are created when a side has the field for the first time."""

    def __init__(self, field: Field, left_field: Field, right_field: Field, row: int) -> None:
        self.field, self.sides, self.row = field, (left_field, right_field), row
        self.label: ttk.Label | None = None
        self.note: ttk.Label | None = None
        self.inputs: list[Any] = [None, None]


class PairGrid(ttk.Frame):
    """Two columns of fields in a form, with a switch that keeps both equal.

    Attributes:
        same: the switch; None if the pair has no switch.
    """

    def __init__(self, parent: tk.Misc, form: PairForm, pair: FieldPair) -> None:
        super().__init__(parent)
        self._form, self._pair, self._draft = form, pair, form.draft
        self._key = pair.left, pair.right
        several, self._gap = len(self._draft.values) > 1, round(4 * form.ui)
        gap = self._gap
        self.columnconfigure((1, 2), weight=1, uniform="side", minsize=round(_SIDE * form.ui))
        self.columnconfigure(0, minsize=round(LABELS * form.ui))
        self.columnconfigure(3, minsize=round(REMARKS * form.ui))
        self._draft.kept_equal.setdefault(self._key, bool(pair.same) and self._are_sides_equal())
        self._is_same = ttk.BooleanVar(self, self._is_together)
        self.same: ttk.Checkbutton | None = None
        if pair.same:
            self.same = ttk.Checkbutton(self, text=pair.same, variable=self._is_same, command=self._on_switch,
                                        bootstyle="round-toggle")  # fmt: skip
            self.same.grid(row=0, column=1, columnspan=2, sticky="w", pady=(2 * gap, 2 * gap))
        self._heads = [ttk.Label(self, font="TkHeadingFont") for _ in range(2)]
        for column, head in enumerate(self._heads, start=1):
            head.grid(row=1, column=column, sticky="w", padx=(0, 3 * gap), pady=gap)
        sides = [field_sides for field_sides in pair.sides() if not (several and field_sides[0].single)]
        self._rows = [_Row(*field_sides, row) for row, field_sides in enumerate(sides, start=_FIRST)]
        self._summaries = [ttk.Label(self, font=SMALL_FONT, justify="left", bootstyle="secondary") for _ in range(2)]
        self._has_summaries = pair.summary is not None and not several
        self._empty = ttk.Label(self, text=pair.empty, bootstyle="secondary")
        if self._has_summaries:
            for column, label in enumerate(self._summaries, start=1):
                label.grid(row=len(sides) + _FIRST, column=column, sticky="nw", padx=(0, 3 * gap), pady=(gap, gap))
        self._show_rows()

    @property
    def _is_together(self) -> bool:
        return self._draft.kept_equal[self._key]

    @property
    def _notes(self) -> list[tuple[str, str, ttk.Label]]:
        """For each row with a remark: both paths, and the label of the remark."""
        return [(*(side.path for side in row.sides), row.note) for row in self._rows if row.note is not None]  # type: ignore[misc]

    # --- rows that appear and disappear ---

    def _show_rows(self) -> None:
        """Show each field on the sides that have it. Fields of the right side only come last."""
        has_new, is_empty, values = False, True, self._draft.values
        presence = [(row, [any(side.is_in(value) for value in values) for side in row.sides]) for row in self._rows]
        presence.sort(key=lambda entry: entry[1] == [False, True])
        for number, (row, _) in enumerate(presence, start=_FIRST):
            self._move(row, number)
        for row, is_in in presence:
            for number, side in enumerate(row.sides):
                if is_in[number] and row.inputs[number] is None:
                    row.inputs[number] = self._make(side, number)
                    has_new = True
                if row.inputs[number] is not None:
                    self._put(row.inputs[number].widget, row.row, number + 1, is_in[number])
            if any(is_in) and row.label is None:
                self._make_words(row)
            for column, words in ((0, row.label), (3, row.note)):
                if words is not None:
                    self._put(words, row.row, column, any(is_in))
            is_empty = is_empty and not any(is_in)
        self._put(self._empty, _FIRST, 1, is_empty and bool(self._pair.empty), span=3)
        if has_new:
            # The Tab key goes down the left side, then down the right side.
            for number in (0, 1):
                for row, _ in presence:
                    if row.inputs[number] is not None:
                        row.inputs[number].widget.lift()

    @staticmethod
    def _move(row: _Row, number: int) -> None:
        """Move a field to another row of the grid."""
        if row.row != number:
            row.row = number
            for widget in (
                row.label,
                row.note,
                *(side_input.widget for side_input in row.inputs if side_input is not None),
            ):
                if widget is not None and widget.winfo_manager():
                    widget.grid_configure(row=number)

    def _put(self, widget: tk.Widget, row: int, column: int, is_there: bool, span: int = 1) -> None:
        if is_there == bool(widget.winfo_manager()):
            return
        if not is_there:
            widget.grid_remove()
            return
        padx = {0: (0, 4 * self._gap), 3: (0, 0)}.get(column, (0, 3 * self._gap))
        widget.grid(row=row, column=column, columnspan=span, sticky="ew" if column in (1, 2) else "w", padx=padx,
                    pady=self._gap)  # fmt: skip

    def _make(self, field: Field, number: int) -> Any:
        side_input = self._form.make_input(self, field, partial(self._write, field.path), self._key[number])
        if isinstance(side_input, Input):
            side_input.on_key("<Control-z>", partial(self._revert, field.path))
        side_input.refresh()
        return side_input

    def _make_words(self, row: _Row) -> None:
        row.label = ttk.Label(self, text=row.field.label)
        row.note = ttk.Label(self, font=SMALL_FONT, wraplength=round((REMARKS - 10) * self._form.ui), justify="left")
        for side in row.sides:
            self._form.set_help(side.path, row.field.help)

    # --- edits ---

    def _revert(self, path: str, event: tk.Event) -> str:
        """Revert the edit of a field, and its copy on the other side."""
        self._draft.reset(*((path, self._other(path)) if self._is_together else (path,)))
        return "break"

    def _other(self, path: str) -> str:
        return f"{self._pair.right}{path.removeprefix(self._pair.left)}"

    def _write(self, path: str, text: str) -> None:
        if self._is_together and path.startswith(f"{self._pair.left}."):
            self._draft.put_all({path: text, self._other(path): text})
        else:
            self._draft.set(path, text)

    def _are_sides_equal(self) -> bool:
        left_path, right_path = self._key
        return all(getattr(value, left_path) == getattr(value, right_path) for value in self._draft.values)

    def _on_switch(self) -> None:
        """Start or stop keeping both sides equal to the left one, on all pages."""
        is_same, draft = self._is_same.get(), self._draft
        draft.kept_equal[self._key] = is_same
        contents = {}
        if is_same:
            for path, field in draft.fields.items():
                content = draft.content(path) if path.startswith(f"{self._pair.left}.") else None
                if content is not None and all(field.is_in(value) for value in draft.values):
                    contents[self._other(path)] = content
        draft.put_all(contents, (self._pair.right,) if is_same else ())

    # --- showing ---

    def refresh(self) -> None:
        """Show fields, headings, remarks and summaries, and lock the side that follows the other one."""
        draft, form = self._draft, self._form
        # Several values may differ from each other, and are still edited together.
        if self._is_together and draft.is_valid and len(draft.values) == 1 and not self._are_sides_equal():
            draft.kept_equal[self._key] = False  # the topology has changed meanwhile
        self._is_same.set(self._is_together)
        self._show_rows()
        for head, title in zip(self._heads, self._pair.titles(draft.values), strict=True):
            head.configure(text=title)
        for row in self._rows:
            self._refresh_row(row)
        if self._has_summaries and self._pair.summary is not None:
            value, wide = draft.values[0], round(_SIDE * form.ui)
            # The results of one direction also depend on the other one, so an error on either side hides both.
            is_right = not any(draft.fault(side.path) for row in self._rows for side in row.sides)
            for label, side in zip(self._summaries, self._key, strict=True):
                label.configure(text=self._pair.summary(value, side) if is_right else "", wraplength=wide)

    def _refresh_row(self, row: _Row) -> None:
        form, explains = self._form, row.field.explains
        if row.note is None:
            return
        if explains is not None:
            words = explains(self._draft.values[0])
            for side in row.sides:
                form.set_help(side.path, words)
        severity, text = form.remark_on(row.sides[0].path)
        if severity not in ("error", "warning"):
            severity, text = form.remark_on(row.sides[1].path)
        row.note.configure(text=text, bootstyle={"error": "danger", "warning": "warning"}.get(severity, "secondary"))
        for number, side_input in enumerate(row.inputs):
            if side_input is not None:
                side_input.enable(not self._is_idle(row, number) and not (number == 1 and self._is_together))

    def _is_idle(self, row: _Row, number: int) -> bool:
        idle = row.field.idle
        return idle is not None and all(idle(getattr(value, self._key[number])) for value in self._draft.values)
