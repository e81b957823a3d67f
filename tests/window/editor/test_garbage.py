"""The window collects all garbage while the pointer rests, and less while it moves."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from frrlib.picture.scene import Key
from miniedit_frr.document.document import Document
from miniedit_frr.window.garbage import Collector
from tests.waiting import comes
from tests.window.hands_on_window import User, editor_on, forget_closed_editors
from tests.window.topologies import EVERY_KIND


class Root:
    """A window with a timer that is rung by hand, and a pointer that is put somewhere."""

    def __init__(self) -> None:
        self.pointer, self.rings = (0, 0), [lambda: None]

    def after(self, pause_ms: int, callback: Callable[[], None]) -> str:
        self.rings.append(callback)
        return "timer"

    def after_cancel(self, timer: str) -> None:
        self.rings.clear()

    def winfo_pointerxy(self) -> tuple[int, int]:
        return self.pointer


@pytest.mark.parametrize(
    ("counts", "at_work", "at_rest"),
    [
        pytest.param((800, 3, 2), 0, 0, id="young"),
        pytest.param((800, 11, 2), 1, 1, id="middle"),
        pytest.param((800, 11, 12), 1, 2, id="all"),
        pytest.param((3, 2, 12), None, 2, id="all-alone"),
        pytest.param((800, 11, 41), 2, 2, id="overdue"),
        pytest.param((3, 2, 1), None, None, id="nothing"),
    ],
)
def test_all_garbage_is_collected_while_the_pointer_rests(
    counts: tuple[int, int, int], at_work: int | None, at_rest: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    collected: list[int] = []
    monkeypatch.setattr(gc, "get_count", lambda: counts)
    monkeypatch.setattr(gc, "get_threshold", lambda: (700, 10, 10))
    monkeypatch.setattr(gc, "collect", collected.append)
    root = Root()
    collector = Collector(root)  # type: ignore[arg-type]
    try:
        assert not gc.isenabled()
        for pointer, generation in (((5, 5), at_work), ((9, 9), at_work), ((9, 9), at_rest)):
            root.pointer = pointer
            root.rings[-1]()
            assert collected == ([] if generation is None else [generation])
            collected.clear()
    finally:
        collector.close()
    assert gc.isenabled()


def opened_and_closed(folder: Path) -> tuple[list[weakref.ref[object]], Any]:
    """Open an editor, select, edit and open a dialog, and close the editor; returns references to its parts, and
    its interpreter."""
    with editor_on(Document(EVERY_KIND), folder) as editor:
        user = User(editor)
        node = editor.document.topology.nodes[0]
        editor.view.select({Key("node", node.name)})
        editor.dialogs.open_selection()
        editor.edits.delete()
        user.wait(lambda: not editor.checker.is_busy)
        parts = (editor, editor.window, editor.view, editor.document, editor.properties, editor.scenario.panel)
        return [weakref.ref(part) for part in parts], editor.window.tk


def _are_gone(references: list[Any]) -> bool:
    forget_closed_editors()
    return not any(reference() is not None for reference in references)


@pytest.mark.gui
def test_a_closed_editor_is_freed(tmp_path: Path) -> None:
    closed = [opened_and_closed(tmp_path) for _ in range(5)]
    comes(partial(_are_gone, [part for parts, _ in closed for part in parts]))  # a thread may hold one until it ends
    assert [part() for parts, _ in closed for part in parts if part() is not None] == []
    # Only the list here, the loop, the counting and whoever keeps it hold an interpreter, which cannot be referred to
    # weakly.
    interpreters = [interpreter for _, interpreter in closed]
    del closed
    assert [sys.getrefcount(interpreter) for interpreter in interpreters] == [4] * 5
