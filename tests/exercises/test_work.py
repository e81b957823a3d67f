"""A student's work: chapters one after the other, answers, hints, restoring, and everything kept on the disk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from frrlib.conf.running import RunningConfig
from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.evaluation import Outcome
from frrlib.exercises.grading import ChapterGrade
from frrlib.exercises.work import Work, begin, read_work
from frrlib.formats import mn
from frrlib.model.nodes import Router
from tests.exercises.samples import begun, first_network, two_as


def outcomes(work: Work, *failing: str) -> list[Outcome]:
    """Results of the current chapter: all checks hold but these."""
    chapter = work.current
    assert chapter is not None
    checks = work.exercise.checks(chapter, hidden=False)
    return [Outcome(check, "fails" if check.id in failing else "holds", "") for check in checks]


def test_a_work_is_read_as_it_was_written(tmp_path: Path) -> None:
    work = begun(tmp_path)
    assert read_work(work.folder).state == work.state
    assert work.topology() == two_as().of_student("42").start()
    with pytest.raises(ExerciseError, match="exists already"):
        begin(two_as(), work.folder, "42", "")


def test_a_moved_exercise_is_found_by_its_name(tmp_path: Path) -> None:
    work = begun(tmp_path)
    work.saved(work.state.model_copy(update={"exercise_folder": "/nowhere"}))
    with pytest.raises(ExerciseError, match="nowhere"):
        read_work(work.folder)
    assert read_work(work.folder, {"two-as": two_as()}).exercise == work.exercise


@pytest.mark.parametrize("student", ["", "../x", "a/b", "x" * 65, "a\nb", "-x"])
def test_an_id_that_is_no_id_is_refused(tmp_path: Path, student: str) -> None:
    with pytest.raises(ExerciseError, match="student"):
        begin(two_as(), tmp_path / "work", student, "")
    assert not (tmp_path / "work").exists()


def test_a_chapter_opens_when_the_one_before_holds(tmp_path: Path) -> None:
    work = begun(tmp_path)
    session, networks = work.chapters
    work = work.after_checks(session, outcomes(work, "port"), work.topology())
    assert work.current == session
    assert "port" not in work.state.chapter("session").held
    work = work.after_checks(session, outcomes(work), work.topology())
    assert work.current == networks
    assert mn.load(work.folder / "chapters" / "session.mn").topology == work.topology()
    assert [line.chapter for line in read_work(work.folder).state.log] == ["", "session", "session"]


def test_restoring_keeps_the_own_work_and_costs_the_points(tmp_path: Path) -> None:
    work = begun(tmp_path)
    work.topology_file.write_text("not even a topology")
    work, chapter, kept = work.restore()
    assert (chapter.id, kept.read_text()) == ("session", "not even a topology")
    assert work.topology() == work.exercise.reference(chapter)
    assert work.current == work.chapters[1]
    grade = ChapterGrade(chapter, work.state.chapter("session"), tuple(outcomes(begun(tmp_path / "other"))))
    assert grade.points == 0
    work, _, second = work.restore()
    assert (work.current, second.name) == (None, "networks.mn")
    with pytest.raises(ExerciseError, match="all chapters are over"):
        work.restore()


def test_hints_cost_their_price_and_end(tmp_path: Path) -> None:
    work = begun(tmp_path, first_network())
    chapter = work.chapters[0]
    work, text = work.next_hint()
    assert "64 addresses" in text
    grade = ChapterGrade(chapter, work.state.chapter(chapter.id), tuple(outcomes(work)))
    assert (grade.points, chapter.points) == (7, 8)
    nothing = ChapterGrade(chapter, work.state.chapter(chapter.id), ())
    assert nothing.points == 0
    with pytest.raises(ExerciseError, match="no hint is left"):
        work.next_hint()


def test_answers_are_kept(tmp_path: Path) -> None:
    work = begun(tmp_path).answered({"port": "22"}).answered({"port": "179"})
    assert read_work(work.folder).state.answers == {"port": "179"}
    with pytest.raises(ExerciseError, match="the questions are: port"):
        work.answered({"ping": "1"})
    with pytest.raises(ExerciseError, match="answer"):
        work.answered({"port": "x" * 1000})


def test_typed_lines_become_part_of_the_topology(tmp_path: Path) -> None:
    work = begun(tmp_path)
    typed = "router bgp 65001\n neighbor 10.0.0.9 remote-as 65002\nexit\n"
    built = work.topology()
    work = work.adopt_typed({"r1": RunningConfig("r1", "hostname r1\n", f"hostname r1\n{typed}")}, built)
    router = work.topology().node("r1")
    assert isinstance(router, Router)
    assert (router.bgp and router.bgp.asn) == 65001 or "router bgp 65001" in router.frr_conf
    assert "router bgp 65001" in (work.folder / "configurations" / "r1.end.conf").read_text()


@pytest.mark.parametrize(
    ("text", "reason"),
    [("{", "is not readable"), ("[" * 100_000, "is not readable"), ("{}", "exercise"), ("[1]", "work.json"),
     (json.dumps({"exercise": "two-as", "student": "1", "extra": 1}), "extra")],
)  # fmt: skip
def test_a_damaged_state_is_described(tmp_path: Path, text: str, reason: str) -> None:
    work = begun(tmp_path)
    (work.folder / "work.json").write_text(text)
    with pytest.raises(ExerciseError, match=reason):
        read_work(work.folder)
    with pytest.raises(ExerciseError, match="no folder of a work"):
        read_work(tmp_path)
