"""The overlay that follows the pointer on plots: a line at its time in every panel, and the values there.

Its items are above the figure's picture, so that nothing is redrawn when the pointer moves.
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
#: Maximum distance of events from the pointer that are shown.
_NEAR_PX = 5
_MOST_WORDS = 5


class Overlay:
    """The line and the values.

    Args:
        canvas: the widget with the figure's picture.

    Attributes:
        time_s: the time under the pointer; None if it is elsewhere.
    """

    def __init__(self, canvas: tk.Canvas, plots: PlotFigure, ui: float) -> None:
        self._canvas, self._plots, self._ui = canvas, plots, ui
        family = tkfont.nametofont("TkDefaultFont").actual("family")
        self._font = tkfont.Font(canvas, family=family, size=-round(_TEXT_PX * ui))
        self.time_s: float | None = None

    def point(self, x_px: float, y_px: float) -> None:
        """Set the position of the pointer."""
        panel = self._plots.panel_at(x_px, y_px)
        self.time_s = self._plots.time_at(panel, x_px) if panel is not None else None

    def band(self, from_px: float, to_px: float) -> None:
        """Show the span that a drag selects. With panels side by side, show it only in the panel under the drag."""
        wide = self._plots.is_wide
        for panel in self._plots.panels:
            x0, top, x1, bottom = self._plots.box(panel)
            if wide and not x0 <= from_px <= x1:
                continue
            color = self._plots.theme.accent
            self._canvas.create_rectangle(
                from_px, top, to_px, bottom, outline=color, fill=color, stipple="gray12", tags="overlay"
            )

    def show(self, run: LiveRun) -> None:
        """Draw the line and the values at it, or the newest values without the pointer."""
        self._canvas.delete("overlay")
        plots, colors = self._plots, PlotColors(run, self._plots.theme)
        for panel in plots.panels:
            if self.time_s is not None:
                self._line(panel)
            if plots.is_wide and self.time_s is None:
                continue
            self._values(panel, run, colors)
        if self.time_s is not None and plots.panels:
            self._time()
            self._show_events(run)

    def values(self, panel: QuantityAxes, run: LiveRun) -> list[tuple[Curve, str]]:
        """The texts of the values of a panel's curves at the pointer, or of the latest ones."""
        values = []
        for line in panel.lines:
            if line.style == "resent" or (line.style == "limit" and line.of != "run"):
                continue
            value = value_at(line, self.time_s)
            if value is not None:
                is_phase = panel.quantity.key == "phases"
                values.append((line, TITLES[int(value)] if is_phase else format_value(value)))
        return values

    def _line(self, panel: QuantityAxes) -> None:
        assert self.time_s is not None
        x0, top, x1, bottom = self._plots.box(panel)
        x = self._plots.x_of(panel, self.time_s)
        if x0 <= x <= x1:
            self._canvas.create_line(x, top, x, bottom, fill=self._plots.theme.faint, tags="overlay")

    def _values(self, panel: QuantityAxes, run: LiveRun, colors: PlotColors) -> None:
        rows = list(self._rows(panel, run, colors))
        x0, top, x1, bottom = self._plots.box(panel)
        ui, theme, canvas = self._ui, self._plots.theme, self._canvas
        step = _ROW_PX * ui
        room = max(1, int((bottom - top + 14 * ui) / step))
        if len(rows) > room:
            rows = [*rows[: room - 1], (f"{len(rows) - room + 1} more", "", theme.faint)]
        if not rows:
            return
        wide = (RIGHT - 16) * ui
        if self._plots.is_wide:
            wide = min(wide, (x1 - x0) - 4 * ui)
            canvas.create_rectangle(
                x1 - wide - 8 * ui, top, x1, top + len(rows) * step + 6 * ui, fill=theme.card,
                outline=theme.edge, tags="overlay",
            )  # fmt: skip
            x1 -= wide + 10 * ui
        y = top + 9 * ui
        for name, value, color in rows:
            x = x1 + 8 * ui
            label = shorten(name, wide - self._font.measure(value) - 6 * ui, self._font)
            canvas.create_text(x, y, text=label, anchor="w", fill=color, font=self._font, tags="overlay")
            canvas.create_text(
                x + wide - 4 * ui, y, text=value, anchor="e", fill=theme.text, font=self._font, tags="overlay"
            )
            y += step

    def _rows(self, panel: QuantityAxes, run: LiveRun, colors: PlotColors) -> Iterator[tuple[str, str, str]]:
        """Name, value and color of each row. The value of a related curve follows that of its curve."""
        texts: dict[tuple[str, str], list[str]] = {}
        first: dict[tuple[str, str], Curve] = {}
        for line, text in self.values(panel, run):
            texts.setdefault((line.of, line.subject), []).append(text)
            first.setdefault((line.of, line.subject), line)
        for key, values in texts.items():
            line = first[key]
            color = colors.of_line(line).colour
            if panel.quantity.key == "phases" and values[0] in TITLES:
                color = phase_color(TITLES.index(values[0]), self._plots.theme)
            yield curve_name(line, run), " · ".join(values), color

    def _time(self) -> None:
        last, theme = self._plots.panels[-1], self._plots.theme
        panels = self._plots.panels if self._plots.is_wide else [last]
        for panel in panels:
            assert self.time_s is not None
            x, (_, _, _, bottom) = self._plots.x_of(panel, self.time_s), self._plots.box(panel)
            self._plate([f"{self.time_s:.2f} s"], x, bottom + 9 * self._ui, theme.accent, theme.canvas, "center")

    def _show_events(self, run: LiveRun) -> None:
        """Show texts for the marks near the pointer."""
        plots = self._plots
        assert self.time_s is not None
        x0, top, x1, _ = plots.box(plots.panels[0])
        near_s = _NEAR_PX * self._ui / max(1.0, x1 - x0) * (plots.view.to_s - plots.view.from_s)
        events = [
            f"{marker.time_s:.2f} s: {marker.text}"
            for marker in run.markers(self.time_s - near_s, self.time_s + near_s)
        ]
        if events:
            remainder = [f"and {len(events) - _MOST_WORDS} more"] if len(events) > _MOST_WORDS else []
            x = plots.x_of(plots.panels[0], self.time_s)
            anchor = "w" if x < (x0 + x1) / 2 else "e"
            x += (8 if anchor == "w" else -8) * self._ui
            lines = [*events[:_MOST_WORDS], *remainder]
            y = top + (len(lines) * _ROW_PX / 2 + 6) * self._ui
            self._plate(lines, x, y, plots.theme.card, plots.theme.text, anchor)

    def _plate(self, lines: list[str], x: float, y: float, background: str, color: str, anchor: Any) -> None:
        text = self._canvas.create_text(
            x, y, text="\n".join(lines), anchor=anchor, fill=color, font=self._font, tags="overlay",
        )  # fmt: skip
        x0, y0, x1, y1 = self._canvas.bbox(text)
        plate = self._canvas.create_rectangle(
            x0 - 4, y0 - 2, x1 + 4, y1 + 2, fill=background, outline=self._plots.theme.edge, tags="overlay"
        )
        self._canvas.tag_lower(plate, text)


def value_at(line: Curve, time_s: float | None) -> float | None:
    """The value of a curve at a time, from the last sample before it; None before the first and after the last sample.

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
    """A text, truncated to the available width."""
    if font.measure(text) <= wide_px:
        return text
    while text and font.measure(f"{text}…") > wide_px:
        text = text[:-1]
    return f"{text}…"
