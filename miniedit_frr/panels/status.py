"""The status bar: a message, and what is the case."""

from __future__ import annotations

import tkinter as tk

import ttkbootstrap as ttk

#: What is shown at the right, in this order, with what it says before anything is known.
FACTS = {"selection": "", "lab": "no lab runs", "place": "place: automatic", "kernel": "", "zoom": "100 %"}


class StatusBar(ttk.Frame):
    """One line at the bottom of the window."""

    def __init__(self, parent: tk.Misc) -> None:
        super().__init__(parent, padding=(8, 2))
        self._message = ttk.Label(self, anchor="w")
        self._message.pack(side="left", fill="x", expand=True)
        self._facts = {}
        for name, text in reversed(FACTS.items()):
            self._facts[name] = ttk.Label(self, text=text, padding=(10, 0))
            self._facts[name].pack(side="right")

    def tell(self, message: str) -> None:
        """Show a message until the next one."""
        self._message.configure(text=message)

    def set(self, fact: str, text: str) -> None:
        """Show what is the case; `fact` is a key of FACTS."""
        self._facts[fact].configure(text=text)
