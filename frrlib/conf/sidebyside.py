"""Two configurations side by side: line beside line, and the changes between them in blocks that belong together."""

from __future__ import annotations

from dataclasses import dataclass

from frrlib.conf import grammar
from frrlib.conf.changes import ConfigChange, difference
from frrlib.conf.text import ConfigEntry, parse


@dataclass(frozen=True)
class ConfigRow:
    """A line of both, or of one.

    Attributes:
        left, right: the line with its indentation; None where that side has none.
        block: number of the block of changes that it is part of; None for a line that both have.
    """

    left: str | None
    right: str | None
    block: int | None = None


@dataclass(frozen=True)
class Side:
    """Two configurations side by side.

    Attributes:
        rows: from top to bottom.
        blocks: what changed, block by block: lines of a section that stand together, or a section that came or went.
    """

    rows: tuple[ConfigRow, ...]
    blocks: tuple[tuple[ConfigChange, ...], ...]


def side_by_side(before: str, after: str) -> Side:
    """Both configurations in the order of the first, so that only what differs stands alone."""
    return _Sides(before, after).made()


class _Sides:
    def __init__(self, before: str, after: str) -> None:
        self._changes = {change: change for change in difference(before, after)}
        self._before, self._after = parse(before), parse(after)
        #: Left, right, and what the row changes, with what has to stay together.
        self._found: list[tuple[str | None, str | None, tuple[ConfigChange, ...], object]] = []

    def made(self) -> Side:
        self._walk(self._before, self._after, (), (), None)
        rows, blocks = [], list[list[ConfigChange]]()
        last: object = None
        for left, right, changes, together in self._found:
            if together is None:
                last = None
                rows.append(ConfigRow(left, right))
                continue
            if together != last:
                blocks.append([])
            last = together
            blocks[-1] += changes
            rows.append(ConfigRow(left, right, len(blocks) - 1))
        return Side(tuple(rows), tuple(tuple(dict.fromkeys(block)) for block in blocks))

    def _walk(
        self,
        before: tuple[ConfigEntry, ...],
        after: tuple[ConfigEntry, ...],
        section: tuple[str, ...],
        kinds: tuple[str, ...],
        whole: object,
    ) -> None:
        """Rows of a section. `whole`: what all its rows stay together with; None where each is for itself."""
        old = {_about(entry): entry for entry in before if entry.text}
        new = {_about(entry): entry for entry in after if entry.text}
        was_section = False
        for number, about in enumerate(_order(list(old), list(new))):
            left, right = old.get(about), new.get(about)
            entry = right or left
            assert entry is not None
            if not section and number and (entry.kind or was_section):
                self._row("!" if left else None, "!" if right else None, (), None)
            was_section = bool(entry.kind)
            changes = self._of(left, right, section, kinds)
            together = whole or ((section,) if changes else None)
            if entry.kind and not whole and (left is None or right is None):
                together = (*section, entry.text) if changes or entry.below else None
            pad = " " * len(section)
            self._row(_line(pad, left), _line(pad, right), changes, together)
            if entry.kind:
                whole_below = together if left is None or right is None else None
                below = (left.below if left else (), right.below if right else ())
                self._walk(*below, (*section, entry.text), (*kinds, entry.kind), whole_below or whole)
                end = pad + grammar.closer(entry.kind)
                self._row(end if left else None, end if right else None, (), whole_below or whole)

    def _of(
        self, left: ConfigEntry | None, right: ConfigEntry | None, section: tuple[str, ...], kinds: tuple[str, ...]
    ) -> tuple[ConfigChange, ...]:
        """The changes in a row."""
        if left is not None and right is not None and left.text == right.text:
            return ()
        gone = [ConfigChange(section, "removed", left.text, left.kind, kinds)] if left else []
        came = [ConfigChange(section, "added", right.text, right.kind, kinds)] if right else []
        return tuple(self._changes[change] for change in (*gone, *came) if change in self._changes)

    def _row(self, left: str | None, right: str | None, changes: tuple[ConfigChange, ...], together: object) -> None:
        if left is not None or right is not None:
            self._found.append((left, right, changes, together))


def _about(entry: ConfigEntry) -> tuple[str, str]:
    """The key by which lines of both sides form the same row."""
    return entry.kind, entry.key if entry.kind else grammar.key_of(entry.text) or entry.text.removeprefix("no ")


def _line(pad: str, entry: ConfigEntry | None) -> str | None:
    return pad + entry.text if entry else None


def _order(old: list[tuple[str, str]], new: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """All of both: in the order of the old ones, each new one behind the one that it follows."""
    order, at = list(old), -1
    known = set(old)
    for each in new:
        if each in known:
            at = order.index(each)
        else:
            at += 1
            order.insert(at, each)
    return order
