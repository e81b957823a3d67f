"""Values as Python source: safely quoted literals, and calls formatted as by ruff and black.

The format is the same at 88 and at 120 columns: a call that does not fit into 88 has each argument on its own line and
a trailing comma, which both tools keep.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 88
#: Whole numbers up to this limit are written without a decimal point; floats represent them exactly.
_EXACT = 2**53


@dataclass(frozen=True)
class SourceGroup:
    """A call or a list.

    Attributes:
        head: text before the items ("net.host(", "[").
        items: (keyword or "", value) each.
        tail: the closing bracket.
    """

    head: str
    items: tuple[tuple[str, Source], ...]
    tail: str


#: Source of a value: a literal's text, or a group.
Source = str | SourceGroup


def call(name: str, arguments: Sequence[tuple[str, Source]]) -> SourceGroup:
    """A call; an argument is (keyword, value), with an empty keyword for a positional one."""
    return SourceGroup(f"{name}(", tuple(arguments), ")")


def items(values: Sequence[Source]) -> SourceGroup:
    """A list."""
    return SourceGroup("[", tuple(("", value) for value in values), "]")


def number(value: float) -> str:
    """A number; 10.0 is written as 10, the usual form."""
    if isinstance(value, float) and value.is_integer() and abs(value) <= _EXACT:
        return str(int(value))
    return repr(value).replace("e+", "e")


def text(value: str) -> str:
    """A string: a block for several lines if all letters allow it, else on one line."""
    return _block(value) or _quoted(value)


def format_source(source: Source, indent: int = 0, before: int = 0, after: int = 0) -> str:
    """Source on one line if it fits, else with one item per line.

    Args:
        source: the source to format.
        indent: indentation of all lines but the first.
        before: columns in use at the beginning of the first line.
        after: columns needed at the end of the last line.
    """
    if isinstance(source, str):
        return source
    flat = _flat(source)
    if "\n" not in flat and before + width(flat) + after <= WIDTH:
        return flat
    if not source.items:
        return flat
    inner = indent + 4
    lines = [source.head]
    for keyword, value in source.items:
        start = f"{' ' * inner}{keyword}{'=' if keyword else ''}"
        lines.append(f"{start}{format_source(value, inner, len(start), 1)},")
    return "\n".join([*lines, " " * indent + source.tail])


def width(line: str) -> int:
    """The number of columns of a line; wide East Asian letters count two, combining marks none."""
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in line)


def _flat(source: Source) -> str:
    if isinstance(source, str):
        return source
    parts = [f"{keyword}={_flat(value)}" if keyword else _flat(value) for keyword, value in source.items]
    return source.head + ", ".join(parts) + source.tail


def _quoted(value: str) -> str:
    quote = "'" if value.count('"') > value.count("'") else '"'
    return quote + "".join(_escaped(letter, quote) for letter in value) + quote


_SHORT = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escaped(letter: str, quote: str) -> str:
    """A letter within quotes. Invisible letters are written as escapes, so that they cannot hide in the source."""
    if letter == quote:
        return f"\\{quote}"
    if letter in _SHORT:
        return _SHORT[letter]
    if letter.isprintable():
        return letter
    code = ord(letter)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _block(value: str) -> str:
    """Text of several lines in triple quotes; empty for shorter text, or if a letter does not allow it."""
    lines = value.split("\n")
    is_printable = all(line.isprintable() and line == line.rstrip() for line in lines)
    is_long = len(lines) > 2 or (len(lines) == 2 and len(value) > WIDTH // 2)
    if not is_long or not is_printable or "\\" in value or '"""' in value or value.endswith('"'):
        return ""
    return f'"""\\\n{value}"""'
