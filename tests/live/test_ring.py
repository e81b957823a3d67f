"""Samples in bounded memory: new rows are stored unchanged, old rows as an outline."""

from __future__ import annotations

import numpy as np
import pytest

from miniedit_frr.live.ring import Ring

COLUMNS = ("time_s", "count", "value")


def rows(begin: int, end: int) -> np.ndarray:
    """A count that only rises, and a value that jumps about, a hundred times a second."""
    at = np.arange(begin, end)
    return np.column_stack([at / 100, at * 1500.0, (at * 7919) % 1009])


def test_rows_are_returned_unchanged() -> None:
    ring = Ring(COLUMNS, most_rows=0)
    for begin in range(0, 5000, 130):
        ring.add(rows(begin, min(begin + 130, 5000)))
    columns = ring.columns_between(-np.inf, np.inf)
    assert np.array_equal(np.column_stack([columns[name] for name in COLUMNS]), rows(0, 5000))
    assert not ring.is_thinned
    assert (ring.newest_s, ring.last("count")) == (49.99, 4999 * 1500.0)


def test_a_span_includes_the_nearest_rows_outside() -> None:
    ring = Ring(COLUMNS)
    ring.add(rows(0, 100))
    assert ring.columns_between(0.105, 0.155)["time_s"] == pytest.approx([0.1, 0.11, 0.12, 0.13, 0.14, 0.15, 0.16])
    assert ring.columns_between(5, 6)["time_s"] == pytest.approx([0.99])
    assert Ring(COLUMNS).columns_between(0, 1)["value"].size == 0


def test_late_rows_are_sorted_in() -> None:
    ring = Ring(COLUMNS)
    ring.add(rows(20, 40))
    ring.add(rows(0, 20))
    assert np.array_equal(ring.times, rows(0, 40)[:, 0])


def test_memory_is_limited_and_spikes_are_kept() -> None:
    ring, samples = Ring(COLUMNS, most_rows=1000), rows(0, 50_000)
    for begin in range(0, 50_000, 40):
        ring.add(samples[begin : begin + 40])
    assert len(ring) <= 1000
    assert ring.is_thinned
    columns = ring.columns_between(-np.inf, np.inf)
    assert (np.diff(columns["time_s"]) >= 0).all()
    # the newest ones are whole, and the count is exact wherever it is kept
    assert np.array_equal(columns["value"][-250:], samples[-250:, 2])
    assert columns["count"] == pytest.approx(columns["time_s"] * 100 * 1500)
    assert (columns["time_s"][0], columns["time_s"][-1]) == (0.0, samples[-1, 0])
    # a lonely spike long ago is still there
    assert columns["value"].max() == samples[:, 2].max()
    assert columns["value"].min() == 0


def test_unknown_values_stay_unknown() -> None:
    ring = Ring(COLUMNS, most_rows=64)
    samples = rows(0, 200)
    samples[:, 2] = np.nan
    samples[7, 2] = 5.0
    for begin in range(0, 200, 8):
        ring.add(samples[begin : begin + 8])
    values = ring.columns_between(-np.inf, np.inf)["value"]
    assert set(values[~np.isnan(values)]) <= {5.0}
    assert np.isnan(values[-20:]).all()
