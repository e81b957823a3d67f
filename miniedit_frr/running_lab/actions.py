"""Actions of the menus on single links, nodes and daemons of a running lab, and the messages on them."""

from __future__ import annotations

from functools import partial

from ttkbootstrap.dialogs import Messagebox

from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.running_lab.lab import LiveLab
from miniedit_frr.session import requests
from miniedit_frr.session.requests import NodeCommandOutput


class LabActions:
    """Changes a running lab on request of its menus, and reports the result."""

    def __init__(self, main: MainWindow, lab: LiveLab) -> None:
        self._main, self._lab = main, lab

    def set_link(self, link: str, *, up: bool) -> None:
        """Give a link carrier or take it away."""
        self._lab.set_link(link, up=up, then=lambda: self._report_link(link, up))

    def _report_link(self, link: str, up: bool) -> None:
        self._main.say(f"{self._lab.link_title(link)} is {'up' if up else 'down'}.")

    def node_command(self, node: str, which: str) -> None:
        """Run a node's "start" or "stop" command again, and report its output."""
        request = self._lab.session.ask(partial(requests.node_command, node=node, which=which))
        request.then(partial(self._report_output, f"{which} command of {node}"))

    def _report_output(self, title: str, output: NodeCommandOutput) -> None:
        text = " ".join(f"{output.stdout} {output.stderr}".split())
        self._main.say(f"{title} exited with status {output.status}{': ' + text if text else '.'}")

    def kill(self, router: str, daemon: str) -> None:
        """Kill a router's daemon, after a question."""
        question = f"Kill {daemon} on {router}?\n\nFault > {daemon} > Restart starts it again."
        buttons = ["Cancel:secondary-outline", "Kill:danger"]
        answer = Messagebox.show_question(question, "Kill a daemon", parent=self._main.root, buttons=buttons)
        if answer == "Kill":
            self._lab.kill_daemon(router, daemon)
