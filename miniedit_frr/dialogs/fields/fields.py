"""Fields of a form, described by tables: the path of a value, its label, and its kind.

Values are frozen: pydantic models or data classes. A field reads a part of a value, and makes a new value with another
part.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from miniedit_frr.dialogs.fields.kinds import Content, FieldKind, TextKind
from miniedit_frr.dialogs.fields.quantities import InvalidQuantity
from miniedit_frr.dialogs.refusal_texts import reason

#: The context of a form: further facts besides its values, such as existing names and automatic addresses.
Context = Any


@dataclass(frozen=True)
class Lens:
    """Access for a field that represents several fields of the model.

    Attributes:
        get: returns the content of the field for a value.
        put: returns the value with a new content of the field.
        covers: the model's fields that it represents.
    """

    get: Callable[[Any], Any]
    put: Callable[[Any, Any], Any]
    covers: tuple[str, ...]


@dataclass(frozen=True)
class Field:
    """One field of a form.

    Attributes:
        path: dotted path in the value ("ospf.area"); with a lens, the path of the lens's value and a name of its own.
        label: its label.
        kind: its kind, or a function that makes the kind from the form's context.
        help: its meaning, shown beside it.
        single: whether it is available for one value only, not for several at once.
        hint: the text shown faintly while it is empty, or a function of the context and the value. For a field of a
            pair, the function also gets the side; for a column of a table, it gets the context and the row.
        lens: access to several fields of the model; None for a plain field.
        offers: returns the current choices from the context and the root value, such as names of route maps; None if
            the kind lists all choices.
        explains: returns a help text that depends on the values; for a pair's field, on the value that contains both
            sides. None to use `help`.
        implied_edits: returns edits of neighboring fields, by name, that follow from a new content of this field. None
            as an edit drops the edits of that field and of the fields below it.
        required: for a field of boxes, returns the boxes that are always ticked, from the context and the value.
        idle: for a field of a pair, whether it has no effect now, from the thing on its side. It is then disabled.
    """

    path: str
    label: str
    kind: FieldKind | Callable[[Context], FieldKind]
    help: str = ""
    single: bool = False
    hint: Callable[..., str] | str = ""
    lens: Lens | None = None
    offers: Callable[[Context, Any], Sequence[str]] | None = None
    explains: Callable[[Any], str] | None = None
    implied_edits: Callable[[Content], Mapping[str, Content | None]] | None = None
    required: Callable[[Context, Any], Sequence[str]] | None = None
    idle: Callable[[Any], bool] | None = None

    def hint_for(self, context: Context, *values: Any) -> str:
        """The hint for an empty field."""
        return self.hint if isinstance(self.hint, str) else self.hint(context, *values)

    def get(self, value: Any) -> Any:
        """The field's part of a value; None if the value does not have it."""
        above = self._above(value)
        if above is None:
            return None
        return self.lens.get(above) if self.lens else getattr(above, self.path.rpartition(".")[2], None)

    def is_in(self, value: Any) -> bool:
        """Whether a value has the field: its parent exists, and is of a class with this field."""
        above = self._above(value)
        return above is not None and (self.lens is not None or hasattr(above, self.path.rpartition(".")[2]))

    def _above(self, value: Any) -> Any:
        for name in self.path.split(".")[:-1]:
            # The part may be of one of several classes, and only some of them have the field.
            value = getattr(value, name, None)
            if value is None:
                return None
        return value

    def put(self, value: Any, new: Any) -> Any:
        """The value with a new part.

        Raises:
            InvalidQuantity: the model refuses it.
        """
        return self._put(value, self.path.split("."), new)

    def _put(self, value: Any, path: list[str], new: Any) -> Any:
        name, *steps = path
        if steps:
            below = getattr(value, name, None)
            return value if below is None else replaced(value, name, self._put(below, steps, new), self.unit)
        if self.lens:
            try:
                return self.lens.put(value, new)
            except ValidationError as problem:
                raise InvalidQuantity(reason(problem, self.unit)) from None
        return replaced(value, name, new, self.unit)

    @property
    def unit(self) -> str:
        """Its unit; empty for no unit."""
        return "" if callable(self.kind) else self.kind.unit

    @property
    def plain(self) -> TextKind:
        """The kind of a column, which does not depend on the context."""
        assert isinstance(self.kind, TextKind)
        return self.kind

    @property
    def covers(self) -> tuple[str, ...]:
        """Dotted paths of the model's fields that it represents."""
        above = self.path.rpartition(".")[0]
        return tuple(f"{above}.{name}".lstrip(".") for name in self.lens.covers) if self.lens else (self.path,)


def replaced(value: Any, name: str, new: Any, unit: str = "") -> Any:
    """A value with a new part, checked by its model.

    Raises:
        InvalidQuantity: the model refuses it.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.replace(value, **{name: new})
    assert isinstance(value, BaseModel)
    data = {field_name: getattr(value, field_name) for field_name in type(value).model_fields}
    try:
        return type(value).model_validate({**data, name: new})
    except ValidationError as problem:
        raise InvalidQuantity(reason(problem, unit)) from None
