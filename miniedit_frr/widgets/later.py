"""What a widget does soon, however often it is asked to."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable


class Later:
    """Does something once for all the times that it was asked to; no more when its widget is gone."""

    def __init__(self, widget: tk.Misc, what: Callable[[], object]) -> None:
        self._widget, self._what, self._timer = widget, what, ""
        widget.bind("<Destroy>", lambda event: self._cancel() if event.widget is widget else None, add=True)

    def soon(self, pause_ms: int = 0) -> None:
        """Have it done after a pause; without one, when there is nothing else to do."""
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
