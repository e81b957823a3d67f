"""Two configurations side by side, line by line, with their differences grouped in blocks."""

from __future__ import annotations

from dataclasses import dataclass

from frrlib.conf import grammar
from frrlib.conf.changes import ConfigChange, difference
from frrlib.conf.text import ConfigEntry, parse


@dataclass(frozen=True)
class ConfigRow:
    """A row of the comparison: a line of both configurations, or of one.

    Attributes:
        left, right: the line with its indentation; None if that side does not have it.
        block: number of the block of changes that the row belongs to; None for a line that both have.
    """

    left: str | None
    right: str | None
    block: int | None = None


@dataclass(frozen=True)
class Side:
    """Two configurations side by side.

    Attributes:
        rows: from top to bottom.
        blocks: the changes by block. A block is adjacent lines of a section, or a section that was added or removed.
    """

    rows: tuple[ConfigRow, ...]
    blocks: tuple[tuple[ConfigChange, ...], ...]


def side_by_side(old_text: str, new_text: str) -> Side:
    """Both configurations in the order of the first, so that equal lines share a row."""
    return _Sides(old_text, new_text).build()


class _Sides:
    def __init__(self, old_text: str, new_text: str) -> None:
        self._changes = {change: change for change in difference(old_text, new_text)}
        self._old, self._new = parse(old_text), parse(new_text)
        #: For each row: left line, right line, its changes, and a key that is equal within a block (None for no block).
        self._rows: list[tuple[str | None, str | None, tuple[ConfigChange, ...], object]] = []

    def build(self) -> Side:
        self._walk(self._old, self._new, (), (), None)
        rows, blocks = [], list[list[ConfigChange]]()
        last: object = None
        for old_line, new_line, changes, together in self._rows:
            if together is None:
                last = None
                rows.append(ConfigRow(old_line, new_line))
                continue
            if together != last:
                blocks.append([])
            last = together
            blocks[-1] += changes
            rows.append(ConfigRow(old_line, new_line, len(blocks) - 1))
        return Side(tuple(rows), tuple(tuple(dict.fromkeys(block)) for block in blocks))

    def _walk(
        self,
        old_entries: tuple[ConfigEntry, ...],
        new_entries: tuple[ConfigEntry, ...],
        section: tuple[str, ...],
        kinds: tuple[str, ...],
        block: object,
    ) -> None:
        """Add the rows of a section. `block`: the key of the block that holds all of its rows; None for none."""
        old_by_key = {_row_key(entry): entry for entry in old_entries if entry.text}
        new_by_key = {_row_key(entry): entry for entry in new_entries if entry.text}
        was_section = False
        for number, key in enumerate(_order(list(old_by_key), list(new_by_key))):
            old_entry, new_entry = old_by_key.get(key), new_by_key.get(key)
            entry = new_entry or old_entry
            assert entry is not None
            if not section and number and (entry.kind or was_section):
                self._row("!" if old_entry else None, "!" if new_entry else None, (), None)
            was_section = bool(entry.kind)
            changes = self._changes_in(old_entry, new_entry, section, kinds)
            together = block or ((section,) if changes else None)
            if entry.kind and not block and (old_entry is None or new_entry is None):
                together = (*section, entry.text) if changes or entry.below else None
            pad = " " * len(section)
            self._row(_line(pad, old_entry), _line(pad, new_entry), changes, together)
            if entry.kind:
                block_below = together if old_entry is None or new_entry is None else None
                below = (old_entry.below if old_entry else (), new_entry.below if new_entry else ())
                self._walk(*below, (*section, entry.text), (*kinds, entry.kind), block_below or block)
                end = pad + grammar.closer(entry.kind)
                self._row(end if old_entry else None, end if new_entry else None, (), block_below or block)

    def _changes_in(
        self,
        old_entry: ConfigEntry | None,
        new_entry: ConfigEntry | None,
        section: tuple[str, ...],
        kinds: tuple[str, ...],
    ) -> tuple[ConfigChange, ...]:
        """The changes shown in a row."""
        if old_entry is not None and new_entry is not None and old_entry.text == new_entry.text:
            return ()
        removals = [ConfigChange(section, "removed", old_entry.text, old_entry.kind, kinds)] if old_entry else []
        additions = [ConfigChange(section, "added", new_entry.text, new_entry.kind, kinds)] if new_entry else []
        return tuple(self._changes[change] for change in (*removals, *additions) if change in self._changes)

    def _row(
        self, old_line: str | None, new_line: str | None, changes: tuple[ConfigChange, ...], together: object
    ) -> None:
        if old_line is not None or new_line is not None:
            self._rows.append((old_line, new_line, changes, together))


def _row_key(entry: ConfigEntry) -> tuple[str, str]:
    """The key by which lines of both sides form the same row."""
    return entry.kind, entry.key if entry.kind else grammar.key_of(entry.text) or entry.text.removeprefix("no ")


def _line(pad: str, entry: ConfigEntry | None) -> str | None:
    return pad + entry.text if entry else None


def _order(old: list[tuple[str, str]], new: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The keys of both sides: the old ones in their order, each new one after its predecessor."""
    order, at = list(old), -1
    old_set = set(old)
    for entry in new:
        if entry in old_set:
            at = order.index(entry)
        else:
            at += 1
            order.insert(at, entry)
    return order
