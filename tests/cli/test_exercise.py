"""`miniedit-frr exercise` without labs: lists, new works, hints, restored chapters, submissions, and wrong input."""

from __future__ import annotations

import csv
import json
import os
import shutil
from pathlib import Path

import pytest

from frrlib.exercises.exercise import Exercise, load
from frrlib.exercises.skeleton import write_skeleton
from frrlib.exercises.submissions import hand_in
from tests.cli.commands import command_output, output_in
from tests.exercises.samples import ROOT, SHIPPED, begun, two_as
from tests.sweep.cluster import running_process, running_scheduler, worker_command

#: The names of the exercises that are part of the program, in the order of its list.
NAMES = sorted(folder.name for folder in SHIPPED.iterdir())


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A work on the exercise about BGP."""
    command_output("exercise", "start", "two-as", tmp_path / "work", "--student", "42", "--name", "Ada")
    return tmp_path / "work"


def test_list_names_the_shipped_exercises(tmp_path: Path) -> None:
    listed = json.loads(command_output("exercise", "list", "--json"))
    names = [exercise["name"] for exercise in listed]
    assert sorted(names) == NAMES and (names[0], names[-1]) == ("first-network", "an-internet")
    points = {exercise["name"]: exercise["points"] for exercise in listed}
    assert (points["first-network"], points["two-as"]) == (17, 16)
    assert "two-as               Two AS with BGP: 2 chapters, 16 points" in command_output("exercise", "list")
    assert command_output("exercise", "list", tmp_path) == ""


def test_status_has_the_text_with_the_own_values(work: Path) -> None:
    output = command_output("exercise", "status", "--work", work)
    asn = two_as().of_student("42").variables.values["as1"]
    assert f"r1 is the border router of AS {asn}," in output
    assert "A session: now, 0 of 6 points" in output
    assert "[ ] r1 and r2 are BGP neighbors (session-up)" in output
    values = json.loads(command_output("exercise", "status", "--work", work, "--json"))
    assert (values["student"], values["name"], values["chapter"]) == ("42", "Ada", "session")


def test_a_copy_in_the_folder_replaces_the_shipped_exercise_with_a_notice(tmp_path: Path) -> None:
    notice = "two-as: uses the copy in this folder"
    assert notice not in output_in(tmp_path, "exercise", "start", "two-as", "first", "--student", "42")
    shutil.copytree(SHIPPED / "two-as", tmp_path / "two-as")
    assert notice in output_in(tmp_path, "exercise", "start", "two-as", "second", "--student", "42")


def test_hint_restore_and_hand_in(work: Path) -> None:
    assert "remote-as AS" in command_output("exercise", "hint", "--work", work)
    assert "no hint is left" in command_output("exercise", "hint", "--work", work, status=2)
    assert "nothing was restored" in command_output("exercise", "restore", "--work", work, status=2)
    for title in ("A session", "Networks"):
        assert f"{title} is restored" in command_output("exercise", "restore", "--work", work, "--yes")
    assert "All chapters are done" in command_output("exercise", "status", "--work", work)
    assert "all chapters are over" in command_output("exercise", "check", "--work", work, status=2)
    assert "was written" in command_output("exercise", "hand-in", "--work", work)
    assert (work / "two-as-42.zip").is_file()


def _questions(folder: Path) -> Exercise:
    """An exercise with one question, whose checks need no lab."""
    write_skeleton(folder)
    head, _, _ = (folder / "exercise.toml").read_text().partition("[[chapters.checks]]")
    question = '[[chapters.checks]]\nid = "word"\nkind = "answer"\ntitle = "A word"\npoints = 2\nexpected = "yes"\n'
    (folder / "exercise.toml").write_text(head + question)
    return load(folder)


def test_a_class_with_bad_files_is_graded_twice_alike(tmp_path: Path) -> None:
    """The names of two files have bytes that are no UTF-8, and commands for a terminal."""
    exercise, folder = _questions(tmp_path / "questions"), tmp_path / "in"
    folder.mkdir()
    for student, answer, name in (("1", "yes", b"1-\xff.zip"), ("2", "no", b"2-\x1b[2J.zip")):
        work = begun(tmp_path / student, exercise, student).answered({"word": answer})
        hand_in(work, folder / os.fsdecode(name))
    (folder / "3-cut.zip").write_bytes((folder / os.fsdecode(b"1-\xff.zip")).read_bytes()[:300])
    os.mkfifo(folder / "4-pipe.zip")
    for out in ("first", "second"):
        argv = ("grade", folder, "--exercise", exercise.folder, "--out", tmp_path / out, "--jobs", "2")
        assert "4 graded" in command_output("exercise", *argv)
    first, second = ({path.relative_to(tmp_path / out): path.read_bytes() for path in (tmp_path / out).rglob("*.*")}
                     for out in ("first", "second"))  # fmt: skip
    assert len(first) == 4 + 4 + 2  # tables and the page of the class, pages of students, kept grades
    assert first == second
    rows = list(csv.DictReader((tmp_path / "first" / "grades.csv").open(encoding="utf-8")))
    assert [(row["file"], row["points"], bool(row["error"])) for row in rows] == [
        ("1-\ufffd.zip", "2", False), ("2-\ufffd[2J.zip", "0", False), ("3-cut.zip", "0", True),
        ("4-pipe.zip", "0", True),
    ]  # fmt: skip


def test_a_worker_of_dask_grades_without_a_common_folder(tmp_path: Path) -> None:
    exercise, folder, log = _questions(tmp_path / "questions"), tmp_path / "in", tmp_path / "dask.log"
    folder.mkdir()
    hand_in(begun(tmp_path / "1", exercise, "1").answered({"word": "yes"}), folder / os.fsdecode(b"1-\xff.zip"))
    (folder / "2-junk.zip").write_text("junk")
    os.mkfifo(folder / "3-pipe.zip")
    variables = {"PYTHONPATH": str(ROOT)}
    with (
        running_scheduler(log, **variables) as address,
        running_process(log, *worker_command(address), **variables),
    ):
        argv = ("grade", folder, "--exercise", exercise.folder, "--out", tmp_path / "grades", "--scheduler", address)
        assert "3 graded" in command_output("exercise", *argv)
    rows = list(csv.DictReader((tmp_path / "grades" / "grades.csv").open(encoding="utf-8")))
    assert [(row["points"], row["error"].split(":")[0]) for row in rows] == [
        ("2", ""), ("0", "is no readable zip file"), ("0", "cannot be read"),
    ]  # fmt: skip


def test_restored_chapters_are_graded_without_a_lab(work: Path, tmp_path: Path) -> None:
    for _ in range(2):
        command_output("exercise", "restore", "--work", work, "--yes")
    command_output("exercise", "hand-in", "--work", work, "--out", work / "in.zip")
    (tmp_path / "in").mkdir()
    (work / "in.zip").rename(tmp_path / "in" / "a.zip")
    argv = ("exercise", "grade", tmp_path / "in", "--exercise", "two-as", "--out", tmp_path / "grades")
    assert "1 graded" in command_output(*argv)
    assert "a.zip,42,Ada,0,16,0,0,," in (tmp_path / "grades" / "grades.csv").read_text()


def test_new_writes_an_exercise(tmp_path: Path) -> None:
    command_output("exercise", "new", tmp_path / "mine")
    listed = json.loads(command_output("exercise", "list", tmp_path, "--json"))
    assert [(each["name"], each["points"]) for each in listed] == [("mine", 4)]


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (("start", "nothing", "--student", "1"), "choose one of first-network, static-routes, "),
        (("start", "some/where", "--student", "1"), "cannot be read"),
        (("start", "two-as", "x", "--student", "../1"), "student"),
        (("status",), "no folder of a work"),
        (("check",), "no folder of a work"),
        (("hand-in",), "no folder of a work"),
        (("grade", ".", "--exercise", "two-as"), "contains no submission"),
    ],
)
def test_wrong_input_has_a_message(
    argv: tuple[str, ...], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert reason in command_output("exercise", *argv, status=2)


def test_an_answer_names_its_task(work: Path) -> None:
    assert "TASK=TEXT" in command_output("exercise", "check", "--work", work, "--answer", "179", status=2)
    assert "the questions are: port" in command_output("exercise", "check", "--work", work, "--answer", "p=1", status=2)
