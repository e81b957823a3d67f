"""An exercise: its settings in `exercise.toml`, the values of one student, and its files.

    first-network/
      exercise.toml         title, variables, chapters, checks, hints
      start.mn              the topology at the start
      addresses.md          a page for each chapter
      solution/
        addresses.mn        the reference state at the end of each chapter

All texts and topologies may contain variables (`frrlib.exercises.variables`).
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from frrlib.errors import TopologyError
from frrlib.exercises.check_base import Identifier, Stage
from frrlib.exercises.checks import Check, with_values
from frrlib.exercises.errors import ExerciseError, invalid_values_of
from frrlib.exercises.faults import Fault, chosen_faults, fault_problems, with_new_values
from frrlib.exercises.merge_patch import patched
from frrlib.exercises.packed import SUFFIX, unpacked
from frrlib.exercises.permitted import Changeable, permitted
from frrlib.exercises.unused_parts import unused_parts
from frrlib.exercises.variables import Variable, VariableName, Variables, draw
from frrlib.formats import mn
from frrlib.model.base import NO_PATH, NodeName, Value
from frrlib.model.nodes import Router
from frrlib.model.sealed import seal
from frrlib.model.topology import Topology
from frrlib.system.untrusted_files import read_bytes

FILE, START, SOLUTION, WRONG = "exercise.toml", "start.mn", "solution", "wrong"
#: The end of the name of a wrong answer's file that is a difference.
PATCH_SUFFIX = ".json"
#: Maximum size of a file of an exercise.
_MOST_BYTES = 4_000_000

FileName = Annotated[str, Field(pattern=NO_PATH, max_length=100)]
Line = Annotated[str, Field(max_length=500)]


class Hint(Value):
    """A hint that costs points.

    Attributes:
        text: the hint.
        price: points that it costs.
    """

    text: Annotated[str, Field(min_length=1, max_length=4000)]
    price: Annotated[int, Field(ge=0, le=1000)] = 1


class Chapter(Value):
    """A part of an exercise with its own checks.

    Attributes:
        id: unique in the exercise; `solution/ID.mn` is the reference state at its end.
        title: a few words.
        text: file of its page, in Markdown.
        checks: the checks in the order of the tasks.
        hints: the hints in the order in which they are given.
        keeps_faults: whether its reference state still has the student's faults.
    """

    id: Identifier
    title: Annotated[str, Field(min_length=1, max_length=100)]
    text: FileName
    checks: Annotated[tuple[Check, ...], Field(min_length=1, max_length=100)]
    hints: Annotated[tuple[Hint, ...], Field(max_length=20)] = ()
    keeps_faults: bool = False

    @property
    def points(self) -> int:
        """The points of all its checks."""
        return sum(check.points for check in self.checks)

    @property
    def needs_lab(self) -> bool:
        """Whether a lab must run for one of its checks."""
        return any(check.needs_lab for check in self.checks)

    @property
    def has_experiments(self) -> bool:
        """Whether one of its checks measures flows or makes faults."""
        return any(check.stage >= Stage.FLOWS for check in self.checks)


class WrongAnswer(Value):
    """A topology with a known mistake, or wrong typed answers, by which `exercise test` tests the checks.

    Attributes:
        file: file in the folder `wrong`: a topology (`.mn`), or its difference from the reference state of the chapter
            (`.json`, see `frrlib.exercises.merge_patch`). Empty for typed answers only, which need no lab.
        answers: typed answer by id of its check, which must fail; it may contain variables.
        chapter: the chapter that it belongs to.
        loses: ids of the checks that must fail besides those of `answers`. With a file, all others of the chapter must
            hold.
    """

    file: FileName | Literal[""] = ""
    answers: dict[Identifier, Annotated[str, Field(min_length=1, max_length=200)]] = Field(default_factory=dict)
    chapter: Identifier
    loses: tuple[Identifier, ...] = ()

    @model_validator(mode="after")
    def _something_is_wrong(self) -> Self:
        if self.file and not self.loses:
            raise ValueError(f"the wrong answer {self.file} has no checks in loses")
        if not self.file and (self.loses or not self.answers):
            raise ValueError("a wrong answer has a file with the checks that it loses, or answers")
        return self

    @property
    def name(self) -> str:
        """Its file, or the tasks of its answers."""
        return self.file or f"answer {', '.join(self.answers)}"

    @property
    def failing(self) -> frozenset[str]:
        """The ids of all checks that must fail."""
        return frozenset((*self.loses, *self.answers))


class ExerciseFile(Value):
    """The content of `exercise.toml`.

    Attributes:
        version: version of the format.
        title: a few words.
        aims: the abilities that students have afterwards, a sentence each.
        minutes: the time that it takes.
        position: its place in lists of exercises, the lowest number first. Equal numbers are sorted by name.
        seed: a number of the exercise's own, from which the variables are drawn; another one gives everybody new
            values.
        variables: variables by name.
        locked: nodes whose settings and addresses students must not change.
        sealed: routers that are locked, and whose settings students do not see, either.
        changeable: parts besides routing and addresses that students may change: the queues of links (the discipline
            and its limit), and the congestion control and ECN of flows.
        faults: faults, of which each student's network has some at the start.
        choose_faults: the number of faults that are chosen for a student.
        without_problems: whether the window lists no problems of the drawing, because they would name the faults.
        chapters: the chapters in their order.
        wrong: wrong answers with their consequences.
    """

    version: Annotated[int, Field(ge=1, le=1)] = 1
    title: Annotated[str, Field(min_length=1, max_length=100)]
    aims: Annotated[tuple[Line, ...], Field(max_length=20)] = ()
    minutes: Annotated[int, Field(ge=1, le=1000)]
    position: Annotated[int, Field(ge=0, le=1_000_000)] = 1000
    seed: int = 1
    variables: dict[VariableName, Variable] = Field(default_factory=dict)
    locked: tuple[NodeName, ...] = ()
    sealed: tuple[NodeName, ...] = ()
    changeable: tuple[Changeable, ...] = ()
    faults: Annotated[tuple[Fault, ...], Field(max_length=20)] = ()
    choose_faults: Annotated[int, Field(ge=0, le=5)] = 0
    without_problems: bool = False
    chapters: Annotated[tuple[Chapter, ...], Field(min_length=1, max_length=50)]
    wrong: tuple[WrongAnswer, ...] = ()

    @property
    def all_locked(self) -> tuple[NodeName, ...]:
        """The locked nodes, sealed routers included."""
        return tuple(dict.fromkeys((*self.locked, *self.sealed)))


@dataclass(frozen=True)
class Exercise:
    """An exercise with its folder.

    Attributes:
        folder: its folder.
        content: the content of `exercise.toml`.
    """

    folder: Path
    content: ExerciseFile

    @property
    def name(self) -> str:
        """The name of its folder, by which works and submissions refer to it."""
        return self.folder.name

    @property
    def points(self) -> int:
        """The points of all chapters."""
        return sum(chapter.points for chapter in self.content.chapters)

    @property
    def has_experiments(self) -> bool:
        """Whether a check measures flows or makes faults, so that virtual time gives everybody the same conditions."""
        return any(chapter.has_experiments for chapter in self.content.chapters)

    @property
    def has_solution(self) -> bool:
        """Whether the reference states are in its folder."""
        return all((self.folder / SOLUTION / f"{chapter.id}.mn").is_file() for chapter in self.content.chapters)

    def chapter(self, chapter_id: str) -> Chapter:
        """The chapter of that id. Raises ExerciseError."""
        for chapter in self.content.chapters:
            if chapter.id == chapter_id:
                return chapter
        raise ExerciseError(str(self.folder / FILE), f"there is no chapter {chapter_id}")

    def of_student(self, student: str) -> StudentExercise:
        """The exercise with the values of a student. Raises ExerciseError."""
        content = self.content
        faults = chosen_faults(content.faults, content.choose_faults, content.seed, student)
        return StudentExercise(self, draw(content.variables, content.seed, student), faults)


@dataclass(frozen=True)
class StudentExercise:
    """An exercise with the values of one student. All methods raise ExerciseError if a file is wrong.

    Attributes:
        exercise: the exercise.
        drawn: the student's values before any fault.
        faults: the student's faults.
    """

    exercise: Exercise
    drawn: Variables
    faults: tuple[Fault, ...] = ()

    @cached_property
    def variables(self) -> Variables:
        """The student's values in pages, hints and checks."""
        return with_new_values(self.drawn, (fault.texts for fault in self.faults))

    def start(self) -> Topology:
        """The topology at the start."""
        return self._start

    @cached_property
    def _start(self) -> Topology:
        return self._topology(Path(START), self.faults)

    def reference(self, chapter: Chapter) -> Topology:
        """The reference state at the end of a chapter."""
        return self._topology(_reference_of(chapter), self.faults if chapter.keeps_faults else ())

    def with_fault_left(self, fault: Fault) -> tuple[Chapter, Topology]:
        """The first chapter whose checks notice a fault, and its reference state with this fault alone."""
        chapters = self.exercise.content.chapters
        noticing = next(chapter for chapter in chapters if fault.loses[0] in {check.id for check in chapter.checks})
        return noticing, self._topology(_reference_of(noticing), (fault,))

    def wrong(self, answer: WrongAnswer) -> Topology:
        """The topology of a wrong answer that has a file."""
        name = Path(WRONG) / answer.file
        if name.suffix != PATCH_SUFFIX:
            return self._topology(name)
        reference = self.reference(self.exercise.chapter(answer.chapter))
        path = self.exercise.folder / name
        return patched(reference, self._json(path, self.drawn), str(path))

    def permitted(self, topology: Topology) -> Topology:
        """The part of a student's topology that counts. Raises ExerciseError if nodes or links were changed."""
        content = self.exercise.content
        return permitted(self.start(), topology, content.all_locked, content.changeable)

    def unused_parts(self, topology: Topology) -> tuple[str, ...]:
        """The parts of a student's topology that do not count, one clause each."""
        content = self.exercise.content
        return unused_parts(self.start(), topology, content.all_locked, content.changeable)

    def typed(self, answer: WrongAnswer) -> dict[str, str]:
        """The typed answers of a wrong answer, by id of their checks."""
        where = f"{self.exercise.folder / FILE}, wrong answer"
        return {check_id: self.variables.text(text, where) for check_id, text in answer.answers.items()}

    def page(self, chapter: Chapter) -> str:
        """The text of a chapter, in Markdown."""
        path = self.exercise.folder / chapter.text
        return self.variables.text(_read(path), str(path))

    def hint(self, chapter: Chapter, number: int) -> str:
        """The text of a hint; `number` counts from 0."""
        return self.variables.text(chapter.hints[number].text, str(self.exercise.folder / FILE))

    def checks(self, chapter: Chapter, *, hidden: bool) -> tuple[Check, ...]:
        """The checks of a chapter.

        Args:
            hidden: whether to include the checks that only the teacher makes.
        """
        where = f"{self.exercise.folder / FILE}, check"
        drawn = []
        for check in chapter.checks:
            try:
                drawn.append(with_values(check, self.variables, f"{where} {check.id}"))
            except ValueError as error:
                raise ExerciseError(f"{where} {check.id}", str(error)) from None
        return tuple(check for check in drawn if hidden or not check.hidden)

    def _topology(self, name: Path, faults: Iterable[Fault] = ()) -> Topology:
        variables = with_new_values(self.drawn, (fault.start for fault in faults))
        path = self.exercise.folder / name
        try:
            loaded = mn.loads(json.dumps(self._json(path, variables)), path.name)
        except TopologyError as error:
            raise ExerciseError(str(path.parent), str(error)) from None
        for warning in loaded.warnings:
            raise ExerciseError(str(path), str(warning))
        return _with_seals(loaded.topology, self.exercise.content.sealed)

    def _json(self, path: Path, variables: Variables) -> Any:
        text = _read(path)
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ExerciseError(str(path), f"is no JSON: {error}") from None
        return variables.json_value(value, str(path))


