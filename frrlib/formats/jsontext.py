"""JSON text that a stranger wrote: read within limits, and every complaint with its line.

Reading it executes nothing and takes bounded time and memory: the file's size, its depth and the size of its numbers
are limited, and whatever breaks a limit is refused as a whole.
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
#: Digits of a whole number, its sign included.
LONGEST_NUMBER = 300

_BLANK = re.compile(r"[ \t\r\n]*")
#: Where something stands in a JSON value: keys and positions from the top.
Path_ = tuple[str | int, ...]


class InvalidFile(Exception):
    """The text cannot be taken. `why` is a clause about what stands at `path`, or at `line` where that is known."""

    def __init__(self, why: str, path: Path_ = (), line: int = 0) -> None:
        super().__init__(why)
        self.why, self.path, self.line = why, path, line


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The content of an ordinary file.

    Raises:
        TopologyError: it is not there, may not be read, is no ordinary file, or is larger than 64 MiB.
    """
    name = Path(path).name or str(path)
    try:
        # a FIFO without a writer would wait for ever
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            mode = os.fstat(descriptor).st_mode
            if not stat.S_ISREG(mode):
                what = "a folder" if stat.S_ISDIR(mode) else "not an ordinary file"
                raise TopologyError(f"is {what}", node=name, right="the name of a .mn file")
            data = file.read(LARGEST_FILE_BYTES + 1)
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or str(problem)
        raise TopologyError(f"cannot be read: {why}", node=name) from None
    if len(data) > LARGEST_FILE_BYTES:
        raise TopologyError(f"is larger than {LARGEST_FILE_BYTES // 2**20} MiB, the limit for a topology", node=name)
    return data


def decoded(data: bytes) -> str:
    """The text of a file in UTF-8, or UTF-16 or UTF-32 with a mark of its byte order; the mark is left out.

    Raises:
        Refused: the bytes are no such text, or there are none.
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


def parsed(text: str) -> tuple[Any, list[str]]:
    """The value of a JSON text, and the keys that stand twice in one object (the last one counts).

    Raises:
        Refused: it is no JSON, has numbers that are none, or is nested too deeply.
    """
    twice: dict[str, None] = {}

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            seen: set[str] = set()
            twice.update((key, None) for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        return made

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
    return value, list(twice)


def _no_json(text: str, problem: json.JSONDecodeError) -> str:
    """Why a text is no JSON: of something else altogether how it begins, else what the reader of JSON says."""
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
    shown = word if len(word) <= 20 else f"{word[:17]}..."
    found = re.search(rf'(?<![\w".]){re.escape(word)}(?![\w"])', text)
    raise InvalidFile(f"has {shown}, which is not a number", line=_line(text, found.start()) if found else 0)


def _depth_exceeds(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit + 1):
        inner: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                inner.extend(each.values())
            elif isinstance(each, list):
                inner.extend(each)
        if not inner:
            return False
        level = inner
    return True


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def line_of(text: str, path: Path_) -> int:
    """The line, from 1, on which the value at `path` begins; the innermost one found where the path leads nowhere."""
    skip = json.JSONDecoder().raw_decode
    text = text.removeprefix("\ufeff")
    here = _after_blanks(text, 0)
    try:
        for step in path:
            found = _member(text, here, step, skip)
            if found is None:
                break
            here = found
    except (ValueError, IndexError, RecursionError):
        pass
    return _line(text, here)


def _member(text: str, start: int, step: str | int, skip: Any) -> int | None:
    """Where the value of a key or position begins in the object or list at `start`; of equal keys the last one's."""
    opening, found, count = text[start], None, 0
    if opening not in "{[" or (opening == "{") != isinstance(step, str):
        return None
    here = _after_blanks(text, start + 1)
    while text[here] not in "}]":
        name: str | int = count
        if opening == "{":
            name, here = scanstring(text, here + 1, True)
            here = _after_blanks(text, _after_blanks(text, here) + 1)
        if name == step:
            found = here
        here = _after_blanks(text, skip(text, here)[1])
        count += 1
        if text[here] == ",":
            here = _after_blanks(text, here + 1)
    return found


def _after_blanks(text: str, position: int) -> int:
    match = _BLANK.match(text, position)
    return match.end() if match else position
