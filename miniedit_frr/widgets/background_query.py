"""Asks slow questions in a thread: the newest one is answered, older ones are dropped."""

from __future__ import annotations

import queue
import threading
import tkinter as tk
from collections.abc import Callable
from typing import Generic, TypeVar

Q = TypeVar("Q")
A = TypeVar("A")
_POLL_MS = 40


class BackgroundQuery(Generic[Q, A]):
    """Answers questions by a function that may block, without making the window wait.

    Args:
        root: a widget, for its timer.
        answer: called in a thread.
        deliver: called in the window's thread with the newest question and its answer.
        pause_ms: during a series of questions nothing is asked.
    """

    def __init__(
        self, root: tk.Misc, answer: Callable[[Q], A], deliver: Callable[[Q, A], None], pause_ms: int = 350
    ) -> None:
        self._root, self._answer, self._deliver, self._pause_ms = root, answer, deliver, pause_ms
        self._answers: queue.SimpleQueue[tuple[Q, A]] = queue.SimpleQueue()
        self._wanted: Q | None = None
        self._is_asking = False
        self._timer = ""
        root.bind("<Destroy>", lambda event: self.close() if event.widget is root else None, add=True)

    @property
    def is_busy(self) -> bool:
        """Whether an answer is still to come."""
        return bool(self._timer)

    def ask(self, question: Q) -> None:
        """Ask; the answer comes later, unless another question comes before it."""
        self.close()
        self._wanted = question
        self._timer = self._root.after(self._pause_ms, self._begin)

    def close(self) -> None:
        """No more answers."""
        self._wanted = None
        if self._timer:
            self._root.after_cancel(self._timer)
            self._timer = ""

    def _begin(self) -> None:
        if not self._is_asking and self._wanted is not None:
            self._is_asking = True
            question = self._wanted
            threading.Thread(target=lambda: self._work(question), name="ask", daemon=True).start()
        self._timer = self._root.after(_POLL_MS, self._poll)

    def _work(self, question: Q) -> None:
        self._answers.put((question, self._answer(question)))

    def _poll(self) -> None:
        self._timer = ""
        while not self._answers.empty():
            question, answer = self._answers.get()
            self._is_asking = False
            if question == self._wanted:
                self._wanted = None
                self._deliver(question, answer)
        if self._wanted is not None:
            if self._is_asking:
                self._timer = self._root.after(_POLL_MS, self._poll)
            else:
                self._begin()
