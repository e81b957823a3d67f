"""The progress of a lab: its steps at the left, its nodes at the right."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence

import ttkbootstrap as ttk

from miniedit_frr.widgets.data_table import Column, DataTable

_STATES = {
    "starting": "… starting",
    "up": "✓ up",
    "waiting": "… waiting",
    "warning": "▲ warning",
    "failed": "✗ failed",
    "frozen": "⏸ stopped",
}
#: Titles of steps with unclear names.
_TITLES = {"rest": "idle path"}
_STEPS = {"start": "…", "done": "✓", "failed": "✗"}


class LabPanel(ttk.Frame):
    """The steps of a start or a run, and the state of every node.

    Attributes:
        on_pick: called with the name of a clicked node.
    """

    def __init__(self, parent: tk.Misc, ui: float) -> None:
        super().__init__(parent)
        self.on_pick: Callable[[str], None] = lambda name: None
        split = ttk.Panedwindow(self, orient="horizontal")
        split.pack(fill="both", expand=True)
        self.steps = DataTable(
            split, (Column("Step", 110), Column("", 40), Column("Time or reason", 260)), ui, height=4
        )
        self.nodes = DataTable(split, (Column("Node", 110), Column("State", 110), Column("Reason", 420)), ui, height=4)
        split.add(self.steps, weight=1)
        split.add(self.nodes, weight=2)
        self._step_names: list[str] = []
        self._node_names: list[str] = []
        self.nodes.tree.bind("<<TreeviewSelect>>", lambda event: self._pick())

    def begin(self, nodes: Sequence[str]) -> None:
        """Forget the last lab; these are the nodes of the next."""
        self._step_names = []
        self.steps.fill(())
        self.replace_nodes(nodes)

    def replace_nodes(self, nodes: Sequence[str]) -> None:
        """The lab has these nodes now; their states are shown by `node`."""
        self._node_names = list(nodes)
        self.nodes.fill([(name, "", "") for name in nodes])

    def step(self, name: str, state: str, text: str) -> None:
        """Show a step that has begun ("start"), has ended ("done"), or has "failed"."""
        if name not in self._step_names:
            self._step_names.append(name)
        index = self._step_names.index(name)
        self.steps.set(
            index, (_TITLES.get(name, name), _STEPS.get(state, state), "" if state == "start" else _line(text)), state
        )
        if state == "failed":  # it ends last, below its finished parts
            self.steps.tree.move(str(index), "", "end")
        self.steps.tree.see(str(index))

    def node(self, name: str, state: str, reason: str) -> None:
        """Show a node that is "starting", "up", "failed", "frozen", or runs with a limitation ("warning"). For a node
        that is up, `reason` lists the missing items.
        """
        if name in self._node_names:
            label = "waiting" if state == "up" and reason else state
            self.nodes.set(self._node_names.index(name), (name, _STATES.get(label, label), _line(reason)), label)

    def end(self) -> None:
        """The lab has ended: only failed nodes stay marked."""
        for index, name in enumerate(self._node_names):
            if self.nodes.tree.item(str(index), "tags") != ("failed",):
                self.nodes.set(index, (name, "", ""))

    def set_colors(self, starting: str, up: str, failed: str, warning: str) -> None:
        """Set the colors of states."""
        colors = {"starting": starting, "start": starting, "waiting": starting}
        colors |= {"up": up, "failed": failed, "warning": warning}
        for sheet in (self.steps, self.nodes):
            for tag, color in colors.items():
                sheet.color(tag, color)

    def _pick(self) -> None:
        selection = self.nodes.tree.selection()
        if selection:
            self.on_pick(self._node_names[int(selection[0])])


def _line(text: str) -> str:
    """Several lines as one, for a row of a table."""
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    return " ".join(line if line.endswith((".", ":", ";", ",")) else f"{line};" for line in lines).removesuffix(";")
