"""Widgets of single fields. Each widget has a slot: the source and target of its text."""

from __future__ import annotations

import os
import re
import string
import tkinter as tk
from tkinter import filedialog
from tkinter.font import Font
from typing import Any

import ttkbootstrap as ttk

from miniedit_frr.dialogs.draft import SEVERAL
from miniedit_frr.dialogs.fields.quantities import InvalidQuantity
from miniedit_frr.dialogs.fields.samples import SamplesInput
from miniedit_frr.dialogs.fields.slots import Input, Slot, field_colors, hint_font
from miniedit_frr.widgets.ellipsis import elide
from miniedit_frr.widgets.focus import last_focused
from miniedit_frr.widgets.traces import on_write


class LineInput(Input):
    """A line of text with its unit. An empty line shows the automatic value faintly."""

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
        self._hint.bind("<Configure>", lambda event: self._fit_hint())
        self._hint_text = ""
        self._paint_hint()
        self._hint.bind("<ButtonPress-1>", lambda event: self.entry.focus_set())
        self._ui = ui
        self.widget, self.focus = frame, self.entry
        on_write(self.variable, self.entry, self._on_typing)
        self.entry.bind("<FocusOut>", lambda event: self._tidy(), add=True)
        self.entry.bind("<FocusIn>", lambda event: self._place_hint(), add=True)

    def _entry(self, frame: tk.Misc, width: int) -> Any:
        return ttk.Entry(frame, textvariable=self.variable, width=width)

    def _show(self, text: str | None) -> None:
        if self.variable.get() != (text or ""):
            self.variable.set(text or "")
        self._place_hint()

    def _on_typing(self) -> None:
        self._write(self.variable.get())
        self._place_hint()

    def _tidy(self) -> None:
        """Convert a typed number to the field's unit when the focus leaves: 1.5gbit becomes 1500."""
        text = self.slot.read()
        if text and self.slot.kind.unit and not self.slot.fault():
            try:
                tidy = self.slot.kind.show(self.slot.kind.read(text))
            except InvalidQuantity:
                return
            if tidy != text:
                self.variable.set(tidy)

    def _paint_hint(self) -> None:
        ground, _, faint = field_colors()
        if self.entry.instate(["disabled"]):
            ground = str(ttk.Style().lookup("TEntry", "fieldbackground", ["disabled"]) or ground)
        # The slant distinguishes an automatic value from a typed one. The color alone has to be readable.
        self._hint.configure(background=ground, foreground=faint, font=hint_font(self._hint))

    def enable(self, is_on: bool) -> None:
        super().enable(is_on)
        self._paint_hint()

    def _place_hint(self) -> None:
        text = SEVERAL if self.slot.read() is None else self.slot.hint()
        if self.variable.get() or not text:
            self._hint.place_forget()
            return
        self._hint_text = text
        # The hint leaves the edge of the field and the arrow of a list visible.
        edge = 40 if isinstance(self.entry, ttk.Combobox) else 14
        self._hint.place(x=round(7 * self._ui), rely=0.5, anchor="w", relwidth=1, width=-round(edge * self._ui))
        self._fit_hint()

    def _fit_hint(self) -> None:
        """Shorten the hint to the width of a narrow field, such as one of the properties panel."""
        font = Font(self._hint, font=self._hint.cget("font"))
        self._hint.configure(text=elide(self._hint_text, font, self._hint.winfo_width()))


class ChoiceInput(Input):
    """A choice of one value by its name."""

    def __init__(self, parent: tk.Misc, slot: Slot, ui: float, width: int = 0) -> None:
        super().__init__(slot)
        self.variable = tk.StringVar(parent)
        labels = tuple(slot.kind.choices.values())
        longest = max((len(label) for label in labels), default=8)
        self.box = ttk.Combobox(parent, textvariable=self.variable, values=labels, state="readonly",
                                width=width or max(14, longest))  # fmt: skip
        self.box.bind("<<ComboboxSelected>>", lambda event: self._choose())
        self.widget = self.focus = self.box

    def _choose(self) -> None:
        self.box.selection_clear()
        values = {label: value for value, label in self.slot.kind.choices.items()}
        text = self.variable.get()
        self._write(text if text in values else self.variable.get())

    def _show(self, text: str | None) -> None:
        self.variable.set(SEVERAL if text is None else text)

    def enable(self, is_on: bool) -> None:
        self.box.configure(state="readonly" if is_on else "disabled")


