"""Shows running flows: samples of the lab go into the model, and from there to plots and to the canvas.

The plots need matplotlib, which takes a while to import. A thread imports it when plots are first needed.
"""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from tkinter.ttk import Notebook
from typing import TYPE_CHECKING, Any

import ttkbootstrap as ttk

from frrlib.addressing.resolved import resolved
from frrlib.errors import LabError, TopologyError
from frrlib.model.topology import Topology
from frrlib.picture.theme import Theme
from frrlib.render.plan import flow_plans
from frrlib.results.layout import FlowInfo
from frrlib.results.rates import rate_in
from frrlib.run.requested_values import queues
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.live.messages import Incident, RouteChange
from miniedit_frr.live.quantities import USUAL
from miniedit_frr.live.samples import LiveRun
from miniedit_frr.live.stored import run_of
from miniedit_frr.live_plots.loads import LoadDisplay
from miniedit_frr.runs.controller import RunController
from miniedit_frr.runs.list_panel import RunRow
from miniedit_frr.session.events import FlowProgress, SampleBatch
from miniedit_frr.user.preferences import PreferenceStore
from miniedit_frr.user.window_state import WindowStateStore
from miniedit_frr.widgets.worker import Worker

if TYPE_CHECKING:
    from miniedit_frr.live_plots.panel import PlotPanel
    from miniedit_frr.live_plots.window import PlotWindow

#: Minimum height of the panel with plots, in units.
_HIGH = 290
_NOTHING = "Plots of running flows appear here. Start flows with Run > Run with Flows, or Ctrl+F5."
_ELSEWHERE = "The plots are in a separate window."


