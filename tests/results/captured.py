"""Captures written byte by byte, so that the tests of the reader are independent of the program."""

from __future__ import annotations

import re
import socket
import struct
import subprocess
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
    sack: tuple[tuple[int, int], ...] = ()
    window: int = 1000


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


def lost_packets(first: int) -> list[CapturedPacket]:
    """Seven packets of 1000 bytes from a number on: the second and the fourth are lost, and sent again; so is the fifth
    without need, which the receiver reports by D-SACK. An acknowledgment with a larger window is no duplicate."""
    sent = [CapturedPacket(0.01 * n, "a", first + 1000 * n, 1000, 1, stamp=100 + n) for n in range(7)]
    third, fifth, last = ((first + 1000 * n, first + 1000 * (n + 1)) for n in (2, 4, 6))
    answers = [
        (0.031, 1, (), 1000), (0.0315, 1, (), 1200), (0.051, 1, (third,), 1200), (0.0701, 1, (fifth, third), 1200),
        (0.0902, 1, ((fifth[0], last[1]), third), 1300), (0.12, 3, ((fifth[0], last[1]),), 1300),
        (0.13, 7, (), 1300), (0.14, 7, (fifth,), 1300),
    ]  # fmt: skip
    again = [sent[n]._replace(time_s=time_s, stamp=200 + n) for n, time_s in ((1, 0.091), (3, 0.095), (4, 0.1))]
    acks = [CapturedPacket(time_s, "b", 1, 0, first + 1000 * n, stamp=7, sack=sack, window=window)
            for time_s, n, sack, window in answers]  # fmt: skip
    return sorted([*sent, *again, *acks])


def _frame(packet: CapturedPacket, ipv6: bool) -> bytes:
    ports = (1000, 2000) if packet.by == "a" else (2000, 1000)
    flags = 0x10 if packet.acknowledgment or packet.by == "b" else 0x02
    options = b"\x01\x01\x08\x0a" + struct.pack("!II", packet.stamp, packet.echo) if packet.stamp >= 0 else b"\x01" * 12
    if packet.sack:
        edges = (struct.pack("!II", left % 2**32, right % 2**32) for left, right in packet.sack)
        options += struct.pack("!BBBB", 1, 1, 5, 2 + 8 * len(packet.sack)) + b"".join(edges)
    numbers = packet.sequence % 2**32, packet.acknowledgment % 2**32
    words = 5 + len(options) // 4
    tcp = struct.pack("!HHIIBBHHH", *ports, *numbers, words << 4, flags, packet.window, 0, 0) + options
    tcp += bytes(packet.payload_bytes)
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


class SequenceCounts(NamedTuple):
    """The packets of a connection by kind: the times of data, of retransmissions and of duplicate acknowledgments, each
    block of a selective acknowledgment above its acknowledgment, and the last acknowledgment."""

    data: list[float]
    resent: list[float]
    duplicates: list[float]
    blocks: list[tuple[int, int]]
    acknowledged: int


def counts_of_tcpdump(path: Path, source_port: int, zero_unix_s: float = 0.0) -> SequenceCounts:
    """The packets of a connection as tcpdump prints them. Numbers count from the first byte of data; they must not wrap
    in the file."""
    argv = ["tcpdump", "-n", "-S", "-tt", "-r", str(path), f"tcp port {source_port}"]
    output = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    found, first, highest, last_ack, last_window = SequenceCounts([], [], [], [], 0), 0, 0, 0, ""
    for line in output.splitlines():
        time_s, is_data = float(line.split()[0]) - zero_unix_s, f".{source_port} > " in line
        ack, window = re.search(r"ack (\d+)", line), re.search(r"win (\d+)", line)
        if re.search(r"Flags \[[SR]", line) or ack is None or window is None:
            continue
        if is_data and (bytes_sent := re.search(r"seq (\d+):(\d+)", line)):
            begin, end = map(int, bytes_sent.groups())
            first = first or begin
            (found.resent if end <= highest else found.data).append(time_s)
            highest = max(highest, end)
        elif not is_data:
            number = int(ack[1])
            sack = re.search(r"sack \d+ ((?:{\d+:\d+})+)", line)
            pairs = re.findall(r"(\d+):(\d+)", sack[1] if sack else "")
            blocks = [(int(left) - first, int(right) - first) for left, right in pairs if int(right) > number]
            found.blocks.extend(blocks)
            is_same = number == last_ack and number < highest and "Flags [F" not in line
            if is_same and (blocks or window[1] == last_window):
                found.duplicates.append(time_s)
            last_ack, last_window = max(last_ack, number), window[1]
    return found._replace(acknowledged=last_ack - first)
