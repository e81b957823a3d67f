"""Differences between independent groups: published examples, and all choices of a group one by one."""

from __future__ import annotations

import json
from itertools import combinations
from statistics import NormalDist

import pytest

from frrlib.results.layout import ResultsError
from frrlib.results.statistics.comparison import group_statistics
from frrlib.results.statistics.intervals import student_p, student_t
from frrlib.results.statistics.unpaired import rank_sum_p, unpaired_difference, unpaired_table
from tests.cli.commands import command_output, invoke
from tests.results.conftest import Make
from tests.results.test_comparison import a_run, with_topology
from tests.results.test_intervals import goodputs
from tests.results.test_paired import FIRST, SECOND

#: Permeability of the membranes around a child at the end of a pregnancy and before (Hollander and Wolfe,
#: Nonparametric Statistical Methods, 1973, page 69); the example of R's wilcox.test.
AT_TERM = (0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46)
BEFORE = (1.15, 0.88, 0.90, 0.74, 1.21)


def test_welchs_test_is_that_of_r() -> None:
    """R's t.test(extra ~ group, sleep): t = -1.8608, df = 17.776, p = 0.07939, from -3.3654832 to 0.2054832."""
    difference = unpaired_difference(FIRST, SECOND)
    assert difference is not None and (difference.n_first, difference.n_second) == (10, 10)
    assert difference.mean == pytest.approx(2.33 - 0.75) and difference.degrees == pytest.approx(17.776, abs=5e-4)
    assert (difference.low, difference.high) == pytest.approx((-0.2054832, 3.3654832), abs=1e-6)
    assert difference.p == pytest.approx(0.07939, abs=5e-6)
    # For groups of equal size n, t is d times the root of n / 2.
    assert difference.effect == pytest.approx(1.8608 / 5**0.5, abs=1e-4)
    bootstrap = unpaired_difference(FIRST, SECOND, method="bootstrap")
    assert bootstrap is not None and bootstrap.low is not None and bootstrap.high is not None
    assert -0.21 < bootstrap.low < 0.2 and 2.9 < bootstrap.high < 3.4 and bootstrap.p == difference.p


@pytest.mark.parametrize(
    ("degrees", "t", "p"),
    [(1, 12.7062047, 0.05), (1, 1.0, 0.5), (17.776, 1.8608134674, 0.07939459), (2, 31.5990546, 0.001),
     (1000, 1.9623391, 0.05), (120, 6.0, 2.1483038e-8), (3.5, 0.0, 1.0)],
)  # fmt: skip
def test_students_distribution_is_that_of_tables(degrees: float, t: float, p: float) -> None:
    """Tables of t, and for degrees that are not whole, and far from 0, SciPy's stats.t."""
    assert student_p(t, degrees) == pytest.approx(p, rel=1e-5)
    if t:
        assert student_t(1 - p, degrees) == pytest.approx(t, rel=1e-6)


def test_the_rank_sum_test_is_that_of_r() -> None:
    """R's wilcox.test, one-sided, has W = 35 of 50 and p = 0.1272: 382 of the 3003 choices of five of fifteen."""
    difference = unpaired_difference(BEFORE, AT_TERM)
    assert difference is not None and difference.superiority == pytest.approx(35 / 50)
    assert difference.p_rank_sum == pytest.approx(2 * 382 / 3003)
    assert difference.p_rank_sum / 2 == pytest.approx(0.1272, abs=5e-5)


@pytest.mark.parametrize(
    ("first", "second"),
    [((1, 2, 3), (4, 5, 6)), ((1, 1, 2), (2, 2, 5, 7)), ((3.5,), (1, 2, 4)), ((0, 0, 0, 9), (0, 9, 9)), ((1,), (2,))],
)
def test_the_rank_sum_test_counts_choices_of_a_group(first: tuple[float, ...], second: tuple[float, ...]) -> None:
    """Against a list of all choices, by the number of pairs in which the second value is larger."""

    def larger(lower: tuple[float, ...], upper: tuple[float, ...]) -> float:
        return sum((high > low) + (high == low) / 2 for low in lower for high in upper)

    values, middle = first + second, len(first) * len(second) / 2
    distances = [
        abs(larger(tuple(values[at] for at in range(len(values)) if at not in chosen),
                   tuple(values[at] for at in chosen)) - middle)
        for chosen in combinations(range(len(values)), len(second))
    ]  # fmt: skip
    expected = sum(distance >= abs(larger(first, second) - middle) for distance in distances) / len(distances)
    assert rank_sum_p(first, second) == pytest.approx(expected)
    assert rank_sum_p(second, first) == pytest.approx(expected)


