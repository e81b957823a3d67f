"""Grades: the points of a student for each chapter, from labs that are built anew from the submission."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from frrlib.checks.check import with_intended_errors
from frrlib.errors import LabError, LabFailed, PlaceError
from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.evaluation import LabStarter, Outcome, evaluate_topology, without_lab
from frrlib.exercises.exercise import Chapter, Exercise, StudentExercise
from frrlib.exercises.similarity import borrowed_numbers, foreign_addresses, networks_of, neutral_fingerprint
from frrlib.exercises.submissions import Submission, read_submission
from frrlib.exercises.work import ChapterState, Work
from frrlib.lab.checks import refused_lines
from frrlib.safe_text.plain import one_line

#: The number of files that a note names.
_MOST_NAMED = 5
#: Refused lines that a grade names, of each topology.
_MOST_LINES = 10


@dataclass(frozen=True)
class ChapterGrade:
    """The points of a chapter.

    Attributes:
        chapter: the chapter.
        state: the student's progress in it.
        outcomes: the results of its checks; empty if the chapter was restored or not reached.
        reason: the reason why the checks were not made; empty if they were.
    """

    chapter: Chapter
    state: ChapterState
    outcomes: tuple[Outcome, ...] = ()
    reason: str = ""

    @property
    def hint_price(self) -> int:
        """The points that the hints cost."""
        return sum(hint.price for hint in self.chapter.hints[: self.state.hints])

    @property
    def points(self) -> int:
        """The points of the checks that hold, less the price of the hints; at least 0."""
        if self.state.restored:
            return 0
        return max(0, sum(outcome.points for outcome in self.outcomes) - self.hint_price)


@dataclass(frozen=True)
class Grade:
    """The grade of one submission.

    Attributes:
        file: name of the submission's file.
        points_possible: the points of the whole exercise.
        student, name: of the student; empty if the submission is not readable.
        chapters: the points of each chapter; empty if the submission is not readable.
        error: the reason why there are no chapters; empty if there are.
        notes: remarks for the teacher, such as an equal submission.
        unused: the parts of the submission that were left out of its labs, such as commands, and lines that FRR
            refuses; a clause each.
        log: the actions of the student, a line each.
        fingerprint: equal for equal topologies; empty for one in which nothing was changed.
        neutral: equal for topologies that are equal apart from the students' own values.
        foreign: addresses that are in no network of the student's own.
    """

    file: str
    points_possible: int
    student: str = ""
    name: str = ""
    chapters: tuple[ChapterGrade, ...] = ()
    error: str = ""
    notes: tuple[str, ...] = ()
    log: tuple[str, ...] = ()
    fingerprint: str = ""
    neutral: str = ""
    foreign: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()

    @property
    def points(self) -> int:
        """The points of all chapters."""
        return sum(chapter.points for chapter in self.chapters)


def points_so_far(work: Work, chapter: Chapter) -> int:
    """The points of a chapter by the student's own checks; hidden ones are missing."""
    state = work.state.chapter(chapter.id)
    checks = work.exercise.checks(chapter, hidden=False)
    outcomes = tuple(Outcome(check, "holds", "") for check in checks if check.id in state.held)
    return ChapterGrade(chapter, state, outcomes).points


def grade_file(exercise: Exercise, path: Path, start_lab: LabStarter) -> Grade:
    """The grade of one file. A broken, hostile or foreign file gives a grade without points, with the reason.

    Raises:
        PlaceError: this machine lacks something that labs need.
    """
    points = exercise.points
    name = one_line(path.name, 200)
    try:
        submission = read_submission(path)
    except ExerciseError as error:
        return Grade(name, points, error=one_line(str(error).removeprefix(f"{path.name}: "), 500))
    except Exception as error:  # a stranger's file must not end the grades of all others
        return Grade(name, points, error=f"cannot be read: {type(error).__name__}: {one_line(str(error), 300)}")
    state = submission.state
    grade = Grade(
        name,
        points,
        state.student,
        one_line(state.name, 100),
        log=tuple(one_line(f"{line.time}  {line.chapter}  {line.text}", 600) for line in state.log),
        fingerprint=_fingerprint(submission),
    )
    if state.exercise != exercise.name:
        belongs_to = one_line(state.exercise, 100)
        return replace(grade, error=f"belongs to the exercise {belongs_to}, not to {exercise.name}")
    try:
        student = exercise.of_student(state.student)
        neutral = neutral_fingerprint(student, submission)
        fingerprint = grade.fingerprint if neutral else ""
        foreign = foreign_addresses(student, submission)
        unused = _unused_parts(student, submission)
        grade = replace(grade, neutral=neutral, fingerprint=fingerprint, foreign=foreign, unused=unused)
        return replace(grade, chapters=grade_chapters(exercise, submission, start_lab))
    except PlaceError as error:
        _refuse_machine_without_labs(student, start_lab)
        return replace(grade, error=f"its network needs more than the exercise: {one_line(str(error), 400)}")
    except LabError as error:
        return replace(grade, error=one_line(str(error), 500))
    except Exception as error:
        return replace(grade, error=f"not graded: {type(error).__name__}: {one_line(str(error), 300)}")


