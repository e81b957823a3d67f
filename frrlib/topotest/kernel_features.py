"""The kernel features that a directory of tests needs, derived from its scripts and configurations."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

#: Suffixes of the files to read.
_FILES = (".py", ".conf", ".sh", ".json")
#: Device type to a pattern of test programs that need it.
_IN_PROGRAMS = {
    "vrf": r"type vrf|add_l3vrf|\"vrfs?\":|create_vrf_cfg",
    "mpls": r"RD_LDP|RD_PATH|\bmpls\b(?!\")|ldpd|encap seg6|ltemplate",
    "pimreg": r"RD_PIM\b|create_pim_config|\bpimd\b",
    "dummy": r"type dummy",
    "vxlan": r"type vxlan|configure_vxlan",
    "gre": r"type gre\b|mode gre|tunnel add",
    "vlan": r"type vlan|add_vlan|vconfig",
}
#: Device type to a pattern of FRR configurations that need it.
_IN_CONFIGURATIONS = {
    "vrf": r"^\s*vrf \S|^(?:router|interface) .* vrf \S",
    "mpls": r"^\s*mpls |^\s*segment-routing|\blabel \d",
    "pimreg": r"^\s*ip (?:pim|igmp)\b",
}


def devices(folder: Path) -> frozenset[str]:
    """Types of network device, beyond veth and bridges, that the tests of a folder use."""
    types: set[str] = set()
    for path in _files(folder):
        if path.suffix in _FILES:
            table = _IN_CONFIGURATIONS if path.suffix == ".conf" else _IN_PROGRAMS
            text = path.read_text(encoding="utf-8", errors="replace")
            types |= {device for device, pattern in table.items() if re.search(pattern, text, re.MULTILINE)}
    return frozenset(types)


def _files(folder: Path) -> Iterator[Path]:
    """All files of a folder; tests share routers' folders by links."""
    for at, _, names in os.walk(folder, followlinks=True):
        yield from (Path(at, name) for name in sorted(names))
