"""Widgets of single fields. Each looks at a slot, which is where its text comes from and goes to."""

from __future__ import annotations

import os
import re
import tkinter as tk
from collections.abc import Callable
from dataclasses import dataclass
from tkinter import filedialog
from typing import Any

import ttkbootstrap as ttk

from miniedit_frr.dialogs.draft import SEVERAL
from miniedit_frr.dialogs.kinds import Kind
from miniedit_frr.dialogs.quantities import Wrong

SMALL_FONT = "TkSmallCaptionFont"
#: Least width of labels and of remarks, so that all pages of a dialog have their columns in the same places.
LABELS, REMARKS = 146, 250


@dataclass(frozen=True)
class Slot:
    """Where a widget's text comes from and goes to.

    Attributes:
        kind: how it is written.
        read: the text; None where several values differ.
        write: takes another text.
        hint: what is shown faintly while there is none.
        fault: what is wrong with it; empty where it is right.
        label: what the field is called; flags show it at their box.
    """

    kind: Kind
    read: Callable[[], str | None]
    write: Callable[[str], None]
    hint: Callable[[], str] = lambda: ""
    fault: Callable[[], str] = lambda: ""
    label: str = ""


def field_colours() -> tuple[str, str, str]:
    """Ground, text and faint text of fields in the theme of now."""
    style = ttk.Style()
    ground = style.lookup("TEntry", "fieldbackground") or style.lookup("TFrame", "background")
    text = style.lookup("TEntry", "foreground") or style.lookup("TLabel", "foreground")
    return str(ground), str(text), str(style.lookup("secondary.TLabel", "foreground") or text)


class Input:
    """A widget for one field.

    Attributes:
        widget: what stands in the form.
        focus: what gets the keyboard.
        variable: its text, where it is a plain one.
    """

    widget: tk.Widget
    focus: tk.Widget
    variable: tk.StringVar

    def __init__(self, slot: Slot) -> None:
        self.slot = slot
        self._is_refreshing = False

    def refresh(self) -> None:
        """Show the slot's text and fault."""
        self._is_refreshing = True
        try:
            self._show(self.slot.read())
        finally:
            self._is_refreshing = False
        self._mark(bool(self.slot.fault()))

    def _show(self, text: str | None) -> None:
        raise NotImplementedError

    def _mark(self, is_wrong: bool) -> None:
        if isinstance(self.focus, ttk.Entry):
            self.focus.state(["invalid" if is_wrong else "!invalid"])

    def enable(self, is_on: bool) -> None:
        """Take input or not."""
        for each in _all(self.widget):
            if isinstance(each, ttk.Entry | ttk.Button | ttk.Checkbutton):
                each.state(["!disabled" if is_on else "disabled"])

    def on_key(self, key: str, do: Callable[[tk.Event], object]) -> None:
        """Bind a key wherever the keyboard can be in it: Tk takes whatever has a key bound for a place to stop at."""
        for each in _all(self.widget):
            if isinstance(each, ttk.Entry | ttk.Checkbutton):
                each.bind(key, do, add=True)

    def _write(self, text: str) -> None:
        if not self._is_refreshing:
            self.slot.write(text)


def _all(widget: tk.Misc) -> list[tk.Misc]:
    return [widget, *(below for child in widget.winfo_children() for below in _all(child))]


class LineInput(Input):
    """A line of text, with what is automatic shown faintly while it is empty, and the unit behind it."""

    def __init__(self, parent: tk.Misc, slot: Slot, ui: float, width: int = 0, fills: bool = False) -> None:
        super().__init__(slot)
        self.variable = tk.StringVar(parent)
        frame = ttk.Frame(parent)
        self.entry = self._entry(frame, width or slot.kind.width or 28)
        self.entry.pack(side="left", fill="x", expand=fills or slot.kind.width == 0)
        if slot.kind.unit:
            ttk.Label(frame, text=slot.kind.unit).pack(side="left", padx=(round(6 * ui), 0))
        self._hint = tk.Label(self.entry, cursor="xterm", borderwidth=0, padx=0, pady=0, anchor="w")
        self._hint.bind("<<ThemeChanged>>", lambda event: self._paint_hint())
        self._paint_hint()
        self._hint.bind("<ButtonPress-1>", lambda event: self.entry.focus_set())
        self._ui = ui
        self.widget, self.focus = frame, self.entry
        self.variable.trace_add("write", lambda *_: self._typed())
        self.entry.bind("<FocusOut>", lambda event: self._tidy(), add=True)
        self.entry.bind("<FocusIn>", lambda event: self._place_hint(), add=True)

    def _entry(self, frame: tk.Misc, width: int) -> Any:
        return ttk.Entry(frame, textvariable=self.variable, width=width)

    def _show(self, text: str | None) -> None:
        if self.variable.get() != (text or ""):
            self.variable.set(text or "")
        self._place_hint()

    def _typed(self) -> None:
        self._write(self.variable.get())
        self._place_hint()

    def _tidy(self) -> None:
        """Show a number in the field's own unit once it is written: 1.5gbit becomes 1500."""
        text = self.slot.read()
        if text and self.slot.kind.unit and not self.slot.fault():
            try:
                tidy = self.slot.kind.show(self.slot.kind.read(text))
            except Wrong:
                return
            if tidy != text:
                self.variable.set(tidy)

    def _paint_hint(self) -> None:
        ground, _, faint = field_colours()
        self._hint.configure(background=ground, foreground=faint, font="TkDefaultFont")

    def _place_hint(self) -> None:
        text = SEVERAL if self.slot.read() is None else self.slot.hint()
        if self.variable.get() or not text:
            self._hint.place_forget()
            return
        self._hint.configure(text=text)
        # As wide as the text: the field's edge, and the arrow of a list, stay in sight.
        edge = 40 if isinstance(self.entry, ttk.Combobox) else 14
        self._hint.place(x=round(7 * self._ui), rely=0.5, anchor="w", relwidth=1, width=-round(edge * self._ui))


