"""Faults in the lab: making them on purpose, mending them, and the list of those in force."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from frrlib.agent.faults.course import FaultTimeline, ReportFault
from frrlib.agent.faults.links import LinkFaults
from frrlib.agent.faults.nodes import NodeFaults
from frrlib.agent.faults.planned import PlannedFaults
from frrlib.wire.plan import FaultPlan

if TYPE_CHECKING:
    from frrlib.agent.network.network import LabNet

#: Faults that take their time themselves: the router is without power for so long.
_LASTING = frozenset(("power-cycled",))


class FaultInjector:
    """Makes faults in a lab that is built. Every method may be called from any thread.

    Args:
        net: the lab.
        tell: told of each fault and of each mending.
    """

    def __init__(self, net: LabNet, tell: ReportFault) -> None:
        self._course = FaultTimeline(tell)
        self._links = LinkFaults(net, self._course)
        self._nodes = NodeFaults(net, self._course, lambda: self._links.tool_pids)
        self._makers = self._links.makers | self._nodes.makers

    def make(self, plan: FaultPlan) -> dict[str, Any]:
        """Make a fault now, and see to it that it ends when it should; the result is that of `wire.MakeFault`.

        Raises:
            LabError: it cannot be made.
        """
        self._make(plan)
        return self._links.read_back(plan) if plan.fault == "link-values" else {}

    @contextlib.contextmanager
    def planned(self, plans: Sequence[FaultPlan]) -> Iterator[PlannedFaults]:
        """Get ready for planned faults, which come when they are told to begin; at the end no more of them comes.

        Raises:
            LabError, OSError: what they need cannot be had.
        """
        with self._links.prepared_tools(plans):
            planned = PlannedFaults(self._course, self._make, self._links.read_back, plans)
            try:
                yield planned
            finally:
                planned.end()

    def state(self) -> dict[str, Any]:
        """The faults in force; see `wire.AskFaults`."""
        with self._course.lock:
            return self._links.state() | self._nodes.state()

    def close(self) -> None:
        """The lab ends: nothing more happens by itself, and all that was stopped may go on, to end in order."""
        self._course.close()
        self._nodes.resume_all()

    def _make(self, plan: FaultPlan) -> None:
        self._course.check()
        self._makers[plan.fault](plan)
        if plan.duration_s and plan.fault not in _LASTING:
            self._course.end_later(plan, self._makers[plan.ended_by])
