"""The current state, in the running lab, of the object under the pointer or selected; below its properties.

While flows are measured, the loads come from their samples. Otherwise the counters of the visible nodes are read.
"""

from __future__ import annotations

import time
from collections import defaultdict, deque
from functools import partial

from frrlib.addressing.resolved import resolved
from frrlib.model.links import End, Link
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from frrlib.render.plan import direction_name
from frrlib.run.requested_values import queues
from miniedit_frr.canvas.view import View
from miniedit_frr.live.counters import CounterLoads, InterfaceCounters
from miniedit_frr.live.loads import LinkLoad
from miniedit_frr.live.messages import MAIN_TABLE
from miniedit_frr.live.route_book import TableRoute, TableRow
from miniedit_frr.live_plots.controller import PlotController
from miniedit_frr.now import state as now
from miniedit_frr.now.panel import NowPanel
from miniedit_frr.now.state import StateLine
from miniedit_frr.panels.properties import Properties
from miniedit_frr.routing_view.controller import RoutingController
from miniedit_frr.routing_view.rows import age_text
from miniedit_frr.running_lab.display import LabDisplay
from miniedit_frr.running_lab.lab import LiveLab
from miniedit_frr.session import requests, routing
from miniedit_frr.session.events import LabState
from miniedit_frr.session.pending import ignore

#: Minimum time between two updates of the panel, and between two requests to the nodes, in seconds.
_SHOW_S, _ASK_S = 0.25, 1.0
#: Time that the pointer must rest on an object before the panel shows it.
_REST_S = 0.15
#: Number of values in the curve of a load.
_MOST_VALUES = 40
#: Maximum number of listed routes and neighbors.
_MOST_ROUTES, _MOST_SESSIONS = 6, 8
_GRADES = {"up": "up", "starting": "coming", "warning": "coming", "lossy": "coming"}


