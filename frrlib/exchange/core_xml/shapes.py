"""Shapes and texts that CORE's window draws, as annotations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from frrlib.exchange.xml_text import Element
from frrlib.formats.jsontext import InvalidFile, parse_json
from frrlib.model.annotations import Annotation

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
_KINDS = {"rectangle": "rectangle", "oval": "ellipse", "text": "note"}
_LETTER_PX, _LINE_PX = 9.0, 30.0


def annotations_of(root: Element) -> list[Annotation]:
    """The shapes of a scenario; invalid ones are left out."""
    for configuration in root.all("session_metadata", "configuration"):
        if configuration.get("name") == "shapes":
            try:
                shapes, _ = parse_json(configuration.get("value") or "[]")
            except InvalidFile:
                return []
            return list(_annotations(shapes if isinstance(shapes, list) else []))
    return []


def _annotations(shapes: list[Any]) -> Iterator[Annotation]:
    for number, shape in enumerate(shapes[:1000], 1):
        try:
            kind = _KINDS[shape["type"]]
            text = str(shape.get("label") or "")[:1000]
            x, y, *rest = (float(value) for value in shape["iconcoords"])
            if kind == "note":
                width, height = _LETTER_PX * len(text) + 20, _LINE_PX
                x, y, fill, line = x - width / 2, y - height / 2, "", ""  # CORE places a text by its center
            else:
                width, height = abs(rest[0] - x), abs(rest[1] - y)
                x, y = min(x, rest[0]), min(y, rest[1])
                fill, line = _color(shape.get("color")), _color(shape.get("border"))
            yield Annotation.model_validate(
                {"id": f"a{number}", "kind": kind, "x": x, "y": y, "width": width, "height": height, "text": text,
                 "fill": fill, "line": line if shape.get("width") else ""}
            )  # fmt: skip
        except (KeyError, ValueError, TypeError, AttributeError, IndexError, OverflowError, ValidationError):
            continue


def _color(value: object) -> str:
    return value if isinstance(value, str) and _COLOR.fullmatch(value) else ""
