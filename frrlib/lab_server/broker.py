"""Lets several programs share the wire to one lab: requests get numbers of the broker's, answers go to who asked.

Everything that is no answer goes to all. A program that does not read what is told it is let go, so that it holds up
neither the lab nor the others.
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

#: Bytes that may wait for a program before it is let go.
PATIENCE_BYTES = 64 << 20
#: Limits of the events that are kept for programs that come later: number of dead daemons, bytes of the message about
#: each, number of links that are down, and characters of a link's id.
MOST_DEATHS, MOST_DEATH_BYTES, MOST_LINKS, MOST_ID = 1000, 64 << 10, 10_000, 200


@dataclass(eq=False)
class Client:
    """A program at the other end of a connection; what it is told is sent by a thread of its own."""

    connection: socket.socket
    _waiting: queue.SimpleQueue[bytes] = field(default_factory=queue.SimpleQueue)
    #: How much waits; counted by those who tell and by the sender.
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
        """Send what waits, and close."""
        self._waiting.put(b"")
        self._sender.join(patience_s)
        self.let_go()

    def let_go(self) -> None:
        """Close the connection at once."""
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
        self._waiting.put(b"")  # the sender may wait for something to send

    def _send(self) -> None:
        with suppress(OSError):
            while line := self._waiting.get():
                self.connection.sendall(line)
                self._count(-len(line))

    def _count(self, more: int) -> int:
        with self._counting:
            self._bytes += more
            return self._bytes


class Broker:
    """Between the lab's wire and its clients.

    Args:
        to_lab: the wire's end that the lab reads from.
        changed: called when the links that are down have changed.
    """

    def __init__(self, to_lab: BinaryIO, changed: Callable[[], None]) -> None:
        self._to_lab, self._changed = to_lab, changed
        self._lock, self._writing = threading.Lock(), threading.Lock()
        self._clients: list[Client] = []
        self._asked: dict[int, tuple[Client, int]] = {}
        self._next_id = 1
        #: The last death of each daemon, for everybody who comes later; that the lab is there comes last.
        self._deaths: dict[tuple[str, str], bytes] = {}
        self._ready = b""
        self._down: dict[str, None] = {}

    @property
    def links_down(self) -> tuple[str, ...]:
        """Ids of the links that somebody took down and nobody put up again."""
        return tuple(self._down)

    def attach(self, client: Client, greeting: bytes) -> None:
        """From now on the client hears what the lab tells, after `greeting` and what it said that still counts."""
        with self._lock:
            client.tell(greeting)
            for line in (*self._deaths.values(), self._ready):
                if line:
                    client.tell(line)
            self._clients.append(client)

    def detach(self, client: Client) -> None:
        """The client is gone; nobody waits for its answers."""
        with self._lock:
            if client in self._clients:
                self._clients.remove(client)
            self._asked = {number: each for number, each in self._asked.items() if each[0] is not client}
        client.let_go()

    def finish(self, line: bytes) -> None:
        """Tell all clients a last thing and close their connections."""
        with self._lock:
            clients, self._clients = self._clients, []
        for client in clients:
            client.tell(line)
        for client in clients:
            client.finish()

    def to_lab(self, client: Client, line: bytes) -> None:
        """Pass a client's request on.

        Raises:
            msgspec.MsgspecError, wire.InvalidMessage: it is none.
            OSError: the lab has ended.
        """
        request = wire.decode_request(line)
        with self._lock:
            number, self._next_id = self._next_id, self._next_id + 1
            self._asked[number] = client, request.id
        data = memoryview(wire.encode(wire.Request(number, request.command)))
        with self._writing:
            while data:
                data = data[self._to_lab.write(data) :]

    def from_lab(self, line: bytes) -> None:
        """Pass on what the lab says: an answer to who asked, anything else to all. Raises wire.InvalidMessage for what
        is none any more."""
        try:
            head = wire.decode_head(line)
            if head.is_reply:
                self._answer(head, line)
                return
            event = wire.decode_message(line) if head.type in ("daemon_died", "fault") else None
        except msgspec.MsgspecError:
            return  # what a kernel prints on its line
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
        """Remember that a daemon has ended, within limits: a lab may report any number of deaths."""
        self._deaths.pop((event.router, event.daemon), None)
        if len(self._deaths) < MOST_DEATHS and len(line) <= MOST_DEATH_BYTES:
            self._deaths[event.router, event.daemon] = line + b"\n"

    def _take_fault(self, event: wire.FaultEvent) -> None:
        """Remember which links are down, no matter who took them down; forget the death of daemons that live again."""
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
        """Pass an answer on; one that nobody waits for is not even decoded, for it may be long."""
        with self._lock:
            if head.id not in self._asked:
                return
        answer = wire.decode_message(line)
        with self._lock:
            client, number = self._asked.pop(head.id, (None, 0))
        if client is not None:
            client.tell(wire.encode(msgspec.structs.replace(answer, id=number)))
