"""Intervals of losses, compared with simulated trials."""

from __future__ import annotations

import random

import pytest

from frrlib.model.chance import binomial_interval, loss_correlation, loss_interval
from frrlib.model.impairments import GilbertElliott, Impairments


@pytest.mark.parametrize(("count", "share"), [(1000, 0.001), (1000, 0.01), (5000, 0.1), (200, 0.5)])
def test_99_of_100_trials_fall_into_the_interval(count: int, share: float) -> None:
    low, high = binomial_interval(count, share)
    chance = random.Random(7)
    trials = [sum(chance.random() < share for _ in range(count)) for _ in range(600)]
    inside = sum(low <= losses <= high for losses in trials) / len(trials)
    assert inside >= 0.975
    # No wider than it must be: a third of it would not do.
    middle, third = (low + high) / 2, (high - low) / 6
    assert sum(abs(losses - middle) <= third for losses in trials) / len(trials) < 0.9


def test_impossible_losses_have_no_interval() -> None:
    assert binomial_interval(1000, 0.0) == (0.0, 0.0)
    assert binomial_interval(1000, 1.0) == (1000.0, 1000.0)


def test_bursts_spread_wider_than_single_losses() -> None:
    bursts = GilbertElliott(to_bad_percent=1, to_good_percent=9)
    low, high = loss_interval(4000, bursts.mean_loss_percent, loss_correlation(Impairments(gilbert_elliott=bursts)))
    single = loss_interval(4000, bursts.mean_loss_percent)
    assert low < single[0] and high > single[1]


def test_the_interval_of_a_million_packets_is_that_of_the_normal_distribution() -> None:
    low, high = binomial_interval(1_000_000, 0.01, 0.9999)
    spread = 3.8906 * (1_000_000 * 0.01 * 0.99) ** 0.5  # its quantile for one in ten thousand
    assert (low, high) == pytest.approx((10_000 - spread, 10_000 + spread), abs=6)
