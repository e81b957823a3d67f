"""Ping without a process: the kernel's own receive time, and the reply's remaining hops."""

from __future__ import annotations

import os
import socket
import struct
import time
from collections.abc import Sequence
from typing import Any

from frrlib.system.ready import ready

_TIMESTAMP_NS = 35  # SO_TIMESTAMPNS and its control message
_ECHO: dict[int, tuple[int, int]] = {socket.AF_INET: (8, 0), socket.AF_INET6: (128, 129)}
#: The type of a reply, by address family.
REPLY = {family: receive_reply for family, (_, receive_reply) in _ECHO.items()}


class PingResult:
    """The result of a ping.

    Attributes:
        sent, received: the numbers of requests, and of answered ones.
        duplicates: further replies to an answered request, which `ping` marks with "DUP!". Those after the reply to the
            last request are not counted.
        ttl, rtt_ms: of each first reply.
    """

    def __init__(self) -> None:
        self.sent = self.received = self.duplicates = 0
        self.ttl: list[int] = []
        self.rtt_ms: list[float] = []

    def as_dict(self) -> dict[str, Any]:
        """The result as values of the wire."""
        counts = {"sent": self.sent, "received": self.received, "duplicates": self.duplicates}
        return {**counts, "ttl": self.ttl, "rtt_ms": self.rtt_ms}


def open_socket(address: str) -> socket.socket:
    """A socket for pings to `address`, in the network namespace of the calling thread. Raises OSError."""
    if ":" in address:
        opened = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
        opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVHOPLIMIT, 1)
    else:
        opened = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    opened.setsockopt(socket.SOL_SOCKET, _TIMESTAMP_NS, 1)
    opened.setblocking(False)
    return opened


def resolve(opened: socket.socket, address: str, timeout_s: float) -> None:
    """Send one echo request that is not counted, and wait for its reply.

    It makes all nodes on the path resolve their next hops' hardware addresses, in both directions. Requests sent before
    that wait for it, and their round-trip times are too long.

    Args:
        opened: from `open_socket`.
        address: the destination.
        timeout_s: the longest wait for the reply.
    """
    ping(opened, address, 1, 0.0, timeout_s)


def ping(opened: socket.socket, address: str, count: int, interval_s: float, timeout_s: float) -> PingResult:
    """Send echo requests and receive the replies.

    Args:
        opened: from `open_socket`, of any thread.
        address: the destination.
        count: number of requests.
        interval_s: time between two requests.
        timeout_s: the longest wait for replies after the last request.
    """
    result = PingResult()
    identity = int.from_bytes(os.urandom(2), "big")
    sent_ns: dict[int, int] = {}
    start = time.monotonic()
    for sequence in range(count):
        while (remaining_s := start + sequence * interval_s - time.monotonic()) > 0:
            _receive(opened, identity, sent_ns, result, remaining_s)
        sent_ns[sequence] = time.time_ns()
        try:
            opened.sendto(request(opened.family, identity, sequence), (address, 0))
        except OSError:
            del sent_ns[sequence]  # unreachable at once: sent, and never answered
        result.sent += 1
    end = time.monotonic() + timeout_s
    while sent_ns and (remaining_s := end - time.monotonic()) > 0:
        _receive(opened, identity, sent_ns, result, remaining_s)
    while _receive(opened, identity, sent_ns, result, 0.0):
        pass
    return result


def _receive(
    opened: socket.socket, identity: int, sent_ns: dict[int, int], result: PingResult, timeout_s: float
) -> bool:
    """Receive one packet, if it arrives in time. Returns whether one arrived.

    Args:
        sent_ns: when each unanswered request was sent; answered ones are removed.
    """
    if not ready([opened], timeout_s=timeout_s)[0]:
        return False
    reply = receive_reply(opened, identity)
    if reply is None:
        return True
    sequence, ttl, received_ns = reply
    if sequence not in sent_ns:
        result.duplicates += sequence < result.sent
    else:
        result.received += 1
        result.ttl.append(ttl)
        result.rtt_ms.append(round((received_ns - sent_ns.pop(sequence)) / 1e6, 6))
    return True


def receive_reply(opened: socket.socket, identity: int) -> tuple[int, int, int] | None:
    """Sequence number, TTL and receive time (ns) of a received packet; None if it is no reply to our requests."""
    try:
        data, control, _, _ = opened.recvmsg(2048, 256)
    except OSError:
        return None
    received_ns, ttl = received_at_ns(control), 0
    for level, kind, value in control:
        if (level, kind) == (socket.IPPROTO_IPV6, socket.IPV6_HOPLIMIT):
            (ttl,) = struct.unpack_from("=i", value)
    if opened.family == socket.AF_INET:
        ttl, data = data[8], data[4 * (data[0] & 15) :]
    if len(data) < 8:
        return None
    kind, _, _, reply_identity, sequence = struct.unpack_from("!BBHHH", data)
    if kind != _ECHO[opened.family][1] or reply_identity != identity:
        return None
    return sequence, ttl, received_ns


def received_at_ns(control: Sequence[tuple[int, int, bytes]]) -> int:
    """The wall-clock time of a packet's arrival from the kernel's control messages, else the present time."""
    for level, kind, value in control:
        if (level, kind) == (socket.SOL_SOCKET, _TIMESTAMP_NS):
            seconds, nanoseconds = struct.unpack_from("=qq", value)
            return int(seconds * 1_000_000_000 + nanoseconds)
    return time.time_ns()


def request(family: int, identity: int, sequence: int, payload_bytes: int = 48) -> bytes:
    """An echo request; for IPv6 the kernel computes the checksum."""
    kind = _ECHO[family][0]
    checksum = 0 if family == socket.AF_INET6 else _checksum(struct.pack("!BBHHH", kind, 0, 0, identity, sequence))
    return struct.pack("!BBHHH", kind, 0, checksum, identity, sequence) + bytes(payload_bytes)


def _checksum(data: bytes) -> int:
    """The Internet checksum (RFC 1071) of an even number of bytes; appended zeros do not change it."""
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
