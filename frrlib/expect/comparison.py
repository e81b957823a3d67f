"""Says how a value differs from what was wanted of it: subsets of dictionaries and lists, with markers for the rest.

What is wanted is written like the value itself and says no more than matters:

- a dictionary: these keys, each as wanted; the value may have others;
- a list: an element of its own for each that is wanted, in any order; the value may have others;
- a string, number, bool or None: the same, and of the same kind (True is not 1, "1" is not 1);
- `ANY`: whatever it is; `ABSENT`: this key must not be there;
- `ordered(a, b)`: a list of these elements, in this order and no others; `exact(x)`: x and nothing beside it;
- a compiled regular expression: found somewhere in the string; a class: an instance of it;
- a function: gives true for the value;
- `text("...")`: the same text but for white space. A string wanted of a whole answer is taken so, too.

These are the rules by which FRR's own tests compare JSON, where None stands for "absent", "*" for "any" and a first
element "__ordered__" for an ordered list; `from_topotest` reads those.
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

#: How much of a value a message shows, in characters.
SHOWN = 200
#: How many keys a message names where one is missing.
SHOWN_KEYS = 4
#: How many lines of two texts that differ a message shows.
SHOWN_LINES = 40
_ORDERED = "__ordered__"
_PLAIN_KEY = re.compile(r"[A-Za-z_][\w-]*")


class _Mark(Enum):
    ANY = "anything"
    ABSENT = "nothing"

    def __repr__(self) -> str:
        return self.name


#: Wanted of a value: that it is there, whatever it is.
ANY = _Mark.ANY
#: Wanted of a key: that it is not there. Of a whole value: None.
ABSENT = _Mark.ABSENT


@dataclass(frozen=True)
class Ordered:
    """A list of these elements, in this order and no others; see `ordered`."""

    elements: tuple[Any, ...]

    def __repr__(self) -> str:
        return f"ordered({', '.join(map(repr, self.elements))})"


@dataclass(frozen=True)
class Exact:
    """A value and nothing beside it; see `exact`."""

    value: Any

    def __repr__(self) -> str:
        return f"exact({self.value!r})"


@dataclass(frozen=True)
class Text:
    """A text in which white space does not count; see `text`."""

    value: str

    def __repr__(self) -> str:
        return f"text({self.value!r})"


def ordered(*elements: Any) -> Ordered:
    """Wanted of a list: these elements, each as wanted, in this order and no others."""
    return Ordered(elements)


def exact(value: Any) -> Exact:
    """Wanted of a value: no other keys or elements, lists in this order, all the way down. Markers in it count."""
    return Exact(value)


def text(value: str) -> Text:
    """Wanted of a string: the same words in the same lines; indentation, further blanks, empty lines do not count."""
    return Text(value)


@dataclass(frozen=True)
class Difference:
    """One place where a value is not as wanted.

    Attributes:
        path: the keys and positions that lead there, from the outermost; empty for the whole value.
        why: what is wrong there, as a clause.
        wanted: what was wanted there.
        found: what is there; `ABSENT` where nothing is.
        nearest: for a wanted element that a list does not have: how the most similar one that is left differs.
    """

    path: Path
    why: str
    wanted: Any
    found: Any
    nearest: tuple[Difference, ...] = ()

    def __str__(self) -> str:
        own = f"{path_text(self.path)}: {self.why}"
        if not self.nearest:
            return own
        inner = "\n".join(str(each) for each in self.nearest)
        return f"{own}; the most similar one differs:\n" + "\n".join(f"    {line}" for line in inner.splitlines())


def path_text(path: Path) -> str:
    """A path as one would write it: `peers["10.9.0.2"].state`, "the answer" for the whole."""
    written = ""
    for part in path:
        if isinstance(part, int):
            written += f"[{part}]"
        elif _PLAIN_KEY.fullmatch(part):
            written += f".{part}" if written else part
        else:
            written += f'["{part}"]'
    return written or "the answer"


def differences(found: Any, wanted: Any) -> list[Difference]:
    """The places where a value is not as wanted; empty if it is.

    Args:
        found: a value as JSON has them, or text.
        wanted: see the head of this module. A string as the whole of it is compared as `text` is.
    """
    if isinstance(wanted, str) and isinstance(found, str):
        wanted = Text(wanted)
    if wanted is ABSENT:
        return [] if found is None else [_differs((), "is there, and should not be", wanted, found)]
    return _compare(found, wanted, (), False)


def from_topotest(value: Any) -> Any:
    """The expected value, from the notation of FRR's own tests: None, "*" and a first element "__ordered__"."""
    if isinstance(value, Mapping):
        return {key: ABSENT if inner is None else from_topotest(inner) for key, inner in value.items()}
    if isinstance(value, list):
        inner = [from_topotest(each) for each in value if each != _ORDERED]
        return Ordered(tuple(inner)) if value[:1] == [_ORDERED] else inner
    return ANY if value == "*" else value


