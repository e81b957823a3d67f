"""The statements about experiments, from `expectations.csv`: the expected band of each, and its basis."""

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
#: The folder of published numbers, and of numbers read from published figures.
PUBLISHED = Path(__file__).with_name("published")


@dataclass(frozen=True)
class Expectation:
    """A row of the file.

    Attributes:
        id: short and unique: "CF5.1".
        experiment: the name of its experiment: "CF5".
        about, metric, unit: the subject of the statement, such as a congestion control, the number and its unit.
        published, published_source: the published value, as text, and its source; empty if none was published.
        low, high: the band in which our number must lie, ends included; NaN for a statement that is true or false.
        basis: the derivation of the band.
        note: further remarks.
        finding: why our number lies outside the band although our set-up is correct; empty if it has no explanation.
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
        """Whether the statement is true or false, rather than a number in a band."""
        return math.isnan(self.low)

    def holds(self, value: float) -> bool:
        """Whether a number agrees with the statement."""
        return value == 1 if self.is_yes_or_no else self.low <= value <= self.high


@cache
def expectations() -> Mapping[str, Expectation]:
    """All statements by id, in the order of the file."""
    with FILE.open(newline="", encoding="utf-8") as file:
        rows = [_row(row) for row in csv.DictReader(file)]
    by_id = {row.id: row for row in rows}
    assert len(by_id) == len(rows), "an id occurs twice"
    return by_id


def published_rows(name: str) -> list[dict[str, str]]:
    """The rows of a file of published numbers ("x.csv", or compressed "x.csv.gz"). Lines that begin with # name the
    source."""
    path = PUBLISHED / name
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def _row(texts: Mapping[str, str]) -> Expectation:
    bounds: dict[str, Any] = {name: float(texts[name]) if texts[name] else math.nan for name in ("low", "high")}
    strings: dict[str, Any] = {name: text for name, text in texts.items() if name not in bounds}
    return Expectation(**strings, **bounds)