def _refuse_machine_without_labs(student: StudentExercise, start_lab: LabStarter) -> None:
    """Start the exercise's own networks, because a network that cannot run may be the student's fault.

    Raises:
        PlaceError: this machine lacks something that these networks need.
    """
    exercise = student.exercise
    references = exercise.content.chapters if exercise.has_solution else ()
    for topology in [student.permitted(student.reference(chapter)) for chapter in references] or [student.start()]:
        with suppress(LabFailed), start_lab(topology):
            pass


def _unused_parts(student: StudentExercise, submission: Submission) -> tuple[str, ...]:
    """The parts of all topologies of a submission that do not count, each once, and the lines that FRR refuses."""
    topologies = [*(submission.chapters[name] for name in sorted(submission.chapters)), submission.topology]
    clauses = [clause for topology in topologies for clause in student.unused_parts(topology)]
    for topology in topologies:
        with suppress(LabError):  # a topology that is not permitted, which its grade says
            problems = refused_lines(with_intended_errors(student.permitted(topology)))
            clauses += [f"{problem.node}: {problem.message}" for problem in problems[:_MOST_LINES]]
    return tuple(dict.fromkeys(clauses))


def _fingerprint(submission: Submission) -> str:
    """A text that is equal for equal topologies at the end and of all chapters."""
    topologies = [submission.topology, *(submission.chapters[name] for name in sorted(submission.chapters))]
    return hashlib.sha256("\n".join(topology.model_dump_json() for topology in topologies).encode()).hexdigest()


def grade_chapters(exercise: Exercise, submission: Submission, start_lab: LabStarter) -> tuple[ChapterGrade, ...]:
    """The points of each chapter.

    A chapter that was passed is graded with its own topology, the current chapter with the topology at the end.

    Raises:
        ExerciseError: a file of the exercise is wrong.
        PlaceError: this machine lacks something that labs need.
    """
    student = exercise.of_student(submission.state.student)
    current = submission.state.current(exercise.content.chapters)
    grades = []
    for chapter in exercise.content.chapters:
        state = submission.state.chapter(chapter.id)
        if state.restored:
            grades.append(ChapterGrade(chapter, state, reason="restored: the chapter has no points"))
        elif not state.passed and (current is None or chapter.id != current.id):
            grades.append(ChapterGrade(chapter, state, reason="not reached"))
        else:
            grades.append(ChapterGrade(chapter, state, _outcomes(student, chapter, submission, state, start_lab)))
    return tuple(grades)


def _outcomes(
    student: StudentExercise, chapter: Chapter, submission: Submission, state: ChapterState, start_lab: LabStarter
) -> tuple[Outcome, ...]:
    """The results of a chapter's checks, hidden ones included, in a new lab."""
    answers = submission.state.answers
    checks = student.checks(chapter, hidden=True)
    topology = submission.chapters.get(chapter.id) if state.passed else submission.topology
    if topology is None:
        return tuple(without_lab(checks, answers, "the submission has no topology of this chapter"))
    try:
        allowed = student.permitted(topology)
    except ExerciseError as error:
        return tuple(without_lab(checks, answers, str(error)))
    return tuple(evaluate_topology(allowed, checks, answers, start_lab))


def submissions_in(folder: Path) -> list[Path]:
    """The submissions (`*.zip`) in a folder, by file name. Raises ExerciseError if there is none."""
    files = sorted(path for path in folder.glob("*") if path.suffix.lower() == ".zip")
    if not files:
        raise ExerciseError(str(folder), "contains no submission (*.zip)")
    return files


def with_notes(grades: Sequence[Grade], exercise: Exercise | None = None) -> list[Grade]:
    """The grades with remarks about equal ids, equal topologies, equal lines apart from the students' own values and,
    with the exercise, numbers of other students. They cost no points."""
    students = sorted({grade.student for grade in grades if grade.student}) if exercise else []
    networks = {name: networks_of(exercise.of_student(name).variables).values() for name in students if exercise}
    return [
        replace(grade, notes=(*_notes(grade, grades), *borrowed_numbers(grade.foreign, grade.student, networks)))
        for grade in grades
    ]


def _notes(grade: Grade, grades: Sequence[Grade]) -> Iterator[str]:
    others = [other for other in grades if other is not grade]
    same_id = [other.file for other in others if grade.student and other.student.lower() == grade.student.lower()]
    same_topology = [other.file for other in others if grade.fingerprint and other.fingerprint == grade.fingerprint]
    if same_id:
        yield f"the same student id as {_listed(same_id)}"
    if same_topology:
        yield f"the same topology as {_listed(same_topology)}"
    same_lines = [
        other.file
        for other in grades
        if other is not grade and grade.neutral and other.neutral == grade.neutral and other.file not in same_topology
    ]
    if same_lines:
        yield f"the same lines, apart from the students' own values, as {_listed(same_lines)}"


def _listed(names: Sequence[str]) -> str:
    """The names in one text; only the first ones of many. Half of a class may be equal in a small exercise."""
    more = len(names) - _MOST_NAMED
    return f"{', '.join(names[:_MOST_NAMED])}{f' and {more} more' if more > 0 else ''}"
