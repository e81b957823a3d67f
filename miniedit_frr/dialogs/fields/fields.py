"""Fields of a form as tables: where a value is, its label, how it is written.

Values are frozen, models of ours or data classes; a field reads its part of one and makes a new one with another part.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from miniedit_frr.dialogs.fields.kinds import Content, FieldKind, TextKind
from miniedit_frr.dialogs.fields.quantities import Wrong
from miniedit_frr.dialogs.refusal_texts import reason

#: What a form may know besides the values in it: which names there are, what is automatic.
Context = Any


@dataclass(frozen=True)
class Lens:
    """A field that stands for several fields of the model.

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
        offers: what can be chosen now, where that is not always the same; from the context and the whole that the form
            is about: names of route maps, interfaces of the router.
        explains: what stands beside it instead of `help`, where that follows from the values; of a pair's field from
            the whole.
        brings: what else changes with it: from what it holds now, fields beside it to what they hold then; None where
            what was typed into a field, and into those below it, no longer counts.
        given: of a field of boxes: those that are ticked whatever is typed, from the context and the value.
        idle: of a pair's field: whether it has no effect now, from the thing on its side; it takes no input then.
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
        """The hint that is shown while it is empty."""
        return self.hint if isinstance(self.hint, str) else self.hint(context, *values)

    def get(self, value: Any) -> Any:
        """The part of a value that the field shows; None where that part is missing."""
        above = self._above(value)
        if above is None:
            return None
        return self.lens.get(above) if self.lens else getattr(above, self.path.rpartition(".")[2], None)

    def is_in(self, value: Any) -> bool:
        """Whether the part that it belongs to exists, and its class has the field."""
        above = self._above(value)
        return above is not None and (self.lens is not None or hasattr(above, self.path.rpartition(".")[2]))

    def _above(self, value: Any) -> Any:
        for name in self.path.split(".")[:-1]:
            # One of several classes may be there, and only some of them have it.
            value = getattr(value, name, None)
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
        name, *steps = path
        if steps:
            below = getattr(value, name, None)
            return value if below is None else replaced(value, name, self._put(below, steps, new), self.unit)
        if self.lens:
            try:
                return self.lens.put(value, new)
            except ValidationError as problem:
                raise Wrong(reason(problem, self.unit)) from None
        return replaced(value, name, new, self.unit)

    @property
    def unit(self) -> str:
        """The unit that it shows; empty for none."""
        return "" if callable(self.kind) else self.kind.unit

    @property
    def plain(self) -> TextKind:
        """The kind of a column: a plain one."""
        assert isinstance(self.kind, TextKind)
        return self.kind

    @property
    def covers(self) -> tuple[str, ...]:
        """Dotted names of the model's fields that it stands for."""
        above = self.path.rpartition(".")[0]
        return tuple(f"{above}.{name}".lstrip(".") for name in self.lens.covers) if self.lens else (self.path,)


def replaced(value: Any, name: str, new: Any, unit: str = "") -> Any:
    """A value with another part, checked by its model.

    Raises:
        Wrong: the model refuses it.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.replace(value, **{name: new})
    assert isinstance(value, BaseModel)
    data = {field_name: getattr(value, field_name) for field_name in type(value).model_fields}
    try:
        return type(value).model_validate({**data, name: new})
    except ValidationError as problem:
        raise Wrong(reason(problem, unit)) from None