class OpenInput(LineInput):
    """A line of text with suggestions."""

    def _entry(self, frame: tk.Misc, width: int) -> Any:
        box = ttk.Combobox(frame, textvariable=self.variable, width=width, values=self.slot.options)
        box.configure(postcommand=lambda: box.configure(values=self.slot.options))
        return box


class FolderInput(LineInput):
    """A folder, typed or selected in a dialog."""

    def __init__(self, parent: tk.Misc, slot: Slot, ui: float, width: int = 0) -> None:
        super().__init__(parent, slot, ui, width, fills=True)
        self.browse = ttk.Button(self.widget, text="Browse…", command=self._look, bootstyle="secondary-outline")
        # The widget that is packed first keeps its width if there is little room.
        self.browse.pack(side="right", padx=(round(6 * ui), 0), before=self.entry)
        self.entry.lower()

    def _look(self) -> None:
        folder = os.path.expanduser(self.variable.get().strip() or "~")
        selected = filedialog.askdirectory(parent=self.widget, initialdir=folder if os.path.isdir(folder) else "~")
        if selected:
            self.variable.set(selected)


class FlagInput(Input):
    """A box that is on or off; it shows a bar if several values differ."""

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
    """A read-only text."""

    def __init__(self, parent: tk.Misc, slot: Slot, ui: float, width: int = 0) -> None:
        super().__init__(slot)
        self.widget = self.focus = self._label = ttk.Label(parent, takefocus=False)

    def _show(self, text: str | None) -> None:
        self._label.configure(text=SEVERAL if text is None else text)

    def enable(self, is_on: bool) -> None:
        self._label.configure(bootstyle="default" if is_on else "secondary")


class SummaryInput(FixedInput):
    """A read-only text of several lines."""

    def __init__(self, parent: tk.Misc, slot: Slot, ui: float, width: int = 0) -> None:
        super().__init__(parent, slot, ui, width)
        self._label.configure(wraplength=round(255 * ui), justify="left")


class MeasuredInput(Input):
    """A number and a list of units. A unit may also be typed after the number."""

    def __init__(self, parent: tk.Misc, slot: Slot, ui: float, width: int = 0) -> None:
        super().__init__(slot)
        self._number, self._unit = tk.StringVar(parent), tk.StringVar(parent)
        frame = ttk.Frame(parent)
        self.entry = ttk.Entry(frame, textvariable=self._number, width=6)
        units = tuple(slot.kind.choices.values())
        self.box = ttk.Combobox(frame, textvariable=self._unit, values=units, state="readonly",
                                width=len(SEVERAL) if slot.read() is None else 7)  # fmt: skip
        # The widget that is packed first keeps its width if there is little room.
        self.box.pack(side="right", padx=(round(3 * ui), 0))
        self.entry.pack(side="left", fill="x", expand=True)
        self.box.lift()
        self._none = next((unit for unit in units if unit == slot.kind.show(None)), "")
        self.widget, self.focus = frame, self.entry
        on_write(self._number, self.entry, self._on_typing)
        self.box.bind("<<ComboboxSelected>>", lambda event: self._choose())
        self.entry.bind("<FocusOut>", lambda event: self.refresh(), add=True)

    def _on_typing(self) -> None:
        if self._is_refreshing:
            return
        number = self._number.get().strip()
        if number and self._unit.get() in (self._none, SEVERAL):
            self._unit.set(next(name for name in self.slot.kind.choices if name != self._none))
        text = self._joined(number, self._unit.get())
        unit = text.rpartition(" ")[2]
        if number.endswith(tuple(string.ascii_letters)) and unit in self.slot.kind.choices.values():
            self._unit.set(unit)  # a unit was typed: show the same unit in the list
        self._write(text)

    def _joined(self, number: str, unit: str) -> str:
        """The text for a number and a unit. A unit typed after the number takes precedence."""
        if not number and self._none:
            return self._none
        try:
            return self.slot.kind.show(self.slot.kind.read(number))
        except InvalidQuantity:
            return f"{number} {unit}"

    def _choose(self) -> None:
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
        # Typed text and the unit beside it stay unchanged while the user types.
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
        return last_focused(self.entry.winfo_toplevel()) in (self.entry, self.box)

    def enable(self, is_on: bool) -> None:
        self.entry.state(["!disabled" if is_on else "disabled"])
        self.box.configure(state="readonly" if is_on else "disabled")


