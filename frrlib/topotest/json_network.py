"""Makes gears and links of a network that is described in JSON.

The names that are given to interfaces and the addresses where the file says "auto" are written into the description,
for the tests read them there.
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
            other, _, suffix = key.partition("-")
            if other in routers and other > name:
                back = f"{name}-{suffix}" if suffix else name
                _join_routers(tgen, topo, (name, key), (other, back), pools)
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
    """Give loopbacks their addresses: prefix, running number, and the number of the router's first letter."""
    count = 0
    for name in sorted(topo["routers"]):
        for link in (link for _, link in sorted(topo["routers"][name].get("links", {}).items())):
            if link.get("type") != "loopback":
                continue
            count += 1
            for family, between in (("ipv4", "."), ("ipv6", ":")):
                if link.get(family) == "auto":
                    prefix = topo["lo_prefix"]
                    own = f"{prefix[family]}{count}{between}{number_to_column(name)}"
                    link[family] = f"{own}/{prefix[_LENGTHS[family]]}"


def _join_routers(tgen: Any, topo: Json, one: tuple[str, str], other: tuple[str, str], pools: dict[str, _Pool]) -> None:
    """Join two routers, each given with the key of the link at its end."""
    (first, key), (second, back) = one, other
    here, there = topo["routers"][first]["links"][key], topo["routers"][second]["links"][back]
    own, theirs = _interface(topo, first, second), _interface(topo, second, first)
    here |= {"interface": own, "peer-interface": theirs}
    there |= {"interface": theirs, "peer-interface": own}
    tgen.gears[first].add_link(tgen.gears[second], own, theirs)
    for family, pool in pools.items():
        if here.get(family) == "auto":
            here[family], there[family] = pool.pair()


def _join_switch(tgen: Any, topo: Json, switch: str, key: str, pools: dict[str, _Pool]) -> None:
    """Join a switch with a router; the router's description gets the link, under the switch's name."""
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


def _interface(topo: Json, node: str, other: str) -> str:
    number = topo["routers"][node]["nextIfname"]
    topo["routers"][node]["nextIfname"] += 1
    return f"{node}-{other}-eth{number}"


def _number(name: str) -> int:
    match = re.search(r"\d+", name)
    return int(match[0]) if match else 0
