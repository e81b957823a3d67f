"""Sessions of BFD as bfdd tells of them, at once: at the socket that it has for such listeners."""

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

#: A message: how many bytes follow, its number, its type and the version of all this; in the network's order.
_HEADER = struct.Struct("!IHBB")
_NOTIFY, _VERSION = 4, 1
#: What is asked for: states of sessions, in the daemon's own order of bytes.
_STATES_PLEASE = struct.pack("=Q", 1)
_CONNECT_TIMEOUT_S = 1.0
#: Why a session went down, by number (RFC 5880, section 4.1).
_WHY = {
    1: "nothing heard for too long", 2: "echo failed", 3: "the neighbour says so", 4: "forwarding plane reset",
    5: "path down", 6: "concatenated path down", 7: "put down by hand", 8: "reverse concatenated path down",
}  # fmt: skip


class SessionState(NamedTuple):
    """A session's state.

    Attributes:
        peer: the neighbour's address.
        multihop: whether it may be more than one link away.
        interface: empty where the session has none.
        vrf: empty for the default one.
        state: "up", "down", "init" or "shutdown".
        why: it went down, for people; empty where bfdd does not say.
    """

    peer: str
    multihop: bool
    interface: str
    vrf: str
    state: str
    reason: str


class BfdListener:
    """Listens to the bfdd of many routers.

    Args:
        heard: called with the router, what was told and when on the monotonic clock; by threads of this object, and by
            callers of `catch_up`.
    """

    def __init__(self, heard: Callable[[str, SessionState, float], None]) -> None:
        self._heard = heard
        self._lock = threading.RLock()
        self._poll = select.epoll()
        self._open: dict[int, tuple[str, socket.socket, bytes]] = {}
        self._closed = False

    def listen(self, router: str, path: str) -> None:
        """Listen to one more, whose socket is at `path`; nothing where that is so already, or it does not answer.

        Callers of this or `catch_up` must hold no lock that `heard` takes.
        """
        with self._lock:
            if self._closed or any(name == router for name, _, _ in self._open.values()):
                return
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.settimeout(_CONNECT_TIMEOUT_S)
            try:
                connection.connect(path)
                connection.sendall(_HEADER.pack(len(_STATES_PLEASE), 1, _NOTIFY, _VERSION) + _STATES_PLEASE)
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
        """Pass on what has been said by now, before the thread that waits for it comes to it.

        Args:
            router: whose news cannot be younger than `latest_s`, whenever it is read.
        """
        if self._open:
            self._take(0.0, router, latest_s)

    def close(self) -> None:
        """Tell nothing any more."""
        with self._lock:
            self._closed = True
            for number in tuple(self._open):
                self._drop(number)

    def _listen_on(self) -> None:
        while self._open:
            self._take(0.5)

    def _take(self, patience_s: float, sure: str = "", latest_s: float = math.inf) -> None:
        ready = self._poll.poll(patience_s)
        with self._lock:
            for number, _ in ready:
                if number in self._open:
                    self._read(number, latest_s if self._open[number][0] == sure else math.inf)

    def _read(self, number: int, latest_s: float) -> None:
        router, connection, rest = self._open[number]
        try:
            data = connection.recv(65536)
        except BlockingIOError:
            return  # somebody else has read it
        except OSError:
            data = b""
        if not data:
            self._drop(number)
            return
        now = min(time.monotonic(), latest_s)
        told, rest = parse(rest + data)
        self._open[number] = router, connection, rest
        for each in told:
            if not self._closed:
                self._heard(router, each, now)

    def _drop(self, number: int) -> None:
        _, connection, _ = self._open.pop(number)
        with contextlib.suppress(OSError):
            self._poll.unregister(number)
        connection.close()


def parse(data: bytes) -> tuple[list[SessionState], bytes]:
    """The news of sessions in some bytes, and the beginning of the message that is not complete yet."""
    told = []
    while len(data) >= _HEADER.size:
        length, _, kind, _ = _HEADER.unpack_from(data)
        if len(data) < _HEADER.size + length:
            break
        body, data = data[_HEADER.size : _HEADER.size + length], data[_HEADER.size + length :]
        if kind == _NOTIFY:
            with contextlib.suppress(ValueError, KeyError):  # it is of another version than this understands
                told += _told(json.loads(body))
    return told, data


def _told(said: Any) -> list[SessionState]:
    if said["op"] != "status":
        return []
    state = "shutdown" if said["state"] == "adm-down" else str(said["state"])
    vrf = str(said.get("vrf-name", "default"))
    why = "" if state == "up" else _WHY.get(int(said.get("diagnostics", 0)), "")
    interface = str(said.get("local-interface", ""))
    found = SessionState(
        said["peer-address"], bool(said.get("multihop")), interface, "" if vrf == "default" else vrf, state, why
    )
    return [found]
