"""Netlink for labs: requests as bytes, sent in batches, each acknowledged or refused by name.

With `ip`, every setting of a network costs a process. Here a node's settings go to the kernel in one system call, and a
refusal becomes an error with the node, the request, and the kernel's own words.

pyroute2 does all of this and more, but its import takes some 1.6 s in a lab kernel (measured once).
"""

from __future__ import annotations

import errno
import os
import socket
import struct
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from frrlib.errors import LabFailed

#: Flags of a request (linux/netlink.h).
REQUEST, ACK, ECHO, ROOT, MATCH = 0x1, 0x4, 0x8, 0x100, 0x200
DUMP = ROOT | MATCH
REPLACE, EXCL, CREATE, APPEND = 0x100, 0x200, 0x400, 0x800

NETLINK_ROUTE, NETLINK_SOCK_DIAG = 0, 4
ERROR, DONE = 2, 3
_NESTED, _TYPE_MASK = 0x8000, 0x3FFF
_SOL_NETLINK, _CAP_ACK, _EXT_ACK = 270, 10, 11
_ACK_TLVS, _EXTACK_TEXT = 0x200, 1
_HEADER = struct.Struct("=IHHII")
#: Requests are sent in portions of up to this many bytes, well below the socket's send buffer.
_PORTION_BYTES = 32768
#: The kernel sends all acknowledgements of a portion before any is read. This is the largest space of one in the
#: receive buffer: 832 bytes on 64 bits, more with an explanation.
_ACK_BYTES = 1280
_RECEIVE_BYTES = 65536


class NetlinkError(LabFailed):
    """The kernel's refusal of a request.

    Args:
        request_text: the request, for people, with the node's name ("r1: address 10.0.0.1/16 at r1-eth0").
        code: the errno.
        text: the kernel's explanation, empty if it gave none.
    """

    def __init__(self, request_text: str, code: int, text: str = "") -> None:
        self.request_text, self.code, self.text = request_text, code, text
        super().__init__(f"{request_text}: {os.strerror(code)}" + (f" ({text})" if text else ""))


class Message(NamedTuple):
    """A request: its netlink type and flags, the bytes after the header, and a description for people."""

    type: int
    flags: int
    body: bytes
    request_text: str


class Reply(NamedTuple):
    """A message from the kernel: its netlink type, its flags, and the bytes after the header."""

    type: int
    flags: int
    body: memoryview


def attribute(kind: int, value: bytes) -> bytes:
    """An attribute, padded to four bytes."""
    length = 4 + len(value)
    return struct.pack("=HH", length, kind) + value + bytes(-length % 4)


def number(kind: int, value: int) -> bytes:
    """An attribute that holds an unsigned number of 32 bits."""
    return struct.pack("=HHI", 8, kind, value)


def text(kind: int, value: str) -> bytes:
    """An attribute that holds a string and its terminating zero."""
    return attribute(kind, value.encode() + b"\0")


def nest(kind: int, *parts: bytes) -> bytes:
    """An attribute that holds attributes."""
    return attribute(kind | _NESTED, b"".join(parts))


def attributes(data: memoryview | bytes) -> dict[int, memoryview]:
    """The attributes in `data`, by kind; the last one of a kind is used. Incomplete ones are left out."""
    view, by_kind = memoryview(data), {}
    while len(view) >= 4:
        length, kind = struct.unpack_from("=HH", view)
        if length < 4 or length > len(view):
            break
        by_kind[kind & _TYPE_MASK] = view[4:length]
        view = view[(length + 3) & ~3 :]
    return by_kind


def number_in(values: Mapping[int, memoryview], kind: int, default: int = 0) -> int:
    """The unsigned number of 32 bits in an attribute of this kind; the default if there is none."""
    return int(struct.unpack("=I", values[kind])[0]) if kind in values else default


def messages(data: memoryview | bytes) -> Iterator[tuple[int, Reply]]:
    """The messages in the data of one receive call, each with its sequence number."""
    view = memoryview(data)
    while len(view) >= _HEADER.size:
        length, kind, flags, sequence, _ = _HEADER.unpack_from(view)
        if length < _HEADER.size or length > len(view):
            return
        yield sequence, Reply(kind, flags, view[_HEADER.size : length])
        view = view[(length + 3) & ~3 :]


def encode(message: Message, sequence: int, flags: int = 0) -> bytes:
    """The message with its header."""
    length = _HEADER.size + len(message.body)
    header = _HEADER.pack(length, message.type, message.flags | flags | REQUEST, sequence, 0)
    return header + message.body + bytes(-length % 4)


