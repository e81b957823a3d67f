"""Run and Stop, at the bottom of the tool column."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable

import ttkbootstrap as ttk


class RunButtons(ttk.Frame):
    """Two buttons, of which at most one can be pressed at a time."""

    def __init__(self, parent: tk.Misc, run: Callable[[], object], stop: Callable[[], object]) -> None:
        super().__init__(parent)
        self.run = ttk.Button(self, text="▶ Run", bootstyle="success", command=run, takefocus=False)
        self.stop = ttk.Button(self, text="■ Stop", bootstyle="danger", command=stop, takefocus=False)
        self.run.pack(fill="x", pady=(4, 2))
        self.stop.pack(fill="x", pady=(0, 2))
        ttk.ToolTip(self.run, text="Run the lab as it is drawn  (F5)")
        ttk.ToolTip(self.stop, text="Stop the lab  (Shift+F5)")
        self.show(can_run=False, is_running=False)

    def show(self, *, can_run: bool, is_running: bool) -> None:
        """Let those be pressed that do something.

        Args:
            can_run: whether there is anything to run, and no lab that runs already.
            is_running: whether there is a lab to stop.
        """
        self.run.configure(state="normal" if can_run else "disabled")
        self.stop.configure(state="normal" if is_running else "disabled")
