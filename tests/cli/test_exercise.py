"""`miniedit-frr exercise` without labs: lists, new works, hints, restored chapters, submissions, and wrong input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import command_output
from tests.exercises.samples import SHIPPED, two_as

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
