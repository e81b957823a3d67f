"""Compares version numbers as FRR's tests write them."""

from __future__ import annotations

import re
from itertools import zip_longest


def compare(first: str, second: str) -> int:
    """-1, 0 or 1 if the first is less, equal or greater. Raises ValueError if one does not begin with a number."""
    for a, b in zip_longest(_numbers(first), _numbers(second), fillvalue=0):
        if a != b:
            return -1 if a < b else 1
    return 0


def satisfies(version: str, operator: str, reference: str) -> bool:
    """Whether a comparison of two versions holds; operators are "<", "<=", "=", ">=", ">"."""
    results = {"<": (-1,), "<=": (-1, 0), "=": (0,), "==": (0,), ">=": (0, 1), ">": (1,)}
    return compare(version, reference) in results[operator]


def _numbers(version: str) -> list[int]:
    match = re.match(r"\d+(?:\.\d+)*", version)
    if match is None:
        raise ValueError(f"{version!r} is no version")
    return [int(part) for part in match.group().split(".")]
