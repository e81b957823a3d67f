"""Checks the drawing while it is drawn: in a thread, so that the window never waits for it."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from frrlib.model.check import Problem, problems_of
from frrlib.model.fixing import offered
from frrlib.model.rules.facts import facts_of
from frrlib.model.topology import Topology
from miniedit_frr.widgets.asking import Asker

#: While an edit follows an edit nothing is checked.
_PAUSE_MS = 120


@dataclass(frozen=True)
class Findings:
    """What was found out about a topology: its problems, what would put which of them right, and itself with automatic
    names and addresses."""

    topology: Topology
    problems: tuple[Problem, ...]
    fixes: Mapping[Problem, str]
    addressed: Topology


class Checker(Asker[Topology, Findings]):
    """Finds out about the newest topology that it was asked about; older ones are dropped.

    Args:
        root: a widget, for its timer.
        deliver: called in the window's thread with what was found.
    """

    def __init__(self, root: tk.Misc, deliver: Callable[[Findings], None]) -> None:
        super().__init__(root, _findings, lambda topology, findings: deliver(findings), _PAUSE_MS)


def _findings(topology: Topology) -> Findings:
    facts = facts_of(topology)
    problems = tuple(problems_of(facts))
    fixes = {problem: fix.label for problem in problems if (fix := offered(facts, problem)) is not None}
    return Findings(topology, problems, fixes, facts.filled)
