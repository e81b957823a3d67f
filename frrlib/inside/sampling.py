"""Samplers seen from the agent: which process samples which nodes, and where its rows go."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from frrlib.errors import LabFailed
from frrlib.inside import processes
from frrlib.inside.netlink import NETLINK_ROUTE, NETLINK_SOCK_DIAG, Netlink
from frrlib.inside.nodes import LabNode
from frrlib.wire import QueueProbe

START_TIMEOUT_S = 20.0
END_TIMEOUT_S = 5.0
_START = "import sys; sys.path.insert(0, sys.argv[1]); from frrlib.inside.sampler import main; main()"


class Sampling:
    """The samplers of one run.

    Nodes are dealt out to as many processes as there are processors: one process for all of them where there is one
    processor, since every further one would only cost its start and more changes of context.

    Args:
        nodes: name to node, of all nodes that appear in `connections` and `queues`.
        connections: name of a node to the ends of flows in it, in the sampler's own form.
        queues: queues to sample.
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
            self._groups.append(_Group(mine, configs, hz, forward))
        for group in self._groups:
            group.wait_ready()

    def begin(self, zero_s: float) -> None:
        """Start sampling, with this time of the monotonic clock as zero."""
        for group in self._groups:
            group.write({"zero_s": zero_s})

    def end(self) -> dict[str, float]:
        """End sampling; when it returns all rows are passed on. Gives the processor time that each sampler took, in
        seconds, by the names of its nodes."""
        for group in self._groups:
            group.close()
        return {",".join(group.names): group.finish() for group in self._groups}


class _Group:
    """One sampler process."""

    def __init__(
        self, names: list[str], configs: list[dict[str, Any]], hz: float, forward: Callable[[bytes], None]
    ) -> None:
        self.names, self._forward = names, forward
        self._ready = threading.Event()
        self._cpu_s = 0.0
        descriptors = [each[key] for each in configs for key in ("diag", "route") if each[key] >= 0]
        python = sys.executable or "/usr/bin/python3"
        code = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        pipe = subprocess.PIPE
        try:
            self._process = processes.spawn(
                [python, "-I", "-S", "-c", _START, code],
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                pass_fds=descriptors,
            )
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        self._reader = threading.Thread(target=self._read, name="samples", daemon=True)
        self._reader.start()
        self.write({"hz": hz, "nodes": configs})

    def write(self, value: Mapping[str, Any]) -> None:
        """Send a line to the sampler."""
        assert self._process.stdin is not None
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
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()

    def finish(self) -> float:
        """Wait for its last rows; the processor time that it took."""
        self._reader.join(END_TIMEOUT_S)
        processes.end([self._process], END_TIMEOUT_S)
        return self._cpu_s

    def _failure(self) -> LabFailed:
        processes.end([self._process], 0.5)
        assert self._process.stderr is not None
        said = self._process.stderr.read().decode(errors="replace").strip()
        return LabFailed(f"the sampler of {', '.join(self.names)} failed: {said[-1000:] or 'it did not start in time'}")

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(b'{"type"'):
                self._forward(line)
                continue
            told = json.loads(line)
            self._cpu_s = told.get("cpu_s", self._cpu_s)
            self._ready.set()


def _node_config(
    node: LabNode, connections: Sequence[Mapping[str, Any]], queues: Sequence[QueueProbe]
) -> dict[str, Any]:
    mine = [
        {"direction": queue.direction, "interface": _index(node, queue.interface)}
        for queue in queues
        if queue.node == node.name
    ]
    return {
        "diag": _descriptor(node, NETLINK_SOCK_DIAG) if connections else -1,
        "route": _descriptor(node, NETLINK_ROUTE) if mine else -1,
        "connections": [dict(connection) for connection in connections],
        "queues": mine,
    }


def _descriptor(node: LabNode, protocol: int) -> int:
    return node.thread.call(Netlink, node.name, protocol).socket.detach()


def _index(node: LabNode, interface: str) -> int:
    try:
        return node.thread.call(socket.if_nametoindex, interface)
    except OSError as error:
        raise LabFailed(f"{node.name} has no interface {interface!r} whose queue could be sampled") from error
