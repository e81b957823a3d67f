"""The description of routers in JSON: values that may be lists, prefixes that are counted, parts that are removed."""

from __future__ import annotations

from ipaddress import ip_interface
from typing import Any

Json = dict[str, Any]


def unless_deleted(given: Json, line: str) -> str:
    """A line, or what takes it out."""
    return f"no {line}" if given.get("delete") else line


def listed(value: Any) -> list[Any]:
    """A list as it is, nothing as an empty one, everything else as one element."""
    return list(value) if isinstance(value, list | tuple | set) else [] if value is None else [value]


def addresses(networks: Any, count: int | None = None) -> list[str]:
    """So many prefixes, one after the other, from each of some on."""
    found = []
    for network in listed(networks):
        first = ip_interface(network)
        step = 2 ** (first.max_prefixlen - first.network.prefixlen)
        length = first.network.prefixlen
        found += [f"{first.ip + step * number}/{length}" for number in range(count or 1)]
    return found


def number_to_column(router: str) -> int:
    """The place of a name's first letter in the alphabet, from 0; the last part of loopbacks' addresses."""
    return ord(router[0]) - ord("a")


def family_of(address: str) -> str:
    """ "ipv4" or "ipv6"."""
    return "ipv6" if ":" in address else "ipv4"


def word_of(family: str) -> str:
    """The word of FRR's commands for a family: "ip" or "ipv6"."""
    return "ip" if family == "ipv4" else "ipv6"


def within(vrf: str | None) -> str:
    """The VRF words of a command, with the blank behind them; empty for none."""
    return f"vrf {vrf} " if vrf else ""
