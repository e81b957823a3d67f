"""Parses a text as the value of a field: a number with a unit, a kind, or any other valid value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from frrlib.model import quantities
from frrlib.model.base import first_fault
from frrlib.model.quantities import InvalidQuantity, Measure

#: The unit of a number by the end of its field's name; the first match is used.
_ENDINGS: tuple[tuple[str, Measure], ...] = (
    ("_packets_s", quantities.NUMBER),
    ("_mbit", quantities.RATE_MBIT),
    ("_ms", quantities.TIME_MS),
    ("_us", quantities.TIME_US),
    ("_s", quantities.TIME_S),
    ("_bytes", quantities.SIZE_BYTES),
    ("_packets", quantities.PACKETS),
    ("_percent", quantities.PERCENT),
    ("_bdp", quantities.BDP),
)
_NONE = ("none", "")


def measure_of(name: str, field: FieldInfo) -> Measure | None:
    """The unit of a numeric field; None for other fields."""
    takes = set(_parts(field.annotation))
    if not takes & {int, float}:
        return None
    unit = next((measure for ending, measure in _ENDINGS if name.endswith(ending)), quantities.NUMBER)
    return unit if float in takes else replace(unit, whole=True)


def in_words(name: str) -> tuple[str, str]:
    """A field's name for people, and its unit: "queue_bdp" is ("queue", "BDP"), "up" is ("up", "")."""
    ending, measure = next(((end, unit) for end, unit in _ENDINGS if name.endswith(end)), ("", quantities.NUMBER))
    words = re.sub(r"[._]+", " ", name.removesuffix(ending) if measure.unit else name)
    return words, measure.unit


def read(name: str, field: FieldInfo, text: str) -> Any:
    """Parse a text as the value of a field.

    Args:
        name: the field's name, which determines the default unit.
        field: the field.
        text: a text such as "20ms", "cubic", "fq_codel", "on" or "none".

    Raises:
        ValueError: the text is invalid; the message is a clause that can follow it ("must be greater than 0").
    """
    word, takes = text.strip(), set(_parts(field.annotation))
    if word.lower() in _NONE and type(None) in takes and (word or str not in takes):
        return None
    candidates: list[Any] = [word]
    measure = measure_of(name, field)
    if measure is not None:
        try:
            candidates = [measure.read(word)]
        except InvalidQuantity as problem:
            raise ValueError(str(problem)) from None
    elif kinds := kinds_of(field):
        if word not in kinds:
            raise ValueError(f"is not one of its kinds; choose from {', '.join(kinds)}")
        candidates = [{"kind": word}]
    elif word.isdigit():
        candidates.append(int(word))  # a choice between numbers takes no text
    annotation: Any = Annotated[field.annotation, field]
    return _first(TypeAdapter(annotation), candidates)


def kinds_of(field: FieldInfo) -> tuple[str, ...]:
    """The kinds of values of a field; empty for a field without several kinds."""
    kinds = [
        str(part.model_fields["kind"].default)
        for part in _parts(field.annotation)
        if isinstance(part, type) and issubclass(part, BaseModel) and "kind" in part.model_fields
    ]
    return tuple(kinds) if len(kinds) > 1 else ()


def text_of(value: Any) -> str | float | bool:
    """A value as a cell of a table: numbers and texts are unchanged, other values give their kind, None is "none"."""
    if value is None:
        return "none"
    if isinstance(value, bool | int | float | str):
        return value
    return str(getattr(value, "kind", value))


def _first(adapter: TypeAdapter[Any], candidates: list[Any]) -> Any:
    problem: ValidationError | None = None
    for candidate in candidates:
        try:
            return adapter.validate_python(candidate)
        except ValidationError as found:
            problem = problem or found
    assert problem is not None
    raise ValueError(first_fault(problem)[1].replace("Input should be", "must be"))


def _parts(annotation: Any) -> Iterator[Any]:
    """The types of an annotation without their metadata; choices as `Literal`."""
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        for part in get_args(annotation):
            yield from _parts(part)
    elif origin is Annotated:
        yield from _parts(get_args(annotation)[0])
    else:
        yield Literal if origin is Literal else annotation
