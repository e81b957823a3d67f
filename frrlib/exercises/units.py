"""Typed answers: numbers with units, and words."""

from __future__ import annotations

import math
import re

#: Unit to its kind and its size in the first unit of that kind. Capital and small letters differ: "b" is a bit.
_TABLE: dict[str, tuple[str, float]] = {
    "bytes": ("amount", 8), "byte": ("amount", 8), "B": ("amount", 8), "kB": ("amount", 8e3), "MB": ("amount", 8e6),
    "GB": ("amount", 8e9), "KiB": ("amount", 8 * 2**10), "MiB": ("amount", 8 * 2**20),
    "bits": ("amount", 1), "bit": ("amount", 1), "kbit": ("amount", 1e3), "Mbit": ("amount", 1e6),
    "Gbit": ("amount", 1e9),
    "s": ("time", 1), "ms": ("time", 1e-3), "us": ("time", 1e-6), "µs": ("time", 1e-6), "min": ("time", 60),
    "bit/s": ("rate", 1), "kbit/s": ("rate", 1e3), "Mbit/s": ("rate", 1e6), "Gbit/s": ("rate", 1e9),
    "kbps": ("rate", 1e3), "Mbps": ("rate", 1e6), "Gbps": ("rate", 1e9),
    "packets": ("packets", 1), "packet": ("packets", 1), "hops": ("hops", 1), "hop": ("hops", 1),
    "%": ("share", 1), "percent": ("share", 1),
}  # fmt: skip
UNITS = tuple(_TABLE)
_NUMBER = re.compile(r"([+-]?(?:\d[\d_' ]*\d|\d)?(?:\.\d+)?(?:[eE][+-]?\d{1,3})?)\s*(\S.*)?")
#: The longest answer that is read.
MOST_CHARACTERS = 200


def wrong_number(typed: str, expected: float, unit: str, tolerance_percent: float) -> str:
    """The reason why a typed number is not the expected one; empty if it is. It does not contain the expected number.

    Args:
        typed: the answer, such as "12.5 kB".
        expected: the right number in `unit`.
        unit: a unit of `UNITS`; empty for a number without a unit.
        tolerance_percent: accepted difference.
    """
    match = _NUMBER.fullmatch(" ".join(typed[:MOST_CHARACTERS].split()))
    digits = re.sub(r"[_' ]", "", match[1]) if match else ""
    try:
        number = float(digits)
    except ValueError:
        return f"{typed[:MOST_CHARACTERS]!r} is no number"
    if not match or not math.isfinite(number):
        return "the number is too large"
    typed_unit = match[2] or ""
    if unit and not typed_unit:
        return f"the answer {digits} has no unit; it must be one such as {unit}"
    if typed_unit and not unit:
        return f"the answer must be a number without a unit, found {typed_unit!r}"
    if unit:
        if typed_unit not in _TABLE:
            return f"{typed_unit!r} is no known unit; use one such as {unit}"
        kind, size = _TABLE[typed_unit]
        if kind != _TABLE[unit][0]:
            return f"{typed_unit} is a unit of a different kind than {unit}"
        number *= size / _TABLE[unit][1]
    allowed = abs(expected) * tolerance_percent / 100 + 1e-9 * max(1.0, abs(expected))
    return "" if abs(number - expected) <= allowed else f"{' '.join(filter(None, (digits, typed_unit)))} is wrong"


def wrong_word(typed: str, expected: tuple[str, ...]) -> str:
    """The reason why a typed word is none of the expected ones; empty if it is one. Letters may be capital or small."""
    word = _plain_word(typed)
    return "" if word in map(_plain_word, expected) else f"{typed[:MOST_CHARACTERS]!r} is wrong"


def _plain_word(text: str) -> str:
    return " ".join(text[:MOST_CHARACTERS].split()).casefold()
