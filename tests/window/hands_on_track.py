"""A user of the scenario track, who presses, drags and types with Tk events."""

from __future__ import annotations

from typing import Any

from frrlib.edits.schedule import ScheduleKey
from miniedit_frr.track.layout import AXIS_HEIGHT, Band
from miniedit_frr.track.scene import Entry
from tests import keyboard

Point = tuple[int, int]
SHIFT, CONTROL, ALT = 0x1, 0x4, 0x8


class Planner:
    """A user of the track of an editor."""

    def __init__(self, user: Any) -> None:
        self.user, self.editor = user, user.editor
        if not self.editor.panes.visible["scenario"]:
            self.editor.panes.toggle("scenario")
        self.panel = self.editor.scenario.panel
        self.canvas = self.panel.canvas
        user.wait(lambda: self.canvas.winfo_height() > 100 and self.canvas.winfo_width() > 500)
        self.rest()

    @property
    def topology(self) -> Any:
        return self.user.topology

    def rest(self) -> None:
        """Handle all pending events of the window."""
        for _ in range(3):
            self.editor.window.update()

    def find(self, key: ScheduleKey, field: str = "") -> tuple[Entry, Band]:
        """An entry and its row. If several rows have the entry, `field` selects one of them."""
        for band in self.canvas.layout.bands:
            for entry in band.row.entries:
                if entry.key == key and band.row.key.startswith(field):
                    return entry, band
        raise AssertionError(f"{key} is not on the track")

    def body(self, key: ScheduleKey) -> Point:
        """A pixel of an entry that is neither its end nor a level."""
        entry, band = self.find(key)
        box = self.canvas.layout.box(entry, band)
        y = (box.top + box.bottom) / 2
        if entry.levels:
            y = box.bottom - 1
        return round((box.left + box.right) / 2), self.canvas_y(y)

    def end(self, key: ScheduleKey) -> Point:
        """A pixel of its right edge."""
        entry, band = self.find(key)
        box = self.canvas.layout.box(entry, band)
        return round(box.right), self.canvas_y((box.top + box.bottom) / 2)

    def level(self, key: ScheduleKey, name: str, field: str = "") -> Point:
        """A pixel of a level."""
        entry, band = self.find(key, field)
        box = self.canvas.layout.box(entry, band)
        y = self.canvas.layout.y_of(band, entry.levels[name])
        return round(0.6 * box.left + 0.4 * box.right), self.canvas_y(y)

    def canvas_y(self, y: float) -> int:
        """The pixel of the canvas at a height in the layout."""
        return round(y + AXIS_HEIGHT * self.canvas.ui - self.canvas._painter.scrolled)

    def later(self, at: Point, by_s: float) -> Point:
        """A place to the right, by a number of seconds."""
        return round(at[0] + by_s * self.canvas.layout.axis.scale), at[1]

    def event(self, name: str, at: Point, state: int = 0) -> None:
        self.canvas.event_generate(name, x=at[0], y=at[1], state=state)
        self.rest()

    def press(self, at: Point, state: int = 0) -> None:
        self.event("<ButtonPress-1>", at, state)

    def drag(self, at: Point, state: int = 0) -> None:
        self.event("<B1-Motion>", at, state | 0x100)

    def release(self, at: Point, state: int = 0) -> None:
        self.event("<ButtonRelease-1>", at, state | 0x100)

    def sweep(self, start: Point, end: Point, state: int = 0) -> None:
        """Press, drag to another place, and release there."""
        self.press(start)
        self.drag(((start[0] + end[0]) // 2, (start[1] + end[1]) // 2), state)
        self.drag(end, state)
        self.release(end, state)

    def click(self, at: Point, state: int = 0) -> None:
        self.press(at, state)
        self.release(at, state)

    def key(self, sequence: str) -> None:
        keyboard.press(self.canvas, sequence)
        self.rest()

    def words(self) -> str:
        """The text beside the pointer."""
        items = self.canvas.find_withtag("words")
        return str(self.canvas.itemcget(items[0], "text")) if items else ""

    def selected(self) -> set[ScheduleKey]:
        return set(self.panel.edits.selection)
