"""Connections from a lab's own network to one TCP server outside that the user has allowed, such as a controller.

A thread for each server connects to it until it answers. Then `forward.py` listens in the lab at the server's address,
and passes connections on as streams over its standard input and output. So forwarding works the same in every place,
and no lab has an interface or a route to the outside.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import threading
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from typing import NamedTuple, Self

from frrlib.errors import LabError
from frrlib.place.confinement import file_tree
from frrlib.place.machine import PYTHON
from frrlib.place.multiplexer import Mux
from frrlib.place.operations import ENVIRONMENT
from frrlib.system.ready import ready

#: Seconds that a server may take to answer, and seconds until the next attempt.
CONNECT_S, RETRY_S = 2.0, 0.5
_BEGIN = "import sys; sys.path.insert(0, {code!r}); from frrlib.place.enter import forward; forward.main()"
_END_S = 5.0


class Endpoint(NamedTuple):
    """The address of a TCP server, as numbers, and its port."""

    address: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read "127.0.0.1:6653" or "[::1]:6653".

        Raises:
            ValueError: it is neither. The text has the expected form.
        """
        host, _, port = text.strip().rpartition(":")
        try:
            address = ip_address(host.strip("[]"))
            if not (port.isascii() and port.isdigit() and 1 <= int(port) <= 65_535):
                raise ValueError(port)
        except ValueError:
            raise ValueError(f"{text!r} is not ADDRESS:PORT, such as 127.0.0.1:6653") from None
        return cls(str(address), int(port))

    def __str__(self) -> str:
        return f"[{self.address}]:{self.port}" if ":" in self.address else f"{self.address}:{self.port}"


class PortForwarder:
    """The forwarding to one server, from now until `close` or the lab's end.

    Args:
        endpoint: the server.
        pipe_argv: function that returns the command of this machine that runs a program in the lab with its standard
            streams.
    """

    def __init__(self, endpoint: Endpoint, pipe_argv: Callable[[Sequence[str]], list[str]]) -> None:
        self.endpoint, self._pipe_argv = endpoint, pipe_argv
        self._closing = os.eventfd(0)
        self._thread = threading.Thread(target=self._run, name=f"forward-{endpoint}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End all connections, and wait for the end of the process that carries them. A second call is allowed."""
        if self._closing >= 0:
            os.eventfd_write(self._closing, 1)
            self._thread.join(2 * _END_S)
            os.close(self._closing)
            self._closing = -1

    def _run(self) -> None:
        if not self._answers():
            return
        code = _BEGIN.format(code=file_tree.CODE)
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        try:
            argv = self._pipe_argv([PYTHON, "-I", "-S", "-c", code, self.endpoint.address, str(self.endpoint.port)])
            process = subprocess.Popen(
                argv, stdin=pipe, stdout=pipe, stderr=null, env=ENVIRONMENT, start_new_session=True
            )
        except (LabError, OSError):  # the lab has ended
            return
        try:
            self._carry(process)
        finally:
            self._end(process)

    def _answers(self) -> bool:
        """Wait until the server accepts a connection. False if this forwarder is closed before.

        That connection is closed at once: a server would drop an idle one.
        """
        while not ready([self._closing], timeout_s=0)[0]:
            with contextlib.suppress(OSError):
                socket.create_connection(self.endpoint, CONNECT_S).close()
                return True
            ready([self._closing], timeout_s=RETRY_S)
        return False

    def _carry(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None and process.stdout is not None
        line = Mux(process.stdout.fileno(), False, self._connect, out=process.stdin.fileno())
        try:
            while not line.ended:
                reading, writing = line.waits_for()
                readable, writable = ready([self._closing, *reading], writing)
                if self._closing in readable:
                    break
                line.serve(readable, writable)
        finally:
            line.close()

    def _connect(self, _: int) -> int:
        """Begin a connection to the server, and return its descriptor. If it fails, reading reports its end. -1 for
        none."""
        where = socket.AF_INET6 if ":" in self.endpoint.address else socket.AF_INET
        connection = socket.socket(where)
        connection.setblocking(False)
        try:
            connection.connect_ex(self.endpoint)
        except OSError:
            connection.close()
            return -1
        return connection.detach()

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Close the line, at whose end the process in the lab exits. Kill it if it does not."""
        for stream in (process.stdin, process.stdout):
            assert stream is not None
            with contextlib.suppress(OSError):
                stream.close()
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
