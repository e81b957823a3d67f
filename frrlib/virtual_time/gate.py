"""The wire of a lab in virtual time: files in one folder, which stop the lab's clock while it waits for the outside.

In virtual time the lab's clock jumps to the next timer as soon as all programs of the lab sleep. If the lab waited for
a request at a socket or a serial line, its clock would jump on meanwhile, by an amount that depends on the outside.
Instead it waits in a system call of this machine, which the lab's kernel makes on its behalf: no program of the lab
runs, and no time passes there. The call opens a file on which the outside holds a *lease* (fcntl(2), F_SETLEASE), and
returns when the lease is released. It is a single call, so the lab cannot measure its duration.

The folder contains `gate-N`, the file with the lease; `in-N`, the input that arrives when the lease is released; and
`out-N`, to which the lab writes. The lab begins the next `out-N` when one is large, and the outside removes those that
it has read.

Standard library only: one end runs in the lab's first program, the other in the supervisor.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import signal
import stat
import time

#: Size of an `out-N` at which the next one begins, in bytes.
PART_BYTES = 8 << 20
#: Maximum of bytes that the outer end stores until the program reads them.
_MOST_PENDING = 1 << 20
_CHUNK = 1 << 18
_LEASE_TIME = "/proc/sys/fs/lease-break-time"
_IN_MODIFY, _IN_CREATE = 0x2, 0x100


class InnerGate:
    """The lab's end.

    Args:
        folder: its path in the lab.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._number = self._part = 0
        self._out = self._open()

    def write(self, data: bytes) -> None:
        """Write to the outside. The data is in the file when this returns."""
        if os.lseek(self._out, 0, os.SEEK_END) >= PART_BYTES:
            os.close(self._out)
            self._part += 1
            self._out = self._open()
        while data:
            data = data[os.write(self._out, data) :]

    def is_handed_in(self) -> bool:
        """Whether `wait` would return at once."""
        return os.path.exists(f"{self._folder}/in-{self._number}")

    def wait(self) -> bytes:
        """Wait for the next input, and return it. No program of the lab runs and no time passes there until then.

        The result is empty if the outside only renews the wait.
        """
        try:
            os.close(os.open(f"{self._folder}/gate-{self._number}", os.O_RDONLY | os.O_CLOEXEC))
            with open(f"{self._folder}/in-{self._number}", "rb") as file:
                data = file.read()
        except FileNotFoundError:  # the kernel of this machine broke the lease
            return b""
        self._number += 1
        return data

    def _open(self) -> int:
        path = f"{self._folder}/out-{self._part}"
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)


