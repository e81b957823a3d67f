"""Paired differences: Student's data on sleep, and runs with seeds."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from statistics import NormalDist

import pytest

from frrlib.results.layout import ResultsError
from frrlib.results.statistics.comparison import group_statistics
from frrlib.results.statistics.paired import paired_difference, paired_table, repetitions_for, signed_rank_p
from tests.results.conftest import Make
from tests.results.test_comparison import a_run, with_topology

#: Additional hours of sleep of ten patients with two drugs (Student, The Probable Error of a Mean, Biometrika, 1908).
FIRST = (0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0)
SECOND = (1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4)


def test_the_interval_is_that_of_r() -> None:
    """R's t.test(sleep, paired) has a mean of 1.58 and an interval from 0.7001142 to 2.4598858."""
    found = paired_difference(FIRST, SECOND)
    assert found is not None and found.mean.n == 10 and found.mean.mean == pytest.approx(1.58)
    assert (found.mean.low, found.mean.high) == pytest.approx((0.7001142, 2.4598858), abs=1e-6)
    # t is 4.0621, so d is t / sqrt(10); the sorted differences are 0 0.8 1 1.2 1.3 1.3 1.4 1.8 2.4 4.6
    assert found.effect == pytest.approx(4.0621 / 10**0.5, abs=1e-4)
    assert (found.median, found.iqr) == pytest.approx((1.3, 1.7 - 1.05))
    bootstrap = paired_difference(FIRST, SECOND, method="bootstrap")
    assert bootstrap is not None and bootstrap.mean.low is not None and bootstrap.mean.low > 0.7
    assert paired_difference((), ()) is None


def test_the_tests_are_those_of_r() -> None:
    """R's t.test(sleep, paired) has p = 0.002833. All nine differences are positive: 2 of 2^9 choices of signs."""
    difference = paired_difference(FIRST, SECOND)
    assert difference is not None and difference.p == pytest.approx(0.002832890, abs=1e-8)
    assert difference.p_signed_rank == pytest.approx(2 / 2**9)
    single, equal = paired_difference((1.0,), (2.0,)), paired_difference((1.0, 2.0), (1.0, 2.0))
    assert single is not None and (single.p, single.p_signed_rank) == (None, 1.0)
    assert equal is not None and (equal.p, equal.p_signed_rank) == (None, None)


@pytest.mark.parametrize("differences", [(3, -1, 2, 2, 5), (1, -1), (0, 4, -2, 2, 2, -7), (-1.5, -2, -3, -4, -8)])
def test_the_signed_rank_test_counts_choices_of_signs(differences: tuple[float, ...]) -> None:
    """Against a list of all choices, with ranks counted value by value."""
    values = [value for value in differences if value]
    ranks = [
        sum(abs(other) < abs(value) for other in values) + (1 + sum(abs(other) == abs(value) for other in values)) / 2
        for value in values
    ]
    sums = [sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign > 0)
            for signs in product((-1, 1), repeat=len(values))]  # fmt: skip
    middle, positive = sum(ranks) / 2, sum(rank for rank, value in zip(ranks, values, strict=True) if value > 0)
    expected = sum(abs(total - middle) >= abs(positive - middle) - 1e-9 for total in sums) / len(sums)
    assert signed_rank_p(differences) == pytest.approx(expected)


@pytest.mark.parametrize(("count", "tolerance"), [(100, 0.02), (150, 1e-6)])
def test_many_differences_have_the_p_of_a_normal_distribution(count: int, tolerance: float) -> None:
    """Of n ranks, the sum of the positive ones has the mean n (n + 1) / 4 and the variance n (n + 1) (2 n + 1) / 24."""
    differences = [rank if rank % 5 < 3 else -rank for rank in range(1, count + 1)]
    positive = sum(value for value in differences if value > 0)
    variance = count * (count + 1) * (2 * count + 1) / 24
    share = NormalDist().cdf(-abs(positive - count * (count + 1) / 4) / variance**0.5)
    assert signed_rank_p(differences) == pytest.approx(2 * share, rel=tolerance)


def test_repetitions_follow_from_tables_of_t() -> None:
    # t(0.975) is 2.086 for 20 degrees of freedom and 2.093 for 19: 21 values suffice for 0.456 s, 20 do not.
    assert repetitions_for(1.0, 0.456) == 21 and repetitions_for(1.0, 0.469) == 20
    assert repetitions_for(1.0, 1e-9) is None


def test_runs_are_paired_by_seed(make: Make) -> None:
    runs = []
    for delay, seeds in ((5, (1, 2, 3)), (20, (3, 1, 9))):
        for seed in seeds:
            run = with_topology(a_run(make, f"d{delay}-{seed}", 1 + seed + delay / 10), delay, 100)
            runs.append(replace(run, info=run.info.model_copy(update={"settings": {"seed": seed}})))
    rows = {row[0]: row for row in paired_table(group_statistics(runs)).rows}
    # seeds 1 and 3 occur in both; each difference is 1.5 Mbit/s
    assert rows["goodput Mbit/s"][1:3] == ("2", "1.5")
    with pytest.raises(ResultsError, match="two experiments, but 1"):
        paired_table(group_statistics(runs[:3]))
    with pytest.raises(ResultsError, match="no seed occurs in both"):
        paired_table(group_statistics([runs[1], runs[3]]))
