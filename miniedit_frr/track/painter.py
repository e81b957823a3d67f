"""Paints the track: its background and its entries. It does not use the document."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from frrlib.edits.schedule import ScheduleKey
from frrlib.picture.colors import text_on
from frrlib.picture.geometry import Box
from frrlib.picture.scene import Key
from miniedit_frr.track import looks, outlines
from miniedit_frr.track.background import GAP, BackgroundPainter, cut
from miniedit_frr.track.layout import AXIS_HEIGHT, MARGIN, NAMES_WIDTH, Band, Layout
from miniedit_frr.track.scene import Entry

#: In units: the distance of hatch lines, the tip of an open end, half a mark, and the minimum width of a tooth.
_HATCH, _TIP, _MARK, _MIN_TOOTH = 7.0, 8.0, 6.0, 4.0
#: The share of a row above and below the bar of a killed daemon.
_KILLED_MARGIN = 0.28


@dataclass
class TrackPainter(BackgroundPainter):
    """Paints a whole track.

    Attributes:
        past_s: the time before which the track is dimmed; None for none.
    """

    past_s: float | None = None

    def paint(
        self, layout: Layout, selection: Collection[ScheduleKey], lanes: Collection[Key], hovered: ScheduleKey | None
    ) -> None:
        """Paint the whole track again.

        Args:
            selection: the selected entries.
            lanes: the selected lanes.
            hovered: the entry under the pointer.
        """
        canvas, theme = self.canvas, self.theme
        canvas.delete("all")
        canvas.configure(background=theme.canvas)
        for band in layout.bands:
            self.paint_row(layout, band, lanes)
        self.paint_grid(layout)
        for band in layout.bands:
            if band.row.has_values:
                self._paint_steps(layout, band)
            for entry in band.row.entries:
                if self._is_visible(layout, entry, band):
                    self._paint_entry(layout, band, entry, entry.key in selection, entry.key == hovered)
        self._dim_past(layout)
        canvas.tag_raise("entry-text")
        self._paint_run_end(layout)
        self.paint_names(layout, lanes)
        self.paint_axis(layout)

    # --- below and above the entries --------------------------------------------------------------------------------

    def _paint_steps(self, layout: Layout, band: Band) -> None:
        until_s = max(layout.scene.until_s, layout.axis.end_s)
        line = outlines.staircase(band.row.steps, until_s, layout, band)
        if line:
            self._line(_moved(line, self.y(0)), fill=self.theme.faint, width=self.ui, dash=(2, 3))

    def _dim_past(self, layout: Layout) -> None:
        if self.past_s is None:
            return
        theme, axis = self.theme, layout.axis
        x = axis.x_of(self.past_s)
        top, bottom = AXIS_HEIGHT * self.ui, self.y(layout.height)
        if x > axis.left and bottom > top:
            self.canvas.create_rectangle(
                axis.left, top, min(x, self.width()), bottom, fill=theme.canvas, stipple="gray50", width=0, tags="past"
            )

    def _paint_run_end(self, layout: Layout) -> None:
        """Paint a line at the end of the flows and of the run."""
        x = layout.axis.x_of(layout.scene.run_s)
        if layout.scene.run_s and layout.axis.left < x <= layout.axis.right:
            self.canvas.create_line(
                x, AXIS_HEIGHT * self.ui, x, self.y(layout.height), fill=self.theme.faint, width=self.ui, tags="run-end"
            )

    # --- entries ---

    def _is_visible(self, layout: Layout, entry: Entry, band: Band) -> bool:
        box, axis = layout.box(entry, band), layout.axis
        return box.right >= axis.left and box.left <= axis.right + MARGIN * self.ui

    def _paint_entry(self, layout: Layout, band: Band, entry: Entry, is_selected: bool, is_hovered: bool) -> None:
        box = self._on_canvas(layout.box(entry, band))
        line = self._outline_color(entry, is_selected)
        width = max(1.0, (2.0 if is_selected or is_hovered or entry.severity else 1.0) * self.ui)
        if entry.form == "line":
            self._values(layout, band, entry, line, is_selected or is_hovered)
        elif entry.form == "teeth":
            self._teeth(layout, band, entry, line, width)
        elif entry.form == "mark":
            self._mark(box, entry, line, is_selected)
        else:
            self._bar(box, entry, line, width)
        self._paint_text(layout, band, entry, box)
        if entry.severity:
            self._badge(box, entry)

    def _on_canvas(self, box: Box) -> Box:
        return Box(box.left, self.y(box.top), box.right, self.y(box.bottom))

    def _outline_color(self, entry: Entry, is_selected: bool) -> str:
        theme = self.theme
        if is_selected:
            return theme.accent
        if entry.severity:
            return theme.error if entry.severity == "error" else theme.warning
        return looks.line_color(entry, theme)

    def _bar(self, box: Box, entry: Entry, line: str, width: float) -> None:
        canvas, theme = self.canvas, self.theme
        color = looks.line_color(entry, theme)
        body = box
        if entry.style == "killed":
            height = box.bottom - box.top
            body = Box(box.left, box.top + _KILLED_MARGIN * height, box.right, box.bottom - _KILLED_MARGIN * height)
        fill = looks.fill_color(entry, theme)
        if entry.form == "open":
            points = outlines.arrow(body, _TIP * self.ui)
            canvas.create_polygon(*points, fill=fill, outline=line, width=width, tags="bar")
            body = Box(body.left, body.top, max(body.left, body.right - _TIP * self.ui), body.bottom)
        else:
            canvas.create_rectangle(body.left, body.top, body.right, body.bottom, fill=fill, outline=line, width=width,
                                    tags="bar")  # fmt: skip
        if entry.style in looks.HATCHED:
            self._hatch(body, color)
        if entry.style == "killed":
            self._cross((box.left, (box.top + box.bottom) / 2), line)

    def _hatch(self, box: Box, color: str) -> None:
        inside = Box(max(box.left, 0.0), box.top, min(box.right, self.width()), box.bottom)
        for low, top in outlines.hatch_lines(inside, _HATCH * self.ui):
            self.canvas.create_line(*low, *top, fill=color, width=max(1.0, self.ui))

    def _cross(self, at: tuple[float, float], color: str) -> None:
        r, width = _MARK * self.ui, 2.5 * self.ui
        for direction in (1, -1):
            self.canvas.create_line(
                at[0] - r, at[1] - direction * r, at[0] + r, at[1] + direction * r, fill=color, width=width
            )

    def _mark(self, box: Box, entry: Entry, line: str, is_selected: bool) -> None:
        """Paint the moment of a repair: a triangle that points up, on a line."""
        (x, y), r = box.center, _MARK * self.ui
        width = max(1.0, (2 if is_selected else 1) * self.ui)
        self.canvas.create_line(x, box.top, x, box.bottom, fill=line, width=width)
        fill = looks.line_color(entry, self.theme)
        self.canvas.create_polygon(x - r, y + r * 0.8, x + r, y + r * 0.8, x, y - r, fill=fill, outline=line)

    def _teeth(self, layout: Layout, band: Band, entry: Entry, line: str, width: float) -> None:
        box = self._on_canvas(layout.box(entry, band))
        self.canvas.create_line(box.left, box.top, box.right, box.top, fill=line, width=width)
        if width > self.ui and entry.times > 1:
            self._paint_grip(layout.axis.x_of(entry.from_s + entry.period_s), box.top + 2 * self.ui, line)
        fill, color = looks.fill_color(entry, self.theme), looks.line_color(entry, self.theme)
        for tooth in outlines.teeth(box, entry.times, _MIN_TOOTH * self.ui):
            self.canvas.create_rectangle(tooth.left, tooth.top, tooth.right, tooth.bottom, fill=fill, outline=line,
                                         width=width)  # fmt: skip
            self._hatch(tooth, color)

    def _values(self, layout: Layout, band: Band, entry: Entry, line: str, is_emphasized: bool) -> None:
        steps = _moved(outlines.staircase(entry.points, entry.until_s, layout, band), self.y(0))
        if not steps:
            return
        ground = self.y(band.bottom) - 2 * self.ui
        self.canvas.create_polygon(
            steps[0], ground, *steps, steps[-2], ground, fill=looks.fill_color(entry, self.theme), width=0
        )
        self._line(steps, fill=line, width=max(1.5, (2.6 if is_emphasized else 1.8) * self.ui))
        for edge in (steps[0], steps[-2]) if is_emphasized else ():
            self.canvas.create_line(edge, self.y(band.top) + 4 * self.ui, edge, ground, fill=line, width=self.ui)
        if is_emphasized and entry.period_s:
            self._paint_grip(layout.axis.x_of(entry.from_s + entry.period_s), self.y(band.top) + 5 * self.ui, line)
        for value in entry.levels.values() if is_emphasized else ():
            y = self.y(layout.y_of(band, value))
            self.canvas.create_line(steps[0], y, steps[-2], y, fill=line, dash=(4, 3), width=self.ui)

    def _paint_grip(self, x: float, y: float, color: str) -> None:
        """Paint the end of the first period, which can be dragged."""
        r = 4 * self.ui
        self.canvas.create_polygon(x - r, y - r, x + r, y - r, x, y + r, fill=color)

    def _line(self, points: list[float], **options: Any) -> None:
        if len(points) >= 4:
            self.canvas.create_line(*points, **options)

    def _badge(self, box: Box, entry: Entry) -> None:
        theme, r = self.theme, 5 * self.ui
        x, y = max(box.left, NAMES_WIDTH * self.ui + r), box.top + 1
        color = theme.error if entry.severity == "error" else theme.warning
        self.canvas.create_oval(x - r, y - r, x + r, y + r, fill=color, outline=theme.canvas, tags="badge")
        self.canvas.create_text(x, y, text="!", font=self.small, fill=theme.canvas)

    # --- texts of entries ---

    def _paint_text(self, layout: Layout, band: Band, entry: Entry, box: Box) -> None:
        """Paint the text of an entry: inside if it fits, else at its right, else shortened."""
        theme, gap = self.theme, GAP * self.ui
        left = max(box.left, layout.axis.left)
        begin = left + gap + (_MARK * self.ui if entry.style == "killed" else 0.0)
        if entry.form == "line":
            self._paint_value_text(layout, band, entry, begin, min(box.right, self.width()))
            return
        text_width, next_start = self.small.measure(entry.text), self._next_start(layout, band, entry)
        at, fill = begin, text_on(entry.color, theme) if entry.color else theme.text
        room = min(box.right, self.width()) - begin - gap
        if entry.form in ("mark", "teeth") or (text_width > room and next_start - box.right - 2 * gap > room):
            at, room, fill = box.right + gap, next_start - box.right - 2 * gap, theme.faint
        text = cut(entry.text, room, self.small)
        if not text:
            return
        y = (box.top + box.bottom) / 2
        fill = self._dimmed(layout, at, fill, bool(entry.color))
        if entry.style in looks.HATCHED and at == begin:
            self._plate(at, y, text, looks.fill_color(entry, theme))
        self.canvas.create_text(at, y, text=text, font=self.small, fill=fill, anchor="w", tags="entry-text")

    def _paint_value_text(self, layout: Layout, band: Band, entry: Entry, begin: float, right: float) -> None:
        """Paint the title of a line of values below all values, so that no line crosses it."""
        text = cut(entry.text, right - begin - GAP * self.ui, self.small)
        y = self.y(band.bottom - 9 * self.ui)
        fill = self._dimmed(layout, begin, self.theme.text)
        self.canvas.create_text(begin, y, text=text, font=self.small, fill=fill, anchor="w", tags="entry-text")

    def _dimmed(self, layout: Layout, x: float, color: str, on_color: bool = False) -> str:
        """The color of a text that begins at `x`. In the past it has the color of texts on the background."""
        is_past = self.past_s is not None and x < layout.axis.x_of(self.past_s)
        return (self.theme.text if on_color else self.theme.faint) if is_past else color

    def _plate(self, x: float, y: float, text: str, fill: str) -> None:
        half, width = 0.55 * self.small.metrics("linespace"), self.small.measure(text)
        self.canvas.create_rectangle(x - 2 * self.ui, y - half, x + width + 2 * self.ui, y + half, fill=fill, width=0)

    def _next_start(self, layout: Layout, band: Band, entry: Entry) -> float:
        """The position of the next entry on the same line."""
        starts = [layout.box(other, band).left for other in band.row.entries
                 if other.line == entry.line and other.from_s >= entry.until_s and other is not entry]  # fmt: skip
        return min((self.width(), *starts))


def _moved(points: list[float], down: float) -> list[float]:
    return [coordinate + down if index % 2 else coordinate for index, coordinate in enumerate(points)]
