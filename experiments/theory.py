"""General theory of TCP: the rate of a window per round trip, and Reno under loss."""

from __future__ import annotations

import math

from frrlib.model.frames import FULL_FRAME_BYTES, FULL_SEGMENT_BYTES

#: The share of payload in a link's rate if all frames are full.
PAYLOAD_SHARE = FULL_SEGMENT_BYTES / FULL_FRAME_BYTES


def window_mbit(packets: float, rtt_ms: float) -> float:
    """The goodput in Mbit/s of a sender with a window of this number of full packets in each round trip."""
    return packets * FULL_SEGMENT_BYTES * 8 / rtt_ms * 1e-3


def mathis_mbit(loss: float, rtt_ms: float) -> float:
    """Reno's goodput in Mbit/s under random loss of single packets.

    Mathis, Semke, Mahdavi, Ott: The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm, CCR 27(3), 1997: a
    mean window of sqrt(3/2) / sqrt(p) = 1.22 / sqrt(p) packets, if each packet is acknowledged.

    Args:
        loss: p, more than 0 and at most 1.
        rtt_ms: the round-trip time, more than 0.
    """
    return window_mbit(math.sqrt(1.5 / loss), rtt_ms)
