"""Routing settings for property tests, made from the classes themselves: a new field takes part by itself."""

from __future__ import annotations

import types
from functools import cache
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from hypothesis import strategies as st
from pydantic.fields import FieldInfo

from frrlib.model.base import Value

V = TypeVar("V", bound=Value)

_numbers4, _numbers6 = st.integers(0, 2**32 - 1), st.integers(0, 2**128 - 1)
_PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    IPv4Address: _numbers4.map(IPv4Address),
    IPv6Address: _numbers6.map(IPv6Address),
    IPv4Interface: st.builds(lambda n, p: IPv4Interface((n, p)), _numbers4, st.integers(0, 32)),
    IPv6Interface: st.builds(lambda n, p: IPv6Interface((n, p)), _numbers6, st.integers(0, 128)),
    IPv4Network: st.builds(lambda n, p: IPv4Network((n, p), strict=False), _numbers4, st.integers(0, 32)),
    IPv6Network: st.builds(lambda n, p: IPv6Network((n, p), strict=False), _numbers6, st.integers(0, 128)),
    type(None): st.none(),
}
_LIMITS = ("ge", "gt", "le", "lt", "pattern", "min_length", "max_length")


@st.composite
def values(draw: st.DrawFn, kind: type[V]) -> V:
    """Values of a class: all required fields, and some optional ones."""
    return draw(_made(kind))


@cache
def _made(kind: type[V]) -> st.SearchStrategy[V]:
    needed = {name: _field(field) for name, field in kind.model_fields.items() if field.is_required()}
    free = {name: _field(field) for name, field in kind.model_fields.items() if not field.is_required()}
    return st.fixed_dictionaries(needed, optional=free).map(lambda fields: kind(**fields))


def _field(field: FieldInfo) -> st.SearchStrategy[Any]:
    return _of(field.annotation, field.metadata)


def _of(annotation: Any, metadata: list[Any]) -> st.SearchStrategy[Any]:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        inner = [part for item in arguments[1:] for part in (item.metadata if isinstance(item, FieldInfo) else [item])]
        return _of(arguments[0], [*metadata, *inner])
    if origin in (Union, types.UnionType):
        return st.one_of([_of(item, metadata) for item in arguments])
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is tuple:
        return st.lists(_of(arguments[0], []), max_size=2).map(tuple)
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    limits = {
        name: getattr(item, name) for item in metadata for name in _LIMITS if getattr(item, name, None) is not None
    }
    if annotation is int:
        return st.integers(limits.get("ge", 0), limits.get("le", 2**32))
    if annotation is str:
        return _text(limits)
    return values(annotation)


def _text(limits: dict[str, Any]) -> st.SearchStrategy[str]:
    longest = limits.get("max_length", 12)
    if "pattern" not in limits:
        return st.text(min_size=limits.get("min_length", 0), max_size=min(longest, 12))
    # `$` lets a final newline pass in Python; the model does not.
    texts = st.from_regex(limits["pattern"], fullmatch=True, alphabet=st.characters(max_codepoint=126))
    return texts.filter(lambda text: len(text) <= longest and not text.endswith("\n"))
