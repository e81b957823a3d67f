"""The contents of the routers' kernel tables, as the kernel reports them: no process polls."""

from __future__ import annotations

import errno
import select
import threading
import time
from collections.abc import Callable, Mapping, Sequence

from frrlib import wire
from frrlib.agent.network import rtnetlink
from frrlib.agent.network.netlink import APPEND, Netlink, messages
from frrlib.agent.network.nodes import LabNode
from frrlib.agent.network.rtnetlink import MAIN_TABLE, Route
from frrlib.agent.probes import fib
from frrlib.errors import LabFailed

_GROUPS = rtnetlink.GROUP_LINK | rtnetlink.GROUP_IPV4_ROUTE | rtnetlink.GROUP_IPV6_ROUTE
_RECEIVE_BYTES = 65536
#: How long a wait lets news gather before it looks at all tables.
_LOOK_AGAIN_S = 0.01
#: Every interface has these by itself.
_UNTOLD = ("fe80::/64", "ff00::/8")

Changed = Callable[[Sequence[wire.RouteEvent]], None]
Tables = dict[tuple[int, str, int], Route]


class RouteMonitor:
    """Watches all tables of some nodes from its making on.

    Args:
        nodes: whose tables.
        changed: called with the changes of a node that came together, from any thread.
        news: notified of every change; its lock guards what is known. None for one of its own.
        links_changed: called with a node when one of its interfaces has changed.
    """

    def __init__(
        self,
        nodes: Sequence[LabNode],
        changed: Changed,
        news: threading.Condition | None = None,
        links_changed: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._changed, self._links_changed = changed, links_changed
        self._known: dict[str, Tables] = {node.name: {} for node in nodes}
        self._interfaces: dict[str, dict[int, str]] = {node.name: {} for node in nodes}
        self._news = news or threading.Condition()
        #: Node to when its tables changed last, on the monotonic clock.
        self.changed_s: dict[str, float] = {node.name: 0.0 for node in nodes}
        self._closed = False
        self._listeners: dict[int, tuple[str, Netlink]] = {}
        self._askers: dict[str, Netlink] = {}
        for node in nodes:
            listener = node.thread.call(Netlink, node.name, groups=_GROUPS)
            listener.socket.setblocking(False)
            self._listeners[listener.socket.fileno()] = (node.name, listener)
            self._askers[node.name] = node.thread.call(Netlink, node.name)
        for node in nodes:
            self._compare(node.name)
        threading.Thread(target=self._listen, name="routes", daemon=True).start()

    def watches(self, node: str) -> bool:
        """Whether the tables of a node are watched."""
        return node in self._known

    def prefixes(self, node: str, table: int = MAIN_TABLE) -> set[str]:
        """The prefixes that a node has a route to in a table."""
        with self._news:
            return {prefix for number, prefix, _ in self._known[node] if number == table}

    def wait(self, expected: Mapping[str, Sequence[str]], timeout_s: float) -> dict[str, float]:
        """Wait until every node has a route to every prefix expected of it, in its main table.

        Args:
            expected: node to prefixes.
            timeout_s: how long to wait.

        Returns:
            Node to the seconds from the call until it had all of them.

        Raises:
            LabFailed: the time is over, or a node is not watched; names every node and what it misses.
        """
        unknown = sorted(set(expected) - set(self._known))
        if unknown:
            raise LabFailed(f"routes are expected of {', '.join(unknown)}, but this lab has no such nodes")
        wanted = {node: {rtnetlink.network(prefix) for prefix in prefixes} for node, prefixes in expected.items()}
        start = time.monotonic()
        seconds: dict[str, float] = {}
        missing: dict[str, set[str]] = {}
        looked_at_s: dict[str, float] = {}
        with self._news:
            while True:
                now = time.monotonic() - start
                for node, prefixes in wanted.items():
                    if looked_at_s.get(node) == self.changed_s[node]:
                        continue
                    looked_at_s[node] = self.changed_s[node]
                    missing[node] = prefixes - self.prefixes(node)
                    if not missing[node]:
                        seconds.setdefault(node, round(now, 6))
                    else:
                        seconds.pop(node, None)
                if not any(missing.values()):
                    return seconds
                if now >= timeout_s:
                    raise LabFailed(_missing_text(missing, timeout_s))
                self._news.wait(timeout_s - now)
                # Many routers tell at once while a network converges; looking at all of them for each would cost the
                # processor that the daemons need.
                self._news.release()
                time.sleep(_LOOK_AGAIN_S)
                self._news.acquire()

    def close(self) -> None:
        """From now on changes are not told any more."""
        self._closed = True

    def _listen(self) -> None:
        poll = select.poll()
        for descriptor in self._listeners:
            poll.register(descriptor, select.POLLIN)
        while True:
            for descriptor, _ in poll.poll():
                self._hear(*self._listeners[descriptor])

    def _hear(self, node: str, listener: Netlink) -> None:
        """Take all news of a node. What the kernel does not tell in full (a downed interface takes routes silently, one
        of several next hops may go alone, a full queue loses news) is read anew from the table."""
        unsure = False
        links = False
        came: dict[tuple[int, str, int], Route] = {}
        while True:
            try:
                data = listener.socket.recv(_RECEIVE_BYTES)
            except BlockingIOError:
                break
            except OSError as error:
                if error.errno != errno.ENOBUFS:
                    raise
                unsure = True
                continue
            for _, reply in messages(data):
                route = rtnetlink.parse_route(reply)
                if route is None:
                    links |= reply.type in (rtnetlink.NEWLINK, rtnetlink.DELLINK)
                elif reply.type == rtnetlink.NEWROUTE and not reply.flags & APPEND:  # not one more of several hops
                    came[route.table, route.prefix, route.metric] = route
                else:
                    unsure = True
        if unsure or links:
            self._compare(node)
        elif came:
            self._enter(node, came, ())
        if links and not self._closed:
            self._interfaces[node] = {}
            self._links_changed(node)

    def _compare(self, node: str) -> None:
        there: Tables = {}
        for family in rtnetlink.FAMILIES:
            for reply in self._askers[node].dump(rtnetlink.routes_request(family)):
                route = rtnetlink.parse_route(reply)
                if route is not None:
                    key = route.table, route.prefix, route.metric
                    # IPv6 lists every next hop as a route of its own.
                    there[key] = route._replace(hops=(*there[key].hops, *route.hops)) if key in there else route
        with self._news:
            went = tuple(self._known[node].keys() - there.keys())
        self._enter(node, there, went)

    def _enter(self, node: str, came: Tables, went: Sequence[tuple[int, str, int]]) -> None:
        now = time.monotonic()
        with self._news:
            known = self._known[node]
            new = [route for key, route in came.items() if known.get(key) != route]
            gone = [known.pop(key) for key in went if key in known]
            known.update(came)
            if not (new or gone):
                return
            # A prefix that is still there with another metric has not gone.
            left = {(table, prefix) for table, prefix, _ in known} if gone else set()
            gone = [route for route in gone if (route.table, route.prefix) not in left]
            if any(route.prefix not in _UNTOLD for route in (*new, *gone)):
                self.changed_s[node] = now
            self._news.notify_all()
        if not self._closed:
            self._changed(
                [
                    self._event(node, route, added, now)
                    for added, routes in ((False, gone), (True, new))
                    for route in sorted(routes)
                    if route.prefix not in _UNTOLD
                ]
            )

    def _event(self, node: str, route: Route, added: bool, now: float) -> wire.RouteEvent:
        return wire.RouteEvent(
            router=node,
            prefix=route.prefix,
            added=added,
            time_s=round(now, 6),
            via=tuple(self._hop(node, *hop) for hop in route.hops) if added else (),
            protocol=fib.PROTOCOLS.get(route.protocol, ""),
            metric=route.metric,
            table=route.table,
        )

    def _hop(self, node: str, address: str, index: int) -> str:
        names = self._interfaces[node]
        if index not in names:
            names.update(rtnetlink.parse_link(reply) for reply in self._askers[node].dump(rtnetlink.links_request()))
        return f"{address} {names.get(index, index)}".strip()


def _missing_text(missing: Mapping[str, set[str]], timeout_s: float) -> str:
    parts = [f"{node} has no route to {', '.join(sorted(prefixes))}" for node, prefixes in missing.items() if prefixes]
    return f"after {timeout_s:g} s {'; '.join(parts)}"
