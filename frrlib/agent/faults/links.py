"""Faults of links and interfaces: carrier, administrative state, packet loss, changed values."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from frrlib.agent.faults.timeline import FaultTimeline, duration_text, wait_until
from frrlib.agent.network import dualpi2, qdiscs
from frrlib.agent.network.links import LINK_NAMESPACE, LabIntf, LabLink
from frrlib.agent.network.namespaces import NodeThread
from frrlib.agent.network.tc_process import TcProcess
from frrlib.errors import CommandFailed, LabError, LabFailed
from frrlib.wire.plan import FaultPlan, TcPlan

if TYPE_CHECKING:
    from frrlib.agent.network.network import LabNet


class LinkFaults:
    """Injects faults of links and interfaces."""

    def __init__(self, net: LabNet, timeline: FaultTimeline) -> None:
        self._net, self._timeline = net, timeline
        #: The commands that restore the queues of links with injected loss.
        self._lossy: dict[str, tuple[TcPlan, ...]] = {}
        self._cut: list[str] = []
        self._values: dict[str, str] = {}
        #: The `tc` processes for planned faults, by node; the empty name is the link namespace.
        self._ready_tools: dict[str, TcProcess] = {}
        self.makers: dict[str, Callable[[FaultPlan], None]] = {
            "link-down": self._link, "link-up": self._link,
            "interface-down": self._interface, "interface-up": self._interface, "flap": self._flap,
            "partition": self._partition, "healed": self._clear_partition,
            "loss": self._cable, "loss-over": self._clear_loss, "link-values": self._cable,
        }  # fmt: skip

    def state(self) -> dict[str, Any]:
        """The faults in force; part of the result of `wire.AskFaults`."""
        links = self._net.links_by_id
        return {
            "links_down": [name for name, link in links.items() if not link.is_up],
            "interfaces_down": [
                f"{end.node.name}:{end.name}" for link in links.values() for end in link.ends if not end.is_enabled
            ],
            "lossy": sorted(self._lossy),
            "values": dict(self._values),
        }

    def forget(self, links: Iterable[str]) -> None:
        """Forget the changed values of links, which have those of the topology again or do not exist any more."""
        for name in links:
            self._values.pop(name, None)
        self._cut = [name for name in self._cut if name in self._net.links_by_id]

    @contextlib.contextmanager
    def prepared_tools(self, plans: Iterable[FaultPlan]) -> Iterator[None]:
        """A context with a running `tc` in every node that these faults need, so that none has to start for a fault."""
        devices: dict[str, set[str]] = {}
        for commands in (commands for plan in plans for commands in (*plan.tc, *plan.tc_back)):
            with contextlib.suppress(LabError):  # the fault itself reports the error later
                words = [line.split() for line in self._lines(commands)]
                self._thread_of(commands.node)
                devices.setdefault(commands.node, set()).update(line[line.index("dev") + 1] for line in words)
        try:
            for node, names in devices.items():
                self._ready_tools[node] = TcProcess(self._thread_of(node))
                self._ready_tools[node].prepare(sorted(names))
            yield
        finally:
            with self._timeline.lock:
                for tc in self._ready_tools.values():
                    tc.close()
                self._ready_tools = {}

    @property
    def tool_pids(self) -> frozenset[int]:
        """Process ids of the lab's own tools in nodes."""
        return frozenset(tool.pid for tool in self._ready_tools.values())

    def read_back(self, plan: FaultPlan) -> dict[str, Any]:
        """The kernel's read-back of a link whose values have changed; see `wire.MakeFault`."""
        link = self._net.link_by_id(plan.target)
        threads = {end.node.name: end.node.thread for end in link.ends}
        result: dict[str, Any] = {"cables": {}}
        if link.in_link_namespace:
            threads[""] = self._link_namespace()
            result["cables"] = dict(zip("ab", link.counterparts, strict=True))
        return {**result, "qdiscs": qdiscs.read(threads)}

    # --- links and interfaces -----------------------------------------------------------------------------------------

    def _link(self, plan: FaultPlan) -> None:
        self._timeline.supersede(plan)
        at_s, up = time.monotonic(), plan.fault == "link-up"
        with self._timeline.lock:
            for name in plan.links:
                self._net.link_by_id(name).set_carrier(up, self._net.link_netlink)
            if up:
                self._cut = [name for name in self._cut if name not in plan.links]
        self._timeline.report_fault(
            plan, at_s, "has carrier again" if up else f"has lost its carrier{duration_text(plan)}"
        )

    def _partition(self, plan: FaultPlan) -> None:
        self._timeline.supersede(plan)
        at_s = time.monotonic()
        with self._timeline.lock:
            lost = [name for name in plan.links if self._net.link_by_id(name).is_up]
            for name in lost:
                self._net.link_by_id(name).set_carrier(False, self._net.link_netlink)
            self._cut += lost
        self._timeline.report_fault(
            plan, at_s, f"is cut off: {', '.join(lost) or 'no further link'} down{duration_text(plan)}"
        )
        for name in lost:
            self._timeline.report("link-down", name, at_s, "has lost its carrier: partition")

    def _clear_partition(self, plan: FaultPlan) -> None:
        at_s = time.monotonic()
        with self._timeline.lock:
            restored, self._cut = self._cut, []
            for name in restored:
                self._net.link_by_id(name).set_carrier(True, self._net.link_netlink)
        self._timeline.report_fault(
            plan, at_s, f"{', '.join(restored)} up again" if restored else "nothing was cut off"
        )
        for name in restored:
            self._timeline.report("link-up", name, at_s, "has carrier again")

    def _interface(self, plan: FaultPlan) -> None:
        self._timeline.supersede(plan)
        self._set_interface(plan, plan.fault == "interface-up", duration_text(plan))

    def _set_interface(self, plan: FaultPlan, up: bool, text: str = "") -> None:
        link, interface = self._end_of(plan)
        at_s = time.monotonic()
        with self._timeline.lock:
            link.set_interface(interface, up, self._net.link_netlink)
        name, outcome = ("interface-up", "put up") if up else ("interface-down", f"put down{text}")
        self._timeline.report(name, plan.target, at_s, f"{interface.name} {outcome}")

    def _flap(self, plan: FaultPlan) -> None:
        self._end_of(plan)
        superseded = self._timeline.supersede(plan)
        times = "once" if plan.times == 1 else f"{plan.times} times"
        self._timeline.report_fault(plan, time.monotonic(), f"flaps {times}, {plan.period_s:g} s each")
        self._timeline.start_thread(self._flap_repeatedly, plan, superseded)

    def _flap_repeatedly(self, plan: FaultPlan, superseded: threading.Event) -> None:
        begin_s = time.monotonic()
        for half in range(2 * plan.times):
            if not wait_until(begin_s + half * plan.period_s / 2, superseded, self._timeline.ended):
                return
            self._set_interface(plan, up=bool(half % 2))

    # --- faults of the cable ------------------------------------------------------------------------------------------

    def _cable(self, plan: FaultPlan) -> None:
        self._timeline.supersede(plan)
        with self._timeline.lock:
            if plan.fault == "link-values" and plan.target in self._lossy:
                self._run_tc(self._lossy.pop(plan.target))
            try:
                self._run_tc(plan.tc)
            except CommandFailed:
                if plan.fault == "link-values":
                    self._run_tc(plan.tc_back)
                raise
            at_s = time.monotonic()
            if plan.fault == "loss":
                # The losses of both directions may have been set one after the other. Their end clears both.
                by_lines = {commands.lines: commands for commands in (*self._lossy.get(plan.target, ()), *plan.tc_back)}
                self._lossy[plan.target] = tuple(by_lines.values())
            else:
                self._values[plan.target] = plan.values
        self._timeline.report_fault(plan, at_s, plan.text)

    def _clear_loss(self, plan: FaultPlan) -> None:
        with self._timeline.lock:
            self._run_tc(self._lossy.pop(plan.target, ()))
            at_s = time.monotonic()
        self._timeline.report_fault(plan, at_s, "loses no more packets than before")

    def _run_tc(self, plans: Iterable[TcPlan]) -> None:
        """Run all commands in all nodes at once. Raises CommandFailed for the first that the kernel refuses."""
        lines: dict[str, list[str]] = {}
        for plan in plans:
            lines.setdefault(plan.node, []).extend(self._lines(plan))
        ready = {node: self._ready_tools[node] for node in lines if node in self._ready_tools}
        for node, tc in ready.items():
            tc.begin(dualpi2.without_commands(lines[node]))
        with contextlib.ExitStack() as completion:
            for tc in ready.values():
                completion.callback(tc.complete)
            nodes = [node for node in lines if node not in ready]
            qdiscs.run([(node or LINK_NAMESPACE, self._thread_of(node), lines[node]) for node in nodes])
        for node in ready:
            dualpi2.run(node, self._thread_of(node), lines[node])

    def _lines(self, plan: TcPlan) -> list[str]:
        if not plan.link:
            return list(plan.lines)
        a, b = self._net.link_by_id(plan.link).counterparts
        return [line.replace("{a}", a).replace("{b}", b) for line in plan.lines]

    def _thread_of(self, node: str) -> NodeThread:
        """The thread of a node; of the link namespace for the empty name."""
        return self._net.node(node).thread if node else self._link_namespace()

    def _link_namespace(self) -> NodeThread:
        thread = self._net.link_namespace_thread
        if thread is None:
            raise LabFailed("no link of this lab passes the link namespace")
        return thread

    def _end_of(self, plan: FaultPlan) -> tuple[LabLink, LabIntf]:
        for link in self._net.links_by_id.values():
            for end in link.ends:
                if (end.node.name, end.name) == (plan.node, plan.interface):
                    return link, end
        names = ", ".join(interface.name for interface in self._net.node(plan.node).intfList())
        raise LabFailed(f"{plan.node} has no interface {plan.interface!r} at a link; it has {names or 'none'}")
