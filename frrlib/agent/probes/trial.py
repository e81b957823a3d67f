"""A trial of one direction of a link: datagrams from one end to the other, in a process with both ends.

The agent makes the sockets, each in its node, and hands them to this process as descriptors. So one clock measures
sending and arrival, and the kernel, not Python, takes the time of arrival. The module needs only the standard library,
`kernel_statistics` and `mmsg`, since it must start fast.
"""

from __future__ import annotations

import itertools
import json
import os
import socket
import struct
import sys
import time
from typing import Any, TypedDict

from frrlib.agent.sampling import kernel_statistics
from frrlib.agent.traffic import mmsg
from frrlib.system.ready import ready

_TIMESTAMP_NS = 35  # SO_TIMESTAMPNS and its control message
#: The beginning of every datagram: its number and its sending time.
_STAMP = struct.Struct("=QQ")
#: The kernel's own time of arrival, in a control message.
_TIME = struct.Struct("=qq")
#: A flood is faster than the link by this factor, once it has overflowed the queue.
_FASTER = 1.25
#: Rate and queue are measured only after this time, when the bucket is empty and the queue is full.
_SETTLED_S = 0.4
_BACKLOG_EVERY_S = 0.01
#: A rate is measured only over at least this time without an empty queue.
_LEAST_S = 0.25
#: A flood sleeps between two readings of the receiver's socket, for no longer than this many datagrams take.
_SLEEP_S, _SLEEP_DATAGRAMS = 0.001, 50
#: A trial ends after this time without an arrival, added to the travel time of a datagram.
_QUIET_S = 0.5


