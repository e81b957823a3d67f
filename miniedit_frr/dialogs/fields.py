"""Fields of a form as tables: where a value is, what it is called, how it is written.

Values are frozen, models of ours or data classes; a field reads its part of one and makes a new one with another part.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from miniedit_frr.dialogs.kinds import Content, Kind
from miniedit_frr.dialogs.quantities import Wrong
from miniedit_frr.dialogs.words import reason

#: What a form may know besides the values in it: which names there are, what is automatic.
Context = Any


@dataclass(frozen=True)
class Lens:
    """A field that stands for several of the model's.

    Attributes:
        get: the whole to what the field shows.
        put: the whole and what the field says to the whole.
        covers: the model's fields that it stands for.
    """

    get: Callable[[Any], Any]
    put: Callable[[Any, Any], Any]
    covers: tuple[str, ...]


@dataclass(frozen=True)
class Field:
    """One field of a form.

    Attributes:
        path: where it is in the value, dotted ("ospf.area"); with a lens, of what the lens looks at, and a last word.
        label: what it is called.
        kind: how it is written, or what makes that from the form's context.
        help: what it means, shown beside it.
        single: whether it is offered for one value only, not for several at once.
        hint: what is shown, faintly, while it is empty; from the context and the value, of a pair's field also from
            the side, of a table's column from the context and the row.
        lens: for fields that stand for several of the model's.
    """

    path: str
    label: str
    kind: Kind | Table | Callable[[Context], Kind | Table]
    help: str = ""
    single: bool = False
    hint: Callable[..., str] | str = ""
    lens: Lens | None = None

    def hinted(self, context: Context, *values: Any) -> str:
        """What is shown while it is empty."""
        return self.hint if isinstance(self.hint, str) else self.hint(context, *values)

    def get(self, value: Any) -> Any:
        """What the field shows of a value; None where the part that it is in is not there."""
        above = self._above(value)
        if above is None:
            return None
        return self.lens.get(above) if self.lens else getattr(above, self.path.rpartition(".")[2])

    def is_in(self, value: Any) -> bool:
        """Whether the part that it is in is there."""
        return self._above(value) is not None

    def _above(self, value: Any) -> Any:
        for name in self.path.split(".")[:-1]:
            value = getattr(value, name)
            if value is None:
                return None
        return value

    def put(self, value: Any, new: Any) -> Any:
        """The value with another part.

        Raises:
            Wrong: the model refuses it.
        """
        return self._put(value, self.path.split("."), new)

    def _put(self, value: Any, path: list[str], new: Any) -> Any:
        name, *rest = path
        if rest:
            below = getattr(value, name)
            return value if below is None else replaced(value, name, self._put(below, rest, new), self.unit)
        if self.lens:
            try:
                return self.lens.put(value, new)
            except ValidationError as problem:
                raise Wrong(reason(problem, self.unit)) from None
        return replaced(value, name, new, self.unit)

    @property
    def unit(self) -> str:
        """The unit that it shows; empty for none."""
        return self.kind.unit if isinstance(self.kind, Kind | Table) else ""

    @property
    def plain(self) -> Kind:
        """The kind of a column: a plain one."""
        assert isinstance(self.kind, Kind)
        return self.kind

    @property
    def covers(self) -> tuple[str, ...]:
        """Dotted names of the model's fields that it stands for."""
        above = self.path.rpartition(".")[0]
        return tuple(f"{above}.{each}".lstrip(".") for each in self.lens.covers) if self.lens else (self.path,)


