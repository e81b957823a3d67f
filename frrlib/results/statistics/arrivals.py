"""Arrived bytes over time, in order or not, and the share of a link's rate for payload.

A receiver's count of bytes in order stops while a hole is being repaired, and then jumps: over a short time it exceeds
the rate of the link. The count of acknowledged bytes at the sender, with selective acknowledgments, does not.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from frrlib.model.frames import FULL_FRAME_BYTES, FrameSizeRules, data_share, tcp_headers_bytes
from frrlib.results.binning import binned_mbit
from frrlib.results.layout import QueueInfo
from frrlib.results.series import FlowSamples, Series, delivered, series


def arrived(flow: FlowSamples) -> Series:
    """Arrived bytes over time, as counted at the sender: the acknowledged bytes (`tcpi_bytes_acked`, RFC 4898) and the
    full segments in selective acknowledgments (RFC 2018). The count never falls.

    It lags by the delay of the reverse path. After the sender's last sample, when its data may still be in flight, the
    count grows as the receiver's. For datagrams, and without samples of selective acknowledgments, it is `delivered`.
    """
    in_order = delivered(flow)
    times, counts = _acknowledged(flow)
    if times.size < 2:
        return in_order
    counts = np.maximum.accumulate(counts)  # a receiver may renege on a selective acknowledgment
    is_later = in_order[0] > times[-1]
    if not is_later.any():
        return times, counts
    known_bytes = max(float(np.interp(times[-1], *in_order)), float(counts[-1]))
    later_counts = counts[-1] + np.maximum(in_order[1][is_later] - known_bytes, 0.0)
    return np.append(times, in_order[0][is_later]), np.append(counts, later_counts)


def has_acknowledged_bytes(flow: FlowSamples) -> bool:
    """Whether `arrived` counts acknowledged bytes, rather than bytes delivered in order."""
    return _acknowledged(flow)[0].size > 1


def _acknowledged(flow: FlowSamples) -> Series:
    rows = flow.sender
    if not {"bytes_acked", "sacked_packets", "mss_bytes"} <= rows.keys():
        return np.zeros(0), np.zeros(0)
    acknowledged = rows["bytes_acked"] + rows["sacked_packets"] * rows["mss_bytes"]
    return series({"time_s": rows["time_s"], "told": acknowledged}, "told")


def arrived_mbit(flow: FlowSamples, from_s: float, to_s: float, bin_s: float) -> Series:
    """The rate of a flow's arrived bytes in Mbit/s over bins of `bin_s`, see `binning.binned_rate`."""
    return binned_mbit(arrived(flow), from_s, to_s, bin_s)


def payload_share(info: QueueInfo, flows: Iterable[FlowSamples]) -> float | None:
    """The largest share of a link's rate, 0 to 1, for the data of TCP flows in full frames.

    A rate counts frames with their Ethernet headers, as `tc` does, and the bytes that the link's shaper adds to them:
    of 1514 bytes 1448 are data, so 10 Mbit/s carry 9.56.

    Args:
        info: the link's queue.
        flows: the flows that may be on the link; the one with the largest segments is used.

    Returns:
        None without a TCP flow.
    """
    frame_bytes = info.frame_bytes or FULL_FRAME_BYTES
    shares = [_share(frame_bytes, info.accounting, flow) for flow in flows if flow.planned.transport == "tcp"]
    return max(shares, default=None)


def _share(frame_bytes: int, accounting: FrameSizeRules, flow: FlowSamples) -> float:
    headers_bytes = tcp_headers_bytes(6 if ":" in flow.planned.address else 4)
    segment_sizes = series(flow.sender, "mss_bytes")[1] if "mss_bytes" in flow.sender else np.zeros(0)
    segment_bytes = float(np.median(segment_sizes)) if segment_sizes.size else float(frame_bytes - headers_bytes)
    # Without timestamps a segment has 12 bytes more in a frame of the same size.
    return data_share(segment_bytes, min(frame_bytes, segment_bytes + headers_bytes), accounting)
