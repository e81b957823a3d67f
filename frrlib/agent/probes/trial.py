"""A trial of one direction of a link: datagrams from its one end to its other, in a process that has both ends.

The agent makes the sockets, each in its node, and hands them to this process as descriptors. So one clock tells when a
datagram left and when it came, and the kernel, not Python, says when it came. Only the standard library,
`measure` and `mmsg` are needed here: it has to start fast.
"""

from __future__ import annotations

import itertools
import json
import os
import select
import socket
import struct
import sys
import time
from typing import Any, TypedDict

from frrlib.agent.sampling import kernel_statistics
from frrlib.agent.traffic import mmsg

_TIMESTAMP_NS = 35  # SO_TIMESTAMPNS and its control message
#: What every datagram begins with: its number and when it was sent.
_STAMP = struct.Struct("=QQ")
#: The kernel's own time of arrival, in a control message.
_TIME = struct.Struct("=qq")
#: A flood is so much faster than the link, once it has overflowed the queue.
_FASTER = 1.25
#: Rate and queue are looked at only after this, when the bucket is empty and the queue is full.
_SETTLED_S = 0.4
_BACKLOG_EVERY_S = 0.01
#: For how long a queue must not have been empty for a rate to be told.
_LEAST_S = 0.25
#: How long nothing may come before a trial is over, beyond the time that a datagram is under way.
_QUIET_S = 0.5


class Config(TypedDict):
    """The description of a trial.

    Attributes:
        senders, receiver: descriptors of UDP sockets; the senders' are connected to the receiver's. There are several,
            since the room of one, which an ordinary user cannot extend, may be smaller than the queue.
        route: descriptor of a netlink socket in the sender's node; -1 where no queue is looked at.
        index: of the sender's interface.
        kind: "flood" or "count".
        payload_bytes: of a datagram, at least 16.
        frame_bytes: what the link counts for such a datagram.
        rate_mbit: of the link in a flood; of what is sent in a count.
        queue_bytes: how much the queue takes; a flood begins with twice as much at once.
        seconds: of a flood.
        count: of datagrams.
        under_way_s: how long a datagram takes at most.
    """

    senders: list[int]
    receiver: int
    route: int
    index: int
    kind: str
    payload_bytes: int
    frame_bytes: int
    rate_mbit: float
    queue_bytes: int
    seconds: float
    count: int
    under_way_s: float
    bucket_frames: int


