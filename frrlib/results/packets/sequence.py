"""Sequence numbers of a connection over time: data, retransmissions, acknowledgments, and selective ones.

Numbers count from the first byte of data of the capture.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from frrlib.results.packets.captures import ACK, FIN, RST, SYN, Floats, Integers, Segments
from frrlib.results.packets.series import retransmission_mask, unwrapped

_HALF, _ALL = 1 << 31, 1 << 32
_LEAST = np.iinfo(np.int64).min


@dataclass(frozen=True, eq=False)
class Blocks:
    """Blocks of selective acknowledgments: the time of each, and the numbers of its first byte and of that after it."""

    time_s: Floats
    starts: Integers
    ends: Integers


@dataclass(frozen=True, eq=False)
class Sequence:
    """The sequence numbers of one direction of a connection.

    Attributes:
        sent_s, starts, ends: of each packet with data, its time, the number of its first byte, and that after it.
        is_resent: for each of these, whether it is a retransmission.
        acked_s, acknowledged: the time of each acknowledgment, and the number of the next byte that it expects.
        is_duplicate: for each of these, whether it is a duplicate acknowledgment.
        sacks: blocks above the acknowledgment that has them (RFC 2018).
        duplicates: blocks of data that arrived twice, which D-SACK reports (RFC 2883).
    """

    sent_s: Floats
    starts: Integers
    ends: Integers
    is_resent: npt.NDArray[np.bool_]
    acked_s: Floats
    acknowledged: Integers
    is_duplicate: npt.NDArray[np.bool_]
    sacks: Blocks
    duplicates: Blocks


def sequence(data: Segments, acks: Segments) -> Sequence:
    """The sequence numbers of a connection.

    Args:
        data, acks: the packets of both directions at one interface, in the order in which they passed. At the sender,
            the times are those of the sender.
    """
    data = data.select(data.payload_bytes > 0)
    acks = acks.select((acks.flags & (ACK | SYN | RST)) == ACK)
    origin = int(data.sequence[0]) if len(data) else 0
    starts = unwrapped(data.sequence) - origin
    ends = starts + data.payload_bytes
    acknowledged = unwrapped(acks.acknowledgment, origin) - origin
    sacks, duplicates, has_sack = _blocks(acks, acknowledged, origin)
    sent_before = np.concatenate(([0], np.maximum.accumulate(ends)))[
        np.searchsorted(data.time_s, acks.time_s, side="right")
    ]
    duplicate = _duplicate_mask(acks, acknowledged, sent_before, has_sack)
    return Sequence(
        data.time_s, starts, ends, retransmission_mask(data), acks.time_s, acknowledged, duplicate, sacks, duplicates
    )


def _duplicate_mask(
    acks: Segments, acknowledged: Integers, sent_before: Integers, has_sack: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Whether each is a duplicate acknowledgment (RFC 5681, section 2): while data is outstanding, without data of its
    own, with the greatest number so far, and either with the same window as the one before it or with a block of
    selective acknowledgments (RFC 6675)."""
    highest = np.maximum.accumulate(np.concatenate(([_LEAST], acknowledged)))[:-1]
    same_window = np.concatenate(([False], acks.window[1:] == acks.window[:-1])) if len(acks) else has_sack
    is_pure = (acks.payload_bytes == 0) & ((acks.flags & FIN) == 0)
    is_duplicate = is_pure & (acknowledged == highest) & (sent_before > acknowledged) & (same_window | has_sack)
    return np.asarray(is_duplicate, dtype=np.bool_)


def _blocks(acks: Segments, acknowledged: Integers, origin: int) -> tuple[Blocks, Blocks, npt.NDArray[np.bool_]]:
    """Selective acknowledgments, reports of duplicates, and whether each acknowledgment has one of the former.

    The first block reports a duplicate if it is not above the acknowledgment, or if the second one contains it
    (RFC 2883, section 4).
    """
    edges = acks.sack.astype(np.int64)
    exists = edges[:, :, 0] != edges[:, :, 1]
    near = acknowledged[:, None, None] + origin
    edges = near + (edges - near + _HALF) % _ALL - _HALF - origin
    left, right = edges[:, :, 0], edges[:, :, 1]
    is_known = right <= acknowledged[:, None]
    is_known[:, 0] |= exists[:, 1] & (left[:, 0] >= left[:, 1]) & (right[:, 0] <= right[:, 1])
    times = np.broadcast_to(acks.time_s[:, None], exists.shape)
    new, old = exists & ~is_known, exists & is_known
    parts = (Blocks(times[mask], left[mask], right[mask]) for mask in (new, old))
    return next(parts), next(parts), new.any(axis=1)
