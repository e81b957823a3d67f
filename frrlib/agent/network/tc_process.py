"""A `tc` that waits in a node: it carries out each command at once, and reports when the kernel has it.

The start of a process takes milliseconds, in a lab kernel tens of them, and a value may change a hundred times a
second. So one `tc -force -batch -` reads its commands from a pipe as they come due. It prints nothing for successful
commands. So each portion ends with a word that is no command, and tc's error about it shows that all commands before it
are done.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import time
from collections.abc import Sequence

from frrlib.agent import processes
from frrlib.agent.network.namespaces import NodeThread
from frrlib.errors import CommandFailed, LabFailed
from frrlib.system.ready import ready

TIMEOUT_S = 30.0
END_PATIENCE_S = 1.0
_BATCH = ("tc", "-force", "-batch", "-")
#: Not an object of tc. Its output is `Object "done" is unknown`, and a line with the number of the command.
_MARK = "done"
_COMPLAINT = f'Object "{_MARK}"'
_FAILED = re.compile(r"Command failed -:(\d+)\n")
_READ_BYTES = 65_536


class TcProcess:
    """A waiting `tc` in a node. Only one thread may use it at a time.

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
        processes.prioritize(self._process.pid)
        #: The number of lines sent so far, and the lines of the current portion.
        self._sent_lines = 0
        self._portion: Sequence[str] = ()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def prepare(self, devices: Sequence[str]) -> None:
        """Have it look up interfaces, so that its first command takes no longer than the others. Raises LabError."""
        self.begin([f"qdisc show dev {device}" for device in devices])
        self.complete()

    def begin(self, lines: Sequence[str]) -> None:
        """Send commands without waiting. Raises LabFailed if it has ended."""
        self._portion = lines
        self._sent_lines += len(lines) + 1
        data = "".join(f"{line}\n" for line in (*lines, _MARK)).encode()
        assert self._process.stdin is not None
        try:
            while data:
                data = data[os.write(self._process.stdin.fileno(), data) :]
        except BrokenPipeError as error:
            raise LabFailed(f"{self._name}: the tc process has ended") from error

    def complete(self) -> None:
        """Wait until the kernel has the commands that were sent last.

        Raises:
            CommandFailed: tc refused a command. The error names the first one.
            LabFailed: it has ended, or does not answer in time.
        """
        output = self._read_until_mark().decode(errors="replace").rpartition(_COMPLAINT)[0]
        if not output.strip():
            return
        failure = _FAILED.search(output)
        number = int(failure[1]) - (self._sent_lines - len(self._portion)) if failure else -1
        line = self._portion[number] if 0 <= number < len(self._portion) else "-batch -"
        message = output[: failure.start()] if failure else output
        raise CommandFailed(["tc", *line.split()], 1, f"{self._name}: {message.strip()}")

    def _read_until_mark(self) -> bytes:
        """Its output up to the error about the mark."""
        assert self._process.stderr is not None
        end = f"Command failed -:{self._sent_lines}\n".encode()
        deadline_s, output = time.monotonic() + TIMEOUT_S, b""
        while not output.endswith(end):
            if not ready([self._process.stderr], timeout_s=max(0.0, deadline_s - time.monotonic()))[0]:
                raise LabFailed(f"{self._name}: tc did not respond within {TIMEOUT_S:g} s")
            chunk = os.read(self._process.stderr.fileno(), _READ_BYTES)
            if not chunk:
                raise LabFailed(f"{self._name}: the tc process has ended: {output.decode(errors='replace')}")
            output += chunk
        return output

    def close(self) -> None:
        """End the process."""
        for pipe in (self._process.stdin, self._process.stderr):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        processes.end([self._process], END_PATIENCE_S)
