"""Traceroute without a program: echo requests with a limited TTL, to several hops at once."""

from __future__ import annotations

import errno
import os
import socket
import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from frrlib.agent.network.rtnetlink import packed
from frrlib.agent.probes import ping
from frrlib.system.ready import ready
from frrlib.wire.replies import REACHED

#: The number of hops probed at once, and the number of silent hops in a row that ends the probing.
_AT_ONCE, _MOST_SILENT = 6, 4
_TRIES = 2
#: A router that answers for this number of hops is in a loop.
_LOOP = 3
#: The types of ICMP errors, by address family: "unreachable" and "time exceeded".
_ERRORS = {socket.AF_INET: (3, 11), socket.AF_INET6: (1, 3)}
#: The meaning of the codes of "unreachable", by address family.
_UNREACHABLE = {
    socket.AF_INET: {0: "no route", 1: "host unreachable", 2: "no such protocol", 9: "prohibited", 10: "prohibited",
                     13: "prohibited"},
    socket.AF_INET6: {0: "no route", 1: "prohibited", 3: "host unreachable", 6: "unreachable"},
}  # fmt: skip
#: The meaning of errors from the sender's own kernel.
_OWN = {errno.ENETUNREACH: "no route", errno.EHOSTUNREACH: "host unreachable", errno.EACCES: "prohibited"}


@dataclass(frozen=True)
class TraceHop:
    """The reply to a request; see `wire.Trace`."""

    ttl: int
    address: str = ""
    rtt_ms: float | None = None
    outcome: str = ""

    def as_dict(self, nodes: Sequence[str]) -> dict[str, Any]:
        """A value of the wire, with the names of all nodes that have the replying address."""
        return {"ttl": self.ttl, "address": self.address, "nodes": nodes, "rtt_ms": self.rtt_ms, "said": self.outcome}


def open_socket(address: str, vrf: str = "") -> socket.socket:
    """A socket for echo requests to `address`, in the network namespace of the calling thread, and in its VRF. Raises
    OSError."""
    opened = ping.open_socket(address)
    if vrf:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, vrf.encode() + b"\0")
    return opened


def trace(opened: socket.socket, address: str, most_hops: int, timeout_s: float) -> list[TraceHop]:
    """The hops to an address, nearest first; see `wire.Trace`.

    Args:
        opened: from `open_socket`, of any thread.
    """
    prober = _Prober(opened, address, timeout_s)
    hops: list[TraceHop] = []
    for first in range(1, most_hops + 1, _AT_ONCE):
        ttls = range(first, min(first + _AT_ONCE, most_hops + 1))
        replies = prober.ask(ttls)
        for ttl in ttls:
            hops.append(replies.get(ttl, TraceHop(ttl)))
            silent = [hop for hop in hops[-_MOST_SILENT:] if not hop.address]
            last = hops[-1]
            if last.address and sum(hop.address == last.address for hop in hops) == _LOOP:
                hops[-1] = last = replace(last, outcome="loop")
            if last.outcome or len(silent) == _MOST_SILENT:
                return hops
    return hops


class _Prober:
    """Probes several hops at once, and assigns the replies."""

    def __init__(self, opened: socket.socket, address: str, timeout_s: float) -> None:
        self._socket, self._address, self._timeout_s = opened, address, timeout_s
        self._identity = int.from_bytes(os.urandom(2), "big")
        #: TTL and sending time of each request (ns of the wall clock), by its number.
        self._sent: dict[int, tuple[int, int]] = {}
        self._next = 0

    def ask(self, ttls: range) -> dict[int, TraceHop]:
        """The replies to requests with these TTLs. Silent hops are probed twice."""
        replies: dict[int, TraceHop] = {}
        for _ in range(_TRIES):
            # Hops beyond the path's end need no reply.
            pending = [ttl for ttl in ttls if ttl not in replies and ttl < _path_end(replies)]
            if not pending:
                break
            for ttl in pending:
                self._send(ttl, replies)
            deadline_s = time.monotonic() + self._timeout_s
            while any(ttl not in replies and ttl < _path_end(replies) for ttl in pending):
                left_s = deadline_s - time.monotonic()
                if left_s <= 0 or not ready([self._socket], timeout_s=left_s)[0]:
                    break
                if (answer := self._receive()) is not None:
                    replies.setdefault(answer.ttl, answer)
        return replies

    def _send(self, ttl: int, replies: dict[int, TraceHop]) -> None:
        self._next += 1
        self._sent[self._next] = ttl, time.time_ns()
        limit = socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS
        level, option = limit if self._socket.family == socket.AF_INET6 else (socket.IPPROTO_IP, socket.IP_TTL)
        try:
            self._socket.setsockopt(level, option, ttl)
            self._socket.sendto(ping.request(self._socket.family, self._identity, self._next), (self._address, 0))
        except OSError as error:
            replies[ttl] = TraceHop(ttl, outcome=_OWN.get(error.errno or 0, os.strerror(error.errno or 0)))

    def _receive(self) -> TraceHop | None:
        """A packet's reply to one of our requests; None for any other packet."""
        try:
            data, control, _, sender = self._socket.recvmsg(2048, 256)
        except OSError:
            return None
        if self._socket.family == socket.AF_INET:
            data = data[4 * (data[0] & 15) :]
        if len(data) < 8:
            return None
        kind, code, _, identity, sequence = struct.unpack_from("!BBHHH", data)
        outcome = ""
        if kind == ping.REPLY[self._socket.family]:
            outcome = REACHED
        else:
            inner = self._inner(kind, data[8:])
            if inner is None:
                return None
            identity, sequence = inner
            if kind == _ERRORS[self._socket.family][0]:
                outcome = _UNREACHABLE[self._socket.family].get(code, "unreachable")
        sent = self._sent.get(sequence) if identity == self._identity else None
        if sent is None:
            return None
        rtt_ms = round((ping.received_at_ns(control) - sent[1]) / 1e6, 3)
        return TraceHop(sent[0], sender[0].partition("%")[0], rtt_ms, outcome)

    def _inner(self, kind: int, data: bytes) -> tuple[int, int] | None:
        """Identity and number of the request in an ICMP error."""
        is_ipv4 = self._socket.family == socket.AF_INET
        if kind not in _ERRORS[self._socket.family] or len(data) < (28 if is_ipv4 else 48):
            return None
        target, data = (data[16:20], data[4 * (data[0] & 15) :]) if is_ipv4 else (data[24:40], data[40:])
        if target != packed(self._address) or len(data) < 8:
            return None
        identity, sequence = struct.unpack_from("!HH", data, 4)
        return identity, sequence


def _path_end(replies: dict[int, TraceHop]) -> int:
    """The first hop that ended the path; a number beyond all hops if none did."""
    return min((ttl for ttl, hop in replies.items() if hop.outcome), default=256)
