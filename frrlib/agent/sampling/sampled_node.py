"""A sampler's state for one node: requests that are ready to be sent, and the owners of the answers.

Connections and queues are asked for with every sample; what disciplines tell of themselves, and interfaces, more
seldom. All of a kind is asked for in one system call. What answers say is looked at later, many at a time: then the
code that does so is at hand for the processor, and the next sample does not wait for it.
"""

from __future__ import annotations

import os
import select

from frrlib.agent.sampling import aqm, kernel_statistics
from frrlib.agent.traffic import mmsg

TYPE_CHECKING = False
if TYPE_CHECKING:
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
        """One queue: its direction, the index of its interface, the class in which its qdisc is (`measure.ROOT` for
        the root), and whether all qdiscs there are somebody's own (see `QueueProbe`)."""

        direction: str
        interface: int
        parent: int
        is_own: bool

    class NodeConfig(TypedDict):
        """The objects to sample in one node, and the node's sockets (-1 for none).

        `table` is "queue", or "cable" for the cable room, which is sampled seldom; `interfaces` has the index of each
        whose counters are wanted, by name.
        """

        node: str
        diag: int
        route: int
        table: str
        connections: list[Connection]
        queues: list[Queue]
        interfaces: dict[str, int]


Rows = list[list[object]]
#: A reply: type, sequence number and body.
Reply = tuple[int, int, bytes]
#: A sample as the kernel gave it: when, answers about connections, those about queues, and which queues the further
#: ones of the latter are about.
RawSample = tuple[float, list[bytes], list[bytes], list[int]]
#: Requests that are sent together, and how many these are.
Portion = tuple[bytes, int]
#: So many at once: answers to more may not fit into the socket, which would lose some.
_PORTION = 32
#: Every answer is a datagram of its own, and system calls are dear in a lab kernel. The longest answer is cake's.
_BATCH = mmsg.Batch(8192)
_DUMP_BYTES = 65536
#: What every discipline counts, for those that are not in the table "queue": name and place in `counts`.
_BELOW = (("backlog_packets", 1), ("drops", 4), ("overlimits", 6), ("requeues", 7))


