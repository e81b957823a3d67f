"""Functions that find widgets in Tk's tree by their class, their text and their visibility."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Iterator
from typing import Any


def all_below(widget: tk.Misc) -> Iterator[Any]:
    """A widget and all widgets in it, the outer ones first."""
    yield widget
    for child in widget.winfo_children():
        yield from all_below(child)


def of_class(widget: tk.Misc, name: str) -> list[Any]:
    """The widgets of one of Tk's classes ("TEntry") in a widget."""
    return [found for found in all_below(widget) if found.winfo_class() == name]


def texts(widget: Any) -> list[str]:
    """The texts of the labels in a widget, without labels that are hidden or in a hidden part."""
    if not widget.winfo_manager():
        return []
    text = [str(widget.cget("text"))] if widget.winfo_class() in ("TLabel", "Label") else []
    return text + [below for child in widget.winfo_children() for below in texts(child)]


def label(widget: tk.Misc, text: str) -> Any:
    """The label in a widget that begins with a text."""
    labels = [*of_class(widget, "TLabel"), *of_class(widget, "Label")]
    return next(found for found in labels if str(found.cget("text")).startswith(text))


def buttons(widget: tk.Misc, text: str) -> list[Any]:
    """The buttons and boxes in a widget whose text contains a text."""
    kinds = ("TButton", "TCheckbutton", "TRadiobutton")
    return [found for kind in kinds for found in of_class(widget, kind) if text in str(found.cget("text"))]


def box(widget: tk.Misc, text: str) -> Any:
    """The box with a text in a widget."""
    return next(found for found in of_class(widget, "TCheckbutton") if str(found.cget("text")) == text)


def selected_texts(widget: tk.Misc, state: str = "selected") -> set[str]:
    """The texts of the boxes and radio buttons in a widget that are in a state."""
    found = [*of_class(widget, "TCheckbutton"), *of_class(widget, "TRadiobutton")]
    return {str(button.cget("text")) for button in found if button.instate([state])}


def scroll_bar(widget: tk.Misc, orient: str) -> Any:
    """The scroll bar ("vertical" or "horizontal") among the children of a widget."""
    bars = (child for child in widget.winfo_children() if child.winfo_class() == "TScrollbar")
    return next(bar for bar in bars if str(bar.cget("orient")) == orient)  # type: ignore[attr-defined]


def tip_text(widget: tk.Misc) -> str:
    """The text of the tip at a widget; empty without a tip."""
    tips = (child for child in widget.winfo_children() if isinstance(child, tk.Toplevel))
    return next((str(tip.winfo_children()[0].cget("text")) for tip in tips if tip.winfo_viewable()), "")
