"""Helpers for descriptions of routers in JSON: optional lists, ranges of prefixes, and deleted parts."""

from __future__ import annotations

from ipaddress import ip_interface
from typing import Any

Json = dict[str, Any]


def unless_deleted(entry: Json, line: str) -> str:
    """A line, or the line that removes it."""
    return f"no {line}" if entry.get("delete") else line


def listed(value: Any) -> list[Any]:
    """A value as a list: a list unchanged, None as an empty list, any other value as one element."""
    return list(value) if isinstance(value, list | tuple | set) else [] if value is None else [value]


def addresses(networks: Any, count: int | None = None) -> list[str]:
    """`count` successive prefixes from each given one on."""
    prefixes = []
    for network in listed(networks):
        first = ip_interface(network)
        step = 2 ** (first.max_prefixlen - first.network.prefixlen)
        length = first.network.prefixlen
        prefixes += [f"{first.ip + step * number}/{length}" for number in range(count or 1)]
    return prefixes


def number_to_column(router: str) -> int:
    """The index of a name's first letter in the alphabet, the last part of loopbacks' addresses."""
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
