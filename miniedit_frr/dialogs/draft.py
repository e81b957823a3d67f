"""Drafts: values with edits. A draft keeps typed texts, their errors, and the resulting values.

A draft keeps edits apart from the original values. So it can edit several values at once. If the originals change
(undo, another dialog), the edits are applied to the new ones, and do not revert them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from miniedit_frr.dialogs.fields.fields import Context, Field
from miniedit_frr.dialogs.fields.kinds import Content, RowEntry, TextKind
from miniedit_frr.dialogs.fields.lists import RowsKind, TableKind, kind_of
from miniedit_frr.dialogs.fields.quantities import InvalidQuantity

#: The text of a field whose values differ.
SEVERAL = "(several values)"


class FormDraft:
    """One or several values with edits.

    Args:
        values: the values, of one kind.
        fields: the fields, in the order in which their edits are applied.
        context: the context of the fields.

    Attributes:
        values: the values with all valid edits.
        listeners: called after every change.
        is_locked: whether the field with a path is locked now.
        kept_equal: for two things that pages show side by side, by their paths, whether they are kept equal.
    """

    def __init__(self, values: Sequence[Any], fields: Iterable[Field], context: Context = None) -> None:
        self.fields = {field.path: field for field in fields}
        self.context = context
        self._originals = tuple(values)
        self.values = self._originals
        self._edits: dict[str, Content] = {}
        self._faults: dict[str, InvalidQuantity] = {}
        self._kinds: dict[str, TextKind | TableKind | RowsKind] = {}
        self.listeners: list[Callable[[], None]] = []
        self.kept_equal: dict[tuple[str, str], bool] = {}
        self.is_locked: Callable[[str], bool] = lambda path: False

    def kind(self, path: str) -> TextKind | TableKind | RowsKind:
        """The kind of a field, which may depend on the context."""
        if path not in self._kinds:
            self._kinds[path] = kind_of(self.fields[path], self.context)
        return self._kinds[path]

    @property
    def root(self) -> Any:
        """The value of the outermost form: the first value of this draft, or the value that contains its row."""
        sheet = getattr(self.context, "root", None)
        return self.values[0] if sheet is None else sheet

    @property
    def row_context(self) -> Context:
        """The context for the forms of rows: this context, with the root value."""
        return dataclasses.replace(self.context, root=self.root) if hasattr(self.context, "root") else self.context

    def choices_of(self, field: Field) -> Callable[[], Sequence[str]] | None:
        """A function that returns the current choices of a field; None for a field with fixed choices."""
        offers = field.offers
        return (lambda: offers(self.context, self.root)) if offers is not None else None

    @property
    def edits(self) -> Mapping[str, Content]:
        """The edited contents, by path."""
        return self._edits

    @property
    def is_dirty(self) -> bool:
        """Whether the draft differs from the original values."""
        return bool(self._faults) or self.values != self._originals

    @property
    def original(self) -> Any:
        """The first original value."""
        return self._originals[0]

    @property
    def originals(self) -> tuple[Any, ...]:
        """The original values."""
        return self._originals

    @property
    def is_valid(self) -> bool:
        """Whether all edits are valid."""
        return not self._faults

    @property
    def edited(self) -> frozenset[str]:
        """Paths of the edited fields."""
        return frozenset(self._edits)

    def fault(self, path: str) -> str:
        """The error of a field; empty if it is valid."""
        return str(self._faults[path]) if path in self._faults else ""

    def cell_faults(self, path: str) -> dict[tuple[int, int], str]:
        """The errors of a table's cells, by row and column."""
        return self._faults[path].cells if path in self._faults else {}

    def content(self, path: str) -> Content | None:
        """The content of a field's widget; None if the values differ."""
        return self._edits[path] if path in self._edits else self._common_content(path, self.values)

    def _common_content(self, path: str, values: Sequence[Any]) -> Content | None:
        field, kind = self.fields[path], self.kind(path)
        contents: list[Content] = []
        for value in values:
            part = field.get(value)
            contents.append("" if part is None and not _has_text_for_none(kind) else kind.show(part))
        return contents[0] if all(content == contents[0] for content in contents[1:]) else None

    def content_for(self, path: str, value: Any) -> Content:
        """The content of a field's widget for another value."""
        content = self._common_content(path, (value,))
        assert content is not None
        return content

    def set(self, path: str, content: Content) -> None:
        """Set the content of a widget. If it equals the original values, the field is not edited."""
        if content == self.content(path):
            return
        self._set_with_implied({path: content})
        if content == self._common_content(path, self._originals) and self._is_in_all(path, self._originals):
            del self._edits[path]
        self._apply()

    def _keeps_fixed_rows(self, path: str, content: Content) -> bool:
        """Whether an edited table with fixed rows still has the original rows."""
        kind = self.kind(path)
        if not isinstance(kind, TableKind | RowsKind) or not kind.is_fixed:
            return True
        return kind.fixed(content) == kind.fixed(self._common_content(path, self._originals) or ())

    def _is_in_all(self, path: str, values: Sequence[Any]) -> bool:
        return all(self.fields[path].is_in(value) for value in values)

    def put_all(self, contents: Mapping[str, Content], without: Sequence[str] = ()) -> None:
        """Set the contents of several widgets as one change.

        Args:
            contents: the contents, by path.
            without: paths below which all previous edits are dropped.
        """
        for path in without:
            self._forget(path)
        self._set_with_implied(contents)
        self._apply()

    def _set_with_implied(self, contents: Mapping[str, Content]) -> None:
        """Set contents, and the edits that they imply for other fields."""
        for path, content in contents.items():
            imply = self.fields[path].implied_edits
            for name, implied in (imply(content) if imply is not None else {}).items():
                neighbor_path = f"{path.rpartition('.')[0]}.{name}".lstrip(".")
                if implied is None:
                    self._forget(neighbor_path)
                elif neighbor_path not in contents:
                    self._edits[neighbor_path] = implied
        self._edits |= contents

    def _forget(self, path: str) -> None:
        """Drop the edits of a field and of the fields below it."""
        for edited in [edited for edited in self._edits if f"{edited}.".startswith(f"{path}.")]:
            del self._edits[edited]

    def reset(self, *paths: str) -> None:
        """Drop the edits of some fields as one change."""
        if [path for path in paths if self._edits.pop(path, None) is not None]:
            self._apply()

    def rebase(self, values: Sequence[Any], context: Context = None) -> None:
        """Replace the original values, and keep the edits."""
        self._originals, self.context = tuple(values), context if context is not None else self.context
        self._kinds.clear()
        for path in [path for path, content in self._edits.items() if not self._keeps_fixed_rows(path, content)]:
            del self._edits[path]
        for path, content in tuple(self._edits.items()):
            if self._is_in_values(path, content) and self._is_in_all(path, self._originals):
                del self._edits[path]
        self._apply()

    def begin(self, values: Sequence[Any], context: Context = None) -> None:
        """Replace the original values, and drop the edits. Listeners are called once."""
        self._edits.clear()
        self.rebase(values, context)

    def _is_in_values(self, path: str, content: Content) -> bool:
        """Whether the original values already have this content."""
        kind = self.kind(path)
        if not isinstance(kind, RowsKind):
            return content == self._common_content(path, self._originals)
        originals = [tuple(self.fields[path].get(value) or ()) for value in self._originals]
        try:
            return all(self._read_rows(kind, content, values) == values for values in originals)
        except InvalidQuantity:
            return False

    def load(self, entry: RowEntry, context: Context) -> None:
        """Switch to another row, with its value and its edits. Listeners are not called."""
        self.context = context
        if entry.value != self._originals[0] or dict(entry.edits) != self._edits:
            self._originals, self._edits = (entry.value,), dict(entry.edits)
            self._update_values()

    def keep_faulty(self) -> None:
        """Drop all edits except invalid ones."""
        self._edits = {path: content for path, content in self._edits.items() if path in self._faults}
        self._apply()

    def clear(self) -> None:
        """Drop all edits."""
        self._edits.clear()
        self._apply()

    def _apply(self) -> None:
        self._update_values()
        for listener in tuple(self.listeners):
            listener()

    def _update_values(self) -> None:
        values = list(self._originals)
        paths, faults = [path for path in self.fields if path in self._edits], dict[str, InvalidQuantity]()
        while paths:
            faults = {}
            for path in paths:
                try:
                    values = [self._with_edit(self.fields[path], value, self._edits[path]) for value in values]
                except InvalidQuantity as wrong:
                    faults[path] = wrong
            # A value may be refused only until another field is changed, so refused edits are tried again.
            paths = list(faults) if len(faults) < len(paths) else []
        self.values, self._faults = tuple(values), faults

    def _read_rows(self, kind: RowsKind, entries: Content, values_now: Sequence[Any]) -> tuple[Any, ...]:
        """The values of edited rows. Fixed rows are the current ones, with edits."""
        if kind.is_fixed and len(entries) != len(values_now):
            raise InvalidQuantity("the rows of the drawing have changed; close the dialog and open it again")
        values, below = [], self.row_context
        for number, entry in enumerate(entries):
            assert isinstance(entry, RowEntry)
            value = values_now[number] if kind.is_fixed else entry.value
            if entry.edits:
                draft = row_draft(kind, RowEntry(value, entry.edits), below)
                path = next((path for path in draft.fields if draft.fault(path)), None)
                if path is not None:
                    row = kind.called(draft.values[0]) if kind.is_fixed else ""
                    label = draft.fields[path].label or kind.row_name
                    raise InvalidQuantity(f"{row or f'row {number + 1}'}, {label}: {draft.fault(path)}")
                (value,) = draft.values
            values.append(value)
        return tuple(values)

    def _with_edit(self, field: Field, value: Any, content: Content) -> Any:
        # Edits in a part that was switched off again have no effect.
        if not field.is_in(value):
            return value
        kind, part = self.kind(field.path), field.get(value)
        if isinstance(kind, TableKind):
            assert isinstance(content, tuple)
            return field.put(value, kind.read(content, part))
        if isinstance(kind, RowsKind):
            return field.put(value, self._read_rows(kind, content, part or ()))
        assert isinstance(content, str)
        if kind.widget == "part" and (content == "1") == (part is not None):
            return value
        if (part is not None or _has_text_for_none(kind)) and kind.show(part) == content:
            return value
        return field.put(value, kind.read(content))


def row_draft(kind: RowsKind, entry: RowEntry, context: Context) -> FormDraft:
    """The draft of one row."""
    draft = FormDraft((entry.value,), kind.fields, context)
    if entry.edits:
        draft.load(entry, context)
    return draft


def _has_text_for_none(kind: TextKind | TableKind | RowsKind) -> bool:
    return isinstance(kind, TextKind) and (kind.widget in ("measured", "part") or kind.includes_none)
