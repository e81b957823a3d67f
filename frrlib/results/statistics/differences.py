"""Finds by what runs differ: the values of their drawings and settings that are not the same in all of them.

Runs with the same values are repetitions of each other, and one group.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from frrlib.errors import TopologyError
from frrlib.formats import mn
from frrlib.model.topology import Topology
from frrlib.results.records import Results
from frrlib.results.statistics.statistics import run_name
from frrlib.variation.values import in_words

Value = str | float | bool

#: Fields of drawings and settings that may differ between repetitions: positions, words, numbers of repetitions. The
#: place and the kernel that were asked for are among them; `fields_of` has the place and the kernel that were used.
_NO_MATTER = frozenset(
    ("x", "y", "title", "annotations", "preferences", "number", "label", "colour", "foreign", "kernel", "place", "out",
     "seed", "repetition")
)  # fmt: skip
#: What names a thing in a list, the first that it has.
_NAMES = ("id", "name")
#: How a field is told that is there and holds nothing, and one that holds more than one value.
_NOTHING, _SET = "none", "set"
#: The digits of a kernel file's digest that are shown.
_DIGITS = 12
_NUMBER = re.compile(r"[+-]?[0-9.]+(?:e[+-]?[0-9]+)?")


@dataclass(frozen=True, eq=False)
class RunGroup:
    """Runs of one experiment: all that was drawn and set is the same in them.

    Attributes:
        values: what is particular to this group, by field; empty where there is only one group.
        runs: its repetitions.
    """

    values: Mapping[str, Value]
    runs: tuple[Results, ...]

    @property
    def label(self) -> str:
        """The values in a few words ("rate 10 Mbit/s, queue 0.5 BDP"); the runs' name where there are none."""
        told = ", ".join(field_text(field.rpartition(".")[2], value) for field, value in self.values.items())
        return told or run_name(self.runs[0])


def fields_of(results: Results) -> dict[str, Value]:
    """All values of a run's drawing and settings, by a path of names ("links.r1-r2.a_to_b.delay_ms").

    All fields of the model are there, whether the file says them or leaves them out because they are as usual. Of a
    drawing that cannot be read there are none.
    """
    try:
        topology = mn.loads(results.topology_text, "topology.mn").topology
    except TopologyError:
        topology = Topology()
    drawing = {**topology.model_dump(mode="json"), "links": [_link(each) for each in topology.links]}
    return {**dict((*_flat(drawing, ""), *_flat(results.info.settings, "settings"))), **_machine(results)}


def _machine(results: Results) -> dict[str, Value]:
    """The place and the kernel of a run, as far as it recorded them: runs that differ in them are no repetitions."""
    facts = results.info.facts
    found = {"place": results.info.place, "kernel": facts.get("kernel"), "kernel_file": facts.get("kernel_digest")}
    return {name: value[:_DIGITS] if name == "kernel_file" else value for name, value in found.items()
            if isinstance(value, str) and value}  # fmt: skip


def varied_fields(runs: Sequence[Results]) -> list[str]:
    """The fields whose values are not the same in all runs, in the order of the drawing.

    Of fields that always change together (a rate there and back) the first stands for all.
    """
    return _varied([fields_of(run) for run in runs])


def _varied(tables: Sequence[Mapping[str, Value]]) -> list[str]:
    names = dict.fromkeys(name for table in tables for name in table)
    chosen: dict[tuple[int, ...], str] = {}
    for name in names:
        values = [table.get(name, "") for table in tables]
        if len(set(values)) > 1:
            pattern = tuple(values.index(value) for value in values)
            chosen.setdefault(pattern, name)
    return list(chosen.values())


def groups(runs: Sequence[Results]) -> list[RunGroup]:
    """The runs by what differs between them, in the order of the values."""
    tables = [fields_of(run) for run in runs]
    names = _varied(tables)
    found: dict[tuple[Value, ...], list[Results]] = {}
    for run, table in zip(runs, tables, strict=True):
        found.setdefault(tuple(_value(table, name) for name in names), []).append(run)
    ordered = sorted(found.items(), key=lambda item: [sort_key(value) for value in item[0]]) if names else found.items()
    return [RunGroup(dict(zip(names, values, strict=True)), tuple(members)) for values, members in ordered]


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
    """A field and its value in words, the unit behind the number ("queue 0.5 BDP", "congestion control bbr")."""
    words, unit = in_words(field)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{words} {value_text(value)}{f' {unit}' if unit and is_number else ''}"


def heading(field: str) -> str:
    """The heading over numbers of a field, with their unit ("delay ms")."""
    return " ".join(filter(None, in_words(field)))


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Each field with its shortest name that no other of them has."""
    found = {}
    for name in names:
        parts = name.split(".")
        ends = [".".join(parts[index:]) for index in range(len(parts) - 1, -1, -1)]
        free = (end for end in ends if sum(f".{other}".endswith(f".{end}") for other in names) == 1)
        found[name] = next(free, name)
    return found


def _link(link: Any) -> dict[str, Any]:
    """A link's values, called by its ends rather than by a number that says nothing."""
    values: dict[str, Any] = link.model_dump(mode="json")
    return {**values, "id": f"{link.a.node}-{link.b.node}"}


def _value(table: Mapping[str, Value], name: str) -> Value:
    """A run's value of a field; where another run has nothing there, whether this one has something."""
    if name in table:
        return table[name]
    return _SET if any(other.startswith(f"{name}.") for other in table) else ""


def _flat(value: object, path: str) -> Iterator[tuple[str, Value]]:
    if isinstance(value, Mapping):
        if "kind" in value:  # a queue is told by its discipline, and what is in it beside that
            yield path, str(value["kind"])
        for key, inner in value.items():
            if key not in _NO_MATTER and key != "kind":
                yield from _flat(inner, f"{path}.{key}".lstrip("."))
    elif isinstance(value, list | tuple):
        seen: dict[str, int] = {}
        for number, inner in enumerate(value, 1):
            name = _name(inner) or str(number)
            seen[name] = seen.get(name, 0) + 1
            yield from _flat(inner, f"{path}.{name}" if seen[name] == 1 else f"{path}.{name}/{seen[name]}")
    elif isinstance(value, bool | str):
        yield path, value
    elif isinstance(value, int | float):
        yield path, float(value)
    elif value is None:
        yield path, _NOTHING


def _name(item: object) -> str:
    """The name of a thing in a list."""
    if not isinstance(item, Mapping):
        return ""
    return next((str(item[name]) for name in _NAMES if item.get(name)), "")
