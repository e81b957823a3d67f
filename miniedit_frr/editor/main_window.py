"""The main window, for everything that opens other windows, waits or reports to the user."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import ttkbootstrap as ttk

from frrlib.picture.theme import Theme


@dataclass(frozen=True)
class MainWindow:
    """The editor's Tk window, its appearance, and its messages to the user.

    Attributes:
        root: the Tk window: the parent of other windows, with the timers of the event loop.
        ui: pixels per unit of length.
        read_theme: returns the current colors.
        say: shows a message in the status bar, and keeps it in the log.
    """

    root: ttk.Window
    ui: float
    read_theme: Callable[[], Theme]
    say: Callable[[str], None]

    @property
    def theme(self) -> Theme:
        """The current colors."""
        return self.read_theme()
