"""Flows in the window: their tool, the mixes of flows, the commands for arrows, and the paths of selected flows."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence
from functools import partial

from frrlib.edits.changes import add_flow, set_flows
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
from miniedit_frr.dialogs.opener import Dialogs
from miniedit_frr.edit_commands.flow_mixes import ask_mix
from miniedit_frr.edit_commands.selection import EditCommands
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.editor.tool_set import ToolSet
from miniedit_frr.panels.hover import HoverTip
from miniedit_frr.tools import chosen
from miniedit_frr.tools.flow import FlowTool
from miniedit_frr.widgets.choice_bar import ChoiceBar
from miniedit_frr.widgets.popup import popup_menu

#: The congestion controls that are offered for a new flow: the text of a button, the control of the flow, and that of
#: another flow beside it.
_CONTROLS = (("CUBIC", "cubic", ""), ("BBR", "bbr", ""), ("CUBIC against BBR", "cubic", "bbr"))


class FlowCommands:
    """The commands for flows.

    Args:
        addressed: returns the checked topology with all addresses; None before the first check.

    Attributes:
        tool: the tool that draws flows.
        mix: the last dialog of a mix; None before the first.
        controls: offers congestion controls for the flow that was drawn last.
    """

    def __init__(
        self,
        main: MainWindow,
        tools: ToolSet,
        edits: EditCommands,
        dialogs: Dialogs,
        addressed: Callable[[], Topology | None],
    ) -> None:
        self._main, self._tools, self._edits = main, tools, edits
        self._dialogs, self._document, self._view = dialogs, tools.context.document, tools.context.view
        self._addressed = addressed
        self.tool = FlowTool()
        self.tool.congestion_control = lambda: dialogs.congestion_control()
        self.tool.on_drawn = self._offer_controls
        self.controls = ChoiceBar(self._view, main.ui)
        self._document.listen(lambda old, new: self.controls.close())
        self.mix: FormDialog | None = None
        self._has_highlight = False
        tools.toolbox.add(self.tool, after="link")
        tools.controller.add(self.tool)
        tools.controller.on_tool.append(self._forget_start)
        self._view.on_select.append(self._highlight_paths)
        self._view.on_states.append(self._highlight_paths)
        self.tips = HoverTip(self._view, self._tip_text)

    @property
    def _topology(self) -> Topology:
        return self._document.topology

    def _forget_start(self) -> None:
        if self._tools.controller.tool is not self.tool:
            self.tool.forget()

    # --- display ---------------------------------------------------------------------------------------------------

    def _highlight_paths(self) -> None:
        """Highlight the links on the paths of the selected flows, if only flows are selected.

        Links that are down in the running lab are on no path.
        """
        keys = self._view.selection
        ids = set(chosen.flow_ids(keys)) if all(key.kind == "flow" for key in keys) else set()
        if not ids and not self._has_highlight:
            return
        down = {key.name for key, state in self._view.states.items() if key.kind == "link" and state == "down"}
        links = tuple(
            link.model_copy(update={"up": False}) if link.id in down else link for link in self._topology.links
        )
        self._has_highlight = bool(ids)
        finder = PathFinder(self._topology.model_copy(update={"links": links}))
        paths = [finder.path(flow.source, flow.destination) for flow in self._topology.flows if flow.id in ids]
        self._view.highlight(Key("link", link.id) for path in paths for link, _, _ in path or ())

    def _tip_text(self, key: Key) -> str:
        """The text of the tip at a flow's arrow."""
        flow = next((flow for flow in self._topology.flows if key == Key("flow", flow.id)), None)
        if flow is None:
            return ""
        control = controls_of(self._topology, self._addressed())[flow.id]
        return f"{flow.id}: {flow_summary(flow, control)}"

    # --- menus ------------------------------------------------------------------------------------------------------

    def entries(self) -> list[tuple[str, Callable[[], object]]]:
        """The mixes for a menu."""
        return [(f"{title}…", partial(self.open_mix, name)) for name, (title, _) in MIXES.items()]

    def fill_context_menu(self, menu: tk.Menu, key: Key | None) -> None:
        """Add the commands for flows to the context menu of a node or a flow."""
        node = self._topology.node(key.name) if key is not None and key.kind == "node" else None
        if node is not None and node.kind in ADDRESSED:
            menu.add_separator()
            menu.add_command(label="Flow from Here…", accelerator="F", command=partial(self.start_from, node.name))
            mixes = popup_menu(menu, self._main.theme)
            for title, ask in self.entries():
                mixes.add_command(label=title, command=ask)
            menu.add_cascade(label="Add Flows", menu=mixes)
        elif key is not None and key.kind == "flow":
            menu.add_command(label="All Flows…", accelerator="Ctrl+L", command=self._dialogs.flows)
            menu.add_command(label="Reverse", command=self.reverse)
            colors = popup_menu(menu, self._main.theme)
            for name, color in NAMED.items():
                shade = curve(color, self._main.theme)
                command = partial(self.set_color, color)
                colors.add_command(label=f"▬  {name.capitalize()}", foreground=shade, command=command)
            colors.add_command(label="Automatic", command=partial(self.set_color, ""))
            menu.add_cascade(label="Color", menu=colors)

    def start_from(self, name: str) -> None:
        """Begin a flow at this node. The next click on a node draws it; Escape cancels."""
        self._tools.controller.choose(self.tool)
        self.tool.start_from(self._tools.context, name)

    # --- edits ------------------------------------------------------------------------------------------------------

    def open_mix(self, name: str) -> None:
        """Open the dialog of a mix between the selected nodes, or between the first and the last host."""
        if self.mix is not None and self.mix.is_open:
            self.mix.close()
        control = self._dialogs.congestion_control()
        self.mix = ask_mix(
            self._main.root,
            self._document,
            name,
            self._ends(),
            self._main.ui,
            self._added,
            {"congestion_control": control},
            self._dialogs.added_controls(),
        )

    def _ends(self) -> tuple[str, str]:
        nodes = [node for node in self._topology.nodes if node.kind in ADDRESSED]
        selected = [node.name for node in nodes if Key("node", node.name) in self._view.selection]
        hosts = [node.name for node in nodes if node.kind == "host"]
        defaults = hosts if len(hosts) > 1 else [node.name for node in nodes]
        source = selected[0] if selected else defaults[0] if defaults else ""
        candidates = selected[1:] or [name for name in defaults if name != source]
        return source, candidates[-1] if candidates else ""

    def _added(self, flows: Sequence[Flow]) -> None:
        self._view.select(Key("flow", flow.id) for flow in flows)
        self._main.say(f"Added {', '.join(flow.id for flow in flows)}.")

    def _offer_controls(self, flow_id: str) -> None:
        flow = next(flow for flow in self._topology.flows if flow.id == flow_id)
        if flow.kind == "bulk":
            self.controls.offer([(text, partial(self._set_controls, flow, *names)) for text, *names in _CONTROLS])

    def _set_controls(self, flow: Flow, control: str, rival: str) -> None:
        """Set the congestion control of a flow, and add an equal flow with another one unless `rival` is empty."""
        changed = flow.model_copy(update={"congestion_control": control})
        topology = set_flows(
            self._topology, [changed if other_flow.id == flow.id else other_flow for other_flow in self._topology.flows]
        )
        ids = [flow.id]
        if rival:
            like = changed.model_copy(update={"congestion_control": rival})
            topology, rival_id = add_flow(topology, flow.source, flow.destination, like)
            ids.append(rival_id)
        self._edits.apply(f"Congestion Control of {flow.id}", lambda: topology)
        self._view.select(Key("flow", flow_id) for flow_id in ids)

    def set_color(self, color: str) -> None:
        """Give the selected flows a color; empty for the automatic one."""
        self._change("Color", colour=color)

    def reverse(self) -> None:
        """Exchange the sources and destinations of the selected flows."""
        topology, ids = self._topology, set(chosen.flow_ids(self._view.selection))
        reversed_flows = [
            flow.model_copy(update={"source": flow.destination, "destination": flow.source}) if flow.id in ids else flow
            for flow in topology.flows
        ]
        label = f"Reverse {chosen.selection_name(self._view.selection)}"
        self._edits.apply(label, lambda: set_flows(topology, reversed_flows))

    def _change(self, verb: str, **fields: object) -> None:
        topology, ids = self._topology, set(chosen.flow_ids(self._view.selection))
        flows = [flow.model_copy(update=fields) if flow.id in ids else flow for flow in topology.flows]
        label = f"{verb} {chosen.selection_name(self._view.selection)}"
        self._edits.apply(label, lambda: set_flows(topology, flows))