class NowController:
    """Shows the current state of one object of the lab.

    Attributes:
        panel: the panel with the state; visible while there is a lab.
    """

    def __init__(
        self,
        view: View,
        properties: Properties,
        lab: LiveLab,
        display: LabDisplay,
        routing: RoutingController,
        live: PlotController,
    ) -> None:
        self._view, self._properties, self._lab = view, properties, lab
        self._display, self._routing, self._live = display, routing, live
        self.panel = NowPanel(properties, view.ui, view.theme)
        self._topology = Topology()
        self._ends: dict[str, list[tuple[Link, End, End]]] = {}
        self._counters = CounterLoads({})
        self._curves: dict[str, deque[float]] = defaultdict(partial(deque, maxlen=_MOST_VALUES))
        #: Nodes with a pending request.
        self._pending: set[str] = set()
        self._resting: tuple[Key | None, float] = (None, 0.0)
        self._shown: Key | None = None
        self._shown_s = self._requested_s = self._extended_s = 0.0

    def begin(self, topology: Topology) -> None:
        """A lab of this topology begins."""
        self._topology = topology = resolved(topology)
        self._ends = {node.name: [] for node in topology.nodes}
        for link in topology.links:
            for near_end, far_end in ((link.a, link.b), (link.b, link.a)):
                self._ends.setdefault(near_end.node, []).append((link, near_end, far_end))
        self._requested_s = 0.0
        self._pending.clear()
        self._curves.clear()
        self.follow()
        if not self.panel.winfo_manager():
            self.panel.pack(side="bottom", fill="x", before=self._properties.body)

    def follow(self) -> None:
        """Use the current values of the links of the lab."""
        infos = queues(self._lab.topology)
        self._counters = CounterLoads({
            (near_end.node, near_end.interface): infos[name]
            for several in self._ends.values() for link, near_end, _ in several
            if (name := direction_name(link, near_end)) in infos
        })  # fmt: skip

    def end(self) -> None:
        """The lab has ended: hide the panel."""
        self.panel.pack_forget()

    def refresh(self) -> None:
        """Show the current state, at a limited rate."""
        moment = time.monotonic()
        key = self._subject(moment)
        is_other = key != self._shown
        if not self.panel.winfo_manager() or (moment - self._shown_s < _SHOW_S and not is_other):
            return
        self._shown, self._shown_s = key, moment
        if is_other:
            self._requested_s = 0.0
        self._ask(key, moment)
        self._extend_curves(moment)
        self.panel.show(*self._lines_about(key))

    def _subject(self, moment: float) -> Key | None:
        """The object under the pointer, else the selected object if only one is selected."""
        under = self._view.hover.key
        if self._resting[0] != under:
            self._resting = under, moment
        if under is not None and moment - self._resting[1] >= _REST_S and self._is_known(under):
            return under
        selected = [key for key in self._view.selection if self._is_known(key)]
        return selected[0] if len(selected) == 1 else None

    def _is_known(self, key: Key) -> bool:
        return key.name in self._display.nodes or key.name in self._display.links or (
            key.kind == "flow" and key.name in self._live.run.flows
        )  # fmt: skip

    # --- requests ---

    @property
    def _is_sampled(self) -> bool:
        return bool(self._live.loads.now)

    def _ask(self, key: Key | None, moment: float) -> None:
        """Request the state that the panel shows, unless samples contain it or the lab accepts no requests."""
        lab = self._lab
        if key is None or not lab.is_open or moment - self._requested_s < _ASK_S:
            return
        self._requested_s = moment
        if not self._is_sampled:
            for node in self._nodes_of(key) - self._pending:
                self._pending.add(node)
                reading = lab.session.ask(partial(requests.counters, node=node))
                reading.then(partial(self._add_counters, node), partial(self._counters_failed, node))
        router = self._topology.node(key.name) if key.kind == "node" else None
        if router is not None and router.name in self._routing.book.routers:
            book, since = self._routing.book, self._routing.book.revision

            def take(table: dict[TableRow, TableRoute]) -> None:
                book.fill(router.name, table, since)

            lab.session.ask(partial(routing.table, router=router.name)).then(take, ignore)

    def _nodes_of(self, key: Key) -> set[str]:
        link = self._topology.link(key.name) if key.kind == "link" else None
        return {link.a.node, link.b.node} if link is not None else {key.name} if key.kind == "node" else set()

    def _counters_failed(self, node: str, error: str) -> None:
        self._pending.discard(node)

    def _add_counters(self, node: str, counters: dict[str, InterfaceCounters]) -> None:
        self._pending.discard(node)
        self._counters.take(node, counters)
        for link, near_end, _ in self._ends.get(node, ()):
            load = self._counters.sent(node, near_end.interface)
            if load is not None:
                self._curves[direction_name(link, near_end)].append(load.rate_mbit)

    def _extend_curves(self, moment: float) -> None:
        """While samples arrive, extend the curves of all directions."""
        if self._is_sampled and moment - self._extended_s >= _SHOW_S:
            self._extended_s = moment
            for name, load in self._live.loads.now.items():
                self._curves[name].append(load.rate_mbit)

    # --- lines ---

    def _lines_about(self, key: Key | None) -> tuple[str, list[StateLine]]:
        lab = self._lab
        if key is None:
            return "The lab now", self._of_lab()
        if key.kind == "link" and (link := self._topology.link(key.name)) is not None:
            return f"{lab.link_title(link.id)} now", self._of_link(link)
        if key.kind == "flow":
            live = self._live.run
            return f"{key.name} now", now.flow_lines(live.flows[key.name], live.newest_s, is_over=live.is_over)
        return f"{key.name} now", self._of_node(key.name)

    def _load(self, link: Link, sender: End) -> LinkLoad | None:
        name = direction_name(link, sender)
        return self._live.loads.now.get(name) if self._is_sampled else self._counters.sent(
            sender.node, sender.interface
        )  # fmt: skip

    def _of_link(self, link: Link) -> list[StateLine]:
        state, reason = self._display.state_of_link(link.id)
        lines = [StateLine("State", f"{state}: {reason}" if reason else state, _GRADES.get(state, "down"))]
        for sender, receiver in ((link.a, link.b), (link.b, link.a)):
            curve = self._curves[direction_name(link, sender)]
            lines += now.direction_lines(f"{sender.node} → {receiver.node}", self._load(link, sender), curve)
        return lines + self._sessions(link.id, is_link=True)

    def _of_node(self, name: str) -> list[StateLine]:
        event = self._display.nodes.get(name)
        state, reason = (event.state, event.reason.partition("\n")[0]) if event is not None else ("…", "")
        lines = [StateLine("State", f"{state}: {reason}" if reason else state, _GRADES.get(state, "down"))]
        for link, near_end, far_end in self._ends.get(name, ()):
            if self._is_sampled:
                incoming = self._live.loads.now.get(direction_name(link, far_end))
                received = incoming.rate_mbit if incoming is not None else None
            else:
                received = self._counters.received_mbit(near_end.node, near_end.interface)
            curve = self._curves[direction_name(link, near_end)]
            lines.append(now.interface_line(f"to {far_end.node}", self._load(link, near_end), received, curve))
        lines += self._sessions(name, is_link=False)
        book = self._routing.book
        if name in book.routers:
            rows = {row: cell.route for row in book.rows() if (cell := book.cell(name, row)).route is not None
                    and cell.change != "gone" and row.table == MAIN_TABLE}  # fmt: skip
            lines += now.route_lines({row: route for row, route in rows.items() if route is not None}, _MOST_ROUTES)
        return lines

    def _sessions(self, name: str, *, is_link: bool) -> list[StateLine]:
        routing = self._routing
        adjacencies = routing.adjacencies.of_link(name) if is_link else routing.adjacencies.of_router(name)
        lines = [
            now.adjacency_line(adjacency, age_text(routing.age_s(adjacency.time_s)), both_ends=is_link)
            for adjacency in adjacencies
        ]
        remainder = [StateLine("", f"and {len(lines) - _MOST_SESSIONS} more")] if len(lines) > _MOST_SESSIONS else []
        return lines[:_MOST_SESSIONS] + remainder

    def _of_lab(self) -> list[StateLine]:
        lab = self._lab
        if lab.state is LabState.STARTING:
            return [StateLine("", "starting …")]
        nodes = {name: event.state for name, event in self._display.nodes.items()}
        titles = {direction_name(link, sender): f"{sender.node} → {receiver.node}"
                  for several in self._ends.values() for link, sender, receiver in several}  # fmt: skip
        loads = ((titles[name], load) for name, load in self._live.loads.now.items() if name in titles)
        hint = [StateLine("", ""), StateLine("Point at a node or a link.", "")]
        return now.lab_lines(nodes, self._routing.adjacencies.totals(), loads) + hint