class PlotController:
    """The current or last run, and the panels that show it.

    Attributes:
        run: the samples and events of the run.
        loads: the loads of links on the canvas.
        on_enlarge: called after the bottom panel has taken space from the drawing.
        tab: the tab of the bottom panel; `panel` contains its plots, None before they were needed.
        window: the plots in a window of their own; None without one.
        stored_windows: the windows of finished runs.
        is_ready: whether matplotlib has been imported.
    """

    def __init__(
        self,
        main: MainWindow,
        bottom: Notebook,
        preferences: PreferenceStore,
        window_state: WindowStateStore,
        loads: LoadDisplay,
        runs: RunController,
    ) -> None:
        self._main, self._bottom, self._preferences = main, bottom, preferences
        self._window_state, self._runs = window_state, runs
        self.run, self._folder, self._opens_at_samples = LiveRun(), Path(), False
        self.loads = loads
        self.window: PlotWindow | None = None
        self.panel: PlotPanel | None = None
        self.stored_windows: list[PlotWindow] = []
        self.on_enlarge: Callable[[], object] = lambda: None
        self.is_ready = self._is_loading = False
        self._waiting: list[Callable[[], object]] = []
        self._worker = Worker(main.root)
        self.tab = ttk.Frame(bottom)
        self._words = ttk.Label(self.tab, text=_NOTHING, anchor="center")
        self._back = ttk.Button(self.tab, text="Show Here", command=self.dock, bootstyle="secondary-outline")
        self._words.place(relx=0.5, rely=0.4, anchor="center")
        bottom.add(self.tab, text="Live")
        bottom.bind("<<NotebookTabChanged>>", lambda event: self._tab_selected(), add=True)

    # --- events ---

    def begin(self, topology: Topology, has_flows: bool, title: str) -> None:
        """A lab of this topology begins."""
        topology = resolved(topology)
        self.loads.begin(topology)
        self._opens_at_samples = has_flows
        if not has_flows:
            return
        self.run = LiveRun(_planned(topology), queues(topology), title)
        self._show_run()
        if self._preferences.now.live_plots != "no":
            self.prepare(lambda: None)

    def add_samples(self, batch: SampleBatch) -> None:
        """Add samples."""
        self.run.take(batch.table, batch.rows, batch.zero_s)
        if self._opens_at_samples:
            self._opens_at_samples = False
            self._open_automatically()

    def add_flow_event(self, event: FlowProgress) -> None:
        """Add the start or the end of a flow."""
        self.run.add_flow_event(event.flow, event.kind, event.time_s)

    def add_route_change(self, change: RouteChange) -> None:
        """Add a mark for a change of a route."""
        self.run.mark_by_lab(
            change.time_s, "route", f"{change.router} {'has' if change.added else 'loses'} {change.prefix}"
        )

    def add_incident(self, incident: Incident) -> None:
        """Add a fault or the death of a daemon. Notes of daemons appear only in the timeline."""
        if incident.kind != "note":
            if new := rate_in(incident.text):
                self.run.add_rate(incident.where, new, incident.time_s, by_lab=True)
            self.run.add_limits(incident.where, incident.limits, incident.time_s, by_lab=True)
            kind = "rate" if new else incident.kind
            words = incident.text if incident.where in incident.text else f"{incident.where}: {incident.text}"
            self.run.mark_by_lab(incident.time_s, kind, words)

    def refresh(self) -> None:
        """Show the changes of the loads on the canvas. The plots poll the run themselves."""
        self.loads.refresh(self.run)

    def show_loads(self) -> None:
        """Show or hide the loads, after their switch has changed."""
        self.loads.show(self.run)

    def show_results(self, folder: Path) -> None:
        """The flows have ended, and their results are in a folder: show them in full detail."""
        self._folder, self.run.is_over = folder, True
        self.loads.end()
        if self.run.is_thinned:
            self._work(partial(run_of, folder), self._show_complete)
        for panel in self._visible_panels():
            panel.offer_results(partial(self._open_folder, folder))
            panel.replace(self.run)

    def end(self) -> None:
        """The lab has ended."""
        self.run.is_over = True
        self._opens_at_samples = False
        self.loads.end()

    def _show_complete(self, run: LiveRun) -> None:
        if self.run.is_over:
            run.title = self.run.title
            self.run = run
            for panel in self._visible_panels():
                panel.replace(run)

    # --- panel and window ---

    @property
    def is_in_front(self) -> bool:
        """Whether the tab shows plots now."""
        return self.panel is not None and self._bottom.select() == str(self.tab)

    def _visible_panels(self) -> list[PlotPanel]:
        panels = [self.window.panel if self.window is not None else None, self.panel]
        return [panel for panel in panels if panel is not None]

    def _show_run(self) -> None:
        if self.window is not None:
            self.window.show(self.run)
        if self.panel is not None:
            self.panel.show(self.run)

    def _open_automatically(self) -> None:
        preference = self._preferences.now.live_plots
        if self.window is not None or preference == "no":
            return
        if preference == "window":
            self.show_window()
        else:
            self._bottom.select(self.tab)

    def _tab_selected(self) -> None:
        is_open = self._bottom.select() == str(self.tab)
        if is_open and self.panel is None and self.window is None and (self.run.flows or self.run.queues):
            self.prepare(self._fill)

    def _fill(self) -> None:
        """Put plots into the tab."""
        if self.panel is not None or self.window is not None:
            return
        make = import_module("miniedit_frr.live_plots.panel").PlotPanel
        keys = self._keys()
        panel: PlotPanel = make(self.tab, self._main.ui, self._main.theme, keys, is_docked=True, say=self._main.say)
        self.panel = panel
        panel.on_keys = self._remember
        panel.add_button("Own Window", self.show_window)
        panel.show(self.run)
        if self.run.is_over and self._folder != Path():
            panel.offer_results(partial(self._open_folder, self._folder))
        self._back.place_forget()
        self._words.place_forget()
        panel.pack(fill="both", expand=True)
        self._enlarge_panel()

    def _enlarge_panel(self) -> None:
        """Enlarge the bottom panel until curves are readable, unless the window is too low."""
        split: Any = self._bottom.master
        sash = len(split.panes()) - 2
        position = split.winfo_height() - round(_HIGH * self._main.ui)
        if sash >= 0 and position > split.winfo_height() / 3 and split.sashpos(sash) > position:
            split.sashpos(sash, position)
            self.on_enlarge()

    def show_window(self) -> None:
        """Show the plots in a window of their own, instead of in the panel."""
        if self.window is not None:
            self.window.lift()
            return
        self.prepare(self._open_window)

    def _open_window(self) -> None:
        if self.window is not None:
            return
        if self.panel is not None:
            self.panel.destroy()
            self.panel = None
        self._words.configure(text=_ELSEWHERE)
        self._words.place(relx=0.5, rely=0.4, anchor="center")
        self._back.place(relx=0.5, rely=0.62, anchor="center")
        window = self.window = self._make_window(self.run, self._keys())
        window.panel.on_keys = self._remember
        window.on_closed = self._closed
        window.panel.add_button("Dock", self.dock)
        if self.run.is_over and self._folder != Path():
            window.panel.offer_results(partial(self._open_folder, self._folder))

    def dock(self) -> None:
        """Put the plots of the window into the panel."""
        if self.window is not None:
            self.window.destroy()
        self.prepare(self._fill)
        self._bottom.select(self.tab)

    def _closed(self) -> None:
        self.window = None
        try:
            self._back.place_forget()
            self._words.configure(text=_NOTHING)
        except tk.TclError:
            return  # the whole editor is closed
        self._main.root.after_idle(self._tab_selected)

    def _make_window(self, run: LiveRun, keys: tuple[str, ...]) -> PlotWindow:
        make = import_module("miniedit_frr.live_plots.window").PlotWindow
        window: PlotWindow = make(self._main.root, run, self._main.ui, self._main.theme, keys, self._main.say)
        return window

    def _keys(self) -> tuple[str, ...]:
        return self._window_state.now.plots or USUAL

    def _remember(self, keys: tuple[str, ...]) -> None:
        self._window_state.change(plots=keys)

    def set_theme(self, theme: Theme) -> None:
        """Show all plots in a theme's colors."""
        self.loads.legend.set_theme(theme)
        for panel in (*self._visible_panels(), *(window.panel for window in self.stored_windows)):
            panel.set_theme(theme)

    def _open_folder(self, folder: Path) -> None:
        self._runs.open_folder(RunRow("", "", "", "", str(folder)))

    # --- finished runs ---

    def show_stored(self, row: RunRow) -> None:
        """Show the plots of a finished run in a window of their own."""
        folder = Path(row.folder)
        self._main.say(f"Reading {folder} …")
        self._work(partial(run_of, folder), lambda run: self.prepare(partial(self._show_stored, run, row)))

    def _show_stored(self, run: LiveRun, row: RunRow) -> None:
        run.title = f"{row.title}, {row.time}"
        window = self._make_window(run, self._keys())
        window.panel.offer_results(partial(self._open_folder, Path(row.folder)))
        self.stored_windows.append(window)
        window.on_closed = lambda: self.stored_windows.remove(window)
        self._main.say(f"{run.title}: {len(run.flows)} flows, {run.newest_s:.1f} s.")

    # --- threads ---

    def prepare(self, then: Callable[[], object]) -> None:
        """Call `then` when matplotlib has been imported."""
        if self.is_ready:
            then()
            return
        self._waiting.append(then)
        if not self._is_loading:
            self._is_loading = True
            self._work(lambda: import_module("miniedit_frr.live_plots.window"), self._prepared)

    def _prepared(self, module: Any) -> None:
        self.is_ready = True
        waiting, self._waiting = self._waiting, []
        for then in waiting:
            then()

    def _work(self, job: Callable[[], Any], then: Callable[[Any], object]) -> None:
        """Run a job in a thread, and call `then` with its result in the window's thread."""
        self._worker.do("plots", job, then, self._report_error)

    def _report_error(self, error: Exception) -> None:
        if not isinstance(error, LabError | OSError):
            raise error
        self._main.say(str(error))


def _planned(topology: Topology) -> list[FlowInfo]:
    """The flows of a topology; empty if it has errors, which the lab reports."""
    try:
        return [FlowInfo.model_validate(plan, from_attributes=True) for plan in flow_plans(topology)]
    except TopologyError:
        return []
