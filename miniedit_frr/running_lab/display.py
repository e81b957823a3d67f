"""Shows the state of a lab on the canvas, in the status bar, in the Lab panel, and beside the pointer."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from dataclasses import replace
from tkinter.ttk import Notebook

from frrlib.model.names import natural
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from frrlib.run.messages import virtual_words
from miniedit_frr.canvas.view import View
from miniedit_frr.panels.hover import HoverTip
from miniedit_frr.panels.status import StatusBar
from miniedit_frr.running_lab.lab import LiveLab
from miniedit_frr.running_lab.places import Places
from miniedit_frr.running_lab.progress_panel import LabPanel
from miniedit_frr.session.changing import ChangedLab
from miniedit_frr.session.events import (
    ClockTime,
    ConvergenceProgress,
    LabFacts,
    LabState,
    LinkState,
    NodeState,
    StepProgress,
)

_WORDS = {
    LabState.IDLE: "no lab is running",
    LabState.STARTING: "the lab is starting",
    LabState.RUNNING: "the lab is running",
    LabState.STOPPING: "the lab is stopping",
    LabState.FAILED: "the lab failed",
}
#: Texts of the steps for the status bar.
_STEPS = {
    "place": "Searching for a place with the abilities that the drawing needs",
    "boot": "Starting the place of the lab",
    "build": "Building nodes and links",
    "mininet": "Building nodes and links",
    "converge": "Waiting until the network has converged",
    "rest": "Measuring the idle path with pings",
    "flows": "Sending the flows",
    "figure": "Drawing the figure",
}
#: Steps during which the lab's own clock advances.
_IN_LAB = ("converge", "rest", "flows")
#: Progress of the start when a step begins; the nodes fill the remaining part of "build".
_BEGUN = {"place": 0.02, "boot": 0.06, "build": 0.3, "mininet": 0.32, "figure": 0.98}


class LabDisplay:
    """The state of a lab as the window shows it.

    Attributes:
        panel: the Lab panel.
        nodes, links: the last reported state of each; empty without a lab.
        extra_texts: functions that return further text about a node or a link, for the tip beside the pointer.
        awaits: the routers with missing items while the network converges.
    """

    def __init__(self, status: StatusBar, bottom: Notebook, view: View, lab: LiveLab, places: Places) -> None:
        self._status, self._bottom, self._view, self._lab, self._places = status, bottom, view, lab, places
        self.extra_texts: list[Callable[[Key], str]] = []
        self.panel = LabPanel(bottom, view.ui)
        bottom.add(self.panel, text="Lab")
        self.nodes: dict[str, NodeState] = {}
        self.links: dict[str, LinkState] = {}
        self._link_faults: dict[str, tuple[str, str]] = {}
        self._kernel = f"{platform.system()} {platform.release()}"
        self.awaits: tuple[str, ...] = ()
        self._changed = False
        self._flows_began_s = 0.0
        self._flows_last_s = 0.0
        #: The start of the current step; in virtual time, the lab's clock at that moment and now.
        self._step_began_s = 0.0
        self._clock_s: tuple[float, float] | None = None
        #: The maximum number of missing items while the network converges.
        self._missing_most = 0
        self._state = LabState.IDLE
        self.panel.on_pick = self._pick
        HoverTip(view, self.tip_text)

    def begin(self, topology: Topology) -> None:
        """A lab of this topology begins."""
        self._flows_began_s = 0.0
        self._clock_s = None
        self.expect(topology)
        self.nodes, self.links, self._link_faults, self.awaits = {}, {}, {}, ()
        self.panel.begin(sorted((node.name for node in topology.nodes), key=natural))
        self._bottom.select(self.panel)

    def forget(self) -> None:
        """Another topology was opened: remove what is shown of the last lab, unless a lab is alive."""
        if self._state in (LabState.IDLE, LabState.FAILED):
            self._state = LabState.IDLE
            self.nodes, self.links, self._link_faults, self.awaits = {}, {}, {}, ()
            self.panel.begin(())
            self._changed = True
            self.refresh()

    def expect(self, topology: Topology) -> None:
        """The flows of this topology are sent, or will be."""
        self._flows_last_s = max((flow.ends_s or flow.last_start_s for flow in topology.flows), default=0.0)

    def show_state(self, state: LabState) -> None:
        """Show a new state of the whole lab."""
        status = self._status
        self._state = state
        if state is LabState.IDLE:
            self.nodes, self.links = {}, {}
        elif state is LabState.FAILED:
            self.links = {}
            self.nodes = {name: node for name, node in self.nodes.items() if node.state == "failed"}
        self._changed = True
        self._show_lab_state()
        if state in (LabState.IDLE, LabState.FAILED):
            self.panel.end()
            self._places.tell()
            status.set("kernel", self._kernel)
        if state is LabState.STARTING:
            status.progress(0.0)
        elif state is not LabState.STOPPING:
            status.progress(None)

    def show_facts(self, facts: LabFacts) -> None:
        """Show the place and the kernel of the lab."""
        self._status.set("place", f"place: {facts.place}")
        self._status.set("kernel", f"Linux {facts.kernel}")

    def show_node(self, event: NodeState) -> None:
        """Show a node's state. A node that has failed stays failed."""
        if event.state == "failed" or not self._has_failed(event.node):
            self.nodes[event.node] = event
            self.panel.node(event.node, event.state, event.reason)
            self._changed = True
            self._advance()

    def adopt(self, topology: Topology, changed: ChangedLab) -> None:
        """The running lab was changed: forget removed nodes and links, and show the states of new ones."""
        warnings, failed = dict(changed.warnings), dict(changed.failed_commands)
        built = {change.name for change in changed.changes if change.action in ("add", "remake")}
        nodes = {}
        for node in topology.nodes:
            name = node.name
            state = NodeState(name, "up") if name in built or name not in self.nodes else self.nodes[name]
            if name in warnings:
                state = NodeState(name, "warning", warnings[name])
            nodes[name] = NodeState(name, "failed", failed[name]) if name in failed else state
        self.nodes = nodes
        self.links = {
            link.id: LinkState(link.id, "down" if link.id in changed.links_down else "up") for link in topology.links
        }
        self.panel.replace_nodes(sorted(nodes, key=natural))
        for name, node_state in nodes.items():
            self.panel.node(name, node_state.state, node_state.reason)
        self._changed = True

    def show_fault(self, node: str, state: str, reason: str) -> None:
        """Show the state of a node with a deliberate fault: "frozen", "failed", or "up" again."""
        self.nodes[node] = NodeState(node, state, reason)
        self.panel.node(node, state, reason)
        self._changed = True

    def show_link_faults(self, faults: dict[str, tuple[str, str]]) -> None:
        """Set the faults of links that have carrier: the state to show ("up", "down" or "lossy") and the reason of
        each."""
        self._link_faults = dict(faults)
        self._changed = True

    def show_link(self, event: LinkState) -> None:
        """Show a link's state."""
        self.links[event.link] = event
        self._changed = True

    def show_step(self, event: StepProgress) -> None:
        """Show that a step begins or ends."""
        self.panel.step(event.name, event.state, event.text)
        if event.name in _STEPS:
            self._step_began_s = time.monotonic()
            self._clock_s = (self._clock_s[1], self._clock_s[1]) if self._clock_s else None
        if event.state == "start":
            if event.name in _STEPS:
                self._status.tell(f"{_STEPS[event.name]} …")
            if event.name in _BEGUN:
                self._status.progress(_BEGUN[event.name])
            elif event.name in ("converge", "rest", "flows"):
                self._status.progress(0.0)
            self._flows_began_s = time.monotonic() if event.name == "flows" else 0.0
        elif event.name in ("flows", "converge", "rest", "figure"):
            self._flows_began_s = 0.0
            self._status.progress(None)

    def show_clock(self, event: ClockTime) -> None:
        """Show the clock of a lab in virtual time: the progress of the current step, and its speed."""
        self._clock_s = (self._clock_s[0] if self._clock_s else event.time_s, event.time_s)
        passed_s, spent_s = event.time_s - self._clock_s[0], time.monotonic() - self._step_began_s
        if self._lab.step not in _IN_LAB or not passed_s:
            return
        all_s = self._flows_last_s if self._lab.step == "flows" else 0.0
        self._status.tell(f"{_STEPS[self._lab.step]}: {virtual_words(passed_s, spent_s, all_s)}")
        if all_s:
            self._status.progress(min(passed_s / all_s, 1.0))

    def show_missing(self, event: ConvergenceProgress) -> None:
        """Show the missing items of a network that converges: those of each router beside it, the first in the status
        bar."""
        self.awaits = tuple(name for name, items in event.routers.items() if items)
        for name, node in self.nodes.items():
            reason = "\n".join(event.routers.get(name, ()))
            if node.state == "up" and node.reason != reason:
                self.nodes[name] = replace(node, reason=reason)
                self.panel.node(name, node.state, reason)
        lines = [f"{router}: {item}" for router, several in event.routers.items() for item in several]
        self._missing_most = max(self._missing_most, len(lines)) if lines else 0
        if lines:
            remainder = f"; and {len(lines) - 1} more" if len(lines) > 1 else ""
            self._status.tell(f"Waiting: {lines[0]}{remainder}")
            if self._lab.state is LabState.RUNNING:
                self._status.progress(1.0 - len(lines) / (self._missing_most + 1))

    def refresh(self) -> None:
        """Draw all changes since the last call at once."""
        if self._changed:
            self._changed = False
            states = {Key("node", name): event.state for name, event in self.nodes.items()}
            states |= {Key("link", link): self._link_state(event) for link, event in self.links.items()}
            self._view.show_states(states)
            self._show_lab_state()
        if self._flows_began_s and self._flows_last_s and not self._clock_s:
            elapsed_s = time.monotonic() - self._flows_began_s
            self._status.progress(min(elapsed_s / self._flows_last_s, 1.0))

    def _show_lab_state(self) -> None:
        """Show the state of the whole lab, with the nodes that have failed."""
        text = _WORDS[self._state] + (" in virtual time" if self._lab.is_virtual else "")
        failed = [name for name, node in self.nodes.items() if node.state == "failed"]
        if failed and self._state is LabState.RUNNING:
            text += f", {failed[0]} failed" if len(failed) == 1 else f", {len(failed)} nodes failed"
        self._status.set("lab", text)

    def state_of_link(self, link: str) -> tuple[str, str]:
        """The state of a link and its reason; "…" if none was reported."""
        event = self.links.get(link)
        return (self._link_state(event), self._link_faults.get(link, ("", ""))[1]) if event is not None else ("…", "")

    def _link_state(self, event: LinkState) -> str:
        return (
            self._link_faults[event.link][0] if event.state == "up" and event.link in self._link_faults else event.state
        )

    def _advance(self) -> None:
        if self._lab.state is LabState.STARTING and self.nodes:
            up = sum(node.state != "starting" for node in self.nodes.values())
            if up:
                self._status.progress(0.35 + 0.65 * up / len(self.nodes))

    def _has_failed(self, name: str) -> bool:
        return name in self.nodes and self.nodes[name].state == "failed"

    def _pick(self, name: str) -> None:
        key = self._view.scene.key_of(name)
        if key is not None:
            self._view.select({key})
            self._view.reveal(key)

    def tip_text(self, key: Key) -> str:
        """The text of the tip at a node or link; empty for one that is not in the lab."""
        if key.kind == "node" and key.name in self.nodes:
            event = self.nodes[key.name]
            text = f"{key.name}: {event.state}" + (f"\n{event.reason}" if event.reason else "")
        elif key.kind == "link" and key.name in self.links:
            title = self._lab.link_title(key.name)
            text = f"{title} ({key.name}): {self._link_state(self.links[key.name])}"
            reason = self._link_faults.get(key.name, ("", ""))[1]
            text += f"\n{reason}" if reason else ""
        else:
            return ""
        return "\n".join(filter(None, (text, *(extra(key) for extra in self.extra_texts))))
