"""The source and target of a field widget's text, and what all such widgets have in common."""

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
#: Least width of labels and of remarks, so that all pages of a dialog have their columns in the same places.
LABELS, REMARKS = 146, 250
#: The same beside a list.
TIGHT_LABELS, TIGHT_REMARKS = 118, 165


@dataclass(frozen=True)
class Slot:
    """The source and target of a widget's text.

    Attributes:
        kind: how it is written.
        read: the text; None where several values differ.
        write: takes another text.
        hint: what is shown faintly while there is none.
        fault: what is wrong with it; empty where it is right.
        is_marked: whether the drawing as a whole says that it is wrong.
        label: what the field is called; flags show it at their box.
        given: of boxes: those that are ticked whatever the text says.
        offers: what can be chosen now, where that is not always the same; None where the kind says it.
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
        """The present choices."""
        return tuple(self.offers()) if self.offers is not None else tuple(self.kind.choices.values())


def field_colors() -> tuple[str, str, str]:
    """Background, text and faint text of fields in the present theme."""
    theme = theme_of_widgets()
    return theme.field, str(ttk.Style().lookup("TEntry", "foreground") or theme.text), theme.faint


def hint_font(widget: tk.Misc) -> str:
    """The font of a field's hint while it is empty: the default one, slanted."""
    if HINT_FONT not in tkfont.names(widget):
        slanted = tkfont.nametofont("TkDefaultFont", widget).copy()
        widget.tk.call(
            "font", "create", HINT_FONT, *widget.tk.splitlist(widget.tk.call("font", "configure", slanted.name))
        )
        widget.tk.call("font", "configure", HINT_FONT, "-slant", "italic")
    return HINT_FONT


def severity_color(severity: str) -> str:
    """The colour of words of a severity; empty for that of their style."""
    theme = theme_of_widgets()
    return {"error": theme.error, "warning": theme.warning}.get(severity, "")


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
        self.mark()

    def mark(self) -> None:
        """Show whether something is wrong with it."""
        self._mark(bool(self.slot.fault()) or self.slot.is_marked())

    def _show(self, text: str | None) -> None:
        raise NotImplementedError

    def _mark(self, is_wrong: bool) -> None:
        if isinstance(self.focus, ttk.Entry):
            self.focus.state(["invalid" if is_wrong else "!invalid"])

    def enable(self, is_on: bool) -> None:
        """Take input or not."""
        for widget in _with_descendants(self.widget):
            if isinstance(widget, ttk.Entry | ttk.Button | ttk.Checkbutton):
                widget.state(["!disabled" if is_on else "disabled"])

    def on_key(self, key: str, do: Callable[[tk.Event], object]) -> None:
        """Bind a key wherever the keyboard can be in it: for Tk any widget with a key binding is a stop for Tab."""
        for widget in _with_descendants(self.widget):
            if isinstance(widget, ttk.Entry | ttk.Checkbutton):
                widget.bind(key, do, add=True)

    def _write(self, text: str) -> None:
        if not self._is_refreshing:
            self.slot.write(text)


def _with_descendants(widget: tk.Misc) -> list[tk.Misc]:
    return [widget, *(below for child in widget.winfo_children() for below in _with_descendants(child))]
