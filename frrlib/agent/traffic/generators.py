"""The processes that send and receive flows (`traffic`), seen from the agent: one in each node with an end of one."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from frrlib.agent import processes
from frrlib.agent.network.nodes import LabNode
from frrlib.agent.traffic import generator
from frrlib.errors import LabFailed

START_TIMEOUT_S = 30.0
#: What an end tells, and who takes it.
HandleMessage = Callable[[Mapping[str, Any]], None]


class Generators:
    """The ends of all flows that the project's own senders send.

    Args:
        ends: name of a node to what its ends are told (`traffic_end.Config`).
        nodes: name to node.
        forward: takes finished lines of the wire, from threads of this object.
        heard: takes what ends tell once all are ready, from threads of this object.
        progress: called as each end is ready.

    Raises:
        LabFailed: an end cannot be made, such as one whose port is taken.
    """

    def __init__(
        self,
        ends: Mapping[str, Sequence[Mapping[str, Any]]],
        nodes: Mapping[str, LabNode],
        forward: Callable[[bytes], None],
        heard: HandleMessage,
        progress: Callable[[], None] = lambda: None,
    ) -> None:
        self._progress = progress
        self.pids: dict[tuple[str, str], int] = {}
        self._heard, self._changed = heard, threading.Condition()
        self._failed: dict[tuple[str, str], str] = {}
        self._wanted = {(each["flow"], each["role"]): name for name, mine in ends.items() for each in mine}
        self._of_nodes: dict[str, _OfNode] = {}
        try:
            for name, mine in ends.items():
                ended = partial(self._kill_ends, name)
                self._of_nodes[name] = _OfNode(nodes[name], mine, forward, self._told, self._gone, ended)
            self._wait_ready()
        except BaseException:
            self.close()
            raise

    def begin(self, zero_s: float) -> None:
        """All begin at their times, counted from this one of the monotonic clock."""
        for each in self._of_nodes.values():
            each.write({"zero_s": zero_s})

    def tell_other(self, flow: str, role: str, report: Any) -> None:
        """Tell an end of a flow what the other one had to tell when it was done."""
        if (flow, role) in self._wanted:
            self._of_nodes[self._wanted[flow, role]].write({"to": f"{flow}/{role}", "other": report})

    def kill(self, flow: str) -> None:
        """End both ends of a flow at once."""
        for (name, role), node in self._wanted.items():
            if name == flow:
                self._of_nodes[node].write({"to": f"{flow}/{role}", "kill": True})

    def close(self) -> None:
        """End all of them, with all that they started."""
        for each in self._of_nodes.values():
            each.close()
        for each in self._of_nodes.values():
            each.finish()

    def _wait_ready(self) -> None:
        def is_known() -> bool:
            return bool(self._failed) or len(self.pids) == len(self._wanted)

        with self._changed:
            if not self._changed.wait_for(is_known, START_TIMEOUT_S) or self._failed:
                late = next(iter(self._failed), None) or next(each for each in self._wanted if each not in self.pids)
                why = self._failed.get(late, "it was not ready in time")
                raise LabFailed(f"{self._wanted[late]}: flow {late[0]}: {why}")

    def _told(self, message: Mapping[str, Any]) -> None:
        key, what = (message["flow"], message["role"]), message["what"]
        with self._changed:
            if len(self.pids) < len(self._wanted) and what in ("ready", "failed"):
                if what == "ready":
                    self.pids[key] = message["pid"]
                else:
                    self._failed[key] = message["why"]
                self._changed.notify_all()
                self._progress()
                return
        self._heard(message)

    def _kill_ends(self, node: str, process: processes.ForkedProcess) -> None:
        """The process of a node has ended; where that was not by itself, its ends are still there."""
        for (flow, role), pid in list(self.pids.items()):
            if self._wanted[flow, role] == node:
                with contextlib.suppress(OSError):
                    os.killpg(pid, signal.SIGKILL)

    def _gone(self, node: str, said: str) -> None:
        """The process of a node has ended, which it does not by itself."""
        why = f"the process that sends has ended: {said or 'it said nothing'}"
        mine = [key for key, name in self._wanted.items() if name == node]
        with self._changed:
            self._failed |= {key: why for key in mine if key not in self.pids}
            self._changed.notify_all()
        for flow, role in mine:
            self._heard({"flow": flow, "role": role, "what": "failed", "why": why})


class _OfNode:
    """The process of one node."""

    def __init__(
        self,
        node: LabNode,
        ends: Sequence[Mapping[str, Any]],
        forward: Callable[[bytes], None],
        told: HandleMessage,
        gone: Callable[[str, str], None],
        ended: Callable[[processes.ForkedProcess], None],
    ) -> None:
        self._name, self._forward, self._told, self._gone = node.name, forward, told, gone
        generator.load(ends)
        self._process = node.thread.call(processes.fork, generator.main, ended)
        self._reader = threading.Thread(target=self._read, name=f"flows of {node.name}", daemon=True)
        self._reader.start()
        self.write({"ends": list(ends)})

    def write(self, value: Mapping[str, Any]) -> None:
        """Send a line; what comes too late is nobody's loss."""
        with contextlib.suppress(BrokenPipeError, ValueError):
            self._process.stdin.write(json.dumps(value).encode() + b"\n")
            self._process.stdin.flush()

    def close(self) -> None:
        """Tell it to end all."""
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()

    def finish(self) -> None:
        """Wait until it has ended and all rows are passed on."""
        processes.end([self._process], 2.0)
        self._reader.join(2.0)

    def _read(self) -> None:
        for line in self._process.stdout:
            if line.startswith(b'{"type"'):
                self._forward(line)
            else:
                self._told(json.loads(line))
        self._gone(self._name, self._process.stderr.read().decode(errors="replace").strip()[-1000:])
