"""Each condition that the random user checks is found when it is broken."""

from __future__ import annotations

from typing import Any

import pytest
import ttkbootstrap as ttk

from tests.random_user.invariants import violations
from tests.window.topologies import TWO_ROUTERS

LAB = TWO_ROUTERS


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
    frame = ttk.Frame(editor.window, width=20, height=20)
    frame.pack_propagate(False)
    frame.place(x=0, y=0)
    ttk.Button(frame, text="a text that is too long").pack(fill="x")
    editor.window.update()
    assert any("is cut" in text for text in violations(editor))
