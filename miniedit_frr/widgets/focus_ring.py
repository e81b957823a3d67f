"""A ring around the drawing, figure or text that has the keyboard.

Tk draws a ring inside buttons and fields (`styles.py`). Around canvases and texts, it would need room of its own and
move their contents, so their ring is four lines on top of the edges.
"""

from __future__ import annotations

import tkinter as tk
from typing import Any

from miniedit_frr.widgets.focus import focused
from miniedit_frr.widgets.own_events import bind_own_event
from miniedit_frr.widgets.screen_scale import scale_of
from miniedit_frr.widgets.styles import theme_of_widgets

#: The width of the ring at a scaling of 1.
WIDTH_PX = 2
#: Classes of widgets whose ring is drawn here.
_CLASSES = frozenset({"Canvas", "Text"})
_SIDES: tuple[dict[str, Any], ...] = (
    {"x": 0, "y": 0, "relwidth": 1}, {"x": 0, "rely": 1, "relwidth": 1, "anchor": "sw"},
    {"x": 0, "y": 0, "relheight": 1}, {"relx": 1, "y": 0, "relheight": 1, "anchor": "ne"},
)  # fmt: skip


class FocusRing:
    """Shows the ring in all windows of a program.

    Args:
        root: the main window.

    Attributes:
        lines: the four lines of the ring; empty while another kind of widget has the keyboard.
    """

    def __init__(self, root: tk.Misc) -> None:
        self.lines: list[tk.Frame] = []
        root.bind_all("<FocusIn>", self._show, add=True)
        root.bind_all("<FocusOut>", lambda event: self._hide(), add=True)
        bind_own_event(root, "<<ThemeChanged>>", self._recolor)

    def _show(self, event: tk.Event[tk.Misc]) -> None:
        self._hide()
        widget, color = event.widget, theme_of_widgets().accent
        # The frames around a widget also receive its event.
        if not isinstance(widget, tk.Misc) or widget.winfo_class() not in _CLASSES or widget is not focused(widget):
            return
        if int(str(widget.cget("highlightthickness"))) and str(widget.cget("highlightcolor")) == color:
            return  # it has a ring
        width_px = max(1, round(WIDTH_PX * scale_of(widget)))
        for side in _SIDES:
            line = tk.Frame(widget, background=color, width=width_px, height=width_px)
            line.place(**side, bordermode="outside")
            self.lines.append(line)

    def _hide(self) -> None:
        lines, self.lines = self.lines, []
        for line in lines:
            line.destroy()

    def _recolor(self) -> None:
        color = theme_of_widgets().accent
        for line in self.lines:
            if line.winfo_exists():
                line.configure(background=color)
