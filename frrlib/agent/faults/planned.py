"""Faults that are planned beside flows: each at its time, and its result."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from frrlib.agent import processes
from frrlib.agent.faults.course import FaultTimeline, wait_until
from frrlib.errors import LabError
from frrlib.wire.plan import FaultPlan

#: Changed values are read back when nothing comes due for so long: the clock must not wait for an answer.
READING_S = 0.5
#: How long the end waits for what is being made or read back.
_END_PATIENCE_S = 30.0
#: What is done in the cable, at once and by the clock's own thread. All else may take its time.
_IN_THE_CABLE = frozenset(("loss", "link-values"))


class PlannedFaults:
    """Planned faults. What happens in the cable does so in one thread, in order and at its time.

    Args:
        course: of all faults.
        make: makes one.
        read_back: what the kernel tells of a link whose values have changed.
        plans: what is planned.

    Attributes:
        results: one for each plan, as `wire.RunFlows` says. Of changes that follow each other quickly the last is
            read back.
    """

    def __init__(
        self,
        course: FaultTimeline,
        make: Callable[[FaultPlan], None],
        read_back: Callable[[FaultPlan], dict[str, Any]],
        plans: Sequence[FaultPlan],
    ) -> None:
        self._course, self._make, self._read_back, self._plans = course, make, read_back, plans
        self.results: list[dict[str, Any] | None] = [None] * len(plans)
        self._over = threading.Event()
        self._clock: threading.Thread | None = None

    def begin(self, zero_s: float) -> None:
        """From now on they come; their times count from `zero_s`, a time of the lab's clock."""
        in_order = sorted(range(len(self._plans)), key=lambda number: self._plans[number].time_s)
        by_clock = [number for number in in_order if self._plans[number].fault in _IN_THE_CABLE]
        if by_clock:
            self._clock = threading.Thread(target=self._keep_time, args=(by_clock, zero_s), name="clock", daemon=True)
            self._clock.start()
        for number in in_order:
            if self._plans[number].fault not in _IN_THE_CABLE:
                self._course.start_thread(self._by_itself, number, zero_s)

    def end(self) -> None:
        """No more of them comes."""
        self._over.set()
        if self._clock is not None:
            self._clock.join(_END_PATIENCE_S)

    def _by_itself(self, number: int, zero_s: float) -> None:
        plan = self._plans[number]
        if wait_until(zero_s + plan.time_s, self._over, self._course.ended):
            self._attempt(number, self._made)

    def _keep_time(self, numbers: Iterable[int], zero_s: float) -> None:
        processes.prefer()
        unread: dict[str, int] = {}
        for number in numbers:
            plan = self._plans[number]
            due_s = zero_s + plan.time_s
            if due_s - time.monotonic() > READING_S:
                self._read(unread)
            if not wait_until(due_s, self._over, self._course.ended):
                break
            unread.pop(plan.target, None)
            if self._attempt(number, self._made) and plan.fault == "link-values":
                unread[plan.target] = number
        self._read(unread)

    def _read(self, unread: dict[str, int]) -> None:
        for number in unread.values():
            self._attempt(number, self._read_back)
        unread.clear()

    def _made(self, plan: FaultPlan) -> dict[str, Any]:
        self._make(plan)
        return {}

    def _attempt(self, number: int, do: Callable[[FaultPlan], dict[str, Any]]) -> bool:
        """Do it and keep what comes of it; whether it went well."""
        plan = self._plans[number]
        try:
            self.results[number] = do(plan)
        except LabError as error:
            self.results[number] = {"error": f"{plan.fault} {plan.target}: {error}"}
        except Exception as error:  # whatever it is, the run must tell of it
            self.results[number] = {"error": f"{plan.fault} {plan.target}: {type(error).__name__}: {error}"}
        else:
            return True
        return False
