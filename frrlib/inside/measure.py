"""What the kernel tells of a TCP connection and of a queue, as requests and replies in bytes.

Only `struct` is needed here: the sampler starts faster for it.
"""

from __future__ import annotations

import struct

# --- netlink, as little as a sampler needs ----------------------------------------------------------------------------

_HEADER = struct.Struct("=IHHII")
_ATTRIBUTE = struct.Struct("=HH")
_REQUEST, _ECHO, _DUMP = 0x1, 0x8, 0x300
_SOCK_DIAG, _GETQDISC = 20, 38
#: Type of the message in which the kernel describes a qdisc.
NEWQDISC = 36


def split(data: bytes) -> list[tuple[int, int, bytes]]:
    """Type, sequence number and body of each message in what one read gave."""
    found, at = [], 0
    while at + 16 <= len(data):
        length, kind, _, sequence, _ = _HEADER.unpack_from(data, at)
        if length < 16:
            break
        found.append((kind, sequence, data[at + 16 : at + length]))
        at += (length + 3) & ~3
    return found


def attributes(data: bytes, start: int = 0) -> dict[int, bytes]:
    """The attributes in `data` from `start` on, by kind."""
    found, at = {}, start
    while at + 4 <= len(data):
        length, kind = _ATTRIBUTE.unpack_from(data, at)
        if length < 4:
            break
        found[kind & 0x3FFF] = data[at + 4 : at + length]
        at += (length + 3) & ~3
    return found


# --- TCP --------------------------------------------------------------------------------------------------------------

_INFO, _VEGAS_INFO, _CONGESTION, _BBR_INFO = 2, 3, 4, 16
_EXTENSIONS = sum(1 << (kind - 1) for kind in (_INFO, _VEGAS_INFO, _CONGESTION))
_ANY_COOKIE = b"\xff" * 8
_DIAG_BODY = 72
#: TCP states without measurements: SYN_SENT, SYN_RECV, TIME_WAIT, CLOSE, LISTEN.
_SILENT = frozenset((2, 3, 6, 7, 10))
#: Names of the congestion states (enum tcp_ca_state).
STATES = ("open", "disorder", "cwr", "recovery", "loss")
#: struct tcp_info as far as every kernel from 4.19 on has it; newer ones append.
_TCP_INFO = struct.Struct("=8B24I4Q6I4Q2I2Q")
_BBR = struct.Struct("=IIIII")
_UNSET_32, _UNSET_64, _NO_THRESHOLD = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF, 0x7FFFFFFF


def connection_request(sequence: int, source: bytes, source_port: int, destination: bytes, port: int) -> bytes:
    """Ask for the one TCP connection whose local end is `source` (4 or 16 bytes), seen from its own node."""
    family = 2 if len(source) == 4 else 10
    body = struct.pack("=BBBxI", family, 6, _EXTENSIONS, 0xFFFFFFFF) + struct.pack("!HH", source_port, port)
    body += source.ljust(16, b"\0") + destination.ljust(16, b"\0") + bytes(4) + _ANY_COOKIE
    return _HEADER.pack(16 + len(body), _SOCK_DIAG, _REQUEST, sequence, 0) + body


def tcp_values(body: bytes) -> list[object] | None:
    """The columns of the table "tcp" from "state" on, of a reply's body; None where the connection is not up.

    Times in ms, rates in Mbit/s; None in a column is "not known yet" or "not told by this congestion control".
    """
    if len(body) < _DIAG_BODY or body[1] in _SILENT:
        return None
    found = attributes(body, _DIAG_BODY)
    if _INFO not in found:
        return None
    info = _TCP_INFO.unpack_from(found[_INFO].ljust(_TCP_INFO.size, b"\0"))
    flags = info[7]
    mss, unacked, lost = info[10], info[12], info[14]
    rtt_us, rttvar_us, ssthresh, cwnd = info[23], info[24], info[25], info[26]
    retransmits, pacing, bytes_acked, bytes_received = info[31], info[32], info[34], info[35]
    min_rtt_us, delivery_rate = info[39], info[42]
    bytes_sent, bytes_retrans = info[48], info[49]
    bbr: tuple[object, ...] = (None, None, None, None)
    if _BBR_INFO in found and len(found[_BBR_INFO]) >= _BBR.size:
        low, high, bbr_rtt_us, pacing_gain, cwnd_gain = _BBR.unpack_from(found[_BBR_INFO])
        bandwidth = (high << 32 | low) * 8e-6
        bbr = (round(bandwidth, 6), _ms(bbr_rtt_us), pacing_gain / 256, cwnd_gain / 256)
    return [
        STATES[info[1]] if info[1] < len(STATES) else str(info[1]),
        cwnd,
        None if ssthresh >= _NO_THRESHOLD else ssthresh,
        mss,
        unacked,
        _ms(rtt_us) if rtt_us else None,
        _ms(rttvar_us) if rtt_us else None,
        _ms(min_rtt_us),
        None if pacing in (_UNSET_64, _UNSET_32) else round(pacing * 8e-6, 6),
        round(delivery_rate * 8e-6, 6) if delivery_rate else None,
        bytes_acked,
        bytes_received,
        bytes_sent,
        bytes_retrans,
        retransmits,
        lost,
        bool(flags & 1),
        found.get(_CONGESTION, b"").rstrip(b"\0").decode("ascii", "replace"),
        *bbr,
    ]