class Trial:
    """The two ends, and what came."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._senders = itertools.cycle(config["senders"])
        self._sender_count = len(config["senders"])
        self._receiver = socket.socket(fileno=config["receiver"])
        self._receiver.setsockopt(socket.SOL_SOCKET, _TIMESTAMP_NS, 1)
        self._receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8_000_000)
        self._leaving, self._coming = mmsg.Batch(config["payload_bytes"]), mmsg.Batch(_STAMP.size, with_control=True)
        self.sent = 0
        #: Of each datagram that came: when, its number, and how long it was under way, in ns.
        self.came: list[tuple[int, int, int]] = []
        self.backlogs: list[int] = []

    def flood(self) -> dict[str, Any]:
        """Keep the queue full: the rate at which it empties, how much it holds, how long that takes."""
        frame, rate = self._config["frame_bytes"], self._config["rate_mbit"] * 125_000 * _FASTER
        begun = time.monotonic()
        end, next_look = begun + self._config["seconds"], begun + _SETTLED_S
        first = 2 * self._config["queue_bytes"] // frame + 20
        while (now := time.monotonic()) < end:
            due = first + int((now - begun) * rate / frame) - self.sent
            while due > 0 and (sent := self._send(min(due, mmsg.MANY))):
                due -= sent
                if now >= next_look and due <= 0:  # now the queue is as full as it gets
                    self._look()
                    next_look = now + _BACKLOG_EVERY_S
                self._take()
            self._take()
            select.select([self._receiver], [], [], 0.001)
        return self._flooded()

    def _flooded(self) -> dict[str, Any]:
        found: dict[str, Any] = {"sent": self.sent, "received": len(self.came)}
        steady = [each for each in self.came if each[0] >= self.came[0][0] + int(_SETTLED_S * 1e9)]
        if len(steady) < 2:
            return found
        count, lasted_ns = queued(steady, min(each[2] for each in self.came), self._config["bucket_frames"])
        rate_mbit = count * self._config["frame_bytes"] * 8e3 / lasted_ns if lasted_ns >= _LEAST_S * 1e9 else None
        return found | {
            "rate_mbit": rate_mbit,
            "backlog_bytes": max(self.backlogs, default=None),
        }

    def count(self) -> dict[str, Any]:
        """Send so many, evenly, and count what comes, what comes twice and what comes late."""
        interval_s = self._config["frame_bytes"] / (self._config["rate_mbit"] * 125_000)
        begun = time.monotonic()
        while self.sent < self._config["count"]:
            due = min(self._config["count"], 1 + int((time.monotonic() - begun) / interval_s)) - self.sent
            if due > 0:
                self._send(min(due, mmsg.MANY))
            self._take()
            left_s = begun + self.sent * interval_s - time.monotonic()
            if left_s > 0:
                select.select([self._receiver], [], [], min(left_s, 0.01))
        self._wait()
        numbers = [each[1] for each in self.came]
        highest, overtaken = -1, 0
        for number in numbers:
            overtaken += number < highest
            highest = max(highest, number)
        different = len(set(numbers))
        return {"sent": self.sent, "received": different, "twice": len(numbers) - different, "overtaken": overtaken}

    def _wait(self) -> None:
        quiet_s = _QUIET_S + self._config["under_way_s"]
        while select.select([self._receiver], [], [], quiet_s)[0]:
            self._take()

    def _send(self, count: int) -> int:
        """Send some datagrams by the sockets that have room, in turn; how many they took."""
        now_ns = time.time_ns()
        for number in range(count):
            self._leaving.fill(number, _STAMP, self.sent + number, now_ns)
        done = 0
        for _ in range(self._sender_count):
            try:
                done += self._leaving.send(next(self._senders), done, count - done)
            except OSError:
                done += 1  # the queue was full: lost before it left, and counted as sent
            if done == count:
                break
        self.sent += done
        return done

    def _take(self) -> None:
        while came := self._coming.receive(self._receiver.fileno()):
            for number, sent_ns, seconds, nanoseconds in self._coming.came(came, _STAMP, _TIME):
                at_ns = seconds * 1_000_000_000 + nanoseconds
                self.came.append((at_ns, number, at_ns - sent_ns))

    def _look(self) -> None:
        """How much is in the queue now."""
        if self._config["route"] < 0:
            return
        os.write(
            self._config["route"], kernel_statistics.qdisc_request(1, self._config["index"], kernel_statistics.ROOT)
        )
        for kind, _, body in kernel_statistics.split(os.read(self._config["route"], 65_536)):
            counts = kernel_statistics.QdiscStatistics(body).counts if kind == kernel_statistics.NEWQDISC else ()
            if counts:
                self.backlogs.append(counts[0] or 0)


def queued(came: list[tuple[int, int, int]], least_ns: int, bucket_frames: int) -> tuple[int, int]:
    """How many datagrams came right after another one for which they had waited in the queue, and in what time.

    Only they tell the link's rate: where the sender is kept waiting by its machine until the queue is empty, the link
    has nothing to send, and is no slower for that.

    Args:
        came: of each datagram when it came, its number, and how long it was under way, in ns.
        least_ns: how long one is under way that waits in no queue.
        bucket_frames: so many may pass at once behind an idle moment, so they do not count.
    """
    count = lasted_ns = in_row = 0
    for (before_ns, _, _), (at_ns, _, under_way_ns) in itertools.pairwise(came):
        # Whether it was sent before the other one left the queue.
        in_row = in_row + 1 if at_ns - under_way_ns < before_ns - least_ns else 0
        if in_row > bucket_frames:
            count += 1
            lasted_ns += at_ns - before_ns
    return count, lasted_ns


def main() -> None:
    """Carry out the trial of the configuration in the first argument, and print its result."""
    config: Config = json.loads(sys.argv[1])
    trial = Trial(config)
    print(json.dumps(trial.flood() if config["kind"] == "flood" else trial.count()))
