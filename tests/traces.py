"""Leftovers of a program and its labs: their own processes, folders and mounts, and nobody else's.

Others run labs meanwhile: another suite, the user. Whatever a program starts descends from it, and what it leaves
behind when it ends is adopted by the next above that asks for that (prctl(2), PR_SET_CHILD_SUBREAPER). While this
process asks, all that tests started stays below it, at any moment, however it was killed.
"""

from __future__ import annotations

import fcntl
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from frrlib.place.confinement import syscalls as sys_
from tests import processes
from tests.waiting import comes, pause

_PR_SET_CHILD_SUBREAPER = 36
#: Folders in which scratch folders may be.
_BASES = (Path("/dev/shm"), Path("/tmp"), Path("/var/tmp"))


class Traces:
    """Of an ordinary user's programs; see `traced`."""

    def __init__(self, user: Any) -> None:
        self._home, self._prefix, self._group = Path(user.home), f"frrlab-{user.uid}-", user.gid
        self._before = self._living()
        self._scratch_before = self._scratch()

    def there(self, *programs: int) -> list[str]:
        """Everything present that was started since, each as a line; without `programs` (pids) themselves."""
        living = self._living() - self._before - {*programs}
        lines = [f"process {pid}: {processes.command(pid)}" for pid in sorted(living)]
        scratch = self._scratch() - self._scratch_before
        lines += [f"folder {path}" for path in sorted(scratch) if not _is_held(path)]
        lines += [f"folder {path}" for path in self._home.glob("tmp/*") if not path.name.startswith("runtime-")]
        # a home of a test is nobody else's, and a scratch folder that is gone is mounted nowhere
        named = {str(self._home), *(str(path) for path in scratch if not _is_held(path))}
        mounts = Path("/proc/mounts").read_text().splitlines()
        return [*lines, *(f"mount {line}" for line in mounts if any(name in line for name in named))]

    def left(self, *programs: int) -> list[str]:
        """The same once all should have ended: nothing, with some patience. Whoever wants the exit status of a program
        of its own has waited for it before."""

        def gone() -> bool:
            self._collect()
            return not self.there(*programs)

        # Twice: a process that is born while all are listed may not be in the list.
        comes(lambda: gone() and gone())
        return self.there(*programs)

    def end_all(self) -> None:
        """End leftover programs: a test that fails leaves no labs behind that would slow down others."""
        while living := self._living() - self._before:
            for pid in living:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self._collect()
            pause(0.01)

    def _collect(self) -> None:
        """Do a parent's duty: a lab's namespaces do not end before the last of its dead is collected."""
        for pid in processes.below(os.getpid()) - self._before:
            if processes.stat(pid)[:2] == ["Z", str(os.getpid())]:
                with suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)

    def _living(self) -> set[int]:
        return {pid for pid in processes.below(os.getpid()) if processes.runs(pid)}

    def _scratch(self) -> set[Path]:
        """The scratch folders of the user's group, which is another one in each process that runs tests."""
        return {path for base in _BASES for path in base.glob(f"{self._prefix}*") if self._is_own(path)}

    def _is_own(self, path: Path) -> bool:
        try:
            return path.lstat().st_gid == self._group
        except OSError:  # it has just been removed
            return False


@contextmanager
def traced(user: Any) -> Iterator[Traces]:
    """Tells apart from all else what is started meanwhile.

    Args:
        user: the `ordinary_user` whose programs they are.
    """
    sys_.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    traces = Traces(user)
    try:
        yield traces
    finally:
        traces.end_all()
        sys_.prctl(_PR_SET_CHILD_SUBREAPER, 0)


def _is_held(scratch: Path) -> bool:
    """Whether somebody's lab lives in a scratch folder: it has locked a file there."""
    try:
        lock = os.open(scratch / "lock", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False
