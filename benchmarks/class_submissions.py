"""Submissions of a class for an exercise, each with the mark that it must get: honest, damaged and hostile ones.

The marks follow from `exercise.toml` alone: the points of a chapter less those of the checks that a known wrong network
loses. `class_of_200.py` grades them.
"""

from __future__ import annotations

import io
import json
import os
import random
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from ipaddress import IPv4Interface
from itertools import zip_longest
from pathlib import Path
from typing import Any

from frrlib.exercises.checks import Answer, Check
from frrlib.exercises.exercise import Exercise, StudentExercise, WrongAnswer
from frrlib.exercises.trial import right_answers
from frrlib.formats import mn
from frrlib.model.nodes import Router
from frrlib.model.protocols.vrf import Vrf
from frrlib.model.topology import Topology


@dataclass(frozen=True)
class ExpectedMark:
    """The mark that a submission must get.

    Attributes:
        file: name of its file; its first three characters are unique in the class.
        kind: the kind of submission.
        points: points.
        is_refused: whether it must not be graded, with a reason.
    """

    file: str
    kind: str
    points: int
    is_refused: bool = False


@dataclass(frozen=True)
class Work:
    """The content of a submission before it is written.

    Attributes:
        student: the exercise with the student's values.
        state: the content of `work.json`.
        topology: the topology at the end.
        chapters: the topology at the end of each chapter that was passed or restored.
        points: the mark that it must get.
    """

    student: StudentExercise
    state: dict[str, Any]
    topology: Topology
    chapters: Mapping[str, Topology]
    points: int

    def entries(self) -> dict[str, bytes]:
        """The entries of the zip file by name."""
        entries = {"work.json": json.dumps(self.state).encode(), "topology.mn": _mn(self.topology)}
        return {**entries, **{f"chapters/{name}.mn": _mn(topology) for name, topology in self.chapters.items()}}

    def with_changed(self, change: Callable[[Topology], Topology], points: int | None = None) -> Work:
        """The work with a change of all its topologies, and another mark."""
        chapters = {name: change(topology) for name, topology in self.chapters.items()}
        mark = self.points if points is None else points
        return Work(self.student, self.state, change(self.topology), chapters, mark)

    def with_state(self, points: int | None = None, **fields: object) -> Work:
        """The work with some fields of `work.json` changed, and another mark."""
        mark = self.points if points is None else points
        return Work(self.student, {**self.state, **fields}, self.topology, self.chapters, mark)


def _mn(topology: Topology) -> bytes:
    return mn.dumps(topology).encode()


def checks_of(student: StudentExercise) -> list[Check]:
    """All checks of an exercise, the hidden ones included."""
    return [check for chapter in student.exercise.content.chapters for check in student.checks(chapter, hidden=True)]


def work_until(exercise: Exercise, student_id: str, count: int, last: Topology | None = None, lost: int = 0) -> Work:
    """A work with the reference states of the first chapters, and the right answers to all questions.

    Args:
        exercise: the exercise.
        student_id: the student's id.
        count: number of chapters that were passed.
        last: the topology at the end; None for that of the last chapter that was passed.
        lost: points that the topology at the end loses in its chapter.
    """
    student, chapters = exercise.of_student(student_id), exercise.content.chapters
    passed = {chapter.id: student.reference(chapter) for chapter in chapters[:count]}
    states = {chapter_id: {"passed": True} for chapter_id in passed}
    points = sum(chapter.points for chapter in chapters[:count])
    if count < len(chapters) and last is not None:
        points += chapters[count].points - lost
    log = [{"time": "2026-03-02 10:00:00", "text": "started"}, {"time": "2026-03-02 10:20:00", "text": "handed in"}]
    state = {
        "exercise": exercise.name, "student": student_id, "name": "Ada Lovelace",
        "answers": right_answers(checks_of(student)), "chapters": states, "log": log,
    }  # fmt: skip
    return Work(student, state, last or (list(passed.values()) or [student.start()])[-1], passed, points)


