"""The position of a small card over the drawing: the corner in which it hides the least."""

from __future__ import annotations

import tkinter as tk
from typing import Literal

from frrlib.picture.label_positions import node_boxes
from miniedit_frr.canvas.view import View

#: Distance from the edges, in units.
_RIM = 10


def put_in_corner(card: tk.Widget, view: View, side: Literal["left", "right"]) -> None:
    """Place a card at the bottom of a side of the view, or at the top if it hides fewer nodes and names there."""
    card.update_idletasks()
    wide, high, rim = card.winfo_reqwidth(), card.winfo_reqheight(), round(_RIM * view.ui)
    left_edge = rim if side == "left" else view.winfo_width() - rim - wide
    tops = {"s": view.winfo_height() - rim - high, "n": rim}
    hidden = {edge: _hidden_count(view, left_edge, top, left_edge + wide, top + high) for edge, top in tops.items()}
    edge = min(hidden, key=hidden.__getitem__)
    card.place(
        relx=float(side == "right"), rely=float(edge == "s"), x=rim if side == "left" else -rim,
        y=-rim if edge == "s" else rim, anchor=f"{edge}{'w' if side == 'left' else 'e'}",  # type: ignore[arg-type]
    )  # fmt: skip


def _hidden_count(view: View, left_edge: int, top: int, right_edge: int, bottom: int) -> int:
    """The number of icons and names that overlap a rectangle of the view, given in pixels."""
    count = 0
    for box in node_boxes(view.scene, view.measure):
        (x0, y0), (x1, y1) = view.to_widget((box.left, box.top)), view.to_widget((box.right, box.bottom))
        count += x0 < right_edge and left_edge < x1 and y0 < bottom and top < y1
    return count
