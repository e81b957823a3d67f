"""Differences between two experiments, seed by seed: runs with the same seed share their random numbers."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from frrlib.results.layout import ResultsError
from frrlib.results.records import Results
from frrlib.results.statistics.comparison import METRICS, GroupStatistics, metric_table
from frrlib.results.statistics.intervals import CONFIDENCE, Interval, Method, interval, student_p, student_t
from frrlib.results.statistics.table import UNKNOWN, TextTable, p_text

#: The search for a number of repetitions ends here.
_MOST_REPETITIONS = 1000
#: The number of pairs up to which the signed-rank test counts all choices of signs.
_MOST_EXACT = 100


@dataclass(frozen=True)
class PairedDifference:
    """The differences of paired values, second less first.

    Attributes:
        mean: their mean with its confidence interval.
        median, iqr: their median, and the distance between their quartiles.
        effect: their mean divided by their standard deviation (Cohen's d for pairs); None if it is 0 or unknown.
        p: the two-sided p of the paired t-test, 0 to 1; None if all differences are equal, or for a single pair.
        p_signed_rank: the two-sided p of the signed-rank test, see `signed_rank_p`; None if all differences are 0.
        needed: the number of pairs for an interval of half the width; None if it is unknown.
    """

    mean: Interval
    median: float
    iqr: float
    effect: float | None
    p: float | None
    p_signed_rank: float | None
    needed: int | None


def paired_difference(
    first: Sequence[float], second: Sequence[float], confidence: float = CONFIDENCE, method: Method = "student"
) -> PairedDifference | None:
    """The differences of paired values; None without values.

    Raises:
        ValueError: the two have different numbers of values.
    """
    values = np.array([after - before for before, after in zip(first, second, strict=True)], dtype=np.float64)
    mean = interval(values.tolist(), confidence, method)
    if mean is None:
        return None
    low, median, high = np.quantile(values, (0.25, 0.5, 0.75))
    deviation = float(values.std(ddof=1)) if values.size > 1 else 0.0
    effect = mean.mean / deviation if deviation else None
    needed = repetitions_for(deviation, mean.half / 2, confidence) if mean.half else None
    p = student_p(effect * math.sqrt(values.size), values.size - 1) if effect is not None else None
    return PairedDifference(mean, float(median), float(high - low), effect, p, signed_rank_p(values.tolist()), needed)


def signed_rank_p(differences: Sequence[float]) -> float | None:
    """The two-sided p of the signed-rank test that the median of differences is 0 (Wilcoxon 1945), 0 to 1.

    It is exact: the share of all choices of signs whose sum of positive ranks is at least as far from its mean. For
    more than 100 differences, the sum counts as normally distributed. Differences of 0 are left out, and equal ones
    share the mean of their ranks. No p is below 2 / 2**n for n differences, so five cannot be significant at 5 %.

    Returns:
        None without a difference other than 0.
    """
    values = np.asarray([value for value in differences if value], dtype=np.float64)
    if not values.size:
        return None
    _, index, counts = np.unique(np.abs(values), return_inverse=True, return_counts=True)
    # Twice the mean rank of equal values is a whole number.
    ranks = (2 * np.cumsum(counts) - counts + 1)[index]
    total = int(ranks.sum())
    distance = abs(2 * int(ranks[values > 0].sum()) - total)
    if values.size > _MOST_EXACT:
        return math.erfc(distance / math.sqrt(2 * float((ranks * ranks).sum())))
    share = np.zeros(total + 1)
    share[0] = 1.0
    for rank in ranks.tolist():
        shifted = np.zeros_like(share)
        shifted[rank:] = share[: total + 1 - rank]
        share = (share + shifted) / 2
    is_as_far = np.abs(2 * np.arange(total + 1) - total) >= distance
    return min(1.0, float(share[is_as_far].sum()))


def repetitions_for(deviation: float, half_width: float, confidence: float = CONFIDENCE) -> int | None:
    """The least number of repetitions n with t s / sqrt(n) up to `half_width`; None for more than 1000.

    Args:
        deviation: s, the standard deviation of a few repetitions.
        half_width: half of the wanted width of the interval, above 0.
    """
    if not half_width > 0:
        raise ValueError(f"a half width of {half_width:g} is not above 0")

    def suffices(count: int) -> bool:
        return student_t(confidence, count - 1) * deviation / math.sqrt(count) <= half_width

    count = bisect_left(range(_MOST_REPETITIONS + 1), True, lo=2, key=suffices)
    return count if count <= _MOST_REPETITIONS else None


def paired_differences(rows: Sequence[GroupStatistics], method: Method = "student") -> dict[str, PairedDifference]:
    """The differences of each metric of the second experiment to the first, by seed; the keys are names of METRICS.

    Raises:
        ResultsError: there are not two experiments, or no seed occurs once in each.
    """
    if len(rows) != 2:
        folder = rows[0].group.runs[0].folder
        raise ResultsError(folder, f"pairs need two experiments, but {len(rows)} are selected", "select two")
    by_seed = [_by_seed(row) for row in rows]
    seeds = [seed for seed in by_seed[0] if seed in by_seed[1]]
    if not seeds:
        folder = rows[0].group.runs[0].folder
        raise ResultsError(folder, "no seed occurs in both experiments", "give both the same seeds (`run --seed`)")
    differences = {}
    for metric in METRICS.values():
        values = [tuple(metric.of(row.statistics[index[seed]]) for row, index in zip(rows, by_seed, strict=True))
                  for seed in seeds]  # fmt: skip
        known = [(before, after) for before, after in values if before is not None and after is not None]
        difference = paired_difference([pair[0] for pair in known], [pair[1] for pair in known], method=method)
        if difference is not None:
            differences[metric.name] = difference
    return differences


def paired_table(rows: Sequence[GroupStatistics], method: Method = "student") -> TextTable:
    """A row for each metric: the differences of the second experiment to the first, by seed.

    Raises:
        ResultsError: as of `paired_differences`.
    """
    by_metric = paired_differences(rows, method)
    cells = tuple((METRICS[name].title, *_cells(difference)) for name, difference in by_metric.items())
    title = f"{rows[1].group.label}, less {rows[0].group.label}: differences by seed, 95 % confidence intervals"
    headings = ("number", "n", "mean", "low", "high", "median", "IQR", "effect", "p of t", "p of ranks",
                "n for half the width")  # fmt: skip
    return TextTable(title, headings, cells, (False, *(True for _ in headings[1:])))


def paired_json(rows: Sequence[GroupStatistics], method: Method = "student") -> dict[str, Any]:
    """The same numbers by the names of metrics; None for an unknown one.

    Raises:
        ResultsError: as of `paired_differences`.
    """
    differences = {
        name: {
            "n": difference.mean.n, "mean": difference.mean.mean,
            "low": difference.mean.low, "high": difference.mean.high,
            "median": difference.median, "iqr": difference.iqr,
            "effect": difference.effect, "p": difference.p, "p_signed_rank": difference.p_signed_rank,
            "needed": difference.needed,
        }
        for name, difference in paired_differences(rows, method).items()
    }  # fmt: skip
    return {"first": rows[0].group.label, "second": rows[1].group.label, "differences": differences}


def repetitions_table(rows: Sequence[GroupStatistics], percent: float) -> TextTable:
    """For each group and metric, the number of repetitions for a confidence interval of the mean plus or minus a share
    of the mean; unknown for a single run, and for more than 1000.

    Args:
        percent: this share in percent, above 0.
    """

    def cell(row: GroupStatistics, name: str) -> str:
        values = np.array(row.values(name))
        if values.size < 2:
            return UNKNOWN
        half_width = percent / 100 * abs(float(values.mean()))
        deviation = float(values.std(ddof=1))
        count = 2 if not deviation else repetitions_for(deviation, half_width) if half_width else None
        return UNKNOWN if count is None else str(count)

    return metric_table(f"Repetitions for a 95 % confidence interval of ± {percent:g} % of the mean", rows, cell)


def _cells(difference: PairedDifference) -> tuple[str, ...]:
    mean = difference.mean
    numbers = (mean.mean, mean.low, mean.high, difference.median, difference.iqr, difference.effect)
    texts = (UNKNOWN if value is None else f"{value:.4g}" for value in numbers)
    needed = UNKNOWN if difference.needed is None else str(difference.needed)
    return str(mean.n), *texts, p_text(difference.p), p_text(difference.p_signed_rank), needed


def _by_seed(row: GroupStatistics) -> Mapping[object, int]:
    """The index of the run with each seed; a seed that occurs twice is left out."""
    seeds = [_seed(run) for run in row.group.runs]
    return {seed: at for at, seed in enumerate(seeds) if seed is not None and seeds.count(seed) == 1}


def _seed(run: Results) -> object:
    return run.info.settings.get("seed")
