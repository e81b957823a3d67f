"""The widget with the keyboard, and file dialogs that get it.

Tk names a widget that tkinter does not know while a menu of the menu bar is open, or a file dialog.
"""

from __future__ import annotations

import tkinter as tk

#: The classes of Tk's dialogs for files and for folders.
_FILE_DIALOGS = ("TkFDialog", "TkChooseDir")


def focused(widget: tk.Misc) -> tk.Misc | None:
    """The widget with the keyboard on the screen of a widget; None if a menu or another program has it."""
    try:
        return widget.focus_displayof()
    except KeyError:
        return None


def last_focused(window: tk.Misc) -> tk.Misc | None:
    """The widget of a window that had the keyboard last, or gets it with the window; None if it is a menu."""
    try:
        return window.focus_lastfor()
    except KeyError:
        return None


def windows_of(root: tk.Tk) -> set[str]:
    """The names of the program's windows, apart from tips. A file dialog of Tk counts while it is open."""
    windows = (child for child in root.winfo_children() if isinstance(child, tk.Toplevel))
    names = {str(window) for window in windows if not window.wm_overrideredirect()}
    return names | {name for parent in (str(root), *names) for name in _open_file_dialogs(root, parent)}


def _open_file_dialogs(root: tk.Tk, parent: str) -> list[str]:
    """The open file dialogs of a window. Tk keeps closed ones as hidden windows, which tkinter does not know."""
    children = root.tk.splitlist(root.tk.call("winfo", "children", parent))
    return [
        str(name) for name in children
        if root.tk.call("winfo", "class", name) in _FILE_DIALOGS and root.tk.call("wm", "state", name) != "withdrawn"
    ]  # fmt: skip


def give_file_dialogs_focus(root: tk.Tk) -> None:
    """Give each file dialog of Tk the keyboard as soon as it is visible.

    Tk leaves that to the window manager, and some do not do it.
    """
    for name in _FILE_DIALOGS:
        root.tk.call("bind", name, "<Map>", "focus -force [focus -lastfor %W]")
