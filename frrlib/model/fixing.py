"""Puts problems right where there is one right change: `offered` says what could be done, `fix_for` makes sure of it.

Pure functions: who edits a drawing gives the result to the document as one step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import NamedTuple

from frrlib.model.check import check, problems_of
from frrlib.model.fixes import congestion, links, nodes, routing, traffic
from frrlib.model.fixes.fix import Fix, Fixer
from frrlib.model.problem import Problem, Severity
from frrlib.model.rules.facts import Facts, facts_of
from frrlib.model.topology import Topology

__all__ = ["FIXERS", "Fix", "Fixed", "fix_all", "fix_for", "is_fixed_unasked", "offered"]

#: Kind of problem to what makes its fix.
FIXERS: Mapping[str, Fixer] = MappingProxyType(
    {**links.FIXERS, **nodes.FIXERS, **routing.FIXERS, **congestion.FIXERS, **traffic.FIXERS}
)
#: Fixes that draw something new: each is asked for by itself, and is no part of `fix_all`.
_ALONE = frozenset({"sender-is-bottleneck"})
#: Severities that are fixed without a question for each. A note needs no change.
_SEVERITIES = (Severity.ERROR, Severity.WARNING)
#: A fix may leave something else to put right, which needs another look; more looks than these find nothing new.
_MOST_LOOKS = 5


class Fixed(NamedTuple):
    """A problem that was put right, and what was done."""

    problem: Problem
    label: str


def offered(facts: Facts, problem: Problem) -> Fix | None:
    """The fix for a problem; None if nothing, or more than one change, would fix it.

    Quick: it does not check whether the fix breaks anything else (`fix_for`).
    """
    table = congestion.AT_HOSTS if problem.node in facts.nodes else {}
    fixer = table.get(problem.kind) or FIXERS.get(problem.kind)
    return fixer(facts, problem) if fixer is not None else None


def fix_for(topology: Topology, problem: Problem) -> Fix | None:
    """The fix of a problem: after it the problem is gone, and there is no error that was not there before.

    None where there is no such change. Never raises.
    """
    facts = facts_of(topology)
    before = problems_of(facts)
    fix = offered(facts, problem) if problem in before else None
    return fix if fix is not None and _helps(before, problem, check(fix.topology)) else None


def _helps(before: Collection[Problem], problem: Problem, after: Collection[Problem]) -> bool:
    """Whether a problem is gone and no kind of error is there more often: names of what has an error may be others."""
    return problem not in after and _errors(after) <= _errors(before)


def _errors(problems: Collection[Problem]) -> Counter[str]:
    return Counter(problem.kind for problem in problems if problem.severity is Severity.ERROR)


def is_fixed_unasked(problem: Problem) -> bool:
    """Whether `fix_all` puts a problem right: notes, and what draws something new, are asked for one by one."""
    return problem.severity in _SEVERITIES and problem.kind not in _ALONE


def fix_all(topology: Topology) -> tuple[Topology, list[Fixed]]:
    """A drawing with every error and warning put right that can be, and what was done.

    Never leaves an error that was not there before: of such a fix nothing is taken. Notes stay, and so do problems
    whose fix draws something new.
    """
    done: list[Fixed] = []
    for _ in range(_MOST_LOOKS):
        facts = facts_of(topology)
        found = problems_of(facts)
        before = len(done)
        for problem in tuple(found):
            if not is_fixed_unasked(problem) or problem not in found:
                continue
            fix = offered(facts, problem)
            if fix is None or not _helps(found, problem, after := check(fix.topology)):
                continue
            done.append(Fixed(problem, fix.label))
            topology, facts, found = fix.topology, facts_of(fix.topology), after
        if len(done) == before:
            break
    return topology, done
