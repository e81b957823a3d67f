"""Measured delays as a table for `netem`'s random delays.

A table is the inverse of a distribution function: evenly spaced quantiles, as 16-bit numbers of which 8192 are one
standard deviation (tc-netem(8), and `NETEM_DIST_SCALE` of linux/pkt_sched.h). netem draws one of them, multiplies it
by the jitter, and adds the delay. Long tails exceed the range of these numbers. For them the jitter is increased and
the numbers are reduced by the same factor, so that the product is the same.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from frrlib.model.delays import MOST_SAMPLES, TABLE_REACH, deviations, quantiles

_SCALE = 8192
_NUMBERS_PER_LINE = 16


@dataclass(frozen=True)
class DelayTable:
    """A table of delays.

    Attributes:
        name: name derived from its content, "measured-1a2b3c4d".
        stretch: netem's jitter in standard deviations; 1 or more.
        text: content of its file for tc.
    """

    name: str
    stretch: float
    text: str


@lru_cache(maxsize=64)
def table(samples: Sequence[float]) -> DelayTable:
    """The table of measured delays; netem then draws only delays that were measured."""
    normalized = deviations(samples)
    stretch = max(1.0, max(abs(normalized[0]), abs(normalized[-1])) / TABLE_REACH)
    numbers = [round(quantile / stretch * _SCALE) for quantile in quantiles(normalized, MOST_SAMPLES)]
    lines = [
        " ".join(map(str, numbers[at : at + _NUMBERS_PER_LINE])) for at in range(0, len(numbers), _NUMBERS_PER_LINE)
    ]
    text = "\n".join((f"# {len(samples)} measured delays", *lines, ""))
    return DelayTable(f"measured-{zlib.crc32(text.encode()):08x}", stretch, text)
