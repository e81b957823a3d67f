"""The routes and neighbors that FRR and the kernels of a lab report after convergence."""

from __future__ import annotations

import json
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Any

from frrlib.lab.lab import Lab

#: The network is at rest after this time without a change, which is longer than the wait for a designated router.
REST_S, LIMIT_S = 45.0, 300.0
#: Time between two looks, in seconds of the lab's clock; each runs several commands in every router.
LOOK_S = 5
#: Routes that no routing protocol brought.
_OTHER_SOURCES = frozenset({"kernel", "boot", "ra"})
_MAIN_TABLE = 254
#: The metric of the default route at the end of a VRF's table, which keeps packets from leaving the VRF.
_VRF_END_METRIC = 4_278_198_272


@dataclass(frozen=True)
class Observation:
    """The state of a network.

    Attributes:
        routes: (router, table) to the prefixes in the kernel's table that a protocol brought.
        adjacencies: (router, protocol, neighbor, interface) of each adjacency that is up, with its VRF at the end.
        at_rest: whether nothing changed for `REST_S`.
        time_s: time of the last change, from the start of the observation.
    """

    routes: dict[tuple[str, int], frozenset[str]]
    adjacencies: frozenset[tuple[str, str, str, str, str]]
    at_rest: bool = True
    time_s: float = 0.0


def observe_at_rest(lab: Lab) -> Observation:
    """Watch a lab until nothing has changed for `REST_S`; the clock is the lab's."""
    begin_s = lab.now_s()
    state, changed_s = _state(lab), 0.0
    while (now_s := lab.now_s() - begin_s) - changed_s < REST_S:
        if now_s > LIMIT_S:
            return Observation(*state, at_rest=False, time_s=changed_s)
        lab[lab.topology.routers[0].name].run("sleep", f"{LOOK_S}")
        new_state = _state(lab)
        if new_state != state:
            state, changed_s = new_state, lab.now_s() - begin_s
    return Observation(*state, time_s=changed_s)


def _state(lab: Lab) -> tuple[dict[tuple[str, int], frozenset[str]], frozenset[tuple[str, str, str, str, str]]]:
    routes: dict[tuple[str, int], frozenset[str]] = {}
    for router in lab.topology.routers:
        by_table: dict[int, set[str]] = {}
        for version in (4, 6):
            text = lab[router.name].run("ip", "-j", "-N", f"-{version}", "route", "show", "table", "all")
            for row in json.loads(text or "[]"):
                if (prefix := _prefix_of(row, version)) is not None:
                    by_table.setdefault(int(row.get("table", _MAIN_TABLE)), set()).add(prefix)
        routes |= {(router.name, table): frozenset(prefixes) for table, prefixes in by_table.items()}
    adjacencies = frozenset(
        (event.router, event.protocol, event.neighbor, event.interface, event.vrf)
        for event in lab.adjacencies()
        if event.up
    )
    return routes, adjacencies


def _prefix_of(row: dict[str, Any], version: int) -> str | None:
    """The prefix of a row of `ip route`; None for routes of the kernel itself. Protocols are numbers: 2 is kernel, 3
    boot, 9 router advertisement. FRR's begin at 11 (zebra) and static ones are 4 or 196."""
    if row.get("metric") == _VRF_END_METRIC:
        return None
    if str(row.get("protocol")) in ("1", "2", "3", "9", *_OTHER_SOURCES):
        return None
    if str(row.get("type", "unicast")) in ("2", "3", "4", "5", "local", "broadcast", "anycast", "multicast"):
        return None
    destination = {"default": "0.0.0.0/0" if version == 4 else "::/0"}.get(row["dst"], row["dst"])
    return str(ip_network(destination))
