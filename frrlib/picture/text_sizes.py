"""How much room texts take, in world units; the caller who measures has the font."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

#: Width of one line of text at a size, all in world units.
MeasureWidth = Callable[[str, float], float]
#: Sizes of the texts: names of nodes and notes, and texts beside links.
NAME_SIZE, SMALL_SIZE = 12.0, 10.0
#: Distance of two lines of text, in sizes: what Tk needs at small ones, where it rounds up.
LINE_STEP = 1.3


def line_alignment(anchor: str) -> Literal["left", "right", "center"]:
    """How lines of different lengths stand below each other in a text with a Tk anchor: they begin or end together at
    the side where the thing is that they belong to."""
    if anchor == "center":
        return "center"
    return "left" if "w" in anchor else "right" if "e" in anchor else "center"


def size(text: str, units: float, measure: MeasureWidth) -> tuple[float, float]:
    """Width and height of a text of one or more lines."""
    lines = text.split("\n")
    return max(measure(line, units) for line in lines), len(lines) * units * LINE_STEP


def wrapped(text: str, width: float, units: float, measure: MeasureWidth) -> str:
    """The text with its lines broken between words, so that none is wider than `width` where that can be."""
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
