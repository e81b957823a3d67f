"""Tk's file dialogs in the colors of the theme. Tk itself always draws their lists black on white."""

from __future__ import annotations

import tkinter as tk
from contextlib import suppress

import ttkbootstrap as ttk

#: The colors of entries in Tk's list, and their replacements.
_COLORS = {
    "-background white": "-background [ttk::style lookup TEntry -fieldbackground {} white]",
    "set fill black": "set fill [ttk::style lookup TEntry -foreground {} black]",
    "-fill black": "-fill $fill",
}
_REPAINT = """
if {[info commands ::tk::IconList] eq ""} {auto_load ::tk::IconList}
foreach method {Create DrawSelection} {
    lassign [info class definition ::tk::IconList $method] words body
    oo::define ::tk::IconList method $method $words [string map $::frr_file_colors $body]
}
"""


def follow_theme(window: tk.Tk) -> None:
    """Make Tk's file dialogs use our colors, and hide hidden files unless their button for these is pressed."""
    with suppress(tk.TclError):
        window.tk.call("tk_getOpenFile", "-none")  # an unknown option: Tk loads the dialog, and shows nothing
    window.tk.setvar("::tk::dialog::file::showHiddenBtn", "1")
    window.tk.setvar("::tk::dialog::file::showHiddenVar", "0")
    window.tk.setvar("::frr_file_colors", [word for pair in _COLORS.items() for word in pair])
    with suppress(tk.TclError):  # a Tk with the dialogs of the desktop has no such class
        window.tk.eval(_REPAINT)
    ttk.Checkbutton(window).destroy()  # ttkbootstrap makes a style with the first widget that uses it
    window.bind(
        "<<ThemeChanged>>", lambda event: _destroy_kept_dialogs(window) if event.widget is window else None, add=True
    )


def _destroy_kept_dialogs(window: tk.Tk) -> None:
    """Destroy the hidden dialogs that Tk keeps. It makes new ones, in the new theme, when they are needed."""
    for path in window.tk.splitlist(window.tk.call("winfo", "children", ".")):
        is_file_dialog = str(window.tk.call("winfo", "class", path)) in ("TkFDialog", "TkChooseDir")
        if is_file_dialog and not window.tk.getboolean(window.tk.call("winfo", "ismapped", path)):
            window.tk.call("destroy", path)
