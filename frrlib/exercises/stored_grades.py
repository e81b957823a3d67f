"""Grades that are kept from one `grade` to the next, so that an interrupted one goes on where it stopped."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from frrlib import __version__
from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.exercise import Exercise
from frrlib.exercises.grading import Grade
from frrlib.exercises.submissions import MOST_ZIP_BYTES
from frrlib.formats.files import replace_file
from frrlib.safe_text.plain import one_line
from frrlib.system.untrusted_files import read_bytes

_GRADE = TypeAdapter(Grade)
_MOST_BYTES = 20_000_000


class StoredGrades:
    """The grades in a folder. A grade is found again if submission, exercise, settings and version are the same.

    Args:
        folder: the folder, made when the first grade is kept.
        exercise: the exercise.
        settings: the settings that results may depend on, as text.
    """

    def __init__(self, folder: Path, exercise: Exercise, settings: str) -> None:
        self._folder = folder
        digest = hashlib.sha256(f"{__version__}\n{exercise.name}\n{settings}\n".encode())
        for name, data in files_of(exercise):
            digest.update(f"{name} {len(data)}\n".encode() + data)
        self._exercise_digest = digest.digest()

    def find(self, submission: Path) -> Grade | None:
        """The kept grade of a submission; None if there is none."""
        try:
            grade = _GRADE.validate_json(read_bytes(self._path(submission), _MOST_BYTES))
        except (OSError, ValidationError):
            return None
        return replace(grade, file=one_line(submission.name, 200))

    def keep(self, submission: Path, grade: Grade) -> None:
        """Keep a grade. Errors are not kept: the cause may be the machine, and most of them are found quickly."""
        if grade.error:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        replace_file(self._path(submission), _GRADE.dump_json(grade, indent=1))

    def _path(self, submission: Path) -> Path:
        data = read_bytes(submission, MOST_ZIP_BYTES)
        return self._folder / f"{hashlib.sha256(self._exercise_digest + data).hexdigest()}.json"


def files_of(exercise: Exercise) -> Iterator[tuple[str, bytes]]:
    """The files that a grade depends on, by name. Raises ExerciseError."""
    for path in sorted(exercise.folder.rglob("*")):
        if path.suffix in (".toml", ".mn") and path.is_file():
            try:
                yield path.relative_to(exercise.folder).as_posix(), read_bytes(path, _MOST_BYTES)
            except OSError as error:
                raise ExerciseError(str(path), f"cannot be read: {error.strerror or error}") from None
