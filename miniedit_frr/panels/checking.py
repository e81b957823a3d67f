"""Checks the drawing while it is drawn: in a thread, so that the window never waits for it."""

from __future__ import annotations

import queue
import threading
import tkinter as tk
from collections.abc import Callable
from dataclasses import dataclass

from frrlib.model.addressing import addressed
from frrlib.model.check import Problem, check
from frrlib.model.topology import Topology

_POLL_MS = 30
#: While an edit follows an edit nothing is checked.
_PAUSE_MS = 120


@dataclass(frozen=True)
class Findings:
    """What was found out about a topology: its problems, and itself with automatic names and addresses."""

    topology: Topology
    problems: tuple[Problem, ...]
    addressed: Topology


class Checker:
    """Finds out about the newest topology it was given; older ones are dropped.

    Args:
        root: a widget, for its timer.
        deliver: called in the window's thread with what was found.
    """

    def __init__(self, root: tk.Misc, deliver: Callable[[Findings], None]) -> None:
        self._root, self._deliver = root, deliver
        self._asked: queue.SimpleQueue[Topology] = queue.SimpleQueue()
        self._found: queue.SimpleQueue[Findings] = queue.SimpleQueue()
        self._newest: Topology | None = None
        self._timer = ""
        threading.Thread(target=self._work, name="check", daemon=True).start()

    @property
    def is_busy(self) -> bool:
        """Whether an answer is still to come."""
        return bool(self._timer)

    def submit(self, topology: Topology) -> None:
        """Ask about a topology; the answer comes later, unless another question comes before it."""
        self.close()
        self._newest = topology
        self._timer = self._root.after(_PAUSE_MS, self._ask)

    def close(self) -> None:
        """No more answers."""
        if self._timer:
            self._root.after_cancel(self._timer)
            self._timer = ""

    def _work(self) -> None:
        while True:
            topology = self._asked.get()
            while not self._asked.empty():
                topology = self._asked.get()
            self._found.put(Findings(topology, tuple(check(topology)), addressed(topology)))

    def _ask(self) -> None:
        if self._newest is not None:
            self._asked.put(self._newest)
        self._timer = self._root.after(_POLL_MS, self._poll)

    def _poll(self) -> None:
        self._timer = ""
        while not self._found.empty():
            findings = self._found.get()
            if findings.topology is self._newest:
                self._newest = None
                self._deliver(findings)
        if self._newest is not None:
            self._timer = self._root.after(_POLL_MS, self._poll)
