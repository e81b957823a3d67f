"""The actions of the list of problems: makes fixes as edits, and explains problems."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Mapping

from frrlib.checks.fix_offers import fix_all, fix_for
from frrlib.model.labels import place_of
from frrlib.model.problem import Problem
from frrlib.model.topology import Topology
from frrlib.picture.theme import Theme
from miniedit_frr.document.document import Document
from miniedit_frr.edit_commands.reason_window import ReasonWindow
from miniedit_frr.panels.problems import ProblemList
from miniedit_frr.widgets.background_query import BackgroundQuery

#: A topology and the problem to fix; None for all problems except notes.
FixQuery = tuple[Topology, Problem | None]
#: The label of the edit, empty if there is no fix, and the fixed topology.
FixResult = tuple[str, Topology]


class ProblemFixer:
    """The actions Fix, Fix All and Why? of the list. A thread searches for fixes, since that takes long in a large
    topology.

    Args:
        read_look: returns the theme and the scaling of the screen.

    Attributes:
        reason: the window that explains a problem; None before the first.
    """

    def __init__(
        self,
        window: tk.Misc,
        document: Document,
        panel: ProblemList,
        say: Callable[[str], None],
        read_look: Callable[[], tuple[Theme, float]],
    ) -> None:
        self._window, self._document, self._say, self._read_look = window, document, say, read_look
        self._fixes: Mapping[Problem, str] = {}
        self.reason: ReasonWindow | None = None
        self._query: BackgroundQuery[FixQuery, FixResult] = BackgroundQuery(window, _find_fix, self._apply, pause_ms=1)
        panel.on_fix, panel.on_why = self.fix, self.explain
        panel.on_fix_all = lambda: self._search(None)

    def set_fixes(self, fixes: Mapping[Problem, str]) -> None:
        """Store the labels of the fixes by problem."""
        self._fixes = fixes

    def fix(self, problem: Problem) -> None:
        """Fix a problem in one edit."""
        self._search(problem)

    @property
    def is_busy(self) -> bool:
        """Whether the effect of a fix is being computed."""
        return self._query.is_busy

    def explain(self, problem: Problem) -> None:
        """Explain a problem in a window."""
        theme, ui = self._read_look()
        if self.reason is None or not self.reason.winfo_exists():
            self.reason = ReasonWindow(self._window, ui)
            self.reason.on_fix, self.reason.on_intend = self.fix, self.intend
        self.reason.show(problem, self._fixes.get(problem, ""), theme, self._document.topology)

    def intend(self, problem: Problem) -> None:
        """Let the lab run with errors of a problem's kind, for an exercise, or no longer."""
        topology, kind = self._document.topology, problem.kind
        kinds = topology.intended_problems
        if kind in kinds:
            changed, label = tuple(name for name in kinds if name != kind), f"No Longer Intend {kind}"
        else:
            changed, label = (*kinds, kind), f"Run All the Same: {kind}"
        self._document.apply(label, topology.model_copy(update={"intended_problems": changed}))

    def _search(self, problem: Problem | None) -> None:
        self._say("Computing the effect of the fix…")
        self._query.ask((self._document.topology, problem))

    def _apply(self, query: FixQuery, result: FixResult) -> None:
        (topology, problem), (label, fixed) = query, result
        if topology != self._document.topology:
            self._say("The drawing has changed in the meantime. The fix was not applied.")
        elif not label:
            subject = (
                f"{problem.kind} at {place_of(problem, topology)}" if problem is not None else "the remaining problems"
            )
            self._say(f"No problems were fixed: {subject} needs your decision.")
        else:
            self._document.apply(label, fixed)
            if self._document.topology == fixed:
                self._say(f"{label}.")


def _find_fix(query: FixQuery) -> FixResult:
    topology, problem = query
    if problem is None:
        fixed, applied = fix_all(topology)
        return (f"Fix {len(applied)} {'problem' if len(applied) == 1 else 'problems'}" if applied else ""), fixed
    fix = fix_for(topology, problem)
    return (f"Fix: {fix.label}", fix.topology) if fix is not None else ("", topology)
