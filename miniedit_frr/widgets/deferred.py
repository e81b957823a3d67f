"""Deferred work of a widget, done once however often it is requested."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable


class DeferredCall:
    """Does something once for any number of requests, and not after its widget is gone."""

    def __init__(self, widget: tk.Misc, what: Callable[[], object]) -> None:
        self._widget, self._what, self._timer = widget, what, ""
        widget.bind("<Destroy>", lambda event: self._cancel() if event.widget is widget else None, add=True)

    def soon(self, pause_ms: int = 0) -> None:
        """Do it after a pause; without one, when there is nothing else to do."""
        if not self._timer:
            later = self._widget.after(pause_ms, self._do) if pause_ms else self._widget.after_idle(self._do)
            self._timer = later

    def _do(self) -> None:
        self._timer = ""
        self._what()

    def _cancel(self) -> None:
        if self._timer:
            self._widget.after_cancel(self._timer)
            self._timer = ""
