"""Windows about a running lab: terminals in its nodes, tables of their state, and captures."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tkinter import filedialog
from typing import Any

import ttkbootstrap as ttk

from frrlib.errors import PlaceError
from frrlib.lab.lab import Lab
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.running_lab import rows
from miniedit_frr.running_lab.capture import Captures
from miniedit_frr.running_lab.lab import LiveLab
from miniedit_frr.running_lab.terminal_tabs import TerminalTabs
from miniedit_frr.session import requests
from miniedit_frr.session.pending import Result
from miniedit_frr.user.preferences import PreferenceStore
from miniedit_frr.widgets.table import TableWindow
from miniedit_frr.window.terminals import Terminals

#: The terminal that can be a tab, which is also MiniEdit's default.
_EMBEDDED = "xterm"
_WAIT = 'printf "\\nPress Enter to close. "; read -r _'


class NodeWindows:
    """Opens windows about the nodes and links of the running lab.

    Attributes:
        terminals: the open terminals.
        tabs: those that are tabs below the drawing.
        tables: the last table of each kind and node, by its title.
    """

    def __init__(self, main: MainWindow, bottom: ttk.Notebook, preferences: PreferenceStore, lab: LiveLab) -> None:
        self._main, self._preferences, self._lab = main, preferences, lab
        self.terminals, self.captures = Terminals(), Captures()
        self.tabs = TerminalTabs(main, bottom, self.terminals)
        self.tables: dict[str, TableWindow] = {}

    # --- terminals ---

    def terminal(self, node: str) -> None:
        """A shell in a node; the empty name is the lab's outermost namespace."""
        self._open(node, "bash", title=f"{node or 'root'} - MiniEdit-FRR")

    def vtysh(self, node: str) -> None:
        """FRR's shell on a router."""
        self._open(node, "vtysh", title=f"{node} vtysh - MiniEdit-FRR")

    def show_command(self, node: str, line: str, title: str) -> None:
        """The output of a command, in a terminal that stays until Enter is pressed."""
        self._open(node, "sh", "-c", f"{line}; {_WAIT}", title=f"{title} - MiniEdit-FRR")

    def open(self, node: str) -> None:
        """Open the terminal for a double click: vtysh on a node with FRR, else a shell.

        It is a tab below the drawing. It is a window if the user prefers a terminal program, or if there can be no tab.
        """
        has_frr = bool(self._lab.daemons(node))
        open_window = partial(self.vtysh if has_frr else self.terminal, node)
        if (
            self.terminal_choice() not in ("", _EMBEDDED)
            or self._preferences.now.terminal
            or not self.tabs.is_available
        ):
            open_window()
        elif not self.tabs.show(title := f"{node} vtysh" if has_frr else node):
            argv = ("vtysh",) if has_frr else ("bash",)
            request = self._lab.session.ask(partial(requests.terminal_command, node=node, argv=argv))
            request.then(partial(self._show_tab, title, open_window))

    def _show_tab(self, title: str, open_window: Callable[[], object], command: list[str]) -> None:
        if self.tabs.show(title):  # a second double click before the first reply
            return
        try:
            self.tabs.open(title, command, open_window)
        except OSError:
            open_window()

    def _open(self, node: str, *argv: str, title: str) -> None:
        request = self._lab.session.ask(partial(requests.terminal_command, node=node, argv=argv))
        request.then(partial(self._show, title))

    def _show(self, title: str, command: list[str]) -> None:
        try:
            self.terminals.open(command, title, choice=self.terminal_choice())
        except (PlaceError, OSError) as error:
            self._main.say(str(error))

    def terminal_choice(self) -> str:
        """The terminal program from the user's preferences, else from the topology."""
        return self._preferences.now.terminal or self._lab.topology.preferences.terminal_type

    # --- tables ---

    def routes(self, node: str) -> None:
        """A node's routing table. On a node with FRR it is FRR's table, which has costs and the routes that were not
        selected."""
        title = f"Routing table of {node}"
        if self._lab.daemons(node):
            self._table(title, rows.FRR_ROUTES, partial(requests.frr_routes, router=node), rows.frr_routes)
        else:
            self._table(title, rows.ROUTES, partial(requests.routes, node=node), rows.routes)

    def interfaces(self, node: str) -> None:
        """A node's interfaces."""
        question = partial(requests.interfaces, node=node)
        self._table(f"Interfaces of {node}", rows.INTERFACES, question, rows.interfaces)

    def queues(self, link: str) -> None:
        """The queues at both ends of a link."""
        question = partial(requests.queues, link=link)
        self._table(f"Queues of {self._lab.link_title(link)}", rows.QUEUES, question, rows.queues)

    def _table(
        self,
        title: str,
        columns: Any,
        question: Callable[[Lab], Result],
        make_rows: Callable[[Result], list[tuple[str, ...]]],
    ) -> None:
        def fill(window: TableWindow) -> None:
            self._lab.session.ask(question).then(lambda result: window.fill(make_rows(result)), window.fail)

        old = self.tables.get(title)
        if old is not None and old.winfo_exists():
            old.lift()
            old.reload()
        else:
            self.tables[title] = TableWindow(self._main.root, title, columns, fill, self._main.ui)

    # --- captures ---

    @property
    def has_wireshark(self) -> bool:
        """Whether this machine can show a capture live."""
        return shutil.which("wireshark") is not None

    def capture_text(self, link: str, node: str) -> None:
        """Show the packets at the end of a link in a terminal, one line per packet."""
        request = self._lab.session.ask(partial(requests.capture_command, link=link, node=node))
        request.then(partial(self._show, f"{self._lab.link_title(link)} at {node}"))

    def capture_live(self, link: str, node: str) -> None:
        """Show the packets at the end of a link in Wireshark."""
        self._capture(link, node, self.captures.show)

    def capture_file(self, link: str, node: str) -> None:
        """Write the packets at the end of a link into a file; asks for the file."""
        file = filedialog.asksaveasfilename(
            parent=self._main.root, defaultextension=".pcap", filetypes=(("Captures", "*.pcap"),),
            initialfile=f"{link}-{node}.pcap", title="Capture into a file",
        )  # fmt: skip
        if file:
            self.capture_into(link, node, Path(file))

    def capture_into(self, link: str, node: str, path: Path) -> None:
        """Write the packets at the end of a link into this file."""
        self._capture(link, node, partial(self.captures.keep, path))
        self._main.say(f"Capturing {self._lab.link_title(link)} at {node} into {path}.")

    def stop_captures(self) -> None:
        """End all captures into files and Wireshark."""
        self._main.say(f"{self.captures.end_all()} captures stopped.")

    def _capture(self, link: str, node: str, take: Callable[[list[str]], None]) -> None:
        def start(command: list[str]) -> None:
            try:
                take(command)
            except OSError as error:
                self._main.say(f"The capture cannot start: {error}")

        self._lab.session.ask(partial(requests.raw_capture_command, link=link, node=node)).then(start)

    # --- the end ---

    def end_programs(self) -> None:
        """End the programs beside the window; returns at once."""
        self.terminals.end_all_soon()
        self.captures.end_all()

    def close_terminals(self) -> None:
        """Close all terminals; returns at once."""
        self.terminals.end_all_soon()

    def end(self) -> None:
        """The lab has ended: close its windows."""
        self.end_programs()
        for window in self.tables.values():
            if window.winfo_exists():
                window.destroy()
        self.tables.clear()
