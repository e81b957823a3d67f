"""The course of a link's value over time: ramps, square and sine waves, traces from files."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import Field, ValidationError, model_validator

from frrlib.errors import TopologyError
from frrlib.model.base import Value, first_fault

Varied = Literal["rate_mbit", "delay_ms", "loss_percent"]
Pattern = Literal["ramp", "square", "sine", "trace"]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
#: Maximum number of changes in a plan.
MOST_STEPS = 10_000
#: Bytes of a delivery opportunity of mahimahi (man page mm-link).
_MAHIMAHI_BYTES = 1504


class Course(Value):
    """The course of one value of a link.

    Attributes:
        value: the field that varies, with the unit in its name.
        pattern: "ramp" goes from `low` to `high`; "square" is `low` for half a period, then `high`; "sine" swings
            between the two and begins in their middle; "trace" has the `points`.
        low, high: lowest and highest value.
        period_s: period of a wave; for a trace, the time after which it repeats, 0 to play it once.
        step_s: time between two changes of a ramp or a sine.
        points: for a trace: seconds from its start, ascending, and the value from that time on.
    """

    value: Varied = "rate_mbit"
    pattern: Pattern
    low: Amount = 0.0
    high: Amount = 0.0
    period_s: Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)] = 0.0
    step_s: Annotated[float, Field(ge=0.01, le=3600, allow_inf_nan=False)] = 0.1
    points: tuple[tuple[Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)], Amount], ...] = ()

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.pattern in ("square", "sine") and not self.period_s:
            raise ValueError(f"a {self.pattern} wave needs period_s")
        if self.pattern == "trace" and not self.points:
            raise ValueError("a trace needs points")
        times = [time_s for time_s, _ in self.points]
        if times != sorted(set(times)):
            raise ValueError("the times of points must ascend")
        values = [value for _, value in self.points] if self.pattern == "trace" else [self.low, self.high]
        if self.value == "rate_mbit" and not all(values):
            raise ValueError("a rate of 0 removes the limit; plan link-down for a link without traffic")
        if self.value == "loss_percent" and max(values) > 100:
            raise ValueError(f"a loss of {max(values):g} % is more than all")
        return self

    def count(self, lasts_s: float) -> int:
        """The approximate number of changes in `lasts_s` seconds."""
        if self.pattern == "square":
            return math.ceil(2 * lasts_s / self.period_s)
        if self.pattern == "trace":
            return len(self.points) * (math.ceil(lasts_s / self.period_s) if self.period_s else 1)
        return math.ceil(lasts_s / self.step_s)

    def steps(self, lasts_s: float) -> Iterator[tuple[float, float]]:
        """The changes as (seconds from the start, new value), before `lasts_s`; repeated values are left out."""
        last = None
        for time_s, value in self._steps(lasts_s):
            if time_s < lasts_s and value != last:
                yield round(time_s, 6), round(value, 9)
                last = value

    def _steps(self, lasts_s: float) -> Iterator[tuple[float, float]]:
        match self.pattern:
            case "square":
                for half in range(self.count(lasts_s)):
                    yield half * self.period_s / 2, self.high if half % 2 else self.low
            case "trace":
                for turn in range(math.ceil(lasts_s / self.period_s) if self.period_s else 1):
                    for time_s, value in self.points:
                        if not self.period_s or time_s < self.period_s:
                            yield turn * self.period_s + time_s, value
            case _:
                for step in range(self.count(lasts_s) + 1):
                    time_s = step * self.step_s
                    if self.pattern == "ramp":
                        share = min(1.0, time_s / lasts_s)
                    else:
                        share = (1 + math.sin(2 * math.pi * time_s / self.period_s)) / 2
                    yield time_s, self.low + share * (self.high - self.low)


# --- traces from files ------------------------------------------------------------------------------------------------


def read_trace(text: str) -> tuple[Course, ...]:
    """The courses of a file: a mahimahi trace if its first line is a whole number, else a table (`read_csv`).

    Raises:
        TopologyError: the file has neither format.
    """
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return (read_mahimahi(text),) if first.isdigit() else read_csv(text)


def read_csv(text: str) -> tuple[Course, ...]:
    """The courses of a table: a line of names (time_s and any of rate_mbit, delay_ms, loss_percent), then a line for
    each time.

    Raises:
        TopologyError: the table is invalid; the message names line and column.
    """
    rows = csv.DictReader(io.StringIO(text))
    names = [name.strip() for name in rows.fieldnames or ()]
    columns = [name for name in ("rate_mbit", "delay_ms", "loss_percent") if name in names]
    if "time_s" not in names or not columns:
        expected = "columns time_s and at least one of rate_mbit, delay_ms, loss_percent"
        raise TopologyError(f"the trace has the columns {', '.join(names) or 'none'}", field="points", remedy=expected)
    points: dict[str, list[tuple[float, float]]] = {name: [] for name in columns}
    for number, row in enumerate(rows, start=2):
        cells = {(name or "").strip(): (cell or "").strip() for name, cell in row.items() if isinstance(cell, str)}
        for name in columns:
            if cells.get(name):
                points[name].append((_number(cells, "time_s", number), _number(cells, name, number)))
    return tuple(_trace(name, points[name]) for name in columns if points[name])


def read_mahimahi(text: str, bin_s: float = 0.1) -> Course:
    """The rate of a mahimahi trace: each line is a millisecond at which the link may deliver a packet of 1504 bytes.

    A bin without deliveries gets the rate of one packet per second.

    Raises:
        TopologyError: the trace is invalid; the message names the line.
    """
    times_ms: list[int] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                times_ms.append(int(line))
            except ValueError:
                reason = f"line {number} of the trace is {line.strip()!r}"
                raise TopologyError(reason, field="points", remedy="a whole number of milliseconds") from None
    if not times_ms:
        raise TopologyError("the trace is empty", field="points", remedy="a line for each packet")
    counts = [0] * (max(1, math.ceil(max(times_ms) / 1e3 / bin_s)))
    for time_ms in times_ms:
        counts[min(len(counts) - 1, int(time_ms / 1e3 / bin_s))] += 1
    least = _MAHIMAHI_BYTES * 8e-6
    rates = [max(least, count * _MAHIMAHI_BYTES * 8e-6 / bin_s) for count in counts]
    points = [(round(index * bin_s, 6), round(rate, 6)) for index, rate in enumerate(rates)]
    return _trace("rate_mbit", points, len(counts) * bin_s)


def _trace(value: str, points: list[tuple[float, float]], period_s: float = 0.0) -> Course:
    try:
        return Course.model_validate({"value": value, "pattern": "trace", "points": points, "period_s": period_s})
    except ValidationError as problem:
        raise TopologyError(f"the trace: {first_fault(problem)[1]}", field="points") from None


def _number(cells: dict[str, str], name: str, number: int) -> float:
    try:
        return float(cells.get(name, ""))
    except ValueError:
        reason = f"line {number} of the trace has {name} {cells.get(name, '')!r}"
        raise TopologyError(reason, field="points", remedy="a number") from None
