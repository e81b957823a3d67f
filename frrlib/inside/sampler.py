"""The process that samples connections and queues while flows run.

It is started ahead of the flows with netlink sockets of the nodes as open descriptors, so that it enters no namespace
and starts nothing. On standard input come two lines of JSON, the configuration and then the zero of time; when the
input ends it tells its own cost and ends. On standard output go finished lines of the wire.
"""

from __future__ import annotations

import json
import os
import select
import time

from frrlib.inside import measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypedDict

    class Connection(TypedDict):
        """One end of a flow: addresses as hexadecimal digits."""

        flow: str
        side: str
        source: str
        source_port: int
        destination: str
        port: int

    class Queue(TypedDict):
        """One queue: its direction, and the index of its interface."""

        direction: str
        interface: int

    class NodeConfig(TypedDict):
        """What to sample in one node, and the node's sockets (-1 for none)."""

        diag: int
        route: int
        connections: list[Connection]
        queues: list[Queue]

    class Config(TypedDict):
        """All that a sampler is told; `hz` is how often a second."""

        hz: float
        nodes: list[NodeConfig]


#: Rows are passed on at least this often, in seconds.
BATCH_S = 0.15
_READ_BYTES = 16384


class NodeSampler:
    """Samples one node: every connection and queue by one request each, all of a kind in one system call."""

    def __init__(self, config: NodeConfig) -> None:
        self._diag, self._route = config["diag"], config["route"]
        self._names = [[each["flow"], each["side"]] for each in config["connections"]]
        self._ask_tcp = b"".join(
            measure.connection_request(
                index,
                bytes.fromhex(each["source"]),
                each["source_port"],
                bytes.fromhex(each["destination"]),
                each["port"],
            )
            for index, each in enumerate(config["connections"])
        )
        self._directions = [each["direction"] for each in config["queues"]]
        self._ask_queues = b"".join(
            measure.qdisc_request(index, each["interface"], measure.ROOT) for index, each in enumerate(config["queues"])
        )
        #: Where a root qdisc has a child that marks: sequence number of the request about the child to its queue.
        self._markers: dict[int, int] = {}
        for descriptor in (self._diag, self._route):
            if descriptor >= 0:
                os.set_blocking(descriptor, False)
        if config["queues"]:
            self._find_markers(config["queues"])

    def tcp(self, time_s: float) -> list[list[object]]:
        """A row for every connection that is up."""
        rows: list[list[object]] = []
        for _, index, body in _exchange(self._diag, self._ask_tcp, len(self._names)):
            values = measure.tcp_values(body)
            if values is not None:
                rows.append([time_s, *self._names[index], *values])
        return rows

    def queues(self, time_s: float) -> list[list[object]]:
        """A row for every queue."""
        rows: dict[int, list[object]] = {}
        expected = len(self._directions) + len(self._markers)
        for kind, index, body in _exchange(self._route, self._ask_queues, expected):
            values = measure.queue_values(body) if kind == measure.NEWQDISC else None
            if values is None:
                continue
            if index in self._markers:
                if self._markers[index] in rows:
                    rows[self._markers[index]][7] = values[5]
            else:
                rows[index] = [time_s, self._directions[index], *values]
        return list(rows.values())

    def _find_markers(self, queues: list[Queue]) -> None:
        by_interface = {each["interface"]: index for index, each in enumerate(queues)}
        for body in _dump(self._route, measure.qdisc_dump_request(0)):
            interface, handle, parent, kind = measure.qdisc_identity(body)
            if interface in by_interface and parent != measure.ROOT and kind in measure.MARKS:
                sequence = len(queues) + len(self._markers)
                self._markers[sequence] = by_interface[interface]
                self._ask_queues += measure.qdisc_request(sequence, interface, 0, handle)


def _exchange(descriptor: int, request: bytes, expected: int) -> list[tuple[int, int, bytes]]:
    """Send requests and take their answers, which the kernel has ready when sending returns."""
    found: list[tuple[int, int, bytes]] = []
    if not request:
        return found
    os.write(descriptor, request)
    try:
        while len(found) < expected:
            found += measure.split(os.read(descriptor, _READ_BYTES))
    except BlockingIOError:
        pass
    return found


def _dump(descriptor: int, request: bytes) -> list[bytes]:
    done, error = 3, 2
    os.write(descriptor, request)
    bodies: list[bytes] = []
    while True:
        select.select([descriptor], [], [], 1.0)
        for kind, _, body in measure.split(os.read(descriptor, 65536)):
            if kind in (done, error):
                return bodies
            bodies.append(body)


def sample(nodes: list[NodeSampler], hz: float, zero_s: float) -> None:
    """Sample until standard input ends.

    Every sample has its own due time, counted from zero, so that none drifts; one that is overdue is left out rather
    than made up for by a burst.
    """
    tcp: list[list[object]] = []
    queues: list[list[object]] = []
    tick, passed_on_s = 0, zero_s
    while True:
        wait_s = zero_s + tick / hz - time.monotonic()
        if select.select([0], [], [], max(0.0, wait_s))[0]:
            break
        for node in nodes:
            time_s = round(time.monotonic() - zero_s, 6)
            tcp += node.tcp(time_s)
            queues += node.queues(time_s)
        now = time.monotonic()
        tick = max(tick + 1, int((now - zero_s) * hz) + 1)
        if now - passed_on_s >= BATCH_S:
            _pass_on(tcp, queues)
            passed_on_s = now
    _pass_on(tcp, queues)


def _pass_on(tcp: list[list[object]], queues: list[list[object]]) -> None:
    for table, rows in (("tcp", tcp), ("queue", queues)):
        if rows:
            line = json.dumps({"type": "samples", "table": table, "rows": rows}, separators=(",", ":"))
            _write(line.encode() + b"\n")
            rows.clear()


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def main() -> None:
    """Be a sampler: see the module."""
    lines = _lines()
    config: Config = json.loads(next(lines))
    nodes = [NodeSampler(each) for each in config["nodes"]]
    _write(b'{"ready":true}\n')
    sample(nodes, config["hz"], float(json.loads(next(lines))["zero_s"]))
    used = os.times()
    _write(json.dumps({"cpu_s": round(used.user + used.system, 4)}).encode() + b"\n")


def _lines() -> Iterator[str]:
    rest = b""
    while chunk := os.read(0, 65536):
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line.decode()
