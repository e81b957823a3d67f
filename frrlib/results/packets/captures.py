"""Reads captures: the TCP packets of a pcap file as columns, for each direction of each connection.

Only headers are read, so a capture needs no more than the first bytes of each packet. The lengths come from the IP
header, so they are those of the complete packets.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO, Literal

import dpkt
import numpy as np
import numpy.typing as npt

from frrlib.results.layout import ResultsError
from frrlib.system.untrusted_files import open_file

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Bits of `Segments.flags`.
FIN, SYN, RST, ACK, CWR, ECE = 0x01, 0x02, 0x04, 0x10, 0x80, 0x40
_SACK_OPTION, _TIMESTAMP_OPTION, _USUAL_OPTIONS = 5, 8, b"\x01\x01\x08\x0a"
#: The maximum number of blocks of selective acknowledgments that a header has room for, and the bytes of one.
_MOST_BLOCKS, _BLOCK_BYTES = 4, 8
_VLAN_TAG_BYTES, _MPLS_LABEL_BYTES, _ETHERNET_BYTES = 4, 4, 14
_PROGRESS_EVERY = 20_000
#: The maximum number of packets that are read from a file: each takes about 300 bytes of memory.
_MOST_PACKETS = 10_000_000
_Numbers = tuple[int, int, int, int, int, int, int, int, int, bytes]
_Row = tuple[float, int, int, int, int, int, int, int, int, int, bytes]


@dataclass(frozen=True, order=True)
class ConnectionDirection:
    """One direction of a TCP connection: addresses as text, and ports."""

    source: str
    source_port: int
    destination: str
    port: int

    @property
    def reverse(self) -> ConnectionDirection:
        """The other direction."""
        return ConnectionDirection(self.destination, self.port, self.source, self.source_port)


@dataclass(frozen=True, eq=False)
class Segments:
    """Packets of one direction, in the order in which they passed; all arrays have one length.

    Attributes:
        time_s: the time of each packet, from the given zero, or else from the first packet of the file.
        frame_bytes: its length with the Ethernet header, without checksum and preamble.
        payload_bytes: the length of its data.
        sequence, acknowledgment: the numbers of its header, 32 bits that wrap.
        flags: `SYN`, `ACK`, ...
        stamp, echo: both values of its timestamp option, 32 bits that wrap; -1 without the option.
        congested: whether a queue on its path had marked it (ECN).
        window: the receive window of its header, which is not scaled.
        sack: the left and right edges of its blocks of selective acknowledgments, an array of shape (n, 4, 2). The
            edges of blocks that it does not have are 0.
    """

    time_s: Floats
    frame_bytes: Integers
    payload_bytes: Integers
    sequence: Integers
    acknowledgment: Integers
    flags: Integers
    stamp: Integers
    echo: Integers
    congested: npt.NDArray[np.bool_]
    window: Integers
    sack: npt.NDArray[np.uint32]

    def __len__(self) -> int:
        """The number of packets."""
        return int(self.time_s.size)

    def select(self, mask: npt.NDArray[Any]) -> Segments:
        """The packets that a mask selects."""
        return Segments(**{name: getattr(self, name)[mask] for name in self.__dataclass_fields__})


_NONE: Integers = np.empty(0, dtype=np.int64)
#: No packets.
NOTHING = Segments(
    np.empty(0), _NONE, _NONE, _NONE, _NONE, _NONE, _NONE, _NONE, np.empty(0, dtype=np.bool_), _NONE,
    np.empty((0, _MOST_BLOCKS, 2), dtype=np.uint32),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Capture:
    """The contents of a file.

    Attributes:
        directions: the TCP packets.
        other_packets: the number of packets that are not TCP or have truncated headers.
        is_torn: whether the file ends in the middle of a packet.
    """

    directions: dict[ConnectionDirection, Segments]
    other_packets: int = 0
    is_torn: bool = False


def read_capture(
    path: Path, zero_unix_s: float | None = None, report_progress: Callable[[int], object] | None = None
) -> Capture:
    """Read a pcap file of Ethernet packets, as tcpdump writes it; VLAN tags and MPLS labels are skipped.

    Args:
        path: the file.
        zero_unix_s: the time of day from which times count, in seconds since 1970; None for that of the first packet.
        report_progress: called regularly with the number of packets that were read.

    Raises:
        ResultsError: it cannot be read, is too large, or is not a capture of an Ethernet interface.
    """
    rows: dict[ConnectionDirection, list[_Row]] = {}
    other_packets = number = 0
    zero = None if zero_unix_s is None else Decimal(repr(zero_unix_s))
    try:
        with open_file(path) as file:
            packets = _Packets(file, path)
            for number, (time, data) in enumerate(packets, 1):
                if number > _MOST_PACKETS:
                    remedy = f"cut it: editcap -r {path.name} part.pcap 1-{_MOST_PACKETS}"
                    raise ResultsError(path, f"has more than {_MOST_PACKETS:,} packets", remedy)
                zero = time if zero is None else zero
                segment = _tcp(data)
                if segment is None:
                    other_packets += 1
                else:
                    rows.setdefault(segment[0], []).append((float(time - zero), *segment[1]))
                if report_progress is not None and number % _PROGRESS_EVERY == 0:
                    report_progress(number)
    except OSError as error:
        raise ResultsError(path, f"cannot be read: {error.strerror}") from error
    return Capture(
        {ends: _columns(direction_rows) for ends, direction_rows in rows.items()}, other_packets, packets.is_torn
    )


class _Packets:
    """Time of day and first bytes of each packet of a file. At the end, `is_torn` is whether the last one is
    incomplete."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self.is_torn = False
        self._file = file
        try:
            self._reader = dpkt.pcap.Reader(file)
        except (ValueError, dpkt.Error) as error:
            raise ResultsError(path, "is not a capture file (pcap)") from error
        if self._reader.datalink() != dpkt.pcap.DLT_EN10MB:
            raise ResultsError(
                path, "is not a capture of an Ethernet interface", "capture at one interface, not at all of them"
            )

    def __iter__(self) -> Iterator[tuple[Decimal, bytes]]:
        begin, last_begin, length = self._file.tell(), 0, 0
        try:
            for time, data in self._reader:
                last_begin, length, begin = begin, len(data), self._file.tell()
                # Times in microseconds come as floats.
                yield time if isinstance(time, Decimal) else Decimal(f"{time:.6f}"), data
        except dpkt.NeedData:
            self.is_torn = True
            return
        # dpkt returns the existing part of a packet, even if it is incomplete.
        self.is_torn = bool(last_begin) and length < self._stated_length(last_begin)

    def _stated_length(self, begin: int) -> int:
        self._file.seek(0)
        order: Literal["little", "big"] = "little" if self._file.read(4)[2:] in (b"\xb2\xa1",) else "big"
        self._file.seek(begin + 8)
        return int.from_bytes(self._file.read(4), order)


