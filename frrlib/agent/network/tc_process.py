"""A `tc` that stands ready in a node: it does each command when it comes, and says when the kernel has it.

To start a process takes milliseconds, in a lab kernel tens of them, and a value may change a hundred times a second.
So one `tc -force -batch -` reads its commands from a pipe as they come due. It says nothing of those that succeed; so
behind each portion goes a word that is no command, and tc's complaint about that says that all before it is done.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import subprocess
import time
from collections.abc import Sequence

from frrlib.agent import processes
from frrlib.agent.network.namespaces import NodeThread
from frrlib.errors import CommandFailed, LabFailed

TIMEOUT_S = 30.0
END_PATIENCE_S = 1.0
_BATCH = ("tc", "-force", "-batch", "-")
#: No object of tc's. Its answer is `Object "done" is unknown`, and a line with the number of the command.
_MARK = "done"
_COMPLAINT = f'Object "{_MARK}"'
_FAILED = re.compile(r"Command failed -:(\d+)\n")
_READ_BYTES = 65_536


class StandingTc:
    """A `tc` in a node. Only one thread may use it at a time.

    Args:
        thread: of the node.

    Raises:
        OSError: tc cannot be started.
    """

    def __init__(self, thread: NodeThread) -> None:
        pipe = subprocess.PIPE
        self._name = thread.name
        self._process = thread.call(
            processes.spawn, _BATCH, stdin=pipe, stdout=subprocess.DEVNULL, stderr=pipe, bufsize=0
        )
        processes.prefer(self._process.pid)
        #: How many lines it was given, and those of the portion that is under way.
        self._given = 0
        self._portion: Sequence[str] = ()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def prepare(self, devices: Sequence[str]) -> None:
        """Have it look for interfaces, so that its first command takes no longer than the others. Raises LabError."""
        self.begin([f"qdisc show dev {device}" for device in devices])
        self.complete()

    def begin(self, lines: Sequence[str]) -> None:
        """Give it commands, and do not wait. Raises LabFailed where it has ended."""
        self._portion = lines
        self._given += len(lines) + 1
        data = "".join(f"{line}\n" for line in (*lines, _MARK)).encode()
        assert self._process.stdin is not None
        try:
            while data:
                data = data[os.write(self._process.stdin.fileno(), data) :]
        except BrokenPipeError as error:
            raise LabFailed(f"{self._name}: the tc process has ended") from error

    def complete(self) -> None:
        """Wait until the kernel has the commands that were given last.

        Raises:
            CommandFailed: tc refused a command; names the first that it did.
            LabFailed: it has ended, or says nothing in time.
        """
        said = self._said().decode(errors="replace").rpartition(_COMPLAINT)[0]
        if not said.strip():
            return
        found = _FAILED.search(said)
        number = int(found[1]) - (self._given - len(self._portion)) if found else -1
        line = self._portion[number] if 0 <= number < len(self._portion) else "-batch -"
        why = said[: found.start()] if found else said
        raise CommandFailed(["tc", *line.split()], 1, f"{self._name}: {why.strip()}")

    def _said(self) -> bytes:
        """All that it says until its complaint about the mark."""
        assert self._process.stderr is not None
        end = f"Command failed -:{self._given}\n".encode()
        deadline_s, said = time.monotonic() + TIMEOUT_S, b""
        while not said.endswith(end):
            if not select.select([self._process.stderr], [], [], max(0.0, deadline_s - time.monotonic()))[0]:
                raise LabFailed(f"{self._name}: tc did not respond within {TIMEOUT_S:g} s")
            more = os.read(self._process.stderr.fileno(), _READ_BYTES)
            if not more:
                raise LabFailed(f"{self._name}: the tc process has ended: {said.decode(errors='replace')}")
            said += more
        return said

    def close(self) -> None:
        """End it."""
        for pipe in (self._process.stdin, self._process.stderr):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        processes.end([self._process], END_PATIENCE_S)
