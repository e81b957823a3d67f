"""The checks of a student's current chapter, in a running lab or in a new one."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from frrlib.exercises.checks import Check
from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.evaluation import LabStarter, Outcome, evaluate, evaluate_topology, nothing
from frrlib.exercises.exercise import Chapter
from frrlib.exercises.work import Work
from frrlib.lab.lab import Lab
from frrlib.model.topology import Topology

#: A function that gives a lab the topology with the lines that were copied from its routers.
Adopt = Callable[[Lab, Topology], object]


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
        """Whether the chapter is passed: all its checks were made, and all hold."""
        return self.work.state.chapter(self.chapter.id).passed


def check_in_lab(
    work: Work,
    lab: Lab,
    on_outcome: Callable[[Outcome], object] = nothing,
    start_lab: LabStarter | None = None,
    *,
    only: Collection[str] = (),
    before_round: Callable[[], object] = nothing,
    adopt: Adopt = Lab.adopt,
) -> ChapterResults:
    """Make the checks of the current chapter in a running lab of the work's topology.

    Lines typed on its routers are copied into the topology first, so that what is handed in is what was checked.

    Args:
        lab: the running lab.
        on_outcome: called with each result as soon as it is final.
        start_lab: starts a new lab for a chapter that measures flows or makes faults, so that this lab is left alone
            and the results are those of the teacher's program; None to make these checks in this lab, too.
        only: ids of the checks to make, with those that they need; empty for all. Some checks do not pass a chapter.
        before_round: as for `evaluate`.
        adopt: gives the lab the topology with the copied lines, which are in force there already.

    Raises:
        ExerciseError: all chapters are over, nodes or links were changed, or the lab lacks changes of the topology.
        LabError: the lab has ended, or the topology is not readable.
    """
    chapter = current_chapter(work)
    refuse_older(work, lab)
    work = with_lines_of(work, lab, adopt)
    if start_lab is not None and chapter.has_experiments:
        return check_anew(work, start_lab, on_outcome, only=only, before_round=before_round)
    topology = work.topology()
    permitted_topology(work, topology)
    checks = selected_checks(work, chapter, only)
    answers = work.state.answers
    outcomes = tuple(evaluate(lab, checks, answers, on_outcome=on_outcome, before_round=before_round))
    return ChapterResults(work.after_checks(chapter, outcomes, topology, is_all=not only), chapter, outcomes)


def refuse_older(work: Work, lab: Lab) -> None:
    """Raise ExerciseError if a running lab lacks changes of the work's topology."""
    parts = [change for change in lab.apply(work.topology(), dry_run=True) if change.subject not in ("flows", "faults")]
    if parts:
        more = f", and {len(parts) - 1} more" if len(parts) > 1 else ""
        file = work.topology_file.name
        remedy = (
            f"press F5 in the window, or run `miniedit-frr apply LAB {file}`; or stop the lab and start {file} again"
        )
        raise ExerciseError("", f"the running lab lacks changes of the topology: {parts[0].text}{more}", remedy)


def with_lines_of(work: Work, lab: Lab, adopt: Adopt = Lab.adopt) -> Work:
    """The work with the lines that were typed on the routers of a lab, which equals the work's topology otherwise."""
    with_lines = work.adopt_typed(lab.running_configs(), lab.topology)
    if with_lines is not work:
        adopt(lab, with_lines.topology())
    return with_lines


def check_anew(
    work: Work,
    start_lab: LabStarter,
    on_outcome: Callable[[Outcome], object] = nothing,
    *,
    only: Collection[str] = (),
    before_round: Callable[[], object] = nothing,
) -> ChapterResults:
    """Make the checks of the current chapter in a new lab, as the teacher's program does.

    Arguments and result are as for `check_in_lab`.

    Raises:
        ExerciseError: all chapters are over, or nodes or links were changed.
        LabError: the topology is not readable, or this machine lacks something.
    """
    chapter = current_chapter(work)
    topology = work.topology()
    allowed = permitted_topology(work, topology)
    checks = selected_checks(work, chapter, only)
    answers = work.state.answers
    outcomes = tuple(
        evaluate_topology(allowed, checks, answers, start_lab, on_outcome=on_outcome, before_round=before_round)
    )
    return ChapterResults(work.after_checks(chapter, outcomes, topology, is_all=not only), chapter, outcomes)


def selected_checks(work: Work, chapter: Chapter, only: Collection[str]) -> tuple[Check, ...]:
    """The student's own checks of a chapter: all, or only those of these ids with all that they need."""
    checks = work.exercise.checks(chapter, hidden=False)
    needed = set(only)
    for check in reversed(checks):  # a check needs earlier ones only
        if check.id in needed:
            needed.update(check.needs)
    return tuple(check for check in checks if not only or check.id in needed)


def permitted_topology(work: Work, topology: Topology) -> Topology:
    """The part of a student's topology that counts. Raises ExerciseError if nodes or links were changed."""
    return work.exercise.permitted(topology)


def current_chapter(work: Work) -> Chapter:
    """The chapter that the student works on. Raises ExerciseError if all are over."""
    chapter = work.current
    if chapter is None:
        raise ExerciseError("", "all chapters are over", "hand in with `miniedit-frr exercise hand-in`")
    return chapter
