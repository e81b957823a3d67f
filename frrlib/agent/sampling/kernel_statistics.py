"""Kernel statistics of a TCP connection and of a queue, as requests and replies in bytes.

It needs only `struct`, which makes the sampler start faster.
"""

from __future__ import annotations

import struct

from frrlib.bbr import CYCLE_PHASES, PHASES, phase

# --- netlink ----------------------------------------------------------------------------------------------------------

_HEADER = struct.Struct("=IHHII")
_ATTRIBUTE = struct.Struct("=HH")
_REQUEST, _ECHO, _DUMP = 0x1, 0x8, 0x300
_SOCK_DIAG, _GETQDISC = 20, 38
#: Type of the kernel's messages about a qdisc.
NEWQDISC = 36


def split(data: bytes) -> list[tuple[int, int, bytes]]:
    """Type, sequence number and body of each message in the data of one read."""
    messages, at = [], 0
    while at + 16 <= len(data):
        length, kind, _, sequence, _ = _HEADER.unpack_from(data, at)
        if length < 16:
            break
        messages.append((kind, sequence, data[at + 16 : at + length]))
        at += (length + 3) & ~3
    return messages


def attributes(data: bytes, start: int = 0) -> dict[int, bytes]:
    """The attributes in `data` from `start` on, by kind."""
    by_kind, at = {}, start
    while at + 4 <= len(data):
        length, kind = _ATTRIBUTE.unpack_from(data, at)
        if length < 4:
            break
        by_kind[kind & 0x3FFF] = data[at + 4 : at + length]
        at += (length + 3) & ~3
    return by_kind


# --- TCP --------------------------------------------------------------------------------------------------------------

_INFO, _VEGAS_INFO, _CONGESTION, _DCTCP_INFO, _BBR_INFO = 2, 3, 4, 9, 16
_EXTENSIONS = sum(1 << (kind - 1) for kind in (_INFO, _VEGAS_INFO, _CONGESTION))
_ANY_COOKIE = b"\xff" * 8
_DIAG_BODY = 72
#: TCP states without measurements: SYN_SENT, SYN_RECV, TIME_WAIT, CLOSE, LISTEN.
_SILENT = frozenset((2, 3, 6, 7, 10))
#: Names of the congestion states (enum tcp_ca_state).
STATES = ("open", "disorder", "cwr", "recovery", "loss")
#: struct tcp_info up to the peer's window, which kernels since 5.4 have. Newer kernels append fields, older ones have
#: fewer.
_TCP_INFO = struct.Struct("=8B24I4Q6I4Q2I2Q4I")
_WINDOW_AT = _TCP_INFO.size - 4
#: `tcpi_dsack_dups` and `tcpi_rcv_ooopack`.
_DUPLICATES_AT, _OUT_OF_ORDER_AT = _TCP_INFO.size - 16, _TCP_INFO.size - 8
_ECN = 8
_BBR = struct.Struct("=IIIII")
#: Later versions of BBR append more fields: the mode, the phase of ProbeBW, and both bounds in packets.
_BBR_MODE_AT = 36
_BBR_BOUNDS = struct.Struct("=BBxxII")
_DCTCP, _VEGAS = struct.Struct("=HHIII"), struct.Struct("=IIII")
_UNSET_32, _UNSET_64, _NO_THRESHOLD = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF, 0x7FFFFFFF


def connection_request(sequence: int, source: bytes, source_port: int, destination: bytes, port: int) -> bytes:
    """A request for the TCP connection with the local end `source` (4 or 16 bytes), as seen from its own node."""
    family = 2 if len(source) == 4 else 10
    body = struct.pack("=BBBxI", family, 6, _EXTENSIONS, 0xFFFFFFFF) + struct.pack("!HH", source_port, port)
    body += source.ljust(16, b"\0") + destination.ljust(16, b"\0") + bytes(4) + _ANY_COOKIE
    return _HEADER.pack(16 + len(body), _SOCK_DIAG, _REQUEST, sequence, 0) + body


