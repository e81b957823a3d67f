"""Collects garbage in the window's thread alone.

Python collects in whichever thread happens to allocate. An image or a variable of Tk that is collected in a worker
calls Tk from there, and the worker then waits for the window. So nothing is collected by itself, and a timer does it.
"""

from __future__ import annotations

import gc
import tkinter as tk

_PERIOD_MS = 500


class Collector:
    """Collects from a timer of the window until it is closed."""

    def __init__(self, root: tk.Misc) -> None:
        self._root = root
        gc.disable()
        self._timer = root.after(_PERIOD_MS, self._collect)

    def close(self) -> None:
        """Let Python collect by itself again."""
        self._root.after_cancel(self._timer)
        gc.enable()

    def _collect(self) -> None:
        counts, limits = gc.get_count(), gc.get_threshold()
        full = [generation for generation in (2, 1, 0) if counts[generation] > limits[generation]]
        if full:
            gc.collect(full[0])
        self._timer = self._root.after(_PERIOD_MS, self._collect)
