"""The visible part of a drawing: its zoom and its place, and conversions between pixels and world units."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain

from frrlib.picture.geometry import Box, Point

SMALLEST, LARGEST = 0.1, 5.0


class Viewport(tk.Canvas):
    """A canvas that zooms and scrolls.

    World units times `factor` are canvas coordinates. Zooming scales all items at once, and panning scrolls; neither
    redraws anything.

    Attributes:
        ui: pixels per unit at a zoom of 100 %, by the screen's scaling.
        factor: pixels per unit at the present zoom.
        strips_px: heights at the top ("n") and the bottom ("s") that `fit` leaves free for legends, in pixels.
        cards: legends above the drawing, which hide parts of it.
        on_zoom: called after the zoom has changed.
        on_scroll: called after the visible part has changed, with "x" or "y" and its start and end, 0 to 1.
    """

    def __init__(self, parent: tk.Misc, ui: float) -> None:
        super().__init__(parent, highlightthickness=0, borderwidth=0, takefocus=True)
        self.configure(xscrollincrement=1, yscrollincrement=1, confine=False, width=320, height=240)
        self.ui = self.factor = ui
        self.strips_px = {"n": 0, "s": 0}
        self.cards: list[tk.Widget] = []
        self._region: list[float] = []
        self._fitted_position: tuple[float, float, float] | None = None
        self.on_zoom: list[Callable[[], None]] = []
        self.on_scroll: list[Callable[[str, float, float], None]] = []
        self.configure(xscrollcommand=partial(self._scrolled, "x"), yscrollcommand=partial(self._scrolled, "y"))

    def bounds(self) -> Box | None:
        """The rectangle around the whole drawing; None for an empty one."""
        return None

    def _resize_items(self) -> None:
        """Adjust the items that do not scale with the drawing, after a zoom."""

    # --- units and pixels ---

    def _pixel(self, at: Point) -> Point:
        return at[0] * self.factor, at[1] * self.factor

    def _pixels(self, path: Iterable[Point]) -> list[float]:
        return [coordinate * self.factor for coordinate in chain.from_iterable(path)]

    def _width(self, units: float) -> float:
        return max(1.0, units * min(self.factor, 2 * self.ui))

    def line_width(self, units: float) -> float:
        """The width in pixels of a line with a width in units; at least one."""
        return self._width(units)

    def _text_px(self, units: float) -> int:
        return max(1, round(units * min(self.factor, 2.5 * self.ui)))

    def to_world(self, px: float, py: float) -> Point:
        """The point of the drawing under a pixel of the widget."""
        return self.canvasx(px) / self.factor, self.canvasy(py) / self.factor

    def to_widget(self, at: Point) -> tuple[int, int]:
        """The pixel of the widget that shows a point of the drawing."""
        x, y = self._pixel(at)
        return round(x - self.canvasx(0)), round(y - self.canvasy(0))

    @property
    def zoom(self) -> float:
        """The zoom; 1.0 for 100 %."""
        return self.factor / self.ui

    # --- the visible part ---

    def pan(self, dx_px: float, dy_px: float) -> None:
        """Scroll by a number of pixels, to the right and down for positive ones."""
        self.xview_scroll(round(dx_px), "units")
        self.yview_scroll(round(dy_px), "units")

    def zoom_by(self, ratio: float, px: float | None = None, py: float | None = None) -> None:
        """Zoom so that the point under a pixel (by default the middle) stays in place."""
        px = self.winfo_width() / 2 if px is None else px
        py = self.winfo_height() / 2 if py is None else py
        fixed = self.to_world(px, py)
        self._set_factor(min(max(self.factor * ratio, SMALLEST * self.ui), LARGEST * self.ui))
        self._scroll_to(fixed, px, py)

    def zoom_to(self, zoom: float) -> None:
        """Zoom to a value, 1.0 for 100 %; the middle stays in place."""
        self.zoom_by(zoom * self.ui / self.factor)

    def fit(self) -> None:
        """Show everything, as large as possible up to 150 %."""
        box = self.bounds()
        if box is None:
            return
        self.update_idletasks()
        width, height = max(self.winfo_width(), 50), max(self.winfo_height() - sum(self.strips_px.values()), 50)
        factor = min(width / (box.right - box.left), height / (box.bottom - box.top))
        self._set_factor(min(max(factor, SMALLEST * self.ui), 1.5 * self.ui))
        self._scroll_to(box.center, width / 2, self.strips_px["n"] + height / 2)
        self._fitted_position = self._position()

    @property
    def is_fitted(self) -> bool:
        """Whether the drawing was neither zoomed nor scrolled since `fit`."""
        return self._fitted_position == self._position()

    def _position(self) -> tuple[float, float, float]:
        return self.factor, self.canvasx(0), self.canvasy(0)

    def reset(self) -> None:
        """Show everything as `fit` does; show an empty drawing at 100 %, from its origin."""
        if self.bounds() is None:
            self._set_factor(self.ui)
            self._scroll_to((0.0, 0.0), 0, 0)
        else:
            self.fit()

    def _scroll_to(self, at: Point, px: float, py: float) -> None:
        x, y = self._pixel(at)
        self.pan(x - self.canvasx(px), y - self.canvasy(py))

    def _set_factor(self, factor: float) -> None:
        ratio, self.factor = factor / self.factor, factor
        if ratio != 1:
            self.scale("all", 0, 0, ratio, ratio)
            self._resize_items()
            self._update_region()
        for listener in self.on_zoom:
            listener()

    def _update_region(self) -> None:
        """Pass the size of the drawing to the scroll bars; scrolling may go beyond it."""
        box = self.bounds() or Box(0, 0, 0, 0)
        region = self._pixels([(box.left, box.top), (box.right, box.bottom)])
        if region != self._region:  # the canvas redraws everything after any configure call
            self._region = region
            self.configure(scrollregion=region)  # type: ignore[call-overload]

    def _scrolled(self, axis: str, first: str, last: str) -> None:
        for listener in self.on_scroll:
            listener(axis, float(first), float(last))
