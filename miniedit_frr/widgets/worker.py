"""Work that takes its time, in threads; what comes of it is handed back in the window's thread."""

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
    """The threads of a widget. Once the widget is gone nothing is handed back any more.

    Args:
        widget: in whose thread results are handed back.
    """

    def __init__(self, widget: tk.Misc) -> None:
        self._calls: queue.SimpleQueue[tuple[Callable[[], object], bool]] = queue.SimpleQueue()
        self._at_work = 0
        self._look = DeferredCall(widget, self._take)

    def do(
        self,
        name: str,
        work: Callable[[], Result],
        then: Callable[[Result], object] = lambda result: None,
        failed: Callable[[Exception], object] | None = None,
    ) -> None:
        """Have a thread work.

        Args:
            name: of the thread.
            work: called in it.
            then: called with its result.
            failed: called with what it raises; without it that is raised in the window's thread.
        """
        self._at_work += 1
        args = (work, then, failed if failed is not None else _raise)
        threading.Thread(target=self._work, args=args, name=name, daemon=True).start()
        self._look.soon(_POLL_MS)

    def call(self, what: Callable[[], object]) -> None:
        """From such a thread: have something called in the window's, before the result is handed back."""
        self._calls.put((what, False))

    def _work(
        self, work: Callable[[], Any], then: Callable[[Any], object], failed: Callable[[Exception], object]
    ) -> None:
        try:
            result = work()
        except Exception as error:  # whoever waits for the result hears of it
            self._calls.put((partial(failed, error), True))
        else:
            self._calls.put((partial(then, result), True))

    def _take(self) -> None:
        try:
            while not self._calls.empty():
                what, is_last = self._calls.get()
                self._at_work -= is_last
                what()
        finally:
            if self._at_work:
                self._look.soon(_POLL_MS)


def _raise(error: Exception) -> None:
    raise error
