"""A connection's series from its packets: rates, round trips, retransmissions, data in flight.

Pure functions on the packets that passed one interface. At the sender, a round trip is that of the connection; behind a
queue, it is the part from there on. A series is a pair of float arrays (time_s, value) of equal length with ascending
times.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from frrlib.results.packets.captures import ACK, NOTHING, Segments
from frrlib.results.series import Series

_HALF, _ALL = 1 << 31, 1 << 32


def rates(segments: Segments, bin_s: float, from_s: float, to_s: float, *, payload: bool = False) -> Series:
    """The throughput of frames, or of their payload, in Mbit/s, averaged over bins of `bin_s`, at their middles."""
    count = max(1, round((to_s - from_s) / bin_s))
    edges = from_s + bin_s * np.arange(count + 1)
    weights = segments.payload_bytes if payload else segments.frame_bytes
    passed, _ = np.histogram(segments.time_s, bins=edges, weights=weights.astype(np.float64))
    return (edges[:-1] + edges[1:]) / 2, passed * 8e-6 / bin_s


def retransmission_mask(data: Segments) -> npt.NDArray[np.bool_]:
    """For each packet, whether it is a retransmission: all of its data had passed before.

    Packets that were reordered before this interface count, too, so the sender's interface is the best.
    """
    starts = unwrapped(data.sequence)
    ends = starts + data.payload_bytes
    highest = np.maximum.accumulate(np.concatenate(([np.iinfo(np.int64).min], ends)))[:-1]
    return (data.payload_bytes > 0) & (ends <= highest)


def rtt_by_ack(data: Segments, acks: Segments) -> Series:
    """Round trips in ms, each from a packet with data to its first acknowledgment, at the time of the latter.

    If one acknowledges several packets, the last packet is used. Retransmitted packets are not used (Karn's rule), nor
    are acknowledgments that waited for a retransmission.
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
    # The number of packets up to each that were retransmitted later. If it grows between two acknowledgments, the
    # second one waited for a retransmission.
    tainted = np.zeros(ends.size, dtype=np.int64)
    tainted[np.minimum(np.searchsorted(ends, starts[again] + data.payload_bytes[again]), ends.size - 1)] = 1
    total = np.concatenate(([0], np.cumsum(tainted)))
    highest = np.maximum.accumulate(numbers)
    is_new = highest > np.concatenate(([np.iinfo(np.int64).min], highest[:-1]))
    covered = np.searchsorted(ends, numbers[is_new], side="right")
    previous = np.concatenate(([0], covered[:-1]))
    came_s = acks.time_s[is_new]
    newest_s = sent_s[np.maximum(covered, 1) - 1]
    good = (covered > previous) & (total[covered] == total[previous]) & (came_s > newest_s)
    return came_s[good], 1e3 * (came_s - newest_s)[good]


def rtt_by_stamp(data: Segments, acks: Segments) -> Series:
    """Round trips in ms, each from the first packet with a timestamp to the first acknowledgment that echoes it.

    A timestamp lasts a millisecond, and an acknowledgment of two packets echoes that of the first. A round trip may
    therefore be overestimated by the time until the next acknowledgment. Retransmissions have a new timestamp, so they
    count, too.
    """
    data, _ = _with_data(data)
    sent, first_sent = np.unique(data.stamp, return_index=True)
    echoed, first_echoed = np.unique(acks.echo, return_index=True)
    _, sent_index, echo_index = np.intersect1d(sent, echoed, return_indices=True)
    sent_s, came_s = data.time_s[first_sent[sent_index]], acks.time_s[first_echoed[echo_index]]
    good = (came_s > sent_s) & (sent[sent_index] >= 0)
    order = np.argsort(came_s[good], kind="stable")
    return came_s[good][order], 1e3 * (came_s - sent_s)[good][order]


def in_flight(data: Segments, acks: Segments) -> Series:
    """Bytes that have passed and are not acknowledged, after each packet and each acknowledgment.

    Selective acknowledgments are ignored: while a packet is missing, all data behind it counts as in flight.
    """
    data, _ = _with_data(data)
    acks = acks.select((acks.flags & ACK) != 0)
    if not len(data) or not len(acks):
        return _EMPTY
    starts, numbers = _aligned(data, acks)
    sent, acknowledged = np.maximum.accumulate(starts + data.payload_bytes), np.maximum.accumulate(numbers)
    times = np.sort(np.concatenate((data.time_s, acks.time_s)), kind="stable")
    first_number = int(starts[0])
    passed = np.concatenate(([first_number], sent))[np.searchsorted(data.time_s, times, side="right")]
    answered = np.concatenate(([first_number], acknowledged))[np.searchsorted(acks.time_s, times, side="right")]
    return times, np.maximum(0, passed - answered).astype(np.float64)


def transit(upstream: Segments, downstream: Segments) -> tuple[Series, int]:
    """The transit times in ms of packets with data from one interface to another, at the times at the former, and the
    number of packets that passed the former and never the latter.

    Packets are identified by sequence number and timestamp. Without timestamps, retransmissions cannot be
    distinguished.
    """
    upstream, downstream = _with_data(upstream)[0], _with_data(downstream)[0]
    upstream_keys, first_upstream = np.unique(_keys(upstream), return_index=True)
    downstream_keys, first_downstream = np.unique(_keys(downstream), return_index=True)
    _, upstream_index, downstream_index = np.intersect1d(upstream_keys, downstream_keys, return_indices=True)
    left_s, came_s = (
        upstream.time_s[first_upstream[upstream_index]],
        downstream.time_s[first_downstream[downstream_index]],
    )
    order = np.argsort(left_s, kind="stable")
    return (left_s[order], 1e3 * (came_s - left_s)[order]), int(upstream_keys.size - upstream_index.size)


def unwrapped(numbers: npt.NDArray[np.int64], first: int | None = None) -> npt.NDArray[np.int64]:
    """Numbers of 32 bits that wrap as continuous numbers.

    Args:
        first: the first result is near to it; None for the first number itself.
    """
    if not numbers.size:
        return numbers
    begin = int(numbers[0]) if first is None else first
    steps = np.diff(numbers, prepend=begin)
    return begin + np.cumsum((steps + _HALF) % _ALL - _HALF)


_EMPTY: Series = NOTHING.time_s, NOTHING.time_s


def _with_data(segments: Segments) -> tuple[Segments, npt.NDArray[np.bool_]]:
    """The packets with data, and the mask of retransmissions among them."""
    data = segments.select(segments.payload_bytes > 0)
    return data, retransmission_mask(data)


def _aligned(data: Segments, acks: Segments) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The sequence numbers of data and the numbers of acknowledgments as continuous numbers with a common origin."""
    return unwrapped(data.sequence), unwrapped(acks.acknowledgment, int(data.sequence[0]))


def _keys(segments: Segments) -> npt.NDArray[np.uint64]:
    return segments.sequence.astype(np.uint64) << np.uint64(32) | (segments.stamp % _ALL).astype(np.uint64)
