"""The neighbors of all routing daemons, from their logs, which costs nothing, and from queries while a caller waits."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from frrlib import wire
from frrlib.agent.frr.daemons import Frr
from frrlib.agent.routing import bfd_events, log_events, neighbors
from frrlib.agent.routing.bfd_events import BfdListener
from frrlib.agent.routing.log_tail import LogTail
from frrlib.agent.routing.neighbors import Neighbor
from frrlib.errors import CommandFailed
from frrlib.wire.plan import Plan

#: Daemons that do not log every change. They are queried after another change at their router.
_SILENT = ("ospf6", "bfd", "ldp")
_CHECK_DELAY_S = 0.1
_QUERY_TIMEOUT_S = 2.0
#: A neighbor loss that a daemon logs within this time after BFD lost the neighbor is a consequence of that; and the
#: longest delay of bfdd's own event.
_BFD_BEFORE_S = 1.0
_BFD_LATE_S = 0.05
_DEAD = "dead timer expired"

ReportEvent = Callable[[wire.AdjacencyEvent | wire.RoutingNote], None]


class NodeNames:
    """Resolves the names that daemons use for a node: address, router id, system id, host name, or the far end of a
    link."""

    def __init__(self, plan: Plan) -> None:
        self._nodes = {node.name: node.name for node in plan.nodes}
        routers = {node.name for node in plan.nodes if node.frr is not None}
        self._opposite: dict[tuple[str, str], str] = {}
        for link in plan.links:
            for end, far_end in ((link.a, link.b), (link.b, link.a)):
                if far_end.node in routers:
                    self._opposite[end.node, end.name] = far_end.node
                self._nodes.update((address.partition("/")[0], end.node) for address in end.addresses)
        for node in plan.nodes:
            self._nodes.update((address.partition("/")[0], node.name) for address in node.loopbacks)
            text = "\n".join(node.frr.files.values()) if node.frr is not None else ""
            self._nodes.update((router_id, node.name) for router_id in re.findall(r"router-id ([\d.]+)", text))
            systems = re.findall(r"^ *net \S*?((?:[0-9a-fA-F]{4}\.){3})00$", text, re.MULTILINE)
            self._nodes.update((system.rstrip("."), node.name) for system in systems)

    def node(self, router: str, names: Iterable[str], interface: str) -> str:
        """The node that has one of these names, else the node at the other end of the link; empty if neither is
        known."""
        node = next((self._nodes[word] for word in names if word in self._nodes), "")
        return node or self._opposite.get((router, interface), "")


class _Key(NamedTuple):
    """The identity of a neighbor; its state may change."""

    router: str
    protocol: str
    vrf: str
    interface: str
    name: str


class AdjacencyMonitor:
    """The known state of all neighbors.

    Args:
        routers: FRR of each router, by name.
        plan: plan of the lab, which gives the neighbors' names.
        news: condition that is notified of every change; its lock guards the known neighbors.
        report: called with every change, from threads of this object.
    """

    def __init__(self, routers: Mapping[str, Frr], plan: Plan, news: threading.Condition, report: ReportEvent) -> None:
        self._routers, self._report, self._news = dict(routers), report, news
        self.names = NodeNames(plan)
        self._neighbors: dict[_Key, wire.AdjacencyEvent] = {}
        #: The last complaint about a neighbor: its time and text, by (router, protocol, interface or address).
        self._notes: dict[tuple[str, str, str], tuple[float, str]] = {}
        #: Called with router, protocol, event and time when a daemon logs a computation of shortest paths.
        self.on_spf: Callable[[str, str, log_events.SpfRun | log_events.SpfReason, float], None] = lambda *_: None
        #: When a neighbor last came up or was lost, on the monotonic clock.
        self.changed_s = 0.0
        #: The number of changes, including those between states of being down.
        self.changes = 0
        self._checks_due: dict[str, float] = {}
        #: When the daemon of a protocol ended, by router and protocol.
        self._lost_s: dict[tuple[str, str], float] = {}
        self._wake = threading.Event()
        self._watch_hz = 0.0
        self._closed = False
        self._tail, self._bfd = LogTail(self._handle_line), BfdListener(self._handle_bfd)
        threading.Thread(target=self._query_loop, name="adjacencies", daemon=True).start()

    def follow(self) -> None:
        """Follow the logs of all running daemons, from their first line. Call it when they have started."""
        for router in self._routers:
            self._follow(router)

    def add_router(self, router: str, frr: Frr) -> None:
        """Watch a further router, whose daemons run, or the further daemons of a router."""
        self._routers = {**self._routers, router: frr}
        self._follow(router)

    def remove_router(self, router: str) -> None:
        """Remove a router with its neighbors."""
        for daemon in neighbors.PROTOCOLS:
            self.remove_daemon(router, daemon)
        self._routers = {name: frr for name, frr in self._routers.items() if name != router}
        with self._news:
            self._lost_s = {key: time_s for key, time_s in self._lost_s.items() if key[0] != router}

    def _follow(self, router: str) -> None:
        frr = self._routers[router]
        for daemon in frr.running():
            if daemon in neighbors.PROTOCOLS:
                self._tail.follow(router, daemon, frr.log_path(daemon))

    def close(self) -> None:
        """Report nothing more."""
        self._closed = True
        self._tail.close()
        self._bfd.close()
        self._wake.set()

    def remove_daemon(self, router: str, daemon: str) -> None:
        """Remove the neighbors of a daemon that has ended."""
        if daemon in neighbors.PROTOCOLS:
            protocol, now = neighbors.PROTOCOLS[daemon], time.monotonic()
            with self._news:
                self._lost_s[router, protocol] = now
            self._compare(router, protocol, [], now)

    def runs_protocol(self, router: str, protocol: str) -> bool:
        """Whether a router runs the daemon of a protocol."""
        return router in self._routers and neighbors.DAEMONS[protocol] in self._routers[router].running()

    def neighbors(self) -> list[wire.AdjacencyEvent]:
        """All neighbors in the latest known state."""
        with self._news:
            return list(self._neighbors.values())

    def last_note(self, router: str, protocol: str, places: Sequence[str], since_s: float = 0.0) -> str:
        """The last complaint in a daemon's log about a neighbor at an interface or address; empty if there is none."""
        with self._news:
            notes = [self._notes.get((router, protocol, place), (0.0, "")) for place in places]
        return max((note for note in notes if note[0] >= since_s), default=(0.0, ""))[1]

    def ask(self, router: str, protocol: str) -> list[Neighbor]:
        """Query a daemon for its neighbors and report changes. An empty list if it does not answer."""
        command = neighbors.COMMANDS[protocol]
        asked_s = time.monotonic()
        reply = self.query(router, protocol, command)
        current = neighbors.parse(protocol, reply) if reply is not None else []
        if reply is None and self.runs_protocol(router, protocol):
            return []  # it is busy or stopped, so its neighbors are unknown
        if protocol == "bfd" and reply is not None:
            self._bfd.listen(router, self._routers[router].socket_path("bfdd.sock"))
        self._compare(router, protocol, current, asked_s)
        return current

    def is_router(self, name: str) -> bool:
        """Whether a node of this name runs FRR."""
        return name in self._routers

    def query(self, router: str, protocol: str, command: str) -> str | None:
        """A daemon's reply to a command; None if it does not answer."""
        if router not in self._routers:
            return None
        try:
            return self._routers[router].ask(neighbors.DAEMONS[protocol], command, _QUERY_TIMEOUT_S)
        except (OSError, CommandFailed):
            return None

    def ask_all(self, routers: Sequence[str] = ()) -> list[wire.AdjacencyEvent]:
        """Query all daemons of these routers (of all routers if no names are given) and return their neighbors."""
        names = [name for name in routers if name in self._routers] or list(self._routers)
        for router in names:
            for protocol in neighbors.DAEMONS:
                if self.runs_protocol(router, protocol):
                    self.ask(router, protocol)
        return [event for event in self.neighbors() if event.router in names]

    def watch(self, hz: float) -> None:
        """Query all daemons at this rate from now on; 0 stops it."""
        self._watch_hz = hz
        self._wake.set()

    def schedule_check(self, router: str) -> None:
        """Query the daemons that log no changes soon, since something changed at their router."""
        if any(self.runs_protocol(router, protocol) for protocol in _SILENT):
            self._checks_due.setdefault(router, time.monotonic() + _CHECK_DELAY_S)
            self._wake.set()

    # --- details ------------------------------------------------------------------------------------------------------

    def _query_loop(self) -> None:
        asked_s = 0.0
        while not self._closed:
            now = time.monotonic()
            due = [self._checks_due[router] for router in tuple(self._checks_due)]
            due += [asked_s + 1 / self._watch_hz] if self._watch_hz else []
            self._wake.wait(max(0.0, min(due) - now) if due else None)
            self._wake.clear()
            now = time.monotonic()
            for router in [router for router, at_s in tuple(self._checks_due.items()) if at_s <= now]:
                del self._checks_due[router]
                for protocol in _SILENT:
                    if self.runs_protocol(router, protocol):
                        self.ask(router, protocol)
            if self._watch_hz and now >= asked_s + 1 / self._watch_hz and not self._closed:
                self.ask_all()
                asked_s = time.monotonic()  # queries of a slow lab are less frequent, but never without a pause

    def _handle_line(self, router: str, daemon: str, line: str, seen_s: float) -> None:
        """Handle a line of a log. Its own time is used if that is precise enough, else the time at which it was
        read."""
        event = log_events.parse(line)
        if event is None:
            return
        protocol, stamp = neighbors.PROTOCOLS[daemon], log_events.timestamp(line)
        wall_s = seen_s
        if stamp is not None:
            wall_s = stamp[0] if stamp[1] else min(max(seen_s, stamp[0]), stamp[0] + 1)
        time_s = time.monotonic() - (time.time() - wall_s)
        match event:
            case log_events.DaemonRestart():
                self._compare(router, protocol, [], time_s)
            case log_events.SpfRun() | log_events.SpfReason():
                self.on_spf(router, protocol, event, time_s)
            case log_events.LogNote(kind, text, place):
                self._add_note(router, protocol, kind, text, place, time_s)
            case log_events.NeighborChange():
                if event.reason == _DEAD and self._bfd_has_lost(router, event.interface, time_s):
                    event = event._replace(reason="BFD session went down")
                up = event.state == neighbors.UP[protocol]
                neighbor = Neighbor(
                    event.name, event.interface, event.address, event.state, up, event.reason, event.vrf
                )
                if event.reason:
                    kind = "timer" if "expired" in event.reason else "down"
                    self._add_note(router, protocol, kind, event.reason, event.interface or event.address, time_s)
                self._enter(router, protocol, [neighbor], time_s)
                self.schedule_check(router)

    def _handle_bfd(self, router: str, session: bfd_events.SessionState, time_s: float) -> None:
        if session.state == neighbors.UP["bfd"]:
            self.schedule_check(router)  # a query also gives its timers
            return
        name = f"{session.peer} multihop" if session.multihop else session.peer
        self._enter(
            router,
            "bfd",
            [Neighbor(name, session.interface, session.peer, session.state, False, session.reason, session.vrf)],
            time_s,
        )

    def _bfd_has_lost(self, router: str, interface: str, time_s: float) -> bool:
        """Whether BFD has just lost a neighbor at an interface.

        OSPF logs that as an expiry of its own timer, possibly before bfdd's event arrives.
        """
        deadline_s = time.monotonic() + _BFD_LATE_S
        while True:
            self._bfd.catch_up(router, time_s)
            with self._news:
                place = (router, "bfd", interface)
                sessions = [
                    session
                    for session in self._neighbors.values()
                    if (session.router, session.protocol, session.interface) == place
                ]
            if not all(session.up for session in sessions):
                return any(not session.up and abs(time_s - session.time_s) < _BFD_BEFORE_S for session in sessions)
            if not sessions or time.monotonic() >= deadline_s:
                return False
            time.sleep(_BFD_LATE_S / 10)

    def _add_note(self, router: str, protocol: str, kind: str, text: str, place: str, time_s: float) -> None:
        with self._news:
            previous = self._notes.get((router, protocol, place), (0.0, ""))[1]
            self._notes[router, protocol, place] = (time_s, text)
        # Daemons repeat such lines with every hello.
        if (kind != "refused" or previous != text) and not self._closed:
            at = f" ({place})" if place else ""
            self._report(wire.RoutingNote(router, protocol, kind, f"{text}{at}", round(time_s, 6)))

    def _compare(self, router: str, protocol: str, current: Sequence[Neighbor], time_s: float) -> None:
        """Enter all neighbors of a daemon, and remove those that it no longer lists."""
        keys = {self._key(router, protocol, neighbor) for neighbor in current}
        with self._news:
            lost_keys = [key for key in self._neighbors if key[:2] == (router, protocol) and key not in keys]
        self._enter(router, protocol, current, time_s, lost_keys)

    def _enter(
        self, router: str, protocol: str, current: Sequence[Neighbor], time_s: float, lost_keys: Sequence[_Key] = ()
    ) -> None:
        changed: list[tuple[wire.AdjacencyEvent | None, wire.AdjacencyEvent]] = []
        with self._news:
            if time_s < self._lost_s.get((router, protocol), time_s):
                return  # the end of a log, or a reply, of a daemon that has ended since
            lost = {key: self._neighbors.pop(key, None) for key in lost_keys}
            for neighbor in current:
                key, event = self._key(router, protocol, neighbor), self._event(router, protocol, neighbor, time_s)
                previous = self._neighbors.pop(key, None)
                if neighbor.state == "gone":
                    lost[key] = previous
                    continue
                if previous is not None and (previous.state, previous.up) == (event.state, event.up):
                    self._neighbors[key] = replace(event, time_s=previous.time_s)
                else:
                    self._neighbors[key] = event
                    changed.append((previous, event))
            for event in filter(None, lost.values()):
                # IS-IS may have an adjacency at each level; the event says which one is gone.
                detail = event.detail.partition(",")[0] if protocol == "isis" else ""
                loss = replace(event, state="gone", up=False, detail=detail, time_s=round(time_s, 6))
                changed.append((event, loss))
            if any((previous is not None and previous.up) != event.up for previous, event in changed):
                self.changed_s = max(self.changed_s, time_s)
            if changed:
                self.changes += len(changed)
                self._news.notify_all()
        for _, event in changed:
            if not self._closed:
                self._report(event)

    def _key(self, router: str, protocol: str, neighbor: Neighbor) -> _Key:
        name = neighbor.name
        if protocol == "isis":  # its name is the system id until its host name is known
            node = self.names.node(router, [neighbor.address], "") or neighbor.address
            name = f"{node}{neighbor.name[len(neighbor.address) :]}"
        return _Key(router, protocol, neighbor.vrf, neighbor.interface, name)

    def _event(self, router: str, protocol: str, neighbor: Neighbor, time_s: float) -> wire.AdjacencyEvent:
        words = [*neighbor.address.split(), *neighbor.name.split()]
        level = neighbor.name[len(neighbor.address) :].strip() if protocol == "isis" else ""
        return wire.AdjacencyEvent(
            router=router,
            protocol=protocol,
            neighbor=self.names.node(router, words, neighbor.interface) or (words[-1] if words else neighbor.interface),
            state=neighbor.state,
            up=neighbor.up,
            time_s=round(time_s, 6),
            interface=neighbor.interface,
            address=neighbor.address,
            detail=neighbor.detail or level,
            vrf=neighbor.vrf,
        )
