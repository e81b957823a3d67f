"""Samplers seen from the agent: which process samples which nodes, and where its rows go."""

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

    Nodes are dealt out to as many processes as there are processors: one process for all of them where there is one
    processor, since every further one would only cost its start and more changes of context.

    Args:
        nodes: name to node, of all nodes that appear in `connections` and `queues`.
        connections: name of a node to the ends of flows in it, in the sampler's own form.
        queues: queues to sample.
        cables: name of a direction to the cable room's interface from which it goes on; sampled once a second.
        room: the thread of the cable room; None where there is none.
        hz: samples a second.
        forward: takes finished lines of the wire, from threads of this object.

    Raises:
        LabFailed: an interface does not exist, or a sampler does not start.
    """

    def __init__(
        self,
        nodes: Mapping[str, LabNode],
        connections: Mapping[str, Sequence[Mapping[str, Any]]],
        queues: Sequence[QueueProbe],
        cables: Mapping[str, str],
        room: NodeThread | None,
        hz: float,
        forward: Callable[[bytes], None],
    ) -> None:
        self._forward = forward
        self._groups: list[_Group] = []
        names = sorted({*connections, *(queue.node for queue in queues)})
        count = min(len(names), os.cpu_count() or 1)
        for number in range(count):
            mine = names[number::count]
            configs = [_node_config(nodes[name], connections.get(name, ()), queues) for name in mine]
            if number == 0 and room is not None:
                configs.append(_cable_config(room, cables))
            # A lab kernel's processors are its own; outside of one they are the machine's, which others look at.
            # In virtual time computing takes none, so that there is nothing to see.
            real = not in_virtual_time()
            own = number == 0 and real and os.environ.get("LAB_PLACE") == "labkernel"
            self._groups.append(_Group(mine, configs, hz, "lab kernel" if own else "", forward))
        for group in self._groups:
            group.wait_ready()

    def begin(self, zero_s: float) -> None:
        """Start sampling, with this time of the monotonic clock as zero."""
        for group in self._groups:
            group.write({"zero_s": zero_s})

    def end(self) -> dict[str, dict[str, float]]:
        """End sampling; when it returns all rows are passed on. Gives what each sampler tells of itself, by the
        names of its nodes: see `wire.RunFlows`."""
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
        descriptors = [each[key] for each in configs for key in ("diag", "route") if each[key] >= 0]
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
        """Wait until the sampler could begin. Raises LabFailed where it does not come to that."""
        if not self._ready.wait(START_TIMEOUT_S):
            raise self._failure()

    def close(self) -> None:
        """Tell the sampler to end."""
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()

    def finish(self) -> dict[str, float]:
        """Wait for its last rows; what it cost, nothing where it did not come to tell."""
        self._reader.join(END_TIMEOUT_S)
        processes.end([self._process], END_TIMEOUT_S)
        return self._cost

    def _failure(self) -> LabFailed:
        processes.end([self._process], 0.5)
        said = self._process.stderr.read().decode(errors="replace").strip()
        return LabFailed(f"the sampler of {', '.join(self.names)} failed: {said[-1000:] or 'it did not start in time'}")

    def _read(self) -> None:
        for line in self._process.stdout:
            if line.startswith(b'{"type"'):
                self._forward(line)
                continue
            told = json.loads(line)
            if "busy_s" in told:
                self._cost = told
            self._ready.set()


def _node_config(
    node: LabNode, connections: Sequence[Mapping[str, Any]], queues: Sequence[QueueProbe]
) -> dict[str, Any]:
    mine = [
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
        "queues": mine,
        "interfaces": {interface.name: interface.index for interface in node.intfList()},
    }


def _queue(direction: str, interface: int, parent: str = "", is_own: bool = False) -> dict[str, Any]:
    """A queue as a sampler is told of it; the class that it is in as a number, as the kernel has them."""
    major, _, minor = parent.partition(":")
    place = int(major, 16) << 16 | int(minor, 16) if parent else kernel_statistics.ROOT
    return {"direction": direction, "interface": interface, "parent": place, "is_own": is_own}


def _cable_config(room: NodeThread, cables: Mapping[str, str]) -> dict[str, Any]:
    indexes = room.call(lambda: [socket.if_nametoindex(name) for name in cables.values()])
    queues = [_queue(name, index) for name, index in zip(cables, indexes, strict=True)]
    return {
        "node": "",
        "diag": -1,
        "route": _descriptor(room, NETLINK_ROUTE),
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
