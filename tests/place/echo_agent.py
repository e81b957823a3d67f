"""A trivial first program of a lab for tests: says hello on its wire, echoes lines in capitals."""

from __future__ import annotations

import os
import signal


def main() -> int:
    """Echo every line of the wire in capitals; end with the status that a line `end N` names, or when the
    wire ends."""
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
