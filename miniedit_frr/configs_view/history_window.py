"""The list of runs whose configurations were kept, newest first."""

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
    """Runs, to be opened by a double click.

    Attributes:
        on_open: called with the number of the run that is to be shown.
        on_forget: called with the number of the run that is to be dropped.
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
        """Show runs: when, title, file, routers that were changed (empty for none)."""
        self._changed = [bool(changed) for *_, changed in runs]
        self.sheet.fill([(when, title, changed or "nothing", file) for when, title, file, changed in runs])
        if runs:
            self.sheet.tree.selection_set("0")
        self._enable()

    def _do(self, what: Callable[[int], object]) -> None:
        chosen = self.sheet.tree.selection()
        if chosen and (what is not self.on_open or self._changed[int(chosen[0])]):
            what(int(chosen[0]))

    def _enable(self) -> None:
        chosen = self.sheet.tree.selection()
        self.forget_button.configure(state="normal" if chosen else "disabled")
        can_open = bool(chosen) and self._changed[int(chosen[0])]
        self.open_button.configure(state="normal" if can_open else "disabled")
