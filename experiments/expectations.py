"""The statements that experiments are judged by: one file, `expectations.csv`, with the basis of each."""

from __future__ import annotations

import csv
import gzip
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("expectations.csv")
#: Numbers that were published, or read from published figures.
PUBLISHED = Path(__file__).with_name("published")


@dataclass(frozen=True)
class Expectation:
    """A row of the file.

    Attributes:
        id: short and unique: "CF5.1".
        experiment: the name of the experiment that it belongs to: "CF5".
        about, metric, unit: what is stated, in words; of which congestion control, which number, in which unit.
        published, published_source: what was published, as text, and where; empty where nothing was.
        low, high: the band in which our number must lie, ends included; NaN for a statement that is true or false.
        basis: what the band rests on.
        note: what else is to be known.
        finding: why our number lies outside the band though nothing is wrong on our side; empty for none.
    """

    id: str
    experiment: str
    about: str
    metric: str
    unit: str
    published: str
    published_source: str
    low: float
    high: float
    basis: str
    note: str
    finding: str

    @property
    def is_yes_or_no(self) -> bool:
        """Whether it is true or false rather than a number in a band."""
        return math.isnan(self.low)

    def holds(self, value: float) -> bool:
        """Whether a number is as it states."""
        return value == 1 if self.is_yes_or_no else self.low <= value <= self.high


@cache
def expectations() -> Mapping[str, Expectation]:
    """All, by id, in the order of the file."""
    with FILE.open(newline="", encoding="utf-8") as file:
        rows = [_row(said) for said in csv.DictReader(file)]
    found = {row.id: row for row in rows}
    assert len(found) == len(rows), "an id stands twice"
    return found


def published_rows(name: str) -> list[dict[str, str]]:
    """The rows of a file of published numbers ("x.csv", or packed "x.csv.gz"); lines that begin with # tell where they
    come from."""
    path = PUBLISHED / name
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def _row(said: Mapping[str, str]) -> Expectation:
    bounds: dict[str, Any] = {name: float(said[name]) if said[name] else math.nan for name in ("low", "high")}
    words: dict[str, Any] = {name: text for name, text in said.items() if name not in bounds}
    return Expectation(**words, **bounds)
