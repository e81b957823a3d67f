"""A window of its own for plots."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence

import ttkbootstrap as ttk

from frrlib.picture.theme import Theme
from miniedit_frr.live.samples import LiveRun
from miniedit_frr.live_plots.panel import PlotPanel
from miniedit_frr.widgets.own_events import bind_own_event

_SIZE = (1040, 860)


class PlotWindow(ttk.Toplevel):
    """Plots of a run in a window.

    Args:
        say: shows a message to the user.

    Attributes:
        panel: the panel with the plots.
        on_closed: called when the window has been closed.
    """

    def __init__(
        self, parent: tk.Misc, run: LiveRun, ui: float, theme: Theme, keys: Sequence[str],
        say: Callable[[str], object],
    ) -> None:  # fmt: skip
        super().__init__(title=_title(run), master=parent)
        self.on_closed: Callable[[], object] = lambda: None
        wide = min(round(_SIZE[0] * ui), self.winfo_screenwidth() - 40)
        high = min(round(_SIZE[1] * ui), self.winfo_screenheight() - 80)
        self.geometry(f"{wide}x{high}")
        self.panel = PlotPanel(self, ui, theme, keys, say=say)
        self.panel.pack(fill="both", expand=True)
        self.panel.show(run)
        self.bind("<Control-Key-s>", lambda event: self.panel.save())
        self.bind("<Control-Key-w>", lambda event: self.destroy())
        bind_own_event(self, "<Destroy>", lambda: self.on_closed())
        self.panel.widget.focus_set()

    def show(self, run: LiveRun) -> None:
        """Show another run."""
        self.title(_title(run))
        self.panel.show(run)

    def set_theme(self, theme: Theme) -> None:
        """Show the plots in a theme's colors."""
        self.panel.set_theme(theme)


def _title(run: LiveRun) -> str:
    return f"{run.title or 'Run'} - Plots" if run.is_over else f"{run.title or 'Run'} - Live Plots"