def _ms(microseconds: int) -> float | None:
    return None if microseconds == _UNSET_32 else microseconds / 1000


# --- queues -----------------------------------------------------------------------------------------------------------

ROOT = 0xFFFFFFFF
_KIND, _STATISTICS = 1, 7
_BASIC, _QUEUE, _OWN, _PACKETS_64 = 1, 3, 4, 8
_QDISC_BODY = 20
#: Where a qdisc's own statistics have the number of packets that it marked: kind to format and offset.
MARKS = {"red": ("=I", 12), "codel": ("=I", 24), "fq_codel": ("=I", 12), "pie": ("=I", 36), "fq": ("=Q", 80)}


def qdisc_request(sequence: int, interface: int, parent: int = 0, handle: int = 0) -> bytes:
    """Ask for one qdisc of the interface with that index, by its parent (`ROOT`) or by its handle."""
    # Kernels before 6.6 answer the asker only with the echo flag.
    return _HEADER.pack(36, _GETQDISC, _REQUEST | _ECHO, sequence, 0) + _tc_message(interface, handle, parent)


def qdisc_dump_request(sequence: int) -> bytes:
    """Ask for all qdiscs of all interfaces."""
    return _HEADER.pack(36, _GETQDISC, _REQUEST | _DUMP, sequence, 0) + _tc_message(0, 0, 0)


def qdisc_identity(body: bytes) -> tuple[int, int, int, str]:
    """Interface index, handle, parent and kind of a described qdisc."""
    _, interface, handle, parent, _ = struct.unpack_from("=BxxxiIII", body)
    kind = attributes(body, _QDISC_BODY).get(_KIND, b"").rstrip(b"\0").decode("ascii", "replace")
    return interface, handle, parent, kind


def queue_values(body: bytes) -> list[object] | None:
    """The columns of the table "queue" from "backlog_bytes" on, of a reply's body; None where it has no statistics.

    Marks are None where this kind of qdisc does not tell them.
    """
    found = attributes(body, _QDISC_BODY)
    if _STATISTICS not in found:
        return None
    statistics = attributes(found[_STATISTICS])
    if _QUEUE not in statistics or _BASIC not in statistics:
        return None
    packets_queued, backlog_bytes, drops, requeues, overlimits = struct.unpack_from("=IIIII", statistics[_QUEUE])
    sent_bytes, sent_packets = struct.unpack_from("=QI", statistics[_BASIC])
    if _PACKETS_64 in statistics:
        (sent_packets,) = struct.unpack_from("=Q", statistics[_PACKETS_64])
    kind = found.get(_KIND, b"").rstrip(b"\0").decode("ascii", "replace")
    marks = _marks(kind, statistics.get(_OWN, b""))
    return [backlog_bytes, packets_queued, sent_bytes, sent_packets, drops, marks, overlimits, requeues]


def _marks(kind: str, own: bytes) -> int | None:
    if kind not in MARKS:
        return 0 if kind in ("pfifo", "bfifo", "pfifo_fast") else None
    form, offset = MARKS[kind]
    return int(struct.unpack_from(form, own, offset)[0]) if len(own) >= offset + struct.calcsize(form) else None


def _tc_message(interface: int, handle: int, parent: int) -> bytes:
    return struct.pack("=BxxxiIII", 0, interface, handle, parent, 0)
