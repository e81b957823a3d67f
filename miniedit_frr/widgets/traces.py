"""Traces of variables that end with a widget."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from contextlib import suppress


def on_write(variable: tk.Variable, widget: tk.Misc, call: Callable[[], object]) -> None:
    """Call a function after each change of a variable, until a widget is destroyed.

    Tk refers to the function of a trace, which usually refers to the variable. So a trace that is not removed keeps
    both in memory, together with everything that the function refers to.
    """
    trace = variable.trace_add("write", lambda *_: call())

    def end(event: tk.Event) -> None:
        if event.widget is widget:
            with suppress(tk.TclError):  # the whole window is being closed
                variable.trace_remove("write", trace)

    widget.bind("<Destroy>", end, add=True)
