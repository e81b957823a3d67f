"""The senders of routes that RIP and RIPng receive from. These protocols have no adjacencies, only the time of each
sender's last update."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

#: The states: an active sender, and one that has been silent for as long as its routes live.
HEARD, SILENT = "heard", "silent"

_GATEWAY = re.compile(r"^\s+(\d+\.\d+\.\d+\.\d+)\s+(\d+)\s+(\d+)\s+\d+\s+(\d+):(\d+):(\d+)", re.MULTILINE)
_EVERY, _TIMEOUT = re.compile(r"updates every (\d+) seconds"), re.compile(r"Timeout after (\d+) seconds")
_NEXT_HOP = re.compile(r"^\s+(fe80::\S+)\s+(\S+)\s+(\d+)\s+\d+\s+(\d+):(\d+)", re.MULTILINE)
#: The metric of a route that is no longer announced.
_INFINITY = 16


class RipSender(NamedTuple):
    """A sender: its address, interface (empty if it is not shown), HEARD or SILENT, and details."""

    address: str
    interface: str
    state: str
    detail: str


def rip(answer: str) -> Iterator[RipSender]:
    """The senders in the output of "show ip rip status"."""
    every, timeout = _EVERY.search(answer), _TIMEOUT.search(answer)
    limit_s = int(timeout[1]) if timeout else 180
    for address, *numbers in _GATEWAY.findall(answer):
        bad_packets, bad_routes, hours, minutes, seconds = map(int, numbers)
        age_s = 3600 * hours + 60 * minutes + seconds
        detail = f"last update {age_s} s ago" + (f", one every {every[1]} s" if every else "")
        detail += f", silent after {limit_s} s"
        detail += f", {bad_packets} bad packets, {bad_routes} bad routes" if bad_packets or bad_routes else ""
        yield RipSender(address, "", HEARD if age_s < limit_s else SILENT, detail)


def ripng(answer: str) -> Iterator[RipSender]:
    """The senders in the output of "show ipv6 ripng". It names next hops of routes, so senders without routes are
    missing."""
    senders: dict[tuple[str, str], tuple[int, int]] = {}
    for address, interface, metric, minutes, seconds in _NEXT_HOP.findall(answer):
        routes, left_s = senders.get((address, interface), (0, 0))
        if int(metric) < _INFINITY:
            routes, left_s = routes + 1, max(left_s, 60 * int(minutes) + int(seconds))
        senders[address, interface] = routes, left_s
    for (address, interface), (routes, left_s) in senders.items():
        detail = f"{routes} {'route' if routes == 1 else 'routes'}, valid for {left_s} s"
        yield RipSender(
            address, interface, HEARD if routes else SILENT, detail if routes else "its routes have expired"
        )
