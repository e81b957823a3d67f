"""Measured delays as the table that `netem` draws from.

A table is the inverse of a distribution function: evenly spaced quantiles, as 16-bit numbers of which 8192 are one
standard deviation (tc-netem(8), and `NETEM_DIST_SCALE` of linux/pkt_sched.h). netem takes one of them at random, times
the jitter that it is told, and adds the delay. What lies farther out than such a number can say, as in long tails, is
made to fit by a larger jitter and a table of so much smaller numbers: the product is the same.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from frrlib.model.delays import MOST_SAMPLES, TABLE_REACH, deviations, quantiles

_SCALE = 8192
_IN_A_LINE = 16


@dataclass(frozen=True)
class DelayTable:
    """A table of delays.

    Attributes:
        name: what it is called after its content, "measured-1a2b3c4d".
        stretch: the jitter that netem is told, in standard deviations; 1 or more.
        text: its file, as tc reads it.
    """

    name: str
    stretch: float
    text: str


@lru_cache(maxsize=64)
def table(samples: Sequence[float]) -> DelayTable:
    """The table of some delays, of which every one that it gives is one."""
    apart = deviations(samples)
    stretch = max(1.0, max(abs(apart[0]), abs(apart[-1])) / TABLE_REACH)
    numbers = [round(each / stretch * _SCALE) for each in quantiles(apart, MOST_SAMPLES)]
    lines = [" ".join(map(str, numbers[at : at + _IN_A_LINE])) for at in range(0, len(numbers), _IN_A_LINE)]
    text = "\n".join((f"# {len(samples)} measured delays", *lines, ""))
    return DelayTable(f"measured-{zlib.crc32(text.encode()):08x}", stretch, text)
