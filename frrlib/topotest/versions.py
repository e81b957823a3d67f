"""Compares version numbers as FRR's tests write them."""

from __future__ import annotations

import re
from itertools import zip_longest


def compare(one: str, other: str) -> int:
    """-1, 0 or 1 as the first is less, the same or greater. Raises ValueError where one begins with no number."""
    for a, b in zip_longest(_numbers(one), _numbers(other), fillvalue=0):
        if a != b:
            return -1 if a < b else 1
    return 0


def satisfies(version: str, operator: str, other: str) -> bool:
    """Whether `version` is so in comparison with another; operators are "<", "<=", "=", ">=", ">"."""
    wanted = {"<": (-1,), "<=": (-1, 0), "=": (0,), "==": (0,), ">=": (0, 1), ">": (1,)}
    return compare(version, other) in wanted[operator]


def _numbers(version: str) -> list[int]:
    match = re.match(r"\d+(?:\.\d+)*", version)
    if match is None:
        raise ValueError(f"{version!r} is no version")
    return [int(part) for part in match.group().split(".")]
