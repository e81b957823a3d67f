"""Menus that pop up, in the colours of the theme; the toolkit gives its own only to menus that are always there."""

from __future__ import annotations

import tkinter as tk

from miniedit_frr.style.theme import Theme


def popup(parent: tk.Misc, theme: Theme) -> tk.Menu:
    """An empty menu for a right click, or a submenu of one."""
    menu = tk.Menu(parent, tearoff=False, relief="flat", borderwidth=1, activeborderwidth=0)
    menu.configure(
        background=theme.hover, foreground=theme.text, activebackground=theme.pressed, activeforeground=theme.text,
        disabledforeground=theme.down,
    )  # fmt: skip
    return menu
