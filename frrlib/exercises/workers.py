"""Grades submissions at the same time, as tasks of a Dask cluster in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from distributed import as_completed, get_worker

from frrlib.exercises.exercise import Exercise
from frrlib.exercises.grading import Grade
from frrlib.exercises.separate_process import LabSettings, separate_grader
from frrlib.sweep.clusters import connected


class _TaskEnd:
    """Set when the task's client no longer wants its result."""

    def __init__(self) -> None:
        self._worker = get_worker()
        self._key = self._worker.get_current_task()

    def is_set(self) -> bool:
        """Whether the task was cancelled."""
        task = self._worker.state.tasks.get(self._key)
        return task is None or task.state in ("cancelled", "released")


def _grade(exercise: Exercise, path: Path, settings: LabSettings) -> Grade:
    """The grade of a file, in a process of its own, as a task."""
    return separate_grader(exercise, settings, cancelled=_TaskEnd())(path)


def grade_all(
    exercise: Exercise,
    files: Sequence[Path],
    settings: LabSettings,
    jobs: int,
    task: Callable[[Exercise, Path, LabSettings], Grade] = _grade,
) -> Iterator[tuple[Path, Grade]]:
    """Grade files, `jobs` at the same time. Closing the iterator ends all that run.

    Yields each file with its grade as soon as it is graded, so that a slow one does not hold up finished grades.

    Raises:
        PlaceError: this machine lacks something that labs need.
    """
    with connected("", jobs) as client:
        paths = {
            client.submit(task, exercise, path, settings, pure=False, priority=-number): path
            for number, path in enumerate(files)
        }
        try:
            for future in as_completed(paths, loop=client.loop):  # type: ignore[no-untyped-call]
                yield paths[future], future.result()
        finally:
            _cancel(client, list(paths))


def _cancel(client: Any, futures: Sequence[Any]) -> None:
    unfinished = [future for future in futures if not future.done()]
    if unfinished:
        client.cancel(unfinished, force=True)
