"""Tests an exercise before students get it: `miniedit-frr exercise test`.

For each of some students: every chapter's reference state gets all points, the state before the chapter gets none by
accident, and each wrong answer, and each of the student's faults that is left, loses exactly the checks that it should.
Checks that need no lab are made without one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from frrlib.errors import LabError, PlaceError
from frrlib.exercises.checks import Answer, Check
from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.evaluation import LabStarter, Outcome, evaluate, without_lab
from frrlib.exercises.exercise import Chapter, Exercise, StudentExercise
from frrlib.exercises.experiments import problems
from frrlib.exercises.permitted import permitted
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology

#: Time that checks get in a state in which they should fail. The lab has converged before.
_SHORT_S = 3.0


@dataclass(frozen=True)
class Trial:
    """The results of one topology.

    Attributes:
        student: the student's id.
        subject: "start", "solution CHAPTER", "wrong FILE", "wrong answer TASK" or "fault ID left".
        points: the points of all checks that were made.
        problems: sentences about checks with an unexpected result; empty if all is as expected.
    """

    student: str
    subject: str
    points: int
    problems: tuple[str, ...]


@dataclass(frozen=True)
class _Question:
    """Checks that a topology is tried with, and the ids of those that must hold.

    Attributes:
        holding: ids of checks that must hold; None for no requirement on those that `failing` lacks.
        failing: ids of checks that must not hold.
    """

    subject: str
    checks: tuple[Check, ...]
    answers: Mapping[str, str]
    holding: frozenset[str]
    failing: frozenset[str]


def students(count: int) -> tuple[str, ...]:
    """Ids of pretended students."""
    return tuple(f"student{number}" for number in range(1, count + 1))


def try_exercise(
    exercise: Exercise,
    student_ids: Iterable[str],
    start_lab: LabStarter,
    on_trial: Callable[[Trial], object] = lambda trial: None,
) -> list[Trial]:
    """Try an exercise with the values of some students.

    Args:
        on_trial: called with each result.

    Raises:
        ExerciseError: a file is missing or wrong, a check names an unknown node, or a reference state changes a part
            that students must not change.
        PlaceError: this machine lacks something that labs need.
    """
    trials = []
    for student_id in student_ids:
        student = exercise.of_student(student_id)
        refuse_unusable(student)
        for topology, questions in _plan(student):
            for trial in _tried(student_id, topology, questions, start_lab):
                on_trial(trial)
                trials.append(trial)
    return trials


def refuse_unusable(student: StudentExercise) -> None:
    """Read all files of an exercise with the values of a student, and check what needs no lab.

    Raises:
        ExerciseError: a file is missing or wrong, a check names an unknown node, or a reference state changes a part
            that students must not change.
    """
    start, content = student.start(), student.exercise.content
    for locked in content.all_locked:
        if start.node(locked) is None:
            raise ExerciseError(student.exercise.name, f"the locked node {locked} does not exist")
    for sealed in content.sealed:
        if not isinstance(start.node(sealed), Router):
            raise ExerciseError(student.exercise.name, f"the sealed node {sealed} is no router")
    for chapter in content.chapters:
        student.page(chapter)
        for number in range(len(chapter.hints)):
            student.hint(chapter, number)
        for check in student.checks(chapter, hidden=True):
            unknown = [node for node in check.nodes if start.node(node) is None]
            if unknown:
                raise ExerciseError(student.exercise.name, f"check {check.id}: there is no node {unknown[0]}")
            for problem in problems(start, check):
                raise ExerciseError(student.exercise.name, f"check {check.id}: {problem}")
        student.permitted(student.reference(chapter))
    for answer in content.wrong:
        student.typed(answer)
        if answer.file:
            student.permitted(student.wrong(answer))
    _refuse_lasting_faults(student)


def _refuse_lasting_faults(student: StudentExercise) -> None:
    """Refuse faults in parts that students must not change. All faults are tried, also those of other students."""
    content = student.exercise.content
    right_of: dict[str, Topology] = {}
    for fault in content.faults:
        chapter, faulty = student.with_fault_left(fault)
        if chapter.id not in right_of:
            right_of[chapter.id] = student.reference(chapter)
        right = right_of[chapter.id]
        if permitted(faulty, right, content.all_locked, content.changeable) != right:
            reason = f"fault {fault.id}: it is in a part that students cannot mend"
            raise ExerciseError(student.exercise.name, reason, "choose an unlocked node, and routing or addresses")


def _plan(student: StudentExercise) -> Iterator[tuple[Topology, tuple[_Question, ...]]]:
    """Each topology with its questions. A reference state is tried with its own chapter and with the next one."""
    content = student.exercise.content
    start = student.start()
    yield start, (_before(student, content.chapters[0], "start"),)
    for position, chapter in enumerate(content.chapters):
        checks = student.checks(chapter, hidden=True)
        subject = f"solution {chapter.id}"
        questions = [_Question(subject, checks, right_answers(checks), frozenset(c.id for c in checks), frozenset())]
        if position + 1 < len(content.chapters):
            following = content.chapters[position + 1]
            questions.append(_before(student, following, f"before {following.id}"))
        yield student.permitted(student.reference(chapter)), tuple(questions)
    for answer in content.wrong:
        checks = student.checks(student.exercise.chapter(answer.chapter), hidden=True)
        if not answer.file:
            checks = tuple(check for check in checks if check.id in answer.answers)
        holding = frozenset(check.id for check in checks) - answer.failing
        answers = right_answers(checks) | student.typed(answer)
        question = _Question(f"wrong {answer.name}", checks, answers, holding, answer.failing)
        yield student.permitted(student.wrong(answer)) if answer.file else start, (question,)
    for fault in student.faults:
        chapter, topology = student.with_fault_left(fault)
        checks = student.checks(chapter, hidden=True)
        failing = frozenset(fault.loses)
        holding = frozenset(check.id for check in checks) - failing
        question = _Question(f"fault {fault.id} left", checks, right_answers(checks), holding, failing)
        yield student.permitted(topology), (question,)


def _before(student: StudentExercise, chapter: Chapter, subject: str) -> _Question:
    """A chapter's checks before any work on it: none may hold, except those that say so."""
    checks = student.checks(chapter, hidden=True)
    return _Question(subject, checks, {}, frozenset(), frozenset(c.id for c in checks if not c.holds_at_start))


