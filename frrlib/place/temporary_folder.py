"""The temporary folder of a running lab, and the removal of folders whose lab died without tidying up.

The name of a folder is chosen before it exists, so that the supervisor, which removes it, has the name from its start
(see `launch.LabLaunch`).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import signal
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from frrlib.errors import PlaceError
from frrlib.system import removal
from frrlib.system.untrusted_files import read_end

PREFIX = "frrlab-"
LOCK = "lock"
_YOUNG_S = 5.0
#: Seconds that killed processes may take to end.
_END_S = 4.0


@dataclass(frozen=True)
class Scratch:
    """A scratch folder, and the descriptor of its lock, which is held while its lab is alive."""

    path: Path
    lock: int


def candidates() -> list[Path]:
    """Folders that may hold scratch folders, best first: memory before disk."""
    named = ["/dev/shm", os.environ.get("XDG_RUNTIME_DIR", ""), tempfile.gettempdir(), "/tmp", "/var/tmp"]
    return [Path(name) for name in dict.fromkeys(named) if name and os.access(name, os.W_OK | os.X_OK)]


def choose(room_mib: int = 0) -> Path:
    """The path of a new scratch folder, where programs can be mapped into memory and `room_mib` MiB are free.

    Raises:
        PlaceError: no folder of this machine is like that.
    """
    for base in candidates():
        remove_stale(base)
    for base in candidates():
        status = os.statvfs(base)
        free_mib = status.f_bavail * status.f_frsize >> 20
        if not status.f_flag & os.ST_NOEXEC and free_mib > room_mib:
            return unused_path(base, f"{PREFIX}{os.getuid()}-")
    raise PlaceError(
        f"no temporary folder that is mounted with exec has {room_mib} MiB free",
        "mount -o remount,size=2G,exec /dev/shm (in a container: its --shm-size option)",
    )


def unused_path(base: Path, prefix: str) -> Path:
    """A random path in `base` that no other program will use."""
    return base / f"{prefix}{secrets.token_hex(8)}"


def take(path: Path) -> Scratch:
    """Make a scratch folder at a path of `choose`, and lock it."""
    path.mkdir(mode=0o700)
    lock = os.open(path / LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    return Scratch(path, lock)


def read_text_end(path: Path, most_bytes: int) -> str:
    """The end of a text file of a lab, which may have any size. Raises OSError if it is missing."""
    return read_end(path, most_bytes, follow=False)[0].decode(errors="replace")


def kill_remaining(path: Path) -> None:
    """Kill the remaining processes of a lab whose supervisors were both killed. Its folder may be removed already.

    A lab kernel's helper does not end with it. It is found by the lab's memory, a file in that folder, which it has
    mapped.
    """
    stop_at = time.monotonic() + _END_S
    while (pids := _with_memory_in(path)) and time.monotonic() < stop_at:
        for pid in pids:
            with contextlib.suppress(OSError):  # it has ended by itself, or is another user's
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)


def _with_memory_in(path: Path) -> list[int]:
    """The processes that have mapped files below a folder."""
    pids = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{name}/maps", "rb") as file:
                if b" %s/" % os.fsencode(path) in file.read():
                    pids.append(int(name))
    return pids


def remove_stale(base: Path) -> list[Path]:
    """Remove the caller's scratch folders in `base` whose lock no process holds, and end the remains of their labs.

    Returns:
        The removed folders.
    """
    removed = []
    for path in base.glob(f"{PREFIX}{os.getuid()}-*"):
        with contextlib.suppress(OSError):
            status = path.lstat()
            mine = status.st_uid == os.getuid() and not path.is_symlink()
            if mine and _abandoned(path, status.st_mtime):
                kill_remaining(path)
                if not removal.remove(path):
                    removed.append(path)
    return removed


def _abandoned(path: Path, changed_s: float) -> bool:
    """Whether the folder has a lock that no process holds, or is old and never got a lock."""
    try:
        lock = os.open(path / LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return time.time() - changed_s > _YOUNG_S
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(lock)
    return time.time() - changed_s > _YOUNG_S
