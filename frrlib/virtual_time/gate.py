"""The wire of a lab in virtual time: files in one folder, by which time stands while the lab waits for the outside.

In virtual time the lab's clock jumps to the next timer as soon as everything in the lab sleeps. A lab that waited for a
request at a socket or a serial line would run away in time meanwhile, so far as the outside happens to take long. Here
it waits in a system call of this machine instead, made by the lab's kernel on its behalf: nothing in the lab runs, and
no time passes there. The call is the opening of a file on which the outside holds a *lease* (fcntl(2), F_SETLEASE); it
returns when the lease is given up. It is one call however long it takes, so the lab does not notice how long it took.

In the folder are `gate-N`, which holds up, `in-N`, which was handed in then, and `out-N`, to which the lab writes; it
begins the next one when one is large, and the outside removes what it has read.

Standard library only: one end runs in the lab's first program, the other in the lab's keeper.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import signal
import stat
import time

#: So large an `out-N` becomes before the next one begins, in bytes.
PART_BYTES = 8 << 20
#: The outside keeps at most so much that the program has not taken yet, in bytes.
_MOST_PENDING = 1 << 20
_CHUNK = 1 << 18
_LEASE_TIME = "/proc/sys/fs/lease-break-time"
_IN_MODIFY, _IN_CREATE = 0x2, 0x100


class InnerGate:
    """The lab's end.

    Args:
        folder: as the lab sees it.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._number = self._part = 0
        self._out = self._open()

    def write(self, data: bytes) -> None:
        """Hand out; it is there when this returns."""
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
        """The next input; nothing is done in the lab and no time passes there until then.

        Nothing where the outside only wants to be asked again.
        """
        try:
            os.close(os.open(f"{self._folder}/gate-{self._number}", os.O_RDONLY | os.O_CLOEXEC))
            with open(f"{self._folder}/in-{self._number}", "rb") as file:
                data = file.read()
        except FileNotFoundError:  # this machine let the file be opened before its time
            return b""
        self._number += 1
        return data

    def _open(self) -> int:
        path = f"{self._folder}/out-{self._part}"
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)


class OuterGate:
    """The keeper's end: carries lines between the lab's folder and a socket of the program that wanted the lab.

    Args:
        folder: made here, in one that the lab may write; its owner is that one's.
        wire: the socket, from now on closed by this object.
    """

    def __init__(self, folder: str, wire: int) -> None:
        signal.signal(signal.SIGIO, signal.SIG_IGN)  # the kernel's word that a lease is in the way
        os.mkdir(folder, 0o755)
        about = os.stat(os.path.dirname(folder))
        if os.geteuid() == 0:
            os.chown(folder, about.st_uid, about.st_gid)
        self._wire = wire
        # Root in the lab may replace the folder, or a file in it, by anything.
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
        """To be called now and then: lets a lab ask anew that has waited so long that this machine would break in."""
        if self._lease < 0 or fcntl.fcntl(self._lease, fcntl.F_GETLEASE) == fcntl.F_WRLCK:
            self._asked_s = 0.0
        elif not self._asked_s:
            self._asked_s = time.monotonic()
        elif time.monotonic() - self._asked_s > _patience_s():
            self._hand_in(b"")

    def finish(self, limit_s: float = 2.0) -> None:
        """Pass on all that the lab has said, if the program takes it in time. For after the lab's end."""
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
        """The next gate stands before this one opens."""
        name, lease = f"in-{self._number}", self._lease
        self._number, self._asked_s = self._number + 1, 0.0
        try:
            self._lease = _lease(f"gate-{self._number}", self._folder)
            # What stands there already is the lab's: it is never written to.
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            with open(os.open(f"{name}.new", flags, 0o644, dir_fd=self._folder), "wb") as file:
                file.write(data)
            os.rename(f"{name}.new", name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        except OSError:  # something of the lab's is in the way, so that it cannot be asked any more
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
            # Asked before reading: what is in the part that is over then is all that there will be.
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
    """A descriptor of an ordinary file in a folder, to read from; -1 where there is none, or something else."""
    try:
        # A FIFO without a writer would hold up the keeper for ever.
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
    """A new file in a folder that nobody can open until the descriptor is closed. Where the file system has no leases
    anybody can, and the lab asks again and again."""
    descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644, dir_fd=folder)
    with contextlib.suppress(OSError):
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    return descriptor


def _patience_s() -> float:
    """How long this machine lets a lease stand in the way, with a margin."""
    with contextlib.suppress(OSError), open(_LEASE_TIME, encoding="ascii") as file:
        return int(file.read()) * 0.6
    return 20.0


def _watch(folder: str) -> int:
    """A descriptor that can be read when something in a folder was written."""
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if descriptor < 0 or libc.inotify_add_watch(descriptor, folder.encode(), _IN_MODIFY | _IN_CREATE) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"no news of the lab's folder: {os.strerror(number)}")
    return int(descriptor)
