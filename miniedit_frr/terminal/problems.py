"""Output of the command line: the problems of a topology."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from frrlib.model.labels import place_of, sentences
from frrlib.model.problem import Problem
from frrlib.model.topology import Topology
from miniedit_frr.terminal.markup import escape

_STYLES = {"error": "red", "warning": "yellow", "note": "dim"}


def problem_line(problem: Problem, topology: Topology | None) -> str:
    """A problem in one line, with markup. Fields have their names in the editor; links are named by their ends."""
    text = sentences(place_of(problem, topology), problem.message, problem.remedy)
    return f"[{_STYLES[problem.severity]}]{problem.severity:8}[/] {escape(text)}"


def kind_line(problem: Problem, topology: Topology | None) -> str:
    """A problem in one line, with its kind. The kind is the key for its explanation."""
    return f"{problem_line(problem, topology)} [dim]#{escape(problem.kind)}[/]"


def print_problems(console: Console, file: Path, problems: Sequence[Problem], topology: Topology) -> None:
    """Print all problems with their kinds, errors first, and their numbers."""
    order = list(_STYLES)
    for problem in sorted(problems, key=lambda p: order.index(p.severity)):
        console.print(kind_line(problem, topology), soft_wrap=True, highlight=False)
    counts = [
        f"{n} {name}{'' if n == 1 else 's'}" for name in order if (n := sum(p.severity == name for p in problems))
    ]
    console.print(f"{escape(str(file))}: {', '.join(counts) or 'no problems'}", soft_wrap=True, highlight=False)
