"""Measured delays: valid files, invalid files, and their statistics."""

from __future__ import annotations

import random
import statistics

import pytest

from frrlib.errors import TopologyError
from frrlib.model.delays import MOST_SAMPLES, deviations, mean_ms, read_samples, spread_ms
from frrlib.render.delay_tables import table


def test_files_with_a_number_in_each_line_and_with_columns() -> None:
    assert read_samples("# ms\n20.5\n\n 19.25\n1e2\n") == (19.25, 20.5, 100.0)
    assert read_samples("rtt_ms\n3\n1\n") == (1.0, 3.0)
    assert read_samples("time_s, rtt_ms\n0.0, 3\n0.2, 1\n", "rtt_ms") == (1.0, 3.0)
    many = "\n".join(str(number) for number in range(50_000))
    assert len(read_samples(many)) == MOST_SAMPLES
    # As many quantiles, so mean and spread are those of all.
    assert mean_ms(read_samples(many)) == pytest.approx(24_999.5, rel=1e-3)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("1\nfast\n2\n", "", r"line 2 of the delays has 'fast'.*0 to 60000"),
        ("1\n-2\n", "", "line 2 of the delays has '-2'"),
        ("1\nnan\n", "", "line 2 of the delays has 'nan'"),
        ("a,b\n1,2\n3\n", "b", "line 3 of the delays ends too soon"),
        ("a,b\n1,2\n3,4\n", "c", "no column 'c'.*one of a, b"),
        ("1,2\n3,4\n", "", "line 1 of the delays has several columns without names"),
        ("7\n", "", "has 1 delays.*at least two"),
        ("", "", "has 0 delays"),
    ],
)
def test_invalid_delay_files_are_rejected(text: str, column: str, message: str) -> None:
    with pytest.raises(TopologyError, match=message):
        read_samples(text, column)


def test_mean_and_deviation_match_the_statistics_module() -> None:
    chance = random.Random(3)
    samples = [chance.lognormvariate(3, 0.5) for _ in range(500)]
    assert mean_ms(samples) == pytest.approx(statistics.fmean(samples), abs=5e-4)
    assert spread_ms(samples) == pytest.approx(statistics.pstdev(samples), abs=5e-4)
    assert deviations((5, 5, 5)) == (0, 0, 0)


@pytest.mark.parametrize("tail_ms", [0.0, 400.0])
def test_the_kernels_arithmetic_gives_the_delays_back(tail_ms: float) -> None:
    """Each number is computed as by `tabledist` in the kernel's net/sched/sch_netem.c: t / 8192 of the jitter."""
    chance = random.Random(5)
    samples = tuple(round(chance.gauss(50, 5), 3) for _ in range(997)) + (50 + tail_ms,) * 3
    made_table = table(samples)
    numbers = [int(word) for line in made_table.text.splitlines() if line[0] != "#" for word in line.split()]
    assert len(numbers) == 4096
    assert max(map(abs, numbers)) < 2**15
    assert (made_table.stretch > 1) is (tail_ms > 0)
    jitter_ms = statistics.pstdev(samples) * made_table.stretch
    delays_ms = sorted(statistics.fmean(samples) + number * jitter_ms / 8192 for number in numbers)
    for share in (0.01, 0.1, 0.5, 0.9, 0.99):
        assert delays_ms[int(share * 4096)] == pytest.approx(sorted(samples)[int(share * len(samples))], abs=0.5)
    # All of them were measured, also the farthest ones, to half a step of the kernel's number.
    assert all(min(abs(delay_ms - sample) for sample in samples) <= jitter_ms / 8192 for delay_ms in delays_ms[::16])
    assert (delays_ms[0], delays_ms[-1]) == pytest.approx((min(samples), max(samples)), abs=jitter_ms / 8192)