class ChecksInput(Input):
    """Any of some names, with a box for each. A required box is ticked and disabled."""

    _COLUMNS = 4

    def __init__(self, parent: tk.Misc, slot: Slot, ui: float, width: int = 0) -> None:
        super().__init__(slot)
        self.widget = self.focus = self._frame = ttk.Frame(parent)
        self._boxes: dict[str, tuple[tk.StringVar, ttk.Checkbutton]] = {}
        self._ui = ui
        self._required: frozenset[str] = frozenset()
        self._none = ttk.Label(self._frame, text="The drawing contains none.", bootstyle="secondary")
        self._summary = ttk.Label(self._frame)
        self._build([])

    def _show(self, text: str | None) -> None:
        summary = self.slot.hint()
        self._summary.configure(text=summary)
        if summary:
            self._summary.grid(row=0, column=0, columnspan=self._COLUMNS, sticky="w", pady=(0, round(6 * self._ui)))
        on = text.split() if text else []
        options = self.slot.options
        names = [*options, *(name for name in on if name not in options)]
        if names != list(self._boxes):
            self._build(names)
        self._required = frozenset(self.slot.required())
        for name, (variable, box) in self._boxes.items():
            variable.set("?" if text is None else "1" if name in on or name in self._required else "")
            box.state(["alternate" if text is None else "!alternate"])
            box.state(["disabled" if name in self._required else "!disabled"])

    def _build(self, names: list[str]) -> None:
        for _, box in self._boxes.values():
            box.destroy()
        self._boxes = {}
        for index, name in enumerate(names):
            variable = tk.StringVar(self._frame)
            box = ttk.Checkbutton(self._frame, text=name, variable=variable, onvalue="1", offvalue="",
                                  command=self._on_tick)  # fmt: skip
            box.grid(row=1 + index // self._COLUMNS, column=index % self._COLUMNS, sticky="w",
                     padx=(0, round(18 * self._ui)), pady=round(4 * self._ui))  # fmt: skip
            self._boxes[name] = variable, box
        if not names:
            self._none.grid(row=1, column=0)
            self.focus = self._frame
        else:
            self._none.grid_forget()
            self.focus = self._boxes[names[0]][1]

    def _on_tick(self) -> None:
        # Required names stay in the text if the user had ticked them, and are not added otherwise.
        requested = set((self.slot.read() or "").split())
        ticked = (name for name, (variable, _) in self._boxes.items() if variable.get() == "1")
        self._write(" ".join(name for name in ticked if name in requested or name not in self._required))


_WIDGETS: dict[str, Any] = {
    "line": LineInput,
    "choice": ChoiceInput,
    "open": OpenInput,
    "folder": FolderInput,
    "flag": FlagInput,
    "part": FlagInput,
    "fixed": FixedInput,
    "summary": SummaryInput,
    "measured": MeasuredInput,
    "checks": ChecksInput,
    "samples": SamplesInput,
}


def input_for(parent: tk.Misc, slot: Slot, ui: float, width: int = 0, fills: bool = False) -> Input:
    """Create the widget for a slot's kind.

    Args:
        parent: its parent.
        slot: source and target of its text.
        ui: scaling of the screen.
        width: width in characters; 0 for that of the kind.
        fills: whether a line of text fills the available width.
    """
    kind = slot.kind.widget
    options = {"fills": fills} if kind in ("line", "open") else {}
    widget: Input = _WIDGETS[kind](parent, slot, ui, width, **options)
    return widget
