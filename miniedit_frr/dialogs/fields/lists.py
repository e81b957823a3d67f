"""Kinds of fields whose value is a list: a table of cells, or a list of rows with forms of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from miniedit_frr.dialogs.fields.fields import Context, Field
from miniedit_frr.dialogs.fields.kinds import Content, FieldKind, RowEntry, TextKind
from miniedit_frr.dialogs.fields.quantities import InvalidQuantity
from miniedit_frr.dialogs.parts import Part, fields_of
from miniedit_frr.dialogs.refusal_texts import reason


@dataclass(frozen=True)
class TableKind(FieldKind):
    """A kind of field whose value is a list of values, shown as a table with a row for each value.

    Attributes:
        columns: the fields of a row.
        make: makes a row from its fields by name; None for a table with fixed rows.
        new: returns the texts of a new row from the context, the value (None for several values) and the present rows.
        row_name: name of a row ("VLAN interface").
        is_row: whether a value of the list is a row; by default, every value is one.
        empty: the text shown without rows.
        weights: weights of the column widths.
        has_no_cell: whether a row has no cell in a column, from the row's value and the column's path.
        ordered: whether the order of rows matters; buttons then move rows.
        fill: label of the button that adds all suggestions of `new`; empty for no button.
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
        """Whether rows can neither be added nor removed."""
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
        """The read-only cells of each row, which identify the row."""
        numbers = [index for index, column in enumerate(self.columns) if column.plain.widget == "fixed"]
        return [tuple(cells[index] for index in numbers) for cells in content]

    def read(self, content: tuple[tuple[str, ...], ...], values: Sequence[Any]) -> tuple[Any, ...]:
        """The values for the cells.

        Args:
            content: texts of all cells.
            values: the present values. Values that are not rows stay, and fixed rows are changed.

        Raises:
            InvalidQuantity: contains the errors of all cells.
        """
        faults: dict[tuple[int, int], str] = {}
        rows = self.rows(values)
        if self.make is None and len(rows) != len(content):
            raise InvalidQuantity("the rows of the drawing have changed; close the dialog and open it again")
        read = [self._row(index, cells, rows, faults) for index, cells in enumerate(content)]
        if faults:
            (row, column), reason = next(iter(faults.items()))
            raise InvalidQuantity(f"row {row + 1}, {self.columns[column].label}: {reason}", faults)
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
                # An unedited row stays unchanged, even if the model would refuse it now.
                if value is not None and column.plain.show(column.get(value)) == text:
                    continue
                read[column.path] = column.plain.read(text)
                if value is not None:
                    value = column.put(value, read[column.path])
            except InvalidQuantity as wrong:
                faults[index, number] = str(wrong)
        if self.make is None or any(row == index for row, _ in faults):
            return value
        return self._new_value(index, read, faults)

    def _new_value(self, index: int, read: dict[str, Any], faults: dict[tuple[int, int], str]) -> Any:
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
    """A kind of field whose value is a list of values, each with a form of its own.

    A table shows the main fields of all rows. A form shows the other fields of the selected row. The edits of a row are
    stored as a `RowEntry`.

    Attributes:
        columns: the fields in the table.
        details: the parts of the row's form; empty for no form.
        blank: the value of a new row before any edit; None for a list with fixed rows.
        new: returns the contents of a new row's fields, by path, from the context, the root value (None for several
            values) and the present values. None if there is no suggestion.
        row_name: name of a row ("neighbor").
        called: returns the name of one row from its value.
        empty: the text shown without rows.
        weights: weights of the column widths.
        has_no_cell: whether a row has no cell in a column, from the row's value and the column's path.
        fill: label of the button that adds all suggestions of `new`; empty for no button.
        beside: whether the form is placed beside the table instead of below it. It then follows the focus.
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
        """Whether rows can neither be added nor removed."""
        return self.blank is None

    @property
    def fields(self) -> tuple[Field, ...]:
        """All fields of a row."""
        return (*self.columns, *fields_of(self.details))

    def show(self, values: Sequence[Any] | None) -> tuple[RowEntry, ...]:
        """The rows without edits."""
        return tuple(RowEntry(value) for value in values or ())

    def fixed(self, content: Content) -> list[tuple[Any, ...]]:
        """The read-only fields of each row, which identify the row."""
        fixed_columns = [column for column in self.columns if column.plain.widget == "fixed"]
        return [
            tuple(column.get(row.value) for column in fixed_columns) for row in content if isinstance(row, RowEntry)
        ]


def kind_of(field: Field, context: Context) -> TextKind | TableKind | RowsKind:
    """The kind of a field, which may depend on the form's context."""
    kind = field.kind if isinstance(field.kind, FieldKind) else field.kind(context)
    assert isinstance(kind, TextKind | TableKind | RowsKind)
    return kind