def right_answers(checks: Sequence[Check]) -> dict[str, str]:
    """The right answer to each question among the checks."""
    return {check.id: f"{check.expected} {check.unit}".strip() for check in checks if isinstance(check, Answer)}


def _tried(student: str, topology: Topology, questions: Sequence[_Question], start_lab: LabStarter) -> Iterator[Trial]:
    if not any(check.needs_lab for question in questions for check in question.checks):
        for question in questions:
            yield _judged(student, question, without_lab(question.checks, question.answers, ""))
        return
    try:
        with start_lab(topology) as lab:
            for question in questions:
                limits_s = dict.fromkeys(question.failing, _SHORT_S)
                yield _judged(student, question, evaluate(lab, question.checks, question.answers, limits_s=limits_s))
    except PlaceError:
        raise
    except LabError as error:
        for question in questions:
            yield _judged(student, question, without_lab(question.checks, question.answers, str(error)))


def _judged(student: str, question: _Question, outcomes: Sequence[Outcome]) -> Trial:
    found = []
    for outcome in outcomes:
        check_id = outcome.check.id
        if check_id in question.holding and not outcome.holds:
            found.append(f"{check_id} must hold: {outcome.seen}")
        if check_id in question.failing and outcome.holds:
            found.append(f"{check_id} must not hold: {outcome.seen}")
    return Trial(student, question.subject, sum(outcome.points for outcome in outcomes), tuple(found))
