"""What arrives over time, in order or not, and how much of a link's rate is left for it.

A receiver's count of bytes in order stands still while a hole is being repaired, and then jumps: over a short time it
shows more than the link carries. What the sender has been told by acknowledgments, selective ones too, does not.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from frrlib.model.frames import FULL_FRAME_BYTES, FrameSizeRules, data_share, tcp_headers_bytes
from frrlib.results.binning import binned_mbit
from frrlib.results.layout import QueueInfo
from frrlib.results.series import FlowSamples, Series, delivered, series


def arrived(flow: FlowSamples) -> Series:
    """Bytes that had arrived, over time, as the sender knew: those acknowledged (`tcpi_bytes_acked`, RFC 4898) and the
    full segments that selective acknowledgments (RFC 2018) told of. It never falls.

    The sender knows one delay of the way back later. What came after its last sample, when it had gone and its data
    were still under way, is the growth of the receiver's count. Of datagrams, and where selective acknowledgments were
    not sampled, it is `delivered`.
    """
    in_order = delivered(flow)
    times, counts = _acknowledged(flow)
    if times.size < 2:
        return in_order
    counts = np.maximum.accumulate(counts)  # a receiver may take a selective acknowledgment back
    after = in_order[0] > times[-1]
    if not after.any():
        return times, counts
    known = max(float(np.interp(times[-1], *in_order)), float(counts[-1]))
    rest = counts[-1] + np.maximum(in_order[1][after] - known, 0.0)
    return np.append(times, in_order[0][after]), np.append(counts, rest)


def tells_of_acks(flow: FlowSamples) -> bool:
    """Whether `arrived` has what was acknowledged, rather than what was delivered in order."""
    return _acknowledged(flow)[0].size > 1


def _acknowledged(flow: FlowSamples) -> Series:
    rows = flow.sender
    if not {"bytes_acked", "sacked_packets", "mss_bytes"} <= rows.keys():
        return np.zeros(0), np.zeros(0)
    told = rows["bytes_acked"] + rows["sacked_packets"] * rows["mss_bytes"]
    return series({"time_s": rows["time_s"], "told": told}, "told")


def arrived_mbit(flow: FlowSamples, from_s: float, to_s: float, bin_s: float) -> Series:
    """The rate at which a flow's bytes arrived, in Mbit/s over bins of `bin_s`, see `binning.binned_rate`."""
    return binned_mbit(arrived(flow), from_s, to_s, bin_s)


def payload_share(info: QueueInfo, flows: Iterable[FlowSamples]) -> float | None:
    """The largest share of a link's rate, 0 to 1, that is left for the data of TCP flows in full frames.

    A rate counts frames with their Ethernet headers, as `tc` does, and whatever else the link's shaper adds to them:
    of 1514 bytes 1448 are data, so 10 Mbit/s carry 9.56.

    Args:
        info: the link's queue.
        flows: those that may be on it; the one with the largest segments counts.

    Returns:
        None where no flow is of TCP.
    """
    frame_bytes = info.frame_bytes or FULL_FRAME_BYTES
    shares = [_share(frame_bytes, info.accounting, flow) for flow in flows if flow.planned.transport == "tcp"]
    return max(shares, default=None)


def _share(frame_bytes: int, accounting: FrameSizeRules, flow: FlowSamples) -> float:
    headers_bytes = tcp_headers_bytes(6 if ":" in flow.planned.address else 4)
    told = series(flow.sender, "mss_bytes")[1] if "mss_bytes" in flow.sender else np.zeros(0)
    segment_bytes = float(np.median(told)) if told.size else float(frame_bytes - headers_bytes)
    # Without timestamps a segment has 12 bytes more, and the frame is the same.
    return data_share(segment_bytes, min(frame_bytes, segment_bytes + headers_bytes), accounting)
