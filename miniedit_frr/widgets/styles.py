"""Widget styles of a theme that differ from ttkbootstrap's, with readable colors."""

from __future__ import annotations

import tkinter as tk
from typing import Any

import ttkbootstrap as ttk

from frrlib.picture.contrast import TEXT, ratio
from frrlib.picture.theme import LIGHT, THEMES, Theme

#: Styles of buttons filled with a color.
_FULL = ("primary", "success", "danger")
#: Fields whose value stays readable while they are disabled, and boxes whose text stays readable.
_FIELDS, _BOXES = ("TEntry", "TCombobox"), ("TCheckbutton", "Round.Toggle")

#: Buttons that stay pressed.
_TOGGLES = ("primary", "secondary")

#: Padding of column titles. It aligns them with their rows, whose padding is fixed in Tk.
_BESIDE_HEADING_PX = 2


def apply_styles(window: tk.Misc, theme: Theme, ui: float) -> None:
    """Give all widgets the colors of a theme.

    Args:
        ui: scaling of the screen.
    """
    style = ttk.Style()
    if style.theme_use() != theme.base:  # a new window has it already
        style.theme_use(theme.base)
    _build(window)
    for name in _FULL:
        _fill(style, f"{name}.TButton", theme.on_full)
    # A value that follows another field is readable although its field is disabled.
    for name in _FIELDS:
        style.map(name, foreground=[("disabled", theme.faint)])
        style.map(name, fieldbackground=[("disabled", theme.hover), ("readonly", theme.field)])
        style.configure(name, fieldbackground=theme.field)
    for name in _BOXES:
        style.map(name, foreground=[("disabled", theme.faint)])
    style.configure("danger.TLabel", foreground=theme.error)
    style.configure("warning.TLabel", foreground=theme.warning)
    style.map("Link.TButton", foreground=[("disabled", theme.down), ("pressed", theme.accent), ("hover", theme.accent)])
    style.map("primary.Outline.Toolbutton", foreground=[("disabled", theme.down), ("selected", theme.on_full)])
    style.configure("Treeview", rowheight=round(24 * ui))
    _show_focus(style, theme)
    above = style.lookup("Treeview.Heading", "padding")
    if above and len(above) == 1:  # as ttkbootstrap has it
        high = int(str(above[0]))
        style.configure("Treeview.Heading", padding=(_BESIDE_HEADING_PX, high, _BESIDE_HEADING_PX, high))


def _show_focus(style: ttk.Style, theme: Theme) -> None:
    """Show the focus of lists, tabs and buttons that stay pressed, which ttkbootstrap does not show."""
    focused = [("focus", theme.accent)]
    style.map("Treeview", bordercolor=focused, lightcolor=focused, darkcolor=focused)
    style.configure("TNotebook.Tab", focuscolor=theme.accent, focusthickness=1)
    layout: Any = [("Toolbutton.label", {"sticky": "nswe"})]
    for element in ("Toolbutton.padding", "Button.focus", "Toolbutton.border"):
        layout = [(element, {"sticky": "nswe", "children": layout})]
    for name in _TOGGLES:
        style.layout(f"{name}.Outline.Toolbutton", layout)


def _fill(style: ttk.Style, name: str, on_full: str) -> None:
    """Set the text color of a filled button. In states with too little contrast, keep the normal background."""
    usual = str(style.lookup(name, "background"))
    style.configure(name, foreground=on_full)
    grounds: Any = style.map(name, "background")
    style.map(
        name,
        background=[
            (*states, usual if "disabled" not in states and ratio(on_full, str(ground)) < TEXT else ground)
            for *states, ground in grounds
        ],
    )


def _build(window: tk.Misc) -> None:
    """Let ttkbootstrap create the styles that are changed.

    It creates a style at its first use in a theme, and would undo earlier settings.
    """
    widgets: list[tk.Widget] = [ttk.Button(window, bootstyle=name) for name in (*_FULL, "link")]
    widgets += [ttk.Entry(window), ttk.Combobox(window), ttk.Checkbutton(window)]
    widgets += [
        ttk.Checkbutton(window, bootstyle=look)
        for look in ("round-toggle", *(f"{name}-outline-toolbutton" for name in _TOGGLES))
    ]
    widgets += [ttk.Treeview(window), ttk.Notebook(window)]
    widgets += [ttk.Label(window, bootstyle=name) for name in ("danger", "warning")]
    for widget in widgets:
        widget.destroy()


def theme_of_widgets() -> Theme:
    """The current theme of the widgets."""
    base = ttk.Style().theme_use()
    return next((theme for theme in THEMES.values() if theme.base == base), LIGHT)
