"""The list of problems; a click leads to the place."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence

import ttkbootstrap as ttk

from frrlib.model.problem import Problem
from miniedit_frr.panels.quiet import Faint, QuietBar
from miniedit_frr.style.theme import Theme

_MARKS = {"error": "● error", "warning": "▲ warning", "note": "· note"}


class ProblemList(ttk.Frame):
    """Every problem of the drawing, a line each.

    Attributes:
        on_pick: called with the problem that was clicked.
    """

    def __init__(self, parent: tk.Misc, ui: float) -> None:
        super().__init__(parent)
        self.on_pick: Callable[[Problem], None] = lambda problem: None
        self._problems: tuple[Problem, ...] = ()
        self.tree = ttk.Treeview(self, columns=("severity", "where", "why"), show="headings", height=4)
        for column, title, width in (("severity", "", 90), ("where", "Where", 170), ("why", "What is wrong", 600)):
            self.tree.heading(column, text=title, anchor="w")
            self.tree.column(column, width=round(width * ui), stretch=column == "why", anchor="w")
        self.tree.pack(side="left", fill="both", expand=True)
        QuietBar(self, self.tree)
        self._none = Faint(self.tree, "No problems.")
        self._none.show(True)
        self.tree.bind("<<TreeviewSelect>>", lambda event: self._pick())

    def show(self, problems: Sequence[Problem]) -> None:
        """List these problems."""
        self._problems = tuple(problems)
        self._none.show(not problems)
        self.tree.delete(*self.tree.get_children())
        for index, problem in enumerate(self._problems):
            where = ".".join(part for part in (problem.node, problem.field) if part) or "drawing"
            text = f"{problem.why}; {problem.right}" if problem.right else problem.why
            tags = (problem.severity.value,)
            self.tree.insert("", "end", iid=str(index), values=(_MARKS[problem.severity], where, text), tags=tags)

    @property
    def errors(self) -> int:
        """How many of the problems keep a lab from running."""
        return sum(problem.severity == "error" for problem in self._problems)

    def set_theme(self, theme: Theme) -> None:
        """Colours of errors and warnings, and of what is said where there are none."""
        self.tree.tag_configure("error", foreground=theme.error)
        self.tree.tag_configure("warning", foreground=theme.warning)
        self._none.set_theme(theme)

    def _pick(self) -> None:
        chosen = self.tree.selection()
        if chosen:
            self.on_pick(self._problems[int(chosen[0])])
