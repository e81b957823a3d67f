"""Amounts of data for people have one spelling everywhere."""

from __future__ import annotations

import pytest

from frrlib.model.quantities import SIZE_BYTES, rate_words, size_words


@pytest.mark.parametrize(
    ("count_bytes", "digits", "words"),
    [
        (0, 4, "0 B"), (914, 4, "914 B"), (999.96, 4, "1 kB"), (50_000, 4, "50 kB"), (126_550, 4, "126.6 kB"),
        (999_990, 4, "1 MB"), (1_250_000, 4, "1.25 MB"), (2_500_000_000, 4, "2500 MB"), (37_849, 3, "37.8 kB"),
        (999_700, 3, "1 MB"),
    ],
)  # fmt: skip
def test_four_digits_of_a_unit_of_thousands(count_bytes: float, digits: int, words: str) -> None:
    assert size_words(count_bytes, digits) == words


@pytest.mark.parametrize("count_bytes", [0, 1, 914, 50_000, 1_250_000])
def test_printed_sizes_can_be_parsed(count_bytes: int) -> None:
    assert SIZE_BYTES.read(size_words(count_bytes)) == count_bytes


@pytest.mark.parametrize(
    ("rate_mbit", "words"),
    [(0.0, "0"), (0.0124, "12.4 kbit/s"), (1.0, "1 Mbit/s"), (9.561, "9.56 Mbit/s"), (999.9, "1 Gbit/s"),
     (17_812.0, "17.8 Gbit/s")],
)  # fmt: skip
def test_rates_are_described_in_the_largest_unit(rate_mbit: float, words: str) -> None:
    assert rate_words(rate_mbit) == words
