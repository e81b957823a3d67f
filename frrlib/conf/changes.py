"""The differences between two configurations, line by line, and the lines that turn one into the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from frrlib.conf import grammar
from frrlib.conf.merge import merged_entries
from frrlib.conf.text import ConfigEntry, joined_entries, parse, written

#: First words of lines that say nothing of what a router does, and differ between two versions of FRR.
_IGNORED = ("frr version ", "service integrated-vtysh-config", "no service integrated-vtysh-config")


@dataclass(frozen=True)
class ConfigChange:
    """A line that one configuration has and the other has not.

    Attributes:
        section: the headings above it, the outermost first; empty where it stands in no section.
        kind: whether the later configuration has it ("added") or the earlier one ("removed").
        line: the line; a heading stands for its section, which is new, or gone with all that was below it.
        opens: the kind of section that it opens; empty for a plain line.
        within: the kinds of the sections above it.
        rest_stays: whether the later configuration says more about the BGP neighbour that this line has made.
    """

    section: tuple[str, ...]
    kind: Literal["added", "removed"]
    line: str
    opens: str = ""
    within: tuple[str, ...] = ()
    rest_stays: bool = field(default=False, compare=False)


def difference(before: str, after: str) -> list[ConfigChange]:
    """The entries in only one of two configurations, in the order of `after`, removed ones before new ones.

    The order of lines means nothing, nor does a section that exists anyhow (`interface`) and says nothing.
    """
    return list(_apart(parse(before), parse(after), (), ()))


def _apart(
    before: tuple[ConfigEntry, ...], after: tuple[ConfigEntry, ...], section: tuple[str, ...], kinds: tuple[str, ...]
) -> Iterator[ConfigChange]:
    here = {(entry.kind, entry.key): entry for entry in before if _counts(entry)}
    there = {(entry.kind, entry.key): entry for entry in after if _counts(entry)}
    for key, entry in here.items():
        if key not in there:
            yield from _gone(entry, section, kinds, after)
    for key, entry in there.items():
        old = here.get(key)
        if old is None or old.text != entry.text:
            if old is not None and old.kind == "route-map":
                yield ConfigChange(section, "removed", old.text, entry.kind, kinds)
            if old is None or old.kind == "route-map":
                yield from _heading(entry, section, kinds)
        if entry.kind:
            yield from _apart(old.below if old else (), entry.below, (*section, entry.text), (*kinds, entry.kind))


def _heading(entry: ConfigEntry, section: tuple[str, ...], kinds: tuple[str, ...]) -> Iterator[ConfigChange]:
    if entry.kind not in grammar.ALWAYS_THERE:
        yield ConfigChange(section, "added", entry.text, entry.kind, kinds)


def _gone(
    entry: ConfigEntry, section: tuple[str, ...], kinds: tuple[str, ...], after: tuple[ConfigEntry, ...]
) -> Iterator[ConfigChange]:
    if entry.kind in grammar.ALWAYS_THERE:
        yield from _apart(entry.below, (), (*section, entry.text), (*kinds, entry.kind))
    else:
        change = ConfigChange(section, "removed", entry.text, entry.kind, kinds)
        stays = _makes_neighbor(change) and _tells_of(f"{_neighbor_line(change)} ", after)
        yield replace(change, rest_stays=stays)


def _tells_of(beginning: str, entries: tuple[ConfigEntry, ...]) -> bool:
    return any(entry.text.startswith(beginning) or _tells_of(beginning, entry.below) for entry in entries)


def _counts(entry: ConfigEntry) -> bool:
    return bool(entry.text) and not entry.text.startswith(_IGNORED)


def as_own_lines(changes: Iterable[ConfigChange]) -> str:
    """Lines that, merged into the earlier configuration, make it say what the changes say. Empty for no change."""
    every = _with_whole_neighbors(list(changes))
    replaced = {_about(change) for change in every if change.kind == "added"} - {None}
    entries: list[ConfigEntry] = []
    for change in sorted(every, key=lambda each: each.kind == "added"):
        if change.kind == "removed":
            if _about(change) not in replaced:
                entries.append(_at(change, ConfigEntry(grammar.no(change.line))))
        else:
            entries.append(_at(change, ConfigEntry(change.line, change.opens)))
    return written(joined_entries(entries))


def _with_whole_neighbors(changes: list[ConfigChange]) -> list[ConfigChange]:
    """The changes, where a BGP neighbour that is gone goes by one line, since FRR takes no other one about it then."""
    came = {_neighbor_of(change) for change in changes if change.kind == "added"}
    gone = {_neighbor_of(change) for change in changes if change.kind == "removed" and _makes_neighbor(change)} - came
    shorter = (
        replace(change, line=_neighbor_line(change), section=change.section[:1], within=change.within[:1])
        if change.kind == "removed" and _neighbor_of(change) in gone - {None}
        else change
        for change in changes
    )
    return list(dict.fromkeys(shorter))


def _makes_neighbor(change: ConfigChange) -> bool:
    return (
        change.within == ("bgp",)
        and not change.rest_stays
        and change.line.split()[2:3] in (["remote-as"], ["interface"])
    )


def _neighbor_of(change: ConfigChange) -> tuple[str, str] | None:
    """The BGP process and the neighbour that a line is about; None for any other line."""
    is_one = change.within[:1] == ("bgp",) and change.line.removeprefix("no ").startswith("neighbor ")
    return (change.section[0], _neighbor_line(change)) if is_one else None


def _neighbor_line(change: ConfigChange) -> str:
    return " ".join(change.line.removeprefix("no ").split()[:2])


def applied(before: str, changes: Iterable[ConfigChange]) -> str:
    """The configuration after exactly these changes: what is removed is gone, whether FRR would do it by itself or not.

    A change that does not fit (a line is to go that is not there) changes nothing.
    """
    entries = parse(before)
    every = list(changes)
    replaced = {_about(change) for change in every if change.kind == "added" and change.opens}
    for change in every:
        if change.kind == "removed" and not (change.opens and _about(change) in replaced):
            entries = _dropped(entries, change.section, change.within, change)
    for change in every:
        if change.kind == "added":
            entries = merged_entries(entries, (_at(change, ConfigEntry(change.line, change.opens)),))
    return written(entries)


def _dropped(
    entries: tuple[ConfigEntry, ...], section: tuple[str, ...], kinds: tuple[str, ...], change: ConfigChange
) -> tuple[ConfigEntry, ...]:
    if not section:
        gone = (change.opens, change.line)
        return tuple(entry for entry in entries if (entry.kind, entry.text) != gone)
    key = (kinds[0], grammar.section_key(kinds[0], section[0]))
    return tuple(
        replace(entry, below=_dropped(entry.below, section[1:], kinds[1:], change))
        if (entry.kind, entry.key) == key
        else entry
        for entry in entries
    )


def _about(change: ConfigChange) -> tuple[tuple[str, ...], str] | None:
    """The subject of a change, if a later line takes the place of an earlier one; None if it does not."""
    if change.opens:
        return change.section, grammar.section_key(change.opens, change.line)
    key = grammar.key_of(change.line)
    if key is not None:
        return change.section, key
    # X takes the place of `no X`, and the other way round where FRR does X by itself.
    bare = change.line.removeprefix("no ")
    if change.line.startswith("no ") or grammar.on_by_default(bare):
        return change.section, bare
    return None


def _at(change: ConfigChange, entry: ConfigEntry) -> ConfigEntry:
    for heading, kind in zip(reversed(change.section), reversed(change.within), strict=True):
        entry = ConfigEntry(heading, kind, (entry,))
    return entry
