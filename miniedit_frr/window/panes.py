"""The layout of the window beside the tools: the canvas, properties beside it, the scenario and the lists below."""

from __future__ import annotations

import tkinter as tk
from dataclasses import asdict

import ttkbootstrap as ttk

from miniedit_frr.track.panel import TrackPanel
from miniedit_frr.user.window_state import Panels


class Panes:
    """Panes with movable borders; the panels in them come and go.

    Args:
        window: which they fill, but for what is packed before.
        shown: the panels that are shown in the beginning, once `put` is called.

    Attributes:
        split: the upper part above the lower one.
        across: the panes side by side: the canvas first.
        middle: where the canvas goes.
        shown: which of the panels "side", "scenario" and "bottom" are shown.
    """

    def __init__(self, window: tk.Misc, shown: Panels) -> None:
        self.split = ttk.Panedwindow(window, orient="vertical")
        self.across = ttk.Panedwindow(self.split, orient="horizontal")
        self.middle = ttk.Frame(self.across)
        self.across.add(self.middle, weight=1)
        self.split.add(self.across, weight=1)
        self.visible: dict[str, bool] = asdict(shown)

    def put(self, side: tk.Widget, scenario: TrackPanel, bottom: tk.Widget) -> None:
        """Take the panels, and show those that should be visible."""
        self._scenario = scenario
        self._panels: dict[str, tk.Widget] = {"side": side, "bottom": bottom, "scenario": scenario}
        for name in self._panels:
            self._place(name)

    def toggle(self, name: str) -> None:
        """Show or hide a panel."""
        self.visible[name] = not self.visible[name]
        self._place(name)

    def _place(self, name: str) -> None:
        """Show or hide a panel, as wanted."""
        split = self.across if name == "side" else self.split
        panel = self._panels[name]
        is_there = str(panel) in map(str, split.panes())
        if self.visible[name] and not is_there:
            # The scenario stands between the canvas and the lists.
            self._scenario.request_height()
            is_between = name == "scenario" and self.visible["bottom"]
            split.insert(self._panels["bottom"] if is_between else "end", panel, weight=0)
        elif is_there and not self.visible[name]:
            self._scenario.store_height()
            split.forget(panel)
