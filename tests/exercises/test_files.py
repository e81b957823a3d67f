"""Files of exercises: the shipped ones, the skeleton, and the errors that authors make."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from frrlib.checks.check import check
from frrlib.exercises import checks, variables
from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.evaluation import without_lab
from frrlib.exercises.exercise import exercises_below, load
from frrlib.exercises.schema import schema_text
from frrlib.exercises.skeleton import write_skeleton
from frrlib.exercises.trial import refuse_unusable, right_answers, students
from frrlib.model.links import bdp_bytes, queue_limit_bytes
from tests.exercises.samples import ROOT, SHIPPED, first_network, two_as
from tests.test_plain_english import faults

NAMES = sorted(path.name for path in SHIPPED.iterdir())
PAGES = ROOT / "docs" / "exercises"


def test_the_published_schema_is_up_to_date() -> None:
    published = (ROOT / "docs" / "exercise.schema.json").read_text(encoding="utf-8")
    assert published == schema_text(), "python -m frrlib.exercises.schema > docs/exercise.schema.json"


def test_all_shipped_exercises_are_listed() -> None:
    exercises = exercises_below(SHIPPED)
    assert sorted(exercise.name for exercise in exercises) == NAMES
    page = (ROOT / "docs" / "exercises.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([a-z0-9-]+)` \| .* \| (\d+) \| (\d+) \|$", page, re.MULTILINE)
    facts = [(exercise.name, str(exercise.points), str(exercise.content.minutes)) for exercise in exercises]
    assert listed == facts, "the page lists them in the order of the program"


def test_each_exercise_has_a_page_for_teachers() -> None:
    assert sorted(page.stem for page in PAGES.iterdir()) == NAMES


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_a_page_for_teachers_states_minutes_and_points(page: Path) -> None:
    """The page states the minutes, the points and the chapters of `exercise.toml`."""
    content = tomllib.loads((SHIPPED / page.stem / "exercise.toml").read_text(encoding="utf-8"))
    points = {chapter["title"]: sum(check.get("points", 1) for check in chapter["checks"])
              for chapter in content["chapters"]}  # fmt: skip
    text = page.read_text(encoding="utf-8")
    head = re.search(r"^(\d+) minutes, (\d+) points\.", text, re.MULTILINE)
    assert head is not None
    assert (int(head[1]), int(head[2])) == (content["minutes"], sum(points.values()))
    introduction = text.partition("## Common mistakes")[0]
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| (\d+) \|$", introduction, re.MULTILINE)
    assert rows == [(title, str(number)) for title, number in points.items()]


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_lists_of_exercises_link_each_page_for_teachers(page: Path) -> None:
    """The list of exercises and the list for teachers link the page."""
    for name in ("exercises.md", "teaching.md"):
        assert f"(exercises/{page.name})" in (ROOT / "docs" / name).read_text(encoding="utf-8"), name


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_exercise_fits_ten_students(name: str) -> None:
    exercise = load(SHIPPED / name)
    assert exercise.has_solution
    for position, student_id in enumerate(students(10)):
        student = exercise.of_student(student_id)
        refuse_unusable(student)
        if position % 4 == 0:
            for topology in (student.start(), *(student.reference(chapter) for chapter in exercise.content.chapters)):
                assert [str(problem) for problem in check(topology) if problem.severity == "error"] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_texts_of_a_shipped_exercise_are_plain(name: str) -> None:
    student = load(SHIPPED / name).of_student("1")
    content = student.exercise.content
    texts = [content.title, *content.aims]
    for chapter in content.chapters:
        texts += [chapter.title, *student.page(chapter).split("\n\n"), *(hint.text for hint in chapter.hints)]
        for each in student.checks(chapter, hidden=True):
            texts += [each.title, each.message]
    assert [(name, text) for text in texts for name in faults(text)] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_page_explains_how_to_answer_each_question(name: str) -> None:
    student = load(SHIPPED / name).of_student("1")
    for chapter in student.exercise.content.chapters:
        questions = {each.id for each in student.checks(chapter, hidden=False) if isinstance(each, checks.Answer)}
        assert set(re.findall(r"--answer ([a-z0-9-]+)=", student.page(chapter))) == questions


@pytest.mark.parametrize("name", NAMES)
def test_wrong_typed_answers_fail_and_right_ones_hold(name: str) -> None:
    exercise = load(SHIPPED / name)
    for student_id in students(10):
        student = exercise.of_student(student_id)
        for answer in exercise.content.wrong:
            questions = student.checks(exercise.chapter(answer.chapter), hidden=True)
            typed = right_answers(questions) | student.typed(answer)
            states = {each.check.id: each.state for each in without_lab(questions, typed, "") if each.check.id in typed}
            assert states == {task: "fails" if task in answer.answers else "holds" for task in typed}


def test_answers_about_a_bottleneck_agree_with_the_limits_of_its_queue() -> None:
    student = load(SHIPPED / "bufferbloat").of_student("7")
    measure, shorter, apart = student.exercise.content.chapters
    link = student.start().links[1]
    shape, rate = link.a_to_b, link.a_to_b.rate_mbit or 0.0
    answers = {key: float(text.split()[0]) for chapter in (measure, shorter, apart)
               for key, text in right_answers(student.checks(chapter, hidden=True)).items()}  # fmt: skip
    rtt_ms = shape.delay_ms + link.b_to_a.delay_ms
    limit = queue_limit_bytes(shape, link.b_to_a, link.a.frame_bytes) or 0
    assert answers["bdp"] == pytest.approx(bdp_bytes(rate, rtt_ms))
    assert answers["full"] == pytest.approx(limit * 8 / rate / 1e3)
    assert answers["longest"] == pytest.approx(answers["full"] + rtt_ms)
    one_bdp = shape.model_copy(update={"queue_packets": None, "queue_bdp": 1.0})
    one_bdp_bytes = queue_limit_bytes(one_bdp, link.b_to_a, link.a.frame_bytes) or 0
    assert (answers["packets"] - 1) * 1514 < one_bdp_bytes <= answers["packets"] * 1514
    assert student.reference(shorter).links[1].a_to_b.queue_packets == answers["packets"]


def test_variables_reach_text_topology_and_checks() -> None:
    student = two_as().of_student("42")
    asn = student.variables.values["as1"]
    session, networks = student.exercise.content.chapters
    assert f"r1 is the border router of AS {asn}," in student.page(session)
    router = student.reference(networks).node("r1")
    assert router is not None and router.bgp is not None and router.bgp.asn == asn  # type: ignore[union-attr]
    learned = next(each for each in student.checks(networks, hidden=True) if each.id == "r2-learns")
    assert (learned.as_path, learned.prefix) == (str(asn), str(student.variables.values["lan1"]))  # type: ignore[union-attr]


def test_hidden_checks_are_for_teachers() -> None:
    student = first_network().of_student("1")
    routes = student.exercise.content.chapters[1]
    everything, own = student.checks(routes, hidden=True), student.checks(routes, hidden=False)
    assert {each.id for each in everything} - {each.id for each in own} == {"no-default"}


def test_the_right_answer_counts_the_hosts_of_a_network() -> None:
    student = first_network().of_student("7")
    answers = right_answers(student.checks(student.exercise.content.chapters[0], hidden=True))
    lan = student.variables.values["lan1"]
    assert int(answers["lan1-size"]) == len(list(lan.hosts()))  # type: ignore[union-attr]


def test_the_skeleton_is_complete(tmp_path: Path) -> None:
    write_skeleton(tmp_path / "mine")
    refuse_unusable(load(tmp_path / "mine").of_student("1"))
    with pytest.raises(ExerciseError, match="exists already"):
        write_skeleton(tmp_path / "mine")


MISTAKES = [
    ("points = 3", "points = -3", "greater than or equal to 0"),
    ('protocol = "bgp"', 'protocol = "egp"', "protocol"),
    ('id = "r1-as"', 'id = "r2-as"', "2 checks have the id r2-as"),
    ('needs = ["r1-learns", "r2-learns"]', 'needs = ["pong"]', "needs pong"),
    ('loses = ["session-up", "r1-as"]', 'loses = ["ping"]', "has no check ping"),
    (
        'loses = ["session-up", "r1-as"]',
        'answers = { pong = "1" }\nloses = ["session-up", "r1-as"]',
        "has no check pong",
    ),
    ('loses = ["session-up", "r1-as"]', 'answers = { r1-as = "1" }\nloses = ["session-up"]', "r1-as is no question"),
    ('loses = ["session-up", "r1-as"]', "", "has no checks in loses"),
    ('file = "wrong-as.json"', "", "has a file with the checks that it loses, or answers"),
    ("minutes = 45", "minutes = 45\nmints = 3", "mints"),
    ("minutes = 45", "minutes =", "exercise.toml"),
    ('text = "session.md"', 'text = "../session.md"', "text"),
    ('text = "session.md"', 'text = "other.md"', "other.md is missing"),
    ("version = 1", "version = 2", "version"),
]


def copy_of(tmp_path: Path, file: str, right: str, wrong: str) -> Path:
    """A copy of an exercise in which a text is replaced."""
    folder = Path(shutil.copytree(SHIPPED / "two-as", tmp_path / "two-as"))
    text = (folder / file).read_text()
    assert right in text
    (folder / file).write_text(text.replace(right, wrong, 1))
    return folder


@pytest.mark.parametrize(("right", "wrong", "reason"), MISTAKES)
def test_a_mistake_is_described(tmp_path: Path, right: str, wrong: str, reason: str) -> None:
    folder = copy_of(tmp_path, "exercise.toml", right, wrong)
    with pytest.raises(ExerciseError, match=reason):
        load(folder)
    assert exercises_below(tmp_path) == []


UNUSABLE = [
    ("exercise.toml", 'node = "r1"\nneighbor', 'node = "r9"\nneighbor', "there is no node r9"),
    ("exercise.toml", 'next_hop = "{wire.1}"', 'next_hop = "{as1}"', "r2-learns"),
    ("exercise.toml", 'next_hop = "{wire.1}"', 'next_hop = "{wier.1}"', "is no variable"),
    ("exercise.toml", 'locked = ["h1"', 'locked = ["h9"', "h9 does not exist"),
    ("session.md", "{as1}", "{as9}", "session.md"),
    ("start.mn", "{lan1.10/}", "{lan9.10/}", "start.mn"),
    ("start.mn", "{lan1.10/}", "nowhere", "nowhere"),
    ("solution/session.mn", '"{as1}"', '"{as1"', "session.mn"),
]


@pytest.mark.parametrize(("file", "right", "wrong", "reason"), UNUSABLE)
def test_a_part_that_does_not_fit_is_described(tmp_path: Path, file: str, right: str, wrong: str, reason: str) -> None:
    student = load(copy_of(tmp_path, file, right, wrong)).of_student("1")
    with pytest.raises(ExerciseError, match=reason):
        refuse_unusable(student)


def test_a_reference_must_not_change_the_network(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(SHIPPED / "two-as", tmp_path / "two-as"))
    file = folder / "solution" / "session.mn"
    value = json.loads(file.read_text())
    del value["links"][1], value["miniedit_frr"]["links"][1]
    file.write_text(json.dumps(value))
    with pytest.raises(ExerciseError, match="a link between r1 and r2 is missing"):
        refuse_unusable(load(folder).of_student("1"))


def test_the_page_describes_every_setting() -> None:
    page = (ROOT / "docs" / "exercises.md").read_text(encoding="utf-8")
    for kind in (*get_args(get_args(checks.Check)[0]), *get_args(get_args(variables.Variable)[0])):
        name = get_args(kind.model_fields["kind"].annotation)[0]
        assert f"| `{name}` |" in page
        for field in kind.model_fields.keys() - {"kind"}:
            assert re.search(rf"[`(]{field}[` )]", page), (name, field)


@pytest.mark.parametrize("name", NAMES)
def test_two_wrong_answers_lose_each_check(name: str) -> None:
    """`exercise test` tries them in labs. A fault that is left in the network counts as a wrong answer."""
    content = load(SHIPPED / name).content
    losses = Counter(check_id for answer in content.wrong for check_id in answer.failing)
    losses.update(check_id for fault in content.faults for check_id in fault.loses)
    checks = [check.id for chapter in content.chapters for check in chapter.checks]
    assert {check_id: losses[check_id] for check_id in checks if losses[check_id] < 2} == {}


@pytest.mark.parametrize("name", NAMES)
def test_every_wrong_network_belongs_to_a_wrong_answer(name: str) -> None:
    exercise = load(SHIPPED / name)
    files = {path.name for path in (exercise.folder / "wrong").iterdir()}
    assert files == {answer.file for answer in exercise.content.wrong if answer.file}
