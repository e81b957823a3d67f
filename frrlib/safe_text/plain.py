"""Text from a lab or a topology, made harmless to display: a terminal obeys control characters.

A program in a lab may print an escape sequence that renames the user's terminal, fills its clipboard or erases its
content. A name may be written from right to left. A file's name may have bytes that are no UTF-8: Python makes lone
surrogates of them, which cannot be written to a file or a terminal. Each such character becomes U+FFFD. Line feeds and
tabs stay.
"""

from __future__ import annotations

import re

#: C0 except tab and line feed, DEL, C1, characters that change the direction of writing, and lone surrogates.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_INSTEAD = "\N{REPLACEMENT CHARACTER}"

#: The same in JSON as UTF-8, as escapes or as plain characters. Another escaped character is matched with its
#: backslash, as group 1.
_IN_JSON = re.compile(
    rb"\\(?:u(?:00(?:0[0-8bBcCdDeEfF]|1[0-9a-fA-F]|7[fF]|[89][0-9a-fA-F])|20(?:2[a-eA-E]|6[6-9]))|[bfr]|(.))"
    rb"|\x7f|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]",
    re.DOTALL,
)
_INSTEAD_UTF8 = _INSTEAD.encode()


def plain(text: str) -> str:
    """The text without characters that a terminal would obey, and without lone surrogates. Line ends of DOS become line
    feeds."""
    return _CONTROLS.sub(_INSTEAD, text.replace("\r\n", "\n"))


def one_line(text: str, most: int) -> str:
    """The text in one line of at most `most` characters. The middle of a longer text is left out, so that its end
    cannot be hidden behind a harmless beginning or many blanks.

    Args:
        most: 3 or more.
    """
    words = " ".join(plain(text).split())
    half = (most - 1) // 2
    return words if len(words) <= most else f"{words[: most - 1 - half]}…{words[len(words) - half :]}"


def indented(text: str, most: int, by: str = "  ") -> str:
    """At most `most` characters of the text, without empty lines, each line indented by `by`. So no line of it can
    imitate a line of this program."""
    lines = [line.rstrip() for line in plain(text[:most]).splitlines() if line.strip()]
    if len(text) > most:
        lines.append(f"… and {len(text) - most:,} further characters")
    return "\n".join(f"{by}{line}" for line in lines)


def plain_json(line: bytes) -> bytes:
    """JSON with `plain` applied to all its texts, including names of fields. All else is unchanged."""
    unix = line.replace(b"\\r\\n", b"\\n")
    return _IN_JSON.sub(lambda match: match[0] if match[1] is not None else _INSTEAD_UTF8, unix)