class Config(TypedDict):
    """The description of a trial.

    Attributes:
        senders, receiver: descriptors of UDP sockets; the senders' are connected to the receiver's. There are several
            senders, since an ordinary user cannot extend a socket's buffer, which may be smaller than the queue.
        route: descriptor of a netlink socket in the sender's node; -1 if no queue is measured.
        index: of the sender's interface.
        kind: "flood" or "count".
        payload_bytes: of a datagram, at least 16.
        frame_bytes: the link's size of such a datagram.
        rate_mbit: of the link in a flood; of the sender in a count.
        queue_bytes: the queue's capacity; a flood begins with twice as much at once.
        seconds: of a flood.
        count: of datagrams.
        under_way_s: the longest travel time of a datagram.
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
    """The two ends, and the received datagrams."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._senders = itertools.cycle(config["senders"])
        self._sender_count = len(config["senders"])
        self._receiver = socket.socket(fileno=config["receiver"])
        self._receiver.setsockopt(socket.SOL_SOCKET, _TIMESTAMP_NS, 1)
        self._receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8_000_000)
        self._sent_batch, self._received_batch = (
            mmsg.Batch(config["payload_bytes"]),
            mmsg.Batch(_STAMP.size, with_control=True),
        )
        self.sent = 0
        #: Time, number and travel time in ns of each received datagram.
        self.arrivals: list[tuple[int, int, int]] = []
        self.backlogs: list[int] = []

    def flood(self) -> dict[str, Any]:
        """Keep the queue full, and measure the rate at which it drains and its largest backlog."""
        frame, rate = self._config["frame_bytes"], self._config["rate_mbit"] * 125_000 * _FASTER
        sleep_s = min(_SLEEP_S, _SLEEP_DATAGRAMS * frame / rate)
        begun = time.monotonic()
        end, next_look = begun + self._config["seconds"], begun + _SETTLED_S
        first = 2 * self._config["queue_bytes"] // frame + 20
        while (now := time.monotonic()) < end:
            due = first + int((now - begun) * rate / frame) - self.sent
            while due > 0 and (sent := self._send(min(due, mmsg.MANY))):
                due -= sent
                if now >= next_look and due <= 0:  # now the queue is as full as it gets
                    self._measure_backlog()
                    next_look = now + _BACKLOG_EVERY_S
                self._receive()
            self._receive()
            time.sleep(sleep_s)  # to wait for a datagram would be to wake up for each one
        return self._flood_result()

    def _flood_result(self) -> dict[str, Any]:
        result: dict[str, Any] = {"sent": self.sent, "received": len(self.arrivals)}
        steady = [arrival for arrival in self.arrivals if arrival[0] >= self.arrivals[0][0] + int(_SETTLED_S * 1e9)]
        if len(steady) < 2:
            return result
        count, lasted_ns = count_queued(
            steady, min(arrival[2] for arrival in self.arrivals), self._config["bucket_frames"]
        )
        rate_mbit = count * self._config["frame_bytes"] * 8e3 / lasted_ns if lasted_ns >= _LEAST_S * 1e9 else None
        result["rate_mbit"] = rate_mbit
        if self.backlogs:
            result["backlog_bytes"] = max(self.backlogs)
        return result

    def count(self) -> dict[str, Any]:
        """Send a number of datagrams evenly, and count received, duplicate and reordered ones."""
        interval_s = self._config["frame_bytes"] / (self._config["rate_mbit"] * 125_000)
        begun = time.monotonic()
        while self.sent < self._config["count"]:
            due = min(self._config["count"], 1 + int((time.monotonic() - begun) / interval_s)) - self.sent
            if due > 0:
                self._send(min(due, mmsg.MANY))
            self._receive()
            left_s = begun + self.sent * interval_s - time.monotonic()
            if left_s > 0:
                ready([self._receiver], timeout_s=min(left_s, 0.01))
        self._wait()
        numbers = [arrival[1] for arrival in self.arrivals]
        highest, overtaken = -1, 0
        for number in numbers:
            overtaken += number < highest
            highest = max(highest, number)
        different = len(set(numbers))
        return {"sent": self.sent, "received": different, "twice": len(numbers) - different, "overtaken": overtaken}

    def _wait(self) -> None:
        quiet_s = _QUIET_S + self._config["under_way_s"]
        while ready([self._receiver], timeout_s=quiet_s)[0]:
            self._receive()

    def _send(self, count: int) -> int:
        """Send datagrams by the sockets with free space, in turn. Returns the number sent."""
        now_ns = time.time_ns()
        for number in range(count):
            self._sent_batch.fill(number, _STAMP, self.sent + number, now_ns)
        done = 0
        for _ in range(self._sender_count):
            try:
                done += self._sent_batch.send(next(self._senders), done, count - done)
            except OSError:
                done += 1  # the queue was full: lost before it left, and counted as sent
            if done == count:
                break
        self.sent += done
        return done

    def _receive(self) -> None:
        while count := self._received_batch.receive(self._receiver.fileno()):
            for number, sent_ns, seconds, nanoseconds in self._received_batch.arrivals(count, _STAMP, _TIME):
                at_ns = seconds * 1_000_000_000 + nanoseconds
                self.arrivals.append((at_ns, number, at_ns - sent_ns))

    def _measure_backlog(self) -> None:
        """Measure the queue's present backlog."""
        if self._config["route"] < 0:
            return
        os.write(
            self._config["route"], kernel_statistics.qdisc_request(1, self._config["index"], kernel_statistics.ROOT)
        )
        for kind, _, body in kernel_statistics.split(os.read(self._config["route"], 65_536)):
            counts = kernel_statistics.QdiscStatistics(body).counts if kind == kernel_statistics.NEWQDISC else ()
            if counts:
                self.backlogs.append(counts[0] or 0)


def count_queued(arrivals: list[tuple[int, int, int]], least_ns: int, bucket_frames: int) -> tuple[int, int]:
    """The number of datagrams that arrived right behind another one after waiting in the queue, and the time for them.

    Only these show the link's rate: if the sender's machine delays it until the queue is empty, the link is idle, but
    not slower.

    Args:
        arrivals: time, number and travel time in ns of each received datagram.
        least_ns: the travel time without a queue.
        bucket_frames: the number of datagrams that may pass at once after an idle moment; they are not counted.
    """
    count = lasted_ns = in_row = 0
    for (before_ns, _, _), (at_ns, _, under_way_ns) in itertools.pairwise(arrivals):
        # Whether it was sent before the previous one left the queue.
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
