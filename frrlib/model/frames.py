"""Frame sizes: a packet on a link, its size in a shaper, and the share of a rate that is left for data.

A shaper counts an Ethernet frame without preamble and checksum (`tc` sees neither), plus the overhead, minimum size and
cells that it is configured with. `FrameSizeRules` holds these settings; all other modules get their sizes here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: Headers in bytes: Ethernet (IEEE 802.3), a VLAN tag (IEEE 802.1Q), IPv4 (RFC 791) and IPv6 (RFC 8200), TCP (RFC 9293)
#: and its timestamps (RFC 7323), UDP (RFC 768).
ETHERNET_BYTES = 14
VLAN_TAG_BYTES = 4
IP_BYTES = {4: 20, 6: 40}
TCP_BYTES = 20
TIMESTAMPS_BYTES = 12
UDP_BYTES = 8
#: MTU of an interface that states none.
USUAL_MTU_BYTES = 1500
#: A full frame of that MTU, and the data in one of TCP over IPv4 with timestamps.
FULL_FRAME_BYTES = USUAL_MTU_BYTES + ETHERNET_BYTES
FULL_SEGMENT_BYTES = USUAL_MTU_BYTES - IP_BYTES[4] - TCP_BYTES - TIMESTAMPS_BYTES
#: Smallest MTU over which IPv6 runs (RFC 8200, section 5).
LEAST_IPV6_MTU_BYTES = 1280

#: A cell of ATM (ITU-T I.361): its payload and its size. PTM's 64b/65b code adds a byte to each 64 (IEEE 802.3, 61.3).
_CELL_PAYLOAD_BYTES, _CELL_BYTES = 48, 53
_PTM_BLOCK_BYTES = 64

#: A packet's description (`struct sk_buff`), and the room around its data (`struct skb_shared_info` and headroom).
_DESCRIPTION_BYTES, _ROOM_BYTES = 256, 400

LinkLayer = Literal["ethernet", "atm", "ptm"]


@dataclass(frozen=True)
class SizeTable:
    """A size table of `tc` (`stab`): the kernel takes a packet's length from it for a qdisc and those below it.

    Attributes:
        overhead_bytes: added to each frame; may be negative.
        mpu_bytes: the least size of a frame.
        link_layer: whether frames are rounded up to cells of ATM.
        largest_bytes: the largest size in the table (`mtu`); longer frames are put together from its rows.
        rows: the number of sizes in the table (`tsize`).
    """

    overhead_bytes: int = 0
    mpu_bytes: int = 0
    link_layer: LinkLayer = "ethernet"
    largest_bytes: int = 2047
    rows: int = 512

    def size(self, frame_bytes: int) -> int:
        """The length that the kernel gives a frame (`__qdisc_calculate_pkt_len` in `net/sched/sch_api.c`)."""
        size = frame_bytes + self.overhead_bytes
        if self.link_layer == "ethernet" and not self.mpu_bytes:
            return max(1, size)
        slot = max(0, size - 1) >> self._row_bits
        if slot < self.rows:
            return max(1, self._row(slot))
        return self._row(self.rows - 1) * (slot // self.rows) + self._row(slot % self.rows)

    @property
    def _row_bits(self) -> int:
        """The size of a row's step in bytes, as a power of two (`cell_log`)."""
        bits = 0
        while self.largest_bytes >> bits > self.rows - 1:
            bits += 1
        return bits

    def _row(self, row: int) -> int:
        size = max(self.mpu_bytes, (row + 1) << self._row_bits)
        return in_cells(size) if self.link_layer == "atm" else size


