"""The overlay that follows the pointer on plots: a line at its time in every panel, and the values there.

Its items lie above the figure's picture, so that nothing is redrawn when the pointer moves.
"""

from __future__ import annotations

import tkinter as tk
from collections.abc import Iterator
from tkinter import font as tkfont
from typing import Any

import numpy as np

from miniedit_frr.live.curves import Curve
from miniedit_frr.live.phases import TITLES
from miniedit_frr.live.samples import LiveRun
from miniedit_frr.live_plots.figure import RIGHT, PlotFigure, QuantityAxes
from miniedit_frr.live_plots.looks import PlotColors, curve_name, phase_color

_TEXT_PX, _ROW_PX = 11, 15
#: Events this near to the pointer are shown.
_NEAR_PX = 5
_MOST_WORDS = 5


class Overlay:
    """The line and the values.

    Args:
        canvas: the widget with the figure's picture.

    Attributes:
        time_s: the time under the pointer; None where it is elsewhere.
    """

    def __init__(self, canvas: tk.Canvas, plots: PlotFigure, ui: float) -> None:
        self._canvas, self._plots, self._ui = canvas, plots, ui
        family = tkfont.nametofont("TkDefaultFont").actual("family")
        self._font = tkfont.Font(canvas, family=family, size=-round(_TEXT_PX * ui))
        self.time_s: float | None = None

    def point(self, x_px: float, y_px: float) -> None:
        """The pointer is there."""
        panel = self._plots.panel_at(x_px, y_px)
        self.time_s = self._plots.time_at(panel, x_px) if panel is not None else None

    def band(self, from_px: float, to_px: float) -> None:
        """Show the span that would be viewed; with panels side by side, in the one it is dragged over."""
        wide = self._plots.is_wide
        for panel in self._plots.panels:
            left, top, right, bottom = self._plots.box(panel)
            if wide and not left <= from_px <= right:
                continue
            colour = self._plots.theme.accent
            self._canvas.create_rectangle(
                from_px, top, to_px, bottom, outline=colour, fill=colour, stipple="gray12", tags="overlay"
            )

    def show(self, run: LiveRun) -> None:
        """Draw the line, and the values at it; without the pointer the newest values."""
        self._canvas.delete("overlay")
        plots, colours = self._plots, PlotColors(run, self._plots.theme)
        for panel in plots.panels:
            if self.time_s is not None:
                self._line(panel)
            if plots.is_wide and self.time_s is None:
                continue
            self._values(panel, run, colours)
        if self.time_s is not None and plots.panels:
            self._time()
            self._happened(run)

    def values(self, panel: QuantityAxes, run: LiveRun) -> list[tuple[Curve, str]]:
        """The values of a panel's curves at the pointer, or the latest ones, as shown."""
        found = []
        for line in panel.lines:
            if line.style == "limit" and line.of != "run":
                continue
            value = value_at(line, self.time_s)
            if value is not None:
                is_phase = panel.quantity.key == "phases"
                found.append((line, TITLES[int(value)] if is_phase else format_value(value)))
        return found

    def _line(self, panel: QuantityAxes) -> None:
        assert self.time_s is not None
        left, top, right, bottom = self._plots.box(panel)
        x = self._plots.x_of(panel, self.time_s)
        if left <= x <= right:
            self._canvas.create_line(x, top, x, bottom, fill=self._plots.theme.faint, tags="overlay")

    def _values(self, panel: QuantityAxes, run: LiveRun, colours: PlotColors) -> None:
        rows = list(self._rows(panel, run, colours))
        left, top, right, bottom = self._plots.box(panel)
        ui, theme, canvas = self._ui, self._plots.theme, self._canvas
        step = _ROW_PX * ui
        room = max(1, int((bottom - top + 14 * ui) / step))
        if len(rows) > room:
            rows = [*rows[: room - 1], (f"{len(rows) - room + 1} more", "", theme.faint)]
        if not rows:
            return
        wide = (RIGHT - 16) * ui
        if self._plots.is_wide:
            wide = min(wide, (right - left) - 4 * ui)
            canvas.create_rectangle(
                right - wide - 8 * ui, top, right, top + len(rows) * step + 6 * ui, fill=theme.card,
                outline=theme.edge, tags="overlay",
            )  # fmt: skip
            right -= wide + 10 * ui
        y = top + 9 * ui
        for name, value, colour in rows:
            x = right + 8 * ui
            shown = shorten(name, wide - self._font.measure(value) - 6 * ui, self._font)
            canvas.create_text(x, y, text=shown, anchor="w", fill=colour, font=self._font, tags="overlay")
            canvas.create_text(
                x + wide - 4 * ui, y, text=value, anchor="e", fill=theme.text, font=self._font, tags="overlay"
            )
            y += step

    def _rows(self, panel: QuantityAxes, run: LiveRun, colours: PlotColors) -> Iterator[tuple[str, str, str]]:
        """Name, value and colour of each row; the value of an accompanying curve stands behind the curve's own."""
        found: dict[tuple[str, str], list[str]] = {}
        first: dict[tuple[str, str], Curve] = {}
        for line, said in self.values(panel, run):
            found.setdefault((line.of, line.subject), []).append(said)
            first.setdefault((line.of, line.subject), line)
        for key, values in found.items():
            line = first[key]
            colour = colours.of_line(line).colour
            if panel.quantity.key == "phases" and values[0] in TITLES:
                colour = phase_color(TITLES.index(values[0]), self._plots.theme)
            yield curve_name(line, run), " · ".join(values), colour

    def _time(self) -> None:
        last, theme = self._plots.panels[-1], self._plots.theme
        panels = self._plots.panels if self._plots.is_wide else [last]
        for panel in panels:
            assert self.time_s is not None
            x, (_, _, _, bottom) = self._plots.x_of(panel, self.time_s), self._plots.box(panel)
            self._plate([f"{self.time_s:.2f} s"], x, bottom + 9 * self._ui, theme.accent, theme.canvas, "center")

    def _happened(self, run: LiveRun) -> None:
        """Words for the marks near the pointer."""
        plots = self._plots
        assert self.time_s is not None
        left, top, right, _ = plots.box(plots.panels[0])
        near_s = _NEAR_PX * self._ui / max(1.0, right - left) * (plots.view.to_s - plots.view.from_s)
        told = [
            f"{marker.time_s:.2f} s: {marker.text}"
            for marker in run.markers(self.time_s - near_s, self.time_s + near_s)
        ]
        if told:
            more = [f"and {len(told) - _MOST_WORDS} more"] if len(told) > _MOST_WORDS else []
            x = plots.x_of(plots.panels[0], self.time_s)
            anchor = "w" if x < (left + right) / 2 else "e"
            x += (8 if anchor == "w" else -8) * self._ui
            lines = [*told[:_MOST_WORDS], *more]
            y = top + (len(lines) * _ROW_PX / 2 + 6) * self._ui
            self._plate(lines, x, y, plots.theme.card, plots.theme.text, anchor)

    def _plate(self, lines: list[str], x: float, y: float, ground: str, colour: str, anchor: Any) -> None:
        text = self._canvas.create_text(
            x, y, text="\n".join(lines), anchor=anchor, fill=colour, font=self._font, tags="overlay",
        )  # fmt: skip
        x0, y0, x1, y1 = self._canvas.bbox(text)
        plate = self._canvas.create_rectangle(
            x0 - 4, y0 - 2, x1 + 4, y1 + 2, fill=ground, outline=self._plots.theme.edge, tags="overlay"
        )
        self._canvas.tag_lower(plate, text)


def value_at(line: Curve, time_s: float | None) -> float | None:
    """The value of a curve at a time: that of the last sample before it; None before the first and after the last.

    Args:
        time_s: None for the newest.
    """
    times, values = line.data
    if not times.size:
        return None
    if time_s is None:
        return float(values[-1])
    gap_s = float(times[-1] - times[0]) / max(1, times.size - 1)
    at = int(np.searchsorted(times, time_s, "right")) - 1
    if at < 0 or time_s > times[-1] + gap_s:
        return None
    return float(values[at])


def format_value(value: float) -> str:
    """A value with three significant digits, without powers of ten up to a million."""
    return f"{value:.0f}" if 100 <= abs(value) < 1e6 else f"{value:.3g}"


def shorten(text: str, wide_px: float, font: tkfont.Font) -> str:
    """A text as far as there is room for it."""
    if font.measure(text) <= wide_px:
        return text
    while text and font.measure(f"{text}…") > wide_px:
        text = text[:-1]
    return f"{text}…"
