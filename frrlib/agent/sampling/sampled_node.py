"""A sampler's state for one node: prepared requests, and the subjects of the replies.

Each sample reads connections and queues; statistics of disciplines and interfaces are read less often. One system call
sends all requests of a kind. Replies are parsed later, in batches: then the parser stays in the processor's cache, and
the next sample does not wait for it.
"""

from __future__ import annotations

import os

from frrlib.agent.sampling import aqm, kernel_statistics
from frrlib.agent.traffic import mmsg
from frrlib.system.ready import ready

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class Connection(TypedDict):
        """One end of a flow; addresses are hexadecimal digits."""

        flow: str
        side: str
        source: str
        source_port: int
        destination: str
        port: int

    class Queue(TypedDict):
        """One queue: its direction, the index of its interface, the class of its qdisc (`kernel_statistics.ROOT` for
        the root), and whether all qdiscs there are custom ones (see `QueueProbe`)."""

        direction: str
        interface: int
        parent: int
        is_own: bool

    class NodeConfig(TypedDict):
        """The objects to sample in one node, and the node's sockets (-1 for none).

        `table` is "queue", or "cable" for the link namespace, which is sampled less often; `interfaces` has the index
        of each interface whose counters are sampled, by name.
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
#: An unparsed sample: its time, replies about connections, replies about queues, and the queues of the further replies
#: among the latter.
RawSample = tuple[float, list[bytes], list[bytes], list[int]]
#: Requests that are sent together, and their number.
Portion = tuple[bytes, int]
#: More replies at once might overflow the socket's buffer.
_PORTION = 32
#: Every reply is a datagram of its own, and system calls take long in a lab kernel. The longest reply is cake's.
_BATCH = mmsg.Batch(8192)
_DUMP_BYTES = 65536
#: Common counts of disciplines that are not in the table "queue": name and position in `counts`.
_COMMON_COUNTS = (("backlog_packets", 1), ("drops", 4), ("overlimits", 6), ("requeues", 7))


class SampledNode:
    """One node, or the link namespace."""

    def __init__(self, config: NodeConfig) -> None:
        self.table = config["table"]
        self._diag, self._route = config["diag"], config["route"]
        for descriptor in (self._diag, self._route):
            if descriptor >= 0:
                os.set_blocking(descriptor, False)
        self._names = [[entry["flow"], entry["side"]] for entry in config["connections"]]
        self._tcp_requests = _portions(
            [
                kernel_statistics.connection_request(
                    index,
                    bytes.fromhex(entry["source"]),
                    entry["source_port"],
                    bytes.fromhex(entry["destination"]),
                    entry["port"],
                )
                for index, entry in enumerate(config["connections"])
            ]
        )
        self._queues = config["queues"]
        self._by_interface = {entry["interface"]: index for index, entry in enumerate(self._queues)}
        self._interfaces = [[config["node"], name] for name in config["interfaces"]]
        self._interface_requests = _portions(
            [
                kernel_statistics.interface_request(number, index)
                for number, index in enumerate(config["interfaces"].values())
            ]
        )
        #: The queue of each further request of a sample, which is for the child of its root that marks packets.
        self._markers: list[int] = []
        #: The queue of each request for a discipline's specific statistics.
        self._statistics_queues: list[int] = []
        self._queue_requests: list[Portion] = []
        self._discipline_requests: list[Portion] = []
        self.find_disciplines()

    def take(self, time_s: float) -> RawSample:
        """Read every connection and queue, and return the unparsed replies."""
        return (
            time_s,
            _exchange(self._diag, self._tcp_requests),
            _exchange(self._route, self._queue_requests),
            self._markers,
        )

    def take_queues(self, time_s: float) -> RawSample:
        """Read the queues alone, as `take` does: the final counts of a run when its connections have ended."""
        return time_s, [], _exchange(self._route, self._queue_requests), self._markers

    def tcp(self, sample: RawSample) -> Rows:
        """A row for every connection that was up."""
        rows: Rows = []
        time_s, answers, _, _ = sample
        for _, index, body in _split(answers):
            values = kernel_statistics.tcp_values(body)
            if values is not None:
                rows.append([time_s, *self._names[index], *values])
        return rows

    def queues(self, sample: RawSample) -> Rows:
        """A row for every queue."""
        rows: dict[int, list[object]] = {}
        roots = len(self._queues)
        time_s, _, answers, markers = sample
        for kind, index, body in _split(answers):
            if kind != kernel_statistics.NEWQDISC:
                continue
            qdisc = kernel_statistics.QdiscStatistics(body)
            if index < roots and qdisc.counts:
                rows[index] = [time_s, self._queues[index]["direction"], *qdisc.counts]
                rows[index][7] = aqm.marks(qdisc)
            elif index >= roots and (queue := markers[index - roots]) in rows:
                rows[queue][7] = aqm.marks(qdisc)
        return list(rows.values())

    def disciplines(self, time_s: float) -> Rows:
        """A row for each specific statistic of the disciplines at a sampled queue's interface."""
        rows: Rows = []
        for reply_type, index, body in _split(_exchange(self._route, self._discipline_requests)):
            if reply_type != kernel_statistics.NEWQDISC:
                continue
            qdisc = kernel_statistics.QdiscStatistics(body)
            statistics = list(aqm.statistics(qdisc))
            queue = self._queues[self._statistics_queues[index]]
            if qdisc.parent != queue["parent"] and qdisc.counts:
                statistics += [(name, qdisc.counts[at] or 0) for name, at in _COMMON_COUNTS]
            # Custom qdiscs may include several of one kind.
            kind = f"{qdisc.kind} {qdisc.handle >> 16:x}:" if queue["is_own"] else qdisc.kind
            rows += [[time_s, queue["direction"], kind, name, value] for name, value in statistics]
        return rows

    def interfaces(self, time_s: float) -> Rows:
        """A row for every interface."""
        rows: Rows = []
        for kind, index, body in _split(_exchange(self._route, self._interface_requests)):
            values = kernel_statistics.interface_values(body) if kind == kernel_statistics.NEWSTATS else None
            if values is not None:
                rows.append([time_s, *self._interfaces[index], *values])
        return rows

    def find_disciplines(self) -> None:
        """Find the present disciplines, since a fault may have replaced the first ones."""
        roots = [
            kernel_statistics.qdisc_request(index, entry["interface"], entry["parent"])
            for index, entry in enumerate(self._queues)
        ]
        markers: list[bytes] = []
        disciplines: list[bytes] = []
        self._markers, self._statistics_queues = [], []
        for body in dump(self._route, kernel_statistics.qdisc_dump_request(0)) if self._queues else ():
            qdisc = kernel_statistics.QdiscStatistics(body)
            queue = self._by_interface.get(qdisc.interface)
            if queue is None:
                continue
            is_root = qdisc.parent == kernel_statistics.ROOT
            is_queue = qdisc.parent == self._queues[queue]["parent"]
            is_own = self._queues[queue]["is_own"]
            # A qdisc without a handle (the kernel's default) is only found by its position.
            where = (kernel_statistics.ROOT, 0) if is_root else (0, qdisc.handle)
            if not (is_root or is_own) and qdisc.kind in aqm.MARKING:
                markers.append(kernel_statistics.qdisc_request(len(roots) + len(markers), qdisc.interface, *where))
                self._markers.append(queue)
            if self.table == "queue" and (not is_queue or aqm.statistics(qdisc)):
                disciplines.append(kernel_statistics.qdisc_request(len(disciplines), qdisc.interface, *where))
                self._statistics_queues.append(queue)
        self._queue_requests, self._discipline_requests = _portions(roots + markers), _portions(disciplines)


def _portions(requests: list[bytes]) -> list[Portion]:
    parts = (requests[at : at + _PORTION] for at in range(0, len(requests), _PORTION))
    return [(b"".join(part), len(part)) for part in parts]


def _exchange(descriptor: int, portions: list[Portion]) -> list[bytes]:
    """Send requests and receive their replies, one message each. The kernel has them ready when the send call
    returns."""
    replies: list[bytes] = []
    expected = 0
    for requests, count in portions:
        os.write(descriptor, requests)
        expected += count
        while len(replies) < expected and (came := _BATCH.receive(descriptor)):
            replies += _BATCH.texts(came)
    return replies


def _split(answers: list[bytes]) -> list[Reply]:
    return [message for answer in answers for message in kernel_statistics.split(answer)]


def dump(descriptor: int, request: bytes) -> list[bytes]:
    """The kernel's whole list for a request, on a socket without other requests."""
    done, error = 3, 2
    os.write(descriptor, request)
    bodies: list[bytes] = []
    while True:
        ready([descriptor], timeout_s=1.0)
        for kind, _, body in kernel_statistics.split(os.read(descriptor, _DUMP_BYTES)):
            if kind in (done, error):
                return bodies
            bodies.append(body)
