"""Predictions of theory for the TU experiments: thin lines in their figures, and sources of statements' bands.

General TCP theory is in `experiments.theory`. Windows count in packets of `FULL_SEGMENT_BYTES`, queues in frames of
`FULL_FRAME_BYTES`.
"""

from __future__ import annotations

from experiments.theory import PAYLOAD_SHARE, mathis_mbit, window_mbit
from frrlib.model.frames import FULL_FRAME_BYTES
from frrlib.results.statistics.summary import jain_index

#: CUBIC's C and beta (RFC 9438, section 4.1 and 4.6).
_CUBIC_C, _CUBIC_BETA = 0.4, 0.7
#: CUBIC's least window in parts of its mean: from a loss on it is W - 0.3 W (1 - t/K)^3, which is 0.7 W at first and
#: (1 - 0.3/4) W in the mean.
CUBIC_LOW = _CUBIC_BETA / (1 - (1 - _CUBIC_BETA) / 4)
#: BBR probes with so much more than it has measured (`tcp_bbr.c`), with 1 % of margin in its pace.
_PROBE_GAIN, _PACE = 1.25, 0.99
#: A loss of so many for each packet delivered makes BBR believe in a policer (`bbr_lt_loss_thresh`).
_POLICER = 50 / 256


def bbr_share(buffer_bdp: float, rate_mbit: float, rtt_ms: float, *, flows: int = 1, low: float = 1.0) -> float:
    """The part of a link, 0 to 1, that BBR gets beside flows that fill the queue, however many those are.

    Ware, Mukerjee, Seshan, Sherry: Modeling BBR's Interactions with Loss-Based Congestion Control, IMC 2019, equations
    9 to 11: BBR keeps twice its bandwidth times the least RTT that it has seen in flight, and that least RTT is one
    with the others' packets in the queue. So they keep p = 1/2 - 1/(2 X) - 4 N / q of the link, and BBR loses the time
    in which it looks for a lower RTT, (q/c + 0.2 s + RTT) of every 10 s.

    The model takes the others' window for constant. BBR remembers the least RTT of 10 s, and CUBIC's window goes down
    and up again in less than that, so p must hold where the window is least: the mean is p / `low`.

    Args:
        buffer_bdp: X, the queue's limit in bandwidth-delay products. The model is of X > 1: below, BBR gets all that
            ProbeRTT leaves it.
        rate_mbit, rtt_ms: of the bottleneck, and without queue.
        flows: N, how many flows are BBR's.
        low: the others' least window in parts of their mean; 1 for the model as published, `CUBIC_LOW` for CUBIC.
    """
    frames_s = rate_mbit * 125e3 / FULL_FRAME_BYTES
    queue_frames = buffer_bdp * frames_s * rtt_ms / 1e3
    others = min(max((0.5 - 0.5 / buffer_bdp - 4 * flows / queue_frames) / low, 0.0), 1.0)
    probing = (queue_frames / frames_s + 0.2 + rtt_ms / 1e3) / 10
    return (1 - others) * max(1 - probing, 0.0)


def fairness(share: float) -> float:
    """Jain's index of two flows of which one gets this part of all (0 to 1): 1 is even, 0.5 is all for one."""
    found = jain_index((share, 1 - share))
    assert found is not None, "one of them gets something"
    return found


def cubic_mbit(loss: float, rtt_ms: float) -> float:
    """CUBIC's goodput under single random losses: the mean window of RFC 9438, section 5.1, and not less than in the
    region in which it follows Reno (section 4.3), whose mean window is Reno's."""
    curve = (_CUBIC_C * (3 + _CUBIC_BETA) / (4 * (1 - _CUBIC_BETA))) ** 0.25 * (rtt_ms / 1e3 / loss) ** 0.75
    return max(window_mbit(curve, rtt_ms), mathis_mbit(loss, rtt_ms))


def bbr_cliff() -> float:
    """The random loss, 0 to 1, beyond which probing finds no more than was known: the remainder of 1.25 times the
    bandwidth, paced 1 % below, is less than the bandwidth.
    """
    return 1 - 1 / (_PROBE_GAIN * _PACE)


def policer_cliff() -> float:
    """The random loss, 0 to 1, from which BBR takes the path for one with a policer: 50 lost for 256 delivered."""
    return _POLICER / (1 + _POLICER)


def bbr_mbit(loss: float, rate_mbit: float) -> float:
    """The most that a link with random loss behind it can deliver, which BBR reaches but for start and ProbeRTT."""
    return rate_mbit * PAYLOAD_SHARE * (1 - loss)
