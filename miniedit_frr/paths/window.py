"""A small window with the path between two nodes: the path from the tables, the pings, and the hops."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence
from typing import Any

import ttkbootstrap as ttk

from miniedit_frr.widgets.aside import add_heading, put_below
from miniedit_frr.widgets.data_table import Column, DataTable
from miniedit_frr.widgets.own_events import bind_own_event

_COLUMNS = (
    Column("Hop", 40, True), Column("Node", 90), Column("Address", 150), Column("RTT", 90),
    Column("Reply", 100),
)  # fmt: skip


class PathWindow(ttk.Toplevel):
    """The path and the probes between two nodes.

    Args:
        again: repeats the requests.
        closed: called when the window is closed in any way.

    Attributes:
        path: the label with the text about the path.
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
        super().__init__(title=f"Path from {source} to {destination}", master=parent)
        self._closed = closed
        add_heading(self, f"Path from {source} to {destination}")
        self._families = ttk.Frame(self, padding=(10, 8, 10, 0))
        self.path = ttk.Label(
            self,
            text="computing the path from the routing tables …",
            padding=(10, 8),
            wraplength=round(460 * ui),
            justify="left",
        )
        self.path.pack(fill="x")
        self.hops = DataTable(self, _COLUMNS, ui)
        self.hops.pack(fill="both", expand=True, padx=8)
        self.ping = ttk.Label(self, padding=(10, 6, 10, 0), wraplength=round(460 * ui))
        self.ping.pack(fill="x")
        bar = ttk.Frame(self, padding=(8, 6))
        bar.pack(fill="x")
        self._said = ttk.Label(bar, text="probing the path …")
        ttk.Button(bar, text="Repeat", command=again, bootstyle="secondary-outline").pack(side="left")
        ttk.Button(bar, text="Close", command=self.destroy, bootstyle="secondary-outline").pack(side="right")
        self._said.pack(side="left", padx=10)
        bind_own_event(self, "<Destroy>", self._closed)
        self.bind("<Escape>", lambda event: self.destroy())
        put_below(self, parent)

    def offer(self, families: Sequence[Any], current: int, choose: Callable[[Any], object]) -> None:
        """Offer IPv4 and IPv6, if both exist.

        Args:
            families: 4, 6 or both.
            current: the current one; 0 for the first.
            choose: called with the selected one.
        """
        if len(families) < 2:
            return
        self._family = tk.IntVar(self, current or families[0])
        for family in families:
            ttk.Radiobutton(
                self._families, text=f"IPv{family}", value=family, variable=self._family,
                command=lambda: choose(self._family.get()),
            ).pack(side="left", padx=(0, 12))  # fmt: skip
        self._families.pack(fill="x", before=self.path)

    def show_path(self, lines: Sequence[str]) -> None:
        """Show the text about the path."""
        if self.winfo_exists():
            self.path.configure(text="\n".join(lines))

    def show_ping(self, text: str) -> None:
        """Show the result of the pings."""
        if self.winfo_exists():
            self.ping.configure(text=text)

    def show_hops(self, rows: Sequence[Sequence[object]], text: str) -> None:
        """Show the hops of a traceroute, and a sentence about them."""
        if self.winfo_exists():
            self.hops.fill(rows)
            self._said.configure(text=text)
