"""The list of runs with stored configurations, newest first."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence

import ttkbootstrap as ttk

from miniedit_frr.widgets.aside import put_aside
from miniedit_frr.widgets.data_table import Column, DataTable

_COLUMNS = (
    Column("When", 165),
    Column("What", 260),
    Column("Changed by hand", 170),
    Column("File", 290),
)


class HistoryWindow(ttk.Toplevel):
    """The runs; a double click opens one.

    Attributes:
        on_open: called with the number of a run to show it.
        on_forget: called with the number of a run to delete it.
    """

    def __init__(self, parent: tk.Misc, ui: float) -> None:
        super().__init__(title="Configuration history", master=parent)
        put_aside(self, parent)
        self.on_open: Callable[[int], object] = lambda row: None
        self.on_forget: Callable[[int], object] = lambda row: None
        bar = ttk.Frame(self, padding=(10, 8))
        bar.pack(side="bottom", fill="x")
        self.open_button = ttk.Button(
            bar, text="Show Changes", bootstyle="primary", command=lambda: self._do(self.on_open)
        )
        self.open_button.pack(side="left")
        self.forget_button = ttk.Button(
            bar, text="Forget", bootstyle="danger-outline", command=lambda: self._do(self.on_forget)
        )
        self.forget_button.pack(side="left", padx=8)
        ttk.Button(bar, text="Close", command=self.destroy, bootstyle="secondary-outline").pack(side="right")
        self.sheet = DataTable(self, _COLUMNS, ui, height=12)
        self.sheet.pack(fill="both", expand=True, padx=10, pady=(10, 0))
        tree = self.sheet.tree
        tree.bind("<Double-Button-1>", lambda event: self._do(self.on_open))
        tree.bind("<Return>", lambda event: self._do(self.on_open))
        tree.bind("<Delete>", lambda event: self._do(self.on_forget))
        tree.bind("<<TreeviewSelect>>", lambda event: self._enable())
        self.bind("<Escape>", lambda event: self.destroy())
        self._changed: list[bool] = []
        self._enable()

    def fill(self, runs: Sequence[tuple[str, str, str, str]]) -> None:
        """Show runs: time, title, file, and changed routers (empty for none)."""
        self._changed = [bool(changed) for *_, changed in runs]
        self.sheet.fill([(when, title, changed or "nothing", file) for when, title, file, changed in runs])
        if runs:
            self.sheet.tree.selection_set("0")
        self._enable()

    def _do(self, action: Callable[[int], object]) -> None:
        selection = self.sheet.tree.selection()
        if selection and (action is not self.on_open or self._changed[int(selection[0])]):
            action(int(selection[0]))

    def _enable(self) -> None:
        selection = self.sheet.tree.selection()
        self.forget_button.configure(state="normal" if selection else "disabled")
        can_open = bool(selection) and self._changed[int(selection[0])]
        self.open_button.configure(state="normal" if can_open else "disabled")
