"""Collects garbage in the window's thread only.

Python collects in any thread that allocates. An image or a variable of Tk that is collected in a worker calls Tk from
there, and the worker then waits for the window. So automatic collection is off, and a timer collects.
"""

from __future__ import annotations

import gc
import tkinter as tk
from typing import Any

_PERIOD_MS = 500
#: Multiple of its limit at which the oldest generation is collected even while the pointer moves.
_OVERDUE = 4
#: Interpreters of closed windows. An interpreter that is collected outside its own thread ends the program.
_kept: list[Any] = []


class Collector:
    """Collects from a timer of the window until it is closed. A full collection takes several frames if a drawing is
    large, so it waits until the pointer rests: no drag, pan or zoom is in progress then.
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
        previous, self._pointer = self._pointer, self._root.winfo_pointerxy()
        may_take_long = previous == self._pointer or counts[2] > _OVERDUE * limits[2]
        generations = [
            generation
            for generation in (2, 1, 0)
            if counts[generation] > limits[generation] and (generation < 2 or may_take_long)
        ]
        if generations:
            gc.collect(generations[0])
        self._timer = self._root.after(_PERIOD_MS, self._collect)


def release(window: tk.Misc) -> None:
    """Make the interpreter of a destroyed window forget its callbacks.

    A binding to all widgets of a class, or to a variable, is a command of the interpreter. It refers to the interpreter
    and to its callback, which refers to the window. The collector does not see this cycle, so without this function a
    closed window would stay in memory to the end, with all its contents. Only the interpreter stays.
    """
    interpreter = window.tk
    _kept.append(interpreter)
    for name in interpreter.splitlist(interpreter.call("info", "commands")):
        if name[:1].isdigit():  # tkinter's names for commands that call a function
            # Replaced by a command in Tcl rather than deleted, since a variable deletes its own command at its end.
            interpreter.call("proc", name, "args", "")
