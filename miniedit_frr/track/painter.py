"""Paints the entries of the track on its paper; it knows no document and changes nothing."""

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

#: In units: the distance of hatches, the tip of an open end, half a mark, the narrowest tooth.
_HATCH, _TIP, _MARK, _LEAST_TOOTH = 7.0, 8.0, 6.0, 4.0
#: Shares of a killed daemon's bar that are left free above and below.
_THIN = 0.28


@dataclass
class TrackPainter(BackgroundPainter):
    """Paints a whole track.

    Attributes:
        past_s: earlier parts are dimmed; None for none.
    """

    past_s: float | None = None

    def paint(
        self, layout: Layout, selection: Collection[ScheduleKey], lanes: Collection[Key], hovered: ScheduleKey | None
    ) -> None:
        """Paint all anew.

        Args:
            lanes: the lanes that are selected.
            hovered: the entry under the pointer.
        """
        canvas, theme = self.canvas, self.theme
        canvas.delete("all")
        canvas.configure(background=theme.canvas)
        for band in layout.bands:
            self.ground(layout, band, lanes)
        self.grid(layout)
        for band in layout.bands:
            if band.row.has_values:
                self._drawn_line(layout, band)
            for entry in band.row.entries:
                if self._is_seen(layout, entry, band):
                    self._entry(layout, band, entry, entry.key in selection, entry.key == hovered)
        self._past(layout)
        canvas.tag_raise("entry-text")
        self._run_end(layout)
        self.names(layout, lanes)
        self.head(layout)

    # --- what is behind, and over it ---------------------------------------------------------------------------------

    def _drawn_line(self, layout: Layout, band: Band) -> None:
        until_s = max(layout.scene.until_s, layout.axis.end_s)
        line = outlines.staircase(band.row.steps, until_s, layout, band)
        if line:
            self._line(_moved(line, self.y(0)), fill=self.theme.faint, width=self.ui, dash=(2, 3))

    def _past(self, layout: Layout) -> None:
        if self.past_s is None:
            return
        theme, axis = self.theme, layout.axis
        x = axis.x_of(self.past_s)
        top, bottom = AXIS_HEIGHT * self.ui, self.y(layout.height)
        if x > axis.left and bottom > top:
            self.canvas.create_rectangle(
                axis.left, top, min(x, self.wide()), bottom, fill=theme.canvas, stipple="gray50", width=0, tags="past"
            )

    def _run_end(self, layout: Layout) -> None:
        """Where the flows are over, and with them the run."""
        x = layout.axis.x_of(layout.scene.run_s)
        if layout.scene.run_s and layout.axis.left < x <= layout.axis.right:
            self.canvas.create_line(
                x, AXIS_HEIGHT * self.ui, x, self.y(layout.height), fill=self.theme.faint, width=self.ui, tags="run-end"
            )

    # --- entries ---

    def _is_seen(self, layout: Layout, entry: Entry, band: Band) -> bool:
        box, axis = layout.box(entry, band), layout.axis
        return box.right >= axis.left and box.left <= axis.right + MARGIN * self.ui

    def _entry(self, layout: Layout, band: Band, entry: Entry, is_chosen: bool, is_hovered: bool) -> None:
        box = self._shown(layout.box(entry, band))
        line = self._outline(entry, is_chosen)
        width = max(1.0, (2.0 if is_chosen or is_hovered or entry.severity else 1.0) * self.ui)
        if entry.form == "line":
            self._values(layout, band, entry, line, is_chosen or is_hovered)
        elif entry.form == "teeth":
            self._teeth(layout, band, entry, line, width)
        elif entry.form == "mark":
            self._mark(box, entry, line, is_chosen)
        else:
            self._bar(box, entry, line, width)
        self._text(layout, band, entry, box)
        if entry.severity:
            self._badge(box, entry)

    def _shown(self, box: Box) -> Box:
        return Box(box.left, self.y(box.top), box.right, self.y(box.bottom))

    def _outline(self, entry: Entry, is_chosen: bool) -> str:
        theme = self.theme
        if is_chosen:
            return theme.accent
        if entry.severity:
            return theme.error if entry.severity == "error" else theme.warning
        return looks.line_color(entry, theme)

    def _bar(self, box: Box, entry: Entry, line: str, width: float) -> None:
        canvas, theme = self.canvas, self.theme
        colour = looks.line_color(entry, theme)
        body = box
        if entry.style == "killed":
            high = box.bottom - box.top
            body = Box(box.left, box.top + _THIN * high, box.right, box.bottom - _THIN * high)
        fill = looks.fill_color(entry, theme)
        if entry.form == "open":
            points = outlines.arrow(body, _TIP * self.ui)
            canvas.create_polygon(*points, fill=fill, outline=line, width=width, tags="bar")
            body = Box(body.left, body.top, max(body.left, body.right - _TIP * self.ui), body.bottom)
        else:
            canvas.create_rectangle(body.left, body.top, body.right, body.bottom, fill=fill, outline=line, width=width,
                                    tags="bar")  # fmt: skip
        if entry.style in looks.HATCHED:
            self._hatch(body, colour)
        if entry.style == "killed":
            self._cross((box.left, (box.top + box.bottom) / 2), line)

    def _hatch(self, box: Box, colour: str) -> None:
        inside = Box(max(box.left, 0.0), box.top, min(box.right, self.wide()), box.bottom)
        for low, top in outlines.hatch_lines(inside, _HATCH * self.ui):
            self.canvas.create_line(*low, *top, fill=colour, width=max(1.0, self.ui))

    def _cross(self, at: tuple[float, float], colour: str) -> None:
        r, width = _MARK * self.ui, 2.5 * self.ui
        for way in (1, -1):
            self.canvas.create_line(at[0] - r, at[1] - way * r, at[0] + r, at[1] + way * r, fill=colour, width=width)

    def _mark(self, box: Box, entry: Entry, line: str, is_chosen: bool) -> None:
        """A moment at which something is mended: a triangle that points up, on a line."""
        (x, y), r = box.center, _MARK * self.ui
        width = max(1.0, (2 if is_chosen else 1) * self.ui)
        self.canvas.create_line(x, box.top, x, box.bottom, fill=line, width=width)
        fill = looks.line_color(entry, self.theme)
        self.canvas.create_polygon(x - r, y + r * 0.8, x + r, y + r * 0.8, x, y - r, fill=fill, outline=line)

    def _teeth(self, layout: Layout, band: Band, entry: Entry, line: str, width: float) -> None:
        box = self._shown(layout.box(entry, band))
        self.canvas.create_line(box.left, box.top, box.right, box.top, fill=line, width=width)
        if width > self.ui and entry.times > 1:
            self._grip(layout.axis.x_of(entry.from_s + entry.period_s), box.top + 2 * self.ui, line)
        fill, colour = looks.fill_color(entry, self.theme), looks.line_color(entry, self.theme)
        for tooth in outlines.teeth(box, entry.times, _LEAST_TOOTH * self.ui):
            self.canvas.create_rectangle(tooth.left, tooth.top, tooth.right, tooth.bottom, fill=fill, outline=line,
                                         width=width)  # fmt: skip
            self._hatch(tooth, colour)

    def _values(self, layout: Layout, band: Band, entry: Entry, line: str, stands_out: bool) -> None:
        steps = _moved(outlines.staircase(entry.points, entry.until_s, layout, band), self.y(0))
        if not steps:
            return
        ground = self.y(band.bottom) - 2 * self.ui
        self.canvas.create_polygon(
            steps[0], ground, *steps, steps[-2], ground, fill=looks.fill_color(entry, self.theme), width=0
        )
        self._line(steps, fill=line, width=max(1.5, (2.6 if stands_out else 1.8) * self.ui))
        for edge in (steps[0], steps[-2]) if stands_out else ():
            self.canvas.create_line(edge, self.y(band.top) + 4 * self.ui, edge, ground, fill=line, width=self.ui)
        if stands_out and entry.period_s:
            self._grip(layout.axis.x_of(entry.from_s + entry.period_s), self.y(band.top) + 5 * self.ui, line)
        for value in entry.levels.values() if stands_out else ():
            y = self.y(layout.y_of(band, value))
            self.canvas.create_line(steps[0], y, steps[-2], y, fill=line, dash=(4, 3), width=self.ui)

    def _grip(self, x: float, y: float, colour: str) -> None:
        """Where the first period ends, which can be dragged."""
        r = 4 * self.ui
        self.canvas.create_polygon(x - r, y - r, x + r, y - r, x, y + r, fill=colour)

    def _line(self, points: list[float], **options: Any) -> None:
        if len(points) >= 4:
            self.canvas.create_line(*points, **options)

    def _badge(self, box: Box, entry: Entry) -> None:
        theme, r = self.theme, 5 * self.ui
        x, y = max(box.left, NAMES_WIDTH * self.ui + r), box.top + 1
        colour = theme.error if entry.severity == "error" else theme.warning
        self.canvas.create_oval(x - r, y - r, x + r, y + r, fill=colour, outline=theme.canvas, tags="badge")
        self.canvas.create_text(x, y, text="!", font=self.small, fill=theme.canvas)

    # --- texts at entries ---

    def _text(self, layout: Layout, band: Band, entry: Entry, box: Box) -> None:
        """The text of an entry: in it where it has room, else to its right, else cut."""
        theme, gap = self.theme, GAP * self.ui
        left = max(box.left, layout.axis.left)
        begin = left + gap + (_MARK * self.ui if entry.style == "killed" else 0.0)
        if entry.form == "line":
            self._value_text(layout, band, entry, begin, min(box.right, self.wide()))
            return
        wide, free = self.small.measure(entry.text), self._room(layout, band, entry)
        at, fill = begin, text_on(entry.color, theme) if entry.color else theme.text
        room = min(box.right, self.wide()) - begin - gap
        if entry.form in ("mark", "teeth") or (wide > room and free - box.right - 2 * gap > room):
            at, room, fill = box.right + gap, free - box.right - 2 * gap, theme.faint
        text = cut(entry.text, room, self.small)
        if not text:
            return
        y = (box.top + box.bottom) / 2
        fill = self._dimmed(layout, at, fill, bool(entry.color))
        if entry.style in looks.HATCHED and at == begin:
            self._plate(at, y, text, looks.fill_color(entry, theme))
        self.canvas.create_text(at, y, text=text, font=self.small, fill=fill, anchor="w", tags="entry-text")

    def _value_text(self, layout: Layout, band: Band, entry: Entry, begin: float, right: float) -> None:
        """The title of a line of values, below all values, so that no line runs through it."""
        text = cut(entry.text, right - begin - GAP * self.ui, self.small)
        y = self.y(band.bottom - 9 * self.ui)
        fill = self._dimmed(layout, begin, self.theme.text)
        self.canvas.create_text(begin, y, text=text, font=self.small, fill=fill, anchor="w", tags="entry-text")

    def _dimmed(self, layout: Layout, x: float, colour: str, on_colour: bool = False) -> str:
        """The colour of a text that begins there: in the past it is that of texts on the background."""
        is_past = self.past_s is not None and x < layout.axis.x_of(self.past_s)
        return (self.theme.text if on_colour else self.theme.faint) if is_past else colour

    def _plate(self, x: float, y: float, text: str, fill: str) -> None:
        half, wide = 0.55 * self.small.metrics("linespace"), self.small.measure(text)
        self.canvas.create_rectangle(x - 2 * self.ui, y - half, x + wide + 2 * self.ui, y + half, fill=fill, width=0)

    def _room(self, layout: Layout, band: Band, entry: Entry) -> float:
        """Where the next entry of the same line begins."""
        later = [layout.box(each, band).left for each in band.row.entries
                 if each.line == entry.line and each.from_s >= entry.until_s and each is not entry]  # fmt: skip
        return min((self.wide(), *later))


def _moved(points: list[float], down: float) -> list[float]:
    return [each + down if index % 2 else each for index, each in enumerate(points)]
