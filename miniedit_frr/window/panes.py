"""The layout of the window beside the tools: the canvas, the properties beside it, the scenario and the lists below."""

from __future__ import annotations

import tkinter as tk
from dataclasses import asdict

import ttkbootstrap as ttk

from miniedit_frr.track.panel import TrackPanel
from miniedit_frr.user.window_state import Panels


class Panes:
    """Panes with movable borders. The panels in them can be shown and hidden.

    Args:
        window: the parent; the panes fill the space that it has left.
        visible: the panels that are visible once `add_panels` was called.

    Attributes:
        outer: all panes; a panel of full height may be before the others.
        rows: the upper part above the lower one.
        columns: the panes side by side, with the canvas first.
        canvas_frame: the parent of the canvas.
        visible: whether each of the panels "side", "scenario" and "bottom" is visible.
    """

    def __init__(self, window: tk.Misc, visible: Panels) -> None:
        self.outer = ttk.Panedwindow(window, orient="horizontal")
        self.rows = ttk.Panedwindow(self.outer, orient="vertical")
        self.outer.add(self.rows, weight=1)
        self.columns = ttk.Panedwindow(self.rows, orient="horizontal")
        self.canvas_frame = ttk.Frame(self.columns)
        self.columns.add(self.canvas_frame, weight=1)
        self.rows.add(self.columns, weight=1)
        self.visible: dict[str, bool] = asdict(visible)

    def add_panels(self, side: tk.Widget, scenario: TrackPanel, bottom: tk.Widget) -> None:
        """Add the panels, and show those that should be visible."""
        self._scenario = scenario
        self._panels: dict[str, tk.Widget] = {"side": side, "bottom": bottom, "scenario": scenario}
        for name in self._panels:
            self._place(name)

    def show_first(self, panel: tk.Widget) -> None:
        """Show a further panel of full height before the others. Its parent is `outer`."""
        self.outer.insert(0, panel, weight=0)

    def toggle(self, name: str) -> None:
        """Show or hide a panel."""
        self.visible[name] = not self.visible[name]
        self._place(name)

    def _place(self, name: str) -> None:
        """Show or hide a panel according to `visible`."""
        panes = self.columns if name == "side" else self.rows
        panel = self._panels[name]
        is_visible = str(panel) in map(str, panes.panes())
        if self.visible[name] and not is_visible:
            # The scenario is between the canvas and the lists.
            self._scenario.request_height()
            is_between = name == "scenario" and self.visible["bottom"]
            panes.insert(self._panels["bottom"] if is_between else "end", panel, weight=0)
        elif is_visible and not self.visible[name]:
            self._scenario.store_height()
            panes.forget(panel)
