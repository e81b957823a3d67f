"""Tk's own questions for a file, in the colours of the theme: its list of files is always black on white."""

from __future__ import annotations

import tkinter as tk
from contextlib import suppress

import ttkbootstrap as ttk

#: The colours of entries in Tk's list, and their replacements.
_COLOURS = {
    "-background white": "-background [ttk::style lookup TEntry -fieldbackground {} white]",
    "set fill black": "set fill [ttk::style lookup TEntry -foreground {} black]",
    "-fill black": "-fill $fill",
}
_REPAINT = """
if {[info commands ::tk::IconList] eq ""} {auto_load ::tk::IconList}
foreach method {Create DrawSelection} {
    lassign [info class definition ::tk::IconList $method] words body
    oo::define ::tk::IconList method $method $words [string map $::frr_file_colours $body]
}
"""


def follow_theme(window: tk.Tk) -> None:
    """Make Tk's file dialogs hide hidden files, unless their button for that is pressed, and use our colours."""
    with suppress(tk.TclError):
        window.tk.call("tk_getOpenFile", "-none")  # an unknown option: Tk loads the dialog, and shows nothing
    window.tk.setvar("::tk::dialog::file::showHiddenBtn", "1")
    window.tk.setvar("::tk::dialog::file::showHiddenVar", "0")
    window.tk.setvar("::frr_file_colours", [word for pair in _COLOURS.items() for word in pair])
    with suppress(tk.TclError):  # a Tk that asks by the desktop's window has none of this
        window.tk.eval(_REPAINT)
    ttk.Checkbutton(window).destroy()  # styles are made with the first widget of ours that has them
    window.bind("<<ThemeChanged>>", lambda event: _forget(window) if event.widget is window else None, add=True)


def _forget(window: tk.Tk) -> None:
    """Tk keeps its dialog windows; those of the old theme are made anew when they are needed."""
    for path in window.tk.splitlist(window.tk.call("winfo", "children", ".")):
        is_question = str(window.tk.call("winfo", "class", path)) in ("TkFDialog", "TkChooseDir")
        if is_question and not window.tk.getboolean(window.tk.call("winfo", "ismapped", path)):
            window.tk.call("destroy", path)
