"""Sizes of texts in world units. The caller measures them with its own font."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

#: A function that returns the width of one line of text at a size, both in world units.
MeasureWidth = Callable[[str, float], float]
#: Sizes of the texts: names of nodes and notes, and texts beside links.
NAME_SIZE, SMALL_SIZE = 12.0, 10.0
#: The distance of two lines of text, in sizes, which Tk needs at small sizes because it rounds up.
LINE_STEP = 1.3


def line_alignment(anchor: str) -> Literal["left", "right", "center"]:
    """The alignment of lines in a text with a Tk anchor: at the side of the anchor."""
    if anchor == "center":
        return "center"
    return "left" if "w" in anchor else "right" if "e" in anchor else "center"


def size(text: str, units: float, measure: MeasureWidth) -> tuple[float, float]:
    """Width and height of a text of one or more lines."""
    lines = text.split("\n")
    return max(measure(line, units) for line in lines), len(lines) * units * LINE_STEP


def wrapped(text: str, width: float, units: float, measure: MeasureWidth) -> str:
    """The text with its lines broken between words, so that none is wider than `width` if possible."""
    return "\n".join(line for paragraph in text.split("\n") for line in _lines(paragraph, width, units, measure))


def _lines(paragraph: str, width: float, units: float, measure: MeasureWidth) -> list[str]:
    if measure(paragraph, units) <= width:
        return [paragraph]
    lines: list[str] = []
    for word in paragraph.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and measure(longer, units) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
