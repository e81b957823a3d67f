"""The pointer on the track: presses begin gestures, the wheel scrolls and zooms, the middle button pans."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from typing import Any

from frrlib.edits.schedule import ScheduleKey
from frrlib.picture.scene import Key
from miniedit_frr.tools.base import Gesture, Pointer
from miniedit_frr.track import gestures
from miniedit_frr.track.canvas import TrackCanvas
from miniedit_frr.track.layout import AXIS_HEIGHT, NAMES_WIDTH, Band, Hit

_SHIFT, _CONTROL, _ALT = 0x1, 0x4, 0x8
_BUTTONS = 0x700
_WHEEL_PX, _WHEEL_ZOOM = 40, 1.2
_CURSORS = {"end": "sb_h_double_arrow", "period": "sb_h_double_arrow", "body": "hand2", "": ""}


class TrackPointer:
    """Passes the events of the pointer on the track to gestures and handlers.

    Attributes:
        on_lane: called with the key of a lane whose name was clicked.
        on_open: called for a double click on an entry.
        on_context: called for a right click with the entry, the row, the time, and the position on the screen.
    """

    def __init__(self, canvas: TrackCanvas) -> None:
        self._canvas = canvas
        self.on_lane: Callable[[Key], object] = lambda key: None
        self.on_open: Callable[[ScheduleKey], object] = lambda key: None
        self.on_context: Callable[[Hit | None, Band | None, float, int, int], object] = lambda *position: None
        self._gesture: Gesture | None = None
        self._pan: tuple[int, int] | None = None
        bindings: dict[str, Callable[[Any], Any]] = {
            "<ButtonPress-1>": self._press, "<B1-Motion>": self._drag, "<ButtonRelease-1>": self._release,
            "<Double-Button-1>": self._double, "<ButtonPress-3>": self._context, "<Motion>": self._move,
            "<Leave>": lambda event: self._hover(None),
            "<ButtonPress-2>": self._pan_start, "<B2-Motion>": self._pan_on,
            "<Button-4>": lambda event: self._wheel(event, 1), "<Button-5>": lambda event: self._wheel(event, -1),
            "<MouseWheel>": lambda event: self._wheel(event, 1 if event.delta > 0 else -1),
        }  # fmt: skip
        for sequence, handler in bindings.items():
            canvas.bind(sequence, handler)

    @property
    def is_dragging(self) -> bool:
        """Whether a gesture is in progress."""
        return self._gesture is not None

    def cancel(self) -> bool:
        """End a gesture without an edit. Returns whether there was one."""
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.cancel()
        return gesture is not None

    def _is_on_track(self, event: tk.Event) -> bool:
        return bool(event.y >= AXIS_HEIGHT * self._canvas.ui)

    def _is_on_names(self, event: tk.Event) -> bool:
        return bool(event.x < NAMES_WIDTH * self._canvas.ui)

    def _pointer(self, event: tk.Event) -> Pointer:
        state = int(event.state)
        at = self._canvas.to_layout(event.x, event.y)
        return Pointer(at, bool(state & _SHIFT), bool(state & _CONTROL), bool(state & _ALT))

    def _press(self, event: tk.Event) -> None:
        canvas = self._canvas
        canvas.focus_set()
        self.cancel()
        if not self._is_on_track(event):
            return
        pointer, lock_reason = self._pointer(event), canvas.edits.lock_reason()
        if self._is_on_names(event):
            band = canvas.layout.band_at(pointer.at[1])
            if band is not None:
                self.on_lane(band.lane.key)
            return
        is_on_entry = canvas.layout.hit(*pointer.at) is not None
        canvas.pointer = event.x, event.y
        self._gesture = gestures.begin(canvas, pointer, locked=bool(lock_reason))
        if lock_reason and is_on_entry:
            canvas.edits.say(lock_reason)

    def _drag(self, event: tk.Event) -> None:
        if self._gesture is not None:
            self._canvas.pointer = event.x, event.y
            self._gesture.move(self._pointer(event))

    def _release(self, event: tk.Event) -> None:
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.finish(self._pointer(event))

    def _double(self, event: tk.Event) -> None:
        hit = self._canvas.layout.hit(*self._pointer(event).at)
        if hit is not None and self._is_on_track(event):
            self.cancel()
            self.on_open(hit.entry.key)
        else:
            self._press(event)

    def _context(self, event: tk.Event) -> None:
        canvas = self._canvas
        canvas.focus_set()
        self.cancel()
        at, axis = self._pointer(event).at, canvas.layout.axis
        hit, band = canvas.layout.hit(*at), canvas.layout.band_at(at[1])
        if not self._is_on_track(event):
            hit, band = None, None
        if hit is not None and hit.entry.key not in canvas.selection:
            canvas.select([hit.entry.key])
        self.on_context(hit, band, max(0.0, axis.snapped(axis.time_at(event.x))), event.x_root, event.y_root)

    def _move(self, event: tk.Event) -> None:
        if not (int(event.state) & _BUTTONS or self.is_dragging):
            is_inside = self._is_on_track(event) and not self._is_on_names(event)
            self._hover(self._canvas.layout.hit(*self._pointer(event).at) if is_inside else None)

    def _hover(self, hit: Hit | None) -> None:
        part = hit.part if hit is not None and not self._canvas.edits.lock_reason() else ""
        self._canvas.configure(cursor=_CURSORS.get(part, "sb_v_double_arrow"))
        self._canvas.hover(hit)

    def _wheel(self, event: tk.Event, up: int) -> None:
        state, distance_px = int(event.state), -up * _WHEEL_PX * self._canvas.ui
        if state & _CONTROL:
            self._canvas.zoom(_WHEEL_ZOOM**up, event.x)
        else:
            self._canvas.pan(*((distance_px, 0.0) if state & _SHIFT else (0.0, distance_px)))

    def _pan_start(self, event: tk.Event) -> None:
        self._pan = event.x, event.y

    def _pan_on(self, event: tk.Event) -> None:
        if self._pan is not None:
            self._canvas.pan(self._pan[0] - event.x, self._pan[1] - event.y)
            self._pan = event.x, event.y
