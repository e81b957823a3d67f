"""The visible parts of widgets, in pixels of the screen."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Iterator

#: Left, top, right and bottom in pixels of the screen.
Area = tuple[int, int, int, int]


def area_of(widget: tk.Misc) -> Area:
    """The whole area of a widget."""
    left, top = widget.winfo_rootx(), widget.winfo_rooty()
    return left, top, left + widget.winfo_width(), top + widget.winfo_height()


def within(area: Area, other: Area) -> Area:
    """The common part of two areas; its right is left of its left, or its bottom above its top, if there is none."""
    return max(area[0], other[0]), max(area[1], other[1]), min(area[2], other[2]), min(area[3], other[3])


def visible_area(widget: tk.Misc) -> Area:
    """The part of a widget that none of the widgets around it cuts off; an empty area if it is not mapped."""
    if not widget.winfo_viewable():
        return 0, 0, 0, 0
    area = area_of(widget)
    for outer in outer_widgets(widget):
        area = within(area, area_of(outer))
    return area


def outer_widgets(widget: tk.Misc) -> Iterator[tk.Misc]:
    """The widgets around a widget up to its window, the nearest first."""
    while widget is not widget.winfo_toplevel():
        master = widget.nametowidget(widget.winfo_parent())
        yield master
        widget = master
