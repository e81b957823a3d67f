"""The neighbours of all routing daemons: from their logs, which costs nothing, and by asking, where somebody waits."""

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
from frrlib.agent.routing.bfd_events import BfdNews
from frrlib.agent.routing.log_tail import LogTail
from frrlib.agent.routing.neighbors import Neighbour
from frrlib.errors import CommandFailed
from frrlib.wire.plan import Plan

#: Daemons that do not log every change; they are asked after something else changed at their router.
_SILENT = ("ospf6", "bfd", "ldp")
_DOUBT_S = 0.1
_ASK_TIMEOUT_S = 2.0
#: What a daemon logs of a neighbour within so many seconds after BFD has lost it, it does because of that; and for how
#: long bfdd may keep the news to itself.
_BFD_BEFORE_S = 1.0
_BFD_LATE_S = 0.05
_DEAD = "dead timer expired"

Told = Callable[[wire.AdjacencyEvent | wire.RoutingNote], None]


class Names:
    """Which node a daemon means: by address, router id, system id, host name, or what is at a link's other end."""

    def __init__(self, plan: Plan) -> None:
        self._nodes = {node.name: node.name for node in plan.nodes}
        routers = {node.name for node in plan.nodes if node.frr is not None}
        self._opposite: dict[tuple[str, str], str] = {}
        for link in plan.links:
            for one, other in ((link.a, link.b), (link.b, link.a)):
                if other.node in routers:
                    self._opposite[one.node, one.name] = other.node
                self._nodes.update((address.partition("/")[0], one.node) for address in one.addresses)
        for node in plan.nodes:
            self._nodes.update((address.partition("/")[0], node.name) for address in node.loopbacks)
            text = "\n".join(node.frr.files.values()) if node.frr is not None else ""
            self._nodes.update((router_id, node.name) for router_id in re.findall(r"router-id ([\d.]+)", text))
            systems = re.findall(r"^ *net \S*?((?:[0-9a-fA-F]{4}\.){3})00$", text, re.MULTILINE)
            self._nodes.update((system.rstrip("."), node.name) for system in systems)

    def node(self, router: str, words: Iterable[str], interface: str) -> str:
        """The node that one of the words names, or what is at the other end of a link; empty where nothing tells."""
        found = next((self._nodes[word] for word in words if word in self._nodes), "")
        return found or self._opposite.get((router, interface), "")


class _Key(NamedTuple):
    router: str
    protocol: str
    vrf: str
    interface: str
    name: str


