"""Widget styles of a theme that differ from ttkbootstrap's: colours that can be read."""

from __future__ import annotations

import tkinter as tk
from typing import Any

import ttkbootstrap as ttk

from frrlib.picture.contrast import TEXT, ratio
from frrlib.picture.theme import LIGHT, THEMES, Theme

#: Buttons filled with a colour.
_FULL = ("primary", "success", "danger")
#: Fields that show their value while they take no input, and the text of boxes that cannot be changed.
_FIELDS, _BOXES = ("TEntry", "TCombobox"), ("TCheckbutton", "Round.Toggle")

#: The padding of a column's title: it then stands above its rows, whose padding Tk does not let anybody change.
_BESIDE_HEADING_PX = 2


def apply_styles(window: tk.Misc, theme: Theme, ui: float) -> None:
    """Have the widgets a theme's colours.

    Args:
        ui: scaling of the screen.
    """
    style = ttk.Style()
    style.theme_use(theme.base)
    _build(window)
    for name in _FULL:
        _fill(style, f"{name}.TButton", theme.on_full)
    # A value that follows another one can be read although nothing can be typed there.
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
    above = style.lookup("Treeview.Heading", "padding")
    if above and len(above) == 1:  # as ttkbootstrap has it
        high = int(str(above[0]))
        style.configure("Treeview.Heading", padding=(_BESIDE_HEADING_PX, high, _BESIDE_HEADING_PX, high))


def _fill(style: ttk.Style, name: str, on_full: str) -> None:
    """Give a filled button the colour of its text; where that text could not be read on the background of a pressed
    button, the default background replaces it.
    """
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
    """Have ttkbootstrap make the changed styles: it makes one at its first use in a theme, and would undo earlier
    settings.
    """
    made: list[tk.Widget] = [ttk.Button(window, bootstyle=name) for name in (*_FULL, "link")]
    made += [ttk.Entry(window), ttk.Combobox(window), ttk.Checkbutton(window)]
    made += [ttk.Checkbutton(window, bootstyle=look) for look in ("round-toggle", "primary-outline-toolbutton")]
    made += [ttk.Treeview(window)]
    made += [ttk.Label(window, bootstyle=name) for name in ("danger", "warning")]
    for widget in made:
        widget.destroy()


def theme_of_widgets() -> Theme:
    """The present theme of the widgets."""
    base = ttk.Style().theme_use()
    return next((theme for theme in THEMES.values() if theme.base == base), LIGHT)
