"""Unsaved work in files: each living editor keeps one draft, and those of dead editors can be taken over.

A draft is a line of JSON that names its owner, then the drawing as in a `.mn` file. The owner holds a lock file beside
it until it ends; the kernel releases the lock even if the editor is killed. The owner's process id, start time and boot
are in the first line, for file systems without locks.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import threading
import time
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from frrlib.formats import mn
from frrlib.formats.files import replace_file
from frrlib.formats.jsontext import read_bytes
from frrlib.model.topology import Topology

_FORMAT = 1
_HEADER_BYTES = 64 * 1024
_STALE_S = 3600


@dataclass(frozen=True)
class Owner:
    """A process, so that it is not taken for another that gets its number later.

    Attributes:
        pid: its number.
        start_ticks: when it started, in clock ticks since the boot; 0 where that is not known.
        boot: the kernel's name for this boot; empty where that is not known.
    """

    pid: int
    start_ticks: int
    boot: str

    @property
    def is_alive(self) -> bool:
        """Whether this very process is still running, as far as this machine knows."""
        return self.boot == _boot() and self.start_ticks == _start_ticks(self.pid) != 0


def this_process() -> Owner:
    """The calling process."""
    return Owner(os.getpid(), _start_ticks(os.getpid()), _boot())


@dataclass(frozen=True)
class Draft:
    """Unsaved work of an editor that is gone.

    Attributes:
        file: where it is kept.
        path: the drawing's own file; None for one that was never saved.
        digest: SHA-256 of that file as it was read or saved last, hexadecimal; empty where there was none.
        changed_at: time of the last change in seconds since 1970.
        nodes, links: how many are in it.
    """

    file: Path
    path: Path | None
    digest: str
    changed_at: float
    nodes: int
    links: int

    def read(self) -> Topology:
        """The drawing.

        Raises:
            TopologyError: the draft cannot be read.
        """
        data = read_bytes(self.file)
        return mn.loads(data.partition(b"\n")[2], self.file.name).topology


class Drafts:
    """The drafts in a folder: this editor's own, and those that others left behind.

    Args:
        folder: made when the first draft is kept; nobody else may look into it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._own = folder / f"{uuid.uuid4().hex}.draft"
        self._held: dict[Path, int] = {}
        self._mutex = threading.Lock()
        # Written by the editor's thread alone, which therefore waits for nobody.
        self._newest = self._dropped = 0

    def next_turn(self) -> int:
        """A number for `keep`; drafts with an older one are no longer written."""
        self._newest += 1
        return self._newest

    def keep(self, topology: Topology, path: Path | None, digest: str, changed_at: float, turn: int) -> None:
        """Write this editor's draft in the place of its last one; for a worker.

        Raises:
            TopologyError: no file can say the drawing.
            PlaceError: the file cannot be written.
        """
        header = {
            "draft": _FORMAT, "path": str(path.absolute()) if path else "", "digest": digest,
            "changed_at": changed_at, "nodes": len(topology.nodes), "links": len(topology.links),
            "owner": asdict(this_process()),
        }  # fmt: skip
        data = json.dumps(header).encode() + b"\n" + mn.dumps(topology).encode()
        try:
            with self._mutex:
                if turn != self._newest:
                    return
                self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                if self._own not in self._held:
                    self._hold(self._own)
                replace_file(self._own, data)
        finally:
            self._tidy(turn)

    def drop(self) -> None:
        """Remove this editor's draft, and do not write a pending one; waits for no disk."""
        self._newest += 1
        self._dropped = self._newest
        # A worker that is writing just now checks again when it has written.
        if self._mutex.acquire(blocking=False):
            try:
                self._remove(self._own)
            finally:
                self._mutex.release()

    def _tidy(self, turn: int) -> None:
        """Remove files that were written and are not wanted any more."""
        if turn < self._dropped:
            with self._mutex:
                if self._newest == self._dropped:
                    self._remove(self._own)

    def claim(self) -> list[Draft]:
        """Take the drafts of editors that are gone, the newest first; nobody else is offered them until `release`.

        Drafts that cannot be understood stay where they are and are not offered.
        """
        self._sweep()
        found = []
        for file in sorted(self._folder.glob("*.draft")) if self._folder.is_dir() else ():
            if file == self._own:
                continue
            draft, owner = _described(file)
            if draft is None or (owner is not None and owner.is_alive):
                continue
            if file in self._held or self._hold(file):
                # Its editor may have ended in good order between the look and the lock.
                if file.exists():
                    found.append(draft)
                else:
                    self._remove(file)
        return sorted(found, key=lambda draft: -draft.changed_at)

    def _sweep(self) -> None:
        """Remove leftovers of editors that were killed while they wrote."""
        for file in self._folder.glob(".*.tmp"):
            with contextlib.suppress(OSError):
                if time.time() - file.stat().st_mtime > _STALE_S:
                    file.unlink()

    def discard(self, draft: Draft) -> None:
        """Remove a draft that was claimed."""
        with self._mutex:
            self._remove(draft.file)

    def release(self) -> None:
        """Leave claimed drafts that are not discarded to the next editor."""
        with self._mutex:
            for file in [each for each in self._held if each != self._own]:
                os.close(self._held.pop(file))

    def close(self) -> None:
        """Release all locks. A remaining draft of this editor is then found again."""
        self.release()
        with self._mutex:
            if self._own in self._held:
                os.close(self._held.pop(self._own))

    def _hold(self, file: Path) -> bool:
        """Lock a draft; False where somebody else has it. Without locks everyone has it."""
        try:
            descriptor = os.open(_lock(file), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        except OSError:  # this file system has no locks
            pass
        self._held[file] = descriptor
        return True

    def _remove(self, file: Path) -> None:
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)
        if file in self._held:
            with contextlib.suppress(OSError):
                _lock(file).unlink(missing_ok=True)
            os.close(self._held.pop(file))


def _lock(file: Path) -> Path:
    return file.with_suffix(".lock")


def _described(file: Path) -> tuple[Draft | None, Owner | None]:
    """The content of a draft's first line; None for an invalid one, or one of a later version."""
    try:
        with open(file, "rb") as stream:
            header: Any = json.loads(stream.readline(_HEADER_BYTES))
        if header["draft"] != _FORMAT:
            return None, None
        owner = Owner(int(header["owner"]["pid"]), int(header["owner"]["start_ticks"]), str(header["owner"]["boot"]))
        path = Path(header["path"]) if header["path"] else None
        numbers = float(header["changed_at"]), int(header["nodes"]), int(header["links"])
        return Draft(file, path, str(header["digest"]), *numbers), owner
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None, None


def _start_ticks(pid: int) -> int:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        return int(stat.rpartition(")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return 0


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
