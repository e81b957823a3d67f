"""What is asked between nodes: the ping matrix of all hosts, and the path between two nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from miniedit_frr.editor.parts import Parts
from miniedit_frr.panels.matrix import MatrixWindow
from miniedit_frr.panels.way import WayWindow
from miniedit_frr.running.following import Following
from miniedit_frr.session.events import PairPinged

if TYPE_CHECKING:
    from miniedit_frr.running.running import Running


class Probes:
    """Asks between nodes and shows the answers.

    Attributes:
        matrix: the window with the ping matrix; None where there was none.
        following: the path between two nodes.
    """

    def __init__(self, parts: Parts, running: Running) -> None:
        self._parts, self._running = parts, running
        self.matrix: MatrixWindow | None = None
        self.following = Following(parts, running)
        self._pinging = 0

    # --- matrix ---

    def show_matrix(self) -> None:
        """Ping between all hosts."""
        hosts = [host.name for host in self._running.topology.hosts]
        if len(hosts) < 2:
            self._parts.say("A ping matrix needs two hosts.")
        elif self.matrix is not None and self.matrix.winfo_exists():
            self.matrix.lift()
        else:
            self.matrix = MatrixWindow(
                self._parts.window, hosts, self._ping_all, self._give_up, self._parts.ui, self._parts.theme
            )

    def _ping_all(self, window: MatrixWindow) -> None:
        def pair(event: PairPinged) -> None:
            window.set(event.source, event.destination, event.rtt_ms, event.done, event.total)

        def over(why: str) -> None:
            self._pinging = 0
            window.end(why, awaited or self._running.showing.awaits)

        awaited = self._running.showing.awaits
        number = self._running.session.ping_matrix()
        self._pinging = self._running.asking.then(number, lambda result: over(""), over, pair)

    def _give_up(self) -> None:
        if self._pinging:
            self._running.session.drop(self._pinging)

    # --- two nodes ---

    @property
    def way(self) -> WayWindow | None:
        """The window with the path between two nodes."""
        return self.following.window

    def follow(self, source: str, destination: str, vrf: str = "") -> None:
        """Ping from one node to another and light the path, which may begin in a VRF."""
        self.following.follow(source, destination, vrf)

    def end(self) -> None:
        """The lab has ended: the path goes; the matrix stays to be read and exported."""
        self.following.close()
