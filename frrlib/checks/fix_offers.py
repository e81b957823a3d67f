"""Fix problems that have exactly one solution: `offer_fix` proposes a fix, `fix_for` also checks its effect.

All functions are pure: an editor gives the resulting topology to the document as one step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import NamedTuple

from frrlib.checks import file_problems
from frrlib.checks.check import SUBJECTS, check, problems_of
from frrlib.checks.facts import Facts, facts_of
from frrlib.checks.fix import Fix, Fixer
from frrlib.checks.subjects.bottlenecks import SENDER_IS_BOTTLENECK
from frrlib.checks.subjects.routing import NO_ROUTES
from frrlib.model.problem import Problem, Severity
from frrlib.model.topology import Topology

__all__ = ["FIXERS", "AppliedFix", "Fix", "fix_all", "fix_for", "is_fixed_unasked", "offer_fix"]

#: Kind of problem to the function that makes its fix.
FIXERS: Mapping[str, Fixer] = MappingProxyType(
    {kind: fixer for subject in (*SUBJECTS, file_problems.SUBJECT) for kind, fixer in subject.fixers.items()}
)
#: Fixes that the user requests one by one, and `fix_all` leaves out: those that add nodes or a routing protocol, and
#: the unit of a number, which only its author knows.
_BY_REQUEST = frozenset({SENDER_IS_BOTTLENECK.name, NO_ROUTES.name, file_problems.NO_UNIT.name})
#: Severities that `fix_all` fixes. A note needs no change.
_SEVERITIES = (Severity.ERROR, Severity.WARNING)
#: A fix may leave another problem, which needs another pass. More passes than these find nothing new.
_MAX_PASSES = 5


class AppliedFix(NamedTuple):
    """A fixed problem, and the label of its fix."""

    problem: Problem
    label: str


def offer_fix(facts: Facts, problem: Problem) -> Fix | None:
    """The fix for a problem; None if it has no solution, or more than one.

    This is quick: it does not check whether the fix causes other problems (`fix_for`).
    """
    if problem.field == "frr_conf":
        return None  # the text is the user's
    fixer = FIXERS.get(problem.kind)
    return fixer(facts, problem) if fixer is not None else None


def fix_for(topology: Topology, problem: Problem) -> Fix | None:
    """The fix of a problem that removes it and causes no new error; None if there is no such fix. Never raises."""
    facts = facts_of(topology)
    problems = problems_of(facts)
    is_current = problem in problems or problem.kind in file_problems.SUBJECT.fixers
    fix = offer_fix(facts, problem) if is_current else None
    return fix if fix is not None and _helps(problems, problem, check(fix.topology)) else None


def _helps(problems: Collection[Problem], problem: Problem, remaining: Collection[Problem]) -> bool:
    """Whether a problem is gone and no kind of error is more frequent. The names of nodes with errors may change."""
    return problem not in remaining and _errors(remaining) <= _errors(problems)


def _errors(problems: Collection[Problem]) -> Counter[str]:
    return Counter(problem.kind for problem in problems if problem.severity is Severity.ERROR)


def is_fixed_unasked(problem: Problem) -> bool:
    """Whether `fix_all` fixes a problem. The user requests other fixes, such as those of notes, one by one."""
    return problem.severity in _SEVERITIES and problem.kind not in _BY_REQUEST


def fix_all(topology: Topology) -> tuple[Topology, list[AppliedFix]]:
    """Fix every error and warning that has a fix.

    A fix that would cause a new error is left out. Notes remain, and so do problems whose fix adds nodes.

    Returns:
        The resulting topology, and the fixed problems.
    """
    applied: list[AppliedFix] = []
    for _ in range(_MAX_PASSES):
        facts = facts_of(topology)
        problems = problems_of(facts)
        fixed_before = len(applied)
        for problem in tuple(problems):
            if not is_fixed_unasked(problem) or problem not in problems:
                continue
            fix = offer_fix(facts, problem)
            if fix is None or not _helps(problems, problem, remaining := check(fix.topology)):
                continue
            applied.append(AppliedFix(problem, fix.label))
            topology, facts, problems = fix.topology, facts_of(fix.topology), remaining
        if len(applied) == fixed_before:
            break
    return topology, applied
