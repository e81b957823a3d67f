"""A form: a page of fields made from a table, with the error beside each invalid field."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import ttkbootstrap as ttk

from miniedit_frr.dialogs.draft import SEVERAL, FormDraft
from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.fields.inputs import SummaryInput, input_for
from miniedit_frr.dialogs.fields.kinds import Content, TextKind
from miniedit_frr.dialogs.fields.lines import LinesInput
from miniedit_frr.dialogs.fields.list_widgets import ListInput
from miniedit_frr.dialogs.fields.lists import RowsKind, TableKind
from miniedit_frr.dialogs.fields.rows import RowsInput
from miniedit_frr.dialogs.fields.slots import (
    LABELS,
    REMARKS,
    SMALL_FONT,
    TIGHT_LABELS,
    TIGHT_REMARKS,
    Input,
    Slot,
    severity_color,
)
from miniedit_frr.dialogs.fields.table import TableInput
from miniedit_frr.dialogs.pair import PairGrid
from miniedit_frr.dialogs.parts import CustomWidget, FieldGroup, FieldPair, Part

#: A remark on a field: its severity ("error", "warning", "note"), and its text.
Remark = tuple[str, str]
#: The maximum number of boxes beside a label.
_FEW = 8
AnyInput = Input | ListInput | LinesInput
_STYLES = {"error": "danger", "warning": "warning", "note": "secondary", "": "secondary"}


class Form(ttk.Frame):
    """The fields of one page. Typed texts are written into the draft, and the form shows the contents of the draft.

    Args:
        parent: its parent.
        parts: its parts.
        draft: the edited values.
        ui: scaling of the screen.
        narrow: places remarks below the fields, without help texts, as in a side panel.
        tight: gives labels and remarks less room, as beside a list.

    Attributes:
        inputs: the widget of each field, by path.
        notes: the label of each field's remark, by path.
    """

    def __init__(self, parent: tk.Misc, parts: Sequence[Part], draft: FormDraft, ui: float, narrow: bool = False,
        tight: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self.draft, self.ui, self._narrow, self._tight = draft, ui, narrow, tight
        self._remark_px = round((TIGHT_REMARKS if tight else REMARKS) * ui)
        self.inputs: dict[str, AnyInput] = {}
        self.notes: dict[str, ttk.Label] = {}
        self._shown_notes: dict[str, tuple[str, str, str]] = {}
        self._labels: dict[str, ttk.Label] = {}
        self._helps: dict[str, str] = {}
        self._switches: dict[str, str] = {}
        self._remarks: dict[str, Remark] = {}
        self._headings: list[tuple[ttk.Label, str]] = []
        self._titles: list[tuple[ttk.Label, Callable[[Sequence[Any]], str]]] = []
        self._initial_contents: dict[str, Content] = {}
        self._revert_buttons: dict[str, ttk.Button] = {}
        self._refreshers: list[Callable[[], None]] = []
        self._locked: set[str] = set()
        self._gap = round(4 * ui)
        self._is_several = len(draft.values) > 1
        self.columnconfigure(1, weight=1, minsize=round(130 * ui) if narrow else 0)
        if not narrow:
            self.columnconfigure(0, minsize=round((TIGHT_LABELS if tight else LABELS) * ui))
        self._row = 0
        for part in parts:
            self._add(part, "")
        self.refresh()

    @property
    def is_tight(self) -> bool:
        """Whether labels and remarks have less room, as beside a list."""
        return self._tight

    @property
    def remark_px(self) -> int:
        """The width of remarks, in pixels."""
        return self._remark_px

    def show_help(self, path: str, words: str) -> None:
        """Replace the help text of a field, and show it."""
        if self._helps.get(path) != words:
            self.set_help(path, words)
            self._show_note(path)

    def set_help(self, path: str, words: str) -> None:
        """Replace the help text of a field whose remark another widget shows."""
        self._helps[path] = words

    # --- building ---

    def _add(self, part: Part, switch: str) -> None:
        if isinstance(part, FieldGroup):
            self._add_group(part, switch)
        elif isinstance(part, FieldPair):
            grid = PairGrid(self, self, part)
            grid.grid(row=self._next(), column=0, columnspan=3, sticky="ew")
            self._refreshers.append(grid.refresh)
        elif isinstance(part, CustomWidget):
            widget = part.make(self, self)
            row = self._next()
            if part.label:
                ttk.Label(self, text=part.label).grid(row=row, column=0, sticky="w")
                widget.grid(row=row, column=1, columnspan=2, sticky="w", pady=self._gap)
            else:
                self.rowconfigure(row, weight=1)
                widget.grid(row=row, column=0, columnspan=3, sticky="nsew")
            self._refreshers.append(widget.refresh)
            self.inputs |= widget.inputs
        elif not (part.single and self._is_several):
            self._add_field(part, switch)

    def _next(self) -> int:
        self._row += 1
        return self._row - 1

    def _add_group(self, group: FieldGroup, switch: str) -> None:
        if group.part is None and self._is_several and all(getattr(child, "single", False) for child in group.parts):
            return
        if group.title:
            heading = ttk.Label(self, font="TkHeadingFont")
            self._titles.append((heading, group.title_for))
            heading.grid(row=self._next(), column=0, columnspan=3, sticky="w", pady=(4 * self._gap, self._gap))
            if switch:
                self._headings.append((heading, switch))
        if group.part is not None:
            path = group.part.path
            widget = self.make_input(self, group.part)
            widget.widget.grid(row=self._next(), column=0, columnspan=3, sticky="w",
                             pady=((3 if self._narrow else 1) * self._gap, 2 * self._gap))  # fmt: skip
            if switch:
                self._switches[path] = switch
            switch = path
        for part in group.parts:
            self._add(part, switch)

    def _add_field(self, field: Field, switch: str) -> None:
        if switch:
            self._switches[field.path] = switch
        widget = self.make_input(self, field)
        kind = self.draft.kind(field.path)
        is_long = kind.widget == "checks" and isinstance(kind, TextKind) and len(kind.choices) > _FEW
        if isinstance(widget, ListInput | LinesInput | SummaryInput) or is_long:
            self._add_wide(field, widget)
            return
        row = self._next()
        unit = kind.unit if self._narrow else ""
        text = "" if kind.widget == "flag" else field.label
        label = ttk.Label(self, text=f"{text} ({unit})" if unit else text)
        label.grid(row=row, column=0, sticky="w", padx=(0, 4 * self._gap), pady=self._gap)
        self._labels[field.path] = label
        label.bind("<ButtonPress-1>", lambda event: widget.focus.focus_set())
        widget.widget.grid(row=row, column=1, sticky="ew", pady=self._gap)
        self._add_revert(field, widget, row)
        note = self.note(self, field, self._remark_px - round(10 * self.ui))
        if self._narrow:
            note.grid(row=self._next(), column=0, columnspan=2, sticky="w")
        else:
            note.grid(row=row, column=2, sticky="w", padx=(3 * self._gap, 0))
            self.columnconfigure(2, minsize=self._remark_px + 3 * self._gap)

    def _add_wide(self, field: Field, widget: AnyInput) -> None:
        if field.label:
            label = ttk.Label(self, text=field.label, font="TkDefaultFont")
            label.grid(row=self._next(), column=0, columnspan=3, sticky="w", pady=(2 * self._gap, 0))
            self._labels[field.path] = label
        note = self.note(self, field, round((430 if self._tight else 620) * self.ui))
        self._add_revert(field, widget, self._row)
        note.grid(row=self._next(), column=0, columnspan=3, sticky="w", pady=(0, self._gap))
        widget.widget.grid(row=self._next(), column=0, columnspan=3, sticky="ew", pady=(0, self._gap))

    def make_input(
        self, parent: tk.Misc, field: Field, write: Callable[[str], None] | None = None, *hinted: Any
    ) -> AnyInput:
        """Create the widget of a field, and register it by the field's path."""
        kind = self.draft.kind(field.path)
        widget: AnyInput
        if isinstance(kind, TableKind):
            widget = TableInput(parent, self.draft, field, self.ui)
        elif isinstance(kind, RowsKind):
            widget = RowsInput(parent, self.draft, field, self.ui, self._row_form, self._tight)
        else:
            slot = self._slot(field, replace(kind, unit="") if self._narrow else kind, write, hinted)
            widget = self._lines(parent, slot) if kind.widget == "lines" else self._input(parent, slot)
        self.inputs[field.path] = widget
        return widget

    def _row_form(self, parent: tk.Misc, parts: Sequence[Part], draft: FormDraft, tight: bool) -> Form:
        """Create the form of a row."""
        return Form(parent, parts, draft, self.ui, tight=tight)

    def _lines(self, parent: tk.Misc, slot: Slot) -> LinesInput:
        return LinesInput(parent, slot, self.ui, width=slot.kind.width or LinesInput.WIDTH)

    def _input(self, parent: tk.Misc, slot: Slot) -> Input:
        width = max(slot.kind.width, len(SEVERAL)) if self._is_several and slot.kind.width else 0
        return input_for(parent, slot, self.ui, width)

    def _slot(self, field: Field, kind: TextKind, write: Callable[[str], None] | None, hinted: tuple[Any, ...]) -> Slot:
        draft, path = self.draft, field.path
        label = field.label if kind.widget in ("part", "flag") else ""

        def read() -> str | None:
            content = self.content_of(path)
            assert content is None or isinstance(content, str)
            return content

        def hint() -> str:
            return "" if self._is_several and not isinstance(field.hint, str) else field.hint_for(
                draft.context, draft.values[0], *hinted
            )  # fmt: skip

        fault = partial(draft.fault, path)
        return Slot(
            kind, read, write or partial(draft.set, path), hint, fault, partial(self._is_error, path), label,
            draft.choices_of(field), partial(self._required, field),
        )  # fmt: skip

    def _required(self, field: Field) -> Sequence[str]:
        """The boxes that are always ticked. They may differ between several values, so several values have none."""
        if field.required is None or self._is_several:
            return ()
        return field.required(self.draft.context, self.draft.values[0])

    def content_of(self, path: str) -> Content | None:
        """The content of a field's widget; None if the values differ."""
        content = self.draft.content(path)
        return self._initial_content(path) if content == "" else content

    def _initial_content(self, path: str) -> Content:
        """The initial content of a field in a part that is off, shown before the part is switched on."""
        switch = self._switches.get(path, "")
        # A panel does not show these fields.
        if self._narrow or not switch or self.draft.content(switch) != "":
            return ""
        if path not in self._initial_contents:
            begin, kind = self.draft.kind(switch), self.draft.kind(path)
            assert isinstance(begin, TextKind)
            value = self.draft.fields[path].get(self.draft.fields[switch].put(self.draft.values[0], begin.read("1")))
            self._initial_contents[path] = "" if value is None else kind.show(value)
        return self._initial_contents[path]

    def _add_revert(self, field: Field, widget: AnyInput, row: int) -> None:
        """Bind Control-Z to revert an edit. For several values, also add a button that does so."""
        if not isinstance(widget, ListInput | LinesInput):
            widget.on_key("<Control-z>", partial(self._revert, field.path))
        if self._is_several and not self._narrow:
            button = ttk.Button(self, text="↺", width=2, bootstyle="link", takefocus=False,
                                command=partial(self._revert, field.path))  # fmt: skip
            button.grid(row=row, column=3, sticky="e")
            self._revert_buttons[field.path] = button

    def _revert(self, path: str, event: tk.Event | None = None) -> str:
        """Revert the edit of a field. In a panel, without an edit, Control-Z is left to the topology's undo."""
        if self._narrow and path not in self.draft.edited:
            return ""
        self.draft.reset(path)
        return "break"

    def note(self, parent: tk.Misc, field: Field, width: int) -> ttk.Label:
        """Create the label for a field's help and its remarks."""
        note = ttk.Label(parent, font=SMALL_FONT, wraplength=width, justify="left", bootstyle="secondary")
        self.notes[field.path] = note
        self._helps[field.path] = "" if self._narrow else field.help
        return note

    # --- showing ---

    def refresh(self) -> None:
        """Show the contents of the draft, and its errors."""
        for path, widget in self.inputs.items():
            widget.refresh()
            if path in self._switches:
                self._switch(path, widget, self._is_on(path))
        for heading, titled in self._titles:
            heading.configure(text=titled(self.draft.values))
        for heading, switch in self._headings if self._narrow else ():
            is_on = self.draft.content(switch) == "1" and self._is_on(switch)
            (heading.grid if is_on else heading.grid_remove)()
        for path, button in self._revert_buttons.items():
            (button.grid if path in self.draft.edited else button.grid_remove)()
        for path in self.notes:
            self._show_note(path)
        self._refresh_widgets()

    def _refresh_widgets(self) -> None:
        for refresh in self._refreshers:
            refresh()
        self._lock()

    def _lock(self) -> None:
        """Disable locked fields, and enable fields that are no longer locked."""
        for path, widget in self.inputs.items():
            if path in self.draft.fields and self.draft.is_locked(path):
                self._locked.add(path)
                widget.enable(False)
            elif path in self._locked:
                self._locked.discard(path)
                widget.enable(self._is_on(path))

    def _switch(self, path: str, widget: AnyInput, is_on: bool) -> None:
        """Enable the field of a part that is on. A narrow panel hides the fields of other parts."""
        widget.enable(is_on)
        if self._narrow and path in self._labels:
            for tk_widget in (widget.widget, self._labels[path]):
                (tk_widget.grid if is_on else tk_widget.grid_remove)()

    def _is_on(self, path: str) -> bool:
        switch = self._switches.get(path)
        return switch is None or (self.draft.content(switch) == "1" and self._is_on(switch))

    def remark(self, remarks: Mapping[str, Remark]) -> None:
        """Show remarks on some fields. A field's own error takes precedence."""
        self._remarks = dict(remarks)
        for widget in self.inputs.values():
            if isinstance(widget, Input):
                widget.mark()
        for path in self.notes:
            self._show_note(path)
        self._refresh_widgets()

    def _is_error(self, path: str) -> bool:
        return self._remarks.get(path, ("", ""))[0] == "error"

    def remark_on(self, path: str) -> Remark:
        """The current remark on a field: its error, a remark from outside, or its help."""
        fault = self.draft.fault(path)
        if fault:
            return "error", fault[:1].upper() + fault[1:]
        severity, text = self._remarks.get(path, ("", self._helps.get(path, "")))
        return severity, text[:1].upper() + text[1:]

    def label_of(self, path: str) -> str:
        """The label that is shown beside a field; empty for a field without one."""
        return str(self._labels[path].cget("text")) if path in self._labels else ""

    def _show_note(self, path: str) -> None:
        severity, text = self.remark_on(path)
        look = severity, text, severity_color(severity)
        if self._shown_notes.get(path) == look:
            return
        self._shown_notes[path], note = look, self.notes[path]
        note.configure(text=text, bootstyle=_STYLES[severity], foreground=look[2])
        if self._narrow:
            (note.grid if text else note.grid_remove)()

    def focus_path(self, path: str) -> bool:
        """Move the focus to a field, and return whether it is on this form."""
        if path in self.inputs and not self._is_on(path):
            path = self._switches[path]
        widget = self.inputs.get(path)
        if widget is None:
            return False
        widget.focus.focus_set()
        if isinstance(widget.focus, ttk.Entry) and str(widget.focus.cget("state")) != "readonly":
            widget.focus.selection_range(0, "end")
        return True
