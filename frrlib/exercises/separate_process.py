"""Grades a submission in a process of its own with a time limit.

Reading and checking a stranger's file may take hours although it is small. The lab of an ended process ends by itself.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event
from typing import Protocol

from frrlib.errors import PlaceError
from frrlib.exercises.check_base import Stage
from frrlib.exercises.evaluation import SETTLE_S, lab_starter
from frrlib.exercises.exercise import Exercise
from frrlib.exercises.experiments import RECOVERY_S, longest_flows_s
from frrlib.exercises.grading import Grade, grade_file
from frrlib.safe_text.plain import one_line

#: Time that building and ending one lab may take, on a busy machine, with its addition for each node.
_LAB_S, _NODE_S = 120.0, 6.0
#: Time between two looks at the time limit.
_POLL_S = 0.5


class Cancellation(Protocol):
    """Ends gradings when it is set, as a `threading.Event` does."""

    def is_set(self) -> bool:
        """Whether they are to end."""


@dataclass(frozen=True)
class LabSettings:
    """The settings of the labs, as for `lab_starter`."""

    place: str = "auto"
    kernel: Path | None = None
    virtual_time: bool = False


def longest_grading_s(exercise: Exercise) -> float:
    """The longest time that an honest submission needs, doubled for a busy machine."""
    start = exercise.of_student("teacher").start()
    nodes = len(start.nodes)
    chapters = exercise.content.chapters
    checks = [check for chapter in chapters for check in chapter.checks]
    checks_s = sum(check.within_s + (RECOVERY_S if check.stage == Stage.FAULT else 0.0) for check in checks)
    flows_s = sum(chapter.has_experiments for chapter in chapters) * longest_flows_s(start)
    return 2 * (len(chapters) * (_LAB_S + _NODE_S * nodes + SETTLE_S) + checks_s + flows_s)


def separate_grader(
    exercise: Exercise, settings: LabSettings, limit_s: float | None = None, cancelled: Cancellation | None = None
) -> Callable[[Path], Grade]:
    """A function that grades a file as `grade_file`, in a process of its own.

    Args:
        exercise: the exercise.
        settings: the settings of the labs.
        limit_s: the time limit in seconds; None for `longest_grading_s`.
        cancelled: ends all processes when it is set; None for never.
    """
    longest_s = longest_grading_s(exercise) if limit_s is None else limit_s
    is_cancelled = cancelled or Event()
    context = multiprocessing.get_context("spawn")

    def grade(path: Path) -> Grade:
        own, other = context.Pipe(duplex=False)
        process = context.Process(target=_grade, args=(exercise, path, settings, other), daemon=True)
        # Ctrl-C also reaches the new process. Blocked until it has a handler, it prints no traceback of its imports.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        other.close()
        try:
            reply = _reply(own, longest_s, is_cancelled)
        finally:
            own.close()
            process.terminate()
            process.join()
        return Grade(one_line(path.name, 200), exercise.points, error=reply) if isinstance(reply, str) else reply

    return grade


def _reply(connection: Connection, longest_s: float, cancelled: Cancellation) -> Grade | str:
    """The grade that the process sends, or the reason why there is none. Raises PlaceError if it sends that."""
    end_s = time.monotonic() + longest_s
    while not connection.poll(_POLL_S):
        if cancelled.is_set():
            return "cancelled"
        if time.monotonic() >= end_s:
            return f"grading took longer than {longest_s:.0f} s"
    try:
        reply = connection.recv()
    except EOFError:
        return "the process that graded it ended"
    if isinstance(reply, PlaceError):
        raise reply
    assert isinstance(reply, Grade)
    return reply


def _grade(exercise: Exercise, path: Path, settings: LabSettings, connection: Connection) -> None:
    """Grade a file and send the result. The begin of the process."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, lambda number, frame: None)  # the caller ends this process
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    start_lab = lab_starter(settings.place, settings.kernel, virtual_time=settings.virtual_time)
    try:
        connection.send(grade_file(exercise, path, start_lab))
    except PlaceError as error:
        connection.send(error)