class Netlink:
    """A netlink socket in the network namespace of the thread that makes it.

    Any thread may use it afterwards.

    Args:
        node: the node's name, for errors.
        protocol: NETLINK_ROUTE or NETLINK_SOCK_DIAG.
        groups: multicast groups to listen to, as a bit mask.
    """

    def __init__(self, node: str, protocol: int = NETLINK_ROUTE, groups: int = 0) -> None:
        self.node = node
        self._sequence = 0
        self._lock = threading.Lock()
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, protocol)
        self.socket.setsockopt(_SOL_NETLINK, _EXT_ACK, 1)
        self.socket.setsockopt(_SOL_NETLINK, _CAP_ACK, 1)
        self.socket.bind((0, groups))
        self._buffer_bytes = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
        self._portion_size = max(1, self._buffer_bytes // _ACK_BYTES)

    def close(self) -> None:
        """Close the socket."""
        self.socket.close()

    def apply(self, requests: Sequence[Message]) -> None:
        """Send requests for changes, in order, in few system calls.

        Raises:
            NetlinkError: the kernel refused a request; names the first one. Later requests of the same portion are
                carried out all the same.
        """
        portion: list[Message] = []
        size = 0
        for request in requests:
            size += len(request.body) + 32
            if portion and (size > _PORTION_BYTES or len(portion) == self._portion_size):
                self._send_portion(portion)
                portion, size = [], len(request.body) + 32
            portion.append(request)
        if portion:
            self._send_portion(portion)

    def _send_portion(self, portion: Sequence[Message]) -> None:
        with self._lock:
            self._send_locked(portion)

    def _send_locked(self, portion: Sequence[Message]) -> None:
        first = self._sequence + 1
        self._sequence += len(portion)
        data = b"".join(encode(request, first + i, ACK) for i, request in enumerate(portion))
        self.socket.send(data)
        refused: NetlinkError | None = None
        missing = set(range(first, first + len(portion)))
        while missing:
            for sequence, reply in messages(self._receive(portion[0].request_text)):
                if sequence not in missing or reply.type != ERROR:
                    continue
                missing.discard(sequence)
                error = self._error(reply, portion[sequence - first].request_text)
                refused = refused or error
        if refused is not None:
            raise refused

    def _receive(self, request_text: str) -> bytes:
        try:
            return self.socket.recv(_RECEIVE_BYTES)
        except OSError as error:
            if error.errno != errno.ENOBUFS:
                raise
            text = f"the kernel's answers overflowed the receive buffer of {self._buffer_bytes} bytes"
            raise NetlinkError(
                f"{self.node}: {request_text}" if self.node else request_text, error.errno, text
            ) from error

    def _error(self, reply: Reply, request_text: str) -> NetlinkError | None:
        (code,) = struct.unpack_from("=i", reply.body)
        if code == 0:
            return None
        explanation = ""
        if reply.flags & _ACK_TLVS:
            # Capped acknowledgements repeat only the request's header (16 bytes) before the explanation.
            text_attribute = attributes(reply.body[20:]).get(_EXTACK_TEXT)
            explanation = (
                bytes(text_attribute).rstrip(b"\0").decode(errors="replace") if text_attribute is not None else ""
            )
        return NetlinkError(f"{self.node}: {request_text}" if self.node else request_text, -code, explanation)

    def ask(self, request: Message) -> Reply:
        """The one reply to a request. Raises NetlinkError if the kernel refuses it."""
        with self._lock:
            self._sequence += 1
            self.socket.send(encode(request, self._sequence))
            while True:
                for sequence, reply in messages(self._receive(request.request_text)):
                    if sequence != self._sequence:
                        continue
                    if reply.type == ERROR:
                        raise self._error(reply, request.request_text) or NetlinkError(
                            request.request_text, errno.EPROTO
                        )
                    return reply

    def dump(self, request: Message) -> list[Reply]:
        """The kernel's whole list for a request. Raises NetlinkError."""
        while True:
            with self._lock:
                self._sequence += 1
                self.socket.send(encode(request, self._sequence, DUMP))
                replies = self._receive_list(request)
            if replies is not None:
                return replies

    def _receive_list(self, request: Message) -> list[Reply] | None:
        """The list; None if the kernel reports that it changed meanwhile."""
        replies: list[Reply] = []
        interrupted = False
        while True:
            for sequence, reply in messages(self._receive(request.request_text)):
                if sequence != self._sequence:
                    continue
                interrupted |= bool(reply.flags & 0x10)
                if reply.type == DONE:
                    return None if interrupted else replies
                if reply.type == ERROR:
                    error = self._error(reply, request.request_text)
                    raise error or NetlinkError(request.request_text, errno.EPROTO)
                replies.append(reply)
