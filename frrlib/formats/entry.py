"""One object of a file, taken apart key by key; what is not understood stays, and is kept as it is."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

from frrlib.formats.jsontext import LONGEST_NUMBER, InvalidFile, Path_
from frrlib.model.base import SHORT
from frrlib.model.problem import Problem, note, warning

T = TypeVar("T")
D = TypeVar("D")
#: Warnings beyond this number are counted only: a hostile file must not fill the screen.
_MOST_WARNINGS = 500


class Unreadable(Exception):
    """A value is not what its key stands for; the text is a clause ("is not a number")."""


def path_text(path: Path_) -> str:
    """A path as people write it: `hosts[3].opts.ip`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


class Notices:
    """A reader's remark about a file that it accepts."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.unknown: dict[str, None] = {}
        self._dropped = 0

    def warn(self, kind: str, node: str, field: str, why: str, right: str = "") -> None:
        """Add a warning."""
        if len(self.problems) < _MOST_WARNINGS:
            self.problems.append(warning(kind, node, field, why, right))
        else:
            self._dropped += 1

    def all(self) -> tuple[Problem, ...]:
        """Every problem, and a note on the keys that nobody here knows."""
        found = list(self.problems)
        if self._dropped:
            found.append(warning("many-warnings", "", "", f"there are {self._dropped} more warnings like these"))
        if self.unknown:
            names = list(self.unknown)
            rest = f" and {len(names) - 12} more" if len(names) > 12 else ""
            why = f"has keys that mean nothing here and are kept: {', '.join(names[:12])}{rest}"
            found.append(note("unknown-keys", "", "", why))
        return tuple(found)


class FileObject:
    """An object of the file.

    Args:
        value: the object; anything else is refused.
        path: where it stands.
        notices: where to tell what is odd.
    """

    def __init__(self, value: Any, path: Path_, notices: Notices) -> None:
        if not isinstance(value, dict):
            raise InvalidFile(f"is {kind_of(value)}, not an object", path)
        self.rest: dict[str, Any] = dict(value)
        self.path, self.notices, self.owner = path, notices, ""
        self._refused: set[str] = set()

    def take(self, key: str, convert: Callable[[Any], T], default: D) -> T | D:
        """The key's value, converted, and out of what is left; the default where it is missing or cannot be read."""
        if key not in self.rest:
            return default
        try:
            value = convert(self.rest[key])
        except Unreadable as problem:
            self.leave(key, str(problem), "it is kept and not used")
            return default
        del self.rest[key]
        return value

    def leave(self, key: str, why: str, right: str = "") -> None:
        """Warn about a key, which is then kept as it is."""
        self._refused.add(key)
        field = key if self.owner else path_text((*self.path, key))
        self.notices.warn("unreadable", self.owner, field, why, right)

    def inner(self, key: str) -> FileObject:
        """The object under a key, taken out of the rest; empty if there is none."""
        return FileObject(self.rest.pop(key, {}), (*self.path, key), self.notices)

    def items(self, key: str) -> list[Any]:
        """The list under a key, taken out of the rest; empty if there is none."""
        value = self.rest.pop(key, [])
        if not isinstance(value, list):
            raise InvalidFile(f"is {kind_of(value)}, not a list", (*self.path, key))
        return value

    def leftover(self, **inner: FileObject) -> dict[str, Any]:
        """The entries not taken, those of inner objects under their keys."""
        self.notices.unknown.update((key, None) for key in self.rest if key not in self._refused)
        left = {key: rest for key, entry in inner.items() if (rest := entry.leftover())}
        return {**self.rest, **left}


# --- conversions ------------------------------------------------------------------------------------------------------


def kind_of(value: Any) -> str:
    """JSON's name for a value's type."""
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def text(value: Any) -> str:
    """Text, or a number as text; null is empty."""
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise Unreadable(f"is {kind_of(value)}, not text")
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise Unreadable("contains an incomplete character")
    return value


def short(most: int = SHORT) -> Callable[[Any], str]:
    """Text of at most so many characters."""

    def convert(value: Any) -> str:
        words = text(value)
        if len(words) > most:
            raise Unreadable(f"has {len(words)} characters, more than the limit of {most}")
        return words

    return convert


def number(value: Any) -> float:
    """A finite number, or text that is one."""
    try:
        found = float(text(value).strip())
    except (ValueError, OverflowError):
        raise Unreadable(f"{brief(value)} is not a number") from None
    if not math.isfinite(found):
        raise Unreadable(f"{brief(value)} is not a number")
    return found


def integer(value: Any) -> int:
    """A whole number, or text that is one."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lstrip("+-").isdecimal() and len(value) <= LONGEST_NUMBER:
        return int(value)
    found = number(value)
    if found != int(found) or len(str(int(found))) > LONGEST_NUMBER:  # such a file could not be read again
        raise Unreadable(f"{brief(value)} is not a whole number")
    return int(found)


def flag(value: Any) -> bool:
    """MiniEdit's "0" and "1"; also numbers, true and false. Empty is no."""
    if isinstance(value, bool):
        return value
    word = text(value).strip().lower()
    if word not in ("", "0", "1", "true", "false"):
        raise Unreadable(f"{brief(value)} is neither 0 nor 1")
    return word in ("1", "true")


def one_of(*words: str, empty: str = "") -> Callable[[Any], str]:
    """One of some words; empty text stands for `empty` where that is given."""

    def convert(value: Any) -> str:
        word = text(value)
        if not word and empty:
            return empty
        if word not in words:
            raise Unreadable(f"{brief(value)} is not one of {', '.join(words)}")
        return word

    return convert


def list_of(convert: Callable[[Any], T]) -> Callable[[Any], tuple[T, ...]]:
    """A list whose items are converted."""

    def convert_all(value: Any) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise Unreadable(f"is {kind_of(value)}, not a list")
        return tuple(convert(each) for each in value)

    return convert_all


def brief(value: Any) -> str:
    """A value for a message, shortened."""
    shown_value = repr(value)
    return shown_value if len(shown_value) <= 40 else f"{shown_value[:37]}..."
