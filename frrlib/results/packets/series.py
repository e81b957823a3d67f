"""A connection's series from its packets: rates, round trips, retransmissions, data in flight.

Pure functions on the packets that passed one point. Seen at the sender a round trip is the connection's own; seen
behind a queue, what is left of it from there. A series is a pair of float arrays (time_s, value) of one length, times
rising.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from frrlib.results.packets.captures import ACK, NOTHING, Segments
from frrlib.results.series import Series

_HALF, _ALL = 1 << 31, 1 << 32


def rates(segments: Segments, bin_s: float, from_s: float, to_s: float, *, payload: bool = False) -> Series:
    """The throughput in Mbit/s, averaged over spans of `bin_s`, at their middles; whole frames, or their payload."""
    count = max(1, round((to_s - from_s) / bin_s))
    edges = from_s + bin_s * np.arange(count + 1)
    weights = segments.payload_bytes if payload else segments.frame_bytes
    passed, _ = np.histogram(segments.time_s, bins=edges, weights=weights.astype(np.float64))
    return (edges[:-1] + edges[1:]) / 2, passed * 8e-6 / bin_s


def retransmission_mask(data: Segments) -> npt.NDArray[np.bool_]:
    """For each packet, whether all of its data had passed before: it is a retransmission.

    Where packets overtake each other on their way to this point, the late ones count, too: look at the sender.
    """
    starts = unwrapped(data.sequence)
    ends = starts + data.payload_bytes
    highest = np.maximum.accumulate(np.concatenate(([np.iinfo(np.int64).min], ends)))[:-1]
    return (data.payload_bytes > 0) & (ends <= highest)


def rtt_by_ack(data: Segments, acks: Segments) -> Series:
    """Round trips in ms, each from a packet with data to the first acknowledgment of it, at the time of the latter.

    Where one acknowledges several packets the last of them counts. Whatever was sent again tells nothing (Karn's rule),
    and neither does an acknowledgment that waited for it.
    """
    data, again = _with_data(data)
    acks = acks.select((acks.flags & ACK) != 0)
    if not len(data) or not len(acks):
        return _EMPTY
    starts, numbers = _aligned(data, acks)
    first = ~again
    ends, sent_s = (starts + data.payload_bytes)[first], data.time_s[first]
    order = np.argsort(ends, kind="stable")
    ends, sent_s = ends[order], sent_s[order]
    # How many packets up to each were sent again later: a growth between two acknowledgments is one that waited.
    tainted = np.zeros(ends.size, dtype=np.int64)
    tainted[np.minimum(np.searchsorted(ends, starts[again] + data.payload_bytes[again]), ends.size - 1)] = 1
    total = np.concatenate(([0], np.cumsum(tainted)))
    highest = np.maximum.accumulate(numbers)
    is_new = highest > np.concatenate(([np.iinfo(np.int64).min], highest[:-1]))
    covered = np.searchsorted(ends, numbers[is_new], side="right")
    before = np.concatenate(([0], covered[:-1]))
    came_s = acks.time_s[is_new]
    newest_s = sent_s[np.maximum(covered, 1) - 1]
    good = (covered > before) & (total[covered] == total[before]) & (came_s > newest_s)
    return came_s[good], 1e3 * (came_s - newest_s)[good]


def rtt_by_stamp(data: Segments, acks: Segments) -> Series:
    """Round trips in ms, each from the first packet with a timestamp to the first answer that repeats it.

    A timestamp lasts a millisecond, and an answer to two packets repeats that of the first: a round trip may seem as
    much longer as it takes until the next answer comes. What was sent again has a new timestamp, so these count, too.
    """
    data, _ = _with_data(data)
    sent, first_sent = np.unique(data.stamp, return_index=True)
    echoed, first_echoed = np.unique(acks.echo, return_index=True)
    _, here, there = np.intersect1d(sent, echoed, return_indices=True)
    sent_s, came_s = data.time_s[first_sent[here]], acks.time_s[first_echoed[there]]
    good = (came_s > sent_s) & (sent[here] >= 0)
    order = np.argsort(came_s[good], kind="stable")
    return came_s[good][order], 1e3 * (came_s - sent_s)[good][order]


def in_flight(data: Segments, acks: Segments) -> Series:
    """Bytes that have passed and are not acknowledged, after each packet and each acknowledgment.

    Selective acknowledgments are not looked at: while something is missing, what came behind it counts as under way.
    """
    data, _ = _with_data(data)
    acks = acks.select((acks.flags & ACK) != 0)
    if not len(data) or not len(acks):
        return _EMPTY
    starts, numbers = _aligned(data, acks)
    sent, known = np.maximum.accumulate(starts + data.payload_bytes), np.maximum.accumulate(numbers)
    times = np.sort(np.concatenate((data.time_s, acks.time_s)), kind="stable")
    before = int(starts[0])
    passed = np.concatenate(([before], sent))[np.searchsorted(data.time_s, times, side="right")]
    answered = np.concatenate(([before], known))[np.searchsorted(acks.time_s, times, side="right")]
    return times, np.maximum(0, passed - answered).astype(np.float64)


def transit(upstream: Segments, downstream: Segments) -> tuple[Series, int]:
    """How long packets with data took from one point to another, in ms, at the time of the former; and how many of
    those that passed the former never came to the latter.

    A packet is known by its sequence number and timestamp: without timestamps those that were sent again are mixed up.
    """
    upstream, downstream = _with_data(upstream)[0], _with_data(downstream)[0]
    before, first_before = np.unique(_keys(upstream), return_index=True)
    behind, first_behind = np.unique(_keys(downstream), return_index=True)
    _, one, other = np.intersect1d(before, behind, return_indices=True)
    left_s, came_s = upstream.time_s[first_before[one]], downstream.time_s[first_behind[other]]
    order = np.argsort(left_s, kind="stable")
    return (left_s[order], 1e3 * (came_s - left_s)[order]), int(before.size - one.size)


def unwrapped(numbers: npt.NDArray[np.int64], first: int | None = None) -> npt.NDArray[np.int64]:
    """Numbers of 32 bits that wrap as numbers that go on, near to `first`; None for the first of them."""
    if not numbers.size:
        return numbers
    begin = int(numbers[0]) if first is None else first
    steps = np.diff(numbers, prepend=begin)
    return begin + np.cumsum((steps + _HALF) % _ALL - _HALF)


_EMPTY: Series = NOTHING.time_s, NOTHING.time_s


def _with_data(segments: Segments) -> tuple[Segments, npt.NDArray[np.bool_]]:
    """Packets with data, and which of them are retransmissions."""
    data = segments.select(segments.payload_bytes > 0)
    return data, retransmission_mask(data)


def _aligned(data: Segments, acks: Segments) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Sequence numbers and those that acknowledge them, counted on alike."""
    return unwrapped(data.sequence), unwrapped(acks.acknowledgment, int(data.sequence[0]))


def _keys(segments: Segments) -> npt.NDArray[np.uint64]:
    return segments.sequence.astype(np.uint64) << np.uint64(32) | (segments.stamp % _ALL).astype(np.uint64)
