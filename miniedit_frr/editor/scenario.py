"""Connects the scenario track with the window: its visibility, the selection in both, the findings, and the run."""

from __future__ import annotations

import time
import tkinter as tk
from collections.abc import Callable, Sequence

from frrlib.picture.scene import Key
from frrlib.prediction.congestion import control_of
from frrlib.results.palette import curve_styles
from miniedit_frr.canvas.view import View
from miniedit_frr.dialogs.background_check import Findings
from miniedit_frr.dialogs.opener import Dialogs
from miniedit_frr.document.document import Document
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.track.panel import TrackPanel
from miniedit_frr.widgets.focus import focused
from miniedit_frr.widgets.popup import popup_menu
from miniedit_frr.window.panes import Panes

#: The reason why the plan is locked during a run.
_LOCKED = "The run uses the plan as it was at its start. The plan can be edited again after the flows."
#: Time between two movements of the playhead.
_TICK_MS = 80


def flow_colors(controls: Sequence[str]) -> list[str]:
    """A color for each flow, as in figures."""
    return [style.colour for style in curve_styles(controls)] if controls else []


class ScenarioController:
    """The track of a window.

    Attributes:
        panel: the track with its buttons.
    """

    def __init__(
        self, main: MainWindow, document: Document, view: View, dialogs: Dialogs, panes: Panes, parent: tk.Misc
    ) -> None:
        self._main, self._document, self._view = main, document, view
        self._dialogs, self._panes = dialogs, panes
        self.panel = TrackPanel(parent, document, main.ui, main.theme, dialogs, flow_colors)
        self.panel.read_selection = lambda: sorted(view.selection)
        self.panel.on_lanes = self._select_things
        self.panel.edits.say = main.say
        self.panel.menus.on_plan = self.open
        view.on_select.append(self._selected)
        self._start_s: float | None = None
        self._timer = ""

    # --- the drawing ------------------------------------------------------------------------------------------------

    def show_findings(self, findings: Findings) -> None:
        """The topology was checked: show the findings on the track."""
        topology = findings.resolved
        controls = {flow.id: control_of(topology, flow).name for flow in topology.flows if not flow.congestion_control}
        self.panel.show_findings(findings.problems, controls)

    def _select_things(self, keys: Sequence[Key]) -> None:
        """Select the things whose lanes were clicked; of a flow, both of its ends."""
        flows = {flow.id: flow for flow in self._document.topology.flows}
        selected = [key for key in keys if key.kind in ("node", "link")]
        for flow in (flows[key.name] for key in keys if key.kind == "flow" and key.name in flows):
            selected += [Key("node", flow.source), Key("node", flow.destination)]
        view = self._view
        view.select(selected)
        if len(view.selection) == 1:
            view.reveal(next(iter(view.selection)))

    def open(self) -> None:
        """Show the track if it is hidden."""
        if not self._panes.visible["scenario"]:
            self._panes.toggle("scenario")

    def fill_context_menu(self, menu: tk.Menu, key: Key | None) -> None:
        """Add the faults that can be planned for a thing to its context menu."""
        submenu = popup_menu(menu, self._main.theme)
        if key is not None:
            self.panel.menus.fill(submenu, key, self.panel.next_start_s())
        if submenu.index("end") is not None:
            menu.add_separator()
            menu.add_cascade(label="Plan", menu=submenu)

    def _selected(self) -> None:
        self.panel.canvas.select_lanes(self._view.selection)

    def has_focus(self) -> bool:
        """Whether the track has the keyboard."""
        return focused(self._main.root) is self.panel.canvas

    def or_track(self, letter: str, elsewhere: Callable[[], object]) -> Callable[[], object]:
        """The action of a line of the Edit menu: that of the track if it has the keyboard, else another one.

        Args:
            letter: as in `TrackPanel.commands`; empty for Delete.
            elsewhere: the action if the track does not have the keyboard.
        """
        track_command = self.panel.commands()[letter] if letter else self.panel.edits.delete

        def command() -> object:
            return track_command() if self.has_focus() else elsewhere()

        return command

    # --- a run ------------------------------------------------------------------------------------------------------

    def set_running(self, is_running: bool) -> None:
        """Lock the plan while a lab sends its flows, and unlock it at their end."""
        self.panel.lock(_LOCKED if is_running else "")
        if not is_running:
            self._start_s = None
            if self._timer:
                self._main.root.after_cancel(self._timer)
                self._timer = ""
            self.panel.canvas.show_playhead(None)

    def set_run_time(self, time_s: float) -> None:
        """Store the current time of the run, in seconds after the start of its flows. A message that arrives late makes
        the run seem slower, so the most advanced time is used."""
        if not self.panel.edits.lock_reason():
            return
        start_s = time.monotonic() - time_s
        self._start_s = start_s if self._start_s is None else min(start_s, self._start_s)
        if not self._timer:
            self._tick()

    def _tick(self) -> None:
        self._timer = ""
        if self._start_s is not None:
            self.panel.canvas.show_playhead(time.monotonic() - self._start_s)
            self._timer = self._main.root.after(_TICK_MS, self._tick)

    def close(self) -> None:
        """The window closes."""
        self.panel.store_height()
        self.set_running(False)
