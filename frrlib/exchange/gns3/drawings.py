"""Texts and shapes of a GNS3 project, which are pictures in SVG, as annotations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from frrlib.exchange.xml_text import Element, InvalidXml, parse_xml
from frrlib.model.annotations import Annotation

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
_MOST = 1000
_LETTER_PX, _LINE_PX, _MARGIN_PX = 8.0, 20.0, 20.0


def annotations_of(drawings: Sequence[Any]) -> tuple[list[Annotation], list[int]]:
    """The drawings with an equivalent, the lowest first, and the positions of the others in the list."""
    annotations: list[Annotation] = []
    left: list[int] = []
    for position, drawing in sorted(enumerate(drawings), key=lambda pair: _height(pair[1])):
        annotation = _annotation(drawing, f"a{len(annotations) + 1}") if len(annotations) < _MOST else None
        if annotation is None:
            left.append(position)
        else:
            annotations.append(annotation)
    return annotations, sorted(left)


def _height(drawing: Any) -> float:
    """The layer of a drawing; 0 if it has none."""
    height = drawing.get("z") if isinstance(drawing, dict) else None
    return float(height) if isinstance(height, int | float) and abs(height) < 1e6 else 0.0


def _annotation(drawing: Any, own_id: str) -> Annotation | None:
    try:
        root = parse_xml(drawing["svg"].encode())
        shape = next(element for element in root.children if element.tag in _KINDS)
        x, y = float(drawing.get("x") or 0), float(drawing.get("y") or 0)
        values = _note(shape) if shape.tag == "text" else _outline(root, shape)
        return Annotation.model_validate({"id": own_id, "kind": _KINDS[shape.tag], "x": x, "y": y, **values})
    except (KeyError, TypeError, AttributeError, ValueError, StopIteration, InvalidXml, ValidationError):
        return None


_KINDS = {"text": "note", "rect": "rectangle", "ellipse": "ellipse"}


def _note(shape: Element) -> dict[str, Any]:
    text = shape.text.strip()[:1000]
    if not text:
        raise ValueError("has no text")
    lines = text.splitlines()
    width = _LETTER_PX * max(map(len, lines)) + _MARGIN_PX
    return {"text": text, "width": width, "height": _LINE_PX * len(lines) + _MARGIN_PX}


def _outline(root: Element, shape: Element) -> dict[str, Any]:
    is_opaque = shape.get("fill-opacity") not in ("0", "0.0")
    return {
        "width": root.number("width"),
        "height": root.number("height"),
        "fill": _color(shape.get("fill")) if is_opaque else "",
        "line": _color(shape.get("stroke")),
    }


def _color(text: str) -> str:
    """A color; empty for white, the background of GNS3's window, and for names."""
    return text if _COLOR.fullmatch(text) and text.lower() != "#ffffff" else ""
