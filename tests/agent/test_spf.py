"""Queries for shortest path computations after changes of routes."""

from __future__ import annotations

from collections import Counter

from frrlib import wire
from frrlib.agent.routing.spf import SpfWatch
from tests.waiting import wait_for


class Daemons:
    """A replacement of `AdjacencyMonitor`: daemons that count queries, and reply nothing."""

    def __init__(self) -> None:
        self.asked: Counter[tuple[str, str]] = Counter()
        self.on_spf: object = None

    def runs_protocol(self, router: str, protocol: str) -> bool:
        return protocol in ("ospf", "isis")

    def query(self, router: str, protocol: str, command: str) -> str | None:
        if command.startswith("show"):
            self.asked[router, protocol] += 1
        return None


def event(router: str, protocol: str) -> wire.RouteEvent:
    return wire.RouteEvent(router, "10.0.0.0/24", True, 1.0, (), protocol, 0, 254)


def test_a_burst_of_routes_causes_one_query_of_each_daemon() -> None:
    daemons = Daemons()
    watch = SpfWatch(daemons, lambda _: None)  # type: ignore[arg-type]
    watch.handle_route_events([event("r1", "bgp"), event("r1", "kernel")])
    watch.handle_route_events([event("r1", "ospf")] * 100 + [event("r2", "isis")])
    wait_for(lambda: len(daemons.asked) == 2, "both are asked")
    watch.close()
    assert daemons.asked == {("r1", "ospf"): 1, ("r2", "isis"): 1}
