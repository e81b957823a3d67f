"""Sessions, adjacencies and networks that FRR itself reports as configured, for routers with configuration text.

No setting of the topology describes such text, so the daemons are queried for its effect.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from frrlib.agent.routing.adjacencies import AdjacencyMonitor
from frrlib.wire.events import AdjacencyEvent
from frrlib.wire.requests import ExpectedAdjacency, WaitConverged

_SHUT_DOWN = "Idle (Admin)"
#: `network` in the default instance of BGP, and the beginning of that instance.
_INSTANCE = re.compile(r"^router bgp \d+\n(.*?)^exit$", re.MULTILINE | re.DOTALL)
_NETWORK = re.compile(r"^ +network (\S+/\d+)", re.MULTILINE)


class ConfiguredState:
    """The configuration that FRR reports at the routers with configuration text.

    Args:
        request: names the routers, and the pairs of interfaces that may become neighbors.
        monitor: through which daemons are queried.
    """

    def __init__(self, request: WaitConverged, monitor: AdjacencyMonitor) -> None:
        self._request, self._monitor = request, monitor

    def adjacencies(self) -> tuple[ExpectedAdjacency, ...]:
        """The configured sessions of BGP that are not shut down, and the adjacencies that both ends speak."""
        return (*self._sessions(), *self._interior())

    def session_from(self, router: str, peer: str) -> ExpectedAdjacency | None:
        """A session of BGP with a peer, as the router has it; None if it has none."""
        self._monitor.ask(router, "bgp")
        events = (event for event in self._bgp_events() if (event.router, event.neighbor) == (router, peer))
        return next(map(_session_of, events), None)

    def unannounced(self) -> dict[str, tuple[str, ...]]:
        """Router to the prefixes of its `network` lines that BGP does not announce, because no route leads to them."""
        missing = {router: tuple(self._unannounced_of(router)) for router in self._request.configured}
        return {router: prefixes for router, prefixes in missing.items() if prefixes}

    def _bgp_events(self) -> Iterator[AdjacencyEvent]:
        return (event for event in self._monitor.neighbors() if event.protocol == "bgp")

    def _sessions(self) -> Iterator[ExpectedAdjacency]:
        for router in self._request.configured:
            self._monitor.ask(router, "bgp")
        for event in self._bgp_events():
            if event.router not in self._request.configured or event.state == _SHUT_DOWN:
                continue
            # Hosts may run programs of their own that speak BGP, and start them later.
            if self._monitor.is_router(event.neighbor) or event.neighbor == event.address:
                yield _session_of(event)

    def _interior(self) -> Iterator[ExpectedAdjacency]:
        speaking: dict[tuple[str, str, str], bool] = {}
        for pair in self._request.possible:
            ends = ((pair.router, pair.interface), (pair.neighbor, pair.neighbor_interface))
            for router, interface in ends:
                key = router, pair.protocol, interface
                if key not in speaking:
                    speaking[key] = self._speaks(*key)
            if all(speaking[router, pair.protocol, interface] for router, interface in ends):
                yield pair

    def _speaks(self, router: str, protocol: str, interface: str) -> bool:
        """Whether a protocol sends hellos at an interface."""
        if protocol == "isis":
            # Its JSON differs between versions of FRR; a passive interface has no such line.
            answer = self._monitor.query(router, protocol, f"show isis interface {interface}") or ""
            return "State: Up" in answer and "Passive" not in answer
        reply = self._json(router, protocol, f"show ip ospf interface {interface} json")
        entry = reply.get("interfaces", reply).get(interface, {})
        return bool(entry.get("ospfEnabled")) and bool(entry.get("ifUp", True)) and not entry.get("timerPassiveIface")

    def _unannounced_of(self, router: str) -> Iterator[str]:
        text = self._monitor.query(router, "bgp", "show running-config") or ""
        for prefix in _NETWORK.findall("".join(_INSTANCE.findall(text))):
            family = "ipv6" if ":" in prefix else "ipv4"
            reply = self._json(router, "bgp", f"show bgp {family} unicast {prefix} json")
            if not any(path.get("valid") for path in reply.get("paths", ())):
                yield prefix

    def _json(self, router: str, protocol: str, command: str) -> Any:
        try:
            return json.loads(self._monitor.query(router, protocol, command) or "{}")
        except ValueError:
            return {}


def _session_of(event: AdjacencyEvent) -> ExpectedAdjacency:
    names = (event.address,) if event.address else ()
    return ExpectedAdjacency(event.router, "bgp", event.neighbor, event.interface, names, event.vrf)
