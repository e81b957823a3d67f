"""Delays that were measured: read from files, and what they say as a distribution."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence

from frrlib.errors import TopologyError

#: So many are kept; of more the quantiles, evenly spaced. The kernel is told a table of as many.
MOST_SAMPLES = 4096
#: Farther than this from the mean, in standard deviations, netem's table of 16-bit numbers has no place for a delay.
TABLE_REACH = 32_767 / 8192
_LONGEST_MS = 60_000.0


def read_samples(text: str, column: str = "") -> tuple[float, ...]:
    """The delays, in ms, of a file with a number in each line, or with columns under a line of names.

    What `ping` and many others write can be cut down to such a file. Lines that begin with # do not count. A round trip
    is two delays, and so belongs to one direction only, or to both by halves.

    Args:
        column: which one, where there are several; empty for the only one.

    Returns:
        them in ascending order, to the microsecond; of more than `MOST_SAMPLES` as many quantiles.

    Raises:
        TopologyError: it is no such file; names the line.
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    rows = [(number, _cells(line)) for number, line in lines if not line.lstrip().startswith("#")]
    index = 0
    if rows and any(_number(cell) is None for cell in rows[0][1]):
        names = rows.pop(0)[1]
        if len(names) > 1 or column:
            if column not in names:
                right = f"one of {', '.join(names)}"
                raise TopologyError(f"there is no column {column!r}", field="jitter_samples_ms", right=right)
            index = names.index(column)
    elif rows and len(rows[0][1]) > 1 and not column:
        raise _wrong(rows[0][0], "has several columns without names", "a number in each line, or a line of names first")
    found = []
    for number, cells in rows:
        value = _number(cells[index]) if index < len(cells) else None
        if value is None or not 0 <= value <= _LONGEST_MS:
            said = f"has {cells[index]!r}" if index < len(cells) else "ends too soon"
            raise _wrong(number, said, f"a delay in ms, 0 to {_LONGEST_MS:g}")
        found.append(round(value, 3))
    if len(found) < 2:
        raise TopologyError(f"the file has {len(found)} delays", field="jitter_samples_ms", right="enter at least two")
    found.sort()
    return tuple(found) if len(found) <= MOST_SAMPLES else quantiles(found, MOST_SAMPLES)


def quantiles(ordered: Sequence[float], count: int) -> tuple[float, ...]:
    """So many quantiles of what is in ascending order, evenly spaced, each of them one of its values."""
    return tuple(ordered[int((place + 0.5) * len(ordered) / count)] for place in range(count))


def mean_ms(samples: Sequence[float]) -> float:
    """Their mean, to the microsecond."""
    return round(math.fsum(samples) / len(samples), 3)


def spread_ms(samples: Sequence[float]) -> float:
    """Their standard deviation, to the microsecond."""
    middle = math.fsum(samples) / len(samples)
    return round(math.sqrt(math.fsum((each - middle) ** 2 for each in samples) / len(samples)), 3)


def deviations(samples: Sequence[float]) -> tuple[float, ...]:
    """Each value's distance from the mean, in standard deviations, in ascending order; all 0 if they are equal."""
    middle = math.fsum(samples) / len(samples)
    spread = math.sqrt(math.fsum((each - middle) ** 2 for each in samples) / len(samples))
    return tuple((each - middle) / spread if spread else 0.0 for each in sorted(samples))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in next(csv.reader(io.StringIO(line.strip())))]


def _number(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _wrong(number: int, why: str, right: str) -> TopologyError:
    return TopologyError(f"line {number} of the delays {why}", field="jitter_samples_ms", right=right)
