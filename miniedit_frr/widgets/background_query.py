"""Slow queries in a thread. Only the newest question gets an answer; older ones are dropped."""

from __future__ import annotations

import queue
import threading
import tkinter as tk
from collections.abc import Callable
from typing import Generic, TypeVar

from miniedit_frr.widgets.own_events import bind_own_event

Q = TypeVar("Q")
A = TypeVar("A")
_POLL_MS = 40


class BackgroundQuery(Generic[Q, A]):
    """Answers questions by a function that may block, while the window stays responsive.

    Args:
        root: a widget, for its timer.
        answer: called in a thread.
        deliver: called in the window's thread with the newest question and its answer.
        pause_ms: time to wait for further questions before `answer` is called.
    """

    def __init__(
        self, root: tk.Misc, answer: Callable[[Q], A], deliver: Callable[[Q, A], None], pause_ms: int = 350
    ) -> None:
        self._root, self._answer, self._deliver, self._pause_ms = root, answer, deliver, pause_ms
        self._answers: queue.SimpleQueue[tuple[Q, A]] = queue.SimpleQueue()
        self._newest: Q | None = None
        self._is_working = False
        self._timer = ""
        bind_own_event(root, "<Destroy>", self.close)

    @property
    def is_busy(self) -> bool:
        """Whether an answer is pending."""
        return bool(self._timer)

    def ask(self, question: Q) -> None:
        """Ask a question. It is dropped if another question follows before its answer."""
        self.close()
        self._newest = question
        self._timer = self._root.after(self._pause_ms, self._begin)

    def close(self) -> None:
        """Cancel the pending question."""
        self._newest = None
        if self._timer:
            self._root.after_cancel(self._timer)
            self._timer = ""

    def _begin(self) -> None:
        if not self._is_working and self._newest is not None:
            self._is_working = True
            question = self._newest
            threading.Thread(target=lambda: self._work(question), name="ask", daemon=True).start()
        self._timer = self._root.after(_POLL_MS, self._poll)

    def _work(self, question: Q) -> None:
        self._answers.put((question, self._answer(question)))

    def _poll(self) -> None:
        self._timer = ""
        while not self._answers.empty():
            question, answer = self._answers.get()
            self._is_working = False
            if question == self._newest:
                self._newest = None
                self._deliver(question, answer)
        if self._newest is not None:
            if self._is_working:
                self._timer = self._root.after(_POLL_MS, self._poll)
            else:
                self._begin()
