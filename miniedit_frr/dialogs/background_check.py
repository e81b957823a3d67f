"""Checks the topology after each edit, in a thread, so that the window never waits for it."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from frrlib.checks import file_problems
from frrlib.checks.check import Problem, problems_of
from frrlib.checks.facts import facts_of
from frrlib.checks.fix_offers import offer_fix
from frrlib.model.topology import Topology
from miniedit_frr.widgets.background_query import BackgroundQuery

#: Time to wait for further edits before a check.
_PAUSE_MS = 120


@dataclass(frozen=True)
class Findings:
    """The result of a check.

    Attributes:
        topology: the checked topology.
        problems: its problems.
        fixes: label of the fix of each problem that has one.
        resolved: the topology with automatic names and addresses.
    """

    topology: Topology
    problems: tuple[Problem, ...]
    fixes: Mapping[Problem, str]
    resolved: Topology

    def with_file_problems(self, warnings: Iterable[Problem]) -> Findings:
        """The result with the warnings of the reader of the file that still apply, before all others."""
        first = file_problems.remaining(self.topology, warnings)
        offered = {problem: file_problems.fix_of(self.topology, problem) for problem in first}
        fixes = {problem: fix.label for problem, fix in offered.items() if fix is not None}
        return replace(self, problems=(*first, *self.problems), fixes={**fixes, **self.fixes})

    def of_errors(self) -> Findings:
        """The result without warnings and notes."""
        errors = tuple(problem for problem in self.problems if problem.severity == "error")
        fixes = {problem: fix for problem, fix in self.fixes.items() if problem in errors}
        return replace(self, problems=errors, fixes=fixes)


class Checker(BackgroundQuery[Topology, Findings]):
    """Checks the newest topology; older ones are dropped.

    Args:
        root: a widget, for its timer.
        deliver: called in the window's thread with the result.

    Attributes:
        errors_only: whether warnings and notes are left out, as for an exercise about finding faults.
    """

    def __init__(self, root: tk.Misc, deliver: Callable[[Findings], None]) -> None:
        super().__init__(root, _findings, lambda topology, findings: deliver(self._shown(findings)), _PAUSE_MS)
        self.errors_only = False

    def _shown(self, findings: Findings) -> Findings:
        return findings.of_errors() if self.errors_only else findings


def _findings(topology: Topology) -> Findings:
    facts = facts_of(topology)
    problems = tuple(problems_of(facts))
    fixes = {problem: fix.label for problem in problems if (fix := offer_fix(facts, problem)) is not None}
    return Findings(topology, problems, fixes, facts.resolved)
