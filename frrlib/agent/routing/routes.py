"""The routers' kernel tables, followed by netlink events instead of polling."""

from __future__ import annotations

import contextlib
import errno
import select
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence

from frrlib import wire
from frrlib.agent.network import rtnetlink
from frrlib.agent.network.netlink import APPEND, Netlink, messages
from frrlib.agent.network.nodes import LabNode
from frrlib.agent.network.rtnetlink import MAIN_TABLE, KernelRoute
from frrlib.agent.probes import fib
from frrlib.errors import LabFailed

_GROUPS = rtnetlink.GROUP_LINK | rtnetlink.GROUP_IPV4_ROUTE | rtnetlink.GROUP_IPV6_ROUTE
_RECEIVE_BYTES = 65536
#: How long a wait lets changes accumulate before it checks all tables, with up to `_FEW_ROUTERS`.
_GATHER_S, _FEW_ROUTERS = 0.01, 16
#: Prefixes that every interface has by itself.
_IGNORED_PREFIXES = ("fe80::/64", "ff00::/8")
#: Nodes and prefixes that a message about missing routes names. A large lab may lack a hundred thousand routes.
_NAMED_NODES, _NAMED_PREFIXES = 10, 5

ReportRoutes = Callable[[Sequence[wire.RouteEvent]], None]
Tables = dict[tuple[int, str, int], KernelRoute]


def gather_s(routers: int) -> float:
    """How long a wait lets changes accumulate before it checks all tables, in seconds; longer with more routers.

    Many routers send events at once while a network converges. A check of all tables after each event would take the
    processor from the daemons.
    """
    return _GATHER_S * max(1.0, routers / _FEW_ROUTERS)


