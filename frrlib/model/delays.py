"""Measured delays: read from files, and described as a distribution."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence

from frrlib.errors import TopologyError

#: Maximum number of samples; larger sets are reduced to evenly spaced quantiles. The kernel's table is as long.
MOST_SAMPLES = 4096
#: Largest distance from the mean, in standard deviations, that netem's table of 16-bit numbers can hold.
TABLE_REACH = 32_767 / 8192
_LONGEST_MS = 60_000.0


def read_samples(text: str, column: str = "") -> tuple[float, ...]:
    """The delays, in ms, of a file with a number in each line, or with columns under a line of names.

    The output of `ping` and of many other tools can be reduced to such a file. Lines that begin with # are ignored. A
    round-trip time is the sum of two delays: use it in one direction only, or half of it in both.

    Args:
        text: the content of the file.
        column: name of the column if there are several; empty for the only one.

    Returns:
        the delays in ascending order, rounded to microseconds; if there are more than `MOST_SAMPLES`, that many
        quantiles.

    Raises:
        TopologyError: the file is invalid; the message names the line.
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    rows = [(number, _cells(line)) for number, line in lines if not line.lstrip().startswith("#")]
    index = 0
    if rows and any(_number(cell) is None for cell in rows[0][1]):
        names = rows.pop(0)[1]
        if len(names) > 1 or column:
            if column not in names:
                expected = f"one of {', '.join(names)}"
                raise TopologyError(f"there is no column {column!r}", field="jitter_samples_ms", remedy=expected)
            index = names.index(column)
    elif rows and len(rows[0][1]) > 1 and not column:
        raise _error_in_line(
            rows[0][0], "has several columns without names", "a number in each line, or a line of names first"
        )
    samples = []
    for number, cells in rows:
        value = _number(cells[index]) if index < len(cells) else None
        if value is None or not 0 <= value <= _LONGEST_MS:
            fault = f"has {cells[index]!r}" if index < len(cells) else "ends too soon"
            raise _error_in_line(number, fault, f"a delay in ms, 0 to {_LONGEST_MS:g}")
        samples.append(round(value, 3))
    if len(samples) < 2:
        raise TopologyError(
            f"the file has {len(samples)} delays", field="jitter_samples_ms", remedy="enter at least two"
        )
    samples.sort()
    return tuple(samples) if len(samples) <= MOST_SAMPLES else quantiles(samples, MOST_SAMPLES)


def quantiles(ordered: Sequence[float], count: int) -> tuple[float, ...]:
    """`count` evenly spaced quantiles of values in ascending order; each quantile is one of the values."""
    return tuple(ordered[int((place + 0.5) * len(ordered) / count)] for place in range(count))


def mean_ms(samples: Sequence[float]) -> float:
    """The mean of the samples, rounded to microseconds."""
    return round(math.fsum(samples) / len(samples), 3)


def spread_ms(samples: Sequence[float]) -> float:
    """The standard deviation of the samples, rounded to microseconds."""
    middle = math.fsum(samples) / len(samples)
    return round(math.sqrt(math.fsum((sample - middle) ** 2 for sample in samples) / len(samples)), 3)


def deviations(samples: Sequence[float]) -> tuple[float, ...]:
    """Each value's distance from the mean, in standard deviations, in ascending order; all 0 if they are equal."""
    middle = math.fsum(samples) / len(samples)
    spread = math.sqrt(math.fsum((sample - middle) ** 2 for sample in samples) / len(samples))
    return tuple((sample - middle) / spread if spread else 0.0 for sample in sorted(samples))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in next(csv.reader(io.StringIO(line.strip())))]


def _number(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _error_in_line(number: int, reason: str, expected: str) -> TopologyError:
    return TopologyError(f"line {number} of the delays {reason}", field="jitter_samples_ms", remedy=expected)
