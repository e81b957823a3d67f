"""Grades submissions at the same time, as tasks of a Dask cluster: one in this process, or that of a scheduler."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from distributed import as_completed, get_worker

from frrlib.errors import PlaceError
from frrlib.exercises.evaluation import lab_starter
from frrlib.exercises.exercise import Exercise
from frrlib.exercises.grading import Grade, grade_file
from frrlib.exercises.parcels import Parcel, grade_parcel, pack_parcel
from frrlib.exercises.separate_process import LabSettings, separate_grader
from frrlib.safe_text.plain import one_line
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


def _grade_elsewhere(parcel: Parcel) -> Grade:
    """The grade of a parcel, as a task on a worker that may be on another machine."""
    return grade_parcel(parcel, _TaskEnd())


def _grade_on_cluster(
    exercise: Exercise, files: Sequence[Path], settings: LabSettings, scheduler: str
) -> Iterator[tuple[Path, Grade]]:
    """As `grade_all`, on the workers of a running scheduler."""
    paths = {}
    with connected(scheduler, 1) as client:
        try:
            for number, path in enumerate(files):
                try:
                    parcel = pack_parcel(exercise, path, settings)
                except OSError:
                    yield path, grade_file(exercise, path, lab_starter())  # it names the reason
                    continue
                paths[client.submit(_grade_elsewhere, parcel, pure=False, priority=-number)] = path
            for future in as_completed(paths, loop=client.loop):  # type: ignore[no-untyped-call]
                yield paths[future], _grade_of(future, exercise, paths[future])
        finally:
            _cancel(client, list(paths))


def grade_all(
    exercise: Exercise,
    files: Sequence[Path],
    settings: LabSettings,
    jobs: int,
    task: Callable[[Exercise, Path, LabSettings], Grade] = _grade,
    *,
    scheduler: str = "",
) -> Iterator[tuple[Path, Grade]]:
    """Grade files, `jobs` at the same time. Closing the iterator ends all that run.

    Yields each file with its grade as soon as it is graded, so that a slow one does not hold up finished grades.

    Args:
        exercise: the exercise.
        files: the submissions.
        settings: the settings of the labs. The kernel is a path on the machine that runs the lab.
        jobs: the number of submissions at the same time on this machine.
        task: the function that grades one of them on this machine.
        scheduler: the address of a Dask scheduler, whose workers grade instead; empty for this machine.

    Raises:
        PlaceError: the machine lacks something that labs need, or no scheduler replies.
    """
    if scheduler:
        yield from _grade_on_cluster(exercise, files, settings, scheduler)
        return
    with connected("", jobs) as client:
        paths = {
            client.submit(task, exercise, path, settings, pure=False, priority=-number): path
            for number, path in enumerate(files)
        }
        try:
            for future in as_completed(paths, loop=client.loop):  # type: ignore[no-untyped-call]
                yield paths[future], _grade_of(future, exercise, paths[future])
        finally:
            _cancel(client, list(paths))


def _grade_of(future: Any, exercise: Exercise, path: Path) -> Grade:
    """The grade of a task that has ended. A task that failed costs only its submission.

    Raises:
        PlaceError: the machine lacks something that labs need.
    """
    try:
        grade: Grade = future.result()
    except PlaceError:
        raise
    except Exception as error:  # such as KilledWorker, if a worker ends again and again while it grades this file
        reason = f"not graded: {type(error).__name__}: {one_line(str(error), 300)}"
        return Grade(one_line(path.name, 200), exercise.points, error=reason)
    return grade


def _cancel(client: Any, futures: Sequence[Any]) -> None:
    unfinished = [future for future in futures if not future.done()]
    if unfinished:
        client.cancel(unfinished, force=True)
