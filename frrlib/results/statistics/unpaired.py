"""Differences between two experiments whose runs are independent of each other: they share no seeds."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frrlib.results.layout import ResultsError
from frrlib.results.statistics.comparison import METRICS, GroupStatistics
from frrlib.results.statistics.intervals import CONFIDENCE, Method, mean_differences, student_p, student_t
from frrlib.results.statistics.table import UNKNOWN, TextTable, p_text

#: The search for a number of runs ends here.
_MOST_RUNS = 1000
#: The number of values of both groups up to which the rank-sum test counts all choices of the second group.
_MOST_EXACT = 100


@dataclass(frozen=True)
class UnpairedDifference:
    """The difference between the means of two independent groups of values, second less first.

    Attributes:
        n_first, n_second: the numbers of values.
        mean: the difference of the means.
        low, high: the bounds of its confidence interval; None if a group has a single value.
        degrees: the degrees of freedom of Welch's t-test, at least 1; None if no value differs from the mean of its
            group, or if a group has a single value.
        effect: `mean` divided by the root of the mean of both variances (Cohen's d for unequal variances); None under
            the same conditions as `degrees`.
        p: the two-sided p of Welch's t-test, 0 to 1; None under the same conditions as `degrees`.
        superiority: the share of pairs of a first and a second value in which the second is larger, 0 to 1. Pairs of
            equal values count half (A of Vargha and Delaney 2000).
        p_rank_sum: the two-sided p of the rank-sum test, see `rank_sum_p`; None if all values are equal.
        needed: the number of runs of each group for an interval of half the width; None if it is unknown.
    """

    n_first: int
    n_second: int
    mean: float
    low: float | None
    high: float | None
    degrees: float | None
    effect: float | None
    p: float | None
    superiority: float
    p_rank_sum: float | None
    needed: int | None


def unpaired_difference(
    first: Sequence[float], second: Sequence[float], confidence: float = CONFIDENCE, method: Method = "student"
) -> UnpairedDifference | None:
    """The difference between the means of independent values; None if a group has no values.

    Args:
        confidence: between 0 and 1.
        method: "student" is the interval of Welch's t-test (Welch 1947), which assumes normal distributions and not
            equal variances. "bootstrap" draws from each group with replacement. It leaves the p values as they are.

    Raises:
        ValueError: `confidence` is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence of {confidence:g} is not between 0 and 1")
    before, after = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if not before.size or not after.size:
        return None
    mean = float(after.mean() - before.mean())
    low = high = degrees = effect = p = needed = None
    if min(before.size, after.size) > 1:
        variances = float(before.var(ddof=1)), float(after.var(ddof=1))
        error, half = math.sqrt(variances[0] / before.size + variances[1] / after.size), 0.0
        if error:
            degrees = _welch_degrees(variances, (before.size, after.size))
            effect, p = mean / math.sqrt(sum(variances) / 2), student_p(mean / error, degrees)
            half = student_t(confidence, degrees) * error
        low, high = mean - half, mean + half
        if method == "bootstrap":
            bounds = ((1 - confidence) / 2, (1 + confidence) / 2)
            low, high = map(float, np.quantile(mean_differences(before, after), bounds))
        needed = _runs_for(variances, (high - low) / 4, confidence) if high > low else None
    return UnpairedDifference(before.size, after.size, mean, low, high, degrees, effect, p,
                              _superiority(before, after), rank_sum_p(first, second), needed)  # fmt: skip


def rank_sum_p(first: Sequence[float], second: Sequence[float]) -> float | None:
    """The two-sided p of the rank-sum test that both groups have the same distribution, 0 to 1 (Wilcoxon 1945, Mann
    and Whitney 1947).

    Equal values share the mean of their ranks. The p is exact, with equal values and without: the share of all choices
    of the second group from all values whose sum of ranks is at least as far from its mean. For more than 100 values,
    the sum counts as normally distributed, with the variance that equal values leave, and without a correction for
    continuity. Without equal values, no p is below 2 / C(n + m, n) for n and m values, so three of each cannot be
    significant at 5 %.

    Returns:
        None if all values are equal, or if a group has none.
    """
    count = len(second)
    if not first or not second:
        return None
    _, index, counts = np.unique([*first, *second], return_inverse=True, return_counts=True)
    if counts.size == 1:
        return None
    # Twice the mean rank of equal values is a whole number.
    ranks = (2 * np.cumsum(counts) - counts + 1)[index]
    mean = count * (ranks.size + 1)
    distance = abs(int(ranks[len(first) :].sum()) - mean)
    if ranks.size > _MOST_EXACT:
        # The ranks are doubled, and their mean is ranks.size + 1.
        spread = float(((ranks - (ranks.size + 1)) ** 2).sum())
        variance = count * len(first) * spread / (ranks.size * (ranks.size - 1))
        return math.erfc(distance / math.sqrt(2 * variance))
    # The number of choices by their size and their sum of doubled ranks.
    choices = np.zeros((count + 1, int(ranks.sum()) + 1))
    choices[0, 0] = 1.0
    for rank in ranks.tolist():
        choices[1:, rank:] += choices[:-1, :-rank].copy()
    is_as_far = np.abs(np.arange(choices.shape[1]) - mean) >= distance
    return min(1.0, float(choices[count, is_as_far].sum() / choices[count].sum()))


def unpaired_differences(rows: Sequence[GroupStatistics], method: Method = "student") -> dict[str, UnpairedDifference]:
    """The difference of each metric of the second experiment to the first; the keys are names of METRICS.

    Raises:
        ResultsError: the number of experiments is not two.
    """
    if len(rows) != 2:
        folder = rows[0].group.runs[0].folder
        problem = f"an unpaired comparison needs two experiments, but {len(rows)} are selected"
        raise ResultsError(folder, problem, "select two")
    differences = {
        name: unpaired_difference(rows[0].values(name), rows[1].values(name), method=method) for name in METRICS
    }
    return {name: difference for name, difference in differences.items() if difference is not None}


def unpaired_table(rows: Sequence[GroupStatistics], method: Method = "student") -> TextTable:
    """A row per metric: the difference of the second experiment to the first, of runs that are independent.

    Raises:
        ResultsError: the number of experiments is not two.
    """
    by_metric = unpaired_differences(rows, method)
    cells = tuple((METRICS[name].title, *_cells(difference)) for name, difference in by_metric.items())
    title = f"{rows[1].group.label}, less {rows[0].group.label}: differences of means, 95 % confidence intervals"
    headings = ("number", "n of first", "n of second", "difference", "low", "high", "effect", "second larger",
                "p of t", "p of ranks", "n for half the width")  # fmt: skip
    return TextTable(title, headings, cells, (False, *(True for _ in headings[1:])))


def unpaired_json(rows: Sequence[GroupStatistics], method: Method = "student") -> dict[str, Any]:
    """The same numbers by the names of metrics; None for an unknown one.

    Raises:
        ResultsError: the number of experiments is not two.
    """
    differences = {name: asdict(difference) for name, difference in unpaired_differences(rows, method).items()}
    return {"first": rows[0].group.label, "second": rows[1].group.label, "differences": differences}


def _welch_degrees(variances: tuple[float, float], counts: tuple[int, int]) -> float:
    """The degrees of freedom of the difference between two means (Welch 1947, Satterthwaite 1946)."""
    first, second = (variance / count for variance, count in zip(variances, counts, strict=True))
    # Parts of the sum: squares of very small variances would be 0.
    share = first / (first + second)
    return 1 / (share**2 / (counts[0] - 1) + (1 - share) ** 2 / (counts[1] - 1))


def _runs_for(variances: tuple[float, float], half_width: float, confidence: float) -> int | None:
    """The least number of runs of each group for half of the wanted width; None for more than 1000."""

    def suffices(count: int) -> bool:
        t = student_t(confidence, _welch_degrees(variances, (count, count)))
        return t * math.sqrt(sum(variances) / count) <= half_width

    if not any(variances):
        return None
    count = bisect_left(range(_MOST_RUNS + 1), True, lo=2, key=suffices)
    return count if count <= _MOST_RUNS else None


def _superiority(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    return float((np.sign(second[:, np.newaxis] - first).mean() + 1) / 2)


def _cells(difference: UnpairedDifference) -> tuple[str, ...]:
    numbers = (difference.mean, difference.low, difference.high, difference.effect)
    texts = (UNKNOWN if value is None else f"{value:.4g}" for value in numbers)
    needed = UNKNOWN if difference.needed is None else str(difference.needed)
    return (str(difference.n_first), str(difference.n_second), *texts, f"{100 * difference.superiority:.3g} %",
            p_text(difference.p), p_text(difference.p_rank_sum), needed)  # fmt: skip
