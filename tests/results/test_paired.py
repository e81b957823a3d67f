"""Paired differences: Student's data on sleep, and runs with seeds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from frrlib.results.layout import ResultsError
from frrlib.results.statistics.comparison import group_statistics
from frrlib.results.statistics.paired import paired_difference, paired_table, repetitions_for
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
