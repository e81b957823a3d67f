"""The properties of what is selected, at the right: a form made from the fields of the model."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from typing import Any

import ttkbootstrap as ttk
from ttkbootstrap.widgets import ScrolledFrame

from frrlib.model.base import Value
from miniedit_frr.panels.fields import Row, changed, rows


class Properties(ttk.Frame):
    """A form for one value. The value stays outside: a changed field is told, and shown when it has come back.

    Attributes:
        on_change: called with the value as it was shown, and as it shall be.
        on_fault: called with what is wrong with a field that was filled in.
    """

    def __init__(self, parent: tk.Misc, ui: float) -> None:
        super().__init__(parent, padding=(8, 6))
        self.on_change: Callable[[Any, Any], None] = lambda before, after: None
        self.on_fault: Callable[[str], None] = lambda text: None
        self._ui = ui
        self._title = ttk.Label(self, font="TkHeadingFont", anchor="w")
        self._title.pack(fill="x", pady=(0, 6))
        self._scrolled = ScrolledFrame(self, auto_hide=True, width=round(250 * ui))
        self._scrolled.pack(fill="both", expand=True)
        self._form: ttk.Frame | None = None
        self._shown: tuple[str, Value | None] = ("", None)
        self._rows: tuple[Row, ...] = ()
        self.inputs: dict[str, tk.Variable] = {}
        self._widgets: dict[str, tk.Widget] = {}

    def show(self, title: str, value: Value | None, hint: str = "") -> None:
        """Show a value's fields, or only a title and a hint."""
        if self._flush() or ((title, value) == self._shown and value is not None):
            return
        self._shown = title, value
        self._title.configure(text=title)
        listed = tuple(rows(value)) if value is not None else ()
        if listed and [row.path for row in listed] == [row.path for row in self._rows]:
            self._refill(listed)
            return
        self._rows = listed
        if self._form is not None:
            self._form.destroy()
        self.inputs, self._widgets = {}, {}
        self._form = ttk.Frame(self._scrolled)
        self._form.pack(fill="both", expand=True, padx=(0, round(12 * self._ui)))
        self._form.columnconfigure(1, weight=1)
        if value is None:
            text = ttk.Label(self._form, text=hint, wraplength=round(220 * self._ui), justify="left")
            text.grid(row=0, column=0, columnspan=2, sticky="w")
        for index, row in enumerate(listed):
            self._add(index, row)

    def focus_first(self) -> None:
        """Put the keyboard on the first field."""
        if self._rows:
            self._widgets[self._rows[0].path].focus_set()

    def _refill(self, listed: tuple[Row, ...]) -> None:
        self._rows = listed
        for row in listed:
            if row.path in self.inputs:
                self.inputs[row.path].set(row.text)

    def _add(self, index: int, row: Row) -> None:
        assert self._form is not None
        indent = round(10 * row.depth * self._ui)
        label = ttk.Label(self._form, text=row.label)
        label.grid(row=index, column=0, sticky="w", padx=(indent, 8), pady=2)
        if row.what == "heading":
            label.configure(font="TkHeadingFont")
            return
        variable = tk.StringVar(self, row.text)
        self.inputs[row.path] = variable
        widget: tk.Widget
        if row.what in ("flag", "part"):
            widget = ttk.Checkbutton(self._form, variable=variable, onvalue="1", offvalue="", command=self._flush)
        elif row.what == "choice":
            widget = ttk.Combobox(self._form, textvariable=variable, values=row.choices, state="readonly", width=14)
            widget.bind("<<ComboboxSelected>>", lambda event: self._flush())
        elif row.what == "fixed":
            widget = ttk.Label(self._form, textvariable=variable)
        else:
            widget = ttk.Entry(self._form, textvariable=variable, width=16)
            for event in ("<Return>", "<KP_Enter>", "<FocusOut>"):
                widget.bind(event, lambda event: self._flush())
            widget.bind("<Escape>", lambda event: self._restore(row.path))
        widget.grid(row=index, column=1, sticky="ew", pady=2)
        self._widgets[row.path] = widget

    def _restore(self, path: str) -> None:
        row = next(each for each in self._rows if each.path == path)
        self.inputs[path].set(row.text)

    def _flush(self) -> bool:
        """Hand on what was typed, also where the user has gone on to something else; whether anything changed."""
        shown, value = self._shown, self._shown[1]
        if value is None:
            return False
        new: Any = value
        for row in self._rows:
            text = str(self.inputs[row.path].get()) if row.path in self.inputs else row.text
            if text != row.text:
                try:
                    new = changed(new, row, text)
                except ValueError as error:
                    self.on_fault(f"{row.label}: {error}")
                    self._restore(row.path)
        if new == value:
            return False
        # Until the changed value has come back nothing is shown, so that nothing is handed on twice.
        self._shown = "", None
        self.on_change(value, new)
        if self._shown == ("", None):
            self._shown = shown
            self._refill(self._rows)
            return False
        return True
