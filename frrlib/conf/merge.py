"""One's own lines on top of a configuration that is there already.

The rule for each own line, in the section where it stands:

* a line that is there already changes nothing;
* a line of which there can be only one (`ip ospf cost 5`) takes the place of the older one, and X that of `no X`;
* `no X` takes X away, and all that begins with X if X itself is not there (`no neighbor 10.0.0.1`). It stays as a line
  of its own where nothing was to be taken away, and where FRR does X unless it is told not to;
* any other line is added, before the sections below; a new section comes last.
"""

from __future__ import annotations

from dataclasses import replace

from frrlib.conf import grammar
from frrlib.conf.text import ConfigEntry, parse, written


def merged(base: str, own: str) -> str:
    """The configuration `base` with the lines `own` merged in, as text. With nothing of one's own it is `base` itself.

    Args:
        base: a configuration.
        own: lines of one's own, below the headings of their sections; see above for what each of them does.
    """
    return written(merged_entries(parse(base), parse(own))) if own.strip() else base


def merged_entries(
    base: tuple[ConfigEntry, ...], own: tuple[ConfigEntry, ...], *, outside: bool = True
) -> tuple[ConfigEntry, ...]:
    """The same for entries. `outside`: whether they stand in no section."""
    merging = _Merging(base, outside)
    for entry in own:
        if entry.kind:
            merging.section(entry)
        elif entry.text.startswith("no "):
            merging.without(entry)
        else:
            merging.line(entry)
    return tuple(merging.entries)


class _Merging:
    """Entries into which one's own are merged, one after the other.

    What is where is looked up, not searched for: somebody's configuration may have many thousands of lines.
    """

    def __init__(self, entries: tuple[ConfigEntry, ...], outside: bool) -> None:
        self.entries, self._outside = list(entries), outside
        self._is_known = False

    def _know(self) -> None:
        """Look where everything is; of several equal ones the first counts."""
        if self._is_known:
            return
        self._is_known = True
        self._lines: dict[str, int] = {}
        self._keys: dict[str, int] = {}
        self._sections: dict[tuple[str, str], int] = {}
        self._bgp = self._first = -1
        #: Whether a line stands behind a section.
        self._is_mixed = False
        for number, entry in enumerate(self.entries):
            if entry.kind:
                self._enter_section(entry, number)
            else:
                self._is_mixed = self._is_mixed or self._first >= 0
                self._enter_line(entry, number)

    def _enter_section(self, entry: ConfigEntry, number: int) -> None:
        self._sections.setdefault((entry.kind, entry.key), number)
        self._first = number if self._first < 0 else self._first
        self._bgp = number if self._bgp < 0 and entry.kind == "bgp" else self._bgp

    def _enter_line(self, entry: ConfigEntry, number: int) -> None:
        self._lines.setdefault(entry.text, number)
        key = grammar.key_of(entry.text)
        if key is not None:
            self._keys.setdefault(key, number)

    def section(self, own: ConfigEntry) -> None:
        """Merge a section: into the one that is the same, or as a new one."""
        self._know()
        number = self._sections.get((own.kind, own.key), -1)
        if own.text == "router bgp" and own.kind == "bgp":
            number = self._bgp  # of whichever AS
        if number < 0:
            self.entries.append(replace(own, below=merged_entries((), own.below, outside=False)))
            self._enter_section(self.entries[-1], len(self.entries) - 1)
            return
        entry = self.entries[number]
        below = merged_entries(entry.below, own.below, outside=False)
        heading = own.text if own.kind == "route-map" else entry.text
        self.entries[number] = replace(entry, text=heading, below=below, comments=_comments(entry, own))

    def line(self, own: ConfigEntry) -> None:
        """Merge a line: in the place of the one that it is about, or as a new one."""
        self._know()
        key = grammar.key_of(own.text)
        found = [self._lines.get(own.text), self._lines.get(f"no {own.text}"), key and self._keys.get(key)]
        there = [number for number in found if isinstance(number, int)]
        if not there:
            self._add(own)
            return
        entry = self.entries[min(there)]
        self.entries[min(there)] = replace(own, comments=_comments(entry, own))
        self._is_known = entry.text == own.text

    def without(self, own: ConfigEntry) -> None:
        """Take away the lines that a line with `no` is about."""
        entries, target = self.entries, grammar.no(own.text)
        found = [entry for entry in entries if entry.text == target or (entry.kind and entry.key == target)]
        key = grammar.key_of(target)
        found = found or [e for e in entries if not e.kind and key is not None and grammar.key_of(e.text) == key]
        found = found or [e for e in entries if grammar.begins(e.key, (target,))]
        gone = set(map(id, found))
        kept = [entry for entry in entries if id(entry) not in gone]
        words = target.split()
        if words[0] == "neighbor" and len(words) == 2:  # it goes from the address families as well
            kept = [replace(e, below=_without_all(e.below, target)) if e.kind == "address-family" else e for e in kept]
        self.entries, self._is_known = kept, False
        stays = not found or grammar.on_by_default(target)
        if stays and all(entry.text != own.text for entry in kept):
            self._add(own)

    def _add(self, own: ConfigEntry) -> None:
        """Lines stand before the sections below theirs; those in no section come after what is there."""
        self._know()
        at = len(self.entries) if self._outside or self._first < 0 else self._first
        self.entries.insert(at, own)
        if self._is_mixed or (self._outside and self._first >= 0):
            self._is_known = at == len(self.entries) - 1
            self._is_mixed = True
        elif self._first >= 0:
            self._first += 1
            self._bgp += self._bgp >= 0
            self._sections = {key: number + 1 for key, number in self._sections.items()}
        self._enter_line(own, at)


def _without_all(entries: tuple[ConfigEntry, ...], start: str) -> tuple[ConfigEntry, ...]:
    return tuple(entry for entry in entries if not grammar.begins(entry.text, (start,)))


def _comments(entry: ConfigEntry, own: ConfigEntry) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*entry.comments, *own.comments]))
