"""The log: one line per event, with the time of day."""

from __future__ import annotations

import time
import tkinter as tk

import ttkbootstrap as ttk

from miniedit_frr.widgets.list_parts import AutoScrollbar

_LONGEST = 2000


class LogPanel(ttk.Frame):
    """Lines that can be read and copied, but not changed. The oldest ones are deleted when there are too many."""

    def __init__(self, parent: tk.Misc) -> None:
        super().__init__(parent)
        self.text = tk.Text(self, height=4, wrap="word", state="disabled", borderwidth=0, highlightthickness=0)
        self.text.pack(side="left", fill="both", expand=True)
        AutoScrollbar(self, self.text)

    def add(self, message: str) -> None:
        """Add a line and scroll to it."""
        self.text.configure(state="normal")
        self.text.insert("end", f"{time.strftime('%H:%M:%S')}  {message}\n")
        lines = int(self.text.index("end").split(".")[0])
        if lines > _LONGEST:
            self.text.delete("1.0", f"{lines - _LONGEST}.0")
        self.text.configure(state="disabled")
        self.text.see("end")