# --- comparing ------------------------------------------------------------------------------------------------------


def _compare(found: Any, wanted: Any, path: Path, strict: bool) -> list[Difference]:
    """The differences; `strict` where nothing may be beside what is wanted."""
    if wanted is ANY:
        return []
    if isinstance(wanted, Exact):
        return _compare(found, wanted.value, path, True)
    if isinstance(wanted, Mapping):
        return _compare_mapping(found, wanted, path, strict)
    if isinstance(wanted, Ordered):
        return _compare_in_order(found, wanted.elements, wanted, path, strict)
    if isinstance(wanted, list | tuple):
        if strict:
            return _compare_in_order(found, wanted, wanted, path, strict)
        return _compare_in_any_order(found, wanted, path)
    why = _objection(found, wanted)
    return [_differs(path, why, wanted, found)] if why else []


def _compare_mapping(found: Any, wanted: Mapping[str, Any], path: Path, strict: bool) -> list[Difference]:
    if not isinstance(found, Mapping):
        return [_differs(path, f"wanted an object, found {_shown(found)}", wanted, found)]
    said: list[Difference] = []
    for key, inner in wanted.items():
        here = (*path, key)
        if inner is ABSENT:
            if key in found:
                why = f"should not be there, found {_shown(found[key])}"
                said.append(_differs(here, why, inner, found[key]))
        elif key not in found:
            why = f"is missing, wanted {_shown(inner)}{_instead_of(key, found)}"
            said.append(_differs(here, why, inner, ABSENT))
        else:
            said += _compare(found[key], inner, here, strict)
    if strict:
        for key in found.keys() - wanted.keys():
            why = f"should not be there, found {_shown(found[key])}"
            said.append(_differs((*path, key), why, ABSENT, found[key]))
    return said


def _instead_of(key: Any, found: Mapping[Any, Any]) -> str:
    """A clause on which keys there are, where one is missing: all if they are few, else those that look like it."""
    names = [str(each) for each in found]
    if len(names) > SHOWN_KEYS:
        names = difflib.get_close_matches(str(key), names, SHOWN_KEYS)
        return f"; alike are {', '.join(names)}" if names else ""
    return f"; there is {', '.join(names)}" if names else "; there is nothing"


def _compare_in_order(found: Any, elements: Sequence[Any], wanted: Any, path: Path, strict: bool) -> list[Difference]:
    if not isinstance(found, list | tuple):
        return [_differs(path, f"wanted a list, found {_shown(found)}", wanted, found)]
    said: list[Difference] = []
    for index, (there, inner) in enumerate(zip(found, elements, strict=False)):
        said += _compare(there, inner, (*path, index), strict)
    for index in range(len(found), len(elements)):
        why = f"is missing, wanted {_shown(elements[index])}"
        said.append(_differs((*path, index), why, elements[index], ABSENT))
    for index in range(len(elements), len(found)):
        why = f"should not be there, found {_shown(found[index])}"
        said.append(_differs((*path, index), why, ABSENT, found[index]))
    return said


