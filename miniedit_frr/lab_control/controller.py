"""Starts and stops the lab of the topology, and passes the events of its session to the parts that show them.

The window never waits for the lab: the session works in threads, and a timer polls its events.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from frrlib.edits import live_changes
from frrlib.errors import LabError
from frrlib.formats import mn
from frrlib.lab_server import register
from frrlib.model.labels import error_words
from frrlib.model.topology import Topology
from frrlib.picture.theme import Theme
from frrlib.results.layout import RUN
from frrlib.run.run import RunOutcome
from miniedit_frr.configs_view.controller import ConfigController
from miniedit_frr.editor.parts import Parts
from miniedit_frr.editor.scenario import ScenarioController
from miniedit_frr.faults_view.controller import FaultController
from miniedit_frr.faults_view.live_links import LiveLinks
from miniedit_frr.lab_control.context_menus import LabMenus
from miniedit_frr.lab_control.convergence import report_convergence
from miniedit_frr.lab_control.departure import LabDeparture
from miniedit_frr.lab_control.failure_window import FailureWindow
from miniedit_frr.lab_control.lab_changes import LabChanges
from miniedit_frr.lab_control.mode import LabMode
from miniedit_frr.lab_control.run_buttons import RunButtons
from miniedit_frr.lab_control.start_checks import StartChecks
from miniedit_frr.live.messages import AdjacencyState, Incident, RouteChange
from miniedit_frr.live_plots.controller import PlotController
from miniedit_frr.live_plots.loads import LoadDisplay
from miniedit_frr.now.controller import NowController
from miniedit_frr.paths.probes import Probes
from miniedit_frr.paths.tracker import PathTracker
from miniedit_frr.routing_view.controller import RoutingController
from miniedit_frr.routing_view.windows import RoutingWindows
from miniedit_frr.running_lab.actions import LabActions
from miniedit_frr.running_lab.consent import Consent
from miniedit_frr.running_lab.detached_labs import origin_of
from miniedit_frr.running_lab.display import LabDisplay
from miniedit_frr.running_lab.lab import LiveLab
from miniedit_frr.running_lab.node_commands import NodeCommands
from miniedit_frr.running_lab.places import Places
from miniedit_frr.running_lab.windows import NodeWindows
from miniedit_frr.runs.browser import RunBrowserController
from miniedit_frr.runs.controller import RunController
from miniedit_frr.runs.run_dialog_controller import RunDialogController
from miniedit_frr.session import requests
from miniedit_frr.session.events import (
    ClockTime,
    ConvergenceProgress,
    Event,
    FaultReport,
    FinalConfigs,
    FlowProgress,
    FlowsEnd,
    LabFacts,
    LabOrder,
    LabReply,
    LabState,
    LinkState,
    LogLine,
    NodeState,
    OtherTopology,
    PairRoundTrip,
    SampleBatch,
    StateChange,
    StepProgress,
)
from miniedit_frr.sweeps.comparisons import Comparisons
from miniedit_frr.sweeps.controller import SweepController

_POLL_MS = 40
#: A hint for the first steps in a running lab.
_FIRST_STEPS = "Double-click a node for its terminal, or use Two nodes for pings."


class LabController:
    """A lab behind the window.

    Attributes:
        lab: the state of the lab.
        session: the lab's session.
        display, windows, probes, places, runs, run_browser, departure, routing, routing_windows, configs, faults,
            actions, node_commands, menus, mode, live, live_links, now_view, run_dialogs, sweeps, comparisons,
            consent, changes: the parts, each for one purpose.
        failure: the window with the reason why the last lab failed; None if it did not, or another one has begun.

    Args:
        parts: the parts of the window; the constructor passes them on to the parts of the lab.
        scenario: the plan of a run, which shows its progress.
        memory: the file that stores the list of runs.
        history: the folder that stores their configurations.
    """

    def __init__(self, parts: Parts, scenario: ScenarioController, memory: Path, history: Path) -> None:
        main, document, tools, preferences = parts.main, parts.document, parts.tools, parts.preferences.store
        self._main, self._document, self._files, self._preferences = main, document, parts.files, preferences
        self._status, self._log, self._scenario, self._timer = parts.status, parts.log, scenario, ""
        self._handlers: dict[type, Callable[[Any], object]] = {}
        lab = self.lab = LiveLab(document, main.say, self._watch)
        self.session, view, bottom = lab.session, parts.view, parts.bottom
        self.places = Places(main, parts.status, preferences)
        self.display = LabDisplay(parts.status, bottom, view, lab, self.places)
        self.runs = RunController(main, bottom, preferences, memory)
        self.run_browser = RunBrowserController(main, parts.files.open_example, self.runs)
        self.routing = RoutingController(view, lambda: parts.window_state.now.labels, lab)
        self.windows = NodeWindows(main, bottom, preferences, lab)
        self.routing_windows = RoutingWindows(main, view, lab, self.routing)
        self.probes = Probes(main, tools, PathTracker(main, view, lab, self.routing), lab, self.display)
        self.configs = ConfigController(main, document, parts.files.save, lab, self.windows, history)
        self.departure = LabDeparture(main, lab, self.configs)
        loads = LoadDisplay(view, lambda: parts.window_state.now.labels)
        self.live = PlotController(main, bottom, preferences, parts.window_state, loads, self.runs)
        self.live_links = LiveLinks(document, main.say, lab)
        self.faults = FaultController(main, lambda: view.selection, lab, self.display, self.live_links)
        self.actions, self.node_commands = LabActions(main, lab), NodeCommands(main, lambda: view.selection, lab)
        self.menus = LabMenus(
            lab, self.display, self.windows, self.routing_windows, self.probes, self.faults, self.actions,
            self.node_commands, lambda router: self.changes.drawn.start_frr(router),
        )  # fmt: skip
        buttons = RunButtons(tools.toolbox, self.run, self.run_with_flows, lab.stop)
        buttons.pack(side="bottom", fill="x", before=next(iter(tools.toolbox.fields.values())))
        self.mode = LabMode(
            main, document, tools, parts.dialogs, parts.properties, lab, self.menus, self.probes.two_nodes, buttons,
        )  # fmt: skip
        self._start_checks = StartChecks(main, document, parts.checker, parts.problems, bottom)
        self.now_view = NowController(view, parts.properties, lab, self.display, self.routing, self.live)
        self.consent = Consent(main.root, document, self.places, memory, memory.with_name("trust.json"))
        self.changes = LabChanges(main, document, view, lab, self.display, self.consent, preferences)
        self.run_dialogs = RunDialogController(main, lambda: document.topology, preferences, self.runs, self, memory)
        self.sweeps = SweepController(parts, self.places, self.runs, self.run_browser, self.consent, self.run_dialogs)
        self.comparisons = Comparisons(parts, self.sweeps, self.runs, lambda: lab.name)
        self.failure: FailureWindow | None = None
        self._join()

    def _join(self) -> None:
        self._status.on_cancel = self.lab.cancel
        self._files.may_close = self.departure.may_leave
        self._files.on_saved += [self.configs.show_after_save, self.consent.saved]
        self.runs.panel.on_timeline = self.routing_windows.show_finished
        self.runs.panel.on_interactive = self.live.show_stored
        self.display.extra_texts += [self.live.loads.text_of, self.routing.text_of]
        self.live_links.on_follow.append(self.now_view.follow)
        self.changes.on_change += [
            self.routing.adopt, self.now_view.begin, lambda topology: self.faults.ask(),
            lambda topology: self.live.begin(topology, False, self.lab.name),
        ]  # fmt: skip
        self.changes.show_in(self.mode)
        self._handlers = {
            StateChange: self._state_changed,
            FinalConfigs: self.configs.store_final,
            StepProgress: self._step,
            NodeState: self._node_state,
            LinkState: self.display.show_link,
            FaultReport: self.faults.show_fault,
            FlowProgress: self._flow_changed,
            SampleBatch: self.live.add_samples,
            ClockTime: self.display.show_clock,
            LabFacts: self._facts,
            OtherTopology: self.changes.take_over,
            ConvergenceProgress: self.display.show_missing,
            LogLine: lambda line: self._log.add(line.text),
            LabReply: lambda reply: reply.request.complete(reply.result, reply.error),
            PairRoundTrip: lambda pinged: pinged.request.advance(pinged),
            FlowsEnd: self._run_finished,
            AdjacencyState: self.routing.add_adjacency,
            RouteChange: self._route_changed,
            Incident: self._incident_occurred,
        }

    # --- start and end ---

    @property
    def state(self) -> LabState:
        """The state of the lab."""
        return self.lab.state

    @property
    def topology(self) -> Topology:
        """The topology that the lab was built from, with the current settings of the links."""
        return self.lab.topology

    @property
    def is_alive(self) -> bool:
        """Whether a lab runs, starts or stops."""
        return self.lab.is_alive

    def run(self) -> None:
        """Run the topology until the lab is stopped. In a running lab, apply the edits since its start."""
        (self.changes.drawn.apply if self.lab.is_alive else self._start)()

    def run_with_flows(self) -> None:
        """Send the flows in a new lab or in the running one with the last options, and store the measurements."""
        self.run_dialogs.run_again(self.lab.name, in_lab=self.lab.can_send)

    def run_into(self, folder: Path, **settings: Any) -> None:
        """Run with flows; results go into a new or empty folder. The settings are further fields of `LabOrder`."""
        self._start(flows=True, out=folder, **settings)

    def send_into(self, folder: Path, sample_hz: float) -> None:
        """Send the flows of the current topology in the running lab; results go into a new or empty folder."""
        if not self.lab.can_send:
            self.mode.refuse("No running lab can send flows now.")
            return
        if fault := self._document.commit_typed_text():
            self.mode.refuse(f"{fault}. The flows can be sent then.")
            return
        if self.lab.differs:
            self.mode.refuse("The running lab differs from the drawing. Apply (F5) or revert the changes first.")
            return
        topology = self._document.topology
        order = LabOrder(topology, text=mn.dumps(topology), flows=True, out=folder, sample_hz=sample_hz)
        self.lab.is_sending = True
        self.runs.begin()
        self._scenario.set_running(True)
        self.display.expect(topology)
        self.live.begin(topology, True, self.lab.name)
        self._main.say("Sending the flows in the running lab.")
        self.mode.show_buttons()
        sending = self.session.ask(partial(requests.send_flows, order=order))
        sending.then(lambda outcome: self._run_finished(FlowsEnd(outcome)), partial(self._not_sent, folder))

    def _not_sent(self, folder: Path, reason: str) -> None:
        self._sending_ended()
        self.live.end()
        if (folder / RUN).is_file():  # the measurements up to the failure are kept
            self._run_finished(FlowsEnd(RunOutcome(folder, failures=[reason])))
        self._main.say(f"The flows did not complete: {reason}")

    def _sending_ended(self) -> None:
        self.lab.is_sending = False
        self.mode.show_buttons()
        self._scenario.set_running(False)
        self.changes.drawn.follow()

    def stop(self) -> None:
        """See `LiveLab.stop`."""
        self.lab.stop()

    def _start(self, **settings: Any) -> None:
        if not self._start_checks.pass_all():
            return
        topology = self._document.topology
        self.lab.file = self._document.path
        if not settings.get("join") and not self.consent.may_run(topology, self.lab.file):
            self._main.say("The lab was not started.")
            return
        try:
            if not settings.get("join") and not settings.get("virtual_time"):
                allowed = self.consent.ask(topology, self.lab.file)
                if allowed is None:
                    self._main.say("The lab was not started.")
                    return
                settings["allowed_controllers"] = allowed
            usual = {"place": self.places.chosen, "sample_hz": self._preferences.now.sample_hz}
            order = LabOrder(topology, text=mn.dumps(topology), **{**usual, **settings})
            self.session.start(order)
        except LabError as error:
            self.mode.refuse(f"The drawing cannot be run: {error_words(error, topology)}")
            return
        self.lab.begin(order)
        if order.flows:
            self.runs.begin()
            self._scenario.set_running(True)
        if self.failure is not None:
            self.failure.destroy()
            self.failure = None
        self.display.begin(topology)
        self.faults.begin()
        self.live_links.begin()
        self.now_view.begin(topology)
        self.routing.begin(topology)
        self.live.begin(topology, order.flows, self.lab.name)
        self.configs.begin()
        self._main.say(f"Running {self.lab.name}{' with its flows' if order.flows else ''}.")
        self._poll()

    def join(self, name: str) -> None:
        """Join a detached lab, and use it as if it had been started here."""
        document, files = self._document, self._files
        try:
            origin = origin_of(register.find(name))
        except LabError as error:
            self._main.say(str(error))
            return
        if origin.path is not None:
            files.open(origin.path)
        elif files.may_leave():
            document.new()
            document.apply(f"Join {name}", origin.topology)
            files.on_open()
        if not self.is_alive and live_changes.is_alike(document.topology, origin.topology):
            self._start(join=name)

    # --- events of the session ---

    def _watch(self) -> None:
        if not self._timer:
            self._timer = self._main.root.after(_POLL_MS, self._poll)

    def _poll(self) -> None:
        if self._timer:
            self._main.root.after_cancel(self._timer)
            self._timer = ""
        for event in self.session.poll():
            self.handle(event)
        self.display.refresh()
        self.routing.refresh()
        self.live.refresh()
        self.now_view.refresh()
        if self.is_alive or self.session.pending:
            self._watch()

    def handle(self, event: Event) -> None:
        """Show an event of the session in all windows that it concerns."""
        try:
            self._handlers[type(event)](event)
        except Exception as error:  # a defect in the handler of one event must not prevent the next ones
            self._main.root.report_callback_exception(type(error), error, error.__traceback__)

    def _state_changed(self, event: StateChange) -> None:
        previous, self.lab.state = self.lab.state, event.state
        self.display.show_state(event.state)
        self.mode.show()
        self.changes.drawn.follow()
        if event.state is LabState.RUNNING:
            self._started()
        elif not self.is_alive:
            self._ended(previous, event)

    def _started(self) -> None:
        self._main.say(f"The lab is running in {self.lab.place}{', in virtual time' if self.lab.is_virtual else ''}.")
        if self.lab.order.join:
            self.faults.ask()
        if self.lab.is_virtual:
            return
        if not self.lab.order.flows:
            self._status.tell(f"The lab is running in {self.lab.place}. {_FIRST_STEPS}")
        self.routing.watch()
        if self.topology.preferences.start_cli:
            self.windows.terminal("")
        if not self.lab.order.flows:
            report_convergence(self._main, self.lab)

    def _ended(self, previous: LabState, event: StateChange) -> None:
        self._scenario.set_running(False)
        self.windows.end()
        self.probes.end()
        self.routing.end()
        self.live.end()
        self.now_view.end()
        self.configs.stop_reading()
        self.display.refresh()
        if event.state is LabState.FAILED:
            self._failed(previous, event.reason)
        else:
            self._main.say(self.departure.end_text(previous))
        if not self.lab.is_left:
            self.configs.store_last()
        self.departure.ended()

    def _failed(self, previous: LabState, reason: str) -> None:
        headline = "The lab failed and was stopped."
        if previous is LabState.STARTING:
            headline = "The lab did not start."
        elif self.lab.order.flows:
            headline = "The run failed. Measurements up to the failure are kept."
        # The reason is in the window that opens and in the log; the status bar shows only the headline.
        self._log.add(f"{headline} {reason}")
        self._status.tell(headline)
        nodes = [name for name, node in self.display.nodes.items() if node.state == "failed"]
        self.failure = FailureWindow(
            self._main.root, headline, reason, nodes, self.display.panel.on_pick, self._main.theme
        )

    def _node_state(self, event: NodeState) -> None:
        self.display.show_node(event)
        if event.state in ("failed", "warning"):
            self._main.say(
                f"{event.node}: {event.reason}" if event.node not in event.reason.split(":")[0] else event.reason
            )

    def _step(self, event: StepProgress) -> None:
        self.lab.take_step(event)
        self.display.show_step(event)
        if event.name == "flows" and event.state != "start":
            self._scenario.set_running(False)

    def _flow_changed(self, event: FlowProgress) -> None:
        self._scenario.set_run_time(event.time_s)
        self.live.add_flow_event(event)

    def _route_changed(self, event: RouteChange) -> None:
        self.routing.add_route_change(event)
        self.live.add_route_change(event)

    def _incident_occurred(self, event: Incident) -> None:
        self.routing.add_incident(event)
        self.live.add_incident(event)

    def _facts(self, facts: LabFacts) -> None:
        self.lab.place = facts.place
        self.display.show_facts(facts)

    def _run_finished(self, event: FlowsEnd) -> None:
        outcome = event.outcome
        self._sending_ended()
        word = "failed" if outcome.failures else "stopped" if self.lab.is_ending else "finished"
        title, is_shown = self.topology.title or self.lab.name, not self.live.is_in_front
        self._main.say(self.runs.add(title, self.lab.place, outcome, word, is_shown=is_shown))
        self.live.show_results(outcome.folder)

    def show_switched(self) -> None:
        """Show or hide the lab's state on the canvas, after its switches in the menu have changed."""
        self.routing.show()
        self.live.show_loads()

    def set_theme(self, theme: Theme) -> None:
        """Show the panels in a theme's colors."""
        self.display.panel.set_colors(theme.starting, theme.up, theme.error, theme.warning)
        self.routing.legend.set_theme(theme)
        self.live.set_theme(theme)
        self.now_view.panel.set_theme(theme)
        self.runs.panel.set_theme(theme)
        self.windows.tabs.set_theme(theme)
        self.run_browser.set_theme()
        self.sweeps.set_theme()

    def close(self) -> None:
        """The window was closed: end the lab and wait until nothing of it is left, unless it is detached."""
        self.windows.end_programs()
        if not (self.lab.is_joined or self.lab.is_left):
            self.session.close()