@dataclass(frozen=True)
class FrameSizeRules:
    """The settings by which a shaper counts a frame; by default as many bytes as the frame has.

    Attributes:
        overhead_bytes: added to each frame; may be negative.
        replaces_ethernet: whether the overhead takes the place of the Ethernet header, as cake's does.
        mpu_bytes: the least size of a frame, with its overhead.
        link_layer: whether the result is rounded up to cells of ATM, or has PTM's code added.
        size_table: the size table (`stab`) that sets the frame's length before the other rules apply; None for none.
    """

    overhead_bytes: int = 0
    replaces_ethernet: bool = False
    mpu_bytes: int = 0
    link_layer: LinkLayer = "ethernet"
    size_table: SizeTable | None = None

    @property
    def is_plain(self) -> bool:
        """Whether a frame counts as many bytes as it has."""
        return self == FrameSizeRules()

    def queued_bytes(self, frame_bytes: int) -> int:
        """The length that qdiscs see, by which buckets and limits in bytes are compared and backlogs are counted."""
        return self.size_table.size(frame_bytes) if self.size_table is not None else frame_bytes

    def charged_bytes(self, frame_bytes: int) -> int:
        """The bytes of its rate that a shaper takes for a frame.

        Args:
            frame_bytes: the frame with its Ethernet header.
        """
        size = self.queued_bytes(frame_bytes) - (ETHERNET_BYTES if self.replaces_ethernet else 0)
        size = max(size + self.overhead_bytes, self.mpu_bytes)
        if self.link_layer == "atm":
            return in_cells(size)
        return size + -(-size // _PTM_BLOCK_BYTES) if self.link_layer == "ptm" else max(1, size)


#: The default of tbf and htb: they count frames, without any overhead.
PLAIN = FrameSizeRules()


def in_cells(size_bytes: int) -> int:
    """The size of the ATM cells that carry some bytes."""
    return -(-size_bytes // _CELL_PAYLOAD_BYTES) * _CELL_BYTES


def full_frame_bytes(mtu_bytes: int) -> int:
    """The longest frame of an interface, as `tc` counts it.

    The tag of a VLAN is not in it: on a virtual interface it is kept beside the packet, and no qdisc counts it.
    """
    return mtu_bytes + ETHERNET_BYTES


def memory_bytes(frame_bytes: int) -> int:
    """The approximate memory that Linux uses for a frame (`skb->truesize`); cake and memory limits count it.

    It is the packet's description and its data, which are rounded up to a power of two with some room around them.
    """
    return _DESCRIPTION_BYTES + (1 << (frame_bytes + _ROOM_BYTES - 1).bit_length())


def tcp_headers_bytes(ip_version: int = 4, *, has_timestamps: bool = True) -> int:
    """Headers of a data segment in its frame; other options of TCP are not sent with data."""
    return ETHERNET_BYTES + IP_BYTES[ip_version] + TCP_BYTES + (TIMESTAMPS_BYTES if has_timestamps else 0)


def udp_headers_bytes(ip_version: int = 4) -> int:
    """Headers of a datagram in its frame."""
    return ETHERNET_BYTES + IP_BYTES[ip_version] + UDP_BYTES


def full_segment_bytes(mtu_bytes: int, ip_version: int = 4, *, has_timestamps: bool = True) -> int:
    """The data in a full TCP segment."""
    return full_frame_bytes(mtu_bytes) - tcp_headers_bytes(ip_version, has_timestamps=has_timestamps)


def data_share(data_bytes: float, frame_bytes: float, accounting: FrameSizeRules = PLAIN) -> float:
    """The share of a shaper's rate, 0 to 1, that is left for data when all frames are equal.

    The product of this share and the rate is the goodput of a link that is always busy.

    Args:
        data_bytes: the data in each frame.
        frame_bytes: each frame, with its Ethernet header.
        accounting: how the shaper counts frames.
    """
    return data_bytes / max(data_bytes, accounting.charged_bytes(round(frame_bytes)))


def tcp_share(
    mtu_bytes: int,
    accounting: FrameSizeRules = PLAIN,
    ip_version: int = 4,
    *,
    has_timestamps: bool = True,
) -> float:
    """The share of a shaper's rate, 0 to 1, that is left for TCP's data in full frames.

    With an MTU of 1500 bytes this is 1448/1514: 10 Mbit/s carry 9.56 Mbit/s of data. Acknowledgments and
    retransmissions are not in it.
    """
    data_bytes = full_segment_bytes(mtu_bytes, ip_version, has_timestamps=has_timestamps)
    return data_share(data_bytes, full_frame_bytes(mtu_bytes), accounting)
