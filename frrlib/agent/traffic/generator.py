"""The process that sends and receives a node's flows: it forks into one process for each end of a flow.

It is a copy of the agent in the node, which has loaded what the ends need, and forks before anything begins: a fork
costs a fraction of a start. On standard input come lines of JSON: the ends, then the zero of time and what other ends
told. On standard output go rows of the wire and what each end tells (`traffic_end.End.tell`). When the input ends all
is ended.
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

#: Which module is an end of each kind; bursts of UDP are datagrams.
_MODULES = {
    "bulk": "bulk", "on-off": "bulk", "request-response": "request", "video": "request", "constant-rate": "datagrams",
    "voip": "datagrams", "one-way-delay": "datagrams", "ping": "echo", "web-page": "web", "command": "command",
}  # fmt: skip


def load(ends: Sequence[Mapping[str, Any]]) -> None:
    """Load what these ends (`traffic_end.Config`) need, once for all copies."""
    for config in ends:
        _module(config)


def main() -> None:
    """Be the process of a node: see the module."""
    lines = _lines()
    configs: list[Config] = json.loads(next(lines))["ends"]
    lock = os.memfd_create("lock")
    ends = _Ends()
    for config in configs:
        reading, writing = os.pipe()
        pid = os.fork()
        if not pid:
            os.close(writing)
            ends.forget()
            _be_end(config, reading, lock)
        with contextlib.suppress(OSError):  # it does so itself; either may come first
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
        self._of: dict[int, tuple[Config, int]] = {}

    def add(self, pid: int, config: Config, pipe: int) -> None:
        """An end has begun; it is told by this pipe."""
        self._of[pid] = config, pipe

    def forget(self) -> None:
        """In one of them: let go of what belongs to the others, so that each sees when the process of the node ends."""
        for _, pipe in self._of.values():
            os.close(pipe)

    def dispatch(self, told: dict[str, object]) -> None:
        """Pass a line on to whom it is for, or to all."""
        for pid, (config, pipe) in list(self._of.items()):
            name = f"{config['flow']}/{config['role']}"
            if told.get("to", name) != name:
                continue
            if told.get("kill"):
                self._kill(pid)
                continue
            with contextlib.suppress(BrokenPipeError):  # it may have ended
                os.write(pipe, json.dumps(told).encode() + b"\n")

    def collect(self) -> None:
        """Collect those that have ended, and tell of one that somebody killed: it could not tell so itself."""
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return
                config, _ = self._of.pop(pid, (None, -1))
                if config is not None and os.WIFSIGNALED(status):
                    said = {"flow": config["flow"], "role": config["role"], "what": "failed", "pid": pid,
                            "why": f"its process was killed by signal {os.WTERMSIG(status)}"}  # fmt: skip
                    os.write(1, json.dumps(said).encode() + b"\n")

    def kill(self) -> None:
        """Kill all."""
        for pid in list(self._of):
            self._kill(pid)

    def _kill(self, pid: int) -> None:
        self._of.pop(pid, None)
        with contextlib.suppress(OSError):
            os.killpg(pid, signal.SIGKILL)  # with all that it started


def _be_end(config: Config, control: int, lock: int) -> None:
    """Be an end of a flow, and end."""
    os.setpgid(0, 0)
    end = FlowEnd(config, control, lock)
    try:
        _module(config).run(end)
    except Exception as error:
        end.flush()
        end.send_message("failed", why=str(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}")
    os._exit(0)


def _module(config: Mapping[str, Any]) -> Any:
    """The module that is an end of this kind."""
    is_udp = config["kind"] == "on-off" and config["settings"]["protocol"] == "udp"
    return importlib.import_module(f"frrlib.agent.traffic.{'datagrams' if is_udp else _MODULES[config['kind']]}")


def _lines() -> Iterator[bytes]:
    rest = b""
    while chunk := os.read(0, 65536):
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole
