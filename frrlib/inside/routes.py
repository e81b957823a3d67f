"""What is in the routers' kernel tables, as the kernel tells it: no process asks again and again."""

from __future__ import annotations

import errno
import select
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence

from frrlib.errors import LabFailed
from frrlib.inside import rtnetlink
from frrlib.inside.netlink import Netlink, messages
from frrlib.inside.nodes import LabNode

_GROUPS = rtnetlink.GROUP_LINK | rtnetlink.GROUP_IPV4_ROUTE | rtnetlink.GROUP_IPV6_ROUTE
_FAMILIES = (socket.AF_INET, socket.AF_INET6)
_RECEIVE_BYTES = 65536
#: Every interface has these by itself.
_UNTOLD = ("fe80::/64", "ff00::/8")

Changed = Callable[[str, str, bool, float], None]


class RouteMonitor:
    """Watches the main tables of some nodes from its making on.

    Args:
        nodes: whose tables.
        changed: called with node, prefix, whether it came, and the monotonic time in seconds; from any thread.
    """

    def __init__(self, nodes: Sequence[LabNode], changed: Changed) -> None:
        self._changed = changed
        self._known: dict[str, set[tuple[str, int]]] = {node.name: set() for node in nodes}
        self._news = threading.Condition()
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

    def prefixes(self, node: str) -> set[str]:
        """The prefixes that a node has a route to."""
        with self._news:
            return {prefix for prefix, _ in self._known[node]}

    def wait(self, expected: Mapping[str, Sequence[str]], timeout_s: float) -> dict[str, float]:
        """Wait until every node has a route to every prefix expected of it.

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
            raise LabFailed(f"routes are expected of {', '.join(unknown)}, which this lab does not have")
        wanted = {node: {rtnetlink.network(prefix) for prefix in prefixes} for node, prefixes in expected.items()}
        start = time.monotonic()
        seconds: dict[str, float] = {}
        with self._news:
            while True:
                missing = {node: prefixes - {p for p, _ in self._known[node]} for node, prefixes in wanted.items()}
                now = time.monotonic() - start
                for node, prefixes in missing.items():
                    if not prefixes:
                        seconds.setdefault(node, round(now, 6))
                    else:
                        seconds.pop(node, None)
                if not any(missing.values()):
                    return seconds
                if now >= timeout_s:
                    raise LabFailed(_missing_text(missing, timeout_s))
                self._news.wait(timeout_s - now)

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
                    unsure |= reply.type in (rtnetlink.NEWLINK, rtnetlink.DELLINK)
                elif reply.type == rtnetlink.NEWROUTE:
                    self._enter(node, {route}, set())
                else:
                    unsure = True
        if unsure:
            self._compare(node)

    def _compare(self, node: str) -> None:
        there: set[tuple[str, int]] = set()
        for family in _FAMILIES:
            for reply in self._askers[node].dump(rtnetlink.routes_request(family)):
                route = rtnetlink.parse_route(reply)
                if route is not None:
                    there.add(route)
        with self._news:
            known = set(self._known[node])
        self._enter(node, there - known, known - there)

    def _enter(self, node: str, came: set[tuple[str, int]], went: set[tuple[str, int]]) -> None:
        now = time.monotonic()
        with self._news:
            before = {prefix for prefix, _ in self._known[node]}
            self._known[node] = (self._known[node] | came) - went
            after = {prefix for prefix, _ in self._known[node]}
            self._news.notify_all()
        for prefix in sorted(after ^ before):
            if prefix not in _UNTOLD and not self._closed:
                self._changed(node, prefix, prefix in after, now)


def _missing_text(missing: Mapping[str, set[str]], timeout_s: float) -> str:
    parts = [f"{node} has no route to {', '.join(sorted(prefixes))}" for node, prefixes in missing.items() if prefixes]
    return f"after {timeout_s:g} s {'; '.join(parts)}"
