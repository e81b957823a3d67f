"""A new exercise from two topologies: tried candidates, written files, and the command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.exercise import load
from frrlib.exercises.making.candidates import candidate_checks
from frrlib.exercises.making.choosing import useful_checks
from frrlib.exercises.making.verification import verify
from frrlib.exercises.making.writing import write_exercise
from frrlib.exercises.trial import refuse_unusable
from frrlib.formats import mn
from frrlib.model.topology import Topology
from tests.cli.commands import command_output, process_output
from tests.exercises.samples import SHIPPED, PretendedLab


def _ends(name: str) -> tuple[Topology, Topology]:
    """The start and the last reference state of a shipped exercise, for one student."""
    student = load(SHIPPED / name).of_student("1")
    return student.start(), student.reference(student.exercise.content.chapters[-1])


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """The files of a start and a solution."""
    paths = tmp_path / "start.mn", tmp_path / "solution.mn"
    for path, topology in zip(paths, _ends("first-network"), strict=True):
        path.write_text(mn.dumps(topology))
    return paths


def test_only_checks_that_tell_the_solution_from_the_start_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frrlib.exercises.evaluation._INTERVAL_S", 0.001)
    start, solution = _ends("ospf-costs")
    answering = {False: {"h2": 1}, True: {"h2": 1, "h3": 1}}
    sides: list[str] = []

    @contextmanager
    def labs(topology: Topology) -> Iterator[Any]:
        assert all("ospfd" in router.daemons or router.ospf for router in topology.routers)
        yield PretendedLab(topology, answering[any(router.ospf for router in topology.routers)])

    three = [
        replace(candidate, check=candidate.check.model_copy(update={"within_s": 0.0}))
        for candidate in candidate_checks(start, solution)
        if candidate.check.id in ("h1-h2-ping", "h2-h3-ping", "r1-r2-ospf")
    ]
    verified = verify(start, solution, three, labs, lambda side, outcome: sides.append(side))
    assert {result.candidate.check.id: result.problem for result in verified} == {
        "r1-r2-ospf": "does not hold in the solution: r1 has no OSPF neighbor r2",
        "h1-h2-ping": "holds at the start already",
        "h2-h3-ping": "",
    }
    assert sides == ["solution"] * 3 + ["start"] * 3
    assert [check.id for check in useful_checks(verified)] == ["h2-h3-ping"]
    checks = {check.id: check.holds_at_start for check in useful_checks(verified, ["h1-h2-ping", "r1-r2-ospf"])}
    assert checks == {"h1-h2-ping": True, "h2-h3-ping": False}


def test_a_written_exercise_can_be_read(tmp_path: Path) -> None:
    """Braces that are no variables, quotes and backslashes survive; students can start the daemons' shells."""
    start, solution = _ends("two-as")
    start, solution = (
        topology.model_copy(update={"title": 'A {net} of "two" \\ {{as1}}'}) for topology in (start, solution)
    )
    checks = [candidate.check for candidate in candidate_checks(start, solution) if candidate.is_proposed]
    checks[0] = checks[0].model_copy(update={"title": 'r1 {as} "r2"\\', "points": 7})
    write_exercise(tmp_path / "new", 'Two "AS" {x}', start, solution, checks)
    exercise = load(tmp_path / "new")
    student = exercise.of_student("1")
    refuse_unusable(student)
    (chapter,) = exercise.content.chapters
    assert student.checks(chapter, hidden=True) == tuple(checks)
    assert student.start().title == start.title
    assert student.reference(chapter) == solution
    assert (exercise.content.title, exercise.content.locked) == ('Two "AS" {x}', ("h1", "h2", "h3"))
    assert '- r1 {as} "r2"\\.' in student.page(chapter)
    assert "bgpd" in student.start().routers[0].daemons
    with pytest.raises(ExerciseError, match="exists already; choose another folder"):
        write_exercise(tmp_path / "new", "Again", start, solution, checks)
    with pytest.raises(ExerciseError, match="no check is chosen"):
        write_exercise(tmp_path / "other", "Empty", start, solution, [])
    assert not (tmp_path / "other").exists()


def test_an_absence_needs_the_neighbors_of_its_node(tmp_path: Path) -> None:
    """The other direction of the exercise: the solution has no route any more."""
    solution, start = _ends("two-as")
    checks = [candidate.check for candidate in candidate_checks(start, solution) if candidate.is_proposed]
    assert {check.id for check in checks if check.is_negative} > {"h1-h2-no-ping"}
    (route,) = [check for check in checks if check.kind == "route" and check.node == "r1"]
    assert not route.present
    neighbor = next(c.check for c in candidate_checks(solution, start) if c.check.id == "r1-r2-bgp")
    write_exercise(tmp_path / "new", "Less", start, solution, [route, neighbor])
    (chapter,) = load(tmp_path / "new").content.chapters
    assert [(check.id, check.needs) for check in chapter.checks] == [("r1-r2-bgp", ()), (route.id, ("r1-r2-bgp",))]


def test_the_command_lists_and_writes(files: tuple[Path, Path], tmp_path: Path) -> None:
    listed = command_output("exercise", "make", *files, "--list")
    assert "├── Static routes" in listed and "better: r1-static-" in listed
    values = json.loads(command_output("exercise", "make", *files, "--list", "--json"))
    ids = [value["id"] for value in values if value["proposed"]]
    assert "h1-h2-ping" in ids
    argv = ("exercise", "make", *files, "--to", tmp_path / "new", "--without-running", "--title", "Mine")
    written = json.loads(command_output(*argv, "--only", "h1-h2-ping,r1-line-1", "--json"))
    assert written["checks"] == ["h1-h2-ping", "r1-line-1"]
    assert load(tmp_path / "new").content.title == "Mine"
    assert "exists already" in command_output(*argv, status=2)


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        ((), "--to is missing; name a new folder for the exercise, or use --list"),
        (("--to", "new", "--only", "h1-h9-ping"), "there is no candidate h1-h9-ping; --list shows all"),
        (("--to", "new", "--without-running", "--only", "h1-h2-ping", "--without", "h1-h2-ping"), "no check is chosen"),
    ],
)
def test_wrong_input_writes_nothing(
    argv: tuple[str, ...], reason: str, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files[0].parent)
    assert reason in command_output("exercise", "make", *files, *argv, status=2)
    assert "do not differ" in command_output("exercise", "make", files[0], files[0], *argv, status=2)
    assert not Path("new").exists()


@pytest.mark.lab
@pytest.mark.slow
def test_a_new_exercise_passes_its_own_test(files: tuple[Path, Path], tmp_path: Path) -> None:
    """What the topologies alone determine is true in two labs: all hold in the solution, none at the start."""
    start, solution = map(str, files)
    process_output("exercise", "make", start, solution, "--to", "new", "--without-running", cwd=tmp_path)
    argv = ("exercise", "test", "./new", "--place", "namespace", "--trust", "--json")
    trials = json.loads(process_output(*argv, cwd=tmp_path))
    assert [(trial["subject"], trial["points"], trial["problems"]) for trial in trials] == [
        ("start", 0, []), ("solution tasks", 12, []),
    ]  # fmt: skip
