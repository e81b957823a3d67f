"""All that is known of a lab's routing, in one place: tables, neighbours, shortest paths, and waiting for them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from frrlib import wire
from frrlib.agent.network.network import LabNet
from frrlib.agent.routing.adjacencies import Adjacencies
from frrlib.agent.routing.convergence import Convergence
from frrlib.agent.routing.routes import RouteMonitor
from frrlib.agent.routing.spf import SpfWatch


class Routing:
    """Watches the routing of a lab.

    Args:
        net: what is built; its daemons need not run yet.
        send: hears events, one or several at once.
    """

    def __init__(self, net: LabNet, send: Callable[..., None]) -> None:
        self._send = send
        self._news = threading.Condition()
        #: When the daemons had started, until somebody has waited for them.
        self._since_s: float | None = None
        routers = {name: router.frr for name, router in net.routers.items()}
        self._adjacencies = Adjacencies(routers, net.plan, self._news, send)
        self._spf = SpfWatch(self._adjacencies, send)
        self._routes = RouteMonitor(list(net.routers.values()), self._changed, self._news, self._adjacencies.doubt)

    def follow(self) -> None:
        """Listen to the daemons' logs; to be called when they have started."""
        self._since_s = time.monotonic()
        self._adjacencies.follow()

    def died(self, router: str, daemon: str) -> None:
        """A daemon has ended."""
        self._adjacencies.lost(router, daemon)

    def close(self) -> None:
        """Tell nothing any more."""
        self._routes.close()
        self._spf.close()
        self._adjacencies.close()

    def wait_routes(self, request: wire.WaitRoutes) -> dict[str, Any]:
        """The result of the request. Raises LabFailed."""
        return {"seconds": self._routes.wait(request.expected, request.timeout_s)}

    def wait_converged(self, request: wire.WaitConverged) -> dict[str, Any]:
        """The result of the request. Raises LabFailed."""
        since_s, self._since_s = self._since_s, None
        return Convergence(request, self._adjacencies, self._routes, self._news, self._send, since_s).wait()

    def wait_at_rest(self, quiet_s: float, timeout_s: float) -> bool:
        """Wait until no adjacency and no table has changed for so long; False where that takes longer than `timeout_s`.

        Quiet time before the call does not count.
        """
        begun_s = time.monotonic()
        while True:
            with self._news:
                last_s = max(begun_s, self._adjacencies.changed_s, *self._routes.changed_s.values())
            now = time.monotonic()
            if now >= last_s + quiet_s:
                return True
            if now >= begun_s + timeout_s:
                return False
            time.sleep(min(last_s + quiet_s, begun_s + timeout_s) - now)

    def watch(self, request: wire.WatchAdjacencies) -> dict[str, Any]:
        """The result of the request."""
        for event in self._adjacencies.known() if request.hz else ():
            self._send(event)
        self._adjacencies.watch(request.hz)
        return {}

    def adjacencies(self, request: wire.Adjacencies) -> dict[str, Any]:
        """The result of the request."""
        return {"adjacencies": [msgspec.to_builtins(each) for each in self._adjacencies.ask_all(request.routers)]}

    def _changed(self, events: Sequence[wire.RouteEvent]) -> None:
        self._send(*events)
        self._spf.heard(events)
