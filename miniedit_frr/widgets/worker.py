"""Slow work in threads. Results are passed to functions that run in the window's thread."""

from __future__ import annotations

import queue
import threading
import tkinter as tk
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from miniedit_frr.widgets.deferred import DeferredCall

Result = TypeVar("Result")
_POLL_MS = 40


class Worker:
    """The threads of a widget. Results are dropped after the widget is destroyed.

    Args:
        widget: the widget whose thread receives the results.
    """

    def __init__(self, widget: tk.Misc) -> None:
        self._calls: queue.SimpleQueue[tuple[Callable[[], object], bool]] = queue.SimpleQueue()
        self._at_work = 0
        self._look = DeferredCall(widget, self._run_calls)

    def do(
        self,
        name: str,
        work: Callable[[], Result],
        then: Callable[[Result], object] = lambda result: None,
        failed: Callable[[Exception], object] | None = None,
    ) -> None:
        """Run a function in a new thread.

        Args:
            name: name of the thread.
            work: the function.
            then: called in the window's thread with the result.
            failed: called in the window's thread with an exception; by default the exception is raised there.
        """
        self._at_work += 1
        args = (work, then, failed if failed is not None else _raise)
        threading.Thread(target=self._work, args=args, name=name, daemon=True).start()
        self._look.soon(_POLL_MS)

    def call(self, function: Callable[[], object]) -> None:
        """Call a function in the window's thread, before the result is passed on. For use in a worker's thread."""
        self._calls.put((function, False))

    def _work(
        self, work: Callable[[], Any], then: Callable[[Any], object], failed: Callable[[Exception], object]
    ) -> None:
        try:
            result = work()
        except Exception as error:  # passed to `failed`
            self._calls.put((partial(failed, error), True))
        else:
            self._calls.put((partial(then, result), True))

    def _run_calls(self) -> None:
        try:
            while not self._calls.empty():
                function, is_last = self._calls.get()
                self._at_work -= is_last
                function()
        finally:
            if self._at_work:
                self._look.soon(_POLL_MS)


def _raise(error: Exception) -> None:
    raise error
