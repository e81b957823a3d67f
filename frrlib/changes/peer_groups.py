"""BGP neighbors that join or leave a peer group while their router runs."""

from __future__ import annotations

from collections.abc import Iterable

from frrlib.conf.changes import ConfigChange, difference

#: A BGP process by its heading, and the name of a neighbor or a group.
_Name = tuple[str, str]


def with_members_anew(changes: Iterable[ConfigChange], old_text: str, new_text: str) -> list[ConfigChange]:
    """The changes, in which neighbors that join or leave a peer group are removed and entered anew.

    FRR loses lines of a neighbor whose group changes, and the whole neighbor if the AS belongs to the group. Its
    session ends in any case.
    """
    changes = list(changes)
    old, new = (tuple(difference("", text)) for text in (old_text, new_text))
    groups_then, groups_now = _groups(old), _groups(new)
    defined = {name for name in map(_defined_group, changes) if name}
    present = {name for change in old if (name := _name(change))} & {name for change in new if (name := _name(change))}
    moved = {
        name
        for name in present
        if (groups := (groups_then.get(name, ""), groups_now.get(name, ""))) and groups != ("", "")
        if groups[0] != groups[1] or (name[0], groups[0]) in defined
    }
    if not moved:
        return changes
    removed = [
        ConfigChange((heading,), "removed", f"neighbor {name}", within=("bgp",)) for heading, name in sorted(moved)
    ]
    others = [change for change in changes if _name(change) not in moved]
    position = {change: number for number, change in enumerate(new)}
    lines = [*others, *(change for change in new if _name(change) in moved)]
    return [*removed, *sorted(lines, key=lambda change: position.get(change, -1))]


def _words(change: ConfigChange) -> list[str]:
    return change.line.removeprefix("no ").split() if change.within[:1] == ("bgp",) and not change.opens else []


def _name(change: ConfigChange) -> _Name | None:
    words = _words(change)
    return (change.section[0], words[1]) if words[:1] == ["neighbor"] and len(words) > 2 else None


def _groups(changes: Iterable[ConfigChange]) -> dict[_Name, str]:
    """The peer group of each member."""
    return {
        name: words[words.index("peer-group") + 1]
        for change in changes
        if (name := _name(change)) and "peer-group" in (words := _words(change))[2:-1]
    }


def _defined_group(change: ConfigChange) -> _Name | None:
    """The group or neighbor that the line defines."""
    words = _words(change)
    is_definition = words[2:] == ["peer-group"] or words[2:3] == ["remote-as"]
    return _name(change) if is_definition else None