def tcp_values(body: bytes) -> list[object] | None:
    """The columns of the table "tcp" from "state" on, from a reply's body; None if the connection is not up.

    Times are in ms, rates in Mbit/s. None in a column means unknown, or not reported by this congestion control.
    """
    if len(body) < _DIAG_BODY or body[1] in _SILENT:
        return None
    values = attributes(body, _DIAG_BODY)
    if _INFO not in values:
        return None
    data = values[_INFO]
    info = _TCP_INFO.unpack_from(data.ljust(_TCP_INFO.size, b"\0"))
    rtt_us, pacing, delivery_rate = info[23], info[32], info[42]
    control = values.get(_CONGESTION, b"").rstrip(b"\0").decode("ascii", "replace")
    bbr_data = values.get(_BBR_INFO, b"")
    bandwidth, bbr_rtt_ms, pacing_gain, cwnd_gain, bbr_phase = _bbr(bbr_data)
    return [
        STATES[info[1]] if info[1] < len(STATES) else str(info[1]),
        info[26],
        None if info[25] >= _NO_THRESHOLD else info[25],
        info[10],
        info[12],
        rtt_us / 1000 if rtt_us else None,
        info[24] / 1000 if rtt_us else None,
        _ms(info[39]),
        None if pacing in (_UNSET_64, _UNSET_32) else pacing * 8 / 1e6,
        delivery_rate * 8 / 1e6 if delivery_rate else None,
        info[34],
        info[35],
        info[48],
        info[49],
        info[31],
        info[14],
        info[7] & 1,
        control,
        bandwidth,
        bbr_rtt_ms,
        pacing_gain,
        cwnd_gain,
        info[8] / 1000,
        info[12] - info[13] - info[14] + info[15],
        info[13],
        info[15],
        info[38],
        info[53] if len(data) > _WINDOW_AT else None,
        info[29] / 1000 if info[29] else None,
        info[30],
        info[28],
        info[46],
        info[47],
        info[43] / 1000,
        info[44] / 1000,
        info[45] / 1000,
        int(bool(info[5] & _ECN)),
        bbr_phase,
        *_congestion_values(values, control),
        info[50] if len(data) > _DUPLICATES_AT else None,
        info[52] if len(data) > _OUT_OF_ORDER_AT else None,
        *_bbr_bounds(bbr_data, bbr_phase),
    ]


def _bbr(data: bytes) -> tuple[float | None, float | None, float | None, float | None, str]:
    """Bandwidth in Mbit/s, minimum round-trip time, both gains, and the phase."""
    if len(data) < _BBR.size:
        return None, None, None, None, ""
    low, high, rtt_us, pacing_gain, cwnd_gain = _BBR.unpack_from(data)
    if len(data) > _BBR_MODE_AT and data[_BBR_MODE_AT] < len(PHASES):
        current_phase = PHASES[data[_BBR_MODE_AT]]
    else:
        current_phase = phase(pacing_gain / 256, cwnd_gain / 256)
    return (high << 32 | low) * 8 / 1e6, _ms(rtt_us), pacing_gain / 256, cwnd_gain / 256, current_phase


def _bbr_bounds(data: bytes, current_phase: str) -> tuple[str, int | None, int | None]:
    """The phase within ProbeBW, and the short-term and long-term bounds in packets, which versions 2 and 3 report."""
    if len(data) < _BBR_MODE_AT + _BBR_BOUNDS.size:
        return "", None, None
    _, cycle_phase, shortterm, longterm = _BBR_BOUNDS.unpack_from(data, _BBR_MODE_AT)
    return (
        CYCLE_PHASES.get(cycle_phase, "") if current_phase == "probe_bw" else "",
        None if shortterm == _UNSET_32 else shortterm,
        None if longterm == _UNSET_32 else longterm,
    )


def _congestion_values(values: dict[int, bytes], control: str) -> tuple[float | None, float | None]:
    """DCTCP's estimate of the share of marked bytes, and Vegas's estimate of the base round-trip time."""
    alpha = base_ms = None
    if control.startswith("dctcp") and len(values.get(_DCTCP_INFO, b"")) >= _DCTCP.size:
        alpha = _DCTCP.unpack_from(values[_DCTCP_INFO])[2] / 1024
    if control == "vegas" and len(values.get(_VEGAS_INFO, b"")) >= _VEGAS.size:
        base_ms = _ms(_VEGAS.unpack_from(values[_VEGAS_INFO])[2])
    return alpha, base_ms