class SampledNode:
    """One node, or the cable room."""

    def __init__(self, config: NodeConfig) -> None:
        self.table = config["table"]
        self._diag, self._route = config["diag"], config["route"]
        for descriptor in (self._diag, self._route):
            if descriptor >= 0:
                os.set_blocking(descriptor, False)
        self._names = [[each["flow"], each["side"]] for each in config["connections"]]
        self._ask_tcp = _portions(
            [
                kernel_statistics.connection_request(
                    index,
                    bytes.fromhex(each["source"]),
                    each["source_port"],
                    bytes.fromhex(each["destination"]),
                    each["port"],
                )
                for index, each in enumerate(config["connections"])
            ]
        )
        self._queues = config["queues"]
        self._by_interface = {each["interface"]: index for index, each in enumerate(self._queues)}
        self._interfaces = [[config["node"], name] for name in config["interfaces"]]
        self._ask_interfaces = _portions(
            [
                kernel_statistics.interface_request(number, index)
                for number, index in enumerate(config["interfaces"].values())
            ]
        )
        #: Which queue each further request of a sample is about: the child of its root that marks.
        self._markers: list[int] = []
        #: And which queue each request for a discipline's own statistics is about.
        self._told_of: list[int] = []
        self._ask_queues: list[Portion] = []
        self._ask_disciplines: list[Portion] = []
        self.look_again()

    def take(self, time_s: float) -> RawSample:
        """Ask for every connection and queue, and leave the answers as they came."""
        return time_s, _exchange(self._diag, self._ask_tcp), _exchange(self._route, self._ask_queues), self._markers

    def take_queues(self, time_s: float) -> RawSample:
        """As `take`, of the queues alone: what a run has counted when its connections have ended."""
        return time_s, [], _exchange(self._route, self._ask_queues), self._markers

    def tcp(self, taken: RawSample) -> Rows:
        """A row for every connection that was up."""
        rows: Rows = []
        time_s, answers, _, _ = taken
        for _, index, body in _split(answers):
            values = kernel_statistics.tcp_values(body)
            if values is not None:
                rows.append([time_s, *self._names[index], *values])
        return rows

    def queues(self, taken: RawSample) -> Rows:
        """A row for every queue."""
        rows: dict[int, list[object]] = {}
        roots = len(self._queues)
        time_s, _, answers, markers = taken
        for kind, index, body in _split(answers):
            if kind != kernel_statistics.NEWQDISC:
                continue
            described = kernel_statistics.QdiscStatistics(body)
            if index < roots and described.counts:
                rows[index] = [time_s, self._queues[index]["direction"], *described.counts]
                rows[index][7] = aqm.marks(described)
            elif index >= roots and (queue := markers[index - roots]) in rows:
                rows[queue][7] = aqm.marks(described)
        return list(rows.values())

    def disciplines(self, time_s: float) -> Rows:
        """A row for each number that a discipline at a sampled queue's interface tells of itself."""
        rows: Rows = []
        for answer, index, body in _split(_exchange(self._route, self._ask_disciplines)):
            if answer != kernel_statistics.NEWQDISC:
                continue
            described = kernel_statistics.QdiscStatistics(body)
            told = list(aqm.statistics(described))
            queue = self._queues[self._told_of[index]]
            if described.parent != queue["parent"] and described.counts:
                told += [(name, described.counts[at] or 0) for name, at in _BELOW]
            # Of a kind there may be several, where somebody wanted them so.
            kind = f"{described.kind} {described.handle >> 16:x}:" if queue["is_own"] else described.kind
            rows += [[time_s, queue["direction"], kind, name, value] for name, value in told]
        return rows

    def interfaces(self, time_s: float) -> Rows:
        """A row for every interface."""
        rows: Rows = []
        for kind, index, body in _split(_exchange(self._route, self._ask_interfaces)):
            values = kernel_statistics.interface_values(body) if kind == kernel_statistics.NEWSTATS else None
            if values is not None:
                rows.append([time_s, *self._interfaces[index], *values])
        return rows

    def look_again(self) -> None:
        """See which disciplines there are now: a fault may have put others in the place of the first ones."""
        roots = [
            kernel_statistics.qdisc_request(index, each["interface"], each["parent"])
            for index, each in enumerate(self._queues)
        ]
        markers: list[bytes] = []
        disciplines: list[bytes] = []
        self._markers, self._told_of = [], []
        for body in dump(self._route, kernel_statistics.qdisc_dump_request(0)) if self._queues else ():
            described = kernel_statistics.QdiscStatistics(body)
            queue = self._by_interface.get(described.interface)
            if queue is None:
                continue
            is_root = described.parent == kernel_statistics.ROOT
            is_queue = described.parent == self._queues[queue]["parent"]
            is_own = self._queues[queue]["is_own"]
            # One without a handle of its own (the kernel's default) is only found by where it is.
            where = (kernel_statistics.ROOT, 0) if is_root else (0, described.handle)
            if not (is_root or is_own) and described.kind in aqm.MARKING:
                markers.append(kernel_statistics.qdisc_request(len(roots) + len(markers), described.interface, *where))
                self._markers.append(queue)
            if self.table == "queue" and (not is_queue or aqm.statistics(described)):
                disciplines.append(kernel_statistics.qdisc_request(len(disciplines), described.interface, *where))
                self._told_of.append(queue)
        self._ask_queues, self._ask_disciplines = _portions(roots + markers), _portions(disciplines)


def _portions(requests: list[bytes]) -> list[Portion]:
    parts = (requests[at : at + _PORTION] for at in range(0, len(requests), _PORTION))
    return [(b"".join(part), len(part)) for part in parts]


def _exchange(descriptor: int, portions: list[Portion]) -> list[bytes]:
    """Send requests and take their answers, which the kernel has ready when sending returns; one message each."""
    found: list[bytes] = []
    expected = 0
    for requests, count in portions:
        os.write(descriptor, requests)
        expected += count
        while len(found) < expected and (came := _BATCH.receive(descriptor)):
            found += _BATCH.texts(came)
    return found


def _split(answers: list[bytes]) -> list[Reply]:
    return [message for answer in answers for message in kernel_statistics.split(answer)]


def dump(descriptor: int, request: bytes) -> list[bytes]:
    """All that the kernel lists for a request, by a socket that nothing else is asked by."""
    done, error = 3, 2
    os.write(descriptor, request)
    bodies: list[bytes] = []
    while True:
        select.select([descriptor], [], [], 1.0)
        for kind, _, body in kernel_statistics.split(os.read(descriptor, _DUMP_BYTES)):
            if kind in (done, error):
                return bodies
            bodies.append(body)
