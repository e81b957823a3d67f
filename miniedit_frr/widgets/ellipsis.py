"""Texts with too little room: cut with an ellipsis, which shows that a part is missing."""

from __future__ import annotations

import tkinter as tk
from tkinter.font import Font, nametofont

import ttkbootstrap as ttk

from miniedit_frr.widgets.deferred import DeferredCall
from miniedit_frr.widgets.focus import focused
from miniedit_frr.widgets.traces import on_write

_MORE = "…"
#: A widget without a layout reports about this width in pixels, which has no meaning.
_UNKNOWN_PX = 8


def elide(text: str, font: Font, width_px: int) -> str:
    """The beginning of a text that fits into a width, with an ellipsis if it is cut.

    Args:
        width_px: the available width. A width below that of any widget means that it is unknown.
    """
    if width_px <= _UNKNOWN_PX or font.measure(text) <= width_px:
        return text
    least, most = 0, len(text)
    while least < most:
        middle = (least + most + 1) // 2
        if font.measure(text[:middle].rstrip() + _MORE) <= width_px:
            least = middle
        else:
            most = middle - 1
    return text[:least].rstrip() + _MORE


class ElidedLabel(ttk.Label):
    """A label that shows as much of its text as fits, with an ellipsis if it is cut."""

    def __init__(self, parent: tk.Misc) -> None:
        # With a requested width, the text does not widen the window.
        super().__init__(parent, anchor="w", width=1)
        self._text = ""
        self.bind("<Configure>", lambda event: self._fit())

    def show(self, text: str) -> None:
        """Show a text."""
        self._text = text
        self._fit()

    def _fit(self) -> None:
        self.configure(text=elide(self._text, nametofont("TkDefaultFont"), self.winfo_width()))


def show_end_of(entry: tk.Entry) -> None:
    """Show the end of a field's text, with the cursor there. The end is the most useful part of a path."""
    entry.icursor("end")
    entry.xview_moveto(1.0)


def keep_end_of(entry: tk.Entry, text: tk.StringVar) -> None:
    """Keep the end of a field's text visible, except while the field has the focus.

    Args:
        entry: the field.
        text: its variable. The field must be bound to it already, because Tk calls the newest trace first.
    """
    for event in ("<Configure>", "<FocusOut>"):
        entry.bind(event, lambda event: show_end_of(entry), add=True)
    showing = DeferredCall(entry, lambda: show_end_of(entry))

    def show_later() -> None:
        if entry.winfo_exists() and focused(entry) is not entry:
            showing.soon()

    on_write(text, entry, show_later)
