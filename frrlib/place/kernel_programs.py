"""The use of this machine's processors by the programs in a lab kernel, and their names, seen from outside.

A program that computes without end stops the clock of a lab in virtual time, so no process inside can report it. But
every program of a lab kernel is a process of this machine, too, below the kernel's, and its memory begins as Linux
makes it: above everything else of its stack stand its arguments, its environment, and the path it was started by.
"""

from __future__ import annotations

import contextlib
import os

_TAIL_BYTES = 4096


def cpu_seconds(kernel: int) -> dict[int, float]:
    """Processor seconds of each process below a lab kernel's."""
    seconds: dict[int, float] = {}
    waiting = [kernel]
    while waiting:
        process = waiting.pop()
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{process}/task"):
                with open(f"/proc/{process}/task/{task}/children", encoding="ascii") as file:
                    waiting += [int(child) for child in file.read().split()]
            if process != kernel:
                with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
                    words = file.read().rpartition(")")[2].split()
                seconds[process] = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return seconds


def command_of(process: int) -> str:
    """The command that runs in such a process, read from its memory. Empty if it cannot be read."""
    with contextlib.suppress(OSError, ValueError), open(f"/proc/{process}/maps", encoding="utf-8") as file:
        # The lab's memory is a deleted file; this machine's own mappings are other files, or none.
        places = [line.split()[0].split("-") for line in file if line.rstrip().endswith("(deleted)")]
        with open(f"/proc/{process}/mem", "rb") as memory:
            for first, end in reversed(places):
                size = min(int(end, 16) - int(first, 16), _TAIL_BYTES)
                memory.seek(int(end, 16) - size)
                if status := _command(memory.read(size)):
                    return status
    return ""


def _command(tail: bytes) -> str:
    """Read the command from the end of a stack: arguments, environment, the program's path, and eight zeros."""
    if not tail.endswith(bytes(8)):
        return ""
    *strings, path = tail.rstrip(b"\0").split(b"\0")
    if not path.startswith(b"/") or not path.isascii():
        return ""
    arguments = strings[: max((at + 1 for at, word in enumerate(strings) if b"=" not in word), default=0)]
    names = (path, os.path.basename(path))
    begin = max((at for at, word in enumerate(arguments) if word in names), default=None)
    words = [path] if begin is None else arguments[begin:]
    return b" ".join(words).decode(errors="replace")[:120]
