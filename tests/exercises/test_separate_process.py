"""A submission that takes too long, or ends its process, costs only itself."""

from __future__ import annotations

import multiprocessing
import os
import signal
from contextlib import suppress
from pathlib import Path
from threading import Event

import pytest

from frrlib.errors import LabFailed, PlaceError
from frrlib.exercises import separate_process
from frrlib.exercises.exercise import Exercise
from frrlib.exercises.grading import Grade
from frrlib.exercises.parcels import Parcel, grade_parcel, pack_parcel
from frrlib.exercises.separate_process import LabSettings, longest_grading_s, separate_grader
from tests.exercises.samples import two_as


def _hangs(exercise: Exercise, path: Path, settings: LabSettings, connection: object) -> None:
    signal.pause()


def _ends(exercise: Exercise, path: Path, settings: LabSettings, connection: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _lacks(exercise: Exercise, path: Path, settings: LabSettings, connection: object) -> None:
    connection.send(PlaceError("FRR is missing", "apt install frr"))  # type: ignore[attr-defined]


def test_a_broken_file_is_graded_in_another_process(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_text("junk")
    grade = separate_grader(two_as(), LabSettings())(tmp_path / "a.zip")
    assert (grade.file, grade.points, grade.points_possible) == ("a.zip", 0, 16)
    assert "no readable zip file" in grade.error


@pytest.mark.parametrize(
    ("begin", "limit_s", "reason"), [(_hangs, 1.0, "took longer than 1 s"), (_ends, None, "ended")]
)
def test_a_process_without_a_result_is_reported(
    begin: object, limit_s: float | None, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(separate_process, "_grade", begin)
    grade: Grade = separate_grader(two_as(), LabSettings(), limit_s)(Path("a.zip"))
    assert (grade.file, grade.points) == ("a.zip", 0)
    assert reason in grade.error


def test_cancelling_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(separate_process, "_grade", _hangs)
    cancelled = Event()
    cancelled.set()
    assert separate_grader(two_as(), LabSettings(), cancelled=cancelled)(Path("a.zip")).error == "cancelled"
    assert multiprocessing.active_children() == []


def test_a_machine_without_labs_is_an_error_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(separate_process, "_grade", _lacks)
    with pytest.raises(PlaceError, match="FRR is missing"):
        separate_grader(two_as(), LabSettings())(Path("a.zip"))


def test_the_limit_exceeds_all_limits_of_checks() -> None:
    assert longest_grading_s(two_as()) > 8 * 20 + 2 * 20


@pytest.fixture
def parcel(tmp_path: Path) -> Parcel:
    """A broken submission whose name is no UTF-8."""
    path = tmp_path / os.fsdecode(b"a\xff.zip")
    path.write_text("junk")
    return pack_parcel(two_as(), path, LabSettings())


def test_a_parcel_is_graded_by_a_program_of_its_own(parcel: Parcel) -> None:
    """It has all files of the exercise, since its time limit depends on the exercise's start."""
    grade = grade_parcel(parcel, Event())
    assert (grade.file, grade.points, grade.points_possible) == ("a\ufffd.zip", 0, 16)
    assert "no readable zip file" in grade.error


def test_cancelling_ends_the_program_of_a_parcel(parcel: Parcel) -> None:
    cancelled = Event()
    cancelled.set()
    with suppress(LabFailed):  # the program may not even have begun
        assert grade_parcel(parcel, cancelled).error in ("cancelled", "is no readable zip file: File is not a zip file")


def test_a_pipe_is_no_parcel(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.zip")
    with pytest.raises(OSError, match="not an ordinary file"):
        pack_parcel(two_as(), tmp_path / "a.zip", LabSettings())
