"""Flows with iperf3 or our own senders at both ends, each on time, with samplers beside them."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from frrlib import wire
from frrlib.agent import processes
from frrlib.agent.network.network import LabNet
from frrlib.agent.network.nodes import LabNode
from frrlib.agent.network.rtnetlink import packed
from frrlib.agent.sampling import counters
from frrlib.agent.sampling.samplers import Samplers
from frrlib.agent.traffic import captures
from frrlib.agent.traffic.generators import Generators
from frrlib.agent.traffic.iperf3 import Iperf3Flow, forget_ended_connections, listens
from frrlib.agent.traffic.own_senders import WITH_PROGRAMS, OwnFlow, check_programs, is_own
from frrlib.agent.virtual_channel import AnyChannel, report_clock
from frrlib.errors import LabFailed
from frrlib.wire.plan import FlowPlan

if TYPE_CHECKING:
    from frrlib.agent.faults.faults import FaultInjector

#: From the moment when everything is ready to the start of all flows, for the samplers' first sample.
LEAD_S = 0.05
#: A flow may take this much longer than planned: to connect, drain a full queue, and exchange results.
OVERRUN_S = 15.0
#: A flow that ends by size may take as long as at this rate.
SLOWEST_MBIT = 0.1
LISTEN_TIMEOUT_S = 15.0


_AnyFlow = Iperf3Flow | OwnFlow


def run(
    net: LabNet, request: wire.RunFlows, channel: AnyChannel, faults: FaultInjector | None = None
) -> dict[str, Any]:
    """Send the flows, sample meanwhile and inject faults; see `wire.RunFlows`. `faults` is needed if some are planned.

    Raises:
        LabFailed: an error before any flow starts: a missing node or route, a congestion control that the kernel does
            not have, a port in use. Errors of single flows after that are in the result.
        PlaceError: a flow needs a program that is not installed.
    """
    return _Run(net, request, channel, faults).result()


def _limit_s(plan: FlowPlan) -> float:
    """The longest duration of a flow."""
    if plan.size_bytes:
        return OVERRUN_S + plan.size_bytes * 8 / (SLOWEST_MBIT * 1e6)
    return OVERRUN_S + plan.duration_s


def _connections(flow: _AnyFlow) -> list[tuple[str, dict[str, Any]]]:
    """Both ends of all connections of a flow, in the sampler's format."""
    source, destination, port = packed(flow.source_address).hex(), packed(flow.plan.address).hex(), flow.plan.port
    ends = []
    for name, own_port in flow.streams():
        sender_end = _connection(name, "sender", source, own_port, destination, port)
        receiver_end = _connection(name, "receiver", destination, port, source, own_port)
        ends += [(flow.source.name, sender_end), (flow.destination.name, receiver_end)]
    return ends


