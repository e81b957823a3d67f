"""Faults of links and interfaces: carrier, administrators, packets that get lost, values that change."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from frrlib.agent.faults.course import FaultTimeline, duration_text, wait_until
from frrlib.agent.network import qdiscs
from frrlib.agent.network.links import LINK_NAMESPACE, LabIntf, LabLink
from frrlib.agent.network.namespaces import NodeThread
from frrlib.agent.network.tc_process import StandingTc
from frrlib.errors import LabError, LabFailed
from frrlib.wire.plan import FaultPlan, TcPlan

if TYPE_CHECKING:
    from frrlib.agent.network.network import LabNet


class LinkFaults:
    """Makes faults of links and interfaces."""

    def __init__(self, net: LabNet, course: FaultTimeline) -> None:
        self._net, self._course = net, course
        #: What gives the links that lose packets their queues back.
        self._lossy: dict[str, tuple[TcPlan, ...]] = {}
        self._cut: list[str] = []
        self._values: dict[str, str] = {}
        #: What stands ready for planned faults, by node; the empty name is the cable room.
        self._standing: dict[str, StandingTc] = {}
        self.makers: dict[str, Callable[[FaultPlan], None]] = {
            "link-down": self._link, "link-up": self._link,
            "interface-down": self._interface, "interface-up": self._interface, "flap": self._flap,
            "partition": self._partition, "healed": self._heal,
            "loss": self._cable, "loss-over": self._loss_over, "link-values": self._cable,
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

    @contextlib.contextmanager
    def prepared_tools(self, plans: Iterable[FaultPlan]) -> Iterator[None]:
        """A `tc` stands ready in every node where these faults need one, so that none has to start when they come."""
        devices: dict[str, set[str]] = {}
        for each in (each for plan in plans for each in (*plan.tc, *plan.tc_back)):
            with contextlib.suppress(LabError):  # the maker of the fault is told
                words = [line.split() for line in self._lines(each)]
                self._thread_of(each.node)
                devices.setdefault(each.node, set()).update(line[line.index("dev") + 1] for line in words)
        try:
            for node, names in devices.items():
                self._standing[node] = StandingTc(self._thread_of(node))
                self._standing[node].prepare(sorted(names))
            yield
        finally:
            with self._course.lock:
                for tc in self._standing.values():
                    tc.close()
                self._standing = {}

    @property
    def tool_pids(self) -> frozenset[int]:
        """Ids of processes that are in nodes and are not theirs."""
        return frozenset(each.pid for each in self._standing.values())

    def read_back(self, plan: FaultPlan) -> dict[str, Any]:
        """The kernel's read-back of a link whose values have changed; see `wire.MakeFault`."""
        link = self._net.link_by_id(plan.target)
        threads = {end.node.name: end.node.thread for end in link.ends}
        found: dict[str, Any] = {"cables": {}}
        if link.in_link_namespace:
            threads[""] = self._room_thread()
            found["cables"] = dict(zip("ab", link.counterparts, strict=True))
        return {**found, "qdiscs": qdiscs.read(threads)}

    # --- links and interfaces ---------------------------------------------------------------------------------------

    def _link(self, plan: FaultPlan) -> None:
        self._course.supersede(plan)
        at_s, up = time.monotonic(), plan.fault == "link-up"
        with self._course.lock:
            for name in plan.links:
                self._net.link_by_id(name).set_carrier(up, self._net.link_netlink)
            if up:
                self._cut = [name for name in self._cut if name not in plan.links]
        self._course.report_fault(
            plan, at_s, "has carrier again" if up else f"has lost its carrier{duration_text(plan)}"
        )

    def _partition(self, plan: FaultPlan) -> None:
        self._course.supersede(plan)
        at_s = time.monotonic()
        with self._course.lock:
            cut = [name for name in plan.links if self._net.link_by_id(name).is_up]
            for name in cut:
                self._net.link_by_id(name).set_carrier(False, self._net.link_netlink)
            self._cut += cut
        self._course.report_fault(
            plan, at_s, f"is cut off: {', '.join(cut) or 'no further link'} down{duration_text(plan)}"
        )
        for name in cut:
            self._course.report("link-down", name, at_s, "has lost its carrier: partition")

    def _heal(self, plan: FaultPlan) -> None:
        at_s = time.monotonic()
        with self._course.lock:
            healed, self._cut = self._cut, []
            for name in healed:
                self._net.link_by_id(name).set_carrier(True, self._net.link_netlink)
        self._course.report_fault(plan, at_s, f"{', '.join(healed)} up again" if healed else "nothing was cut off")
        for name in healed:
            self._course.report("link-up", name, at_s, "has carrier again")

    def _interface(self, plan: FaultPlan) -> None:
        self._course.supersede(plan)
        self._set_interface(plan, plan.fault == "interface-up", duration_text(plan))

    def _set_interface(self, plan: FaultPlan, up: bool, text: str = "") -> None:
        link, interface = self._end_of(plan)
        at_s = time.monotonic()
        with self._course.lock:
            link.set_interface(interface, up, self._net.link_netlink)
        name, said = ("interface-up", "put up") if up else ("interface-down", f"put down{text}")
        self._course.report(name, plan.target, at_s, f"{interface.name} {said}")

    def _flap(self, plan: FaultPlan) -> None:
        self._end_of(plan)
        changed = self._course.supersede(plan)
        times = "once" if plan.times == 1 else f"{plan.times} times"
        self._course.report_fault(plan, time.monotonic(), f"flaps {times}, {plan.period_s:g} s each")
        self._course.start_thread(self._flap_on, plan, changed)

    def _flap_on(self, plan: FaultPlan, changed: threading.Event) -> None:
        begin_s = time.monotonic()
        for half in range(2 * plan.times):
            if not wait_until(begin_s + half * plan.period_s / 2, changed, self._course.ended):
                return
            self._set_interface(plan, up=bool(half % 2))

    # --- in the cable -----------------------------------------------------------------------------------------------

    def _cable(self, plan: FaultPlan) -> None:
        self._course.supersede(plan)
        with self._course.lock:
            if plan.fault == "link-values" and plan.target in self._lossy:
                self._run_tc(self._lossy.pop(plan.target))
            self._run_tc(plan.tc)
            at_s = time.monotonic()
            if plan.fault == "loss":
                # What two losses one after the other have done, one of each direction perhaps, ends with both.
                places = {each.lines: each for each in (*self._lossy.get(plan.target, ()), *plan.tc_back)}
                self._lossy[plan.target] = tuple(places.values())
            else:
                self._values[plan.target] = plan.values
        self._course.report_fault(plan, at_s, plan.text)

    def _loss_over(self, plan: FaultPlan) -> None:
        with self._course.lock:
            self._run_tc(self._lossy.pop(plan.target, ()))
            at_s = time.monotonic()
        self._course.report_fault(plan, at_s, "loses no more packets than before")

    def _run_tc(self, plans: Iterable[TcPlan]) -> None:
        """Have the kernel take all of it, in all nodes at once. Raises CommandFailed for the first that it refuses."""
        lines: dict[str, list[str]] = {}
        for each in plans:
            lines.setdefault(each.node, []).extend(self._lines(each))
        ready = {node: self._standing[node] for node in lines if node in self._standing}
        for node, tc in ready.items():
            tc.begin(lines[node])
        with contextlib.ExitStack() as all_of_them:
            for tc in ready.values():
                all_of_them.callback(tc.complete)
            others = [node for node in lines if node not in ready]
            qdiscs.run([(node or LINK_NAMESPACE, self._thread_of(node), lines[node]) for node in others])

    def _lines(self, plan: TcPlan) -> list[str]:
        if not plan.link:
            return list(plan.lines)
        a, b = self._net.link_by_id(plan.link).counterparts
        return [line.replace("{a}", a).replace("{b}", b) for line in plan.lines]

    def _thread_of(self, node: str) -> NodeThread:
        """The thread of a node; of the cable room for the empty name."""
        return self._net.node(node).thread if node else self._room_thread()

    def _room_thread(self) -> NodeThread:
        thread = self._net.link_namespace_thread
        if thread is None:
            raise LabFailed("no link of this lab passes the link namespace")
        return thread

    def _end_of(self, plan: FaultPlan) -> tuple[LabLink, LabIntf]:
        for link in self._net.links_by_id.values():
            for end in link.ends:
                if (end.node.name, end.name) == (plan.node, plan.interface):
                    return link, end
        there = ", ".join(each.name for each in self._net.node(plan.node).intfList())
        raise LabFailed(f"{plan.node} has no interface {plan.interface!r} at a link; it has {there or 'none'}")
