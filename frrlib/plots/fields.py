"""Finds and names the fields of topologies and settings that differ between runs, for the axes of figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from frrlib.results.layout import ResultsError
from frrlib.results.statistics.comparison import GroupStatistics
from frrlib.results.statistics.differences import Value, sort_key, value_text
from frrlib.variation.values import in_words


def matching_field(fields: Sequence[str], name: str, folder: Path) -> str:
    """The field with a name, with the end of a name ("delay_ms"), or with that end without its unit ("delay").

    Raises:
        ResultsError: no field has the name, or several have it.
    """
    matches = [field for field in fields if field == name or field.endswith(f".{name}") or _is_short_name(field, name)]
    if len(matches) != 1:
        problem = "no field" if not matches else "more than one field"
        raise ResultsError(folder, f"{problem} that differs between the runs has the name {name}", ", ".join(fields))
    return matches[0]


def field_values(rows: Sequence[GroupStatistics], field: str) -> list[Value]:
    """The different values of a field in groups of runs, in order."""
    return sorted({row.group.values[field] for row in rows}, key=sort_key)


def axis_label(field: str) -> str:
    """The label of a field's axis: "delay (ms)"."""
    words, unit = in_words(field)
    return f"{words} ({unit})" if unit else words


def values_text(field: str, values: Sequence[Value]) -> str:
    """A field with several values in words: "queue 100, 200 packets"."""
    words, unit = in_words(field)
    return " ".join(filter(None, (words, ", ".join(value_text(value) for value in values), unit)))


def _is_short_name(field: str, name: str) -> bool:
    """Whether a name is that of a field without its unit ("delay", "r1-r2.a_to_b.delay")."""
    words, unit = in_words(field.rpartition(".")[2])
    return bool(unit) and f".{field.rpartition('.')[0]}.{words.replace(' ', '_')}".endswith(f".{name}")
