"""Deferred calls end with their widget: a window may be destroyed before Tk is idle."""

from __future__ import annotations

import ast
import tkinter as tk
from pathlib import Path
from typing import Any

import pytest

import miniedit_frr
from frrlib.picture.theme import LIGHT
from miniedit_frr.widgets.aside import put_aside
from miniedit_frr.widgets.ellipsis import keep_end_of
from miniedit_frr.widgets.tip import Tip

#: Modules whose calls are canceled elsewhere or check their widget first.
CANCELED = {"deferred.py", "dialog.py", "file_on_disk.py", "file_drop.py"}
#: Calls of the main window, which ends last.
OF_MAIN_WINDOW = {("live_plots", "controller.py")}


@pytest.mark.gui
def test_a_window_that_is_destroyed_at_once_leaves_no_call(user: Any) -> None:
    root = user.editor.window
    errors: list[str] = []
    root.tk.createcommand("bgerror", lambda *words: errors.append(" ".join(words)))
    before = set(root.tk.splitlist(root.tk.call("after", "info")))
    window = tk.Toplevel(root)
    put_aside(window, root)
    text = tk.StringVar(window)
    field = tk.Entry(window, textvariable=text)
    keep_end_of(field, text)
    text.set("a long path")
    Tip(field, lambda: LIGHT, 1.0).soon(lambda: "text", 0, 0)
    assert set(root.tk.splitlist(root.tk.call("after", "info"))) - before
    window.destroy()
    assert set(root.tk.splitlist(root.tk.call("after", "info"))) <= before
    root.update()
    assert errors == []


def test_widgets_defer_work_by_calls_that_end_with_them() -> None:
    folder = Path(miniedit_frr.__file__).parent
    undue = []
    for path in sorted(folder.rglob("*.py")):
        if path.name in CANCELED or (path.parent.name, path.name) in OF_MAIN_WINDOW:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and node.attr == "after_idle":
                undue.append(f"{path.relative_to(folder)}:{node.lineno}")
    assert undue == [], "use widgets.deferred.DeferredCall"
