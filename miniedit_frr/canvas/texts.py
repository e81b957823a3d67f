"""How much room texts take, in world units; the caller who measures has the font."""

from __future__ import annotations

from collections.abc import Callable

#: Width of one line of text at a size, all in world units.
Measure = Callable[[str, float], float]
#: Sizes of the texts: names of nodes and notes, and texts beside links.
NAME_SIZE, SMALL_SIZE = 12.0, 10.0
#: Distance of two lines of text, in sizes.
LINE_STEP = 1.2


def size(text: str, units: float, measure: Measure) -> tuple[float, float]:
    """Width and height of a text of one or more lines."""
    lines = text.split("\n")
    return max(measure(line, units) for line in lines), len(lines) * units * LINE_STEP


def wrapped(text: str, width: float, units: float, measure: Measure) -> str:
    """The text with its lines broken between words, so that none is wider than `width` where that can be."""
    return "\n".join(line for paragraph in text.split("\n") for line in _lines(paragraph, width, units, measure))


def _lines(paragraph: str, width: float, units: float, measure: Measure) -> list[str]:
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
