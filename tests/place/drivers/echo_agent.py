"""A trivial first program of a lab for tests: writes hello on its wire, and echoes lines in capitals."""

from __future__ import annotations

import os
import signal


def main() -> int:
    """Echo every line of the wire in capitals. Exit with the status of a line `end N`, or at the end of the wire."""
    wire = int(os.environ["LAB_WIRE"].removeprefix("fd:"))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    os.write(wire, b"hello\n")
    pending = b""
    while data := os.read(wire, 65536):
        pending += data
        *lines, pending = pending.split(b"\n")
        for line in lines:
            if line.startswith(b"end "):
                return int(line[4:])
            os.write(wire, line.upper() + b"\n")
    return 0
