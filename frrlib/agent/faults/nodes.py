"""Faults of daemons and nodes: killed, stopped, frozen, without power."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from frrlib.agent.faults.timeline import FaultTimeline, duration_text
from frrlib.agent.frr import startup
from frrlib.agent.network import namespaces
from frrlib.agent.network.nodes import FrrRouter, LabNode
from frrlib.errors import LabError, LabFailed
from frrlib.wire.plan import FaultPlan

if TYPE_CHECKING:
    from frrlib.agent.network.network import LabNet

_SIGNALS = {"daemon-killed": signal.SIGKILL, "daemon-stopped": signal.SIGSTOP, "daemon-continued": signal.SIGCONT}
#: Commands that empty the kernel's tables of a router without power. The last one fails on a machine without MPLS.
_FLUSH_COMMANDS = (("-4", "route"), ("-6", "route"), ("nexthop",), ("-f", "mpls", "route"))


class NodeFaults:
    """Injects faults of daemons and nodes.

    Args:
        tool_pids: returns the ids of the lab's own processes in nodes, which faults leave alone.
    """

    def __init__(self, net: LabNet, timeline: FaultTimeline, tool_pids: Callable[[], frozenset[int]]) -> None:
        self._net, self._timeline, self._tool_pids = net, timeline, tool_pids
        self._frozen: dict[str, tuple[int, ...]] = {}
        self._stopped: set[str] = set()
        self.makers: dict[str, Callable[[FaultPlan], None]] = {
            "daemon-killed": self._signal, "daemon-stopped": self._signal, "daemon-continued": self._signal,
            "daemon-restarted": self._restart, "frozen": self._freeze, "thawed": self._thaw,
            "power-cycled": self._power_cycle,
        }  # fmt: skip

    def state(self) -> dict[str, Any]:
        """The faults in force; part of the result of `wire.AskFaults`."""
        routers = self._net.routers.values()
        dead = [
            f"{router.name}:{daemon}"
            for router in routers
            for daemon in router.frr.daemons
            if not router.frr.runs(daemon)
        ]
        return {"frozen": sorted(self._frozen), "stopped": sorted(self._stopped - set(dead)), "dead": dead}

    def resume_all(self) -> None:
        """Continue all stopped processes, so that they end in order."""
        for name in list(self._frozen):
            namespaces.signal_all(self._frozen.pop(name), signal.SIGCONT)

    def forget(self, nodes: Iterable[str]) -> None:
        """Forget the faults of nodes that were removed or made anew."""
        for name in nodes:
            self._frozen.pop(name, None)
            self._stopped -= {daemon for daemon in self._stopped if daemon.startswith(f"{name}:")}

    # --- daemons and nodes --------------------------------------------------------------------------------------------

    def _signal(self, plan: FaultPlan) -> None:
        router, at_s = self._router(plan.node), time.monotonic()
        self._timeline.supersede(plan)
        if plan.fault == "daemon-killed" and not router.frr.runs(plan.daemon) and plan.daemon in router.frr.daemons:
            self._timeline.report_fault(plan, at_s, "was dead already")
            return
        router.frr.signal(plan.daemon, _SIGNALS[plan.fault])
        with self._timeline.lock:
            (self._stopped.add if plan.fault == "daemon-stopped" else self._stopped.discard)(plan.target)
        outcomes = {
            "daemon-killed": "killed",
            "daemon-stopped": f"stopped{duration_text(plan)}",
            "daemon-continued": "continues",
        }
        self._timeline.report_fault(plan, at_s, f"{plan.daemon} {outcomes[plan.fault]}")

    def _restart(self, plan: FaultPlan) -> None:
        router, at_s = self._router(plan.node), time.monotonic()
        self._timeline.supersede(plan)
        router.frr.restart(plan.daemon)
        with self._timeline.lock:
            self._stopped.discard(plan.target)
        self._timeline.report_fault(
            plan, at_s, f"{plan.daemon} restarted, answers after {time.monotonic() - at_s:.2f} s"
        )

    def _freeze(self, plan: FaultPlan) -> None:
        node = self._net.node(plan.node)
        self._timeline.supersede(plan)
        at_s = time.monotonic()
        with self._timeline.lock:
            pids = self._processes_of(node)
            namespaces.signal_all(pids, signal.SIGSTOP)
            self._frozen[node.name] = pids
        self._timeline.report_fault(
            plan, at_s, f"{len(pids)} processes stopped{duration_text(plan)}; its kernel continues to forward"
        )

    def _thaw(self, plan: FaultPlan) -> None:
        node = self._net.node(plan.node)
        self._timeline.supersede(plan)
        at_s = time.monotonic()
        with self._timeline.lock:
            pids = self._frozen.pop(node.name, ())
            namespaces.signal_all(pids, signal.SIGCONT)
        self._timeline.report_fault(plan, at_s, "continues" if pids else "was not frozen")

    def _power_cycle(self, plan: FaultPlan) -> None:
        node = self._net.node(plan.node)
        self._timeline.supersede(plan)
        at_s = time.monotonic()
        ends = [(link, end) for link in self._net.links_by_id.values() for end in link.ends if end.node is node]
        with self._timeline.lock:
            self._power_off(node)
            were_up = [(link, end) for link, end in ends if end.is_enabled]
            for link, end in were_up:
                link.set_interface(end, False, self._net.link_netlink)
            _flush_routes(node)
        self._timeline.report_fault(plan, at_s, f"without power for {plan.duration_s:g} s")
        if self._timeline.ended.wait(max(0.0, at_s + plan.duration_s - time.monotonic())):
            return
        on_s = time.monotonic()
        with self._timeline.lock:
            for link, end in were_up:
                link.set_interface(end, True, self._net.link_netlink)
        if isinstance(node, FrrRouter):
            startup.start_all([node.frr], lambda *_: None)
        self._timeline.report(
            "power-on", plan.target, on_s, f"its daemons answer after {time.monotonic() - on_s:.2f} s"
        )

    def _power_off(self, node: LabNode) -> None:
        self._frozen.pop(node.name, None)
        self._stopped -= {daemon for daemon in self._stopped if daemon.startswith(f"{node.name}:")}
        if isinstance(node, FrrRouter):
            node.frr.power_off()
        namespaces.signal_all(self._processes_of(node), signal.SIGKILL)

    def _processes_of(self, node: LabNode) -> tuple[int, ...]:
        """Ids of all processes in a node's network namespace."""
        return namespaces.processes_in(node.thread, self._tool_pids())

    def _router(self, name: str) -> FrrRouter:
        routers = self._net.routers
        if name not in routers:
            raise LabFailed(f"{name} does not run FRR; it runs on {', '.join(routers) or 'no node'}")
        return routers[name]


def _flush_routes(node: LabNode) -> None:
    """Empty the kernel's tables except for its own addresses."""
    tables = [("table", str(vrf.table)) for vrf in node.plan.vrfs]
    for words in _FLUSH_COMMANDS:
        for table in (("table", "main"), *tables) if words[0] in ("-4", "-6") else ((),):
            with contextlib.suppress(LabError):
                node.run(["ip", *words, "flush", *table])
    for address in node.plan.loopbacks:
        if ":" in address:  # the kernel also has a route to these in the main table
            with contextlib.suppress(LabError):
                node.run(["ip", "-6", "route", "replace", address, "dev", "lo", "proto", "kernel", "metric", "256"])