def _compare_in_any_order(found: Any, wanted: Sequence[Any], path: Path) -> list[Difference]:
    """Every wanted element needs one of its own, so this is a matching of the two lists, not a search for each."""
    if not isinstance(found, list | tuple):
        return [_differs(path, f"wanted a list, found {_shown(found)}", wanted, found)]
    table = [[_compare(there, inner, (*path, index), False) for index, there in enumerate(found)] for inner in wanted]
    partner = _matching([[not each for each in row] for row in table], len(found))
    left = [index for index in range(len(found)) if index not in partner.values()]
    said = []
    for number, inner in enumerate(wanted):
        if number in partner:
            continue
        near = min((table[number][index] for index in left), key=_dissimilarity(inner, path), default=[])
        why = f"has no element {_shown(inner)}"
        if not near:
            why += f" that is left among {len(found)}" if found else ", it is empty"
        said.append(Difference(path, why, inner, found, tuple(near)))
    return said


def _matching(fits: list[list[bool]], count: int) -> dict[int, int]:
    """As many pairs (row, column) as possible, no row and no column twice, of those that fit: by augmenting paths."""
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


def _dissimilarity(wanted: Any, path: Path) -> Callable[[Sequence[Difference]], tuple[int, int]]:
    """How dissimilar an element of the list at `path` is: in how many places, then from how early a key on.

    People write first what an element is known by: of two routes with one difference, that with the prefix is meant.
    """
    keys = list(wanted) if isinstance(wanted, Mapping) else []

    def measure(said: Sequence[Difference]) -> tuple[int, int]:
        inside = said[0].path[len(path) + 1 :] if said else ()
        return _distance(said), -keys.index(inside[0]) if inside and inside[0] in keys else 0

    return measure


def _distance(said: Sequence[Difference]) -> int:
    """How dissimilar a value is from what was wanted: in how many places, those of nested lists included."""
    return sum(1 + _distance(each.nearest) for each in said)


# --- leaves ---------------------------------------------------------------------------------------------------------


def _objection(found: Any, wanted: Any) -> str:
    """Why a value is not the wanted leaf; empty if it is."""
    if isinstance(wanted, Text):
        return _text_objection(found, wanted.value)
    if isinstance(wanted, re.Pattern):
        if isinstance(found, str) and wanted.search(found):
            return ""
        return f"wanted a match of {wanted.pattern!r}, found {_shown(found)}"
    if isinstance(wanted, type):
        if isinstance(found, wanted) and (wanted is bool or not isinstance(found, bool)):
            return ""
        return f"wanted {wanted.__name__}, found {_shown(found)}"
    if callable(wanted):
        return _predicate_objection(found, wanted)
    same = (_is_number(found) and _is_number(wanted)) or type(found) is type(wanted)
    if same and (found == wanted or _both_nan(found, wanted)):
        return ""
    return f"wanted {_shown(wanted)}, found {_shown(found)}"


def _predicate_objection(found: Any, wanted: Callable[[Any], Any]) -> str:
    name = getattr(wanted, "__name__", repr(wanted))
    name = "a function" if name == "<lambda>" else name
    try:
        fits = wanted(found)
    except Exception as error:
        return f"{name} cannot take {_shown(found)}: {type(error).__name__}: {error}"
    return "" if fits else f"{name} says no to {_shown(found)}"


def _text_objection(found: Any, wanted: str) -> str:
    if not isinstance(found, str):
        return f"wanted text, found {_shown(found)}"
    theirs, ours = _plain_lines(found), _plain_lines(wanted)
    if theirs == ours:
        return ""
    lines = list(difflib.unified_diff(ours, theirs, "wanted", "found", lineterm="", n=1))
    more = [f"... and {len(lines) - SHOWN_LINES} lines more"] if len(lines) > SHOWN_LINES else []
    return "the texts differ:\n" + "\n".join(f"    {line}" for line in [*lines[:SHOWN_LINES], *more])


def _plain_lines(value: str) -> list[str]:
    return [" ".join(line.split()) for line in value.splitlines() if line.strip()]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _both_nan(found: Any, wanted: Any) -> bool:
    return isinstance(found, float) and isinstance(wanted, float) and math.isnan(found) and math.isnan(wanted)


def _differs(path: Path, why: str, wanted: Any, found: Any) -> Difference:
    return Difference(path, why, wanted, found)


def _shown(value: Any) -> str:
    written = repr(value)
    return written if len(written) <= SHOWN else f"{written[:SHOWN]}..."
