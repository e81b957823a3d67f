"""How large a screen wants things: one factor for all that is not text."""

from __future__ import annotations

import tkinter as tk


def scale_of(widget: tk.Misc) -> float:
    """The scaling of a widget's screen, 1 for 96 dots an inch; in quarters, since that is what people set, and never
    less than 1."""
    # Screens say odd numbers of dots per inch.
    return max(1.0, round(float(widget.tk.call("tk", "scaling")) * 72 / 96 * 4) / 4)