class _Run:
    """One run of flows, from the start of their programs to the result."""

    def __init__(self, net: LabNet, request: wire.RunFlows, channel: AnyChannel, faults: FaultInjector | None) -> None:
        self._faults = faults
        self._net, self._request, self._channel = net, request, channel
        self._folder = net.logs
        self._flows = [self._flow(plan) for plan in request.flows]
        self._own = {flow.plan.id: flow for flow in self._flows if isinstance(flow, OwnFlow)}
        self._running: list[_AnyFlow] = []
        #: Calls from other threads for the thread that waits for flows.
        self._calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._generators: Generators | None = None
        self._zero_s = 0.0
        self._reports: dict[str, Any] = {}
        self._failures: dict[str, str] = {}

    def _flow(self, plan: FlowPlan) -> _AnyFlow:
        ends = self._net.node(plan.source), self._net.node(plan.destination)
        return OwnFlow(plan, *ends) if is_own(plan) else Iperf3Flow(plan, *ends, self._folder)

    def result(self) -> dict[str, Any]:
        """Carry out the run; see `wire.RunFlows`."""
        for flow in self._flows:
            check_programs(flow.plan)
            if flow.plan.congestion_control:
                _check_congestion_control(flow)
            flow.source_address = _source_address(flow)
        sampling: Samplers | None = None
        cost: dict[str, dict[str, float]] = {}
        senders = {flow.source.name: flow.source for flow in self._flows}
        counters_before = {name: counters.hystart(node) for name, node in senders.items()}
        interfaces = {
            flow.plan.id: counters.outgoing_interface(flow.source, flow.source_address) for flow in self._flows
        }
        with contextlib.ExitStack() as under_way:
            captured = under_way.enter_context(captures.capture_packets(self._net, self._request.captures))
            try:
                planned = under_way.enter_context(self._faults.planned(self._request.faults)) if self._faults else None
                self._start_servers()
                self._start_own()
                sampling = self._start_sampling()
                self._zero_s = time.monotonic() + LEAD_S
                if sampling is not None:
                    sampling.begin(self._zero_s)
                if self._generators is not None:
                    self._generators.begin(self._zero_s)
                if planned is not None:
                    planned.begin(self._zero_s)
                self._send()
                drops_before = self._queue_drops()
            finally:
                under_way.close()
                if self._generators is not None:
                    self._generators.close()
                cost = sampling.end() if sampling else {}
                running = [process for flow in self._iperf3 for process in (flow.client, flow.server) if process]
                processes.end(running, 0.5)
        drops_after = self._queue_drops()
        return {
            "flows": self._reports,
            "failures": self._failures,
            "zero_time_s": round(self._zero_s, 6),
            "zero_unix_s": round(time.time() - time.monotonic() + self._zero_s, 6),
            "captures": captured,
            "samplers": cost,
            "faults": planned.results if planned is not None else [],
            "ways_out": interfaces,
            "counters": {
                name: counters.growth(counters_before[name], counters.hystart(node)) for name, node in senders.items()
            },
            "queue_drops": {
                name: [count, drops_after[name]] for name, count in drops_before.items() if name in drops_after
            },
        }

    def _queue_drops(self) -> dict[str, int]:
        """The drops of each sampled queue so far."""
        return counters.queue_drops(self._net, self._request.queues) if self._request.sample_hz else {}

    @property
    def _iperf3(self) -> list[Iperf3Flow]:
        return [flow for flow in self._flows if isinstance(flow, Iperf3Flow)]

    def _start_own(self) -> None:
        """Start both ends of the flows of our own senders. They begin by themselves."""
        ends: dict[str, list[dict[str, Any]]] = {}
        for flow in self._own.values():
            for node, config in flow.ends():
                ends.setdefault(node.name, []).append(config)
        if not ends:
            return
        nodes = {name: self._net.node(name) for name in ends}
        self._generators = Generators(
            ends,
            nodes,
            self._channel.send_line,
            lambda message: self._calls.put(lambda: self._handle_message(message)),
            lambda: report_clock(self._channel),
        )
        for flow in self._own.values():
            for node, config in flow.ends():
                pid = self._generators.pids.get((flow.plan.id, config["role"]))
                # Other programs may poll in a loop, so their processes get no priority.
                if not config["sends"] and pid is not None and flow.plan.kind not in WITH_PROGRAMS:
                    self._prefer(node, pid)

    def _prefer(self, receiver: LabNode, pid: int) -> None:
        # A receiver should read as soon as data arrive. Otherwise an ACK waits for the reader (because the sender
        # pushed), and the reader waits for the turn of the sampler or a daemon, up to a millisecond. BBR then overrates
        # the bottleneck (its filter keeps the best of ten rounds) and builds a queue that a network of several machines
        # does not have. A receiver with a limited share of the processor gets no priority, nor one beside a software
        # switch.
        if receiver.plan.cpu is None and not self._net.has_program_switches:
            processes.prioritize(pid)

    def _start_servers(self) -> None:
        for source in {flow.source.name: flow.source for flow in self._iperf3}.values():
            forget_ended_connections(source)
        for flow in self._iperf3:
            with open(flow.server_log, "wb") as log:
                flow.server = flow.destination.spawn(flow.server_argv(), stdout=log, stderr=log)
            self._prefer(flow.destination, flow.server.pid)
        deadline_s = time.monotonic() + LISTEN_TIMEOUT_S
        waiting = list(self._iperf3)
        while waiting:
            waiting = [flow for flow in waiting if not listens(flow)]
            for flow in waiting:
                if flow.server is not None and flow.server.poll() is not None:
                    raise LabFailed(f"{flow.server_text} ended: {_text(flow.server_log)}")
            if waiting and time.monotonic() > deadline_s:
                raise LabFailed(f"{waiting[0].server_text} does not listen")
            time.sleep(0.005 if waiting else 0)

    def _start_sampling(self) -> Samplers | None:
        if not self._request.sample_hz:
            return None
        connections: dict[str, list[dict[str, Any]]] = {}
        for flow in self._flows:
            for node, connection in _connections(flow):
                connections.setdefault(node, []).append(connection)
        names = {*connections, *(probe.node for probe in self._request.queues)}
        nodes = {name: self._net.node(name) for name in names}
        cables, room = self._net.cables(), self._net.link_namespace_thread
        return Samplers(
            nodes, connections, self._request.queues, cables, room, self._request.sample_hz, self._channel.send_line
        )

    def _send(self) -> None:
        """Start every flow at its time and wait for all of them."""
        to_start = sorted(self._flows, key=lambda flow: flow.plan.start_s)
        while to_start or self._running:
            now_s = time.monotonic() - self._zero_s
            while to_start and to_start[0].plan.start_s <= now_s:
                flow = to_start.pop(0)
                if flow.plan.id in self._failures:
                    continue
                self._running.append(flow)
                flow.deadline_s = self._zero_s + flow.plan.start_s + _limit_s(flow.plan)
                if isinstance(flow, Iperf3Flow):
                    self._start(flow)
            for flow in [flow for flow in self._running if time.monotonic() > flow.deadline_s]:
                self._fail(flow, f"it did not end within {_limit_s(flow.plan):g} s")
            moments = [flow.plan.start_s + self._zero_s for flow in to_start[:1]]
            moments += [flow.deadline_s for flow in self._running]
            if not moments:
                continue
            try:
                self._calls.get(timeout=max(0.0, min(moments) - time.monotonic()))()
            except queue.Empty:
                continue

    def _start(self, flow: Iperf3Flow) -> None:
        with open(flow.report_path, "wb") as report:
            began_s = time.monotonic()
            flow.client = flow.source.spawn(
                flow.client_argv(),
                lambda _: self._calls.put(lambda: self._finish(flow)),
                stdout=report,
                stderr=subprocess.STDOUT,
            )
        flow.deadline_s = began_s + _limit_s(flow.plan)
        self._send_event(flow, "start", began_s)

    def _finish(self, flow: Iperf3Flow) -> None:
        """Handle the end of iperf3's client."""
        if flow not in self._running:
            return
        text = _text(flow.report_path)
        try:
            report = json.loads(text)
        except ValueError:
            self._fail(flow, f"its sender gave no report: {text[-500:] or 'nothing'}")
            return
        self._reports[flow.plan.id] = report
        assert flow.client is not None
        if "error" in report or flow.client.returncode:
            self._fail(flow, str(report.get("error", f"its sender ended with status {flow.client.returncode}")))
        else:
            self._running.remove(flow)
            self._send_event(flow, "end", time.monotonic())

    def _handle_message(self, message: Mapping[str, Any]) -> None:
        """Handle a message from an end of our own flows."""
        flow, kind = self._own[message["flow"]], message["what"]
        if kind == "begun":
            self._send_event(flow, "start", self._zero_s + message["time_s"])
        elif kind == "failed" and flow.plan.id not in self._reports:
            self._fail(flow, message["reason"])
        elif kind == "report" and flow.plan.id not in self._failures:
            is_over = flow.accept_report(message)
            assert self._generators is not None
            if is_over:
                self._reports[flow.plan.id] = flow.report
                ended_s = time.monotonic() if flow.ended_s is None else self._zero_s + flow.ended_s
                if flow in self._running:
                    self._running.remove(flow)
                self._send_event(flow, "end", ended_s)
            elif message["role"] == "ask":
                self._generators.pass_report(flow.plan.id, "serve", message["report"])

    def _fail(self, flow: _AnyFlow, reason: str) -> None:
        if flow in self._running:
            self._running.remove(flow)
        if flow.plan.id in self._failures:
            return
        self._failures[flow.plan.id] = f"{flow.source.name}: flow {flow.plan.id}: {reason}"
        self._send_event(flow, "failed", time.monotonic(), reason)
        if isinstance(flow, Iperf3Flow):
            processes.end([process for process in (flow.client, flow.server) if process], 0.2)
        elif self._generators is not None:
            self._generators.kill(flow.plan.id)

    def _send_event(self, flow: _AnyFlow, event: str, at_s: float, text: str = "") -> None:
        self._channel.send(wire.FlowEvent(flow.plan.id, event, round(at_s - self._zero_s, 6), text))


