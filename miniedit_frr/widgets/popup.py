"""Menus with space between their lines, and popup menus in the colors of the theme."""

from __future__ import annotations

import tkinter as tk
from typing import Any

from frrlib.picture.theme import Theme
from miniedit_frr.widgets.screen_scale import scale_of

#: Padding at the left of a line, and the height of a line.
_LEFT, _HIGH = 6, 24


class SpacedMenu(tk.Menu):
    """A menu with space between its lines. Tk has no option for it, so each line has a transparent picture."""

    def __init__(self, parent: tk.Misc, **options: Any) -> None:
        super().__init__(parent, tearoff=False, activeborderwidth=0, **options)
        ui = scale_of(self)
        self._air = tk.PhotoImage(master=self, width=round(_LEFT * ui), height=round(_HIGH * ui))

    def add(self, itemType: str, cnf: Any = {}, **options: Any) -> None:  # noqa: B006, N803 (the names are Tk's)
        """Add a line. A line with an own picture keeps it."""
        settings = {**cnf, **options}
        if itemType != "separator" and "image" not in settings:
            settings |= {"image": self._air, "compound": "left"}
        if settings.get("accelerator"):
            settings["accelerator"] += "  "
        super().add(itemType, settings)


def popup_menu(parent: tk.Misc, theme: Theme) -> tk.Menu:
    """An empty menu for a right click, or a submenu of one."""
    menu = SpacedMenu(parent, relief="flat", borderwidth=1)
    menu.configure(
        background=theme.hover, foreground=theme.text, activebackground=theme.pressed, activeforeground=theme.text,
        disabledforeground=theme.down,
    )  # fmt: skip
    return menu
