"""Keeps a drawing fitted when the size of its window changes."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable

from miniedit_frr.canvas.viewport import Viewport
from miniedit_frr.widgets.deferred import DeferredCall

#: A canvas that is narrower has not got its size yet.
_NARROWEST_PX = 400


class WindowFit:
    """Fits the drawing once its canvas has a size, and after each change of the window's size while the user has
    neither zoomed nor scrolled since the last fit. A small panel that opens changes the canvas only and moves nothing;
    after a large one opens, `fit_again` is called.

    Args:
        view: the drawing.
        before_fit: called before the drawing moves, such as to close a field on it.
    """

    def __init__(self, view: Viewport, before_fit: Callable[[], object]) -> None:
        self._view, self._before_fit = view, before_fit
        self._window_size = (0, 0)
        self._deferred_fit = DeferredCall(view, self._fit)
        view.bind("<Configure>", self._resized, add=True)

    def _resized(self, event: tk.Event) -> None:
        window = self._view.winfo_toplevel()
        size = (window.winfo_width(), window.winfo_height())
        if event.width <= _NARROWEST_PX or size == self._window_size:
            return
        is_first = self._window_size == (0, 0)
        self._window_size = size
        if is_first:
            self._deferred_fit.soon()
        else:
            self.fit_again()

    def fit_again(self) -> None:
        """Fit the drawing to the present size of its canvas, unless the user has zoomed or scrolled since."""
        if self._view.is_fitted:
            self._deferred_fit.soon()

    def _fit(self) -> None:
        self._before_fit()
        self._view.fit()
