"""Flows: iperf3 at both ends, every one on time, and samplers beside them."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import socket
import subprocess
import time
from typing import Any

from frrlib import wire
from frrlib.errors import LabFailed, PlaceError
from frrlib.inside import processes
from frrlib.inside.channel import Channel
from frrlib.inside.net import LabNet
from frrlib.inside.nodes import LabNode
from frrlib.inside.rtnetlink import packed
from frrlib.inside.sampling import Sampling
from frrlib.wire import FlowPlan

#: From the moment that everything is ready to the start of all flows, for samplers to take their first sample in time.
LEAD_S = 0.05
#: How much longer than asked a flow may take: connecting, draining a full queue, exchanging results.
OVERRUN_S = 15.0
#: A flow that ends by size may take as long as it would at this rate.
SLOWEST_MBIT = 0.1
LISTEN_TIMEOUT_S = 15.0
CONNECT_TIMEOUT_MS = 10_000
_LISTENING = "0A"


def run(net: LabNet, request: wire.RunFlows, channel: Channel) -> dict[str, Any]:
    """Send the flows and sample meanwhile; see `wire.RunFlows`.

    Raises:
        LabFailed: something is wrong before any flow starts: a node or route that does not exist, a congestion control
            that the kernel does not have, a port that is taken. What goes wrong with one flow later is in the result.
        PlaceError: iperf3 is not installed.
    """
    return _Run(net, request, channel).result()


class _Flow:
    """A flow under way."""

    def __init__(self, plan: FlowPlan, source: LabNode, destination: LabNode, folder: str) -> None:
        self.plan, self.source, self.destination = plan, source, destination
        self.source_address = ""
        self.server: processes.Process | None = None
        self.client: processes.Process | None = None
        self.deadline_s = 0.0
        plain = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in plan.id)
        self.report_path = f"{folder}/flow-{plain}.json"
        self.server_log = f"{folder}/flow-{plain}-server.log"

    @property
    def limit_s(self) -> float:
        """How long it may take."""
        if self.plan.size_bytes:
            return OVERRUN_S + self.plan.size_bytes * 8 / (SLOWEST_MBIT * 1e6)
        return OVERRUN_S + self.plan.duration_s

    @property
    def server_text(self) -> str:
        """Its server, for messages."""
        return f"{self.destination.name}: the server of flow {self.plan.id}"

    def server_argv(self) -> list[str]:
        return ["iperf3", "-s", "-1", "-B", self.plan.address, "-p", str(self.plan.port)]

    def client_argv(self) -> list[str]:
        plan = self.plan
        amount = ["-n", str(plan.size_bytes)] if plan.size_bytes else ["-t", f"{plan.duration_s:g}"]
        return [
            *("iperf3", "-c", plan.address, "-p", str(plan.port), "-B", self.source_address),
            *("--cport", str(plan.source_port), "-C", plan.congestion_control, *amount),
            *("-J", "--connect-timeout", str(CONNECT_TIMEOUT_MS)),
        ]

    def connections(self) -> list[tuple[str, dict[str, Any]]]:
        """Both ends, as the sampler wants them."""
        source, destination = packed(self.source_address).hex(), packed(self.plan.address).hex()
        ports = self.plan.source_port, self.plan.port
        there = _connection(self.plan.id, "sender", source, ports[0], destination, ports[1])
        back = _connection(self.plan.id, "receiver", destination, ports[1], source, ports[0])
        return [(self.source.name, there), (self.destination.name, back)]


class _Run:
    def __init__(self, net: LabNet, request: wire.RunFlows, channel: Channel) -> None:
        self._net, self._request, self._channel = net, request, channel
        self._folder = net.logs
        self._flows = [
            _Flow(plan, net.node(plan.source), net.node(plan.destination), self._folder) for plan in request.flows
        ]
        self._ended: queue.SimpleQueue[_Flow] = queue.SimpleQueue()
        self._zero_s = 0.0
        self._reports: dict[str, Any] = {}
        self._failures: dict[str, str] = {}

    def result(self) -> dict[str, Any]:
        if self._flows and not shutil.which("iperf3"):
            raise PlaceError("iperf3 is not installed", "sudo apt-get install iperf3")
        for flow in self._flows:
            _check_congestion_control(flow)
            flow.source_address = _source_address(flow)
        sampling: Sampling | None = None
        used_s: dict[str, float] = {}
        try:
            self._start_servers()
            sampling = self._start_sampling()
            self._zero_s = time.monotonic() + LEAD_S
            sampling.begin(self._zero_s)
            self._send()
        finally:
            used_s = sampling.end() if sampling else {}
            running = [process for flow in self._flows for process in (flow.client, flow.server) if process]
            processes.end(running, 0.5)
        return {
            "flows": self._reports,
            "failures": self._failures,
            "zero_time_s": round(self._zero_s, 6),
            "sampler_cpu_s": used_s,
        }

    def _start_servers(self) -> None:
        for flow in self._flows:
            with open(flow.server_log, "wb") as log:
                flow.server = flow.destination.spawn(flow.server_argv(), stdout=log, stderr=log)
            # Not a receiver that would escape its share of the processor, or take a switch's.
            if flow.destination.plan.cpu is None and not self._net.has_program_switches:
                _prefer(flow.server)
        deadline_s = time.monotonic() + LISTEN_TIMEOUT_S
        waiting = list(self._flows)
        while waiting:
            waiting = [flow for flow in waiting if not _listens(flow)]
            for flow in waiting:
                if flow.server is not None and flow.server.poll() is not None:
                    raise LabFailed(f"{flow.server_text} ended: {_text(flow.server_log)}")
            if waiting and time.monotonic() > deadline_s:
                raise LabFailed(f"{waiting[0].server_text} does not listen")
            time.sleep(0.005 if waiting else 0)

    def _start_sampling(self) -> Sampling:
        connections: dict[str, list[dict[str, Any]]] = {}
        for flow in self._flows:
            for node, connection in flow.connections():
                connections.setdefault(node, []).append(connection)
        names = {*connections, *(probe.node for probe in self._request.queues)}
        nodes = {name: self._net.node(name) for name in names}
        return Sampling(nodes, connections, self._request.queues, self._request.sample_hz, self._channel.send_line)

    def _send(self) -> None:
        """Start every flow at its time and wait for all of them."""
        to_start = sorted(self._flows, key=lambda flow: flow.plan.start_s)
        running: list[_Flow] = []
        while to_start or running:
            now_s = time.monotonic() - self._zero_s
            while to_start and to_start[0].plan.start_s <= now_s:
                flow = to_start.pop(0)
                self._start(flow)
                running.append(flow)
            for flow in [flow for flow in running if time.monotonic() > flow.deadline_s]:
                self._fail(flow, f"it did not end within {flow.limit_s:g} s")
                running.remove(flow)
            moments = [flow.plan.start_s + self._zero_s for flow in to_start[:1]]
            moments += [flow.deadline_s for flow in running]
            if not moments:
                continue
            try:
                ended = self._ended.get(timeout=max(0.0, min(moments) - time.monotonic()))
            except queue.Empty:
                continue
            if ended in running:
                running.remove(ended)
                self._finish(ended)

    def _start(self, flow: _Flow) -> None:
        with open(flow.report_path, "wb") as report:
            began_s = time.monotonic()
            flow.client = flow.source.spawn(
                flow.client_argv(), lambda _: self._ended.put(flow), stdout=report, stderr=subprocess.STDOUT
            )
        flow.deadline_s = began_s + flow.limit_s
        self._tell(flow, "start", began_s)

    def _finish(self, flow: _Flow) -> None:
        text = _text(flow.report_path)
        try:
            report = json.loads(text)
        except ValueError:
            self._fail(flow, f"iperf3 gave no report: {text[-500:] or 'nothing'}")
            return
        self._reports[flow.plan.id] = report
        assert flow.client is not None
        if "error" in report or flow.client.returncode:
            self._fail(flow, str(report.get("error", f"iperf3 ended with status {flow.client.returncode}")))
        else:
            self._tell(flow, "end", time.monotonic())

    def _fail(self, flow: _Flow, why: str) -> None:
        self._failures[flow.plan.id] = f"{flow.source.name}: flow {flow.plan.id}: {why}"
        self._tell(flow, "failed", time.monotonic(), why)
        processes.end([process for process in (flow.client, flow.server) if process], 0.2)

    def _tell(self, flow: _Flow, what: str, at_s: float, text: str = "") -> None:
        self._channel.send(wire.FlowEvent(flow.plan.id, what, round(at_s - self._zero_s, 6), text))


def _check_congestion_control(flow: _Flow) -> None:
    """Set it on a socket of the source, which also loads the kernel's module for it."""
    name = flow.plan.congestion_control

    def try_it() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())

    try:
        flow.source.thread.call(try_it)
    except PermissionError as error:
        raise LabFailed(f"{flow.source.name}: the congestion control {name!r} is not allowed here") from error
    except OSError as error:
        with open("/proc/sys/net/ipv4/tcp_available_congestion_control", encoding="ascii") as file:
            there = ", ".join(file.read().split())
        why = f"{flow.source.name}: this kernel has no congestion control {name!r}; it has {there}"
        raise LabFailed(why) from error


