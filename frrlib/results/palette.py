"""The look of a flow in a figure: colours that colour-blind people tell apart, the same for an algorithm always.

The colours are those of Okabe and Ito (2008). Where several algorithms meet, each has its hue and several flows of one
are its shades and line styles; where all flows use the same one, each gets a colour of its own instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

DashPattern = str | tuple[float, tuple[float, ...]]

BLUE, VERMILION, GREEN = "#0072B2", "#D55E00", "#009E73"
ORANGE, SKY, PURPLE, BLACK = "#E69F00", "#56B4E9", "#CC79A7", "#000000"
#: Of queues, in the order in which they are drawn.
QUEUE_COLOURS = (BLACK, PURPLE, SKY, ORANGE, GREEN, VERMILION)
#: What faults are marked with.
FAULT = "#c1121f"

#: Every algorithm that has a colour of its own.
CONTROL_COLOURS = {
    "cubic": VERMILION,
    "bbr": BLUE,
    "reno": GREEN,
    "bbr2": SKY,
    "bbr3": PURPLE,
    "vegas": ORANGE,
    "dctcp": BLACK,
}
_OTHERS = (ORANGE, PURPLE, SKY, BLACK, GREEN, BLUE, VERMILION)
_CYCLE = (BLUE, VERMILION, GREEN, ORANGE, SKY, PURPLE, BLACK)
#: Line styles that are told apart at a glance.
LINES: tuple[DashPattern, ...] = ("-", (0, (4, 1.2)), (0, (1.5, 1)), (0, (6, 1, 1.5, 1)))
#: How far a hue is mixed with black (negative) or white for the first, second, ... flow of one algorithm.
_SHADES = (0.0, -0.4, 0.4, 0.65)


@dataclass(frozen=True)
class CurveStyle:
    """Colour ("#rrggbb"), line style as matplotlib takes it, and line width in points."""

    colour: str
    line_style: DashPattern
    width: float


def curve_styles(controls: Sequence[str]) -> list[CurveStyle]:
    """A look for each flow, given the flows' congestion control algorithms; no two are equal up to 16 flows."""
    width = 1.2 if len(controls) <= 4 else 0.9
    lines = _first_lines(controls)
    if len(set(controls)) == 1:
        first = colour_of(controls[0])
        cycle = (first, *(colour for colour in _CYCLE if colour != first))
        return [
            CurveStyle(cycle[i % len(cycle)], LINES[(lines[controls[0]] + i) % len(LINES)], width)
            for i in range(len(controls))
        ]
    hues = _hues(controls)
    seen: Counter[str] = Counter()
    chosen = []
    for control in controls:
        i = seen[control]
        seen[control] += 1
        colour = _shade(hues[control], _SHADES[i % len(_SHADES)])
        chosen.append(CurveStyle(colour, LINES[(lines[control] + i + i // len(_SHADES)) % len(LINES)], width))
    return chosen


def _first_lines(controls: Sequence[str]) -> dict[str, int]:
    """Which of `LINES` the first flow of each algorithm has, so that print without colours tells algorithms apart, too.

    Known algorithms keep theirs where it is free; a figure with one algorithm only begins with a solid line.
    """
    known = list(CONTROL_COLOURS)
    found: dict[str, int] = {}
    different = sorted(dict.fromkeys(controls), key=lambda each: known.index(each) if each in known else len(known))
    if len(different) == 1:
        return {different[0]: 0}
    for control in different:
        own = known.index(control) % len(LINES) if control in known else 0
        free = [number for number in range(len(LINES)) if number not in found.values()]
        found[control] = own if own in free or not free else free[0]
    return found


def colour_of(control: str) -> str:
    """The colour of an algorithm."""
    return CONTROL_COLOURS.get(control, ORANGE)


def _hues(controls: Sequence[str]) -> dict[str, str]:
    """Known algorithms have their colour; unknown ones take, in their order, what is left."""
    hues = {control: CONTROL_COLOURS[control] for control in controls if control in CONTROL_COLOURS}
    free = [colour for colour in _OTHERS if colour not in hues.values()] or list(_OTHERS)
    unknown = [control for control in dict.fromkeys(controls) if control not in hues]
    return hues | {control: free[i % len(free)] for i, control in enumerate(unknown)}


def _shade(colour: str, towards_white: float) -> str:
    end = 255 if towards_white > 0 else 0
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(part + (end - part) * abs(towards_white)):02X}" for part in parts)
