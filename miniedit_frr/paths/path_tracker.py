"""The path between two nodes: from the kernels' tables, checked by traceroutes, lit on the drawing, kept up to date."""

from __future__ import annotations

import tkinter as tk
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from typing import Any, NamedTuple

from frrlib.errors import TopologyError
from frrlib.lab.path import REACHED, Family, Hop, LabPath, addresses_of
from frrlib.picture.scene import Key
from miniedit_frr.editor.parts import Parts
from miniedit_frr.paths import path_marks
from miniedit_frr.paths.path_window import PathWindow
from miniedit_frr.routing_view.controller import RoutingController
from miniedit_frr.running_lab import rows
from miniedit_frr.running_lab.lab import LiveLab
from miniedit_frr.session import requests
from miniedit_frr.session.pending import ignore

#: How long tables are left to settle before a path is looked for anew.
_SETTLE_MS = 300


class _Asked(NamedTuple):
    """A path that is followed."""

    source: str
    destination: str
    vrf: str
    family: Family


class PathTracker:
    """Follows one path at a time.

    Attributes:
        window: the window that tells of it; None where no path is followed.
        there, back: the paths that are drawn; None before they are known.
    """

    def __init__(self, parts: Parts, lab: LiveLab, routing: RoutingController) -> None:
        self._parts, self._lab, self._routing = parts, lab, routing
        self.window: PathWindow | None = None
        self.forward: LabPath | None = None
        self.backward: LabPath | None = None
        self._asked = _Asked("", "", "", 0)
        #: What traceroutes saw, there (True) and back; they belong to the tracing of this number.
        self._hops: dict[bool, tuple[Hop, ...]] = {}
        self._asking = self._tracing = 0
        self._timer, self._seen = "", -1
        parts.view.bind("<Escape>", lambda event: self.close(), add=True)

    def follow(self, source: str, destination: str, vrf: str = "", family: Family = 0) -> None:
        """Ping from one node to another and light the path.

        Args:
            vrf: in which of the source's VRFs it begins; empty for none.
            family: which of the destination's addresses is meant, 4 or 6; 0 for IPv4 where it has one.
        """
        self.close()
        parts = self._parts
        asked = self._asked = _Asked(source, destination, vrf, family)
        window = self.window = PathWindow(
            parts.window, source, destination, partial(self.follow, *asked), self._closed, parts.ui
        )
        window.offer(self._families(destination), family, lambda other: self.follow(source, destination, vrf, other))
        if self._watch not in self._routing.listeners:
            self._routing.listeners.append(self._watch)
        self._ask()

    def close(self) -> None:
        """Follow no path any more."""
        if self._timer:
            self._parts.window.after_cancel(self._timer)
        self.forward, self.backward, self._timer, self._hops = None, None, "", {}
        self._asking += 1
        if self.window is not None and self.window.winfo_exists():
            self.window.destroy()
        self.window = None

    def _closed(self) -> None:
        with suppress(tk.TclError):  # where the whole window goes, the drawing goes with it
            self._parts.view.light(())
            self._routing.point_out({})

    def _families(self, node: str) -> list[Family]:
        """4, 6 or both: what the addresses of a node are."""
        try:
            found = {ip_address(each).version for each in addresses_of(self._routing.topology, node)}
        except TopologyError:
            return []
        return [family for family in (4, 6) if family in found]

    # --- what is asked ---

    def _watch(self) -> None:
        """Something in the lab's routing may have changed: the path is looked for anew, soon."""
        if self._routing.timeline.revision != self._seen and not self._timer and self._is_open:
            self._timer = self._parts.window.after(_SETTLE_MS, self._again)

    @property
    def _is_open(self) -> bool:
        return self.window is not None and bool(self.window.winfo_exists())

    def _again(self) -> None:
        self._timer = ""
        if self._is_open:
            self._ask()

    def _ask(self) -> None:
        """Ask the tables; what was asked before counts no more."""
        self._asking, self._seen = self._asking + 1, self._routing.timeline.revision
        asked = self._asked
        find = partial(
            requests.paths, source=asked.source, destination=asked.destination, family=asked.family, vrf=asked.vrf
        )
        request = self._lab.session.ask(find)
        request.then(partial(self._found, self._asking), partial(self._failed, self._asking))

    def _trace(self) -> None:
        """Ping, and send traceroutes along the paths."""
        assert self.forward is not None
        self._hops, self._tracing = {}, self._tracing + 1
        session = self._lab.session
        # Where packets do not arrive, those on the way back could not answer.
        back = self.backward if self.forward.arrives else None
        for is_there, each in ((True, self.forward), (False, back)):
            if each is not None:
                tracing = session.ask(partial(requests.trace, path=each))
                tracing.then(partial(self._traced, self._tracing, is_there), ignore)
        if not self.forward.vrf:  # a ping begins in none
            source, address = self.forward.source, self.forward.address
            session.ask(lambda lab: lab.ping(source, address, 3)).then(partial(self._pinged, self._tracing), ignore)

    # --- what was found ---

    def _failed(self, number: int, why: str) -> None:
        if number == self._asking and self.window is not None and self._is_open:
            self.window.show_path((why,))

    def _found(self, number: int, told: tuple[LabPath, LabPath | None]) -> None:
        if number != self._asking or not self._is_open:
            return
        is_new = told != (self.forward, self.backward)
        self.forward, self.backward = told
        if is_new:
            self._draw()
            self._trace()
        self._tell()

    def _draw(self) -> None:
        there, back = self.forward, self.backward
        assert there is not None
        self._parts.view.light(path_marks.keys_of(there), path_marks.keys_of(back) if back is not None else ())
        signs = {**(path_marks.signs_of(back) if back is not None else {}), **path_marks.signs_of(there)}
        self._routing.point_out({Key("node", name): sign for name, sign in signs.items()})

    def _pinged(self, number: int, told: dict[str, Any]) -> None:
        if number == self._tracing and self.window is not None and self._is_open:
            self.window.show_ping(ping_text(told))

    def _traced(self, number: int, is_there: bool, hops: tuple[Hop, ...]) -> None:
        if number != self._tracing or self.window is None or not self._is_open:
            return
        self._hops[is_there] = hops
        if is_there:
            reached = bool(hops) and hops[-1].said == REACHED
            many = f"{len(hops)} {'hop' if len(hops) == 1 else 'hops'}"
            self.window.show_hops(rows.hops(hops), many if reached else f"{self._asked.destination} was not reached")
        self._tell()

    def _tell(self) -> None:
        if self.window is not None and self.forward is not None:
            lines = path_marks.lines_of(self.forward, self.backward, self._hops.get(True), self._hops.get(False))
            self.window.show_path(lines)


def ping_text(told: dict[str, Any]) -> str:
    """What pings said, in a line."""
    line = f"{told['source']} pings {told['destination']}: {told['received']} of {told['sent']}"
    rtts = told["rtt_ms"]
    if not rtts:
        return f"{line}, no reply"
    return f"{line} replied, in {min(rtts):.3g} to {max(rtts):.3g} ms"
