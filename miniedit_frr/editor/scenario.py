"""Joins the scenario track with the window: its place, the selection on both, what is found out, and a run."""

from __future__ import annotations

import time
import tkinter as tk
from collections.abc import Callable, Sequence

from frrlib.picture.scene import Key
from frrlib.prediction.congestion import control_of
from frrlib.results.palette import curve_styles
from miniedit_frr.dialogs.background_check import Findings
from miniedit_frr.editor.parts import Parts
from miniedit_frr.track.panel import TrackPanel
from miniedit_frr.widgets.popup import popup_menu

#: While flows run their plan is theirs.
_LOCKED = "The run uses the plan as it was at its start. The plan can be edited again after the flows."
#: How often the playhead moves.
_TICK_MS = 80


def flow_colors(controls: Sequence[str]) -> list[str]:
    """A colour for each flow, the one that figures have."""
    return [look.colour for look in curve_styles(controls)] if controls else []


class ScenarioController:
    """The track of an editor.

    Attributes:
        panel: the track with its buttons.
    """

    def __init__(self, parts: Parts, parent: tk.Misc) -> None:
        self._parts = parts
        self.panel = TrackPanel(parent, parts.document, parts.ui, parts.theme, parts.dialogs, flow_colors)
        self.panel.read_selection = lambda: sorted(parts.view.selection)
        self.panel.on_lanes = self._picked
        self.panel.edits.say = parts.say
        self.panel.menus.on_plan = self.open
        parts.view.on_select.append(self._selected)
        self._zero_s: float | None = None
        self._timer = ""

    # --- the drawing ------------------------------------------------------------------------------------------------

    def found(self, findings: Findings) -> None:
        """The drawing was checked."""
        topology = findings.resolved
        controls = {flow.id: control_of(topology, flow).name for flow in topology.flows if not flow.congestion_control}
        self.panel.found(findings.problems, controls)

    def _picked(self, keys: Sequence[Key]) -> None:
        """The names of lanes were clicked: select what they are on the drawing; of a flow both of its ends."""
        flows = {flow.id: flow for flow in self._parts.document.topology.flows}
        chosen = [key for key in keys if key.kind in ("node", "link")]
        for flow in (flows[key.name] for key in keys if key.kind == "flow" and key.name in flows):
            chosen += [Key("node", flow.source), Key("node", flow.destination)]
        view = self._parts.view
        view.select(chosen)
        if len(view.selection) == 1:
            view.reveal(next(iter(view.selection)))

    def open(self) -> None:
        """Show the track, where it is not shown."""
        if not self._parts.panes.visible["scenario"]:
            self._parts.panes.toggle("scenario")

    def context(self, menu: tk.Menu, key: Key | None) -> None:
        """Add to the menu of something on the drawing what can be planned for it."""
        below = popup_menu(menu, self._parts.theme)
        if key is not None:
            self.panel.menus.fill(below, key, self.panel.next_start_s())
        if below.index("end") is not None:
            menu.add_separator()
            menu.add_cascade(label="Plan", menu=below)

    def _selected(self) -> None:
        self.panel.canvas.select_lanes(self._parts.view.selection)

    def has_focus(self) -> bool:
        """Whether keys are for the track."""
        return self._parts.window.focus_get() is self.panel.canvas

    def first(self, letter: str, other: Callable[[], object]) -> Callable[[], object]:
        """The action of a line of the Edit menu: it is for the track where that has the keyboard.

        Args:
            letter: as in `TrackPanel.commands`; empty for Delete.
            other: what it does elsewhere.
        """
        own = self.panel.commands()[letter] if letter else self.panel.edits.delete

        def command() -> object:
            return own() if self.has_focus() else other()

        return command

    # --- a run ------------------------------------------------------------------------------------------------------

    def run(self, is_running: bool) -> None:
        """A lab that sends the flows of this plan begins, or has come to their end."""
        self.panel.lock(_LOCKED if is_running else "")
        if not is_running:
            self._zero_s = None
            if self._timer:
                self._parts.window.after_cancel(self._timer)
                self._timer = ""
            self.panel.canvas.show_playhead(None)

    def set_run_time(self, time_s: float) -> None:
        """The run is at this time now, in seconds from the start of its flows. What comes late seems to be earlier, so
        that the latest counts."""
        if not self.panel.edits.lock_reason():
            return
        zero_s = time.monotonic() - time_s
        self._zero_s = zero_s if self._zero_s is None else min(zero_s, self._zero_s)
        if not self._timer:
            self._tick()

    def _tick(self) -> None:
        self._timer = ""
        if self._zero_s is not None:
            self.panel.canvas.show_playhead(time.monotonic() - self._zero_s)
            self._timer = self._parts.window.after(_TICK_MS, self._tick)

    def close(self) -> None:
        """The window goes."""
        self.panel.store_height()
        self.run(False)
