"""Validation errors of the model as clauses that name a valid input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

_BOUNDS = {"greater_than_equal": ("ge", "at least"), "less_than_equal": ("le", "at most"),
           "greater_than": ("gt", "more than"), "less_than": ("lt", "less than")}  # fmt: skip
_TYPES = {
    "missing": "is missing",
    "int_parsing": "is not a whole number",
    "int_type": "is not a whole number",
    "int_from_float": "is not a whole number",
    "float_parsing": "is not a number",
    "finite_number": "is not a finite number",
    "string_too_short": "is missing",
}


def reason(problem: ValidationError, unit: str = "") -> str:
    """The reason of a validation error, as a clause such as "must be at least 1 ms"."""
    first: Mapping[str, Any] = problem.errors(include_url=False)[0]
    context = first.get("ctx", {})
    if first["type"] in _BOUNDS:
        key, words = _BOUNDS[first["type"]]
        bound = context[key]
        number = int(bound) if isinstance(bound, float) and bound.is_integer() else bound
        return f"must be {words} {number}{f' {unit}' if unit else ''}"
    if first["type"] == "string_too_long":
        return f"is too long: at most {context['max_length']} characters"
    if first["type"] == "literal_error":
        return f"must be {context['expected'].replace(chr(39), '')}"
    if first["type"] in _TYPES:
        return _TYPES[first["type"]]
    return str(first["msg"]).removeprefix("Value error, ")
