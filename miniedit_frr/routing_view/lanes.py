"""Lanes over time: the events of each node or protocol, as marks whose shapes show their kinds."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Mapping, Sequence

from frrlib.picture.theme import Theme
from miniedit_frr.live.timeline import KINDS, TimelineItem, lane_of, lanes
from miniedit_frr.widgets.deferred import DeferredCall

_ROW, _HEAD, _LABEL, _RIM = 24.0, 22.0, 96.0, 14.0
#: Steps of the time axis, in seconds.
_TICKS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600)
#: Minimum distance of two marks of one kind; marks that are closer are not drawn.
_SAME_PX = 2.0


class TimelineLanes(tk.Canvas):
    """The lanes of some items. Ctrl and the wheel zoom, a drag pans, and a double click shows everything.

    Attributes:
        on_pick: called with the number of a clicked item.
        name_of: returns the title of a node or link.
        span_s: visible time before the newest item, in seconds; 0 for all.
    """

    def __init__(self, parent: tk.Misc, ui: float, theme: Theme) -> None:
        super().__init__(parent, highlightthickness=0, background=theme.canvas, height=round(190 * ui))
        self._ui, self._theme = ui, theme
        self.on_pick: Callable[[int], None] = lambda number: None
        self.name_of: Callable[[str], str] = lambda where: where
        self.span_s = 0.0
        self._part: tuple[float, float] | None = None
        self._drag_start: tuple[int, tuple[float, float]] | None = None
        self._items: Sequence[TimelineItem] = ()
        self._by, self._zero_s, self._selected = "where", 0.0, 0
        self._drawing = DeferredCall(self, self._draw)
        self.bind("<Configure>", lambda event: self._drawing.soon())
        self.bind("<Button-1>", self._press)
        for sequence, step in (("<Button-4>", -1), ("<Button-5>", 1)):
            self.bind(sequence, lambda event, step=step: self.yview_scroll(step * 2, "units"))  # type: ignore[misc]
        for sequence, ratio in (("<Control-Button-4>", 0.7), ("<Control-Button-5>", 1 / 0.7)):
            self.bind(sequence, lambda event, ratio=ratio: self._zoom(event.x, ratio))  # type: ignore[misc]
        self.bind("<Control-MouseWheel>", lambda event: self._zoom(event.x, 0.7 if event.delta > 0 else 1 / 0.7))
        self.bind("<B1-Motion>", self._drag)
        self.bind("<Double-Button-1>", lambda event: self._show_part(None))
        self.bind("<MouseWheel>", lambda event: self.yview_scroll(-2 if event.delta > 0 else 2, "units"))
        self.configure(yscrollincrement=round(_ROW * ui / 2))

    def show_last(self, span_s: float) -> None:
        """Show only the last seconds, and follow new items; 0 for all."""
        self.span_s = span_s
        self._show_part(None)

    def show(self, items: Sequence[TimelineItem], by: str, zero_s: float, selected: int = 0) -> None:
        """Show these items.

        Args:
            by: "where" for one lane per node or link, "protocol" for one per protocol.
            zero_s: the zero of the time axis.
            selected: number of the highlighted item; 0 for none.
        """
        self._items, self._by, self._zero_s, self._selected = items, by, zero_s, selected
        self._drawing.soon()

    def _draw(self) -> None:
        self.delete("all")
        width, ui = self.winfo_width(), self._ui
        if not self._items or width < 50:
            return
        first, last = self.shown_span_s
        visible = [item for item in self._items if item.until_s >= first and item.time_s <= last]
        names = lanes(self._items, self._by)
        rows = {name: index for index, name in enumerate(names)}
        x0, x1 = self._axis_ends()
        bottom = (_HEAD + _ROW * len(names)) * ui

        def x_of(time_s: float) -> float:
            return x0 + (x1 - x0) * max(0.0, time_s - first) / (last - first)

        self._lines(names, width, bottom)
        self._axis(first, last, x_of, bottom)
        last_x: dict[tuple[int, str], float] = {}
        for item in visible:
            row = rows[lane_of(item, self._by)]
            y = (_HEAD + _ROW * (row + 0.5)) * ui
            x, until = x_of(item.time_s), x_of(item.until_s)
            if (
                item.number != self._selected
                and x - last_x.get((row, item.kind), -9.0) < _SAME_PX
                and until - x < _SAME_PX
            ):
                continue
            last_x[row, item.kind] = max(x, until)
            self._mark(item, x, until, y)
        self.tag_raise("chosen")
        self.configure(scrollregion=(0, 0, width, bottom))

    def _show_part(self, part: tuple[float, float] | None) -> None:
        self._part = part
        self._drawing.soon()

    def _zoom(self, x: float, ratio: float) -> None:
        """Show a longer or shorter time. The time under the pointer stays in place."""
        if self._items:
            first, last = self.shown_span_s
            x0, x1 = self._axis_ends()
            at = first + (last - first) * min(1.0, max(0.0, (x - x0) / (x1 - x0)))
            self._show_part((at - (at - first) * ratio, at + (last - at) * ratio))

    def _drag(self, event: tk.Event) -> None:
        if self._drag_start is not None and self._items:
            began_x, (first, last) = self._drag_start
            x0, x1 = self._axis_ends()
            offset_s = (began_x - event.x) * (last - first) / (x1 - x0)
            if self._part is not None or abs(began_x - event.x) > 5 * self._ui:
                self._show_part((first + offset_s, last + offset_s))

    def _axis_ends(self) -> tuple[float, float]:
        """The ends of the axis, in pixels."""
        x0 = (_LABEL + _RIM) * self._ui
        return x0, max(x0 + 1, self.winfo_width() - _RIM * self._ui)

    @property
    def shown_span_s(self) -> tuple[float, float]:
        """The begin and the end of the shown time."""
        if self._part is not None:
            return self._part[0], max(self._part[1], self._part[0] + 0.001)
        last = max(item.until_s for item in self._items)
        first = min(item.time_s for item in self._items)
        if self.span_s:
            first = max(first, last - self.span_s)
        return first, max(last, first + 0.01)

    def _lines(self, names: Sequence[str], width: float, bottom: float) -> None:
        theme, ui = self._theme, self._ui
        for index, name in enumerate(names):
            top = (_HEAD + _ROW * index) * ui
            if index % 2 == 0:
                self.create_rectangle(0, top, width, top + _ROW * ui, fill=theme.card, width=0)
            self.create_text(
                _LABEL * ui, top + _ROW * ui / 2, text=_truncate(self.name_of(name)), anchor="e", fill=theme.text
            )
        self.create_line((_LABEL + _RIM / 2) * ui, 0, (_LABEL + _RIM / 2) * ui, bottom, fill=theme.edge)

    def _axis(self, first: float, last: float, x_of: Callable[[float], float], bottom: float) -> None:
        theme, ui = self._theme, self._ui
        room = max(1.0, (self.winfo_width() - _LABEL * ui) / (90 * ui))
        step = next((tick for tick in _TICKS if (last - first) / tick <= room), 7200)
        tick = -(-(first - self._zero_s) // step)
        while tick * step + self._zero_s <= last:
            x = x_of(tick * step + self._zero_s)
            self.create_line(x, _HEAD * ui * 0.75, x, bottom, fill=theme.grid)
            self.create_text(x, _HEAD * ui / 2, text=f"{tick * step:g} s", fill=theme.faint)
            tick += 1

    def _mark(self, item: TimelineItem, x: float, until: float, y: float) -> None:
        color = lane_colors(self._theme)[item.kind]
        r = 5.5 * self._ui
        tags = ("mark", f"item-{item.number}")
        if item.number == self._selected:
            self.create_rectangle(
                x - 1.7 * r, y - 1.7 * r, max(until, x) + 1.7 * r, y + 1.7 * r, outline=self._theme.accent,
                width=max(1.5, 2 * self._ui), tags="chosen",
            )  # fmt: skip
        if item.kind == "routes":
            self.create_rectangle(
                x - r * 0.6, y - r * 0.8, max(until, x) + r * 0.6, y + r * 0.8, fill=color, width=0, tags=tags
            )
        elif item.kind == "note":
            self.create_line(x, y - r * 1.3, x, y + r * 1.3, fill=color, width=max(1.5, 2 * self._ui), tags=tags)
        elif item.kind == "adjacency-change":
            self.create_oval(x - r * 0.8, y - r * 0.8, x + r * 0.8, y + r * 0.8, fill=color, width=0, tags=tags)
        else:
            self.create_polygon(*_outline(item.kind, x, y, r), fill=color, tags=tags)

    def _press(self, event: tk.Event) -> None:
        self._drag_start = (event.x, self.shown_span_s) if self._items else None
        x, y = self.canvasx(event.x), self.canvasy(event.y)
        near = 6 * self._ui
        for shape in reversed(self.find_overlapping(x - near, y - near, x + near, y + near)):
            number = next((tag[5:] for tag in self.gettags(shape) if tag.startswith("item-")), "")
            if number:
                self.on_pick(int(number))
                return


def lane_colors(theme: Theme) -> Mapping[str, str]:
    """The color of each kind."""
    of_kind = {
        "adjacency-up": theme.up, "adjacency-change": theme.starting, "adjacency-down": theme.error,
        "routes": theme.shaped, "fault": theme.control, "cleared": theme.up, "daemon": theme.error, "note": theme.faint,
    }  # fmt: skip
    return {kind: of_kind[kind] for kind in KINDS}


def _outline(kind: str, x: float, y: float, r: float) -> tuple[float, ...]:
    """The corners of a mark: triangles for adjacencies up and down, a bolt for a fault, a square for a daemon."""
    if kind == "adjacency-up":
        return x - r, y + r * 0.8, x + r, y + r * 0.8, x, y - r
    if kind == "adjacency-down":
        return x - r, y - r * 0.8, x + r, y - r * 0.8, x, y + r
    if kind in ("fault", "cleared"):
        return (
            x + r * 0.4, y - r * 1.3, x - r, y + r * 0.3, x, y + r * 0.2, x - r * 0.4, y + r * 1.4, x + r, y - r * 0.4,
            x, y - r * 0.2,
        )  # fmt: skip
    return x - r * 0.8, y - r * 0.8, x + r * 0.8, y - r * 0.8, x + r * 0.8, y + r * 0.8, x - r * 0.8, y + r * 0.8


def _truncate(name: str) -> str:
    return name if len(name) <= 14 else f"{name[:13]}…"
