"""The timeline of faults: their ends after a time, their replacement by later faults, and the reports of them."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from typing import Any

from frrlib.errors import LabError, LabFailed
from frrlib.wire.plan import FaultPlan

#: Receives a fault: its name, its target, the lab's time, a text for people, and the queue limits that it set.
ReportFault = Callable[[str, str, float, str, str], None]
#: How long the lab's end waits for running threads.
END_PATIENCE_S = 5.0
#: The last part of a wait is a plain sleep, without a check for events that end it.
_PLAIN_SLEEP_S = 0.02


class FaultTimeline:
    """The continuing part of faults, while other faults happen.

    Args:
        report: called with each fault and each end of one.

    Attributes:
        ended: set when the lab ends.
        lock: held while a fault is applied.
    """

    def __init__(self, report: ReportFault) -> None:
        self._report = report
        self.ended = threading.Event()
        self.lock = threading.RLock()
        self._threads: set[threading.Thread] = set()
        #: Events of faults that end by themselves or flap, by subject; set when another fault of the same subject
        #: follows.
        self._pending: dict[str, threading.Event] = {}

    def report_fault(self, plan: FaultPlan, at_s: float, text: str = "") -> None:
        """Report a fault that was applied at a time of the lab's clock."""
        self.report(plan.fault, plan.target, at_s, text, plan.limits)

    def report(self, fault: str, target: str, at_s: float, text: str, limits: str = "") -> None:
        """Report a consequence of a fault, under a name of its own."""
        self._report(fault, target, round(at_s, 6), text, limits)

    def supersede(self, plan: FaultPlan) -> threading.Event:
        """Cancel pending ends and flaps of the fault's subjects. Returns the event that cancels this fault in turn."""
        with self.lock:
            for subject in _subjects(plan):
                if subject in self._pending:
                    self._pending.pop(subject).set()
            superseded = threading.Event()
            self._pending |= dict.fromkeys(_subjects(plan), superseded)
            return superseded

    def end_later(self, plan: FaultPlan, make: Callable[[FaultPlan], None]) -> None:
        """Clear a fault after its duration, unless another fault of the same subject comes first."""
        self.start_thread(self._end_later, plan, make, self.supersede(plan))

    def start_thread(self, function: Callable[..., None], *args: Any) -> None:
        """Call a function in a thread, whose end `close` waits for."""

        def work() -> None:
            try:
                function(*args)
            finally:
                self._threads.discard(threading.current_thread())

        thread = threading.Thread(target=work, name="fault", daemon=True)
        self._threads.add(thread)
        thread.start()

    def check(self) -> None:
        """Raises LabFailed if the lab is ending."""
        if self.ended.is_set():
            raise LabFailed("the lab is ending")

    def close(self) -> None:
        """End the timeline with the lab: no fault happens by itself any more."""
        self.ended.set()
        deadline_s = time.monotonic() + END_PATIENCE_S
        for thread in list(self._threads):
            thread.join(max(0.0, deadline_s - time.monotonic()))

    def _end_later(self, plan: FaultPlan, make: Callable[[FaultPlan], None], superseded: threading.Event) -> None:
        if wait_until(time.monotonic() + plan.duration_s, superseded, self.ended):
            with contextlib.suppress(LabError):  # a daemon may have died while it was stopped
                make(_clearing_plan(plan))


def _subjects(plan: FaultPlan) -> tuple[str, ...]:
    """The subjects of a fault; a later fault of the same subject replaces it. Loss and carrier are two subjects."""
    kind = "loss" if plan.fault in ("loss", "loss-over", "link-values") else "up"
    if plan.links:
        return tuple(f"{kind} {name}" for name in plan.links)
    return (f"power {plan.node}",) if plan.fault in ("frozen", "thawed", "power-cycled") else (plan.target,)


def _clearing_plan(plan: FaultPlan) -> FaultPlan:
    return FaultPlan(
        plan.ended_by, plan.target, links=plan.links, node=plan.node, interface=plan.interface, daemon=plan.daemon
    )


def duration_text(plan: FaultPlan) -> str:
    """The duration of a fault, for people; empty for a permanent one."""
    return f" for {plan.duration_s:g} s" if plan.duration_s else ""


def wait_until(moment_s: float, *events: threading.Event) -> bool:
    """Wait until a time of the lab's clock. Returns False at once when one of the events is set before."""
    while not any(event.is_set() for event in events):
        left_s = moment_s - time.monotonic()
        if left_s <= 0:
            return True
        if left_s < _PLAIN_SLEEP_S:
            time.sleep(left_s)  # wakes earlier than a wait for an event
        else:
            events[0].wait(min(left_s - _PLAIN_SLEEP_S / 2, 0.1))
    return False
