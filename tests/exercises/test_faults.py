"""Faults that are drawn for each student: the same on every machine, apart from each other, and never named."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from ipaddress import IPv4Network
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.exercise import Exercise, StudentExercise, load
from frrlib.exercises.faults import chosen_faults
from frrlib.exercises.skeleton import write_skeleton
from frrlib.exercises.trial import refuse_unusable, right_answers, try_exercise
from frrlib.exercises.variables import draw
from frrlib.exercises.work import begin
from frrlib.model.topology import Topology
from tests.exercises.samples import SHIPPED, pretended_labs

NAME = "find-three-faults"


@pytest.fixture(scope="module")
def exercise() -> Exercise:
    return load(SHIPPED / NAME)


def ids(exercise: Exercise, student: str) -> tuple[str, ...]:
    return tuple(fault.id for fault in exercise.of_student(student).faults)


def test_a_student_gets_one_fault_of_each_group_by_sha256(exercise: Exercise) -> None:
    groups: dict[str, list[str]] = {}
    for fault in exercise.content.faults:
        groups.setdefault(fault.group, []).append(fault.id)
    triples = list(product(*groups.values()))
    assert (len(exercise.content.faults), len(triples)) == (10, 36)
    digest = hashlib.sha256(f"{exercise.content.seed}\0ada\0faults\0".encode() + b"0").digest()
    assert ids(exercise, " Ada ") == triples[int.from_bytes(digest[:16], "big") % 36]
    content = exercise.content
    choices = (chosen_faults(content.faults, 3, content.seed, f"s{number}") for number in range(720))
    drawn = Counter(tuple(fault.id for fault in choice) for choice in choices)
    assert set(drawn) == set(triples)
    assert max(drawn.values()) < 3 * 720 / 36


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """The plain values in a value of JSON types, each with its path."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*path, key))
    else:
        yield path, value


def test_no_fault_touches_what_another_one_changes(exercise: Exercise) -> None:
    """Faults of different groups change different settings, of nodes that students may change, and one each."""
    student = exercise.of_student("1")
    right = student.reference(exercise.chapter("mend"))
    before = dict(leaves(right.model_dump(mode="json")))
    changed = []
    for fault in exercise.content.faults:
        faulty = student.with_fault_left(fault)[1]
        after = dict(leaves(faulty.model_dump(mode="json")))
        paths = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
        assert len(paths) == 1, fault.id
        assert student.permitted(faulty) == faulty
        changed.append((fault, paths))
    for (first, first_paths), (second, second_paths) in combinations(changed, 2):
        assert first.group == second.group or not first_paths & second_paths, (first.id, second.id)


def test_the_begin_has_the_faults_and_the_solution_has_none(exercise: Exercise) -> None:
    see, mend, prove = exercise.content.chapters
    for number in range(4):
        student = exercise.of_student(f"s{number}")
        start = dict(leaves(student.start().model_dump(mode="json")))
        right = dict(leaves(student.reference(mend).model_dump(mode="json")))
        assert len([path for path in start if start[path] != right[path]]) == 3
        assert student.reference(see) == student.start()
        assert student.reference(prove) == student.reference(mend)


def test_a_student_never_reads_the_name_of_a_fault(exercise: Exercise, tmp_path: Path) -> None:
    work = begin(exercise, tmp_path / "work", "42", "Ada")
    written = {path.name: path.read_text() for path in work.folder.rglob("*") if path.is_file()}
    assert "topology.mn" in written
    named = {fault.id for fault in exercise.content.faults} - {"key", "area", "passive", "filter"}  # also FRR's words
    for name, text in written.items():
        assert [fault for fault in named | {'"faults"'} if fault in text] == [], name


def test_the_right_answers_are_those_of_the_students_own_faults(exercise: Exercise) -> None:
    expected = {
        "hello-interval": ("neighbor", "r1"), "key": ("neighbor", "r1"), "area": ("neighbor", "r2"),
        "passive": ("neighbor", "r2"), "remote-as": ("edge-line", "A"), "announcement": ("edge-line", "B"),
        "filter": ("edge-line", "C"), "next-hop": ("host", "h3"), "default-route": ("host", "h3"),
        "shutdown": ("host", "h1"),
    }  # fmt: skip
    seen = set()
    for number in range(40):
        student = exercise.of_student(f"s{number}")
        answers = right_answers(student.checks(exercise.chapter("see"), hidden=True))
        assert answers == dict(expected[fault.id] for fault in student.faults)
        seen |= {fault.id for fault in student.faults}
        assert "{" not in student.hint(exercise.chapter("mend"), 0) and student.hint(exercise.chapter("mend"), 1) != "-"
    assert seen == set(expected)