def _frame_bytes(frame: Any) -> int:
    packet = frame.data
    tags = _VLAN_TAG_BYTES * len(getattr(frame, "vlan_tags", ()))
    labels = _MPLS_LABEL_BYTES * len(getattr(frame, "mpls_labels", ()))
    length = packet.len if isinstance(packet, dpkt.ip.IP) else 40 + packet.plen
    return int(_ETHERNET_BYTES + tags + labels + length)


def _tcp(data: bytes) -> tuple[ConnectionDirection, _Numbers] | None:
    """The direction of a packet's connection, and its fields; None if it is not TCP, or not the first fragment."""
    try:
        frame = dpkt.ethernet.Ethernet(data)
    except dpkt.Error:
        return None
    packet = frame.data
    if not isinstance(packet, dpkt.ip.IP | dpkt.ip6.IP6) or not isinstance(packet.data, dpkt.tcp.TCP):
        return None
    segment = packet.data
    if isinstance(packet, dpkt.ip.IP):
        family, headers, congestion = socket.AF_INET, 4 * packet.hl, packet.tos & 3
        length = packet.len - headers
    else:
        family, congestion = socket.AF_INET6, packet.fc & 3
        length = packet.plen - sum(header.length for header in packet.all_extension_headers)
    ends = ConnectionDirection(
        socket.inet_ntop(family, packet.src), segment.sport, socket.inet_ntop(family, packet.dst), segment.dport
    )
    payload = length - 4 * segment.off
    stamp, echo, sack = _options(segment.opts)
    numbers = segment.seq, segment.ack, segment.flags, stamp, echo, int(congestion == 3), segment.win
    return ends, (_frame_bytes(frame), payload, *numbers, sack)


def _options(options: bytes) -> tuple[int, int, bytes]:
    """Both values of the timestamp option, or -1, and the bytes of the blocks of selective acknowledgments."""
    if options[:4] == _USUAL_OPTIONS and len(options) == 12:
        return int.from_bytes(options[4:8], "big"), int.from_bytes(options[8:12], "big"), b""
    stamp, echo, sack = -1, -1, b""
    try:
        for option in dpkt.tcp.parse_opts(options):
            if option is None:  # it is truncated
                break
            kind, value = option
            if kind == _TIMESTAMP_OPTION and len(value) == 8:
                stamp, echo = int.from_bytes(value[:4], "big"), int.from_bytes(value[4:], "big")
            elif kind == _SACK_OPTION and len(value) % _BLOCK_BYTES == 0:
                sack = value[: _MOST_BLOCKS * _BLOCK_BYTES]
    except dpkt.Error:
        pass
    return stamp, echo, sack


def _columns(rows: list[_Row]) -> Segments:
    time, *numbers, sack = zip(*rows, strict=True)
    frame, payload, sequence, acknowledgment, flags, stamp, echo, congested, window = (
        np.array(column, dtype=np.int64) for column in numbers
    )
    padded = b"".join(blocks.ljust(_MOST_BLOCKS * _BLOCK_BYTES, b"\0") for blocks in sack)
    edges = np.frombuffer(padded, dtype=">u4").astype(np.uint32).reshape(-1, _MOST_BLOCKS, 2)
    return Segments(
        np.array(time, dtype=np.float64), frame, payload, sequence, acknowledgment, flags, stamp, echo, congested > 0,
        window, edges,
    )  # fmt: skip
