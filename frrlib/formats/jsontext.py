"""Parses JSON from untrusted sources within limits, and reports errors with their lines.

Parsing executes nothing and takes bounded time and memory: the file's size, its depth and the size of its numbers are
limited. A file that exceeds a limit is rejected.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
from json.decoder import scanstring  # type: ignore[attr-defined]
from pathlib import Path
from typing import Any

from frrlib.errors import TopologyError

LARGEST_FILE_BYTES = 64 * 2**20
DEEPEST = 64
#: Maximum number of digits of a whole number, including its sign.
LONGEST_NUMBER = 300

_BLANK = re.compile(r"[ \t\r\n]*")
#: The path of a value within a JSON value: keys and positions from the top.
Path_ = tuple[str | int, ...]


class InvalidFile(Exception):
    """The text is rejected. `reason` is a clause about the value at `path`, or at `line` (0 if unknown)."""

    def __init__(self, reason: str, path: Path_ = (), line: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.path, self.line = reason, path, line


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The content of a regular file.

    Raises:
        TopologyError: the file is missing, unreadable, not a regular file, or larger than 64 MiB.
    """
    name = Path(path).name or str(path)
    try:
        # opening a FIFO without a writer would block
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            mode = os.fstat(descriptor).st_mode
            if not stat.S_ISREG(mode):
                kind = "a folder" if stat.S_ISDIR(mode) else "not an ordinary file"
                raise TopologyError(f"is {kind}", node=name, remedy="the name of a .mn file")
            data = file.read(LARGEST_FILE_BYTES + 1)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise TopologyError(f"cannot be read: {reason}", node=name) from None
    if len(data) > LARGEST_FILE_BYTES:
        raise TopologyError(f"is larger than {LARGEST_FILE_BYTES // 2**20} MiB, the limit for a topology", node=name)
    return data


def decode_text(data: bytes) -> str:
    """Decode a file in UTF-8, or in UTF-16 or UTF-32 with a byte order mark; the mark is left out.

    Raises:
        InvalidFile: the bytes are not valid text, or the file is empty.
    """
    if not data.strip(b" \t\r\n"):
        raise InvalidFile("is an empty file")
    if not data.strip(b"\0 \t\r\n"):
        raise InvalidFile("contains only zero bytes")
    encoding = json.detect_encoding(data)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise InvalidFile(f"is not text in {encoding.removesuffix('-sig').upper()}", line=line) from None


def parse_json(text: str) -> tuple[Any, list[str]]:
    """Parse JSON; returns the value, and keys that occur twice in one object (the last one is used).

    Raises:
        InvalidFile: the text is not JSON, has an invalid number, or is nested too deeply.
    """
    repeated: dict[str, None] = {}

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        object_members = dict(pairs)
        if len(object_members) < len(pairs):
            seen_keys: set[str] = set()
            repeated.update((key, None) for key, _ in pairs if key in seen_keys or seen_keys.add(key))  # type: ignore[func-returns-value]
        return object_members

    decoder = json.JSONDecoder(
        object_pairs_hook=members,
        parse_constant=lambda word: _no_number(text, word),
        parse_float=lambda digits: _finite(text, digits),
        parse_int=lambda digits: _whole(text, digits),
    )
    try:
        value = decoder.decode(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as problem:
        raise InvalidFile(f"is not a topology in JSON: {_no_json(text, problem)}", line=problem.lineno) from None
    except RecursionError:
        raise InvalidFile("is nested too deeply") from None
    if _depth_exceeds(value, DEEPEST):
        raise InvalidFile(f"is nested more than {DEEPEST} deep")
    return value, list(repeated)


def _no_json(text: str, problem: json.JSONDecodeError) -> str:
    """The reason why a text is not JSON: the parser's message, or the beginning of a different format."""
    begins = next(iter(text.removeprefix("\ufeff").split(maxsplit=1)), "")
    if begins.startswith(("{", "[")):
        return problem.msg
    return f"it begins with {begins[:20]!a}, not with {{ as files do that MiniEdit or this editor has saved"


def _finite(text: str, digits: str) -> float:
    value = float(digits)
    return value if math.isfinite(value) else _no_number(text, digits)


def _whole(text: str, digits: str) -> int:
    return int(digits) if len(digits) <= LONGEST_NUMBER else _no_number(text, digits)


def _no_number(text: str, word: str) -> Any:
    short_word = word if len(word) <= 20 else f"{word[:17]}..."
    match = re.search(rf'(?<![\w".]){re.escape(word)}(?![\w"])', text)
    raise InvalidFile(f"has {short_word}, which is not a number", line=_line(text, match.start()) if match else 0)


def _depth_exceeds(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit + 1):
        inner: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inner.extend(item.values())
            elif isinstance(item, list):
                inner.extend(item)
        if not inner:
            return False
        level = inner
    return True


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def line_of(text: str, path: Path_) -> int:
    """The line, from 1, on which the value at `path` begins; for a missing value that of its innermost parent."""
    skip = json.JSONDecoder().raw_decode
    text = text.removeprefix("\ufeff")
    position = _after_blanks(text, 0)
    try:
        for step in path:
            inner_position = _member(text, position, step, skip)
            if inner_position is None:
                break
            position = inner_position
    except (ValueError, IndexError, RecursionError):
        pass
    return _line(text, position)


def _member(text: str, start: int, step: str | int, skip: Any) -> int | None:
    """The offset of the value of a key or position in the object or list at `start`; the last of equal keys is used."""
    opening, value_position, count = text[start], None, 0
    if opening not in "{[" or (opening == "{") != isinstance(step, str):
        return None
    position = _after_blanks(text, start + 1)
    while text[position] not in "}]":
        name: str | int = count
        if opening == "{":
            name, position = scanstring(text, position + 1, True)
            position = _after_blanks(text, _after_blanks(text, position) + 1)
        if name == step:
            value_position = position
        position = _after_blanks(text, skip(text, position)[1])
        count += 1
        if text[position] == ",":
            position = _after_blanks(text, position + 1)
    return value_position


def _after_blanks(text: str, position: int) -> int:
    match = _BLANK.match(text, position)
    return match.end() if match else position
