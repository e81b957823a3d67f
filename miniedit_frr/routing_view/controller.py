"""The routing of the running lab: what it tells goes into the models, and from there to the canvas and the windows."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from frrlib.addressing.resolved import resolved
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from frrlib.prediction.adjacency import Adjacency as Expected
from miniedit_frr.canvas.routing_signs import Sign
from miniedit_frr.editor.parts import Parts
from miniedit_frr.live.adjacencies import EndAdjacency, LiveAdjacencies
from miniedit_frr.live.messages import MAIN_TABLE, AdjacencyState, Incident, RouteChange, protocol_title
from miniedit_frr.live.route_book import RouteBook, TableRoute, TableRow
from miniedit_frr.live.timeline import RoutingTimeline
from miniedit_frr.routing_view.legend import RoutingLegend
from miniedit_frr.routing_view.rows import age_text, neighbor_line
from miniedit_frr.running_lab.lab import LiveLab
from miniedit_frr.session import routing as session_routing
from miniedit_frr.session.pending import ignore

#: Texts along links look for other places no oftener than this.
_SETTLE_S = 0.4
#: While a large network converges there is news all the time; it is shown no oftener than this.
_SHOW_S = 0.1
#: A text beside the pointer has daemons asked for their timers no oftener than this, and tells none that are older.
_LOOK_S, _STALE_S = 1.0, 3.0
#: How many neighbours a text beside the pointer tells of.
_MOST_LINES = 14


class RoutingController:
    """The present routing of the lab, as far as it is known, and who shows it.

    Attributes:
        adjacencies, book, timeline: the models. They stay to be read when the lab has ended.
        listeners: called after every poll in which something has changed.
        topology: the lab's, with all names and addresses.
    """

    def __init__(self, parts: Parts, lab: LiveLab) -> None:
        self._parts, self._lab = parts, lab
        self.topology = Topology()
        #: Address to the node that has it.
        self._owners: dict[str, str] = {}
        self.adjacencies, self.book, self.timeline = LiveAdjacencies(), RouteBook(), RoutingTimeline()
        self.listeners: list[Callable[[], object]] = []
        self.legend = RoutingLegend(parts.view, parts.theme)
        self.zero_s = 0.0
        self._ahead_s: float | None = None
        self._has_news = self._is_new_state = False
        self._boxes: list[object] = []
        #: When a router's daemons were last asked, and when a neighbour was last listed with its timers.
        self._asked_s: dict[str, float] = {}
        self._listed_s: dict[tuple[str, ...], float] = {}
        #: What else is to be seen at nodes.
        self._pointed_out: dict[Key, Sign] = {}
        self._settled_s = self._shown_s = 0.0

    # --- what is told ---

    def begin(self, topology: Topology) -> None:
        """A lab of this drawing begins."""
        self.topology = resolved(topology)
        self._owners = {str(a.ip): end.node for link in self.topology.links for end in link.ends for a in end.addresses}
        routers = [router.name for router in topology.routers]
        self.adjacencies, self.book, self.timeline = (
            LiveAdjacencies(self.topology),
            RouteBook(routers),
            RoutingTimeline(),
        )
        self._asked_s, self._listed_s = {}, {}
        self._ahead_s, self.zero_s, self._has_news, self._is_new_state = None, 0.0, True, True

    def run(self) -> None:
        """The lab is up: from now on it tells how its neighbours are."""
        if any(router.runs_frr for router in self.topology.routers):
            self._lab.session.ask(session_routing.watch).then(self._watched)
            self._lab.session.ask(session_routing.expected).then(self._await)

    def _await(self, expected: tuple[Expected, ...]) -> None:
        self.adjacencies.expect(expected, time.monotonic() - (self._ahead_s or 0.0))
        self._is_new_state = self._has_news = True

    def _watched(self, nothing: None) -> None:
        """The lab watches its neighbours; what they are now may not have been told to this window."""
        self._lab.session.ask(session_routing.neighbors).then(self._listed, ignore)

    def _listed(self, neighbors: list[AdjacencyState]) -> None:
        for told in neighbors:
            self.detail(told)

    def adjacency(self, told: AdjacencyState) -> None:
        """A neighbour has changed its state."""
        self._clock(told.time_s)
        self._listed_s.pop(told.key, None)
        self.timeline.adjacency(told)
        self._is_new_state |= self.adjacencies.take(told)
        self._has_news = True

    def detail(self, told: AdjacencyState) -> None:
        """A neighbour is listed as it is, with its timers; since when that is so is known from before."""
        before = self.adjacencies.previous(told)
        if before is None or before.state != told.state:
            self.adjacency(told)
        else:
            self.adjacencies.take(replace(told, time_s=before.time_s))
            self._has_news = True
        self._listed_s[told.key] = time.monotonic()

    def route(self, told: RouteChange) -> None:
        """A route has changed."""
        self._clock(told.time_s)
        was_there = self.book.cell(told.router, TableRow(told.prefix, told.table)).route is not None
        self.timeline.route(told, was_there)
        self.book.take(told)
        self._has_news = True

    def incident(self, told: Incident) -> None:
        """A fault, a daemon that died, a daemon's note."""
        self._clock(told.time_s)
        self.timeline.incident(told)
        self._has_news = True

    def end(self) -> None:
        """The lab has ended: nothing of it stays on the drawing."""
        self.adjacencies = LiveAdjacencies(self.topology)
        self._has_news = True
        self.show()

    def _clock(self, time_s: float) -> None:
        """How far the lab's clock is behind ours; what comes late makes it seem farther, so the nearest counts."""
        behind = time.monotonic() - time_s
        self.zero_s = time_s if self._ahead_s is None else min(self.zero_s, time_s)
        self._ahead_s = behind if self._ahead_s is None else min(self._ahead_s, behind)

    def age_s(self, time_s: float) -> float:
        """How long ago a moment of the lab's clock was, in seconds."""
        return max(0.0, time.monotonic() - time_s - (self._ahead_s or 0.0))

    # --- what is shown ---

    @property
    def is_shown(self) -> bool:
        """Whether the drawing shows the routing's state."""
        return self._parts.settings.labels.routing

    def refresh(self) -> None:
        """Show what has changed since the last call, all at once."""
        now = time.monotonic()
        if self._is_new_state and now - self._shown_s >= _SHOW_S:
            self._is_new_state, self._shown_s = False, now
            self.show()
        self._settle()
        if self._has_news:
            self._has_news = False
            for listener in list(self.listeners):
                listener()

    def point_out(self, signs: dict[Key, Sign]) -> None:
        """Put these signs at nodes, and no others, beside those that count neighbours."""
        if signs != self._pointed_out:
            self._pointed_out = signs
            self.show()

    def show(self) -> None:
        """Put the signs on the drawing, or take them away."""
        view = self._parts.view
        nodes = {key: (sign,) for key, sign in self._pointed_out.items()}
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

    def _settle(self) -> None:
        """Texts along links make room for signs, but not at every word."""
        now = time.monotonic()
        if now - self._settled_s < _SETTLE_S:
            return
        self._settled_s = now
        view = self._parts.view
        boxes: list[object] = list(view.routing.taken())
        if boxes != self._boxes:
            self._boxes = boxes
            view.place_texts()

    def text_of(self, key: Key) -> str:
        """The text of the tip on the neighbours of a router, or over a link."""
        if not self.is_shown:
            return ""
        found = self.adjacencies.of_router(key.name) if key.kind == "node" else self.adjacencies.of_link(key.name)
        self._look({each.router for each in found})
        lines = [
            neighbor_line(self._fresh(each), age_text(self.age_s(each.time_s)), key.kind == "link") for each in found
        ]
        if len(lines) > _MOST_LINES:
            lines = [*lines[:_MOST_LINES], f"… and {len(lines) - _MOST_LINES} more"]
        return "\n".join(lines)

    def _look(self, routers: set[str]) -> None:
        """Have daemons asked for the timers of their neighbours, if that was not just done."""
        now = time.monotonic()
        due = [name for name in routers if now - self._asked_s.get(name, -_LOOK_S) >= _LOOK_S]
        if due:
            self._asked_s |= dict.fromkeys(due, now)
            self._lab.session.ask(partial(session_routing.neighbors, routers=due)).then(self._listed, ignore)

    def _fresh(self, told: AdjacencyState) -> AdjacencyState:
        """A neighbour without timers that have run on since."""
        listed_s = self._listed_s.get(told.key)
        is_old = listed_s is not None and time.monotonic() - listed_s > _STALE_S
        return replace(told, detail="") if is_old else told

    # --- tables ---

    def read_tables(self, done: Callable[[str], object]) -> None:
        """Read all routers' tables from their kernels; `done` is called at the end, with why it could not be done."""

        book, since = self.book, self.book.revision

        def take(tables: dict[str, dict[TableRow, TableRoute]]) -> None:
            for router, table in tables.items():
                book.fill(router, table, since)
            self._has_news = True
            self.refresh()
            done("")

        self._lab.session.ask(session_routing.tables).then(take, done)

    def table_title(self, table: int) -> str:
        """The name of a kernel's table: the VRF that it belongs to; empty for the main one."""
        if table == MAIN_TABLE:
            return ""
        names = {vrf.name for router in self.topology.routers for vrf in router.vrfs if vrf.table == table}
        return f"VRF {'/'.join(sorted(names))}" if names else f"table {table}"

    def title(self, where: str) -> str:
        """The name of a node or link: a link by its ends."""
        found = self.topology.link(where)
        return f"{found.a.node} to {found.b.node}" if found else where

    def owner(self, address: str) -> str:
        """The node that has an address; empty where it is not in the drawing."""
        return self._owners.get(address, "")


def signs_of(listed: tuple[EndAdjacency, ...]) -> tuple[Sign, ...]:
    """The signs for what a router says over a link: what is up in one, the rest each by itself, with the VRF."""
    up = [each for each in listed if each.grade == "up"]
    alone = [each for each in listed if each not in up or len(up) == 1]
    signs = [Sign(f"{_vrf(each)}{protocol_title(each.protocol)} {each.state}", each.grade) for each in alone]
    if len(up) > 1:
        signs.append(Sign(_vrf(up[0]) + " · ".join(protocol_title(each.protocol) for each in up), "up"))
    return tuple(sorted(signs, key=lambda sign: sign.grade == "up"))


def _vrf(told: EndAdjacency) -> str:
    return f"{told.vrf}: " if told.vrf else ""
