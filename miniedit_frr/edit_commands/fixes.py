"""Joins the list of problems with the drawing: makes fixes as edits, and opens reasons."""

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

#: A drawing and the problem to fix; None for all problems that are no notes.
Question = tuple[Topology, Problem | None]
#: The label of the edit, empty where nothing can be done, and the drawing after it.
Answer = tuple[str, Topology]


class ProblemFixer:
    """The Fix, Fix All and Why? of the list. A fix is looked for in a thread: large drawings take their time.

    Args:
        looks: the theme and the scaling of the screen.
    """

    def __init__(
        self,
        window: tk.Misc,
        document: Document,
        panel: ProblemList,
        say: Callable[[str], None],
        looks: Callable[[], tuple[Theme, float]],
    ) -> None:
        self._window, self._document, self._say, self._looks = window, document, say, looks
        self._fixes: Mapping[Problem, str] = {}
        self.reason: ReasonWindow | None = None
        self._asker: BackgroundQuery[Question, Answer] = BackgroundQuery(window, _answer, self._make, pause_ms=1)
        panel.on_fix, panel.on_why = self.fix, self.why
        panel.on_fix_all = lambda: self._ask(None)

    def found(self, fixes: Mapping[Problem, str]) -> None:
        """Take the list of fixes for problems."""
        self._fixes = fixes

    def fix(self, problem: Problem) -> None:
        """Fix a problem, as one step that can be undone."""
        self._ask(problem)

    @property
    def is_busy(self) -> bool:
        """Whether the effect of a fix is being computed."""
        return self._asker.is_busy

    def why(self, problem: Problem) -> None:
        """Say why it is a problem."""
        theme, ui = self._looks()
        if self.reason is None or not self.reason.winfo_exists():
            self.reason = ReasonWindow(self._window, ui)
            self.reason.on_fix = self.fix
        self.reason.show(problem, self._fixes.get(problem, ""), theme, self._document.topology)

    def _ask(self, problem: Problem | None) -> None:
        self._say("Computing the effect of the fix…")
        self._asker.ask((self._document.topology, problem))

    def _make(self, question: Question, answer: Answer) -> None:
        (before, problem), (label, after) = question, answer
        if before != self._document.topology:
            self._say("The drawing has changed in the meantime. The fix was not applied.")
        elif not label:
            what = f"{problem.kind} at {place_of(problem, before)}" if problem is not None else "the remaining problems"
            self._say(f"No problems were fixed: {what} needs your decision.")
        else:
            self._document.apply(label, after)
            if self._document.topology == after:
                self._say(f"{label}.")


def _answer(question: Question) -> Answer:
    topology, problem = question
    if problem is None:
        after, done = fix_all(topology)
        return (f"Fix {len(done)} {'problem' if len(done) == 1 else 'problems'}" if done else ""), after
    fix = fix_for(topology, problem)
    return (f"Fix: {fix.label}", fix.topology) if fix is not None else ("", topology)
