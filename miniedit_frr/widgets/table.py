"""A window with a table that a button refreshes: routes, interfaces, queues."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence

import ttkbootstrap as ttk

from miniedit_frr.widgets.aside import add_heading, put_aside
from miniedit_frr.widgets.data_table import Column, DataTable


class TableWindow(ttk.Toplevel):
    """A window with a table. It requests the rows when it opens, and when Refresh or F5 is pressed.

    Args:
        ask: requests the rows; calls `fill` or `fail` with the result.
    """

    def __init__(
        self, parent: tk.Misc, title: str, columns: Sequence[Column], ask: Callable[[TableWindow], object], ui: float
    ) -> None:
        super().__init__(title=title, master=parent)
        put_aside(self, parent)
        add_heading(self, title)
        self._ask = ask
        bar = ttk.Frame(self, padding=(8, 6))
        bar.pack(side="bottom", fill="x")
        self.refresh = ttk.Button(bar, text="Refresh", command=self.reload, bootstyle="secondary-outline")
        self.refresh.pack(side="left")
        ttk.Button(bar, text="Close", command=self.destroy, bootstyle="secondary-outline").pack(side="right")
        self._status = ttk.Label(bar, padding=(10, 0))
        self._status.pack(side="left", fill="x", expand=True)
        self.sheet = DataTable(self, columns, ui, height=10)
        self.sheet.pack(fill="both", expand=True, padx=8, pady=(8, 0))
        self.bind("<F5>", lambda event: self.reload())
        self.bind("<Escape>", lambda event: self.destroy())
        self.reload()

    def reload(self) -> None:
        """Request the rows again. The old rows stay visible until the new ones arrive."""
        self.refresh.configure(state="disabled")
        self._status.configure(text="asking …")
        self._ask(self)

    def fill(self, rows: Sequence[Sequence[object]]) -> None:
        """Show the rows."""
        if self.winfo_exists():
            self.sheet.fill(rows)
            self._end(f"{len(rows)} {'row' if len(rows) == 1 else 'rows'}")

    def fail(self, reason: str) -> None:
        """Show the reason for a failed request."""
        if self.winfo_exists():
            self._end(reason)

    def _end(self, text: str) -> None:
        self._status.configure(text=text)
        self.refresh.configure(state="normal")