@pytest.mark.parametrize(("count", "tolerance"), [(50, 0.02), (51, 1e-9)])
def test_many_values_have_the_p_of_a_normal_distribution(count: int, tolerance: float) -> None:
    """U has the mean n m / 2 and, without equal values, the variance n m (n + m + 1) / 12."""
    values = range(2 * count)
    second = [value for value in values if value % 2 or value > 1.7 * count][:count]
    first = [value for value in values if value not in second]
    larger = sum(high > low for low in first for high in second)
    deviation = (count**2 * (2 * count + 1) / 12) ** 0.5
    expected = 2 * NormalDist().cdf(-abs(larger - count**2 / 2) / deviation)
    assert rank_sum_p(first, second) == pytest.approx(expected, rel=tolerance)


def test_equal_values_leave_less_variance() -> None:
    """SciPy's mannwhitneyu(method="asymptotic", use_continuity=False)."""
    first, second = [value % 4 for value in range(60)], [value % 5 for value in range(60)]
    assert rank_sum_p(first, second) == pytest.approx(0.05298645537609918)


def test_few_or_equal_values_have_no_p() -> None:
    assert unpaired_difference((), (1.0,)) is None
    single, equal = unpaired_difference((1.0,), (2.0, 4.0)), unpaired_difference((2.0, 2.0), (2.0, 2.0))
    assert single is not None and (single.mean, single.low, single.p, single.needed) == (2.0, None, None, None)
    assert equal is not None and (equal.low, equal.high, equal.p, equal.p_rank_sum) == (0.0, 0.0, None, None)
    assert equal.superiority == 0.5 and equal.effect is None
    with pytest.raises(ValueError, match="not between 0 and 1"):
        unpaired_difference((1.0,), (2.0,), confidence=1.0)


def test_the_runs_for_half_the_width_halve_it() -> None:
    """Groups of n with deviations 1 and 3 have the interval t sqrt(10 / n), with 100 (n - 1) / 82 degrees."""
    difference = unpaired_difference((-1, 0, 1), (-3, 0, 3))
    assert difference is not None and difference.high is not None and difference.needed is not None

    def half(count: int) -> float:
        return student_t(0.95, 100 * (count - 1) / 82) * (10 / count) ** 0.5

    assert difference.high == pytest.approx(half(3))
    assert half(difference.needed) <= difference.high / 2 < half(difference.needed - 1)


def test_two_experiments_are_compared_without_seeds(make: Make) -> None:
    runs = [
        with_topology(a_run(make, f"d{delay}-{at}", mbit), delay, 100)
        for delay, values in ((5, (2.0, 3.0)), (20, (4.0, 6.0, 8.0)))
        for at, mbit in enumerate(values)
    ]
    rows = {row[0]: row for row in unpaired_table(group_statistics(runs)).rows}
    # all six pairs have a larger second value: 2 of 10 choices are as far from the mean
    assert rows["goodput Mbit/s"][1:4] == ("2", "3", "3.5")
    assert (rows["goodput Mbit/s"][7], rows["goodput Mbit/s"][9]) == ("100 %", "0.2")
    with pytest.raises(ResultsError, match="two experiments, but 1"):
        unpaired_table(group_statistics(runs[:2]))


def test_the_command_line_prints_them(make: Make) -> None:
    both = [*goodputs(make, 4.0, 5.0, 6.5), *goodputs(make, 5.0, 7.0, 6.0, delay=20)]
    answer = json.loads(invoke("stats", *both, "--unpaired", "--json").stdout)
    assert (answer["first"], answer["second"]) == ("delay 5 ms", "delay 20 ms")
    goodput = answer["differences"]["goodput_mbit"]
    # of nine pairs, the second is larger in six, and equal in one
    assert (goodput["n_first"], goodput["n_second"]) == (3, 3)
    assert (goodput["mean"], goodput["superiority"]) == pytest.approx((5 / 6, 6.5 / 9), abs=1e-6)
    assert r"\toprule" in command_output("stats", *both, "--unpaired", "--latex")
    assert "cannot be combined" in command_output("stats", *both, "--paired", "--unpaired", status=2)