MISTAKES = [
    ("choose_faults = 3", "choose_faults = 4", "choose_faults: no 4 faults can be chosen"),
    ("choose_faults = 3", "choose_faults = 0", "choose_faults: there are faults, and none is chosen"),
    ("choose_faults = 3", "choose_faults = 9", "choose_faults: .*less than or equal to 5"),
    ('id = "key"', 'id = "area"', "faults: 2 faults have the id area"),
    ('start = { r1_key = "{key_other}" }', "", "start"),
    ('start = { r2_area = "1" }', "start = {}", "start"),
    ("{ r2_area = ", "{ r2_aera = ", "fault area, start: r2_aera is no variable"),
    ("lost_router = ", "lost_rooter = ", "fault hello-interval, texts: lost_rooter is no variable"),
    ('loses = ["inside"]', 'loses = ["outside"]', "fault hello-interval, loses: outside is no check"),
    ('loses = ["inside"]', 'loses = ["neighbor"]', "loses: neighbor is no check of a chapter without the faults"),
    ('loses = ["inside"]', 'loses = ["inside", "learned"]', "loses: the checks are in several chapters"),
    ('loses = ["inside"]', "loses = []", "loses"),
    ('group = "hosts"', 'group = "edge"', "choose_faults|faults .* texts"),
    ("{ r1_lan = ", "{ r4_remote = ", "faults remote-as and shutdown, start: both set r4_remote.* one group"),
]


@pytest.mark.parametrize(("right", "wrong", "reason"), MISTAKES)
def test_a_mistake_names_its_field(tmp_path: Path, right: str, wrong: str, reason: str) -> None:
    folder = Path(shutil.copytree(SHIPPED / NAME, tmp_path / NAME))
    text = (folder / "exercise.toml").read_text()
    assert right in text
    (folder / "exercise.toml").write_text(text.replace(right, wrong, 1))
    with pytest.raises(ExerciseError, match=reason):
        load(folder)


def with_a_fault(folder: Path, start: str) -> Exercise:
    """The skeleton of an exercise with a fault at the address of h2, or elsewhere; its ping needs nothing."""
    write_skeleton(folder)
    toml = (folder / "exercise.toml").read_text().replace('needs = ["h1-address", "h2-address"]', "")
    (folder / "exercise.toml").write_text(
        f"choose_faults = 1\n{toml}\n[variables.h2]\nkind = 'choice'\nvalues = ['{{lan.20/}}']\n"
        "[variables.title]\nkind = 'choice'\nvalues = ['right']\n"
        f"[[faults]]\nid = 'silent'\nstart = {start}\nloses = ['ping']\n"
    )
    for file in folder.rglob("*.mn"):
        content = json.loads(file.read_text().replace("{lan.20/}", "{h2}"))
        content["miniedit_frr"]["title"] = "{title}"
        file.write_text(json.dumps(content))
    return load(folder)


def test_the_trial_reports_a_fault_that_no_check_notices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frrlib.exercises.evaluation._INTERVAL_S", 0.0)
    mine = with_a_fault(tmp_path / "mine", "{ h2 = '{lan.21/}' }")
    built: list[Topology] = []
    lan = mine.of_student("1").variables.values["lan"]
    assert isinstance(lan, IPv4Network)
    trials = try_exercise(mine, ["1"], pretended_labs({str(lan[20]): 1}, built))
    assert [str(topology.links[0].b.addresses[0].ip) for topology in built[1:]] == [str(lan[20]), str(lan[21])]
    assert trials[-1].subject == "fault silent left"
    assert [problem for problem in trials[-1].problems if problem.startswith("ping must not hold")]


def test_a_fault_that_nobody_may_mend_is_refused(tmp_path: Path) -> None:
    mine = with_a_fault(tmp_path / "mine", "{ title = 'faulty' }")
    with pytest.raises(ExerciseError, match=r"fault silent: .* students cannot mend"):
        refuse_unusable(mine.of_student("1"))


def test_variables_of_texts_and_of_the_begin_differ(exercise: Exercise) -> None:
    student: StudentExercise = exercise.of_student("1")
    assert student.drawn == draw(exercise.content.variables, exercise.content.seed, "1")
    changed = {name for name, value in student.variables.values.items() if value != student.drawn.values[name]}
    assert changed <= {name for fault in student.faults for name in fault.texts}
    assert not changed & {name for fault in exercise.content.faults for name in fault.start}
