"""The Run menu: starts and stops the lab of the drawing, and hands what its session tells to those who show it.

The window never waits for the lab: the session works in threads, and a timer looks what it has told.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ttkbootstrap.dialogs import Messagebox

from frrlib.errors import LabError
from frrlib.formats import mn
from frrlib.held import HeldLab
from frrlib.hold import register
from frrlib.lab import Lab
from frrlib.model.nodes import Router, Switch
from frrlib.model.topology import Topology
from frrlib.render.frr import daemons
from miniedit_frr.panels.failure import FailureWindow
from miniedit_frr.panels.run_dialog import RunDialog
from miniedit_frr.running import gate
from miniedit_frr.running.asking import Asking
from miniedit_frr.running.joining import drawing_of, entries
from miniedit_frr.running.leaving import Leaving
from miniedit_frr.running.mode import Mode
from miniedit_frr.running.places import Places
from miniedit_frr.running.probes import Probes
from miniedit_frr.running.runs import Runs
from miniedit_frr.running.showing import Showing
from miniedit_frr.running.windows import Windows
from miniedit_frr.session import Session
from miniedit_frr.session_events import (
    Answer,
    Event,
    LabFacts,
    LinkState,
    Log,
    NodeState,
    Order,
    PairPinged,
    RunFinished,
    State,
    StateChanged,
    StepProgress,
)
from miniedit_frr.session_questions import Said
from miniedit_frr.style.theme import Theme

if TYPE_CHECKING:
    from miniedit_frr.app import Editor

_POLL_MS = 40


class Running:
    """A lab behind the window.

    Attributes:
        session: the lab in its threads.
        state: how far the lab is, as far as the window knows.
        topology: what the lab was built from.
        asking, showing, windows, probes, places, runs, leaving, mode: the parts, each with its own purpose.

    Args:
        editor: the window, complete but for its menus.
        memory: the file in which runs are remembered.
    """

    def __init__(self, editor: Editor, memory: Path) -> None:
        self._editor = editor
        self.session, self.state, self.topology = Session(self._make_lab), State.IDLE, Topology()
        self._timer, self._order, self._is_ending, self._is_left = "", Order(Topology()), False, False
        self._place, self._file = "", editor.document.path
        self._handlers: dict[type, Callable[[Any], object]] = {}
        self.asking = Asking(editor.say, self._watch)
        self.showing, self.windows, self.probes = Showing(editor), Windows(editor, self), Probes(editor, self)
        self.places, self.runs, self.leaving = Places(editor), Runs(editor, memory), Leaving(editor, self)
        self.mode = Mode(editor, self)
        self.failure: FailureWindow | None = None
        self._join()

    def _join(self) -> None:
        editor = self._editor
        editor.status.on_cancel = self.cancel
        editor.files.lets_go = self.leaving.may_leave
        self._handlers = {
            StateChanged: self._state_changed,
            StepProgress: self.showing.step,
            NodeState: self._node_state,
            LinkState: self.showing.link,
            LabFacts: self._facts,
            Log: lambda told: editor.log.add(told.text),
            Answer: self.asking.answered,
            PairPinged: self.asking.pinged,
            RunFinished: self._run_finished,
        }

    # --- the Run menu ---

    def commands(self) -> dict[str, Callable[[], object]]:
        """What the lines of the Run menu do."""
        return {
            "run": self.run, "run_flows": self.run_with_flows, "stop": self.stop, "cancel": self.cancel,
            "ping_matrix": self.probes.show_matrix, "close_terminals": self.windows.close_terminals,
            "root_terminal": partial(self.windows.terminal, ""),
            "ovs_summary": partial(self.windows.show_command, "", "ovs-vsctl show", "OVS Summary"),
        }  # fmt: skip

    def submenus(self) -> dict[str, Callable[[], list[tuple[str, Callable[[], object]]]]]:
        """What is in the submenus of the Run menu."""
        return {"Place": self.places.entries, "Join": lambda: entries(self.join)}

    def enabled(self) -> dict[str, Callable[[], bool]]:
        """When they can be done."""
        return {
            "can_run": lambda: not self.is_alive and bool(self._editor.document.topology.nodes),
            "can_run_flows": lambda: not self.is_alive and bool(self._editor.document.topology.flows),
            "lab_alive": lambda: self.is_alive,
            "lab_runs": lambda: self.state is State.RUNNING,
            "has_terminals": lambda: bool(len(self.windows.terminals)),
            "has_ovs": lambda: self.state is State.RUNNING and any(isinstance(n, Switch) for n in self.topology.nodes),
        }

    @property
    def is_alive(self) -> bool:
        """Whether there is a lab, or one that begins or ends."""
        return self.state not in (State.IDLE, State.FAILED)

    def run(self) -> None:
        """Run the lab as it is drawn, until it is stopped."""
        self._start()

    def run_with_flows(self) -> None:
        """Ask for a folder, then run the lab, send the flows and keep what is measured."""
        flows = self._editor.document.topology.flows
        many = f"{len(flows)} flows" if len(flows) != 1 else "1 flow"
        if not flows:
            self._editor.say("The drawing has no flows.")
            return
        RunDialog(
            self._editor.window, self.runs.next_folder(self._name()), f"{self._name()}: {many}", self.run_into,
        )  # fmt: skip

    def run_into(self, folder: Path, keep_up: bool = False) -> None:
        """Run with flows; results go into a folder that is new or empty."""
        self._start(flows=True, out=folder, keep_up=keep_up)

    def stop(self) -> None:
        """Stop the lab in order; one that does not run yet, or is asked again, at once."""
        self._is_ending = True
        self.session.stop()

    def cancel(self) -> None:
        """End the lab at once."""
        self._is_ending = True
        self.session.cancel()

    def _start(self, **settings: Any) -> None:
        topology = self._editor.document.topology
        if not topology.nodes:
            self._editor.say("There is nothing to run: draw some nodes first.")
            return
        # While they are still being looked for, the lab itself finds them.
        errors = 0 if self._editor.checker.is_busy else self._editor.problems.errors
        if errors:
            self._editor.bottom.select(self._editor.problems)
            many = f"{errors} errors keep" if errors > 1 else "An error keeps"
            self.mode.refuse(f"{many} the lab from running; see Problems.")
            return
        self._file = self._editor.document.path
        try:
            sample_hz = self._editor.preferring.personal.now.sample_hz
            order = Order(
                topology, text=mn.dumps(topology), place=self.places.chosen, sample_hz=sample_hz, **settings
            )  # fmt: skip
            self.session.start(order)
        except LabError as error:
            self.mode.refuse(f"It cannot be run: {error}")
            return
        self._order, self.topology, self._is_ending, self._is_left, self._place = order, topology, False, False, ""
        if order.flows:
            self.runs.begin()
        if self.failure is not None:
            self.failure.destroy()
            self.failure = None
        self.showing.begin(topology)
        self._editor.say(f"Running {self._name()}{' with its flows' if order.flows else ''}.")
        self._poll()

    def _make_lab(self, topology: Topology, **settings: Any) -> Lab:
        """Called in the session's thread. A lab of the editor's could go on by itself, and is an SSH host meanwhile."""
        return HeldLab(topology, file=self._file, name=self._file.stem if self._file else "", **settings)

    def join(self, name: str) -> None:
        """Show a lab that runs by itself, and work with it as if it had been started here."""
        document, files = self._editor.document, self._editor.files
        try:
            drawn = drawing_of(register.find(name))
        except LabError as error:
            self._editor.say(str(error))
            return
        if drawn.path is not None:
            files.open(drawn.path)
        elif files.may_leave():
            document.new()
            document.apply(f"Join {name}", drawn.topology)
            files.on_open()
        if not self.is_alive and not gate.why_not(document.topology, drawn.topology):
            self._start(join=name)

    def leave(self) -> None:
        """Let the lab go on by itself."""
        self._is_left = True
        self.asking.then(self.session.leave(), lambda _: None, self._not_left)

    def _not_left(self, why: str) -> None:
        self._is_left = False
        self._editor.say(f"The lab cannot go on by itself: {why}")
        self.leaving.ended()

    @property
    def is_joined(self) -> bool:
        """Whether the lab was there before this window."""
        return self.state is State.RUNNING and bool(self._order.join)

    @property
    def can_leave(self) -> bool:
        """Whether the lab could go on by itself."""
        return self.state is State.RUNNING and not self._order.flows

    def _name(self) -> str:
        path = self._editor.document.path
        return self._editor.document.topology.title or (path.stem if path else "untitled")

    # --- what the session tells ---

    def _watch(self) -> None:
        if not self._timer:
            self._timer = self._editor.window.after(_POLL_MS, self._poll)

    def _poll(self) -> None:
        if self._timer:
            self._editor.window.after_cancel(self._timer)
            self._timer = ""
        for event in self.session.poll():
            self._take(event)
        self.showing.refresh()
        if self.is_alive or self.asking:
            self._watch()

    def _take(self, event: Event) -> None:
        try:
            self._handlers[type(event)](event)
        except Exception as error:  # a defect of one event must not keep the window from hearing the next
            self._editor.window.report_callback_exception(type(error), error, error.__traceback__)

    def _state_changed(self, told: StateChanged) -> None:
        before, self.state = self.state, told.state
        self.showing.state(told.state)
        self.mode.show()
        if told.state is State.RUNNING:
            self._begun()
        elif not self.is_alive:
            self._over(before, told)

    def _begun(self) -> None:
        self._editor.say(f"The lab runs in {self._place}.")
        if self.topology.preferences.start_cli:
            self.windows.terminal("")
        if not self._order.flows and self.topology.wait.routes:
            number = self.session.ask(lambda lab: lab.wait_routes())
            self.asking.then(number, self._routed)

    def _routed(self, seconds: dict[str, float]) -> None:
        if seconds:
            self._editor.say(f"All routers have all routes, the last after {max(seconds.values()):.1f} s.")

    def _over(self, before: State, told: StateChanged) -> None:
        self.windows.end()
        self.probes.end()
        self.showing.refresh()
        if told.state is State.FAILED:
            self._failed(before, told.why)
        else:
            self._editor.say(self._how_it_ended(before))
        self.leaving.ended()

    def _how_it_ended(self, before: State) -> str:
        if self._is_left:
            return "The lab goes on by itself; Run > Join, or `miniedit-frr labs`, leads back to it."
        return "Cancelled." if before is State.STARTING else "The lab has ended."

    def _failed(self, before: State, why: str) -> None:
        self._editor.say(f"The lab failed: {why}")
        headline = "The lab has failed and was ended."
        if before is State.STARTING:
            headline = "The lab did not start."
        elif self._order.flows:
            headline = "The run failed; what was measured until then is kept."
        nodes = [name for name, node in self.showing.nodes.items() if node.state == "failed"]
        editor = self._editor
        self.failure = FailureWindow(editor.window, headline, why, nodes, self.showing.panel.on_pick, editor.theme)

    def _node_state(self, told: NodeState) -> None:
        self.showing.node(told)
        if told.state == "failed":
            self._editor.say(f"{told.node}: {told.why}" if told.node not in told.why.split(":")[0] else told.why)

    def _facts(self, told: LabFacts) -> None:
        self._place = told.place
        self.showing.facts(told)

    def _run_finished(self, told: RunFinished) -> None:
        outcome = told.outcome
        word = "failed" if outcome.failures else "stopped" if self._is_ending else "finished"
        self.runs.add(self.topology.title or self._name(), self._place, outcome, word)
        self._editor.say(f"The run is over ({word}); its results are in {outcome.folder}.")

    # --- what is asked of the lab ---

    def daemons(self, node: str) -> tuple[str, ...]:
        """FRR's daemons on a node; none where it runs none."""
        found = self.topology.node(node)
        return daemons(found) if isinstance(found, Router) else ()

    def link_title(self, link: str) -> str:
        """A link by its ends."""
        found = self.topology.link(link)
        return f"{found.a.node} to {found.b.node}" if found else link

    def terminal_choice(self) -> str:
        """The terminal program that the person prefers, else the drawing."""
        return self._editor.preferring.personal.now.terminal or self.topology.preferences.terminal_type

    def set_link(self, link: str, *, up: bool) -> None:
        """Give a link carrier or take it away."""
        self.asking.then(self.session.set_link(link, up=up), lambda _: self._link_set(link, up))

    def _link_set(self, link: str, up: bool) -> None:
        self._editor.say(f"{self.link_title(link)} is {'up' if up else 'down'}.")

    def node_command(self, node: str, which: str) -> None:
        """Run a node's "start" or "stop" command again, and say what it said."""
        self.asking.then(self.session.node_command(node, which), partial(self._said, f"{node}'s {which} command"))

    def _said(self, what: str, said: Said) -> None:
        text = " ".join(f"{said.stdout} {said.stderr}".split())
        self._editor.say(f"{what} ended with status {said.status}{': ' + text if text else '.'}")

    def kill(self, router: str, daemon: str) -> None:
        """Kill a router's daemon, after a question."""
        question = f"Kill {daemon} on {router}?\n\nNothing starts it again until the lab is run anew."
        buttons = ["Cancel:secondary-outline", "Kill:danger"]
        answer = Messagebox.show_question(question, "Kill a daemon", parent=self._editor.window, buttons=buttons)
        if answer == "Kill":
            self.asking.then(self.session.kill_daemon(router, daemon), lambda _: None)

    # --- the window ---

    def set_theme(self, theme: Theme) -> None:
        """Show the panels in a theme's colours."""
        self.showing.panel.set_colours(theme.starting, theme.up, theme.error)
        self.runs.panel.set_theme(theme)

    # --- the end ---

    def close(self) -> None:
        """No more of it: the window has gone. Waits for what is left of a lab, unless that goes on by itself."""
        self.windows.end_programs()
        if not (self.is_joined or self._is_left):
            self.session.close()