class RouteMonitor:
    """Watches all tables of some nodes from its construction on.

    Args:
        nodes: the nodes to watch.
        report_routes: called with the simultaneous changes of a node, from any thread.
        news: condition that is notified of every change; its lock guards the known tables. None for a new one.
        links_changed: called with a node when one of its interfaces has changed.
    """

    def __init__(
        self,
        nodes: Sequence[LabNode],
        report_routes: ReportRoutes,
        news: threading.Condition | None = None,
        links_changed: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._report_routes, self._links_changed = report_routes, links_changed
        self._tables: dict[str, Tables] = {node.name: {} for node in nodes}
        self._interfaces: dict[str, dict[int, str]] = {node.name: {} for node in nodes}
        self._news = news or threading.Condition()
        #: When the tables of each node last changed, on the monotonic clock.
        self.changed_s: dict[str, float] = {node.name: 0.0 for node in nodes}
        self._closed = False
        self._listeners: dict[int, tuple[str, Netlink]] = {}
        self._query_sockets: dict[str, Netlink] = {}
        self._poll = select.epoll()
        #: Sockets of removed nodes. The listening thread closes them, since it may be reading from one.
        self._retired: list[Netlink] = []
        for node in nodes:
            self._open_sockets(node)
        for node in nodes:
            self._compare(node.name)
        threading.Thread(target=self._listen, name="routes", daemon=True).start()

    def add(self, node: LabNode) -> None:
        """Watch a further node."""
        with self._news:
            self._tables[node.name] = {}
            self.changed_s[node.name] = 0.0
        self._interfaces[node.name] = {}
        self._open_sockets(node)
        self._compare(node.name)

    def remove(self, node: str) -> None:
        """Watch a node no more."""
        for descriptor, (name, listener) in tuple(self._listeners.items()):
            if name == node:
                self._poll.unregister(descriptor)
                del self._listeners[descriptor]
                self._retired += [listener, self._query_sockets.pop(node)]
        with self._news:
            self._tables.pop(node, None)
            self.changed_s.pop(node, None)
            self._news.notify_all()

    def watches(self, node: str) -> bool:
        """Whether the tables of a node are watched."""
        return node in self._tables

    def prefixes(self, node: str, table: int = MAIN_TABLE) -> set[str]:
        """The prefixes that a node has a route to in a table."""
        with self._news:
            return {prefix for number, prefix, _ in self._tables[node] if number == table}

    def wait(self, expected: Mapping[str, Sequence[str]], timeout_s: float) -> dict[str, float]:
        """Wait until every node has a route to every prefix expected of it, in its main table.

        Args:
            expected: node to prefixes.
            timeout_s: how long to wait.

        Returns:
            Seconds from the call until each node had all of its routes.

        Raises:
            LabFailed: the time is over, or a node is not watched. The message names each node and its missing prefixes.
        """
        unknown = sorted(set(expected) - set(self._tables))
        if unknown:
            raise LabFailed(f"routes are expected of {', '.join(unknown)}, but this lab has no such nodes")
        networks = rtnetlink.networks(prefix for prefixes in expected.values() for prefix in prefixes)
        normalized = {node: {networks[prefix] for prefix in prefixes} for node, prefixes in expected.items()}
        start = time.monotonic()
        seconds: dict[str, float] = {}
        missing: dict[str, set[str]] = {}
        checked_s: dict[str, float] = {}
        with self._news:
            while True:
                now = time.monotonic() - start
                for node, prefixes in normalized.items():
                    if checked_s.get(node) == self.changed_s[node]:
                        continue
                    checked_s[node] = self.changed_s[node]
                    missing[node] = prefixes - self.prefixes(node)
                    if not missing[node]:
                        seconds.setdefault(node, round(now, 6))
                    else:
                        seconds.pop(node, None)
                if not any(missing.values()):
                    return seconds
                if now >= timeout_s:
                    raise LabFailed(missing_text(missing, timeout_s))
                self._news.wait(timeout_s - now)
                self._news.release()
                time.sleep(gather_s(len(self._tables)))
                self._news.acquire()

    def close(self) -> None:
        """Report no more changes."""
        self._closed = True

    def _listen(self) -> None:
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor in self._listeners:
                    with contextlib.suppress(KeyError):  # the node was removed meanwhile
                        self._read_events(*self._listeners[descriptor])
            while self._retired:
                self._retired.pop().close()

    def _open_sockets(self, node: LabNode) -> None:
        self._query_sockets[node.name] = node.thread.call(Netlink, node.name)
        listener = node.thread.call(Netlink, node.name, groups=_GROUPS)
        listener.socket.setblocking(False)
        self._listeners[listener.socket.fileno()] = (node.name, listener)
        self._poll.register(listener.socket.fileno(), select.EPOLLIN)

    def _read_events(self, node: str, listener: Netlink) -> None:
        """Read all events of a node. The table is read again when events are incomplete: a downed interface removes
        routes silently, one of several next hops may go alone, and a full queue loses events."""
        incomplete = False
        links = False
        updates: dict[tuple[int, str, int], KernelRoute] = {}
        while True:
            try:
                data = listener.socket.recv(_RECEIVE_BYTES)
            except BlockingIOError:
                break
            except OSError as error:
                if error.errno != errno.ENOBUFS:
                    raise
                incomplete = True
                continue
            for _, reply in messages(data):
                route = rtnetlink.parse_route(reply)
                if route is None:
                    links |= reply.type in (rtnetlink.NEWLINK, rtnetlink.DELLINK)
                elif reply.type == rtnetlink.NEWROUTE and not reply.flags & APPEND:  # not one more of several next hops
                    updates[route.table, route.prefix, route.metric] = route
                else:
                    incomplete = True
        if incomplete or links:
            self._compare(node)
        elif updates:
            self._enter(node, updates, ())
        if links and not self._closed:
            self._interfaces[node] = {}
            self._links_changed(node)

    def _compare(self, node: str) -> None:
        current: Tables = {}
        for family in rtnetlink.FAMILIES:
            for reply in self._query_sockets[node].dump(rtnetlink.routes_request(family)):
                route = rtnetlink.parse_route(reply)
                if route is not None:
                    key = route.table, route.prefix, route.metric
                    # IPv6 lists every next hop as a route of its own.
                    current[key] = route._replace(hops=(*current[key].hops, *route.hops)) if key in current else route
        with self._news:
            removed_keys = tuple(self._tables[node].keys() - current.keys())
        self._enter(node, current, removed_keys)

    def _enter(self, node: str, updates: Tables, removed_keys: Sequence[tuple[int, str, int]]) -> None:
        now = time.monotonic()
        with self._news:
            current = self._tables[node]
            new = [route for key, route in updates.items() if current.get(key) != route]
            removed = [current.pop(key) for key in removed_keys if key in current]
            current.update(updates)
            if not (new or removed):
                return
            # A prefix that remains with another metric is not gone.
            remaining = {(table, prefix) for table, prefix, _ in current} if removed else set()
            removed = [route for route in removed if (route.table, route.prefix) not in remaining]
            if any(route.prefix not in _IGNORED_PREFIXES for route in (*new, *removed)):
                self.changed_s[node] = now
            self._news.notify_all()
        if not self._closed:
            self._report_routes(
                [
                    self._event(node, route, added, now)
                    for added, routes in ((False, removed), (True, new))
                    for route in sorted(routes)
                    if route.prefix not in _IGNORED_PREFIXES
                ]
            )

    def _event(self, node: str, route: KernelRoute, added: bool, now: float) -> wire.RouteEvent:
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
            names.update(
                rtnetlink.parse_link(reply) for reply in self._query_sockets[node].dump(rtnetlink.links_request())
            )
        return f"{address} {names.get(index, index)}".strip()


def missing_text(missing: Mapping[str, set[str]], timeout_s: float) -> str:
    """A sentence about the first missing routes of the first nodes, with the number of the others.

    Args:
        missing: missing prefixes, by node.
        timeout_s: the time for which they were awaited.
    """
    lacking = [(node, prefixes) for node, prefixes in missing.items() if prefixes]
    parts = [f"{node} has no route to {list_prefixes(prefixes)}" for node, prefixes in lacking[:_NAMED_NODES]]
    if more := len(lacking) - len(parts):
        parts.append(f"{more} more nodes lack routes")
    return f"after {timeout_s:g} s {'; '.join(parts)}"


def list_prefixes(prefixes: Collection[str], most: int = _NAMED_PREFIXES) -> str:
    """The first prefixes, at most `most`, with the number of the others."""
    more = len(prefixes) - most
    return ", ".join(sorted(prefixes)[:most]) + (f" and {more} more" if more > 0 else "")