def _with_seals(topology: Topology, names: Collection[str]) -> Topology:
    """The topology with these routers sealed."""
    nodes = tuple(seal(node) if isinstance(node, Router) and node.name in names else node for node in topology.nodes)
    return topology.model_copy(update={"nodes": nodes}) if names else topology


def load(folder: Path) -> Exercise:
    """Read an exercise.

    Args:
        folder: its folder, `exercise.toml` in it, or a packed exercise (`.mnx`).

    Raises:
        ExerciseError: a file is missing or wrong.
    """
    if folder.suffix == SUFFIX and not folder.is_dir():
        folder = unpacked(folder)
    folder = folder.parent if folder.name == FILE else folder
    path = folder / FILE
    try:
        value: dict[str, Any] = tomllib.loads(_read(path))
    except tomllib.TOMLDecodeError as error:
        raise ExerciseError(str(path), str(error)) from None
    with invalid_values_of(str(path)):
        content = ExerciseFile.model_validate(value)
    for problem in _problems(content):
        raise ExerciseError(str(path), problem)
    exercise = Exercise(folder.resolve(), content)
    for name in (START, *(chapter.text for chapter in content.chapters)):
        if not (folder / name).is_file():
            raise ExerciseError(str(folder), f"{name} is missing")
    return exercise


