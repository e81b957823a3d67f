"""One command on several nodes of a running lab: the line of the menu, and the window for the command."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Collection, Sequence
from functools import partial

from frrlib.model.names import natural
from frrlib.picture.scene import Key
from frrlib.safe_text.plain import plain
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.running_lab.lab import LiveLab
from miniedit_frr.running_lab.node_commands_window import CommandReply, NodeCommandsWindow
from miniedit_frr.session import requests
from miniedit_frr.session.requests import NodeCommandOutput
from miniedit_frr.widgets.popup import PopupLine


class NodeCommands:
    """Runs commands on the selected nodes.

    Attributes:
        window: the last one that was opened; None before the first.
    """

    def __init__(self, main: MainWindow, read_selection: Callable[[], Collection[Key]], lab: LiveLab) -> None:
        self._main, self._read_selection, self._lab = main, read_selection, lab
        self.window: NodeCommandsWindow | None = None

    def line(self, node: str) -> PopupLine:
        """The line in a node's menu, for all selected nodes if this node is one of them. A disabled line contains its
        reason."""
        nodes = self._nodes(node)
        title = "Run a Command" if len(nodes) == 1 else f"Run a Command on {len(nodes)} Nodes"
        obstacle = self._obstacle(nodes)
        return (f"{title} ({obstacle})" if obstacle else f"{title}…"), partial(self.open, nodes), not obstacle

    def fill_context_menu(self, menu: tk.Menu, key: Key | None) -> None:
        """Add the disabled line to the menu of several nodes without a lab, with the reason."""
        if key is not None and key.kind == "node" and len(self._nodes(key.name)) > 1:
            label, action, can = self.line(key.name)
            assert callable(action)
            menu.add_command(label=label, command=action, state="normal" if can else "disabled")

    def open(self, nodes: Sequence[str]) -> None:
        """Open a window that asks for a command for these nodes."""
        routers = {node for node in nodes if self._lab.daemons(node)}
        self.window = NodeCommandsWindow(self._main.root, nodes, routers, self._run, self._main.theme)

    def _nodes(self, node: str) -> list[str]:
        names = {key.name for key in self._read_selection() if key.kind == "node"}
        return sorted(names, key=natural) if node in names else [node]

    def _obstacle(self, nodes: Sequence[str]) -> str:
        if not self._lab.is_open:
            return "commands cannot run in virtual time" if self._lab.is_virtual else "no lab is running"
        missing = [node for node in nodes if self._lab.topology.node(node) is None]
        return f"{', '.join(missing)} not in the lab" if missing else ""

    def _run(self, node: str, words: tuple[str, ...], then: Callable[[CommandReply], object]) -> None:
        def show(answer: NodeCommandOutput) -> None:
            parts = (plain(stream) for stream in (answer.stdout, answer.stderr))
            then(CommandReply(answer.status, "\n".join(stream.rstrip("\n") for stream in parts if stream.strip())))

        request = self._lab.session.ask(partial(requests.run_typed, node=node, argv=words))
        request.then(show, lambda error: then(CommandReply(None, plain(error))))
