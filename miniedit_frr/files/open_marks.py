"""Marks of the files that windows have open, so that a second window asks before it opens one of them.

A mark is one small file per window, in a folder of the user's state and never beside the marked file. The window holds
a lock on its mark, which the kernel releases even if the window is killed. Marks of windows that have ended are removed
by the next window that finds them. On file systems without locks, the process id, the start time and the boot decide
whether a window still runs.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from miniedit_frr.files.drafts import Owner, this_process

_FORMAT = 1
_MARK_BYTES = 64 * 1024
_STALE_S = 3600


@dataclass(frozen=True)
class OtherWindow:
    """A window that has a file open.

    Attributes:
        pid: the process of the window.
        since_s: when the window opened the file, in seconds since 1970.
    """

    pid: int
    since_s: float


class OpenMarks:
    """The marks of all windows in a folder, and the one of this window.

    Args:
        folder: created with the first mark, readable only for this user. If it cannot be written, there are no marks.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._name = uuid.uuid4().hex
        self._own: Path | None = None
        self._marked: Path | None = None
        self._descriptor = -1

    def mark(self, path: Path | None) -> None:
        """Mark a file as open in this window, instead of the former one; None for no file."""
        real = _real(path) if path is not None else None
        if real == self._marked:
            return
        self._unmark()
        self._marked = real
        if real is not None:
            with contextlib.suppress(OSError):
                self._write(real)

    def other_windows(self, path: Path) -> list[OtherWindow]:
        """The other windows that have a file open, in the order of opening. Marks of ended windows are removed."""
        if not self._folder.is_dir():
            return []
        self._sweep()
        marks = {mark: _read(mark) for mark in self._folder.glob("*.open") if mark != self._own}
        real = str(_real(path))
        windows = [window for opened, window in filter(None, marks.values()) if opened == real]
        return sorted(windows, key=lambda window: window.since_s)

    def _sweep(self) -> None:
        """Remove files of windows that were killed while they were writing a mark."""
        for new in self._folder.glob("*.new"):
            with contextlib.suppress(OSError):
                if time.time() - new.stat().st_mtime > _STALE_S:
                    new.unlink()

    def close(self) -> None:
        """Remove the mark of this window."""
        self.mark(None)

    def _write(self, real: Path) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        mark = self._folder / f"{self._name}.open"
        new = mark.with_suffix(".new")
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            # The file is locked before it gets its name, so that nobody finds it unlocked.
            with contextlib.suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            content = {"open": _FORMAT, "path": str(real), "since_s": time.time(), "owner": asdict(this_process())}
            os.write(descriptor, json.dumps(content).encode())
            os.replace(new, mark)
        except OSError:
            os.close(descriptor)
            new.unlink(missing_ok=True)
            raise
        self._own, self._descriptor = mark, descriptor

    def _unmark(self) -> None:
        if self._own is not None:
            with contextlib.suppress(OSError):
                self._own.unlink(missing_ok=True)
            os.close(self._descriptor)
        self._own, self._descriptor, self._marked = None, -1, None


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _read(mark: Path) -> tuple[str, OtherWindow] | None:
    """The path and the window of a mark; None for a window that has ended, whose mark is removed."""
    try:
        descriptor = os.open(mark, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None  # its window has just removed it
    try:
        content: Any = json.loads(os.read(descriptor, _MARK_BYTES))
        if content["open"] != _FORMAT:
            return None
        owner = Owner(**content["owner"])
        if not _is_locked(descriptor) and not owner.is_alive:
            mark.unlink(missing_ok=True)
            return None
        return str(content["path"]), OtherWindow(int(owner.pid), float(content["since_s"]))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    finally:
        os.close(descriptor)


def _is_locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # this file system has no locks
        return False
    return False
