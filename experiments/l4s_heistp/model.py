"""A fluid model of two flows of CUBIC behind a FIFO that drops packets at its limit, with losses by chance.

The bands of L4S-RTT follow from it. It knows windows, the queue and the link, but neither bursts nor delayed ACKs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from frrlib.model.frames import FULL_FRAME_BYTES

#: The share of the window that is left after a loss, and the constant C of RFC 9438.
_KEPT, _C = 0.7, 0.4
_STEP_S = 0.02

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass
class _Windows:
    """The windows of both flows in all repetitions, in packets: arrays with one row per flow."""

    size: Floats
    greatest: Floats
    origin: Floats
    reno: Floats
    plateau_s: Floats
    age_s: Floats
    rests_s: Floats

    @classmethod
    def begin(cls, size: Floats) -> _Windows:
        """Windows just after a loss."""
        before = size / _KEPT
        zeros = np.zeros_like(size)
        return cls(size, before, before, size.copy(), np.cbrt((before - size) / _C), zeros, zeros.copy())

    def grow(self, rtt_s: Floats) -> Floats:
        """The windows after one step without a loss. A flow waits for an RTT after a loss."""
        target = _C * (self.age_s + rtt_s - self.plateau_s) ** 3 + self.origin
        most = self.size * (1 + 0.5 * _STEP_S / rtt_s)
        cubic = self.size + np.clip(target - self.size, 0.01, 0.5 * self.size) * _STEP_S / rtt_s
        self.reno += _STEP_S * 3 * (1 - _KEPT) / (1 + _KEPT) / rtt_s
        return np.where(self.rests_s > 0, self.size, np.maximum(cubic, np.minimum(self.reno, most)))

    def lose(self, hit: Flags, rtt_s: Floats) -> None:
        """Reduce the windows that lost a packet, and let time pass for the others."""
        fast = np.where(self.size < self.greatest, self.size * (1 + _KEPT) / 2, self.size)
        self.greatest = np.where(hit, self.size, self.greatest)
        self.origin = np.where(hit, fast, self.origin)
        self.size = np.where(hit, self.size * _KEPT, self.size)
        self.reno = np.where(hit, self.size, self.reno)
        self.plateau_s = np.where(hit, np.cbrt(np.maximum(self.origin - self.size, 0) / _C), self.plateau_s)
        self.rests_s = np.where(hit, rtt_s, self.rests_s - _STEP_S)
        self.age_s = np.where(hit, 0.0, np.where(self.rests_s <= 0, self.age_s + _STEP_S, self.age_s))


def first_shares(
    rate_mbit: float,
    limit_packets: float,
    rtts_ms: tuple[float, float],
    *,
    repetitions: int = 200,
    begin_s: float = 118.0,
    end_s: float = 178.0,
    seed: int = 1,
) -> Floats:
    """The share of the first flow in what both deliver, from 0 to 1, by repetition.

    Each packet that exceeds the limit belongs to a flow with the probability of this flow's share of the arrivals.

    Args:
        rate_mbit: the rate of the link, in whole frames.
        limit_packets: the limit of the queue.
        rtts_ms: the RTTs of both flows without queue.
        repetitions: the number of repetitions, which begin with other windows.
        begin_s, end_s: the time in which deliveries are counted; both flows begin at 0.
        seed: the seed of all chances.
    """
    chance = np.random.default_rng(seed)
    capacity = rate_mbit * 1e6 / 8 / FULL_FRAME_BYTES
    base_s = np.array(rtts_ms)[:, None] / 1e3
    part = chance.uniform(0.2, 0.8, repetitions)
    full = capacity * base_s.mean() + limit_packets
    windows = _Windows.begin(np.array([full * part, full * (1 - part)]) * chance.uniform(0.7, 1.0, repetitions))
    sent = np.zeros_like(windows.size)
    for step in range(round(end_s / _STEP_S)):
        delay_s = queueing_delay_s(windows.size, base_s, capacity)
        rtt_s = base_s + delay_s
        rates = windows.size / rtt_s
        grown = windows.grow(rtt_s)
        excess = np.where(delay_s * capacity >= limit_packets, (grown - windows.size).sum(axis=0), 0.0)
        drops = chance.poisson(np.maximum(excess, 0.0))
        of_first = chance.binomial(drops, rates[0] / rates.sum(axis=0))
        hit = (np.array([of_first, drops - of_first]) > 0) & (windows.rests_s <= 0)
        windows.size = np.where(hit, windows.size, grown)
        windows.lose(hit, rtt_s)
        if step * _STEP_S >= begin_s:
            sent += rates
    shares: Floats = sent[0] / sent.sum(axis=0)
    return shares


def queueing_delay_s(windows: Floats, base_s: Floats, capacity: float) -> Floats:
    """The delay in the queue with which both windows together send at the capacity; 0 if they send less."""
    linear = capacity * base_s.sum() - windows.sum(axis=0)
    constant = capacity * base_s.prod() - windows[0] * base_s[1] - windows[1] * base_s[0]
    root = np.sqrt(np.maximum(linear**2 - 4 * capacity * constant, 0.0))
    return np.where(constant < 0, (root - linear) / (2 * capacity), 0.0)


def pfifo_band(rate_mbit: float, limit_packets: float, rtts_ms: tuple[float, float]) -> tuple[float, float]:
    """The band of the first flow's share behind a FIFO: the 1st and 99th percentile of the model, and 0.02 more."""
    low, high = np.percentile(first_shares(rate_mbit, limit_packets, rtts_ms), (1, 99))
    return round(float(low) - 0.02, 3), round(float(high) + 0.02, 3)


def fq_codel_band() -> tuple[float, float]:
    """The band of the first flow's share behind fq_codel.

    A flow with a queue of its own gets at least the mean of its window over half of the link, if its window just fills
    this half before a reduction. A window that grows to the plateau again has a mean of 1 - (1 - kept) / 4. `kept` is
    0.7 squared here: CoDel marks a flow twice.
    """
    least = (1 - (1 - _KEPT**2) / 4) / 2
    return round(least, 3), round(1 - least, 3)
