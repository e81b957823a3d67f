"""The routing of the running lab: its events go into the models, and from there to the canvas and the windows."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from frrlib.addressing.resolved import resolved
from frrlib.model.topology import Topology
from frrlib.picture.labels import Labels
from frrlib.picture.scene import Key
from frrlib.prediction.adjacency import Adjacency as Expected
from miniedit_frr.canvas.routing_signs import Sign
from miniedit_frr.canvas.view import View
from miniedit_frr.live.adjacencies import EndAdjacency, LiveAdjacencies
from miniedit_frr.live.messages import MAIN_TABLE, AdjacencyState, Incident, RouteChange, protocol_title
from miniedit_frr.live.route_book import RouteBook, TableRoute, TableRow
from miniedit_frr.live.timeline import RoutingTimeline
from miniedit_frr.routing_view.legend import RoutingLegend
from miniedit_frr.routing_view.rows import age_text, neighbor_line
from miniedit_frr.running_lab.lab import LiveLab, link_title
from miniedit_frr.session import routing as session_routing
from miniedit_frr.session.pending import ignore

#: Minimum time between two placements of texts along links.
_SETTLE_S = 0.4
#: Minimum time between two updates of the canvas, since a large network that converges changes all the time.
_SHOW_S = 0.1
#: Minimum time between two requests for the timers in a tip, and maximum age of timers in it.
_LOOK_S, _STALE_S = 1.0, 3.0
#: Maximum number of neighbors in a tip.
_MOST_LINES = 14


class RoutingController:
    """The known routing state of the lab, and its signs on the canvas.

    Attributes:
        adjacencies, book, timeline: the models. They stay readable after the end of the lab.
        listeners: called after every poll with changes.
        topology: the lab's topology, with all names and addresses.
    """

    def __init__(self, view: View, read_labels: Callable[[], Labels], lab: LiveLab) -> None:
        self._view, self._read_labels, self._lab = view, read_labels, lab
        self.topology = Topology()
        #: The node of each address.
        self._owners: dict[str, str] = {}
        self.adjacencies, self.book, self.timeline = LiveAdjacencies(), RouteBook(), RoutingTimeline()
        self.listeners: list[Callable[[], object]] = []
        self.legend = RoutingLegend(view, view.theme)
        self.zero_s = 0.0
        self._ahead_s: float | None = None
        self._has_changes = self._is_new_state = False
        self._boxes: list[object] = []
        #: The time of the last request to each router's daemons, and of the last list with each neighbor's timers.
        self._requested_s: dict[str, float] = {}
        self._listed_s: dict[tuple[str, ...], float] = {}
        #: Further signs at nodes.
        self._extra_signs: dict[Key, Sign] = {}
        self._settled_s = self._shown_s = 0.0

    # --- events ---

    def begin(self, topology: Topology) -> None:
        """A lab of this topology begins."""
        self._set_topology(topology)
        routers = [router.name for router in topology.routers]
        self.adjacencies, self.book, self.timeline = (
            LiveAdjacencies(self.topology),
            RouteBook(routers),
            RoutingTimeline(),
        )
        self._requested_s, self._listed_s = {}, {}
        self._ahead_s, self.zero_s, self._has_changes, self._is_new_state = None, 0.0, True, True

    def _set_topology(self, topology: Topology) -> None:
        self.topology = resolved(topology)
        self._owners = {str(a.ip): end.node for link in self.topology.links for end in link.ends for a in end.addresses}

    def adopt(self, topology: Topology) -> None:
        """The running lab was changed into the lab of this topology: read the neighbors again. The timeline remains."""
        self._set_topology(topology)
        self.book.follow(router.name for router in topology.routers)
        self._lab.session.ask(session_routing.watch).then(ignore, ignore)
        self._lab.session.ask(session_routing.neighbors).then(self._replace_neighbors, ignore)

    def _replace_neighbors(self, neighbors: list[AdjacencyState]) -> None:
        """These are all neighbors in a changed lab. The times of their last changes are known from earlier events."""
        earlier, self.adjacencies = self.adjacencies, LiveAdjacencies(self.topology)
        for neighbor in neighbors:
            previous = earlier.previous(neighbor)
            is_same = previous is not None and previous.state == neighbor.state
            self.adjacencies.take(replace(neighbor, time_s=previous.time_s) if previous and is_same else neighbor)
        self._is_new_state = self._has_changes = True
        self._lab.session.ask(session_routing.expected).then(self._expect, ignore)

    def watch(self) -> None:
        """The lab is up: start to watch its neighbors."""
        if any(router.runs_frr for router in self.topology.routers):
            self._lab.session.ask(session_routing.watch).then(self._request_neighbors)
            self._lab.session.ask(session_routing.expected).then(self._expect)

    def _expect(self, expected: tuple[Expected, ...]) -> None:
        self.adjacencies.expect(expected, time.monotonic() - (self._ahead_s or 0.0))
        self._is_new_state = self._has_changes = True

    def _request_neighbors(self, nothing: None) -> None:
        """The lab watches its neighbors: request their current states, which this window may not have received."""
        self._lab.session.ask(session_routing.neighbors).then(self._update_neighbors, ignore)

    def _update_neighbors(self, neighbors: list[AdjacencyState]) -> None:
        for neighbor in neighbors:
            self.update_adjacency(neighbor)

    def add_adjacency(self, adjacency: AdjacencyState) -> None:
        """Handle a change of a neighbor's state."""
        self._clock(adjacency.time_s)
        self._listed_s.pop(adjacency.key, None)
        self.timeline.adjacency(adjacency)
        self._is_new_state |= self.adjacencies.take(adjacency)
        self._has_changes = True

    def update_adjacency(self, adjacency: AdjacencyState) -> None:
        """Handle a listed neighbor with its timers. The time of its last change is known from earlier events."""
        previous = self.adjacencies.previous(adjacency)
        if previous is None or previous.state != adjacency.state:
            self.add_adjacency(adjacency)
        else:
            self.adjacencies.take(replace(adjacency, time_s=previous.time_s))
            self._has_changes = True
        self._listed_s[adjacency.key] = time.monotonic()

    def add_route_change(self, change: RouteChange) -> None:
        """Handle a change of a route."""
        self._clock(change.time_s)
        was_there = self.book.cell(change.router, TableRow(change.prefix, change.table)).route is not None
        self.timeline.route(change, was_there)
        self.book.take(change)
        self._has_changes = True

    def add_incident(self, incident: Incident) -> None:
        """Handle a fault, the death of a daemon, or a daemon's note."""
        self._clock(incident.time_s)
        self.timeline.incident(incident)
        self._has_changes = True

    def end(self) -> None:
        """The lab has ended: remove its signs from the canvas."""
        self.adjacencies = LiveAdjacencies(self.topology)
        self._has_changes = True
        self.show()

    def _clock(self, time_s: float) -> None:
        """Estimate the lag of the lab's clock. Late messages make it seem larger, so the minimum is used."""
        behind = time.monotonic() - time_s
        self.zero_s = time_s if self._ahead_s is None else min(self.zero_s, time_s)
        self._ahead_s = behind if self._ahead_s is None else min(self._ahead_s, behind)

    def age_s(self, time_s: float) -> float:
        """The age of a time on the lab's clock, in seconds."""
        return max(0.0, time.monotonic() - time_s - (self._ahead_s or 0.0))

    # --- display ---

    @property
    def is_shown(self) -> bool:
        """Whether the canvas shows the state of routing."""
        return self._read_labels().routing

    def refresh(self) -> None:
        """Show all changes since the last call."""
        now = time.monotonic()
        if self._is_new_state and now - self._shown_s >= _SHOW_S:
            self._is_new_state, self._shown_s = False, now
            self.show()
        self._place_texts()
        if self._has_changes:
            self._has_changes = False
            for listener in list(self.listeners):
                listener()

    def point_out(self, signs: dict[Key, Sign]) -> None:
        """Show exactly these signs at nodes, beside the numbers of neighbors."""
        if signs != self._extra_signs:
            self._extra_signs = signs
            self.show()

    def show(self) -> None:
        """Show the signs on the canvas, or remove them if they are switched off."""
        view = self._view
        nodes = {key: (sign,) for key, sign in self._extra_signs.items()}
        if not self.is_shown:
            view.routing.show({}, nodes)
            self.legend.show({})
            return
        links = {
            Key("link", link): {router: signs_of(listed) for router, listed in routers.items()}
            for link, routers in self.adjacencies.by_link().items()
        }
        for name, (up, all_, grade) in self.adjacencies.counts().items():
            key = Key("node", name)
            nodes[key] = (*nodes.get(key, ()), Sign(f"{up}/{all_}", grade))
        view.routing.show(links, nodes)
        totals = self.adjacencies.totals()
        self.legend.show({protocol_title(name): total for name, total in totals.items()})

    def _place_texts(self) -> None:
        """Move texts along links away from signs, at a limited rate."""
        now = time.monotonic()
        if now - self._settled_s < _SETTLE_S:
            return
        self._settled_s = now
        view = self._view
        boxes: list[object] = list(view.routing.occupied_boxes())
        if boxes != self._boxes:
            self._boxes = boxes
            view.place_texts()

    def text_of(self, key: Key) -> str:
        """The text of the tip about the neighbors of a router, or over a link."""
        if not self.is_shown:
            return ""
        adjacencies = self.adjacencies.of_router(key.name) if key.kind == "node" else self.adjacencies.of_link(key.name)
        self._request_timers({adjacency.router for adjacency in adjacencies})
        lines = [
            neighbor_line(
                self._without_old_timers(adjacency), age_text(self.age_s(adjacency.time_s)), key.kind == "link"
            )
            for adjacency in adjacencies
        ]
        if len(lines) > _MOST_LINES:
            lines = [*lines[:_MOST_LINES], f"… and {len(lines) - _MOST_LINES} more"]
        return "\n".join(lines)

    def _request_timers(self, routers: set[str]) -> None:
        """Request the timers of neighbors from daemons, at a limited rate."""
        now = time.monotonic()
        due = [name for name in routers if now - self._requested_s.get(name, -_LOOK_S) >= _LOOK_S]
        if due:
            self._requested_s |= dict.fromkeys(due, now)
            self._lab.session.ask(partial(session_routing.neighbors, routers=due)).then(self._update_neighbors, ignore)

    def _without_old_timers(self, adjacency: AdjacencyState) -> AdjacencyState:
        """A neighbor, without its timers if they are old."""
        listed_s = self._listed_s.get(adjacency.key)
        is_old = listed_s is not None and time.monotonic() - listed_s > _STALE_S
        return replace(adjacency, detail="") if is_old else adjacency

    # --- tables ---

    def read_tables(self, done: Callable[[str], object]) -> None:
        """Read the tables of all routers from their kernels; `done` is called at the end, with an error or an empty
        text."""

        book, since = self.book, self.book.revision

        def take(tables: dict[str, dict[TableRow, TableRoute]]) -> None:
            for router, table in tables.items():
                book.fill(router, table, since)
            self._has_changes = True
            self.refresh()
            done("")

        self._lab.session.ask(session_routing.tables).then(take, done)

    def table_title(self, table: int) -> str:
        """The name of a kernel table: its VRF; empty for the main table."""
        if table == MAIN_TABLE:
            return ""
        names = {vrf.name for router in self.topology.routers for vrf in router.vrfs if vrf.table == table}
        return f"VRF {'/'.join(sorted(names))}" if names else f"table {table}"

    def title(self, where: str) -> str:
        """The title of a node or link; that of a link names its nodes."""
        return link_title(self.topology, where)

    def owner(self, address: str) -> str:
        """The node of an address; empty if it is not in the topology."""
        return self._owners.get(address, "")


def signs_of(adjacencies: tuple[EndAdjacency, ...]) -> tuple[Sign, ...]:
    """The signs for a router's neighbors over a link: one for all that are up, and one for each other, with the VRF."""
    up = [adjacency for adjacency in adjacencies if adjacency.grade == "up"]
    single = [adjacency for adjacency in adjacencies if adjacency not in up or len(up) == 1]
    signs = [
        Sign(f"{_vrf(adjacency)}{protocol_title(adjacency.protocol)} {adjacency.state}", adjacency.grade)
        for adjacency in single
    ]
    if len(up) > 1:
        signs.append(Sign(_vrf(up[0]) + " · ".join(protocol_title(adjacency.protocol) for adjacency in up), "up"))
    return tuple(sorted(signs, key=lambda sign: sign.grade == "up"))


def _vrf(adjacency: EndAdjacency) -> str:
    return f"{adjacency.vrf}: " if adjacency.vrf else ""
