"""The error of an exercise, a student's work or a submission."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import ValidationError

from frrlib.errors import LabError
from frrlib.model.base import first_fault


class ExerciseError(LabError):
    """A file of an exercise, of a student's work or of a submission is wrong.

    Args:
        where: the file, and the part of it; empty if there is no file.
        problem: the problem as a clause.
        remedy: the remedy as an instruction; empty if it is obvious.
    """

    def __init__(self, where: str, problem: str, remedy: str = "") -> None:
        self.where, self.problem, self.remedy = where, problem, remedy
        text = f"{where}: {problem}" if where else problem
        super().__init__(f"{text}; {remedy}" if remedy else text)


@contextmanager
def invalid_values_of(where: str) -> Iterator[None]:
    """Report invalid values within the block as an `ExerciseError` about this file."""
    try:
        yield
    except ValidationError as error:
        field, message = first_fault(error)
        raise ExerciseError(where, f"{field}: {message}" if field else message) from None
