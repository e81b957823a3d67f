"""Describes the differences between a value and an expected value, which may be a subset and may contain markers.

The expected value is written like the value itself, without the parts that do not matter:

- a dictionary: these keys with their expected values; the value may have more keys;
- a list: a separate element for each expected one, in any order; the value may have more elements;
- a string, number, bool or None: the same value of the same type (True is not 1, "1" is not 1);
- `ANY`: any value; `ABSENT`: the key must be absent;
- `ordered(a, b)`: a list of exactly these elements in this order; `exact(x)`: x without further keys or elements;
- a compiled regular expression: a string with a match; a class: an instance of it;
- a function: a value for which it returns true;
- `text("...")`: the same text except for white space. A string that is expected as a whole answer is compared like
  this, too.

FRR's own tests compare JSON by the same rules. In their notation None means "absent", "*" means "any" and a first
element "__ordered__" marks an ordered list; `from_topotest` converts it.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

Path = tuple[str | int, ...]

#: Maximum length of a value in a message, in characters.
SHOWN = 200
#: Maximum number of existing keys that a message names if a key is missing.
SHOWN_KEYS = 4
#: Maximum number of lines that a message shows of two different texts.
SHOWN_LINES = 40
_ORDERED = "__ordered__"
_PLAIN_KEY = re.compile(r"[A-Za-z_][\w-]*")


class _Mark(Enum):
    ANY = "anything"
    ABSENT = "nothing"

    def __repr__(self) -> str:
        return self.name


#: Expected value: any.
ANY = _Mark.ANY
#: Expected value: the key is absent. As a whole expected value: None.
ABSENT = _Mark.ABSENT


@dataclass(frozen=True)
class OrderedElements:
    """A list of exactly these elements in this order; see `ordered`."""

    elements: tuple[Any, ...]

    def __repr__(self) -> str:
        return f"ordered({', '.join(map(repr, self.elements))})"


@dataclass(frozen=True)
class Exact:
    """A value without further keys or elements; see `exact`."""

    value: Any

    def __repr__(self) -> str:
        return f"exact({self.value!r})"


@dataclass(frozen=True)
class Text:
    """A text that is compared without white space; see `text`."""

    value: str

    def __repr__(self) -> str:
        return f"text({self.value!r})"


def ordered(*elements: Any) -> OrderedElements:
    """Expected of a list: exactly these elements, in this order."""
    return OrderedElements(elements)


def exact(value: Any) -> Exact:
    """Expected of a value: no further keys or elements, lists in this order, at all depths. Markers are allowed."""
    return Exact(value)


def text(value: str) -> Text:
    """Expected of a string: the same words in the same lines; indentation, further blanks, empty lines do not count."""
    return Text(value)


@dataclass(frozen=True)
class Difference:
    """One difference between a value and the expected value.

    Attributes:
        path: the keys and positions that lead to it, from the outermost; empty for the whole value.
        reason: a description, as a clause.
        expected: the expected value at this path.
        actual: the value at this path; `ABSENT` for none.
        nearest: for an expected element that a list lacks: the differences of the most similar unmatched element.
    """

    path: Path
    reason: str
    expected: Any
    actual: Any
    nearest: tuple[Difference, ...] = ()

    def __str__(self) -> str:
        summary = f"{path_text(self.path)}: {self.reason}"
        if not self.nearest:
            return summary
        inner = "\n".join(str(difference) for difference in self.nearest)
        return f"{summary}; the most similar one differs:\n" + "\n".join(f"    {line}" for line in inner.splitlines())


def path_text(path: Path) -> str:
    """A path as text: `peers["10.9.0.2"].state`, "the answer" for the whole value."""
    written_path = ""
    for part in path:
        if isinstance(part, int):
            written_path += f"[{part}]"
        elif _PLAIN_KEY.fullmatch(part):
            written_path += f".{part}" if written_path else part
        else:
            written_path += f'["{part}"]'
    return written_path or "the answer"


def differences(actual: Any, expected: Any) -> list[Difference]:
    """The differences between a value and an expected value; empty if it is as expected.

    Args:
        actual: a value of JSON types, or text.
        expected: the expected value, see the head of this module. A string as a whole is compared like `text`.
    """
    if isinstance(expected, str) and isinstance(actual, str):
        expected = Text(expected)
    if expected is ABSENT:
        return [] if actual is None else [Difference((), "must be absent", expected, actual)]
    return _compare(actual, expected, (), False)


def from_topotest(value: Any) -> Any:
    """The expected value, from the notation of FRR's own tests: None, "*" and a first element "__ordered__"."""
    if isinstance(value, Mapping):
        return {key: ABSENT if inner is None else from_topotest(inner) for key, inner in value.items()}
    if isinstance(value, list):
        inner = [from_topotest(element) for element in value if element != _ORDERED]
        return OrderedElements(tuple(inner)) if value[:1] == [_ORDERED] else inner
    return ANY if value == "*" else value