def exercises_below(folder: Path) -> list[Exercise]:
    """The readable exercises in a folder, each a folder or a packed one, by their positions and names."""
    exercises = []
    for path in sorted((*folder.glob(f"*/{FILE}"), *folder.glob(f"*{SUFFIX}"))):
        try:
            exercises.append(load(path))
        except ExerciseError:
            continue  # `exercise test` and `exercise start` describe the problem
    return sorted(exercises, key=lambda exercise: (exercise.content.position, exercise.name))


def _problems(content: ExerciseFile) -> Iterable[str]:
    """Parts that do not fit together."""
    checks = [check for chapter in content.chapters for check in chapter.checks]
    names = [("chapter", chapter.id) for chapter in content.chapters] + [("check", check.id) for check in checks]
    for (kind, name), count in Counter(names).items():
        if count > 1:
            yield f"{count} {kind}s have the id {name}"
    for chapter in content.chapters:
        earlier: set[str] = set()
        stages = {check.id: check.stage for check in chapter.checks}
        for check in chapter.checks:
            for need in check.needs:
                if need not in earlier:
                    yield f"check {check.id} needs {need}, which is no earlier check of its chapter"
                elif stages[need] > check.stage:
                    reason = "it states an absence" if stages[need] == Stage.ABSENT else "it acts on the network"
                    yield f"check {check.id} needs {need}, which is made after it because {reason}"
            earlier.add(check.id)
    later = {check.id: chapter.id for chapter in content.chapters if not chapter.keeps_faults
             for check in chapter.checks}  # fmt: skip
    yield from fault_problems(content.faults, content.choose_faults, content.variables, later)
    for answer in content.wrong:
        known = {check.id for chapter in content.chapters if chapter.id == answer.chapter for check in chapter.checks}
        for check_id in (*answer.loses, *answer.answers):
            if check_id not in known:
                yield f"wrong answer {answer.name}: chapter {answer.chapter} has no check {check_id}"
        questions = {check.id for chapter in content.chapters for check in chapter.checks if check.kind == "answer"}
        for check_id in answer.answers:
            if check_id in known - questions:
                yield f"wrong answer {answer.name}: check {check_id} is no question"


def _reference_of(chapter: Chapter) -> Path:
    return Path(SOLUTION) / f"{chapter.id}.mn"


def _read(path: Path) -> str:
    try:
        return read_bytes(path, _MOST_BYTES).decode("utf-8")
    except OSError as error:
        raise ExerciseError(str(path), f"cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ExerciseError(str(path), "is no text in UTF-8") from None
