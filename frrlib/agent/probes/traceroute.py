"""Traceroute without a program: echo requests with a limited life, all hops asked at once."""

from __future__ import annotations

import errno
import os
import select
import socket
import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from frrlib.agent.network.rtnetlink import packed
from frrlib.agent.probes import ping
from frrlib.wire.replies import REACHED

#: How many hops are asked at once, and after how many silent ones in a row the rest is not asked.
_AT_ONCE, _MOST_SILENT = 6, 4
_TRIES = 2
#: Who answers so often is passed in a loop.
_LOOP = 3
#: The types of what is said of a request that did not arrive, by the family: "unreachable", and "its life is over".
_ERRORS = {socket.AF_INET: (3, 11), socket.AF_INET6: (1, 3)}
#: The meaning of the codes of "unreachable", by the family.
_UNREACHABLE = {
    socket.AF_INET: {0: "no route", 1: "nobody there", 2: "no such protocol", 9: "prohibited", 10: "prohibited",
                     13: "prohibited"},
    socket.AF_INET6: {0: "no route", 1: "prohibited", 3: "nobody there", 6: "unreachable"},
}  # fmt: skip
#: What the sender's own kernel says.
_OWN = {errno.ENETUNREACH: "no route", errno.EHOSTUNREACH: "nobody there", errno.EACCES: "prohibited"}


@dataclass(frozen=True)
class Heard:
    """The answers to a request; see `wire.Trace`."""

    ttl: int
    address: str = ""
    rtt_ms: float | None = None
    said: str = ""

    def as_dict(self, nodes: Sequence[str]) -> dict[str, Any]:
        """As a value of the wire, with the names of all that have the address of who answered."""
        return {"ttl": self.ttl, "address": self.address, "nodes": nodes, "rtt_ms": self.rtt_ms, "said": self.said}


def open_socket(address: str, vrf: str = "") -> socket.socket:
    """A socket for echo requests to `address`, in the network namespace of the calling thread, and in its VRF. Raises
    OSError."""
    opened = ping.open_socket(address)
    if vrf:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, vrf.encode() + b"\0")
    return opened


def trace(opened: socket.socket, address: str, most_hops: int, timeout_s: float) -> list[Heard]:
    """The hops to an address, nearest first; see `wire.Trace`.

    Args:
        opened: from `open_socket`, by whichever thread.
    """
    asker = _Asker(opened, address, timeout_s)
    found: list[Heard] = []
    for first in range(1, most_hops + 1, _AT_ONCE):
        several = range(first, min(first + _AT_ONCE, most_hops + 1))
        heard = asker.ask(several)
        for ttl in several:
            found.append(heard.get(ttl, Heard(ttl)))
            silent = [each for each in found[-_MOST_SILENT:] if not each.address]
            last = found[-1]
            if last.address and sum(each.address == last.address for each in found) == _LOOP:
                found[-1] = last = replace(last, said="loop")
            if last.said or len(silent) == _MOST_SILENT:
                return found
    return found


class _Asker:
    """Asks several hops at once, and tells the answers apart."""

    def __init__(self, opened: socket.socket, address: str, timeout_s: float) -> None:
        self._socket, self._address, self._timeout_s = opened, address, timeout_s
        self._identity = int.from_bytes(os.urandom(2), "big")
        #: Number of a request to how long it lives, and when it was sent (ns of the wall clock).
        self._sent: dict[int, tuple[int, int]] = {}
        self._next = 0

    def ask(self, ttls: range) -> dict[int, Heard]:
        """The answers to requests with these TTLs; silent ones are asked twice."""
        heard: dict[int, Heard] = {}
        for _ in range(_TRIES):
            # What lies beyond the end need not be heard of.
            wanted = [ttl for ttl in ttls if ttl not in heard and ttl < _end(heard)]
            if not wanted:
                break
            for ttl in wanted:
                self._send(ttl, heard)
            deadline_s = time.monotonic() + self._timeout_s
            while any(ttl not in heard and ttl < _end(heard) for ttl in wanted):
                left_s = deadline_s - time.monotonic()
                if left_s <= 0 or not select.select([self._socket], [], [], left_s)[0]:
                    break
                if (answer := self._take()) is not None:
                    heard.setdefault(answer.ttl, answer)
        return heard

    def _send(self, ttl: int, heard: dict[int, Heard]) -> None:
        self._next += 1
        self._sent[self._next] = ttl, time.time_ns()
        limit = socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS
        level, option = limit if self._socket.family == socket.AF_INET6 else (socket.IPPROTO_IP, socket.IP_TTL)
        try:
            self._socket.setsockopt(level, option, ttl)
            self._socket.sendto(ping.request(self._socket.family, self._identity, self._next), (self._address, 0))
        except OSError as error:
            heard[ttl] = Heard(ttl, said=_OWN.get(error.errno or 0, os.strerror(error.errno or 0)))

    def _take(self) -> Heard | None:
        """A packet's answer to one of our requests; None if it is about something else."""
        try:
            data, control, _, sender = self._socket.recvmsg(2048, 256)
        except OSError:
            return None
        if self._socket.family == socket.AF_INET:
            data = data[4 * (data[0] & 15) :]
        if len(data) < 8:
            return None
        kind, code, _, whose, sequence = struct.unpack_from("!BBHHH", data)
        said = ""
        if kind == ping.REPLY[self._socket.family]:
            said = REACHED
        else:
            inner = self._inner(kind, data[8:])
            if inner is None:
                return None
            whose, sequence = inner
            if kind == _ERRORS[self._socket.family][0]:
                said = _UNREACHABLE[self._socket.family].get(code, "unreachable")
        sent = self._sent.get(sequence) if whose == self._identity else None
        if sent is None:
            return None
        rtt_ms = round((ping.received_at_ns(control) - sent[1]) / 1e6, 3)
        return Heard(sent[0], sender[0].partition("%")[0], rtt_ms, said)

    def _inner(self, kind: int, data: bytes) -> tuple[int, int] | None:
        """Identity and number of the request that an error is about."""
        is_ipv4 = self._socket.family == socket.AF_INET
        if kind not in _ERRORS[self._socket.family] or len(data) < (28 if is_ipv4 else 48):
            return None
        target, data = (data[16:20], data[4 * (data[0] & 15) :]) if is_ipv4 else (data[24:40], data[40:])
        if target != packed(self._address) or len(data) < 8:
            return None
        whose, sequence = struct.unpack_from("!HH", data, 4)
        return whose, sequence


def _end(heard: dict[int, Heard]) -> int:
    """The first hop that ended the way; a number beyond all where none did."""
    return min((ttl for ttl, each in heard.items() if each.said), default=256)