def zip_bytes(entries: Mapping[str, bytes], link: str = "") -> bytes:
    """A zip file; the entry `link` is marked as a symbolic link."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.external_attr = (0o120777 if name == link else 0o100644) << 16
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return data.getvalue()


def own_lines(text: str) -> Callable[[Topology], Topology]:
    """A change that adds lines of FRR to the first router."""

    def change(topology: Topology) -> Topology:
        router = next(node for node in topology.nodes if isinstance(node, Router))
        lines = f"{router.frr_conf.rstrip()}\n{text}\n"
        return with_node(topology, router.name, frr_conf=lines)

    return change


def with_node(topology: Topology, name: str, **fields: object) -> Topology:
    """The topology with some fields of a node changed."""
    nodes = [node.model_copy(update=fields) if node.name == name else node for node in topology.nodes]
    return topology.model_copy(update={"nodes": tuple(nodes)})


def commands(text: str) -> Callable[[Topology], Topology]:
    """A change that makes all nodes execute a shell command at their start and end."""

    def change(topology: Topology) -> Topology:
        fields = {"start_command": text, "stop_command": text}
        return topology.model_copy(update={"nodes": tuple(node.model_copy(update=fields) for node in topology.nodes)})

    return change


# --- honest kinds ---------------------------------------------------------------------------------------------------


def _right(exercise: Exercise, student: str) -> Work:
    return work_until(exercise, student, len(exercise.content.chapters))


def _empty(exercise: Exercise, student: str) -> Work:
    work = work_until(exercise, student, 0)
    points = sum(check.points for check in exercise.content.chapters[0].checks if check.holds_at_start)
    return work.with_state(points, answers={})


def _half(exercise: Exercise, student: str) -> Work:
    """The first chapter is passed, and nothing of the second one is done except its questions."""
    work = work_until(exercise, student, 1)
    following = exercise.content.chapters[1].checks
    free = sum(check.points for check in following if not check.needs_lab or check.holds_at_start)
    return work.with_state(work.points + free)


def _hints(exercise: Exercise, student: str) -> Work:
    work = _right(exercise, student)
    chapter = exercise.content.chapters[0]
    states = {**work.state["chapters"], chapter.id: {"passed": True, "hints": 1}}
    return work.with_state(work.points - chapter.hints[0].price, chapters=states)


def _restored(exercise: Exercise, student: str) -> Work:
    work = _right(exercise, student)
    chapter = exercise.content.chapters[0]
    states = {**work.state["chapters"], chapter.id: {"restored": True}}
    return work.with_state(work.points - chapter.points, chapters=states)


def _wrong_answer(exercise: Exercise, student: str) -> Work:
    return _answered(exercise, student, "nonsense")


def _answered(exercise: Exercise, student: str, text: str) -> Work:
    """All is right except the first typed answer."""
    work = _right(exercise, student)
    question = next(check for check in checks_of(exercise.of_student(student)) if isinstance(check, Answer))
    return work.with_state(work.points - question.points, answers={**work.state["answers"], question.id: text})


def _wrong_network(wrong: WrongAnswer) -> Callable[[Exercise, str], Work]:
    """All chapters before that of a known wrong network are right, its own has the wrong network and right answers."""

    def make(exercise: Exercise, student: str) -> Work:
        position = [chapter.id for chapter in exercise.content.chapters].index(wrong.chapter)
        checks = exercise.content.chapters[position].checks
        lost = sum(check.points for check in checks if check.id in wrong.loses)
        topology = exercise.of_student(student).wrong(wrong)
        return work_until(exercise, student, position, topology, lost)

    return make


# --- hostile networks: each costs nothing, or only itself -----------------------------------------------------------

#: Shell commands, which do not count; whoever executes them notices it.
_COMMANDS = {
    "fork-bomb": ":(){ :|:& };:",
    "endless-command": "while :; do sleep 1000; done",
    "two-gb-of-logs": "head -c 2G /dev/zero > /run/lab/files/log; yes > /tmp/log",
    "links-in-results": "ln -sfn /etc/passwd /run/lab/files/grades.csv; ln -sfn / /run/lab/files/root",
}
#: Lines of FRR, which do count.
_LINES = {
    "debug-logs": "log file /tmp/frr.log debugging\nlog commands\ndebug zebra events\ndebug zebra packet detail\n"
                  "debug zebra kernel msgdump send\ndebug zebra kernel msgdump recv",
    "200-routes": "\n".join(f"ip route 198.{18 + n // 65536}.{n // 256 % 256}.{n % 256}/32 Null0" for n in range(200)),
}  # fmt: skip


def _executed(text: str) -> Callable[[Exercise, str], Work]:
    return lambda exercise, student: _right(exercise, student).with_changed(commands(text))


def _lines(text: str) -> Callable[[Exercise, str], Work]:
    return lambda exercise, student: _right(exercise, student).with_changed(own_lines(text))


def _loopbacks(exercise: Exercise, student: str) -> Work:
    """A router with 1000 addresses."""
    router = next(node.name for node in exercise.of_student(student).start().nodes if isinstance(node, Router))
    addresses = tuple(IPv4Interface(f"198.19.{number // 250}.{number % 250}/32") for number in range(1000))
    return _right(exercise, student).with_changed(lambda topology: with_node(topology, router, loopbacks=addresses))


def _folders(exercise: Exercise, student: str) -> Work:
    """Folders, kernel modules and parameters of the teacher's machine, which do not count."""
    fields = {
        "shown_folders": ("/etc",), "copied_folders": ("/root",), "kernel_modules": ("/tmp/tcp_evil.c",),
        "intended_problems": (),
    }  # fmt: skip
    return _right(exercise, student).with_changed(lambda topology: topology.model_copy(update=fields))


