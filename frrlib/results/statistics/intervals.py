"""Means of repetitions with confidence intervals: Student's t, or a bootstrap where values are not near normal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Method = Literal["student", "bootstrap"]
#: The least and the largest value that a quantity can have.
Bounds = tuple[float, float]
UNBOUNDED: Bounds = -math.inf, math.inf

CONFIDENCE = 0.95
_RESAMPLES = 2000
#: The bootstrap's draws: the same values always give the same interval.
_SEED = 20160901
#: A continued fraction ends after this change of its value, and at the latest after this number of terms.
_CONVERGED = 1e-15
_MOST_TERMS = 1000


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


def mean_differences(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """The differences, second less first, between the means of samples drawn with replacement from each."""
    draws = np.random.default_rng(_SEED)
    means = [draws.choice(values, (_RESAMPLES, values.size)).mean(axis=1) for values in (first, second)]
    return np.asarray(means[1] - means[0])


def student_t(confidence: float, degrees: float) -> float:
    """The two-sided quantile t of Student's distribution for a probability, by bisection on `student_p`.

    Args:
        confidence: the probability of a value between -t and t, between 0 and 1.
        degrees: the degrees of freedom, above 0; they need not be a whole number.
    """
    low, high = 0.0, 1.0
    while student_p(high, degrees) > 1 - confidence:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if student_p(middle, degrees) > 1 - confidence else (low, middle)
    return (low + high) / 2


def student_p(t: float, degrees: float) -> float:
    """The probability that Student's variable is at least as far from 0 as `t`: the two-sided p of a t-test.

    It is the incomplete beta function I_x(degrees / 2, 1 / 2) for x = degrees / (degrees + t²) (Abramowitz and Stegun,
    Handbook of Mathematical Functions, 26.7.1).

    Args:
        degrees: the degrees of freedom, above 0; they need not be a whole number.
    """
    square = t * t
    half, x, rest = degrees / 2, degrees / (degrees + square), square / (degrees + square)
    if not rest or not x:
        return 0.0 if rest else 1.0
    logarithm = math.lgamma(half + 0.5) - math.lgamma(half) - math.lgamma(0.5) + half * math.log(x)
    factor = math.exp(logarithm) * math.sqrt(rest)
    # Each of the two fractions converges fast on its side of the mean.
    if x < (half + 1) / (half + 2.5):
        return min(1.0, factor * _beta_fraction(half, 0.5, x) / half)
    return max(0.0, 1.0 - factor * _beta_fraction(0.5, half, rest) / 0.5)


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function (DLMF 8.17.22), by the method of Lentz."""
    result = numerator = 1.0
    denominator = 0.0
    for index in range(1, _MOST_TERMS):
        m = index // 2
        if index % 2:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        denominator = 1 / (1 + term * denominator)
        numerator = 1 + term / numerator
        result *= numerator * denominator
        if abs(numerator * denominator - 1) < _CONVERGED:
            break
    return 1 / result
