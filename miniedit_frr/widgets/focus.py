"""The widget with the keyboard. Tk names one that tkinter does not know while a menu of the menu bar is open."""

from __future__ import annotations

import tkinter as tk


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
    """The names of the program's windows, apart from tips."""
    windows = (child for child in root.winfo_children() if isinstance(child, tk.Toplevel))
    return {str(window) for window in windows if not window.wm_overrideredirect()}