def replaced(value: Any, name: str, new: Any, unit: str = "") -> Any:
    """A value with another part, checked by its model.

    Raises:
        Wrong: the model refuses it.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.replace(value, **{name: new})
    assert isinstance(value, BaseModel)
    data = {each: getattr(value, each) for each in type(value).model_fields}
    try:
        return type(value).model_validate({**data, name: new})
    except ValidationError as problem:
        raise Wrong(reason(problem, unit)) from None


@dataclass(frozen=True)
class Table:
    """A kind of field whose value is a list of values: a table with a row for each.

    Attributes:
        columns: the fields of a row.
        make: makes a row from its fields by name; None where rows are neither added nor removed.
        new: texts of a new row; from the context, the value (None for several) and the rows that there are.
        what: what a row is called ("VLAN interface").
        shown: which of the values are rows; all by default.
        empty: what is said while there is none.
        weights: how the columns share the room.
        closed: whether a row has no cell in a column, by the row's value and the column's path.
    """

    columns: tuple[Field, ...]
    make: Callable[..., Any] | None = None
    new: Callable[[Context, Any, tuple[tuple[str, ...], ...]], tuple[str, ...]] | None = None
    what: str = "row"
    shown: Callable[[Any], bool] = lambda value: True
    empty: str = "None."
    weights: tuple[int, ...] = ()
    closed: Callable[[Any, str], bool] = lambda value, path: False
    widget: str = "table"
    unit: str = ""

    def rows(self, values: Sequence[Any]) -> list[Any]:
        """The values that are rows."""
        return [value for value in values if self.shown(value)]

    def show(self, values: Sequence[Any] | None) -> tuple[tuple[str, ...], ...]:
        """Texts of all cells, row by row."""
        return tuple(
            tuple(column.plain.show(column.get(value)) for column in self.columns) for value in self.rows(values or ())
        )

    def fixed(self, content: Content) -> list[tuple[str, ...]]:
        """What of the cells is only shown: it says which row is which."""
        numbers = [index for index, column in enumerate(self.columns) if column.plain.widget == "fixed"]
        return [tuple(cells[index] for index in numbers) for cells in content]

    def read(self, content: tuple[tuple[str, ...], ...], before: Sequence[Any]) -> tuple[Any, ...]:
        """The values that the cells say.

        Args:
            content: texts of all cells.
            before: the values until now; those that are no rows stay, and rows that cannot be added are changed.

        Raises:
            Wrong: with the faults of all cells.
        """
        faults: dict[tuple[int, int], str] = {}
        rows = self.rows(before)
        if self.make is None and len(rows) != len(content):
            raise Wrong("the drawing has other rows now; close and open the dialog again")
        read = [self._row(index, cells, rows, faults) for index, cells in enumerate(content)]
        if faults:
            (row, column), why = next(iter(faults.items()))
            raise Wrong(f"row {row + 1}, {self.columns[column].label}: {why}", faults)
        fresh = iter(read)
        if self.make is None:
            return tuple(next(fresh) if self.shown(value) else value for value in before)
        return (*(value for value in before if not self.shown(value)), *fresh)

    def _row(self, index: int, cells: Sequence[str], rows: list[Any], faults: dict[tuple[int, int], str]) -> Any:
        value = rows[index] if self.make is None else None
        read: dict[str, Any] = {}
        for number, (column, text) in enumerate(zip(self.columns, cells, strict=True)):
            if column.plain.widget == "fixed":
                continue
            try:
                # What nobody touched stays as it is, even where it would be refused today.
                if value is not None and column.plain.show(column.get(value)) == text:
                    continue
                read[column.path] = column.plain.read(text)
                if value is not None:
                    value = column.put(value, read[column.path])
            except Wrong as wrong:
                faults[index, number] = str(wrong)
        if self.make is None or any(row == index for row, _ in faults):
            return value
        return self._made(index, read, faults)

    def _made(self, index: int, read: dict[str, Any], faults: dict[tuple[int, int], str]) -> Any:
        assert self.make is not None
        try:
            return self.make(**read)
        except ValidationError as problem:
            name = str(problem.errors()[0]["loc"][0]) if problem.errors()[0]["loc"] else ""
            number = next((n for n, column in enumerate(self.columns) if column.path == name), 0)
            faults[index, number] = reason(problem, self.columns[number].unit)
        return None


# --- what a form is made of ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Group:
    """Fields below a heading; with `part` below a flag that switches all of them on."""

    title: str
    parts: tuple[Part, ...]
    part: Field | None = None


@dataclass(frozen=True)
class Pair:
    """The same fields of two things side by side: both directions, or both ends.

    Attributes:
        left, right: paths of the two things.
        titles: what they are called, from the values.
        fields: with paths below the two things.
        same: what the switch is called that keeps both equal; empty for none.
        told: what follows from one thing and the other, shown below the one; empty text for nothing.
    """

    left: str
    right: str
    titles: Callable[[Sequence[Any]], tuple[str, str]]
    fields: tuple[Field, ...]
    same: str = ""
    told: Callable[[Any, Any], str] | None = None

    def sides(self) -> Iterator[tuple[Field, Field, Field]]:
        """Each field with its two sides."""
        for each in self.fields:
            left, right = (dataclasses.replace(each, path=f"{side}.{each.path}") for side in (self.left, self.right))
            yield each, left, right


@dataclass(frozen=True)
class Custom:
    """A widget of its own among the fields; `make` gets the parent and the form."""

    name: str
    make: Callable[[Any, Any], Any]
    fields: tuple[Field, ...] = ()


Part = Field | Group | Pair | Custom


@dataclass(frozen=True)
class Tab:
    """A page of a dialog. `single` pages are offered for one value only."""

    title: str
    parts: tuple[Part, ...]
    single: bool = False


def fields_of(parts: Sequence[Part]) -> Iterator[Field]:
    """All fields in their order, those of parts and pairs too."""
    for each in parts:
        if isinstance(each, Field):
            yield each
        elif isinstance(each, Group):
            if each.part is not None:
                yield each.part
            yield from fields_of(each.parts)
        elif isinstance(each, Pair):
            for _, left, right in each.sides():
                yield from (left, right)
        else:
            yield from each.fields
