"""Positions of windows: over a corner of the canvas, with an offset between successive ones, or in the middle."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable

import ttkbootstrap as ttk

from miniedit_frr.widgets.deferred import DeferredCall

_STEP, _STEPS = 28, 8
_RIM = 24
#: Time between two looks whether a menu is still open.
_LOOK_MS = 100


def add_heading(window: tk.Toplevel, title: str) -> ttk.Label:
    """Show a window's title inside it. Some desktops draw no window frames, and pictures have none."""
    heading = ttk.Label(window, text=title, font="TkHeadingFont", padding=(10, 8, 10, 0))
    heading.pack(side="top", fill="x")
    return heading


def put_aside(window: tk.Toplevel, parent: tk.Misc) -> None:
    """Place a new window over the upper left corner of its parent's window, and keep it above that window.

    It gets the keyboard, which some window managers do not give to it.
    """
    top = parent.winfo_toplevel()
    window_count = sum(isinstance(child, tk.Toplevel) for child in top.winfo_children()) - 1
    offset = _STEP * (window_count % _STEPS)
    # The size is known after the window is filled.
    x, y = top.winfo_rootx() + 130 + offset, top.winfo_rooty() + 50 + offset
    _show_at(window, top, lambda: _put(window, x, y))


def put_in_middle(window: tk.Toplevel, parent: tk.Misc) -> None:
    """As `put_aside`, in the middle of its parent's window, for windows that ask for something."""
    top = parent.winfo_toplevel()

    def put() -> None:
        if window.winfo_exists():
            window.update_idletasks()
            x = top.winfo_rootx() + (top.winfo_width() - window.winfo_reqwidth()) // 2
            _put(window, x, top.winfo_rooty() + (top.winfo_height() - window.winfo_reqheight()) // 3)

    _show_at(window, top, put)


def _show_at(window: tk.Toplevel, top: tk.Tk | tk.Toplevel, put: Callable[[], None]) -> None:
    """Keep a window above another one, place it by a function once it is filled, and give it the keyboard."""
    window.transient(top)
    DeferredCall(window, put).soon()
    if _is_menu_open(window):
        _show_after_menu(window)
    window.focus_set()  # as soon as it is visible


def _is_menu_open(window: tk.Toplevel) -> bool:
    """Whether a menu of the program is open, or of its menu bar."""
    grabbing = window.tk.splitlist(window.tk.call("grab", "current", window))
    return any(str(window.tk.call("winfo", "class", name)) == "Menu" for name in grabbing)


def _show_after_menu(window: tk.Toplevel) -> None:
    """Show a window once the open menu is closed.

    The window manager gives a new window the focus. Tk ignores that while a menu is open: the menu could no longer be
    closed by keys, and no widget would have the focus afterwards.
    """

    def look() -> None:
        if _is_menu_open(window):
            looking.soon(_LOOK_MS)
        else:
            window.deiconify()

    window.withdraw()
    looking = DeferredCall(window, look)
    looking.soon(_LOOK_MS)


def put_below(window: tk.Toplevel, parent: tk.Misc) -> None:
    """As `put_aside`, over the lower right corner, for windows that must not hide the canvas."""
    top = parent.winfo_toplevel()
    window.transient(top)
    window.update_idletasks()
    right_edge, bottom_edge = top.winfo_rootx() + top.winfo_width(), top.winfo_rooty() + top.winfo_height()
    _put(window, right_edge - window.winfo_reqwidth() - _RIM, bottom_edge - window.winfo_reqheight() - 2 * _RIM)


def _put(window: tk.Toplevel, x: int, y: int) -> None:
    """Place a window at a position, or as near to it as the screen allows."""
    if window.winfo_exists():
        window.update_idletasks()
        x = min(x, window.winfo_screenwidth() - window.winfo_reqwidth() - _RIM)
        y = min(y, window.winfo_screenheight() - window.winfo_reqheight() - 2 * _RIM)
        wide = min(window.winfo_reqwidth(), window.winfo_screenwidth() - 2 * _RIM)
        high = min(window.winfo_reqheight(), window.winfo_screenheight() - 3 * _RIM)
        # An explicit size stays when the content requests another one, so it is set only if necessary.
        fits = (wide, high) == (window.winfo_reqwidth(), window.winfo_reqheight())
        window.geometry(f"{'' if fits else f'{wide}x{high}'}+{max(0, x)}+{max(0, y)}")
