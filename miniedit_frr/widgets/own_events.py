"""Events of a widget itself.

Tk delivers the events of every widget also to the window around it. A window with a thousand widgets that is destroyed
or resized gets thousands of events, and each call of a Python function takes a tenth of a millisecond.
"""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable

#: Events that ttkbootstrap binds in each window, to center it and to make it transparent. This program uses neither.
_UNUSED_EVENTS = ("<Map>", "<Configure>", "<Visibility>")


def bind_own_event(widget: tk.Misc, sequence: str, function: Callable[[], object]) -> None:
    """Call a function for each event of the widget itself, in addition to the functions that are bound already.

    Events of the widgets inside a window do not reach Python: Tcl compares their widget.
    """
    command = widget.register(function)
    widget.tk.call("bind", str(widget), sequence, f'+if {{"%W" eq "{widget}"}} {{ {command} }}')


def unbind_unused_events(window: tk.Misc) -> None:
    """Remove the bindings of ttkbootstrap that this program does not use from a new window."""
    for sequence in _UNUSED_EVENTS:
        window.unbind(sequence)
