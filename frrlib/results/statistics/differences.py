"""Finds the differences between runs: the values of their topologies and settings that are not equal in all of them.

Runs with equal values are repetitions of each other and form a group.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from frrlib.errors import TopologyError
from frrlib.formats import mn
from frrlib.model.topology import Topology
from frrlib.results.records import Results
from frrlib.results.statistics.statistics import run_name
from frrlib.variation.values import in_words

Value = str | float | bool

#: Fields of topologies and settings that may differ between repetitions: positions, words, numbers of repetitions. The
#: requested place and kernel are among them; `fields_of` has the place and the kernel that were used.
_IGNORED_FIELDS = frozenset(
    ("x", "y", "title", "annotations", "preferences", "number", "label", "colour", "foreign", "kernel", "place", "out",
     "seed", "repetition")
)  # fmt: skip
#: The keys that may name an item of a list; the first existing one is used.
_NAMES = ("id", "name")
#: The values of an empty field, and of a field with inner fields.
_NOTHING, _SET = "none", "set"
#: The digits of a kernel file's digest that are shown.
_DIGITS = 12
_NUMBER = re.compile(r"[+-]?[0-9.]+(?:e[+-]?[0-9]+)?")


@dataclass(frozen=True, eq=False)
class RunGroup:
    """Runs of one experiment, with equal topologies and settings.

    Attributes:
        values: the values that distinguish this group, by field; empty if there is only one group.
        runs: its repetitions.
    """

    values: Mapping[str, Value]
    runs: tuple[Results, ...]

    @property
    def label(self) -> str:
        """The values in a few words ("rate 10 Mbit/s, queue 0.5 BDP"); the runs' name without values."""
        words = ", ".join(field_text(field.rpartition(".")[2], value) for field, value in self.values.items())
        return words or run_name(self.runs[0])


def fields_of(results: Results) -> dict[str, Value]:
    """All values of a run's topology and settings, by a path of names ("links.r1-r2.a_to_b.delay_ms").

    It has all fields of the model, including defaults that the file leaves out. A topology that cannot be read has no
    values.
    """
    try:
        topology = mn.loads(results.topology_text, "topology.mn").topology
    except TopologyError:
        topology = Topology()
    drawing = {**topology.model_dump(mode="json"), "links": [_link(link) for link in topology.links]}
    return {**dict((*_flat(drawing, ""), *_flat(results.info.settings, "settings"))), **_machine(results)}


def _machine(results: Results) -> dict[str, Value]:
    """The recorded place and kernel of a run: runs that differ in them are not repetitions of each other."""
    facts = results.info.facts
    values = {"place": results.info.place, "kernel": facts.get("kernel"), "kernel_file": facts.get("kernel_digest")}
    return {name: value[:_DIGITS] if name == "kernel_file" else value for name, value in values.items()
            if isinstance(value, str) and value}  # fmt: skip


def varied_fields(runs: Sequence[Results]) -> list[str]:
    """The fields whose values are not equal in all runs, in the order of the topology.

    Among fields that always change together (a rate in both directions) only the first is returned. The parameters of a
    queueing discipline are not returned if they follow from the discipline.
    """
    return _varied([fields_of(run) for run in runs])


def _varied(tables: Sequence[Mapping[str, Value]]) -> list[str]:
    patterns: dict[str, tuple[int, ...]] = {}
    for name in dict.fromkeys(name for table in tables for name in table):
        values = [table.get(name, "") for table in tables]
        if len(set(values)) > 1:
            patterns[name] = tuple(values.index(value) for value in values)
    first_fields: dict[tuple[int, ...], str] = {}
    for name, pattern in patterns.items():
        outer = patterns.get(name.rpartition(".")[0])
        if outer is None or not _follows(pattern, outer):
            first_fields.setdefault(pattern, name)
    return list(first_fields.values())


def _follows(pattern: Sequence[int], outer_pattern: Sequence[int]) -> bool:
    """Whether runs with the same value of an outer field have the same value of an inner field."""
    return len(set(zip(outer_pattern, pattern, strict=True))) == len(set(outer_pattern))


