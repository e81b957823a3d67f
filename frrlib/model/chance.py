"""The deviation that chance allows between a count of lost packets and the configured loss."""

from __future__ import annotations

import math
from statistics import NormalDist

from frrlib.model.impairments import Impairments

#: Confidence level: a loss deviates from the configured one if it is outside of the range of 99 of 100 trials.
CONFIDENCE = 0.99


def loss_correlation(rare: Impairments) -> float:
    """The correlation between the losses of consecutive packets, 0 to 1; 0 for independent losses.

    For a chain of two states it is 1 - p - r, the chain's second eigenvalue. For netem's correlation and for four
    states, 0.9 is used as an upper bound.
    """
    if rare.gilbert_elliott is not None:
        return max(0.0, 1 - (rare.gilbert_elliott.to_bad_percent + rare.gilbert_elliott.to_good_percent) / 100)
    return 0.9 if rare.four_states is not None or rare.loss_correlation_percent else 0.0


def loss_interval(
    sent: int, loss_percent: float, alike: float = 0.0, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """The interval of the number of lost packets at a confidence level.

    Independent losses follow the binomial distribution. Bursts increase the variance by the factor (1 + r) / (1 - r)
    for a correlation r between consecutive packets.

    Args:
        sent: number of packets.
        loss_percent: share of lost packets in the long run.
        alike: the correlation r, 0 for independent losses.
        confidence: the share of trials within the interval.
    """
    share = loss_percent / 100
    if not alike:
        return binomial_interval(sent, share, confidence)
    alike = min(alike, 0.999)
    variance = sent * share * (1 - share) * (1 + alike) / (1 - alike)
    spread = NormalDist().inv_cdf((1 + confidence) / 2) * math.sqrt(variance)
    return max(0.0, sent * share - spread), min(float(sent), sent * share + spread)


def binomial_interval(count: int, share: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The interval of the number of successes in `count` trials of probability `share`, from the exact tails."""
    if share <= 0:
        return 0.0, 0.0
    if share >= 1:
        return float(count), float(count)
    tail = (1 - confidence) / 2
    log_share, log_other = math.log(share), math.log1p(-share)

    def chance(number: int) -> float:
        log_combinations = math.lgamma(count + 1) - math.lgamma(number + 1) - math.lgamma(count - number + 1)
        return math.exp(log_combinations + number * log_share + (count - number) * log_other)

    # Probabilities farther out are negligible, and the sum over a million packets would take long.
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
