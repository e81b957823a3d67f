"""A student's work on an exercise: a folder with the topology, the answers, and what was done so far.

first-network/
  work.json             student, answers, chapters, hints and a log
  topology.mn           the topology, with everything typed on its routers
  chapters/             the topology at the end of each chapter
  configurations/       the configurations of the routers as typed, for the teacher
  kept/                 the student's own topology before a chapter was restored
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, model_validator

from frrlib import __version__
from frrlib.conf.running import RunningConfig
from frrlib.configs.adoption import take_over
from frrlib.configs.history import write_configs
from frrlib.errors import LabError
from frrlib.exercises.checks import Identifier
from frrlib.exercises.errors import ExerciseError, invalid_values_of
from frrlib.exercises.evaluation import Outcome
from frrlib.exercises.exercise import Chapter, Exercise, StudentExercise, load
from frrlib.formats import mn
from frrlib.formats.files import replace_file
from frrlib.model.base import Value
from frrlib.model.topology import Topology
from frrlib.safe_text.plain import one_line
from frrlib.system.untrusted_files import read_bytes

STATE, TOPOLOGY, CHAPTERS, CONFIGURATIONS, KEPT = "work.json", "topology.mn", "chapters", "configurations", "kept"
#: Maximum size of the state, and number of lines of its log.
MOST_STATE_BYTES, _MOST_LOG = 2_000_000, 2000
_FORMAT = "%Y-%m-%d %H:%M:%S"

StudentId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$")]
PersonName = Annotated[str, Field(max_length=100, pattern=r"^[^\x00-\x1f\x7f]*$")]
AnswerText = Annotated[str, Field(max_length=200)]
LogText = Annotated[str, Field(max_length=500)]


class ChapterState(Value):
    """The progress in a chapter.

    Attributes:
        passed: whether all its checks have held once, so that the next chapter is open.
        restored: whether the reference state was put in place; the chapter has no points then.
        hints: number of hints taken.
        held: ids of the checks that held when they were made last.
    """

    passed: bool = False
    restored: bool = False
    hints: Annotated[int, Field(ge=0, le=20)] = 0
    held: Annotated[tuple[Identifier, ...], Field(max_length=100)] = ()

    @property
    def is_over(self) -> bool:
        """Whether the student is beyond it."""
        return self.passed or self.restored


class LogLine(Value):
    """One action: the local time, the chapter, and the action in words."""

    time: Annotated[str, Field(max_length=40)]
    chapter: Annotated[str, Field(max_length=40)] = ""
    text: LogText


class WorkState(Value):
    """The content of `work.json`.

    Attributes:
        format: version of this format.
        exercise: name of the exercise.
        exercise_folder: the exercise's folder on the student's machine; empty in a submission.
        student: the student's id, from which the variables are drawn.
        name: the student's name.
        version: version of this program.
        answers: typed answer by id of its check.
        chapters: progress by id of the chapter.
        log: the actions so far.
    """

    format: Annotated[int, Field(ge=1, le=1)] = 1
    exercise: Annotated[str, Field(min_length=1, max_length=100)]
    exercise_folder: Annotated[str, Field(max_length=4095)] = ""
    student: StudentId
    name: PersonName = ""
    version: Annotated[str, Field(max_length=40)] = ""
    answers: dict[Identifier, AnswerText] = Field(default_factory=dict, max_length=1000)
    chapters: dict[Identifier, ChapterState] = Field(default_factory=dict, max_length=50)
    log: Annotated[tuple[LogLine, ...], Field(max_length=_MOST_LOG)] = ()

    @model_validator(mode="before")
    @classmethod
    def _without_digest(cls, data: object) -> object:
        """Earlier versions kept the digest of the topology."""
        return {key: value for key, value in data.items() if key != "adopted"} if isinstance(data, dict) else data

    def chapter(self, chapter_id: str) -> ChapterState:
        """The progress in a chapter."""
        return self.chapters.get(chapter_id, ChapterState())

    def current(self, chapters: Sequence[Chapter]) -> Chapter | None:
        """The first chapter that is not over; None if all are."""
        return next((chapter for chapter in chapters if not self.chapter(chapter.id).is_over), None)

    def with_chapter(self, chapter_id: str, **fields: Any) -> WorkState:
        """The state with some fields of a chapter's progress changed."""
        changed = ChapterState.model_validate({**self.chapter(chapter_id).model_dump(), **fields})
        return self.model_copy(update={"chapters": {**self.chapters, chapter_id: changed}})

    def logged(self, text: str, chapter: str = "") -> WorkState:
        """The state with one more line in the log; the oldest lines are dropped if there are too many."""
        line = LogLine(time=time.strftime(_FORMAT), chapter=chapter, text=one_line(text, 500))
        return self.model_copy(update={"log": (*self.log, line)[-_MOST_LOG:]})


