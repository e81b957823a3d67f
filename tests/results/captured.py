"""Captures written byte by byte, so that the tests of the reader are independent of the program."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

#: Times in nanoseconds, in microseconds, and in nanoseconds with the other order of bytes.
MAGICS = {"ns": ("<", 0xA1B23C4D, 1e9), "us": ("<", 0xA1B2C3D4, 1e6), "big": (">", 0xA1B23C4D, 1e9)}
HEADERS_BYTES = 14 + 20 + 32


class CapturedPacket(NamedTuple):
    """A packet: its time in seconds, its sender ("a" or "b"), and its headers."""

    time_s: float
    by: str
    sequence: int = 0
    payload_bytes: int = 0
    acknowledgment: int = 0
    stamp: int = -1
    echo: int = 0
    marked: bool = False
    vlan: bool = False


def write_capture(
    path: Path, packets: Iterable[CapturedPacket], kind: str = "ns", ipv6: bool = False, snap: int = 128
) -> None:
    """Write a capture of a connection from a, port 1000, to b, port 2000."""
    order, magic, parts = MAGICS[kind]
    out = struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, snap, 1)
    for packet in packets:
        frame = _frame(packet, ipv6)
        seconds, fraction = divmod(round(packet.time_s * parts), int(parts))
        out += struct.pack(f"{order}IIII", seconds, fraction, len(frame[:snap]), len(frame)) + frame[:snap]
    path.write_bytes(out)


def _frame(packet: CapturedPacket, ipv6: bool) -> bytes:
    ports = (1000, 2000) if packet.by == "a" else (2000, 1000)
    flags = 0x10 if packet.acknowledgment or packet.by == "b" else 0x02
    options = b"\x01\x01\x08\x0a" + struct.pack("!II", packet.stamp, packet.echo) if packet.stamp >= 0 else b"\x01" * 12
    numbers = packet.sequence % 2**32, packet.acknowledgment % 2**32
    tcp = struct.pack("!HHIIBBHHH", *ports, *numbers, 8 << 4, flags, 1000, 0, 0) + options + bytes(packet.payload_bytes)
    hosts = ("10.0.0.1", "10.0.0.2") if not ipv6 else ("2001:db8::1", "2001:db8::2")
    hosts = hosts if packet.by == "a" else hosts[::-1]
    mark = 3 if packet.marked else 0
    if ipv6:
        ends = b"".join(socket.inet_pton(socket.AF_INET6, host) for host in hosts)
        ip, kind = struct.pack("!IHBB", 6 << 28 | mark << 20, len(tcp), 6, 64) + ends, 0x86DD
    else:
        ends = b"".join(map(socket.inet_aton, hosts))
        ip, kind = struct.pack("!BBHHHBBH", 0x45, mark, 20 + len(tcp), 1, 0x4000, 64, 6, 0) + ends, 0x0800
    tag = struct.pack("!HH", 0x8100, 7) if packet.vlan else b""
    return bytes(6) + bytes(5) + b"\x01" + tag + struct.pack("!H", kind) + ip + tcp
