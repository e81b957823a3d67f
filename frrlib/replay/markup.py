"""HTML and SVG made from elements: texts and attributes are always escaped."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from frrlib.safe_text.plain import plain


class Markup(str):
    """Text that is HTML already, and is not escaped again."""

    __slots__ = ()


def tag(name: str, *children: str, **attributes: str | float | None) -> Markup:
    """An element with its content.

    Args:
        children: texts, which are escaped, and other elements.
        attributes: by name, with "_" for "-", and with a "_" at the end of words of Python ("class_"). None leaves an
            attribute out.
    """
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_escaped(_number(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{pairs}>{''.join(map(_content, children))}</{name}>")


def joined(*parts: str) -> Markup:
    """Elements one after the other."""
    return Markup("\n".join(_content(part) for part in parts if part))


def json_data(value: Any) -> Markup:
    """A value as JSON that may stand in an element `script`: its texts are clean, and it has neither "<" nor "&"."""
    text = json.dumps(_cleaned(value), separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026"))


def clean(text: str) -> str:
    """The text without control characters and without halves of characters that no file can contain."""
    return plain(text.encode("utf-8", "replace").decode())


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    return {key: _cleaned(item) for key, item in value.items()} if isinstance(value, dict) else value


def _content(part: str) -> str:
    return part if isinstance(part, Markup) else _escaped(part)


def _escaped(text: str) -> str:
    return escape(clean(text))


def _number(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
