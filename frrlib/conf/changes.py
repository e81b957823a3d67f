"""The differences between two configurations, line by line, and the lines that turn one into the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from frrlib.conf import grammar
from frrlib.conf.merge import merged_entries
from frrlib.conf.text import ConfigEntry, config_text, joined_entries, parse

#: First words of lines that do not configure the router and differ between two versions of FRR.
_IGNORED = ("frr version ", "service integrated-vtysh-config", "no service integrated-vtysh-config")


@dataclass(frozen=True)
class ConfigChange:
    """A line that only one of two configurations has.

    Attributes:
        section: the headings above the line, the outermost first; empty outside of sections.
        kind: "added" if the new configuration has the line, "removed" if the old one has it.
        line: the line. A heading stands for its whole section, which is new or removed with all lines below it.
        opens: the kind of section that the line opens; empty for a plain line.
        within: the kinds of the sections above the line.
        rest_stays: whether the new configuration has other lines about the BGP neighbor that this line creates.
    """

    section: tuple[str, ...]
    kind: Literal["added", "removed"]
    line: str
    opens: str = ""
    within: tuple[str, ...] = ()
    rest_stays: bool = field(default=False, compare=False)


def difference(old_text: str, new_text: str) -> list[ConfigChange]:
    """The entries in only one of two configurations, in the order of `new_text`, removed ones before new ones.

    The order of lines is not compared. An empty section that exists anyhow (`interface`) is not compared either.
    """
    return list(_differences(parse(old_text), parse(new_text), (), ()))


def _differences(
    old_entries: tuple[ConfigEntry, ...],
    new_entries: tuple[ConfigEntry, ...],
    section: tuple[str, ...],
    kinds: tuple[str, ...],
) -> Iterator[ConfigChange]:
    old_by_key = {(entry.kind, entry.key): entry for entry in old_entries if _is_compared(entry)}
    new_by_key = {(entry.kind, entry.key): entry for entry in new_entries if _is_compared(entry)}
    for key, entry in old_by_key.items():
        if key not in new_by_key:
            yield from _removals(entry, section, kinds, new_entries)
    for key, entry in new_by_key.items():
        old = old_by_key.get(key)
        if old is None or old.text != entry.text:
            if old is not None and old.kind == "route-map":
                yield ConfigChange(section, "removed", old.text, entry.kind, kinds)
            if old is None or old.kind == "route-map":
                yield from _heading(entry, section, kinds)
        if entry.kind:
            yield from _differences(old.below if old else (), entry.below, (*section, entry.text), (*kinds, entry.kind))


def _heading(entry: ConfigEntry, section: tuple[str, ...], kinds: tuple[str, ...]) -> Iterator[ConfigChange]:
    if entry.kind not in grammar.ALWAYS_THERE:
        yield ConfigChange(section, "added", entry.text, entry.kind, kinds)


def _removals(
    entry: ConfigEntry, section: tuple[str, ...], kinds: tuple[str, ...], new_entries: tuple[ConfigEntry, ...]
) -> Iterator[ConfigChange]:
    if entry.kind in grammar.ALWAYS_THERE:
        yield from _differences(entry.below, (), (*section, entry.text), (*kinds, entry.kind))
    else:
        change = ConfigChange(section, "removed", entry.text, entry.kind, kinds)
        stays = _makes_neighbor(change) and _is_mentioned(f"{_neighbor_line(change)} ", new_entries)
        yield replace(change, rest_stays=stays)


def _is_mentioned(beginning: str, entries: tuple[ConfigEntry, ...]) -> bool:
    return any(entry.text.startswith(beginning) or _is_mentioned(beginning, entry.below) for entry in entries)


def _is_compared(entry: ConfigEntry) -> bool:
    return bool(entry.text) and not entry.text.startswith(_IGNORED)


def as_own_lines(changes: Iterable[ConfigChange]) -> str:
    """Lines that apply the changes when they are merged into the old configuration. Empty for no change."""
    removed, added = _entries(changes, with_replaced=False)
    return config_text(joined_entries([*removed, *added]))


def as_typed_lines(changes: Iterable[ConfigChange]) -> str:
    """Lines that apply the changes when they are typed in this order. Sections with removed and added lines occur
    twice, since an added line may need one that is added to an outer section.
    """
    return "".join(config_text(joined_entries(entries)) for entries in _entries(changes, with_replaced=True))


def _entries(changes: Iterable[ConfigChange], *, with_replaced: bool) -> tuple[list[ConfigEntry], list[ConfigEntry]]:
    """The removed and the added lines in their sections.

    Args:
        with_replaced: whether old lines that FRR does not replace by new ones are removed first.
    """
    original = list(changes)
    all_changes = _with_neighbors_removed_at_once(original)
    new_lines = {_subject(change): change.line for change in all_changes if change.kind == "added"}
    removed, added = list[ConfigEntry](), list[ConfigEntry]()
    for change in sorted(all_changes, key=_turn_among(original)):
        if change.kind == "added":
            added.append(_in_section(change, ConfigEntry(change.line, change.opens)))
        elif (subject := _subject(change)) is None or subject not in new_lines:
            removed.append(_in_section(change, ConfigEntry(grammar.removal(change.line))))
        elif with_replaced and not grammar.replaces(
            change.within[-1] if change.within else "", change.line, new_lines[subject]
        ):
            removed.append(_in_section(change, ConfigEntry(grammar.no(change.line))))
    return removed, added


def _turn_among(changes: Sequence[ConfigChange]) -> Callable[[ConfigChange], int]:
    """The order in which lines are typed. Some lines bring a shorter one back when they are removed after it, as
    `neighbor 10.0.0.2 bfd profile lab` does; a peer group takes its members along; and a section may be needed by lines
    of others.
    """
    removed = {(change.section, change.line) for change in changes if change.kind == "removed"}
    groups = {_neighbor_of(change) for change in changes if change.kind == "removed" and _is_peer_group(change)}

    def turn(change: ConfigChange) -> int:
        if change.kind == "added":
            return 4
        if change.opens:
            return 3
        if _neighbor_of(change) in groups - {None}:
            return 2
        words = change.line.split()
        is_longer = any((change.section, " ".join(words[:number])) in removed for number in range(1, len(words)))
        return 0 if is_longer else 1

    return turn


def without_implied_removals(changes: Iterable[ConfigChange], new_text: str) -> Iterator[ConfigChange]:
    """The changes without removed lines of interfaces that FRR removes along with another line, and rejects afterwards.

    Args:
        changes: from one configuration to another.
        new_text: the other configuration.
    """
    interfaces = {entry.text: entry.below for entry in parse(new_text) if entry.kind == "interface"}
    for change in changes:
        makers = grammar.makers(change.line.removeprefix("no ")) if change.within == ("interface",) else ()
        if change.kind == "added" or not makers or _has_any(interfaces.get(change.section[0], ()), makers):
            yield change


def _has_any(entries: Iterable[ConfigEntry], starts: tuple[str, ...]) -> bool:
    return any(grammar.begins(entry.text, starts) for entry in entries)


def _with_neighbors_removed_at_once(changes: list[ConfigChange]) -> list[ConfigChange]:
    """The changes, with one line for each removed BGP neighbor. FRR rejects further lines about a removed neighbor."""
    added_neighbors = {_neighbor_of(change) for change in changes if change.kind == "added"}
    removed_neighbors = {
        _neighbor_of(change) for change in changes if change.kind == "removed" and _makes_neighbor(change)
    } - added_neighbors
    shortened = (
        replace(change, line=_neighbor_line(change), section=change.section[:1], within=change.within[:1])
        if change.kind == "removed" and _neighbor_of(change) in removed_neighbors - {None}
        else change
        for change in changes
    )
    return list(dict.fromkeys(shortened))


def _makes_neighbor(change: ConfigChange) -> bool:
    return (
        change.within == ("bgp",)
        and not change.rest_stays
        and (change.line.split()[2:3] in (["remote-as"], ["interface"]) or _is_peer_group(change))
    )


def _is_peer_group(change: ConfigChange) -> bool:
    """Whether the line defines a peer group; a member has the name of the group after these words."""
    return change.within == ("bgp",) and change.line.split()[2:] == ["peer-group"]


def _neighbor_of(change: ConfigChange) -> tuple[str, str] | None:
    """The BGP process and the neighbor that a line configures; None for any other line."""
    is_one = change.within[:1] == ("bgp",) and change.line.removeprefix("no ").startswith("neighbor ")
    return (change.section[0], _neighbor_line(change)) if is_one else None


def _neighbor_line(change: ConfigChange) -> str:
    return " ".join(change.line.removeprefix("no ").split()[:2])


def apply_changes(text: str, changes: Iterable[ConfigChange]) -> str:
    """The configuration after exactly these changes. Removed lines are absent, even if FRR applies them by default.

    A change that does not fit, such as the removal of a missing line, has no effect.
    """
    entries = parse(text)
    all_changes = list(changes)
    replaced = {_subject(change) for change in all_changes if change.kind == "added" and change.opens}
    for change in all_changes:
        if change.kind == "removed" and not (change.opens and _subject(change) in replaced):
            entries = _without(entries, change.section, change.within, change)
    for change in all_changes:
        if change.kind == "added":
            entries = merged_entries(entries, (_in_section(change, ConfigEntry(change.line, change.opens)),))
    return config_text(entries)


def _without(
    entries: tuple[ConfigEntry, ...], section: tuple[str, ...], kinds: tuple[str, ...], change: ConfigChange
) -> tuple[ConfigEntry, ...]:
    if not section:
        removed = (change.opens, change.line)
        return tuple(entry for entry in entries if (entry.kind, entry.text) != removed)
    key = (kinds[0], grammar.section_key(kinds[0], section[0]))
    return tuple(
        replace(entry, below=_without(entry.below, section[1:], kinds[1:], change))
        if (entry.kind, entry.key) == key
        else entry
        for entry in entries
    )


def _subject(change: ConfigChange) -> tuple[tuple[str, ...], str] | None:
    """The subject of a change if a new line replaces an old one; None if it does not."""
    if change.opens:
        return change.section, grammar.section_key(change.opens, change.line)
    key = grammar.key_of(change.line)
    if key is not None:
        return change.section, key
    # X replaces `no X`. `no X` replaces X if FRR applies X by default.
    bare = change.line.removeprefix("no ")
    if change.line.startswith("no ") or grammar.on_by_default(bare):
        return change.section, bare
    return None


def _in_section(change: ConfigChange, entry: ConfigEntry) -> ConfigEntry:
    for heading, kind in zip(reversed(change.section), reversed(change.within), strict=True):
        entry = ConfigEntry(heading, kind, (entry,))
    return entry
