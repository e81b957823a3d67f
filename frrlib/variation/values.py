"""Reading a text as the value of a field: a number with its unit, a kind, or anything else that the field takes."""

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
from frrlib.model.quantities import Measure, Wrong

#: The unit of a number, by the end of its field's name; the first that fits.
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
    """The unit of a field's numbers; None for a field that takes no numbers."""
    takes = set(_parts(field.annotation))
    if not takes & {int, float}:
        return None
    found = next((measure for ending, measure in _ENDINGS if name.endswith(ending)), quantities.NUMBER)
    return found if float in takes else replace(found, whole=True)


def in_words(name: str) -> tuple[str, str]:
    """A field's name for people, and the unit that it ends in: "queue_bdp" is ("queue", "BDP"), "up" ("up", "")."""
    ending, measure = next(((end, each) for end, each in _ENDINGS if name.endswith(end)), ("", quantities.NUMBER))
    words = re.sub(r"[._]+", " ", name.removesuffix(ending) if measure.unit else name)
    return words, measure.unit


def read(name: str, field: FieldInfo, text: str) -> Any:
    """The value of a field that a text says.

    Args:
        name: the field's name, by which a number without a unit is understood.
        text: such as "20ms", "cubic", "fq_codel", "on" or "none".

    Raises:
        ValueError: the text says none; the message is a clause that can follow it ("must be greater than 0").
    """
    word, takes = text.strip(), set(_parts(field.annotation))
    if word.lower() in _NONE and type(None) in takes and (word or str not in takes):
        return None
    candidates: list[Any] = [word]
    measure = measure_of(name, field)
    if measure is not None:
        try:
            candidates = [measure.read(word)]
        except Wrong as problem:
            raise ValueError(str(problem)) from None
    elif kinds := kinds_of(field):
        if word not in kinds:
            raise ValueError(f"is not one of its kinds; choose from {', '.join(kinds)}")
        candidates = [{"kind": word}]
    elif word.isdigit():
        candidates.append(int(word))  # a choice between numbers takes no text
    whole: Any = Annotated[field.annotation, field]
    return _first(TypeAdapter(whole), candidates)


def kinds_of(field: FieldInfo) -> tuple[str, ...]:
    """The words by which the values of a field are told apart; empty for a field that holds none of several kinds."""
    kinds = [
        str(each.model_fields["kind"].default)
        for each in _parts(field.annotation)
        if isinstance(each, type) and issubclass(each, BaseModel) and "kind" in each.model_fields
    ]
    return tuple(kinds) if len(kinds) > 1 else ()


def text_of(value: Any) -> str | float | bool:
    """A value as a cell of a table: a number stays one; of a value with a kind the kind; nothing is "none"."""
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
    """The types that an annotation is made of, without what is said about them; choices as `Literal`."""
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        for each in get_args(annotation):
            yield from _parts(each)
    elif origin is Annotated:
        yield from _parts(get_args(annotation)[0])
    else:
        yield Literal if origin is Literal else annotation
