"""Lines of a configuration for display: the effect of the user's own lines, and the parts of each line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Change = Literal["", "added", "removed"]
#: Patterns for the parts of a line. The first group of a match is highlighted.
_PARTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("comment", re.compile(r"^(\s*[!#].*)$")),
    ("section", re.compile(r"^(\S.*?)$")),
    ("word", re.compile(r"^\s*(no)\b")),
    ("address", re.compile(r"(?<![\w.:])((?:\d{1,3}\.){3}\d{1,3}(?:/\d+)?)(?![\w.:])")),
    ("address", re.compile(r"(?<![\w.:])([0-9a-fA-F]*:[0-9a-fA-F:]+(?:/\d+)?)(?![\w.:])")),
)  # fmt: skip
_SECTIONS = (
    "router ", "interface ", "route-map ", "vrf ", "address-family ", "key chain ", "mpls ldp", "bfd", "line vty",
)  # fmt: skip


@dataclass(frozen=True)
class ConfLine:
    """A line for display.

    Attributes:
        text: the line.
        number: its number in the configuration, starting at 1; 0 for a removed line.
        change: the effect of the user's own lines on it.
    """

    text: str
    number: int
    change: Change = ""


def _is_statement(text: str) -> bool:
    """Whether a line is a statement, and not a comment, an "exit" or empty."""
    return not text.lstrip().startswith(("!", "#")) and text.strip() not in ("", "exit")


def compare(base: str, merged: str) -> list[ConfLine]:
    """The lines of a configuration, together with the lines that the user's own lines removed.

    Args:
        base: the configuration without the user's own lines.
        merged: the configuration with them.
    """
    base_lines, merged_lines = base.splitlines(), merged.splitlines()
    lines: list[ConfLine] = []
    for operation, low, high, first, last in SequenceMatcher(
        None, base_lines, merged_lines, autojunk=False
    ).get_opcodes():
        if operation != "equal":
            lines += [ConfLine(text, 0, "removed") for text in base_lines[low:high] if _is_statement(text)]
        change: Change = "" if operation == "equal" else "added"
        lines += [ConfLine(merged_lines[number], number + 1, change) for number in range(first, last)]
    return lines


def line_parts(text: str) -> Iterator[tuple[str, int, int]]:
    """The parts of a line as (name, first column, end column), in the order of highlighting."""
    for name, pattern in _PARTS:
        for match in pattern.finditer(text):
            if name == "section" and not text.startswith(_SECTIONS):
                continue
            yield name, match.start(1), match.end(1)
            if name == "comment":
                return


def own_line_numbers(own_lines: str) -> dict[str, int]:
    """The number of each own line, by its words separated by single spaces. The first of equal lines counts."""
    numbers: dict[str, int] = {}
    for number, line in enumerate(own_lines.splitlines(), start=1):
        if _is_statement(line):
            numbers.setdefault(" ".join(line.split()), number)
    return numbers
