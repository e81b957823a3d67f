"""Grades of a class: kept from one start to the next, graded on Dask, and written for gradebooks."""

from __future__ import annotations

import csv
from pathlib import Path
from threading import Event

import pytest

from frrlib.errors import PlaceError
from frrlib.exercises.exercise import Exercise, load
from frrlib.exercises.gradebooks import write_workbook
from frrlib.exercises.grading import Grade, grade_file, with_notes
from frrlib.exercises.pages import chapter_minutes, rows, write_grades
from frrlib.exercises.separate_process import LabSettings
from frrlib.exercises.skeleton import write_skeleton
from frrlib.exercises.stored_grades import StoredGrades
from frrlib.exercises.submissions import hand_in
from frrlib.exercises.work import Work
from frrlib.exercises.workers import grade_all
from tests.exercises.samples import begun, pretended_labs


@pytest.fixture
def exercise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Exercise:
    monkeypatch.setattr("frrlib.exercises.evaluation._INTERVAL_S", 0.0)
    write_skeleton(tmp_path / "mine")
    return load(tmp_path / "mine")


def handed_in(folder: Path, exercise: Exercise, student: str, values_of: str = "") -> Path:
    """A submission of a student, with the reference solution for the values of this student or of another one."""
    work: Work = begun(folder / student, exercise, student)
    own = exercise.of_student(values_of or student)
    work.save_topology(own.reference(exercise.content.chapters[0]))
    hand_in(work, folder / f"{student}.zip")
    return folder / f"{student}.zip"


def test_a_grade_is_found_again_until_anything_changes(tmp_path: Path, exercise: Exercise) -> None:
    path = handed_in(tmp_path, exercise, "1")
    grade = grade_file(exercise, path, pretended_labs({}))
    kept = StoredGrades(tmp_path / "kept", exercise, "real")
    assert kept.find(path) is None
    kept.keep(path, grade)
    assert kept.find(path) == grade
    renamed = path.rename(tmp_path / "other.zip")
    assert kept.find(renamed) is not None
    assert StoredGrades(tmp_path / "kept", exercise, "virtual").find(renamed) is None
    (exercise.folder / "exercise.toml").write_text((exercise.folder / "exercise.toml").read_text() + "\n")
    assert StoredGrades(tmp_path / "kept", exercise, "real").find(renamed) is None
    kept.keep(handed_in(tmp_path, exercise, "2"), Grade("2.zip", 4, error="took longer than 1 s"))
    assert len(list((tmp_path / "kept").iterdir())) == 1


_OTHERS_FINISHED = Event()


def _first_waits(exercise: Exercise, path: Path, settings: LabSettings) -> Grade:
    assert path.name != "a" or _OTHERS_FINISHED.wait(60)
    return Grade(path.name, exercise.points)


def _lacks(exercise: Exercise, path: Path, settings: LabSettings) -> Grade:
    raise PlaceError("FRR is missing")


def test_a_slow_submission_does_not_hold_up_finished_grades(exercise: Exercise) -> None:
    grades = grade_all(exercise, [Path(name) for name in "abc"], LabSettings(), 2, _first_waits)
    finished = []
    for path, grade in grades:
        finished.append((path.name, grade.file, grade.points_possible))
        if len(finished) == 2:
            _OTHERS_FINISHED.set()
    assert sorted(finished[:2]) == [(name, name, exercise.points) for name in "bc"]
    assert finished[2:] == [("a", "a", exercise.points)]


def _fails(exercise: Exercise, path: Path, settings: LabSettings) -> Grade:
    if path.name == "a":
        raise OSError("no process can be started")
    return Grade(path.name, exercise.points)


def test_a_task_that_fails_costs_only_its_submission(exercise: Exercise) -> None:
    grades = dict(grade_all(exercise, [Path("a"), Path("b")], LabSettings(), 2, _fails))
    assert {path.name: grade.error for path, grade in grades.items()} == {
        "a": "not graded: OSError: no process can be started", "b": "",
    }  # fmt: skip


def test_a_machine_without_labs_ends_all_gradings(exercise: Exercise) -> None:
    with pytest.raises(PlaceError, match="FRR is missing"):
        list(grade_all(exercise, [Path("a"), Path("b")], LabSettings(), 2, _lacks))


def test_shared_work_is_noted(tmp_path: Path, exercise: Exercise) -> None:
    paths = [handed_in(tmp_path, exercise, "1"), handed_in(tmp_path, exercise, "2"),
             handed_in(tmp_path, exercise, "3", values_of="1")]  # fmt: skip
    grades = with_notes([grade_file(exercise, path, pretended_labs({})) for path in paths], exercise)
    lines = "the same lines, apart from the students' own values, as "
    address = exercise.of_student("1").variables.text("{lan.10}")
    assert grades[0].notes == ("the same topology as 3.zip", f"{lines}2.zip")
    assert grades[1].notes == (f"{lines}1.zip",)
    assert grades[2].notes[0] == "the same topology as 1.zip"
    assert grades[2].notes[-1].startswith("numbers of the student 1: ")
    assert address in grades[2].notes[-1]
    for student in ("4", "5"):  # who have changed nothing share no work
        hand_in(begun(tmp_path / student, exercise, student), tmp_path / f"{student}.zip")
    untouched = [grade_file(exercise, tmp_path / f"{name}.zip", pretended_labs({})) for name in ("4", "5")]
    assert [grade.notes for grade in with_notes(untouched, exercise)] == [(), ()]


def test_gradebooks_have_one_row_for_each_student(tmp_path: Path, exercise: Exercise) -> None:
    grades = [Grade("a.zip", 4, "1", "Ada"), Grade("b.zip", 4, "2", "=Bob"), Grade("c.zip", 4, "2"),
              Grade("d.zip", 4, error="broken"), Grade("e.zip", 4, "5", "=Eve")]  # fmt: skip
    write_grades(exercise, grades, tmp_path)
    first = {path.name: path.read_bytes() for path in tmp_path.glob("*.*") if path.is_file()}
    write_grades(exercise, grades, tmp_path)
    assert {name: (tmp_path / name).read_bytes() for name in first} == first
    moodle = list(csv.reader((tmp_path / "moodle.csv").open()))
    assert moodle[0] == ["ID number", "Name", "My exercise", "My exercise (Feedback)"]
    assert [row[:3] for row in moodle[1:]] == [["1", "Ada", "0"], ["5", "'=Eve", "0"]]
    canvas = list(csv.reader((tmp_path / "canvas.csv").open()))
    assert canvas[0][:5] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    assert canvas[1] == ["Points Possible", "", "", "", "", "4"]
    assert [row[2] for row in canvas[2:]] == ["1", "5"]


def test_equal_grades_give_equal_workbooks(tmp_path: Path, exercise: Exercise) -> None:
    pytest.importorskip("xlsxwriter")
    table = list(rows(exercise, [Grade("a.zip", 4, "1", "=Ada")]))
    for name in ("a.xlsx", "b.xlsx"):
        write_workbook(table, tmp_path / name)
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()


def test_the_time_of_a_chapter_is_without_pauses() -> None:
    log = (
        "2026-01-01 10:00:00    started",
        "2026-01-01 10:05:00  one  checked",
        "2026-01-02 10:00:00  one  checked",
        "2026-01-02 10:10:00  one  checked",
        "2026-01-02 10:25:00  two  checked",
    )
    assert [chapter_minutes(log, name) for name in ("one", "two", "three")] == [15.0, 15.0, None]
