"""Fields of a value as rows of a form, found from the model itself; text in, a valid value out."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError

from frrlib.model.base import Value

#: What a form does not show: what is drawn by hand, and what belongs to the file.
_UNSHOWN = {"kind", "x", "y", "number", "foreign", "id", "node", "speedup", "controllers"}


_UNITS = {"s": "s", "ms": "ms", "mbit": "Mbit/s", "percent": "%", "bytes": "bytes", "packets": "packets", "bdp": "BDP"}
_NAMES = {
    "ospf": "OSPF", "bgp": "BGP", "asn": "AS number", "frr_conf": "Lines for frr.conf", "mac": "MAC address",
    "a": "First end", "b": "Second end", "a_to_b": "There", "b_to_a": "Back", "cpu_percent": "CPU (%)",
    "ospf_cost": "OSPF cost", "dpid": "Datapath id", "stp": "Spanning tree", "sflow": "sFlow", "netflow": "NetFlow",
    "router_id": "Router id", "mtu_bytes": "MTU (bytes)", "up": "Carrier at the start",
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One field.

    Attributes:
        path: where it is in the value, dotted ("ospf.area").
        label: what it is called in the form.
        what: "text", "choice", "flag", "list" (words, separated by commas), "part" (an optional part, on or off), or
            "fixed" (only shown).
        text: its value as text; "1" or "" for flags and parts.
        choices: for a choice.
        depth: how deep it is in the value, from 0.
    """

    path: str
    label: str
    what: str
    text: str
    choices: tuple[str, ...] = ()
    depth: int = 0


def rows(value: Value, above: str = "", depth: int = 0) -> Iterator[Row]:
    """The rows of a value in the model's order."""
    for name, info in type(value).model_fields.items():
        if name in _UNSHOWN:
            continue
        path, held = f"{above}{name}", getattr(value, name)
        label = called(name)
        kinds = tuple(_kinds(info.annotation))
        part = next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Value)), None)
        if part is not None:
            optional = type(None) in kinds
            if optional:
                yield Row(path, label, "part", "1" if held is not None else "", depth=depth)
            else:
                yield Row(path, label, "heading", "", depth=depth)
            if held is not None:
                yield from rows(held, f"{path}.", depth + 1)
        else:
            yield _row(path, label, kinds, held, depth)


def called(name: str) -> str:
    """What a field is called in a form: "delay (ms)" for "delay_ms"."""
    stem, _, last = name.rpartition("_")
    words = f"{stem} ({_UNITS[last]})" if stem and last in _UNITS else name
    words = _NAMES.get(name) or words.replace("_", " ")
    return words[:1].upper() + words[1:]


def _row(path: str, label: str, kinds: tuple[Any, ...], held: Any, depth: int) -> Row:
    choices = tuple(str(each) for kind in kinds if typing.get_origin(kind) is Literal for each in typing.get_args(kind))
    if bool in kinds:
        return Row(path, label, "flag", "1" if held else "", depth=depth)
    if choices:
        return Row(path, label, "choice", "" if held is None else str(held), choices, depth)
    if any(typing.get_origin(kind) is tuple for kind in kinds):
        if any(isinstance(each, Value | tuple) for each in held or ()) or _holds_values(kinds):
            count = len(held or ())
            return Row(path, label, "fixed", f"{count} {'entry' if count == 1 else 'entries'}", depth=depth)
        return Row(path, label, "list", ", ".join(str(each) for each in held or ()), depth=depth)
    if isinstance(held, float) and held.is_integer():
        held = int(held)
    return Row(path, label, "text", "" if held is None else str(held), depth=depth)


def _holds_values(kinds: tuple[Any, ...]) -> bool:
    inner = [arg for kind in kinds if typing.get_origin(kind) is tuple for arg in typing.get_args(kind)]
    flat = [each for arg in inner if arg is not Ellipsis for each in _kinds(arg)]
    return any(
        (isinstance(kind, type) and issubclass(kind, Value)) or typing.get_origin(kind) is tuple for kind in flat
    )


def _kinds(annotation: Any) -> Iterator[Any]:
    """The kinds that an annotation allows, unions and annotations unwrapped."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        yield from _kinds(typing.get_args(annotation)[0])
    elif origin in (typing.Union, types.UnionType):
        for each in typing.get_args(annotation):
            yield from _kinds(each)
    else:
        yield annotation


def changed(value: Value, row: Row, text: str) -> Any:
    """The value with another text in one of its rows.

    Raises:
        ValueError: that is no value for the row; the message says why.
    """
    return _changed(value, row.path.split("."), row, text)


def _changed(value: Value, path: list[str], row: Row, text: str) -> Any:
    name, *rest = path
    if rest:
        new: Any = _changed(getattr(value, name), rest, row, text)
    else:
        new = _parsed(value, name, row, text)
    data = {field: getattr(value, field) for field in type(value).model_fields}
    try:
        return type(value).model_validate({**data, name: new})
    except ValidationError as error:
        raise ValueError(error.errors()[0]["msg"].removeprefix("Value error, ")) from None


def _parsed(value: Value, name: str, row: Row, text: str) -> Any:
    kinds = tuple(_kinds(type(value).model_fields[name].annotation))
    if row.what == "flag":
        return bool(text)
    if row.what == "list":
        return tuple(each.strip() for each in text.split(",") if each.strip())
    if row.what == "part":
        part = next(kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Value))
        return _begun(part) if text else None
    if not text.strip() and type(None) in kinds:
        return None
    return text if str in kinds else text.strip()


def _begun(part: type[Value]) -> Value:
    """A part with its usual settings; an AS needs a number, and the first private one is as good as any."""
    needed = [name for name, info in part.model_fields.items() if info.is_required()]
    return part(**dict.fromkeys(needed, 65_001))
