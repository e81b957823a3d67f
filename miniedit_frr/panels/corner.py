"""The position of a small card over the drawing: the corner in which it hides the least."""

from __future__ import annotations

import tkinter as tk
from typing import Literal

from miniedit_frr.canvas.view import View
from miniedit_frr.widgets.deferred import DeferredCall

#: Distance from the edges, in units.
_RIM = 10
#: Tags of items that a card may hide: lines of the grid, and previews of gestures.
_BACKGROUND = {"grid", "preview", "guide", "hover", "halo"}
#: The cost of a hidden icon, name, text or sign in hidden lines.
_WEIGHT = 1000
#: The cost of another card that the card would overlap.
_OTHER_CARD = 1_000_000


class Corner:
    """Places one card at the bottom of a side of a view, or at the top if it hides less there.

    If it hides an icon or a text in both corners of a fitted drawing, the drawing is fitted beside a free strip: at the
    bottom, or at the top if another card is in the way. The strips end with the last card.
    """

    def __init__(self, view: View, side: Literal["left", "right"]) -> None:
        self._view, self._side = view, side
        self._card: tk.Widget | None = None
        self._edge = ""
        self._deferred_place = DeferredCall(view, self._place)
        view.on_zoom.append(self._changed)
        view.on_states.append(self._changed)
        view.bind("<Configure>", lambda event: self._changed(), add=True)

    def put(self, card: tk.Widget) -> None:
        """Place a card, which replaces the former one."""
        self._forget_card()
        self._card, self._edge = card, ""
        self._view.cards.append(card)
        self._place()

    def clear(self) -> None:
        """Forget the card, which is destroyed. The drawing uses the space of the last card if it is fitted."""
        self._forget_card()
        if any(self._view.strips_px.values()) and not self._view.cards:
            is_fitted, self._view.strips_px = self._view.is_fitted, {"n": 0, "s": 0}
            if is_fitted:
                self._view.fit()

    def _forget_card(self) -> None:
        if self._card is not None:
            self._view.cards.remove(self._card)
            self._card = None

    def _changed(self) -> None:
        if self._card is not None:
            self._deferred_place.soon()

    def _place(self) -> None:
        card, view = self._card, self._view
        if card is None:
            return
        card.update_idletasks()
        costs = {edge: self._cost(card, edge) for edge in ("s", "n")}
        edge = min(costs, key=costs.__getitem__)
        if self._edge and costs[self._edge] <= costs[edge]:
            edge = self._edge
        strip_px = card.winfo_reqheight() + 2 * round(_RIM * view.ui)
        if costs[edge] >= _WEIGHT and view.is_fitted:
            edge = min(("s", "n"), key=lambda side: costs[side] // _OTHER_CARD)
            if view.strips_px[edge] < strip_px:
                view.strips_px[edge] = strip_px
                view.fit()
        self._put_at(card, edge)

    def _put_at(self, card: tk.Widget, edge: str) -> None:
        self._edge = edge
        is_left, rim = self._side == "left", round(_RIM * self._view.ui)
        card.place(
            relx=float(not is_left), rely=float(edge == "s"), x=rim if is_left else -rim,
            y=-rim if edge == "s" else rim, anchor=f"{edge}{'w' if is_left else 'e'}",  # type: ignore[arg-type]
        )  # fmt: skip

    def _cost(self, card: tk.Widget, edge: str) -> int:
        """The items that a card at an edge hides: lines count one, other items and other cards count more."""
        view, rim = self._view, round(_RIM * self._view.ui)
        wide, high = card.winfo_reqwidth(), card.winfo_reqheight()
        x0 = rim if self._side == "left" else view.winfo_width() - rim - wide
        y0 = view.winfo_height() - rim - high if edge == "s" else rim
        x1, y1 = x0 + wide, y0 + high
        canvas_box = view.canvasx(x0), view.canvasy(y0), view.canvasx(x1), view.canvasy(y1)
        hidden = [item for item in view.find_overlapping(*canvas_box) if not _BACKGROUND & {*view.gettags(item)}]
        cost = sum(1 if str(view.type(item)) == "line" else _WEIGHT for item in hidden)
        for other in view.cards:
            if other is not card and other.winfo_x() < x1 and x0 < other.winfo_x() + other.winfo_width():
                cost += _OTHER_CARD * (other.winfo_y() < y1 and y0 < other.winfo_y() + other.winfo_height())
        return cost
