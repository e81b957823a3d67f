"""Faults of an exercise: some are drawn for each student, and the network at the start of the exercise has them.

A fault gives other values to variables. These hold in `start.mn` and in the reference states of chapters that keep the
faults; every other file has the right values. So a student's files contain the consequences of a fault, never its name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Annotated

from pydantic import Field

from frrlib.exercises.check_base import Identifier
from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.variables import Drawn, VariableName, Variables, numbers_of
from frrlib.model.base import Value

NewValue = int | float | Annotated[str, Field(max_length=1000)]


class Fault(Value):
    """A fault that the network may have at the start.

    Attributes:
        id: unique among the faults; students never see it.
        group: at most one fault of a group is chosen, so that none hides another; empty for no group.
        start: new values of variables in the faulty network. A value may contain variables.
        texts: new values of variables in pages, hints and checks, such as the right answer to a question.
        loses: ids of the checks that fail if only this fault is left.
    """

    id: Identifier
    group: Identifier | Annotated[str, Field(max_length=0)] = ""
    start: Annotated[dict[VariableName, NewValue], Field(min_length=1)]
    texts: dict[VariableName, NewValue] = Field(default_factory=dict)
    loses: Annotated[tuple[Identifier, ...], Field(min_length=1)]


def chosen_faults(faults: Sequence[Fault], count: int, seed: int, student: str) -> tuple[Fault, ...]:
    """The faults of a student, in the order of the exercise.

    Args:
        faults: all faults of the exercise.
        count: how many to choose.
        seed: the exercise's seed.
        student: the student's id, as for `variables.draw`.

    Raises:
        ExerciseError: the faults have too few groups.
    """
    choices = _choices(faults, count)
    if not choices:
        raise ExerciseError("choose_faults", _too_few(count))
    number = next(numbers_of(seed, student, "faults"))
    return choices[number % len(choices)]


def with_new_values(variables: Variables, new_values: Iterable[Mapping[str, NewValue]]) -> Variables:
    """The variables with other values, which may contain the variables as they were. Raises ExerciseError."""
    changed: dict[str, Drawn] = {}
    for values in new_values:
        changed |= {name: variables.json_value(value, f"faults, {name}") for name, value in values.items()}
    return Variables({**variables.values, **changed})


def fault_problems(
    faults: Sequence[Fault], count: int, variables: Collection[str], chapter_of: Mapping[str, str]
) -> Iterator[str]:
    """Parts of the faults that do not fit together or to the exercise.

    Args:
        faults: all faults.
        count: how many are chosen for a student.
        variables: the names of the exercise's variables.
        chapter_of: the chapter of each check that a fault may lose, by the check's id.
    """
    if count > 0 and not _choices(faults, count):
        yield f"choose_faults: {_too_few(count)}"
    if faults and count == 0:
        yield "choose_faults: there are faults, and none is chosen; set how many of them each student gets"
    names = [fault.id for fault in faults]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"faults: {names.count(name)} faults have the id {name}"
    for fault in faults:
        for field, values in (("start", fault.start), ("texts", fault.texts)):
            for name in values:
                if name not in variables:
                    yield f"fault {fault.id}, {field}: {name} is no variable"
        for check_id in fault.loses:
            if check_id not in chapter_of:
                yield f"fault {fault.id}, loses: {check_id} is no check of a chapter without the faults"
        if len({chapter_of.get(check_id) for check_id in fault.loses}) > 1:
            yield f"fault {fault.id}, loses: the checks are in several chapters"
    for first, second in combinations(faults, 2) if count > 1 else ():
        for field in ("start", "texts"):
            common = sorted(getattr(first, field).keys() & getattr(second, field).keys())
            if common and not (first.group and first.group == second.group):
                clause = f"both set {common[0]}, so one hides the other"
                yield f"faults {first.id} and {second.id}, {field}: {clause}; give them one group"


def _too_few(count: int) -> str:
    return f"no {count} faults can be chosen, at most one of each group"


def _choices(faults: Sequence[Fault], count: int) -> list[tuple[Fault, ...]]:
    """All choices of that many faults with at most one of each group."""
    choices = []
    for choice in combinations(faults, count):
        groups = [fault.group for fault in choice if fault.group]
        if len(groups) == len(set(groups)):
            choices.append(choice)
    return choices
