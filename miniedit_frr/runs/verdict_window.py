"""A window with the verdict on a run: measured values beside expected ones."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence

import ttkbootstrap as ttk

from frrlib.picture.theme import Theme
from miniedit_frr.widgets.aside import put_aside
from miniedit_frr.widgets.data_table import Column, DataTable

_COLUMNS = (
    Column("Value", 95), Column("Where", 140), Column("Expected", 105, True), Column("Measured", 130, True),
    Column("Accepted", 160), Column("Verdict", 120),
)  # fmt: skip
_MOST_ROWS = 18
_FINE = "ok"


class VerdictWindow(ttk.Toplevel):
    """The verdict on a run, and a row for each check.

    Args:
        verdict: "trustworthy", "doubtful" or "not as drawn"; empty if too little data was stored.
        rows: value, object, expected, measured, accepted range, verdict, and reason.
        open_figure: shows the run's figure.
    """

    def __init__(
        self,
        parent: tk.Misc,
        title: str,
        verdict: str,
        rows: Sequence[Sequence[str]],
        open_figure: Callable[[], object],
        ui: float,
        theme: Theme,
    ) -> None:
        super().__init__(title=title, master=parent)
        put_aside(self, parent)
        colors = {"doubtful": theme.warning, "not as drawn": theme.error, "trustworthy": theme.up}
        headline = f"This run is {verdict}." if verdict else "This run stored too little data for a verdict."
        self.headline = ttk.Label(self, text=headline, padding=(12, 10), font="TkHeadingFont")
        self.headline.configure(foreground=colors.get(verdict, theme.text))
        self.headline.pack(fill="x")
        self._reasons = [row[-1] for row in rows]
        bar = ttk.Frame(self, padding=(8, 6))
        bar.pack(side="bottom", fill="x")
        ttk.Button(bar, text="Show Figure", command=open_figure, bootstyle="secondary-outline").pack(side="left")
        ttk.Button(bar, text="Close", command=self.destroy, bootstyle="secondary-outline").pack(side="right")
        self.sheet = DataTable(self, _COLUMNS, ui, height=min(_MOST_ROWS, max(4, len(rows))))
        self.sheet.pack(fill="both", expand=True, padx=8)
        self.sheet.color("doubtful", theme.warning)
        self.sheet.color("not as drawn", theme.error)
        self.sheet.fill([row[:-1] for row in rows], [row[-2] for row in rows])
        # A reason that is wider than the table continues in the next line.
        wide = round(sum(column.width for column in _COLUMNS) * ui)
        self.reason = ttk.Label(self, padding=(12, 8), wraplength=wide - 24, justify="left")
        self.reason.pack(side="bottom", fill="x", before=self.sheet)
        self.sheet.tree.bind("<<TreeviewSelect>>", lambda event: self._explain())
        bad = next((index for index, row in enumerate(rows) if row[-2] != _FINE), None)
        if bad is not None:
            self.sheet.tree.selection_set(str(bad))
            self.sheet.tree.see(str(bad))
        self.bind("<Escape>", lambda event: self.destroy())
        self.focus_set()

    def _explain(self) -> None:
        """Explain the verdict on the selected row."""
        selection = self.sheet.tree.selection()
        self.reason.configure(text=self._reasons[int(selection[0])] or "As expected." if selection else "")
