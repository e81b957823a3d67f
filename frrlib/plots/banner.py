"""A line above a figure that says why it is not to be trusted; nothing where it is."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure, FigureBase, SubFigure
from matplotlib.lines import Line2D

from frrlib.results.trust.finding import Finding, reasons, verdict

#: Ground, edge and text of the strip, by verdict; the text is dark enough on its ground for print in grey.
_LOOKS = {"doubtful": ("#FFF1CC", "#C98A00", "#4A3300"), "not as drawn": ("#FBDDD9", "#B3261E", "#5C0F0A")}
_FONT_POINTS, _LINE_POINTS, _PADDING_POINTS = 8.5, 11.5, 8.0
#: Letters of that size on an inch of the figure's width, and the most lines.
_LETTERS_PER_INCH, _MOST_LINES = 16, 3


def below_banner(onto: Figure, findings: Sequence[Finding]) -> FigureBase:
    """Draw the strip at the top of an empty figure.

    Returns:
        what is left below it to draw in: all of it where no strip is needed.
    """
    said = verdict(findings)
    if said not in _LOOKS:
        return onto
    ground, edge, ink = _LOOKS[said]
    width, height = onto.get_size_inches()
    lines = _lines(said, reasons(findings, "wrong", "doubt"), int(width * _LETTERS_PER_INCH))
    share = (len(lines) * _LINE_POINTS + _PADDING_POINTS) / 72 / height
    halves: Any = onto.subfigures(2, 1, height_ratios=(share, 1 - share), hspace=0)
    strip: SubFigure = halves[0]
    below: SubFigure = halves[1]
    strip.set_facecolor(ground)
    strip.add_artist(Line2D((0, 1), (0, 0), color=edge, linewidth=1.5, transform=strip.transSubfigure))
    strip.text(
        0.012, 0.5, "\n".join(lines), va="center", ha="left", fontsize=_FONT_POINTS, color=ink,
        linespacing=1.2, parse_math=False,
    )  # fmt: skip
    return below


def _lines(said: str, whys: Sequence[str], letters: int) -> list[str]:
    """A line for each reason, as many as there is room for; what has none is counted."""
    shown = list(whys[:_MOST_LINES])
    if more := len(whys) - len(shown):
        shown[-1] = f"and {more + 1} more in summary.json"
    shown[0] = f"{said[0].upper()}{said[1:]}: {shown[0]}"
    return [textwrap.shorten(line, letters, placeholder=" …") for line in shown]
