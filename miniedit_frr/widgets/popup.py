"""Menus with room around their lines; popup menus get the colours of the theme, as the toolkit's own do."""

from __future__ import annotations

import tkinter as tk
from typing import Any

from frrlib.picture.theme import Theme
from miniedit_frr.widgets.screen_scale import scale_of

#: Room at the left of a line, and its height.
_LEFT, _HIGH = 6, 24


class SpacedMenu(tk.Menu):
    """A menu. Tk's lines stand close together; a clear picture beside each word keeps them apart."""

    def __init__(self, parent: tk.Misc, **options: Any) -> None:
        super().__init__(parent, tearoff=False, activeborderwidth=0, **options)
        ui = scale_of(self)
        self._air = tk.PhotoImage(master=self, width=round(_LEFT * ui), height=round(_HIGH * ui))

    def add(self, itemType: str, cnf: Any = {}, **options: Any) -> None:  # noqa: B006, N803 (the names are Tk's)
        """Add a line; those with a picture of their own keep it."""
        given = {**cnf, **options}
        if itemType != "separator" and "image" not in given:
            given |= {"image": self._air, "compound": "left"}
        if given.get("accelerator"):
            given["accelerator"] += "  "
        super().add(itemType, given)


def popup_menu(parent: tk.Misc, theme: Theme) -> tk.Menu:
    """An empty menu for a right click, or a submenu of one."""
    menu = SpacedMenu(parent, relief="flat", borderwidth=1)
    menu.configure(
        background=theme.hover, foreground=theme.text, activebackground=theme.pressed, activeforeground=theme.text,
        disabledforeground=theme.down,
    )  # fmt: skip
    return menu
