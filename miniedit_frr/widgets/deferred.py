"""Deferred work of a widget: several requests lead to one call."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable

from miniedit_frr.widgets.own_events import bind_own_event


class DeferredCall:
    """Calls a function once for any number of requests, and never after its widget is destroyed."""

    def __init__(self, widget: tk.Misc, function: Callable[[], object]) -> None:
        self._widget, self._function, self._timer = widget, function, ""
        bind_own_event(widget, "<Destroy>", self._cancel)

    def soon(self, pause_ms: int = 0) -> None:
        """Call the function after a pause; without a pause, as soon as Tk is idle."""
        if not self._timer:
            later = self._widget.after(pause_ms, self._call) if pause_ms else self._widget.after_idle(self._call)
            self._timer = later

    def _call(self) -> None:
        self._timer = ""
        self._function()

    def _cancel(self) -> None:
        if self._timer:
            self._widget.after_cancel(self._timer)
            self._timer = ""
