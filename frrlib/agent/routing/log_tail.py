"""Follows the lines of many log files as they are written, by inotify instead of polling."""

from __future__ import annotations

import ctypes
import os
import select
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

_MODIFY, _CLOEXEC, _NONBLOCK = 0x2, 0o2000000, 0o4000
_EVENT = struct.Struct("iIII")
#: A daemon that logs in a loop must not fill the memory.
_MOST_BYTES = 1 << 20

HandleLine = Callable[[str, str, str, float], None]
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass
class _File:
    """A followed file, and the beginning of its incomplete last line."""

    router: str
    daemon: str
    path: str
    read_bytes: int = 0
    incomplete: bytes = b""


class LogTail:
    """Follows logs of daemons.

    Args:
        handle_line: called in one thread with router, daemon, line, and the wall-clock time at which the line was read.
    """

    def __init__(self, handle_line: HandleLine) -> None:
        self._handle_line = handle_line
        self._files: dict[int, _File] = {}
        self._inotify = _libc.inotify_init1(_CLOEXEC | _NONBLOCK)
        #: Without inotify (the machine may have no instance left) the files are polled.
        self._blind = self._inotify < 0
        self._wake = os.eventfd(0, os.EFD_CLOEXEC)
        self._closed = False
        self._lock = threading.Lock()
        threading.Thread(target=self._follow, name="logs", daemon=True).start()

    def follow(self, router: str, daemon: str, path: str) -> None:
        """Follow an existing file from its beginning, including its present content."""
        number = -len(self._files) - 1
        if not self._blind:
            number = _libc.inotify_add_watch(self._inotify, os.fsencode(path), _MODIFY)
        with self._lock:
            if number not in self._files:
                self._files[number] = _File(router, daemon, path)
        os.eventfd_write(self._wake, 1)

    def close(self) -> None:
        """Report nothing more."""
        self._closed = True
        os.eventfd_write(self._wake, 1)

    def _follow(self) -> None:
        poll = select.poll()
        poll.register(self._wake, select.POLLIN)
        if not self._blind:
            poll.register(self._inotify, select.POLLIN)
        while not self._closed:
            ready = poll.poll(200 if self._blind else None)
            with self._lock:
                files = dict(self._files)
            numbers = set(files) if self._blind else set()
            for descriptor, _ in ready:
                if descriptor == self._wake:
                    os.eventfd_read(self._wake)
                    numbers |= {number for number, file in files.items() if file.read_bytes == 0}
                else:
                    numbers |= self._changed_files()
            for number in numbers:
                if number in files:
                    self._read(files[number])

    def _changed_files(self) -> set[int]:
        numbers: set[int] = set()
        try:
            data = os.read(self._inotify, 65536)
        except BlockingIOError:
            return numbers
        while data:
            number, _, _, length = _EVENT.unpack_from(data)
            numbers.add(number)
            data = data[_EVENT.size + length :]
        return numbers

    def _read(self, file: _File) -> None:
        now = time.time()
        try:
            with open(file.path, "rb") as stream:
                stream.seek(file.read_bytes)
                data = stream.read(_MOST_BYTES)
        except OSError:
            return  # the router no longer exists
        file.read_bytes += len(data)
        *lines, file.incomplete = (file.incomplete + data).split(b"\n")
        for line in lines:
            if not self._closed:
                self._handle_line(file.router, file.daemon, line.decode(errors="replace"), now)