def _source_address(flow: _Flow) -> str:
    """The address from which the source reaches the destination. Raises LabFailed where it has no route."""
    address = flow.plan.address

    def ask() -> str:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as trial:
            trial.connect((address, flow.plan.port))
            return str(trial.getsockname()[0])

    try:
        return flow.source.thread.call(ask)
    except OSError as error:
        why = f"{flow.source.name}: no route to {address} for flow {flow.plan.id}: {error.strerror}"
        raise LabFailed(why) from error


def _prefer(receiver: processes.Process) -> None:
    """Let a receiver read as soon as something has come, where the lab has one processor of its own.

    An ACK that waits for the reader, because the sender pushed, would otherwise wait for the sampler or a daemon to end
    its turn: up to a millisecond, by which BBR overrates the bottleneck (its filter keeps the best of ten rounds) and
    builds a queue that no network of several machines shows.
    """
    if os.environ.get("LAB_PLACE") == "labkernel":
        with contextlib.suppress(OSError):  # a flow runs without it all the same
            os.sched_setscheduler(receiver.pid, os.SCHED_FIFO, os.sched_param(1))


def _listens(flow: _Flow) -> bool:
    """Whether the server's port is open, as the kernel lists it for the destination's namespace."""
    table = "tcp6" if ":" in flow.plan.address else "tcp"
    with open(f"/proc/{flow.destination.thread.tid}/net/{table}", encoding="ascii") as file:
        next(file)
        rows = [line.split()[1:4] for line in file]
    return any(int(local.rpartition(":")[2], 16) == flow.plan.port and state == _LISTENING for local, _, state in rows)


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
