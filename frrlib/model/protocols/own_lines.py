"""Interface names in a router's custom lines, which follow when an interface is renamed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

#: Words that an interface name follows.
_KEYWORDS = frozenset(
    {"interface", "int", "passive-interface", "update-source", "nexthop-interface", "neighbor", "network", "source"}
)
#: Beginnings of lines in which any later word may be the interface to the next hop.
_ROUTES = ("ip route ", "ipv6 route ", "ip mroute ")
#: First words of lines that continue with free text.
_PROSE = ("description", "banner", "remark", "hostname", "password", "enable", "key-string", "log")
#: Prefix for the name of a removed interface, if another interface has its name now.
_REMOVED = "gone-"


def interfaces_in(text: str) -> Iterator[str]:
    """The words at positions of interface names, in their order; some may be addresses or networks."""
    for line in text.splitlines():
        for match in _places(line):
            yield match.group()


def with_interfaces_renamed(text: str, names: Mapping[str, str]) -> str:
    """The lines with renamed interfaces, otherwise unchanged.

    Args:
        text: custom lines of a router.
        names: new interface names by old ones; empty for a removed interface. Lines about a removed interface stay. If
            another interface has its name now, they name "gone-NAME" instead.
    """
    new_names = set(names.values())
    replacements = {old: new or (_REMOVED + old if old in new_names else old) for old, new in names.items()}
    lines = []
    for line in text.splitlines(keepends=True):
        for match in reversed(list(_places(line))):
            line = line[: match.start()] + replacements.get(match.group(), match.group()) + line[match.end() :]
        lines.append(line)
    return "".join(lines)


def _places(line: str) -> Iterator[re.Match[str]]:
    """The words of a line that may be interfaces."""
    words = list(re.finditer(r"\S+", line))
    texts = [match.group() for match in words]
    if texts[:1] == ["no"]:
        words, texts = words[1:], texts[1:]
    if not texts or texts[0].startswith(("!", "#")) or texts[0] in _PROSE:
        return
    if texts[2:3] == ["description"]:
        texts = texts[:2]
    if " ".join(texts).startswith(_ROUTES):
        yield from words[3:]
        return
    for keyword, match in zip(texts, words[1:], strict=False):
        if keyword in _KEYWORDS:
            yield match
