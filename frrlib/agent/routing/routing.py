"""The routing state of a lab in one place: tables, neighbors, shortest paths, and waits for them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from frrlib import wire
from frrlib.agent.network.network import LabNet
from frrlib.agent.network.nodes import FrrRouter
from frrlib.agent.routing.adjacencies import AdjacencyMonitor, NodeNames
from frrlib.agent.routing.convergence import ConvergenceWait
from frrlib.agent.routing.routes import RouteMonitor
from frrlib.agent.routing.spf import SpfWatch
from frrlib.wire.plan import Plan


class RoutingMonitor:
    """Watches the routing of a lab.

    Args:
        net: a lab that is built; its daemons may start later.
        send: called with events, one or several at once.
    """

    def __init__(self, net: LabNet, send: Callable[..., None]) -> None:
        self._send = send
        self._news = threading.Condition()
        #: When the daemons had started; None after the first wait for convergence.
        self._since_s: float | None = None
        routers = {name: router.frr for name, router in net.routers.items()}
        self._adjacencies = AdjacencyMonitor(routers, net.plan, self._news, send)
        self._spf = SpfWatch(self._adjacencies, send)
        self._routes = RouteMonitor(
            list(net.routers.values()), self._handle_routes, self._news, self._adjacencies.schedule_check
        )

    def follow(self) -> None:
        """Follow the daemons' logs. Call it when the daemons have started."""
        self._since_s = time.monotonic()
        self._adjacencies.follow()

    def daemon_ended(self, router: str, daemon: str) -> None:
        """Handle the end of a daemon."""
        self._adjacencies.remove_daemon(router, daemon)

    def add_router(self, router: FrrRouter) -> None:
        """Watch a router that was added to the lab, and whose daemons run; or its further daemons."""
        if not self._routes.watches(router.name):
            self._routes.add(router)
        self._adjacencies.add_router(router.name, router.frr)

    def remove_router(self, router: str) -> None:
        """Watch a router no more."""
        self._routes.remove(router)
        self._adjacencies.remove_router(router)

    def set_plan(self, plan: Plan) -> None:
        """Use the names of another plan for neighbors."""
        self._adjacencies.names = NodeNames(plan)

    def close(self) -> None:
        """Report nothing more."""
        self._routes.close()
        self._spf.close()
        self._adjacencies.close()

    def wait_routes(self, request: wire.WaitRoutes) -> dict[str, Any]:
        """The result of the request. Raises LabFailed."""
        return {"seconds": self._routes.wait(request.expected, request.timeout_s)}

    def wait_converged(self, request: wire.WaitConverged) -> dict[str, Any]:
        """The result of the request. Raises LabFailed."""
        since_s, self._since_s = self._since_s, None
        return ConvergenceWait(request, self._adjacencies, self._routes, self._news, self._send, since_s).wait()

    def wait_at_rest(self, quiet_s: float, timeout_s: float) -> bool:
        """Wait until no adjacency and no table has changed for `quiet_s`. False if that takes longer than `timeout_s`.

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
        for event in self._adjacencies.neighbors() if request.hz else ():
            self._send(event)
        self._adjacencies.watch(request.hz)
        return {}

    def adjacencies(self, request: wire.Adjacencies) -> dict[str, Any]:
        """The result of the request."""
        return {"adjacencies": [msgspec.to_builtins(event) for event in self._adjacencies.ask_all(request.routers)]}

    def _handle_routes(self, events: Sequence[wire.RouteEvent]) -> None:
        self._send(*events)
        self._spf.handle_route_events(events)
