"""The parts of a form: fields in groups, in pairs and among widgets of their own, on the pages of a dialog."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from miniedit_frr.dialogs.fields.fields import Field


@dataclass(frozen=True)
class FieldGroup:
    """Fields below a heading; with `part` below a flag that switches all of them on.

    Attributes:
        title: the heading, or what makes it from the values; empty for none.
    """

    title: str | Callable[[Sequence[Any]], str]
    parts: tuple[Part, ...]
    part: Field | None = None

    def title_for(self, values: Sequence[Any]) -> str:
        """The heading above fields of these values."""
        return self.title if isinstance(self.title, str) else self.title(values)


@dataclass(frozen=True)
class FieldPair:
    """The same fields of two things side by side: both directions, or both ends.

    A field that neither has (`Field.is_in`) is not shown; if only one has it, only that side is. All pairs of the same
    two things are kept equal together, whatever pages they are on.

    Attributes:
        left, right: paths of the two things.
        titles: what they are called, from the values.
        fields: with paths below the two things.
        same: what the switch is called that keeps both equal; empty for none.
        told: the results of the fields of one side, from the whole value and the path of that side, shown below them;
            an empty text for none.
        empty: what is said where no field is in either.
    """

    left: str
    right: str
    titles: Callable[[Sequence[Any]], tuple[str, str]]
    fields: tuple[Field, ...]
    same: str = ""
    summary: Callable[[Any, str], str] | None = None
    empty: str = ""

    def sides(self) -> Iterator[tuple[Field, Field, Field]]:
        """Each field with its two sides."""
        for field in self.fields:
            left_field, right_field = (
                dataclasses.replace(field, path=f"{side}.{field.path}") for side in (self.left, self.right)
            )
            yield field, left_field, right_field


@dataclass(frozen=True)
class CustomWidget:
    """A widget of its own among the fields; `make` gets the parent and the form.

    Attributes:
        name: of the widget.
        make: makes it; it has `inputs`, by path, and `refresh`.
        fields: those that it shows.
        label: what stands before it, as before a field; empty where it has the whole width, and the room that is left.
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
        title: what it is called.
        parts: what is on it.
        single: whether it is offered for one value only.
        section: the heading that it stands under, in a dialog with a list of pages; such a dialog has one on each page.
        about: what the page is for, in a sentence or two.
        runs: whether what the page is about is in use, which is marked in the list.
    """

    title: str
    parts: tuple[Part, ...]
    single: bool = False
    section: str = ""
    about: str = ""
    runs: Callable[[Any], bool] = lambda value: False


def fields_of(parts: Sequence[Part]) -> Iterator[Field]:
    """All fields in their order, those of parts and pairs too."""
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
