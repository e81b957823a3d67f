"""Where a router's lines of its own name interfaces, so that they follow when an interface gets another name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

#: Words behind which an interface is named.
_BEFORE = frozenset(
    {"interface", "int", "passive-interface", "update-source", "nexthop-interface", "neighbor", "network", "source"}
)
#: Where any later word may be the interface that leads to the next hop.
_ROUTES = ("ip route ", "ipv6 route ", "ip mroute ")
#: First words of lines whose other words are people's own.
_PROSE = ("description", "banner", "remark", "hostname", "password", "enable", "key-string", "log")
#: What an interface is called from now on that is gone, where another one has its name now.
_GONE = "gone-"


def interfaces_in(text: str) -> Iterator[str]:
    """The words of the lines where an interface may be named, in their order; some may be addresses or networks."""
    for line in text.splitlines():
        for match in _places(line):
            yield match.group()


def with_interfaces_renamed(text: str, names: Mapping[str, str]) -> str:
    """The lines with other names of interfaces; all else stays as it was written.

    Args:
        text: lines of a router's own.
        names: interfaces, old name to new; an empty new name for one that is gone. What is said about that stays, and
            is said of no other interface: where its name is another's now, it is called "gone-NAME".
    """
    taken = set(names.values())
    whole = {old: new or (_GONE + old if old in taken else old) for old, new in names.items()}
    lines = []
    for line in text.splitlines(keepends=True):
        for match in reversed(list(_places(line))):
            line = line[: match.start()] + whole.get(match.group(), match.group()) + line[match.end() :]
        lines.append(line)
    return "".join(lines)


def _places(line: str) -> Iterator[re.Match[str]]:
    """The words of a line that may be interfaces."""
    words = list(re.finditer(r"\S+", line))
    said = [match.group() for match in words]
    if said[:1] == ["no"]:
        words, said = words[1:], said[1:]
    if not said or said[0].startswith(("!", "#")) or said[0] in _PROSE:
        return
    if said[2:3] == ["description"]:
        said = said[:2]
    if " ".join(said).startswith(_ROUTES):
        yield from words[3:]
        return
    for before, match in zip(said, words[1:], strict=False):
        if before in _BEFORE:
            yield match
