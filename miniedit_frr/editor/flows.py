"""Joins flows with the window: their tool, the ready mixes, what can be done with an arrow, and its way."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence
from functools import partial

from frrlib.edits.changes import set_flows
from frrlib.edits.flow_mixes import MIXES
from frrlib.model.flow_words import flow_summary
from frrlib.model.flows import Flow
from frrlib.model.nodes import ADDRESSED
from frrlib.model.topology import Topology
from frrlib.picture.colors import curve
from frrlib.picture.flows import NAMED, controls_of
from frrlib.picture.scene import Key
from frrlib.prediction.flow_paths import PathFinder
from miniedit_frr.dialogs.dialog import FormDialog
from miniedit_frr.edit_commands.flow_mixes import ask_mix
from miniedit_frr.editor.parts import Parts
from miniedit_frr.panels.hover import HoverTip
from miniedit_frr.tools import chosen
from miniedit_frr.tools.flow import FlowTool
from miniedit_frr.widgets.popup import popup_menu


class FlowCommands:
    """The flows of an editor.

    Attributes:
        tool: draws them.
        mix: the dialog of a mix that was opened last.
    """

    def __init__(self, parts: Parts, addressed: Callable[[], Topology | None]) -> None:
        self._parts, self._document, self._view = parts, parts.document, parts.view
        self._addressed = addressed
        self.tool = FlowTool()
        self.tool.congestion_control = lambda: parts.dialogs.congestion_control()
        self.mix: FormDialog | None = None
        self._is_lit = False
        parts.toolbox.add(self.tool, after="link")
        parts.tool_controller.add(self.tool)
        parts.tool_controller.on_tool.append(self._tool_taken)
        parts.view.on_select.append(self._light)
        self.tips = HoverTip(parts.view, self._about)

    @property
    def _topology(self) -> Topology:
        return self._document.topology

    def _tool_taken(self) -> None:
        if self._parts.tool_controller.tool is not self.tool:
            self.tool.forget()

    # --- what is shown ----------------------------------------------------------------------------------------------

    def _light(self) -> None:
        """Light the links on the way of the flows that are selected, where nothing else is."""
        keys = self._view.selection
        ids = set(chosen.flow_ids(keys)) if all(key.kind == "flow" for key in keys) else set()
        if not ids and not self._is_lit:
            return
        self._is_lit, roads = bool(ids), PathFinder(self._topology)
        ways = [roads.path(flow.source, flow.destination) for flow in self._topology.flows if flow.id in ids]
        self._view.highlight(Key("link", link.id) for way in ways for link, _, _ in way or ())

    def _about(self, key: Key) -> str:
        """The text of the tip at an arrow."""
        flow = next((flow for flow in self._topology.flows if key == Key("flow", flow.id)), None)
        if flow is None:
            return ""
        control = controls_of(self._topology, self._addressed())[flow.id]
        return f"{flow.id}: {flow_summary(flow, control)}"

    # --- menus ------------------------------------------------------------------------------------------------------

    def entries(self) -> list[tuple[str, Callable[[], object]]]:
        """The mixes for a menu."""
        return [(f"{title}…", partial(self.ask, name)) for name, (title, _) in MIXES.items()]

    def context(self, menu: tk.Menu, key: Key | None) -> None:
        """Add to the menu of something on the drawing what flows offer for it."""
        node = self._topology.node(key.name) if key is not None and key.kind == "node" else None
        if node is not None and node.kind in ADDRESSED:
            menu.add_separator()
            menu.add_command(label="Flow from Here…", accelerator="F", command=partial(self.start_from, node.name))
            mixes = popup_menu(menu, self._parts.theme)
            for title, ask in self.entries():
                mixes.add_command(label=title, command=ask)
            menu.add_cascade(label="Add Flows", menu=mixes)
        elif key is not None and key.kind == "flow":
            menu.add_command(label="All Flows…", accelerator="Ctrl+L", command=self._parts.dialogs.flows)
            menu.add_command(label="Reverse", command=self.reverse)
            colours = popup_menu(menu, self._parts.theme)
            for name, colour in NAMED.items():
                shade = curve(colour, self._parts.theme)
                command = partial(self.colour, colour)
                colours.add_command(label=f"▬  {name.capitalize()}", foreground=shade, command=command)
            colours.add_command(label="Automatic", command=partial(self.colour, ""))
            menu.add_cascade(label="Color", menu=colours)

    def start_from(self, name: str) -> None:
        """The next click on a node draws a flow from this one to it; Escape gives it up."""
        self._parts.tool_controller.choose(self.tool)
        self.tool.start_from(self._parts.bench, name)

    # --- edits ------------------------------------------------------------------------------------------------------

    def ask(self, name: str) -> None:
        """Ask for a mix: between the selected nodes, or the first and the last host."""
        if self.mix is not None and self.mix.is_open:
            self.mix.close()
        parts, control = self._parts, self._parts.dialogs.congestion_control()
        self.mix = ask_mix(
            parts.window, self._document, name, self._ends(), parts.ui, self._added, {"congestion_control": control}
        )

    def _ends(self) -> tuple[str, str]:
        nodes = [node for node in self._topology.nodes if node.kind in ADDRESSED]
        selected = [node.name for node in nodes if Key("node", node.name) in self._view.selection]
        hosts = [node.name for node in nodes if node.kind == "host"]
        usual = hosts if len(hosts) > 1 else [node.name for node in nodes]
        source = selected[0] if selected else usual[0] if usual else ""
        others = selected[1:] or [name for name in usual if name != source]
        return source, others[-1] if others else ""

    def _added(self, flows: Sequence[Flow]) -> None:
        self._view.select(Key("flow", flow.id) for flow in flows)
        self._parts.say(f"Added {', '.join(flow.id for flow in flows)}.")

    def colour(self, colour: str) -> None:
        """Give the selected flows a colour; empty for one by what they are."""
        self._change("Color", colour=colour)

    def reverse(self) -> None:
        """Have the selected flows go the other way."""
        topology, ids = self._topology, set(chosen.flow_ids(self._view.selection))
        turned = [
            flow.model_copy(update={"source": flow.destination, "destination": flow.source}) if flow.id in ids else flow
            for flow in topology.flows
        ]
        label = f"Reverse {chosen.selection_name(self._view.selection)}"
        self._parts.edits.apply(label, lambda: set_flows(topology, turned))

    def _change(self, what: str, **fields: object) -> None:
        topology, ids = self._topology, set(chosen.flow_ids(self._view.selection))
        flows = [flow.model_copy(update=fields) if flow.id in ids else flow for flow in topology.flows]
        label = f"{what} {chosen.selection_name(self._view.selection)}"
        self._parts.edits.apply(label, lambda: set_flows(topology, flows))