class ChoiceInput(Input):
    """One of some values, by what they are called."""

    def __init__(self, parent: tk.Misc, slot: Slot, ui: float, width: int = 0) -> None:
        super().__init__(slot)
        self.variable = tk.StringVar(parent)
        called = tuple(slot.kind.choices.values())
        longest = max((len(each) for each in called), default=8)
        self.box = ttk.Combobox(parent, textvariable=self.variable, values=called, state="readonly",
                                width=width or max(14, longest))  # fmt: skip
        self.box.bind("<<ComboboxSelected>>", lambda event: self._chosen())
        self.widget = self.focus = self.box

    def _chosen(self) -> None:
        self.box.selection_clear()
        back = {called: value for value, called in self.slot.kind.choices.items()}
        text = self.variable.get()
        self._write(text if text in back else self.variable.get())

    def _show(self, text: str | None) -> None:
        self.variable.set(SEVERAL if text is None else text)

    def enable(self, is_on: bool) -> None:
        self.box.configure(state="readonly" if is_on else "disabled")


class OpenInput(LineInput):
    """A line of text with some that can be chosen."""

    def _entry(self, frame: tk.Misc, width: int) -> Any:
        return ttk.Combobox(
            frame, textvariable=self.variable, width=width, values=tuple(self.slot.kind.choices.values())
        )


class FolderInput(LineInput):
    """A folder, typed or looked for."""

    def __init__(self, parent: tk.Misc, slot: Slot, ui: float, width: int = 0) -> None:
        super().__init__(parent, slot, ui, width, fills=True)
        self.browse = ttk.Button(self.widget, text="Browse…", command=self._look, bootstyle="secondary-outline")
        # What is packed first keeps its width where there is little room.
        self.browse.pack(side="right", padx=(round(6 * ui), 0), before=self.entry)
        self.entry.lower()

    def _look(self) -> None:
        there = os.path.expanduser(self.variable.get().strip() or "~")
        found = filedialog.askdirectory(parent=self.widget, initialdir=there if os.path.isdir(there) else "~")
        if found:
            self.variable.set(found)


class FlagInput(Input):
    """On or off; a bar where several values differ."""

    def __init__(self, parent: tk.Misc, slot: Slot, ui: float, width: int = 0) -> None:
        super().__init__(slot)
        self.variable = tk.StringVar(parent)
        style: dict[str, Any] = {"bootstyle": "round-toggle"} if slot.kind.widget == "part" else {}
        self.box = ttk.Checkbutton(parent, variable=self.variable, onvalue="1", offvalue="", text=slot.label,
                                   command=lambda: self._write(self.variable.get()), **style)  # fmt: skip
        self.widget = self.focus = self.box

    def _show(self, text: str | None) -> None:
        self.variable.set("?" if text is None else text)
        self.box.state(["alternate" if text is None else "!alternate"])


class FixedInput(Input):
    """A text that is only shown."""

    def __init__(self, parent: tk.Misc, slot: Slot, ui: float, width: int = 0) -> None:
        super().__init__(slot)
        self.widget = self.focus = self._label = ttk.Label(parent, takefocus=False)

    def _show(self, text: str | None) -> None:
        self._label.configure(text=SEVERAL if text is None else text)

    def enable(self, is_on: bool) -> None:
        self._label.configure(bootstyle="default" if is_on else "secondary")


