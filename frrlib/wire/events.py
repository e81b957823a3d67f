"""The agent's unsolicited messages: the events of the wire."""

from __future__ import annotations

from typing import Any

from frrlib.wire.plan import WireStruct


class StepEvent(WireStruct, frozen=True, tag="step"):
    """Progress: `name` ("daemons", "r1") reached `state` ("start", "done", "failed") at `time_s`; `text` for people."""

    name: str
    state: str
    time_s: float
    text: str = ""


class Samples(WireStruct, frozen=True, tag="samples"):
    """Rows of one table ("tcp", "queue", ...), in the order of its columns (see `TABLES`)."""

    table: str
    rows: list[list[Any]]

    def why_wrong(self) -> str:
        """Why these are no rows of a table, for people; empty where they are."""
        kinds = _KINDS.get(self.table)
        if kinds is None:
            return "there is no table of that name"
        if any(len(row) != len(kinds) for row in self.rows):
            return f"a row of table {self.table} has not {len(kinds)} values"
        if not all(_fits(cell, kind) for row in self.rows for cell, kind in zip(row, kinds, strict=True)):
            return f"a row of table {self.table} has something else in place of a number or a word"
        return ""


class FlowEvent(WireStruct, frozen=True, tag="flow"):
    """A flow changed: `what` is "start", "end" or "failed"; `time_s` counts from the start of all flows."""

    flow: str
    what: str
    time_s: float
    text: str = ""


class DaemonExit(WireStruct, frozen=True, tag="daemon_died"):
    """A daemon ended without being asked: its exit status (negative: a signal) and the end of its log."""

    router: str
    daemon: str
    status: int
    log: str
    time_s: float


class RouteEvent(WireStruct, frozen=True, tag="route"):
    """A route came (`added`), was replaced by another to the same prefix (`added`, too) or went in a router's table.

    Attributes:
        via: next hops ("10.9.0.2 r1-eth0"), several for equal paths; empty where it went, or is told without.
        protocol: who set it, as the kernel has it ("ospf", "bgp", "static"); empty where it is not known.
        metric: of the kernel's route, 0 where it has none.
        table: number of the kernel's table, 254 for the main one.
    """

    router: str
    prefix: str
    added: bool
    time_s: float
    via: tuple[str, ...] = ()
    protocol: str = ""
    metric: int = 0
    table: int = 254


class AdjacencyEvent(WireStruct, frozen=True, tag="adjacency"):
    """A neighbour of a routing daemon changed its state, or is told for the first time.

    Attributes:
        router: who tells it.
        protocol: "ospf", "ospf6", "isis", "rip", "ripng", "bgp", "bfd", "pim" or "ldp".
        neighbor: the node at the other end, as the drawing names it; the daemon's own name for it where none is known.
        interface: of this router; empty where the session has none.
        address: of the neighbour as the daemon tells it (OSPF and LDP: its router id too, after a blank).
        state: in the daemon's words ("Full", "Established", "Init"); "gone" where it is no longer listed.
        up: whether that is as good as it gets.
        detail: what a person may want to see ("dead in 3.2 s, up for 00:01:10"); empty for nothing.
        vrf: empty for the default one.
    """

    router: str
    protocol: str
    neighbor: str
    state: str
    up: bool
    time_s: float
    interface: str = ""
    address: str = ""
    detail: str = ""
    vrf: str = ""


class WaitingFor(WireStruct, frozen=True, tag="waiting_for"):
    """The unmet conditions of a converging lab: router to sentences; sent when they change, empty once none is left."""

    missing: dict[str, tuple[str, ...]]
    time_s: float


class RoutingNote(WireStruct, frozen=True, tag="routing_note"):
    """Something else that a routing daemon did.

    Attributes:
        protocol: as in `AdjacencyEvent`.
        what: "spf" (shortest paths were computed), "timer" (a neighbour was not heard of for too long), "down" (why a
            session or neighbour was given up) or "refused" (why one does not come up).
        text: for people, in the daemon's words where it has any.
        duration_s: how long it took, for "spf"; 0 where that is not known.
    """

    router: str
    protocol: str
    what: str
    text: str
    time_s: float
    duration_s: float = 0.0


class FaultEvent(WireStruct, frozen=True, tag="fault"):
    """Somebody made a fault, or mended one.

    Attributes:
        fault: which: "link-down", "link-up", "link-values", "loss", "interface-down", "interface-up", "daemon-killed",
            "daemon-stopped", "daemon-continued", "daemon-restarted", "frozen", "thawed", "power-cycled",
            "partition", "healed", "flap". What was to end by itself ends with the one that mends it, a loss with
            "loss-over", a power-cycle with "power-on".
        target: the link, the node, "r1:bgpd" or "r1:r1-eth0".
        text: for people: what was done.
        limits: the queue limits that a link has from then on (`frrlib.model.fault_words.limits_text`); empty where
            the fault set none.
    """

    fault: str
    target: str
    time_s: float
    text: str = ""
    limits: str = ""


