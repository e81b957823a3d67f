"""Grades: points of chapters in labs built anew, notes for the teacher, and pages without a stranger's markup."""

from __future__ import annotations

import csv
import json
import os
from contextlib import AbstractContextManager
from html.parser import HTMLParser
from pathlib import Path

import pytest

from frrlib.errors import LabFailed, PlaceError
from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.exercise import Exercise, load
from frrlib.exercises.grading import Grade, grade_file, submissions_in, with_notes
from frrlib.exercises.observation import ObservedLab
from frrlib.exercises.pages import page_path, student_page, write_grades
from frrlib.exercises.skeleton import write_skeleton
from frrlib.exercises.stored_grades import StoredGrades
from frrlib.exercises.submissions import hand_in
from frrlib.formats import mn
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from frrlib.place.checker import frr_check
from tests.exercises.samples import begun, entries_of, pretended_labs, two_as, zip_of

#: A check that the pretended lab can answer, instead of the skeleton's.
_CHECKS = """
[[chapters.checks]]
id = "ping"
kind = "ping"
title = "h1 reaches h2"
points = 3
source = "h1"
destination = "{lan.20}"
within_s = 0

[[chapters.checks]]
id = "word"
kind = "answer"
title = "A <b>word</b>"
points = 2
expected = "yes"
"""


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    """An exercise with two chapters; each has a ping for 3 points and a question for 2."""
    folder = tmp_path / "mine"
    write_skeleton(folder)
    head, _, rest = (folder / "exercise.toml").read_text().partition("[[chapters.checks]]")
    hint = rest[rest.index("[[chapters.hints]]") :]
    second = _CHECKS.replace('id = "', 'id = "second-')
    chapter = '[[chapters]]\nid = "second"\ntitle = "Second"\ntext = "addresses.md"\n'
    (folder / "exercise.toml").write_text(f"{head}{_CHECKS}{hint}\n{chapter}{second}")
    (folder / "solution" / "second.mn").write_text((folder / "solution" / "addresses.mn").read_text())
    return load(folder)


def submission(folder: Path, exercise: Exercise, student: str = "7", **chapters: dict[str, object]) -> Path:
    """A submission with this progress, and the right answer to the first question."""
    work = begun(folder, exercise, student)
    state = work.state.model_copy(update={"answers": {"word": "Yes"}})
    for chapter_id, fields in chapters.items():
        state = state.with_chapter(chapter_id, **fields)
        if fields.get("passed"):
            work.save_topology(work.exercise.reference(exercise.chapter(chapter_id)), exercise.chapter(chapter_id))
    path = folder / f"{student}.zip"
    hand_in(work.saved(state), path)
    return path


def points(grade: Grade) -> list[int]:
    return [chapter.points for chapter in grade.chapters]


def reachable(exercise: Exercise, student: str = "7") -> dict[str, int]:
    return {exercise.of_student(student).variables.text("{lan.20}"): 1}


def test_checks_earn_points_and_hints_cost_them(tmp_path: Path, exercise: Exercise) -> None:
    labs = pretended_labs(reachable(exercise))
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert points(grade_file(exercise, submission(tmp_path / "a", exercise), labs)) == [5, 0]
    path = submission(tmp_path / "b", exercise, addresses={"hints": 1})
    assert points(grade_file(exercise, path, labs)) == [4, 0]
    assert points(grade_file(exercise, path, pretended_labs({}))) == [1, 0]


def test_a_passed_chapter_is_graded_with_its_own_topology(tmp_path: Path, exercise: Exercise) -> None:
    built: list[Topology] = []
    path = submission(tmp_path, exercise, addresses={"passed": True})
    grade = grade_file(exercise, path, pretended_labs(reachable(exercise), built))
    assert points(grade) == [5, 3]
    student = exercise.of_student("7")
    assert [topology.links for topology in built] == [
        student.reference(exercise.content.chapters[0]).links, student.start().links,
    ]  # fmt: skip


def test_a_restored_chapter_and_one_that_was_not_reached_have_no_points(tmp_path: Path, exercise: Exercise) -> None:
    grade = grade_file(
        exercise, submission(tmp_path, exercise, addresses={"restored": True}), pretended_labs(reachable(exercise))
    )
    assert points(grade) == [0, 3]
    (tmp_path / "b").mkdir()
    grade = grade_file(exercise, submission(tmp_path / "b", exercise), pretended_labs({}))
    assert [chapter.reason for chapter in grade.chapters] == ["", "not reached"]


