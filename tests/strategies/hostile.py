"""Content a stranger may write into a file or a message: values of any kind and size, and valid documents with
something changed in them, so that readers are led past their first look.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from hypothesis import strategies as st

#: So deep that readers that call themselves for each level end with an error of Python's.
DEEP = 10_000


Values = st.SearchStrategy[Any] | Callable[[Any], st.SearchStrategy[Any]]


class Raw(str):
    """Text that stands in JSON as it is, such as a number that is none."""

    __slots__ = ()


_NUMBERS = [
    0, 1, -1, 2, 7, 255, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64, -(2**63) - 1, 10**30, 10**400,
    0.5, -0.0, 5e-324, 1e-9, 1e16, 1.7976931348623157e308, -1e308,
]  # fmt: skip
_TEXTS = [
    "", " ", "\0", "\n", "\ud800", "\udcff\ud800", "\x1b]0;T\x07\x1b[2J", "\u202e", "NaN", "inf", "-1", "1e999", "true",
    "../../../../etc/passwd", "/dev/zero", "a/b", ".", "..", "%s{}{0}", "=1+1", "$x^{", "x" * 5000, "é" * 300, "h1",
    "r1", "10.0.0.1", "10.0.0.0/33", "::1/64", "5ms", "l1", "9" * 400, "finished", "done", "tcp",
]  # fmt: skip
_RAW = [
    Raw("NaN"), Raw("-Infinity"), Raw("1e999"), Raw("9" * 5000), Raw("1" + "0" * 400 + ".5"),
    Raw("[" * DEEP + "]" * DEEP), Raw('{"a":' * DEEP + "1" + "}" * DEEP),
]  # fmt: skip


def float_of(number: float) -> float:
    """The number as a float; the largest one for larger numbers."""
    return float(max(-_LARGEST, min(_LARGEST, number)))


_LARGEST = 1.7976931348623157e308

_plain = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from(_NUMBERS),
    st.sampled_from(_TEXTS),
    st.integers(-9, 99),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=4),
)
#: A value of JSON that nobody has asked for there; lists and objects are small.
JSON: st.SearchStrategy[Any] = st.one_of(
    _plain,
    st.recursive(
        _plain,
        lambda below: st.lists(below, max_size=3) | st.dictionaries(st.sampled_from(_TEXTS[:12]), below, max_size=3),
        max_leaves=5,
    ),
)
#: The same, with values that Python would not write: `text_of` does.
VALUES: st.SearchStrategy[Any] = st.one_of(JSON, JSON, JSON, st.sampled_from(_RAW))
_numbers = st.sampled_from(_NUMBERS[:-6]) | st.sampled_from(_NUMBERS[-6:]) | st.integers(-9, 99)
_floats = _numbers.map(float_of) | st.floats(allow_nan=False, allow_infinity=False)
_texts = st.sampled_from([text for text in _TEXTS if text.isprintable()]) | st.text(max_size=4)


def alike(value: Any) -> st.SearchStrategy[Any]:
    """Another value of the same kind, which passes where only kinds are looked at."""
    if isinstance(value, bool):
        return st.booleans()
    if isinstance(value, str):
        return _texts
    if isinstance(value, float):
        return _floats
    return _numbers if isinstance(value, int) else VALUES


def text_of(value: Any, **layout: Any) -> str:
    """JSON of a value in which there may be `Raw` ones; `layout` is for `json.dumps`."""
    raw_texts: list[str] = []

    def marked(part: Any) -> Any:
        if isinstance(part, Raw):
            raw_texts.append(str(part))
            return f"raw-{len(raw_texts) - 1}-raw"
        if isinstance(part, dict):
            return {key: marked(below) for key, below in part.items()}
        return [marked(below) for below in part] if isinstance(part, list) else part

    text = json.dumps(marked(value), **layout)
    for number, raw in enumerate(raw_texts):
        text = text.replace(f'"raw-{number}-raw"', raw)
    return text


def _keys_of(container: Any) -> Iterable[Any]:
    if isinstance(container, dict):
        return container.keys()
    return range(len(container)) if isinstance(container, list) else ()


def places(document: Any) -> Iterator[tuple[Any, Any]]:
    """Every value below the top of a document: its container, and its key or position there."""
    level = [document]
    while level:
        inner = []
        for container in level:
            for key in _keys_of(container):
                yield container, key
                inner.append(container[key])
        level = inner


def mutations(document: Any, values: Values = VALUES, most: int = 4) -> st.SearchStrategy[Any]:
    """The document with one to `most` changes anywhere in it: another value, a key that is missing, is called otherwise
    or has another's value, an item that comes twice.

    Args:
        document: of dictionaries, lists and values as JSON has them; it stays as it is.
        values: what comes in the place of another value; a function gets that one.
    """
    text = json.dumps(document)

    @st.composite
    def changed(draw: st.DrawFn) -> Any:
        mutated = json.loads(text)
        for _ in range(draw(st.integers(1, most))):
            mutated = _change(draw, mutated, values)
        return mutated

    return changed()


def _change(draw: st.DrawFn, document: Any, values: Values) -> Any:
    all_places = list(places(document))
    is_alike = not isinstance(values, st.SearchStrategy)
    if not all_places or (not is_alike and draw(st.integers(0, 49)) == 49):
        return draw(VALUES)
    container, key = all_places[draw(st.integers(0, len(all_places) - 1))]
    kinds_of_change = ["value", "value", "value", "drop", "again", "another", "name", "wrap"]
    how = "value" if is_alike else draw(st.sampled_from(kinds_of_change))
    if how == "drop":
        del container[key]
    elif how == "again" and isinstance(container, list):
        container.insert(draw(st.integers(0, len(container))), container[key])
    elif how == "another":
        other_container, other_key = all_places[draw(st.integers(0, len(all_places) - 1))]
        container[key] = (
            json.loads(json.dumps(other_container[other_key])) if not _has_raw(other_container[other_key]) else None
        )
    elif how == "name" and isinstance(container, dict):
        container[draw(st.sampled_from(_TEXTS) | st.text(max_size=3))] = container.pop(key)
    elif how == "wrap":
        container[key] = [container[key]] if draw(st.booleans()) else {str(key): container[key]}
    else:
        container[key] = draw(values if isinstance(values, st.SearchStrategy) else values(container[key]))
    return document


def _has_raw(value: Any) -> bool:
    return isinstance(value, Raw) or any(isinstance(container[key], Raw) for container, key in places(value))


def torn(data: bytes, pieces: tuple[bytes, ...] = ()) -> st.SearchStrategy[bytes]:
    """The bytes with some of them flipped, cut out, repeated, or put in from elsewhere, or the end missing.

    Args:
        pieces: what is put in now and then.
    """

    @st.composite
    def changed(draw: st.DrawFn) -> bytes:
        damaged = bytearray(data)
        for _ in range(draw(st.integers(1, 5))):
            at = draw(st.integers(0, len(damaged)))
            to = min(len(damaged), at + draw(st.integers(0, 40)))
            how = draw(st.sampled_from(["flip", "flip", "cut", "again", "put", "end"]))
            if how == "flip" and at < len(damaged):
                damaged[at] = draw(st.integers(0, 255))
            elif how == "cut":
                del damaged[at:to]
            elif how == "again":
                damaged[at:at] = damaged[at:to] * draw(st.integers(1, 3))
            elif how == "put":
                damaged[at:at] = draw(st.sampled_from(pieces) if pieces else st.binary(max_size=8))
            elif how == "end":
                del damaged[at:]
        return bytes(damaged)

    return changed()
