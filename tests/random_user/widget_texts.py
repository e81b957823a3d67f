"""Texts of widgets that cannot be read in full: buttons, labels and fields that are too small, or cut off."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Iterator
from tkinter import font as tkfont
from tkinter import ttk

from tests.random_user.widget_boxes import area_of, outer_widgets, within

#: Widgets whose text must be readable in full, and fields. The text of a field scrolls, but its height must not be cut.
_WITH_TEXT = ("TButton", "TCheckbutton", "TRadiobutton", "TMenubutton", "TLabel", "Label", "Button")
_FIELDS = ("TEntry", "TCombobox", "TSpinbox", "Entry")
#: The least visible share of the width of a field.
_LEAST_FIELD = 0.2
#: Widgets that scroll their content, or whose parts the user sizes: they may cut off a widget.
_SCROLLING = ("Canvas", "Text", "TPanedwindow", "Panedwindow", "Treeview")
#: Differences up to this many pixels are rounding.
_SLACK_PX = 1


def cut_texts(window: tk.Misc) -> Iterator[str]:
    """The widgets with a text that is cut, one sentence each. Must be called in the window's thread."""
    for widget in descendants(window):
        kind = widget.winfo_class()
        if kind not in (*_WITH_TEXT, *_FIELDS) or not widget.winfo_viewable():
            continue
        text = "" if kind in _FIELDS else str(widget.cget("text"))
        if kind not in _FIELDS and not text.strip():
            continue
        fault = _fault(widget, kind, text)
        if fault:
            title = widget.winfo_toplevel().title()
            yield f"{title}: {fault} of {f'the text {text!r} of ' if text else ''}{widget} is cut"


def _fault(widget: tk.Misc, kind: str, text: str) -> str:
    """The part that is cut; empty for none."""
    wide, high = widget.winfo_width(), widget.winfo_height()
    needed = widget.winfo_reqwidth() if kind not in _FIELDS else round(_LEAST_FIELD * widget.winfo_reqwidth())
    if wide < max(needed, _text_width(widget, kind, text)) - _SLACK_PX:
        return "the width"
    if high < widget.winfo_reqheight() - _SLACK_PX:
        return "the height"
    area = visible = area_of(widget)
    for outer in outer_widgets(widget):
        if outer.winfo_class() in _SCROLLING:
            return ""
        visible = within(visible, area_of(outer))
    if visible[2] - visible[0] < min(needed, area[2] - area[0]) - _SLACK_PX:
        return f"a side ({area[2] - area[0] - visible[2] + visible[0]} pixels)"
    if visible[3] - visible[1] < area[3] - area[1] - _SLACK_PX:
        return f"the top or the bottom ({area[3] - area[1] - visible[3] + visible[1]} pixels)"
    return ""


def _text_width(widget: tk.Misc, kind: str, text: str) -> int:
    """The width of the longest line of a label of a fixed number of letters; 0 if the label wraps its text."""
    if kind != "TLabel" or int(str(widget.cget("wraplength")) or 0) > 0:
        return 0
    style = str(widget.cget("style")) or kind
    name = str(widget.cget("font")) or str(ttk.Style(widget).lookup(style, "font")) or "TkDefaultFont"
    font = tkfont.Font(widget, font=name)
    return max(font.measure(line) for line in text.split("\n"))


def descendants(widget: tk.Misc) -> Iterator[tk.Misc]:
    """All widgets in a widget, without those that Tcl has made."""
    for child in widget.winfo_children():
        yield child
        yield from descendants(child)