def read_state(data: bytes, where: str) -> WorkState:
    """The state from the content of its file. Raises ExerciseError."""
    try:
        value = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ExerciseError(where, f"is not readable: {str(error)[:200]}") from None
    with invalid_values_of(where):
        return WorkState.model_validate(value)


@dataclass(frozen=True)
class Work:
    """A student's folder. Every change is written at once, each file in one piece.

    Attributes:
        folder: the folder.
        exercise: the exercise with the student's values.
        state: the state as it is on the disk.
    """

    folder: Path
    exercise: StudentExercise
    state: WorkState

    @property
    def chapters(self) -> tuple[Chapter, ...]:
        """The chapters of the exercise."""
        return self.exercise.exercise.content.chapters

    @property
    def current(self) -> Chapter | None:
        """The chapter that the student works on; None if all are over."""
        return self.state.current(self.chapters)

    @property
    def topology_file(self) -> Path:
        """The file of the topology."""
        return self.folder / TOPOLOGY

    def topology(self) -> Topology:
        """The student's topology now. Raises TopologyError."""
        return mn.load(self.topology_file).topology

    def saved(self, state: WorkState) -> Work:
        """The work with another state, which is written."""
        _write(self.folder / STATE, state.model_dump_json(indent=1) + "\n")
        return replace(self, state=state)

    def save_topology(self, topology: Topology, chapter: Chapter | None = None) -> None:
        """Write the topology, or the one at the end of a chapter."""
        folder = self.folder / CHAPTERS
        if chapter is not None:
            folder.mkdir(exist_ok=True)
        mn.save(topology, folder / f"{chapter.id}.mn" if chapter else self.topology_file)

    def adopt_typed(self, configs: Mapping[str, RunningConfig], built: Topology) -> Work:
        """Copy the lines typed on running routers into the topology, and keep the configurations as typed.

        Args:
            configs: the configurations of the running routers.
            built: the topology that the lab was built from.

        Returns:
            The work, whose topology has these lines.
        """
        before = self.topology()
        typed = {name: config.typed() for name, config in configs.items() if config.typed()}
        topology = take_over(before, typed, built)
        write_configs(self.folder / CONFIGURATIONS, configs)
        if topology == before:
            return self
        self.save_topology(topology)
        return self.saved(self.state.logged(f"lines typed on {', '.join(typed)} were copied into {TOPOLOGY}"))

    def after_checks(
        self, chapter: Chapter, outcomes: Sequence[Outcome], topology: Topology, *, is_all: bool = True
    ) -> Work:
        """Record the results of a chapter's checks. The chapter is passed if all hold; its topology is kept then.

        Args:
            is_all: whether these are all checks of the chapter. Some of them do not pass it.
        """
        held = [outcome.check.id for outcome in outcomes if outcome.holds]
        failed = [outcome.check.id for outcome in outcomes if not outcome.holds]
        kept = [] if is_all else [name for name in self.state.chapter(chapter.id).held if name not in (*held, *failed)]
        state = self.state.logged(
            f"checked: {', '.join(held) or 'nothing'} holds; {', '.join(failed) or 'nothing'} does not", chapter.id
        ).with_chapter(chapter.id, held=(*kept, *held))
        if is_all and not failed:
            self.save_topology(topology, chapter)
            state = state.with_chapter(chapter.id, passed=True)
        return self.saved(state)

    def answered(self, answers: Mapping[str, str]) -> Work:
        """Record typed answers. Raises ExerciseError if there is no such question."""
        known = {check.id for chapter in self.chapters for check in chapter.checks if check.kind == "answer"}
        for check_id in answers:
            if check_id not in known:
                raise ExerciseError(check_id, "is no question", f"the questions are: {', '.join(known) or 'none'}")
        state = self.state.model_dump()
        state["answers"] = {**state["answers"], **answers}
        with invalid_values_of("answer"):
            checked = WorkState.model_validate(state)
        for check_id, answer in answers.items():
            checked = checked.logged(f"answer to {check_id}: {answer}")
        return self.saved(checked) if answers else self

    def next_hint(self) -> tuple[Work, str]:
        """Take the next hint of the current chapter. Returns the work and the hint's text.

        Raises:
            ExerciseError: no hint is left.
        """
        chapter = self.current
        count = self.state.chapter(chapter.id).hints if chapter else 0
        if chapter is None or count >= len(chapter.hints):
            raise ExerciseError("", "no hint is left in this chapter")
        state = self.state.with_chapter(chapter.id, hints=count + 1)
        price = chapter.hints[count].price
        text = self.exercise.hint(chapter, count)
        return self.saved(state.logged(f"hint {count + 1}, price {price}", chapter.id)), text

    def restore(self) -> tuple[Work, Chapter, Path]:
        """Put the reference state of the current chapter in place, without its points.

        Returns:
            The work, the restored chapter, and the file with the student's own topology.

        Raises:
            ExerciseError: all chapters are over, or this copy of the exercise has no solution.
        """
        chapter = self.current
        if chapter is None:
            raise ExerciseError("", "all chapters are over")
        if not self.exercise.exercise.has_solution:
            raise ExerciseError("", "this copy of the exercise has no reference states", "ask your teacher for them")
        reference = self.exercise.reference(chapter)
        own_topology = self._keep(chapter)
        self.save_topology(reference)
        self.save_topology(reference, chapter)
        state = self.state.with_chapter(chapter.id, restored=True).logged("restored", chapter.id)
        return self.saved(state), chapter, own_topology

    def _keep(self, chapter: Chapter) -> Path:
        """Copy the student's topology, readable or not, to an unused name."""
        folder = self.folder / KEPT
        folder.mkdir(exist_ok=True)
        names = (f"{chapter.id}{f'-{number}' if number > 1 else ''}.mn" for number in range(1, 1000))
        path = next(folder / name for name in names if not (folder / name).exists())
        replace_file(path, self.topology_file.read_bytes())
        return path