class Adjacencies:
    """The known state of all neighbours.

    Args:
        routers: name to its FRR.
        plan: of the lab, from which the neighbours get their names.
        news: notified of every change; its lock guards what is known.
        tell: called with every change, from threads of this object.
    """

    def __init__(self, routers: Mapping[str, Frr], plan: Plan, news: threading.Condition, tell: Told) -> None:
        self._routers, self._tell, self._news = dict(routers), tell, news
        self.names = Names(plan)
        self._known: dict[_Key, wire.AdjacencyEvent] = {}
        #: What was last said against a neighbour: (router, protocol, interface or address) to when and what.
        self._notes: dict[tuple[str, str, str], tuple[float, str]] = {}
        #: Called with router, protocol, line and time where a daemon logs a computation of shortest paths.
        self.on_spf: Callable[[str, str, log_events.Computed | log_events.Because, float], None] = lambda *_: None
        #: When a neighbour last came up or ceased to be, on the monotonic clock.
        self.changed_s = 0.0
        #: How many changes there were, those between states of being down included.
        self.changes = 0
        self._doubted: dict[str, float] = {}
        #: When the daemon of a protocol has ended, by router and protocol.
        self._lost_s: dict[tuple[str, str], float] = {}
        self._asking = threading.Event()
        self._watch_hz = 0.0
        self._closed = False
        self._tail, self._bfd = LogTail(self._heard), BfdNews(self._bfd_says)
        threading.Thread(target=self._ask_on, name="adjacencies", daemon=True).start()

    def follow(self) -> None:
        """Follow the logs of all daemons that run. To be called when they have started; what they logged counts."""
        for router, frr in self._routers.items():
            for daemon in frr.running():
                if daemon in neighbors.PROTOCOLS:
                    self._tail.follow(router, daemon, frr.log_path(daemon))

    def close(self) -> None:
        """Tell nothing any more."""
        self._closed = True
        self._tail.close()
        self._bfd.close()
        self._asking.set()

    def lost(self, router: str, daemon: str) -> None:
        """A daemon has ended, and its neighbours with it."""
        if daemon in neighbors.PROTOCOLS:
            protocol, now = neighbors.PROTOCOLS[daemon], time.monotonic()
            with self._news:
                self._lost_s[router, protocol] = now
            self._compare(router, protocol, [], now)

    def speaks(self, router: str, protocol: str) -> bool:
        """Whether a router runs the daemon of a protocol."""
        return router in self._routers and neighbors.DAEMONS[protocol] in self._routers[router].running()

    def known(self) -> list[wire.AdjacencyEvent]:
        """All neighbours that are listed, as far as is known."""
        with self._news:
            return list(self._known.values())

    def note(self, router: str, protocol: str, about: Sequence[str], since_s: float = 0.0) -> str:
        """A daemon's last complaint in its log about a neighbour at an interface or address; empty for none."""
        with self._news:
            found = [self._notes.get((router, protocol, each), (0.0, "")) for each in about]
        return max((each for each in found if each[0] >= since_s), default=(0.0, ""))[1]

    def ask(self, router: str, protocol: str) -> list[Neighbour]:
        """Ask a daemon for its neighbours now, and tell what has changed; none where it does not answer."""
        command = neighbors.QUESTIONS[protocol]
        asked_s = time.monotonic()
        answer = self.question(router, protocol, command)
        there = neighbors.parse(protocol, answer) if answer is not None else []
        if answer is None and self.speaks(router, protocol):
            return []  # it is busy, or stopped: that says nothing of its neighbours
        if protocol == "bfd" and answer is not None:
            self._bfd.listen(router, self._routers[router].socket_path("bfdd.sock"))
        self._compare(router, protocol, there, asked_s)
        return there

    def question(self, router: str, protocol: str, command: str) -> str | None:
        """The answer of a protocol's daemon to a command; None if it does not answer."""
        if router not in self._routers:
            return None
        try:
            return self._routers[router].ask(neighbors.DAEMONS[protocol], command, _ASK_TIMEOUT_S)
        except (OSError, CommandFailed):
            return None

    def ask_all(self, routers: Sequence[str] = ()) -> list[wire.AdjacencyEvent]:
        """Ask all daemons of some routers (all, without names); the neighbours that they list."""
        names = [name for name in routers if name in self._routers] or list(self._routers)
        for router in names:
            for protocol in neighbors.DAEMONS:
                if self.speaks(router, protocol):
                    self.ask(router, protocol)
        return [event for event in self.known() if event.router in names]

    def watch(self, hz: float) -> None:
        """Ask all daemons so often a second from now on; 0 for never."""
        self._watch_hz = hz
        self._asking.set()

    def doubt(self, router: str) -> None:
        """Something changed at a router that some of its daemons do not log: ask those soon."""
        if any(self.speaks(router, protocol) for protocol in _SILENT):
            self._doubted.setdefault(router, time.monotonic() + _DOUBT_S)
            self._asking.set()

    # --- how ----------------------------------------------------------------------------------------------------------

    def _ask_on(self) -> None:
        asked_s = 0.0
        while not self._closed:
            now = time.monotonic()
            due = [self._doubted[router] for router in tuple(self._doubted)]
            due += [asked_s + 1 / self._watch_hz] if self._watch_hz else []
            self._asking.wait(max(0.0, min(due) - now) if due else None)
            self._asking.clear()
            now = time.monotonic()
            for router in [router for router, at_s in tuple(self._doubted.items()) if at_s <= now]:
                del self._doubted[router]
                for protocol in _SILENT:
                    if self.speaks(router, protocol):
                        self.ask(router, protocol)
            if self._watch_hz and now >= asked_s + 1 / self._watch_hz and not self._closed:
                self.ask_all()
                asked_s = time.monotonic()  # a slow lab is asked less often, not without a pause

    def _heard(self, router: str, daemon: str, line: str, seen_s: float) -> None:
        """A line of a log. Its own time counts, where it has digits enough; else the time at which it was seen."""
        told = log_events.parse(line)
        if told is None:
            return
        protocol, stamp = neighbors.PROTOCOLS[daemon], log_events.timestamp(line)
        wall_s = seen_s
        if stamp is not None:
            wall_s = stamp[0] if stamp[1] else min(max(seen_s, stamp[0]), stamp[0] + 1)
        time_s = time.monotonic() - (time.time() - wall_s)
        match told:
            case log_events.Restarted():
                self._compare(router, protocol, [], time_s)
            case log_events.Computed() | log_events.Because():
                self.on_spf(router, protocol, told, time_s)
            case log_events.Noted(what, text, about):
                self._noted(router, protocol, what, text, about, time_s)
            case log_events.Changed():
                if told.why == _DEAD and self._bfd_has_lost(router, told.interface, time_s):
                    told = told._replace(why="BFD has lost it")
                up = told.state == neighbors.UP[protocol]
                neighbour = Neighbour(told.name, told.interface, told.address, told.state, up, told.why, told.vrf)
                if told.why:
                    what = "timer" if "expired" in told.why else "down"
                    self._noted(router, protocol, what, told.why, told.interface or told.address, time_s)
                self._enter(router, protocol, [neighbour], time_s)
                self.doubt(router)

    def _bfd_says(self, router: str, told: bfd_events.Told, time_s: float) -> None:
        if told.state == neighbors.UP["bfd"]:
            self.doubt(router)  # asked for its timers, too
            return
        name = f"{told.peer} multihop" if told.multihop else told.peer
        self._enter(
            router, "bfd", [Neighbour(name, told.interface, told.peer, told.state, False, told.why, told.vrf)], time_s
        )

    def _bfd_has_lost(self, router: str, interface: str, time_s: float) -> bool:
        """Whether BFD has just lost a neighbour at an interface.

        OSPF logs that as if its own timer had expired, and may do so before bfdd comes to tell.
        """
        deadline_s = time.monotonic() + _BFD_LATE_S
        while True:
            self._bfd.catch_up(router, time_s)
            with self._news:
                place = (router, "bfd", interface)
                found = [each for each in self._known.values() if (each.router, each.protocol, each.interface) == place]
            if not all(each.up for each in found):
                return any(not each.up and abs(time_s - each.time_s) < _BFD_BEFORE_S for each in found)
            if not found or time.monotonic() >= deadline_s:
                return False
            time.sleep(_BFD_LATE_S / 10)

    def _noted(self, router: str, protocol: str, what: str, text: str, about: str, time_s: float) -> None:
        with self._news:
            before = self._notes.get((router, protocol, about), (0.0, ""))[1]
            self._notes[router, protocol, about] = (time_s, text)
        # Daemons repeat themselves with every hello.
        if (what != "refused" or before != text) and not self._closed:
            at = f" ({about})" if about else ""
            self._tell(wire.RoutingNote(router, protocol, what, f"{text}{at}", round(time_s, 6)))

    def _compare(self, router: str, protocol: str, there: Sequence[Neighbour], time_s: float) -> None:
        """Enter all that a daemon has; what it does not list any more is gone."""
        keys = {self._key(router, protocol, each) for each in there}
        with self._news:
            gone = [key for key in self._known if key[:2] == (router, protocol) and key not in keys]
        self._enter(router, protocol, there, time_s, gone)

    def _enter(
        self, router: str, protocol: str, several: Sequence[Neighbour], time_s: float, gone: Sequence[_Key] = ()
    ) -> None:
        changed: list[tuple[wire.AdjacencyEvent | None, wire.AdjacencyEvent]] = []
        with self._news:
            if time_s < self._lost_s.get((router, protocol), time_s):
                return  # the end of a log, or an answer, of a daemon that has ended since
            leaving = {key: self._known.pop(key, None) for key in gone}
            for each in several:
                key, event = self._key(router, protocol, each), self._event(router, protocol, each, time_s)
                before = self._known.pop(key, None)
                if each.state == "gone":
                    leaving[key] = before
                    continue
                if before is not None and (before.state, before.up) == (event.state, event.up):
                    self._known[key] = replace(event, time_s=before.time_s)
                else:
                    self._known[key] = event
                    changed.append((before, event))
            for event in filter(None, leaving.values()):
                # At both levels of IS-IS there are two; which one has gone is told.
                detail = event.detail.partition(",")[0] if protocol == "isis" else ""
                went = replace(event, state="gone", up=False, detail=detail, time_s=round(time_s, 6))
                changed.append((event, went))
            if any((before is not None and before.up) != event.up for before, event in changed):
                self.changed_s = max(self.changed_s, time_s)
            if changed:
                self.changes += len(changed)
                self._news.notify_all()
        for _, event in changed:
            if not self._closed:
                self._tell(event)

    def _key(self, router: str, protocol: str, each: Neighbour) -> _Key:
        name = each.name
        if protocol == "isis":  # called by its system id until its host name is known
            name = f"{self.names.node(router, [each.address], '') or each.address}{each.name[len(each.address) :]}"
        return _Key(router, protocol, each.vrf, each.interface, name)

    def _event(self, router: str, protocol: str, each: Neighbour, time_s: float) -> wire.AdjacencyEvent:
        words = [*each.address.split(), *each.name.split()]
        level = each.name[len(each.address) :].strip() if protocol == "isis" else ""
        return wire.AdjacencyEvent(
            router=router,
            protocol=protocol,
            neighbor=self.names.node(router, words, each.interface) or (words[-1] if words else each.interface),
            state=each.state,
            up=each.up,
            time_s=round(time_s, 6),
            interface=each.interface,
            address=each.address,
            detail=each.detail or level,
            vrf=each.vrf,
        )
