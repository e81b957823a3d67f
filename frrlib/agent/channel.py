"""The agent's end of the wire: an inherited socket, or a terminal line."""

from __future__ import annotations

import os
import stat
import termios
import threading
from collections.abc import Iterator

from frrlib.system.ready import ready
from frrlib.wire.messages import Message, encode

_READ_BYTES = 65536


class Channel:
    """Receives lines and sends messages; any thread may send.

    Args:
        where: "fd:N" for an inherited descriptor, or the path of a terminal device.

    Raises:
        OSError: the descriptor or device does not exist.
    """

    def __init__(self, where: str) -> None:
        kind, _, number = where.partition(":")
        self._fd = int(number) if kind == "fd" else os.open(where, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
        os.set_inheritable(self._fd, False)
        os.set_blocking(self._fd, True)
        if stat.S_ISCHR(os.fstat(self._fd).st_mode):
            _make_raw(self._fd)
        self._lock = threading.Lock()
        self._end_read, self._end_write = os.pipe()

    def send(self, *messages: Message) -> None:
        """Send messages, one after the other. Does nothing after the wire's end, since the agent is then about to end
        too."""
        self.send_line(b"".join(map(encode, messages)))

    def send_line(self, line: bytes) -> None:
        """Send encoded bytes, newlines included."""
        with self._lock:
            try:
                while line:
                    line = line[os.write(self._fd, line) :]
            except OSError:
                pass

    def lines(self) -> Iterator[bytes]:
        """The arriving lines, without newlines, until the wire ends or `end` is called."""
        incomplete = b""
        while True:
            if self._end_read in ready([self._fd, self._end_read])[0]:
                return
            try:
                chunk = os.read(self._fd, _READ_BYTES)
            except OSError:
                return
            if not chunk:
                return
            *lines, incomplete = (incomplete + chunk).split(b"\n")
            yield from lines

    def end(self) -> None:
        """End `lines`, from any thread."""
        os.write(self._end_write, b".")


def _make_raw(terminal: int) -> None:
    """Make a terminal pass all bytes unchanged, in both directions."""
    try:
        settings = termios.tcgetattr(terminal)
    except termios.error:
        return
    settings[0] = settings[1] = settings[3] = 0
    settings[2] = (settings[2] & ~(termios.CSIZE | termios.PARENB)) | termios.CS8 | termios.CREAD
    settings[6][termios.VMIN], settings[6][termios.VTIME] = 1, 0
    termios.tcsetattr(terminal, termios.TCSANOW, settings)
