"""The parts of a form: fields, groups of fields, pairs and custom widgets, on the pages of a dialog."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from miniedit_frr.dialogs.fields.fields import Field


@dataclass(frozen=True)
class FieldGroup:
    """Fields below a heading.

    Attributes:
        title: the heading, or a function that makes it from the values; empty for no heading.
        parts: the parts of the group.
        part: a flag above the fields that switches all of them on; None without a flag.
    """

    title: str | Callable[[Sequence[Any]], str]
    parts: tuple[Part, ...]
    part: Field | None = None

    def title_for(self, values: Sequence[Any]) -> str:
        """The heading for these values."""
        return self.title if isinstance(self.title, str) else self.title(values)


@dataclass(frozen=True)
class FieldPair:
    """The same fields of two things side by side, such as both directions or both ends of a link.

    Each side shows only the fields that it has (`Field.is_in`). All pairs of the same two things share one switch that
    keeps them equal, also across pages.

    Attributes:
        left, right: paths of the two things.
        titles: returns the titles of both sides for the values.
        fields: the fields, with paths relative to each thing.
        same: label of the switch that keeps both equal; empty for no switch.
        summary: returns a text about the results of one side for the value and the side's path. It is shown below the
            fields; empty for no text.
        empty: the text shown if neither side has any of the fields.
    """

    left: str
    right: str
    titles: Callable[[Sequence[Any]], tuple[str, str]]
    fields: tuple[Field, ...]
    same: str = ""
    summary: Callable[[Any, str], str] | None = None
    empty: str = ""

    def sides(self) -> Iterator[tuple[Field, Field, Field]]:
        """Each field, with its left and its right side."""
        for field in self.fields:
            left_field, right_field = (
                dataclasses.replace(field, path=f"{side}.{field.path}") for side in (self.left, self.right)
            )
            yield field, left_field, right_field


@dataclass(frozen=True)
class CustomWidget:
    """A custom widget among the fields.

    Attributes:
        name: name of the widget.
        make: makes the widget from its parent and the form; it has `inputs`, by path, and `refresh`.
        fields: the fields that the widget shows.
        label: the label before the widget. Without a label, the widget gets the full width and the remaining height.
    """

    name: str
    make: Callable[[Any, Any], Any]
    fields: tuple[Field, ...] = ()
    label: str = ""


Part = Field | FieldGroup | FieldPair | CustomWidget


@dataclass(frozen=True)
class Tab:
    """A page of a dialog.

    Attributes:
        title: its title.
        parts: its parts.
        single: whether the page exists only in a dialog for one value.
        section: the heading above the page in a dialog with a list of pages. Either all pages have one or none has.
        about: the purpose of the page, in a sentence or two.
        runs: whether the subject of the page is in use, which is marked in the list.
    """

    title: str
    parts: tuple[Part, ...]
    single: bool = False
    section: str = ""
    about: str = ""
    runs: Callable[[Any], bool] = lambda value: False


def fields_of(parts: Sequence[Part]) -> Iterator[Field]:
    """All fields in order, including those of groups, pairs and custom widgets."""
    for part in parts:
        if isinstance(part, Field):
            yield part
        elif isinstance(part, FieldGroup):
            if part.part is not None:
                yield part.part
            yield from fields_of(part.parts)
        elif isinstance(part, FieldPair):
            for _, left_field, right_field in part.sides():
                yield from (left_field, right_field)
        else:
            yield from part.fields
