"""Slots: the source and target of a widget's text. Also the base class of the widgets of fields."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from tkinter import font as tkfont

import ttkbootstrap as ttk

from miniedit_frr.dialogs.fields.kinds import TextKind
from miniedit_frr.widgets.styles import theme_of_widgets

SMALL_FONT = "TkSmallCaptionFont"
HINT_FONT = "MiniEditHintFont"
#: Minimum width of labels and of remarks, so that the columns of all pages of a dialog are aligned.
LABELS, REMARKS = 146, 250
#: The same for a form beside a list.
TIGHT_LABELS, TIGHT_REMARKS = 118, 165


@dataclass(frozen=True)
class Slot:
    """The source and target of a widget's text.

    Attributes:
        kind: the kind of the field.
        read: returns the text; None if several values differ.
        write: sets the text.
        hint: returns the text shown faintly in an empty widget.
        fault: returns the error of the text; empty if it is valid.
        is_marked: whether the check of the topology found an error in the field.
        label: label of the field, which flags show beside their box.
        offers: returns the current choices; None if the kind lists all choices.
        required: for boxes, returns the names of the boxes that are always ticked.
    """

    kind: TextKind
    read: Callable[[], str | None]
    write: Callable[[str], None]
    hint: Callable[[], str] = lambda: ""
    fault: Callable[[], str] = lambda: ""
    is_marked: Callable[[], bool] = lambda: False
    label: str = ""
    offers: Callable[[], Sequence[str]] | None = None
    required: Callable[[], Sequence[str]] = lambda: ()

    @property
    def options(self) -> tuple[str, ...]:
        """The current choices."""
        return tuple(self.offers()) if self.offers is not None else tuple(self.kind.choices.values())


def field_colors() -> tuple[str, str, str]:
    """The colors of the background, the text and the faint text of fields in the current theme."""
    theme = theme_of_widgets()
    return theme.field, str(ttk.Style().lookup("TEntry", "foreground") or theme.text), theme.faint


def hint_font(widget: tk.Misc) -> str:
    """The font of hints in empty fields: the default font, slanted."""
    if HINT_FONT not in tkfont.names(widget):
        slanted = tkfont.nametofont("TkDefaultFont", widget).copy()
        widget.tk.call(
            "font", "create", HINT_FONT, *widget.tk.splitlist(widget.tk.call("font", "configure", slanted.name))
        )
        widget.tk.call("font", "configure", HINT_FONT, "-slant", "italic")
    return HINT_FONT


def severity_color(severity: str) -> str:
    """The color of texts of a severity; empty for the color of their style."""
    theme = theme_of_widgets()
    return {"error": theme.error, "warning": theme.warning}.get(severity, "")


class Input:
    """A widget for one field.

    Attributes:
        widget: the widget in the form.
        focus: the widget that receives the focus.
        variable: the variable with its text, if it is a plain text.
    """

    widget: tk.Widget
    focus: tk.Widget
    variable: tk.StringVar

    def __init__(self, slot: Slot) -> None:
        self.slot = slot
        self._is_refreshing = False

    def refresh(self) -> None:
        """Show the text of the slot, and whether it is valid."""
        self._is_refreshing = True
        try:
            self._show(self.slot.read())
        finally:
            self._is_refreshing = False
        self.mark()

    def mark(self) -> None:
        """Mark the widget if its text has an error."""
        self._mark(bool(self.slot.fault()) or self.slot.is_marked())

    def _show(self, text: str | None) -> None:
        raise NotImplementedError

    def _mark(self, is_wrong: bool) -> None:
        if isinstance(self.focus, ttk.Entry):
            self.focus.state(["invalid" if is_wrong else "!invalid"])

    def enable(self, is_on: bool) -> None:
        """Enable or disable the widget."""
        for widget in _with_descendants(self.widget):
            if isinstance(widget, ttk.Entry | ttk.Button | ttk.Checkbutton):
                widget.state(["!disabled" if is_on else "disabled"])

    def on_key(self, key: str, do: Callable[[tk.Event], object]) -> None:
        """Bind a key in all parts that can have the focus. Tk would add other parts with a binding to the Tab order."""
        for widget in _with_descendants(self.widget):
            if isinstance(widget, ttk.Entry | ttk.Checkbutton):
                widget.bind(key, do, add=True)

    def _write(self, text: str) -> None:
        if not self._is_refreshing:
            self.slot.write(text)


def _with_descendants(widget: tk.Misc) -> list[tk.Misc]:
    return [widget, *(below for child in widget.winfo_children() for below in _with_descendants(child))]
