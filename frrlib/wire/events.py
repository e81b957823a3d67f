"""The agent's unsolicited messages, the events."""

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

    def defect(self) -> str:
        """The reason why these are not rows of a table, for people; empty if they are."""
        kinds = _KINDS.get(self.table)
        if kinds is None:
            return "there is no table of that name"
        if any(len(row) != len(kinds) for row in self.rows):
            return f"a row of table {self.table} has not {len(kinds)} values"
        if not all(_fits(cell, kind) for row in self.rows for cell, kind in zip(row, kinds, strict=True)):
            return f"a row of table {self.table} has something else in place of a number or a word"
        return ""


class FlowEvent(WireStruct, frozen=True, tag="flow"):
    """A flow has changed: `what` is "start", "end" or "failed"; `time_s` counts from the start of all flows."""

    flow: str
    what: str
    time_s: float
    text: str = ""


class DaemonExit(WireStruct, frozen=True, tag="daemon_died"):
    """A daemon exited unexpectedly: its exit status (negative: a signal) and the end of its log."""

    router: str
    daemon: str
    status: int
    log: str
    time_s: float


class RouteEvent(WireStruct, frozen=True, tag="route"):
    """A route of a router's table was added, replaced (`added`, too) or removed.

    Attributes:
        via: next hops ("10.9.0.2 r1-eth0"), several for equal paths; empty for a removed route or one without.
        protocol: the protocol that set it, as the kernel names it ("ospf", "bgp", "static"); empty if unknown.
        metric: of the kernel's route; 0 without a metric.
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
    """A neighbor of a routing daemon has changed its state, or is reported for the first time.

    Attributes:
        router: the router of the daemon.
        protocol: "ospf", "ospf6", "isis", "rip", "ripng", "bgp", "bfd", "pim" or "ldp".
        neighbor: the node at the other end, by its name in the topology, else by the daemon's name for it.
        interface: of this router; empty for a session without an interface.
        address: of the neighbor as the daemon reports it (OSPF and LDP: also its router ID, after a blank).
        state: in the daemon's words ("Full", "Established", "Init"); "gone" if the neighbor is no longer listed.
        up: whether this is the final state of a working adjacency.
        detail: further details for people ("dead in 3.2 s, up for 00:01:10"); empty for none.
        vrf: empty for the default VRF.
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
    """The unmet conditions of a converging lab: router to sentences. It is sent when they change, finally empty."""

    missing: dict[str, tuple[str, ...]]
    time_s: float


class RoutingNote(WireStruct, frozen=True, tag="routing_note"):
    """A further action of a routing daemon.

    Attributes:
        protocol: as in `AdjacencyEvent`.
        what: "spf" (an SPF computation), "timer" (the hold or dead timer of a neighbor expired), "down" (the reason why
            a session or adjacency went down) or "refused" (the reason why one does not come up).
        text: for people, in the daemon's words if it has any.
        duration_s: duration of an "spf"; 0 if unknown.
    """

    router: str
    protocol: str
    what: str
    text: str
    time_s: float
    duration_s: float = 0.0


class FaultEvent(WireStruct, frozen=True, tag="fault"):
    """A fault was made or cleared.

    Attributes:
        fault: "link-down", "link-up", "link-values", "loss", "interface-down", "interface-up", "daemon-killed",
            "daemon-stopped", "daemon-continued", "daemon-restarted", "frozen", "thawed", "power-cycled",
            "partition", "healed" or "flap". A fault with a duration ends with the fault that clears it, a loss with
            "loss-over", a power cycle with "power-on".
        target: the link, the node, "r1:bgpd" or "r1:r1-eth0".
        text: a description, for people.
        limits: the new queue limits of a link (`frrlib.model.fault_words.limits_text`); empty if the fault set none.
    """

    fault: str
    target: str
    time_s: float
    text: str = ""
    limits: str = ""


class TopologyEvent(WireStruct, frozen=True, tag="topology"):
    """A program has given a detached lab another topology, which is on the lab's card. The lab server sends it."""


class ClockEvent(WireStruct, frozen=True, tag="clock"):
    """The reading of a lab's clock in virtual time, sent regularly, and whenever the clock begins to stand still.

    Attributes:
        stands: whether no more time passes, because the lab waits for a request.
        busy: the process that has used the processor for most of the time since the last such event; empty for none. In
            virtual time computing takes no time, so this process reads the clock again and again.
    """

    time_s: float
    stands: bool = False
    busy: str = ""


_QUEUE = (
    "time_s", "direction", "backlog_bytes", "backlog_packets", "sent_bytes", "sent_packets", "drops", "marks",
    "overlimits", "requeues",
)  # fmt: skip
#: Columns of the table "tcp" that earlier formats lack. "in_flight_packets" is unacked - sacked - lost + retransmitted.
#: "busy_ms" is the time with data to send; in "rwnd_limited_ms" and "sndbuf_limited_ms" of it the receiver's window or
#: the send buffer was the limit. "ecn" is whether ECN was negotiated. "bbr_phase" is a word of `frrlib.bbr`.
#: "duplicate_packets" counts, at the sender, segments that arrived twice according to D-SACK (RFC 2883).
#: "out_of_order_packets" counts at the receiver. "bbr_cycle_phase" is a word of `frrlib.bbr.CYCLE_PHASES`; it and the
#: bounds of what may be in flight are of BBRv2 and BBRv3; a bound that losses have not set yet is None.
LATER_TCP = (
    "rto_ms", "in_flight_packets", "sacked_packets", "retrans_out_packets", "notsent_bytes", "send_window_bytes",
    "receive_rtt_ms", "receive_space_bytes", "reordering_packets", "delivered_packets", "delivered_ce_packets",
    "busy_ms", "rwnd_limited_ms", "sndbuf_limited_ms", "ecn", "bbr_phase", "dctcp_alpha", "vegas_base_rtt_ms",
    "duplicate_packets", "out_of_order_packets", "bbr_cycle_phase", "bbr_inflight_shortterm_packets",
    "bbr_inflight_longterm_packets",
)  # fmt: skip
#: Columns of the sample tables, in order. `time_s` counts from the start of all flows; None means "unknown". The tables
#: "cable" and "cpu" are sampled once a second; `where` is "machine" or "lab kernel". The table "aqm" has the statistics
#: of queue disciplines, one row for each `statistic`. Tables of flows: "app" has one row for each request, page, chunk
#: or burst (`what`) of an application, which began at `time_s`; its `outcome` is empty if it succeeded. "datagram" has
#: counts since the flow's start, and the one-way delay and jitter since the previous row. "probe" has the round trip of
#: an echo or a one-way delay, both None for a lost probe.
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
     "bbr_cycle_phase", "node", "interface", "what", "outcome")
)  # fmt: skip
_MOST = 1 << 64
#: Columns that identify rows; they are never unknown.
_NAMES = frozenset(("flow", "side", "direction", "where", "node", "interface"))


def _kinds(column: str) -> frozenset[type]:
    """The allowed types of a column's values."""
    if column == "time_s":
        return frozenset((int, float))
    if column in TEXT_COLUMNS:
        return frozenset((str,) if column in _NAMES else (str, type(None)))
    return frozenset((int, float, bool, type(None)))


def _fits(cell: object, kinds: frozenset[type]) -> bool:
    """Whether a value has one of these types, and an integer is within the range of kernel counters."""
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
    | TopologyEvent
    | ClockEvent
)