def _answers_only(exercise: Exercise, student: str, change: Callable[[Topology], Topology]) -> Work:
    """A change of all networks by which they lose everything except typed answers."""
    chapters = exercise.content.chapters
    points = sum(check.points for chapter in chapters for check in chapter.checks if isinstance(check, Answer))
    return _right(exercise, student).with_changed(change, points)


def _more_links(exercise: Exercise, student: str) -> Work:
    return _answers_only(exercise, student, lambda topology: topology.model_copy(update={"links": topology.links * 50}))


def _vrf(exercise: Exercise, student: str) -> Work:
    """A router with a VRF, which needs devices that the kernel of the place `namespace` may lack."""
    router = next(node.name for node in exercise.of_student(student).start().nodes if isinstance(node, Router))
    return _right(exercise, student).with_changed(lambda topology: with_node(topology, router, vrfs=(Vrf(name="red"),)))


def _claims(exercise: Exercise, student: str) -> Work:
    """The state says that everything is passed, but the networks are those of the start."""
    start = exercise.of_student(student).start()
    at_start = sum(
        check.points for chapter in exercise.content.chapters for check in chapter.checks if check.holds_at_start
    )
    work = _answers_only(exercise, student, lambda topology: start)
    return work.with_state(work.points + at_start)


def _many_addresses(exercise: Exercise, student: str) -> Work:
    """The start with 60,000 addresses of others in its lines, as descriptions."""
    text = "\n".join(f"! 11.{n // 65536}.{n // 256 % 256}.{n % 256}" for n in range(60_000))
    return _right(exercise, student).with_changed(own_lines(text))


def _markup(exercise: Exercise, student: str) -> Work:
    name = '=HYPERLINK("http://x")<script>alert(1)</script>'
    log = [{"time": "<b>", "text": "</pre><script>alert(2)</script>" + "x" * 400}] * 1000
    return _right(exercise, student).with_state(name=name, log=log)


Make = Callable[[Exercise, str], Work]
_NETWORKS: dict[str, Make] = {
    **{name: _executed(text) for name, text in _COMMANDS.items()},
    **{name: _lines(text) for name, text in _LINES.items()},
    "folders": _folders, "vrf": _vrf, "1000-loopbacks": _loopbacks, "more-links": _more_links, "claims": _claims,
    "many-addresses": _many_addresses, "markup": _markup,
    "long-number": lambda exercise, student: _answered(exercise, student, "9" * 200),
}  # fmt: skip


# --- damaged and hostile files --------------------------------------------------------------------------------------


