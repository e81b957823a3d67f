"""Many datagrams per system call in each direction: sendmmsg and recvmmsg, which Python's own sockets do not have."""

from __future__ import annotations

import ctypes
import errno
import os
import socket
import struct
from collections.abc import Iterator

#: The largest number of datagrams in one call.
MANY = 64
_CONTROL_BYTES = 64
_AGAIN = (errno.EAGAIN, errno.EINTR)
_libc = ctypes.CDLL(None, use_errno=True)


class _Vector(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


class _Header(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_void_p),
        ("name_length", ctypes.c_uint32),
        ("vectors", ctypes.POINTER(_Vector)),
        ("vector_count", ctypes.c_size_t),
        ("control", ctypes.c_void_p),
        ("control_length", ctypes.c_size_t),
        ("flags", ctypes.c_int),
    )


class _Message(ctypes.Structure):
    _fields_ = (("header", _Header), ("length", ctypes.c_uint32))


class Batch:
    """Buffers for `MANY` datagrams.

    Args:
        size_bytes: of each datagram; longer ones are cut on arrival.
        with_control: whether control messages are received, too.
    """

    def __init__(self, size_bytes: int, with_control: bool = False) -> None:
        self._size = size_bytes
        self._data = (ctypes.c_char * (size_bytes * MANY))()
        self._control = (ctypes.c_char * (_CONTROL_BYTES * MANY))() if with_control else None
        self._vectors = (_Vector * MANY)()
        self._messages = (_Message * MANY)()
        start = ctypes.addressof(self._data)
        for number in range(MANY):
            self._vectors[number].base = start + number * size_bytes
            self._vectors[number].length = size_bytes
            header = self._messages[number].header
            header.vectors = ctypes.pointer(self._vectors[number])
            header.vector_count = 1
            if self._control is not None:
                header.control = ctypes.addressof(self._control) + number * _CONTROL_BYTES

    def fill(self, number: int, form: struct.Struct, *values: int) -> None:
        """Write values at the beginning of a datagram."""
        form.pack_into(self._data, number * self._size, *values)

    def send(self, descriptor: int, first: int, count: int) -> int:
        """Send `count` of them from the `first` on. Returns the number that the socket accepted. Raises OSError."""
        sent = _libc.sendmmsg(descriptor, ctypes.byref(self._messages[first]), count, socket.MSG_DONTWAIT)
        if sent >= 0:
            return int(sent)
        if (code := ctypes.get_errno()) in _AGAIN:
            return 0
        raise OSError(code, os.strerror(code))

    def receive(self, descriptor: int) -> int:
        """Receive the waiting datagrams, up to `MANY`. Returns their number. Raises OSError."""
        if self._control is not None:
            for message in self._messages:
                message.header.control_length = _CONTROL_BYTES
        came = _libc.recvmmsg(descriptor, self._messages, MANY, socket.MSG_DONTWAIT, None)
        if came >= 0:
            return int(came)
        if (code := ctypes.get_errno()) in _AGAIN:
            return 0
        raise OSError(code, os.strerror(code))

    def texts(self, count: int) -> list[bytes]:
        """The data of the first `count`, cut to the size of the buffers."""
        start, size = ctypes.addressof(self._data), self._size
        return [
            ctypes.string_at(start + number * size, min(size, self._messages[number].length)) for number in range(count)
        ]

    def arrivals(self, count: int, form: struct.Struct, control: struct.Struct) -> Iterator[tuple[int, ...]]:
        """The values at the beginning of each of the first `count`, and those in its first control message."""
        assert self._control is not None
        for number in range(count):
            values = form.unpack_from(self._data, number * self._size)
            # A control message has a length of 8 bytes, level and type, and its data.
            yield *values, *control.unpack_from(self._control, number * _CONTROL_BYTES + 16)
