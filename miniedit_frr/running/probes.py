"""What is asked between nodes: the ping matrix of all hosts, and the way between two nodes."""

from __future__ import annotations

import tkinter as tk
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from frrlib.model.topology import Topology
from miniedit_frr.panels.matrix import MatrixWindow
from miniedit_frr.panels.way import WayWindow
from miniedit_frr.running import path, rows
from miniedit_frr.session_events import PairPinged
from miniedit_frr.session_questions import Hop

if TYPE_CHECKING:
    from miniedit_frr.app import Editor
    from miniedit_frr.running.running import Running


class Probes:
    """Asks between nodes and shows the answers.

    Attributes:
        matrix, way: the open windows; None where there is none.
    """

    def __init__(self, editor: Editor, running: Running) -> None:
        self._editor, self._running = editor, running
        self.matrix: MatrixWindow | None = None
        self.way: WayWindow | None = None
        self._pinging = 0

    # --- matrix ---

    def show_matrix(self) -> None:
        """Ping between all hosts."""
        hosts = [host.name for host in self._running.topology.hosts]
        if len(hosts) < 2:
            self._editor.say("A ping matrix needs two hosts.")
        elif self.matrix is not None and self.matrix.winfo_exists():
            self.matrix.lift()
        else:
            self.matrix = MatrixWindow(
                self._editor.window, hosts, self._ping_all, self._give_up, self._editor.ui, self._editor.theme
            )

    def _ping_all(self, window: MatrixWindow) -> None:
        def pair(event: PairPinged) -> None:
            window.set(event.source, event.destination, event.rtt_ms, event.done, event.total)

        def over(why: str) -> None:
            self._pinging = 0
            window.end(why)

        number = self._running.session.ping_matrix()
        self._pinging = self._running.asking.then(number, lambda result: over(""), over, pair)

    def _give_up(self) -> None:
        if self._pinging:
            self._running.session.drop(self._pinging)

    # --- two nodes ---

    def follow(self, source: str, destination: str) -> None:
        """Ping from one node to another and light the way."""
        self._close_way()
        editor, running = self._editor, self._running
        again = partial(self.follow, source, destination)
        window = self.way = WayWindow(editor.window, source, destination, again, self._dark, editor.ui)
        ping = running.session.ping(source, destination)
        running.asking.then(ping, lambda told: window.show_ping(ping_text(told)), window.show_ping)
        way = running.session.way(source, destination)
        running.asking.then(
            way, partial(self._light, window, source, destination), lambda why: window.show_hops((), why)
        )

    def _light(self, window: WayWindow, source: str, destination: str, told: tuple[Topology, list[Hop]]) -> None:
        topology, hops = told
        if window is not self.way or not window.winfo_exists():
            return
        reached = bool(hops) and hops[-1].node == destination and hops[-1].rtt_ms is not None
        text = f"{len(hops)} {'hop' if len(hops) == 1 else 'hops'}" if reached else f"{destination} was not reached"
        window.show_hops(rows.hops(hops), text)
        self._editor.view.light(path.keys_of(topology, source, hops))

    def _close_way(self) -> None:
        if self.way is not None and self.way.winfo_exists():
            self.way.destroy()
        self.way = None

    def _dark(self) -> None:
        with suppress(tk.TclError):  # where the whole window goes, the drawing goes with it
            self._editor.view.light(())

    def end(self) -> None:
        """The lab has ended: the way goes; the matrix stays to be read and exported."""
        self._close_way()


def ping_text(told: dict[str, Any]) -> str:
    """What pings said, in a line."""
    line = f"{told['source']} pings {told['destination']} ({told['address']}): {told['received']} of {told['sent']}"
    rtts = told["rtt_ms"]
    if not rtts:
        return f"{line}, no answer"
    return f"{line} came back, round trip {min(rtts):.3g} to {max(rtts):.3g} ms"
