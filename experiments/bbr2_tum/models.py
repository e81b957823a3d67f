"""Theoretical predictions for the TU experiments: the thin lines in their figures, and the basis of some bands.

General TCP theory is in `miniedit_frr.experiments.theory`. Windows are in packets of `FULL_SEGMENT_BYTES`, queues in
frames of `FULL_FRAME_BYTES`.
"""

from __future__ import annotations

from frrlib.model.frames import FULL_FRAME_BYTES
from frrlib.results.statistics.summary import jain_index
from miniedit_frr.experiments.theory import PAYLOAD_SHARE, mathis_mbit, window_mbit

#: CUBIC's C and beta (RFC 9438, section 4.1 and 4.6).
_CUBIC_C, _CUBIC_BETA = 0.4, 0.7
#: CUBIC's least window as a fraction of its mean. After a loss the window is W - 0.3 W (1 - t/K)^3: 0.7 W at first, and
#: (1 - 0.3/4) W on average.
CUBIC_LOW = _CUBIC_BETA / (1 - (1 - _CUBIC_BETA) / 4)
#: BBR's gain while probing (`tcp_bbr.c`), and its pacing margin of 1 %.
_PROBE_GAIN, _PACE = 1.25, 0.99
#: The lost packets for each delivered packet from which BBR assumes a policer (`bbr_lt_loss_thresh`).
_POLICER = 50 / 256


def bbr_share(buffer_bdp: float, rate_mbit: float, rtt_ms: float, *, flows: int = 1, low: float = 1.0) -> float:
    """BBR's share of a link, 0 to 1, beside any number of flows that fill the queue.

    Ware, Mukerjee, Seshan, Sherry: Modeling BBR's Interactions with Loss-Based Congestion Control, IMC 2019, equations
    9 to 11: BBR keeps twice its bandwidth times its least RTT in flight, and the other flows' packets are in the queue
    when it measures this RTT. So the others keep p = 1/2 - 1/(2 X) - 4 N / q of the link, and BBR loses the time of
    ProbeRTT, (q/c + 0.2 s + RTT) of every 10 s.

    The model assumes a constant window of the others. BBR's least RTT is that of 10 s, and CUBIC's window goes down and
    up again in less time. So p applies to the least window, and the mean is p / `low`.

    Args:
        buffer_bdp: X, the queue's limit in bandwidth-delay products. The model requires X > 1; with less, BBR has the
            whole link except during ProbeRTT.
        rate_mbit, rtt_ms: the rate of the bottleneck, and the RTT without queue.
        flows: N, the number of BBR flows.
        low: the others' least window as a fraction of its mean; 1 for the published model, `CUBIC_LOW` for CUBIC.
    """
    frames_s = rate_mbit * 125e3 / FULL_FRAME_BYTES
    queue_frames = buffer_bdp * frames_s * rtt_ms / 1e3
    others_share = min(max((0.5 - 0.5 / buffer_bdp - 4 * flows / queue_frames) / low, 0.0), 1.0)
    probing = (queue_frames / frames_s + 0.2 + rtt_ms / 1e3) / 10
    return (1 - others_share) * max(1 - probing, 0.0)


def fairness(share: float) -> float:
    """Jain's index of two flows, one of which has this share (0 to 1): 1 is even, 0.5 is everything for one flow."""
    index = jain_index((share, 1 - share))
    assert index is not None, "at least one share is positive"
    return index


def cubic_mbit(loss: float, rtt_ms: float) -> float:
    """CUBIC's goodput under single random losses: the mean window of RFC 9438, section 5.1, but at least that of its
    Reno-friendly region (section 4.3), which is Reno's mean window."""
    curve = (_CUBIC_C * (3 + _CUBIC_BETA) / (4 * (1 - _CUBIC_BETA))) ** 0.25 * (rtt_ms / 1e3 / loss) ** 0.75
    return max(window_mbit(curve, rtt_ms), mathis_mbit(loss, rtt_ms))


def bbr_cliff() -> float:
    """The random loss, 0 to 1, beyond which probing finds no more bandwidth: less than the bandwidth arrives of 1.25
    times the bandwidth, paced 1 % lower.
    """
    return 1 - 1 / (_PROBE_GAIN * _PACE)


def policer_cliff() -> float:
    """The random loss, 0 to 1, from which BBR assumes a policer: 50 lost packets for 256 delivered ones."""
    return _POLICER / (1 + _POLICER)


def bbr_mbit(loss: float, rate_mbit: float) -> float:
    """The goodput limit of a link with random loss behind it. BBR reaches it except during start-up and ProbeRTT."""
    return rate_mbit * PAYLOAD_SHARE * (1 - loss)
