"""Means of repetitions with confidence intervals: Student's t, or a bootstrap where values are not near normal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

Method = Literal["student", "bootstrap"]
#: The least and the largest value that a quantity can have.
Bounds = tuple[float, float]
UNBOUNDED: Bounds = -math.inf, math.inf

CONFIDENCE = 0.95
_RESAMPLES = 2000
#: The bootstrap's draws: the same values always give the same interval.
_SEED = 20160901


@dataclass(frozen=True)
class Interval:
    """A mean with its confidence interval.

    Attributes:
        n: the number of values.
        mean: their mean.
        low, high: the bounds of the interval; None for a single value.
        is_cut: whether the interval ends at a value that the quantity cannot exceed.
    """

    n: int
    mean: float
    low: float | None = None
    high: float | None = None
    is_cut: bool = False

    @property
    def half(self) -> float | None:
        """Half of the interval's width, before a bound cut it at one end; None without an interval."""
        if self.low is None or self.high is None:
            return None
        return max(self.mean - self.low, self.high - self.mean) if self.is_cut else (self.high - self.low) / 2


@dataclass(frozen=True)
class Quartiles:
    """The median of `n` values with the lower and the upper quartile, all interpolated between values."""

    n: int
    low: float
    median: float
    high: float


def quartiles(values: Sequence[float]) -> Quartiles | None:
    """The quartiles of values; None without values."""
    data = np.asarray(values, dtype=np.float64)
    return Quartiles(data.size, *map(float, np.quantile(data, (0.25, 0.5, 0.75)))) if data.size else None


def bounds_of(name: str) -> Bounds:
    """The bounds of a quantity by its name, which ends in its unit: no rate, delay or share is negative."""
    return 0.0, 100.0 if name.endswith("_percent") else 1.0 if name.endswith("_index") else math.inf


def interval(
    values: Sequence[float], confidence: float = CONFIDENCE, method: Method = "student", bounds: Bounds = UNBOUNDED
) -> Interval | None:
    """The mean of repetitions with its confidence interval; None without values.

    Args:
        values: one for each repetition, independent of each other.
        confidence: between 0 and 1.
        method: "student" assumes a normal distribution: mean +- t s / sqrt(n), with t from Student's distribution with
            n - 1 degrees of freedom. "bootstrap" takes the percentiles of the means of samples drawn with replacement
            (Efron 1979), and needs about ten values to be meaningful.
        bounds: of the quantity. An interval is cut there. It still contains the true mean as often as before, because
            the part that is cut off cannot contain it.

    Raises:
        ValueError: `confidence` is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence of {confidence:g} is not between 0 and 1")
    data = np.asarray(values, dtype=np.float64)
    if not data.size:
        return None
    mean = float(data.mean())
    if data.size == 1:
        return Interval(1, mean)
    if method == "bootstrap":
        means = np.random.default_rng(_SEED).choice(data, (_RESAMPLES, data.size)).mean(axis=1)
        low, high = map(float, np.quantile(means, ((1 - confidence) / 2, (1 + confidence) / 2)))
    else:
        half = student_t(confidence, data.size - 1) * float(data.std(ddof=1)) / math.sqrt(data.size)
        low, high = mean - half, mean + half
    least, most = bounds if bounds[0] <= float(data.min()) and float(data.max()) <= bounds[1] else UNBOUNDED
    return Interval(data.size, mean, max(low, least), min(high, most), is_cut=low < least or high > most)


def student_t(confidence: float, degrees: int) -> float:
    """The two-sided quantile t of Student's distribution for a probability.

    It is computed by bisection on the distribution's finite sums for whole degrees of freedom (Abramowitz and Stegun,
    Handbook of Mathematical Functions, 26.7.3 and 26.7.4).
    """
    low, high = 0.0, 1.0
    while _within(high, degrees) < confidence:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, degrees) < confidence else (low, middle)
    return (low + high) / 2


def student_p(t: float, degrees: int) -> float:
    """The probability that Student's variable is at least as far from 0 as `t`: the two-sided p of a t-test."""
    return max(0.0, 1.0 - _within(abs(t), degrees))


def _within(t: float, degrees: int) -> float:
    """The probability that Student's variable is between -t and t."""
    angle = math.atan(t / math.sqrt(degrees))
    square = math.cos(angle) ** 2
    is_odd = degrees % 2
    term = math.cos(angle) if is_odd else 1.0
    total, first = (0.0, 2) if is_odd else (term, 1)
    if is_odd and degrees > 1:
        total = term
    for step in range(first, degrees - 2, 2):
        term *= step / (step + 1) * square
        total += term
    if is_odd:
        return 2 / math.pi * (angle + math.sin(angle) * total)
    return math.sin(angle) * total
