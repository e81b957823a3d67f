"""The context menus of nodes and links while a lab runs."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from frrlib.model.nodes import ADDRESSED, Node, Router
from frrlib.model.sealed import is_sealed
from frrlib.picture.scene import Key
from miniedit_frr.dialogs.opener import Dialogs
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.faults_view.controller import FaultController
from miniedit_frr.paths.probes import Probes
from miniedit_frr.routing_view.windows import RoutingWindows
from miniedit_frr.running_lab.actions import LabActions
from miniedit_frr.running_lab.display import LabDisplay
from miniedit_frr.running_lab.lab import LiveLab
from miniedit_frr.running_lab.node_commands import NodeCommands
from miniedit_frr.running_lab.windows import NodeWindows
from miniedit_frr.widgets.popup import PopupLine, fill_popup, popup_menu

#: Commands for switches: the one of MiniEdit, and those that show the learned addresses.
_BRIDGE_COMMANDS = {
    "switch": {
        "List Bridge Details": "ovs-vsctl list bridge {name}",
        "Flow Table": "ovs-appctl bridge/dump-flows {name}",
        "Learned Addresses": "ovs-appctl fdb/show {name}",
    },
    "bridge": {
        "List Bridge Details": "ip -d link show {name}; ip -br link show master {name}",
        "Learned Addresses": "bridge fdb show br {name}",
    },
}


@dataclass(frozen=True)
class LabMenus:
    """The menus of nodes and links in the lab, and the parts that carry out their lines."""

    lab: LiveLab
    display: LabDisplay
    windows: NodeWindows
    routing_windows: RoutingWindows
    probes: Probes
    faults: FaultController
    actions: LabActions
    node_commands: NodeCommands
    start_frr: Callable[[str], object]

    def make(self, main: MainWindow, dialogs: Dialogs, key: Key) -> tk.Menu:
        """The menu for a node or link in the lab."""
        menu = popup_menu(main.root, main.theme)
        lines = self.lines(key)
        fill_popup(menu, disabled_lines(lines) if self.lab.is_virtual else lines, main.theme)
        if menu.index("end") is not None:
            menu.add_separator()
        menu.add_command(label="Properties…", accelerator="Alt+Return", command=partial(dialogs.open_key, key))
        return menu

    def lines(self, key: Key) -> list[PopupLine | None]:
        """The lines for a node or a link; empty if it is not in the lab."""
        if key.kind == "node":
            return self._node(key.name)
        return self._link(key.name) if key.kind == "link" else []

    def _node(self, name: str) -> list[PopupLine | None]:
        windows, node = self.windows, self.lab.topology.node(name)
        if node is None:
            return []
        daemons, is_open = self.lab.daemons(name), not is_sealed(self.lab.topology, name)
        lines: list[PopupLine | None] = []
        if daemons:
            lines.append(("vtysh", partial(windows.vtysh, name), is_open))
        elif isinstance(node, Router):
            lines.append(("Start FRR", partial(self.start_frr, name), True))
        lines.append(("Terminal", partial(windows.terminal, name), is_open))
        lines.append(None)
        if node.kind in ADDRESSED:
            lines += self._paths(node)
        if daemons:
            lines.append(("Routing", self._routing(name), True))
        if node.kind in ADDRESSED:
            lines.append(("Routing Table", partial(windows.routes, name), True))
        lines.append(("Interfaces", partial(windows.interfaces, name), True))
        for title, command in _BRIDGE_COMMANDS.get(node.kind, {}).items():
            show = partial(windows.show_command, name, command.format(name=name), f"{title} of {name}")
            lines.append((title, show, True))
        lines.append(None)
        for which, line in (("start", node.start_command), ("stop", node.stop_command)):
            lines.append((f"Run {which.title()} Command", partial(self.actions.node_command, name, which), bool(line)))
        lines.append(self.node_commands.line(name))
        if daemons:
            kills: list[PopupLine | None] = [
                (f"Kill {daemon}…", partial(self.actions.kill, name, daemon), True) for daemon in daemons
            ]
            lines += [None, ("Daemons", kills, True)]
        if faults := self.faults.lines(Key("node", name)):
            lines.append(("Fault", faults, True))
        return lines

    def _paths(self, node: Node) -> list[PopupLine | None]:
        """Lines for the ping and path from a node, and from each of its VRFs, to a node that is clicked next."""
        start = self.probes.path_from
        lines: list[PopupLine | None] = [("Ping and Path to…", partial(start, node.name), True)]
        for vrf in node.vrfs if isinstance(node, Router) else ():
            lines.append((f"Ping and Path from VRF {vrf.name} to…", partial(start, node.name, vrf.name), True))
        return lines

    def _routing(self, name: str) -> list[PopupLine | None]:
        """The lines that show the state of a router's daemons."""
        windows = self.routing_windows
        lines: list[PopupLine | None] = [("Neighbors", partial(windows.neighbors_of, name), True)]
        lines.append(("Why Is It Missing?", windows.explanations.lines(name), True))
        lines.append(("Routes", partial(self.windows.routes, name), True))
        for title, command in windows.show_lines(name):
            lines.append((title, partial(windows.show, name, title, command), True))
        return lines

    def _link(self, name: str) -> list[PopupLine | None]:
        windows, link = self.windows, self.lab.topology.link(name)
        if link is None:
            return []
        state = self.display.links.get(name)
        is_up = state is None or state.state == "up"
        captures: list[PopupLine | None] = []
        for end in link.ends:
            if captures:
                captures.append(None)
            at = partial(partial, link=name, node=end.node)
            captures.append((f"Wireshark at {end.node}", at(windows.capture_live), windows.has_wireshark))
            captures.append((f"tcpdump in a Terminal at {end.node}", at(windows.capture_text), True))
            captures.append((f"tcpdump into a File at {end.node}…", at(windows.capture_file), True))
        if windows.captures:
            captures += [None, ("Stop All Captures", windows.stop_captures, True)]
        routers = {router.name for router in self.lab.topology.routers if router.runs_frr}
        adjacencies: list[PopupLine | None] = []
        if any(end.node in routers for end in link.ends):
            adjacencies.append(("Adjacency Details", partial(self.routing_windows.adjacencies_of, name), True))
        return [
            ("Link Up", partial(self.actions.set_link, name, up=True), not is_up),
            ("Link Down", partial(self.actions.set_link, name, up=False), is_up),
            ("Fault", self.faults.lines(Key("link", name)), True),
            None,
            ("Capture", captures, True),
            ("Show Queue", partial(windows.queues, name), True),
            *adjacencies,
        ]


def disabled_lines(lines: list[PopupLine | None]) -> list[PopupLine | None]:
    """The lines for a lab in virtual time: the reason, and the same lines disabled."""
    return [_NOBODY, None, *(line and (line[0], _do_nothing, False) for line in lines)]


def _do_nothing() -> None:
    """The action of a disabled line."""


_NOBODY: PopupLine = ("Not available in virtual time", _do_nothing, False)
