"""The list of runs, newest first; a button or a double click shows a run's figure."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import ttkbootstrap as ttk

from frrlib.picture.theme import LIGHT, Theme
from miniedit_frr.user.paths import short_path
from miniedit_frr.widgets.data_table import Column, DataTable
from miniedit_frr.widgets.ellipsis import ElidedLabel
from miniedit_frr.widgets.popup import popup_menu

_HINT = "Right-click a run for its plots, timeline, folder and verdict."
_NONE = "No runs with flows yet. Draw a flow with the tool Flow, then click Run Flows."


class RunRow(NamedTuple):
    """A run: its start, title and place, its outcome ("finished", "failed", "finished, doubtful", ...), and its
    folder."""

    time: str
    title: str
    place: str
    outcome: str
    folder: str


class RunList(ttk.Frame):
    """Runs with flows and stored results.

    Attributes:
        on_open: called with the run that was double-clicked.
        on_folder: called with a run to open its folder.
        on_interactive: called with a run to show its plots in a window.
        on_timeline: called with a run to show its timeline.
        on_verdict: called with a run to show its verdict.
        on_forget: called with a run to remove it from the list.
    """

    def __init__(self, parent: tk.Misc, ui: float) -> None:
        super().__init__(parent)
        self.on_open: Callable[[RunRow], None] = lambda row: None
        self.on_folder: Callable[[RunRow], None] = lambda row: None
        self.on_interactive: Callable[[RunRow], None] = lambda row: None
        self.on_timeline: Callable[[RunRow], None] = lambda row: None
        self.on_verdict: Callable[[RunRow], None] = lambda row: None
        self.on_forget: Callable[[RunRow], None] = lambda row: None
        self._rows: tuple[RunRow, ...] = ()
        self._theme = LIGHT
        columns = (
            Column("When", 175), Column("What", 300), Column("Place", 100), Column("Outcome", 170),
            Column("Results", 400),
        )  # fmt: skip
        self.sheet = DataTable(self, columns, ui, height=4)
        self._strip(ui)
        self.sheet.pack(fill="both", expand=True)
        tree = self.sheet.tree
        tree.bind("<<TreeviewSelect>>", lambda event: self._show_button())
        tree.bind("<Double-Button-1>", lambda event: self._do(self.on_open))
        tree.bind("<Return>", lambda event: self._do(self.on_open))
        tree.bind("<Button-3>", self._context)

    def _strip(self, ui: float) -> None:
        strip = ttk.Frame(self, padding=(round(6 * ui), round(2 * ui)))
        strip.pack(side="bottom", fill="x")
        self.show_figure = ttk.Button(
            strip, text="Show Figure", bootstyle="secondary-outline", takefocus=False,
            command=lambda: self._do(self.on_open),
        )  # fmt: skip
        self.show_figure.configure(padding=(round(8 * ui), round(1 * ui)))
        self.show_figure.pack(side="right", padx=(round(12 * ui), 0))
        self._hint = ElidedLabel(strip)
        self._hint.pack(side="left", fill="x", expand=True)

    def show(self, rows: Sequence[RunRow]) -> None:
        """List these runs. A new run is selected, so that its figure is one click away."""
        previous, self._rows = self._rows, tuple(rows)
        shortened = [row._replace(folder=short_path(Path(row.folder))) for row in self._rows]
        self.sheet.fill(shortened, [_tag(row.outcome) for row in self._rows])
        if self._rows and self._rows[0] not in previous:
            self.sheet.tree.selection_set("0")
        self._hint.show(_HINT if self._rows else _NONE)
        self._show_button()

    def _show_button(self) -> None:
        self.show_figure.configure(state="normal" if self.sheet.tree.selection() else "disabled")

    def set_theme(self, theme: Theme) -> None:
        """Show the list in a theme's colors."""
        self._theme = theme
        self.sheet.color("bad", theme.error)
        self.sheet.color("doubtful", theme.warning)

    def _do(self, action: Callable[[RunRow], None]) -> None:
        selection = self.sheet.tree.selection()
        if selection:
            action(self._rows[int(selection[0])])

    def _context(self, event: tk.Event) -> None:
        row = self.sheet.tree.identify_row(event.y)
        if row:
            self.sheet.tree.selection_set(row)
            menu = popup_menu(self, self._theme)
            menu.add_command(label="Show Figure", command=lambda: self._do(self.on_open))
            menu.add_command(label="Show Interactive", command=lambda: self._do(self.on_interactive))
            menu.add_command(label="Show Verdict", command=lambda: self._do(self.on_verdict))
            menu.add_command(label="Show Timeline", command=lambda: self._do(self.on_timeline))
            menu.add_command(label="Open Folder", command=lambda: self._do(self.on_folder))
            menu.add_command(label="Forget This Run", command=lambda: self._do(self.on_forget))
            menu.tk_popup(event.x_root, event.y_root)


def _tag(outcome: str) -> str:
    """The tag that colors a run's row."""
    return "bad" if outcome.startswith("failed") or "not as drawn" in outcome else outcome.rpartition(", ")[2]
