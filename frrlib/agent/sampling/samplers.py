"""Samplers as the agent starts them: the process for each node, and the receiver of its rows."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from frrlib.agent import processes
from frrlib.agent.network.namespaces import NodeThread
from frrlib.agent.network.netlink import NETLINK_ROUTE, NETLINK_SOCK_DIAG, Netlink
from frrlib.agent.network.nodes import LabNode
from frrlib.agent.sampling import kernel_statistics, sampler
from frrlib.agent.virtual_channel import in_virtual_time
from frrlib.errors import LabFailed
from frrlib.wire.plan import QueueProbe

START_TIMEOUT_S = 20.0
END_TIMEOUT_S = 5.0


class Samplers:
    """The samplers of one run.

    Nodes are distributed over as many processes as there are processors. One processor gets one process for all nodes,
    since more would only add starts and context switches.

    Args:
        nodes: all nodes in `connections` and `queues`, by name.
        connections: ends of flows by name of their node, in the sampler's own format.
        queues: queues to sample.
        cables: the link namespace's interface of each direction, by the direction's name; sampled once a second.
        link_namespace: the thread of the link namespace; None if there is none.
        hz: samples a second.
        forward: called with complete lines of the wire, from threads of this object.

    Raises:
        LabFailed: an interface does not exist, or a sampler does not start.
    """

    def __init__(
        self,
        nodes: Mapping[str, LabNode],
        connections: Mapping[str, Sequence[Mapping[str, Any]]],
        queues: Sequence[QueueProbe],
        cables: Mapping[str, str],
        link_namespace: NodeThread | None,
        hz: float,
        forward: Callable[[bytes], None],
    ) -> None:
        self._forward = forward
        self._groups: list[_Group] = []
        names = sorted({*connections, *(queue.node for queue in queues)})
        count = min(len(names), os.cpu_count() or 1)
        for number in range(count):
            group_names = names[number::count]
            configs = [_node_config(nodes[name], connections.get(name, ()), queues) for name in group_names]
            if number == 0 and link_namespace is not None:
                configs.append(_cable_config(link_namespace, cables))
            # A lab kernel has processors of its own. Elsewhere they are the machine's, which other code samples. In
            # virtual time computing takes none, so processors have no load.
            real = not in_virtual_time()
            reports_processor = number == 0 and real and os.environ.get("LAB_PLACE") == "labkernel"
            self._groups.append(_Group(group_names, configs, hz, "lab kernel" if reports_processor else "", forward))
        for group in self._groups:
            group.wait_ready()

    def begin(self, zero_s: float) -> None:
        """Start sampling, with this time of the monotonic clock as zero."""
        for group in self._groups:
            group.write({"zero_s": zero_s})

    def end(self) -> dict[str, dict[str, float]]:
        """End sampling and return each sampler's cost, by the names of its nodes: see `wire.RunFlows`. All rows are
        sent when it returns."""
        for group in self._groups:
            group.close()
        return {",".join(group.names): group.finish() for group in self._groups}


class _Group:
    """One sampler process."""

    def __init__(
        self,
        names: list[str],
        configs: list[dict[str, Any]],
        hz: float,
        processor: str,
        forward: Callable[[bytes], None],
    ) -> None:
        self.names, self._forward = names, forward
        self._ready = threading.Event()
        self._cost: dict[str, float] = {}
        descriptors = [config[key] for config in configs for key in ("diag", "route") if config[key] >= 0]
        try:
            self._process = processes.fork(sampler.main, keep=descriptors)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        self._reader = threading.Thread(target=self._read, name="samples", daemon=True)
        self._reader.start()
        self.write({"hz": hz, "processor": processor, "nodes": configs})

    def write(self, value: Mapping[str, Any]) -> None:
        """Send a line to the sampler."""
        try:
            self._process.stdin.write(json.dumps(value).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise self._failure() from error

    def wait_ready(self) -> None:
        """Wait until the sampler is ready. Raises LabFailed if it does not get ready."""
        if not self._ready.wait(START_TIMEOUT_S):
            raise self._failure()

    def close(self) -> None:
        """Have the sampler end."""
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()

    def finish(self) -> dict[str, float]:
        """Wait for the last rows, and return the sampler's cost; empty if it did not report it."""
        self._reader.join(END_TIMEOUT_S)
        processes.end([self._process], END_TIMEOUT_S)
        return self._cost

    def _failure(self) -> LabFailed:
        processes.end([self._process], 0.5)
        errors = self._process.stderr.read().decode(errors="replace").strip()
        return LabFailed(
            f"the sampler of {', '.join(self.names)} failed: {errors[-1000:] or 'it did not start in time'}"
        )

    def _read(self) -> None:
        for line in self._process.stdout:
            if line.startswith(b'{"type"'):
                self._forward(line)
                continue
            message = json.loads(line)
            if "busy_s" in message:
                self._cost = message
            self._ready.set()


def _node_config(
    node: LabNode, connections: Sequence[Mapping[str, Any]], queues: Sequence[QueueProbe]
) -> dict[str, Any]:
    own_queues = [
        _queue(queue.direction, _index(node, queue.interface), queue.parent, queue.is_own)
        for queue in queues
        if queue.node == node.name
    ]
    return {
        "node": node.name,
        "diag": _descriptor(node.thread, NETLINK_SOCK_DIAG) if connections else -1,
        "route": _descriptor(node.thread, NETLINK_ROUTE),
        "table": "queue",
        "connections": [dict(connection) for connection in connections],
        "queues": own_queues,
        "interfaces": {interface.name: interface.index for interface in node.intfList()},
    }


def _queue(direction: str, interface: int, parent: str = "", is_own: bool = False) -> dict[str, Any]:
    """A queue in a sampler's settings. Its class is a number, as in the kernel."""
    major, _, minor = parent.partition(":")
    place = int(major, 16) << 16 | int(minor, 16) if parent else kernel_statistics.ROOT
    return {"direction": direction, "interface": interface, "parent": place, "is_own": is_own}


def _cable_config(link_namespace: NodeThread, cables: Mapping[str, str]) -> dict[str, Any]:
    indexes = link_namespace.call(lambda: [socket.if_nametoindex(name) for name in cables.values()])
    queues = [_queue(name, index) for name, index in zip(cables, indexes, strict=True)]
    return {
        "node": "",
        "diag": -1,
        "route": _descriptor(link_namespace, NETLINK_ROUTE),
        "table": "cable",
        "connections": [],
        "queues": queues,
        "interfaces": {},
    }


def _descriptor(thread: NodeThread, protocol: int) -> int:
    return thread.call(Netlink, thread.name, protocol).socket.detach()


def _index(node: LabNode, interface: str) -> int:
    try:
        return node.thread.call(socket.if_nametoindex, interface)
    except OSError as error:
        raise LabFailed(f"{node.name} has no interface {interface!r} whose queue could be sampled") from error
