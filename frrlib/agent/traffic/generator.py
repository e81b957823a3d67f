"""The process that sends and receives a node's flows. It forks into one process for each end of a flow.

It is a copy of the agent in the node, which has imported the modules of the ends, and forks before anything begins: a
fork costs a fraction of a start. Standard input has lines of JSON: the ends, then the zero of time and the reports of
other ends. Standard output has rows of the wire and the messages of each end (`FlowEnd.send_message`). When the input
ends, all ends are killed.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal

from frrlib.agent.traffic.endpoint import FlowEnd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from frrlib.agent.traffic.endpoint import Config

#: The module for each kind; bursts of UDP are datagrams.
_MODULES = {
    "bulk": "bulk", "on-off": "bulk", "request-response": "request", "video": "request", "constant-rate": "datagrams",
    "voip": "datagrams", "one-way-delay": "datagrams", "ping": "echo", "web-page": "web", "command": "command",
}  # fmt: skip


def load(ends: Sequence[Mapping[str, Any]]) -> None:
    """Import the modules of these ends (`endpoint.Config`), once for all copies."""
    for config in ends:
        _module(config)


def main() -> None:
    """Run the process of a node; see the module."""
    lines = _lines()
    configs: list[Config] = json.loads(next(lines))["ends"]
    lock = os.memfd_create("lock")
    ends = _Ends()
    for config in configs:
        reading, writing = os.pipe()
        pid = os.fork()
        if not pid:
            os.close(writing)
            ends.close_pipes()
            _run_end(config, reading, lock)
        with contextlib.suppress(OSError):  # the child does so, too; either may be first
            os.setpgid(pid, pid)
        os.close(reading)
        ends.add(pid, config, writing)
    signal.signal(signal.SIGCHLD, lambda *_: ends.collect())
    ends.collect()
    for line in lines:
        ends.dispatch(json.loads(line))
    ends.kill()


class _Ends:
    """The processes of the ends."""

    def __init__(self) -> None:
        self._ends: dict[int, tuple[Config, int]] = {}

    def add(self, pid: int, config: Config, pipe: int) -> None:
        """Register a started end and the pipe to it."""
        self._ends[pid] = config, pipe

    def close_pipes(self) -> None:
        """Close the other ends' pipes in a child, so that each end notices when the process of the node ends."""
        for _, pipe in self._ends.values():
            os.close(pipe)

    def dispatch(self, message: dict[str, object]) -> None:
        """Pass a line on to its end, or to all."""
        for pid, (config, pipe) in list(self._ends.items()):
            name = f"{config['flow']}/{config['role']}"
            if message.get("to", name) != name:
                continue
            if message.get("kill"):
                self._kill(pid)
                continue
            with contextlib.suppress(BrokenPipeError):  # it may have ended
                os.write(pipe, json.dumps(message).encode() + b"\n")

    def collect(self) -> None:
        """Collect ended children, and report one that was killed, since it could not report that itself."""
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return
                config, _ = self._ends.pop(pid, (None, -1))
                if config is not None and os.WIFSIGNALED(status):
                    report = {"flow": config["flow"], "role": config["role"], "what": "failed", "pid": pid,
                            "reason": f"its process was killed by signal {os.WTERMSIG(status)}"}  # fmt: skip
                    os.write(1, json.dumps(report).encode() + b"\n")

    def kill(self) -> None:
        """Kill all ends."""
        for pid in list(self._ends):
            self._kill(pid)

    def _kill(self, pid: int) -> None:
        self._ends.pop(pid, None)
        with contextlib.suppress(OSError):
            os.killpg(pid, signal.SIGKILL)  # with all processes that it started


def _run_end(config: Config, control: int, lock: int) -> None:
    """Run an end of a flow and exit."""
    os.setpgid(0, 0)
    end = FlowEnd(config, control, lock)
    try:
        _module(config).run(end)
    except Exception as error:
        end.flush()
        end.send_message(
            "failed", reason=str(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
        )
    os._exit(0)


def _module(config: Mapping[str, Any]) -> Any:
    """The module of a flow's kind."""
    is_udp = config["kind"] == "on-off" and config["settings"]["protocol"] == "udp"
    return importlib.import_module(f"frrlib.agent.traffic.{'datagrams' if is_udp else _MODULES[config['kind']]}")


def _lines() -> Iterator[bytes]:
    incomplete = b""
    while chunk := os.read(0, 65536):
        *lines, incomplete = (incomplete + chunk).split(b"\n")
        yield from lines
