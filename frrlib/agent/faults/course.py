"""The course of faults: what ends by itself, what a later fault puts an end to, and who hears of all of it."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from typing import Any

from frrlib.errors import LabError, LabFailed
from frrlib.wire.plan import FaultPlan

#: Takes a fault: its name, its target, the lab's time, words for people, and the queue limits that it set.
ReportFault = Callable[[str, str, float, str, str], None]
#: How long the lab's end waits for what is under way.
END_PATIENCE_S = 5.0
#: The last of a wait is slept through, without looking for what may end it.
_ASLEEP_S = 0.02


class FaultTimeline:
    """The continuing part of faults, while others are made.

    Args:
        tell: told of each fault and of each mending.

    Attributes:
        over: set when the lab ends.
        lock: held while a fault is made.
    """

    def __init__(self, tell: ReportFault) -> None:
        self._tell = tell
        self.ended = threading.Event()
        self.lock = threading.RLock()
        self._working: set[threading.Thread] = set()
        #: Whatever ends by itself or flaps, by what it is about; set when something else has happened to that.
        self._pending: dict[str, threading.Event] = {}

    def report_fault(self, plan: FaultPlan, at_s: float, text: str = "") -> None:
        """Tell of a fault that was made at a time of the lab's clock."""
        self.report(plan.fault, plan.target, at_s, text, plan.limits)

    def report(self, fault: str, target: str, at_s: float, text: str, limits: str = "") -> None:
        """Tell of something that a fault brings with it, under a name of its own."""
        self._tell(fault, target, round(at_s, 6), text, limits)

    def supersede(self, plan: FaultPlan) -> threading.Event:
        """Give up whatever was to end by itself, or flaps, where this happens; what is set when this is given up."""
        with self.lock:
            for place in _places(plan):
                if place in self._pending:
                    self._pending.pop(place).set()
            fresh = threading.Event()
            self._pending |= dict.fromkeys(_places(plan), fresh)
            return fresh

    def end_later(self, plan: FaultPlan, make: Callable[[FaultPlan], None]) -> None:
        """Have a fault mended after its time, unless something else happens there before."""
        self.start_thread(self._end_later, plan, make, self.supersede(plan))

    def start_thread(self, do: Callable[..., None], *args: Any) -> None:
        """Do something in a thread, for whose end `close` waits."""

        def work() -> None:
            try:
                do(*args)
            finally:
                self._working.discard(threading.current_thread())

        thread = threading.Thread(target=work, name="fault", daemon=True)
        self._working.add(thread)
        thread.start()

    def check(self) -> None:
        """Raises LabFailed where the lab is ending."""
        if self.ended.is_set():
            raise LabFailed("the lab is ending")

    def close(self) -> None:
        """The lab ends: nothing more happens by itself."""
        self.ended.set()
        deadline_s = time.monotonic() + END_PATIENCE_S
        for thread in list(self._working):
            thread.join(max(0.0, deadline_s - time.monotonic()))

    def _end_later(self, plan: FaultPlan, make: Callable[[FaultPlan], None], changed: threading.Event) -> None:
        if wait_until(time.monotonic() + plan.duration_s, changed, self.ended):
            with contextlib.suppress(LabError):  # a daemon may have died while it was stopped
                make(_mending(plan))


def _places(plan: FaultPlan) -> tuple[str, ...]:
    """The subject of a fault, so that a later one about the same takes its place. Loss and carrier are two things."""
    kind = "loss" if plan.fault in ("loss", "loss-over", "link-values") else "up"
    if plan.links:
        return tuple(f"{kind} {name}" for name in plan.links)
    return (f"power {plan.node}",) if plan.fault in ("frozen", "thawed", "power-cycled") else (plan.target,)


def _mending(plan: FaultPlan) -> FaultPlan:
    return FaultPlan(
        plan.ended_by, plan.target, links=plan.links, node=plan.node, interface=plan.interface, daemon=plan.daemon
    )


def duration_text(plan: FaultPlan) -> str:
    """The duration of a fault, for people; empty if it lasts for good."""
    return f" for {plan.duration_s:g} s" if plan.duration_s else ""


def wait_until(moment_s: float, *over: threading.Event) -> bool:
    """Wait until a time of the lab's clock; False, and at once, where one of the events is set before."""
    while not any(each.is_set() for each in over):
        left_s = moment_s - time.monotonic()
        if left_s <= 0:
            return True
        if left_s < _ASLEEP_S:
            time.sleep(left_s)  # wakes sooner than who waits for an event
        else:
            over[0].wait(min(left_s - _ASLEEP_S / 2, 0.1))
    return False
