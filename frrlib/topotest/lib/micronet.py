"""`lib.micronet`: a timeout, and commands on this machine."""

from __future__ import annotations

import shutil
import subprocess
import time
from typing import Any


class Timeout:
    """A timeout in seconds from now. As an iterator it yields the remaining seconds until it has expired."""

    def __init__(self, delta: float) -> None:
        self._begin, self.delta = time.monotonic(), delta

    def elapsed(self) -> float:
        """The elapsed seconds."""
        return time.monotonic() - self._begin

    def is_expired(self) -> bool:
        """Whether the timeout has expired."""
        return self.elapsed() >= self.delta

    def __iter__(self) -> Timeout:
        return self

    def __next__(self) -> float:
        if self.is_expired():
            raise StopIteration
        return self.delta - self.elapsed()


def comm_error(p: Any) -> str:
    """The status and output of a process at its end."""
    out, err = p.communicate()
    return f"status {p.returncode}: {out} {err}"


class Commander:
    """Commands on this machine, outside of the lab."""

    def get_exec_path(self, binary: Any) -> str | None:
        """The path of the first of some programs that is installed."""
        names = [binary] if isinstance(binary, str) else binary
        return next(filter(None, map(shutil.which, names)), None)

    def cmd_status(self, cmd: Any, **options: Any) -> tuple[int, str, str]:
        """Run a command. Returns its exit status and both streams."""
        done = subprocess.run(cmd, shell=isinstance(cmd, str), capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr


commander = Commander()
