"""Makes gears and links of a network that is described in JSON.

The names of interfaces, and addresses in place of "auto", are written into the description, where the tests read them.
"""

from __future__ import annotations

import re
from copy import deepcopy
from ipaddress import ip_interface
from typing import Any

from frrlib.topotest.config.description import Json, number_to_column

#: Family to the name of its length in "link_ip_start" and "lo_prefix".
_LENGTHS = {"ipv4": "v4mask", "ipv6": "v6mask"}


def build_topo_from_json(tgen: Any, topo: Json | None = None) -> None:
    """Add the gears and links of a description to a network."""
    topo = tgen.json_topo if topo is None else topo
    routers, switches = topo["routers"], topo.get("switches", {})
    for name in sorted(routers, key=_number):
        tgen.add_router(name)
        routers[name]["nextIfname"] = 0
    for name in sorted(switches, key=_number):
        tgen.add_switch(name)
    pools = {family: _Pool(topo, family) for family in _LENGTHS if f"{family}base" in topo}
    _name_loopbacks(topo)
    for name in sorted(routers):
        for key in sorted(routers[name].get("links", {})):
            peer, _, suffix = key.partition("-")
            if peer in routers and peer > name:
                peer_key = f"{name}-{suffix}" if suffix else name
                _join_routers(tgen, topo, (name, key), (peer, peer_key), pools)
    for name in sorted(switches):
        for key in sorted(switches[name].get("links", {})):
            _join_switch(tgen, topo, name, key, pools)


class _Pool:
    """Addresses for links, one network after the other."""

    def __init__(self, topo: Json, family: str) -> None:
        start = topo["link_ip_start"]
        self.length = start[_LENGTHS[family]]
        first = ip_interface(f"{start[family]}/{self.length}").ip
        bits = first.max_prefixlen
        self._step = 2 ** (bits - self.length)
        self._next = first + (1 if self.length < bits - (bits == 128) else 0)

    def pair(self) -> tuple[str, str]:
        """Two addresses in the next network."""
        first = self._next
        self._next += self._step
        return f"{first}/{self.length}", f"{first + 1}/{self.length}"

    def single(self) -> str:
        """The next address, in the same network."""
        self._next += 1
        return f"{self._next - 1}/{self.length}"


def _name_loopbacks(topo: Json) -> None:
    """Set the addresses of loopbacks: prefix, running number, and the number of the router's first letter."""
    count = 0
    for name in sorted(topo["routers"]):
        for link in (link for _, link in sorted(topo["routers"][name].get("links", {}).items())):
            if link.get("type") != "loopback":
                continue
            count += 1
            for family, between in (("ipv4", "."), ("ipv6", ":")):
                if link.get(family) == "auto":
                    prefix = topo["lo_prefix"]
                    address = f"{prefix[family]}{count}{between}{number_to_column(name)}"
                    link[family] = f"{address}/{prefix[_LENGTHS[family]]}"


def _join_routers(
    tgen: Any, topo: Json, first_end: tuple[str, str], second_end: tuple[str, str], pools: dict[str, _Pool]
) -> None:
    """Link two routers, each given with the key of the link in its description."""
    (first, first_key), (second, second_key) = first_end, second_end
    first_link, second_link = topo["routers"][first]["links"][first_key], topo["routers"][second]["links"][second_key]
    first_interface, second_interface = _interface(topo, first, second), _interface(topo, second, first)
    first_link |= {"interface": first_interface, "peer-interface": second_interface}
    second_link |= {"interface": second_interface, "peer-interface": first_interface}
    tgen.gears[first].add_link(tgen.gears[second], first_interface, second_interface)
    for family, pool in pools.items():
        if first_link.get(family) == "auto":
            first_link[family], second_link[family] = pool.pair()


def _join_switch(tgen: Any, topo: Json, switch: str, key: str, pools: dict[str, _Pool]) -> None:
    """Link a switch and a router; the link is added to the router's description under the switch's name."""
    described = topo["switches"][switch]["links"][key]
    router = described.get("dst_node", key.partition("-")[0])
    if router not in topo["routers"]:
        return
    link = topo["routers"][router]["links"][switch] = deepcopy(described)
    number = topo["routers"][router]["nextIfname"]
    link["interface"] = _interface(topo, router, switch)
    described["interface"] = f"{switch}-{router}-eth{number}"
    tgen.gears[switch].add_link(tgen.gears[router], described["interface"], link["interface"])
    for family, pool in pools.items():
        if link.get(family) == "auto":
            link[family] = pool.single() if family == "ipv4" else pool.pair()[0]


def _interface(topo: Json, node: str, peer: str) -> str:
    number = topo["routers"][node]["nextIfname"]
    topo["routers"][node]["nextIfname"] += 1
    return f"{node}-{peer}-eth{number}"


def _number(name: str) -> int:
    match = re.search(r"\d+", name)
    return int(match[0]) if match else 0
