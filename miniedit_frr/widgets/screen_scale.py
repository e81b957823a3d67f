"""The scaling of the screen: one factor for all sizes except text."""

from __future__ import annotations

import tkinter as tk


def scale_of(widget: tk.Misc) -> float:
    """The scaling of a widget's screen: 1 for 96 dots per inch, rounded to quarters, and at least 1."""
    # Screens report odd numbers of dots per inch, but users set quarters.
    return max(1.0, round(float(widget.tk.call("tk", "scaling")) * 72 / 96 * 4) / 4)
