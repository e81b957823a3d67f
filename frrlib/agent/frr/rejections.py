"""Lines and values of its configuration that a daemon rejects while it reads its file."""

from __future__ import annotations

import re

#: A log line about a refused line of a daemon's file.
_REFUSED_LINE = re.compile(r"([^\]\n]*) on config line (\d+): *(.*)")
#: Output of a daemon about a value that its data model rejects, with the reasons in several lines.
_REJECTED_VALUE = re.compile(
    r"^% ?(?:Failed to edit configuration|Configuration failed)[^\n]*\n(.*?)(?=^%|\Z)", re.MULTILINE | re.DOTALL
)
_REASON_HEADING = "YANG error(s):"


def refused_lines(log: str, daemon: str) -> list[str]:
    """The lines of its file that a daemon refused, each with the reason, from its log."""
    matches = (match.groups() for match in _REFUSED_LINE.finditer(log))
    return [f"line {line} of {daemon}.conf, {text.strip()!r}: {reason.strip()}" for reason, line, text in matches]


def rejected_values(printed: str) -> list[str]:
    """The reasons why a daemon rejected values of its file, from its output. It continues without them."""
    reasons = []
    for explanation in _REJECTED_VALUE.findall(printed):
        lines = [line.strip() for line in explanation.splitlines()]
        reasons.append(" ".join(line for line in lines if line and line != _REASON_HEADING) or "no reason given")
    return reasons


def complaints(printed: str) -> list[str]:
    """The lines about refused lines, from the output of a vtysh that loaded a configuration."""
    return [line for line in printed.splitlines() if "%" in line or "ERROR" in line or "failed" in line.lower()]
