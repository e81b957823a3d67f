"""Netlink as a lab needs it: requests as bytes, sent many at a time, each answered or refused by name.

Building a network by `ip` costs a process for every setting. Here a node's settings go to the kernel in one system
call, and what the kernel refuses is an error that names the node and what was asked, with the kernel's own words.

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
#: Requests are sent in portions of at most this many bytes, well below the socket's send buffer.
_PORTION_BYTES = 32768
#: The kernel answers all of a portion before any answer is read, and of the receive buffer each answer takes as much as
#: this at most: 832 bytes on 64 bits, more with an explanation.
_ANSWER_BYTES = 1280
_RECEIVE_BYTES = 65536


class NetlinkError(LabFailed):
    """The kernel refused a request.

    Args:
        what: what was asked, for people, with the node's name ("r1: address 10.0.0.1/16 at r1-eth0").
        code: the errno.
        text: the kernel's explanation, empty where it gave none.
    """

    def __init__(self, what: str, code: int, text: str = "") -> None:
        self.request_text, self.code, self.text = what, code, text
        super().__init__(f"{what}: {os.strerror(code)}" + (f" ({text})" if text else ""))


class Message(NamedTuple):
    """One request: its netlink type and flags, everything behind the header, and what it asks, for people."""

    type: int
    flags: int
    body: bytes
    request_text: str


class Reply(NamedTuple):
    """One message from the kernel: its netlink type, its flags, and everything behind the header."""

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
    """An attribute that holds a string and its closing zero."""
    return attribute(kind, value.encode() + b"\0")


def nest(kind: int, *parts: bytes) -> bytes:
    """An attribute that holds attributes."""
    return attribute(kind | _NESTED, b"".join(parts))


def attributes(data: memoryview | bytes) -> dict[int, memoryview]:
    """The attributes in `data`, by kind; of equal ones the last. Broken ends are left out."""
    view, found = memoryview(data), {}
    while len(view) >= 4:
        length, kind = struct.unpack_from("=HH", view)
        if length < 4 or length > len(view):
            break
        found[kind & _TYPE_MASK] = view[4:length]
        view = view[(length + 3) & ~3 :]
    return found


def number_in(found: Mapping[int, memoryview], kind: int, default: int = 0) -> int:
    """The unsigned number of 32 bits in one of some attributes; the default where there is none of that kind."""
    return int(struct.unpack("=I", found[kind])[0]) if kind in found else default


def messages(data: memoryview | bytes) -> Iterator[tuple[int, Reply]]:
    """The messages in what one receive call gave, each with its sequence number."""
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
    """A netlink socket of the network namespace in which the calling thread is when it makes the object.

    Afterwards any thread may use it.

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
        self._most = max(1, self._buffer_bytes // _ANSWER_BYTES)

    def close(self) -> None:
        """Close the socket."""
        self.socket.close()

    def apply(self, requests: Sequence[Message]) -> None:
        """Ask for changes, in order, in few system calls.

        Raises:
            NetlinkError: for the first request that the kernel refuses. Those after it in the same portion are done all
                the same; the caller that builds a lab gives it up then.
        """
        portion: list[Message] = []
        size = 0
        for request in requests:
            size += len(request.body) + 32
            if portion and (size > _PORTION_BYTES or len(portion) == self._most):
                self._apply(portion)
                portion, size = [], len(request.body) + 32
            portion.append(request)
        if portion:
            self._apply(portion)

    def _apply(self, portion: Sequence[Message]) -> None:
        with self._lock:
            self._apply_alone(portion)

    def _apply_alone(self, portion: Sequence[Message]) -> None:
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

    def _receive(self, what: str) -> bytes:
        try:
            return self.socket.recv(_RECEIVE_BYTES)
        except OSError as error:
            if error.errno != errno.ENOBUFS:
                raise
            text = f"the kernel's answers overflowed the receive buffer of {self._buffer_bytes} bytes"
            raise NetlinkError(f"{self.node}: {what}" if self.node else what, error.errno, text) from error

    def _error(self, reply: Reply, what: str) -> NetlinkError | None:
        (code,) = struct.unpack_from("=i", reply.body)
        if code == 0:
            return None
        said = ""
        if reply.flags & _ACK_TLVS:
            # With capped acknowledgements only the request's header (16 bytes) is repeated before the explanation.
            found = attributes(reply.body[20:]).get(_EXTACK_TEXT)
            said = bytes(found).rstrip(b"\0").decode(errors="replace") if found is not None else ""
        return NetlinkError(f"{self.node}: {what}" if self.node else what, -code, said)

    def ask(self, request: Message) -> Reply:
        """The one message that answers a request. Raises NetlinkError where the kernel refuses it."""
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
        """Everything that the kernel lists for a request. Raises NetlinkError."""
        while True:
            with self._lock:
                self._sequence += 1
                self.socket.send(encode(request, self._sequence, DUMP))
                found = self._listed(request)
            if found is not None:
                return found

    def _listed(self, request: Message) -> list[Reply] | None:
        """The list; None if the kernel says that it changed meanwhile."""
        found: list[Reply] = []
        interrupted = False
        while True:
            for sequence, reply in messages(self._receive(request.request_text)):
                if sequence != self._sequence:
                    continue
                interrupted |= bool(reply.flags & 0x10)
                if reply.type == DONE:
                    return None if interrupted else found
                if reply.type == ERROR:
                    error = self._error(reply, request.request_text)
                    raise error or NetlinkError(request.request_text, errno.EPROTO)
                found.append(reply)