class OuterGate:
    """The supervisor's end: copies lines between the lab's folder and a socket of the program that started the lab.

    Args:
        folder: path of the folder, which is made here. Its parent is a folder that the lab may write, and both have the
            same owner.
        wire: the socket, from now on closed by this object.
    """

    def __init__(self, folder: str, wire: int) -> None:
        signal.signal(signal.SIGIO, signal.SIG_IGN)  # the kernel sends it when a file with a lease is opened
        os.mkdir(folder, 0o755)
        about = os.stat(os.path.dirname(folder))
        if os.geteuid() == 0:
            os.chown(folder, about.st_uid, about.st_gid)
        self._wire = wire
        # The lab's root may replace the folder, or a file in it.
        self._folder = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        os.set_blocking(wire, False)
        self._notes = _watch(folder)
        self._number, self._lease = 0, _lease("gate-0", self._folder)
        self._asked_s = 0.0
        self._part, self._out = 0, -1
        self._requests, self._pending = bytearray(), bytearray()
        self._ended = False

    def waits_for(self) -> tuple[list[int], list[int]]:
        """Descriptors to wait for until one can be read, and until one can be written."""
        reading = [] if self._ended else [self._wire]
        if len(self._pending) < _MOST_PENDING:
            reading.append(self._notes)
        return reading, [self._wire] if self._pending else []

    def serve(self, readable: list[int], writable: list[int]) -> None:
        """Carry what can be carried now."""
        if self._notes in readable:
            os.read(self._notes, 65536)
        if self._wire in readable:
            self._take_requests()
        if self._wire in writable:
            self._pass_on()
        self._take_out()
        self._pass_on()

    def review(self) -> None:
        """Renew the wait of a lab before the kernel of this machine breaks the lease. Must be called at intervals."""
        if self._lease < 0 or fcntl.fcntl(self._lease, fcntl.F_GETLEASE) == fcntl.F_WRLCK:
            self._asked_s = 0.0
        elif not self._asked_s:
            self._asked_s = time.monotonic()
        elif time.monotonic() - self._asked_s > _patience_s():
            self._hand_in(b"")

    def finish(self, limit_s: float = 2.0) -> None:
        """Pass on all output of a lab that has ended, if the program reads it in time."""
        deadline_s = time.monotonic() + limit_s
        self._take_out()
        while self._pending and not self._ended and time.monotonic() < deadline_s:
            self._pass_on()
            self._take_out()
            time.sleep(0.001 if self._pending else 0)

    def _take_requests(self) -> None:
        try:
            data = os.read(self._wire, _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self._ended = not data
        self._requests += data
        complete = self._requests.rfind(b"\n") + 1
        if complete:
            self._hand_in(bytes(self._requests[:complete]))
            del self._requests[:complete]

    def _hand_in(self, data: bytes) -> None:
        """Give the lab its next input. The next gate is made before this one opens."""
        name, lease = f"in-{self._number}", self._lease
        self._number, self._asked_s = self._number + 1, 0.0
        try:
            self._lease = _lease(f"gate-{self._number}", self._folder)
            # An existing file is the lab's, and is never written.
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            with open(os.open(f"{name}.new", flags, 0o644, dir_fd=self._folder), "wb") as file:
                file.write(data)
            os.rename(f"{name}.new", name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        except OSError:  # a file of the lab's is in the way, so no request can reach the lab any more
            self._give_up()
        if lease >= 0:
            os.close(lease)

    def _give_up(self) -> None:
        """Have the program see that its wire has ended."""
        import socket  # costs the lab time to load

        self._ended = True
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(self._wire)) as wire:
            wire.shutdown(socket.SHUT_RDWR)

    def _take_out(self) -> None:
        while len(self._pending) < _MOST_PENDING:
            if self._out < 0:
                self._out = _ordinary(f"out-{self._part}", self._folder)
                if self._out < 0:
                    return
            # Checked before reading: a part that is over at this moment does not grow any more.
            is_over = _is_there(f"out-{self._part + 1}", self._folder)
            data = os.read(self._out, _CHUNK)
            self._pending += data
            if data:
                continue
            if not is_over:
                return
            os.close(self._out)
            with contextlib.suppress(OSError):
                os.unlink(f"out-{self._part}", dir_fd=self._folder)
            self._part, self._out = self._part + 1, -1

    def _pass_on(self) -> None:
        try:
            while self._pending:
                del self._pending[: os.write(self._wire, memoryview(self._pending)[:_CHUNK].tobytes())]
        except BlockingIOError:
            return
        except OSError:
            self._ended = True
            self._pending.clear()


def _ordinary(name: str, folder: int) -> int:
    """Open an ordinary file in a folder for reading. -1 if it is missing or no ordinary file."""
    try:
        # Opening a FIFO without a writer would block the supervisor for ever.
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return -1
    if stat.S_ISREG(os.fstat(file).st_mode):
        return file
    os.close(file)
    return -1


def _is_there(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True


def _lease(name: str, folder: int) -> int:
    """Make a file in a folder that no process can open until the descriptor is closed.

    On a file system without leases it can be opened at once, and the lab tries again and again.
    """
    descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644, dir_fd=folder)
    with contextlib.suppress(OSError):
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    return descriptor


def _patience_s() -> float:
    """Seconds until the kernel breaks a lease, less a margin."""
    with contextlib.suppress(OSError), open(_LEASE_TIME, encoding="ascii") as file:
        return int(file.read()) * 0.6
    return 20.0


def _watch(folder: str) -> int:
    """A descriptor that becomes readable when a file in a folder is written."""
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if descriptor < 0 or libc.inotify_add_watch(descriptor, folder.encode(), _IN_MODIFY | _IN_CREATE) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"the lab's folder cannot be watched ({os.strerror(number)})")
    return int(descriptor)