def _ms(microseconds: int) -> float | None:
    return None if microseconds in (_UNSET_32, _NO_THRESHOLD) else microseconds / 1000


# --- queues and interfaces --------------------------------------------------------------------------------------------

ROOT = 0xFFFFFFFF
_KIND, _OPTIONS, _STATISTICS = 1, 2, 7
_BASIC, _QUEUE, _OWN, _PACKETS_64 = 1, 3, 4, 8
_TC_MESSAGE, _QDISC_BODY = struct.Struct("=BxxxiIII"), 20
_GETSTATS, NEWSTATS, _LINK_64 = 94, 92, 1
_STATS_BODY = 12


class QdiscStatistics:
    """A qdisc in the kernel's description.

    Attributes:
        interface: index of its interface.
        handle, parent: its own handle, and that of its class (`ROOT` for none).
        kind: "tbf".
        options, own_statistics: its options and its specific statistics, in its kind's layout; empty if it has none.
        counts: the counts of all kinds, which are the columns of the table "queue" from "backlog_bytes" on, with None
            for marks; empty if it has no statistics.
    """

    __slots__ = ("counts", "handle", "interface", "kind", "options", "own_statistics", "parent")

    def __init__(self, body: bytes) -> None:
        self.interface: int
        self.handle: int
        self.parent: int
        _, self.interface, self.handle, self.parent, _ = _TC_MESSAGE.unpack_from(body)
        values = attributes(body, _QDISC_BODY)
        self.kind = values.get(_KIND, b"").rstrip(b"\0").decode("ascii", "replace")
        self.options = values.get(_OPTIONS, b"")
        statistics = attributes(values.get(_STATISTICS, b""))
        self.own_statistics = statistics.get(_OWN, b"")
        self.counts: list[int | None] = []
        if _QUEUE not in statistics or _BASIC not in statistics:
            return
        packets_queued, backlog_bytes, drops, requeues, overlimits = struct.unpack_from("=IIIII", statistics[_QUEUE])
        sent_bytes, sent_packets = struct.unpack_from("=QI", statistics[_BASIC])
        if _PACKETS_64 in statistics:
            (sent_packets,) = struct.unpack_from("=Q", statistics[_PACKETS_64])
        self.counts = [backlog_bytes, packets_queued, sent_bytes, sent_packets, drops, None, overlimits, requeues]


def qdisc_request(sequence: int, interface: int, parent: int = 0, handle: int = 0) -> bytes:
    """A request for one qdisc of the interface with that index, by its parent (`ROOT`) or by its handle."""
    # Kernels before 6.6 reply to the sender only with the echo flag.
    return _HEADER.pack(36, _GETQDISC, _REQUEST | _ECHO, sequence, 0) + tc_message(interface, handle, parent)


def qdisc_dump_request(sequence: int) -> bytes:
    """A request for all qdiscs of all interfaces."""
    return _HEADER.pack(36, _GETQDISC, _REQUEST | _DUMP, sequence, 0) + tc_message(0, 0, 0)


def tc_message(interface: int, handle: int, parent: int) -> bytes:
    """The body of a request about qdiscs (struct tcmsg)."""
    return _TC_MESSAGE.pack(0, interface, handle, parent, 0)


def interface_request(sequence: int, interface: int) -> bytes:
    """A request for the counters of the interface with that index alone."""
    body = struct.pack("=BxxxII", 0, interface, 1 << (_LINK_64 - 1))
    return _HEADER.pack(16 + len(body), _GETSTATS, _REQUEST, sequence, 0) + body


def interface_values(body: bytes) -> list[object] | None:
    """The columns of the table "interface" from "rx_bytes" on, from a reply's body; None if it has none."""
    data = attributes(body, _STATS_BODY).get(_LINK_64, b"")
    if len(data) < 64:
        return None
    rx, tx, rx_bytes, tx_bytes, rx_errors, tx_errors, rx_drops, tx_drops = struct.unpack_from("=8Q", data)
    return [rx_bytes, rx, rx_drops, rx_errors, tx_bytes, tx, tx_drops, tx_errors]