def _check_congestion_control(flow: _AnyFlow) -> None:
    """Set it on a socket of the source, which also loads the kernel's module for it."""
    name = flow.plan.congestion_control

    def try_it() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as opened:
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())

    try:
        flow.source.thread.call(try_it)
    except PermissionError as error:
        raise LabFailed(f"{flow.source.name}: the congestion control {name!r} is not allowed here") from error
    except OSError as error:
        with open("/proc/sys/net/ipv4/tcp_available_congestion_control", encoding="ascii") as file:
            available = ", ".join(file.read().split())
        message = f"{flow.source.name}: this kernel has no congestion control {name!r}; it has {available}"
        raise LabFailed(message) from error


def _source_address(flow: _AnyFlow) -> str:
    """The source's address towards the destination. Raises LabFailed if it has no route."""
    address = flow.plan.address

    def ask() -> str:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as trial:
            trial.connect((address, flow.plan.port))
            return str(trial.getsockname()[0])

    try:
        return flow.source.thread.call(ask)
    except OSError as error:
        message = f"{flow.source.name}: no route to {address} for flow {flow.plan.id}: {error.strerror}"
        raise LabFailed(message) from error


def _connection(flow: str, side: str, source: str, source_port: int, destination: str, port: int) -> dict[str, Any]:
    return {
        "flow": flow,
        "side": side,
        "source": source,
        "source_port": source_port,
        "destination": destination,
        "port": port,
    }


def _text(path: str) -> str:
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read().strip()
