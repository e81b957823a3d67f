"""The checks of a student's current chapter, in a running lab or in a new one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.evaluation import LabStarter, Outcome, evaluate, evaluate_topology
from frrlib.exercises.exercise import Chapter
from frrlib.exercises.work import Work
from frrlib.lab.lab import Lab
from frrlib.model.topology import Topology


@dataclass(frozen=True)
class ChapterResults:
    """The results of a chapter.

    Attributes:
        work: the work with the results recorded.
        chapter: the chapter.
        outcomes: the results in the order of the checks; hidden checks are not made.
    """

    work: Work
    chapter: Chapter
    outcomes: tuple[Outcome, ...]

    @property
    def is_passed(self) -> bool:
        """Whether all checks hold."""
        return all(outcome.holds for outcome in self.outcomes)


def nothing(outcome: Outcome) -> None:
    """Do nothing with a result."""


def check_in_lab(
    work: Work,
    lab: Lab,
    since_s: float,
    on_outcome: Callable[[Outcome], object] = nothing,
    start_lab: LabStarter | None = None,
) -> ChapterResults:
    """Make the checks of the current chapter in a running lab of the work's topology.

    Lines typed on its routers are copied into the topology first, so that what is handed in is what was checked.

    Args:
        lab: the running lab.
        since_s: the time of its start, in seconds since 1970.
        on_outcome: called with each result as soon as it is final.
        start_lab: starts a new lab for a chapter that measures flows or makes faults, so that this lab is left alone
            and the results are those of the teacher's program; None to make these checks in this lab, too.

    Raises:
        ExerciseError: all chapters are over, nodes or links were changed, or the lab runs an older topology.
        LabError: the lab has ended, or the topology is not readable.
    """
    chapter = current_chapter(work)
    if work.is_changed_since(since_s):
        remedy = f"end it with `miniedit-frr labs stop`, and start {work.topology_file.name} again"
        raise ExerciseError("", "the running lab is older than the topology", remedy)
    work = work.adopt_typed(lab.running_configs(), lab.topology)
    if start_lab is not None and chapter.has_experiments:
        return check_anew(work, start_lab, on_outcome)
    topology = work.topology()
    permitted_topology(work, topology)
    checks = work.exercise.checks(chapter, hidden=False)
    outcomes = tuple(evaluate(lab, checks, work.state.answers, on_outcome=on_outcome))
    return ChapterResults(work.after_checks(chapter, outcomes, topology), chapter, outcomes)


def check_anew(work: Work, start_lab: LabStarter, on_outcome: Callable[[Outcome], object] = nothing) -> ChapterResults:
    """Make the checks of the current chapter in a new lab, as the teacher's program does.

    Raises:
        ExerciseError: all chapters are over, or nodes or links were changed.
        LabError: the topology is not readable, or this machine lacks something.
    """
    chapter = current_chapter(work)
    topology = work.topology()
    allowed = permitted_topology(work, topology)
    checks = work.exercise.checks(chapter, hidden=False)
    outcomes = tuple(evaluate_topology(allowed, checks, work.state.answers, start_lab, on_outcome=on_outcome))
    return ChapterResults(work.after_checks(chapter, outcomes, topology), chapter, outcomes)


def permitted_topology(work: Work, topology: Topology) -> Topology:
    """The part of a student's topology that counts. Raises ExerciseError if nodes or links were changed."""
    return work.exercise.permitted(topology)


def current_chapter(work: Work) -> Chapter:
    """The chapter that the student works on. Raises ExerciseError if all are over."""
    chapter = work.current
    if chapter is None:
        raise ExerciseError("", "all chapters are over", "hand in with `miniedit-frr exercise hand-in`")
    return chapter
