"""Values that are being edited: what was typed, what is wrong with it, and what it makes of the values.

A draft keeps what a person changed apart from the values themselves. So several values are edited at once, and values
that change underneath (undo, another dialog) take the changes again, instead of being put back to what they were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from miniedit_frr.dialogs.fields import Context, Field, Table
from miniedit_frr.dialogs.kinds import Content, Kind
from miniedit_frr.dialogs.quantities import Wrong

#: What a field shows whose values differ.
SEVERAL = "(several values)"


class Draft:
    """One or several values with changes on them.

    Args:
        values: the values, of one kind.
        fields: the fields that may be changed, in the order in which changes are made.
        context: what the fields may know besides.

    Attributes:
        values: with the changes that are in order; others are left out.
        listeners: called after every change.
    """

    def __init__(self, values: Sequence[Any], fields: Iterable[Field], context: Context = None) -> None:
        self.fields = {field.path: field for field in fields}
        self.context = context
        self._before = tuple(values)
        self.values = self._before
        self._edits: dict[str, Content] = {}
        self._faults: dict[str, Wrong] = {}
        self._kinds: dict[str, Kind | Table] = {}
        self.listeners: list[Callable[[], None]] = []

    def kind(self, path: str) -> Kind | Table:
        """The kind of a field, made from the context where it needs that."""
        if path not in self._kinds:
            kind = self.fields[path].kind
            self._kinds[path] = kind if isinstance(kind, Kind | Table) else kind(self.context)
        return self._kinds[path]

    @property
    def is_dirty(self) -> bool:
        """Whether anything is to be changed."""
        return bool(self._faults) or self.values != self._before

    @property
    def original(self) -> Any:
        """The first value without the changes."""
        return self._before[0]

    @property
    def originals(self) -> tuple[Any, ...]:
        """The values without the changes."""
        return self._before

    @property
    def is_right(self) -> bool:
        """Whether nothing that was typed is wrong."""
        return not self._faults

    @property
    def edited(self) -> frozenset[str]:
        """Paths of the fields that were edited."""
        return frozenset(self._edits)

    def fault(self, path: str) -> str:
        """What is wrong with a field; empty where it is right."""
        return str(self._faults[path]) if path in self._faults else ""

    def cell_faults(self, path: str) -> dict[tuple[int, int], str]:
        """What is wrong with the cells of a table."""
        return self._faults[path].cells if path in self._faults else {}

    def content(self, path: str) -> Content | None:
        """What a field's widget holds; None where the values differ."""
        return self._edits[path] if path in self._edits else self._shown(path, self.values)

    def _shown(self, path: str, values: Sequence[Any]) -> Content | None:
        field, kind = self.fields[path], self.kind(path)
        found: list[Content] = []
        for value in values:
            held = field.get(value)
            found.append("" if held is None and not _shows_none(kind) else kind.show(held))
        return found[0] if all(each == found[0] for each in found[1:]) else None

    def set(self, path: str, content: Content) -> None:
        """Take what a widget holds now. What is as it was in all values is no edit."""
        if content == self.content(path):
            return
        self._edits[path] = content
        if content == self._shown(path, self._before) and self._is_in_all(path, self._before):
            del self._edits[path]
        self._apply()

    def _fits(self, path: str, content: Content) -> bool:
        """Whether an edited table still has the rows that there are, where rows are neither added nor removed."""
        kind = self.kind(path)
        if not isinstance(kind, Table) or kind.make is not None:
            return True
        return kind.fixed(content) == kind.fixed(self._shown(path, self._before) or ())

    def _is_in_all(self, path: str, values: Sequence[Any]) -> bool:
        return all(self.fields[path].is_in(value) for value in values)

    def put_all(self, contents: dict[str, Content]) -> None:
        """Take what several widgets hold now, as one change."""
        self._edits |= contents
        self._apply()

    def reset(self, path: str) -> None:
        """Take back what was typed into a field."""
        if self._edits.pop(path, None) is not None:
            self._apply()

    def rebase(self, values: Sequence[Any], context: Context = None) -> None:
        """Go on from other values, with the same changes on them."""
        self._before, self.context = tuple(values), context if context is not None else self.context
        self._kinds.clear()
        for path in [path for path, content in self._edits.items() if not self._fits(path, content)]:
            del self._edits[path]
        for path, content in tuple(self._edits.items()):
            if content == self._shown(path, self._before) and self._is_in_all(path, self._before):
                del self._edits[path]
        self._apply()

    def clear(self) -> None:
        """Forget all changes."""
        self._edits.clear()
        self._apply()

    def _apply(self) -> None:
        values, faults = list(self._before), dict[str, Wrong]()
        for path, field in self.fields.items():
            if path in self._edits:
                try:
                    values = [self._changed(field, value, self._edits[path]) for value in values]
                except Wrong as wrong:
                    faults[path] = wrong
        self.values, self._faults = tuple(values), faults
        for listener in tuple(self.listeners):
            listener()

    def _changed(self, field: Field, value: Any, content: Content) -> Any:
        # What was typed into a part that was switched off again does not matter.
        if not field.is_in(value):
            return value
        kind, held = self.kind(field.path), field.get(value)
        if isinstance(kind, Table):
            assert isinstance(content, tuple)
            return field.put(value, kind.read(content, held))
        assert isinstance(content, str)
        if kind.widget == "part" and (content == "1") == (held is not None):
            return value
        if (held is not None or _shows_none(kind)) and kind.show(held) == content:
            return value
        return field.put(value, kind.read(content))


def _shows_none(kind: Kind | Table) -> bool:
    return isinstance(kind, Kind) and kind.widget in ("measured", "part")
