"""Works on this machine: the running lab of a work, its checks there or in a new lab, and all works below a folder."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from pydantic import TypeAdapter

from frrlib.errors import LabError
from frrlib.exercises.checking import Adopt, ChapterResults, check_anew, check_in_lab, refuse_older, with_lines_of
from frrlib.exercises.errors import ExerciseError, invalid_values_of
from frrlib.exercises.evaluation import LabStarter, Outcome, nothing
from frrlib.exercises.exercise import FILE, START, Exercise, load
from frrlib.exercises.work import STATE, TOPOLOGY, StudentId, Work, begin, read_work
from frrlib.lab.detached import join_lab
from frrlib.lab.lab import Lab
from frrlib.lab_server import register
from frrlib.lab_server.register import Card

_STUDENT_ID: TypeAdapter[str] = TypeAdapter(StudentId)


def lab_of(work: Work) -> Card | None:
    """The running lab of the work's topology; None if there is none."""
    file = str(work.topology_file.resolve())
    return next((card for card in register.labs() if card.file == file and card.state == "running"), None)


def check_now(
    work: Work,
    start_lab: LabStarter,
    on_outcome: Callable[[Outcome], object] = nothing,
    *,
    only: Collection[str] = (),
    before_round: Callable[[], object] = nothing,
    adopt: Adopt = Lab.adopt,
) -> ChapterResults:
    """Make the checks of the current chapter in the running lab of the work, or in a new one if there is none.

    Arguments, result and errors are as for `check_in_lab` and `check_anew`.
    """
    card = lab_of(work)
    if card is None:
        return check_anew(work, start_lab, on_outcome, only=only, before_round=before_round)
    with join_lab(card.name) as lab:
        return check_in_lab(work, lab, on_outcome, start_lab, only=only, before_round=before_round, adopt=adopt)


def with_typed_lines(work: Work, adopt: Adopt = Lab.adopt) -> Work:
    """The work with the lines that were typed on routers of its running lab; unchanged without such a lab.

    Args:
        adopt: as for `check_in_lab`.

    Raises:
        ExerciseError: lines were typed, and the lab lacks changes of the topology.
    """
    card = lab_of(work)
    if card is None:
        return work
    with join_lab(card.name) as lab:
        if not any(config.typed() for config in lab.running_configs().values()):
            return work
        refuse_older(work, lab)
        return with_lines_of(work, lab, adopt)


def work_folder(works: Path, exercise: Exercise, student: str) -> Path:
    """The folder of a student's work on an exercise, below the folder of all works.

    Raises:
        ExerciseError: the id is invalid.
    """
    with invalid_values_of("student id"):
        student_id = _STUDENT_ID.validate_python(student.strip())
    return works / f"{exercise.name}-{student_id.lower()}"


def work_of(works: Path, exercise: Exercise, student: str) -> Work | None:
    """The work that a student has begun on an exercise; None if there is none, or if the id is invalid."""
    try:
        folder = work_folder(works, exercise, student)
        return read_work(folder, {exercise.name: exercise}) if (folder / STATE).is_file() else None
    except LabError:
        return None


def begin_or_continue(works: Path, exercise: Exercise, student: str, name: str) -> Work:
    """The work of a student on an exercise, which is begun if there is none.

    Raises:
        ExerciseError: the id is invalid, or a file is wrong.
    """
    folder = work_folder(works, exercise, student)
    if (folder / STATE).is_file():
        return read_work(folder, {exercise.name: exercise})
    return begin(exercise, folder, student, name)


def last_student(works: Path) -> tuple[str, str]:
    """The name and the id of the student who has worked last below a folder; empty texts if there is none."""
    files = sorted(works.glob(f"*/{STATE}"), key=lambda path: path.stat().st_mtime, reverse=True)
    for file in files:
        try:
            state = read_work(file.parent).state
        except LabError:
            continue
        return state.name, state.student
    return "", ""


def is_work(path: Path | None) -> bool:
    """Whether a file is the topology of a work."""
    return path is not None and path.name == TOPOLOGY and (path.parent / STATE).is_file()


def advice_about(path: Path) -> str:
    """What to do instead of opening a topology of an exercise itself; empty for other files.

    Such a file may have variables in place of addresses.
    """
    try:
        folder = path.parent if path.name == START else path.parents[1]
        if not (folder / FILE).is_file():
            return ""
        title = load(folder).content.title
    except (ExerciseError, IndexError):
        return ""
    return (
        f'{path.name} belongs to the exercise "{title}". Its variables get values of your own when you start it: '
        "choose File > Exercises…, or run `miniedit-frr exercise start`."
    )
