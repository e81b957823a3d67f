"""All combinations of varying fields, and the topology of each: a *point* sets each field once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from pydantic import ValidationError

from frrlib.checks.check import refuse_errors
from frrlib.errors import TopologyError
from frrlib.model.base import Value, first_fault
from frrlib.model.topology import Topology
from frrlib.variation.assignment import Setting, set_field
from frrlib.variation.axes import Axis
from frrlib.variation.field_paths import value_at
from frrlib.variation.values import text_of

Cell = str | float | bool


class Point(Value):
    """One combination: settings in the order of the axes; empty for the unchanged topology."""

    settings: tuple[Setting, ...] = ()

    def __str__(self) -> str:
        return ", ".join(map(str, self.settings)) or "as drawn"


class TopologyVariant(NamedTuple):
    """The topology of a point.

    Attributes:
        topology: a valid value; `check` may still find errors.
        cells: the value of each setting, by the path with the field's own name ("link:l1.rate_mbit").
    """

    topology: Topology
    cells: dict[str, Cell]


def count(axes: Sequence[Axis]) -> int:
    """The number of points of some axes."""
    return prod(len(axis.rows) for axis in axes)


def points(axes: Sequence[Axis]) -> Iterator[Point]:
    """All combinations; the last axis varies fastest.

    Raises:
        TopologyError: two axes vary one field.
    """
    paths = [path for axis in axes for path in axis.paths]
    twice = next((path for path in paths if paths.count(path) > 1), None)
    if twice is not None:
        raise TopologyError("varies in two ways", node=twice, remedy="list all of its values together")
    for rows in product(*(axis.rows for axis in axes)):
        texts = [text for row in rows for text in row]
        yield Point(settings=tuple(Setting(path=p, text=t) for p, t in zip(paths, texts, strict=True)))


def vary(topology: Topology, point: Point) -> TopologyVariant:
    """The topology of a point.

    Raises:
        TopologyError: a setting is invalid, two settings set one field, or the values do not fit together; the message
            names the point.
    """
    varied, cells, assignments = topology, {}, []
    try:
        for setting in point.settings:
            varied, column, cell, targets = set_field(varied, setting)
            cells[column] = cell
            assignments += [(target, value_at(varied, target.steps), setting) for target in targets]
        for target, value, setting in assignments:
            if _is_gone(varied, target.steps, value):
                where = f"{target.owner} {target.name}".strip()
                raise TopologyError(f"{setting} and another setting both set {where}", remedy="remove one of them")
        return TopologyVariant(Topology.model_validate(varied.model_dump()), cells)
    except ValidationError as problem:
        field, reason = first_fault(problem)
        raise TopologyError(f"{field}: {reason}", node=f"at {point}") from None
    except TopologyError as problem:
        raise TopologyError(
            problem.message, node=_at(point, problem), field=problem.field, remedy=problem.remedy
        ) from None


def checked(topology: Topology, point: Point) -> TopologyVariant:
    """As `vary`, for a topology that can run.

    Raises:
        TopologyError: as `vary`, and if `check` finds an error; the message names the point.
    """
    varied = vary(topology, point)
    try:
        refuse_errors(varied.topology)
    except TopologyError as problem:
        raise TopologyError(
            problem.message, node=_at(point, problem), field=problem.field, remedy=problem.remedy
        ) from None
    return varied


def _at(point: Point, problem: TopologyError) -> str:
    """The subject of a problem, and the point at which it occurs."""
    if problem.node in [setting.path for setting in point.settings] or not point.settings:
        return problem.node  # it names the setting itself
    return f"at {point}: {problem.node}".removesuffix(": ")


def _is_gone(topology: Topology, steps: Sequence[str | int], value: object) -> bool:
    try:
        return text_of(value_at(topology, steps)) != text_of(value)  # its inner fields may have been set since
    except (AttributeError, IndexError):
        return True