# --- comparison -----------------------------------------------------------------------------------------------------


def _compare(actual: Any, expected: Any, path: Path, strict: bool) -> list[Difference]:
    """The differences; `strict` allows no further keys or elements."""
    if expected is ANY:
        return []
    if isinstance(expected, Exact):
        return _compare(actual, expected.value, path, True)
    if isinstance(expected, Mapping):
        return _compare_mapping(actual, expected, path, strict)
    if isinstance(expected, OrderedElements):
        return _compare_in_order(actual, expected.elements, expected, path, strict)
    if isinstance(expected, list | tuple):
        if strict:
            return _compare_in_order(actual, expected, expected, path, strict)
        return _compare_in_any_order(actual, expected, path)
    reason = _objection(actual, expected)
    return [Difference(path, reason, expected, actual)] if reason else []


def _compare_mapping(actual: Any, expected: Mapping[str, Any], path: Path, strict: bool) -> list[Difference]:
    if not isinstance(actual, Mapping):
        return [Difference(path, f"expected an object, found {_shown(actual)}", expected, actual)]
    result: list[Difference] = []
    for key, inner in expected.items():
        key_path = (*path, key)
        if inner is ABSENT:
            if key in actual:
                reason = f"must be absent, found {_shown(actual[key])}"
                result.append(Difference(key_path, reason, inner, actual[key]))
        elif key not in actual:
            reason = f"is missing, expected {_shown(inner)}{_instead_of(key, actual)}"
            result.append(Difference(key_path, reason, inner, ABSENT))
        else:
            result += _compare(actual[key], inner, key_path, strict)
    if strict:
        for key in actual.keys() - expected.keys():
            reason = f"must be absent, found {_shown(actual[key])}"
            result.append(Difference((*path, key), reason, ABSENT, actual[key]))
    return result


def _instead_of(key: Any, actual: Mapping[Any, Any]) -> str:
    """A clause with the existing keys, for a missing one: all if they are few, else those with similar names."""
    names = [str(existing) for existing in actual]
    if len(names) > SHOWN_KEYS:
        names = difflib.get_close_matches(str(key), names, SHOWN_KEYS)
        return f"; similar keys are {', '.join(names)}" if names else ""
    return f"; the keys are {', '.join(names)}" if names else "; the object is empty"


def _compare_in_order(
    actual: Any, elements: Sequence[Any], expected: Any, path: Path, strict: bool
) -> list[Difference]:
    if not isinstance(actual, list | tuple):
        return [Difference(path, f"expected a list, found {_shown(actual)}", expected, actual)]
    result: list[Difference] = []
    for index, (element, inner) in enumerate(zip(actual, elements, strict=False)):
        result += _compare(element, inner, (*path, index), strict)
    for index in range(len(actual), len(elements)):
        reason = f"is missing, expected {_shown(elements[index])}"
        result.append(Difference((*path, index), reason, elements[index], ABSENT))
    for index in range(len(elements), len(actual)):
        reason = f"must be absent, found {_shown(actual[index])}"
        result.append(Difference((*path, index), reason, ABSENT, actual[index]))
    return result


def _compare_in_any_order(actual: Any, expected: Sequence[Any], path: Path) -> list[Difference]:
    """Match the two lists: every expected element needs a separate element, so single searches would not do."""
    if not isinstance(actual, list | tuple):
        return [Difference(path, f"expected a list, found {_shown(actual)}", expected, actual)]
    table = [
        [_compare(element, inner, (*path, index), False) for index, element in enumerate(actual)] for inner in expected
    ]
    partner = _matching([[not differing for differing in row] for row in table], len(actual))
    unmatched = [index for index in range(len(actual)) if index not in partner.values()]
    result = []
    for number, inner in enumerate(expected):
        if number in partner:
            continue
        nearest = min((table[number][index] for index in unmatched), key=_dissimilarity(inner, path), default=[])
        reason = f"has no element {_shown(inner)}"
        if not nearest:
            reason += f" among the unmatched of {len(actual)}" if actual else ", the list is empty"
        result.append(Difference(path, reason, inner, actual, tuple(nearest)))
    return result


