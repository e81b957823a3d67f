"""Traces of variables that end with a widget."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from contextlib import suppress

from miniedit_frr.widgets.own_events import bind_own_event


def on_write(variable: tk.Variable, widget: tk.Misc, call: Callable[[], object]) -> None:
    """Call a function after each change of a variable, until a widget is destroyed.

    Tk refers to the function of a trace, which usually refers to the variable. So a trace that is not removed keeps
    both in memory, together with everything that the function refers to.
    """
    trace = variable.trace_add("write", lambda *_: call())

    def end() -> None:
        with suppress(tk.TclError):  # the whole window is being closed
            variable.trace_remove("write", trace)

    bind_own_event(widget, "<Destroy>", end)
