"""The same fields of two things side by side, such as both directions of a link."""

from __future__ import annotations

import tkinter as tk
from functools import partial
from typing import TYPE_CHECKING, Any

import ttkbootstrap as ttk

from miniedit_frr.dialogs.fields import Field, Pair
from miniedit_frr.dialogs.inputs import LABELS, REMARKS, SMALL_FONT, Input

if TYPE_CHECKING:
    from miniedit_frr.dialogs.form import Form


class PairGrid(ttk.Frame):
    """Two columns of fields in a form, with a switch that keeps both equal."""

    def __init__(self, form: Form, pair: Pair) -> None:
        super().__init__(form)
        self._form, self._pair, self._draft = form, pair, form.draft
        self._rights: list[tuple[str, str]] = []
        self._notes: list[tuple[str, str, ttk.Label]] = []
        several, gap = len(self._draft.values) > 1, round(4 * form.ui)
        self.columnconfigure((1, 2), weight=1, uniform="side")
        self.columnconfigure(0, minsize=round(LABELS * form.ui))
        self.columnconfigure(3, minsize=round(REMARKS * form.ui))
        self._is_same = ttk.BooleanVar(self, bool(pair.same) and self._are_equal())
        self.same: ttk.Checkbutton | None = None
        if pair.same:
            self.same = ttk.Checkbutton(self, text=pair.same, variable=self._is_same, command=self._switched,
                                        bootstyle="round-toggle")  # fmt: skip
            self.same.grid(row=0, column=1, columnspan=2, sticky="w", pady=(2 * gap, 2 * gap))
        self._heads = [ttk.Label(self, font="TkHeadingFont") for _ in range(2)]
        for column, head in enumerate(self._heads, start=1):
            head.grid(row=1, column=column, sticky="w", padx=(0, 3 * gap), pady=gap)
        sides = [each for each in pair.sides() if not (several and each[0].single)]
        # Down one side, then down the other: that is how the keyboard goes through them.
        made: dict[str, Any] = {}
        for side in (0, 1):
            for row, (_, *both) in enumerate(sides, start=2):
                made[both[side].path] = self._place(both[side], side, row, gap)
        for row, (field, left, right) in enumerate(sides, start=2):
            ttk.Label(self, text=field.label).grid(row=row, column=0, sticky="w", padx=(0, 4 * gap), pady=gap)
            note = ttk.Label(self, font=SMALL_FONT, wraplength=round((REMARKS - 10) * form.ui), justify="left")
            note.grid(row=row, column=3, sticky="w")
            self._notes.append((left.path, right.path, note))
            self._rights.append((left.path, right.path))
            form._helps[left.path] = form._helps[right.path] = field.help
        self._told = [ttk.Label(self, font=SMALL_FONT, justify="left", bootstyle="secondary") for _ in range(2)]
        if pair.told is not None and not several:
            for column, told in enumerate(self._told, start=1):
                told.grid(row=len(sides) + 2, column=column, sticky="nw", pady=(0, gap))

    def _place(self, field: Field, side: int, row: int, gap: int) -> Any:
        name = (self._pair.left, self._pair.right)[side]
        made = self._form.make(self, field, partial(self._write, field.path), name)
        made.widget.grid(row=row, column=side + 1, sticky="ew", padx=(0, 3 * gap), pady=gap)
        if isinstance(made, Input):
            made.on_key("<Control-z>", partial(self._take_back, field.path))
        return made

    def _take_back(self, path: str, event: tk.Event) -> str:
        """Take back what was typed into a field, and what the other side got from it."""
        for each in (path, self._other(path)) if self._is_same.get() else (path,):
            self._draft.reset(each)
        return "break"

    def _other(self, path: str) -> str:
        return f"{self._pair.right}{path.removeprefix(self._pair.left)}"

    def _write(self, path: str, text: str) -> None:
        if self._is_same.get() and path.startswith(f"{self._pair.left}."):
            self._draft.put_all({path: text, self._other(path): text})
        else:
            self._draft.set(path, text)

    def _are_equal(self) -> bool:
        left, right = self._pair.left, self._pair.right
        return all(getattr(value, left) == getattr(value, right) for value in self._draft.values)

    def _switched(self) -> None:
        if self._is_same.get():
            contents = {right: self._draft.content(left) for left, right in self._rights}
            self._draft.put_all({path: content for path, content in contents.items() if content is not None})
        self.refresh()

    def refresh(self) -> None:
        """Show headings, remarks, what follows, and which side takes input."""
        for head, title in zip(self._heads, self._pair.titles(self._draft.values), strict=True):
            head.configure(text=title)
        for left, right, note in self._notes:
            severity, text = self._form.remark_on(left)
            if severity not in ("error", "warning"):
                severity, text = self._form.remark_on(right)
            note.configure(text=text, bootstyle={"error": "danger", "warning": "warning"}.get(severity, "secondary"))
            self._form.inputs[right].enable(not self._is_same.get())
        if self._pair.told is not None:
            value = self._draft.values[0]
            left, right = getattr(value, self._pair.left), getattr(value, self._pair.right)
            for label, (one, other) in zip(self._told, ((left, right), (right, left)), strict=True):
                label.configure(text=self._pair.told(one, other))
