"""Changes of BFD sessions, as bfdd sends them to clients of its socket."""

from __future__ import annotations

import contextlib
import json
import math
import select
import socket
import struct
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

#: A message's header in network byte order: length of the body, message number, type, and version of the protocol.
_HEADER = struct.Struct("!IHBB")
_NOTIFY, _VERSION = 4, 1
#: The subscription to states of sessions, in the daemon's own byte order.
_SUBSCRIPTION = struct.pack("=Q", 1)
_CONNECT_TIMEOUT_S = 1.0
#: Reasons for a session's end, by diagnostic code (RFC 5880, section 4.1).
_REASONS = {
    1: "detection time expired", 2: "echo function failed", 3: "neighbor signaled session down",
    4: "forwarding plane reset", 5: "path down", 6: "concatenated path down", 7: "administratively down",
    8: "reverse concatenated path down",
}  # fmt: skip


class SessionState(NamedTuple):
    """The state of a session.

    Attributes:
        peer: the neighbor's address.
        multihop: whether the neighbor may be more than one link away.
        interface: empty if the session has none.
        vrf: empty for the default VRF.
        state: "up", "down", "init" or "shutdown".
        reason: for the session's end, for people; empty if bfdd gives none.
    """

    peer: str
    multihop: bool
    interface: str
    vrf: str
    state: str
    reason: str


class BfdListener:
    """Receives events from the bfdd of many routers.

    Args:
        handle_state: called with router, state, and time on the monotonic clock; by threads of this object and callers
            of `catch_up`.
    """

    def __init__(self, handle_state: Callable[[str, SessionState, float], None]) -> None:
        self._handle_state = handle_state
        self._lock = threading.RLock()
        self._poll = select.epoll()
        self._open: dict[int, tuple[str, socket.socket, bytes]] = {}
        self._closed = False

    def listen(self, router: str, path: str) -> None:
        """Subscribe to one more daemon, whose socket is at `path`. Does nothing if that is done, or it does not answer.

        Callers of this or of `catch_up` must hold no lock that `handle_state` takes.
        """
        with self._lock:
            if self._closed or any(name == router for name, _, _ in self._open.values()):
                return
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.settimeout(_CONNECT_TIMEOUT_S)
            try:
                connection.connect(path)
                connection.sendall(_HEADER.pack(len(_SUBSCRIPTION), 1, _NOTIFY, _VERSION) + _SUBSCRIPTION)
            except OSError:
                connection.close()
                return
            connection.setblocking(False)
            is_first = not self._open
            self._open[connection.fileno()] = router, connection, b""
            self._poll.register(connection.fileno(), select.EPOLLIN)
            if is_first:
                threading.Thread(target=self._listen_on, name="bfd", daemon=True).start()

    def catch_up(self, router: str = "", latest_s: float = math.inf) -> None:
        """Handle the events that have arrived, before the listening thread does.

        Args:
            router: a router whose events happened at `latest_s` at the latest, whenever they are read.
        """
        if self._open:
            self._take(0.0, router, latest_s)

    def close(self) -> None:
        """Report nothing more."""
        with self._lock:
            self._closed = True
            for number in tuple(self._open):
                self._drop(number)

    def _listen_on(self) -> None:
        while self._open:
            self._take(0.5)

    def _take(self, patience_s: float, delayed_router: str = "", latest_s: float = math.inf) -> None:
        ready = self._poll.poll(patience_s)
        with self._lock:
            for number, _ in ready:
                if number in self._open:
                    self._read(number, latest_s if self._open[number][0] == delayed_router else math.inf)

    def _read(self, number: int, latest_s: float) -> None:
        router, connection, incomplete = self._open[number]
        try:
            data = connection.recv(65536)
        except BlockingIOError:
            return  # another thread has read it
        except OSError:
            data = b""
        if not data:
            self._drop(number)
            return
        now = min(time.monotonic(), latest_s)
        states, incomplete = parse(incomplete + data)
        self._open[number] = router, connection, incomplete
        for state in states:
            if not self._closed:
                self._handle_state(router, state, now)

    def _drop(self, number: int) -> None:
        _, connection, _ = self._open.pop(number)
        with contextlib.suppress(OSError):
            self._poll.unregister(number)
        connection.close()


def parse(data: bytes) -> tuple[list[SessionState], bytes]:
    """The states of sessions in received bytes, and the beginning of an incomplete message."""
    states = []
    while len(data) >= _HEADER.size:
        length, _, kind, _ = _HEADER.unpack_from(data)
        if len(data) < _HEADER.size + length:
            break
        body, data = data[_HEADER.size : _HEADER.size + length], data[_HEADER.size + length :]
        if kind == _NOTIFY:
            with contextlib.suppress(ValueError, KeyError):  # a message of an unknown version
                states += _parse_notification(json.loads(body))
    return states, data


def _parse_notification(message: Any) -> list[SessionState]:
    if message["op"] != "status":
        return []
    state = "shutdown" if message["state"] == "adm-down" else str(message["state"])
    vrf = str(message.get("vrf-name", "default"))
    reason = "" if state == "up" else _REASONS.get(int(message.get("diagnostics", 0)), "")
    interface = str(message.get("local-interface", ""))
    session = SessionState(
        message["peer-address"],
        bool(message.get("multihop")),
        interface,
        "" if vrf == "default" else vrf,
        state,
        reason,
    )
    return [session]
