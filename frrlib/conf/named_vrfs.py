"""The VRFs that a configuration names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from frrlib.conf.text import ConfigEntry

#: ` vrf NAME` or `nexthop-vrf NAME` in a heading or in a static route.
_NAMED = re.compile(r"(?:^|[ -])vrf (\S+)")
_HEADINGS = frozenset({"vrf", "interface", "bgp", "router"})


def named_vrfs(entries: Iterable[ConfigEntry]) -> dict[str, tuple[str, ...]]:
    """The VRFs that headings and static routes name, in order, each with its interfaces.

    FRR writes the VRF of an interface into its heading: `interface r1-eth0 vrf blue`. The default VRF is left out.
    """
    interfaces: dict[str, tuple[str, ...]] = {}
    for entry in entries:
        if entry.kind not in _HEADINGS and not entry.text.startswith(("ip route ", "ipv6 route ")):
            continue
        for name in _NAMED.findall(entry.text):
            if name != "default":
                words = entry.text.split()
                members = (words[1],) if entry.kind == "interface" else ()
                interfaces[name] = tuple(dict.fromkeys((*interfaces.get(name, ()), *members)))
    return interfaces


def without_vrf(entry: ConfigEntry) -> ConfigEntry:
    """The section of an interface without the VRF in its heading, which only repeats what the kernel knows."""
    return replace(entry, text=" ".join(entry.text.split()[:2])) if entry.kind == "interface" else entry
