"""A node's namespaces, held by a thread.

Namespaces belong to threads, not to processes: a thread that leaves its network, mount and host-name namespaces is a
node without a process. Its processes inherit them, its sockets stay in them, and neither needs a helper that enters
namespaces first. Tools that need a process id accept the thread's id (`/proc/TID/ns/net`).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import queue
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 4096, 16384, 1 << 18
_PR_SET_TIMERSLACK = 29
_NEWNS, _NEWUTS, _NEWNET = 0x00020000, 0x04000000, 0x40000000
#: Folders of namespaces' names, by kind of namespace. `ip netns` uses the first.
NAMES = {"net": "/run/netns", "mnt": "/run/lab/mnt", "uts": "/run/lab/uts"}

_libc = ctypes.CDLL(None, use_errno=True)


def mount(source: str, target: str, kind: str = "", flags: int = 0, data: str = "") -> None:
    """Mount a file system. Raises OSError with the target's name."""
    words = [word.encode() if word else None for word in (source, target, kind)]
    if _libc.mount(*words, ctypes.c_ulong(flags), data.encode() or None):
        raise _failure(target)


def tmpfs(folder: str, mode: int = 0o755) -> None:
    """Mount a private, empty file system at `folder`, which is made if it is missing."""
    os.makedirs(folder, exist_ok=True)
    mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, f"mode={mode:o}")


def set_timer_slack(slack_ns: int) -> None:
    """Set the timer slack of the calling thread and its later processes: the longest oversleep; 0 for the default."""
    _libc.prctl(_PR_SET_TIMERSLACK, ctypes.c_ulong(slack_ns), 0, 0, 0)


def private_mounts() -> None:
    """Separate the mounts of the calling thread's namespace from all others."""
    mount("none", "/", "", MS_REC | MS_PRIVATE)


def _failure(target: str = "") -> OSError:
    code = ctypes.get_errno()
    return OSError(code, os.strerror(code), target) if target else OSError(code, os.strerror(code))


class NodeThread:
    """A thread with namespaces of its own that calls functions, one after the other.

    Args:
        name: the node's name, also its host name.
        own_network: whether it has a network namespace of its own; otherwise it uses the lab's, like the agent.

    Attributes:
        tid: the thread's id, used as a process id.
        net_fd: an open descriptor of its network namespace.
    """

    def __init__(self, name: str, *, own_network: bool = True) -> None:
        self.name, self._own_network = name, own_network
        self.tid = 0
        self.net_fd = -1
        self._work: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name=f"node {name}", daemon=True)
        self._born: Future[None] = Future()
        self._thread.start()

    def wait_ready(self) -> None:
        """Wait until the namespaces exist and have their names. Raises OSError if the kernel refuses them."""
        self._born.result()
        for kind, folder in NAMES.items():
            os.makedirs(folder, exist_ok=True)
            path = f"{folder}/{self.name}"
            if os.path.islink(path):
                os.unlink(path)
            # A symbolic link serves as well as a bind mount, and some kernels refuse to bind a mount namespace.
            os.symlink(f"/proc/{self.tid}/ns/{kind}", path)
        self.net_fd = os.open(f"{NAMES['net']}/{self.name}", os.O_RDONLY | os.O_CLOEXEC)

    def submit(self, do: Callable[..., T], *args: Any, **kwargs: Any) -> Future[T]:
        """Have the thread call `do`. The future has its result or exception."""
        future: Future[T] = Future()
        self._work.put((future, lambda: do(*args, **kwargs)))
        return future

    def call(self, do: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        """Have the thread call `do` and wait for its result. Raises what `do` raises."""
        if threading.current_thread() is self._thread:
            return do(*args, **kwargs)
        return self.submit(do, *args, **kwargs).result()

    @property
    def root(self) -> str:
        """A path of the node's own file system for any thread."""
        return f"/proc/{self.tid}/root"

    def close(self) -> None:
        """End the thread and remove its namespaces' names. The namespaces end with their last user."""
        self._work.put(None)
        self._thread.join(5)
        for folder in NAMES.values():
            if os.path.islink(f"{folder}/{self.name}"):
                os.unlink(f"{folder}/{self.name}")
        if self.net_fd >= 0:
            os.close(self.net_fd)
            self.net_fd = -1

    def _serve(self) -> None:
        try:
            self._leave()
        except OSError as error:
            self._born.set_exception(error)
            return
        self._born.set_result(None)
        while (item := self._work.get()) is not None:
            future, do = item
            try:
                future.set_result(do())
            except BaseException as error:  # the caller gets it, whatever it is
                future.set_exception(error)

    def _leave(self) -> None:
        if _libc.unshare((_NEWNET if self._own_network else 0) | _NEWNS | _NEWUTS):
            raise _failure()
        self.tid = threading.get_native_id()
        host_name = self.name.encode()[:64]
        if _libc.sethostname(host_name, len(host_name)):
            raise _failure()
        _fresh_sys()


def processes_in(thread: NodeThread, excluded: Iterable[int] = ()) -> tuple[int, ...]:
    """Ids of all processes in a thread's network namespace, except the agent and the excluded ones."""
    namespace = os.readlink(f"/proc/{thread.tid}/ns/net")
    left_out = {os.getpid(), *excluded}
    pids = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in left_out:
            with contextlib.suppress(OSError):  # it has ended, or belongs to another user
                if os.readlink(f"/proc/{name}/ns/net") == namespace:
                    pids.append(int(name))
    return tuple(pids)


def signal_all(pids: Iterable[int], number: int) -> None:
    """Send a signal to processes; those that have ended are left out."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _fresh_sys() -> None:
    """Show the node's own interfaces below /sys/class/net, if the place allows it."""
    common = MS_NOSUID | MS_NODEV | MS_NOEXEC
    for flags in (common, common | MS_RDONLY):
        try:
            mount("sysfs", "/sys", "sysfs", flags)
            return
        except OSError:
            continue
