"""Events of a window that Python gets: its own, not those of the widgets in it."""

from __future__ import annotations

import cProfile
import pstats
import tkinter as tk
from pathlib import Path

import pytest
import ttkbootstrap as ttk

from miniedit_frr.document.document import Document
from miniedit_frr.widgets.own_events import bind_own_event
from tests.window.hands_on_window import User, editor_on

pytestmark = pytest.mark.gui


def test_a_function_is_called_for_the_window_and_not_for_its_widgets(user: User) -> None:
    window, calls = tk.Toplevel(user.editor.window), []
    bind_own_event(window, "<Destroy>", lambda: calls.append("first"))
    bind_own_event(window, "<Destroy>", lambda: calls.append("second"))
    inner = ttk.Frame(window)
    ttk.Button(inner)
    inner.destroy()
    assert calls == []
    window.destroy()
    assert calls == ["first", "second"]


def test_a_function_is_called_when_the_window_around_its_widget_is_destroyed(user: User) -> None:
    window, calls = tk.Toplevel(user.editor.window), []
    bind_own_event(ttk.Frame(window), "<Destroy>", lambda: calls.append("frame"))
    window.destroy()
    assert calls == ["frame"]


def test_closing_the_editor_calls_python_for_few_of_its_widgets(display: str, tmp_path: Path) -> None:
    with editor_on(Document(), tmp_path) as editor:
        count = _count_widgets(editor.window)
        with cProfile.Profile() as profile:
            editor.close()
    calls = sum(row[1] for key, row in pstats.Stats(profile).stats.items() if key[2] == "_substitute")  # type: ignore[attr-defined]
    assert count > 100
    assert calls < count / 2  # it was more than six for each widget


def _count_widgets(widget: tk.Misc) -> int:
    return 1 + sum(map(_count_widgets, widget.winfo_children()))
