"""Styles of curves in figures: colors for color-blind readers, always the same for a congestion control algorithm.

The colors are those of Okabe and Ito (2008). In a figure with several algorithms each has its hue, and its flows differ
by shade and line style. If all flows use the same algorithm, each gets a color of its own instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

DashPattern = str | tuple[float, tuple[float, ...]]

BLUE, VERMILION, GREEN = "#0072B2", "#D55E00", "#009E73"
ORANGE, SKY, PURPLE, BLACK = "#E69F00", "#56B4E9", "#CC79A7", "#000000"
#: Colors of queues, in the order in which they are drawn.
QUEUE_COLORS = (BLACK, PURPLE, SKY, ORANGE, GREEN, VERMILION)
#: The color of marks of faults.
FAULT = "#c1121f"

#: Every algorithm that has a color of its own.
CONTROL_COLORS = {
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
#: Line styles that can be distinguished at a glance.
LINES: tuple[DashPattern, ...] = ("-", (0, (4, 1.2)), (0, (1.5, 1)), (0, (6, 1, 1.5, 1)))
#: The share of black (negative) or white in the hue of the first, second, ... flow of one algorithm.
_SHADES = (0.0, -0.4, 0.4, 0.65)


@dataclass(frozen=True)
class CurveStyle:
    """Color ("#rrggbb"), line style as for matplotlib, and line width in points."""

    colour: str
    line_style: DashPattern
    width: float


def curve_styles(controls: Sequence[str]) -> list[CurveStyle]:
    """A style for each flow, given the flows' congestion control algorithms. Up to 16 flows get different styles."""
    width = 1.2 if len(controls) <= 4 else 0.9
    lines = _first_lines(controls)
    if len(set(controls)) == 1:
        first = color_of(controls[0])
        cycle = (first, *(color for color in _CYCLE if color != first))
        return [
            CurveStyle(cycle[i % len(cycle)], LINES[(lines[controls[0]] + i) % len(LINES)], width)
            for i in range(len(controls))
        ]
    hues = _hues(controls)
    counts: Counter[str] = Counter()
    styles = []
    for control in controls:
        i = counts[control]
        counts[control] += 1
        color = _shade(hues[control], _SHADES[i % len(_SHADES)])
        styles.append(CurveStyle(color, LINES[(lines[control] + i + i // len(_SHADES)) % len(LINES)], width))
    return styles


def _first_lines(controls: Sequence[str]) -> dict[str, int]:
    """The index in `LINES` for the first flow of each algorithm: algorithms differ in black and white print, too.

    Known algorithms keep their line style if it is free. A figure with a single algorithm begins with a solid line.
    """
    palette_order = list(CONTROL_COLORS)
    line_numbers: dict[str, int] = {}
    different = sorted(
        dict.fromkeys(controls),
        key=lambda name: palette_order.index(name) if name in palette_order else len(palette_order),
    )
    if len(different) == 1:
        return {different[0]: 0}
    for control in different:
        preferred = palette_order.index(control) % len(LINES) if control in palette_order else 0
        free = [number for number in range(len(LINES)) if number not in line_numbers.values()]
        line_numbers[control] = preferred if preferred in free or not free else free[0]
    return line_numbers


def color_of(control: str) -> str:
    """The color of an algorithm."""
    return CONTROL_COLORS.get(control, ORANGE)


def _hues(controls: Sequence[str]) -> dict[str, str]:
    """The hue of each algorithm: known algorithms have their own, the others take the remaining colors in order."""
    hues = {control: CONTROL_COLORS[control] for control in controls if control in CONTROL_COLORS}
    free = [color for color in _OTHERS if color not in hues.values()] or list(_OTHERS)
    unknown = [control for control in dict.fromkeys(controls) if control not in hues]
    return hues | {control: free[i % len(free)] for i, control in enumerate(unknown)}


def _shade(color: str, towards_white: float) -> str:
    end = 255 if towards_white > 0 else 0
    parts = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(part + (end - part) * abs(towards_white)):02X}" for part in parts)
