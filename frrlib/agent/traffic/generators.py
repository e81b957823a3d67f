"""The processes that send and receive flows (`generator`), as the agent starts them: one in each node with an end."""

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
#: Receives a message from an end.
HandleMessage = Callable[[Mapping[str, Any]], None]


class Generators:
    """The ends of all flows of the project's own senders.

    Args:
        ends: settings of ends (`endpoint.Config`), by the node's name.
        nodes: nodes by name.
        forward: called with complete lines of the wire, from threads of this object.
        handle_message: called with messages of ends once all are ready, from threads of this object.
        progress: called as each end is ready.

    Raises:
        LabFailed: an end cannot start, for example if its port is in use.
    """

    def __init__(
        self,
        ends: Mapping[str, Sequence[Mapping[str, Any]]],
        nodes: Mapping[str, LabNode],
        forward: Callable[[bytes], None],
        handle_message: HandleMessage,
        progress: Callable[[], None] = lambda: None,
    ) -> None:
        self._progress = progress
        self.pids: dict[tuple[str, str], int] = {}
        self._handle_message, self._changed = handle_message, threading.Condition()
        self._failed: dict[tuple[str, str], str] = {}
        self._node_names = {(end["flow"], end["role"]): name for name, mine in ends.items() for end in mine}
        self._processes: dict[str, _NodeProcess] = {}
        try:
            for name, mine in ends.items():
                ended = partial(self._kill_ends, name)
                self._processes[name] = _NodeProcess(nodes[name], mine, forward, self._receive, self._handle_end, ended)
            self._wait_ready()
        except BaseException:
            self.close()
            raise

    def begin(self, zero_s: float) -> None:
        """Begin all flows at their times, counted from this one of the monotonic clock."""
        for process in self._processes.values():
            process.write({"zero_s": zero_s})

    def pass_report(self, flow: str, role: str, report: Any) -> None:
        """Send an end of a flow the report of the other one."""
        if (flow, role) in self._node_names:
            self._processes[self._node_names[flow, role]].write({"to": f"{flow}/{role}", "other": report})

    def kill(self, flow: str) -> None:
        """End both ends of a flow at once."""
        for (name, role), node in self._node_names.items():
            if name == flow:
                self._processes[node].write({"to": f"{flow}/{role}", "kill": True})

    def close(self) -> None:
        """End all of them, with all processes that they started."""
        for process in self._processes.values():
            process.close()
        for process in self._processes.values():
            process.finish()

    def _wait_ready(self) -> None:
        def is_known() -> bool:
            return bool(self._failed) or len(self.pids) == len(self._node_names)

        with self._changed:
            if not self._changed.wait_for(is_known, START_TIMEOUT_S) or self._failed:
                late = next(iter(self._failed), None) or next(key for key in self._node_names if key not in self.pids)
                reason = self._failed.get(late, "it was not ready in time")
                raise LabFailed(f"{self._node_names[late]}: flow {late[0]}: {reason}")

    def _receive(self, message: Mapping[str, Any]) -> None:
        key, kind = (message["flow"], message["role"]), message["what"]
        with self._changed:
            if len(self.pids) < len(self._node_names) and kind in ("ready", "failed"):
                if kind == "ready":
                    self.pids[key] = message["pid"]
                else:
                    self._failed[key] = message["reason"]
                self._changed.notify_all()
                self._progress()
                return
        self._handle_message(message)

    def _kill_ends(self, node: str, process: processes.ForkedProcess) -> None:
        """Kill the ends of a node whose process has ended; after a crash they still run."""
        for (flow, role), pid in list(self.pids.items()):
            if self._node_names[flow, role] == node:
                with contextlib.suppress(OSError):
                    os.killpg(pid, signal.SIGKILL)

    def _handle_end(self, node: str, errors: str) -> None:
        """Handle the end of a node's process, which does not end by itself."""
        reason = f"the process that sends has ended: {errors or 'it printed nothing'}"
        mine = [key for key, name in self._node_names.items() if name == node]
        with self._changed:
            self._failed |= {key: reason for key in mine if key not in self.pids}
            self._changed.notify_all()
        for flow, role in mine:
            self._handle_message({"flow": flow, "role": role, "what": "failed", "reason": reason})


class _NodeProcess:
    """The process of one node."""

    def __init__(
        self,
        node: LabNode,
        ends: Sequence[Mapping[str, Any]],
        forward: Callable[[bytes], None],
        handle_message: HandleMessage,
        handle_end: Callable[[str, str], None],
        ended: Callable[[processes.ForkedProcess], None],
    ) -> None:
        self._name, self._forward, self._receive, self._handle_end = node.name, forward, handle_message, handle_end
        generator.load(ends)
        self._process = node.thread.call(processes.fork, generator.main, ended)
        self._reader = threading.Thread(target=self._read, name=f"flows of {node.name}", daemon=True)
        self._reader.start()
        self.write({"ends": list(ends)})

    def write(self, value: Mapping[str, Any]) -> None:
        """Send a line. A process that has ended needs none."""
        with contextlib.suppress(BrokenPipeError, ValueError):
            self._process.stdin.write(json.dumps(value).encode() + b"\n")
            self._process.stdin.flush()

    def close(self) -> None:
        """Have the process end."""
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()

    def finish(self) -> None:
        """Wait until it has ended and all rows are sent."""
        processes.end([self._process], 2.0)
        self._reader.join(2.0)

    def _read(self) -> None:
        for line in self._process.stdout:
            if line.startswith(b'{"type"'):
                self._forward(line)
            else:
                self._receive(json.loads(line))
        self._handle_end(self._name, self._process.stderr.read().decode(errors="replace").strip()[-1000:])
