"""Run, Run Flows and Stop, at the bottom of the tool column."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable

import ttkbootstrap as ttk

#: Labels of the second button without a lab, and with one.
_RUN, _SEND = "▶ Run Flows", "▶ Send Flows"
_ABOUT_FLOWS = "Run the lab, send all flows, and store the measurements  (Ctrl+F5; with options Alt+F5)"


class RunButtons(ttk.Frame):
    """Two buttons that start a lab, without and with its flows, and one that stops it."""

    def __init__(
        self, parent: tk.Misc, run: Callable[[], object], send: Callable[[], object], stop: Callable[[], object]
    ) -> None:
        super().__init__(parent)
        self.run = ttk.Button(self, text="▶ Run", bootstyle="success", command=run, takefocus=False)
        self.run_flows = ttk.Button(self, text=_RUN, bootstyle="success", command=send, takefocus=False)
        self.stop = ttk.Button(self, text="■ Stop", bootstyle="danger", command=stop, takefocus=False)
        # The column is narrow: this label is longer than the others.
        self.run_flows.configure(padding=(0, self.run.cget("padding") or 5))
        for button, above in ((self.run, 4), (self.run_flows, 0), (self.stop, 0)):
            button.pack(fill="x", pady=(above, 2))
        ttk.ToolTip(self.run, text="Run the lab until it is stopped; apply changes to the running lab  (F5)")
        ttk.ToolTip(self.run_flows, text=_ABOUT_FLOWS)
        ttk.ToolTip(self.stop, text="Stop the lab and run its stop commands  (Shift+F5)")
        self.show(can_run=False, can_send=False, is_running=False)

    def show(self, *, can_run: bool, can_send: bool, is_running: bool) -> None:
        """Enable the buttons that have an effect.

        Args:
            can_run: whether there is a topology to run and no lab, or changes for the running one.
            can_send: whether there are flows that can be sent, in a new lab or in the running one.
            is_running: whether there is a lab to stop.
        """
        self.run.configure(text="▶ Apply" if is_running else "▶ Run")
        self.run_flows.configure(text=_SEND if is_running else _RUN)
        for button, can in ((self.run, can_run), (self.run_flows, can_send), (self.stop, is_running)):
            button.configure(state="normal" if can else "disabled")