class ClockEvent(WireStruct, frozen=True, tag="clock"):
    """The reading of a lab's clock in virtual time; sent now and then, and whenever it begins to stand.

    Attributes:
        stands: whether no time passes from here on, because the lab waits for a request.
        busy: who has kept the processor for most of the time since the last such event, though computing takes no time
            in virtual time: a process that looks at the clock again and again; empty for nobody.
    """

    time_s: float
    stands: bool = False
    busy: str = ""


_QUEUE = (
    "time_s", "direction", "backlog_bytes", "backlog_packets", "sent_bytes", "sent_packets", "drops", "marks",
    "overlimits", "requeues",
)  # fmt: skip
#: Columns of the table "tcp" that earlier formats lack. "in_flight_packets" is unacked - sacked - lost + sent again;
#: "busy_ms" how long there was something to send, of which the receiver's window or the send buffer were what held it
#: back; "ecn" whether both ends agreed on it; "bbr_phase" a word of `frrlib.bbr`; "duplicate_packets" counts at the
#: sender the segments that arrived twice, as the receiver reports by D-SACK (RFC 2883); "out_of_order_packets" counts
#: at the receiver.
LATER_TCP = (
    "rto_ms", "in_flight_packets", "sacked_packets", "retrans_out_packets", "notsent_bytes", "send_window_bytes",
    "receive_rtt_ms", "receive_space_bytes", "reordering_packets", "delivered_packets", "delivered_ce_packets",
    "busy_ms", "rwnd_limited_ms", "sndbuf_limited_ms", "ecn", "bbr_phase", "dctcp_alpha", "vegas_base_rtt_ms",
    "duplicate_packets", "out_of_order_packets",
)  # fmt: skip
#: Columns of the sample tables, in order. `time_s` counts from the start of all flows; None is "not known". Cables and
#: processors are sampled once a second; `where` is "machine" or "lab kernel". What a discipline says of itself ("aqm")
#: comes as one row for each `statistic`. A flow's own tables: "app" has what an application waited for, a row for each
#: request, page, chunk or burst (`what`) that began at `time_s`, its `outcome` empty where all was well; "datagram" has
#: counts since the flow's start, and the one-way delay and jitter since the row before; "probe" has an echo's round
#: trip or a one-way delay, both None for one that was lost.
TABLES: dict[str, tuple[str, ...]] = {
    "tcp": (
        "time_s", "flow", "side", "state", "cwnd_packets", "ssthresh_packets", "mss_bytes", "unacked_packets",
        "srtt_ms", "rttvar_ms", "min_rtt_ms", "pacing_rate_mbit", "delivery_rate_mbit", "bytes_acked",
        "bytes_received", "bytes_sent", "bytes_retrans", "retransmits", "lost_packets", "app_limited",
        "congestion_control", "bbr_bandwidth_mbit", "bbr_min_rtt_ms", "bbr_pacing_gain", "bbr_cwnd_gain",
        *LATER_TCP,
    ),
    "queue": _QUEUE,
    "cable": _QUEUE,
    "cpu": ("time_s", "where", "busy_s", "idle_s", "steal_s"),
    "aqm": ("time_s", "direction", "discipline", "statistic", "value"),
    "interface": (
        "time_s", "node", "interface", "rx_bytes", "rx_packets", "rx_drops", "rx_errors", "tx_bytes", "tx_packets",
        "tx_drops", "tx_errors",
    ),
    "app": ("time_s", "flow", "what", "number", "size_bytes", "duration_ms", "outcome"),
    "datagram": (
        "time_s", "flow", "sent_packets", "received_packets", "lost_packets", "reordered_packets", "received_bytes",
        "delay_ms", "delay_max_ms", "jitter_ms",
    ),
    "probe": ("time_s", "flow", "number", "rtt_ms", "delay_ms"),
}  # fmt: skip

#: Columns that hold text; all others hold numbers.
TEXT_COLUMNS = frozenset(
    ("flow", "side", "state", "congestion_control", "direction", "where", "discipline", "statistic", "bbr_phase",
     "node", "interface", "what", "outcome")
)  # fmt: skip
_MOST = 1 << 64
#: Those by which rows are told apart, so that they are never "not known".
_NAMES = frozenset(("flow", "side", "direction", "where", "node", "interface"))


def _kinds(column: str) -> frozenset[type]:
    """The types of values that a column may have."""
    if column == "time_s":
        return frozenset((int, float))
    if column in TEXT_COLUMNS:
        return frozenset((str,) if column in _NAMES else (str, type(None)))
    return frozenset((int, float, bool, type(None)))


def _fits(cell: object, kinds: frozenset[type]) -> bool:
    """Whether a value is of these types, and no whole number that no kernel counts to."""
    return type(cell) in kinds and (type(cell) is not int or -_MOST < cell < _MOST)


_KINDS = {table: tuple(map(_kinds, columns)) for table, columns in TABLES.items()}


Event = (
    StepEvent
    | Samples
    | FlowEvent
    | DaemonExit
    | RouteEvent
    | AdjacencyEvent
    | WaitingFor
    | RoutingNote
    | FaultEvent
    | ClockEvent
)
