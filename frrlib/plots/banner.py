"""A strip above a figure with the verdict and its reasons; none for a trustworthy run."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure, FigureBase, SubFigure
from matplotlib.lines import Line2D

from frrlib.results.verdict.finding import Finding, reasons, verdict

#: Background, edge and text color of the strip, by verdict; the text has enough contrast for gray print.
_STYLES = {"doubtful": ("#FFF1CC", "#C98A00", "#4A3300"), "not as drawn": ("#FBDDD9", "#B3261E", "#5C0F0A")}
_FONT_POINTS, _LINE_POINTS, _PADDING_POINTS = 8.5, 11.5, 8.0
#: The number of letters of that size per inch of the figure's width, and the maximum number of lines.
_LETTERS_PER_INCH, _MOST_LINES = 16, 3


def below_banner(onto: Figure, findings: Sequence[Finding]) -> FigureBase:
    """Draw the strip at the top of an empty figure.

    Returns:
        The part of the figure below the strip, or the figure itself if no strip is needed.
    """
    outcome = verdict(findings)
    if outcome not in _STYLES:
        return onto
    ground, edge, ink = _STYLES[outcome]
    width, height = onto.get_size_inches()
    lines = _lines(outcome, reasons(findings, "wrong", "doubt"), int(width * _LETTERS_PER_INCH))
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


def _lines(outcome: str, sentences: Sequence[str], letters: int) -> list[str]:
    """A line for each reason, up to the maximum number of lines; the last line counts the others."""
    lines = list(sentences[:_MOST_LINES])
    if hidden_count := len(sentences) - len(lines):
        lines[-1] = f"and {hidden_count + 1} more in summary.json"
    lines[0] = f"{outcome[0].upper()}{outcome[1:]}: {lines[0]}"
    return [textwrap.shorten(line, letters, placeholder=" …") for line in lines]
