"""Submissions for the workers of a Dask cluster, on this machine or others: all files go there as bytes.

A worker of Dask is a daemon of its nanny, which must not have processes of `multiprocessing`. A program of its own,
`python -m frrlib.exercises.parcels`, grades in its place. It reads a parcel and writes the grade. Both are pickled,
since worker and program trust each other.
"""

from __future__ import annotations

import os
import pickle
import select
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import frrlib
from frrlib.errors import LabFailed, PlaceError
from frrlib.exercises.exercise import Exercise, ExerciseFile
from frrlib.exercises.grading import Grade
from frrlib.exercises.separate_process import Cancellation, LabSettings, separate_grader
from frrlib.exercises.stored_grades import files_of
from frrlib.exercises.submissions import MOST_ZIP_BYTES
from frrlib.system.untrusted_files import open_file

_CODE = Path(frrlib.__file__).resolve().parent.parent
#: Time between two questions whether a grading is cancelled, in seconds.
_POLL_S = 0.5


@dataclass(frozen=True)
class Parcel:
    """A submission with everything that its grade depends on.

    Attributes:
        exercise: the name of the exercise.
        content: the content of its `exercise.toml`.
        files: its topologies by path in its folder.
        name: the name of the submission's file.
        data: the content of that file; one byte more than the limit if it is too large.
        settings: the settings of the labs.
    """

    exercise: str
    content: ExerciseFile
    files: tuple[tuple[str, bytes], ...]
    name: str
    data: bytes
    settings: LabSettings


def pack_parcel(exercise: Exercise, path: Path, settings: LabSettings) -> Parcel:
    """The parcel of a submission.

    Raises:
        OSError: the submission cannot be read.
        ExerciseError: a file of the exercise cannot be read.
    """
    with open_file(path, follow=False) as file:
        data = file.read(MOST_ZIP_BYTES + 1)
    return Parcel(exercise.name, exercise.content, tuple(files_of(exercise)), path.name, data, settings)


def grade_parcel(parcel: Parcel, cancelled: Cancellation) -> Grade:
    """The grade of a parcel, by a program of its own, which ends if `cancelled` is set.

    Raises:
        LabFailed: the program ended without a grade.
        PlaceError: this machine lacks something that labs need.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(_CODE), os.environ.get("PYTHONPATH", "")])}
    argv = [sys.executable, "-m", "frrlib.exercises.parcels"]
    with (
        tempfile.TemporaryFile() as reply,
        subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=reply, env=environment, start_new_session=True) as process,
    ):
        assert process.stdin is not None
        process.stdin.write(pickle.dumps(parcel))
        process.stdin.flush()
        while process.poll() is None and not cancelled.is_set():
            try:
                process.wait(_POLL_S)
            except subprocess.TimeoutExpired:
                continue
        process.stdin.close()  # ends the program if it runs still
        process.wait()
        reply.seek(0)
        data = reply.read()
    if not data:
        raise LabFailed("the program that graded it ended")
    grade = pickle.loads(data)
    if isinstance(grade, PlaceError):
        raise grade
    assert isinstance(grade, Grade)
    return grade


class _InputEnd:
    """Set when the standard input has ended, because the worker no longer wants the grade."""

    def is_set(self) -> bool:
        """Whether it has ended."""
        poll = select.poll()
        poll.register(sys.stdin.fileno(), select.POLLHUP)
        return bool(poll.poll(0))


def main() -> None:
    """Grade the parcel from the standard input, and write the grade to the standard output."""
    parcel: Parcel = pickle.Unpickler(sys.stdin.buffer).load()
    with tempfile.TemporaryDirectory(prefix="miniedit-frr-grading-") as temporary:
        folder, path = Path(temporary, "exercise", parcel.exercise), Path(temporary, "submissions", parcel.name)
        for name, content in parcel.files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        path.parent.mkdir()
        path.write_bytes(parcel.data)
        result: Grade | PlaceError
        try:
            result = separate_grader(Exercise(folder, parcel.content), parcel.settings, cancelled=_InputEnd())(path)
        except PlaceError as error:
            result = error
    sys.stdout.buffer.write(pickle.dumps(result))
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
