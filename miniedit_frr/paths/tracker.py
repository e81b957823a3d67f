"""The path between two nodes: computed from the kernels' tables, checked by traceroutes, and kept up to date."""

from __future__ import annotations

import tkinter as tk
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from typing import Any, NamedTuple

from frrlib.errors import TopologyError
from frrlib.lab.path import REACHED, Family, LabPath, TracerouteHop, addresses_of
from frrlib.picture.scene import Key
from miniedit_frr.canvas.view import View
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.paths import marks
from miniedit_frr.paths.window import PathWindow
from miniedit_frr.routing_view.controller import RoutingController
from miniedit_frr.running_lab import rows
from miniedit_frr.running_lab.lab import LiveLab
from miniedit_frr.session import requests
from miniedit_frr.session.pending import ignore

#: Time after a change of the tables before a path is computed again.
_SETTLE_MS = 300


class _PathQuery(NamedTuple):
    """The ends of a path that is followed."""

    source: str
    destination: str
    vrf: str
    family: Family


class PathTracker:
    """Follows one path at a time.

    Attributes:
        window: the window about the path; None if no path is followed.
        forward, backward: the visible paths; None before they are known.
    """

    def __init__(self, main: MainWindow, view: View, lab: LiveLab, routing: RoutingController) -> None:
        self._main, self._view, self._lab, self._routing = main, view, lab, routing
        self.window: PathWindow | None = None
        self.forward: LabPath | None = None
        self.backward: LabPath | None = None
        self._query = _PathQuery("", "", "", 0)
        #: The hops of the traceroutes, forward (True) and backward. They belong to the request `_trace_number`.
        self._hops: dict[bool, tuple[TracerouteHop, ...]] = {}
        self._query_number = self._trace_number = 0
        self._timer, self._revision = "", -1
        view.bind("<Escape>", lambda event: self.close(), add=True)

    def follow(self, source: str, destination: str, vrf: str = "", family: Family = 0) -> None:
        """Ping from one node to another and highlight the path.

        Args:
            vrf: the VRF of the source in which it begins; empty for none.
            family: the IP version of the destination's address, 4 or 6; 0 for IPv4 if it has such an address.
        """
        self.close()
        query = self._query = _PathQuery(source, destination, vrf, family)
        window = self.window = PathWindow(
            self._main.root, source, destination, partial(self.follow, *query), self._closed, self._main.ui
        )
        window.offer(
            self._families(destination), family, lambda version: self.follow(source, destination, vrf, version)
        )
        if self._watch not in self._routing.listeners:
            self._routing.listeners.append(self._watch)
        self._ask()

    def close(self) -> None:
        """Stop following the path."""
        if self._timer:
            self._main.root.after_cancel(self._timer)
        self.forward, self.backward, self._timer, self._hops = None, None, "", {}
        self._query_number += 1
        if self.window is not None and self.window.winfo_exists():
            self.window.destroy()
        self.window = None

    def _closed(self) -> None:
        with suppress(tk.TclError):  # the canvas may be destroyed with the whole window
            self._view.highlight(())
            self._routing.point_out({})

    def _families(self, node: str) -> list[Family]:
        """The IP versions of a node's addresses: 4, 6 or both."""
        try:
            versions = {ip_address(address).version for address in addresses_of(self._routing.topology, node)}
        except TopologyError:
            return []
        return [family for family in (4, 6) if family in versions]

    # --- requests ---

    def _watch(self) -> None:
        """The lab's routing may have changed: compute the path again soon."""
        if self._routing.timeline.revision != self._revision and not self._timer and self._is_open:
            self._timer = self._main.root.after(_SETTLE_MS, self._again)

    @property
    def _is_open(self) -> bool:
        return self.window is not None and bool(self.window.winfo_exists())

    def _again(self) -> None:
        self._timer = ""
        if self._is_open:
            self._ask()

    def _ask(self) -> None:
        """Request the path; the replies to earlier requests are ignored."""
        self._query_number, self._revision = self._query_number + 1, self._routing.timeline.revision
        query = self._query
        find = partial(
            requests.paths, source=query.source, destination=query.destination, family=query.family, vrf=query.vrf
        )
        request = self._lab.session.ask(find)
        request.then(partial(self._show_paths, self._query_number), partial(self._failed, self._query_number))

    def _trace(self) -> None:
        """Ping, and send traceroutes along the paths."""
        assert self.forward is not None
        self._hops, self._trace_number = {}, self._trace_number + 1
        session = self._lab.session
        # If packets do not arrive, routers on the return path could not reply.
        backward = self.backward if self.forward.arrives else None
        for is_forward, path in ((True, self.forward), (False, backward)):
            if path is not None:
                tracing = session.ask(partial(requests.trace, path=path))
                tracing.then(partial(self._show_trace, self._trace_number, is_forward), ignore)
        if not self.forward.vrf:  # pings do not start in a VRF
            source, address = self.forward.source, self.forward.address
            session.ask(lambda lab: lab.ping(source, address, 3)).then(
                partial(self._show_ping, self._trace_number), ignore
            )

    # --- replies ---

    def _failed(self, number: int, error: str) -> None:
        if number == self._query_number and self.window is not None and self._is_open:
            self.window.show_path((error,))

    def _show_paths(self, number: int, paths: tuple[LabPath, LabPath | None]) -> None:
        if number != self._query_number or not self._is_open:
            return
        is_new = paths != (self.forward, self.backward)
        self.forward, self.backward = paths
        if is_new:
            self._draw()
            self._trace()
        self._show_text()

    def _draw(self) -> None:
        forward, backward = self.forward, self.backward
        assert forward is not None
        self._view.highlight(marks.keys_of(forward), marks.keys_of(backward) if backward is not None else ())
        signs = {**(marks.signs_of(backward) if backward is not None else {}), **marks.signs_of(forward)}
        self._routing.point_out({Key("node", name): sign for name, sign in signs.items()})

    def _show_ping(self, number: int, result: dict[str, Any]) -> None:
        if number == self._trace_number and self.window is not None and self._is_open:
            self.window.show_ping(ping_text(result))

    def _show_trace(self, number: int, is_forward: bool, hops: tuple[TracerouteHop, ...]) -> None:
        if number != self._trace_number or self.window is None or not self._is_open:
            return
        self._hops[is_forward] = hops
        if is_forward:
            reached = bool(hops) and hops[-1].said == REACHED
            many = f"{len(hops)} {'hop' if len(hops) == 1 else 'hops'}"
            self.window.show_hops(rows.hops(hops), many if reached else f"{self._query.destination} was not reached")
        self._show_text()

    def _show_text(self) -> None:
        if self.window is not None and self.forward is not None:
            lines = marks.lines_of(self.forward, self.backward, self._hops.get(True), self._hops.get(False))
            self.window.show_path(lines)


def ping_text(result: dict[str, Any]) -> str:
    """The result of pings, in a line."""
    line = f"{result['source']} pings {result['destination']}: {result['received']} of {result['sent']}"
    rtts = result["rtt_ms"]
    if not rtts:
        return f"{line}, no reply"
    return f"{line} replied, in {min(rtts):.3g} to {max(rtts):.3g} ms"
