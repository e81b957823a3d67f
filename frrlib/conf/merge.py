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
from frrlib.conf.text import Entry, parse, written


def merged(base: str, own: str) -> str:
    """The configuration `base` with the lines `own` merged in, as text. With nothing of one's own it is `base` itself.

    Args:
        base: a configuration.
        own: lines of one's own, below the headings of their sections; see above for what each of them does.
    """
    return written(merged_entries(parse(base), parse(own))) if own.strip() else base


def merged_entries(base: tuple[Entry, ...], own: tuple[Entry, ...], *, outside: bool = True) -> tuple[Entry, ...]:
    """The same for entries. `outside`: whether they stand in no section."""
    entries = list(base)
    for entry in own:
        if entry.kind:
            _section(entries, entry)
        elif entry.text.startswith("no "):
            _without(entries, entry, outside)
        else:
            _line(entries, entry, outside)
    return tuple(entries)


def _section(entries: list[Entry], own: Entry) -> None:
    for number, entry in enumerate(entries):
        if entry.kind == own.kind and (entry.key == own.key or own.text == "router bgp"):
            below = merged_entries(entry.below, own.below, outside=False)
            heading = own.text if own.kind == "route-map" else entry.text
            entries[number] = replace(entry, text=heading, below=below, comments=_comments(entry, own))
            return
    entries.append(replace(own, below=merged_entries((), own.below, outside=False)))


def _line(entries: list[Entry], own: Entry, outside: bool) -> None:
    key = grammar.key_of(own.text)
    for number, entry in enumerate(entries):
        same = entry.text in (own.text, f"no {own.text}") or (key is not None and grammar.key_of(entry.text) == key)
        if same and not entry.kind:
            entries[number] = replace(own, comments=_comments(entry, own))
            return
    _add(entries, own, outside)


def _without(entries: list[Entry], own: Entry, outside: bool) -> None:
    target = grammar.no(own.text)
    found = [entry for entry in entries if entry.text == target or (entry.kind and entry.key == target)]
    key = grammar.key_of(target)
    found = found or [e for e in entries if not e.kind and key is not None and grammar.key_of(e.text) == key]
    found = found or [e for e in entries if grammar.begins(e.key, (target,))]
    kept = [entry for entry in entries if all(entry is not gone for gone in found)]
    words = target.split()
    if words[0] == "neighbor" and len(words) == 2:  # it goes from the address families as well
        kept = [replace(e, below=_without_all(e.below, target)) if e.kind == "address-family" else e for e in kept]
    entries[:] = kept
    stays = not found or grammar.on_by_default(target)
    if stays and all(entry.text != own.text for entry in entries):
        _add(entries, own, outside)


def _without_all(entries: tuple[Entry, ...], start: str) -> tuple[Entry, ...]:
    return tuple(entry for entry in entries if not grammar.begins(entry.text, (start,)))


def _add(entries: list[Entry], own: Entry, outside: bool) -> None:
    """Lines stand before the sections below theirs; those in no section come after what is there."""
    first = next((number for number, entry in enumerate(entries) if entry.kind), len(entries))
    entries.insert(len(entries) if outside else first, own)


def _comments(entry: Entry, own: Entry) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*entry.comments, *own.comments]))
