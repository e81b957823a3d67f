"""Probes between nodes: the ping matrix of all hosts, and the path between two nodes."""

from __future__ import annotations

from typing import Any

from frrlib.model.names import natural
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.editor.tool_set import ToolSet
from miniedit_frr.paths.ping_matrix_window import PingMatrixWindow
from miniedit_frr.paths.tracker import PathTracker
from miniedit_frr.paths.window import PathWindow
from miniedit_frr.running_lab.display import LabDisplay
from miniedit_frr.running_lab.lab import LiveLab
from miniedit_frr.session.events import PairRoundTrip
from miniedit_frr.session.pending import PendingRequest
from miniedit_frr.tools.two_nodes import TwoNodesTool


class Probes:
    """Starts probes between nodes, and shows their results.

    Attributes:
        matrix: the last window with the ping matrix; None before the first.
        path_tracker: the path between two nodes.
        two_nodes: the tool for this path.
    """

    def __init__(
        self, main: MainWindow, tools: ToolSet, path_tracker: PathTracker, lab: LiveLab, display: LabDisplay
    ) -> None:
        self._main, self._tools, self._lab, self._display = main, tools, lab, display
        self.matrix: PingMatrixWindow | None = None
        self.path_tracker = path_tracker
        self._pinging: PendingRequest[Any] | None = None
        self.two_nodes = TwoNodesTool(self.follow)
        tools.toolbox.add(self.two_nodes)
        tools.controller.add(self.two_nodes)
        tools.controller.on_tool.append(self._tool_changed)

    # --- matrix ---

    def show_matrix(self) -> None:
        """Ping between all hosts."""
        topology = self._lab.topology
        hosts = sorted((host.name for host in topology.hosts), key=natural)
        if len(hosts) < 2:
            self._main.say("A ping matrix needs two hosts.")
        elif self.matrix is not None and self.matrix.winfo_exists():
            self.matrix.lift()
        else:
            unlinked = [name for name in hosts if not any(topology.ends_at(name))]
            self.matrix = PingMatrixWindow(
                self._main.root, hosts, self._ping_all, self._stop_pings, self._main.ui, self._main.theme, unlinked
            )

    def _ping_all(self, window: PingMatrixWindow) -> None:
        def pair(event: PairRoundTrip) -> None:
            window.set(event.source, event.destination, event.rtt_ms, event.done, event.total)

        def over(error: str) -> None:
            self._pinging = None
            window.end(error, awaited or self._display.awaits)

        awaited = self._display.awaits
        self._pinging = self._lab.session.ping_matrix().then(lambda result: over(""), over, pair)

    def _stop_pings(self) -> None:
        if self._pinging is not None:
            self._pinging.drop()

    # --- two nodes ---

    def path_from(self, node: str, vrf: str = "") -> None:
        """Show the path from this node to the one that is clicked next; Escape cancels this."""
        self._tools.controller.choose(self.two_nodes)
        self.two_nodes.start_from(self._tools.context, node, vrf)

    def _tool_changed(self) -> None:
        if self._tools.controller.tool is not self.two_nodes:
            self.two_nodes.forget(self._tools.context)

    @property
    def path_window(self) -> PathWindow | None:
        """The window with the path between two nodes."""
        return self.path_tracker.window

    def follow(self, source: str, destination: str, vrf: str = "") -> None:
        """Ping from one node to another and highlight the path, which may begin in a VRF."""
        self.path_tracker.follow(source, destination, vrf)

    def end(self) -> None:
        """The lab has ended: close the path. The matrix stays open for reading and export."""
        self.path_tracker.close()
