"""One lab of a session, from its start to its end, in a thread. Converts the lab's messages into events."""

from __future__ import annotations

import re
import signal
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from frrlib import wire
from frrlib.errors import Interrupted, LabError, LabFailed
from frrlib.lab.detached import DetachedLab
from frrlib.lab.lab import Lab
from frrlib.model.labels import error_words
from frrlib.model.topology import Topology
from frrlib.run.run import RunOutcome, RunSettings, measure, step
from miniedit_frr.session import routing as session_routing
from miniedit_frr.session.events import (
    ClockTime,
    ConvergenceProgress,
    Event,
    FaultReport,
    FinalConfigs,
    FlowProgress,
    FlowsEnd,
    LabFacts,
    LabOrder,
    LinkState,
    LogLine,
    NodeState,
    OtherTopology,
    SampleBatch,
    StepProgress,
)


class LabRun:
    """One lab from its start to its end, in a thread.

    Args:
        tell: called with this run and an event.
        reach: called with this run when the lab is up.
        over: called with this run at the very end, when nothing of the lab is left, and with the reason of a failure.
    """

    def __init__(
        self,
        order: LabOrder,
        make_lab: Callable[..., Lab],
        tell: Callable[[LabRun, Event], None],
        reach: Callable[[LabRun], None],
        over: Callable[[LabRun, str], None],
    ) -> None:
        self.order = order
        self.lab: Lab | None = None
        #: Whether the end was requested.
        self.ended = False
        self._make_lab, self._emit, self._report_running, self._report_end = make_lab, partial(tell, self), reach, over
        self._lock = threading.Lock()
        self._reported_nodes: set[str] = set()
        self.thread = threading.Thread(target=self._work, name="session", daemon=True)

    def end(self, *, hard: bool) -> bool:
        """End the lab. Returns whether there is one yet, so that the end takes a moment."""
        with self._lock:
            self.ended = True
            if self.lab is not None:
                self.lab.interrupt(hard=hard)
            return self.lab is not None

    def leave(self) -> None:
        """Detach the lab. Raises LabFailed if it cannot run without its client."""
        lab = self.lab
        if not isinstance(lab, DetachedLab):
            raise LabFailed("this lab cannot keep running without its client")
        self.ended = True  # later messages are not a failure
        try:
            lab.leave()
        except BaseException:
            self.ended = False
            raise

    def _work(self) -> None:
        reason = ""
        try:
            self._run_lab()
        except KeyboardInterrupt:
            pass
        except LabFailed as error:
            if self.ended:  # after an ordered end the lab is expected to stop working
                self._emit(LogLine(str(error)))
            else:
                reason = str(error)
        except LabError as error:
            reason = error_words(error, self.order.topology)
        except BaseException as error:
            self._emit(LogLine(traceback.format_exc()))
            reason = exception_text(error)
        self._report_end(self, reason)

    def _run_lab(self) -> None:
        order = self.order
        outcome = RunOutcome(order.out or Path())
        with step(outcome, "place", self._handle) as done:
            if order.join:
                lab: Lab = DetachedLab.join(order.join)
            else:
                settings: dict[str, Any] = {"virtual_time": True, "seed": order.seed} if order.virtual_time else {}
                if order.allowed_controllers:
                    settings["allowed_controllers"] = order.allowed_controllers
                lab = self._make_lab(order.topology, place=order.place, kernel=order.kernel, **settings)
            done["text"] = outcome.place_reason = lab.place_reason
        with self._lock:
            if self.ended:
                return
            self.lab = lab
        lab.read_at_end = True
        try:
            if order.flows:
                self._measure(lab, outcome)
                return
            lab.attach(listener=self._handle)
            with lab:
                lab.wait()
        finally:
            if lab.end_configs:
                self._emit(FinalConfigs(lab.end_configs))

    def _measure(self, lab: Lab, outcome: RunOutcome) -> None:
        order = self.order
        settings = RunSettings(
            order.place, order.kernel, order.sample_hz, order.captures, order.virtual_time, order.seed,
            order.allowed_controllers,
        )  # fmt: skip
        sent: list[FlowsEnd] = []

        def linger() -> None:
            sent.append(FlowsEnd(outcome))
            self._emit(sent[0])
            with suppress(Interrupted):  # this ends a lab that was kept running; no run is interrupted
                lab.wait()

        try:
            # A lab in virtual time stands still without requests, and it gets none.
            stay = linger if order.keep_up and not order.virtual_time else None
            measure(lab, order.text, outcome, settings, self._handle, overwrite=order.overwrite, linger=stay)
        finally:
            if lab.facts and not sent:  # a lab was running, so there are results
                self._emit(FlowsEnd(outcome))
        if outcome.failures:
            raise LabFailed("; ".join(outcome.failures))

    def _handle(self, message: wire.Message) -> None:
        """Handle a message of the lab; may be called from the lab's threads."""
        routing = session_routing.routing_event(message)
        if routing is not None:
            self._emit(routing)
        match message:
            case wire.StepEvent(name=name, state=state, text=text) if self._is_of_node(name, text):
                self._emit_node_state(name, {"start": "starting", "done": "up"}.get(state, "failed"), text)
            case wire.StepEvent(name=name, state=state, text=text):
                self._emit(StepProgress(name, state, text))
                if (name, state) == ("build", "done"):
                    self._emit_initial_states()
            case wire.DaemonExit(router=router, daemon=daemon, status=status, log=log):
                self._emit_node_state(router, "failed", f"{daemon} {_ended(status)}; its log ends with:\n{log}")
            case wire.WaitingFor(missing=missing):
                self._emit(ConvergenceProgress(missing))
            case wire.FaultEvent(fault=fault, target=target, text=text):
                if fault in ("link-down", "link-up"):
                    self._emit(LinkState(target, fault.removeprefix("link-")))
                self._emit(FaultReport(fault, target, text))
            case wire.Samples(table=table, rows=rows) if rows and self.lab is not None:
                self._emit(SampleBatch(table, rows, self.lab.now_s() - rows[-1][0]))
            case wire.TopologyEvent() if self.lab is not None:
                self._emit(OtherTopology(self.lab.drawn))
            case wire.ClockEvent(time_s=time_s):
                self._emit(ClockTime(time_s))
            case wire.FlowEvent(flow=flow, what=what, time_s=time_s, text=text):
                self._emit(FlowProgress(flow, what, time_s))
                self._emit(LogLine(f"flow {flow}: {what} {text}".rstrip()))

    def _is_of_node(self, name: str, text: str) -> bool:
        """Whether a step belongs to a node. A node may be called "build", too, but the lab's own steps have other
        texts."""
        return text.startswith(("daemons", "start command", "stop command")) and self._topology.node(name) is not None

    @property
    def _topology(self) -> Topology:
        """The topology of the lab, which may have been changed since its start."""
        return self.lab.topology if self.lab is not None else self.order.topology

    def _emit_node_state(self, node: str, state: str, reason: str) -> None:
        if state in ("failed", "warning"):
            self._reported_nodes.add(node)
        self._emit(NodeState(node, state, reason if state in ("failed", "warning") else ""))

    def _emit_initial_states(self) -> None:
        commands = self.lab.failed_commands if self.lab is not None else {}
        if self.lab is not None and self.lab.facts:
            self._emit(LabFacts(str(self.lab.facts.get("place", "")), str(self.lab.facts.get("kernel", ""))))
        for warning in self.lab.warnings if self.lab is not None else ():
            name, _, reason = warning.partition(": ")
            if self._topology.node(name) is not None:
                self._emit_node_state(name, "warning", reason)
        for name, reason in commands.items():
            self._emit_node_state(name, "failed", reason)
        for node in self._topology.nodes:
            if node.name not in self._reported_nodes:
                self._emit_node_state(node.name, "up", "")
        taken_down = self.lab.links_down if isinstance(self.lab, DetachedLab) else ()
        for link in self._topology.links:
            self._emit(LinkState(link.id, "up" if link.up and link.id not in taken_down else "down"))
        self._report_running(self)


def nodes_named_in(failure: str, topology: Topology) -> list[str]:
    """The nodes named in a failure: "r1: bgpd refused line 3", or with a field, "r1, Lines of your own: ..."."""
    names = {node.name for node in topology.nodes}
    exception_text = re.findall(r"(?:^|[;\n] ?)([\w.-]+)(?:, [^:;\n]+)?:", failure)
    return list(dict.fromkeys(word for word in exception_text if word in names))


def exception_text(error: BaseException) -> str:
    """The type and text of an exception, in a line."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _ended(status: int) -> str:
    """The end of a daemon in words, from its exit status; negative for a signal."""
    if status >= 0:
        return f"ended with status {status}"
    signals = {member.value: member.name for member in signal.Signals}
    return f"was ended by {signals.get(-status, f'signal {-status}')}"