def test_a_claimed_chapter_without_its_topology_earns_its_answers_only(tmp_path: Path, exercise: Exercise) -> None:
    path = submission(tmp_path, exercise, addresses={"passed": True})
    entries = {name: data for name, data in entries_of(path).items() if not name.startswith("chapters/")}
    grade = grade_file(exercise, zip_of(path, entries), pretended_labs(reachable(exercise)))
    assert points(grade) == [2, 3]
    assert "no topology of this chapter" in grade.chapters[0].outcomes[0].seen


def test_another_network_earns_its_answers_only(tmp_path: Path, exercise: Exercise) -> None:
    path = submission(tmp_path, exercise)
    entries = entries_of(path)
    topology = mn.loads(entries["topology.mn"]).topology
    entries["topology.mn"] = mn.dumps(topology.model_copy(update={"links": topology.links * 2})).encode()
    grade = grade_file(exercise, zip_of(path, entries), pretended_labs(reachable(exercise)))
    assert points(grade) == [2, 0]
    assert "a link between h1 and h2 was added" in grade.chapters[0].outcomes[0].seen


def test_a_failure_of_one_lab_costs_only_this_submission(tmp_path: Path, exercise: Exercise) -> None:
    def start(topology: Topology) -> object:
        raise RecursionError("deep")

    submission(tmp_path, exercise)
    (path,) = submissions_in(tmp_path)
    grade = grade_file(exercise, path, start)  # type: ignore[arg-type]
    assert (grade.points, grade.error) == (0, "not graded: RecursionError: deep")
    with pytest.raises(ExerciseError, match="contains no submission"):
        submissions_in(tmp_path / "mine")


def test_parts_that_were_left_out_are_in_the_files_of_grades(tmp_path: Path, exercise: Exercise) -> None:
    path = submission(tmp_path, exercise, addresses={"passed": True})
    entries = entries_of(path)
    for name in ("topology.mn", "chapters/addresses.mn"):
        topology = mn.loads(entries[name]).topology
        nodes = (topology.nodes[0].model_copy(update={"start_command": "rm -rf ~\nreboot"}), *topology.nodes[1:])
        entries[name] = mn.dumps(topology.model_copy(update={"nodes": nodes})).encode()
    built: list[Topology] = []
    grade = grade_file(exercise, zip_of(path, entries), pretended_labs(reachable(exercise), built))
    assert points(grade) == [5, 3]
    assert all(node.start_command == "" for topology in built for node in topology.nodes)
    clause = "2 start commands of h1 were not run"
    assert grade.unused == (clause,)
    write_grades(exercise, [grade], tmp_path / "out")
    (row,) = csv.DictReader((tmp_path / "out" / "grades.csv").open(encoding="utf-8"))
    assert (row["not used"], row["notes"]) == (clause, "")
    for page in (page_path(1, grade), "index.html"):
        assert clause in Tags((tmp_path / "out" / page).read_text()).text
    store = StoredGrades(tmp_path / "kept", exercise, "real")
    store.keep(path, grade)
    stored = store.find(path)
    assert stored is not None and stored.unused == grade.unused


@pytest.mark.skipif(not frr_check.can_check(), reason="needs FRR")
def test_lines_that_frr_refuses_are_named(tmp_path: Path) -> None:
    path = submission(tmp_path, two_as())
    entries = entries_of(path)
    topology = mn.loads(entries["topology.mn"]).topology
    r1 = topology.node("r1")
    assert isinstance(r1, Router)
    lines = r1.model_copy(update={"frr_conf": "router bgp 1\n reistribute connected\nexit\n"})
    nodes = [lines if node is r1 else node for node in topology.nodes]
    entries["topology.mn"] = mn.dumps(topology.model_copy(update={"nodes": tuple(nodes)})).encode()
    grade = grade_file(two_as(), zip_of(path, entries), pretended_labs({}))
    assert grade.unused == ('r1: FRR refuses line 2, "reistribute connected": Unknown command',)


def test_equal_submissions_are_noted() -> None:
    grades = [Grade("a.zip", 5, "Ada", fingerprint="1"), Grade("b.zip", 5, "ada", fingerprint="2"),
              Grade("c.zip", 5, "bob", fingerprint="1"), Grade("d.zip", 5), Grade("e.zip", 5)]  # fmt: skip
    assert [grade.notes for grade in with_notes(grades)] == [
        ("the same student id as b.zip", "the same topology as c.zip"),
        ("the same student id as a.zip",), ("the same topology as a.zip",), (), (),
    ]  # fmt: skip


