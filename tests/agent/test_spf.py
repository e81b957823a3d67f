"""When shortest paths are asked for after routes have changed."""

from __future__ import annotations

from collections import Counter

from frrlib import wire
from frrlib.agent.routing.spf import SpfWatch
from tests.waiting import wait_for


class Daemons:
    """In the place of `Adjacencies`: daemons that count their questions, and have nothing to tell."""

    def __init__(self) -> None:
        self.asked: Counter[tuple[str, str]] = Counter()
        self.on_spf: object = None

    def speaks(self, router: str, protocol: str) -> bool:
        return protocol in ("ospf", "isis")

    def question(self, router: str, protocol: str, command: str) -> str | None:
        if command.startswith("show"):
            self.asked[router, protocol] += 1
        return None


def event(router: str, protocol: str) -> wire.RouteEvent:
    return wire.RouteEvent(router, "10.0.0.0/24", True, 1.0, (), protocol, 0, 254)


def test_a_burst_of_routes_has_each_daemon_of_their_protocol_asked_once() -> None:
    daemons = Daemons()
    watch = SpfWatch(daemons, lambda _: None)  # type: ignore[arg-type]
    watch.heard([event("r1", "bgp"), event("r1", "kernel")])
    watch.heard([event("r1", "ospf")] * 100 + [event("r2", "isis")])
    wait_for(lambda: len(daemons.asked) == 2, "both are asked")
    watch.close()
    assert daemons.asked == {("r1", "ospf"): 1, ("r2", "isis"): 1}
