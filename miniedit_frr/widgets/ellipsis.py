"""Texts with less room than they need: cut with an ellipsis, so that nobody takes a part for the whole."""

from __future__ import annotations

import tkinter as tk
from tkinter.font import Font

_MORE = "…"
#: A widget that was not laid out yet reports about this width in pixels, which means nothing.
_UNKNOWN_PX = 8


def elide(text: str, font: Font, width_px: int) -> str:
    """As much of the beginning of a text as fits, with an ellipsis where that is not all.

    Args:
        width_px: the room; one that no widget has counts as any.
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


def show_end_of(entry: tk.Entry) -> None:
    """Show the end of a field's text, with the cursor there: of a path it says most."""
    entry.icursor("end")
    entry.xview_moveto(1.0)


def keep_end_of(entry: tk.Entry, text: tk.StringVar) -> None:
    """Always show the end of a field's text, except while somebody types there.

    Args:
        entry: the field.
        text: its text, which the field listens to already: Tk calls the last listener first.
    """
    for event in ("<Configure>", "<FocusOut>"):
        entry.bind(event, lambda event: show_end_of(entry), add=True)
    text.trace_add("write", lambda *_: None if entry.focus_get() is entry else entry.after_idle(_end_if_there, entry))


def _end_if_there(entry: tk.Entry) -> None:
    if entry.winfo_exists():
        show_end_of(entry)
