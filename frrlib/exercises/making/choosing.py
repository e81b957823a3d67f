"""The choice of checks for a new exercise, and what they leave out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from frrlib.exercises.checks import Check
from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.making.candidate import LINES, Candidate
from frrlib.exercises.making.verification import CandidateResult


def chosen(
    candidates: Sequence[Candidate], only: Collection[str] = (), without: Collection[str] = (), *, certain: bool = False
) -> tuple[Candidate, ...]:
    """The candidates that an exercise gets: the named ones, else the proposed ones.

    Args:
        candidates: all candidates.
        only: ids of the candidates to take; empty for all proposed ones.
        without: ids of candidates to leave out.
        certain: whether to leave out proposed ones of which only a lab shows whether they hold.

    Raises:
        ExerciseError: an id is unknown.
    """
    known = {candidate.check.id for candidate in candidates}
    for name in (*only, *without):
        if name not in known:
            raise ExerciseError("", f"there is no candidate {name}", "--list shows all")
    proposed = (c for c in candidates if c.is_proposed and (c.is_certain or not certain))
    chosen_ids = {*only} if only else {candidate.check.id for candidate in proposed}
    return tuple(c for c in candidates if c.check.id in chosen_ids and c.check.id not in without)


def useful_checks(verified: Iterable[CandidateResult], only: Collection[str] = ()) -> list[Check]:
    """The checks of an exercise after their test: those that are useful, and those that hold at the start but were
    named by the author, who wants to notice later mistakes."""
    checks = []
    for result in verified:
        check = result.candidate.check
        if result.is_useful:
            checks.append(check)
        elif result.in_solution.holds and check.id in only:
            checks.append(check.model_copy(update={"holds_at_start": True}))
    return checks


def uncovered_lines(candidates: Iterable[Candidate], checks: Iterable[Check]) -> list[Candidate]:
    """The changed lines on which no check of an exercise depends."""
    chosen_ids = {check.id for check in checks}
    lines = (candidate for candidate in candidates if candidate.group == LINES)
    return [line for line in lines if not chosen_ids.intersection((line.check.id, *line.better))]
