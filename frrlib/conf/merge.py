"""Merges custom lines into an existing configuration.

The rules for each custom line, within its section:

* a line that exists already changes nothing;
* a line that can occur only once (`ip ospf cost 5`) replaces the older one, and X replaces `no X`;
* `no X` removes X. If X itself does not exist, it removes all lines that begin with X (`no neighbor 10.0.0.1`).
  `no X` stays as a line of its own if it removed nothing, or if FRR applies X by default;
* any other line is added before the sections below; a new section is added at the end.
"""

from __future__ import annotations

from dataclasses import replace

from frrlib.conf import grammar
from frrlib.conf.text import ConfigEntry, config_text, parse


def merged(base: str, custom: str) -> str:
    """The configuration `base` with custom lines merged in, as text. Without custom lines it is `base` itself.

    Args:
        base: a configuration.
        custom: custom lines, below the headings of their sections; see above for the effect of each.
    """
    return config_text(merged_entries(parse(base), parse(custom))) if custom.strip() else base


def merged_entries(
    base: tuple[ConfigEntry, ...], custom: tuple[ConfigEntry, ...], *, outside: bool = True
) -> tuple[ConfigEntry, ...]:
    """The same for entries. `outside`: whether they are outside of sections."""
    merger = _Merger(base, outside)
    for entry in custom:
        if entry.kind:
            merger.section(entry)
        elif entry.text.startswith("no "):
            merger.without(entry)
        else:
            merger.line(entry)
    return tuple(merger.entries)


class _Merger:
    """Entries into which custom ones are merged one by one.

    Positions are looked up in an index instead of searched for, since a configuration may have thousands of lines.
    """

    def __init__(self, entries: tuple[ConfigEntry, ...], outside: bool) -> None:
        self.entries, self._outside = list(entries), outside
        self._is_indexed = False

    def _index(self) -> None:
        """Index the positions of all entries; the first of several equal ones is used."""
        if self._is_indexed:
            return
        self._is_indexed = True
        self._lines: dict[str, int] = {}
        self._keys: dict[str, int] = {}
        self._sections: dict[tuple[str, str], int] = {}
        self._bgp = self._first = -1
        #: Whether a line follows a section.
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

    def section(self, section: ConfigEntry) -> None:
        """Merge a section into the existing one, or add it."""
        self._index()
        number = self._sections.get((section.kind, section.key), -1)
        if section.text == "router bgp" and section.kind == "bgp":
            number = self._bgp  # of any AS
        if number < 0:
            self.entries.append(replace(section, below=merged_entries((), section.below, outside=False)))
            self._enter_section(self.entries[-1], len(self.entries) - 1)
            return
        entry = self.entries[number]
        below = merged_entries(entry.below, section.below, outside=False)
        heading = section.text if section.kind == "route-map" else entry.text
        self.entries[number] = replace(entry, text=heading, below=below, comments=_comments(entry, section))

    def line(self, line: ConfigEntry) -> None:
        """Merge a line: it replaces the line with the same subject, or is added."""
        self._index()
        key = grammar.key_of(line.text)
        candidates = [self._lines.get(line.text), self._lines.get(f"no {line.text}"), key and self._keys.get(key)]
        positions = [number for number in candidates if isinstance(number, int)]
        if not positions:
            self._add(line)
            return
        entry = self.entries[min(positions)]
        self.entries[min(positions)] = replace(line, comments=_comments(entry, line))
        self._is_indexed = entry.text == line.text

    def without(self, line: ConfigEntry) -> None:
        """Remove the lines that a line with `no` negates."""
        entries, target = self.entries, grammar.no(line.text)
        matches = [entry for entry in entries if entry.text == target or (entry.kind and entry.key == target)]
        key = grammar.key_of(target)
        matches = matches or [e for e in entries if not e.kind and key is not None and grammar.key_of(e.text) == key]
        matches = matches or [e for e in entries if grammar.begins(e.key, (target,))]
        removed = set(map(id, matches))
        remaining = [entry for entry in entries if id(entry) not in removed]
        words = target.split()
        if words[0] == "neighbor" and len(words) == 2:  # remove it from the address families, too
            remaining = [
                replace(e, below=_without_all(e.below, target)) if e.kind == "address-family" else e for e in remaining
            ]
        self.entries, self._is_indexed = remaining, False
        stays = not matches or grammar.on_by_default(target)
        if stays and all(entry.text != line.text for entry in remaining):
            self._add(line)

    def _add(self, line: ConfigEntry) -> None:
        """Insert a line before the first subsection. Outside of sections, it is appended."""
        self._index()
        at = len(self.entries) if self._outside or self._first < 0 else self._first
        self.entries.insert(at, line)
        if self._is_mixed or (self._outside and self._first >= 0):
            self._is_indexed = at == len(self.entries) - 1
            self._is_mixed = True
        elif self._first >= 0:
            self._first += 1
            self._bgp += self._bgp >= 0
            self._sections = {key: number + 1 for key, number in self._sections.items()}
        self._enter_line(line, at)


def _without_all(entries: tuple[ConfigEntry, ...], start: str) -> tuple[ConfigEntry, ...]:
    return tuple(entry for entry in entries if not grammar.begins(entry.text, (start,)))


def _comments(entry: ConfigEntry, custom: ConfigEntry) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*entry.comments, *custom.comments]))
