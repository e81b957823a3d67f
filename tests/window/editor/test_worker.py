"""Threads of a widget: results arrive in the window's thread, in order, until the widget is destroyed."""

from __future__ import annotations

import threading
import tkinter as tk
from collections.abc import Iterator

import pytest

from miniedit_frr.widgets.worker import Worker
from miniedit_frr.window.garbage import release
from tests.waiting import pause, wait_for

pytestmark = pytest.mark.gui


@pytest.fixture
def window(display: str) -> Iterator[tk.Tk]:
    root = tk.Tk()
    yield root
    root.destroy()
    release(root)


def test_results_arrive_in_the_windows_thread(window: tk.Tk) -> None:
    worker, results, main = Worker(window), list[tuple[object, bool]](), threading.get_ident()

    def work() -> str:
        worker.call(lambda: results.append(("on the way", threading.get_ident() == main)))
        return "done" if threading.get_ident() != main else "no thread"

    worker.do("test", work, lambda result: results.append((result, threading.get_ident() == main)))
    wait_for(lambda: len(results) == 2, "both", meanwhile=window.update)
    assert results == [("on the way", True), ("done", True)]


def test_exceptions_go_to_the_caller_and_other_work_continues(window: tk.Tk) -> None:
    worker, results = Worker(window), list[object]()
    worker.do("test", lambda: 1 / 0, results.append, lambda error: results.append(type(error)))
    worker.do("test", lambda: "well", results.append)
    wait_for(lambda: len(results) == 2, "both", meanwhile=window.update)
    assert set(results) == {ZeroDivisionError, "well"}


def test_an_unhandled_error_is_reported_and_blocks_no_other_work(
    window: tk.Tk, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported, results = list[type](), list[object]()
    monkeypatch.setattr(window, "report_callback_exception", lambda kind, error, trace: reported.append(kind))
    worker = Worker(window)
    worker.do("test", lambda: 1 / 0)
    wait_for(lambda: reported, "the report", meanwhile=window.update)
    worker.do("test", lambda: "well", results.append)
    wait_for(lambda: results, "the other", meanwhile=window.update)
    assert reported == [ZeroDivisionError]


def test_a_destroyed_widget_gets_no_results(window: tk.Tk) -> None:
    frame, go, results = tk.Frame(window), threading.Event(), list[object]()
    Worker(frame).do("test", go.wait, results.append)
    frame.destroy()
    go.set()
    pause(0.2, window.update)
    assert results == []
