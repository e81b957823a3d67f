"""The screen's scaling: one factor for everything that is not text."""

from __future__ import annotations

import tkinter as tk


def scale_of(widget: tk.Misc) -> float:
    """The scaling of a widget's screen, 1 for 96 dots per inch; in quarters, since people set those, and never less
    than 1.
    """
    # Screens report odd numbers of dots per inch.
    return max(1.0, round(float(widget.tk.call("tk", "scaling")) * 72 / 96 * 4) / 4)
