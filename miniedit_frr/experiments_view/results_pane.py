"""The results of an experiment: a table of its statements with their verdicts, beside its figures."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable

import ttkbootstrap as ttk

from frrlib.picture.theme import Theme
from miniedit_frr.experiments_view.results import ExperimentView, ResultFigure
from miniedit_frr.runs.picture_view import PictureView
from miniedit_frr.widgets.data_table import Column, DataTable
from miniedit_frr.widgets.list_parts import AutoScrollbar

_COLUMNS = (
    Column("Id", 66), Column("Statement", 190), Column("Published", 100), Column("Ours", 100), Column("Band", 110),
    Column("Verdict", 84),
)  # fmt: skip
#: Visible rows of the table, and lines of the details below it.
_ROWS, _LINES = 12, 7
#: The width of a figure at first, in units.
_FIGURE = 480


class ResultsPane(ttk.Panedwindow):
    """The table, the details of the selected statement, and the figures, one at a time.

    Attributes:
        sheet: the table.
        details: the text below the table.
        picture: the visible figure; None without figures.

    Args:
        enlarge: shows a figure in a window of its own.
    """

    def __init__(
        self, parent: tk.Misc, enlarge: Callable[[ResultFigure], object], ui: float, theme: Theme
    ) -> None:  # fmt: skip
        super().__init__(parent, orient="horizontal")
        self._enlarge = enlarge
        self._details: tuple[str, ...] = ()
        self._figures: tuple[ResultFigure, ...] = ()
        self._index, self._ui = 0, ui
        self.picture: PictureView | None = None
        self.add(self._make_statements(ui), weight=0)
        self.add(self._make_figures(), weight=1)
        self.set_theme(theme)

    def _make_statements(self, ui: float) -> ttk.Frame:
        side = ttk.Frame(self)
        self._summary = ttk.Label(side, padding=(2, 6), justify="left")
        self._summary.pack(side="top", fill="x")
        below = ttk.Frame(side)
        # It is packed first at the bottom and so keeps its size in a low window; the table above scrolls.
        below.pack(side="bottom", fill="x", pady=(6, 0))
        self.details = tk.Text(
            below, wrap="word", width=20, height=_LINES, borderwidth=0, highlightthickness=0, state="disabled",
            cursor="", padx=4, pady=2,
        )  # fmt: skip
        self.details.pack(side="left", fill="both", expand=True)
        AutoScrollbar(below, self.details)
        self.sheet = DataTable(side, _COLUMNS, ui, height=_ROWS)
        self.sheet.pack(side="top", fill="both", expand=True)
        self.sheet.tree.bind("<<TreeviewSelect>>", lambda event: self._explain())
        self._summary.bind("<Configure>", lambda event: self._summary.configure(wraplength=event.width - 8))
        return side

    def _make_figures(self) -> ttk.Frame:
        side = self._figure_side = ttk.Frame(self, padding=(8, 0, 0, 0))
        bar = ttk.Frame(side)
        bar.pack(side="bottom", fill="x", pady=(6, 0))
        self.enlarge_button = ttk.Button(
            bar, text="Enlarge", command=self._show_enlarged, bootstyle="secondary-outline"
        )
        self.enlarge_button.pack(side="right")
        self.next_button = ttk.Button(bar, text="Next Figure", command=self._next, bootstyle="secondary-outline")
        self._caption = ttk.Label(bar, justify="left")
        self._caption.pack(side="left", fill="x", expand=True)
        self._caption.bind("<Configure>", lambda event: self._caption.configure(wraplength=event.width - 8))
        return side

    def set_theme(self, theme: Theme) -> None:
        """Show the results in a theme's colors."""
        self.details.configure(background=theme.base_ground, foreground=theme.text)
        for outcome, color in (("pass", theme.up), ("fail", theme.error), ("not run", theme.faint)):
            self.sheet.color(outcome, color)

    def show(self, results: ExperimentView) -> None:
        """Show results, and select the first statement that failed, else the first one."""
        statements = results.statements
        without = "This experiment has no statements. Compare the figure with the published one."
        self._summary.configure(text=" ".join(filter(None, (results.summary or without, results.remarks))))
        self._details = tuple(row.details for row in statements)
        self.sheet.fill([row.cells for row in statements], [row.outcome for row in statements])
        if statements:
            first = next((index for index, row in enumerate(statements) if row.outcome == "fail"), 0)
            self.sheet.tree.selection_set(str(first))
            self.sheet.tree.see(str(first))
        self._figures, self._index = results.figures, 0
        if len(self._figures) > 1:
            self.next_button.pack(side="right", padx=6)
        else:
            self.next_button.pack_forget()
        self._show_figure()

    def _explain(self) -> None:
        """Show the details of the selected statement."""
        selection = self.sheet.tree.selection()
        self.details.configure(state="normal")
        self.details.delete("1.0", "end")
        self.details.insert("1.0", self._details[int(selection[0])] if selection else "")
        self.details.configure(state="disabled")

    def _show_figure(self) -> None:
        figures = self._figures
        self.enlarge_button.configure(state="normal" if figures else "disabled")
        if self.picture is not None:
            self.picture.destroy()
            self.picture = None
        if figures:
            size = round(_FIGURE * self._ui), round(_FIGURE * self._ui)
            self.picture = PictureView(self._figure_side, figures[self._index].image, size, self._ui)
            self.picture.pack(side="top", fill="both", expand=True)
        number = f"Figure {self._index + 1} of {len(figures)}: " if len(figures) > 1 else ""
        self._caption.configure(text=f"{number}{figures[self._index].about}" if figures else "No figure was drawn.")

    def _next(self) -> None:
        self._index = (self._index + 1) % len(self._figures)
        self._show_figure()

    def _show_enlarged(self) -> None:
        if self._figures:
            self._enlarge(self._figures[self._index])
