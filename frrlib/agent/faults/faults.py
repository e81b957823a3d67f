"""Faults in the lab: they are injected, cleared, and listed while in force."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from frrlib.agent.faults.links import LinkFaults
from frrlib.agent.faults.nodes import NodeFaults
from frrlib.agent.faults.planned import PlannedFaults
from frrlib.agent.faults.timeline import FaultTimeline, ReportFault
from frrlib.wire.plan import FaultPlan

if TYPE_CHECKING:
    from frrlib.agent.network.network import LabNet

#: Faults that contain their duration: the router is without power for that time.
_LASTING = frozenset(("power-cycled",))


class FaultInjector:
    """Injects faults into a lab that is built. Every method may be called from any thread.

    Args:
        net: the lab.
        report: called with each fault and each end of one.
    """

    def __init__(self, net: LabNet, report: ReportFault) -> None:
        self._timeline = FaultTimeline(report)
        self._links = LinkFaults(net, self._timeline)
        self._nodes = NodeFaults(net, self._timeline, lambda: self._links.tool_pids)
        self._makers = self._links.makers | self._nodes.makers

    def make(self, plan: FaultPlan) -> dict[str, Any]:
        """Inject a fault now, and have it end after its duration. The result is that of `wire.MakeFault`.

        Raises:
            LabError: the fault cannot be injected.
        """
        self._make(plan)
        return self._links.read_back(plan) if plan.fault == "link-values" else {}

    @contextlib.contextmanager
    def planned(self, plans: Sequence[FaultPlan]) -> Iterator[PlannedFaults]:
        """A context in which planned faults are ready; they happen after `begin`, and none of them happens after the
        context.

        Raises:
            LabError, OSError: their tools cannot be started.
        """
        with self._links.prepared_tools(plans):
            planned = PlannedFaults(self._timeline, self._make, self._links.read_back, plans)
            try:
                yield planned
            finally:
                planned.end()

    def state(self) -> dict[str, Any]:
        """The faults in force; see `wire.AskFaults`."""
        with self._timeline.lock:
            return self._links.state() | self._nodes.state()

    def forget(self, nodes: Iterable[str], links: Iterable[str]) -> None:
        """Forget the faults of nodes and the changed values of links that a change of the lab has replaced."""
        with self._timeline.lock:
            self._nodes.forget(nodes)
            self._links.forget(links)

    def close(self) -> None:
        """End all faults with the lab. Stopped processes continue, to end in order."""
        self._timeline.close()
        self._nodes.resume_all()

    def _make(self, plan: FaultPlan) -> None:
        self._timeline.check()
        self._makers[plan.fault](plan)
        if plan.duration_s and plan.fault not in _LASTING:
            self._timeline.end_later(plan, self._makers[plan.ended_by])
