"""Each condition that the random user checks is found when it is broken."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import ttkbootstrap as ttk

from frrlib.model.nodes import Host
from frrlib.model.topology import Topology
from tests import keyboard
from tests.random_user.canvas_labels import avoidable_overlaps
from tests.random_user.focus import FocusWatch
from tests.random_user.invariants import violations
from tests.random_user.resources import leaks, resources_of
from tests.random_user.session import RecordedDocument, undo_everything
from tests.random_user.widget_texts import cut_texts
from tests.window.topologies import TWO_ROUTERS

LAB = TWO_ROUTERS
ONE, TWO = (Topology(nodes=tuple(Host(name=f"h{n}", x=100.0 * n) for n in range(count))) for count in (1, 2))


@pytest.mark.gui
def test_each_broken_condition_is_found(lab: Any) -> None:
    editor = lab.editor
    lab.wait(lambda: not editor.checker.is_busy)
    assert list(violations(editor)) == []
    editor.window.title("another.mn - MiniEdit-FRR")
    assert any("the title is" in text for text in violations(editor))
    editor.status.set("selection", "3 selected")
    assert any("the status bar says" in text for text in violations(editor))
    editor.view.selection = frozenset((next(iter(editor.view.scene.keys()))._replace(name="gone"),))
    assert any("selected, but not in the drawing" in text for text in violations(editor))


@contextmanager
def _small_frame(window: Any, width: int, height: int) -> Iterator[ttk.Frame]:
    frame = ttk.Frame(window, width=width, height=height)
    frame.pack_propagate(False)
    frame.place(x=0, y=0)
    yield frame
    frame.destroy()


@pytest.mark.gui
@pytest.mark.parametrize(
    ("width", "height", "kind", "fault"),
    [
        (20, 60, "Button", "the width"),
        (20, 60, "Label", "the width"),
        (20, 60, "Checkbutton", "the width"),
        (400, 8, "Button", "the height"),
        (400, 8, "Label", "the height"),
        (400, 8, "Entry", "the height"),
        (20, 60, "Entry", "the width"),
        (400, 60, "Label", ""),
        (400, 60, "Entry", ""),
    ],
)
def test_a_text_that_is_cut_is_found(user: Any, width: int, height: int, kind: str, fault: str) -> None:
    assert list(cut_texts(user.editor.window)) == []
    with _small_frame(user.editor.window, width, height) as frame:
        options = {} if kind == "Entry" else {"text": "a text that is too long"}
        getattr(ttk, kind)(frame, **options).pack(fill="both", expand=True)
        user.editor.window.update()
        found = list(cut_texts(user.editor.window))
    assert len(found) == bool(fault) and all(fault in text for text in found), found


@pytest.mark.gui
def test_a_text_behind_an_edge_is_found(user: Any) -> None:
    with _small_frame(user.editor.window, 100, 30) as frame:
        ttk.Label(frame, text="behind the edge").place(x=60, y=0)
        user.editor.window.update()
        (text,) = cut_texts(user.editor.window)
    assert "a side" in text
    with _small_frame(user.editor.window, 100, 30) as frame:
        ttk.Label(frame, text="ten letters of ten", width=5).place(x=0, y=0)
        user.editor.window.update()
        (text,) = cut_texts(user.editor.window)
    assert "the width" in text


@pytest.mark.gui
def test_a_text_on_the_canvas_that_covers_another_one_is_found_if_there_is_room(user: Any) -> None:
    user.document.apply("Draw", Topology(nodes=(Host(name="left", x=100, y=100), Host(name="right", x=300, y=100))))
    view = user.view
    assert list(avoidable_overlaps(view)) == []
    (key,) = [key for key in view.scene.nodes if key.name == "left"]
    (text,) = [item for item in view.items_of(key) if view.type(item) == "text"]
    view.move(text, 200 * view.factor, 0)
    faults = sorted(avoidable_overlaps(view))
    assert [fault.partition(",")[0] for fault in faults] == [
        "name 'left' of left covers 'right'", "name 'right' of right covers 'left'"
    ]  # fmt: skip
    # Names of nodes that surround each other have no room.
    places = [(x, y) for x in range(0, 160, 46) for y in range(0, 160, 46)]
    crowd = tuple(Host(name=f"host{n}", x=x, y=y) for n, (x, y) in enumerate(places))
    user.document.apply("Draw", Topology(nodes=crowd))
    inner = [key.name for key, node in view.scene.nodes.items() if min(node.at) > 0 and max(node.at) < 138]
    assert inner and not any(f"of {name} covers" in fault for fault in avoidable_overlaps(view) for name in inner)


@pytest.mark.gui
def test_a_hidden_focus_is_found(user: Any) -> None:
    window, watch = user.editor.window, FocusWatch(user.editor)
    keyboard.give(user.view)
    assert list(watch.violations()) == []
    with _small_frame(window, 100, 40) as frame:
        entry = ttk.Entry(frame)
        entry.place(x=0, y=0)
        keyboard.give(entry)
        assert list(watch.violations()) == []
        keyboard.give(user.view)
        assert list(watch.violations()) == []
        entry.place(x=300, y=0)
        keyboard.give(entry)
        (fault,) = watch.violations()
        assert "has the keyboard, out of sight" in fault
    keyboard.give(user.view)
    assert list(watch.violations()) == []


@pytest.mark.gui
def test_things_that_stay_are_found(user: Any) -> None:
    window = user.editor.window
    before = resources_of(user.editor)
    assert leaks(before, resources_of(user.editor)) == []
    kept = [tk.Toplevel(window) for _ in range(3)]
    files = [open("/proc/self/status") for _ in range(20)]  # noqa: SIM115
    faults = leaks(before, resources_of(user.editor))
    assert [fault.partition(":")[0] for fault in faults] == ["windows leak", "descriptors leak"]
    assert "20 /proc/" in faults[1]
    for file in files:
        file.close()
    for each in kept:
        each.destroy()
    assert leaks(before, resources_of(user.editor)) == []


def test_another_drawing_after_undo_is_found() -> None:
    document = RecordedDocument()
    document.apply("One", ONE)
    document.apply("Two", TWO)
    assert undo_everything(document) == [] and document.topology == Topology()
    document.redo()
    document.start = TWO
    assert undo_everything(document) == ["undo of everything gives another drawing"] * 2


def test_the_drawing_at_the_start_is_that_of_the_history(tmp_path: Any) -> None:
    document = RecordedDocument()
    document.begin("Open", ONE)
    document.apply("Two", TWO)
    assert undo_everything(document) == [] and document.start == Topology()
    document.redo()
    document.save(tmp_path / "one.mn")
    document.open(tmp_path / "one.mn")
    document.apply("Two", TWO)
    assert undo_everything(document) == [] and document.start == ONE
    document.recover(TWO, None, "")
    document.apply("One", ONE)
    assert undo_everything(document) == [] and document.start == TWO
    assert document.changes > 5


def test_only_a_running_lab_may_refuse_to_undo() -> None:
    document = RecordedDocument()
    document.apply("One", ONE)
    document.restrict(lambda old, new: "the lab cannot follow")
    assert undo_everything(document, may_refuse=True) == []
    assert undo_everything(document) == ["undo of One is refused"] * 2
