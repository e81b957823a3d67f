"""Collects garbage in the window's thread only.

Python collects in any thread that allocates. An image or a variable of Tk that is collected in a worker calls Tk from
there, and the worker then waits for the window. So automatic collection is off, and a timer does it.
"""

from __future__ import annotations

import gc
import tkinter as tk
from typing import Any

_PERIOD_MS = 500
#: Beyond this many times its limit, everything is collected even while the pointer moves.
_OVERDUE = 4
#: Interpreters of windows that are gone. One that is collected in another thread than its own ends the program.
_kept: list[Any] = []


class Collector:
    """Collects from a timer of the window until it is closed. A full collection takes several frames where a drawing is
    large, so it waits until the pointer rests: nobody drags, pans or zooms then.
    """

    def __init__(self, root: tk.Misc) -> None:
        self._root = root
        gc.disable()
        self._pointer = (-1, -1)
        self._timer = root.after(_PERIOD_MS, self._collect)

    def close(self) -> None:
        """Turn Python's automatic collection on again."""
        self._root.after_cancel(self._timer)
        gc.enable()

    def _collect(self) -> None:
        counts, limits = gc.get_count(), gc.get_threshold()
        before, self._pointer = self._pointer, self._root.winfo_pointerxy()
        may_take_long = before == self._pointer or counts[2] > _OVERDUE * limits[2]
        full = [each for each in (2, 1, 0) if counts[each] > limits[each] and (each < 2 or may_take_long)]
        if full:
            gc.collect(full[0])
        self._timer = self._root.after(_PERIOD_MS, self._collect)


def release(window: tk.Misc) -> None:
    """Make the interpreter of a destroyed window forget its callbacks.

    A binding to all widgets of a class, or to a variable, is a command of the interpreter. It holds the interpreter and
    its callback, which holds the window; no collector sees that ring, so without this a closed window would stay in
    memory to the end, with everything it ever showed. The interpreter alone stays.
    """
    interpreter = window.tk
    _kept.append(interpreter)
    for name in interpreter.splitlist(interpreter.call("info", "commands")):
        if name[:1].isdigit():  # as tkinter names the command that it makes of a function
            # Replaced by one in Tcl rather than deleted: a variable deletes its own when it goes.
            interpreter.call("proc", name, "args", "")