class Tags(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_files_of_grades_hold_no_markup_of_strangers(tmp_path: Path, exercise: Exercise) -> None:
    path = submission(tmp_path, exercise)
    entries = entries_of(path)
    state = json.loads(entries["work.json"])
    state["name"] = '=HYPERLINK("http://evil")<script>alert(1)</script>'
    state["answers"] = {"word": "<img src=x>"}
    state["log"] = [{"time": "1", "text": "</pre><script>"}]
    entries["work.json"] = json.dumps(state).encode()
    grade = grade_file(exercise, zip_of(path, entries), pretended_labs(reachable(exercise)))
    broken = Grade('x"><script>.zip', 10, error="<script>")
    write_grades(exercise, [grade, broken], tmp_path / "out")
    rows = list(csv.reader((tmp_path / "out" / "grades.csv").read_text().splitlines()))
    assert rows[0] == [
        "file",
        "student",
        "name",
        "points",
        "possible",
        "addresses",
        "second",
        "error",
        "notes",
        "not used",
    ]
    assert rows[1][:2] + rows[1][3:7] == ["7.zip", "7", "3", "10", "3", "0"]
    assert rows[1][2].startswith("'=")
    pages = [tmp_path / "out" / page_path(1, grade), tmp_path / "out" / page_path(2, broken)]
    for page in (*pages, tmp_path / "out" / "index.html"):
        parsed = Tags(page.read_text())
        assert not {"script", "img", "b"} & set(parsed.tags)
        assert "script" in parsed.text
    assert {file.parent for file in (tmp_path / "out").rglob("*.html")} == {tmp_path / "out", tmp_path / "out/students"}


def test_a_page_states_points_and_reasons(tmp_path: Path, exercise: Exercise) -> None:
    path = submission(tmp_path, exercise, addresses={"hints": 1})
    text = Tags(student_page(exercise, grade_file(exercise, path, pretended_labs({})))).text
    for sentence in ("1 of 10 points", "Hints taken: 1, price 1.", "h1 received 0 of 2 replies", "Not reached."):
        assert sentence in text


def test_a_network_that_needs_more_than_the_exercise_costs_only_itself(tmp_path: Path, exercise: Exercise) -> None:
    """The machine runs the exercise's own networks, so the submission is the cause."""
    right = exercise.of_student("7").permitted(exercise.of_student("7").reference(exercise.content.chapters[0]))

    def lacks_vrf(topology: Topology) -> AbstractContextManager[ObservedLab]:
        if topology != right:
            raise PlaceError("namespace lacks VRFs", "use the place labkernel")
        return pretended_labs({})(topology)

    path = submission(tmp_path, exercise)
    grade = grade_file(exercise, path, lacks_vrf)
    assert (grade.points, grade.chapters) == (0, ())
    assert grade.error.startswith("its network needs more than the exercise: namespace lacks VRFs")

    def lacks_frr(topology: Topology) -> AbstractContextManager[ObservedLab]:
        raise PlaceError("FRR is missing")

    with pytest.raises(PlaceError, match="FRR is missing"):
        grade_file(exercise, path, lacks_frr)


def test_a_files_name_without_utf8_is_written(tmp_path: Path, exercise: Exercise) -> None:
    path = submission(tmp_path, exercise)
    renamed = path.rename(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe.zip"))
    grade = grade_file(exercise, renamed, pretended_labs({}))
    StoredGrades(tmp_path / "kept", exercise, "real").keep(renamed, grade)
    write_grades(exercise, [grade], tmp_path / "grades")
    (row,) = csv.DictReader((tmp_path / "grades" / "grades.csv").open(encoding="utf-8"))
    assert row["file"] == "\ufffd\ufffd.zip"


def test_a_log_line_of_a_lab_that_failed_has_no_time(tmp_path: Path, exercise: Exercise) -> None:
    """Two gradings of a submission give equal files."""

    def fails(topology: Topology) -> AbstractContextManager[ObservedLab]:
        raise LabFailed("r1: its log ends with: 2026/11/28 23:54:49 STATIC: starting")

    grade = grade_file(exercise, submission(tmp_path, exercise), fails)
    assert grade.chapters[0].outcomes[0].seen == "the topology cannot run: r1: its log ends with: STATIC: starting"


def test_notes_name_few_of_many_equal_submissions() -> None:
    grades = [Grade(f"{number}.zip", 4, f"s{number}", neutral="equal") for number in range(9)]
    lines = "the same lines, apart from the students' own values, as "
    assert with_notes(grades)[0].notes == (f"{lines}1.zip, 2.zip, 3.zip, 4.zip, 5.zip and 3 more",)
