"""The canvas of the track: shows a part of a scene at a time, and the preview of a gesture."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Collection, Iterable, Mapping
from tkinter import font as tkfont
from typing import Any

from frrlib.edits.schedule import ScheduleEdit, ScheduleKey
from frrlib.model.topology import Topology
from frrlib.picture.geometry import Box
from frrlib.picture.scene import Key
from frrlib.picture.theme import Theme
from miniedit_frr.track import gestures
from miniedit_frr.track.commands import PlanEdits
from miniedit_frr.track.layout import AXIS_HEIGHT, Axis, Band, Hit, Layout, fitted, layout_of
from miniedit_frr.track.painter import TrackPainter
from miniedit_frr.track.scene import Scene
from miniedit_frr.widgets.deferred import DeferredCall

RowTops = Mapping[tuple[Key, str], float]


class TrackCanvas(tk.Canvas):
    """The track.

    Args:
        make: makes the scene of a drawing, with what the rims of rows stand for where that is fixed.

    Attributes:
        edits: what drags and keys do.
        document: the drawing.
        layout: what is shown, and where.
        lanes: the lanes that are selected on the drawing.
        hovered: the thing under the pointer.
        pointer: where the pointer is, in pixels: words of a drag stand there.
        on_scroll: called after another part is seen: "x" or "y", and where it begins and ends, 0 to 1.
    """

    def __init__(
        self, parent: tk.Misc, ui: float, theme: Theme, edits: PlanEdits, make: Callable[[Topology, RowTops], Scene]
    ) -> None:
        super().__init__(parent, highlightthickness=0, borderwidth=0, takefocus=True, height=round(190 * ui))
        self.ui, self.edits, self.document, self._make = ui, edits, edits.document, make
        family = tkfont.nametofont("TkDefaultFont").actual("family")
        fonts = [tkfont.Font(self, family=family, size=-round(size * ui), weight=weight)  # type: ignore[arg-type]
                 for size, weight in ((12, "normal"), (11, "normal"), (12, "bold"))]  # fmt: skip
        self._painter = TrackPainter(self, theme, ui, fonts[0], fonts[1], fonts[2])
        self.layout: Layout = layout_of(Scene(), fitted(800, 10, ui))
        self.lanes: frozenset[Key] = frozenset()
        self.hovered: Hit | None = None
        self.on_scroll: list[Callable[[str, float, float], None]] = []
        self._chosen: frozenset[ScheduleKey] | None = None
        self._axis: Axis | None = None
        self._is_preview = False
        self._frame: Box | None = None
        self._words = ""
        self.pointer: tuple[float, float] = (0.0, 0.0)
        self._playhead_s: float | None = None
        self._painting = DeferredCall(self, self._paint)
        edits.on_select.append(self.show)
        self.bind("<Configure>", lambda event: self.show())
        self.bind("<Map>", lambda event: self._painting.soon(), add=True)
        for sequence, has_keys in (("<FocusIn>", True), ("<FocusOut>", False)):
            self.bind(sequence, lambda event, has_keys=has_keys: self._show_keys(has_keys))  # type: ignore[misc]

    # --- what is shown ----------------------------------------------------------------------------------------------

    def show(self, topology: Topology | None = None, chosen: Collection[ScheduleKey] | None = None) -> None:
        """Show the plan of the document, or a preview of it.

        Args:
            topology: the drawing with the plan; None for the document's.
            chosen: the selection in it.
        """
        if topology is None and self._is_preview:
            return
        tops = gestures.frozen_tops(self.layout) if topology is not None else {}
        scene = self._make(topology or self.document.topology, tops)
        self._chosen = None if chosen is None else frozenset(chosen)
        width = max(self.winfo_width(), 100)
        axis = self._axis
        if topology is not None:
            axis = self.layout.axis
        elif axis is None:
            axis = fitted(width, scene.until_s, self.ui)
        else:
            fit = fitted(width, scene.until_s, self.ui)
            axis = Axis(fit.left, fit.right, axis.begin_s, axis.scale, self.ui).at(axis.begin_s, scene.until_s)
            self._axis = axis
        self.layout = layout_of(scene, axis)
        self._scroll_to(self._painter.scrolled)
        self._painting.soon()

    def _show_keys(self, has_keys: bool) -> None:
        self._painter.has_keys = has_keys
        self._painting.soon()

    def set_theme(self, theme: Theme) -> None:
        """Show everything in another theme's colours."""
        self._painter.theme = theme
        self._painting.soon()

    @property
    def theme(self) -> Theme:
        """The colours now."""
        return self._painter.theme

    def select_lanes(self, keys: Collection[Key]) -> None:
        """Highlight the lanes of these things; scroll to a single one."""
        before, self.lanes = self.lanes, frozenset(keys)
        if before != self.lanes:
            changed = before ^ self.lanes
            if any(band.lane.key in changed for band in self.layout.bands):
                self._painting.soon()
            if len(self.lanes) == 1:
                self._reveal(band for band in self.layout.bands if band.lane.key in self.lanes)

    def show_playhead(self, time_s: float | None) -> None:
        """Show the progress of a run, in seconds from the start of its flows; None for no run."""
        self._playhead_s = self._painter.past_s = time_s
        self._painting.soon()

    @property
    def playhead_s(self) -> float | None:
        """The progress of a run; None where none is shown."""
        return self._playhead_s

    def at(self, x: float, y: float) -> tuple[float, float]:
        """A pixel of the widget in the layout's coordinates: below the axis, before anything is scrolled."""
        return x, y - AXIS_HEIGHT * self.ui + self._painter.scrolled

    def hover(self, hit: Hit | None) -> None:
        """Highlight the thing under the pointer."""
        before, self.hovered = self.hovered, hit
        if (before.entry.key if before else None) != (hit.entry.key if hit else None):
            self._painting.soon()

    def _paint(self) -> None:
        if not self.winfo_ismapped():  # it will be asked again when it comes to be seen
            return
        chosen = self.edits.selection if self._chosen is None else self._chosen
        hovered = self.hovered.entry.key if self.hovered is not None else None
        self._painter.paint(self.layout, chosen, self.lanes, hovered)
        self._paint_over()

    def _paint_over(self) -> None:
        """The layer above the track: the playhead, a frame, words beside the pointer."""
        theme, ui, axis = self.theme, self.ui, self.layout.axis
        if self._playhead_s is not None and axis.left <= axis.x_of(self._playhead_s) <= self.winfo_width():
            x = axis.x_of(self._playhead_s)
            r, high = 5 * ui, AXIS_HEIGHT * ui
            self.create_line(x, high, x, self.winfo_height(), fill=theme.lit, width=max(1.0, 2 * ui), tags="playhead")
            self.create_polygon(x - r, high - 2 * r, x + r, high - 2 * r, x, high, fill=theme.lit)
        if self._frame is not None:
            down = AXIS_HEIGHT * ui - self._painter.scrolled
            box = self._frame
            self.create_rectangle(box.left, box.top + down, box.right, box.bottom + down, outline=theme.accent,
                                  dash=(4, 3), tags="frame")  # fmt: skip
        words, (x, y) = self._words, self.pointer
        if words:
            text = self.create_text(x + 14 * ui, y - 8 * ui, text=words, font=self._painter.font, fill=theme.text,
                                    anchor="sw", tags="words")  # fmt: skip
            left, top, right, bottom = self.bbox(text)
            over, up = min(0, self.winfo_width() - right - 8), max(0, 4 - top)
            self.move(text, over, up)
            plate = self.create_rectangle(left - 5 + over, top - 3 + up, right + 5 + over, bottom + 3 + up,
                                          fill=theme.card, outline=theme.edge)  # fmt: skip
            self.tag_lower(plate, text)

    # --- for gestures -----------------------------------------------------------------------------------------------

    @property
    def selection(self) -> frozenset[ScheduleKey]:
        """The selection."""
        return self.edits.selection

    def select(self, chosen: Collection[ScheduleKey]) -> None:
        """Select these entries and no others."""
        self.edits.select(chosen)
        self._painting.soon()

    def preview(self, topology: Topology, chosen: Collection[ScheduleKey], words: str) -> None:
        """Show the plan as it would be, with words beside the pointer."""
        self._words, self._is_preview = words, True
        self.show(topology, chosen)

    def preview_frame(self, frame: Box) -> None:
        """Show a frame."""
        self._frame = frame
        self._painting.soon()

    def end_preview(self) -> None:
        """Show the plan as it is."""
        self._is_preview, self._frame, self._words, self._chosen = False, None, "", None
        self.show()

    def apply(self, label: str, change: ScheduleEdit) -> None:
        """Make an edit."""
        self.edits.apply(label, change)

    # --- the part that is seen --------------------------------------------------------------------------------------

    def pan(self, right_px: float, down_px: float) -> None:
        """Scroll to the right and down."""
        self._scroll_to(self._painter.scrolled + down_px)
        self._painting.soon()
        if right_px:
            self._show_axis(self.layout.axis.begin_s + right_px / self.layout.axis.scale)

    def zoom(self, ratio: float, x: float | None = None) -> None:
        """Make seconds wider or narrower; the time at a pixel (the middle's by default) stays there."""
        axis = self.layout.axis
        self._axis = axis.zoomed(ratio, (axis.left + axis.right) / 2 if x is None else x, self.layout.scene.until_s)
        self.show()

    def fit(self) -> None:
        """Show the whole track, from now on too."""
        self._axis = None
        self.show()

    def _show_axis(self, begin_s: float) -> None:
        self._axis = self.layout.axis.at(begin_s, self.layout.scene.until_s)
        self.show()

    def _room(self) -> float:
        """How many pixels of rows are visible at once."""
        return max(1.0, self.winfo_height() - AXIS_HEIGHT * self.ui)

    def _scroll_to(self, down: float) -> None:
        room, high = self._room(), self.layout.height
        self._painter.scrolled = max(0.0, min(down, high - room))
        seen = self._painter.scrolled / max(high, 1.0)
        axis, until_s = self.layout.axis, max(self.layout.scene.until_s, 1e-6)
        for listener in self.on_scroll:
            listener("y", seen, min(1.0, seen + room / max(high, 1.0)))
            listener("x", axis.begin_s / until_s, min(1.0, axis.end_s / until_s))

    def reveal(self, key: ScheduleKey) -> None:
        """Scroll so that an entry is visible."""
        self._reveal(band for band in self.layout.bands if any(entry.key == key for entry in band.row.entries))

    def _reveal(self, bands: Iterable[Band]) -> None:
        """Scroll so that the first of some rows is visible."""
        band = next(iter(bands), None)
        if band is None:
            return
        if band.top < self._painter.scrolled:
            self._scroll_to(band.top)
        elif band.bottom > self._painter.scrolled + self._room():
            self._scroll_to(band.bottom - self._room())
        self._painting.soon()

    def xview(self, *how: Any) -> None:  # type: ignore[override]
        """The request of a scroll bar: "moveto" a share of the track, or "scroll" by steps or pages."""
        axis, until_s = self.layout.axis, self.layout.scene.until_s
        seen_s = axis.end_s - axis.begin_s
        begin_s = float(how[1]) * until_s if how[0] == "moveto" else axis.begin_s + _way(how) * seen_s
        self._show_axis(begin_s)

    def yview(self, *how: Any) -> None:  # type: ignore[override]
        """As `xview`, up and down."""
        down = float(how[1]) * self.layout.height if how[0] == "moveto" else self._painter.scrolled + (
            _way(how) * self._room()
        )  # fmt: skip
        self._scroll_to(down)
        self._painting.soon()


def _way(how: tuple[Any, ...]) -> float:
    """How many windows to scroll: ("scroll", number, "units" or "pages")."""
    return int(how[1]) * (0.9 if str(how[2]).startswith("page") else 0.1)