def begin(exercise: Exercise, folder: Path, student: str, name: str) -> Work:
    """Make a student's folder, with the topology of the start.

    Raises:
        ExerciseError: the folder is not empty, or the id is invalid.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ExerciseError(str(folder), "exists already", "continue there, or choose another folder")
    with invalid_values_of("student"):
        state = WorkState(
            exercise=exercise.name,
            exercise_folder=str(exercise.folder),
            student=student.strip(),
            name=name.strip(),
            version=__version__,
        )
    work = Work(folder, exercise.of_student(student), state)
    start = work.exercise.start()
    folder.mkdir(parents=True, exist_ok=True)
    work.save_topology(start)
    return work.saved(state.logged("started"))


def read_work(folder: Path, exercise_of: Mapping[str, Exercise] | None = None) -> Work:
    """The work in a folder.

    Args:
        folder: the student's folder.
        exercise_of: known exercises by name, for a work whose exercise is no longer in its folder.

    Raises:
        ExerciseError: it is no such folder, or its exercise is missing.
    """
    path = folder / STATE
    try:
        state = read_state(read_bytes(path, MOST_STATE_BYTES), str(path))
    except OSError:
        remedy = "`miniedit-frr exercise start` makes one"
        raise ExerciseError(str(folder), "is no folder of a work on an exercise", remedy) from None
    try:
        exercise = load(Path(state.exercise_folder))
    except LabError:
        known = (exercise_of or {}).get(state.exercise)
        if known is None:
            raise
        exercise = known
    return Work(folder, exercise.of_student(state.student), state)


def _write(path: Path, text: str) -> None:
    replace_file(path, text.encode("utf-8"))
