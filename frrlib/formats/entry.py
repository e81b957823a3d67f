"""One JSON object of a file, parsed key by key; unknown keys and invalid values are kept unchanged."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

from frrlib.formats.jsontext import LONGEST_NUMBER, InvalidFile, Path_
from frrlib.model.base import SHORT
from frrlib.model.problem import About, Problem, note, warning

T = TypeVar("T")
D = TypeVar("D")
#: Further warnings are only counted: a hostile file must not fill the screen.
_MOST_WARNINGS = 500


class Unreadable(Exception):
    """The value of a key is invalid; the text is a clause ("is not a number")."""


def path_text(path: Path_) -> str:
    """A path as text for people: `hosts[3].opts.ip`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


class Notices:
    """The warnings and unknown keys of a file that is accepted."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.unknown: dict[str, None] = {}
        self._dropped = 0

    def warn(self, kind: str, node: str, field: str, reason: str, remedy: str = "", *, about: About = "") -> None:
        """Add a warning."""
        self.add(warning(kind, node, field, reason, remedy, about=about))

    def add(self, problem: Problem) -> None:
        """Add a problem of any severity."""
        if len(self.problems) < _MOST_WARNINGS:
            self.problems.append(problem)
        else:
            self._dropped += 1

    def all(self) -> tuple[Problem, ...]:
        """All problems, and a note on unknown keys."""
        problems = list(self.problems)
        if self._dropped:
            problems.append(warning("many-warnings", "", "", f"there are {self._dropped} more warnings like these"))
        if self.unknown:
            names = list(self.unknown)
            ending = f" and {len(names) - 12} more" if len(names) > 12 else ""
            reason = f"has keys that mean nothing here and are kept: {', '.join(names[:12])}{ending}"
            problems.append(note("unknown-keys", "", "", reason))
        return tuple(problems)


class FileObject:
    """An object of the file.

    Args:
        value: the object; other values are rejected.
        path: its path in the file.
        notices: receives warnings.

    Attributes:
        owner, about: name of the node or ID of the link that it describes, and which of them; empty if it is neither.
    """

    def __init__(self, value: Any, path: Path_, notices: Notices) -> None:
        if not isinstance(value, dict):
            raise InvalidFile(f"is {kind_of(value)}, not an object", path)
        self.rest: dict[str, Any] = dict(value)
        self.path, self.notices, self.owner = path, notices, ""
        self.about: About = ""
        self._refused: set[str] = set()

    def take(self, key: str, convert: Callable[[Any], T], default: D) -> T | D:
        """Remove a key and return its converted value; the default if it is missing or invalid."""
        if key not in self.rest:
            return default
        try:
            value = convert(self.rest[key])
        except Unreadable as problem:
            self.leave(key, str(problem), "it is kept and not used")
            return default
        del self.rest[key]
        return value

    def leave(self, key: str, reason: str, remedy: str = "") -> None:
        """Warn about a key, which is kept unchanged."""
        self._refused.add(key)
        field = key if self.owner else path_text((*self.path, key))
        self.notices.warn("unreadable", self.owner, field, reason, remedy, about=self.about)

    def keep(self, key: str) -> None:
        """Keep a key unchanged, without counting it among the unknown ones."""
        self._refused.add(key)

    def inner(self, key: str) -> FileObject:
        """Remove a key and return its object; an empty one if the key is missing."""
        return FileObject(self.rest.pop(key, {}), (*self.path, key), self.notices)

    def items(self, key: str) -> list[Any]:
        """Remove a key and return its list; an empty one if the key is missing."""
        value = self.rest.pop(key, [])
        if not isinstance(value, list):
            raise InvalidFile(f"is {kind_of(value)}, not a list", (*self.path, key))
        return value

    def leftover(self, **inner: FileObject) -> dict[str, Any]:
        """The remaining entries, including those of inner objects under their keys."""
        self.notices.unknown.update((key, None) for key in self.rest if key not in self._refused)
        inner_rest = {key: remaining for key, entry in inner.items() if (remaining := entry.leftover())}
        return {**self.rest, **inner_rest}


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
    """A conversion to text with a maximum length."""

    def convert(value: Any) -> str:
        words = text(value)
        if len(words) > most:
            raise Unreadable(f"has {len(words)} characters, more than the limit of {most}")
        return words

    return convert


def number(value: Any) -> float:
    """A finite number, or its text."""
    try:
        result = float(text(value).strip())
    except (ValueError, OverflowError):
        raise Unreadable(f"{brief(value)} is not a number") from None
    if not math.isfinite(result):
        raise Unreadable(f"{brief(value)} is not a number")
    return result


def integer(value: Any) -> int:
    """A whole number, or its text."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lstrip("+-").isdecimal() and len(value) <= LONGEST_NUMBER:
        return int(value)
    result = number(value)
    if result != int(result) or len(str(int(result))) > LONGEST_NUMBER:  # a longer number could not be read again
        raise Unreadable(f"{brief(value)} is not a whole number")
    return int(result)


def flag(value: Any) -> bool:
    """MiniEdit's "0" and "1"; also numbers, true and false. Empty is no."""
    if isinstance(value, bool):
        return value
    word = text(value).strip().lower()
    if word not in ("", "0", "1", "true", "false"):
        raise Unreadable(f"{brief(value)} is neither 0 nor 1")
    return word in ("1", "true")


def one_of(*words: str, empty: str = "") -> Callable[[Any], str]:
    """A conversion to one of some words; empty text stands for `empty` if that is set."""

    def convert(value: Any) -> str:
        word = text(value)
        if not word and empty:
            return empty
        if word not in words:
            raise Unreadable(f"{brief(value)} is not one of {', '.join(words)}")
        return word

    return convert


def list_of(convert: Callable[[Any], T]) -> Callable[[Any], tuple[T, ...]]:
    """A conversion of a list, item by item."""

    def convert_all(value: Any) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise Unreadable(f"is {kind_of(value)}, not a list")
        return tuple(convert(item) for item in value)

    return convert_all


def brief(value: Any) -> str:
    """A value for a message, shortened."""
    shown_value = repr(value)
    return shown_value if len(shown_value) <= 40 else f"{shown_value[:37]}..."
