"""Computes the points of lines: means of statistics over a varied field, with confidence intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from frrlib.plots.fields import matching_field
from frrlib.plots.line_statistics import STATISTICS, Controls, Statistic
from frrlib.results.layout import ResultsError
from frrlib.results.records import Results
from frrlib.results.statistics.comparison import group_statistics
from frrlib.results.statistics.differences import Value, fields_of, short_names, sort_key
from frrlib.results.statistics.intervals import Interval, Method, bounds_of, interval
from frrlib.results.statistics.statistics import RunStatistics

#: The maximum number of fields whose values have panels of their own: columns, then rows.
MOST_FACETS = 2


@dataclass(frozen=True)
class LineOptions:
    """The content of a figure of lines. Fields may be given by the ends of their names.

    Attributes:
        x: the field of the x axis; empty for the one with the most numbers as values.
        y: names of statistics, each with panels of its own.
        facets: up to two fields whose values have panels of their own.
        line_style, marker: the fields that line styles and markers show; empty for the next ones that differ.
        log_x, log_y: whether an axis is logarithmic.
        method: of confidence intervals.
    """

    x: str = ""
    y: tuple[str, ...] = ()
    facets: tuple[str, ...] = ()
    line_style: str = ""
    marker: str = ""
    log_x: bool = False
    log_y: bool = False
    method: Method = "student"


@dataclass(frozen=True)
class Fields:
    """The fields of a figure by their whole names.

    Attributes:
        x, facets: of the axis and of the panels.
        line_style, marker: of the lines; empty for none.
        averaged: further fields that differ, over which points are averaged.
        short: the short name of each field.
    """

    x: str
    facets: tuple[str, ...]
    line_style: str
    marker: str
    averaged: tuple[str, ...]
    short: Mapping[str, str]


@dataclass(frozen=True)
class Curve:
    """One line: the points of one statistic under equal values of all fields but that of the x axis.

    Attributes:
        statistic: its name.
        controls: the congestion controls of its flows.
        facets, line_style, marker: the values of these fields; "" without a field.
        points: a value of the x axis and the interval of the statistic, in order.
    """

    statistic: str
    controls: Controls
    facets: tuple[Value, ...]
    line_style: Value
    marker: Value
    points: tuple[tuple[Value, Interval], ...]


@dataclass(frozen=True)
class _Row:
    """The runs of one combination of values."""

    values: Mapping[str, Value]
    statistics: tuple[RunStatistics, ...]


def is_number(value: Value) -> bool:
    """Whether a value is a number, which has a position on an axis."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def line_curves(runs: Sequence[Results], options: LineOptions) -> tuple[Fields, list[Curve], dict[str, list[Value]]]:
    """The fields of a figure, its curves, and the values of each of its fields, in order.

    Raises:
        ResultsError: no field differs, or a name is unknown or ambiguous, or no run has a statistic.
    """
    folder = runs[0].folder.parent if runs else Path()
    statistics = _statistics(options.y, folder)
    groups = group_statistics(runs)
    tables = [fields_of(group.group.runs[0]) for group in groups]
    rows = [
        _Row({**table, **group.group.values}, group.statistics) for table, group in zip(tables, groups, strict=True)
    ]
    fields = _fields(rows, list(groups[0].group.values) if groups else [], statistics, options, folder)
    curves = _curves(rows, fields, statistics, options.method)
    for statistic in statistics:
        if not any(curve.statistic == statistic.name for curve in curves):
            raise ResultsError(folder, f"no run has a value of {statistic.name}", "choose another statistic")
    values = {field: _values(rows, field) for field in (*fields.short,)}
    return fields, curves, values


def _statistics(names: Sequence[str], folder: Path) -> list[Statistic]:
    for name in names:
        if name not in STATISTICS:
            raise ResultsError(folder, f"line cannot show {name}", f"choose one of {', '.join(STATISTICS)}")
    return [STATISTICS[name] for name in dict.fromkeys(names)]


