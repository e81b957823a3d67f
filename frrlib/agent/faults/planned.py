"""Faults that are planned beside flows: each at its time, with its result."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from frrlib.agent import processes
from frrlib.agent.faults.timeline import FaultTimeline, wait_until
from frrlib.errors import LabError
from frrlib.wire.plan import FaultPlan

#: Changed values are read back if no other change is due within this time, since the clock must not wait for a reply.
READING_S = 0.5
#: How long the end waits for a fault or a read-back under way.
_END_PATIENCE_S = 30.0
#: Faults of the cable, applied without delay in the clock's own thread. All other faults may take their time.
_CABLE_FAULTS = frozenset(("loss", "link-values"))


class PlannedFaults:
    """Planned faults. Those of the cable are applied by one thread, in order and on time.

    Args:
        timeline: the timeline of all faults.
        make: injects a fault.
        read_back: returns the kernel's read-back of a link with changed values.
        plans: the planned faults.

    Attributes:
        results: one for each plan, as in `wire.RunFlows`. Of changes in quick succession the last is read back.
    """

    def __init__(
        self,
        timeline: FaultTimeline,
        make: Callable[[FaultPlan], None],
        read_back: Callable[[FaultPlan], dict[str, Any]],
        plans: Sequence[FaultPlan],
    ) -> None:
        self._timeline, self._make, self._read_back, self._plans = timeline, make, read_back, plans
        self.results: list[dict[str, Any] | None] = [None] * len(plans)
        self._closed = threading.Event()
        self._clock: threading.Thread | None = None

    def begin(self, zero_s: float) -> None:
        """Start the faults. Their times count from `zero_s`, a time of the lab's clock."""
        in_order = sorted(range(len(self._plans)), key=lambda number: self._plans[number].time_s)
        by_clock = [number for number in in_order if self._plans[number].fault in _CABLE_FAULTS]
        if by_clock:
            self._clock = threading.Thread(
                target=self._run_in_order, args=(by_clock, zero_s), name="clock", daemon=True
            )
            self._clock.start()
        for number in in_order:
            if self._plans[number].fault not in _CABLE_FAULTS:
                self._timeline.start_thread(self._run_alone, number, zero_s)

    def end(self) -> None:
        """Start no more of the faults."""
        self._closed.set()
        if self._clock is not None:
            self._clock.join(_END_PATIENCE_S)

    def _run_alone(self, number: int, zero_s: float) -> None:
        plan = self._plans[number]
        if wait_until(zero_s + plan.time_s, self._closed, self._timeline.ended):
            self._attempt(number, self._inject)

    def _run_in_order(self, numbers: Iterable[int], zero_s: float) -> None:
        processes.prioritize()
        unread: dict[str, int] = {}
        for number in numbers:
            plan = self._plans[number]
            due_s = zero_s + plan.time_s
            if due_s - time.monotonic() > READING_S:
                self._read_changed(unread)
            if not wait_until(due_s, self._closed, self._timeline.ended):
                break
            unread.pop(plan.target, None)
            if self._attempt(number, self._inject) and plan.fault == "link-values":
                unread[plan.target] = number
        self._read_changed(unread)

    def _read_changed(self, unread: dict[str, int]) -> None:
        for number in unread.values():
            self._attempt(number, self._read_back)
        unread.clear()

    def _inject(self, plan: FaultPlan) -> dict[str, Any]:
        self._make(plan)
        return {}

    def _attempt(self, number: int, action: Callable[[FaultPlan], dict[str, Any]]) -> bool:
        """Call a function for a fault and store its result. Returns whether it succeeded."""
        plan = self._plans[number]
        try:
            self.results[number] = action(plan)
        except LabError as error:
            self.results[number] = {"error": f"{plan.fault} {plan.target}: {error}"}
        except Exception as error:  # whatever it is, the run must report it
            self.results[number] = {"error": f"{plan.fault} {plan.target}: {type(error).__name__}: {error}"}
        else:
            return True
        return False
