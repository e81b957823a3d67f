"""Pointer and keys on plots: reading values, zooming, panning, pausing."""

from __future__ import annotations

import math
import tkinter as tk
from collections.abc import Callable
from typing import Any, Protocol

from miniedit_frr.live.samples import LiveRun
from miniedit_frr.live_plots.figure import PlotFigure
from miniedit_frr.live_plots.overlay import Overlay
from miniedit_frr.widgets.deferred import DeferredCall

_DRAG_PX = 6
_ZOOM = 1.3


class PlotPointerTarget(Protocol):
    """The part of a panel of plots that the pointer uses; see `PlotPanel`."""

    ui: float
    run: LiveRun
    plots: PlotFigure
    overlay: Overlay
    widget: tk.Canvas
    zoomed: tuple[float, float] | None

    @property
    def latest_s(self) -> float:
        """The latest time that can be shown."""

    def visible_span(self) -> tuple[float, float]:
        """The visible span."""

    def zoom(self, from_s: float, to_s: float) -> None:
        """Show another span."""

    def unzoom(self) -> None:
        """Follow the newest samples again."""

    def pause(self) -> None:
        """Pause or resume."""

    def resized(self) -> None:
        """Adapt to a new size."""

    def after_idle(self, func: Callable[[], object]) -> Any:
        """Call a function as soon as the window is idle."""


class PlotPointer:
    """Handles the pointer and keys on a panel of plots."""

    def __init__(self, panel: PlotPointerTarget) -> None:
        self._panel, self._plots, self._overlay, self._widget = panel, panel.plots, panel.overlay, panel.widget
        #: The pixel and the time at which a drag began.
        self._pressed: tuple[float, float] | None = None
        self._panned: tuple[float, tuple[float, float]] | None = None
        self._bind_events()

    @property
    def is_dragging(self) -> bool:
        """Whether a drag is selecting a span of time."""
        return self._pressed is not None

    def _bind_events(self) -> None:
        widget, panel = self._widget, self._panel
        for sequence in ("<Button-4>", "<Button-5>", "<MouseWheel>", "<ButtonPress-1>", "<Motion>"):
            widget.unbind(sequence)  # the toolkit's backend would search for axes at every motion
        resizing = DeferredCall(widget, panel.resized)
        keys: dict[str, Callable[[tk.Event], object]] = {
            "<Motion>": self._motion, "<Leave>": lambda event: self._leave(),
            "<ButtonPress-1>": self._press, "<B1-Motion>": self._drag, "<ButtonRelease-1>": self._release,
            "<Double-Button-1>": lambda event: panel.unzoom(),
            "<ButtonPress-2>": self._grab, "<B2-Motion>": self._pan,
            "<Shift-ButtonPress-1>": self._grab, "<Shift-B1-Motion>": self._pan,
            "<Shift-ButtonRelease-1>": lambda event: None,
            "<Button-4>": lambda event: self._wheel(event, 1 / _ZOOM),
            "<Button-5>": lambda event: self._wheel(event, _ZOOM),
            "<MouseWheel>": lambda event: self._wheel(event, 1 / _ZOOM if event.delta > 0 else _ZOOM),
            "<space>": lambda event: panel.pause(), "<Escape>": lambda event: self.escape(),
            "<Configure>": lambda event: resizing.soon(),
        }  # fmt: skip
        for sequence, handler in keys.items():
            widget.bind(sequence, lambda event, handler=handler: handler(event) and None, add=sequence == "<Configure>")  # type: ignore[misc]

    def escape(self) -> None:
        """Cancel the drag, or else the zoom."""
        if self._pressed is not None:
            self._pressed = None
            self._overlay.show(self._panel.run)
        elif self._panel.zoomed is not None:
            self._panel.unzoom()

    def _motion(self, event: tk.Event) -> None:
        self._overlay.point(event.x, event.y)
        self._overlay.show(self._panel.run)

    def _leave(self) -> None:
        self._overlay.time_s = None
        self._overlay.show(self._panel.run)

    def _press(self, event: tk.Event) -> None:
        self._widget.focus_set()
        panel = self._plots.panel_at(event.x, event.y)
        self._pressed = (event.x, self._plots.time_at(panel, event.x)) if panel is not None else None

    def _drag(self, event: tk.Event) -> None:
        if self._pressed is not None:
            self._overlay.time_s = None
            self._overlay.show(self._panel.run)
            self._overlay.band(self._pressed[0], event.x)

    def _release(self, event: tk.Event) -> None:
        pressed, self._pressed = self._pressed, None
        panel = self._plots.panel_at(pressed[0], event.y) if pressed is not None else None
        panel = panel or (self._plots.panels[0] if self._plots.panels and not self._plots.is_wide else None)
        if pressed is None or panel is None or abs(event.x - pressed[0]) < _DRAG_PX * self._panel.ui:
            self._overlay.show(self._panel.run)
            return
        ends = sorted((pressed[1], self._plots.time_at(panel, event.x)))
        self._panel.zoom(max(0.0, ends[0]), ends[1])

    def _wheel(self, event: tk.Event, ratio: float) -> None:
        panel = self._plots.panel_at(event.x, event.y)
        if panel is None:
            return
        at_s, (from_s, to_s) = self._plots.time_at(panel, event.x), self._panel.visible_span()
        limit_s = self._panel.latest_s
        self._panel.zoom(max(0.0, at_s - (at_s - from_s) * ratio), min(limit_s, at_s + (to_s - at_s) * ratio))

    def _grab(self, event: tk.Event) -> None:
        self._panned = event.x, self._panel.visible_span()

    def _pan(self, event: tk.Event) -> None:
        if self._panned is None or not self._plots.panels:
            return
        x, (from_s, to_s) = self._panned
        x0, _, x1, _ = self._plots.box(self._plots.panels[0])
        by_s = (x - event.x) / max(1.0, x1 - x0) * (to_s - from_s)
        by_s = max(by_s, -from_s)
        if not math.isclose(by_s, 0.0, abs_tol=1e-9):
            self._panel.zoom(from_s + by_s, to_s + by_s)
