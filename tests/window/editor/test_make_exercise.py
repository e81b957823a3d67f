"""File > Make Exercise: from two drawings to a written exercise, with keys and the mouse."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from frrlib.errors import LabFailed
from frrlib.exercises.exercise import load
from frrlib.formats import mn
from frrlib.model.topology import Topology
from miniedit_frr.exercises_view.make_window import MakeExerciseWindow
from tests import keyboard
from tests.exercises.samples import SHIPPED, PretendedLab
from tests.window.hands_on_window import User

pytestmark = [pytest.mark.gui]


class PathlessLab(PretendedLab):
    """A pretended lab whose kernels know no paths."""

    def path(self, source: str, destination: str, *, trace: bool = True) -> Any:
        raise LabFailed("no path is known")


@contextmanager
def answering(topology: Topology) -> Iterator[Any]:
    """A pretended lab: h2 answers everywhere, h3 only in the solution, which has OSPF."""
    yield PathlessLab(topology, {"h2": 1, "h3": 1} if any(router.ospf for router in topology.routers) else {"h2": 1})


def opened(user: User, start: Path) -> MakeExerciseWindow:
    """The window with the candidates of a start, while the solution is open as a drawing."""
    maker = user.editor.exercises.maker
    maker.open()
    window: MakeExerciseWindow = maker.window
    keyboard.press(window.make_button, "<Key-space>")
    assert window.fault.get() == "The start is missing: choose the file with the network that students start with."
    keyboard.write(window.entries["start"], str(start), "<Key-Return>")
    user.wait(lambda: window.candidates.candidates)
    return window


def box_of(window: MakeExerciseWindow, row: str) -> tuple[int, int]:
    """A point in the box of a row."""
    tree = window.candidates.tree
    x, y, wide, high = tree.bbox(row, "#0")
    middle = y + high // 2
    return next(at for at in range(x, x + wide) if tree.identify_element(at, middle).endswith("image")) + 3, middle


def test_an_exercise_from_two_drawings(user: User, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("frrlib.exercises.evaluation._INTERVAL_S", 0.001)
    student = load(SHIPPED / "ospf-costs").of_student("1")
    start = tmp_path / "start.mn"
    start.write_text(mn.dumps(student.start()))
    user.document.apply("Draw", student.reference(student.exercise.content.chapters[-1]))
    window = opened(user, start)
    maker, tree = user.editor.exercises.maker, window.candidates.tree
    titles = [check.title for check in window.candidates.ticked]
    assert "r1 and r2 are OSPF neighbors" in titles and not any("has the line" in title for title in titles)

    # The box with the mouse, and the space bar; a group ticks all.
    tree.see("h1-h2-path")
    user.editor.window.update()
    x, y = box_of(window, "h1-h2-path")
    tree.event_generate("<Button-1>", x=x, y=y)
    tree.event_generate("<ButtonRelease-1>", x=x, y=y)
    assert "h1-h2-path" not in {check.id for check in window.candidates.ticked}
    user.wait(lambda: "If it fails, students read: Packets take another path." in window.detail.get())
    keyboard.press(tree, "<Key-space>")
    assert "h1-h2-path" in {check.id for check in window.candidates.ticked}
    tree.selection_set("group Learned routes")
    tree.focus("group Learned routes")
    keyboard.press(tree, "<Key-space>", "<Key-space>")
    assert not any(check.kind == "route" for check in window.candidates.ticked)

    # Points: Return takes them, Escape and a text that is no number leave them, and the window stays.
    tree.see("h2-h3-ping")
    tree.focus("h2-h3-ping")
    for text, end, points in (("7", "<Key-Return>", 7), ("9", "<Key-Escape>", 7), ("x", "<Key-Return>", 7)):
        keyboard.press(tree, "<Key-F2>")
        entry = window.candidates.points_entry
        assert entry is not None
        keyboard.write(entry, text, end)
        assert [check.points for check in window.candidates.ticked if check.id == "h2-h3-ping"] == [points]
    assert window.winfo_exists()

    # Labs: only the ping of h3 tells the solution from the start. The first labs are canceled.
    has_escaped = Event()

    @contextmanager
    def slow(topology: Topology) -> Iterator[Any]:
        assert has_escaped.wait(60)
        with answering(topology) as lab:
            yield lab

    maker.make_starter = lambda place, on_lab: slow
    keyboard.press(window.attempt_button, "<Key-space>", "<Key-Escape>")
    has_escaped.set()
    user.wait(lambda: not maker.is_trying)
    assert window.winfo_exists() and window.candidates.result("h1-h2-ping") is None
    maker.make_starter = lambda place, on_lab: answering
    keyboard.press(window.attempt_button, "<Key-space>")
    user.wait(lambda: window.candidates.result("h1-h2-ping"))
    assert {check.id for check in window.candidates.ticked} == {"h1-h3-ping", "h2-h3-ping"}
    assert [str(value) for value in tree.item("h1-h2-ping", "values")] == ["2", "✓ holds", "✓ holds"]
    assert [str(value) for value in tree.item("r1-r2-ospf", "values")] == ["1", "✗ fails", "✗ fails"]

    # Make: a check that fails in the solution is refused, one that holds at the start is marked.
    window.fields["folder"].set(str(tmp_path / "new"))
    window.fields["title"].set("Mine")
    window.candidates.set_ticks({"r1-r2-ospf": True, "h1-h2-ping": True})
    keyboard.press(window.make_button, "<Key-space>")
    assert window.fault.get() == '"r1 and r2 are OSPF neighbors" does not hold in the solution: untick it.'
    window.candidates.set_ticks({"r1-r2-ospf": False})
    keyboard.press(window.make_button, "<Key-space>")
    user.wait((tmp_path / "new" / "exercise.toml").is_file)
    content = load(tmp_path / "new").content
    checks = [(check.id, check.points, check.holds_at_start) for check in content.chapters[0].checks]
    assert content.title == "Mine"
    assert checks == [("h1-h2-ping", 2, True), ("h1-h3-ping", 2, False), ("h2-h3-ping", 7, False)]

    # Nothing is overwritten; a start that cannot be read is named; Escape closes the window.
    keyboard.press(window.make_button, "<Key-space>")
    user.wait(lambda: "exists already" in window.fault.get())
    window.fields["start"].set(str(tmp_path / "nothing.mn"))
    keyboard.press(window.entries["start"], "<Key-Return>")
    user.wait(lambda: window.fault.get() == "nothing.mn: cannot be read: No such file or directory.")
    assert window.candidates.candidates == ()
    keyboard.press(window, "<Key-Escape>")
    assert not window.winfo_exists()
