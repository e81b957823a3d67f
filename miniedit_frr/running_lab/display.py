"""Shows how a lab is: on the canvas, in the status bar, in the Lab panel, and beside the pointer."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from dataclasses import replace

from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from frrlib.run.messages import virtual_words
from miniedit_frr.editor.parts import Parts
from miniedit_frr.panels.hover import Hover
from miniedit_frr.running_lab.lab import LiveLab
from miniedit_frr.running_lab.places import Places
from miniedit_frr.running_lab.progress_panel import LabPanel
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
#: What is going on, for the status bar.
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
#: Steps in which a lab's own clock goes on.
_IN_LAB = ("converge", "rest", "flows")
#: How much of a start is done when a step has begun; nodes fill the rest of "build".
_BEGUN = {"place": 0.02, "boot": 0.06, "build": 0.3, "mininet": 0.32, "figure": 0.98}


class LabDisplay:
    """The view of a lab in the window. It decides nothing.

    Attributes:
        panel: the Lab panel.
        nodes, links: the last state of each that was told; empty where no lab is.
        more_of: what else the pointer is told of a node or a link; texts may be empty.
        awaits: the routers that still miss something of a network that converges.
    """

    def __init__(self, parts: Parts, lab: LiveLab, places: Places) -> None:
        self._parts, self._lab, self._places = parts, lab, places
        self.extra_texts: list[Callable[[Key], str]] = []
        self.panel = LabPanel(parts.bottom, parts.ui)
        parts.bottom.add(self.panel, text="Lab")
        self.nodes: dict[str, NodeState] = {}
        self.links: dict[str, LinkState] = {}
        self._link_faults: dict[str, tuple[str, str]] = {}
        self._kernel = f"{platform.system()} {platform.release()}"
        self.awaits: tuple[str, ...] = ()
        self._changed = False
        self._flows_began_s = 0.0
        self._flows_last_s = 0.0
        #: When the step that goes on began; in virtual time what the lab's clock showed then, and shows now.
        self._step_began_s = 0.0
        self._clock_s: tuple[float, float] | None = None
        #: So many things were missing at most, while the network converges.
        self._missing_most = 0
        self._state = LabState.IDLE
        self.panel.on_pick = self._pick
        Hover(parts.view, self._text_of)

    def begin(self, topology: Topology) -> None:
        """A lab of this topology begins."""
        self._flows_began_s = 0.0
        self._clock_s = None
        self.expect(topology)
        self.nodes, self.links, self._link_faults, self.awaits = {}, {}, {}, ()
        self.panel.begin([node.name for node in topology.nodes])
        self._parts.bottom.select(self.panel)

    def expect(self, topology: Topology) -> None:
        """The flows of this drawing are sent, or will be."""
        self._flows_last_s = max((flow.ends_s or flow.last_start_s for flow in topology.flows), default=0.0)

    def state(self, state: LabState) -> None:
        """The lab as a whole is in another state."""
        status = self._parts.status
        self._state = state
        if state is LabState.IDLE:
            self.nodes, self.links = {}, {}
        elif state is LabState.FAILED:
            self.links = {}
            self.nodes = {name: told for name, told in self.nodes.items() if told.state == "failed"}
        self._changed = True
        self._tell_state()
        if state in (LabState.IDLE, LabState.FAILED):
            self.panel.end()
            self._places.tell()
            status.set("kernel", self._kernel)
        if state is LabState.STARTING:
            status.progress(0.0)
        elif state is not LabState.STOPPING:
            status.progress(None)

    def facts(self, facts: LabFacts) -> None:
        """Where the lab runs."""
        self._parts.status.set("place", f"place: {facts.place}")
        self._parts.status.set("kernel", f"Linux {facts.kernel}")

    def node(self, told: NodeState) -> None:
        """A node's state has changed; what has failed stays failed."""
        if told.state == "failed" or not self._has_failed(told.node):
            self.nodes[told.node] = told
            self.panel.node(told.node, told.state, told.reason)
            self._changed = True
            self._advance()

    def fault(self, node: str, state: str, why: str) -> None:
        """A node is in a state that somebody made on purpose: "frozen", "failed", or "up" again."""
        self.nodes[node] = NodeState(node, state, why)
        self.panel.node(node, state, why)
        self._changed = True

    def link_faults(self, faults: dict[str, tuple[str, str]]) -> None:
        """What is wrong with links that have carrier: how they are shown ("up", "down" or "lossy"), and why."""
        self._link_faults = dict(faults)
        self._changed = True

    def link(self, told: LinkState) -> None:
        """A link's state has changed."""
        self.links[told.link] = told
        self._changed = True

    def step(self, told: StepProgress) -> None:
        """A step begins or is over."""
        self.panel.step(told.name, told.state, told.text)
        if told.name in _STEPS:
            self._step_began_s = time.monotonic()
            self._clock_s = (self._clock_s[1], self._clock_s[1]) if self._clock_s else None
        if told.state == "start":
            if told.name in _STEPS:
                self._parts.status.tell(f"{_STEPS[told.name]} …")
            if told.name in _BEGUN:
                self._parts.status.progress(_BEGUN[told.name])
            elif told.name in ("converge", "rest", "flows"):
                self._parts.status.progress(0.0)
            self._flows_began_s = time.monotonic() if told.name == "flows" else 0.0
        elif told.name in ("flows", "converge", "rest", "figure"):
            self._flows_began_s = 0.0
            self._parts.status.progress(None)

    def clock(self, told: ClockTime) -> None:
        """A lab in virtual time tells its clock: how far a step is by it, and how fast that goes."""
        self._clock_s = (self._clock_s[0] if self._clock_s else told.time_s, told.time_s)
        passed_s, spent_s = told.time_s - self._clock_s[0], time.monotonic() - self._step_began_s
        if self._lab.step not in _IN_LAB or not passed_s:
            return
        all_s = self._flows_last_s if self._lab.step == "flows" else 0.0
        self._parts.status.tell(f"{_STEPS[self._lab.step]}: {virtual_words(passed_s, spent_s, all_s)}")
        if all_s:
            self._parts.status.progress(min(passed_s / all_s, 1.0))

    def missing(self, told: ConvergenceProgress) -> None:
        """A network that converges misses something, or nothing any more: of each router beside it, and the first."""
        self.awaits = tuple(name for name, misses in told.routers.items() if misses)
        for name, known in self.nodes.items():
            why = "\n".join(told.routers.get(name, ()))
            if known.state == "up" and known.reason != why:
                self.nodes[name] = replace(known, reason=why)
                self.panel.node(name, known.state, why)
        lines = [f"{router}: {each}" for router, several in told.routers.items() for each in several]
        self._missing_most = max(self._missing_most, len(lines)) if lines else 0
        if lines:
            more = f"; and {len(lines) - 1} more" if len(lines) > 1 else ""
            self._parts.status.tell(f"Waiting: {lines[0]}{more}")
            if self._lab.state is LabState.RUNNING:
                self._parts.status.progress(1.0 - len(lines) / (self._missing_most + 1))

    def refresh(self) -> None:
        """Draw all changes since the last call at once."""
        if self._changed:
            self._changed = False
            states = {Key("node", name): told.state for name, told in self.nodes.items()}
            states |= {Key("link", link): self._of_link(told) for link, told in self.links.items()}
            self._parts.view.show_states(states)
            self._tell_state()
        if self._flows_began_s and self._flows_last_s and not self._clock_s:
            gone_s = time.monotonic() - self._flows_began_s
            self._parts.status.progress(min(gone_s / self._flows_last_s, 1.0))

    def _tell_state(self) -> None:
        """Say how the lab is as a whole: one with a router that is dead does not simply run."""
        text = _WORDS[self._state] + (" in virtual time" if self._lab.is_virtual else "")
        failed = [name for name, told in self.nodes.items() if told.state == "failed"]
        if failed and self._state is LabState.RUNNING:
            text += f", {failed[0]} failed" if len(failed) == 1 else f", {len(failed)} nodes failed"
        self._parts.status.set("lab", text)

    def state_of_link(self, link: str) -> tuple[str, str]:
        """How a link is, and why; "…" where nothing was told."""
        told = self.links.get(link)
        return (self._of_link(told), self._link_faults.get(link, ("", ""))[1]) if told is not None else ("…", "")

    def _of_link(self, told: LinkState) -> str:
        return self._link_faults[told.link][0] if told.state == "up" and told.link in self._link_faults else told.state

    def _advance(self) -> None:
        if self._lab.state is LabState.STARTING and self.nodes:
            up = sum(told.state != "starting" for told in self.nodes.values())
            if up:
                self._parts.status.progress(0.35 + 0.65 * up / len(self.nodes))

    def _has_failed(self, name: str) -> bool:
        return name in self.nodes and self.nodes[name].state == "failed"

    def _pick(self, name: str) -> None:
        key = self._parts.view.scene.key_of(name)
        if key is not None:
            self._parts.view.select({key})
            self._parts.view.reveal(key)

    def _text_of(self, key: Key) -> str:
        if key.kind == "node" and key.name in self.nodes:
            told = self.nodes[key.name]
            text = f"{key.name}: {told.state}" + (f"\n{told.reason}" if told.reason else "")
        elif key.kind == "link" and key.name in self.links:
            title = self._lab.link_title(key.name)
            text = f"{title} ({key.name}): {self._of_link(self.links[key.name])}"
            why = self._link_faults.get(key.name, ("", ""))[1]
            text += f"\n{why}" if why else ""
        else:
            return ""
        return "\n".join(filter(None, (text, *(more(key) for more in self.extra_texts))))