def _curves(rows: Sequence[_Row], fields: Fields, statistics: Sequence[Statistic], method: Method) -> list[Curve]:
    numbers: dict[tuple[str, Controls, tuple[Value, ...], Value, Value], dict[Value, list[float]]] = {}
    for statistic in statistics:
        for row in rows:
            facets = tuple(row.values[field] for field in fields.facets)
            style, marker = (row.values[field] if field else "" for field in (fields.line_style, fields.marker))
            for run in row.statistics:
                for controls, number in statistic.numbers(run).items():
                    points = numbers.setdefault((statistic.name, controls, facets, style, marker), {})
                    points.setdefault(row.values[fields.x], []).append(number)
    curves = []
    for key, points in numbers.items():
        bounds = bounds_of(key[0])
        intervals = [(x, interval(points[x], method=method, bounds=bounds)) for x in sorted(points, key=sort_key)]
        curves.append(Curve(*key, tuple((x, value) for x, value in intervals if value is not None)))
    return curves


def _fields(
    rows: Sequence[_Row], varied: Sequence[str], statistics: Sequence[Statistic], options: LineOptions, folder: Path
) -> Fields:
    if not varied:
        raise ResultsError(folder, "lines need runs that differ in a field, but these runs are equal", "add runs")
    if len(options.facets) > MOST_FACETS:
        raise ResultsError(folder, f"lines can have {MOST_FACETS} facets, but there are {len(options.facets)}",
                           "use --line-style or --marker for the others")  # fmt: skip

    def find(name: str) -> str:
        known = [field for field in varied if _has_name(field, name, folder)]
        return known[0] if len(known) == 1 else matching_field(known or _all_varied(rows), name, folder)

    facets = tuple(find(name) for name in options.facets)
    style, marker = (find(name) if name else "" for name in (options.line_style, options.marker))
    free = [field for field in varied if field not in (*facets, style, marker)]
    x = find(options.x) if options.x else _default_x(rows, free, folder)
    chosen = [field for field in (x, *facets, style, marker) if field]
    if len(set(chosen)) < len(chosen):
        twice = next(field for field in chosen if chosen.count(field) > 1)
        raise ResultsError(folder, f"{twice} is used twice", "choose different fields")
    rest = [field for field in varied if field not in chosen and not _follows(rows, field, chosen, statistics)]
    if not style:
        style = rest.pop(0) if rest else ""
    if not marker:
        marker = rest.pop(0) if rest else ""
    used = [field for field in (x, *facets, style, marker, *rest) if field]
    names = short_names(list(dict.fromkeys((*used, *varied))))
    return Fields(x, facets, style, marker, tuple(rest), {field: names[field] for field in used})


def _has_name(field: str, name: str, folder: Path) -> bool:
    try:
        return bool(matching_field([field], name, folder))
    except ResultsError:
        return False


def _all_varied(rows: Sequence[_Row]) -> list[str]:
    """All fields that differ, including those that always change together with another one."""
    common = [field for field in rows[0].values if all(field in row.values for row in rows)]
    return [field for field in common if len({row.values[field] for row in rows}) > 1]


def _default_x(rows: Sequence[_Row], fields: Sequence[str], folder: Path) -> str:
    if not fields:
        raise ResultsError(folder, "no field that differs is left for the x axis", "name it with --x")
    return max(fields, key=lambda field: (all(map(is_number, _values(rows, field))), len(_values(rows, field))))


def _values(rows: Sequence[_Row], field: str) -> list[Value]:
    return sorted({row.values[field] for row in rows}, key=sort_key)


def _follows(rows: Sequence[_Row], field: str, chosen: Sequence[str], statistics: Sequence[Statistic]) -> bool:
    """Whether the value of a field follows from the congestion control of a line, or from the value of a chosen
    field."""

    by_control = [
        [(controls, row.values[field])
         for row in rows for run in row.statistics for controls in statistic.numbers(run)]
        for statistic in statistics
    ]  # fmt: skip
    if all(map(_is_function, by_control)):
        return True
    return any(_is_function([(row.values[other], row.values[field]) for row in rows]) for other in chosen)


def _is_function(pairs: Sequence[tuple[object, Value]]) -> bool:
    """Whether equal first parts of pairs have equal second parts."""
    return bool(pairs) and len(set(pairs)) == len({first for first, _ in pairs})
