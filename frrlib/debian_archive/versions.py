"""The order of Debian's version numbers, as in Debian's policy, section 5.6.12."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import zip_longest

_PARTS = re.compile(r"(\D*)(\d*)")
_HOLDS: dict[str, Callable[[int], bool]] = {
    "<<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    "=": lambda order: order == 0,
    ">=": lambda order: order >= 0,
    ">>": lambda order: order > 0,
}


def compare(first: str, second: str) -> int:
    """Negative if the first version is older, positive if it is newer, 0 if both are equal."""
    for part, other in zip(_split(first), _split(second)):  # noqa: B905 - both have three parts
        order = _compare_parts(part, other)
        if order:
            return order
    return 0


def satisfies(version: str, operator: str, bound: str) -> bool:
    """Whether a version satisfies a relation such as `>= 1.2`. An empty operator permits every version."""
    return not operator or _HOLDS[operator](compare(version, bound))


def _split(version: str) -> tuple[str, str, str]:
    """The epoch, the upstream version and the revision."""
    epoch, colon, rest = version.partition(":")
    if not colon:
        epoch, rest = "0", version
    upstream, _, revision = rest.rpartition("-") if "-" in rest else (rest, "", "0")
    return epoch, upstream, revision


def _compare_parts(first: str, second: str) -> int:
    pairs = zip_longest(_PARTS.findall(first), _PARTS.findall(second), fillvalue=("", ""))
    for (text, number), (other_text, other_number) in pairs:
        if text != other_text:
            keys, other_keys = _text_key(text), _text_key(other_text)
            if keys != other_keys:
                return -1 if keys < other_keys else 1
        order = int(number or 0) - int(other_number or 0)
        if order:
            return order
    return 0


def _text_key(text: str) -> list[int]:
    """Sorts `~` before the end of the text, the end before letters, and letters before other characters."""
    return [-1 if char == "~" else ord(char) if char.isalpha() else ord(char) + 256 for char in text] + [0]
