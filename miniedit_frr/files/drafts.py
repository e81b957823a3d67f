"""Unsaved work in files: each running editor keeps one draft, and the drafts of editors that have ended can be claimed.

A draft is a line of JSON that names its owner, followed by the topology as in a `.mn` file. The owner holds the lock on
a file beside it until it ends; the kernel releases the lock even if the editor is killed. The owner's process id, start
time and boot are in the first line, for file systems without locks.
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
from frrlib.system import untrusted_files

_FORMAT = 1
_HEADER_BYTES = 64 * 1024
_STALE_S = 3600


@dataclass(frozen=True)
class Owner:
    """A process, identified so that a later process with the same pid is another one.

    Attributes:
        pid: the process id.
        start_ticks: the start of the process, in clock ticks since the boot; 0 if unknown.
        boot: the kernel's boot ID; empty if unknown.
    """

    pid: int
    start_ticks: int
    boot: str

    @property
    def is_alive(self) -> bool:
        """Whether this process still runs on this machine."""
        return self.boot == _boot_id() and self.start_ticks == _start_ticks(self.pid) != 0


def this_process() -> Owner:
    """The calling process."""
    return Owner(os.getpid(), _start_ticks(os.getpid()), _boot_id())


@dataclass(frozen=True)
class Draft:
    """Unsaved work of an editor that has ended.

    Attributes:
        file: the file of the draft.
        path: the topology's own file; None for a topology that was never saved.
        digest: SHA-256 of that file when it was last read or saved, hexadecimal; empty without a file.
        changed_at: time of the last change, in seconds since 1970.
        nodes, links: the numbers of nodes and links.
    """

    file: Path
    path: Path | None
    digest: str
    changed_at: float
    nodes: int
    links: int

    def read(self) -> Topology:
        """The topology in the draft.

        Raises:
            TopologyError: the draft cannot be read.
        """
        data = read_bytes(self.file)
        return mn.loads(data.partition(b"\n")[2], self.file.name).topology


class Drafts:
    """The drafts in a folder: the one of this editor, and those that other editors have left behind.

    Args:
        folder: created with the first draft, readable only for this user.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._own_file = folder / f"{uuid.uuid4().hex}.draft"
        self._locks: dict[Path, int] = {}
        self._mutex = threading.Lock()
        # Only the editor's thread writes these, so it needs no lock for them.
        self._newest = self._dropped = 0

    def next_turn(self) -> int:
        """A number for `keep`. Drafts with an older number are no longer written."""
        self._newest += 1
        return self._newest

    def keep(self, topology: Topology, path: Path | None, digest: str, changed_at: float, turn: int) -> None:
        """Write this editor's draft in place of its former one; to be called by a worker.

        Raises:
            TopologyError: the format of files cannot express the topology.
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
                if self._own_file not in self._locks:
                    self._acquire(self._own_file)
                replace_file(self._own_file, data)
        finally:
            self._remove_if_dropped(turn)

    def drop(self) -> None:
        """Remove this editor's draft, and cancel a pending one. It does not wait for the disk."""
        self._newest += 1
        self._dropped = self._newest
        # A worker that is writing now checks this again afterwards.
        if self._mutex.acquire(blocking=False):
            try:
                self._remove(self._own_file)
            finally:
                self._mutex.release()

    def _remove_if_dropped(self, turn: int) -> None:
        """Remove a file that was dropped while it was being written."""
        if turn < self._dropped:
            with self._mutex:
                if self._newest == self._dropped:
                    self._remove(self._own_file)

    def claim(self) -> list[Draft]:
        """Claim the drafts of editors that have ended, the newest first. Other editors do not get them until `release`.

        Invalid drafts stay in the folder and are not returned.
        """
        self._sweep()
        claimed = []
        for file in sorted(self._folder.glob("*.draft")) if self._folder.is_dir() else ():
            if file == self._own_file:
                continue
            draft, owner = _read_header(file)
            if draft is None or (owner is not None and owner.is_alive):
                continue
            if file in self._locks or self._acquire(file):
                # Its editor may have removed it between the reading and the locking.
                if file.exists():
                    claimed.append(draft)
                else:
                    self._remove(file)
        return sorted(claimed, key=lambda draft: -draft.changed_at)

    def _sweep(self) -> None:
        """Remove temporary files of editors that were killed while they were writing."""
        for file in self._folder.glob(".*.tmp"):
            with contextlib.suppress(OSError):
                if time.time() - file.stat().st_mtime > _STALE_S:
                    file.unlink()

    def discard(self, draft: Draft) -> None:
        """Remove a claimed draft."""
        with self._mutex:
            self._remove(draft.file)

    def release(self) -> None:
        """Release the claimed drafts that were not discarded, for other editors."""
        with self._mutex:
            for file in [locked for locked in self._locks if locked != self._own_file]:
                os.close(self._locks.pop(file))

    def close(self) -> None:
        """Release all locks. Other editors can then claim a remaining draft of this one."""
        self.release()
        with self._mutex:
            if self._own_file in self._locks:
                os.close(self._locks.pop(self._own_file))

    def _acquire(self, file: Path) -> bool:
        """Lock a draft; returns False if another process holds the lock. File systems without locks always grant it."""
        try:
            descriptor = os.open(_lock_file(file), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        except OSError:  # this file system has no locks
            pass
        self._locks[file] = descriptor
        return True

    def _remove(self, file: Path) -> None:
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)
        if file in self._locks:
            with contextlib.suppress(OSError):
                _lock_file(file).unlink(missing_ok=True)
            os.close(self._locks.pop(file))


def _lock_file(file: Path) -> Path:
    return file.with_suffix(".lock")


def _read_header(file: Path) -> tuple[Draft | None, Owner | None]:
    """The draft and its owner, by its first line; None for invalid drafts and those of later versions."""
    try:
        with untrusted_files.open_file(file, follow=False) as stream:
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


def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
