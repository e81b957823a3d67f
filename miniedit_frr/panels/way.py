"""A small window with the way between two nodes: whether pings come back, and the hops in between."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence

import ttkbootstrap as ttk

from miniedit_frr.panels.aside import put_below
from miniedit_frr.panels.sheet import Column, Sheet


class WayWindow(ttk.Toplevel):
    """What was found out between two nodes.

    Args:
        again: asks anew.
        closed: called when the window goes, however.
    """

    def __init__(
        self,
        parent: tk.Misc,
        source: str,
        destination: str,
        again: Callable[[], object],
        closed: Callable[[], object],
        ui: float,
    ) -> None:
        super().__init__(title=f"{source} to {destination}", master=parent)
        self._closed = closed
        self.ping = ttk.Label(self, text=f"{source} pings {destination} …", padding=(10, 8), wraplength=round(400 * ui))
        self.ping.pack(fill="x")
        columns = (Column("Hop", 40, True), Column("Node", 100), Column("Address", 150), Column("Round trip", 110))
        self.hops = Sheet(self, columns, ui)
        self.hops.pack(fill="both", expand=True, padx=8)
        bar = ttk.Frame(self, padding=(8, 6))
        bar.pack(fill="x")
        self._said = ttk.Label(bar, text="following the way …")
        ttk.Button(bar, text="Again", command=again, bootstyle="secondary-outline").pack(side="left")
        ttk.Button(bar, text="Close", command=self.destroy, bootstyle="secondary-outline").pack(side="right")
        self._said.pack(side="left", padx=10)
        self.bind("<Destroy>", self._gone)
        self.bind("<Escape>", lambda event: self.destroy())
        put_below(self, parent)

    def show_ping(self, text: str) -> None:
        """What the pings said."""
        if self.winfo_exists():
            self.ping.configure(text=text)

    def show_hops(self, rows: Sequence[Sequence[object]], text: str) -> None:
        """The hops, and a sentence about them."""
        if self.winfo_exists():
            self.hops.fill(rows)
            self._said.configure(text=text)

    def _gone(self, event: tk.Event) -> None:
        if event.widget is self:
            self._closed()
