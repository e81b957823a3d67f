"""The process of one run, forked by a server (`frrlib.sweep.run_server`), since importing everything takes a second."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import frrlib
from frrlib.sweep.run_server import MOST_BYTES

_CODE = Path(frrlib.__file__).resolve().parent.parent


class RunProcess:
    """A process that calls the function `main` of a module, in a session of its own.

    Attributes:
        pid: its process ID.
        exit_status: as `subprocess` counts it; None while it runs.

    Args:
        program: the name of the module.
        line: the first line of its standard input, which stays open until `end_input` or the end of this process.
        folder: its working directory.
        output: file for everything that it prints.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(self, program: str, line: str, folder: Path, output: Path) -> None:
        self.exit_status: int | None = None
        standard_input, self._input = os.pipe()
        self._state, state = os.pipe()
        request = {"program": program, "folder": str(folder), "output": str(output), "environment": _environment()}
        try:
            _server.fork(request, (standard_input, state))
        finally:
            os.close(standard_input)
            os.close(state)
        self._said = b""
        self.pid = self._read_number()
        with suppress(BrokenPipeError):
            _write_all(self._input, f"{line}\n".encode())

    def wait(self, timeout_s: float) -> bool:
        """Whether it has ended, or ends in time."""
        end_s = time.monotonic() + timeout_s
        poll = select.poll()
        poll.register(self._state, select.POLLIN)
        while self.exit_status is None:
            left_s = end_s - time.monotonic()
            if not poll.poll(max(0.0, left_s) * 1000):
                return False
            try:
                self.exit_status = self._read_number()
            except OSError:  # its monitor was killed
                self.exit_status = -int(signal.SIGKILL)
        return True

    def interrupt(self) -> None:
        """Send SIGINT, as Ctrl-C does."""
        if not self.wait(0):
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGINT)

    def kill_group(self) -> None:
        """Kill it, and all processes that it has started in its session's group."""
        if not self.wait(0):
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)  # it may have no session yet
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)

    def end_input(self) -> None:
        """Close its standard input."""
        if self._input >= 0:
            os.close(self._input)
            self._input = -1

    def close(self) -> None:
        """Close everything that belongs to it here."""
        self.end_input()
        if self._state >= 0:
            os.close(self._state)
            self._state = -1

    def _read_number(self) -> int:
        while b"\n" not in self._said:
            data = os.read(self._state, 64)
            if not data:
                raise OSError("the server of runs has ended")
            self._said += data
        number, _, self._said = self._said.partition(b"\n")
        return int(number)


class _Server:
    """The server of this process, which starts at the first run and ends with this process."""

    def __init__(self) -> None:
        self._channel: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def fork(self, request: Mapping[str, object], descriptors: tuple[int, ...]) -> None:
        """Send a request; if the server has ended, start another one."""
        packet = json.dumps(request).encode()
        if len(packet) > MOST_BYTES:
            raise OSError(f"the environment has more than {MOST_BYTES} bytes")
        with self._lock:
            channel = self._running()
            try:
                socket.send_fds(channel, [packet], descriptors)
            except (BrokenPipeError, ConnectionResetError):
                self._end()
                socket.send_fds(self._running(), [packet], descriptors)

    def _running(self) -> socket.socket:
        if self._channel is None:
            self._channel, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with other:
                for end in (self._channel, other):
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MOST_BYTES)
                words = [sys.executable, "-P", "-m", "frrlib.sweep.run_server", str(other.fileno())]
                self._process = subprocess.Popen(
                    words, stdin=subprocess.DEVNULL, pass_fds=[other.fileno()], env=_environment(),
                    start_new_session=True,
                )  # fmt: skip
        return self._channel

    def _end(self) -> None:
        if self._channel is not None:
            self._channel.close()
        self._channel = None
        if self._process is not None:
            self._process.wait()


_server = _Server()


def _environment() -> dict[str, str]:
    """The environment of runs: that of this process, and where our packages are."""
    path = os.pathsep.join(filter(None, (str(_CODE), os.environ.get("PYTHONPATH", ""))))
    return {**os.environ, "PYTHONPATH": path}


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