def _changed_entries(work: Work) -> dict[str, bytes]:
    """Bad zip files by kind."""
    good = work.entries()
    state = work.state
    whole = zip_bytes(good)
    return {
        "truncated": whole[: len(whole) // 2],
        "nothing": b"",
        "junk": b"PK\x03\x04" * 100,
        "without-topology": zip_bytes({"work.json": good["work.json"]}),
        "other-exercise": zip_bytes({**good, "work.json": json.dumps({**state, "exercise": "other"}).encode()}),
        "id-with-path": zip_bytes({**good, "work.json": json.dumps({**state, "student": "../../x"}).encode()}),
        "control-characters": zip_bytes({**good, "work.json": json.dumps({**state, "name": "\x1b[2J"}).encode()}),
        "surrogate": zip_bytes({**good, "work.json": json.dumps({**state, "name": "\ud800"}).encode()}),
        "zip-bomb": zip_bytes({**good, "configurations/r1.conf": bytes(50_000_000)}),
        "other-path": zip_bytes({**good, "../../../tmp/evil": b"x"}),
        "link-entry": zip_bytes({**good, "topology.mn": b"/etc/passwd"}, link="topology.mn"),
        "deep-json": zip_bytes({**good, "topology.mn": b"[" * 1_000_000}),
    }


def _write_pipe(path: Path) -> None:
    os.mkfifo(path)


def _write_sparse(path: Path) -> None:
    with open(path, "wb") as file:
        file.truncate(10**12)


def _write_link(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def _write_folder(path: Path) -> None:
    path.mkdir()


_FILES: dict[str, Callable[[Path], None]] = {
    "pipe": _write_pipe, "sparse-terabyte": _write_sparse, "link-as-file": _write_link, "folder": _write_folder,
}  # fmt: skip
#: Right submissions in files with such names.
_NAMES = {
    "terminal-name": "\x1b]0;owned\x07\x1b[2J",
    "bytes-name": "\udcff\udcfe",
    "markup-name": "<img src=x onerror=y>",
}


# --- the class ------------------------------------------------------------------------------------------------------


def honest_kinds(exercise: Exercise) -> dict[str, Make]:
    """The honest kinds of submissions: right and wrong ones."""
    kinds: dict[str, Make] = {"right": _right}
    kinds |= {f"wrong {wrong.file}": _wrong_network(wrong) for wrong in exercise.content.wrong if wrong.file}
    kinds |= {"wrong-answer": _wrong_answer, "empty": _empty, "restored": _restored}
    if len(exercise.content.chapters) > 1:
        kinds["half"] = _half
    if exercise.content.chapters[0].hints:
        kinds["hints"] = _hints
    return kinds


def write_class(
    exercise: Exercise, folder: Path, count: int, seed: int, only: Sequence[str] = (), lacking: Collection[str] = ()
) -> list[ExpectedMark]:
    """Write submissions into an empty folder. Returns the mark that each must get, in the order of the files.

    Half of them are honest; each hostile kind comes once before any comes twice.

    Args:
        exercise: the exercise.
        folder: the folder.
        count: the number of submissions, up to 999.
        seed: a number from which the students' ids and the order follow.
        only: the kinds to write; empty for all.
        lacking: kinds whose networks need more than the place of the labs has.
    """
    honest = honest_kinds(exercise)
    networks, files = list(_NETWORKS), [*_changed_entries(_right(exercise, "x")), *_FILES, *_NAMES]
    hostile = [kind for pair in zip_longest(networks, files) for kind in pair if kind]
    chance = random.Random(seed)
    picked = [kinds[number % len(kinds)] for number in range((count + 1) // 2) for kinds in (list(honest), hostile)]
    if only:
        picked = [only[number % len(only)] for number in range(count)]
    picked = picked[:count]
    chance.shuffle(picked)
    ids = chance.sample(range(10_000, 100_000), count)
    written = [_write(exercise, folder, number, kind, f"s{ids[number]}", honest) for number, kind in enumerate(picked)]
    return [replace(mark, points=0, is_refused=True) if mark.kind in lacking else mark for mark in written]


def _write(
    exercise: Exercise, folder: Path, number: int, kind: str, student: str, honest: Mapping[str, Make]
) -> ExpectedMark:
    """Write one submission."""
    name = f"{number:03}-{_NAMES.get(kind, kind.replace(' ', '-'))}.zip"
    path = folder / name
    if kind in _FILES:
        _FILES[kind](path)
        return ExpectedMark(name, kind, 0, is_refused=True)
    make = {**honest, **_NETWORKS}.get(kind, _right)
    work = make(exercise, student)
    bad = _changed_entries(work) if make is _right and kind not in ("right", *_NAMES) else {}
    path.write_bytes(bad[kind] if bad else zip_bytes(work.entries()))
    return ExpectedMark(name, kind, 0 if bad else work.points, is_refused=bool(bad))


def kinds_of(exercise: Exercise) -> Iterator[str]:
    """The names of all kinds of submissions."""
    yield from (*honest_kinds(exercise), *_NETWORKS, *_changed_entries(_right(exercise, "x")), *_FILES, *_NAMES)
