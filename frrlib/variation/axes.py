"""Parses axes: `PATH=VALUE,VALUE,...`, fields that vary together, and lists with a row for each run.

Values are separated by commas; a value with a comma is put in double quotes. Numbers may be ranges, which include both
ends:

    10:100:10      10, 20, ..., 100
    1:1000:x10     1, 10, 100, 1000
    10:1000:log5   five numbers, each the same factor above the one before (to six digits)
    0:1:lin5       five numbers at equal distances
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence

from frrlib.errors import TopologyError
from frrlib.model.base import Value
from frrlib.model.quantities import InvalidQuantity, Measure
from frrlib.model.topology import Topology
from frrlib.variation.assignment import Setting, as_sized, set_field
from frrlib.variation.field_paths import targets
from frrlib.variation.values import measure_of

#: Maximum number of values of a range; more are probably a typing error.
MOST = 10_000
#: Tolerance for the last step beyond the end of a range, as a share of the step, due to rounding.
_TOLERANCE = 1e-9


class Axis(Value):
    """Fields that vary together.

    Attributes:
        paths: paths of the fields, as in `field_paths`; one for a plain axis.
        rows: the values, a text for each path; rows are unique.
    """

    paths: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def parse_axis(topology: Topology, text: str) -> Axis:
    """One field and its values: "link:r1-r2.rate_mbit=10,20,50", "flow:*.cc=cubic,bbr".

    Args:
        topology: the topology, from which the unit of the field follows.

    Raises:
        TopologyError: the text is invalid; the error has a valid form.
    """
    path, equals, values_text = (part.strip() for part in text.partition("="))
    if not equals or not path or not values_text:
        raise TopologyError(f"{text!r} has no values", remedy="as in link:r1-r2.rate_mbit=10,20,50")
    try:
        words = next(csv.reader([values_text], skipinitialspace=True, strict=True))
    except csv.Error as problem:
        raise TopologyError(f"{values_text!r} is not a list: {problem}", node=path) from None
    values = [value for word in words for value in _values(topology, path, word.strip())]
    return _checked((path,), [(value,) for value in values], text)


def parse_zip(topology: Topology, text: str) -> Axis:
    """Fields that vary together, with equal numbers of values: "link:l1.rate=10,20; link:l1.delay=40ms,20ms".

    Raises:
        TopologyError: as `parse_axis`, and if the numbers of values differ.
    """
    axes: list[Axis] = []
    for part in text.split(";"):
        if part.strip():
            axes.append(parse_axis(topology, part))
            topology = with_first_row(topology, axes[-1])
    lengths = [len(axis.rows) for axis in axes]
    if len(axes) < 2 or len(set(lengths)) != 1:
        lengths_text = ", ".join(f"{axis.paths[0]} {length}" for axis, length in zip(axes, lengths, strict=True))
        reason = f"has {lengths_text} values" if len(axes) > 1 else "has one field"
        raise TopologyError(
            f"{text!r} {reason}", remedy="separate several fields by ';', each with the same number of values"
        )
    paths = tuple(axis.paths[0] for axis in axes)
    return _checked(paths, [tuple(row[0] for row in rows) for rows in zip(*(a.rows for a in axes), strict=True)], text)


def read_list(topology: Topology, text: str, name: str) -> Axis:
    """A table of comma-separated values: its first row names the fields, each further one is a run.

    Args:
        text: the file's text.
        name: the file's name, for messages.

    Raises:
        TopologyError: the table is invalid; the error has the line.
    """
    try:
        reader = csv.reader(io.StringIO(text), skipinitialspace=True, strict=True)
        rows = [(reader.line_num, tuple(cell.strip() for cell in row)) for row in reader if any(row)]
    except csv.Error as problem:
        raise TopologyError(f"is not a table: {problem}", node=name) from None
    if len(rows) < 2:
        raise TopologyError("has no runs", node=name, remedy="add one row with the fields, and one row for each run")
    paths = rows[0][1]
    for line, row in rows[1:]:
        if len(row) != len(paths):
            raise TopologyError(f"has {len(row)} values for {len(paths)} fields", node=name, line=line)
    axis = _checked(paths, [row for _, row in rows[1:]], name)
    with_first_row(topology, axis)
    return axis


def with_first_row(topology: Topology, axis: Axis) -> Topology:
    """The topology with the first row of an axis, in which later axes find new fields (`queue=codel`, its target).

    Raises:
        TopologyError: the row cannot be set.
    """
    for path, text in zip(axis.paths, axis.rows[0], strict=True):
        topology = set_field(topology, Setting(path=path, text=text)).topology
    return topology


def _checked(paths: tuple[str, ...], rows: Sequence[tuple[str, ...]], text: str) -> Axis:
    twice = next((path for path in paths if paths.count(path) > 1), None)
    if twice is not None:
        raise TopologyError(f"{twice} is listed twice in {text!r}", remedy="list each field once")
    again = next((row for row in rows if rows.count(row) > 1), None)
    if again is not None:
        raise TopologyError(
            f"{', '.join(again)} is listed twice in {text!r}", remedy="set the number of repetitions separately"
        )
    return Axis(paths=paths, rows=tuple(rows))


def _values(topology: Topology, path: str, word: str) -> Iterator[str]:
    """The values of one word between commas: the word itself, or those of a range."""
    parts = word.split(":")
    path, first = as_sized(topology, path, parts[0])
    target = targets(topology, path)[0] if first is None else first
    measure = measure_of(target.name, target.field)
    if len(parts) != 3 or measure is None:
        yield word
        return
    try:
        numbers = list(_range(measure, *(part.strip() for part in parts)))
    except InvalidQuantity as problem:
        raise TopologyError(
            f"{word} {problem}", node=path, remedy="FROM:TO:STEP, FROM:TO:xFACTOR, FROM:TO:logCOUNT or FROM:TO:linCOUNT"
        ) from None
    is_whole = measure.whole or all(number == int(number) for number in numbers)
    # The unit is added, since a number of a queue without a unit would mean packets.
    texts = (f"{round(number)}" if is_whole else f"{number:.12g}" for number in numbers)
    yield from dict.fromkeys(f"{text}{_unit(measure)}" for text in texts)


def _unit(measure: Measure) -> str:
    return "" if not measure.unit else measure.unit.replace("Mbit/s", "mbit").lower()


def _range(measure: Measure, begin: str, end: str, step: str) -> Iterator[float]:
    low, high = measure.read(begin), measure.read(end)
    for word in ("log", "lin"):
        if step.startswith(word):
            yield from _spread(low, high, _count(step[3:]), word == "log")
            return
    factor = _number(step[1:]) if step.startswith("x") else None
    width = None if factor is not None else measure.read(step)
    if factor is not None and not (low > 0 and factor > 0 and factor != 1 and (factor > 1) == (high >= low)):
        raise InvalidQuantity("never reaches its end")
    if width is not None and not (width != 0 and (width > 0) == (high >= low)):
        raise InvalidQuantity("never reaches its end")
    if factor is not None:
        count = math.floor(math.log(high / low) / math.log(factor) + _TOLERANCE) + 1 if high > 0 else MOST + 1
    else:
        count = math.floor((high - low) / (width or 1) + _TOLERANCE) + 1
    if count > MOST:
        raise InvalidQuantity(f"has more than {MOST} values")
    for index in range(count):
        yield low * factor**index if factor is not None else low + index * (width or 0)


def _spread(low: float, high: float, count: int, is_log: bool) -> Iterator[float]:
    if is_log and not (low > 0 and high > 0):
        raise InvalidQuantity("cannot have equal factors, since not both ends are above 0")
    for index in range(count):
        share = index / (count - 1)
        if index in (0, count - 1):
            yield low if index == 0 else high
        else:
            yield float(f"{low * (high / low) ** share:.6g}") if is_log else low + (high - low) * share


def _count(text: str) -> int:
    if not text.isdigit() or not 2 <= int(text) <= MOST:
        raise InvalidQuantity(f"needs a number from 2 to {MOST} of values")
    return int(text)


def _number(text: str) -> float:
    try:
        factor = float(text)
    except ValueError:
        raise InvalidQuantity(f"has the factor {text!r}, which is not a number") from None
    if not math.isfinite(factor):
        raise InvalidQuantity("never reaches its end")
    return factor
