"""The difference that chance allows between a count of lost packets and the drawn loss."""

from __future__ import annotations

import math
from statistics import NormalDist

from frrlib.model.impairments import Impairments

#: How sure a loss must be another one than was drawn: outside of what 99 of 100 trials give.
CONFIDENCE = 0.99


def likeness(rare: Impairments) -> float:
    """How much a packet's fate resembles that of the one before, 0 to 1; 0 where each is lost by itself.

    Of a chain of two states that is 1 - p - r, its second eigenvalue. Of what netem calls correlation, and of four
    states, it is taken as 0.9, which is more than they come to.
    """
    if rare.gilbert_elliott is not None:
        return max(0.0, 1 - (rare.gilbert_elliott.to_bad_percent + rare.gilbert_elliott.to_good_percent) / 100)
    return 0.9 if rare.four_states is not None or rare.loss_correlation_percent else 0.0


def loss_interval(
    sent: int, loss_percent: float, alike: float = 0.0, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Between how many of so many packets are lost in that share of all trials.

    Single losses follow the binomial distribution. Where losses come in bursts the spread is that of so many fewer
    packets: by (1 + r) / (1 - r) for a likeness r from one packet to the next.

    Args:
        sent: packets.
        loss_percent: how many are lost in the long run.
        alike: the likeness r, 0 for single losses.
    """
    share = loss_percent / 100
    if not alike:
        return binomial_interval(sent, share, confidence)
    alike = min(alike, 0.999)
    variance = sent * share * (1 - share) * (1 + alike) / (1 - alike)
    spread = NormalDist().inv_cdf((1 + confidence) / 2) * math.sqrt(variance)
    return max(0.0, sent * share - spread), min(float(sent), sent * share + spread)


def binomial_interval(count: int, share: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Between how many of `count` happen, each by the chance `share`, in so many of all trials: the exact tails."""
    if share <= 0:
        return 0.0, 0.0
    if share >= 1:
        return float(count), float(count)
    tail = (1 - confidence) / 2
    log_share, log_other = math.log(share), math.log1p(-share)

    def chance(number: int) -> float:
        ways = math.lgamma(count + 1) - math.lgamma(number + 1) - math.lgamma(count - number + 1)
        return math.exp(ways + number * log_share + (count - number) * log_other)

    # Farther out than this there is nothing that counts, and of a million packets the sum would take a while.
    far = 12 * math.sqrt(count * share * (1 - share)) + 40
    low = max(0, math.floor(count * share - far))
    below = chance(low)
    while below < tail:
        low += 1
        below += chance(low)
    high = min(count, math.ceil(count * share + far))
    above = chance(high)
    while above < tail:
        high -= 1
        above += chance(high)
    return float(low), float(high)
