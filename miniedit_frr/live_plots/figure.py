"""Plots of a run in a figure: a panel for each quantity, over one time axis.

A frame is cheap: axes, ticks and titles are drawn seldom and kept as a picture, on which the curves are drawn. So
scales stay as they are until a curve leaves them. Nothing here knows a window.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from frrlib.picture.theme import LIGHT, Theme
from miniedit_frr.live.curves import MOST_BINS, Curve, LiveQuantity, TimeWindow, nice_above, time_window
from miniedit_frr.live.phases import PHASES
from miniedit_frr.live.quantities import BY_KEY, bands
from miniedit_frr.live.samples import LiveRun
from miniedit_frr.live_plots.looks import PlotColors, mark_color, phase_color

#: Space around panels at a scaling of 1, in pixels: left for numbers, above for a title, below for the time, and right
#: for the values beside the pointer.
LEFT, ABOVE, BELOW, RIGHT = 46, 21, 34, 150
#: Space below panels that are side by side, which have little space.
BELOW_WIDE = 24
#: Panels are side by side if the figure's width is more than this multiple of its height.
_WIDE = 2.6
#: A scale is reduced if its curves fill less than this share of it.
_FILLED = 0.3
_SMALL_PT, _TITLE_PT = 7.5, 8.5
#: Marks of one kind closer than these shares of the axis are merged; the larger one is for frequent kinds.
_APART, _APART_MANY = 0.003, 0.02
#: Minimum width of a rate's bin.
_BIN_PX = 3
#: Size of dots.
_DOT_PT = 2.5


@dataclass(eq=False)
class QuantityAxes:
    """The axes of a quantity.

    Attributes:
        quantity: the quantity that is shown.
        axes: matplotlib's axes.
        top: the maximum of its scale.
        lines: its visible curves.
    """

    quantity: LiveQuantity
    axes: Axes
    top: float = 0.0
    lines: Sequence[Curve] = ()


class PlotFigure:
    """The panels of a figure.

    Args:
        figure: an empty one, with its canvas.
        ui: pixels per unit, according to the screen's scaling.
        is_still: whether there is only one frame, for a file of any kind.

    Attributes:
        figure: the figure.
        panels: the visible panels, from the top or the left.
        view: the visible time window.
        hidden: subjects whose curves are not shown: "flow:f1", "queue:l2:r1-h2", "run:all flows".
        frames, redraws: number of times that curves, and that everything was drawn.
        values_right: whether there is space for values at the right of the panels.
        above_px: space above all panels, in pixels.
        is_wide: whether panels stand side by side.
    """

    def __init__(self, figure: Figure, ui: float = 1.0, theme: Theme = LIGHT, *, is_still: bool = False) -> None:
        self.figure, self.theme, self._ui = figure, theme, ui
        self._moves = not is_still
        self.panels: list[QuantityAxes] = []
        self.view = TimeWindow(0.0, 10.0, 0.1)
        self.hidden: set[str] = set()
        self.frames = self.redraws = 0
        self.values_right, self.above_px, self.is_wide = True, 0.0, False
        self._artists: dict[tuple[str, str, str, str], Line2D] = {}
        self._bands: list[PolyCollection] = []
        self._background: Any = None
        self._is_stale = True
        self._marked: tuple[Any, ...] = ()
        figure.canvas.mpl_connect("draw_event", self._draw_finished)

    # --- contents ---

    def choose(self, keys: Sequence[str]) -> None:
        """Show these quantities."""
        self.figure.clear()
        self._artists, self._bands, self._marked = {}, [], ()
        self.panels = [
            QuantityAxes(BY_KEY[key], self.figure.add_axes((0.1, 0.1, 0.8, 0.8), label=key))
            for key in keys
            if key in BY_KEY
        ]
        self.lay_out()

    def set_theme(self, theme: Theme) -> None:
        """Draw in a theme's colors."""
        self.theme = theme
        self.lay_out()

    def lay_out(self) -> None:
        """Arrange the panels in the figure at its current size."""
        wide, high = self.figure.bbox.width, self.figure.bbox.height
        usable = high - self.above_px
        ui, count = self._ui, max(1, len(self.panels))
        below = (BELOW_WIDE if wide > _WIDE * high and self.values_right else BELOW) * ui
        self.is_wide = wide > _WIDE * high and self.values_right
        margin = RIGHT * ui if self.values_right and not self.is_wide else 12 * ui
        top, unit = usable, (usable - below) / (sum(panel.quantity.share for panel in self.panels) or 1.0)
        for index, panel in enumerate(self.panels):
            if self.is_wide:
                size = wide / count
                box = (index * size + LEFT * ui, below, size - (LEFT + 10) * ui, usable - ABOVE * ui - below)
            else:
                size = unit * panel.quantity.share
                top -= size
                box = (LEFT * ui, top + 4 * ui, wide - LEFT * ui - margin, size - (ABOVE + 4) * ui)
            x, y, w, h = box
            panel.axes.set_position((x / wide, y / high, max(w, 1) / wide, max(h, 1) / high))
            self._style(panel, is_last=self.is_wide or index == count - 1)
        self._is_stale = True

    def _style(self, panel: QuantityAxes, is_last: bool) -> None:
        theme, axes = self.theme, panel.axes
        self.figure.set_facecolor(theme.canvas)
        axes.set_facecolor(theme.canvas)
        unit = f" ({panel.quantity.unit})" if panel.quantity.unit else ""
        note = f"  ·  {panel.quantity.note}" if panel.quantity.note and not self.is_wide else ""
        axes.set_title(f"{panel.quantity.title}{unit}{note}", loc="left", fontsize=_TITLE_PT, color=theme.text, pad=4)
        axes.tick_params(labelsize=_SMALL_PT, colors=theme.faint, length=3, width=0.7, labelbottom=is_last)
        axes.grid(True, color=theme.grid, linewidth=0.7)
        axes.set_axisbelow(True)
        axes.set_xlabel(
            "time since the start of all flows (s)" if is_last and not self.is_wide else "",
            fontsize=_SMALL_PT,
            color=theme.faint,
        )
        for side in ("left", "bottom", "top", "right"):
            axes.spines[side].set(visible=side in ("left", "bottom"), color=theme.edge, linewidth=0.8)
        axes.xaxis.set_major_locator(MaxNLocator(5 if self.is_wide else 10, steps=[1, 2, 5, 10]))
        axes.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))

    # --- a frame ---

    def show(self, run: LiveRun, from_s: float, to_s: float) -> None:
        """Draw the run in a span of time, in seconds."""
        wide = min((panel.axes.bbox.width for panel in self.panels), default=0.0)
        view = time_window(run, from_s, to_s, max(20, min(MOST_BINS, round(wide / (_BIN_PX * self._ui)))))
        if (view.from_s, view.to_s) != (self.view.from_s, self.view.to_s):
            self._is_stale = True
        self.view = view
        colors = PlotColors(run, self.theme)
        for artist in self._artists.values():
            artist.set_visible(False)
        for panel in self.panels:
            panel.lines = [line for line in panel.quantity.lines(run, view) if not self._is_hidden(line)]
            if panel.quantity.key == "phases":
                self._show_bands(panel, run)
                continue
            for line in panel.lines:
                self._draw_curve(panel, line, colors)
            self._scale(panel)
        self._mark(run)
        self._draw()

    def _is_hidden(self, line: Curve) -> bool:
        return f"{line.of}:{line.subject}" in self.hidden

    def _draw_curve(self, panel: QuantityAxes, line: Curve, colors: PlotColors) -> None:
        look = colors.of_line(line)
        key = (panel.quantity.key, line.of, line.subject, line.style)
        artist = self._artists.get(key)
        if artist is None:
            (artist,) = panel.axes.plot([], [], animated=self._moves)
            self._artists[key] = artist
        is_dots = line.style in ("dots", "resent")
        artist.set(
            visible=True, color=look.colour, linewidth=look.width, linestyle="none" if is_dots else look.line_style,
            marker="o" if is_dots else "", markersize=_DOT_PT,
            zorder=2.7 if line.style == "resent" else {"run": 1.5, "queue": 2.0}.get(line.of, 2.5),
        )  # fmt: skip
        artist.set_data(*line.data)

    def _scale(self, panel: QuantityAxes) -> None:
        """Fit the scale to all curves. It stays unchanged if they fill it well."""
        highest = max((float(line.data[1].max()) for line in panel.lines if line.data[1].size), default=0.0)
        new_top = panel.quantity.top or nice_above(highest * 1.04)
        if highest > panel.top or highest < _FILLED * panel.top or not panel.top:
            panel.top = new_top
        end = panel.top * (1.05 if panel.quantity.top else 1.0)  # a curve at the maximum is visible, too
        if panel.axes.get_ylim() != (0.0, end):
            panel.axes.set_ylim(0.0, end)
            self._is_stale = True

    def _show_bands(self, panel: QuantityAxes, run: LiveRun) -> None:
        """Show BBR's phases: a lane for each flow, a color for each phase."""
        visible = [band for band in bands(run, self.view) if f"flow:{band.subject}" not in self.hidden]
        names = list(dict.fromkeys(band.subject for band in visible))
        if [label.get_text() for label in panel.axes.get_yticklabels()] != names or panel.top != max(1, len(names)):
            panel.top = max(1, len(names))
            panel.axes.set_ylim(panel.top, 0)
            panel.axes.set_yticks([index + 0.5 for index in range(len(names))], names)
            self._is_stale = True
        if not self._bands:
            self._bands = [PolyCollection([], animated=self._moves, linewidths=0) for _ in PHASES]
            for collection in self._bands:
                panel.axes.add_collection(collection, autolim=False)
        for phase, collection in enumerate(self._bands):
            collection.set_facecolor(phase_color(phase, self.theme))
            collection.set_verts(
                [_corners(band.from_s, band.to_s, names.index(band.subject)) for band in visible if band.phase == phase]
            )

    def _mark(self, run: LiveRun) -> None:
        """Draw lines for events. Lines of one kind that are close together are merged."""
        view = self.view
        last_s: dict[str, float] = {}
        marks = []
        for marker in run.markers(view.from_s, view.to_s):
            gap_s = (view.to_s - view.from_s) * (_APART_MANY if marker.kind in ("rate", "route") else _APART)
            if marker.time_s - last_s.get(marker.kind, -math.inf) >= gap_s:
                last_s[marker.kind] = marker.time_s
                marks.append((round(marker.time_s, 3), marker.kind))
        if self._marked == (state := (tuple(marks), self.theme.name, len(self.panels))):
            return
        self._marked, self._is_stale = state, True
        for panel in self.panels:
            for old in [collection for collection in panel.axes.collections if isinstance(collection, LineCollection)]:
                old.remove()
            if marks:
                lines = [[(at_s, 0), (at_s, 1)] for at_s, _ in marks]
                panel.axes.add_collection(
                    LineCollection(
                        lines, colors=[mark_color(kind, self.theme) for _, kind in marks], linewidths=0.9,
                        linestyles=[":" if kind in ("flow", "route") else "-" for _, kind in marks], alpha=0.8,
                        transform=panel.axes.get_xaxis_transform(), zorder=1.2,
                    ),
                    autolim=False,
                )  # fmt: skip

    # --- drawing ---

    def _draw(self) -> None:
        self.frames += 1
        canvas: Any = self.figure.canvas
        if self._is_stale or self._background is None or not hasattr(canvas, "restore_region"):
            for panel in self.panels:
                panel.axes.set_xlim(self.view.from_s, self.view.to_s)
            self._is_stale = False
            canvas.draw()  # ends in _draw_finished
            return
        canvas.restore_region(self._background)
        self._draw_curves()
        canvas.blit(self.figure.bbox)

    def _draw_finished(self, event: Any) -> None:
        """Everything except the curves has been drawn: store it as background, and draw the curves."""
        canvas: Any = self.figure.canvas
        self.redraws += 1
        if hasattr(canvas, "copy_from_bbox"):
            self._background = canvas.copy_from_bbox(self.figure.bbox)
        self._draw_curves()

    def _draw_curves(self) -> None:
        for panel in self.panels:
            for artist in (*panel.axes.collections, *sorted(panel.axes.lines, key=lambda line: line.get_zorder())):
                if artist.get_animated() and artist.get_visible():
                    panel.axes.draw_artist(artist)

    # --- positions ---

    def panel_at(self, x_px: float, y_px: float) -> QuantityAxes | None:
        """The panel under a pixel, counted from the top left."""
        return next((panel for panel in self.panels if _contains(self.box(panel), x_px, y_px)), None)

    def box(self, panel: QuantityAxes) -> tuple[float, float, float, float]:
        """The left, top, right and bottom of a panel, in pixels from the top left."""
        box, high = panel.axes.bbox, self.figure.bbox.height
        return box.x0, high - box.y1, box.x1, high - box.y0

    def time_at(self, panel: QuantityAxes, x_px: float) -> float:
        """The time under a pixel, in seconds."""
        x0, _, x1, _ = self.box(panel)
        share = (x_px - x0) / max(1.0, x1 - x0)
        return self.view.from_s + share * (self.view.to_s - self.view.from_s)

    def x_of(self, panel: QuantityAxes, time_s: float) -> float:
        """The pixel of a time."""
        x0, _, x1, _ = self.box(panel)
        return x0 + (time_s - self.view.from_s) / (self.view.to_s - self.view.from_s) * (x1 - x0)


def _corners(from_s: float, to_s: float, lane: int) -> list[tuple[float, float]]:
    return [(from_s, lane + 0.15), (to_s, lane + 0.15), (to_s, lane + 0.85), (from_s, lane + 0.85)]


def _contains(box: tuple[float, float, float, float], x: float, y: float) -> bool:
    x0, top, x1, bottom = box
    return x0 <= x <= x1 and top <= y <= bottom
