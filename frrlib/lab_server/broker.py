"""The broker: it shares the wire to one lab among several programs.

The broker renumbers requests, and sends each reply to the program of the request. It sends all other messages to all
programs. A program that does not read its messages is disconnected, so that it blocks neither the lab nor the others.
"""

from __future__ import annotations

import queue
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import BinaryIO

import msgspec

from frrlib import wire

#: Maximum of bytes that wait for a program. Beyond it the program is disconnected.
PATIENCE_BYTES = 64 << 20
#: Limits of the events that are kept for programs that come later: number of dead daemons, bytes of the message about
#: each, number of links that are down, and characters of a link's id.
MOST_DEATHS, MOST_DEATH_BYTES, MOST_LINKS, MOST_ID = 1000, 64 << 10, 10_000, 200


@dataclass(eq=False)
class Client:
    """A program at the other end of a connection. A thread of its own sends its messages."""

    connection: socket.socket
    _waiting: queue.SimpleQueue[bytes] = field(default_factory=queue.SimpleQueue)
    #: Number of bytes that wait, counted by the callers of `tell` and by the sender.
    _bytes: int = 0
    _counting: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._sender = threading.Thread(target=self._send, name="client", daemon=True)
        self._sender.start()

    def tell(self, line: bytes) -> None:
        """Send a line as soon as the program reads."""
        if self._count(len(line)) > PATIENCE_BYTES:
            self.let_go()
        else:
            self._waiting.put(line)

    def finish(self, patience_s: float = 2.0) -> None:
        """Send all waiting messages, and close the connection."""
        self._waiting.put(b"")
        self._sender.join(patience_s)
        self.let_go()

    def let_go(self) -> None:
        """Close the connection at once."""
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
        self._waiting.put(b"")  # wakes the sender

    def _send(self) -> None:
        with suppress(OSError):
            while line := self._waiting.get():
                self.connection.sendall(line)
                self._count(-len(line))

    def _count(self, change: int) -> int:
        with self._counting:
            self._bytes += change
            return self._bytes


class Broker:
    """Passes messages between the lab's wire and its clients.

    Args:
        to_lab: stream to the lab.
        changed: called when the set of links that are down has changed.
    """

    def __init__(self, to_lab: BinaryIO, changed: Callable[[], None]) -> None:
        self._to_lab, self._changed = to_lab, changed
        self._lock, self._writing = threading.Lock(), threading.Lock()
        self._clients: list[Client] = []
        self._pending: dict[int, tuple[Client, int]] = {}
        self._next_id = 1
        #: The last death of each daemon, for clients that join later. They get the message "ready" after these.
        self._deaths: dict[tuple[str, str], bytes] = {}
        self._ready = b""
        self._down: dict[str, None] = {}

    @property
    def links_down(self) -> tuple[str, ...]:
        """Ids of the links that were taken down and not put up again."""
        return tuple(self._down)

    def attach(self, client: Client, greeting: bytes) -> None:
        """Add a client. It gets `greeting`, then the stored messages, then all messages of the lab."""
        with self._lock:
            client.tell(greeting)
            for line in (*self._deaths.values(), self._ready):
                if line:
                    client.tell(line)
            self._clients.append(client)

    def detach(self, client: Client) -> None:
        """Remove a client that has disconnected. Replies to its requests are dropped."""
        with self._lock:
            if client in self._clients:
                self._clients.remove(client)
            self._pending = {number: pending for number, pending in self._pending.items() if pending[0] is not client}
        client.let_go()

    def send_all(self, line: bytes) -> None:
        """Send all clients a line."""
        with self._lock:
            for client in self._clients:
                client.tell(line)

    def finish(self, line: bytes) -> None:
        """Send all clients a last line, and close their connections."""
        with self._lock:
            clients, self._clients = self._clients, []
        for client in clients:
            client.tell(line)
        for client in clients:
            client.finish()

    def to_lab(self, client: Client, line: bytes) -> None:
        """Pass a client's request on.

        Raises:
            msgspec.MsgspecError, wire.InvalidMessage: the line is no request.
            OSError: the lab has ended.
        """
        request = wire.decode_request(line)
        with self._lock:
            number, self._next_id = self._next_id, self._next_id + 1
            self._pending[number] = client, request.id
        data = memoryview(wire.encode(wire.Request(number, request.command)))
        with self._writing:
            while data:
                data = data[self._to_lab.write(data) :]

    def from_lab(self, line: bytes) -> None:
        """Pass on a message of the lab: a reply to the client of the request, any other message to all clients. Raises
        wire.InvalidMessage for a malformed one."""
        try:
            head = wire.decode_head(line)
            if head.is_reply:
                self._answer(head, line)
                return
            event = wire.decode_message(line) if head.type in ("daemon_died", "fault") else None
        except msgspec.MsgspecError:
            return  # output of a kernel on its line
        with self._lock:
            if head.type == "ready":
                self._ready = line + b"\n"
            if isinstance(event, wire.DaemonExit):
                self._take_death(event, line)
            if isinstance(event, wire.FaultEvent):
                self._take_fault(event)
            for client in self._clients:
                client.tell(line + b"\n")

    def _take_death(self, event: wire.DaemonExit, line: bytes) -> None:
        """Store that a daemon has exited, within limits: a lab may report any number of deaths."""
        self._deaths.pop((event.router, event.daemon), None)
        if len(self._deaths) < MOST_DEATHS and len(line) <= MOST_DEATH_BYTES:
            self._deaths[event.router, event.daemon] = line + b"\n"

    def _take_fault(self, event: wire.FaultEvent) -> None:
        """Store which links are down, and forget the deaths of daemons that have restarted."""
        if event.fault == "link-down" and len(self._down) < MOST_LINKS and len(event.target) <= MOST_ID:
            self._down.pop(event.target, None)
            self._down[event.target] = None
            self._changed()
        elif event.fault == "link-up" and event.target in self._down:
            del self._down[event.target]
            self._changed()
        elif event.fault in ("daemon-restarted", "power-on"):
            router, _, daemon = event.target.partition(":")
            self._deaths = {
                key: line for key, line in self._deaths.items() if key[0] != router or daemon not in ("", key[1])
            }

    def _answer(self, head: wire.MessageHead, line: bytes) -> None:
        """Pass a reply on. One without a waiting client is not decoded, since it may be long."""
        with self._lock:
            if head.id not in self._pending:
                return
        answer = wire.decode_message(line)
        with self._lock:
            client, number = self._pending.pop(head.id, (None, 0))
        if client is not None:
            client.tell(wire.encode(msgspec.structs.replace(answer, id=number)))
