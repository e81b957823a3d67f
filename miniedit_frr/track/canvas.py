"""The canvas of the track: shows the visible part of a scene, and the preview of a gesture."""

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
        make_scene: makes the scene of a topology, given the fixed values at the upper edges of rows.

    Attributes:
        edits: the edits of drags and keys.
        document: the document with the plan.
        layout: the visible scene with its positions.
        lanes: the keys of the lanes that are selected on the drawing.
        hovered: the entry under the pointer.
        pointer: the position of the pointer in pixels, for the text of a drag.
        on_scroll: called after scrolling with "x" or "y", and the start and end of the visible part, 0 to 1.
    """

    def __init__(
        self,
        parent: tk.Misc,
        ui: float,
        theme: Theme,
        edits: PlanEdits,
        make_scene: Callable[[Topology, RowTops], Scene],
    ) -> None:
        super().__init__(parent, highlightthickness=0, borderwidth=0, takefocus=True, height=round(190 * ui))
        self.ui, self.edits, self.document, self._make_scene = ui, edits, edits.document, make_scene
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
        self._drag_text = ""
        self.pointer: tuple[float, float] = (0.0, 0.0)
        self._playhead_s: float | None = None
        self._painting = DeferredCall(self, self._paint)
        edits.on_select.append(self.show)
        self.bind("<Configure>", lambda event: self.show())
        self.bind("<Map>", lambda event: self._painting.soon(), add=True)
        for sequence, has_keys in (("<FocusIn>", True), ("<FocusOut>", False)):
            self.bind(sequence, lambda event, has_keys=has_keys: self._show_keys(has_keys))  # type: ignore[misc]

    # --- display ---------------------------------------------------------------------------------------------------

    def show(self, topology: Topology | None = None, selected: Collection[ScheduleKey] | None = None) -> None:
        """Show the plan of the document, or a preview of it.

        Args:
            topology: the topology with the plan; None for that of the document.
            selected: the selection in it.
        """
        if topology is None and self._is_preview:
            return
        tops = gestures.frozen_tops(self.layout) if topology is not None else {}
        scene = self._make_scene(topology or self.document.topology, tops)
        self._chosen = None if selected is None else frozenset(selected)
        width = max(self.winfo_width(), 100)
        axis = self._axis
        if topology is not None:
            axis = self.layout.axis
        elif axis is None:
            axis = fitted(width, scene.until_s, self.ui)
        else:
            fit = fitted(width, scene.until_s, self.ui)
            axis = Axis(fit.left, fit.right, axis.begin_s, axis.scale, self.ui).from_time(axis.begin_s, scene.until_s)
            self._axis = axis
        self.layout = layout_of(scene, axis)
        self._scroll_to(self._painter.scrolled)
        self._painting.soon()

    def _show_keys(self, has_keys: bool) -> None:
        self._painter.has_keys = has_keys
        self._painting.soon()

    def set_theme(self, theme: Theme) -> None:
        """Use the colors of another theme."""
        self._painter.theme = theme
        self._painting.soon()

    @property
    def theme(self) -> Theme:
        """The current theme."""
        return self._painter.theme

    def select_lanes(self, keys: Collection[Key]) -> None:
        """Highlight the lanes of these things, and scroll to a single one."""
        previous, self.lanes = self.lanes, frozenset(keys)
        if previous != self.lanes:
            changed = previous ^ self.lanes
            if any(band.lane.key in changed for band in self.layout.bands):
                self._painting.soon()
            if len(self.lanes) == 1:
                self._reveal(band for band in self.layout.bands if band.lane.key in self.lanes)

    def show_playhead(self, time_s: float | None) -> None:
        """Show the time of a run, in seconds after the start of its flows; None for no run."""
        self._playhead_s = self._painter.past_s = time_s
        self._painting.soon()

    @property
    def playhead_s(self) -> float | None:
        """The visible time of a run; None for no run."""
        return self._playhead_s

    def to_layout(self, x: float, y: float) -> tuple[float, float]:
        """Convert a pixel of the widget to the layout's coordinates: below the axis, without scrolling."""
        return x, y - AXIS_HEIGHT * self.ui + self._painter.scrolled

    def hover(self, hit: Hit | None) -> None:
        """Highlight the thing under the pointer."""
        previous, self.hovered = self.hovered, hit
        if (previous.entry.key if previous else None) != (hit.entry.key if hit else None):
            self._painting.soon()

    def _paint(self) -> None:
        if not self.winfo_ismapped():  # `<Map>` calls this again
            return
        selection = self.edits.selection if self._chosen is None else self._chosen
        hovered = self.hovered.entry.key if self.hovered is not None else None
        self._painter.paint(self.layout, selection, self.lanes, hovered)
        self._paint_over()

    def _paint_over(self) -> None:
        """Paint the layer above the track: the playhead, a frame, and the text beside the pointer."""
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
        text, (x, y) = self._drag_text, self.pointer
        if text:
            text_item = self.create_text(x + 14 * ui, y - 8 * ui, text=text, font=self._painter.font, fill=theme.text,
                                    anchor="sw", tags="words")  # fmt: skip
            left, top, right, bottom = self.bbox(text_item)
            over, up = min(0, self.winfo_width() - right - 8), max(0, 4 - top)
            self.move(text_item, over, up)
            plate = self.create_rectangle(left - 5 + over, top - 3 + up, right + 5 + over, bottom + 3 + up,
                                          fill=theme.card, outline=theme.edge)  # fmt: skip
            self.tag_lower(plate, text_item)

    # --- for gestures -----------------------------------------------------------------------------------------------

    @property
    def selection(self) -> frozenset[ScheduleKey]:
        """The selection."""
        return self.edits.selection

    def select(self, keys: Collection[ScheduleKey]) -> None:
        """Select these entries and no others."""
        self.edits.select(keys)
        self._painting.soon()

    def preview(self, topology: Topology, selected: Collection[ScheduleKey], text: str) -> None:
        """Show a changed plan, with a text beside the pointer."""
        self._drag_text, self._is_preview = text, True
        self.show(topology, selected)

    def preview_frame(self, frame: Box) -> None:
        """Show the frame of a selection."""
        self._frame = frame
        self._painting.soon()

    def end_preview(self) -> None:
        """Show the plan of the document."""
        self._is_preview, self._frame, self._drag_text, self._chosen = False, None, "", None
        self.show()

    def apply(self, label: str, change: ScheduleEdit) -> None:
        """Make an edit of the plan."""
        self.edits.apply(label, change)

    # --- the visible part -------------------------------------------------------------------------------------------

    def pan(self, right_px: float, down_px: float) -> None:
        """Scroll to the right and down."""
        self._scroll_to(self._painter.scrolled + down_px)
        self._painting.soon()
        if right_px:
            self._show_axis(self.layout.axis.begin_s + right_px / self.layout.axis.scale)

    def zoom(self, ratio: float, x: float | None = None) -> None:
        """Make seconds wider or narrower. The time at a pixel (by default the middle) keeps its position."""
        axis = self.layout.axis
        self._axis = axis.zoomed(ratio, (axis.left + axis.right) / 2 if x is None else x, self.layout.scene.until_s)
        self.show()

    def fit(self) -> None:
        """Show the whole track, also after later changes."""
        self._axis = None
        self.show()

    def _show_axis(self, begin_s: float) -> None:
        self._axis = self.layout.axis.from_time(begin_s, self.layout.scene.until_s)
        self.show()

    def _visible_height(self) -> float:
        """The height of the visible rows, in pixels."""
        return max(1.0, self.winfo_height() - AXIS_HEIGHT * self.ui)

    def _scroll_to(self, down: float) -> None:
        visible_px, height = self._visible_height(), self.layout.height
        self._painter.scrolled = max(0.0, min(down, height - visible_px))
        first_visible = self._painter.scrolled / max(height, 1.0)
        axis, until_s = self.layout.axis, max(self.layout.scene.until_s, 1e-6)
        for listener in self.on_scroll:
            listener("y", first_visible, min(1.0, first_visible + visible_px / max(height, 1.0)))
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
        elif band.bottom > self._painter.scrolled + self._visible_height():
            self._scroll_to(band.bottom - self._visible_height())
        self._painting.soon()

    def xview(self, *request: Any) -> None:  # type: ignore[override]
        """Handle a request of a scroll bar: "moveto" a share of the track, or "scroll" by steps or pages."""
        axis, until_s = self.layout.axis, self.layout.scene.until_s
        visible_s = axis.end_s - axis.begin_s
        begin_s = (
            float(request[1]) * until_s
            if request[0] == "moveto"
            else axis.begin_s + _requested_pages(request) * visible_s
        )
        self._show_axis(begin_s)

    def yview(self, *request: Any) -> None:  # type: ignore[override]
        """As `xview`, vertically."""
        down = float(request[1]) * self.layout.height if request[0] == "moveto" else self._painter.scrolled + (
            _requested_pages(request) * self._visible_height()
        )  # fmt: skip
        self._scroll_to(down)
        self._painting.soon()


def _requested_pages(request: tuple[Any, ...]) -> float:
    """The requested distance in windows: ("scroll", number, "units" or "pages")."""
    return int(request[1]) * (0.9 if str(request[2]).startswith("page") else 0.1)