def _matching(fits: list[list[bool]], count: int) -> dict[int, int]:
    """A maximum matching of rows and columns that fit, by augmenting paths: row to column."""
    row_of: dict[int, int] = {}

    def place(row: int, tried: set[int]) -> bool:
        for column in range(count):
            if fits[row][column] and column not in tried:
                tried.add(column)
                if column not in row_of or place(row_of[column], tried):
                    row_of[column] = row
                    return True
        return False

    for row in range(len(fits)):
        place(row, set())
    return {row: column for column, row in row_of.items()}


def _dissimilarity(expected: Any, path: Path) -> Callable[[Sequence[Difference]], tuple[int, int]]:
    """A measure of the dissimilarity of a list element at `path`: the number of differences, then the first key's rank.

    The first keys of an expected element usually identify it: of two routes with one difference each, the one with the
    right prefix is nearer.
    """
    keys = list(expected) if isinstance(expected, Mapping) else []

    def measure(differing: Sequence[Difference]) -> tuple[int, int]:
        inside = differing[0].path[len(path) + 1 :] if differing else ()
        return _distance(differing), -keys.index(inside[0]) if inside and inside[0] in keys else 0

    return measure


def _distance(differing: Sequence[Difference]) -> int:
    """The number of differences, including those of nested lists."""
    return sum(1 + _distance(difference.nearest) for difference in differing)


# --- leaves ---------------------------------------------------------------------------------------------------------


def _objection(actual: Any, expected: Any) -> str:
    """The reason why a value is not the expected leaf; empty if it is."""
    if isinstance(expected, Text):
        return _text_objection(actual, expected.value)
    if isinstance(expected, re.Pattern):
        if isinstance(actual, str) and expected.search(actual):
            return ""
        return f"expected a match of {expected.pattern!r}, found {_shown(actual)}"
    if isinstance(expected, type):
        if isinstance(actual, expected) and (expected is bool or not isinstance(actual, bool)):
            return ""
        return f"expected {expected.__name__}, found {_shown(actual)}"
    if callable(expected):
        return _predicate_objection(actual, expected)
    same = (_is_number(actual) and _is_number(expected)) or type(actual) is type(expected)
    if same and (actual == expected or _both_nan(actual, expected)):
        return ""
    return f"expected {_shown(expected)}, found {_shown(actual)}"


def _predicate_objection(actual: Any, predicate: Callable[[Any], Any]) -> str:
    name = getattr(predicate, "__name__", repr(predicate))
    name = "a function" if name == "<lambda>" else name
    try:
        fits = predicate(actual)
    except Exception as error:
        return f"{name} failed for {_shown(actual)}: {type(error).__name__}: {error}"
    return "" if fits else f"{name} returned false for {_shown(actual)}"


def _text_objection(actual: Any, expected: str) -> str:
    if not isinstance(actual, str):
        return f"expected text, found {_shown(actual)}"
    actual_lines, expected_lines = _plain_lines(actual), _plain_lines(expected)
    if actual_lines == expected_lines:
        return ""
    lines = list(difflib.unified_diff(expected_lines, actual_lines, "expected", "found", lineterm="", n=1))
    omitted = [f"... and {len(lines) - SHOWN_LINES} more lines"] if len(lines) > SHOWN_LINES else []
    return "the texts differ:\n" + "\n".join(f"    {line}" for line in [*lines[:SHOWN_LINES], *omitted])


def _plain_lines(value: str) -> list[str]:
    return [" ".join(line.split()) for line in value.splitlines() if line.strip()]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _both_nan(actual: Any, expected: Any) -> bool:
    return isinstance(actual, float) and isinstance(expected, float) and math.isnan(actual) and math.isnan(expected)


def _shown(value: Any) -> str:
    shortened = repr(value)
    return shortened if len(shortened) <= SHOWN else f"{shortened[:SHOWN]}..."
