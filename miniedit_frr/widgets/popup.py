"""Menus with space between their lines, and popup menus in the colors of the theme."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence
from typing import Any

from frrlib.picture.theme import Theme
from miniedit_frr.widgets.screen_scale import scale_of

#: A line of a popup menu: its label, its action, and whether it is enabled. None is a separator, a list a submenu.
PopupLine = tuple[str, Callable[[], object] | list["PopupLine | None"], bool]

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


class _PopupMenu(SpacedMenu):
    """A menu for a right click, or a submenu of one."""


def popup_menu(parent: tk.Misc, theme: Theme) -> tk.Menu:
    """An empty menu for a right click, or a submenu of one. It replaces the previous menu of a parent, if that is no
    menu itself, because a menu stays until it is destroyed.
    """
    for child in () if isinstance(parent, tk.Menu) else parent.winfo_children():
        if isinstance(child, _PopupMenu):
            child.destroy()
    menu = _PopupMenu(parent, relief="flat", borderwidth=1)
    menu.configure(
        background=theme.hover, foreground=theme.text, activebackground=theme.pressed, activeforeground=theme.text,
        disabledforeground=theme.down,
    )  # fmt: skip
    return menu


def fill_popup(menu: tk.Menu, lines: Sequence[PopupLine | None], theme: Theme) -> None:
    """Add lines to a popup menu, with their submenus."""
    for line in lines:
        if line is None:
            menu.add_separator()
            continue
        label, action, is_enabled = line
        if isinstance(action, list):
            submenu = popup_menu(menu, theme)
            fill_popup(submenu, action, theme)
            menu.add_cascade(label=label, menu=submenu)
        else:
            menu.add_command(label=label, command=action, state="normal" if is_enabled else "disabled")
