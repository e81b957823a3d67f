"""Series in the page: thinned such that no extreme is lost, and rounded."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from frrlib.results.binning import thinned
from frrlib.results.series import Series

#: The number of significant digits of the values in the page.
DIGITS = 4
#: The most values of all curves together, and the most and the fewest bins of one curve, which has two values for each.
MOST_VALUES, MOST_BINS, FEWEST_BINS = 60_000, 600, 60


def bin_count(curves: int) -> int:
    """The number of bins into which the curves of a page are thinned, such that the page does not become too large."""
    return max(FEWEST_BINS, min(MOST_BINS, MOST_VALUES // (2 * max(curves, 1))))


def milliseconds(time_s: float) -> int:
    """A time in the page."""
    return round(time_s * 1000)


def rounded(value: float) -> float | None:
    """A value in the page; None for an unknown one."""
    if not math.isfinite(value):
        return None
    short = float(f"{value:.{DIGITS}g}")
    return int(short) if short.is_integer() else short


def packed(data: Series, bins: int) -> dict[str, Any]:
    """A series in the page: its times in milliseconds, each as the difference to the one before, and its values."""
    times, values = thinned(data, bins)
    return packed_rows(times.tolist(), values.tolist())


def packed_rows(times_s: Sequence[float], values: Iterable[float]) -> dict[str, Any]:
    """Times and values in the page, without thinning them."""
    moments = np.array([milliseconds(time_s) for time_s in times_s], dtype=np.int64)
    return {"times": np.diff(moments, prepend=0).tolist(), "values": [rounded(value) for value in values]}
