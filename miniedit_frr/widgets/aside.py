"""Windows beside the drawing: over a corner of it, each a bit farther, so that none hides another."""

from __future__ import annotations

import tkinter as tk

import ttkbootstrap as ttk

_STEP, _STEPS = 28, 8
_RIM = 24


def add_heading(window: tk.Toplevel, title: str) -> ttk.Label:
    """Show the subject of a window in it, as its frame does: not every desktop has frames, and pictures have none."""
    heading = ttk.Label(window, text=title, font="TkHeadingFont", padding=(10, 8, 10, 0))
    heading.pack(side="top", fill="x")
    return heading


def put_aside(window: tk.Toplevel, parent: tk.Misc) -> None:
    """Place a new window over the upper left of its parent's window, and let it stay above that."""
    top = parent.winfo_toplevel()
    window.transient(top)
    others = sum(isinstance(child, tk.Toplevel) for child in top.winfo_children()) - 1
    way = _STEP * (others % _STEPS)
    # Its size is known only once it is filled.
    window.after_idle(_put, window, top.winfo_rootx() + 130 + way, top.winfo_rooty() + 50 + way)


def put_below(window: tk.Toplevel, parent: tk.Misc) -> None:
    """As `put_aside`, over the lower right, for windows that shall not hide the drawing."""
    top = parent.winfo_toplevel()
    window.transient(top)
    window.update_idletasks()
    right, bottom = top.winfo_rootx() + top.winfo_width(), top.winfo_rooty() + top.winfo_height()
    _put(window, right - window.winfo_reqwidth() - _RIM, bottom - window.winfo_reqheight() - 2 * _RIM)


def _put(window: tk.Toplevel, x: int, y: int) -> None:
    """Place a window there, or as near as the screen allows."""
    if window.winfo_exists():
        window.update_idletasks()
        x = min(x, window.winfo_screenwidth() - window.winfo_reqwidth() - _RIM)
        y = min(y, window.winfo_screenheight() - window.winfo_reqheight() - 2 * _RIM)
        wide = min(window.winfo_reqwidth(), window.winfo_screenwidth() - 2 * _RIM)
        high = min(window.winfo_reqheight(), window.winfo_screenheight() - 3 * _RIM)
        # A size that was set stays when the content asks for another one; so it is set only if necessary.
        fits = (wide, high) == (window.winfo_reqwidth(), window.winfo_reqheight())
        window.geometry(f"{'' if fits else f'{wide}x{high}'}+{max(0, x)}+{max(0, y)}")
