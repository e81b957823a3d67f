"""Kinds of fields whose value is a list of values: a table of cells, or rows that have forms of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from miniedit_frr.dialogs.fields.fields import Context, Field
from miniedit_frr.dialogs.fields.kinds import Content, FieldKind, RowEntry, TextKind
from miniedit_frr.dialogs.fields.quantities import Wrong
from miniedit_frr.dialogs.parts import Part, fields_of
from miniedit_frr.dialogs.refusal_texts import reason


@dataclass(frozen=True)
class TableKind(FieldKind):
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
        ordered: whether the order of the rows means something, so that there are buttons that move them.
        fill: what a button says that adds all rows that `new` can think of; empty for none.
    """

    columns: tuple[Field, ...]
    make: Callable[..., Any] | None = None
    new: Callable[[Context, Any, tuple[tuple[str, ...], ...]], tuple[str, ...]] | None = None
    row_name: str = "row"
    is_row: Callable[[Any], bool] = lambda value: True
    empty: str = "None."
    weights: tuple[int, ...] = ()
    has_no_cell: Callable[[Any, str], bool] = lambda value, path: False
    ordered: bool = False
    fill: str = ""
    widget: str = "table"
    unit: str = ""

    @property
    def is_fixed(self) -> bool:
        """Whether rows are neither added nor removed."""
        return self.make is None

    def rows(self, values: Sequence[Any]) -> list[Any]:
        """The values that are rows."""
        return [value for value in values if self.is_row(value)]

    def show(self, values: Sequence[Any] | None) -> tuple[tuple[str, ...], ...]:
        """Texts of all cells, row by row."""
        return tuple(
            tuple(column.plain.show(column.get(value)) for column in self.columns) for value in self.rows(values or ())
        )

    def fixed(self, content: Content) -> list[tuple[str, ...]]:
        """The cells that are only shown: they identify the row."""
        numbers = [index for index, column in enumerate(self.columns) if column.plain.widget == "fixed"]
        return [tuple(cells[index] for index in numbers) for cells in content]

    def read(self, content: tuple[tuple[str, ...], ...], values: Sequence[Any]) -> tuple[Any, ...]:
        """The values given by the cells.

        Args:
            content: texts of all cells.
            values: the values until now; those that are no rows stay, and rows that cannot be added are changed.

        Raises:
            Wrong: with the faults of all cells.
        """
        faults: dict[tuple[int, int], str] = {}
        rows = self.rows(values)
        if self.make is None and len(rows) != len(content):
            raise Wrong("the rows of the drawing have changed; close the dialog and open it again")
        read = [self._row(index, cells, rows, faults) for index, cells in enumerate(content)]
        if faults:
            (row, column), reason = next(iter(faults.items()))
            raise Wrong(f"row {row + 1}, {self.columns[column].label}: {reason}", faults)
        fresh = iter(read)
        if self.make is None:
            return tuple(next(fresh) if self.is_row(value) else value for value in values)
        return (*(value for value in values if not self.is_row(value)), *fresh)

    def _row(self, index: int, cells: Sequence[str], rows: list[Any], faults: dict[tuple[int, int], str]) -> Any:
        value = rows[index] if self.make is None else None
        read: dict[str, Any] = {}
        for number, (column, text) in enumerate(zip(self.columns, cells, strict=True)):
            if column.plain.widget == "fixed":
                continue
            try:
                # An untouched row stays as it is, even where it would be refused today.
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


@dataclass(frozen=True)
class RowsKind(FieldKind):
    """A kind of field whose value is a list of values, each with a form of its own: a table of the usual fields, and
    a form for the rest of the row that is looked at. What is typed into a row is kept as an `RowEntry`.

    Attributes:
        columns: the fields in the table.
        more: the rest of a row, as parts of a form; empty for none.
        blank: what a new row is before anything is typed; None where rows are neither added nor removed.
        new: contents of a new row's fields, by path; from the context, the whole value (None for several) and the
            values that there are. None where nobody can be thought of by `fill`.
        what: what a row is called ("neighbour").
        called: what one row is called, from its value.
        empty: what is said while there is none.
        weights: how the columns share the room.
        closed: whether a row has no cell in a column, by the row's value and the column's path.
        fill: what a button says that adds all rows that `new` can think of; empty for none.
        beside: whether the row's form stands beside the table, for the row that has the keyboard, and not below it.
    """

    columns: tuple[Field, ...]
    details: tuple[Part, ...] = ()
    blank: Any = None
    new: Callable[[Context, Any, tuple[Any, ...]], dict[str, Content] | None] = lambda context, value, rows: {}
    row_name: str = "row"
    called: Callable[[Any], str] = lambda value: ""
    empty: str = "None."
    weights: tuple[int, ...] = ()
    has_no_cell: Callable[[Any, str], bool] = lambda value, path: False
    fill: str = ""
    beside: bool = False
    widget: str = "rows"
    unit: str = ""

    @property
    def is_fixed(self) -> bool:
        """Whether rows are neither added nor removed."""
        return self.blank is None

    @property
    def fields(self) -> tuple[Field, ...]:
        """All fields of a row."""
        return (*self.columns, *fields_of(self.details))

    def show(self, values: Sequence[Any] | None) -> tuple[RowEntry, ...]:
        """The rows with nothing typed into them."""
        return tuple(RowEntry(value) for value in values or ())

    def fixed(self, content: Content) -> list[tuple[Any, ...]]:
        """The fields of the rows that are only shown: they identify the row."""
        fixed_columns = [column for column in self.columns if column.plain.widget == "fixed"]
        return [
            tuple(column.get(row.value) for column in fixed_columns) for row in content if isinstance(row, RowEntry)
        ]


def kind_of(field: Field, context: Context) -> TextKind | TableKind | RowsKind:
    """The kind of a field, made from the form's context where it needs that."""
    kind = field.kind if isinstance(field.kind, FieldKind) else field.kind(context)
    assert isinstance(kind, TextKind | TableKind | RowsKind)
    return kind