def groups(runs: Sequence[Results]) -> list[RunGroup]:
    """The runs in groups of equal values, in the order of the values."""
    tables = [fields_of(run) for run in runs]
    names = _varied(tables)
    runs_by_values: dict[tuple[Value, ...], list[Results]] = {}
    for run, table in zip(runs, tables, strict=True):
        runs_by_values.setdefault(tuple(_value(table, name) for name in names), []).append(run)
    ordered = (
        sorted(runs_by_values.items(), key=lambda item: [sort_key(value) for value in item[0]])
        if names
        else runs_by_values.items()
    )
    return [RunGroup(dict(zip(names, values, strict=True)), tuple(members)) for values, members in ordered]


def brief_labels(runs: Sequence[Results], most: int = 3) -> dict[Path, str]:
    """The values that distinguish each run from the others, by its folder; empty for runs that are all equal.

    Args:
        runs: runs of one topology.
        most: the maximum number of values; the number of further ones is stated.
    """
    return {run.folder: _brief(group.values, most) for group in groups(runs) for run in group.runs}


def _brief(values: Mapping[str, Value], most: int) -> str:
    words = [field_text(field.rpartition(".")[2], value) for field, value in values.items()]
    more = f"; {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more


def sort_key(value: Value) -> tuple[int, float, str]:
    """A key that sorts numbers by size, and words after them."""
    if isinstance(value, str):
        match = _NUMBER.match(value)
        try:
            return 0, float(match[0] if match else value), value
        except ValueError:
            return 1, 0.0, value
    return 0, float(value), ""


def value_text(value: Value) -> str:
    """A value for people; a field that a run lacks is "-"."""
    return f"{value:g}" if isinstance(value, float) else str(value) or "-"


def field_text(field: str, value: Value) -> str:
    """A field and its value in words, with the unit after the number ("queue 0.5 BDP", "congestion control bbr")."""
    words, unit = in_words(field)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{words} {value_text(value)}{f' {unit}' if unit and is_number else ''}"


def heading(field: str) -> str:
    """The heading over numbers of a field, with their unit ("delay ms")."""
    return " ".join(filter(None, in_words(field)))


def short_names(names: Sequence[str]) -> dict[str, str]:
    """The shortest unique name of each field."""
    shortest = {}
    for name in names:
        parts = name.split(".")
        ends = [".".join(parts[index:]) for index in range(len(parts) - 1, -1, -1)]
        free = (end for end in ends if sum(f".{candidate}".endswith(f".{end}") for candidate in names) == 1)
        shortest[name] = next(free, name)
    return shortest


def _link(link: Any) -> dict[str, Any]:
    """A link's values, with its ends as id instead of a number."""
    values: dict[str, Any] = link.model_dump(mode="json")
    return {**values, "id": f"{link.a.node}-{link.b.node}"}


def _value(table: Mapping[str, Value], name: str) -> Value:
    """A run's value of a field. If the field is empty in another run, whether this run has inner fields."""
    if name in table:
        return table[name]
    return _SET if any(field.startswith(f"{name}.") for field in table) else ""


def _flat(value: object, path: str) -> Iterator[tuple[str, Value]]:
    if isinstance(value, Mapping):
        if "kind" in value:  # the value of a queue is its discipline; the other values are inner fields
            yield path, str(value["kind"])
        for key, inner in value.items():
            if key not in _IGNORED_FIELDS and key != "kind":
                yield from _flat(inner, f"{path}.{key}".lstrip("."))
    elif isinstance(value, list | tuple):
        counts: dict[str, int] = {}
        for number, inner in enumerate(value, 1):
            name = _name(inner) or str(number)
            counts[name] = counts.get(name, 0) + 1
            yield from _flat(inner, f"{path}.{name}" if counts[name] == 1 else f"{path}.{name}/{counts[name]}")
    elif isinstance(value, bool | str):
        yield path, value
    elif isinstance(value, int | float):
        yield path, float(value)
    elif value is None:
        yield path, _NOTHING


def _name(item: object) -> str:
    """The name of an item of a list; empty if it has none."""
    if not isinstance(item, Mapping):
        return ""
    return next((str(item[name]) for name in _NAMES if item.get(name)), "")