class MeasuredInput(Input):
    """A number, and what it is measured in. A unit may be typed behind the number too."""

    def __init__(self, parent: tk.Misc, slot: Slot, ui: float, width: int = 0) -> None:
        super().__init__(slot)
        self._number, self._unit = tk.StringVar(parent), tk.StringVar(parent)
        frame = ttk.Frame(parent)
        self.entry = ttk.Entry(frame, textvariable=self._number, width=6)
        units = tuple(slot.kind.choices.values())
        self.box = ttk.Combobox(frame, textvariable=self._unit, values=units, state="readonly",
                                width=len(SEVERAL) if slot.read() is None else 8)  # fmt: skip
        # What is packed first keeps its width where there is little room.
        self.box.pack(side="right", padx=(round(4 * ui), 0))
        self.entry.pack(side="left", fill="x", expand=True)
        self.box.lift()
        self._none = next((each for each in units if each == slot.kind.show(None)), "")
        self.widget, self.focus = frame, self.entry
        self._number.trace_add("write", lambda *_: self._typed())
        self.box.bind("<<ComboboxSelected>>", lambda event: self._chosen())
        self.entry.bind("<FocusOut>", lambda event: self.refresh(), add=True)

    def _typed(self) -> None:
        if self._is_refreshing:
            return
        number = self._number.get().strip()
        if number and self._unit.get() in (self._none, SEVERAL):
            self._unit.set(next(each for each in self.slot.kind.choices if each != self._none))
        self._write(self._joined(number, self._unit.get()))

    def _joined(self, number: str, unit: str) -> str:
        """The text for a number and a unit; a unit behind the number counts more."""
        if not number and self._none:
            return self._none
        try:
            return self.slot.kind.show(self.slot.kind.read(number))
        except Wrong:
            return f"{number} {unit}"

    def _chosen(self) -> None:
        self.box.selection_clear()
        unit = self._unit.get()
        if unit == self._none:
            self._number.set("")
            return
        digits = re.match(r"[0-9.]*", self._number.get().strip())
        self._number.set(digits[0] if digits else "")
        self.entry.focus_set()
        self.entry.selection_range(0, "end")

    def _show(self, text: str | None) -> None:
        # While it is typed, what is typed and the unit beside it stay as they are.
        if text is not None and self._joined(self._number.get().strip(), self._unit.get()) == text and self._is_busy():
            return
        if text is None:
            self._number.set("")
            self._unit.set(SEVERAL)
        elif text == self._none:
            self._number.set("")
            self._unit.set(self._none)
        else:
            number, _, unit = text.rpartition(" ")
            self._number.set(number)
            self._unit.set(unit)

    def _is_busy(self) -> bool:
        return self.entry.winfo_toplevel().focus_lastfor() in (self.entry, self.box)

    def enable(self, is_on: bool) -> None:
        self.entry.state(["!disabled" if is_on else "disabled"])
        self.box.configure(state="readonly" if is_on else "disabled")


class ChecksInput(Input):
    """Any of some names, a box each."""

    _COLUMNS = 4

    def __init__(self, parent: tk.Misc, slot: Slot, ui: float, width: int = 0) -> None:
        super().__init__(slot)
        self.widget = self.focus = self._frame = ttk.Frame(parent)
        self._boxes: dict[str, tuple[tk.StringVar, ttk.Checkbutton]] = {}
        self._ui = ui
        self._none = ttk.Label(self._frame, text="The drawing has none.", bootstyle="secondary")
        self._told = ttk.Label(self._frame)

    def _show(self, text: str | None) -> None:
        told = self.slot.hint()
        self._told.configure(text=told)
        if told:
            self._told.grid(row=0, column=0, columnspan=self._COLUMNS, sticky="w", pady=(0, round(6 * self._ui)))
        on = text.split() if text else []
        names = [*self.slot.kind.choices, *(each for each in on if each not in self.slot.kind.choices)]
        if names != list(self._boxes):
            self._build(names)
        for name, (variable, box) in self._boxes.items():
            variable.set("?" if text is None else "1" if name in on else "")
            box.state(["alternate" if text is None else "!alternate"])

    def _build(self, names: list[str]) -> None:
        for _, box in self._boxes.values():
            box.destroy()
        self._boxes = {}
        for index, name in enumerate(names):
            variable = tk.StringVar(self._frame)
            box = ttk.Checkbutton(self._frame, text=name, variable=variable, onvalue="1", offvalue="",
                                  command=self._changed)  # fmt: skip
            box.grid(row=1 + index // self._COLUMNS, column=index % self._COLUMNS, sticky="w",
                     padx=(0, round(18 * self._ui)), pady=round(4 * self._ui))  # fmt: skip
            self._boxes[name] = variable, box
        if not names:
            self._none.grid(row=1, column=0)
        else:
            self._none.grid_forget()
            self.focus = self._boxes[names[0]][1]

    def _changed(self) -> None:
        self._write(" ".join(name for name, (variable, _) in self._boxes.items() if variable.get() == "1"))


_WIDGETS: dict[str, Any] = {
    "line": LineInput,
    "choice": ChoiceInput,
    "open": OpenInput,
    "folder": FolderInput,
    "flag": FlagInput,
    "part": FlagInput,
    "fixed": FixedInput,
    "measured": MeasuredInput,
    "checks": ChecksInput,
}


def input_for(parent: tk.Misc, slot: Slot, ui: float, width: int = 0, fills: bool = False) -> Input:
    """The widget for a slot's kind.

    Args:
        parent: where it goes.
        slot: where its text comes from and goes to.
        ui: scaling of the screen.
        width: in characters; 0 for the kind's.
        fills: whether a line of text takes all the room that there is.
    """
    kind = slot.kind.widget
    more = {"fills": fills} if kind in ("line", "open") else {}
    made: Input = _WIDGETS[kind](parent, slot, ui, width, **more)
    return made
