"""The editor's window before anything is in it."""

from __future__ import annotations

import ttkbootstrap as ttk

from miniedit_frr.widgets.own_events import unbind_unused_events
from miniedit_frr.window import emblem


def open_root(theme_name: str, scaling: float | None) -> ttk.Window:
    """A new window with the editor's title and icon.

    Args:
        theme_name: the name of ttkbootstrap's theme.
        scaling: pixels per point; None: Tk derives it from the screen.
    """
    window = ttk.Window("MiniEdit-FRR", theme_name, scaling=scaling)
    unbind_unused_events(window)
    window.unbind_all("<Map>")  # ttkbootstrap's <<MapChild>>: an event for the parent of each widget that appears
    emblem.set_icon(window)
    return window
